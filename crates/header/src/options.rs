//! The options of TCP on the wire, with the padding of Linux.

use crate::tcp::AccurateOption;

// Kinds of options (RFC 9293 section 3.1, RFC 2018, RFC 7323).
const END: u8 = 0;
const NOP: u8 = 1;
const MSS: u8 = 2;
const SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
/// RFC 2385, RFC 7413, and the number that RFC 6994 gives the latter where it is an experiment.
const SIGNATURE: u8 = 19;
const FAST_OPEN: u8 = 34;
const EXPERIMENTS: [u8; 2] = [253, 254];
const FAST_OPEN_EXPERIMENT: u16 = 0xf989;
/// RFC 9768 section 3.2.3: ECT(0) comes first, or ECT(1) does.
const ACCURATE: [u8; 2] = [172, 174];

/// The options that are used here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TcpOptions {
    /// Largest segment (RFC 9293 section 3.7.1).
    pub mss: Option<u16>,
    /// SACK may be used (RFC 2018 section 2).
    pub sack_permitted: bool,
    /// Shift of the window (RFC 7323 section 2.2).
    pub scale: Option<u8>,
    /// TSval and TSecr (RFC 7323 section 3.2).
    pub timestamps: Option<(u32, u32)>,
    /// Blocks of SACK (RFC 2018 section 3).
    pub sack: Vec<(u32, u32)>,
    /// Counts of accurate ECN (RFC 9768 section 3.2.3), to be written.
    pub accurate: Option<AccurateOption>,
    /// The same with all three counters: those of bytes that arrived as ECT(0), marked, and as ECT(1). 24 bits each.
    pub counters: Option<[u32; 3]>,
    /// A SYN asks for a cookie, or has one (RFC 7413 section 4.1.1); read, never written.
    pub fast_open: bool,
    /// The segment is signed (RFC 2385); read, never written.
    pub signed: bool,
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The counters of an option of accurate ECN; those that it leaves out are zero.
fn counters(kind: u8, body: &[u8]) -> Option<[u32; 3]> {
    let mut fields = body.chunks_exact(3).map(|b| u32::from_be_bytes([0, b[0], b[1], b[2]]));
    let mut next = || fields.next().unwrap_or(0);
    let [first, marked, last] = [next(), next(), next()];
    let swapped = kind == ACCURATE[1];
    (!body.is_empty()).then_some(if swapped { [last, marked, first] } else { [first, marked, last] })
}

impl TcpOptions {
    /// Reads options up to the first that is cut off. Unknown ones are skipped.
    #[must_use]
    pub fn parse(mut bytes: &[u8]) -> TcpOptions {
        let mut options = TcpOptions::default();
        while let Some(&kind) = bytes.first() {
            match kind {
                END => break,
                NOP => {
                    bytes = &bytes[1..];
                    continue;
                }
                _ => {}
            }
            let len = bytes.get(1).map_or(0, |len| usize::from(*len));
            let Some(body) = bytes.get(2..len) else { break };
            match kind {
                MSS => options.mss = be16(body, 0),
                SCALE => options.scale = body.first().map(|s| (*s).min(14)),
                SACK_PERMITTED => options.sack_permitted = true,
                SACK => {
                    options.sack =
                        body.chunks_exact(8).filter_map(|b| Some((be32(b, 0)?, be32(b, 4)?))).collect();
                }
                SIGNATURE => options.signed = true,
                FAST_OPEN => options.fast_open = true,
                kind if EXPERIMENTS.contains(&kind) => {
                    options.fast_open |= be16(body, 0) == Some(FAST_OPEN_EXPERIMENT);
                }
                kind if ACCURATE.contains(&kind) => options.counters = counters(kind, body),
                TIMESTAMPS => options.timestamps = be32(body, 0).zip(be32(body, 4)),
                _ => {}
            }
            bytes = &bytes[len..];
        }
        options
    }

