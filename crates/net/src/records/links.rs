//! Whole links of every form.

use std::sync::Arc;

use dumbbell_core::config::{At, Fields};
use dumbbell_core::rng::stream;
use dumbbell_core::testing::{Record, variants};
use dumbbell_core::{
    Config, DropReason, Duration, Ecn, Frame, HeaderKind, MarkReason, Packet, Registered, Time, Value,
    VerdictSink,
};
use dumbbell_header::{HpccHeader, RcpHeader, RcpKind, XcpHeader};
use rand::RngExt;

use super::traffic::{Shape, Source, ends};
use super::{Figures, each_once, header_names, named, optional, record, runs, table};
use crate::buffer::{Part, Pool, SharedBuffer};
use crate::link::{
    Counters, Entrance, Incident, Incidents, Link, LinkConfig, LinkSpec, Note, Order, Trace, laws,
};
use crate::pause::{Role, Thresholds};
use crate::power::{PolicySpec, Power};
use crate::router::AgentSpec;

/// A link with what is said of it beside its delay of 5 ms and a rate at which no packet takes whole nanoseconds.
fn spec(more: &Value) -> Option<LinkSpec> {
    let mut link = table(r#"{"rate": "9999991bit/s", "delay": "5ms", "queue": "droptail"}"#);
    let Value::Table(entries) = more else { return None };
    entries.iter().for_each(|(key, value)| link.insert(key, value.clone()));
    LinkSpec::from_value(&link, &At::root("link")).ok()
}

fn config(more: &Value) -> LinkConfig {
    let direction = spec(more).unwrap_or_else(|| panic!("{more} is refused")).forward();
    LinkConfig { ends: ends(), read_at: [END].into(), ..laws::config_of(direction) }
}

/// When all is over.
const END: Time = Time::from_nanos(100_000_000_000_000);

/// Puts the headers that a router reads on a packet.
fn with_header(mut packet: Packet, headers: &[HeaderKind]) -> Packet {
    let mut rng = stream(packet.body[0], "header");
    let rtt = rng.random_range(10_000..200_000_u32);
    for kind in headers {
        if *kind == HpccHeader::KIND {
            packet.attach(&HpccHeader { rtt: f64::from(rtt) * 1e-6, utilisation: f64::from(rtt) * 5e-6 });
        } else if *kind == XcpHeader::KIND {
            // One in nine knows no round-trip time, one in nine no spacing; some ask for less, or were granted less.
            let known = |one_in: u32| f64::from(rtt) * f64::from(u8::from(rtt % 9 != one_in)) * 1e-6;
            let delta = f64::from(rng.random_range(-20_000..40_000));
            packet.attach(&XcpHeader { spacing: known(1) / 20.0, rtt: known(2), delta });
        } else if *kind == RcpHeader::KIND {
            let limit = rng.random_range(0..4) == 0;
            let header = RcpHeader {
                kind: RcpKind::of(rng.random_range(0..10)),
                seq: packet.body[0] as u32,
                rate: if limit { rng.random_range(10_000..400_000) } else { RcpHeader::NO_LIMIT },
                rtt: if rng.random_range(0..5) == 0 { 0 } else { rtt },
                ..RcpHeader::default()
            };
            let number = packet.body[0];
            packet = Packet { at: packet.at, ..Packet::of(header, packet.flow, packet.size, packet.ecn) };
            packet.hop = number as u32;
        }
    }
    packet
}

fn hash_packet(record: &mut Record, packet: &Packet) {
    record.hash(packet.at.as_nanos());
    record.hash(packet.flow);
    record.hash(packet.size);
    record.hash(packet.class);
    record.hash(packet.ecn.bits());
    record.hash(packet.hop);
    if let Some(header) = packet.read::<XcpHeader>() {
        record.float(header.delta);
    } else if let Some(header) = packet.read::<HpccHeader>() {
        record.float(header.utilisation);
    } else {
        packet.body.iter().for_each(|word| record.hash(*word));
    }
}

fn hash_counters(record: &mut Record, c: &Counters) {
    let Counters { arrived, sent, sent_bytes, dropped, marked, duplicated, reordered, .. } = *c;
    dropped.iter().for_each(|count| record.hash(*count));
    let more = [c.queue_area, c.queue_at_arrivals, c.sojourn_sum];
    for number in [arrived, sent, sent_bytes, marked, duplicated, reordered].into_iter().chain(more) {
        record.hash(number);
    }
}

/// A link, and what came out of it.
struct Run<'a> {
    link: Link,
    watched: bool,
    incidents: Incidents,
    figures: Figures,
    source: Source,
    record: &'a mut Record,
}

