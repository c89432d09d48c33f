//! The header of TCP.
//!
//! Only acknowledgements carry SACK blocks. On data segments another header may ride in their place. Its answer rides on
//! acknowledgements, in the place of the third block ([`TcpHeader::FEEDBACK`]).

use std::ops::Range;

use dumbbell_core::header::Words;
use dumbbell_core::{Header, Packet};

/// A range of bytes received out of order (RFC 2018): `[start, end)`, as offsets above the cumulative
/// acknowledgement. A block of zeros is absent. The first may tell what arrived twice (RFC 2883); where that lies below
/// the acknowledgement, its offsets wrap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SackBlock {
    /// First byte held, relative to the cumulative acknowledgement.
    pub start: u32,
    /// One past the last byte held, relative to the cumulative acknowledgement.
    pub end: u32,
}

/// A TCP header. Data travels forward only, so one number and one timestamp serve: sequence number and TSval on
/// forward segments, acknowledgement number and TSecr on reverse ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TcpHeader {
    /// [`TcpHeader::SYN`] and its siblings.
    pub flags: u8,
    /// Reverse: receive window, to be shifted left by the connection's window scale (RFC 7323 section 2). Forward: how many
    /// segments the sender knows to have arrived, modulo 2^16, for receivers that measure round-trip times.
    pub window: u16,
    /// Sequence number of the first byte (forward) or cumulative acknowledgement (reverse). 64 bits: never wraps.
    pub number: u64,
    /// Forward: when the segment was sent, in nanoseconds. Reverse: the echo of it.
    pub timestamp: u64,
    /// Up to three blocks, the one that changed last first (RFC 2018 section 4).
    pub sack: [SackBlock; 3],
}

impl TcpHeader {
    /// Last segment of the stream.
    pub const FIN: u8 = 0x01;
    /// Opens the connection.
    pub const SYN: u8 = 0x02;
    /// The third bit of accurate ECN (RFC 9768 section 3.1). On the wire it stands beside CWR; here in the place of RST, which
    /// this stack does not send.
    pub const AE: u8 = 0x04;
    /// Ends a packet of several segments that the host handed to its device at once.
    pub const PSH: u8 = 0x08;
    /// The number is an acknowledgement.
    pub const ACK: u8 = 0x10;
    /// A header rides on the data segment, or its answer on the acknowledgement. (A bit that this stack has no other use
    /// for; RFC 9293 calls it URG.)
    pub const FEEDBACK: u8 = 0x20;
    /// ECN echo (RFC 3168 section 6.1).
    pub const ECE: u8 = 0x40;
    /// Congestion window reduced (RFC 3168 section 6.1).
    pub const CWR: u8 = 0x80;

    /// True if `flag` is set.
    #[inline]
    pub const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Puts the answer to headers that rode on data segments on an acknowledgement.
    pub fn put_answer(packet: &mut Packet, answer: f64) {
        packet.flags |= TcpHeader::FEEDBACK;
        packet.body[ANSWER] = answer.to_bits();
    }

    /// Puts the option of accurate ECN on an acknowledgement, in the place of the third block: with timestamps, a header has room
    /// for two blocks beside it.
    pub fn put_option(packet: &mut Packet, option: AccurateOption) {
        if packet.body[ANSWER] == 0 {
            packet.size += AccurateOption::SIZE;
        }
        let AccurateOption { codepoint, unmarked, marked } = option;
        let fields = (unmarked & AccurateOption::FIELD) << 24 | marked & AccurateOption::FIELD;
        packet.body[ANSWER] = AccurateOption::KINDS[codepoint as usize] << 48 | fields;
    }

    /// Takes the option of accurate ECN off an acknowledgement, if it has one.
    pub fn take_option(packet: &mut Packet) -> Option<AccurateOption> {
        let word = std::mem::take(&mut packet.body[ANSWER]);
        let codepoint = match word >> 48 {
            172 => Codepoint::Ect0,
            174 => Codepoint::Ect1,
            _ => return None,
        };
        let field = |word: u64| word & AccurateOption::FIELD;
        Some(AccurateOption { codepoint, unmarked: field(word >> 24), marked: field(word) })
    }

