//! Binomial congestion control: increase and decrease are powers of the window.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Validate, config};

use dumbbell_proto::controller::avoidance::{Avoidance, Avoiding, SHARE, within};
use dumbbell_proto::controller::{Build, Control, Signals};

config! {
    /// A window of w segments grows by `increase` / w^`k` a round trip, and a loss takes `decrease` w^`l` from it. With k + l = 1 it is
    /// fair to Reno.
    pub struct Params {
        /// Segments, at a window of one.
        increase: f64 as "segments" = 1.0, "Bansal & Balakrishnan, INFOCOM 2001, section 2: alpha";
        /// Segments, at a window of one.
        decrease: f64 as "segments" = 0.5, "Bansal & Balakrishnan, INFOCOM 2001, section 2: beta";
        /// Power of the increase.
        k: f64 as "dimensionless" = 0.5, "Bansal & Balakrishnan, INFOCOM 2001, section 3: SQRT";
        /// Power of the decrease.
        l: f64 as "dimensionless" = 0.5, "Bansal & Balakrishnan, INFOCOM 2001, section 3: SQRT";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        within(at, "increase", self.increase, &(0.001..=1000.0))?;
        within(at, "decrease", self.decrease, &SHARE)?;
        within(at, "k", self.k, &(0.0..=1.0))?;
        within(at, "l", self.l, &(0.0..=1.0))
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "binomial";
    const TITLE: &'static str = "Binomial: increase and decrease are powers of the window";
    const REFERENCE: &'static str =
        "Bansal & Balakrishnan, Binomial congestion control algorithms, INFOCOM 2001";
}

impl Build for Params {
    type Controller = Avoiding<Binomial>;

    fn build(&self) -> Avoiding<Binomial> {
        Avoiding::by(Binomial { params: self.clone() })
    }
}

/// The laws of the window.
#[derive(Clone, Debug)]
pub struct Binomial {
    params: Params,
}

impl Avoidance for Binomial {
    fn increase(&mut self, _signals: &Signals, window: f64) -> f64 {
        self.params.increase / window.powf(self.params.k)
    }

    fn threshold(&mut self, signals: &Signals, _control: &Control) -> u64 {
        let mss = f64::from(signals.mss);
        let outstanding = signals.flight as f64 / mss;
        ((outstanding - self.params.decrease * outstanding.powf(self.params.l)) * mss) as u64
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_proto::laws;

    use super::*;

    #[test]
    fn a_loss_takes_half_the_root_of_the_window() {
        let mut laws = Binomial { params: Params::default() };
        let signals = Signals { flight: 100_000, ..Signals::at_start(10_000, 1000) };
        // 100 - 0.5 * 10 segments of 1000 bytes.
        assert_eq!(laws.threshold(&signals, &Control::default()), 95_000);
        assert_eq!(laws.increase(&signals, 100.0), 0.1);
    }

    #[test]
    fn it_obeys_the_laws_of_windows() {
        let make = || laws::Subject::of(&Params::default());
        laws::judge(&make, 0..500).unwrap_or_else(|(story, broken)| panic!("story {story}: {broken}"));
        // `alike` finds one that grows otherwise.
        let other = || laws::Subject::of(&Params { k: 1.0, ..Params::default() });
        assert_eq!(laws::alike(&make, &make, 0..50), None);
        assert!(laws::alike(&make, &other, 0..50).is_some());
    }
}
