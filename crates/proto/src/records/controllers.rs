//! Controllers by themselves, in stories drawn once and for all: weather that changes every few dozen events.

use dumbbell_core::config::At;
use dumbbell_core::rng::{Stream, stream};
use dumbbell_core::testing::Record;
use dumbbell_core::{Config, Duration, Time, Value};
use rand::RngExt;

use super::exchange::{LEAVE, run};
use super::scripts::Script;
use super::tcp::router;
use super::{file, scripts, variants};
use crate::controller::{
    AnyController, Class, Control, ControllerSpec, Event, FEEDBACK_UNIT, Needs, Rate, RateSample, Signals,
};
use crate::tcp;
use crate::testing::{opening, read};
use crate::transports::TransportSpec;

const MSS: u64 = 1448;
/// Stories: a seed and a threshold each. In every third windows grow large.
const STORIES: [(u64, u64); 9] = [
    (1, Control::UNLIMITED),
    (2, 30 * MSS),
    (3, Control::UNLIMITED),
    (4, 4 * MSS),
    (5, Control::UNLIMITED),
    (6, Control::UNLIMITED),
    (7, 100 * MSS),
    (8, Control::UNLIMITED),
    (9, 5000 * MSS),
];
/// Events of a story.
const EVENTS: u32 = 1500;
/// Wake-ups between two other events, at most.
const WAKES: usize = 8;
/// Above what any controller asks for.
const LARGEST: u64 = 1 << 33;
/// Nanoseconds between acknowledgements, at most.
const LONGEST_WAIT: f64 = 150e6;

/// What the path and the application are like for a while.
struct Weather {
    /// Nanoseconds of an empty path, and what they change by at each event.
    rtt: f64,
    drift: f64,
    /// Bytes a second.
    rate: f64,
    /// Per event, in thousandths: losses, timeouts, ECN echoes, lost segments, idle times and wake-ups of their own.
    loss: u32,
    timeout: u32,
    echo: u32,
    idle: u32,
    /// Of what is acknowledged, and of a hundred events.
    marked: f64,
    app_limited: u32,
    /// Segments in an acknowledgement, at most.
    stretch: u64,
    feedback: f64,
}

impl Weather {
    /// New weather on a path of `base` nanoseconds.
    fn draw(random: &mut Stream, base: f64) -> Weather {
        let rough = random.random_range(0..4) == 0;
        let few = |random: &mut Stream, most: u32| if rough { random.random_range(0..=most) } else { 0 };
        Weather {
            rtt: base * [1.0, 1.02, 1.05, 1.1, 1.3, 2.0, 4.0][random.random_range(0..7)],
            drift: [0.0, 0.0, 0.01, 0.03, -0.02][random.random_range(0..5)],
            rate: [2e4, 1e5, 1.25e6, 1.25e7, 1.5e7, 1e9][random.random_range(0..6)],
            loss: few(random, 60),
            timeout: few(random, 20),
            echo: few(random, 40),
            idle: few(random, 20),
            marked: [0.0, 0.0, 0.1, 1.0][random.random_range(0..4)],
            app_limited: [0, 0, 5, 100][random.random_range(0..4)],
            stretch: [1, 2, 10, 45][random.random_range(0..4)],
            feedback: [1e5, -1e5, 0.8, 1.4, 0.1][random.random_range(0..5)],
        }
    }

    fn event(&self, random: &mut Stream) -> Event {
        let mut at = random.random_range(0..1000_u32);
        for (share, event) in [
            (self.loss, Event::Loss),
            (self.timeout, Event::Timeout),
            (self.echo, Event::Ecn),
            (self.loss, Event::Lost),
            (self.idle, Event::Idle),
            (self.idle, Event::Restart),
            (self.loss / 2, Event::Undone),
        ] {
            if at < share {
                return event;
            }
            at -= share;
        }
        Event::Ack
    }
}

/// A number as the records have it: none is the largest of 64 bits.
fn or_none(number: u64) -> u64 {
    if number == Control::UNLIMITED { u64::MAX } else { number }
}

/// A connection as a controller sees it.
struct Story<'a> {
    random: Stream,
    signals: Signals,
    control: Control,
    record: &'a mut Record,
    /// True if windows are as large as those of the fastest paths.
    fat: bool,
    /// How much longer acknowledgements take: some controllers remember minutes.
    pace: f64,
    /// Nanoseconds of which all times are multiples, so that many are equal; 0 if they are not.
    grid: u64,
    /// When repair ends, in bytes delivered; 0 if nothing is repaired.
    repaired: u64,
    /// When the round ends, in bytes delivered.
    round_end: u64,
    /// The largest window so far, and how often it was halved or more.
    largest: u64,
    cuts: u32,
}

