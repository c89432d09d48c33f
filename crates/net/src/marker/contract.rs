//! The contract of markers: their questions and their parameters.

use std::fmt::Debug;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::Stream;
use dumbbell_core::{ClassSet, Frame, HeaderKind, Packet, Time, TrafficClass};

use crate::own::simulated;

/// A marker.
pub trait Marker {
    /// The class for `packet`, which arrives at `now`. Called for every packet, in order of time.
    fn class_for<P: Frame>(&mut self, now: Time, packet: &P) -> TrafficClass;
}

/// The parameters of a marker.
pub trait MarkerParams: Open + Send + Sync {
    /// What marks.
    type Machine: Marker + Clone + Debug + Send + 'static
    where
        Self: Sized;

    /// A marker that has seen nothing yet and draws from `rng`, its own stream.
    fn build(&self, rng: Stream) -> Self::Machine
    where
        Self: Sized;

    /// The headers that it reads: real packets can only be marked if all have a wire form.
    fn headers(&self) -> &'static [HeaderKind] {
        &[]
    }

    /// The classes that packets have behind it, if before it they have those that are `arriving`.
    fn classes(&self, arriving: ClassSet) -> ClassSet;

    /// True if it may draw random numbers.
    fn draws(&self) -> bool {
        false
    }

    /// Checks the parameters, which stand at `at`, against the largest packet of the link.
    ///
    /// # Errors
    /// What does not fit.
    fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
        let _ = (mtu, at);
        Ok(())
    }
}

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
