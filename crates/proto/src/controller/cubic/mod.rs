//! CUBIC: the window is a cubic function of the time since the last loss, whatever the round-trip time. As RFC 9438 has it, or
//! as Linux has it.

mod linux;
mod params;
mod rfc;

use self::linux::Linux;
pub use self::params::{Params, Variant};
use self::rfc::Rfc;
use super::contract::{Build, Class, Control, Controller, Signals};

impl Build for Params {
    type Controller = Cubic;

    fn build(&self) -> Cubic {
        match self.variant {
            Variant::Rfc9438 => Cubic::Rfc(Rfc::new(self)),
            Variant::Linux => Cubic::Linux(self.clone(), None),
        }
    }
}

/// The controller.
#[derive(Clone, Debug)]
pub enum Cubic {
    /// That of RFC 9438.
    Rfc(Rfc),
    /// That of Linux; its state from the first event on, so that a connection that waits takes no memory for it.
    Linux(Params, Option<Box<Linux>>),
}

impl Controller for Cubic {
    const CLASS: Class = Class::Window;

    #[inline]
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        match self {
            Cubic::Rfc(cubic) => cubic.on(signals, control),
            Cubic::Linux(params, state) => {
                state.get_or_insert_with(|| Box::new(Linux::new(params))).on(signals, control);
            }
        }
    }
}
