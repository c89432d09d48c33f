//! TCP over a pipe: every profile, every parameter changed alone, every controller, applications that write and read.

use std::sync::Arc;

use dumbbell_core::rng::stream;
use dumbbell_core::testing::Record;
use dumbbell_core::{Frame, Packet, Stage, Time, Value, Way};
use dumbbell_header::{HpccHeader, SourceQuench, XcpHeader};

use super::exchange::{LEAVE, Meddle, Router, Sums, credits, grants, run};
use super::scripts::{self, Script};
use super::{file, variants};
use crate::controller::{Class, ControllerSpec};
use crate::schedule::Planned;
use crate::testing::{Pipe, opening, read};
use crate::transport::{Granted, Opening};
use crate::transports::{Receiver, Sender, TransportSpec};

/// Bytes of an exchange: not a whole number of segments.
const SIZE: u64 = 400_123;
/// An exchange that is still under way is cut off.
const END: Time = Time::from_nanos(4_000_000_000_000);

/// An application that writes bursts, and one that writes small pieces.
const BURSTS: &str =
    r#"{"kind": "on-off", "rate": "6Mbit/s", "piece": "3kB", "mean_on": "60ms", "mean_off": "400ms"}"#;
const STEADY: &str = r#"{"kind": "rate", "rate": "2Mbit/s", "piece": "700B"}"#;