impl Run<'_> {
    fn incidents(&mut self) {
        for (packet, what) in self.incidents.drain(..) {
            self.record.hash(packet.body[0]);
            self.record.text(&format!("{what:?}"));
            if let Incident::Dropped(reason) = what {
                self.figures.dropped(reason);
                self.source.congested();
            }
        }
        if self.watched {
            for (packet, note) in self.link.read().notes().into_iter().flat_map(|notes| notes.drain(..)) {
                self.record.hash(packet.body[0]);
                self.record.hash(u8::from(note == Note::Left));
            }
        }
    }

    fn entrance(&mut self) -> Entrance<'_> {
        Entrance { link: self.link.read(), incidents: &mut self.incidents }
    }

    fn came_out(&mut self, now: Time, packet: &Packet) {
        hash_packet(self.record, packet);
        self.figures.left += 1;
        self.figures.last = now;
        if packet.ecn == Ecn::Ce {
            self.figures.marked += 1;
            self.source.congested();
        }
    }

    /// Takes what comes out ahead of time. False if the link gives nothing so.
    fn take_ahead(&mut self, now: Time) -> bool {
        while let Some(mut ahead) = self.link.ahead() {
            let Some((at, packet)) = ahead.next(now, &mut self.incidents) else { return true };
            self.came_out(now, &Packet { at, ..packet });
        }
        false
    }

    fn until(&mut self, until: Time) {
        while self.link.wake_at() <= until && self.link.wake_at().is_finite() {
            let now = self.link.wake_at();
            if !self.take_ahead(now)
                && let Some(packet) = self.link.take(now, &mut self.incidents)
            {
                self.came_out(now, &packet);
            }
            self.incidents();
        }
    }

    /// All that a link tells of itself at `now`.
    fn look(&mut self, now: Time, reads: bool) {
        if self.link.read().settle(now, &mut self.incidents) {
            self.incidents();
        }
        self.record.hash(self.link.read().backlog(now));
        self.record.hash(self.link.read().inside());
        self.record.hash(self.link.read().departure().unwrap_or(Time::NEVER).as_nanos());
        let progress = self.link.read().progress(now);
        hash_counters(self.record, &progress);
        while let Some(arrival) = self.link.read().next_arrival() {
            self.record.hash(arrival.time.as_nanos());
            self.record.hash(arrival.flow);
            self.record.hash(arrival.size);
        }
        self.link.read().assert_conservation();
        if !reads {
            return;
        }
        let mut copy = self.link.clone();
        self.record.hash(copy.read().backlog_early(now));
        hash_counters(self.record, &copy.read().counters_early(now));
        self.record.text(&format!(
            "{:?} {:?}",
            self.link.read().read_classes(now),
            self.link.read().read_pause(now)
        ));
        optional(self.record, self.link.read().offered(now));
        optional(self.record, self.link.read().average());
        self.read_port(now);
    }

    fn read_port(&mut self, now: Time) {
        let Some(port) = self.link.read().port() else { return };
        optional(self.record, port.predicted(now));
        self.record.float(port.rate());
        self.record.text(&format!("{:?}", port.state()));
        let ledger = self.link.read().read_port(now).unwrap();
        self.record.text(&format!("{:?}", ledger.spans()));
        for number in [ledger.transitions, ledger.blocked, ledger.wakes, ledger.longest_sojourn.as_nanos()] {
            self.record.hash(number);
        }
    }
}

/// How packets are given to a link, and taken from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    /// One by one, as they come out.
    Plain,
    /// As soon as they have left.
    HandedOn,
    /// By an agent that looks at the queue and decides first.
    Inspected,
    /// With pause frames that arrive.
    Paused,
    /// With notes.
    Watched,
}

