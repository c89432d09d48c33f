//! Tahoe: slow start again after every loss.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, config};

use super::growth::{self, Growth};
use super::hystart::Pace;
use super::{Build, Class, Control, Controller, Event, Repair, Signals};

config! {
    /// Slow start, congestion avoidance and fast retransmit without fast recovery. Does not use SACK.
    pub struct Params {}
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "tahoe";
    const TITLE: &'static str = "TCP Tahoe: one segment and slow start after every loss";
    const REFERENCE: &'static str = "Jacobson, Congestion avoidance and control, SIGCOMM 1988";
}

impl Build for Params {
    type Controller = Tahoe;

    fn build(&self) -> Tahoe {
        Tahoe::default()
    }
}

/// The controller.
#[derive(Clone, Debug, Default)]
pub struct Tahoe {
    growth: Growth,
}

impl Controller for Tahoe {
    const CLASS: Class = Class::Window;
    const REPAIR: Repair = Repair::GoBack;

    #[inline]
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        match signals.event {
            Event::Ack => self.growth.ack(signals, control, |_| Pace::Full, || u64::from(signals.mss)),
            Event::Loss | Event::Timeout => self.growth.timeout(signals, control, 0.5),
            Event::Ecn => self.growth.cut(signals, control, 0.5),
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
    }
}
