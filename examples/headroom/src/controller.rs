//! Headroom: the window follows the spare share of the tightest link.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Validate, config};
use dumbbell_header::Exchange;
use dumbbell_proto::controller::growth;
use dumbbell_proto::controller::{Build, Class, Control, Controller, Event, FEEDBACK_UNIT, Needs, Signals};

use crate::header::HeadroomHeader;

config! {
    /// In a round-trip time the window changes by a gain times the share of its rate that the tightest link has to spare.
    /// At least one of the forward links needs `router = "headroom"`.
    pub struct Params {
        /// The gain.
        gain: f64 as "dimensionless" = 0.25, "choice: what is spare is known a round-trip time late";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(self.gain > 0.0 && self.gain <= 1.0) {
            let message = format!("{} is out of range", self.gain);
            return Err(at.key("gain").error(message, "give a number above 0, at most 1"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "headroom";
    const TITLE: &'static str = "Headroom: the window follows in-band telemetry";
    const REFERENCE: &'static str =
        "choice: the simplest use of the header; compare Li et al., HPCC, SIGCOMM 2019";
}

impl Build for Params {
    type Controller = Headroom;

    fn build(&self) -> Headroom {
        Headroom { gain: self.gain }
    }

    fn exchange(&self) -> Option<&'static Exchange> {
        Some(const { &Exchange::of::<HeadroomHeader>() })
    }
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Headroom {
    gain: f64,
}

impl Controller for Headroom {
    const CLASS: Class = Class::Router;
    const NEEDS: Needs = Needs::ROUTERS;

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        let mss = u64::from(signals.mss);
        match signals.event {
            Event::Ack | Event::Recovered => {
                let share = (signals.feedback as f64 / FEEDBACK_UNIT).clamp(-1.0, 1.0);
                let change = self.gain * share * signals.acked as f64;
                control.window = control.window.saturating_add_signed(change as i64).max(mss);
            }
            Event::Loss | Event::Ecn | Event::Timeout => {
                if !signals.repeated {
                    control.threshold = growth::reduced(signals, 0.5);
                }
                control.window = if signals.event == Event::Timeout { mss } else { control.threshold };
            }
            _ => {}
        }
    }
}
