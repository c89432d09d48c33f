//! The table against an independent water-filling, and the router's decisions one by one.

use dumbbell_core::rng::stream;
use dumbbell_core::testing::lengths;
use dumbbell_core::{DropReason, Ecn, MarkReason};
use proptest::prelude::*;

use super::*;
use crate::node::Port;
use crate::router::QueueView;

const FREE: f32 = f32::INFINITY;
/// An acknowledgement for each data packet.
const K: f64 = 40.0 / 1500.0;

fn flow(number: u32) -> FlowId {
    FlowId { index: number, number }
}

/// A table of flows with these limits, shared out; what each gets.
fn shares(capacity: f64, limits: &[f64]) -> Vec<f64> {
    let mut table = Table::default();
    for (i, limit) in (0..).zip(limits) {
        let asked = Asked { desired: FREE, rate: FREE, bottleneck: 0 };
        let place = table.insert(Time::ZERO, (flow(i), Way::Forward), asked, 1);
        table.set_limit(place, *limit);
    }
    table.allocate(capacity);
    let place = |i: u32| table.find(flow(i), Way::Forward).unwrap();
    (0..limits.len() as u32).map(|i| table.entries()[place(i)].allocation).collect()
}

proptest! {
    /// Water rises in vessels of different heights until it is used up: found by halving intervals, not by sorting.
    #[test]
    fn shares_are_those_of_water_filling(
        capacity in 1.0..1e9_f64,
        limits in prop::collection::vec(prop_oneof![Just(f64::INFINITY), 0.0..1e9_f64, 0.0..1e6_f64], 1..40),
    ) {
        let (mut low, mut high) = (0.0, capacity);
        for _ in 0..200 {
            let level = (low + high) / 2.0;
            let used: f64 = limits.iter().map(|limit| limit.min(level)).sum();
            if used < capacity { low = level } else { high = level }
        }
        for (got, limit) in shares(capacity, &limits).iter().zip(&limits) {
            let expected = limit.min(high);
            prop_assert!((got - expected).abs() <= 1e-9 * capacity, "{got} for {expected}");
        }
    }

    /// Whatever comes, moves and goes: the order is that of the limits, and every flow is found where it is.
    #[test]
    fn a_table_keeps_its_order(steps in prop::collection::vec((0..12_u32, any::<bool>(), 0..9_u32, 0..4_u8), lengths(1..120))) {
        let mut table = Table::default();
        let mut model = std::collections::BTreeMap::new();
        for (number, forward, limit, deed) in steps {
            let way = if forward { Way::Forward } else { Way::Reverse };
            let (id, limit) = (flow(number), f64::from(limit));
            match (deed, table.find(id, way)) {
                (0, found) => {
                    prop_assert_eq!(table.remove(id, way), found.is_some());
                    model.remove(&(number, forward));
                }
                (_, Some(place)) => {
                    table.set_limit(place, limit);
                    model.insert((number, forward), limit);
                }
                (_, None) => {
                    let asked = Asked { desired: limit as f32, rate: FREE, bottleneck: 0 };
                    table.insert(Time::ZERO, (id, way), asked, 1);
                    model.insert((number, forward), limit);
                }
            }
            prop_assert_eq!(table.entries().len(), model.len());
            for ((number, forward), limit) in &model {
                let way = if *forward { Way::Forward } else { Way::Reverse };
                let place = table.find(flow(*number), way).unwrap();
                prop_assert_eq!((table.entries()[place].way, table.entries()[place].limit), (way, *limit));
            }
            let limits: Vec<f64> = (0..model.len()).map(|place| table.entries()[place].limit).collect();
            prop_assert!(limits.is_sorted());
        }
    }
}

