//! What a controller reads, what it writes, and what it declares.

use alloc::boxed::Box;

use crate::declare::{CType, c_enum, c_struct};
use crate::{Duration, Needs, Random, Rate, Time};

c_enum! {
    /// What happened.
    pub enum Event as "event" {
        /// The connection was established; the control holds the initial window and threshold.
        Start = 0 as "START",
        /// Data was acknowledged.
        Ack = 1 as "ACK",
        /// Loss was detected: at most once per window (RFC 5681 section 3.2).
        Loss = 2 as "LOSS",
        /// The retransmission timer expired (RFC 5681 equation 4).
        Timeout = 3 as "TIMEOUT",
        /// An ECN echo: at most once per window (RFC 3168 section 6.1.2). Controllers that need every echo
        /// (`Needs::ECHOES`) read `Signals::marked` instead.
        Ecn = 4 as "ECN",
        /// A repair of losses ended: everything outstanding when it began is acknowledged. `Signals::acked` has what this
        /// event acknowledges. A controller that must hear of every end asks by `Needs::REPAIRS`; without it a transport may
        /// send `Event::Ack` alone.
        Recovered = 5 as "RECOVERED",
        /// Sending begins again after a time with nothing outstanding that the transport finds long (RFC 5681 section 4.1:
        /// longer than the timeout). The transport has the last word on the window of a `Class::Window`.
        Idle = 6 as "IDLE",
        /// The time that `Control::wake_at` named has come.
        Wake = 7 as "WAKE",
        /// A segment was found lost, after `Event::Loss` or `Event::Timeout` if that is news: `Signals::lost` has its
        /// bytes, and `Signals::rate` what was noted when it was sent. Only with `Needs::LOSSES`.
        Lost = 8 as "LOST",
        /// Nothing was lost after all: the transport takes its latest repair back (RFC 3522, RFC 3708, RFC 5682). Only with
        /// `Needs::REPAIRS`, from transports that notice.
        Undone = 9 as "UNDONE",
        /// Sending begins again, before the first segment, with nothing in the network: nothing is outstanding, or all of it
        /// was found lost. `Signals::flight` has what is outstanding, and `app_limited` of `Signals::rate` tells whether the
        /// application had too little to send. Only with `Needs::RESTARTS`.
        Restart = 10 as "RESTART",
    }
}

impl CType for Event {
    const NAME: &'static str = "uint8_t";
}

impl CType for RateSample {
    const NAME: &'static str = "struct dumbbell_rate_sample";
}

c_struct! {
    /// A delivery-rate sample (draft-cheng-iccrg-delivery-rate-estimation-02 section 3): how fast the network delivered
    /// between the departure of a packet and its acknowledgement.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct RateSample as "rate_sample" {
        /// Delivery rate; 0 if the event gives no valid one.
        pub rate: Rate,
        /// Time over which it was measured: the longer of the times in which the data was sent and acknowledged.
        pub interval: Duration,
        /// Bytes delivered in this time.
        pub delivered: u64,
        /// Bytes that had been delivered when the packet left.
        pub prior_delivered: u64,
        /// Bytes found lost since the packet left.
        pub lost: u64,
        /// Bytes in flight when the packet left, with it.
        pub in_flight: u64,
        /// Packets in flight when the packet left, with it.
        pub packets_in_flight: u32,
        /// True if the application had too little to send at that time: the network may be faster than the rate.
        pub app_limited: bool,
        /// Zero.
        pub reserved: [u8; 3],
    }
}

impl RateSample {
    /// No sample.
    pub const NONE: RateSample = RateSample {
        rate: Rate::ZERO,
        interval: Duration::ZERO,
        delivered: 0,
        prior_delivered: 0,
        lost: 0,
        in_flight: 0,
        packets_in_flight: 0,
        app_limited: false,
        reserved: [0; 3],
    };
}

