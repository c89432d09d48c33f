//! The stream of a connection: what of it is written, sent and acknowledged.

use dumbbell_core::{Ecn, FlowTag, Packet, Time};
use dumbbell_header::{SackBlock, TcpHeader};

use super::Stream;
use crate::tcp::send_buffer::Pieces;

impl Stream {
    /// True if the application has written all.
    #[inline]
    pub(super) fn is_written(&self) -> bool {
        self.writer.as_ref().is_none_or(|writer| writer.is_done())
    }

    /// True if the application has more than there is room for: the buffer limits the sender (RFC 7661 section 4.4.3).
    pub(super) fn is_starved(&self) -> bool {
        self.writer.as_ref().is_some_and(|writer| writer.waits())
    }

    /// True if the application may have something to write, or may get a larger buffer.
    #[inline]
    pub(super) fn may_write(&self, window: u64) -> bool {
        self.writer.as_ref().is_some_and(|writer| writer.may_write(self.end - self.una.min(self.end), window))
    }

    /// True if the application pushed what it had written up to this number.
    #[inline]
    pub(super) fn is_pushed(&self, end: u64) -> bool {
        self.pieces().is_some_and(|pieces| pieces.has_pushed(end))
    }

    fn pieces(&self) -> Option<&Pieces> {
        self.writer.as_ref().and_then(|writer| writer.pieces())
    }

    /// Bytes of the piece of the send buffer that leaves next, and whether it is the last.
    pub(super) fn first_piece(&self) -> (u64, bool) {
        match self.pieces() {
            Some(pieces) => pieces.first(self.nxt),
            None => Pieces::first_of_one_write(self.mss.into(), self.nxt, self.end),
        }
    }

    /// The receive window that a header advertises, in bytes.
    pub(super) fn shifted(&self, window: u16) -> u64 {
        u64::from(window) << self.scale
    }

    /// The number after a segment of `len` bytes from `number`: the FIN has a number of its own.
    #[inline]
    pub(super) fn after(&self, number: u64, len: u64) -> u64 {
        let last = number + len;
        if last == self.end { self.stop } else { last }
    }

    /// Where the last segment sent begins. The FIN never travels alone, but for an empty stream.
    pub(super) fn last_segment(&self) -> u64 {
        let (mss, end) = (u64::from(self.mss), self.max.min(self.end));
        if end == self.short_end {
            return end - u64::from(self.short_length);
        }
        // Behind the latest short segment all are full.
        self.short_end + (end - 1 - self.short_end) / mss * mss
    }

    #[inline]
    pub(super) fn packet(&mut self, now: Time, flags: u8, number: u64, size: u16, ecn: Ecn) -> Packet {
        self.packets += 1;
        Packet::of(
            TcpHeader {
                flags,
                window: 0,
                number,
                timestamp: now.as_nanos(),
                sack: [SackBlock::default(); 3],
            },
            FlowTag { slot: self.slot, class: self.class },
            size,
            ecn,
        )
    }

    /// Payload of the segment at `number`.
    #[inline]
    pub(super) fn length(&self, number: u64) -> u64 {
        u64::from(self.mss).min(self.end.saturating_sub(number))
    }

    /// Payload of a segment that was sent from `number`: nothing new goes with it.
    pub(super) fn sent_length(&self, number: u64) -> u64 {
        u64::from(self.mss).min(self.max.min(self.end).saturating_sub(number))
    }

    /// True if the receiver's window has room for the segment at `number`.
    pub(super) fn fits(&self, number: u64) -> bool {
        number + self.length(number) <= self.una + self.receive_window
    }

    /// Takes in the window of the acknowledgement of `ack`, unless that is an old one. Of several for one number the largest is the
    /// latest, but for one that closes the window (RFC 9293 section 3.10.7.4; Linux net/ipv4/tcp_input.c: tcp_may_update_window).
    pub(super) fn take_window(&mut self, ack: u64, advertised: u16) {
        let window = self.shifted(advertised);
        if ack > self.una || ack == self.una && (window > self.receive_window || window == 0) {
            self.set_window(advertised);
        }
    }

    /// Sets the receiver's window.
    #[inline]
    pub(super) fn set_window(&mut self, advertised: u16) {
        self.receive_window = self.shifted(advertised);
        self.largest_window = self.largest_window.max(advertised);
    }

    /// New data, in order, is acknowledged.
    #[inline]
    pub(super) fn advance(&mut self, ack: u64) {
        self.una = ack;
        self.nxt = self.nxt.max(ack);
    }
}
