//! Headers in front of the data of UDP datagrams: end points exchange them, and routers read and write them. All are as
//! long, and all have a mark of their protocol and the number of their flow at the same places.

use std::ops::Range;

use dumbbell_core::header::WireCodec;
use dumbbell_core::{Ecn, FlowTag, Frame, Header, HeaderKind, Packet, Time, Way};

/// Bytes of the header.
pub const LENGTH: usize = 48;

/// The bytes of the number of the flow.
const FLOW: Range<usize> = 4..8;

/// The bytes of the mark of the protocol.
const MARK: Range<usize> = 0..2;

/// A header that end points exchange.
pub trait DatagramHeader: Header {
    /// What the first two bytes say: the protocol.
    const MARK: u16;

    /// The form on the wire, which [`Header::WIRE`] names too if routers read and write it.
    const CODEC: WireCodec<Self>;

    /// Which way along its flow a packet with this header travels; `None` if only its ports tell.
    fn way(&self) -> Option<Way>;

    /// The sender's clock, if this opens a flow.
    fn opens(&self) -> Option<Time>;

    /// Bytes of the header that a datagram has in any case; those behind are zero, and a datagram may end before them.
    fn length(&self) -> usize {
        LENGTH
    }

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
        let there = payload.len().min(LENGTH);
        let mut bytes = [0; LENGTH];
        bytes[..there].copy_from_slice(&payload[..there]);
        let header = Self::CODEC.decode(&bytes).filter(|header| header.length() <= there)?;
        Some((word(&bytes, FLOW.start), header))
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
    /// Which way along the flow it travels, if the header tells.
    pub way: Option<Way>,
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
    mark: [u8; 2],
    read: fn(&[u8], FlowTag, u16, Ecn) -> Option<Read>,
    write: fn(&Packet, &mut [u8; LENGTH]),
    length: fn(&Packet) -> usize,
    text: fn(&Packet) -> String,
}

impl Datagram {
    /// That of `H`.
    pub const fn of<H: DatagramHeader>() -> Datagram {
        Datagram {
            kind: H::KIND,
            mark: H::MARK.to_be_bytes(),
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
            length: |packet| packet.read::<H>().map_or(LENGTH, |header| header.length()),
            text: |packet| format!("{:?}", packet.read::<H>()),
        }
    }

    /// The number of the flow, if a payload has the mark of this header.
    #[must_use]
    pub fn number(&self, payload: &[u8]) -> Option<u32> {
        let number = payload.get(FLOW)?.first_chunk()?;
        (payload[MARK] == self.mark).then(|| u32::from_be_bytes(*number))
    }

    /// The payload of a datagram as a packet of `size` bytes of a flow; `None` if it has no such header.
    pub fn read(&self, payload: &[u8], flow: impl Into<FlowTag>, size: u16, ecn: Ecn) -> Option<Read> {
        (self.read)(payload, flow.into(), size, ecn)
    }

    /// Writes the header of a packet over one on the wire, whose flow stays.
    pub fn write(&self, packet: &Packet, bytes: &mut [u8; LENGTH]) {
        (self.write)(packet, bytes);
    }

    /// Bytes of the header of a packet that its datagram has in any case: see [`DatagramHeader::length`].
    #[must_use]
    pub fn length(&self, packet: &Packet) -> usize {
        (self.length)(packet)
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
