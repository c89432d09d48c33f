//! The contract of controllers is the crate `dumbbell-cc`. Here is what only this project adds to it.

use std::fmt::Debug;

pub use dumbbell_cc::{
    Class, Control, Controller, Entered, Estimate, Event, Needs, Random, Rate, RateSample, Repair, Sent,
    Signals, Stand,
};
use dumbbell_header::Exchange;

/// The largest window a controller may set: a terabyte is more than any path holds.
pub const LARGEST_WINDOW: u64 = 1 << 40;

/// What the parameters of a controller provide: the controller.
pub trait Build: Open + Send + Sync {
    /// The controller's state, one per connection.
    type Controller: Controller + Clone + Debug + Send + 'static
    where
        Self: Sized;

    /// A controller for a new connection.
    fn build(&self) -> Self::Controller
    where
        Self: Sized;

    /// What it needs of the transport: less or more with some parameters.
    fn wants(&self) -> Needs
    where
        Self: Sized,
    {
        Self::Controller::NEEDS
    }

    /// The header in which data segments carry what it asks of routers, and from which their answer comes. Only with
    /// [`Needs::ROUTERS`].
    fn exchange(&self) -> Option<&'static Exchange> {
        None
    }

    /// Slow start adds no more for an acknowledgement than `Signals::growth_limit`. A law of windows.
    #[cfg(test)]
    fn limited_start(&self) -> bool {
        true
    }

    /// The threshold after congestion is what the path was measured to hold, not a part of what is outstanding (RFC 5681
    /// equation 4). A law of windows does not hold then.
    #[cfg(test)]
    fn remembers_path(&self) -> bool {
        false
    }
}

/// Needs for which the transport has to keep an account of acknowledgements.
pub const ACCOUNT: Needs = Needs::RATES.and(Needs::ECHOES).and(Needs::WAKE);
/// Needs that concern what is sent.
pub const SENDING: Needs = ACCOUNT.and(Needs::ROUTERS).and(Needs::PACING).and(Needs::SENT);
/// One in the unit of `Signals::feedback`.
pub const FEEDBACK_UNIT: f64 = (1_u64 << Rate::SHIFT) as f64;

/// What a controller says of itself, and the controller.
pub trait Open {
    /// What moves the window.
    fn class(&self) -> Class;
    /// What it needs of the transport.
    fn needs(&self) -> Needs;
    /// How losses are repaired where SACK is not used.
    fn repair(&self) -> Repair;
    /// See [`Build::build`].
    fn open(&self) -> Box<dyn Governs>;
}

impl<P: Build> Open for P {
    fn class(&self) -> Class {
        P::Controller::CLASS
    }
    fn needs(&self) -> Needs {
        self.wants()
    }
    fn repair(&self) -> Repair {
        P::Controller::REPAIR
    }
    fn open(&self) -> Box<dyn Governs> {
        Box::new(self.build())
    }
}

/// A [`Controller`] in a box.
#[allow(missing_docs, reason = "as those of `Controller`")]
pub trait Governs: Debug + Send {
    /// Another one like it.
    fn copy(&self) -> Box<dyn Governs>;
    fn start(&mut self, random: Random);
    fn on(&mut self, signals: &Signals, control: &mut Control);
    fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        let _ = (sent, control);
    }
    fn stand(&self) -> Option<Stand> {
        None
    }
    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        let _ = tell;
    }
    /// The words of the law, if this machine runs one: a paused run may change them.
    fn words_mut(&mut self) -> Option<&mut [i64]> {
        None
    }
}

impl<C: Controller + Clone + Debug + Send + 'static> Governs for C {
    fn copy(&self) -> Box<dyn Governs> {
        Box::new(self.clone())
    }
    fn start(&mut self, random: Random) {
        Controller::start(self, random);
    }
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        Controller::on(self, signals, control);
    }
    fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        Controller::on_sent(self, sent, control);
    }
    fn stand(&self) -> Option<Stand> {
        Controller::stand(self)
    }
    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        Controller::estimates(self, tell);
    }
}

impl Clone for Box<dyn Governs> {
    fn clone(&self) -> Box<dyn Governs> {
        (**self).copy()
    }
}