    /// The options in the order and with the padding that Linux uses: a whole number of words.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Some(mss) = self.mss {
            bytes.extend([MSS, 4]);
            bytes.extend(mss.to_be_bytes());
        }
        if let Some((value, echo)) = self.timestamps {
            bytes.extend(if self.sack_permitted { [SACK_PERMITTED, 2] } else { [NOP, NOP] });
            bytes.extend([TIMESTAMPS, 10]);
            bytes.extend(value.to_be_bytes());
            bytes.extend(echo.to_be_bytes());
        }
        if let Some([ect0, marked, ect1]) = self.counters {
            bytes.extend([ACCURATE[1], 11]);
            [ect1, marked, ect0].iter().for_each(|counter| bytes.extend(&counter.to_be_bytes()[1..]));
            bytes.push(NOP);
        }
        if self.timestamps.is_none() && self.sack_permitted {
            bytes.extend([NOP, NOP, SACK_PERMITTED, 2]);
        }
        if let Some(scale) = self.scale {
            bytes.extend([NOP, SCALE, 3, scale]);
        }
        if !self.sack.is_empty() {
            bytes.extend([NOP, NOP, SACK, 2 + 8 * self.sack.len() as u8]);
            for (start, end) in &self.sack {
                bytes.extend(start.to_be_bytes());
                bytes.extend(end.to_be_bytes());
            }
        }
        if let Some(option) = self.accurate {
            bytes.extend(option.to_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tcp::Codepoint;

    #[test]
    fn options_stand_as_in_linux() {
        let all = TcpOptions {
            mss: Some(1460),
            sack_permitted: true,
            scale: Some(8),
            timestamps: Some((100, 0)),
            ..TcpOptions::default()
        };
        assert_eq!(
            all.to_bytes(),
            [2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 100, 0, 0, 0, 0, 1, 3, 3, 8],
            "mss, sackOK, TS, nop, wscale"
        );
        let plain = TcpOptions { timestamps: None, ..all };
        assert_eq!(
            plain.to_bytes(),
            [2, 4, 5, 180, 1, 1, 4, 2, 1, 3, 3, 8],
            "mss, nop, nop, sackOK, nop, wscale"
        );
    }

    #[test]
    fn blocks_behind_an_unknown_option_are_read() {
        let accurate = AccurateOption { codepoint: Codepoint::Ect1, unmarked: 0x010203, marked: 4 };
        let blocks = TcpOptions { sack: vec![(1, 2)], ..TcpOptions::default() };
        let counts = TcpOptions { accurate: Some(accurate), ..TcpOptions::default() };
        assert_eq!(counts.to_bytes(), [174, 8, 1, 2, 3, 0, 0, 4]);
        let read = TcpOptions::parse(&[counts.to_bytes(), blocks.to_bytes()].concat());
        assert_eq!(read, TcpOptions { counters: Some([0, 4, 0x010203]), ..blocks });
    }

    #[test]
    fn accurate_ecn_counters_precede_other_options() {
        let counters = Some([0x0a0b0c, 0, 1]);
        let all = TcpOptions { mss: Some(1460), sack_permitted: true, counters, ..TcpOptions::default() };
        let bytes = [2, 4, 5, 180, 174, 11, 0, 0, 1, 0, 0, 0, 10, 11, 12, 1, 1, 1, 4, 2];
        assert_eq!(all.to_bytes(), bytes);
        assert_eq!(TcpOptions::parse(&bytes), all);
        let short = TcpOptions::parse(&[172, 8, 0, 0, 9, 0, 1, 0]);
        assert_eq!(short.counters, Some([9, 256, 0]));
    }

    #[test]
    fn fast_open_and_signatures_are_seen() {
        let seen = |bytes: &[u8]| {
            let options = TcpOptions::parse(bytes);
            (options.fast_open, options.signed)
        };
        assert_eq!(seen(&[1, 34, 2]), (true, false));
        assert_eq!(seen(&[254, 4, 0xf9, 0x89]), (true, false));
        assert_eq!(seen(&[254, 4, 0xf9, 0x8a]), (false, false));
        assert_eq!(seen(&[[19, 18].as_slice(), &[0; 16]].concat()), (false, true));
    }

    proptest! {
        #[test]
        fn no_bytes_break_the_parser(bytes in prop::collection::vec(any::<u8>(), 0..41)) {
            let _ = TcpOptions::parse(&bytes);
        }
    }
}
