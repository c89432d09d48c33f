//! Objects that the application writes one after another on a connection, where the transport knows of them (GIP).

use dumbbell_core::{Packet, Time};

use super::{Phase, Sender, todo};
use crate::controller::Class;

impl Sender {
    /// An object begins: with a small window, if the parameters say so.
    pub(super) fn begin_unit(&mut self) {
        let Some(segments) = self.params.unit_window else { return };
        if self.phase != Phase::Established || self.gate.class != Class::Window {
            return;
        }
        self.gate.control.window =
            self.gate.control.window.min(u64::from(segments) * u64::from(self.stream.mss));
        match self.repair.rack.take() {
            Some(rack) => {
                self.update_limit_in_time(&rack);
                self.repair.rack = Some(rack);
            }
            None => self.update_limit(),
        }
    }

    /// The segment that ends at `end` leaves for the first time. Behind the last of an object copies of it follow.
    #[inline]
    pub(super) fn plan_copies(&mut self, end: u64) {
        if self.params.unit_copies > 0 && end == self.stream.end && self.stream.is_written() {
            self.todo |= todo::ONE_COPY * self.params.unit_copies as u16;
        }
    }

    /// A copy of the last segment, unless it has arrived.
    #[cold]
    #[inline(never)]
    pub(super) fn pull_copy(&mut self, now: Time) -> Option<Packet> {
        if self.stream.una >= self.stream.end {
            self.todo &= !todo::COPIES;
            return None;
        }
        self.todo -= todo::ONE_COPY;
        let number = self.stream.last_segment();
        let mut packet = self.resend(now, number, self.stream.sent_length(number));
        packet.aux = self.repair.rack.as_ref().map_or(packet.aux, |rack| rack.arrived);
        Some(packet)
    }
}