c_struct! {
    /// What a controller may know of an event.
    #[derive(Clone, Copy, Debug)]
    pub struct Signals as "signals" {
        /// Now.
        pub now: Time,
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
        /// Those of them beyond a hole: acknowledged selectively, and not yet in order.
        pub held: u64,
        /// When the next packet may leave at the pacing rate; now or earlier if it may now, or if the transport does not pace.
        pub departs_at: Time,
        /// The round-trip time this event measured; zero if none. With `Needs::RATES`, that of the segment sent last.
        pub rtt: Duration,
        /// Smoothed round-trip time; zero before the first measurement.
        pub smoothed_rtt: Duration,
        /// Smallest round-trip time measured; zero before the first.
        pub min_rtt: Duration,
        /// What routers answered, in units of 2^-20 of what their header says: with XCP the change of rate granted, in bytes
        /// a second; with HPCC the use of the busiest link, where 1 is all of it. 0 without an answer. Only with
        /// `Needs::ROUTERS`.
        pub feedback: i64,
        /// Bytes found lost since the last event, those lost again included; 0 unless `Needs::RATES`, `Needs::ECHOES` or
        /// `Needs::WAKE`. With `Needs::LOSSES` only `Event::Lost` tells of them.
        pub lost: u64,
        /// Those of the acknowledged bytes that arrived marked; 0 unless `Needs::ECHOES`.
        pub marked: u64,
        /// Round trips counted by packets: one more when something sent after the last count is acknowledged; 0 unless
        /// `Needs::RATES`.
        pub round: u64,
        /// The delivery rate; no sample unless `Needs::RATES`.
        pub rate: RateSample,
        /// Largest segment payload.
        pub mss: u32,
        /// What happened.
        pub event: Event,
        /// True while losses are repaired, and on acknowledgements that echo congestion: no time to grow. A transport may
        /// spare a `Class::Model` the latter.
        pub in_recovery: bool,
        /// True if the congestion window, not the application or the receiver, limited the sender (RFC 7661).
        pub window_limited: bool,
        /// With `Event::Timeout`: the timer had already expired for the same segment (RFC 5681 section 3.1). With
        /// `Event::Loss`: the segment had been sent again already; only with `Needs::RATES`. With `Event::Lost`: the
        /// segment before it in the stream was the one found lost before it, so that they are one range.
        pub repeated: bool,
    }
}

impl Signals {
    /// Those of a flow that starts with a window, in bytes: nothing has happened yet.
    pub const fn at_start(window: u64, mss: u32) -> Signals {
        Signals {
            now: Time::ZERO,
            initial_window: window,
            growth_limit: 2 * mss as u64,
            acked: 0,
            flight: 0,
            delivered: 0,
            held: 0,
            departs_at: Time::ZERO,
            rtt: Duration::ZERO,
            smoothed_rtt: Duration::ZERO,
            min_rtt: Duration::ZERO,
            feedback: 0,
            lost: 0,
            marked: 0,
            round: 0,
            rate: RateSample::NONE,
            mss,
            event: Event::Start,
            in_recovery: false,
            window_limited: false,
            repeated: false,
        }
    }
}

c_struct! {
    /// A segment that leaves: only with `Needs::SENT`.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Sent as "sent" {
        /// Now.
        pub now: Time,
        /// Bytes outstanding, with it.
        pub flight: u64,
        /// Its bytes.
        pub bytes: u32,
        /// True if it was sent before.
        pub again: bool,
        /// Zero.
        pub reserved: [u8; 3],
    }
}

c_struct! {
    /// What a controller decides. It keeps its values from event to event.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Control as "control" {
        /// Congestion window in bytes. The transport holds it at one segment or more, and below 2^40. To send less than one
        /// segment per round trip, lower `pacing`.
        pub window: u64,
        /// Slow-start threshold in bytes; `Control::UNLIMITED` if there is none.
        pub threshold: u64,
        /// Pacing rate of the stream, headers not counted; `Control::UNPACED` sends as acknowledgements arrive. Only with
        /// `Needs::PACING`; without it the transport may pace, and shows its rate here.
        pub pacing: Rate,
        /// When the transport calls again, once, with `Event::Wake`; `Control::NEVER` if not. Only with `Needs::WAKE`.
        pub wake_at: Time,
        /// What data segments ask routers for: with XCP a change of rate in bytes a second, with HPCC the round-trip time of
        /// the empty network in nanoseconds. Only with `Needs::ROUTERS`.
        pub request: i64,
        /// Bytes that leave together, before the pause that they take at the pacing rate. 0 leaves it to the transport: one
        /// segment, or as many as the host hands over at once. Only with `Needs::PACING`.
        pub quantum: u64,
    }
}

impl Control {
    /// No pacing.
    pub const UNPACED: Rate = Rate::UNLIMITED;
    /// No slow-start threshold (RFC 5681 section 3.1: arbitrarily high): the largest signed number.
    pub const UNLIMITED: u64 = i64::MAX as u64;
    /// No wake-up: the largest signed number.
    pub const NEVER: Time = Time::from_nanos(i64::MAX as u64);
}

impl Default for Control {
    fn default() -> Control {
        Control {
            window: 0,
            threshold: Control::UNLIMITED,
            pacing: Control::UNPACED,
            wake_at: Control::NEVER,
            request: 0,
            quantum: 0,
        }
    }
}

