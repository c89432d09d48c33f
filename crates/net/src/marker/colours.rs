//! The three colours of RFC 2697, 2698 and 2859, as traffic classes.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{ClassSet, TrafficClass, Validate, config};

config! {
    /// The classes of the three colours.
    pub struct Colours {
        /// Class of packets that are green: within the profile.
        green: TrafficClass = 0, "choice: the class that `rio` protects best";
        /// Class of packets that are yellow: above it.
        yellow: TrafficClass = 1, "choice: the next";
        /// Class of packets that are red: far above it.
        red: TrafficClass = 2, "choice: the next";
    }
}

impl Validate for Colours {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.green == self.yellow && self.yellow == self.red {
            return Err(at
                .key("yellow")
                .error("all colours are the same class", "give green packets a class of their own"));
        }
        Ok(())
    }
}

/// A colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Colour {
    Green,
    Yellow,
    Red,
}

impl Colours {
    /// All classes that are given.
    pub fn classes(&self) -> ClassSet {
        let of = ClassSet::of;
        of(self.green).with(of(self.yellow)).with(of(self.red))
    }

    /// The class of a colour.
    pub fn class(&self, colour: Colour) -> TrafficClass {
        match colour {
            Colour::Green => self.green,
            Colour::Yellow => self.yellow,
            Colour::Red => self.red,
        }
    }

    /// The colour that a packet of the class had before. What no colour has is red.
    pub fn colour(&self, class: u8) -> Colour {
        match class {
            class if class == self.green.number() => Colour::Green,
            class if class == self.yellow.number() => Colour::Yellow,
            _ => Colour::Red,
        }
    }

    /// Refuses colours that a marker could not tell apart which goes by the colours that packets had before; the table is at `at`.
    ///
    /// # Errors
    /// Two colours are one class.
    pub fn check_distinct(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.green == self.yellow || self.yellow == self.red || self.green == self.red {
            return Err(at.key("colour_aware").error(
                "two colours are the same class, so that it cannot be told which one a packet had",
                "give each a class of its own, or leave this out",
            ));
        }
        Ok(())
    }
}
