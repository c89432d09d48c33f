//! Power control of a port: which rate it is set to, and when it sleeps. One file for each policy, one line each in
//! [`policies!`].
//!
//! A policy decides; the [`Port`] does what every policy has in common: the pause of a transition, the guard between two,
//! the packet in transmission, waking, and the exact account of time in each state. Both are sans-IO state machines.

#[macro_use]
mod adaptation;
pub mod alr;
pub mod buffer_and_burst;
pub mod fixed;
mod ledger;
mod model;
pub mod multi_both;
pub mod multi_up;
mod port;
pub mod practra;
pub mod predictor;
mod rates;
mod shaper;
pub mod sleep_and_scale;
mod sleeper;

#[cfg(test)]
mod laws;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{BitRate, Duration, Time, Validate, Value, config, words};

pub use ledger::{Ledger, Span, State};
pub use model::{Below, Model, PausePower, Scaling};
pub use port::{Moment, Port};
pub use rates::{Grid, Rates, Spacing};
pub use shaper::Shaper;
pub use sleeper::Placement;

words! {
    /// From when the guard counts.
    pub enum GuardFrom {
        /// The moment a transition is granted.
        Start = "start",
        /// The end of its pause.
        End = "end",
    }
}

words! {
    /// What becomes of the packet in transmission when the rate changes.
    pub enum InService {
        /// It ends at the old rate, then the port pauses.
        Finish = "finish",
        /// The port pauses at once; the rest of the packet follows at the new rate.
        Hold = "hold",
    }
}

words! {
    /// The rate that the port begins with.
    pub enum Start { Highest = "highest", Lowest = "lowest" }
}

config! {
    /// Power control of one direction of a link.
    pub struct Power {
        /// What decides.
        policy: PolicySpec = "practra", "Panarello et al., e-Energy 2012, section 2";
        /// The rates of the port: a list, or a grid below the link's rate.
        rates: Rates = rates::ten_levels(), "Panarello et al., e-Energy 2012, section 3: 1 to 10 Mb/s in steps of 1";
        /// Time after each change of the rate in which nothing is sent.
        pause: Duration = "2ms", "Panarello et al., e-Energy 2012, section 3";
        /// Least time between two changes of the rate.
        guard: Duration = "16ms", "Panarello et al., e-Energy 2012, section 3";
        /// What the guard counts from: `start` of a transition, or `end` of its pause.
        guard_from: GuardFrom = "start", "choice: the reading under which the rate of transitions is at most 1/guard";
        /// Time to wake from sleep, in which nothing is sent.
        wake: Duration = "1ms", "Nedevschi et al., NSDI 2008, from memory";
        /// The packet in transmission when the rate changes: `finish` it at the old rate before the pause, or `hold` it
        /// until after the pause.
        in_service: InService = "finish", "choice: a serialiser cannot change its clock inside a frame";
        /// The rate at the start, and the first value of a predictor: `highest` or `lowest`.
        start: Start = "highest", "choice: a port that has not been controlled runs at full rate";
        /// Power in each state.
        model: Model = Value::table(), "see its fields";
    }
}

impl Validate for Power {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.guard < self.pause {
            return Err(at.key("guard").error(
                format!("{} is shorter than the pause of {}", self.guard, self.pause),
                "make `guard` longer or `pause` shorter",
            ));
        }
        self.policy.check(self, &at.key("policy"))
    }
}

impl Power {
    /// Checks what depends on the link that the table at `at` stands in.
    ///
    /// # Errors
    /// Rates that a link of this rate does not have.
    pub fn check(&self, link: BitRate, at: &At<'_>) -> Result<(), ConfigError> {
        self.rates.check(link, &at.key("rates"))
    }

    /// The period of the upstream shaper, if the policy has one.
    pub fn shaping(&self) -> Option<Duration> {
        self.policy.shaping()
    }
}

/// What a policy may know of its port when it is made.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Number of rates.
    pub levels: usize,
    /// The level at the start.
    pub level: usize,
    /// Its rate, in bits per second.
    pub rate: f64,
    /// Time in which nothing is sent after a change of the rate.
    pub pause: Duration,
    /// Time to wake from sleep.
    pub wake: Duration,
}

/// What a policy sees of its port when it decides.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The rates in bits per second, lowest first.
    pub rates: &'a [f64],
    /// The level that the port is set to, or is changing to.
    pub level: usize,
    /// Bits waiting, and the unsent rest of the packet in transmission.
    pub backlog: f64,
    /// True if nothing waits and nothing is in transmission.
    pub empty: bool,
    /// True if the port sleeps.
    pub asleep: bool,
    /// When this began: being empty, or else having something to send.
    pub since: Time,
}

