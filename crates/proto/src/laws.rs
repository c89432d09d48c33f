//! Laws of controllers: what holds for all, and for those of a class, whatever happens to them. For the tests of controllers, here
//! and in other crates.
//!
//! A [`Story`] is a generated connection. [`judge`] tells stories to new controllers and names the first law that one breaks;
//! [`alike`] compares two forms of one controller, such as that in C and that in Rust.

use std::fmt;
use std::ops::Range;

use dumbbell_core::Duration;

use crate::controller::contract::{FEEDBACK_UNIT, Governs, Open};
use crate::controller::{
    AnyController, Build, Class, Compiled, Control, Event, LARGEST_WINDOW, Needs, Random, Rate, RateSample,
    Signals,
};

/// Bytes of a segment in stories.
pub const MSS: u64 = 1000;

/// What a controller of windows declares in addition to its class.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// Slow start adds no more for an acknowledgement than `Signals::growth_limit`.
    pub limited_start: bool,
    /// The threshold after congestion is what the path was measured to hold, not a part of what is outstanding.
    pub remembers_path: bool,
}

impl Default for Declared {
    fn default() -> Declared {
        Declared { limited_start: true, remembers_path: false }
    }
}

/// What a controller declares, and how it answers.
#[derive(Debug)]
pub struct Subject {
    /// The class whose laws hold; `None`: those of all alone.
    pub class: Option<Class>,
    /// What it needs of the transport.
    pub needs: Needs,
    /// What it declares in addition to its class.
    pub declared: Declared,
    /// The controller.
    pub controller: AnyController,
}

impl Subject {
    /// A controller of a class.
    pub fn new(class: Class, needs: Needs, controller: Box<dyn Governs>) -> Subject {
        Subject {
            class: Some(class),
            needs,
            declared: Declared::default(),
            controller: AnyController::Own(controller),
        }
    }

    /// A law as byte code.
    pub fn compiled(law: &Compiled) -> Subject {
        Subject::new(law.program.class, law.program.needs, Box::new(law.build()))
    }

    /// The controller that parameters build.
    pub fn of<P: Build>(params: &P) -> Subject {
        Subject::new(Open::class(params), Open::needs(params), params.open())
    }
}

/// Makes new controllers of one kind.
pub type Make<'a> = &'a dyn Fn() -> Subject;

/// An event and what is new with it.
#[derive(Clone, Debug)]
pub struct Step {
    /// What happens.
    pub event: Event,
    /// Bytes acknowledged.
    pub acked: u64,
    /// The part of them that was marked.
    pub marked: f64,
    /// As much as this part of them was lost.
    pub lost: f64,
    /// As `Signals` has it.
    pub in_recovery: bool,
    /// As `Signals` has it.
    pub window_limited: bool,
    /// As `Signals` has it.
    pub repeated: bool,
    /// As `Signals` has it.
    pub app_limited: bool,
    /// Whether it begins a round trip.
    pub new_round: bool,
    /// The part of the window that is outstanding.
    pub used: f64,
    /// The time since the event before.
    pub wait: Duration,
    /// The round-trip time measured; none if zero.
    pub rtt: Duration,
    /// Delivery rate in bytes a second; none below 1000.
    pub rate: f64,
    /// Change of rate that routers granted, in bytes a second.
    pub feedback: f64,
}