    /// Takes the answer off an acknowledgement that has [`TcpHeader::FEEDBACK`].
    pub fn take_answer(packet: &mut Packet) -> f64 {
        packet.flags &= !TcpHeader::FEEDBACK;
        f64::from_bits(std::mem::take(&mut packet.body[ANSWER]))
    }
}

/// Where an answer stands, and the option of accurate ECN: in the last of the words of the SACK blocks.
const ANSWER: usize = 4;

/// Which of the two codepoints an option tells of that are not marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Codepoint {
    /// ECT(0).
    Ect0,
    /// ECT(1).
    Ect1,
}

/// The option of accurate ECN with two of its three fields (RFC 9768 section 3.2.3, table 5: 8 bytes). Both count bytes, modulo
/// 2^24.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccurateOption {
    /// What the first field counts; it follows from the option's kind.
    pub codepoint: Codepoint,
    /// Bytes that arrived under that codepoint: EE0B or EE1B.
    pub unmarked: u64,
    /// Bytes that arrived marked: ECEB.
    pub marked: u64,
}

impl AccurateOption {
    /// Bytes in the header.
    pub const SIZE: u16 = 8;
    /// The kinds with ECT(0) and with ECT(1) in the first field.
    const KINDS: [u64; 2] = [172, 174];
    /// A field of 24 bits.
    const FIELD: u64 = 0xff_ffff;

    /// The option on the wire (RFC 9768 section 3.2.3).
    #[must_use]
    pub fn to_bytes(&self) -> [u8; AccurateOption::SIZE as usize] {
        let [_, _, _, _, _, a, b, c] = self.unmarked.to_be_bytes();
        let [_, _, _, _, _, d, e, f] = self.marked.to_be_bytes();
        [AccurateOption::KINDS[self.codepoint as usize] as u8, AccurateOption::SIZE as u8, a, b, c, d, e, f]
    }
}

impl Header for TcpHeader {
    const NAME: &'static str = "TCP";
    const FREE: Range<usize> = 2..5;

    #[inline]
    fn unpack(words: &Words) -> TcpHeader {
        let block = |w: u64| SackBlock { start: (w >> 32) as u32, end: w as u32 };
        TcpHeader {
            flags: words.flags,
            window: words.aux,
            number: words.body[0],
            timestamp: words.body[1],
            sack: [block(words.body[2]), block(words.body[3]), block(words.body[4])],
        }
    }

    #[inline]
    fn pack(&self, words: &mut Words) {
        let block = |b: SackBlock| u64::from(b.start) << 32 | u64::from(b.end);
        *words = Words {
            flags: self.flags,
            aux: self.window,
            body: [
                self.number,
                self.timestamp,
                block(self.sack[0]),
                block(self.sack[1]),
                block(self.sack[2]),
            ],
        };
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use dumbbell_core::{Ecn, Frame};
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn any() -> impl Strategy<Value = TcpHeader> {
        let blocks = proptest::array::uniform3(proptest::arbitrary::any::<(u32, u32)>());
        (proptest::arbitrary::any::<(u8, u16, u64, u64)>(), blocks).prop_map(
            |((flags, window, number, timestamp), blocks)| {
                let sack = blocks.map(|(start, end)| SackBlock { start, end });
                TcpHeader { flags, window, number, timestamp, sack }
            },
        )
    }

    #[test]
    fn answers_take_the_place_of_the_third_block() {
        let sack = [SackBlock { start: 1, end: 2 }; 3];
        let mut ack = Packet::of(TcpHeader { number: 7, sack, ..TcpHeader::default() }, 0, 40, Ecn::NotEct);
        TcpHeader::put_answer(&mut ack, -5.5);
        assert_eq!(TcpHeader::take_answer(&mut ack), -5.5);
        let left = [sack[0], sack[1], SackBlock::default()];
        assert_eq!(ack.read(), Some(TcpHeader { number: 7, sack: left, ..TcpHeader::default() }));
    }
}
