//! The parameters of CUBIC.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Validate, config, words};

use super::super::contract::{Control, Event};
use super::super::growth::marked;
use super::super::hystart::Kind;

words! {
    /// Whose CUBIC: that of RFC 9438, or that of the Linux kernel.
    pub enum Variant { Rfc9438 = "rfc9438", Linux = "linux" }
}

config! {
    /// Cubic window growth around the window of the last loss, never slower than Reno would be.
    pub struct Params {
        /// Whose: that of RFC 9438, or that of Linux, which counts whole segments and grows by 5 % a round trip before a loss.
        variant: Variant = "linux", "Linux net/ipv4/tcp_cubic.c";
        /// What ends slow start before a loss: `"off"`, `"linux"` (since 6.14), `"linux-6.6"` (before) or `"rfc9406"`.
        hystart: Kind = "linux", "Linux 6.14 net/ipv4/tcp_cubic.c: hystart and hystart_detect are on";
        /// Tick of the clock by which the window grows, 1 / HZ: it aims anew once a tick. Zero: the clock is exact, and it aims once a
        /// millisecond. Only with `variant = "linux"`.
        tick: Duration = "0s", "choice: the simulator's clock is exact (Linux net/ipv4/tcp_cubic.c: tcp_jiffies32)";
        /// How fast the window grows, in segments per second cubed: `C`.
        scale: f64 as "segments/s^3" = 0.4, "RFC 9438 section 5.1";
        /// Window after a loss, as a share of the outstanding data: beta.
        decrease: f64 as "dimensionless" = 0.7, "RFC 9438 section 4.6";
        /// Window after an ECN echo, as a share of the outstanding data; absent: as after a loss.
        ecn_decrease: Option<f64> as "dimensionless" = (), "RFC 9438 section 4.6 (RFC 8511 section 3.1, ABE: 0.85, not in slow start)";
        /// Gives up part of the last maximum when it was not reached again, to make room for new flows.
        fast_convergence: bool = true, "RFC 9438 section 4.7";
        /// Grows at least as fast as Reno.
        reno_friendly: bool = true, "RFC 9438 section 4.3";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        at.above_zero("scale", self.scale, 1e6)?;
        at.part("decrease", self.decrease)?;
        self.ecn_decrease.map_or(Ok(()), |factor| at.part("ecn_decrease", factor))
    }
}

/// What an event leaves of the window, with `decrease` and `ecn_decrease` of the parameters.
pub(super) fn factor((after_loss, after_mark): (f64, Option<f64>), event: Event, control: &Control) -> f64 {
    match after_mark {
        Some(after_mark) if event == Event::Ecn => marked(control, after_loss, after_mark),
        _ => after_loss,
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "cubic";
    const TITLE: &'static str = "TCP CUBIC: window growth independent of the round-trip time";
    const REFERENCE: &'static str = "RFC 9438";
}
