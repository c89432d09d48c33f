//! Laws of links, over generated arrivals.

use std::sync::Arc;

use dumbbell_core::config::At;
use dumbbell_core::rng::Streams;
use dumbbell_core::testing::lengths;
use dumbbell_core::{
    BitRate, Config, DropReason, Duration, Ecn, FlowEnds, MarkReason, Packet, Probability, QueueLimit, Time,
    VerdictSink,
};
use dumbbell_header::{RcpHeader, RcpKind, TcpHeader, XcpHeader};
use proptest::prelude::*;

use super::{
    Direction, Entrance, FifoLink, Form, Incident, Incidents, LazyLink, Link, LinkConfig, LinkSpec, Meter,
    Order, Other, QueuedLink,
};
use crate::queue::{QueueSpec, codel, droptail};
use crate::router::{AgentSpec, rcp, xcp};

fn config(queue: QueueSpec) -> LinkConfig {
    config_with(queue, |_| ())
}

/// The same with other parameters.
fn config_with(queue: QueueSpec, change: impl FnOnce(&mut Direction)) -> LinkConfig {
    let mut direction =
        described(r#"{"rate": "9999991bit/s", "delay": "3ms", "queue": "droptail", "drop_list": [3, 5]}"#);
    direction.queue = queue;
    change(&mut direction);
    config_of(direction)
}

/// A link with nothing around it.
pub(crate) fn config_of(direction: Direction) -> LinkConfig {
    LinkConfig {
        direction: Arc::new(direction),
        trace: None,
        bdp: 62_500,
        recorded: false,
        timed: false,
        sampled: true,
        inspected: false,
        watched: false,
        exact_drops: false,
        general: false,
        read_at: [].into(),
        buffer: None,
        pause: Default::default(),
        streams: Streams::new(1, "link"),
        ends: FlowEnds::default(),
    }
}

fn the_general_form(config: &LinkConfig) -> Link {
    Link(Form::Other(Box::new(Other::Queued(QueuedLink::new(config)))))
}

/// The forward direction of a link in JSON.
pub(crate) fn described(text: &str) -> Direction {
    let v: dumbbell_core::Value = dumbbell_core::json::from_str(text).unwrap();
    LinkSpec::from_value(&v, &At::root("link")).unwrap().forward()
}

fn share(loss: f64) -> Probability {
    let v = dumbbell_core::Value::from(loss);
    Config::from_value(&v, &At::root("loss")).unwrap()
}

pub(crate) fn packet(id: u64, size: u16) -> Packet {
    Packet::of(TcpHeader { number: id, ..TcpHeader::default() }, 0, size, Ecn::NotEct)
}

/// What a link did: (time, number, size) of every packet that came out, and the numbers of those dropped.
#[derive(Debug, Default, PartialEq)]
struct Trace {
    out: Vec<(Time, u64, u16)>,
    /// The words of every packet that came out in which routers write: RCP's and XCP's.
    written: Vec<[u64; 2]>,
    ecn: Vec<Ecn>,
    dropped: Vec<u64>,
    backlogs: Vec<u64>,
    /// Packets and bytes sent after each arrival.
    sent: Vec<(u64, u64)>,
}

/// Offers packets of the given sizes and gaps to the link, driving it by its own wake-ups.
fn drive(link: &mut Link, arrivals: &[(u64, u16)]) -> Trace {
    drive_with(link, arrivals, packet)
}

/// The same with packets made from their number and size.
fn drive_with(link: &mut Link, arrivals: &[(u64, u16)], packet: impl Fn(u64, u16) -> Packet) -> Trace {
    let mut trace = Trace::default();
    let mut drops: Incidents = Vec::new();
    let mut now = Time::ZERO;
    let run_until = |link: &mut Link, until: Time, trace: &mut Trace, drops: &mut Incidents| {
        while link.wake_at() <= until && link.wake_at().is_finite() {
            let t = link.wake_at();
            if let Some(p) = link.take(t, drops) {
                trace.out.push((t, p.body[0], p.size));
                trace.written.push([p.body[1], p.body[4]]);
                trace.ecn.push(p.ecn);
            }
        }
    };
    for (id, &(gap, size)) in arrivals.iter().enumerate() {
        now += Duration::from_nanos(gap);
        run_until(link, now, &mut trace, &mut drops);
        link.push(now, &packet(id as u64, size), 0, &mut drops);
        trace.backlogs.push(link.read().backlog(now));
        let progress = link.read().progress(now);
        trace.sent.push((progress.sent, progress.sent_bytes));
        let inside = link.read().inside() as usize;
        assert_eq!(id + 1, trace.out.len() + drops.len() + inside, "conservation");
        link.read().assert_conservation();
    }
    // Timers of agents go on when nothing is left.
    while link.read().inside() > 0 {
        let next = link.wake_at();
        assert!(next.is_finite(), "{} packets stay inside", link.read().inside());
        run_until(link, next, &mut trace, &mut drops);
    }
    trace.dropped = drops.iter().map(|(p, _)| p.body[0]).collect();
    trace
}

fn arrivals() -> impl Strategy<Value = Vec<(u64, u16)>> {
    prop::collection::vec((0..3_000_000u64, 40..=1501u16), lengths(1..300))
}

proptest! {
    #[test]
    fn the_fast_form_is_the_general_form_with_droptail(arrivals in arrivals(), packets in 2..20u64, in_bytes: bool, count_in_service: bool) {
        let limit = if in_bytes { QueueLimit::Bytes(packets * 1500) } else { QueueLimit::Packets(packets) };
        let params = droptail::Params { limit, count_in_service: count_in_service && !in_bytes };
        let end = Time::from_nanos(200_000_000_000);
        let config = LinkConfig { read_at: [end].into(), ..config(QueueSpec::DropTail(params.clone())) };
        let mut fast = Link(Form::Fifo(FifoLink::new(&config, &params)));
        let mut general = the_general_form(&config);
        prop_assert_eq!(drive(&mut fast, &arrivals), drive(&mut general, &arrivals));
        prop_assert_eq!(fast.read().counters(end), general.read().counters(end));

        // Counters while packets wait: those of packets that have left.
        let read: Time = arrivals.iter().fold(Time::ZERO, |at, (gap, _)| at + Duration::from_nanos(*gap));
        let config = LinkConfig { read_at: [read].into(), ..config };
        let (mut fast, mut general) = (Link(Form::Fifo(FifoLink::new(&config, &params))), the_general_form(&config));
        for link in [&mut fast, &mut general] {
            let (mut now, mut drops) = (Time::ZERO, Vec::new());
            for (id, &(gap, size)) in arrivals.iter().enumerate() {
                now += Duration::from_nanos(gap);
                link.push(now, &packet(id as u64, size), 0, &mut drops);
            }
            link.read().settle(read, &mut drops);
        }
        prop_assert_eq!(fast.read().counters(read), general.read().counters(read));
    }

    #[test]
    fn the_lazy_form_is_the_general_form_with_every_discipline(
        arrivals in arrivals(), dense in 1..20u64, loss: bool, read in 0..100_000_000u64,
    ) {
        let arrivals: Vec<(u64, u16)> = arrivals.into_iter().map(|(gap, size)| (gap / dense, size)).collect();
        let read = Time::from_nanos(read);
        for queue in QueueSpec::all_defaults().into_iter().filter(|queue| !queue.laziness().holds_back) {
            let name = queue.name();
            let config = config_with(queue, |d| d.loss = share(if loss { 0.1 } else { 0.0 }));
            let ecn = |id: u64, size| {
                let ecn = if id.is_multiple_of(3) { Ecn::NotEct } else { Ecn::Ect0 };
                Packet { ecn, class: (id % 2) as u8, flow: (id * id % 5) as u32, ..packet(id, size) }
            };
            let mut lazy = Link(Form::Other(Box::new(Other::Lazy(LazyLink::new(&config, None)))));
            let mut general = the_general_form(&config);
            let (mut a, mut b) = (Vec::new(), Vec::new());
            // Counters in the middle of things.
            let times = arrivals.iter().scan(Time::ZERO, |t, (gap, _)| { *t += Duration::from_nanos(*gap); Some(*t) });
            let before = times.take_while(|t| *t <= read).count();
            for (link, drops) in [(&mut lazy, &mut a), (&mut general, &mut b)] {
                let mut now = Time::ZERO;
                let run_until = |link: &mut Link, until: Time, drops: &mut Incidents| {
                    while link.wake_at() <= until && link.wake_at().is_finite() {
                        link.take(link.wake_at(), drops);
                    }
                };
                for (id, &(gap, size)) in arrivals[..before].iter().enumerate() {
                    now += Duration::from_nanos(gap);
                    run_until(link, now, drops);
                    link.push(now, &ecn(id as u64, size), 0, drops);
                }
                run_until(link, read, drops);
                link.read().settle(read, drops);
            }
            prop_assert_eq!(lazy.read().backlog(read), general.read().backlog(read), "{}", name);
            prop_assert_eq!(lazy.read().inside(), general.read().inside(), "{}", name);
            prop_assert_eq!(lazy.read().counters(read), general.read().counters(read), "{}", name);
            prop_assert_eq!(lazy.read().read_classes(read), general.read().read_classes(read), "{}", name);
            // It tells of late drops late.
            let sorted = |incidents: Incidents| { let mut numbers: Vec<u64> = incidents.iter().map(|(p, _)| p.body[0]).collect(); numbers.sort_unstable(); numbers };
            prop_assert_eq!(sorted(a), sorted(b), "{}", name);

            let mut lazy = Link(Form::Other(Box::new(Other::Lazy(LazyLink::new(&config, None)))));
            let mut general = the_general_form(&config);
            let (mut a, mut b) = (drive_with(&mut lazy, &arrivals, ecn), drive_with(&mut general, &arrivals, ecn));
            a.dropped.sort_unstable();
            b.dropped.sort_unstable();
            prop_assert_eq!(a, b, "{}", name);
            let end = Time::from_nanos(200_000_000_000);
            prop_assert_eq!(lazy.read().counters(end), general.read().counters(end), "{}", name);
            prop_assert_eq!(lazy.read().read_classes(end), general.read().read_classes(end), "{}", name);
            prop_assert_eq!(lazy.read().average(), general.read().average(), "{}", name);
        }
    }

    #[test]
    fn a_driver_may_come_as_late_as_packets_come_out(arrivals in arrivals(), dense in 1..20u64, loss: bool) {
        for queue in QueueSpec::all_defaults() {
            let name = queue.name();
            let config = config_with(queue, |d| d.loss = share(if loss { 0.1 } else { 0.0 }));
            let run = |next: fn(&QueuedLink<Packet>) -> Time| {
                let mut link = QueuedLink::new(&config);
                let (mut out, mut told, mut calls) = (Vec::new(), Vec::new(), 0);
                let mut drops: Incidents = Vec::new();
                // As an emulator does: whenever it wakes up, it does all that is due by then.
                let mut wake = |link: &mut QueuedLink<Packet>, now: Time, arrival: Option<Packet>| {
                    while link.wake_at() <= now {
                        out.extend(link.take(now, &mut drops).map(|packet| (now, packet.body[0])));
                        told.extend(drops.drain(..).map(|(packet, _)| (now, packet.body[0])));
                    }
                    if let Some(arrival) = arrival {
                        link.push(now, arrival, &mut drops);
                    }
                    told.extend(drops.drain(..).map(|(packet, _)| (now, packet.body[0])));
                    calls += 1;
                };
                let mut now = Time::ZERO;
                for (id, &(gap, size)) in arrivals.iter().enumerate() {
                    now += Duration::from_nanos(gap / dense);
                    while next(&link) <= now {
                        let at = next(&link);
                        wake(&mut link, at, None);
                    }
                    wake(&mut link, now, Some(packet(id as u64, size)));
                }
                while link.inside() > 0 {
                    let at = next(&link);
                    wake(&mut link, at, None);
                }
                (out, told, link.counters(Time::from_nanos(200_000_000_000)), calls)
            };
            let (late, always) = (run(QueuedLink::comes_out_at), run(QueuedLink::wake_at));
            prop_assert_eq!((&late.0, &late.1, late.2), (&always.0, &always.1, always.2), "{}", name);
            prop_assert!(late.3 <= always.3, "{}", name);
        }
    }

    #[test]
    fn a_router_of_xcp_does_the_same_in_the_lazy_and_the_general_form(
        arrivals in arrivals(), dense in 1..20u64, slow in 1..40u64, loss: bool, initial in 1..100u64,
    ) {
        let arrivals: Vec<(u64, u16)> = arrivals.into_iter().map(|(gap, size)| (gap / dense, size)).collect();
        let initial_interval = Duration::from_millis(initial);
        let router = xcp::Params { initial_interval, ..xcp::Params::default() };
        let end = Time::from_nanos(200_000_000_000);
        for queue in QueueSpec::all_defaults().into_iter().filter(|queue| !queue.laziness().holds_back) {
            let name = queue.name();
            let config = LinkConfig { read_at: [end].into(), ..config_with(queue, |d| {
                d.rate = BitRate::from_bps(9_999_991 / slow);
                d.router = Some(AgentSpec::Xcp(router.clone()));
                d.loss = share(if loss { 0.1 } else { 0.0 });
            }) };
            // One in nine without a round-trip time, one in seven without the header.
            let make = |id: u64, size: u16| {
                let mut packet = Packet { class: (id % 2) as u8, flow: (id * id % 5) as u32, ..packet(id, size) };
                if id % 7 != 3 {
                    let rtt = (id % 9) as f64 * 0.01;
                    packet.attach(&XcpHeader { spacing: rtt / 20.0, rtt, delta: (id % 11) as f64 * 1e4 - 2e4 });
                }
                packet
            };
            let mut lazy = Link::new(&config);
            prop_assert!(matches!(&lazy.0, Form::Other(other) if matches!(**other, Other::Routed(_))), "{}", name);
            let mut general = the_general_form(&config);
            let (mut a, mut b) = (drive_with(&mut lazy, &arrivals, make), drive_with(&mut general, &arrivals, make));
            a.dropped.sort_unstable();
            b.dropped.sort_unstable();
            prop_assert_eq!(a, b, "{}", name);
            prop_assert_eq!(lazy.read().counters(end), general.read().counters(end), "{}", name);
        }
    }

    #[test]
    fn what_is_handed_on_comes_out_when_it_does_of_the_general_form(arrivals in arrivals(), dense in 1..20u64) {
        let arrivals: Vec<(u64, u16)> = arrivals.into_iter().map(|(gap, size)| (gap / dense, size)).collect();
        for queue in QueueSpec::all_defaults().into_iter().filter(|queue| !queue.laziness().holds_back) {
            let name = queue.name();
            let config = config_with(queue, |_| ());
            let mut lazy = Link(Form::Other(Box::new(Other::Lazy(LazyLink::new(&config, None)))));
            prop_assert!(lazy.abilities().hands_on && lazy.ahead().is_none());
            lazy.arm(Order::HandOn);
            prop_assert!(lazy.ahead().is_some());
            let (mut out, mut drops) = (Vec::new(), Incidents::new());
            let mut now = Time::ZERO;
            for (id, &(gap, size)) in arrivals.iter().enumerate() {
                now += Duration::from_nanos(gap);
                out.extend(std::iter::from_fn(|| lazy.ahead().unwrap().next(now, &mut drops)));
                out.extend(lazy.ahead().unwrap().arrive(now, &packet(id as u64, size), 0, &mut drops));
                prop_assert_eq!(id + 1, out.len() + drops.len() + lazy.read().inside() as usize, "{}", name);
            }
            while lazy.wake_at().is_finite() {
                let now = lazy.wake_at();
                prop_assert_eq!(lazy.take(now, &mut drops), None);
                let before = lazy.read().inside();
                out.extend(std::iter::from_fn(|| lazy.ahead().unwrap().next(now, &mut drops)));
                prop_assert!(lazy.read().inside() < before, "{} asks in vain", name);
            }
            let mut general = the_general_form(&config);
            let trace = drive(&mut general, &arrivals);
            let out: Vec<_> = out.iter().map(|(at, packet)| (*at, packet.body[0], packet.size)).collect();
            prop_assert_eq!(out, trace.out, "{}", name);
            prop_assert_eq!(drops.len(), trace.dropped.len(), "{}", name);
            let end = Time::from_nanos(200_000_000_000);
            prop_assert_eq!(lazy.read().counters(end), general.read().counters(end), "{}", name);
        }
    }

    #[test]
    fn agents_see_the_same_in_the_fast_and_the_general_form(
        arrivals in arrivals(), limit in prop_oneof![Just(QueueLimit::Unlimited), (1..20u64).prop_map(QueueLimit::Packets)],
        loss: bool,
    ) {
        let end = Time::from_nanos(200_000_000_000);
        let queue = QueueSpec::DropTail(droptail::Params { limit, count_in_service: false });
        let loss = share(if loss { 0.1 } else { 0.0 });
        let config = LinkConfig { read_at: [end].into(), inspected: true, ..config_with(queue, |d| d.loss = loss) };
        let mut fast = Link::new(&config);
        prop_assert!(matches!(&fast.0, Form::Other(other) if matches!(**other, Other::Tapped(_))));
        let mut general = the_general_form(&config);
        let seen = |link: &mut Link| {
            let (mut now, mut drops, mut out, mut seen) = (Time::ZERO, Vec::new(), Vec::new(), Vec::new());
            let run_until = |link: &mut Link, until: Time, drops: &mut Incidents, out: &mut Vec<_>| {
                while link.wake_at() <= until && link.wake_at().is_finite() {
                    let t = link.wake_at();
                    out.extend(link.take(t, drops).map(|packet| (t, packet.body[0])));
                }
            };
            for (id, &(gap, size)) in arrivals.iter().enumerate() {
                now += Duration::from_nanos(gap);
                run_until(link, now, &mut drops, &mut out);
                let meter = link.read();
                let (queue, c, backlog) = (meter.queue(now, &mut drops), meter.progress(now), meter.backlog(now));
                seen.push((queue, backlog, [c.arrived, c.sent, c.sent_bytes, c.marked, c.queue_at_arrivals, c.sojourn_sum], c.dropped));
                let packet = packet(id as u64, size);
                match id % 5 {
                    0 => Entrance { link: link.read(), incidents: &mut drops }.dropped(packet, DropReason::Law),
                    1 => {
                        Entrance { link: link.read(), incidents: &mut drops }.marked(&packet, MarkReason::Law);
                        link.push(now, &packet, 0, &mut drops);
                    }
                    _ => {
                        link.push(now, &packet, 0, &mut drops);
                    }
                }
            }
            run_until(link, now + Duration::from_secs(100), &mut drops, &mut out);
            let dropped: Vec<_> = drops.iter().map(|(packet, what)| (packet.body[0], *what)).collect();
            (seen, out, dropped, link.read().counters(end))
        };
        prop_assert_eq!(seen(&mut fast), seen(&mut general));
    }

    #[test]
    fn stamps_of_the_fast_form_are_those_of_the_general_form(
        arrivals in arrivals(), slow in 1..40u64, preset in 0..4usize, period in 1..30u64, initial_rtt in 1..300u64, loss: bool,
        limit in prop_oneof![Just(QueueLimit::Unlimited), (1..20u64).prop_map(QueueLimit::Packets)],
    ) {
        let preset = [rcp::Preset::Figures, rcp::Preset::Ns2, rcp::Preset::NetFpga, rcp::Preset::Mahimahi][preset];
        let router = rcp::Params {
            preset,
            period: Some(Duration::from_millis(period)),
            initial_rtt: Duration::from_millis(initial_rtt),
            ..rcp::Params::default()
        };
        let end = Time::from_nanos(200_000_000_000);
        let config = LinkConfig {
            read_at: [end].into(),
            ..config_with(QueueSpec::DropTail(droptail::Params { limit, count_in_service: false }), |d| {
                d.rate = BitRate::from_bps(9_999_991 / slow);
                d.router = Some(AgentSpec::Rcp(router));
                d.loss = share(if loss { 0.1 } else { 0.0 });
            })
        };
        // Kinds that are stamped and kinds that are not, with and without a round-trip time, with and without a limit.
        let make = |id: u64, size: u16| {
            let header = RcpHeader {
                kind: RcpKind::of((id % 9) as u8),
                seq: id as u32,
                rate: if id.is_multiple_of(4) { 20_000 } else { RcpHeader::NO_LIMIT },
                rtt: (id % 7) as u32 * 9000,
                ..RcpHeader::default()
            };
            Packet::of(header, 0, size, Ecn::NotEct)
        };
        let mut fast = Link::new(&config);
        prop_assert!(matches!(&fast.0, Form::Other(other) if matches!(**other, Other::Tapped(_))));
        let mut general = the_general_form(&config);
        prop_assert_eq!(drive_with(&mut fast, &arrivals, make), drive_with(&mut general, &arrivals, make));
        let after = Time::from_nanos(199_999_999_999);
        prop_assert_eq!(fast.read().offered(after), { general.take(after, &mut Vec::new()); general.read().offered(after) });
        prop_assert_eq!(fast.read().counters(end), general.read().counters(end));
    }

    #[test]
    fn counters_may_be_read_at_any_time(arrivals in arrivals(), cut in 0..300usize, leaving in any::<bool>()) {
        let head = &arrivals[..cut.min(arrivals.len())];
        let last = Time::from_nanos(head.iter().map(|(gap, _)| gap).sum());
        let queue = droptail::Params { limit: QueueLimit::Packets(7), count_in_service: false };
        let config = config(QueueSpec::DropTail(queue));
        // Stop in the middle of things: at the last arrival, before what is queued has left, or just when a packet leaves.
        let out = drive(&mut Link::new(&config), head).out;
        let departures = out.iter().map(|(at, ..)| *at - config.direction.delay);
        let stop = departures.filter(|at| leaving && *at >= last).min().unwrap_or(last);
        let config = LinkConfig { read_at: [stop].into(), ..config };
        let mut read = Vec::new();
        for mut link in [Link::new(&config), the_general_form(&config)] {
            let (mut now, mut drops) = (Time::ZERO, Vec::new());
            let run_until = |link: &mut Link, until: Time, drops: &mut Incidents| {
                while link.wake_at() <= until {
                    link.take(link.wake_at(), drops);
                }
            };
            for (id, &(gap, size)) in head.iter().enumerate() {
                now += Duration::from_nanos(gap);
                run_until(&mut link, now, &mut drops);
                link.push(now, &packet(id as u64, size), 0, &mut drops);
            }
            run_until(&mut link, stop, &mut drops);
            let c = link.read().counters(stop);
            prop_assert_eq!(c.arrived, c.sent + c.dropped_total() + link.read().backlog(stop));
            read.push((c.arrived, c.sent, c.sent_bytes, c.dropped, c.queue_area));
        }
        prop_assert_eq!(read[0], read[1]);
    }

    #[test]
    fn packets_passed_on_at_once_fare_like_waiting_ones(arrivals in arrivals(), read in 0..400_000_000u64) {
        // Two links in a row, the second fed by the first alone.
        let read = Time::from_nanos(read);
        let queue = QueueSpec::DropTail(droptail::Params { limit: QueueLimit::Packets(7), count_in_service: false });
        let first = LinkConfig { read_at: [read].into(), ..config_with(queue, |d| d.drop_list = vec![2]) };
        let slower = config_with(QueueSpec::DropTail(droptail::Params::default()), |d| {
            d.rate = BitRate::from_bps(8_000_003);
            d.drop_list.clear();
        });
        let second = LinkConfig { sampled: false, read_at: [read].into(), ..slower };
        prop_assert!(Link::new(&first).abilities().passes_on && Link::new(&second).abilities().transparent);

        let mut drops = Vec::new();
        let (mut a, mut b) = (Link::new(&first), Link::new(&second));
        let mut at_once = Vec::new();
        let mut now = Time::ZERO;
        for (id, &(gap, size)) in arrivals.iter().enumerate() {
            now += Duration::from_nanos(gap);
            let packet = packet(id as u64, size);
            if let Some(t) = a.pass(now, &packet, &mut drops) {
                at_once.extend(b.pass(t, &packet, &mut drops).map(|t| (t, id as u64)));
            }
        }
        let counters = (a.read().counters(read), b.read().counters(read));

        let (mut a, mut b) = (Link::new(&first), the_general_form(&second));
        let mut waited = Vec::new();
        let mut counted = None;
        let mut now = Time::ZERO;
        let mut offered = arrivals.iter().enumerate().map(|(id, &(gap, size))| { now += Duration::from_nanos(gap); (now, packet(id as u64, size)) }).peekable();
        loop {
            let times = [offered.peek().map_or(Time::NEVER, |(t, _)| *t), a.wake_at(), b.wake_at()];
            let now = times.into_iter().min().unwrap();
            if now > read && counted.is_none() {
                // The general form settles its own past before it is read.
                b.take(read, &mut drops);
                counted = Some((a.read().counters(read), b.read().counters(read)));
            }
            if !now.is_finite() {
                break;
            }
            // Departures and arrivals at the far end come before new packets at the same instant.
            if times[2] == now {
                waited.extend(b.take(now, &mut drops).map(|packet| (now, packet.body[0])));
            } else if times[1] == now {
                let p = a.take(now, &mut drops).unwrap();
                b.push(now, &p, 0, &mut drops);
            } else {
                let (_, p) = offered.next().unwrap();
                a.push(now, &p, 0, &mut drops);
            }
        }
        prop_assert_eq!(at_once, waited);
        let (counted_a, counted_b) = counted.unwrap();
        prop_assert_eq!(counters.0.sent, counted_a.sent);
        let fields = |c: &super::Counters| (c.arrived, c.sent, c.sent_bytes, c.queue_area);
        prop_assert_eq!(fields(&counters.1), fields(&counted_b));
    }

    #[test]
    fn no_link_is_faster_than_its_rate_or_reorders(arrivals in arrivals()) {
        for queue in QueueSpec::all_defaults() {
            let config = config(queue);
            let trace = drive(&mut Link::new(&config), &arrivals);
            for first in 0..trace.out.len() {
                let mut bits = 0u128;
                for &(t, _, size) in &trace.out[first + 1..] {
                    bits += u128::from(size) * 8;
                    let needed = bits * 1_000_000_000 / u128::from(config.direction.rate.as_bps());
                    // Departures are rounded down to the nanosecond, so an interval may be short by one.
                    prop_assert!(u128::from(t.since(trace.out[first].0).as_nanos()) + 1 >= needed);
                }
            }
            prop_assert!(trace.out.is_sorted_by_key(|&(_, id, _)| id));
        }
    }
}

proptest! {
    #[test]
    fn links_that_tell_classes_apart_lose_no_packet_of_any(arrivals in arrivals(), dense in 1..20_u64) {
        let arrivals: Vec<(u64, u16)> = arrivals.into_iter().map(|(gap, size)| (gap / dense, size)).collect();
        let codel = r#"{"kind": "codel", "limit": "30pkt"}"#;
        let queues = [
            format!(r#""queue": {{"kind": "strict-priority", "classes": [{codel}, "drr"]}}"#),
            format!(r#""queue": {{"kind": "drr", "classes": [{codel}, {{"kind": "token-bucket-filter", "queue": {codel}}}]}}"#),
            r#""queue": "strict-priority", "marker": {"kind": "token-bucket", "rate": "2Mbit/s", "out_class": 2}"#.to_owned(),
        ];
        for queue in queues {
            let text = format!(
                r#"{{"rate": "9999991bit/s", "delay": "3ms", "drop_list": [3, 5], "loss": 0.1, {queue},
                    "impairments": [{{"kind": "duplication", "probability": 0.1}}]}}"#
            );
            let config = LinkConfig { direction: Arc::new(described(&text)), ..config(QueueSpec::DropTail(droptail::Params::default())) };
            let mut link = Link::new(&config);
            let mut incidents: Incidents = Vec::new();
            let mut now = Time::ZERO;
            let mut out = [0_u64; 3];
            let run_until = |link: &mut Link, until: Time, incidents: &mut Incidents, out: &mut [u64; 3]| {
                while link.wake_at() <= until && link.wake_at().is_finite() {
                    if let Some(packet) = link.take(link.wake_at(), incidents) {
                        out[usize::from(packet.class)] += 1;
                    }
                    link.read().assert_conservation();
                }
            };
            for (id, (gap, size)) in arrivals.iter().enumerate() {
                now += Duration::from_nanos(*gap);
                run_until(&mut link, now, &mut incidents, &mut out);
                let sent = Packet { ecn: Ecn::Ect0, class: (id % 3) as u8, ..packet(id as u64, *size) };
                link.push(now, &sent, 0, &mut incidents);
                link.read().assert_conservation();
            }
            run_until(&mut link, now + Duration::from_secs(1_000), &mut incidents, &mut out);
            prop_assert_eq!(link.read().inside(), 0);
            let classes = link.read().read_classes(Time::NEVER).unwrap();
            for (class, (counted, out)) in classes.iter().zip(out).enumerate() {
                let of_class = |wanted: bool| incidents.iter().filter(|(p, what)| usize::from(p.class) == class && (*what == Incident::Duplicated) == wanted).count() as u64;
                prop_assert_eq!(counted.arrived + of_class(true), out + of_class(false), "class {}", class);
                prop_assert_eq!(counted.dropped, of_class(false), "class {}", class);
            }
        }
    }

    #[test]
    fn every_mark_that_comes_out_is_counted(arrivals in arrivals()) {
        // Eight times as dense, so that queues fill.
        let arrivals: Vec<(u64, u16)> = arrivals.into_iter().map(|(gap, size)| (gap / 8, size)).collect();
        // One that marks at a time: a packet may be marked by the queue and again by the router.
        let droptail = || QueueSpec::DropTail(droptail::Params::default());
        let agent = |name: &str| AgentSpec::from_value(&name.into(), &At::root("router")).unwrap();
        let agents = AgentSpec::descriptors().into_iter().map(|d| (droptail(), Some(agent(d.name))));
        for (queue, router) in agents.chain(QueueSpec::all_defaults().into_iter().map(|queue| (queue, None))) {
            let config = config_with(queue, |d| d.router = router);
            let mut link = the_general_form(&config);
            let ecn = |id, size| Packet { ecn: Ecn::Ect0, ..packet(id, size) };
            let trace = drive_with(&mut link, &arrivals, ecn);
            let marked = trace.ecn.iter().filter(|ecn| **ecn == Ecn::Ce).count() as u64;
            prop_assert_eq!(link.read().progress(Time::NEVER).marked, marked);
        }
    }
}

#[test]
fn random_loss_takes_its_share_after_transmission() {
    let lossy = |loss| {
        config_with(QueueSpec::DropTail(droptail::Params::default()), |d| {
            d.loss = share(loss);
            d.drop_list.clear();
        })
    };
    let arrivals = vec![(2_000_000, 1500); 20_000];
    let all = drive(&mut Link::new(&lossy(0.0)), &arrivals).out.len();
    assert_eq!(all, 20_000);
    let mut link = Link::new(&lossy(0.1));
    let kept = drive(&mut link, &arrivals).out.len();
    // Binomial(20000, 0.9): standard deviation 42.
    assert!((17_800..18_200).contains(&kept), "{kept}");
    assert_eq!(link.read().progress(Time::from_nanos(1 << 47)).sent, 20_000);
}

#[test]
fn the_head_of_the_queue_waits_for_its_opportunity_in_the_queue() {
    // The second packet meets CoDel when the outage is over, 190 ms after the first has left, and not before.
    let times = [10, 200, 210, 220, 230, 1000].map(|ms| Time::from_nanos(ms * 1_000_000));
    let trace = super::Trace { times: times.into(), opportunity: 1504, overhead: 4 };
    let without_drops = config_with(QueueSpec::CoDel(codel::Params::default()), |d| d.drop_list.clear());
    let config = LinkConfig { trace: Some(trace), ..without_drops };
    let mut link = the_general_form(&config);
    let found = drive(&mut link, &[(1, 1500); 6]);
    assert_eq!(found.dropped, [1]);
    let left = [10, 200, 210, 220, 230].map(|ms| Time::from_nanos(ms * 1_000_000) + config.direction.delay);
    let out: Vec<(Time, u64)> = found.out.iter().map(|(at, id, _)| (*at, *id)).collect();
    assert_eq!(out, left.into_iter().zip([0, 2, 3, 4, 5]).collect::<Vec<_>>());
}