fn run(config: &LinkConfig, how: How, shape: Shape, record: &mut Record) -> String {
    let headers = config.direction.router.as_ref().map_or(&[][..], |agent| agent.headers());
    let mut link = Link::new(config);
    match how {
        How::HandedOn => link.arm(Order::HandOn),
        How::Watched => link.arm(Order::KeepNotes),
        _ => {}
    }
    let can = link.abilities();
    record.hash(u8::from(can.passes_on) + 2 * u8::from(can.transparent) + 4 * u8::from(can.hands_on));
    let watched = how == How::Watched;
    let (figures, incidents, source) = (Figures::default(), Incidents::new(), Source::new(shape));
    let mut run = Run { link, watched, incidents, figures, source, record };
    let mut paused_until = Time::ZERO;
    let mut other = config.buffer.clone().map(Part::new);
    for n in 0..shape.packets() / 2 {
        let packet = with_header(run.source.next(), headers);
        let now = packet.at;
        run.until(now);
        run.figures.entered += 1;
        if how == How::Paused && n % 50 == 0 && now > paused_until {
            // A pause of a millisecond and a half.
            run.link.arm(Order::Pause { at: now + Duration::from_micros(1), begins: true });
            paused_until = now + Duration::from_micros(1501);
            run.link.arm(Order::Pause { at: paused_until, begins: false });
        }
        if let Some(other) = &mut other {
            other.hold(n % 9 * 4000);
        }
        if run.take_ahead(now) {
            let ahead = run.link.ahead();
            if let Some((at, packet)) = ahead.and_then(|mut a| a.arrive(now, &packet, 3, &mut run.incidents))
            {
                run.came_out(now, &Packet { at, ..packet });
            }
            run.incidents();
            continue;
        }
        if how == How::Inspected {
            let meter = run.link.read();
            let view = meter.queue(now, &mut run.incidents);
            let (counters, backlog) = (meter.progress(now), meter.backlog(now));
            run.record.text(&format!("{view:?} {backlog}"));
            hash_counters(run.record, &counters);
        }
        match (how, n % 11) {
            (How::Inspected, 0) => run.entrance().dropped(packet, DropReason::Law),
            (How::Inspected, 1) => run.entrance().marked(&packet, MarkReason::Law),
            _ => {}
        }
        if how != How::Inspected || n % 11 != 0 {
            let hop = if headers.is_empty() { 3 } else { packet.hop };
            let changed = run.link.push(now, &packet, hop, &mut run.incidents);
            run.record.hash(u8::from(changed));
        }
        run.incidents();
        run.record.hash(run.link.wake_at().as_nanos());
        if n % 3 == 0 {
            run.look(now, n % 51 == 0);
        }
    }
    // Routers and ports have timers that never end.
    let mut now = run.figures.last;
    for _ in 0..2000 {
        now += Duration::from_millis(5);
        run.until(now);
    }
    while run.link.read().inside() > 0 {
        now += Duration::from_secs(1);
        run.until(now);
    }
    run.look(now, true);
    let counters = run.link.read().counters(END);
    hash_counters(run.record, &counters);
    // That is what it waited with its transmission.
    run.figures.waited = counters.sojourn_sum;
    run.figures.text()
}

/// The counters at the times announced, if packets arrive until then and no longer.
fn read_in_time(config: &LinkConfig, record: &mut Record) {
    let read_at = [400, 1100].map(|millis| Time::ZERO + Duration::from_millis(millis));
    let mut link = Link::new(&LinkConfig { read_at: read_at.into(), ..config.clone() });
    let mut incidents = Incidents::new();
    let mut source = Source::new(Shape::Heavy);
    let mut read = 0;
    for _ in 0..2000 {
        let packet = source.next();
        let until = packet.at;
        while read < 2 && read_at[read] < until {
            let at = read_at[read];
            drain(&mut link, at, &mut incidents);
            link.read().settle(at, &mut incidents);
            hash_counters(record, &link.read().counters(at));
            record.hash(link.read().backlog(at));
            read += 1;
        }
        drain(&mut link, until, &mut incidents);
        link.push(until, &packet, 0, &mut incidents);
    }
    record.hash(read as u64);
}

fn drain(link: &mut Link, until: Time, incidents: &mut Incidents) {
    while link.wake_at() <= until && link.wake_at().is_finite() {
        link.take(link.wake_at(), incidents);
    }
}

