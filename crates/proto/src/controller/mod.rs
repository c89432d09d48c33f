//! Congestion controllers. At each event a controller reads [`Signals`] and writes a [`Control`]; it never sees the
//! connection. The transport limits what the controller asks for, paces and logs. Both are plain C structs of the crate
//! `dumbbell-cc`; a library may hold a controller in another language ([`Library`]), and byte code one of the user's own
//! ([`Compiled`]).

pub mod avoidance;
pub mod bbr;
pub mod bbr3;
pub mod bic;
mod compiled;
pub(crate) mod contract;
pub mod copa;
pub mod cubic;
pub mod dcqcn;
pub mod dctcp;
mod extreme;
pub mod growth;
pub mod highspeed;
pub mod hpcc;
pub mod htcp;
pub mod hybla;
mod hystart;
pub mod illinois;
#[cfg(test)]
mod laws;
pub mod ledbat;
pub mod ledbat_plus_plus;
mod library;
mod native;
pub mod newreno;
pub mod prague;
#[cfg(test)]
pub mod probe;
mod rate;
pub mod reno;
pub mod scalable;
mod states;
pub mod swift;
pub mod tahoe;
pub mod timely;
#[cfg(target_os = "linux")]
mod unnamed;
pub mod vegas;
pub mod westwood;
pub mod westwood_plus;
pub mod xcp;
pub mod yeah;

pub use compiled::{Compiled, Governed, absurd_windows, note_window};
pub(crate) use library::exchange;
pub use library::{BUDGET, Foreign, Library};
pub use native::{ENTRIES, Native};

use dumbbell_core::registry;

pub(crate) use contract::{ACCOUNT, SENDING};
pub use contract::{
    Build, Class, Control, Controller, Entered, Estimate, Event, Needs, Random, Rate, RateSample, Repair,
    Sent, Signals, Stand,
};
pub use contract::{FEEDBACK_UNIT, LARGEST_WINDOW};

registry! {
    /// A congestion controller and its parameters.
    pub enum ControllerSpec in "controller" as Build {
        Tahoe(tahoe::Params),
        Reno(reno::Params),
        NewReno(newreno::Params),
        Cubic(cubic::Params),
        Xcp(xcp::Params),
        Dctcp(dctcp::Params),
        Vegas(vegas::Params),
        Bbr(bbr::Params),
        Swift(swift::Params),
        Timely(timely::Params),
        Dcqcn(dcqcn::Params),
        Hpcc(hpcc::Params),
        Westwood(westwood::Params),
        WestwoodPlus(westwood_plus::Params),
        HighSpeed(highspeed::Params),
        Htcp(htcp::Params),
        Illinois(illinois::Params),
        Scalable(scalable::Params),
        Yeah(yeah::Params),
        Hybla(hybla::Params),
        Bic(bic::Params),
        Bbr3(bbr3::Params),
        Copa(copa::Params),
        Ledbat(ledbat::Params),
        LedbatPlusPlus(ledbat_plus_plus::Params),
        Prague(prague::Params),
    }

    /// Any controller, without indirection but for one that is not built in.
    #[derive(Clone, Debug)]
    pub enum AnyController [] = Controller or Box<dyn contract::Governs>, whichever!($);

    build() or own => own.open();
}

impl AnyController {
    /// Answers an event by changing `control`.
    #[inline]
    pub fn on(&mut self, signals: &Signals, control: &mut Control) {
        whichever!(self, c => c.on(signals, control));
    }

    /// How it stands, if it has states of its own.
    pub fn stand(&self) -> Option<Stand> {
        whichever!(self, c => c.stand())
    }

    /// Tells what it goes by.
    pub fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        whichever!(self, c => c.estimates(tell));
    }

    /// Gives it a random stream, before the first event.
    pub fn start(&mut self, random: Random) {
        whichever!(self, c => c.start(random));
    }

    /// Its words, if it is a law.
    pub fn words_mut(&mut self) -> Option<&mut [i64]> {
        match self {
            AnyController::Own(own) => own.words_mut(),
            _ => None,
        }
    }

    /// Answers a segment that leaves by changing `control`.
    pub fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        whichever!(self, c => c.on_sent(sent, control));
    }
}