/// The optimum of scenario 7 (RBCC, 1996, section 11): `there` flows cross a link of 64 kbit/s one way and one the
/// other way, and the acknowledgements of each go back. What data gets there, and back.
fn scenario_7(there: usize) -> (f64, f64) {
    let (mut rate, mut back) = (64_000.0, 64_000.0);
    for _ in 0..100 {
        let limits =
            |data: usize, acks: usize, rate: f64| [vec![f64::INFINITY; data], vec![K * rate; acks]].concat();
        rate = shares(64_000.0, &limits(there, 1, back))[0];
        back = shares(64_000.0, &limits(1, there, rate))[0];
    }
    (rate, back)
}

#[test]
fn scenario_7_has_the_published_rates() {
    assert_eq!(shares(64_000.0, &[f64::INFINITY]), [64_000.0]);
    assert_eq!(shares(64_000.0, &[f64::INFINITY; 2]), [32_000.0; 2]);
    let (two, back) = scenario_7(2);
    assert!((two - 31_168.83).abs() < 0.01 && (back - 62_337.66).abs() < 0.01, "{two}, {back}");
    assert!((two * K - 831.2).abs() < 0.1 && (back * K - 1662.34).abs() < 0.01);
    let (three, back) = scenario_7(3);
    assert!((three - 20_779.2).abs() < 0.1 && (back - 62_337.66).abs() < 0.01, "{three}, {back}");
    assert!((three * K - 554.1).abs() < 0.1);
}

struct Nothing;
impl VerdictSink<Packet> for Nothing {
    fn dropped(&mut self, _packet: Packet, reason: DropReason) {
        panic!("{reason:?}");
    }
    fn marked(&mut self, _packet: &Packet, reason: MarkReason) {
        panic!("{reason:?}");
    }
}

/// A router of two interfaces of 12 Mbit/s: data leaves by port 1, acknowledgements by port 0.
struct Router {
    agent: Rbcc,
    now: Time,
    /// Packets on an interface, besides the one that passes.
    queued: u64,
    quenched: Vec<(u32, f32)>,
}

const ID: u32 = 7;

impl Router {
    fn new(change: impl FnOnce(&mut Params)) -> Router {
        let mut params = Params::default();
        change(&mut params);
        let ports = vec![Port { rate: BitRate::from_bps(12_000_000), mtu: 1500 }; 2];
        let agent = Rbcc::new(params, &Setting { router: ID, ports, rng: stream(1, "test") });
        Router { agent, now: Time::ZERO, queued: 0, quenched: Vec::new() }
    }

    /// Each packet makes the router look, and all packets count.
    fn at_each_packet(mut self) -> Router {
        (self.agent.params.decisions, self.agent.params.counted) = (Decisions::Packets, Counted::All);
        self
    }

    fn pass(&mut self, number: u32, header: TrumpHeader) -> TrumpHeader {
        let forward = matches!(header.kind, TrumpKind::Setup | TrumpKind::Data | TrumpKind::Teardown);
        let way = if forward { Way::Forward } else { Way::Reverse };
        let originated = header.kind == TrumpKind::Quench;
        let (entered, leaves) = if forward { (0, 1) } else { (1, 0) };
        let passage = Passage { flow: flow(number), way, originated, entered, leaves };
        let queue = QueueView { packets: self.queued, bytes: 0, rate: BitRate::from_bps(12_000_000) };
        let view = PortView { queue, backlog: self.queued, ..PortView::default() };
        let packet = Packet::of(header, number, 1500, Ecn::NotEct);
        let mut outbox = Outbox::default();
        let onward = self.agent.passing(self.now, packet, &passage, &view, &mut Nothing, &mut outbox);
        for (flow, way, packet) in outbox.drain() {
            assert_eq!((way, packet.size), (Way::Reverse, 40));
            let header: TrumpHeader = packet.read().unwrap();
            assert_eq!((header.kind, header.return_bottleneck), (TrumpKind::Quench, ID));
            self.quenched.push((flow.number, header.return_rate));
        }
        onward.unwrap().read().unwrap()
    }