/// Connections that differ in how they repair losses, in marks and in clocks.
const KINDS: [(&str, &str); 25] = [
    ("linux", r#""profile": "linux""#),
    ("linux 6.1", r#""profile": "linux-6.1""#),
    ("linux reno", r#""profile": "linux", "controller": "newreno""#),
    ("linux, paced", r#""profile": "linux", "pacing": "linux""#),
    ("linux, capped", r#""profile": "linux", "pacing": "linux", "max_pacing_rate": "3Mbit/s""#),
    ("linux, no sack", r#""profile": "linux", "sack": false"#),
    ("linux, no timestamps", r#""profile": "linux", "timestamps": false"#),
    ("linux, no dsack, no frto", r#""profile": "linux", "dsack": false, "frto": false"#),
    ("linux, no probe, no undo", r#""profile": "linux", "tail_loss_probe": false, "undo": false"#),
    ("linux, classic ecn", r#""profile": "linux", "ecn": "classic", "controller": "newreno""#),
    ("linux, accurate ecn", r#""profile": "linux", "ecn": "accurate""#),
    ("linux, no offload", r#""profile": "linux", "segmentation_offload": "off", "sack_compression": false"#),
    (
        "linux, duplicates",
        r#""profile": "linux", "loss_detection": "duplicates", "segmentation_offload": "off""#,
    ),
    ("rfc", r#""profile": "rfc""#),
    ("rfc newreno, no sack", r#""profile": "rfc", "controller": "newreno", "sack": false"#),
    ("rfc reno, no sack", r#""profile": "rfc", "controller": "reno", "sack": false"#),
    ("rfc tahoe, no sack", r#""profile": "rfc", "controller": "tahoe", "sack": false"#),
    ("rfc vegas, no sack", r#""profile": "rfc", "controller": "vegas", "sack": false"#),
    ("rfc fack", r#""profile": "rfc", "loss_detection": "fack", "controller": "newreno""#),
    (
        "rfc rack",
        r#""profile": "rfc", "loss_detection": "rack", "controller": "newreno", "timestamps": true"#,
    ),
    ("rfc, classic ecn", r#""profile": "rfc", "ecn": "classic", "controller": "newreno""#),
    ("rfc, accurate ecn", r#""profile": "rfc", "ecn": "accurate", "ecn_answer": "accurate""#),
    ("rfc, jitter", r#""profile": "rfc", "overhead": "800us", "rto_spread": 0.5, "rtt_tick": "10ms""#),
    ("ns2", r#""profile": "ns2""#),
    ("bsd", r#""profile": "bsd""#),
];

fn spec(text: &str) -> TransportSpec {
    read(&format!(r#"{{"kind": "tcp", {text}}}"#))
}

/// A router that answers what controllers ask for: now more, now less.
pub fn router() -> Router {
    let mut packets = 0_u32;
    Box::new(move |_, way, packet: &mut Packet| {
        if way == Way::Reverse {
            return;
        }
        packets += 1;
        if let Some(header) = packet.read::<XcpHeader>() {
            let most = if packets % 300 < 200 { 2000.0 } else { -3000.0 };
            packet.write(&XcpHeader { delta: header.delta.min(most), ..header });
        }
        if let Some(header) = packet.read::<HpccHeader>() {
            packet.write(&HpccHeader { utilisation: 0.3 + f64::from(packets % 300) / 200.0, ..header });
        }
    })
}

fn exchange(record: &mut Record, spec: &TransportSpec, size: u64, script: &Script) -> Sums {
    run(record, spec, opening(Some(size)), script, Some(router()), END, LEAVE)
}

#[test]
fn tcp_behaves_as_recorded() {
    let mut record = Record::new(&file("tcp"));
    for (kind, text) in KINDS {
        let spec = spec(text);
        let others = scripts::storms().into_iter().chain([scripts::silence()]);
        for script in scripts::all().into_iter().chain(others) {
            let sums = exchange(&mut record, &spec, SIZE, &script);
            record.line(&format!("{kind}, {}", script.name), &sums.text());
        }
    }
    record.finish();
}

#[test]
fn tcp_with_other_parameters_behaves_as_recorded() {
    let mut record = Record::new(&file("tcp-parameters"));
    let scripts: Vec<Script> = scripts::all().into_iter().chain([scripts::silence()]).collect();
    let text = |text: &str| Value::from(text);
    let bases: [(&str, Vec<(&str, Value)>); 6] = [
        ("linux", vec![("profile", text("linux"))]),
        ("rfc", vec![("profile", text("rfc"))]),
        (
            "newreno",
            vec![("profile", text("rfc")), ("controller", text("newreno")), ("sack", Value::Bool(false))],
        ),
        ("bsd", vec![("profile", text("bsd"))]),
        ("marks", vec![("profile", text("linux")), ("ecn", text("classic")), ("pacing", text("linux"))]),
        (
            "counters",
            vec![("profile", text("rfc")), ("ecn", text("accurate")), ("loss_detection", text("rack"))],
        ),
    ];
    let all = TransportSpec::descriptors();
    let tcp = all.iter().find(|descriptor| descriptor.name == "tcp").unwrap();
    for (base, given) in bases {
        for (change, spec) in variants::<TransportSpec>("tcp", &tcp.fields, &given) {
            let mut sums = Sums::default();
            scripts.iter().for_each(|script| sums.add(&exchange(&mut record, &spec, SIZE / 2, script)));
            for script in scripts.iter().filter(|script| ["clean", "very rough"].contains(&script.name)) {
                let steady = Opening { application: planned(STEADY), ..opening(Some(SIZE / 4)) };
                let bursts = Opening { application: planned(BURSTS), ..opening(Some(SIZE)) };
                for (opening, meddle) in [(steady, Meddle::by(quenches)), (bursts, LEAVE)] {
                    sums.add(&run(&mut record, &spec, opening, script, None, END, meddle));
                }
            }
            record.line(&format!("{base}, {change}"), &sums.text());
        }
    }
    record.finish();
}

#[test]
fn tcp_under_each_controller_behaves_as_recorded() {
    let mut record = Record::new(&file("tcp-controllers"));
    for descriptor in ControllerSpec::descriptors() {
        for profile in ["linux", "rfc"] {
            let name = descriptor.name;
            let class = read::<ControllerSpec>(&format!("{name:?}")).class();
            let spec = spec(&format!(r#""profile": "{profile}", "controller": "{name}", "rto_max": "8s""#));
            for script in scripts::all() {
                let sums = exchange(&mut record, &spec, 2 * SIZE, &script);
                record.line(&format!("{name}, {profile}, {}", script.name), &sums.text());
            }
            if profile == "linux" {
                let end = Time::from_nanos(4_000_000_000);
                let sums = run(&mut record, &spec, opening(None), &scripts::fat(), None, end, LEAVE);
                record.line(&format!("{name}, fat"), &sums.text());
            }
            let is_near = class == Class::Rate;
            let script = if is_near { scripts::near() } else { scripts::long() };
            let end = Time::from_nanos(if is_near { 200_000_000 } else { 25_000_000_000 });
            let sums = run(&mut record, &spec, opening(None), &script, Some(router()), end, LEAVE);
            record.line(&format!("{name}, {profile}, {}", script.name), &sums.text());
        }
    }
    record.finish();
}

/// An application that follows a schedule.
fn planned(text: &str) -> Option<Planned> {
    Some(Planned { schedule: Arc::new(read(text)), rng: stream(3, "application") })
}

/// The next objects of a connection that stays open: small ones and large ones, some while another is on its way.
fn objects(pipe: &mut Pipe<Sender, Receiver>, event: usize) {
    const SIZES: [u64; 6] = [100, 30_000, 1460, 1461, 90_000, 5];
    if event % 31 == 20 && event < 1500 {
        let bytes = SIZES[event / 31 % SIZES.len()];
        pipe.sender.write(bytes);
        pipe.receiver.expect(bytes);
        pipe.sender.wake(pipe.now);
    }
}

/// Routers that ask for less, now and then.
fn quenches(pipe: &mut Pipe<Sender, Receiver>, event: usize) {
    if event % 150 == 70 {
        let packet = Packet::of(SourceQuench, 7, 56, dumbbell_core::Ecn::NotEct);
        pipe.sender.notice(pipe.now, &packet);
        pipe.receiver.notice(pipe.now, &packet);
        pipe.sender.wake(pipe.now);
    }
}

#[test]
fn tcp_of_applications_and_hosts_behaves_as_recorded() {
    let mut record = Record::new(&file("tcp-applications"));
    let list = r#"{"kind": "listed", "actions": [{"at": "5ms", "bytes": "10kB"}, {"at": "900ms", "bytes": "1B"},
        {"at": "901ms", "bytes": "1B"}, {"at": "902ms", "bytes": "90kB"}, {"at": "5s", "bytes": "100kB"}]}"#;
    let late = r#"{"kind": "listed", "actions": [{"at": "900s", "bytes": "1B"}]}"#;
    let granted = |first, by_credit| Some(Granted { first, largest: 100_000, by_credit });
    let opens = || opening(Some(SIZE / 2));
    let cases: [(&str, &str, Opening, Meddle); 14] = [
        ("writes in bursts", "", Opening { application: planned(BURSTS), ..opens() }, LEAVE),
        ("writes steadily", "", Opening { application: planned(STEADY), ..opens() }, LEAVE),
        (
            "writes a list",
            "",
            Opening { application: planned(list), ..opening(Some(200_002 + 10_000)) },
            LEAVE,
        ),
        ("writes for ever", "", Opening { application: planned(BURSTS), ..opening(None) }, LEAVE),
        (
            "reads in bursts",
            r#", "receive_window": "20kB""#,
            Opening { reader: planned(BURSTS), ..opens() },
            LEAVE,
        ),
        (
            "reads steadily",
            r#", "receive_window": "64kB""#,
            Opening { reader: planned(STEADY), ..opens() },
            LEAVE,
        ),
        ("reads a list", r#", "receive_window": "5kB""#, Opening { reader: planned(list), ..opens() }, LEAVE),
        ("small buffer", r#", "send_buffer": "9kB", "receive_window": "900B""#, opens(), LEAVE),
        (
            "never reads",
            r#", "receive_window": "9kB", "retries": 3"#,
            Opening { reader: planned(late), ..opens() },
            LEAVE,
        ),
        ("windows granted", "", Opening { granted: granted(3000, false), ..opens() }, Meddle::by(grants)),
        ("credit granted", "", Opening { granted: granted(0, true), ..opens() }, Meddle::by(credits)),
        ("objects", r#", "fin": false"#, opening(Some(9000)), Meddle { act: objects, rests: 300 }),
        (
            "units",
            r#", "fin": false, "unit_window": 3, "unit_copies": 2"#,
            opening(Some(9000)),
            Meddle { act: objects, rests: 300 },
        ),
        ("quenches", r#", "quench": "cut""#, opens(), Meddle::by(quenches)),
    ];
    let chosen = ["clean", "burst loss", "lost tail", "stall", "very rough"];
    for (kind, text) in KINDS {
        let is_common = ["linux", "rfc", "rfc newreno, no sack", "bsd", "linux, paced"].contains(&kind);
        for (name, more, opening, meddle) in cases.iter().filter(|_| is_common) {
            let spec = spec(&format!("{text}{more}"));
            let mut sums = Sums::default();
            for script in scripts::all().iter().filter(|script| chosen.contains(&script.name)) {
                let end = Time::from_nanos(30_000_000_000);
                sums.add(&run(&mut record, &spec, opening.clone(), script, None, end, *meddle));
            }
            record.line(&format!("{kind}, {name}"), &sums.text());
        }
    }
    record.finish();
}
