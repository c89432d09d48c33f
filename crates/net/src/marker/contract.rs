//! The contract of markers: their questions and their parameters.

use std::fmt::Debug;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::Stream;
use dumbbell_core::{ClassSet, Frame, HeaderKind, Time, TrafficClass};

use super::own::Open;

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
