//! What a controller is told, what it answers, and what it declares.

use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, Time};
use dumbbell_header::Exchange;

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Event {
    /// The connection was established; [`Control`] holds the initial window and threshold.
    Start = 0,
    /// Data was acknowledged.
    Ack = 1,
    /// Loss was detected by duplicate acknowledgements or SACK: at most once per window (RFC 5681 section 3.2).
    Loss = 2,
    /// The retransmission timer expired (RFC 5681 equation 4).
    Timeout = 3,
    /// An ECN echo: at most once per window (RFC 3168 section 6.1.2). Controllers that need every echo
    /// ([`Needs::echoes`]) read [`Signals::marked`] instead.
    Ecn = 4,
    /// Recovery ended: everything outstanding when it began is acknowledged. Where losses are found by time, only with
    /// [`Needs::repairs`], and after a timeout too.
    Recovered = 5,
    /// The connection was idle for longer than the RTO (RFC 5681 section 4.1). Where losses are found by time, it comes after
    /// every time in which nothing was outstanding, and the transport sets the window.
    Idle = 6,
    /// The time that [`Control::wake_at`] named has come.
    Wake = 7,
    /// A segment was found lost, after [`Event::Loss`] or [`Event::Timeout`] if that is news: [`Signals::lost`] has its bytes, and
    /// [`Signals::rate`] what was noted when it was sent. Only with [`Needs::losses`].
    Lost = 8,
    /// Nothing was lost after all: the transport takes its latest repair back (RFC 3522, RFC 3708, RFC 5682). Only with
    /// [`Needs::repairs`], where losses are found by time.
    Undone = 9,
    /// Sending begins again, before the first segment, with nothing outstanding; `app_limited` of [`Signals::rate`] tells whether
    /// the application had too little to send. Only with [`Needs::restarts`].
    Restart = 10,
}

/// A delivery-rate sample (draft-cheng-iccrg-delivery-rate-estimation-02 section 3): how fast the network delivered
/// between the departure of a packet and its acknowledgement. Sizes in bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct RateSample {
    /// Delivery rate in bytes a second; 0 if the event gives no valid one.
    pub rate: f64,
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
    /// True if the application had too little to send at that time: the network may be faster than `rate`.
    pub app_limited: bool,
    /// Zero.
    pub reserved: [u8; 3],
}

impl RateSample {
    /// No sample.
    pub const NONE: RateSample = RateSample {
        rate: 0.0,
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

/// What a controller may know of an event. All sizes in bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Signals {
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
    /// The round-trip time this event measured; zero if none. With [`Needs::rates`], that of the segment sent last.
    pub rtt: Duration,
    /// Smoothed round-trip time; zero before the first measurement.
    pub smoothed_rtt: Duration,
    /// Smallest round-trip time measured; zero before the first.
    pub min_rtt: Duration,
    /// What routers answered, in the unit of [`Needs::exchange`] (XCP: the change of rate granted, in bytes a second); 0
    /// without an answer.
    pub feedback: f64,
    /// Bytes found lost since the last event, those lost again included; 0 unless [`Needs::rates`],
    /// [`Needs::echoes`] or [`Needs::wake`]. With [`Needs::losses`] only [`Event::Lost`] tells of them.
    pub lost: u64,
    /// Those of `acked` that arrived marked; 0 unless [`Needs::echoes`].
    pub marked: u64,
    /// Round trips counted by packets: one more when something sent after the last count is acknowledged; 0 unless
    /// [`Needs::rates`].
    pub round: u64,
    /// The delivery rate; [`RateSample::NONE`] unless [`Needs::rates`].
    pub rate: RateSample,
    /// Largest segment payload.
    pub mss: u32,
    /// What happened.
    pub event: Event,
    /// True while the transport repairs losses, and on acknowledgements that echo congestion: no time to grow. Of a
    /// [`Class::Model`], where losses are found by time, just the former.
    pub in_recovery: bool,
    /// True if the congestion window, not the application or the receiver, limited the sender (RFC 7661).
    pub window_limited: bool,
    /// With [`Event::Timeout`]: the timer had already expired for the same segment (RFC 5681 section 3.1). With
    /// [`Event::Loss`]: the segment had been sent again already; only with [`Needs::rates`]. With [`Event::Lost`]: the segment before
    /// it in the stream was the one found lost before it, so that they are one range.
    pub repeated: bool,
}

/// What a controller decides.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Control {
    /// Congestion window in bytes. The transport holds it at one segment or more, and finite: who wants less sends single
    /// segments at a `pacing` rate below one in a round-trip time.
    pub window: u64,
    /// Slow-start threshold in bytes.
    pub threshold: u64,
    /// Pacing rate of the stream, headers not counted, in bytes a second; [`Control::UNPACED`] sends as
    /// acknowledgements arrive. Only with [`Needs::pacing`]; without it the transport may pace, and shows its rate here.
    pub pacing: f64,
    /// When the transport calls again, once, with [`Event::Wake`]; [`Time::NEVER`] if not. Only with [`Needs::wake`].
    pub wake_at: Time,
    /// What data segments ask routers for (XCP: a change of rate, in bytes a second). Only with [`Needs::exchange`].
    pub request: f64,
}

impl Control {
    /// No pacing.
    pub const UNPACED: f64 = f64::INFINITY;
    /// No slow-start threshold (RFC 5681 section 3.1: arbitrarily high).
    pub const UNLIMITED: u64 = u64::MAX;
}

