//! The sender as an end of a flow: what it has done, whether it is over, what it is given to send.

use dumbbell_core::{Frame, Packet, Time};
use dumbbell_header::SourceQuench;

use super::{ENDLESS, Phase, Sender, todo};
use crate::controller::{Control, Estimate, Stand};
use crate::tcp::account::FAST;
use crate::tcp::params::Params;
use crate::tcp::rack::State;
use crate::tcp::writer::Writer;
use crate::transport::{Agreed, SendEnd, SenderPhase, SenderReport, SenderState};

impl Sender {
    /// Lets the application write what there is room for. True if it wrote.
    #[inline]
    pub(super) fn top_up(&mut self) -> bool {
        self.writer.is_some() && self.write_more()
    }

    #[cold]
    #[inline(never)]
    fn write_more(&mut self) -> bool {
        let Some(mut writer) = self.writer.take() else { return false };
        if self.outstanding() < self.window_in_use() {
            writer.grow(self.window_in_use() / u64::from(self.mss));
        }
        let sent = self.max.min(self.end);
        let written = writer.write(self.end - sent, sent - self.una.min(sent), || self.packet_now());
        self.end += written;
        self.stop = self.end;
        if writer.is_done() {
            self.stop += u64::from(self.params.fin);
        } else {
            self.writer = Some(writer);
        }
        written > 0
    }

    /// What congestion control is about.
    fn doing(&self) -> SenderPhase {
        match self.rack.as_deref().map(|rack| rack.state) {
            _ if self.expired > 0 => SenderPhase::Loss,
            Some(State::Loss) => SenderPhase::Loss,
            Some(State::Recovery) => SenderPhase::Recovery,
            _ if self.recovering => SenderPhase::Recovery,
            _ if self.control.window < self.control.threshold => SenderPhase::SlowStart,
            _ => SenderPhase::Avoidance,
        }
    }

    /// True if the application has more than there is room for: the buffer limits the sender (RFC 7661 section 4.4.3).
    pub(super) fn is_starved(&self) -> bool {
        self.writer.as_ref().is_some_and(|writer| writer.waits())
    }
}

impl SendEnd for Sender {
    fn report(&self) -> SenderReport {
        SenderReport {
            packets_sent: self.packets,
            retransmissions: self.retransmissions,
            timeouts: self.timeouts,
            causes: self.timeout_causes(),
            cuts: self.cuts,
            window: self.control.window,
            min_rtt: self.rtt.min(),
            smoothed_rtt: self.rtt.smoothed(),
            finished: Some(self.finished).filter(|at| at.is_finite()),
            failure: match self.phase {
                Phase::Failed(failure) => Some(failure),
                _ => None,
            },
        }
    }

    fn state(&self) -> SenderState {
        let SenderReport { window, min_rtt, smoothed_rtt, .. } = self.report();
        // Before the handshake is over the rate is infinite, or a number that stands for it.
        let paced = self.control.pacing < FAST;
        SenderState {
            window,
            threshold: (self.control.threshold != Control::UNLIMITED).then_some(self.control.threshold),
            in_flight: self.outstanding(),
            smoothed_rtt,
            min_rtt,
            pacing: paced.then(|| self.control.pacing.as_f64() * 8.0),
            limit: if self.phase == Phase::Established { self.una + self.receive_window } else { 0 },
            phase: Some(
                self.controller.stand().map_or_else(|| self.doing().name(), |stand| stand.latest[0].state),
            ),
        }
    }

    fn stand(&self) -> Option<Stand> {
        match self.phase {
            Phase::Unopened | Phase::Connecting => None,
            _ => Some(self.controller.stand().unwrap_or_else(|| Stand::of(self.doing().name()))),
        }
    }

    fn ignored(&self) -> u64 {
        self.ignored.into()
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        let SenderState { window, threshold, in_flight, smoothed_rtt, pacing, .. } = self.state();
        let or_none = |value: Option<f64>| value.unwrap_or(f64::INFINITY);
        let all = [
            ("cwnd", "B", window as f64),
            ("ssthresh", "B", or_none(threshold.map(|bytes| bytes as f64))),
            ("inflight", "B", in_flight as f64),
            ("srtt", "s", smoothed_rtt.as_secs_f64()),
            ("pacing_rate", "bit/s", or_none(pacing)),
            ("delivered", "B", self.delivered as f64),
            ("lost", "B", or_none(self.account.as_ref().map(|account| account.lost as f64))),
        ];
        all.into_iter().for_each(|(name, unit, value)| tell(Estimate { name, unit, value }));
        self.controller.estimates(tell);
    }

    fn agreed(&self) -> Option<Agreed> {
        let Params { sack, timestamps, .. } = *self.params;
        Some(Agreed { header: self.header, segment: self.mss, scale: self.scale, sack, timestamps })
    }

    #[inline]
    fn is_closed(&self) -> bool {
        let over = match self.phase {
            Phase::Closed | Phase::Failed(_) => true,
            Phase::Established => self.una >= self.stop && !self.params.fin && self.writer.is_none(),
            Phase::Unopened | Phase::Connecting => false,
        };
        over && self.todo & todo::ACK == 0
    }

    fn notice(&mut self, now: Time, packet: &Packet) {
        if self.phase == Phase::Established && packet.read::<SourceQuench>().is_some() {
            self.quenched(now);
        }
    }

    fn write(&mut self, bytes: u64) {
        assert!(!self.params.fin, "an object is added to a connection that closes");
        self.note_transfer();
        self.begin_unit();
        self.finished = Time::NEVER;
        if let Some(writer) = &mut self.writer {
            return writer.add(bytes);
        }
        self.writer = Writer::new(self.end - self.una, bytes, self.params.send_buffer.open(self.mss));
        if self.writer.is_none() {
            self.end = (self.end + bytes).min(ENDLESS);
            self.stop = self.end;
        }
    }
}