/// Draws from a random stream.
struct Draws(Random);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0.draw() % end
    }

    fn part(&mut self) -> f64 {
        (self.0.draw() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    fn step(&mut self) -> Step {
        const WEIGHTS: [(Event, u64); 10] = [
            (Event::Ack, 20),
            (Event::Loss, 2),
            (Event::Timeout, 1),
            (Event::Ecn, 1),
            (Event::Recovered, 1),
            (Event::Idle, 1),
            (Event::Wake, 2),
            (Event::Lost, 4),
            (Event::Undone, 1),
            (Event::Restart, 1),
        ];
        let mut at = self.below(WEIGHTS.iter().map(|(_, weight)| weight).sum());
        let drawn = WEIGHTS.iter().find(|(_, weight)| {
            let found = at < *weight;
            at = at.saturating_sub(*weight);
            found
        });
        Step {
            event: drawn.map_or(Event::Ack, |(event, _)| *event),
            acked: 1 + self.below(100_000),
            marked: self.part(),
            lost: self.part(),
            in_recovery: self.coin(),
            window_limited: self.coin(),
            repeated: self.coin(),
            app_limited: self.coin(),
            new_round: self.coin(),
            used: self.part(),
            wait: Duration::from_nanos(self.below(2_000_000_000)),
            rtt: Duration::from_nanos(if self.coin() { 20_000 + self.below(2_000_000_000) } else { 0 }),
            rate: 10_f64.powf(2.0 + 7.0 * self.part()),
            feedback: 2e9 * self.part() - 1e9,
        }
    }
}

/// A connection and what happens to it.
#[derive(Clone, Debug)]
pub struct Story {
    /// Its initial window in segments.
    pub initial: u64,
    /// Its slow-start threshold in bytes.
    pub threshold: u64,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

impl Story {
    /// The story of a number: the same each time.
    pub fn drawn(seed: u64) -> Story {
        let mut draws = Draws(Random::of(seed));
        let initial = 1 + draws.below(49);
        let threshold = if draws.coin() { Control::UNLIMITED } else { 1 + draws.below(100_000) };
        let steps = 1 + draws.below(199);
        Story { initial, threshold, steps: (0..steps).map(|_| draws.step()).collect() }
    }

    /// What a controller decides at each event.
    pub fn answers(&self, subject: &mut Subject) -> Vec<Control> {
        let mut answers = Vec::new();
        self.told_to(subject, |turn| answers.push(turn.after));
        answers
    }
}

/// One event of a story: what the controller received, and its control before and after.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// What the controller received.
    pub signals: Signals,
    /// Its control before.
    pub before: Control,
    /// Its control after.
    pub after: Control,
}

impl Story {
    /// Tells the story to a controller.
    pub fn told_to(&self, subject: &mut Subject, mut each: impl FnMut(&Turn)) {
        let window = self.initial * MSS;
        let mut control = Control { window, threshold: self.threshold, ..Control::default() };
        let mut signals = Signals::at_start(window, MSS as u32);
        let mut turn = |signals: Signals, control: &mut Control| {
            let before = *control;
            subject.controller.on(&signals, control);
            each(&Turn { signals, before, after: *control });
            control.window = control.window.clamp(MSS, LARGEST_WINDOW);
        };
        turn(signals, &mut control);
        for step in &self.steps {
            let news = matches!(step.event, Event::Ack | Event::Recovered);
            let acked = if news { step.acked } else { 0 };
            signals.now += step.wait;
            signals.event = step.event;
            signals.acked = acked;
            signals.delivered += acked;
            signals.flight = (control.window as f64 * step.used) as u64;
            signals.feedback = (step.feedback * FEEDBACK_UNIT) as i64;
            signals.lost = (step.acked as f64 * step.lost) as u64;
            signals.marked = (acked as f64 * step.marked) as u64;
            signals.round += u64::from(news && step.new_round);
            signals.in_recovery = step.in_recovery;
            signals.window_limited = step.window_limited;
            signals.repeated = step.repeated && step.event == Event::Timeout;
            signals.rtt = if news { step.rtt } else { Duration::ZERO };
            if !signals.rtt.is_zero() {
                let first = signals.min_rtt.is_zero();
                signals.min_rtt = if first { step.rtt } else { signals.min_rtt.min(step.rtt) };
                signals.smoothed_rtt =
                    if first { step.rtt } else { (signals.smoothed_rtt * 7 + step.rtt) / 8 };
            }
            signals.rate = RateSample::NONE;
            if news && step.rate >= 1000.0 {
                let delivered = ((step.rate * step.rtt.as_secs_f64()) as u64).min(signals.delivered);
                signals.rate = RateSample {
                    rate: Rate::from_f64(step.rate),
                    interval: step.rtt,
                    delivered,
                    prior_delivered: signals.delivered - delivered,
                    lost: signals.lost,
                    in_flight: signals.flight + acked,
                    packets_in_flight: (signals.flight + acked).div_ceil(MSS) as u32,
                    app_limited: step.app_limited,
                    reserved: [0; 3],
                };
            }
            turn(signals, &mut control);
        }
    }
}

/// A law that a controller has broken.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The law, in words.
    pub law: &'static str,
    /// Where it broke; nowhere if the whole story shows it.
    pub turn: Option<Box<Turn>>,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.law)?;
        match &self.turn {
            Some(turn) => write!(f, "\n{:?}\n{:?}\n{:?}", turn.signals, turn.before, turn.after),
            None => Ok(()),
        }
    }
}