const SHAPES: [Shape; 3] = [Shape::Heavy, Shape::Bursts, Shape::Responsive];

/// Writes a line of a link, and of its general form.
fn lines(name: &str, config: &LinkConfig, how: How, record: &mut Record) {
    let mut texts = Vec::new();
    for shape in SHAPES {
        texts.push(run(config, how, shape, record));
    }
    read_in_time(config, record);
    record.line(name, &texts[2]);
}

/// Links by what is said of them.
const LINKS: &[&str] = &[
    "{}",
    r#"{"queue": {"kind": "droptail", "limit": "20pkt"}}"#,
    r#"{"queue": {"kind": "droptail", "limit": "9kB"}}"#,
    r#"{"queue": {"kind": "droptail", "limit": "9pkt", "count_in_service": true}}"#,
    r#"{"queue": {"kind": "droptail", "limit": "20pkt"}, "loss": 0.02, "drop_list": [7, 3, 40, 41, 1000]}"#,
    r#"{"queue": "codel"}"#,
    r#"{"queue": {"kind": "fq-codel", "limit": "40pkt"}, "loss": 0.02, "drop_list": [7, 3, 40]}"#,
    r#"{"queue": {"kind": "red", "min_threshold": "5pkt", "max_threshold": "15pkt", "weight": 0.05}}"#,
    r#"{"queue": {"kind": "strict-priority", "classes": ["codel", {"kind": "droptail", "limit": "9pkt"}]}, "loss": 0.02}"#,
    r#"{"queue": "rio", "marker": {"kind": "token-bucket", "rate": "4Mbit/s", "out_class": 1}}"#,
    r#"{"queue": {"kind": "token-bucket-filter", "rate": "6Mbit/s", "queue": {"kind": "droptail", "limit": "20pkt"}}}"#,
    r#"{"mtu": "1000B", "queue": {"kind": "droptail", "limit": "20pkt"}}"#,
    r#"{"mtu": "1000B", "queue": "codel"}"#,
    r#"{"queue": {"kind": "droptail", "limit": "20pkt"},
        "rate_changes": [{"at": "300ms", "rate": "3Mbit/s"}, {"at": "1s", "rate": "20Mbit/s"}, {"at": "2s", "rate": "9999991bit/s"}]}"#,
    r#"{"queue": {"kind": "droptail", "limit": "20pkt"}, "impairments": [{"kind": "jitter", "spread": "4ms"}]}"#,
    r#"{"queue": {"kind": "droptail", "limit": "20pkt"}, "impairments": [{"kind": "jitter", "spread": "4ms", "keep_order": false}]}"#,
    r#"{"impairments": [{"kind": "reordering", "probability": 0.1, "delay": "3ms"}], "queue": {"kind": "droptail", "limit": "20pkt"}}"#,
    r#"{"impairments": [{"kind": "reordering", "probability": 0.1, "packets": 3, "longest": "20ms"}], "queue": {"kind": "droptail", "limit": "20pkt"}}"#,
    r#"{"impairments": [{"kind": "reordering", "probability": 0.1, "packets": 3, "place": "ahead"}], "queue": {"kind": "droptail", "limit": "20pkt"}}"#,
    r#"{"impairments": [{"kind": "duplication", "probability": 0.1}, {"kind": "duplication", "probability": 0.1}], "loss": 0.1, "queue": {"kind": "droptail", "limit": "20pkt"}}"#,
    r#"{"impairments": [{"kind": "delay-list", "packets": [7, 3, 40], "delay": "30ms"}, {"kind": "jitter", "spread": "1ms"}], "queue": "codel"}"#,
];