    /// A data packet with what its source has been told; the rate and the bottleneck that it leaves with.
    fn data(&mut self, number: u32, rate: f32, bottleneck: u32) -> (f32, u32) {
        let header =
            TrumpHeader { kind: TrumpKind::Data, desired: FREE, rate, bottleneck, ..TrumpHeader::default() };
        let header = self.pass(number, header);
        (header.rate, header.bottleneck)
    }

    fn acknowledgement(&mut self, number: u32, return_rate: f32, return_bottleneck: u32) {
        let desired = return_rate * K as f32;
        let rates =
            TrumpHeader { desired, rate: desired, return_rate, return_bottleneck, ..TrumpHeader::default() };
        self.pass(number, TrumpHeader { kind: TrumpKind::Ack, ..rates });
    }

    fn counted(&self, port: usize) -> (u64, u64, u64) {
        let Allocated { hits, misses, updates, .. } = self.agent.allocated()[port];
        (hits, misses, updates)
    }
}

#[test]
fn the_bottleneck_lowers_a_rate_and_it_alone_raises_it_again() {
    let mut router = Router::new(|_| ());
    assert_eq!(router.data(0, FREE, 0), (12e6, ID));
    assert_eq!(router.data(1, FREE, 0), (6e6, ID), "two flows");
    assert_eq!(router.data(0, 12e6, ID), (6e6, ID), "the first learns of the second");
    assert_eq!(router.data(1, 2e6, 3), (2e6, 3), "another router allows less");
    assert_eq!(router.data(0, 6e6, ID), (10e6, ID), "its own stamp goes up");
    assert_eq!(router.data(1, 11e6, 3), (6e6, ID), "the other router allows more than the share");
    router.pass(0, TrumpHeader { kind: TrumpKind::Teardown, ..TrumpHeader::default() });
    assert_eq!(router.data(1, 6e6, ID), (12e6, ID), "a flow that is over leaves its share");
    let desired = TrumpHeader { kind: TrumpKind::Data, desired: 1e6, rate: 1e6, ..TrumpHeader::default() };
    assert_eq!((router.pass(2, desired).rate, router.pass(2, desired).bottleneck), (1e6, 0));
    assert_eq!(router.data(1, 12e6, ID), (11e6, ID), "what a flow does not want goes to the rest");
}

#[test]
fn a_router_that_repeats_the_limit_of_another_does_not_claim_it() {
    let mut router = Router::new(|_| ());
    router.data(0, 1e6, 3);
    assert_eq!(
        router.data(0, 1.0005e6, 3),
        (1.0005e6, 3),
        "or it would raise the rate to its own share next"
    );
    assert_eq!(router.data(0, 2e6, 3), (2e6, 3));
}

#[test]
fn a_hit_is_a_packet_with_the_fields_of_the_last_decision() {
    let mut router = Router::new(|_| ());
    router.data(0, FREE, 0);
    assert_eq!(router.counted(1), (0, 1, 1));
    router.data(0, FREE, 0);
    assert_eq!(router.counted(1), (1, 1, 1));
    router.data(0, 12e6, ID);
    assert_eq!(router.counted(1), (1, 2, 1), "decided, and nothing moves: the limit was its own");
    router.data(0, 12e6 * 1.0005, ID);
    assert_eq!(router.counted(1), (2, 2, 1), "less than a part in a thousand");
    router.data(0, 5e6, 3);
    assert_eq!(router.counted(1), (2, 3, 2));
    router.acknowledgement(0, 5e6, 3);
    router.acknowledgement(0, 5e6, 3);
    assert_eq!(
        (router.counted(0), router.counted(1)),
        ((1, 1, 1), (2, 3, 2)),
        "acknowledgements are flows too"
    );
}

#[test]
fn bandwidth_is_scaled_once_for_each_crossing() {
    let mut router = Router::new(|p| (p.threshold, p.alpha) = (3, 0.5)).at_each_packet();
    let mut rates = Vec::new();
    for queued in [0, 1, 2, 3, 4, 5, 3, 4, 2, 2] {
        router.queued = queued;
        rates.push(router.data(0, 12e6, ID).0);
    }
    // The packet that makes the queue longer is stamped first. A fourth packet crosses; one that finds three has
    // found the queue below.
    assert_eq!(rates, [12e6, 12e6, 12e6, 12e6, 6e6, 6e6, 12e6, 6e6, 12e6, 12e6]);
    // One for the flow, and four crossings.
    assert_eq!(router.counted(1).2, 1 + 4);
}

