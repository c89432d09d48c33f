//! Power as a function of the state of a port.
//!
//! With x = rate / highest rate, a port that transmits draws P(x) = P_s + (1 - P_s) f(x), in units of what it draws at the
//! highest rate (Panarello et al., e-Energy 2012, section 2; the normalisation P(1) = 1 is a choice, the paper has none).

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Probability, Validate, config, words};

use super::ledger::{Span, State};

words! {
    /// How the part of the power that depends on the rate does.
    pub enum Scaling {
        /// Frequency scaling: f(x) = x.
        Frequency = "fs",
        /// Dynamic voltage scaling: f(x) = x^3, down to the lowest voltage.
        Voltage = "dvs",
    }
}

words! {
    /// The power of voltage scaling at rates below that of the lowest voltage.
    pub enum Below { Linear = "linear", Flat = "flat" }
}

words! {
    /// What counts as the power during a pause.
    pub enum PausePower { Max = "max", Old = "old", New = "new", Top = "top" }
}

config! {
    /// Power in each state of a port.
    pub struct Model {
        /// `fs`, frequency scaling: power falls linearly with the rate; `dvs`, dynamic voltage scaling: with its cube.
        scaling: Scaling = "fs", "Panarello et al., e-Energy 2012, section 2";
        /// Highest rate over the lowest that has a voltage of its own (`dvs` only).
        voltage_range: f64 as "dimensionless" = 2.0, "Panarello et al., e-Energy 2012, section 2: the maximum scaling factor";
        /// Power below that rate (`dvs` only): `linear` in the rate, since the frequency still falls, or `flat`.
        below: Below = "linear", "choice: at constant voltage, power is proportional to the frequency";
        /// Share of the power at the highest rate that does not depend on the rate.
        static_share: Probability = 0.0, "Panarello et al., e-Energy 2012, section 2: 0, 0.25, 0.5 and 0.75";
        /// Part of the rate-dependent power that an awake port draws while it sends nothing.
        idle_share: Probability = 1.0, "Panarello et al., e-Energy 2012, section 2: power depends on the configured rate alone";
        /// Power of a sleeping port, as a share of that of an idle one at the highest rate.
        sleep_share: Probability = 0.1, "Nedevschi et al., NSDI 2008, from memory";
        /// Power during the pause of a transition: that of the `old` rate, the `new`, the `max` of both, or the `top` rate.
        pause: PausePower = "max", "choice: both clocks may run";
        /// Watts at the link's rate.
        full_power: f64 as "watts" = 1.0, "choice: energies in seconds at full power";
    }
}

impl Validate for Model {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.voltage_range < 1.0 {
            return Err(at.key("voltage_range").error(
                format!("{} is below 1", self.voltage_range),
                "give the highest rate over the lowest with a voltage of its own",
            ));
        }
        if self.full_power < 0.0 {
            return Err(at
                .key("full_power")
                .error(format!("{} W is negative", self.full_power), "leave out the minus sign"));
        }
        Ok(())
    }
}

impl Model {
    /// The rate-dependent part f, 0 at rest and 1 at the highest rate.
    fn dynamic(&self, x: f64) -> f64 {
        let phi = self.voltage_range;
        match (self.scaling, self.below) {
            (Scaling::Frequency, _) => x,
            (Scaling::Voltage, _) if x * phi >= 1.0 => x * x * x,
            (Scaling::Voltage, Below::Linear) => x / (phi * phi),
            (Scaling::Voltage, Below::Flat) => 1.0 / (phi * phi * phi),
        }
    }

    /// Power at `rate` (bit/s) on a link of rate `top`, in watts, with `part` of the rate-dependent power drawn.
    fn awake(&self, rate: f64, top: f64, part: f64) -> f64 {
        let fixed = self.static_share.get();
        self.full_power * (fixed + part * (1.0 - fixed) * self.dynamic(rate / top))
    }

    /// Power in the state of a span, in watts, on a link of rate `top` (bit/s).
    pub fn power(&self, span: &Span, top: f64) -> f64 {
        let idle_share = self.idle_share.get();
        let busy = |rate| self.awake(rate, top, 1.0);
        match span.state {
            State::Busy => busy(span.rate),
            State::Idle => self.awake(span.rate, top, idle_share),
            // A port that wakes or sleeps runs none of its rates.
            State::Waking => self.awake(top, top, idle_share),
            State::Sleep => self.sleep_share.get() * self.awake(top, top, idle_share),
            State::Pause => {
                let (old, new) = (busy(span.previous.unwrap_or(span.rate)), busy(span.rate));
                match self.pause {
                    PausePower::Max => old.max(new),
                    PausePower::Old => old,
                    PausePower::New => new,
                    PausePower::Top => busy(top),
                }
            }
        }
    }

