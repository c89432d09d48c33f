//! The sender as an end of a flow: what it has done, whether it is over, what it is given to send.

use dumbbell_core::{Frame, Packet, Time};
use dumbbell_header::SourceQuench;

use super::{ENDLESS, Phase, Sender, todo};
use crate::controller::{Control, Estimate, Stand};
use crate::tcp::account::FAST;
use crate::tcp::params::Params;
use crate::tcp::rack::State;
use crate::tcp::send_buffer::Held;
use crate::tcp::writer::Writer;
use crate::transport::{Agreed, SendEnd, SenderPhase, SenderReport, SenderState};

impl Sender {
    /// Lets the application write. Returns true if it wrote. With loss detection by time and a buffer, it writes only when everything
    /// written has left: `pull_plain` polls it between packets.
    #[inline]
    pub(super) fn top_up(&mut self) -> bool {
        let Some(writer) = &self.stream.writer else { return false };
        if self.todo & todo::TIMED != 0 && writer.has_buffer() {
            return self.stream.nxt >= self.stream.end && self.may_write() && self.write_more();
        }
        let end = self.stream.end;
        while self.may_write() && self.write_more() {}
        self.stream.end > end
    }

    /// True if the application may have something to write.
    #[inline]
    pub(super) fn may_write(&self) -> bool {
        self.stream.may_write(self.gate.window_in_use())
    }

    /// Lets the application write until something may leave. True if it wrote.
    #[cold]
    #[inline(never)]
    pub(super) fn write_more(&mut self) -> bool {
        let Some(mut writer) = self.stream.writer.take_if(|writer| !writer.is_done()) else { return false };
        let window = self.gate.window_in_use();
        if self.todo & todo::REPAIR == 0 && self.repair.outstanding(&self.stream) < window {
            writer.grow(window);
        }
        let (end, mss) = (self.stream.end, u64::from(self.stream.mss));
        let next = self.stream.max.min(end);
        let una = self.stream.una.min(next);
        let alone = (next - una).div_ceil(mss);
        let packets = match &self.repair.rack {
            Some(rack) if self.stream.granted < u64::MAX => rack.segments.packets().into(),
            _ => alone,
        };
        let held = Held { una, next, end, packets, beside: self.params.packet_memory.get() };
        let most = self.stream.shifted(self.stream.largest_window);
        let written = writer.write(held, mss, most);
        if let Some(written) = written {
            self.stream.end = written.end;
            self.stream.stop = written.end;
            (self.stream.at_once, self.stream.held) = (written.at_once, false);
        }
        if writer.is_done() {
            self.stream.stop += u64::from(self.params.fin);
            self.stream.buffer = writer.segments();
        }
        if !writer.is_done() || writer.pieces().is_some() {
            self.stream.writer = Some(writer);
        }
        written.is_some()
    }

    /// Grows the buffer of an application that waits, after a packet, if the window has room for another.
    // Linux net/ipv4/tcp_output.c: tcp_event_new_data_sent calls tcp_check_space.
    #[inline]
    pub(super) fn grow_buffer(&mut self) {
        if let Some(writer) = &mut self.stream.writer
            && self.repair.rack.as_ref().is_some_and(|rack| rack.sent_new)
        {
            writer.grow(self.gate.window_in_use());
        }
    }

    /// What congestion control is about.
    fn doing(&self) -> SenderPhase {
        match self.repair.rack.as_deref().map(|rack| rack.state) {
            _ if self.timers.expired > 0 => SenderPhase::Loss,
            Some(State::Loss) => SenderPhase::Loss,
            Some(State::Recovery) => SenderPhase::Recovery,
            _ if self.repair.duplicates.recovering => SenderPhase::Recovery,
            _ if self.gate.control.window < self.gate.control.threshold => SenderPhase::SlowStart,
            _ => SenderPhase::Avoidance,
        }
    }
}

impl SendEnd for Sender {
    fn report(&self) -> SenderReport {
        SenderReport {
            packets_sent: self.stream.packets,
            retransmissions: self.repair.retransmissions,
            timeouts: self.timers.timeouts,
            causes: self.repair.timeout_causes(self.timers.rtt.min()),
            cuts: self.gate.cuts,
            window: self.gate.control.window,
            min_rtt: self.timers.rtt.min(),
            smoothed_rtt: self.timers.rtt.smoothed(),
            finished: Some(self.timers.finished).filter(|at| at.is_finite()),
            failure: match self.phase {
                Phase::Failed(failure) => Some(failure),
                _ => None,
            },
        }
    }

    fn state(&self) -> SenderState {
        let SenderReport { window, min_rtt, smoothed_rtt, .. } = self.report();
        // Before the handshake is over the rate is infinite, or a number that stands for it.
        let paced = self.gate.control.pacing < FAST;
        SenderState {
            window,
            threshold: (self.gate.control.threshold != Control::UNLIMITED)
                .then_some(self.gate.control.threshold),
            in_flight: self.repair.outstanding(&self.stream),
            smoothed_rtt,
            min_rtt,
            pacing: paced.then(|| self.gate.control.pacing.as_f64() * 8.0),
            limit: if self.phase == Phase::Established {
                self.stream.una + self.stream.receive_window
            } else {
                0
            },
            phase: Some(
                self.gate
                    .controller
                    .stand()
                    .map_or_else(|| self.doing().name(), |stand| stand.latest[0].state),
            ),
        }
    }

    fn stand(&self) -> Option<Stand> {
        match self.phase {
            Phase::Unopened | Phase::Connecting => None,
            _ => Some(self.gate.controller.stand().unwrap_or_else(|| Stand::of(self.doing().name()))),
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
            ("delivered", "B", self.gate.delivered as f64),
            ("lost", "B", or_none(self.gate.account.as_ref().map(|account| account.lost as f64))),
        ];
        all.into_iter().for_each(|(name, unit, value)| tell(Estimate { name, unit, value }));
        self.gate.controller.estimates(tell);
    }

    fn words_mut(&mut self) -> Option<&mut [i64]> {
        self.gate.controller.words_mut()
    }

    fn agreed(&self) -> Option<Agreed> {
        let Params { sack, timestamps, .. } = *self.params;
        Some(Agreed {
            header: self.stream.header.into(),
            segment: self.stream.mss.into(),
            scale: self.stream.scale,
            sack,
            timestamps,
        })
    }

    #[inline]
    fn is_closed(&self) -> bool {
        // The engine asks after every packet, and most senders still have data.
        if self.phase == Phase::Established && self.stream.una < self.stream.stop {
            return false;
        }
        let over = match self.phase {
            Phase::Closed | Phase::Failed(_) => true,
            Phase::Established => !self.params.fin && self.stream.is_written(),
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
        self.repair.note_transfer(self.stream.end);
        self.begin_unit();
        self.timers.finished = Time::NEVER;
        if let Some(writer) = &mut self.stream.writer {
            return writer.add(bytes);
        }
        let buffer = self.params.send_buffer;
        let buffer = buffer.open(self.stream.mss.into(), self.params.windows_held(), self.stream.buffer);
        self.stream.writer = Writer::new(self.stream.end - self.stream.una, bytes, buffer);
        if self.stream.writer.is_none() {
            self.stream.end = (self.stream.end + bytes).min(ENDLESS);
            self.stream.stop = self.stream.end;
        }
    }
}