c_enum! {
    /// What moves the window of a controller. Each class has laws of its own.
    pub enum Class as "class" {
        /// Acknowledgements open it, losses, marks or delays close it.
        Window = 0 as "CLASS_WINDOW",
        /// It follows from a model of the path: a rate, a round-trip time.
        Model = 1 as "CLASS_MODEL",
        /// Routers open and close it.
        Router = 2 as "CLASS_ROUTER",
        /// It follows a rate that delays, marks or telemetry move in steps, as in data centres; below one segment the rate
        /// alone counts.
        Rate = 3 as "CLASS_RATE",
    }
}

c_enum! {
    /// How a transport without SACK repairs losses.
    pub enum Repair as "repair" {
        /// Sends one segment again per partial acknowledgement, until the whole window is repaired (RFC 6582).
        PartialAcks = 0 as "PARTIAL_ACKS",
        /// Sends one segment again and ends at the first new acknowledgement (RFC 2581 section 3.2).
        FastRecovery = 1 as "FAST_RECOVERY",
        /// Starts again from the first byte that is not acknowledged, with the window the controller gives.
        GoBack = 2 as "GO_BACK",
    }
}

c_enum! {
    /// The header in which a law in a library asks routers. At least one link of the path needs a router that reads it.
    pub enum Exchange as "exchange" {
        /// It asks nothing.
        None = 0 as "EXCHANGE_NONE",
        /// That of XCP (Katabi, Handley & Rohrs, SIGCOMM 2002).
        Xcp = 1 as "EXCHANGE_XCP",
        /// That of HPCC (Li et al., SIGCOMM 2019).
        Hpcc = 2 as "EXCHANGE_HPCC",
    }
}

/// A state that a controller has entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Entered {
    /// Its name.
    pub state: &'static str,
    /// Why, in a word.
    pub reason: &'static str,
}

/// How a controller stands, for who records it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stand {
    /// How many states it has entered, if it counts them.
    pub changes: u32,
    /// The last of them, the one it is in first: one event may lead through several.
    pub latest: [Entered; Stand::LATEST],
    /// Round trips so far, as it counts them; 0 if it does not.
    pub round: u64,
}

impl Stand {
    /// States that are remembered: BBR passes through three at most at one event.
    pub const LATEST: usize = 4;

    /// In a state, of a controller that does not count.
    pub fn of(state: &'static str) -> Stand {
        let entered = Entered { state, reason: "" };
        Stand {
            changes: 0,
            latest: [entered, Entered::default(), Entered::default(), Entered::default()],
            round: 0,
        }
    }

    /// What it has entered since it stood as `before`, the first first.
    pub fn since(&self, before: Option<&Stand>) -> impl Iterator<Item = Entered> + '_ {
        let news = match before {
            Some(before) if self.changes == before.changes => usize::from(self.latest != before.latest),
            Some(before) => (self.changes - before.changes) as usize,
            None => 1,
        };
        self.latest[..news.min(Stand::LATEST)].iter().rev().copied()
    }
}

/// A value that a controller goes by, for who records it. It decides nothing, so it is a real number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Its name in the reference of the controller.
    pub name: &'static str,
    /// Its unit; empty for a number.
    pub unit: &'static str,
    /// The value; infinite without a bound.
    pub value: f64,
}

/// A congestion controller in Rust.
pub trait Controller {
    /// What moves the window.
    const CLASS: Class;
    /// What it needs of the transport.
    const NEEDS: Needs = Needs::NOTHING;
    /// How losses are repaired where SACK is not used.
    const REPAIR: Repair = Repair::PartialAcks;

    /// Receives a random stream that no other component draws from, before the first event. Only with [`Needs::RANDOM`].
    fn start(&mut self, random: Random) {
        let _ = random;
    }

    /// Answers an event by changing `control`.
    fn on(&mut self, signals: &Signals, control: &mut Control);

    /// Answers a segment that leaves by changing `control`. Only with [`Needs::SENT`].
    fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        let _ = (sent, control);
    }

    /// How it stands, if it has states of its own.
    fn stand(&self) -> Option<Stand> {
        None
    }

    /// Tells what it takes the path for, and what else it goes by. Without a bound, a value is infinite.
    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        let _ = tell;
    }
}

/// One with much state lies in a box, so that connections under other controllers stay small.
impl<C: Controller> Controller for Box<C> {
    const CLASS: Class = C::CLASS;
    const NEEDS: Needs = C::NEEDS;
    const REPAIR: Repair = C::REPAIR;

    fn start(&mut self, random: Random) {
        (**self).start(random);
    }

    #[inline]
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        (**self).on(signals, control);
    }

    fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        (**self).on_sent(sent, control);
    }

    fn stand(&self) -> Option<Stand> {
        (**self).stand()
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        (**self).estimates(tell);
    }
}
