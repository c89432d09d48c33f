//! Accurate ECN (RFC 9768): acknowledgements carry counts of what arrived marked, instead of an echo that lasts until the sender
//! answers it. The counter of packets has three bits, which take the place of AE, CWR and ECE (section 3.2.2: ACE). Counters of
//! bytes ride in an option (section 3.2.3).

use dumbbell_core::{Ecn, Packet};
use dumbbell_header::TcpHeader;
use dumbbell_header::tcp::{AccurateOption, Codepoint};

/// Where the counter of marked packets begins (section 3.2.1).
const FIRST: u64 = 5;
/// Where the counters of bytes that arrived unmarked begin: a field that reads zero was wiped out (section 3.2.1).
const FIRST_BYTES: u64 = 1;
/// Marked packets for which a receiver acknowledges at once (section 3.2.2.5.1: n).
const AT_ONCE: u32 = 2;
/// The counters of the option have 24 bits; one that is further ahead than half of their range is behind.
const BYTES_MASK: u64 = 0xff_ffff;
const BYTES_HALF: u64 = 1 << 23;
/// The three bits of the counter of packets, and the flags that they are.
const PACKETS_MASK: u64 = 7;
const BITS: [(u64, u8); 3] = [(4, TcpHeader::AE), (2, TcpHeader::CWR), (1, TcpHeader::ECE)];
const FIELD: u8 = TcpHeader::AE | TcpHeader::CWR | TcpHeader::ECE;
/// The flags of the first count.
pub const FIRST_FLAGS: u8 = TcpHeader::AE | TcpHeader::ECE;

/// What a receiver counts (section 3.2.1: r.cep, r.ceb, r.e0b, r.e1b).
#[derive(Clone, Debug)]
pub struct Counts {
    packets: u64,
    marked: u64,
    ect0: u64,
    ect1: u64,
    /// What arrived last.
    latest: Ecn,
    /// The codepoint of what arrived last unmarked: that which the option tells of.
    unmarked: Codepoint,
    /// Marked packets since the last acknowledgement.
    since: u32,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts::new()
    }
}

impl Counts {
    /// At the start of a connection.
    pub fn new() -> Counts {
        Counts {
            packets: FIRST,
            marked: 0,
            ect0: FIRST_BYTES,
            ect1: FIRST_BYTES,
            latest: Ecn::NotEct,
            unmarked: Codepoint::Ect0,
            since: 0,
        }
    }

    /// A segment with data arrived. True if it must be acknowledged at once: it is the first one marked, or one of several
    /// (section 3.2.2.5.1).
    pub fn arrived(&mut self, ecn: Ecn, payload: u64) -> bool {
        let before = std::mem::replace(&mut self.latest, ecn);
        match ecn {
            Ecn::Ect0 => (self.ect0, self.unmarked) = (self.ect0 + payload, Codepoint::Ect0),
            Ecn::Ect1 => (self.ect1, self.unmarked) = (self.ect1 + payload, Codepoint::Ect1),
            Ecn::Ce => {
                self.packets += 1;
                self.marked += payload;
                self.since += 1;
                return before != Ecn::Ce || self.since >= AT_ONCE;
            }
            _ => {}
        }
        false
    }

    /// What the counters read.
    pub fn read(&self) -> Counted {
        Counted { packets: self.packets, marked: self.marked, ect0: self.ect0, ect1: self.ect1 }
    }

    /// Writes the counters on an acknowledgement. The option takes the place of a third SACK block, and has none where the answer
    /// of routers rides.
    pub fn write(&mut self, packet: &mut Packet) {
        self.since = 0;
        put_packets(packet, self.packets);
        if packet.flags & TcpHeader::FEEDBACK == 0 {
            let unmarked = match self.unmarked {
                Codepoint::Ect0 => self.ect0,
                Codepoint::Ect1 => self.ect1,
            };
            let option = AccurateOption {
                codepoint: self.unmarked,
                unmarked: unmarked & BYTES_MASK,
                marked: self.marked & BYTES_MASK,
            };
            TcpHeader::put_option(packet, option);
        }
    }
}

