//! XCP: the window follows what the routers grant.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, config};
use dumbbell_header::{Exchange, XcpHeader};

use super::growth::Growth;
use super::{Build, Class, Control, Controller, Event, FEEDBACK_UNIT, Needs, Signals};

config! {
    /// Every data segment asks the routers on its way for more; its acknowledgement brings the change of rate that they
    /// grant, and the window changes by this times the round-trip time. Losses are answered as by NewReno. At least one
    /// of the forward links needs `router = "xcp"`.
    pub struct Params {
        /// Window after a loss, as a share of the outstanding data.
        decrease: f64 as "dimensionless" = 0.5, "Katabi et al., SIGCOMM 2002, section 3.2: like TCP (RFC 5681 equation 4)";
    }
}

impl Validate for Params {
    fn validate(&self, at: &config::At<'_>) -> Result<(), dumbbell_core::ConfigError> {
        at.part("decrease", self.decrease)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "xcp";
    const TITLE: &'static str = "XCP: the window follows the feedback of routers";
    const REFERENCE: &'static str =
        "Katabi, Handley & Rohrs, SIGCOMM 2002, in the form of ns-2.35 (xcp-end-sys.cc)";
}

impl Build for Params {
    type Controller = Xcp;
    fn build(&self) -> Xcp {
        Xcp { decrease: self.decrease, window: 0.0 }
    }

    fn exchange(&self) -> Option<&'static Exchange> {
        Some(const { &Exchange::of::<XcpHeader>() })
    }
}

/// More than any router grants (ns-2.35 xcp-end-sys.cc: the request of a sender that is never satisfied).
const UNLIMITED: i64 = i64::MAX;

/// The controller.
#[derive(Clone, Debug)]
pub struct Xcp {
    decrease: f64,
    /// The window in bytes, with its fraction.
    window: f64,
}

impl Controller for Xcp {
    const CLASS: Class = Class::Router;
    const NEEDS: Needs = Needs::ROUTERS;

    #[inline]
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        let mss = f64::from(signals.mss);
        match signals.event {
            Event::Ack | Event::Recovered => {
                let change = signals.feedback as f64 / FEEDBACK_UNIT * signals.smoothed_rtt.as_secs_f64();
                self.window = (self.window + change).max(mss);
                control.window = self.window as u64;
            }
            Event::Loss | Event::Ecn => {
                Growth::default().cut(signals, control, self.decrease);
                self.window = control.window as f64;
            }
            Event::Timeout => {
                Growth::default().timeout(signals, control, self.decrease);
                self.window = control.window as f64;
            }
            Event::Start => self.window = control.window as f64,
            _ => {}
        }
        control.request = UNLIMITED;
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Time;

    use super::super::growth::tests::signals;
    use super::*;

    #[test]
    fn feedback_changes_the_window_and_fractions_are_kept() {
        let mut xcp = Params::default().build();
        let mut control = Control { window: 10_000, ..Control::default() };
        xcp.on(&signals(Event::Start, Time::ZERO, 0, 0), &mut control);
        assert_eq!((control.window, control.request), (10_000, UNLIMITED));
        // At an RTT of 100 ms, 5 bytes a second are half a byte.
        let ack = |feedback: f64| Signals {
            feedback: (feedback * FEEDBACK_UNIT) as i64,
            ..signals(Event::Ack, Time::ZERO, 1000, 9000)
        };
        for (feedback, window) in [
            (5.0, 10_000),
            (5.0, 10_001),
            (-50_000.0, 5001),
            (-1e9, 1000),
            (f64::NAN, 1000),
            (20_000.0, 3000),
        ] {
            xcp.on(&ack(feedback), &mut control);
            assert_eq!(control.window, window);
        }
        xcp.on(&signals(Event::Ack, Time::ZERO, 1000, 9000), &mut control);
        assert_eq!(control.window, 3000, "acknowledgements alone do not open the window");
    }

    #[test]
    fn losses_are_answered_as_by_newreno() {
        let mut xcp = Params::default().build();
        let mut control = Control { window: 20_000, ..Control::default() };
        xcp.on(&signals(Event::Start, Time::ZERO, 0, 0), &mut control);
        xcp.on(&signals(Event::Loss, Time::ZERO, 0, 20_000), &mut control);
        assert_eq!(control.window, 10_000);
        xcp.on(&signals(Event::Timeout, Time::ZERO, 0, 10_000), &mut control);
        assert_eq!(control.window, 1000);
    }
}
