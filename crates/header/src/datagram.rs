//! Headers in front of the data of UDP datagrams: end points exchange them, and routers read and write them. All are as
//! long, and all have the number of their flow, which no router needs, at the same place.

use std::ops::Range;

use dumbbell_core::header::WireCodec;
use dumbbell_core::{Ecn, FlowTag, Frame, Header, HeaderKind, Packet, Time, Way};

/// Bytes of the header.
pub const LENGTH: usize = 48;

/// The bytes of the number of the flow.
const FLOW: Range<usize> = 4..8;

/// A header that end points exchange.
pub trait DatagramHeader: Header {
    /// The form on the wire, which [`Header::WIRE`] names too.
    const CODEC: WireCodec<Self>;

    /// Which way along its flow a packet with this header travels.
    fn way(&self) -> Way;

    /// The sender's clock, if this opens a flow.
    fn opens(&self) -> Option<Time>;

    /// The header as it stands on the wire, with the number of its flow.
    #[must_use]
    fn encode(&self, flow: u32) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        Self::CODEC.encode(self, &mut bytes);
        bytes[FLOW].copy_from_slice(&flow.to_be_bytes());
        bytes
    }

    /// Reads the number of the flow and the header from the payload of a datagram. `None` if it is of another protocol or
    /// version, of no known kind, or too short.
    #[must_use]
    fn decode(payload: &[u8]) -> Option<(u32, Self)> {
        let bytes: &[u8; LENGTH] = payload.first_chunk()?;
        Some((word(bytes, FLOW.start), Self::CODEC.decode(bytes)?))
    }
}

/// A big-endian word of a header.
pub(crate) fn word(bytes: &[u8; LENGTH], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// A datagram as a simulated packet.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// The number of its flow.
    pub number: u32,
    /// Which way along the flow it travels.
    pub way: Way,
    /// The sender's clock, if it opens the flow.
    pub opens: Option<Time>,
    /// The packet.
    pub packet: Packet,
}

/// A [`DatagramHeader`] without its type.
#[derive(Clone, Copy, Debug)]
pub struct Datagram {
    /// Its kind.
    pub kind: HeaderKind,
    read: fn(&[u8], FlowTag, u16, Ecn) -> Option<Read>,
    write: fn(&Packet, &mut [u8; LENGTH]),
    text: fn(&Packet) -> String,
}

impl Datagram {
    /// That of `H`.
    pub const fn of<H: DatagramHeader>() -> Datagram {
        Datagram {
            kind: H::KIND,
            read: |payload, flow, size, ecn| {
                let (number, header) = H::decode(payload)?;
                let packet = Packet::of(header, flow, size, ecn);
                Some(Read { number, way: header.way(), opens: header.opens(), packet })
            },
            write: |packet, bytes| {
                if let Some(header) = packet.read::<H>() {
                    H::CODEC.encode(&header, bytes);
                }
            },
            text: |packet| format!("{:?}", packet.read::<H>()),
        }
    }

    /// The payload of a datagram as a packet of `size` bytes of a flow; `None` if it has no such header.
    pub fn read(&self, payload: &[u8], flow: impl Into<FlowTag>, size: u16, ecn: Ecn) -> Option<Read> {
        (self.read)(payload, flow.into(), size, ecn)
    }

    /// Writes the header of a packet over one on the wire, whose flow stays.
    pub fn write(&self, packet: &Packet, bytes: &mut [u8; LENGTH]) {
        (self.write)(packet, bytes);
    }

    /// The header of a packet in words, for people.
    pub fn text(&self, packet: &Packet) -> String {
        (self.text)(packet)
    }

    /// The header of a packet as it stands on the wire, with the number of its flow.
    #[must_use]
    pub fn encode(&self, packet: &Packet, number: u32) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        self.write(packet, &mut bytes);
        bytes[FLOW].copy_from_slice(&number.to_be_bytes());
        bytes
    }
}