#[test]
fn links_do_what_they_did() {
    let mut record = record("links");
    for text in LINKS {
        let more = table(text);
        let config = config(&more);
        let name = if more == Value::table() { "default".to_owned() } else { named(&more) };
        lines(&format!("link {name}"), &config, How::Plain, &mut record);
        lines(
            &format!("unsampled {name}"),
            &LinkConfig { sampled: false, ..config.clone() },
            How::Plain,
            &mut record,
        );
        let general = LinkConfig { general: true, recorded: true, exact_drops: true, ..config.clone() };
        lines(&format!("general recorded {name}"), &general, How::Plain, &mut record);
        let inspected = LinkConfig { inspected: true, recorded: true, ..config.clone() };
        lines(&format!("inspected {name}"), &inspected, How::Inspected, &mut record);
        let watched = LinkConfig { watched: true, recorded: true, ..config.clone() };
        lines(&format!("watched {name}"), &watched, How::Watched, &mut record);
        if Link::new(&config).abilities().hands_on {
            lines(&format!("handed on {name}"), &config, How::HandedOn, &mut record);
        }
        if Link::new(&config).abilities().passes_on {
            let text = passed(&config, &mut record);
            record.line(&format!("passed {name}"), &text);
        }
    }
    record.finish();
}

/// Packets are passed on at once, to a link that takes them over.
fn passed(config: &LinkConfig, record: &mut Record) -> String {
    let config = LinkConfig { sampled: false, ..config.clone() };
    let (mut link, mut behind, mut source) =
        (Link::new(&config), Link::new(&config), Source::new(Shape::Bursts));
    let mut incidents = Incidents::new();
    assert!(link.abilities().passes_on);
    for _ in 0..1000 {
        let packet = source.next();
        drain(&mut behind, packet.at, &mut incidents);
        let at = link.pass(packet.at, &packet, &mut incidents);
        record.hash(at.unwrap_or(Time::NEVER).as_nanos());
        if let Some(at) = at {
            let flight = behind.hand_over().unwrap();
            record.hash(u8::from(flight.is_empty()));
            flight.push(Packet { at, ..packet });
        }
        record.hash(behind.read().inside() + (link.read().inside() << 32));
        hash_counters(record, &link.read().progress(packet.at));
    }
    std::mem::swap(link.hand_over().unwrap(), behind.hand_over().unwrap());
    record.hash(behind.read().inside() + (link.read().inside() << 32));
    record.hash(incidents.len() as u64);
    format!("given up {}", incidents.len())
}

