//! The contract of controllers is the crate `dumbbell-cc`. Here is what only this project adds to it.

pub use dumbbell_cc::{
    Class, Control, Controller, Entered, Estimate, Event, Needs, Random, Rate, RateSample, Repair, Sent,
    Signals, Stand,
};
use dumbbell_header::Exchange;

/// What the parameters of a controller provide: the controller.
pub trait Build {
    /// The controller's state, one per connection.
    type Controller: Controller;

    /// The header in which data segments carry what it asks of routers, and from which their answer comes. Only with
    /// [`Needs::ROUTERS`].
    const EXCHANGE: Option<&'static Exchange> = None;

    /// Slow start adds no more for an acknowledgement than `Signals::growth_limit`. A law of windows.
    #[cfg(test)]
    const LIMITED_START: bool = true;
    /// The threshold after congestion is what the path was measured to hold, not a part of what is outstanding (RFC 5681
    /// equation 4). A law of windows does not hold then.
    #[cfg(test)]
    const REMEMBERS_PATH: bool = false;

    /// A controller for a new connection.
    fn build(&self) -> Self::Controller;
}

/// Needs for which the transport has to keep an account of acknowledgements.
pub const ACCOUNT: Needs = Needs::RATES.and(Needs::ECHOES).and(Needs::WAKE);
/// Needs that concern what is sent.
pub const SENDING: Needs = ACCOUNT.and(Needs::ROUTERS).and(Needs::PACING).and(Needs::SENT);
/// One in the unit of `Signals::feedback`.
pub const FEEDBACK_UNIT: f64 = (1_u64 << Rate::SHIFT) as f64;