#[test]
fn sources_that_are_lowered_by_data_are_quenched() {
    let all = |change: fn(&mut Params)| {
        let mut router = Router::new(|p| {
            p.quench = true;
            change(p);
        })
        .at_each_packet();
        router.data(0, FREE, 0);
        router.data(1, FREE, 0);
        let newcomer = std::mem::take(&mut router.quenched);
        router.acknowledgement(2, 3e6, 1);
        router.queued = 5;
        router.data(1, 6e6, ID);
        router.queued = 6;
        router.data(1, 6e6, ID);
        let crossing = std::mem::take(&mut router.quenched);
        router.queued = 5;
        router.data(1, 6e6, ID);
        (newcomer, crossing, router.quenched)
    };
    let (newcomer, crossing, again) = all(|_| ());
    assert_eq!(newcomer, [(0, 6e6)], "a newcomer lowers the other");
    assert_eq!(crossing, [(0, 4.5e6), (1, 4.5e6)], "the threshold lowers both, once");
    assert_eq!(again, [(1, 4.5e6)], "the next crossing: its packet has been given a higher rate between");
    assert_eq!(all(|p| p.quench_scope = Scope::Own), (vec![], vec![(1, 4.5e6)], vec![(1, 4.5e6)]));
    assert_eq!(all(|p| p.quench = false), (vec![], vec![], vec![]));
}

#[test]
fn only_a_miss_looks_at_the_queue() {
    let mut router = Router::new(|p| (p.threshold, p.alpha, p.counted) = (3, 0.5, Counted::All));
    router.data(0, FREE, 0);
    router.data(0, 12e6, ID);
    router.queued = 9;
    assert_eq!(router.data(0, 12e6, ID).0, 12e6, "a hit, whatever the queue");
    assert_eq!(router.counted(1), (1, 2, 1));
    assert_eq!(router.data(0, 11e6, ID).0, 6e6, "a miss");
    assert_eq!(router.counted(1), (1, 3, 2), "an update is a miss too");
    router.queued = 3;
    assert_eq!(router.data(0, 6e6, ID).0, 6e6, "the arriving packet counts");
    router.queued = 2;
    assert_eq!(router.data(0, 7e6, ID).0, 12e6);
    assert_eq!(router.counted(1), (1, 5, 3));
}

#[test]
fn the_threshold_counts_waiting_found_or_all_packets() {
    let scaled_from = |counted| {
        let mut router = Router::new(|p| (p.threshold, p.alpha, p.counted) = (3, 0.5, counted));
        router.data(0, FREE, 0);
        let crossing = (0..9).find(|queued| {
            router.queued = *queued;
            // Each differs from the last one: a miss.
            router.data(0, 1e6 * (*queued + 1) as f32, ID).0 < 12e6
        });
        crossing.unwrap()
    };
    // One packet of those found is in transmission.
    assert_eq!([Counted::Waiting, Counted::Found, Counted::All].map(scaled_from), [5, 4, 3]);
}

#[test]
fn set_up_packets_quench_only_if_asked() {
    let quenched = |causes| {
        let mut router = Router::new(|p| (p.quench, p.quench_causes) = (true, causes));
        router.data(0, FREE, 0);
        let setup =
            TrumpHeader { kind: TrumpKind::Setup, desired: FREE, rate: FREE, ..TrumpHeader::default() };
        router.pass(1, setup);
        router.data(2, FREE, 0);
        router.quenched
    };
    assert_eq!(quenched(Causes::Data), [(0, 4e6), (1, 4e6)], "of the third flow's data alone");
    assert_eq!(quenched(Causes::Setup), [(0, 6e6), (0, 4e6), (1, 4e6)]);
}

