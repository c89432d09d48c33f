//! Accurate ECN on the wire (RFC 9768): the handshake, the counter of three bits that all segments carry, and the option.

use dumbbell_core::{Ecn, Packet};
use dumbbell_header::tcp::{AccurateOption, Codepoint};
use dumbbell_header::{TcpHeader, TcpOptions};
use dumbbell_proto::tcp::Counts;

use crate::wire::{Segment, ecn};

/// The field of the first count: 5 (section 3.2.1).
const FIRST: u8 = 5;
/// The counters of the option have 24 bits.
const MASK: u64 = 0xff_ffff;

/// What two ends tell each other of marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Feedback {
    /// Nothing.
    #[default]
    Off,
    /// An echo that lasts until it is answered (RFC 3168).
    Classic,
    /// Counts.
    Accurate,
}

impl Feedback {
    /// What this end asks for in a SYN, with this value of tcp_ecn.
    // Linux Documentation/networking/ip-sysctl.rst: tcp_ecn.
    pub fn asked(setting: u64) -> Feedback {
        match setting {
            1 | 4 => Feedback::Classic,
            3 => Feedback::Accurate,
            _ => Feedback::Off,
        }
    }

    /// What this end grants to a SYN, with this value of tcp_ecn.
    pub fn granted(setting: u64, syn: &Segment) -> Feedback {
        match (setting, syn.field()) {
            (3..=5, 7) => Feedback::Accurate,
            (1.., 3 | 7) => Feedback::Classic,
            _ => Feedback::Off,
        }
    }

    /// What was agreed on when the answer to a SYN arrives that asked for it (section 3.1.2, table 2).
    pub fn agreed(self, answer: &Segment) -> Feedback {
        match (self, answer.field()) {
            (Feedback::Accurate, 2 | 3 | 4 | 6) => Feedback::Accurate,
            (Feedback::Accurate | Feedback::Classic, 1 | 5) => Feedback::Classic,
            _ => Feedback::Off,
        }
    }
}

/// The field that tells how a SYN or SYN-ACK arrived (section 3.1.1, table 2; section 3.2.2.1, table 3).
pub fn reflected(segment: &Segment) -> u8 {
    match segment.ecn {
        ecn::ECT1 => 3,
        ecn::ECT0 => 4,
        ecn::CE => 6,
        _ => 2,
    }
}

/// How a segment arrived.
pub fn codepoint(segment: &Segment) -> Ecn {
    match segment.ecn {
        ecn::ECT1 => Ecn::Ect1,
        ecn::ECT0 => Ecn::Ect0,
        ecn::CE => Ecn::Ce,
        _ => Ecn::NotEct,
    }
}

/// The state of one connection.
#[derive(Debug)]
pub struct Accurate {
    counts: Counts,
    /// The field that brought news last.
    heard: u8,
    /// The option is sent if the other end has sent it.
    option: bool,
    seen: bool,
}

impl Accurate {
    /// At the start of a connection, which uses the option or does not.
    pub fn new(option: bool) -> Accurate {
        Accurate { counts: Counts::new(), heard: FIRST, option, seen: false }
    }

    /// A segment has arrived, which may be a SYN.
    pub fn arrived(&mut self, segment: &Segment) {
        self.counts.arrived(codepoint(segment), segment.payload.len() as u64);
        self.seen |= segment.options.counters.is_some();
    }

    /// The counters of the option, if this end sends it; `first` in a SYN-ACK, before the other end could.
    pub fn counters(&self, first: bool) -> Option<[u32; 3]> {
        let read = self.counts.read();
        let bytes = [read.ect0, read.marked, read.ect1].map(|count| (count & MASK) as u32);
        (self.option && (self.seen || first)).then_some(bytes)
    }

    /// Writes the counters on a segment that leaves.
    pub fn write(&self, segment: &mut Segment) {
        segment.set_field((self.counts.read().packets & 7) as u8);
        segment.ecn = ecn::ECT0;
        segment.options.counters = self.counters(false);
        fit_blocks(&mut segment.options);
    }

