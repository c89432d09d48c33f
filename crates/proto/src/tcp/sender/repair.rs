//! What a sender knows of losses, whatever finds them.

use dumbbell_core::Packet;
use dumbbell_header::TcpHeader;

use super::{Repair, Stream};
use crate::tcp::scoreboard::{EMPTY, Scoreboard};

impl Repair {
    /// True if an acknowledgement of new data brings nothing else, and nothing is held or lost.
    #[inline]
    pub(super) fn is_plain(&self, packet: &Packet) -> bool {
        self.duplicates.quiet && packet.body[2] == 0 && packet.flags & TcpHeader::ECE == 0
    }

    /// Bytes in the network.
    pub(super) fn outstanding(&self, stream: &Stream) -> u64 {
        if let Some(rack) = &self.rack {
            return rack.flight(stream.mss.into());
        }
        match self.duplicates.way {
            None => self.board().pipe(stream.una, stream.max),
            Some(_) => stream.nxt - stream.una,
        }
    }

    /// Bytes outstanding, for the size of a cut (RFC 5681: FlightSize), without what limited transmit added. While
    /// losses are repaired, duplicates and SACK let new data out as old data arrives, so that what is in the network
    /// is no more than the window, however far behind the cumulative acknowledgement is.
    pub(super) fn flight(&self, stream: &Stream, window: u64) -> u64 {
        let added = self.duplicates.in_a_row > 0 && !self.duplicates.recovering;
        let end = if added { self.duplicates.before } else { stream.nxt };
        (end - stream.una).min(window)
    }

    /// What is known of losses by duplicates and SACK.
    #[inline]
    pub(super) fn board(&self) -> &Scoreboard {
        self.duplicates.board.as_deref().unwrap_or(&EMPTY)
    }
}
