//! The transports other than TCP over a pipe, and what every transport says of itself.

use std::sync::Arc;

use dumbbell_core::rng::stream;
use dumbbell_core::testing::Record;
use dumbbell_core::{BitRate, Duration, Ecn, Frame, Packet, Stage, Time, Value, Way};
use dumbbell_header::{RcpHeader, TrumpHeader, TrumpKind};

use super::exchange::{LEAVE, Meddle, Router, Sums, run};
use super::scripts::{self, Script};
use super::{file, variants};
use crate::testing::{Pipe, opening, read};
use crate::transport::Opening;
use crate::transports::{Receiver, Sender, TransportSpec};

/// How routers allow rates: bytes a second at a time; `None` writes nothing.
type Allows = fn(Time) -> Option<u64>;

/// Routers with a name.
const ROUTERS: [(&str, Allows); 4] = [
    ("steady", |_| Some(1_500_000)),
    ("changing", |now| Some([400_000, 60_000, 2_000, 200_000][(now.as_nanos() / 300_000_000 % 4) as usize])),
    ("closing", |now| {
        Some(if (100..700).contains(&(now.as_nanos() / 1_000_000 % 1500)) { 0 } else { 90_000 })
    }),
    ("silent", |now| (now.as_nanos() > 2_500_000_000).then_some(500_000)),
];

/// A router that writes rates into the packets of RCP and TRUMP.
fn router(allows: Allows) -> Router {
    Box::new(move |now, way, packet: &mut Packet| {
        let Some(rate) = allows(now) else { return };
        if let Some(header) =
            packet.read::<RcpHeader>().filter(|header| header.kind.asks() && way == Way::Forward)
        {
            let flags = header.flags | RcpHeader::RATE_STAMPED;
            packet.write(&RcpHeader { rate: rate.min(header.rate), flags, ..header });
        }
        if let Some(header) = packet.read::<TrumpHeader>() {
            let rate = (rate as f32 * 8.0).min(header.rate).max(8.0);
            packet.write(&TrumpHeader { rate, bottleneck: 3, ..header });
        }
    })
}

/// A router of TRUMP that tells the source when its rate has fallen.
fn quenches(pipe: &mut Pipe<Sender, Receiver>, event: usize) {
    let latest = pipe.forward.last().map(|(_, packet)| *packet);
    if let Some((packet, header)) = latest.and_then(|packet| Some((packet, packet.read::<TrumpHeader>()?)))
        && event % 40 == 11
    {
        let mut packet = packet;
        let rate = if event % 80 < 40 { 3e6 } else { 9e6 };
        packet.write(&TrumpHeader {
            kind: TrumpKind::Quench,
            return_rate: rate,
            rate,
            return_bottleneck: 5,
            ..header
        });
        pipe.sender.notice(pipe.now, &packet);
        pipe.receiver.notice(pipe.now, &packet);
        pipe.sender.wake(pipe.now);
    }
}

/// The next object of a connection of LTTP, when the one before has arrived.
fn objects(pipe: &mut Pipe<Sender, Receiver>, event: usize) {
    if event.is_multiple_of(8) && event < 3000 && pipe.sender.is_closed() {
        let bytes = 1000 + 37 * event as u64;
        pipe.sender.write(bytes);
        pipe.receiver.expect(bytes);
        pipe.sender.wake(pipe.now);
    }
}

/// One exchange after another, over every script.
fn exchanges(
    record: &mut Record,
    name: &str,
    spec: &TransportSpec,
    scripts: &[Script],
    allows: Allows,
    meddle: Meddle,
) {
    let access = Some(BitRate::from_bps(100_000_000));
    let mut sums = Sums::default();
    for script in scripts {
        for size in [Some(150_123), None] {
            let end = Time::from_nanos(if size.is_some() { 300_000_000_000 } else { 3_000_000_000 });
            let opening = Opening { access, replay: Some(replay()), ..opening(size) };
            sums.add(&run(record, spec, opening, script, Some(router(allows)), end, meddle));
        }
    }
    record.line(name, &sums.text());
}

/// Packets at times drawn once and for all.
fn replay() -> Arc<[(Duration, u32)]> {
    use rand::RngExt;
    let mut random = stream(1, "replay");
    let mut at = 0;
    let mut next = || {
        at += random.random_range(0..3_000_000_u64);
        (Duration::from_nanos(at), random.random_range(29..1500_u32))
    };
    (0..300).map(|_| next()).collect()
}

