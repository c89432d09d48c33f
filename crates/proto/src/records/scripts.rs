//! What happens to the packets of an exchange: each script has a name.

use std::collections::HashMap;

use dumbbell_core::rng::stream;
use dumbbell_core::{BitRate, Duration, Frame, Packet, Time, Way};
use dumbbell_header::TcpHeader;
use rand::RngExt;

use crate::testing::{Fate, ms};

/// A path and what happens on it.
pub struct Script {
    pub name: &'static str,
    pub rate: Option<BitRate>,
    pub rtt: Duration,
    /// Packets that find room before the bottleneck.
    pub room: Option<u64>,
    pub stall: Option<(Time, Time)>,
    /// Makes the fates of the packets of an exchange of so many bytes.
    pub fates: fn(u64) -> Fates,
}

/// Says what happens to a packet.
pub type Fates = Box<dyn FnMut(Way, &Packet, usize) -> Fate>;

fn script(name: &'static str, fates: fn(u64) -> Fates) -> Script {
    let rate = Some(BitRate::from_bps(20_000_000));
    Script { name, rate, rtt: Duration::from_millis(30), room: Some(60), stall: None, fates }
}

fn pass(_: u64) -> Fates {
    Box::new(|_, _, _| Fate::Pass)
}

fn dropped(lost: bool) -> Fate {
    if lost { Fate::Drop } else { Fate::Pass }
}

/// Loses packets by their position on the way forward.
fn lose(which: fn(usize) -> bool) -> Fates {
    Box::new(move |way, _, i| dropped(way == Way::Forward && which(i)))
}

/// Loses the first transmissions of data of TCP: how often each, by its sequence number.
fn lose_data(mut times: impl FnMut(u64) -> u32 + 'static) -> Fates {
    let mut seen: HashMap<u64, u32> = HashMap::new();
    Box::new(move |way, packet, _| {
        let data = way == Way::Forward && packet.size > 100;
        let Some(header) = packet.read::<TcpHeader>().filter(|_| data) else { return Fate::Pass };
        let count = seen.entry(header.number).or_default();
        *count += 1;
        dropped(*count <= times(header.number))
    })
}

/// All kinds of mishaps, drawn once and for all.
fn rough(seed: u64, loss: f64) -> Fates {
    let mut random = stream(seed, "script");
    Box::new(move |way, packet, _| {
        let at: f64 = random.random();
        let late = Duration::from_micros(random.random_range(100..20_000));
        match (at, way) {
            (at, Way::Forward) if at < loss => Fate::Drop,
            (at, Way::Reverse) if at < 2.0 * loss => Fate::Drop,
            (at, _) if at < 0.06 => Fate::Delay(late),
            (at, _) if at < 0.07 => Fate::Twice,
            (at, Way::Forward) if at < 0.09 && packet.ecn().is_capable() => Fate::Mark,
            _ => Fate::Pass,
        }
    })
}

/// A path whose packets overtake each other: this share of them is late.
fn scrambled(seed: u64, late: f64, loss: f64) -> Fates {
    let mut random = stream(seed, "script");
    Box::new(move |way, _, _| {
        let (at, delay): (f64, u64) = (random.random(), random.random_range(0..9_000));
        match way {
            Way::Forward if at < late => Fate::Delay(Duration::from_micros(delay)),
            Way::Forward if at > 1.0 - loss => Fate::Drop,
            Way::Forward if at > 1.0 - loss - 0.02 => Fate::Twice,
            Way::Reverse if at < late / 4.0 => Fate::Delay(Duration::from_micros(delay)),
            _ => Fate::Pass,
        }
    })
}