#[test]
fn recorded_shared_and_paused_links_do_what_they_did() {
    let mut record = record("flow-control");
    let queue = table(r#"{"queue": {"kind": "droptail", "limit": "60pkt"}}"#);
    let plain = config(&queue);
    for (name, thresholds) in [("asks", Some(Thresholds { xoff: 9000, xon: 3000 })), ("obeys", None)] {
        let pause = Role { thresholds, obeys: true };
        lines(name, &LinkConfig { pause, ..plain.clone() }, How::Paused, &mut record);
    }
    for alpha in ["0.5", "1.0", "4.0"] {
        let shared = table(&format!(r#"{{"size": "60kB", "alpha": {alpha}}}"#));
        let shared = SharedBuffer::from_value(&shared, &At::root("buffer")).unwrap();
        for shape in SHAPES {
            let config = LinkConfig { buffer: Some(Pool::new(&shared)), ..plain.clone() };
            let text = run(&config, How::Plain, shape, &mut record);
            record
                .line(&format!("buffer alpha {alpha} of one port {} {shape:?}", shared.of_one_port()), &text);
        }
    }
    // One in five milliseconds, outages of 100 ms and of two seconds, a burst of ten at once.
    let times = (1..100).map(|n| {
        if n > 40 {
            n * 5 + 2100
        } else if n > 20 {
            n * 5 + 100
        } else {
            n * 5
        }
    });
    let times: Arc<[Time]> = times
        .flat_map(|at| vec![at; if at == 90 { 10 } else { 4 }])
        .map(|ms| Time::ZERO + Duration::from_millis(ms))
        .collect();
    for (opportunity, overhead) in [(1504, 4), (1000, 4), (9000, 20)] {
        let trace = Trace { times: times.clone(), opportunity, overhead };
        let at = |millis| Time::ZERO + Duration::from_millis(millis);
        for (from, until) in [(0, 90), (3, 100), (85, 5000), (5000, 60_001)] {
            record.hash(trace.offered(at(from), at(until)));
            record.float(trace.passed(at(from), at(until)));
        }
        let about = format!(
            "trace {opportunity} {overhead}, mean rate {}, period {}",
            trace.mean_rate(),
            trace.period()
        );
        for queue in [r#"{"queue": "codel"}"#, r#"{"queue": {"kind": "droptail", "limit": "60pkt"}}"#] {
            let config = LinkConfig { trace: Some(trace.clone()), ..config(&table(queue)) };
            lines(&format!("{about}, {}", named(&table(queue))), &config, How::Plain, &mut record);
        }
    }
    record.finish();
}

#[test]
fn routers_do_what_they_did() {
    let mut record = record("routers");
    let queue = table(r#"{"kind": "droptail", "limit": "60pkt"}"#);
    for about in AgentSpec::descriptors() {
        let link = |router: &Value| {
            let mut more = Value::table();
            more.insert("router", router.clone());
            more.insert("queue", queue.clone());
            more
        };
        let default = table(&format!(r#"{{"kind": "{}"}}"#, about.name));
        if spec(&link(&default)).is_none() {
            println!("{} requires parameters: it has no record", about.name);
            continue;
        }
        let changes = r#"{"kind": "rcp", "mode": "share", "changes": [{"at": "300ms", "share": 0.5}, {"at": "1s", "share": 0.0}]}"#;
        let more = runs(&default, &about.fields, &[changes], &|table| spec(&link(table)).is_some());
        for router in std::iter::once(default).chain(more) {
            let config = config(&link(&router));
            let name = named(&router);
            if let Some(agent) = &config.direction.router {
                record.text(&format!("{} {}", header_names(agent.headers()), agent.draws()));
            }
            lines(&name, &config, How::Plain, &mut record);
            let mut general = LinkConfig { general: true, ..config };
            let mut changing = (*general.direction).clone();
            changing.rate_changes = laws::described(
                r#"{"rate": "1Mbit/s", "delay": "0s", "queue": "droptail", "rate_changes": [{"at": "1s", "rate": "6Mbit/s"}]}"#,
            )
            .rate_changes;
            general.direction = Arc::new(changing);
            lines(&format!("{name}, changing rate"), &general, How::Plain, &mut record);
        }
    }
    record.finish();
}

#[test]
fn power_policies_do_what_they_did() {
    let mut record = record("power");
    let link = |power: &Value| {
        let mut more = table(r#"{"queue": {"kind": "droptail", "limit": "62500B"}}"#);
        more.insert("power", power.clone());
        more
    };
    let accepted = |power: &Value| spec(&link(power)).is_some();
    let with_policy = |policy: &Value| {
        let mut power = Value::table();
        power.insert("policy", policy.clone());
        power
    };
    let mut powers = variants(&Value::table(), &Power::fields(), &accepted);
    powers.extend(
        [
            r#"{"rates": ["2Mbit/s", "5Mbit/s", "9Mbit/s"], "in_service": "hold"}"#,
            r#"{"rates": {"levels": 4, "spacing": "exponential"}, "guard_from": "end", "start": "lowest"}"#,
            r#"{"policy": {"kind": "practra", "predictor": {"kind": "ewma-window", "weight": 0.5}}, "guard": "2ms"}"#,
            r#"{"policy": {"kind": "multi-both", "predictor": {"kind": "ewma-tau", "tau": "5ms"}}, "pause": "0s", "guard": "0s"}"#,
            r#"{"policy": {"kind": "sleep-and-scale", "decision": "periodic", "idle": "3ms"}, "wake": "0s"}"#,
            r#"{"policy": {"kind": "buffer-and-burst", "placement": "upstream", "hold": "7ms"}}"#,
            r#"{"policy": {"kind": "sleep-and-scale", "placement": "upstream", "hold": "5ms"}}"#,
        ]
        .map(table),
    );
    for about in PolicySpec::descriptors() {
        let default = table(&format!(r#"{{"kind": "{}"}}"#, about.name));
        powers.push(with_policy(&default));
        let more = variants(&default, &about.fields, &|policy| accepted(&with_policy(policy)));
        powers.extend(more.iter().map(with_policy));
    }
    for power in each_once(powers) {
        let config = config(&link(&power));
        if let Some(power) = &config.direction.power {
            let levels = power.rates.levels(config.direction.rate);
            record.text(&format!("{levels:?} {:?}", power.shaping()));
        }
        lines(&named(&power), &config, How::Plain, &mut record);
    }
    record.finish();
}