type Law = Result<(), Broken>;

/// Fails with the words `law` if a condition does not hold.
fn holds(condition: bool, law: &'static str, turn: &Turn) -> Law {
    if condition { Ok(()) } else { Err(Broken { law, turn: Some(Box::new(*turn)) }) }
}

/// What every controller obeys.
fn sane(needs: Needs, turn: &Turn) -> Law {
    let Turn { signals, before, after } = turn;
    holds(after.window >= 1 && after.window < LARGEST_WINDOW, "the window stays finite", turn)?;
    holds(after.pacing > Rate::ZERO, "the pacing rate is above zero", turn)?;
    let unpaced = after.pacing == Control::UNPACED;
    holds(needs.any(Needs::PACING) || unpaced, "only a controller that says so paces", turn)?;
    holds(
        needs.any(Needs::ROUTERS) || after.request == 0,
        "only a controller that says so asks routers",
        turn,
    )?;
    let new = after.wake_at != before.wake_at;
    holds(!new || after.wake_at > signals.now, "a wake-up lies in the future", turn)?;
    holds(needs.any(Needs::WAKE) || !new, "only a controller that says so is woken", turn)
}

/// What controllers obey whose window acknowledgements open and losses close (RFC 5681 section 3.1).
fn window_law(declared: Declared, delayed: bool, turn: &Turn) -> Law {
    let Turn { signals, before, after } = turn;
    match signals.event {
        Event::Loss | Event::Timeout | Event::Ecn => {
            holds(after.window <= before.window.max(2 * MSS), "congestion opens no window", turn)?;
            if signals.repeated {
                holds(
                    after.threshold == before.threshold,
                    "a timer that expires again keeps the threshold",
                    turn,
                )?;
            } else {
                let flight = signals.flight.max(2 * MSS);
                let most = if declared.remembers_path { u64::MAX } else { flight };
                holds(
                    (2 * MSS..=most).contains(&after.threshold),
                    "the threshold is a part of what was outstanding",
                    turn,
                )?;
            }
            let one = signals.event != Event::Timeout || after.window == MSS;
            holds(one, "a timeout leaves one segment", turn)
        }
        Event::Ack => {
            // Marks that are counted one by one, and delays, close the window on acknowledgements.
            let marked = signals.marked > 0 || delayed;
            holds(after.window >= before.window || marked, "an acknowledgement closes no window", turn)?;
            holds(
                after.threshold == before.threshold || marked,
                "an acknowledgement keeps the threshold",
                turn,
            )?;
            let still = signals.in_recovery || !signals.window_limited;
            holds(
                !still || after.window <= before.window,
                "the window grows only when it is the limit",
                turn,
            )?;
            let slow = before.window < before.threshold;
            let limit = before.window + signals.growth_limit;
            let limited = slow && declared.limited_start;
            holds(!limited || after.window <= limit, "slow start adds no more than its limit", turn)
        }
        Event::Idle => holds(after.window <= before.window, "an idle time opens no window", turn),
        Event::Recovered => {
            let most = before.window.max(before.threshold);
            holds(after.window <= most, "recovery ends with the threshold at most", turn)
        }
        _ => Ok(()),
    }
}

/// What controllers obey that follow the feedback of routers.
fn router_law(turn: &Turn) -> Law {
    let Turn { signals, before, after } = turn;
    match signals.event {
        Event::Ack | Event::Recovered => {
            let less = after.window >= before.window || signals.feedback < 0;
            holds(less, "only routers close the window", turn)?;
            let more = after.window <= before.window + 1 || signals.feedback > 0;
            holds(more, "only routers open the window", turn)
        }
        Event::Loss | Event::Timeout | Event::Ecn => {
            holds(after.window <= before.window.max(2 * MSS), "congestion opens no window", turn)
        }
        _ => holds(after.window <= before.window, "only routers open the window", turn),
    }
}

