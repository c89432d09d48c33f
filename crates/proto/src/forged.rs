//! Packets that no end point sends: whatever their headers say, an end point goes on, within bounds of memory and work.

use dumbbell_core::memory::{Budget, Pool};
use dumbbell_core::rng::{Stream, stream};
use dumbbell_core::{BitRate, Duration, Ecn, Packet, Stage, Time};
use rand::RngExt;

use crate::schedule::{Planned, ScheduleSpec};
use crate::testing::{Fate, Pipe, opening, read};
use crate::transport::{Granted, Opening};
use crate::transports::{Receiver, Sender, TransportSpec};

/// Packets that one end may send at one instant: more than any window here holds.
const AT_ONCE: u32 = 20_000;
/// Bytes that both ends may hold: the largest window here. What an end keeps of a segment takes less than its data.
const MOST_BYTES: u64 = 1 << 20;
/// Exchanges of a transport; those that showed faults were among the first 300.
const EXCHANGES: u64 = 300;
/// A hundred years: the end of an exchange.
const LAST: Time = Time::from_nanos(100 * 365 * 86_400_000_000_000);
/// Forged packets of an exchange, and events between two of them at most.
const FORGED: usize = 40;
const BETWEEN: usize = 30;

/// An end whose work is counted.
#[derive(Debug)]
struct Watched<E> {
    end: E,
    /// Packets sent at an instant, and wake-ups.
    at: Time,
    sent: u32,
    wakes: u32,
}

impl<E> Watched<E> {
    fn new(end: E) -> Watched<E> {
        Watched { end, at: Time::ZERO, sent: 0, wakes: 0 }
    }

    fn note(&mut self, now: Time) {
        if now != self.at {
            (self.at, self.sent, self.wakes) = (now, 0, 0);
        }
    }
}

impl<E: Stage> Stage for Watched<E> {
    fn push(&mut self, now: Time, packet: &Packet) {
        self.end.push(now, packet);
    }

    fn pull(&mut self, now: Time) -> Option<Packet> {
        self.note(now);
        self.sent += 1;
        assert!(self.sent < AT_ONCE, "{AT_ONCE} packets leave at {now}");
        self.end.pull(now)
    }

    fn wake(&mut self, now: Time) {
        self.note(now);
        self.wakes += 1;
        assert!(self.wakes < AT_ONCE, "{AT_ONCE} wake-ups at {now}");
        self.end.wake(now);
    }

    fn wake_at(&self) -> Time {
        self.end.wake_at()
    }
}

/// Says which exchange it was if a test fails in the middle of it.
struct Exchange(String);

impl Drop for Exchange {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("exchange: {}", self.0);
        }
    }
}

/// A number for a field that had `value`, of `bits` bits: an extreme, a neighbour, a time, or any.
fn number(random: &mut Stream, value: u64, bits: u32, now: Time) -> u64 {
    let most = u64::MAX >> (64 - bits);
    let any: u64 = random.random();
    let step = any >> random.random_range(32..64);
    let floats = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, 5e-324, 1e300, 1e-3, 1.5e12, 0.01];
    let float = floats[any as usize % floats.len()];
    let chosen = match random.random_range(0..12) {
        0 => 0,
        1 => 1,
        2 => most,
        3 => most - 1,
        4 | 5 => value.wrapping_add(step),
        6 | 7 => value.wrapping_sub(step),
        8 => any >> random.random_range(0..64),
        9 => now.as_nanos().wrapping_add(step),
        10 => now.as_nanos().wrapping_sub(step),
        _ if bits == 32 => u64::from((float as f32).to_bits()),
        _ => float.to_bits(),
    };
    chosen & most
}

/// A forged packet after the model of one that was sent.
fn forge(random: &mut Stream, model: &Packet, now: Time) -> Packet {
    let mut packet = *model;
    if random.random_range(0..4) == 0 {
        packet.flags = number(random, packet.flags.into(), 8, now) as u8;
    }
    if random.random_range(0..3) == 0 {
        packet.aux = number(random, packet.aux.into(), 16, now) as u16;
    }
    if random.random_range(0..3) == 0 {
        packet.size = number(random, packet.size.into(), 16, now) as u16;
    }
    if random.random_range(0..4) == 0 {
        packet.ecn = Ecn::Ce;
    }
    let all = random.random_range(0..6) == 0;
    for word in &mut packet.body {
        if !all && random.random_range(0..3) != 0 {
            continue;
        }
        let (high, low) = (*word >> 32, *word & 0xffff_ffff);
        *word = match random.random_range(0..4) {
            0 => number(random, high, 32, now) << 32 | low,
            1 => high << 32 | number(random, low, 32, now),
            2 => number(random, high, 32, now) << 32 | number(random, low, 32, now),
            _ => number(random, *word, 64, now),
        };
    }
    packet
}

type Ends = Pipe<Watched<Sender>, Watched<Receiver>>;

/// What somebody who looks at the ends reads.
fn look(pipe: &Ends) {
    let (sender, receiver) = (&pipe.sender.end, &pipe.receiver.end);
    sender.report();
    sender.state();
    sender.stand();
    sender.estimates(&mut |_| {});
    receiver.report();
    receiver.transit(pipe.now);
}

