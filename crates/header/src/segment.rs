//! The header of TCP in a datagram, for end points over UDP: all fields of the simulated segment.
//!
//! With IPv4 and UDP in front of it, the header without blocks is as long as one of TCP with timestamps (52 bytes), and a block
//! takes no more here. So a datagram is as long as the simulated segment: what does not fit behind the data of one is not there.
//!
//! ```text
//!  0  mark 0x5443                      8  number, 48 bits
//!  2  version (4), words that follow  14  window
//!  3  flags                           16  timestamp, nanoseconds
//!  4  flow                            24  as many words of eight bytes as there are
//! ```
//!
//! Three words may follow: the blocks of SACK. The last may hold the counts of accurate ECN instead of a block. The four bits
//! that tell which are there have the first in their lowest bit.

use dumbbell_core::header::{WireCodec, Words};
use dumbbell_core::{Header, Time, Way};

use crate::datagram::{DatagramHeader, LENGTH, word};
use crate::tcp::TcpHeader;

const VERSION: u8 = 1;
/// Bytes in front of the words.
const LEAST: usize = 24;
/// Bytes of a word.
const WORD: usize = 8;
/// Words that may follow: those of the body behind number and timestamp.
const FIRST: usize = 2;
const MOST: usize = 3;

impl TcpHeader {
    /// Bytes of the header in a datagram that has no blocks.
    pub const LEAST_IN_DATAGRAM: usize = LEAST;

    /// The largest number that a datagram carries: at 1 Gbit/s a stream takes 26 days to get there.
    pub const LARGEST_IN_DATAGRAM: u64 = (1 << 48) - 1;

    fn words(&self) -> Words {
        let mut words = Words::default();
        self.pack(&mut words);
        words
    }

    /// Those of its words that hold something, in order.
    fn following(words: &Words) -> impl Iterator<Item = (usize, u64)> + '_ {
        (0..MOST).map(|i| (i, words.body[FIRST + i])).filter(|(_, word)| *word != 0)
    }
}

impl DatagramHeader for TcpHeader {
    const MARK: u16 = 0x5443;

    const CODEC: WireCodec<TcpHeader> = WireCodec::new(
        LENGTH,
        |bytes| read_fields(bytes.first_chunk()?),
        |header, bytes| {
            if let Some(bytes) = bytes.first_chunk_mut() {
                write_fields(header, bytes);
            }
        },
    );

    fn length(&self) -> usize {
        LEAST + WORD * TcpHeader::following(&self.words()).count()
    }

    fn way(&self) -> Option<Way> {
        None
    }

    fn opens(&self) -> Option<Time> {
        let syn = self.flags & (TcpHeader::SYN | TcpHeader::ACK) == TcpHeader::SYN;
        syn.then_some(Time::from_nanos(self.timestamp))
    }
}

fn write_fields(header: &TcpHeader, bytes: &mut [u8; LENGTH]) {
    let words = header.words();
    let mut present = 0;
    bytes[LEAST..].fill(0);
    for (place, (i, word)) in bytes[LEAST..].chunks_exact_mut(WORD).zip(TcpHeader::following(&words)) {
        place.copy_from_slice(&word.to_be_bytes());
        present |= 1 << i;
    }
    bytes[0..2].copy_from_slice(&TcpHeader::MARK.to_be_bytes());
    bytes[2] = VERSION << 4 | present;
    bytes[3] = words.flags;
    bytes[8..14].copy_from_slice(&words.body[0].to_be_bytes()[2..]);
    bytes[14..16].copy_from_slice(&words.aux.to_be_bytes());
    bytes[16..24].copy_from_slice(&words.body[1].to_be_bytes());
}

fn read_fields(bytes: &[u8; LENGTH]) -> Option<TcpHeader> {
    let long = |at: usize| u64::from(word(bytes, at)) << 32 | u64::from(word(bytes, at + 4));
    let present = bytes[2] & 0xf;
    if bytes[0..2] != TcpHeader::MARK.to_be_bytes() || bytes[2] >> 4 != VERSION || present >> MOST != 0 {
        return None;
    }
    let aux = u16::from_be_bytes([bytes[14], bytes[15]]);
    let mut words = Words { flags: bytes[3], aux, body: [long(8) >> 16, long(16), 0, 0, 0] };
    let mut at = LEAST;
    for i in (0..MOST).filter(|i| present >> i & 1 != 0) {
        words.body[FIRST + i] = long(at);
        // One that holds nothing is not there.
        if words.body[FIRST + i] == 0 {
            return None;
        }
        at += WORD;
    }
    Some(TcpHeader::unpack(&words))
}