    /// Energy over all spans, in joules, on a link of rate `top` (bit/s).
    pub fn energy(&self, spans: &[Span], top: f64) -> f64 {
        spans.iter().map(|s| s.time.as_secs_f64() * self.power(s, top)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::{Config, Duration, Value};

    fn model(text: &str) -> Model {
        let v: Value = dumbbell_core::json::from_str(text).unwrap();
        Model::from_value(&v, &At::root("model")).unwrap()
    }

    fn span(state: State, rate: f64) -> Span {
        Span { state, rate, previous: None, time: Duration::from_secs(600) }
    }

    #[test]
    fn ceilings_of_the_saving_are_those_computed_from_the_paper() {
        // Rate 1 Mb/s of 10 all run, in percent, for static shares 0, 1/4, 1/2, 3/4.
        let table = [
            (r#""fs""#, "linear", [90.0, 67.5, 45.0, 22.5]),
            (r#""dvs""#, "linear", [97.5, 73.125, 48.75, 24.375]),
            (r#""dvs""#, "flat", [87.5, 65.625, 43.75, 21.875]),
        ];
        for (scaling, below, savings) in table {
            for (share, saving) in [0.0, 0.25, 0.5, 0.75].into_iter().zip(savings) {
                let m = model(&format!(
                    r#"{{"scaling": {scaling}, "below": "{below}", "static_share": {share}}}"#
                ));
                let low = m.energy(&[span(State::Idle, 1e6)], 1e7);
                let full = m.energy(&[span(State::Busy, 1e7)], 1e7);
                assert_eq!(full, 600.0);
                assert!((100.0 * (1.0 - low / full) - saving).abs() < 1e-12, "{scaling} {below} {share}");
            }
        }
    }

    #[test]
    fn a_device_that_is_all_static_saves_nothing_by_rates() {
        for scaling in ["fs", "dvs"] {
            let m = model(&format!(r#"{{"scaling": "{scaling}", "static_share": 1.0}}"#));
            for rate in [1e5, 1e6, 5e6, 1e7] {
                assert_eq!(m.power(&span(State::Busy, rate), 1e7), 1.0);
                assert_eq!(m.power(&span(State::Idle, rate), 1e7), 1.0);
            }
        }
    }

    #[test]
    fn sleeping_and_waking_follow_the_form_of_the_specification() {
        // P_idle = P_s + beta (1 - P_s), P_sleep = gamma P_idle, waking at P_idle.
        let m = model(r#"{"static_share": 0.2, "idle_share": 0.8, "sleep_share": 0.1, "full_power": 5.0}"#);
        let idle = 5.0 * (0.2 + 0.8 * 0.8);
        assert!((m.power(&span(State::Idle, 1e7), 1e7) - idle).abs() < 1e-12);
        assert!((m.power(&span(State::Waking, 1e7), 1e7) - idle).abs() < 1e-12);
        assert!((m.power(&span(State::Sleep, 1e7), 1e7) - 0.1 * idle).abs() < 1e-12);
    }

    #[test]
    fn a_pause_is_charged_as_asked() {
        let pause = Span { previous: Some(4e6), ..span(State::Pause, 3e6) };
        for (rule, power) in [("max", 0.4), ("old", 0.4), ("new", 0.3), ("top", 1.0)] {
            let m = model(&format!(r#"{{"pause": "{rule}"}}"#));
            assert!((m.power(&pause, 1e7) - power).abs() < 1e-12, "{rule}");
        }
    }

    #[test]
    fn voltage_scaling_is_continuous_where_the_voltage_ends() {
        let m = model(r#"{"scaling": "dvs", "voltage_range": 4.0}"#);
        let at = |rate| m.power(&span(State::Busy, rate), 1e7);
        assert!((at(2.5e6) - at(2.5e6 - 1e-3)).abs() < 1e-9);
        assert!((at(2.5e6) - 1.0 / 64.0).abs() < 1e-12);
        // Just above, the voltage falls with the rate.
        assert!((at(2.6e6) - 0.26_f64.powi(3)).abs() < 1e-12);
    }
}