/// What controllers obey that move a rate in steps.
fn rate_law(turn: &Turn) -> Law {
    let Turn { signals, before, after } = turn;
    if matches!(signals.event, Event::Loss | Event::Timeout | Event::Ecn | Event::Idle) {
        holds(after.pacing <= before.pacing, "neither congestion nor an idle time raises a rate", turn)?;
        let window = before.window.max(MSS);
        holds(after.window <= window, "neither congestion nor an idle time opens a window", turn)?;
    }
    Ok(())
}

/// The largest rate and the longest round-trip time that a controller has seen.
#[derive(Default)]
struct Seen {
    rate: f64,
    rtt: f64,
}

impl Seen {
    /// True if round trips have taken longer than the shortest.
    fn delayed(&mut self, turn: &Turn) -> bool {
        self.rtt = self.rtt.max(turn.signals.rtt.as_secs_f64());
        self.rtt > turn.signals.min_rtt.as_secs_f64()
    }
}

/// What controllers obey that follow a model: the factors of BBR are at most 2.89, and its window has room for what
/// acknowledgements gather in 100 ms (draft-ietf-ccwg-bbr).
fn model_law(turn: &Turn, seen: &mut Seen) -> Law {
    let Turn { signals, after, .. } = turn;
    let shortest = if signals.min_rtt.is_zero() { 1e-3 } else { signals.min_rtt.as_secs_f64() };
    // Linux counts whole segments.
    let sample = signals.rate;
    let whole = sample.delivered.div_ceil(signals.mss.into()) * u64::from(signals.mss);
    let rate = sample.rate.as_f64() * (whole as f64 / sample.delivered.max(1) as f64).max(1.0);
    seen.rate = seen.rate.max(rate).max(signals.initial_window as f64 / shortest.max(1e-6));
    seen.rtt = seen.rtt.max(signals.rtt.as_secs_f64());
    let paced = after.pacing == Control::UNPACED || after.pacing.as_f64() <= 3.0 * seen.rate;
    holds(paced, "the pacing rate is at most three times the largest rate seen", turn)?;
    let most = 3.0 * seen.rate * (seen.rtt + 0.1) + (signals.initial_window + 8 * MSS) as f64;
    holds(
        after.window as f64 <= most,
        "the window is at most three times what the path was seen to hold",
        turn,
    )
}

/// Holds a controller to the laws of all and to those of its class, in one story.
///
/// # Errors
/// The first law that it breaks.
pub fn obeys(make: Make<'_>, story: &Story) -> Result<(), Broken> {
    let mut subject = make();
    let (class, needs, declared) = (subject.class, subject.needs, subject.declared);
    let (mut law, mut seen, mut answers) = (Ok(()), Seen::default(), Vec::new());
    story.told_to(&mut subject, |turn| {
        answers.push(turn.after);
        if law.is_ok() {
            law = sane(needs, turn).and_then(|()| match class {
                Some(Class::Window) => {
                    window_law(declared, needs.any(Needs::RATES) && seen.delayed(turn), turn)
                }
                Some(Class::Model) => model_law(turn, &mut seen),
                Some(Class::Router) => router_law(turn),
                Some(Class::Rate) => rate_law(turn),
                None => Ok(()),
            });
        }
    });
    law?;
    let again = story.answers(&mut make());
    let alike = answers == again;
    if alike { Ok(()) } else { Err(Broken { law: "the same events give the same answers", turn: None }) }
}

/// Holds a controller to its laws in drawn stories.
///
/// # Errors
/// The first law that it breaks, with the number of the story.
pub fn judge(make: Make<'_>, stories: Range<u64>) -> Result<(), (u64, Broken)> {
    stories.into_iter().try_for_each(|seed| obeys(make, &Story::drawn(seed)).map_err(|broken| (seed, broken)))
}

/// Compares two forms of one controller in drawn stories: the number of the first in which they decide otherwise.
pub fn alike(a: Make<'_>, b: Make<'_>, mut stories: Range<u64>) -> Option<u64> {
    stories.find(|seed| {
        let story = Story::drawn(*seed);
        story.answers(&mut a()) != story.answers(&mut b())
    })
}