/// Exchanges with forged packets in between.
fn survives(name: &str, text: &str, change: fn(&mut Opening)) {
    let spec: TransportSpec = read(text);
    for seed in 0..EXCHANGES {
        let told = Exchange(format!("{name}, seed {seed}"));
        let mut random = stream(seed, "forged");
        let size = [Some(300_000), Some(0), None][seed as usize % 3];
        let replay = Some((0..300).map(|n| (Duration::from_millis(n), 1000)).collect());
        let access = (seed % 2 == 0).then(|| BitRate::from_bps(1_000_000_000));
        let mut opening = Opening { access, replay, ..opening(size) };
        change(&mut opening);
        let budget = Budget::new(&Pool::new(u64::MAX, 1), Time::ZERO).enter();
        let (sender, receiver) = spec.open(opening);
        let ends = (Watched::new(sender), Watched::new(receiver));
        let mut pipe = Pipe::new(ends, |_, _, n| if n % 50 == 20 { Fate::Drop } else { Fate::Pass });
        let forward = seed % 4 != 1;
        let reverse = seed % 4 != 2;
        for _ in 0..FORGED {
            // A header may tell of a time that never comes.
            if pipe.now > LAST {
                break;
            }
            for _ in 0..random.random_range(0..BETWEEN) {
                if pipe.now <= LAST && !pipe.step() {
                    pipe.now += Duration::from_millis(5);
                }
            }
            let now = pipe.now;
            if forward && let Some((_, model)) = pipe.forward.last().copied() {
                let packet = forge(&mut random, &model, now);
                pipe.receiver.push(now, &packet);
                if random.random_range(0..8) == 0 {
                    pipe.receiver.end.notice(now, &packet);
                }
            }
            if reverse && let Some((_, model)) = pipe.reverse.last().or(pipe.forward.last()).copied() {
                let packet = forge(&mut random, &model, now);
                pipe.sender.push(now, &packet);
                if random.random_range(0..8) == 0 {
                    pipe.sender.end.notice(now, &packet);
                    pipe.sender.wake(now);
                }
            }
            look(&pipe);
        }
        let Pipe { sender, receiver, .. } = pipe;
        let with = budget.taken();
        drop((sender, receiver));
        let kept = with - budget.taken();
        assert!(kept < MOST_BYTES, "{kept} bytes are kept");
        drop(told);
    }
}

fn usual(_: &mut Opening) {}

fn granted(opening: &mut Opening) {
    opening.granted = Some(Granted { first: 30_000, largest: 1 << 20, by_credit: false });
}

fn slow(opening: &mut Opening) {
    let schedule: ScheduleSpec = read(r#"{"kind": "rate", "rate": "5Mbit/s", "piece": "3kB"}"#);
    opening.reader = Some(Planned { schedule: schedule.into(), rng: crate::testing::stream() });
}

fn credited(opening: &mut Opening) {
    opening.granted = Some(Granted { first: 0, largest: 1 << 20, by_credit: true });
}

macro_rules! survive {
    ( $( $name:ident: $text:expr, $change:expr; )+ ) => {
        $(
            #[test]
            fn $name() {
                survives(stringify!($name), $text, $change);
            }
        )+
    };
}

survive! {
    tcp: r#"{"kind": "tcp", "receive_window": "1MiB"}"#, usual;
    tcp_of_linux: r#"{"kind": "tcp", "profile": "linux", "receive_window": "1MiB"}"#, usual;
    tcp_of_bsd: r#"{"kind": "tcp", "profile": "bsd", "receive_window": "1MiB"}"#, usual;
    tcp_of_ns2: r#"{"kind": "tcp", "profile": "ns2", "receive_window": "1MiB"}"#, usual;
    tcp_without_sack: r#"{"kind": "tcp", "sack": false, "receive_window": "1MiB"}"#, usual;
    tcp_without_timestamps: r#"{"kind": "tcp", "timestamps": false, "receive_window": "1MiB"}"#, usual;
    tcp_with_accurate_ecn: r#"{"kind": "tcp", "ecn": "accurate", "receive_window": "1MiB"}"#, usual;
    tcp_of_ns2_without_sack: r#"{"kind": "tcp", "profile": "ns2", "sack": false, "receive_window": "1MiB"}"#, usual;
    tcp_of_the_rfcs: r#"{"kind": "tcp", "profile": "rfc", "receive_window": "1MiB"}"#, usual;
    tcp_to_a_slow_reader: r#"{"kind": "tcp", "receive_window": "1MiB"}"#, slow;
    tcp_by_credit: r#"{"kind": "tcp", "receive_window": "1MiB"}"#, credited;
    tcp_with_windows_of_a_host: r#"{"kind": "tcp", "receive_window": "1MiB"}"#, granted;
    rcp: r#""rcp""#, usual;
    rcp_of_ns2: r#"{"kind": "rcp", "compat": "ns2"}"#, usual;
    trump: r#""trump""#, usual;
    tfrc: r#""tfrc""#, usual;
    lttp: r#""lttp""#, usual;
    nada: r#""nada""#, usual;
    cbr: r#""cbr""#, usual;
    poisson: r#""poisson""#, usual;
    on_off: r#""on-off""#, usual;
    replay: r#""replay""#, usual;
}

#[test]
fn tcp_under_every_controller() {
    for descriptor in crate::ControllerSpec::descriptors() {
        let name = descriptor.name;
        let text = |rest: &str| {
            format!(r#"{{"kind": "tcp", "controller": "{name}", "receive_window": "1MiB"{rest}}}"#)
        };
        survives(name, &text(""), usual);
        survives(name, &text(r#", "profile": "linux""#), usual);
    }
}