/// What a policy wants of its port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// To be awake at this level.
    Level(usize),
    /// To sleep. Asked of an empty port only.
    Sleep,
}

/// A power policy.
pub trait Policy {
    /// A packet of `size` bytes arrived; `accepted` says whether the queue took it.
    fn arrived(&mut self, now: Time, size: u32, accepted: bool) {
        let _ = (now, size, accepted);
    }

    /// A decision moment: an arrival, a departure that empties the port, the end of a pause, of waking or of the guard, or
    /// the time that `wake_at` named.
    fn decide(&mut self, now: Time, view: &View<'_>) -> Target;

    /// The next decision moment of the policy's own, after `now`, if nothing else happens before.
    fn wake_at(&self, now: Time, view: &View<'_>) -> Time {
        let _ = (now, view);
        Time::NEVER
    }

    /// True if every departure is a decision moment, not only one that empties the port.
    fn watches_departures(&self) -> bool {
        false
    }

    /// The arrival rate predicted at `now`, in bits per second, by a policy that predicts it.
    fn predicted(&self, now: Time) -> Option<f64> {
        let _ = now;
        None
    }
}

/// The parameters of a policy.
trait PolicyParams {
    /// The state machine.
    type Machine: Policy;

    /// The machine at the start.
    fn build(&self, context: Context) -> Self::Machine;

    /// Checks the parameters, which stand at `at`, against those of the port.
    fn check(&self, port: &Power, at: &At<'_>) -> Result<(), ConfigError> {
        let _ = (port, at);
        Ok(())
    }

    /// The period of the shaper one hop upstream, if the policy asks for one.
    fn shaping(&self) -> Option<Duration> {
        None
    }
}

/// Registers the policies: `Variant(module)` gives the name in scenarios, the parameters with their defaults, dispatch,
/// and the law tests.
macro_rules! policies {
    ($( $variant:ident($module:ident) ),+ $(,)?) => {
        dumbbell_core::registry! {
            /// A power policy with its parameters.
            pub enum PolicySpec in "power policy" { $( $variant($module::Params) ),+ }
        }

        /// Any registered policy.
        #[derive(Clone, Debug)]
        enum AnyPolicy { $( $variant(<$module::Params as PolicyParams>::Machine) ),+ }

        impl PolicySpec {
            fn build(&self, context: Context) -> AnyPolicy {
                match self { $( PolicySpec::$variant(p) => AnyPolicy::$variant(p.build(context)) ),+ }
            }

            fn check(&self, port: &Power, at: &At<'_>) -> Result<(), ConfigError> {
                match self { $( PolicySpec::$variant(p) => p.check(port, at) ),+ }
            }

            fn shaping(&self) -> Option<Duration> {
                match self { $( PolicySpec::$variant(p) => p.shaping() ),+ }
            }

            /// Every registered policy with its default parameters.
            pub fn all_defaults() -> Vec<PolicySpec> {
                vec![ $( PolicySpec::$variant(Default::default()) ),+ ]
            }
        }

        impl Policy for AnyPolicy {
            #[inline]
            fn arrived(&mut self, now: Time, size: u32, accepted: bool) {
                match self { $( AnyPolicy::$variant(p) => p.arrived(now, size, accepted) ),+ }
            }
            #[inline]
            fn decide(&mut self, now: Time, view: &View<'_>) -> Target {
                match self { $( AnyPolicy::$variant(p) => p.decide(now, view) ),+ }
            }
            #[inline]
            fn wake_at(&self, now: Time, view: &View<'_>) -> Time {
                match self { $( AnyPolicy::$variant(p) => p.wake_at(now, view) ),+ }
            }
            #[inline]
            fn watches_departures(&self) -> bool {
                match self { $( AnyPolicy::$variant(p) => p.watches_departures() ),+ }
            }
            fn predicted(&self, now: Time) -> Option<f64> {
                match self { $( AnyPolicy::$variant(p) => p.predicted(now) ),+ }
            }
        }
    };
}

policies! {
    Fixed(fixed),
    PractRa(practra),
    MultiUp(multi_up),
    MultiBoth(multi_both),
    Alr(alr),
    BufferAndBurst(buffer_and_burst),
    SleepAndScale(sleep_and_scale),
}
