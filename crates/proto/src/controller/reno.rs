//! Reno: the window is halved, not closed, when duplicates show a loss.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, config};

use super::growth::{self, Growth};
use super::hystart::Pace;
use super::{Build, Class, Control, Controller, Event, Repair, Signals};

config! {
    /// Fast retransmit and fast recovery. Without SACK, recovery ends at the first new acknowledgement; with SACK it
    /// is that of RFC 6675.
    pub struct Params {}
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "reno";
    const TITLE: &'static str = "TCP Reno: fast recovery of one loss per window";
    const REFERENCE: &'static str = "RFC 2581";
}

impl Build for Params {
    type Controller = Reno;

    fn build(&self) -> Reno {
        Reno::default()
    }
}

/// The controller.
#[derive(Clone, Debug, Default)]
pub struct Reno {
    growth: Growth,
}

impl Controller for Reno {
    const CLASS: Class = Class::Window;
    const REPAIR: Repair = Repair::FastRecovery;

    #[inline]
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            Event::Ack => self.growth.ack(signals, control, |_| Pace::Full, || u64::from(signals.mss)),
            Event::Loss | Event::Ecn => self.growth.cut(signals, control, 0.5),
            Event::Timeout => self.growth.timeout(signals, control, 0.5),
            Event::Idle => growth::restart(signals, control),
            Event::Start | Event::Recovered | Event::Wake => {}
        }
    }
}
