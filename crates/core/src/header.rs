//! What a header is, whatever its protocol: fields that lie in the words of a simulated packet and, if it has a wire
//! form, in the bytes of a real one. The headers themselves and their registry are in `dumbbell-header`.

use std::fmt::Debug;
use std::ops::Range;

/// Which header a packet carries: a number that the registry of headers gives.
///
/// A header may ride on another one, in words that this one leaves free. The kind of such a packet names both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct HeaderKind(u8);

/// Bits of the header at the front; the one that rides on it has those above.
const FRONT: u8 = 0xf;

impl HeaderKind {
    /// The first of the numbers, up to 15, that headers of other crates may have.
    pub const FOREIGN: u8 = 12;

    /// The kind of the header with this number, from 1 to 15, at the front of a packet or on another header.
    ///
    /// # Panics
    /// If the number is out of range or `on` rides itself: when the registry of headers is compiled.
    pub const fn new(number: u8, on: Option<HeaderKind>) -> HeaderKind {
        assert!(number > 0 && number <= FRONT, "headers are numbered from 1 to 15");
        match on {
            None => HeaderKind(number),
            Some(front) => {
                assert!(!front.rides(), "a header rides on one at the front");
                HeaderKind(number << FRONT.count_ones() | front.0)
            }
        }
    }

    /// True if this header rides on another.
    #[inline]
    pub const fn rides(self) -> bool {
        self.0 > FRONT
    }

    /// The header at the front: this one, or the one that it rides on.
    #[inline]
    pub const fn front(self) -> HeaderKind {
        HeaderKind(self.0 & FRONT)
    }

    /// True if a packet of this kind carries the header `other`.
    #[inline]
    pub const fn carries(self, other: HeaderKind) -> bool {
        if other.rides() { self.0 == other.0 } else { self.front().0 == other.0 }
    }
}

/// The part of a packet that its header fills, by value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// `Packet::flags`.
    pub flags: u8,
    /// `Packet::aux`.
    pub aux: u16,
    /// `Packet::body`.
    pub body: [u64; 5],
}

/// How a header stands on the wire: at the front of the payload of a UDP datagram, told by its own first bytes.
#[derive(Clone, Copy, Debug)]
pub struct WireCodec<H> {
    length: usize,
    decode: fn(&[u8]) -> Option<H>,
    encode: fn(&H, &mut [u8]),
}

/// Bytes of the longest header on the wire.
pub const LONGEST_HEADER: usize = 128;

impl<H> WireCodec<H> {
    /// The codec of a header of `length` bytes. `decode` gives `None` for bytes that are no such header; `encode` writes
    /// the fields over the bytes of one, and leaves the bytes as they are for which the header has no field. Both get
    /// `length` bytes.
    ///
    /// # Panics
    /// If the header is longer than [`LONGEST_HEADER`]: when the constant is compiled.
    pub const fn new(
        length: usize,
        decode: fn(&[u8]) -> Option<H>,
        encode: fn(&H, &mut [u8]),
    ) -> WireCodec<H> {
        assert!(length <= LONGEST_HEADER, "a header is too long");
        WireCodec { length, decode, encode }
    }

    /// Bytes of the header.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// The header at the front of a payload; `None` if there is none of this protocol.
    pub fn decode(&self, payload: &[u8]) -> Option<H> {
        (self.decode)(payload.get(..self.length)?)
    }

    /// Writes the fields over the header at the front of a payload.
    ///
    /// # Panics
    /// If the payload is shorter than the header.
    pub fn encode(&self, header: &H, payload: &mut [u8]) {
        (self.encode)(header, &mut payload[..self.length]);
    }
}

/// What the registry gives to each header.
pub trait Registered {
    /// Its kind.
    const KIND: HeaderKind;
}

/// A header of a protocol.
pub trait Header: Registered + Copy + Debug {
    /// The protocol's name, as users read it.
    const NAME: &'static str;
    /// The header that this one rides on; `None` if it stands at the front.
    const ON: Option<HeaderKind> = None;
    /// Words of the body that are free for a header that rides on this one.
    const FREE: Range<usize> = 0..0;
    /// The form on the wire; `None` if only simulated packets can carry it.
    const WIRE: Option<WireCodec<Self>> = None;

    /// Takes the fields out of the words of a packet that carries the header.
    fn unpack(words: &Words) -> Self;

    /// Puts the fields into the words of a packet. What the header has no field for stays.
    fn pack(&self, words: &mut Words);
}

/// A header as the registry lists it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeaderInfo {
    /// Its kind.
    pub kind: HeaderKind,
    /// The protocol's name, as users read it.
    pub name: &'static str,
    /// True if real packets can carry it.
    pub has_wire_form: bool,
}

impl HeaderInfo {
    /// What the registry lists of `H`.
    pub const fn of<H: Header>() -> HeaderInfo {
        HeaderInfo { kind: H::KIND, name: H::NAME, has_wire_form: H::WIRE.is_some() }
    }
}
