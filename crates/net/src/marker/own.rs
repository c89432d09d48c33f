//! Markers of other crates.

use std::fmt::Debug;

use dumbbell_core::rng::Stream;
use dumbbell_core::{Frame, Packet, Time, TrafficClass};

use super::contract::{Marker, MarkerParams};
use crate::own::simulated;

/// Makes a machine of parameters whose type nobody knows: those of another crate.
pub trait Open {
    /// See [`MarkerParams::build`].
    fn open(&self, rng: Stream) -> Box<dyn Marks>;
}

impl<P: MarkerParams> Open for P {
    fn open(&self, rng: Stream) -> Box<dyn Marks> {
        Box::new(self.build(rng))
    }
}

/// A marker of another crate, which marks simulated packets.
pub trait Marks: Debug + Send {
    /// Another one like it.
    fn copy(&self) -> Box<dyn Marks>;
    /// See [`Marker::class_for`].
    fn class_for(&mut self, now: Time, packet: &Packet) -> TrafficClass;
}

impl<M: Marker + Clone + Debug + Send + 'static> Marks for M {
    fn copy(&self) -> Box<dyn Marks> {
        Box::new(self.clone())
    }
    fn class_for(&mut self, now: Time, packet: &Packet) -> TrafficClass {
        Marker::class_for(self, now, packet)
    }
}

impl Marker for Box<dyn Marks> {
    fn class_for<P: Frame>(&mut self, now: Time, packet: &P) -> TrafficClass {
        (**self).class_for(now, simulated(packet))
    }
}

impl Clone for Box<dyn Marks> {
    fn clone(&self) -> Box<dyn Marks> {
        (**self).copy()
    }
}