#[test]
fn a_teardown_is_a_miss_an_update_or_neither() {
    let after = |teardown| {
        let mut router = Router::new(|p| p.teardown = teardown);
        router.data(0, FREE, 0);
        router.data(1, FREE, 0);
        router.pass(0, TrumpHeader { kind: TrumpKind::Teardown, ..TrumpHeader::default() });
        let (_, misses, updates) = router.counted(1);
        (misses, updates, router.data(1, FREE, 0).0)
    };
    assert_eq!(after(Teardown::Miss), (3, 3, 12e6));
    assert_eq!(after(Teardown::Update), (2, 3, 12e6));
    assert_eq!(after(Teardown::Leave), (2, 2, 6e6), "its share stays unused until the next miss");
}

#[test]
fn what_returns_upstream_changes_the_table_if_asked_for() {
    let rates = |revupdates| {
        let mut router = Router::new(|p| p.revupdates = revupdates);
        router.data(0, FREE, 0);
        router.data(1, FREE, 0);
        router.acknowledgement(0, 2e6, 3);
        let lower = router.data(1, 6e6, ID).0;
        router.acknowledgement(0, 3e6, 3);
        let higher = router.data(1, 6e6, ID).0;
        router.acknowledgement(0, 1e6, ID);
        (lower, higher, router.data(1, 6e6, ID).0)
    };
    assert_eq!(rates(false), (6e6, 6e6, 6e6));
    assert_eq!(rates(true), (10e6, 9e6, 9e6), "and not by its own stamp");
}

#[test]
fn what_returns_upstream_makes_no_bottleneck_of_the_router() {
    let mut router = Router::new(|p| p.revupdates = true);
    router.data(0, 5e6, 3);
    router.acknowledgement(0, 2e6, 3);
    assert_eq!(router.data(0, 5e6, 3), (5e6, 3), "what returns may be older than what comes");
    router.data(1, FREE, 0);
    router.data(1, 6e6, ID);
    router.acknowledgement(1, 4e6, 3);
    assert_eq!(router.data(1, 6e6, ID), (4e6, 3), "who limits the flow is known");
}

#[test]
fn silent_flows_are_forgotten_and_slow_ones_later() {
    let mut router = Router::new(|_| ());
    router.data(0, FREE, 0);
    let slow = TrumpHeader { kind: TrumpKind::Data, desired: 6000.0, rate: 6000.0, ..TrumpHeader::default() };
    router.pass(1, slow);
    let mut forgotten = Vec::new();
    while router.agent.wake_at().is_finite() {
        router.now = router.agent.wake_at();
        let views = [PortView {
            queue: QueueView { rate: BitRate::from_bps(12_000_000), ..QueueView::default() },
            ..PortView::default()
        }; 2];
        router.agent.wake(router.now, &views, &mut Outbox::default());
        let gone = router.agent.allocated()[1].forgotten;
        if gone > forgotten.len() as u64 {
            forgotten.push(router.now.as_secs_f64());
        }
    }
    // Ten intervals of 12,000 bits at 6 kbit/s are 20 seconds; a look each second.
    assert_eq!(forgotten, [11.0, 21.0]);
    assert_eq!(router.data(1, FREE, 0), (12e6, ID), "a flow comes anew");
}

#[test]
fn an_index_that_is_used_again_is_another_flow() {
    let mut table = Table::default();
    let asked = Asked { desired: FREE, rate: FREE, bottleneck: 0 };
    let (old, new) = (FlowId { index: 3, number: 3 }, FlowId { index: 3, number: 9 });
    table.insert(Time::ZERO, (old, Way::Forward), asked, 1);
    assert!(table.find(new, Way::Forward).is_none());
    table.insert(Time::ZERO, (new, Way::Forward), asked, 1);
    assert_eq!((table.find(old, Way::Forward), table.find(new, Way::Forward)), (None, Some(0)));
    assert_eq!(table.entries().len(), 1);
}