#[test]
fn other_transports_behave_as_recorded() {
    let mut record = Record::new(&file("transports"));
    for descriptor in TransportSpec::descriptors().into_iter().filter(|descriptor| descriptor.name != "tcp") {
        let name = descriptor.name;
        let spec: TransportSpec = read(&format!("{name:?}"));
        let asks = ["rcp", "trump"].contains(&name);
        for (routers, allows) in ROUTERS.into_iter().filter(|(routers, _)| asks || *routers == "steady") {
            let others = scripts::storms().into_iter().chain([scripts::silence(), scripts::long()]);
            for script in scripts::all().into_iter().chain(others) {
                let line = format!("{name}, {routers}, {}", script.name);
                let meddle = if routers == "steady" { LEAVE } else { Meddle::by(quenches) };
                exchanges(&mut record, &line, &spec, &[script], allows, meddle);
            }
        }
        for script in scripts::all().into_iter().filter(|_| spec.kept_open().is_some()) {
            let line = format!("{name}, objects, {}", script.name);
            exchanges(
                &mut record,
                &line,
                &spec.kept_open().unwrap(),
                &[script],
                ROUTERS[0].1,
                Meddle { act: objects, rests: 100 },
            );
        }
    }
    record.finish();
}

#[test]
fn other_transports_with_other_parameters_behave_as_recorded() {
    let mut record = Record::new(&file("transports-parameters"));
    let chosen =
        ["clean", "burst loss", "lost tail", "lost ends", "very rough", "marks", "deaf", "stall", "silence"];
    let scripts: Vec<Script> = scripts::all()
        .into_iter()
        .chain([scripts::silence()])
        .filter(|script| chosen.contains(&script.name))
        .collect();
    for descriptor in TransportSpec::descriptors().into_iter().filter(|descriptor| descriptor.name != "tcp") {
        let name = descriptor.name;
        for (change, spec) in variants::<TransportSpec>(name, &descriptor.fields, &[]) {
            let asks = ["rcp", "trump"].contains(&name);
            for (routers, allows) in [ROUTERS[1], ROUTERS[2]].into_iter().take(if asks { 2 } else { 1 }) {
                let line = format!("{name}, {change}, {routers}");
                exchanges(&mut record, &line, &spec, &scripts, allows, LEAVE);
            }
        }
    }
    record.finish();
}

/// What a transport says of itself.
fn facts(record: &mut Record, name: &str, spec: &TransportSpec) {
    for mtu in [1500, 9000, 576, 53, 52, 41, 40, 37, 36, 29, 28] {
        record.text(&format!("{:?}", spec.fits(mtu)));
        for payload in [0, 1, 1460, 1461, 99_999] {
            record.hash(spec.wire_bytes(payload, mtu));
        }
    }
    let rate = spec.offered_rate().map_or("none".to_owned(), dumbbell_core::testing::rounded);
    let (controller, asks) = (spec.controller().unwrap_or("none"), spec.asks_routers().is_some());
    let (draws, serves) = (spec.draws().join(" + "), spec.serves_applications());
    record.hash(spec.kept_open().is_some());
    let (mut sender, mut receiver) = spec.open(opening(Some(5000)));
    record.text(&format!("{:?} {:?}", sender.agreed(), sender.stand()));
    sender.wake(Time::ZERO);
    sender.estimates(&mut |estimate| {
        record.text(estimate.name);
        record.text(estimate.unit);
        record.float(estimate.value);
    });
    record.text(&format!("{:?} {:?}", sender.agreed(), receiver.finished()));
    for packet in [
        Packet::of(RcpHeader::default(), 7, 100, Ecn::NotEct),
        Packet::of(TrumpHeader::default(), 7, 100, Ecn::NotEct),
    ] {
        sender.push(Time::ZERO, &packet);
        receiver.push(Time::ZERO, &packet);
    }
    record.hash(sender.ignored());
    record.hash(receiver.ignored());
    record.line(
        name,
        &format!("rate {rate}, controller {controller}, asks {asks}, draws {draws}, serves {serves}"),
    );
}

#[test]
fn transports_tell_of_themselves_as_recorded() {
    let mut record = Record::new(&file("transports-facts"));
    for descriptor in TransportSpec::descriptors() {
        let name = descriptor.name;
        facts(&mut record, name, &read(&format!("{name:?}")));
        for (change, spec) in variants::<TransportSpec>(name, &descriptor.fields, &[] as &[(&str, Value)]) {
            facts(&mut record, &format!("{name}, {change}"), &spec);
        }
    }
    record.finish();
}
