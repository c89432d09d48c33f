//! What the headers of a packet say.

use dumbbell_core::Ecn;
use dumbbell_header::tcp::AccurateOption;
use dumbbell_header::{NadaKind, RcpKind, TfrcKind, TrumpKind, XcpHeader};

dumbbell_core::labels! {
    /// Which protocol a packet belongs to.
    pub enum Protocol {
        /// TCP.
        Tcp = "tcp",
        /// A datagram that no protocol known here claims.
        Udp = "udp",
        /// RCP.
        Rcp = "rcp",
        /// TRUMP.
        Trump = "trump",
        /// TFRC, and LTTP above it.
        Tfrc = "tfrc",
        /// NADA.
        Nada = "nada",
        /// A source quench of ICMP.
        Quench = "icmp",
        /// Another.
        Other = "other",
    }
}

/// What the headers of a packet say.
///
/// Sequence numbers of a simulated connection are 64 bits wide and never wrap. As with initial sequence numbers of 0,
/// SYN has number 0, and the first byte number 1. Those of a real one are as they stand on the wire.
#[derive(Clone, PartialEq, Debug)]
pub struct Fields {
    /// The protocol.
    pub protocol: Protocol,
    /// Bytes at layer 3, headers included.
    pub size: u32,
    /// Bytes behind the headers.
    pub payload: u32,
    /// The congestion notification field.
    pub ecn: Ecn,
    /// The traffic class.
    pub class: u8,
    /// TCP: the flags as on the wire, that of accurate ECN as [`Fields::AE`]. Others: the kind of the packet.
    pub flags: u16,
    /// TCP: the sequence number. Others: the number of the packet.
    pub number: u64,
    /// TCP: what is acknowledged, if anything is. Others: likewise.
    pub ack: Option<u64>,
    /// TCP: the receive window in bytes; with a real packet, not shifted.
    pub window: Option<u64>,
    /// Ranges `[start, end)` that are acknowledged selectively.
    pub sack: Vec<(u64, u64)>,
    /// The timestamps option: the sender's clock and the echo, in nanoseconds; with a real packet, in ticks.
    pub timestamps: Option<(u64, u64)>,
    /// The option of accurate ECN.
    pub accurate: Option<AccurateOption>,
    /// What XCP's header asks for, or what the acknowledgement brings back.
    pub feedback: Option<Feedback>,
    /// The rate that routers have allowed so far, in bits a second; `None` if there is none.
    pub rate: Option<f64>,
}

/// The exchange of a sender with routers that rides on TCP.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Feedback {
    /// A header of XCP.
    Ask(XcpHeader),
    /// The answer on an acknowledgement.
    Answer(f64),
}

impl Fields {
    /// The flag of accurate ECN on the wire (RFC 9768 section 3.1).
    pub const AE: u16 = 0x100;

    /// A packet of which nothing is known but its size.
    pub(crate) const fn blank(size: u32) -> Fields {
        Fields {
            protocol: Protocol::Other,
            size,
            payload: 0,
            ecn: Ecn::NotEct,
            class: 0,
            flags: 0,
            number: 0,
            ack: None,
            window: None,
            sack: Vec::new(),
            timestamps: None,
            accurate: None,
            feedback: None,
            rate: None,
        }
    }

    /// What the packet is for: the flags of TCP as tcpdump prints them, the kinds of other protocols by their names.
    pub fn kind(&self) -> String {
        const LETTERS: [(u16, char); 8] = [
            (0x02, 'S'),
            (0x01, 'F'),
            (0x04, 'R'),
            (0x08, 'P'),
            (0x10, '.'),
            (0x40, 'E'),
            (0x80, 'W'),
            (Fields::AE, 'e'),
        ];
        let number = self.flags as u8;
        match self.protocol {
            Protocol::Tcp => {
                LETTERS.iter().filter(|(bit, _)| self.flags & bit != 0).map(|(_, letter)| letter).collect()
            }
            Protocol::Rcp => format!("{:?}", RcpKind::of(number)),
            Protocol::Trump => format!("{:?}", TrumpKind::of(number)),
            Protocol::Tfrc => format!("{:?}", TfrcKind::of(number)),
            Protocol::Nada => format!("{:?}", NadaKind::of(number)),
            Protocol::Quench => "source quench".to_owned(),
            Protocol::Udp | Protocol::Other => String::new(),
        }
    }
}
