//! Congestion controllers. At each event a controller reads [`Signals`] and writes a [`Control`]; it never sees the
//! connection. The transport limits what the controller asks for, paces and logs. Both are plain C structs of the crate
//! `dumbbell-cc`; a library may hold a controller in another language ([`Library`]).

mod avoidance;
pub mod bbr;
pub mod bbr3;
pub mod bic;
mod contract;
pub mod copa;
pub mod cubic;
pub mod dcqcn;
pub mod dctcp;
mod extreme;
mod growth;
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
pub mod newreno;
pub mod prague;
#[cfg(test)]
pub mod probe;
mod rate;
pub mod reno;
pub mod scalable;
pub mod swift;
pub mod tahoe;
pub mod timely;
pub mod vegas;
pub mod westwood;
pub mod westwood_plus;
pub mod xcp;
pub mod yeah;

pub use library::{BUDGET, Foreign, Library};

use dumbbell_header::Exchange;

pub(crate) use contract::{ACCOUNT, FEEDBACK_UNIT, SENDING};
pub use contract::{
    Build, Class, Control, Controller, Entered, Estimate, Event, Needs, Random, Rate, RateSample, Repair,
    Sent, Signals, Stand,
};

/// Declares the controllers. One line each: `Variant(module::Params)`, where the parameters implement [`Build`].
macro_rules! controllers {
    ( $( $variant:ident($params:ty) ),+ $(,)? ) => {
        dumbbell_core::registry! {
            /// A congestion controller and its parameters.
            pub enum ControllerSpec in "controller" { $( $variant($params) ),+ }
        }

        impl ControllerSpec {
            /// A controller for a new connection.
            pub fn build(&self) -> AnyController {
                match self { $( ControllerSpec::$variant(p) => AnyController::$variant(p.build()) ),+ }
            }

            /// What moves the window.
            pub fn class(&self) -> Class {
                match self { $( ControllerSpec::$variant(_) => <$params as Build>::Controller::CLASS ),+ }
            }

            /// What it needs of the transport.
            pub fn needs(&self) -> Needs {
                match self { $( ControllerSpec::$variant(_) => <$params as Build>::Controller::NEEDS ),+ }
            }

            /// The header in which it asks routers.
            pub fn exchange(&self) -> Option<&'static Exchange> {
                match self { $( ControllerSpec::$variant(_) => <$params as Build>::EXCHANGE ),+ }
            }

            /// How losses are repaired where SACK is not used.
            pub fn repair(&self) -> Repair {
                match self { $( ControllerSpec::$variant(_) => <$params as Build>::Controller::REPAIR ),+ }
            }
        }

        #[cfg(test)]
        impl ControllerSpec {
            /// See [`Build::LIMITED_START`].
            pub fn limited_start(&self) -> bool {
                match self { $( ControllerSpec::$variant(_) => <$params as Build>::LIMITED_START ),+ }
            }

            /// See [`Build::REMEMBERS_PATH`].
            pub fn remembers_path(&self) -> bool {
                match self { $( ControllerSpec::$variant(_) => <$params as Build>::REMEMBERS_PATH ),+ }
            }
        }

        /// Any registered controller, without indirection.
        #[derive(Clone, Debug)]
        #[allow(missing_docs, reason = "the name says it; what it names has a page")]
        pub enum AnyController {
            $( $variant(<$params as Build>::Controller), )+
            Library(Foreign),
            #[cfg(test)]
            Probe(probe::Probe),
        }

        impl AnyController {
            /// Answers an event by changing `control`.
            #[inline]
            pub fn on(&mut self, signals: &Signals, control: &mut Control) {
                match self {
                    $( AnyController::$variant(c) => c.on(signals, control), )+
                    AnyController::Library(c) => c.on(signals, control),
                    #[cfg(test)]
                    AnyController::Probe(c) => c.on(signals, control),
                }
            }

            /// How it stands, if it has states of its own.
            pub fn stand(&self) -> Option<Stand> {
                match self {
                    $( AnyController::$variant(c) => c.stand(), )+
                    AnyController::Library(_) => None,
                    #[cfg(test)]
                    AnyController::Probe(_) => None,
                }
            }

            /// Tells what it goes by.
            pub fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
                match self {
                    $( AnyController::$variant(c) => c.estimates(tell), )+
                    AnyController::Library(_) => {}
                    #[cfg(test)]
                    AnyController::Probe(_) => {}
                }
            }

            /// Gives it a random stream, before the first event.
            pub fn start(&mut self, random: Random) {
                match self {
                    $( AnyController::$variant(c) => c.start(random), )+
                    AnyController::Library(c) => c.start(&random),
                    #[cfg(test)]
                    AnyController::Probe(c) => c.start(random),
                }
            }

            /// Answers a segment that leaves by changing `control`.
            pub fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
                match self {
                    $( AnyController::$variant(c) => c.on_sent(sent, control), )+
                    AnyController::Library(c) => c.on_sent(sent, control),
                    #[cfg(test)]
                    AnyController::Probe(_) => {}
                }
            }
        }
    };
}

controllers! {
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