/// The scripts of every exchange.
pub fn all() -> Vec<Script> {
    let shaped = |script: Script, bps: u64, rtt: u64, room: Option<u64>| Script {
        rate: Some(BitRate::from_bps(bps)),
        rtt: Duration::from_micros(rtt),
        room,
        ..script
    };
    // Without a bottleneck much happens at the same time, and whole parts of round trips later.
    let even = |script: Script| Script { rate: None, rtt: Duration::from_millis(40), room: None, ..script };
    vec![
        script("clean", pass),
        script("one loss", |_| lose(|i| i == 40)),
        script("burst loss", |_| lose(|i| (60..68).contains(&i) || (75..80).contains(&i))),
        script("many holes", |_| lose(|i| (50..150).contains(&i) && i % 4 != 1)),
        script("lost again", |_| lose_data(|n| if (60_000..64_000).contains(&n) { 3 } else { 0 })),
        script("lost tail", |size| lose_data(move |n| u32::from(n + 5000 >= size))),
        script("lost tail twice", |size| lose_data(move |n| if n + 9000 >= size { 2 } else { 0 })),
        script("lost acks", |_| {
            Box::new(|way, _, i| dropped(way == Way::Reverse && (i % 2 == 0 || (40..60).contains(&i))))
        }),
        script("reordered", |_| {
            Box::new(|way, _, i| match (way, i % 9, i % 100) {
                (Way::Forward, 4, _) => Fate::Delay(Duration::from_millis(2)),
                (Way::Forward, _, 50) => Fate::Delay(Duration::from_millis(15)),
                (Way::Reverse, 5, _) => Fate::Delay(Duration::from_millis(3)),
                _ => Fate::Pass,
            })
        }),
        script("twice", |_| {
            Box::new(|_, _, i| if i % 7 == 3 || (90..95).contains(&i) { Fate::Twice } else { Fate::Pass })
        }),
        script("marks", |_| {
            Box::new(|way, packet, i| {
                let marks = i % 40 == 20 || (100..130).contains(&i);
                if way == Way::Forward && packet.ecn().is_capable() && marks {
                    Fate::Mark
                } else {
                    Fate::Pass
                }
            })
        }),
        script("waves of marks", |_| {
            Box::new(|way, packet, i| {
                let marks = packet.ecn().is_capable() && (i / 60 % 3 == 1 || i % 2 == 0 && i / 100 % 2 == 1);
                match (way, i % 70) {
                    (Way::Forward, 69) => Fate::Drop,
                    (Way::Forward, _) if marks => Fate::Mark,
                    _ => Fate::Pass,
                }
            })
        }),
        Script { stall: Some((ms(95.0), ms(3700.0))), ..script("stall", pass) },
        Script { stall: Some((ms(110.0), ms(420.0))), ..script("short stall", |_| lose(|i| i == 90)) },
        script("lost ends", |size| {
            Box::new(move |way, packet, i| {
                let header = packet.read::<TcpHeader>();
                let fin = header.is_some_and(|h| h.flags & TcpHeader::FIN != 0 && h.number >= size.min(1));
                dropped(match way {
                    Way::Forward => i < 2 || fin && i % 3 != 0,
                    Way::Reverse => i < 1 || fin && i % 2 != 0,
                })
            })
        }),
        script("deaf", |_| {
            Box::new(|way, _, i| {
                dropped(match way {
                    Way::Forward => i > 100 && i % 17 == 5,
                    Way::Reverse => (6..16).contains(&i) || (100..160).contains(&i),
                })
            })
        }),
        shaped(script("scrambled", |_| scrambled(4, 0.7, 0.02)), 20_000_000, 20_000, None),
        shaped(script("a little scrambled", |_| scrambled(5, 0.1, 0.0)), 20_000_000, 20_000, Some(50)),
        shaped(script("tight buffer", pass), 10_000_000, 40_000, Some(7)),
        shaped(script("deep buffer", pass), 8_000_000, 10_000, Some(250)),
        even(script("even", pass)),
        even(script("even with holes", |_| lose(|i| i % 23 == 11 || (100..104).contains(&i)))),
        even(script("even and late", |_| {
            Box::new(|way, _, i| match (way, i % 19) {
                (Way::Forward, 3) => Fate::Delay(Duration::from_millis(10)),
                (Way::Forward, 9) => Fate::Delay(Duration::from_millis(20)),
                (Way::Forward, 16) => Fate::Delay(Duration::from_millis(40)),
                (Way::Reverse, 5) => Fate::Delay(Duration::from_millis(40)),
                (Way::Reverse, 11) => Fate::Delay(Duration::from_millis(200)),
                _ => Fate::Pass,
            })
        })),
        shaped(script("rough", |_| rough(1, 0.01)), 50_000_000, 5_000, None),
        shaped(script("very rough", |_| rough(2, 0.05)), 5_000_000, 80_000, Some(40)),
        shaped(script("data centre", |_| rough(3, 0.002)), 1_000_000_000, 100, Some(100)),
    ]
}

