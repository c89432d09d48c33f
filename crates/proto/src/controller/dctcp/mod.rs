//! DCTCP: the window shrinks by as much as the network marks.

mod linux;
mod params;
mod rfc;

use self::linux::Linux;
pub use self::params::{Law, Params};
use self::rfc::Rfc;
use super::{Build, Class, Control, Controller, Needs, Signals};

impl Build for Params {
    type Controller = Dctcp;

    fn build(&self) -> Dctcp {
        match self.law {
            Law::Rfc => Dctcp::Rfc(Rfc::new(self)),
            Law::Linux => Dctcp::Linux(Linux::new(self)),
        }
    }

    fn wants(&self) -> Needs {
        match self.law {
            Law::Rfc => Dctcp::NEEDS,
            Law::Linux => Dctcp::NEEDS.and(Needs::CUTS),
        }
    }
}

/// The controller.
#[derive(Clone, Debug)]
pub enum Dctcp {
    /// That of RFC 8257.
    Rfc(Rfc),
    /// That of Linux.
    Linux(Linux),
}

impl Controller for Dctcp {
    const CLASS: Class = Class::Window;
    const NEEDS: Needs = Needs::ECHOES;

    #[inline]
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        match self {
            Dctcp::Rfc(dctcp) => dctcp.on(signals, control),
            Dctcp::Linux(dctcp) => dctcp.on(signals, control),
        }
    }
}