impl Default for Control {
    fn default() -> Control {
        Control {
            window: 0,
            threshold: Control::UNLIMITED,
            pacing: Control::UNPACED,
            wake_at: Time::NEVER,
            request: 0.0,
        }
    }
}

/// What a controller needs of the transport besides sums. What it does not ask for is not kept and costs nothing.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// A record of every segment in flight: [`Signals::rate`], `round` and `lost`, a round-trip time with every
    /// acknowledgement, and an [`Event::Ack`] for everything acknowledged selectively or by a duplicate.
    pub rates: bool,
    /// The ECN echo of every acknowledgement: the receiver echoes the marks themselves (RFC 8257 section 3.2), and
    /// [`Signals::marked`] counts them.
    pub echoes: bool,
    /// Without SACK, losses are also shown by the first duplicate, and by the first two acknowledgements after a retransmission, of
    /// a segment older than a timeout of exact round-trip times. Only with `rates`.
    pub fine_timeouts: bool,
    /// [`Control::pacing`] is obeyed.
    pub pacing: bool,
    /// [`Control::wake_at`] is obeyed.
    pub wake: bool,
    /// [`Event::Lost`] for every segment found lost. Only with `rates`.
    pub losses: bool,
    /// How every repair of losses ends: by [`Event::Recovered`] or by [`Event::Undone`].
    pub repairs: bool,
    /// [`Event::Restart`].
    pub restarts: bool,
    /// Random numbers: [`Controller::seeded`] is called before anything else.
    pub random: bool,
    /// All data segments carry ECT(1), those sent again too: what shares a queue with them may tell that they answer to many marks (RFC
    /// 9331 section 4.1). Feedback is accurate ECN unless the scenario says otherwise.
    pub scalable: bool,
    /// The header in which data segments carry [`Control::request`] to routers, and from which [`Signals::feedback`] brings
    /// their answer; one of the forward links needs an agent that reads it.
    pub exchange: Option<&'static Exchange>,
}

impl Needs {
    /// Nothing but sums.
    pub const NOTHING: Needs = Needs {
        rates: false,
        echoes: false,
        fine_timeouts: false,
        pacing: false,
        wake: false,
        losses: false,
        repairs: false,
        restarts: false,
        random: false,
        scalable: false,
        exchange: None,
    };

    /// True if it needs nothing of what is sent.
    pub(crate) const fn is_nothing(&self) -> bool {
        !(self.rates || self.echoes || self.pacing || self.wake || self.exchange.is_some())
    }

    /// True if the transport has to keep an account of acknowledgements.
    pub(crate) const fn account(self) -> bool {
        self.rates || self.echoes || self.wake
    }
}

/// What moves the window of a controller. Each class has laws of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Acknowledgements open it, losses, marks or delays close it.
    Window,
    /// It follows from a model of the path: a rate, a round-trip time.
    Model,
    /// Routers open and close it.
    Router,
    /// It follows a rate that delays, marks or telemetry move in steps, as in data centres; below one segment the rate alone counts.
    Rate,
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

/// A value that a controller goes by, for who records it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Its name in the reference of the controller.
    pub name: &'static str,
    /// Its unit; empty for a number.
    pub unit: &'static str,
    /// The value; infinite without a bound.
    pub value: f64,
}

/// A congestion controller.
pub trait Controller {
    /// What moves the window.
    const CLASS: Class;
    /// What it needs of the transport.
    const NEEDS: Needs = Needs::NOTHING;
    /// How losses are repaired where SACK is not used.
    const REPAIR: Repair = Repair::PartialAcks;
    /// Slow start adds no more for an acknowledgement than [`Signals::growth_limit`]. A law of windows.
    const LIMITED_START: bool = true;
    /// The threshold after congestion is what the path was measured to hold, not a part of what is outstanding (RFC 5681
    /// equation 4). A law of windows does not hold then.
    const REMEMBERS_PATH: bool = false;

    /// Answers an event by changing `control`.
    fn on(&mut self, signals: &Signals, control: &mut Control);

    /// How it stands, if it has states of its own.
    fn stand(&self) -> Option<Stand> {
        None
    }

    /// Tells what it takes the path for, and what else it goes by. Without a bound, a value is infinite.
    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        let _ = tell;
    }

    /// Gives it a random stream that no other component draws from, before the first event. Only with [`Needs::random`].
    fn seeded(&mut self, random: Stream) {
        let _ = random;
    }
}

/// One with much state lies in a box, so that connections under other controllers stay small.
impl<C: Controller> Controller for Box<C> {
    const CLASS: Class = C::CLASS;
    const NEEDS: Needs = C::NEEDS;
    const REPAIR: Repair = C::REPAIR;
    const LIMITED_START: bool = C::LIMITED_START;
    const REMEMBERS_PATH: bool = C::REMEMBERS_PATH;

    #[inline]
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        (**self).on(signals, control);
    }

    fn stand(&self) -> Option<Stand> {
        (**self).stand()
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        (**self).estimates(tell);
    }

    fn seeded(&mut self, random: Stream) {
        (**self).seeded(random);
    }
}

/// What the parameters of a controller provide: the controller.
pub trait Build {
    /// The controller's state, one per connection.
    type Controller: Controller;

    /// A controller for a new connection.
    fn build(&self) -> Self::Controller;
}