/// Losses in bursts, late and marked packets, whole times without any: drawn, and each path another.
fn storm(seed: u64) -> Fates {
    let mut random = stream(seed, "storm");
    let worst = [0.05, 0.15, 0.4, 0.8][seed as usize % 4];
    let (mut left, mut loss) = (40_u32, 0.0);
    Box::new(move |way, packet, _| {
        left = left.saturating_sub(1);
        if left == 0 {
            left = random.random_range(1..50);
            loss = if random.random_range(0..3) == 0 { worst } else { 0.0 };
        }
        let (at, late): (f64, u64) = (random.random(), random.random_range(50..60_000));
        let loss = if way == Way::Forward { loss } else { loss / 2.0 };
        match way {
            _ if at < loss => Fate::Drop,
            _ if at > 0.98 => Fate::Delay(Duration::from_micros(late)),
            _ if at > 0.96 => Fate::Twice,
            Way::Forward if at > 0.93 && packet.ecn().is_capable() => Fate::Mark,
            _ => Fate::Pass,
        }
    })
}

/// Paths on which much goes wrong.
pub fn storms() -> Vec<Script> {
    let of = |name, fates: fn(u64) -> Fates, mbps: u64, ms: u64, room| Script {
        rate: Some(BitRate::from_bps(mbps * 1_000_000)),
        rtt: Duration::from_millis(ms),
        room,
        ..script(name, fates)
    };
    vec![
        of("storm 1", |_| storm(1), 20, 20, None),
        of("storm 2", |_| storm(2), 3, 90, Some(20)),
        of("storm 3", |_| storm(3), 50, 10, Some(40)),
        of("storm 4", |_| storm(4), 10, 40, Some(9)),
        of("storm 5", |_| storm(5), 100, 3, None),
        of("storm 6", |_| storm(6), 8, 200, Some(100)),
        of("storm 7", |_| storm(7), 2, 500, Some(30)),
        of("storm 8", |_| storm(8), 20, 60, None),
    ]
}

/// Nothing arrives any more.
pub fn silence() -> Script {
    script("silence", |_| Box::new(|_, _, i| dropped(i >= 30)))
}

/// A long and slow way, for what takes seconds: rounds of probing, minutes of base delays.
pub fn long() -> Script {
    Script {
        rate: Some(BitRate::from_bps(4_000_000)),
        rtt: Duration::from_millis(20),
        room: Some(30),
        stall: None,
        name: "long",
        fates: |_| Box::new(|way, _, i| dropped(way == Way::Forward && i % 1500 == 1499)),
    }
}

/// A short and fast way, for controllers of data centres.
pub fn near() -> Script {
    Script {
        rate: Some(BitRate::from_bps(2_000_000_000)),
        rtt: Duration::from_micros(40),
        room: Some(150),
        stall: None,
        name: "near",
        fates: |_| {
            Box::new(|way, packet, i| match way {
                Way::Forward if i % 1500 == 1499 => Fate::Drop,
                Way::Forward if i / 64 % 8 == 7 && packet.ecn().is_capable() => Fate::Mark,
                Way::Forward => Fate::Delay(Duration::from_micros(i as u64 / 200 % 5 * 20)),
                Way::Reverse => Fate::Pass,
            })
        },
    }
}

/// A path that loses much for a while, then nothing.
pub fn lossy() -> Script {
    Script {
        rate: Some(BitRate::from_bps(10_000_000)),
        rtt: Duration::from_millis(40),
        room: Some(60),
        stall: None,
        name: "lossy",
        fates: |_| {
            Box::new(|way, _, i| {
                dropped(way == Way::Forward && (i % 47 == 9 || i / 500 % 3 == 2 && i % 16 < 2))
            })
        },
    }
}

/// A path that holds hundreds of segments.
pub fn fat() -> Script {
    Script {
        rate: Some(BitRate::from_bps(100_000_000)),
        rtt: Duration::from_millis(80),
        room: Some(400),
        stall: None,
        name: "fat",
        fates: |_| Box::new(|way, _, i| dropped(way == Way::Forward && i % 8000 == 7999)),
    }
}
