//! The parameters of CUBIC.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Validate, config, words};

use super::super::hystart::Kind;

words! {
    /// Whose CUBIC: that of RFC 9438, or that of the Linux kernel.
    pub enum Variant { Rfc9438 = "rfc9438", Linux = "linux" }
}

config! {
    /// Cubic window growth around the window of the last loss, never slower than Reno would be.
    pub struct Params {
        /// Whose: that of RFC 9438, or that of Linux, which counts whole segments and grows by 5 % a round trip before a loss.
        variant: Variant = "rfc9438", "RFC 9438";
        /// What ends slow start before a loss: `"off"`, `"linux"` (since 6.14), `"linux-6.6"` (before) or `"rfc9406"`.
        hystart: Kind = "off", "RFC 9438 section 4.10 recommends HyStart++; Linux net/ipv4/tcp_cubic.c has HyStart";
        /// How fast the window grows, in segments per second cubed: `C`.
        scale: f64 = 0.4, "RFC 9438 section 5.1";
        /// Window after a loss or an ECN echo, as a share of the outstanding data: beta.
        decrease: f64 = 0.7, "RFC 9438 section 4.6";
        /// Gives up part of the last maximum when it was not reached again, to make room for new flows.
        fast_convergence: bool = true, "RFC 9438 section 4.7";
        /// Grows at least as fast as Reno.
        reno_friendly: bool = true, "RFC 9438 section 4.3";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(self.scale > 0.0 && self.scale <= 1e6) {
            let message = format!("{} is out of range", self.scale);
            return Err(at.key("scale").error(message, "give a number above 0 and up to 1e6"));
        }
        if !(self.decrease > 0.0 && self.decrease < 1.0) {
            let message = format!("{} is not a decrease", self.decrease);
            return Err(at.key("decrease").error(message, "give a number between 0 and 1"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "cubic";
    const TITLE: &'static str = "TCP CUBIC: window growth independent of the round-trip time";
    const REFERENCE: &'static str = "RFC 9438";
}