impl Story<'_> {
    fn new(record: &mut Record, seed: u64, threshold: u64) -> Story<'_> {
        let (window, fat) = (10 * MSS, seed.is_multiple_of(3));
        let signals = Signals {
            growth_limit: if fat { 1_000_000 } else { 2 } * MSS,
            ..Signals::at_start(window, MSS as u32)
        };
        Story {
            random: stream(seed, "story"),
            signals,
            control: Control { window, threshold, ..Control::default() },
            record,
            fat,
            grid: if seed == 8 { 5_000_000 } else { 0 },
            pace: if seed == 5 { 20.0 } else { 1.0 },
            repaired: 0,
            round_end: 0,
            largest: 0,
            cuts: 0,
        }
    }

    /// Tells the controller of an event, and notes its answer.
    fn turn(&mut self, controller: &mut AnyController) {
        let (before, signals) = (self.control.window, &self.signals);
        controller.on(signals, &mut self.control);
        let (control, record) = (&mut self.control, &mut *self.record);
        record.hash(control.window);
        record.hash(or_none(control.threshold));
        record.hash(or_none(control.wake_at.as_nanos()));
        if control.pacing != Control::UNPACED {
            record.float(control.pacing.as_f64());
        }
        if control.request != 0 {
            record.hash(control.request.cast_unsigned());
        }
        if let Some(stand) = controller.stand() {
            record.hash(stand.changes);
            record.hash(stand.round);
            for entered in stand.latest {
                record.text(entered.state);
                record.text(entered.reason);
            }
        }
        control.window = control.window.clamp(MSS, LARGEST);
        self.largest = self.largest.max(control.window);
        self.cuts += u32::from(control.window <= before / 2);
    }

    /// What the controller goes by, at some events: many of them are the same for long.
    fn estimates(&mut self, controller: &AnyController) {
        controller.estimates(&mut |estimate| {
            self.record.text(estimate.name);
            self.record.text(estimate.unit);
            self.record.float(estimate.value);
        });
    }

    /// One event in some weather.
    fn step(&mut self, weather: &mut Weather, controller: &mut AnyController) {
        let event = weather.event(&mut self.random);
        let random = &mut self.random;
        let signals = &mut self.signals;
        weather.rtt = (weather.rtt * (1.0 + weather.drift)).clamp(1e4, 2e9);
        let news = event == Event::Ack;
        // Of large windows acknowledgements tell large parts.
        let most = if self.fat { (self.control.window / MSS / 6).max(1) } else { weather.stretch };
        let segments = random.random_range(1..=most);
        let acked = if news { segments * MSS - random.random_range(0..2) * (MSS / 3) } else { 0 };
        let wait = match event {
            Event::Idle | Event::Restart => random.random_range(1e8..3e9),
            Event::Timeout => 1e9,
            Event::Ack => (acked as f64 / weather.rate * 1e9).min(LONGEST_WAIT) * self.pace,
            _ => 0.0,
        };
        let step = self.grid.max(1);
        let then = signals.now + Duration::from_nanos((wait as u64).next_multiple_of(step));
        // What the controller wants to be woken for comes first.
        for _ in 0..WAKES {
            if self.control.wake_at > then {
                break;
            }
            let due = std::mem::replace(&mut self.control.wake_at, Control::NEVER);
            let signals = &mut self.signals;
            let quiet = Signals { acked: 0, marked: 0, lost: 0, rtt: Duration::ZERO, ..*signals };
            *signals =
                Signals { now: due.max(signals.now), event: Event::Wake, rate: RateSample::NONE, ..quiet };
            self.turn(controller);
        }
        self.signals.now = self.signals.now.max(then);
        self.tell(event, acked, weather, controller);
    }

    fn tell(&mut self, event: Event, acked: u64, weather: &Weather, controller: &mut AnyController) {
        let (random, signals) = (&mut self.random, &mut self.signals);
        let used = if random.random_range(0..100) < weather.app_limited { 0.4 } else { 1.0 };
        signals.event = event;
        signals.acked = acked;
        signals.delivered += acked;
        signals.flight = (self.control.window as f64 * used) as u64;
        signals.window_limited = used == 1.0;
        signals.feedback = if acked > 0 { (weather.feedback * FEEDBACK_UNIT) as i64 } else { 0 };
        let lost = matches!(event, Event::Loss | Event::Timeout | Event::Lost);
        signals.lost = if lost { MSS * random.random_range(1..4) } else { 0 };
        signals.marked = (acked as f64 * weather.marked * random.random_range(0.0..1.0)) as u64;
        signals.repeated =
            matches!(event, Event::Timeout | Event::Lost | Event::Loss) && random.random_range(0..3) == 0;
        if signals.delivered > self.round_end {
            // What a transport counts while the controller hears nothing.
            signals.round += if random.random_range(0..40) == 0 { 17 } else { 1 };
            self.round_end = signals.delivered + signals.flight;
        }
        if matches!(event, Event::Loss | Event::Timeout | Event::Ecn) {
            self.repaired = signals.delivered + signals.flight.max(1);
        }
        if self.repaired > 0 && signals.delivered >= self.repaired && event == Event::Ack {
            signals.event = Event::Recovered;
            // Some repairs end without news.
            signals.acked = if random.random_range(0..4) == 0 { 0 } else { acked };
            self.repaired = 0;
        }
        signals.in_recovery = self.repaired > 0;
        // What comes while losses are repaired lies beyond a hole.
        signals.held = if signals.in_recovery { signals.held + signals.acked } else { 0 };
        signals.rtt = Duration::ZERO;
        signals.rate = RateSample::NONE;
        if acked > 0 && random.random_range(0..20) > 0 {
            let (noise, spread) = (random.random_range(1.0..1.05), random.random_range(0.9..1.1));
            let step = self.grid.max(1);
            let rtt = Duration::from_nanos((weather.rtt * noise) as u64 / step * step);
            let first = signals.min_rtt.is_zero();
            signals.rtt = rtt;
            signals.min_rtt = if first { rtt } else { signals.min_rtt.min(rtt) };
            signals.smoothed_rtt = if first { rtt } else { (signals.smoothed_rtt * 7 + rtt) / 8 };
            let rate = weather.rate * if self.grid > 0 { 1.0 } else { spread };
            let delivered = ((rate * rtt.as_secs_f64()) as u64).clamp(1, signals.delivered);
            let in_flight = signals.flight + acked;
            signals.rate = RateSample {
                rate: Rate::from_f64(rate),
                interval: rtt,
                delivered,
                prior_delivered: signals.delivered - delivered,
                lost: if weather.loss > 0 { MSS * random.random_range(0..5) } else { 0 },
                in_flight,
                packets_in_flight: in_flight.div_ceil(MSS) as u32,
                app_limited: used < 1.0,
                reserved: [0; 3],
            };
        }
        self.turn(controller);
    }
}