/// What the counters read now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Marked packets, from 5 on, of which headers carry three bits.
    pub packets: u64,
    /// Bytes that arrived marked, as ECT(0) from 1 on, and as ECT(1) from 1 on.
    pub marked: u64,
    /// See `marked`.
    pub ect0: u64,
    /// See `marked`.
    pub ect1: u64,
}

/// What a sender has heard (section 3.2.1: s.cep, s.ceb, and the counter of bytes that arrived unmarked).
#[derive(Clone, Debug)]
pub struct Heard {
    packets: u64,
    marked: u64,
    ect0: u64,
    ect1: u64,
}

/// What an acknowledgement tells of marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    /// Packets that arrived marked since the one before.
    pub packets: u64,
    /// Bytes of them.
    pub bytes: u64,
}

impl Heard {
    /// At the start of a connection.
    pub fn new() -> Heard {
        Heard { packets: FIRST, marked: 0, ect0: FIRST_BYTES, ect1: FIRST_BYTES }
    }

    /// Packets that arrived marked, as far as it is known.
    pub fn total(&self) -> u64 {
        self.packets - FIRST
    }

    /// Takes the counters off an acknowledgement that acknowledges about `segments` segments of `mss` bytes. Another has overtaken
    /// it if it comes `late`, or if its counters of bytes are behind (appendix A.1).
    pub fn take(&mut self, packet: &mut Packet, segments: u64, mss: u64, late: bool) -> Marks {
        let field = packets_of(packet);
        packet.flags &= !FIELD;
        let option = TcpHeader::take_option(packet);
        if late {
            return Marks::default();
        }
        let bytes = match option.map(|option| self.bytes(option)) {
            Some(None) => return Marks::default(),
            Some(bytes) => bytes,
            None => None,
        };
        let least = field.wrapping_sub(self.packets) & PACKETS_MASK;
        // The counter may have gone round. The safest likely case: all that was acknowledged, as far as the bytes allow
        // (section 3.2.2.5.2, appendix A.2.2).
        let most = if segments > least { segments - ((segments - least) & PACKETS_MASK) } else { least };
        let packets = if bytes.is_some_and(|bytes| 2 * bytes < most * mss) { least } else { most };
        self.packets += packets;
        Marks { packets, bytes: bytes.unwrap_or(packets * mss) }
    }

    /// The bytes that an option shows marked since the one before; `None` if it is older than that.
    fn bytes(&mut self, option: AccurateOption) -> Option<u64> {
        let unmarked = match option.codepoint {
            Codepoint::Ect0 => &mut self.ect0,
            Codepoint::Ect1 => &mut self.ect1,
        };
        let more = option.unmarked.wrapping_sub(*unmarked) & BYTES_MASK;
        let marked = option.marked.wrapping_sub(self.marked) & BYTES_MASK;
        if more >= BYTES_HALF || marked >= BYTES_HALF {
            return None;
        }
        *unmarked += more;
        self.marked += marked;
        Some(marked)
    }
}

/// Writes the counter of a sender: nothing that arrives there is marked, as acknowledgements are not ECN-capable.
pub fn put_first(packet: &mut Packet) {
    packet.flags = packet.flags & !FIELD | FIRST_FLAGS;
}

fn put_packets(packet: &mut Packet, count: u64) {
    let set = BITS.iter().filter(|(bit, _)| count & bit != 0);
    packet.flags = set.fold(packet.flags & !FIELD, |flags, (_, flag)| flags | flag);
}

