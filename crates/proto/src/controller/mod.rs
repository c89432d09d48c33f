//! Congestion controllers. At each event a controller reads [`Signals`] and writes a [`Control`]; it never sees the
//! connection. The transport limits what the controller asks for, paces and logs. Both are plain C structs:
//! `controller.h` declares them for other languages.

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

use dumbbell_core::rng::Stream;

pub use contract::{
    Build, Class, Control, Controller, Entered, Estimate, Event, Needs, RateSample, Repair, Signals, Stand,
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

            /// How losses are repaired where SACK is not used.
            pub fn repair(&self) -> Repair {
                match self { $( ControllerSpec::$variant(_) => <$params as Build>::Controller::REPAIR ),+ }
            }
        }

        #[cfg(test)]
        impl ControllerSpec {
            /// See [`Controller::LIMITED_START`].
            pub fn limited_start(&self) -> bool {
                match self { $( ControllerSpec::$variant(_) => <$params as Build>::Controller::LIMITED_START ),+ }
            }

            /// See [`Controller::REMEMBERS_PATH`].
            pub fn remembers_path(&self) -> bool {
                match self { $( ControllerSpec::$variant(_) => <$params as Build>::Controller::REMEMBERS_PATH ),+ }
            }
        }

        /// Any registered controller, without indirection.
        #[derive(Clone, Debug)]
        #[allow(missing_docs, reason = "the name says it; what it names has a page")]
        pub enum AnyController {
            $( $variant(<$params as Build>::Controller), )+
            #[cfg(test)]
            Probe(probe::Probe),
        }

        impl AnyController {
            /// Answers an event by changing `control`.
            #[inline]
            pub fn on(&mut self, signals: &Signals, control: &mut Control) {
                match self {
                    $( AnyController::$variant(c) => c.on(signals, control), )+
                    #[cfg(test)]
                    AnyController::Probe(c) => c.on(signals, control),
                }
            }

            /// How it stands, if it has states of its own.
            pub fn stand(&self) -> Option<Stand> {
                match self {
                    $( AnyController::$variant(c) => c.stand(), )+
                    #[cfg(test)]
                    AnyController::Probe(_) => None,
                }
            }

            /// Tells what it goes by.
            pub fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
                match self {
                    $( AnyController::$variant(c) => c.estimates(tell), )+
                    #[cfg(test)]
                    AnyController::Probe(_) => {}
                }
            }

            /// Gives it a random stream, before the first event.
            pub fn seeded(&mut self, random: Stream) {
                match self {
                    $( AnyController::$variant(c) => c.seeded(random), )+
                    #[cfg(test)]
                    AnyController::Probe(c) => c.seeded(random),
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
