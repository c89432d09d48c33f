//! The parameters of DCTCP.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Validate, config, words};

words! {
    /// `rfc`: the controller cuts the window once in a window. `linux`: the transport does, over a round trip and as after a loss, and the
    /// estimate is a number of 1024ths, of whole segments.
    pub enum Law { Rfc = "rfc", Linux = "linux" }
}

config! {
    /// The sender estimates the share of its bytes that arrive marked, and once a window cuts by half of that share. It needs
    /// `ecn = true`, and a queue that marks at a short, instantaneous length, such as `threshold`.
    pub struct Params {
        /// Weight of the latest window in the estimate: g.
        gain: f64 as "dimensionless" = 0.0625, "RFC 8257 section 4.2: 1/16";
        /// The estimate at the start: alpha.
        initial_alpha: f64 as "dimensionless" = 1.0, "RFC 8257 section 4.2: 1 (ns-2.35: 0)";
        /// Who cuts the window, and how the estimate is kept.
        law: Law = "rfc", "RFC 8257 section 3.3";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        at.above_zero("gain", self.gain, 1.0)?;
        at.within("initial_alpha", self.initial_alpha, 0.0..=1.0)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "dctcp";
    const TITLE: &'static str = "DCTCP: the window shrinks by half the share of bytes that arrive marked";
    const REFERENCE: &'static str = "RFC 8257";
}