#[cfg(test)]
mod tests {
    use dumbbell_core::{Ecn, Packet};
    use proptest::prelude::*;

    use super::*;
    use crate::SackBlock;
    use crate::laws::datagrams;
    use crate::tcp::{AccurateOption, Codepoint, tests::any as any_header};

    /// Headers whose number a datagram carries.
    fn any_segment() -> impl Strategy<Value = TcpHeader> {
        (any_header(), 0..8_usize).prop_map(|(header, present)| {
            let mut sack = header.sack;
            for (_, block) in sack.iter_mut().enumerate().filter(|(i, _)| present >> i & 1 == 0) {
                *block = SackBlock::default();
            }
            TcpHeader { number: header.number & TcpHeader::LARGEST_IN_DATAGRAM, sack, ..header }
        })
    }

    #[test]
    fn the_layout_is_the_one_documented() {
        let sack = [SackBlock::default(), SackBlock { start: 1, end: 2 }, SackBlock::default()];
        let header = TcpHeader { flags: 0x11, window: 0x0a0b, number: 0x0102_0304_0506, timestamp: 7, sack };
        let bytes = header.encode(9);
        let expected =
            [0x54, 0x43, 0x12, 0x11, 0, 0, 0, 9, 1, 2, 3, 4, 5, 6, 0xa, 0xb, 0, 0, 0, 0, 0, 0, 0, 7];
        assert_eq!(bytes[..24], expected);
        assert_eq!(bytes[24..32], [0, 0, 0, 1, 0, 0, 0, 2]);
        assert_eq!(bytes[32..], [0; 16]);
        assert_eq!(header.length(), 32);
    }

    #[test]
    fn the_counts_of_accurate_ecn_come_through() {
        let option = AccurateOption { codepoint: Codepoint::Ect1, unmarked: 1_000, marked: 3 };
        let mut ack = Packet::of(TcpHeader { number: 5, ..TcpHeader::default() }, 0, 52, Ecn::NotEct);
        TcpHeader::put_option(&mut ack, option);
        let header = TcpHeader::unpack(&ack.words());
        // As many bytes as the simulator counts.
        assert_eq!(28 + header.length(), usize::from(ack.size));
        let (_, read) = TcpHeader::decode(&header.encode(0)[..header.length()]).unwrap();
        let mut read = Packet::of(read, 0, 60, Ecn::NotEct);
        assert_eq!(TcpHeader::take_option(&mut read), Some(option));
    }

    #[test]
    fn only_a_syn_of_the_sender_opens_a_flow() {
        let opens = |flags| TcpHeader { flags, timestamp: 3, ..TcpHeader::default() }.opens();
        assert_eq!(opens(TcpHeader::SYN | TcpHeader::ECE | TcpHeader::CWR), Some(Time::from_nanos(3)));
        assert_eq!([opens(TcpHeader::SYN | TcpHeader::ACK), opens(TcpHeader::ACK), opens(0)], [None; 3]);
    }

    #[test]
    fn other_protocols_versions_and_words_are_refused() {
        let good = TcpHeader { flags: 2, ..TcpHeader::default() }.encode(1);
        assert!(TcpHeader::decode(&good).is_some());
        for (at, byte) in [(0, 0x52), (2, 0x20), (2, 0x18), (2, 0x11)] {
            let mut bad = good;
            bad[at] = byte;
            assert_eq!(TcpHeader::decode(&bad), None, "{at} {byte:x}");
        }
    }

    proptest! {
        #[test]
        fn the_number_of_the_flow_stands_beside_the_header(flow: u32, header in any_segment(), other in any_segment()) {
            datagrams(flow, header, other)?;
        }

        #[test]
        fn no_bytes_break_the_parser(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = TcpHeader::decode(&bytes);
        }
    }
}
