//! The parameters of BBR version 3.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Validate, config};

config! {
    /// Models the path by its rate and its shortest round-trip time. Sends at the rate that the model gives, probes for more of it
    /// every two to three seconds, and bounds what is in flight where probing loses more than 2 %.
    pub struct Params {
        /// Pacing gain of Startup.
        startup_pacing_gain: f64 as "dimensionless" = 2.77, "draft-ietf-ccwg-bbr-06 section 2.5";
        /// Pacing gain of Drain.
        drain_pacing_gain: f64 as "dimensionless" = 0.5, "draft-ietf-ccwg-bbr-06 section 2.5";
        /// Pacing gain of ProbeBW_DOWN.
        down_pacing_gain: f64 as "dimensionless" = 0.9, "draft-ietf-ccwg-bbr-06 section 5.3.3.1";
        /// Pacing gain of ProbeBW_UP.
        up_pacing_gain: f64 as "dimensionless" = 1.25, "draft-ietf-ccwg-bbr-06 section 5.3.3.5";
        /// What may be in flight, in bandwidth-delay products.
        cwnd_gain: f64 as "dimensionless" = 2.0, "draft-ietf-ccwg-bbr-06 section 2.6";
        /// The same in ProbeBW_UP.
        up_cwnd_gain: f64 as "dimensionless" = 2.25, "draft-ietf-ccwg-bbr-06 section 5.3.3.5";
        /// The same in ProbeRTT.
        probe_rtt_cwnd_gain: f64 as "dimensionless" = 0.5, "draft-ietf-ccwg-bbr-06 section 2.16.2";
        /// By how much it paces below the rate of the model.
        pacing_margin: f64 as "dimensionless" = 0.01, "draft-ietf-ccwg-bbr-06 section 2.5";
        /// The pipe is full when the rate grows by less than this part for three rounds.
        full_pipe_growth: f64 as "dimensionless" = 0.25, "draft-ietf-ccwg-bbr-06 section 5.3.1.2";
        /// The part of what is in flight that may be lost in a round.
        loss_threshold: f64 as "dimensionless" = 0.02, "draft-ietf-ccwg-bbr-06 section 2.8";
        /// Ranges that must be lost in a round for losses to end Startup.
        startup_loss_ranges: u32 as "ranges" = 6, "draft-ietf-ccwg-bbr-06 section 5.3.1.3";
        /// What a loss leaves at least.
        beta: f64 as "dimensionless" = 0.7, "draft-ietf-ccwg-bbr-06 section 2.8";
        /// The part of the long-term bound that is left free while it does not probe.
        headroom: f64 as "dimensionless" = 0.15, "draft-ietf-ccwg-bbr-06 section 2.8";
        /// The smallest window in segments.
        min_window: u32 as "segments" = 4, "draft-ietf-ccwg-bbr-06 section 2.8";
        /// How long the shortest round-trip time is believed.
        min_rtt_filter: Duration = "10s", "draft-ietf-ccwg-bbr-06 section 2.16.1";
        /// Without a shorter round-trip time for so long, it looks for one.
        probe_rtt_interval: Duration = "5s", "draft-ietf-ccwg-bbr-06 section 2.16.2";
        /// For how long it does.
        probe_rtt_duration: Duration = "200ms", "draft-ietf-ccwg-bbr-06 section 2.16.2";
        /// The time between two probes for bandwidth.
        probe_wait: Duration = "2s", "draft-ietf-ccwg-bbr-06 section 5.3.3.8.3";
        /// The longest random time added to it.
        probe_wait_random: Duration = "1s", "draft-ietf-ccwg-bbr-06 section 5.3.3.8.3";
        /// The most rounds between two probes, so that Reno has its share.
        probe_rounds: u32 as "round trips" = 63, "draft-ietf-ccwg-bbr-06 section 5.3.3.8.3";
        /// Quanta in flight that a host with segmentation offload needs to be busy.
        offload_quanta: u32 as "quanta" = 3, "draft-ietf-ccwg-bbr-06 section 5.5.8.1";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let checks = [
            ("startup_pacing_gain", self.startup_pacing_gain, 1.0, 3.0),
            ("drain_pacing_gain", self.drain_pacing_gain, 0.01, 1.0),
            ("down_pacing_gain", self.down_pacing_gain, 0.01, 1.0),
            ("up_pacing_gain", self.up_pacing_gain, 1.0, 3.0),
            ("cwnd_gain", self.cwnd_gain, 1.0, 3.0),
            ("up_cwnd_gain", self.up_cwnd_gain, 1.0, 3.0),
            ("probe_rtt_cwnd_gain", self.probe_rtt_cwnd_gain, 0.01, 1.0),
            ("pacing_margin", self.pacing_margin, 0.0, 0.5),
            ("full_pipe_growth", self.full_pipe_growth, 0.01, 2.0),
            ("loss_threshold", self.loss_threshold, 0.0, 0.5),
            ("beta", self.beta, 0.01, 1.0),
            ("headroom", self.headroom, 0.0, 0.9),
        ];
        for (key, value, least, most) in checks {
            at.within(key, value, least..=most)?;
        }
        let counts = [
            ("min_window", self.min_window, 1),
            ("probe_rounds", self.probe_rounds, 1),
            ("startup_loss_ranges", self.startup_loss_ranges, 1),
            ("offload_quanta", self.offload_quanta, 0),
        ];
        for (key, value, least) in counts {
            at.within(key, value, least..=1000)?;
        }
        let times = [
            ("min_rtt_filter", self.min_rtt_filter),
            ("probe_rtt_interval", self.probe_rtt_interval),
            ("probe_wait", self.probe_wait),
        ];
        for (key, value) in times {
            if value.is_zero() {
                return Err(at.key(key).error("0s is out of range", "give a time above 0s"));
            }
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "bbr3";
    const TITLE: &'static str = "BBR version 3: a model of the path, probed with a bound on losses";
    const REFERENCE: &'static str =
        "draft-ietf-ccwg-bbr-06, with the appendix of test cases of August 2026 (commit 4ce5e87)";
}