/// A story of a controller, as a line.
fn tell(record: &mut Record, spec: &ControllerSpec, seed: u64, threshold: u64) -> String {
    let mut controller = spec.build();
    if spec.needs().any(Needs::RANDOM) {
        controller.start(stream(seed, "controller").into());
    }
    let mut story = Story::new(record, seed, threshold);
    story.turn(&mut controller);
    let bases = [20e6, 0.03e6, 100e6, 2e6, 400e6];
    let base = if seed == 8 { 40e6 } else { bases[seed as usize % bases.len()] };
    let mut weather = Weather::draw(&mut story.random, base);
    for event in 0..EVENTS {
        if event % 60 == 0 {
            // Now and then the way becomes another.
            let far = if event == 900 { 1.5 } else { 1.0 };
            weather = Weather::draw(&mut story.random, base * far);
        }
        story.step(&mut weather, &mut controller);
        if event % 16 == 0 {
            story.estimates(&controller);
        }
    }
    format!(
        "{:.3} s, window {} B, largest {} B, halved {} times",
        story.signals.now.as_secs_f64(),
        story.control.window,
        story.largest,
        story.cuts
    )
}

/// Every controller of the registry, with its parameters as the profile has them.
fn all(profile: &str) -> Vec<ControllerSpec> {
    let read = |name| {
        read::<tcp::Params>(&format!(r#"{{"profile": "{profile}", "controller": "{name}", "ecn": true}}"#))
    };
    ControllerSpec::descriptors().iter().map(|d| read(d.name).controller.registered()).collect()
}

#[test]
fn controllers_answer_as_recorded() {
    let mut record = Record::new(&file("controllers"));
    for profile in ["linux", "rfc"] {
        for spec in all(profile) {
            for (story, threshold) in STORIES {
                let name = format!("{}, {profile}, story {story}", spec.name());
                let figures = tell(&mut record, &spec, story, threshold);
                record.line(&name, &figures);
            }
        }
    }
    record.finish();
}

/// TCP on Linux under a controller.
fn connection(spec: &ControllerSpec) -> TransportSpec {
    let feedback = if spec.needs().any(Needs::SCALABLE) { "accurate" } else { "classic" };
    let table = [("kind", "tcp"), ("profile", "linux"), ("ecn", feedback)];
    let table = table.map(|(key, word)| (key.to_owned(), Value::from(word)));
    let controller = ("controller".to_owned(), spec.to_value());
    let table = Value::Table(table.into_iter().chain([controller]).collect());
    TransportSpec::from_value(&table, &At::root("record")).unwrap()
}

#[test]
fn controllers_with_other_parameters_answer_as_recorded() {
    let mut record = Record::new(&file("controllers-parameters"));
    for descriptor in ControllerSpec::descriptors() {
        for (change, spec) in variants::<ControllerSpec>(descriptor.name, &descriptor.fields, &[]) {
            let mut figures: Vec<String> =
                [1, 3, 5, 8].map(|story| tell(&mut record, &spec, story, Control::UNLIMITED)).into();
            let far = [(scripts::long(), 6_000), (scripts::lossy(), 4_000)];
            let near = [(scripts::near(), 40)];
            let exchanges: &[(Script, u64)] = if spec.class() == Class::Rate { &near } else { &far };
            for (script, end) in exchanges {
                let end = Time::from_nanos(end * 1_000_000);
                let spec = connection(&spec);
                let sums = run(&mut record, &spec, opening(None), script, Some(router()), end, LEAVE);
                figures.push(sums.text());
            }
            record.line(&format!("{}, {change}", spec.name()), &figures.join("; "));
        }
    }
    record.finish();
}
