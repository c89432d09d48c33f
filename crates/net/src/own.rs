//! What machines of other crates see: simulated packets, whatever type of frame the link has.

use std::any::Any;
use std::marker::PhantomData;

use dumbbell_core::{DropReason, Frame, MarkReason, Packet, VerdictSink};

/// A link of real packets refuses such a machine before it is made: see `Path` of the emulator.
const REAL: &str = "a machine of another crate sees simulated packets";

/// The packet that a frame is.
pub fn simulated<P: Frame>(frame: &P) -> &Packet {
    (frame as &dyn Any).downcast_ref().expect(REAL)
}

/// The same, to change.
pub fn simulated_mut<P: Frame>(frame: &mut P) -> &mut Packet {
    (frame as &mut dyn Any).downcast_mut().expect(REAL)
}

/// A value of one type, which is the other.
pub fn same<A: 'static, B: 'static>(value: A) -> B {
    let mut value = Some(value);
    let other = (&mut value as &mut dyn Any).downcast_mut::<Option<B>>().expect(REAL);
    other.take().expect("it was put there")
}

/// A sink of frames, which are simulated packets.
pub struct Simulated<'a, P, S>(&'a mut S, PhantomData<P>);

impl<'a, P, S> Simulated<'a, P, S> {
    /// Passes packets on to `sink`.
    pub fn new(sink: &'a mut S) -> Simulated<'a, P, S> {
        Simulated(sink, PhantomData)
    }
}

impl<P: Frame, S: VerdictSink<P>> VerdictSink<Packet> for Simulated<'_, P, S> {
    fn dropped(&mut self, packet: Packet, reason: DropReason) {
        self.0.dropped(same(packet), reason);
    }
    fn marked(&mut self, packet: &Packet, reason: MarkReason) {
        let packet: &P = (packet as &dyn Any).downcast_ref().expect(REAL);
        self.0.marked(packet, reason);
    }
}
