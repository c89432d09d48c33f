//! The exchange of a sender with the routers on its path: a header that rides on data segments, and the answer.
//!
//! A controller names the header that it needs. The transport then puts one on every data segment, the receiver gathers
//! what arrives, and acknowledgements return the result as one number. So a transport carries any such header without
//! knowing its protocol.

use dumbbell_core::{Frame, Header, HeaderKind, Packet};

/// What a sender knows when it fills in the header of a data segment.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Asking {
    /// What the controller asks for, in the unit of the header; the largest number asks for all there is.
    pub request: i64,
    /// Smoothed round-trip time in seconds; 0 if unknown.
    pub rtt: f64,
    /// The congestion window in segments.
    pub window: f64,
}

/// A header that rides on data segments and is answered by one number on acknowledgements.
pub trait Feedback: Header {
    /// The header of the next data segment.
    fn ask(asking: &Asking) -> Self;

    /// What the next acknowledgement brings back: `so_far`, which came with the segments since the last acknowledgement,
    /// if there were any, and this header of one more.
    fn gather(&self, so_far: Option<f64>) -> f64;
}

/// A [`Feedback`] without its type: what a controller hands to the transport.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    kind: HeaderKind,
    ask: fn(&Asking, &mut Packet),
    gather: fn(&Packet, Option<f64>) -> Option<f64>,
}

impl Exchange {
    /// The exchange of this header.
    pub const fn of<H: Feedback>() -> Exchange {
        Exchange {
            kind: H::KIND,
            ask: |asking, packet| packet.attach(&H::ask(asking)),
            gather: |packet, so_far| match packet.read::<H>() {
                Some(header) => Some(header.gather(so_far)),
                None => so_far,
            },
        }
    }

    /// The kind of the header.
    pub const fn kind(&self) -> HeaderKind {
        self.kind
    }

    /// Puts the header on a data segment.
    pub fn ask(&self, asking: &Asking, packet: &mut Packet) {
        (self.ask)(asking, packet);
    }

    /// What the next acknowledgement brings back: `so_far`, if there was anything, and what this data segment brings.
    #[must_use]
    pub fn gather(&self, packet: &Packet, so_far: Option<f64>) -> Option<f64> {
        (self.gather)(packet, so_far)
    }
}
