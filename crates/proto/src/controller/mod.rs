//! Congestion controllers. A controller sees one [`Sample`] and writes one [`Control`]; it never sees the connection.
//! The transport clamps, paces and logs.

pub mod cubic;
mod growth;
#[cfg(test)]
mod laws;
pub mod newreno;
pub mod reno;
pub mod tahoe;
pub mod xcp;

use dumbbell_core::{BitRate, Duration, Time};
use dumbbell_header::Exchange;

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Event {
    /// The connection was established; [`Control`] holds the initial window and threshold.
    Start,
    /// Data was acknowledged.
    Ack,
    /// Loss was detected by duplicate acknowledgements or SACK: at most once per window (RFC 5681 section 3.2).
    Loss,
    /// The retransmission timer expired (RFC 5681 equation 4).
    Timeout,
    /// An ECN echo: at most once per window (RFC 3168 section 6.1.2).
    Ecn,
    /// Recovery ended: everything outstanding when it began is acknowledged.
    Recovered,
    /// The connection was idle for longer than the RTO (RFC 5681 section 4.1).
    Idle,
}

/// What a controller may know. All sizes in bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Sample {
    /// Now.
    pub now: Time,
    /// What happened.
    pub event: Event,
    /// True while the transport repairs losses, and on acknowledgements that echo congestion: no time to grow.
    pub in_recovery: bool,
    /// True if the congestion window, not the application or the receiver, limited the sender (RFC 7661).
    pub window_limited: bool,
    /// With [`Event::Timeout`]: the timer had already expired for the same segment (RFC 5681 section 3.1).
    pub repeated: bool,
    /// Largest segment payload.
    pub mss: u32,
    /// The window to start with, and to start again with after an idle time.
    pub initial_window: u64,
    /// Most that one acknowledgement may add in slow start: L segments (RFC 3465 section 2.2).
    pub growth_limit: u64,
    /// Bytes newly acknowledged, cumulatively or selectively.
    pub acked: u64,
    /// Bytes outstanding: before this event if it is a loss, timeout or ECN echo, otherwise after it. Segments of
    /// limited transmit do not count (RFC 3042).
    pub flight: u64,
    /// Bytes acknowledged since the start, cumulatively or selectively.
    pub delivered: u64,
    /// The round-trip time this event measured; zero if none.
    pub rtt: Duration,
    /// Smoothed round-trip time; zero before the first measurement.
    pub smoothed_rtt: Duration,
    /// Smallest round-trip time measured; zero before the first.
    pub min_rtt: Duration,
    /// What routers answered, in the unit of [`Build::exchange`] (XCP: the change of rate granted, in bytes a second); 0
    /// without an answer.
    pub feedback: f64,
}

/// What a controller decides.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Control {
    /// Congestion window in bytes. The transport holds it at one segment or more, and finite.
    pub window: u64,
    /// Slow-start threshold in bytes.
    pub threshold: u64,
    /// Pacing rate; `None` sends as acknowledgements arrive.
    pub pacing: Option<BitRate>,
    /// What data segments ask routers for by [`Build::exchange`] (XCP: a change of rate, in bytes a second); `None` asks
    /// for nothing.
    pub request: Option<f64>,
}

/// How a transport without SACK repairs losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repair {
    /// Starts again from the first byte that is not acknowledged, with the window the controller gives.
    GoBack,
    /// Sends one segment again and ends at the first new acknowledgement (RFC 2581 section 3.2).
    FastRecovery,
    /// Sends one segment again per partial acknowledgement, until the whole window is repaired (RFC 6582).
    PartialAcks,
}

/// A congestion controller.
pub trait Controller {
    /// Answers an event by changing `control`.
    fn on(&mut self, sample: &Sample, control: &mut Control);

    /// How losses are repaired where SACK is not used.
    fn repair(&self) -> Repair {
        Repair::PartialAcks
    }
}

/// What the parameters of a controller provide: the controller.
pub trait Build {
    /// The controller's state, one per connection.
    type Controller: Controller;

    /// A controller for a new connection.
    fn build(&self) -> Self::Controller;

    /// The header in which it asks routers and gets their answers; one of the forward links needs an agent that reads it.
    fn exchange(&self) -> Option<Exchange> {
        None
    }
}

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

            /// See [`Build::exchange`].
            pub fn exchange(&self) -> Option<Exchange> {
                match self { $( ControllerSpec::$variant(p) => p.exchange() ),+ }
            }
        }

        /// Any registered controller, without indirection.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum AnyController { $( $variant(<$params as Build>::Controller) ),+ }

        impl Controller for AnyController {
            #[inline]
            fn on(&mut self, sample: &Sample, control: &mut Control) {
                match self { $( AnyController::$variant(c) => c.on(sample, control) ),+ }
            }

            fn repair(&self) -> Repair {
                match self { $( AnyController::$variant(c) => c.repair() ),+ }
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
}