    /// Puts what a segment tells on the acknowledgement that the sender gets: the counter, if the segment is `news`, and the option.
    pub fn tell(&mut self, segment: &Segment, news: bool, packet: &mut Packet) {
        if news {
            self.heard = segment.field();
        }
        for (bit, flag) in [(4, TcpHeader::AE), (2, TcpHeader::CWR), (1, TcpHeader::ECE)] {
            if self.heard & bit != 0 {
                packet.flags |= flag;
            }
        }
        if let Some([ect0, marked, _]) = segment.options.counters.filter(|_| news) {
            let (unmarked, marked) = (ect0.into(), marked.into());
            TcpHeader::put_option(packet, AccurateOption { codepoint: Codepoint::Ect0, unmarked, marked });
        }
    }
}

/// Leaves out the blocks that do not fit 40 bytes of options.
fn fit_blocks(options: &mut TcpOptions) {
    while options.to_bytes().len() > 40 && options.sack.pop().is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::flag;

    fn segment(field: u8) -> Segment {
        let mut segment = Segment { flags: flag::ACK, ..Segment::default() };
        segment.set_field(field);
        segment
    }

    #[test]
    fn each_value_of_the_setting_asks_and_grants() {
        let asked = [0, 1, 2, 3, 4, 5].map(Feedback::asked);
        let granted = |field| [0, 1, 2, 3, 4, 5].map(|n| Feedback::granted(n, &segment(field)));
        let (off, classic, accurate) = (Feedback::Off, Feedback::Classic, Feedback::Accurate);
        assert_eq!(asked, [off, classic, off, accurate, classic, off]);
        assert_eq!(granted(7), [off, classic, classic, accurate, accurate, accurate]);
        assert_eq!(granted(3), [off, classic, classic, classic, classic, classic]);
        assert_eq!(granted(0), [off; 6]);
        let agreed = |asked: Feedback| [0, 1, 2, 3, 4, 5, 6, 7].map(|field| asked.agreed(&segment(field)));
        assert_eq!(agreed(accurate), [off, classic, accurate, accurate, accurate, classic, accurate, off]);
        assert_eq!(agreed(classic)[..3], [off, classic, off]);
    }

    #[test]
    fn all_that_arrives_is_counted_and_the_field_wraps() {
        let mut state = Accurate::new(true);
        let data = |ecn| Segment { ecn, payload: vec![0; 1000], ..segment(5) };
        let seen = |segment: Segment| Segment {
            options: TcpOptions { counters: Some([1, 0, 1]), ..TcpOptions::default() },
            ..segment
        };
        let written = |state: &Accurate| {
            let mut segment = segment(0);
            state.write(&mut segment);
            (segment.field(), segment.options.counters)
        };
        assert_eq!(written(&state), (5, None), "the other end may not know the option");
        state.arrived(&seen(data(ecn::CE)));
        state.arrived(&data(ecn::ECT0));
        state.arrived(&data(ecn::ECT1));
        assert_eq!(written(&state), (6, Some([1_001, 1_000, 1_001])));
        (0..2).for_each(|_| state.arrived(&Segment { ecn: ecn::CE, ..segment(5) }));
        assert_eq!(written(&state), (0, Some([1_001, 1_000, 1_001])), "acknowledgements have no bytes");
    }

    #[test]
    fn blocks_give_way_to_the_counters() {
        let sack = vec![(1, 2), (3, 4), (5, 6)];
        let counters = Some([1, 2, 3]);
        for (timestamps, blocks) in [(None, 3), (Some((1, 2)), 1)] {
            let mut options =
                TcpOptions { timestamps, sack: sack.clone(), counters, ..TcpOptions::default() };
            fit_blocks(&mut options);
            assert_eq!(options.sack.len(), blocks);
        }
    }
}