fn packets_of(packet: &Packet) -> u64 {
    BITS.iter().filter(|(_, flag)| packet.flags & flag != 0).map(|(bit, _)| bit).sum()
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Frame;

    use super::*;

    fn ack() -> Packet {
        Packet::of(TcpHeader { flags: TcpHeader::ACK, ..TcpHeader::default() }, 7, 52, Ecn::NotEct)
    }

    #[test]
    fn without_the_option_the_counter_may_wrap() {
        // RFC 9768 appendix A.2.2: 3 more and 12 segments make 11, with 10 segments 3.
        for (segments, counted) in [(1, 3), (3, 3), (10, 3), (11, 11), (12, 11), (19, 19), (20, 19)] {
            let mut packet = ack();
            put_packets(&mut packet, FIRST + 3);
            let marks = Heard::new().take(&mut packet, segments, 1000, false);
            assert_eq!(marks, Marks { packets: counted, bytes: counted * 1000 }, "{segments} segments");
            assert_eq!(packet, ack(), "nothing is left on it");
        }
    }

    #[test]
    fn bytes_show_how_often_the_counter_has_gone_round() {
        for (marked, packets) in [(3, 3), (11, 11)] {
            let (mut counts, mut heard) = (Counts::new(), Heard::new());
            for i in 0..12 {
                counts.arrived(if i < marked { Ecn::Ce } else { Ecn::Ect0 }, 1000);
            }
            let mut packet = ack();
            counts.write(&mut packet);
            let marks = heard.take(&mut packet, 12, 1000, false);
            assert_eq!(marks, Marks { packets, bytes: marked * 1000 });
        }
    }

    #[test]
    fn half_the_bytes_of_the_likely_packets_are_believed() {
        // Three more in the counter, or eleven with 12 segments: 5500 bytes are half of eleven segments.
        for (bytes, packets) in [(5499, 3), (5500, 11), (5501, 11)] {
            let mut counts = Counts::new();
            counts.arrived(Ecn::Ce, bytes);
            for _ in 0..2 {
                counts.arrived(Ecn::Ce, 0);
            }
            let mut packet = ack();
            counts.write(&mut packet);
            let marks = Heard::new().take(&mut packet, 12, 1000, false);
            assert_eq!(marks, Marks { packets, bytes });
        }
    }

    #[test]
    fn counters_of_bytes_wrap_and_those_that_go_back_are_late() {
        let (mut counts, mut heard) = (Counts::new(), Heard::new());
        let mut sum = 0;
        for _ in 0..60 {
            for _ in 0..10 {
                counts.arrived(Ecn::Ce, 60_000);
            }
            let mut packet = ack();
            counts.write(&mut packet);
            sum += heard.take(&mut packet, 10, 60_000, false).bytes;
        }
        assert_eq!(sum, 36_000_000, "2^24 is 16.8 million");
        let mut before = ack();
        counts.write(&mut before);
        counts.arrived(Ecn::Ect1, 1000);
        counts.arrived(Ecn::Ce, 1000);
        let mut after = ack();
        counts.write(&mut after);
        assert_eq!(heard.take(&mut after, 2, 1000, false), Marks { packets: 1, bytes: 1000 });
        assert_eq!(heard.take(&mut before, 2, 1000, false), Marks::default());
    }

    #[test]
    fn the_option_takes_the_place_of_a_third_block() {
        let block = |start| dumbbell_header::SackBlock { start, end: start + 1 };
        for (blocks, size) in [(0, 60), (2, 80), (3, 80)] {
            let mut header = TcpHeader { flags: TcpHeader::ACK, ..TcpHeader::default() };
            (0..blocks).for_each(|i| header.sack[i] = block(10 * (i as u32 + 1)));
            let option = if blocks == 0 { 0 } else { 4 + 8 * blocks as u16 };
            let mut packet = Packet::of(header, 7, 52 + option, Ecn::NotEct);
            Counts::new().write(&mut packet);
            assert_eq!(packet.size, size, "60 bytes of TCP header are the most, and 20 of IPv4");
            Heard::new().take(&mut packet, 1, 1000, false);
            let sack = packet.read::<TcpHeader>().unwrap().sack;
            assert_eq!(sack.iter().filter(|b| b.end > 0).count(), blocks.min(2));
        }
    }
}
