//! Two classes: in profile and out of it.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{ClassSet, TrafficClass, Validate, config};

config! {
    /// The classes of packets in and out of profile.
    pub struct Profile {
        /// Class of packets in profile.
        in_class: TrafficClass = 0, "choice: the class that `strict-priority` serves first and `rio` protects best";
        /// Class of packets out of profile.
        out_class: TrafficClass = 1, "choice: the next";
    }
}

impl Validate for Profile {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.in_class == self.out_class {
            return Err(at
                .key("out_class")
                .error("is the class of packets in profile", "give another class"));
        }
        Ok(())
    }
}

impl Profile {
    /// Both.
    pub fn classes(&self) -> ClassSet {
        ClassSet::of(self.in_class).with(ClassSet::of(self.out_class))
    }

    /// The class of a packet that is in profile, or is not.
    pub fn class(&self, inside: bool) -> TrafficClass {
        if inside { self.in_class } else { self.out_class }
    }
}
