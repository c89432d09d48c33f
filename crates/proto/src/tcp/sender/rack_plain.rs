//! A sender that detects losses by time, while none is in sight: the next segment, and the acknowledgement of data in order.
//! What every packet costs is here; the rest is in `rack_ack` and `rack_timers`.

use dumbbell_core::{Packet, Time};
use dumbbell_header::TcpHeader;

use super::Sender;
use crate::controller::Event;
use crate::tcp::account::News;
use crate::tcp::rack::{Rack, State};

impl Sender {
    /// The handshake is over.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_in_time(&mut self) {
        self.rack = Some(Box::new(Rack::new()));
    }

    /// Sends the next segment of the stream.
    pub(super) fn pull_plain(&mut self, now: Time) -> Option<Packet> {
        let start = self.nxt;
        let waits = start < self.stop || self.writer.is_some();
        if start >= self.granted && self.limit > start && waits && !self.begins_burst(now) {
            return None;
        }
        let mut rack = self.rack.take()?;
        let mut next = self.next(now);
        match &mut next {
            Some(packet) => {
                packet.aux = rack.acknowledged;
                self.note_new(now, &mut rack, start);
            }
            None => self.paused(now, &mut rack, false),
        }
        self.rack = Some(rack);
        next
    }

    /// True if the acknowledgement brings new data in order, and nothing is held, lost or probed for.
    #[inline]
    pub(super) fn is_plain(&self, packet: &Packet, rack: &Rack) -> bool {
        rack.state == State::Open
            && rack.segments.are_plain()
            && rack.probe_end == 0
            && packet.body[2] == 0
            && packet.flags & TcpHeader::ECE == 0
            && self.account.as_ref().is_none_or(|account| account.is_settled())
            && rack.segments.first().is_some_and(|head| head.end <= packet.body[0])
    }

    /// What `work` does about a plain acknowledgement.
    #[inline]
    pub(super) fn advance_in_time(&mut self, now: Time, packet: &Packet, rack: &mut Rack) {
        let ack = packet.body[0];
        debug_assert!(ack <= self.nxt, "nothing is acknowledged that was not sent");
        let Some(gone) = rack.segments.pop_plain(ack) else { return };
        self.receive_window = self.shifted(packet.aux);
        self.una = ack;
        self.expired = 0;
        let (longest, rtt) = (now.since(gone.first_sent_at), now.since(gone.last_sent_at));
        rack.delivered += gone.count;
        rack.advanced = true;
        rack.rtt = rtt;
        rack.point = rack.point.max((gone.last_sent_at, gone.end));
        if gone.start < rack.highest_held {
            rack.note_reordering(gone.start, u64::from(self.mss));
        }
        rack.highest_held = ack;
        self.time_round(rack, longest, rtt);
        if gone.delivered > 0 {
            rack.adapt(gone.delivered);
        }
        if !self.schedule_probe(now, rack, true) {
            self.rearm_in_time(now, rack);
        }
        self.recovering = false;
        self.window_limited = self.is_window_limited(rack);
        let in_flight = u64::from(rack.segments.out()) * u64::from(self.mss);
        if let Some(account) = &mut self.account {
            account.advanced_in_order(ack);
            self.note_marks(false);
            self.decide_by_account(now, Event::Ack, ack.max(self.delivered), in_flight, rtt);
        } else if ack > self.delivered {
            self.inform(now, Event::Ack, ack, in_flight, News::of_rtt(rtt));
        }
        rack.repairing = false;
    }
}
