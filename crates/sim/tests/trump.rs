//! TRUMP through RBCC routers: the published scenarios, convergence to max-min rates, and what is counted.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use dumbbell_core::{Frame, Packet, Results, Time, Way};
use dumbbell_header::{TrumpHeader, TrumpKind};
use dumbbell_sim::{Event, Observer, Plan, Scenario, run_observed};

/// An acknowledgement takes so much of the rate of its data.
const K: f64 = 40.0 / 1500.0;

fn plan(text: &str) -> Arc<Plan> {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{e}"))
}

/// What sources are told, and when they send.
#[derive(Default)]
struct Watch {
    /// By slot: every rate that an answer brought.
    told: BTreeMap<u32, Vec<(Time, f64)>>,
    /// By slot: when data left.
    sent: BTreeMap<u32, Vec<Time>>,
    /// Packets that passed an agent, by kind.
    passed: BTreeMap<u8, u64>,
}

impl Observer for Watch {
    fn packet(&mut self, now: Time, packet: &Packet, _way: Way, event: Event) {
        let Some(header) = packet.read::<TrumpHeader>() else { return };
        match (event, header.kind) {
            (Event::Returned, TrumpKind::SetupAck | TrumpKind::Ack) => {
                self.told.entry(packet.flow).or_default().push((now, header.return_rate.into()));
            }
            (Event::Sent, TrumpKind::Data) => self.sent.entry(packet.flow).or_default().push(now),
            (Event::Passed(_), kind) => *self.passed.entry(kind as u8).or_default() += 1,
            _ => {}
        }
    }
}

impl Watch {
    /// The rate that the flow in a slot was told last before a time in seconds.
    fn rate(&self, slot: u32, seconds: f64) -> f64 {
        let before = self.told[&slot].iter().take_while(|(at, _)| at.as_secs_f64() < seconds);
        before.last().unwrap().1
    }

    fn passed(&self, kinds: &[TrumpKind]) -> u64 {
        kinds.iter().filter_map(|kind| self.passed.get(&(*kind as u8))).sum()
    }
}

fn watched(text: &str) -> (Results, Watch) {
    let mut watch = Watch::default();
    let results = run_observed(&plan(text), u64::MAX, |_| ControlFlow::Continue(()), &mut watch);
    (results.unwrap_or_else(|_| panic!("nobody stops it")), watch)
}

#[test]
fn scenario_1_sends_at_exactly_a_megabit_a_second() {
    // 10 ms, 4 times 33 us and 0.768 ms of transmission there and back: 10.9 ms.
    let (results, watch) = watched(
        r#"
        duration = "20s"
        transport = "trump"
        nodes = [{ name = ["2", "3"], agent = "rbcc" }]
        [topology]
        kind = "graph"
        nodes = ["5", "2", "3", "4"]
        links = [
            { from = "5", to = "2", rate = "10Mbit/s", delay = "33us" },
            { from = "2", to = "3", rate = "1Mbit/s", delay = "5ms" },
            { from = "3", to = "4", rate = "10Mbit/s", delay = "33us" },
        ]
        [[flows]]
        from = "5"
        to = "4"
        size = "1460kB"
        "#,
    );
    assert_eq!(watch.told[&0][0], (Time::from_nanos(10_900_000), 1e6));
    let sent = &watch.sent[&0];
    assert_eq!((sent.len(), sent[0]), (1000, Time::from_nanos(10_900_000)));
    assert_eq!(sent[999], Time::from_nanos(12_010_900_000 - 12_000_000), "12.0109 s when it has left");
    assert_eq!(results.flows.delivered, [1_460_000]);
    // Every packet is as long on its way as the first.
    assert!(results.flows.delay_sd[0] < 1e-9);
}

#[test]
fn scenario_7_converges_to_the_published_rates() {
    let (_, watch) = watched(
        r#"
        duration = "200s"
        transport = "trump"
        nodes = [{ name = ["2", "3"], agent = "rbcc" }]
        [topology]
        kind = "graph"
        nodes = ["2", "3", "5", "6", "7", "8", "9", "10", "11", "12"]
        links = [
            { from = "2", to = "3", rate = "64kbit/s", delay = "1s" },
            { from = "5", to = "2", rate = "10Mbit/s", delay = "1us" },
            { from = "6", to = "2", rate = "10Mbit/s", delay = "1us" },
            { from = "7", to = "2", rate = "10Mbit/s", delay = "1us" },
            { from = "9", to = "2", rate = "10Mbit/s", delay = "1us" },
            { from = "3", to = "8", rate = "10Mbit/s", delay = "1us" },
            { from = "3", to = "10", rate = "10Mbit/s", delay = "1us" },
            { from = "3", to = "11", rate = "10Mbit/s", delay = "1us" },
            { from = "3", to = "12", rate = "10Mbit/s", delay = "1us" },
        ]
        [[flows]]
        from = "5"
        to = "10"
        size = "876kB"
        [[flows]]
        from = "7"
        to = "12"
        size = "876kB"
        start = "12s"
        [[flows]]
        from = "8"
        to = "9"
        size = "1606kB"
        start = "18s"
        [[flows]]
        from = "6"
        to = "11"
        size = "146kB"
        start = "140s"
        "#,
    );
    for (at, rates) in [
        (11.0, vec![64_000.0]),
        (18.0, vec![32_000.0, 32_000.0]),
        (60.0, vec![31_168.83, 31_168.83, 62_337.66]),
        (160.0, vec![20_779.2, 20_779.2, 62_337.66, 20_779.2]),
    ] {
        for (slot, expected) in (0..).zip(rates) {
            let rate = watch.rate(slot, at);
            assert!((rate / expected - 1.0).abs() < 1e-3, "{rate} of flow {slot} at {at} s");
        }
    }
}

/// A linear congruential generator (Knuth, MMIX): the networks are the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// A random tree of routers with two more links, and flows between hosts of their own on distinct routers, which start
/// within `spread` milliseconds.
fn random_network(seed: u64, spread: u64, flow: &str, agent: &str) -> String {
    let mut dice = Dice(seed);
    let routers = 4 + dice.below(6);
    let flows = 3 + dice.below(8);
    let mut links: Vec<(u64, u64)> = (1..routers).map(|i| (dice.below(i), i)).collect();
    while links.len() as u64 <= routers {
        let (a, b) = (dice.below(routers), dice.below(routers));
        if a < b && !links.contains(&(a, b)) {
            links.push((a, b));
        }
    }
    let mut text =
        format!("duration = \"20s\"\nseed = {seed}\ntransport = \"trump\"\n[topology]\nkind = \"graph\"\n");
    let names =
        |letter: char, n: u64| (0..n).map(|i| format!("\"{letter}{i}\"")).collect::<Vec<_>>().join(", ");
    let all = [names('r', routers), names('s', flows), names('d', flows)].join(", ");
    writeln!(
        text,
        "nodes = [{all}]\ngroups = [{{ name = \"routers\", nodes = [{}] }}]\nlinks = [",
        names('r', routers)
    )
    .unwrap();
    for (a, b) in links {
        let (rate, delay) = (2000 + dice.below(6000), 1 + dice.below(20));
        writeln!(
            text,
            "{{ from = \"r{a}\", to = \"r{b}\", rate = \"{rate}kbit/s\", delay = \"{delay}ms\" }},"
        )
        .unwrap();
    }
    let mut starts = String::new();
    for i in 0..flows {
        let from = dice.below(routers);
        let to = (from + 1 + dice.below(routers - 1)) % routers;
        writeln!(text, "{{ from = \"s{i}\", to = \"r{from}\", rate = \"10Mbit/s\", delay = \"10us\" }},")
            .unwrap();
        writeln!(text, "{{ from = \"d{i}\", to = \"r{to}\", rate = \"10Mbit/s\", delay = \"10us\" }},")
            .unwrap();
        let start = dice.below(spread);
        writeln!(starts, "[[flows]]\nfrom = \"s{i}\"\nto = \"d{i}\"\nstart = \"{start}ms\"\n{flow}").unwrap();
    }
    writeln!(text, "]\n[[nodes]]\nname = \"routers\"\nagent = {{ kind = \"rbcc\"{agent} }}\n{starts}")
        .unwrap();
    text
}

/// The max-min rates of the flows of a plan, by filling: all rates rise together, and those through a full link stop.
/// What acknowledgements take of a link its data cannot have.
fn max_min(plan: &Plan) -> Vec<f64> {
    let paths = |reverse: bool| -> Vec<Vec<u32>> {
        let set = |pair: u32| {
            let pair = &plan.pairs[pair as usize];
            if reverse { pair.reverse.links() } else { pair.forward.links() }
        };
        plan.flows.iter().map(|flow| set(flow.pair).into_owned()).collect()
    };
    let (data, acks) = (paths(false), paths(true));
    let inspected = |link: &&u32| plan.links[**link as usize].inspected;
    let mut rates = vec![0.0; data.len()];
    // What acknowledgements take depends on the rates: it shrinks by K from one round to the next.
    for _ in 0..30 {
        let room = |link: usize| {
            let taken: f64 =
                acks.iter().zip(&rates).filter(|(a, _)| a.contains(&(link as u32))).map(|(_, r)| K * r).sum();
            plan.links[link].direction.rate.as_bps() as f64 - taken
        };
        let mut rooms: Vec<f64> = (0..plan.links.len()).map(room).collect();
        let mut rising: Vec<usize> = (0..data.len()).collect();
        rates = vec![0.0; data.len()];
        while !rising.is_empty() {
            let on = |link: u32| rising.iter().filter(|f| data[**f].contains(&link)).count() as f64;
            let links: Vec<u32> =
                rising.iter().flat_map(|f| data[*f].iter().filter(inspected)).copied().collect();
            let step = links.iter().map(|l| rooms[*l as usize] / on(*l)).fold(f64::INFINITY, f64::min);
            let taken: Vec<(u32, f64)> = (0..rooms.len() as u32).map(|l| (l, step * on(l))).collect();
            taken.into_iter().for_each(|(link, taken)| rooms[link as usize] -= taken);
            rising.iter().for_each(|f| rates[*f] += step);
            rising.retain(|f| data[*f].iter().filter(inspected).all(|l| rooms[*l as usize] > 1.0));
        }
    }
    rates
}

/// Longest base round-trip times from the last start until the last source is told its max-min rate, to one per cent.
/// The slowest of the networks below takes 4.4.
const ROUND_TRIPS: f64 = 8.0;

#[test]
fn rates_converge_to_max_min_on_random_networks() {
    let mut slowest: f64 = 0.0;
    for seed in 0..24 {
        let text = random_network(seed, 50, "", ", threshold = 1000");
        let plan = plan(&text);
        let (_, watch) = watched(&text);
        let last_start = plan.flows.last().unwrap().start;
        let longest = plan.pairs.iter().map(|pair| pair.base_rtt.as_secs_f64()).fold(0.0, f64::max);
        // Flows are in order of start, as their slots are.
        for (slot, expected) in (0..).zip(max_min(&plan)) {
            let told = &watch.told[&slot];
            let off = |rate: f64| (rate / expected - 1.0).abs() > 0.01;
            assert!(!off(told.last().unwrap().1), "network {seed}: {:?} for {expected}", told.last());
            let late = told.iter().filter(|(_, rate)| off(*rate)).map(|(at, _)| *at).max();
            let settled = late.map_or(0.0, |at| at.since(last_start).as_secs_f64());
            slowest = slowest.max(settled / longest);
        }
    }
    println!("{slowest} round trips");
    assert!(slowest < ROUND_TRIPS, "{slowest} round trips");
}

/// Messages that end, through queues that are short enough to lose packets.
fn lossy(seed: u64, agent: &str) -> String {
    let text = random_network(seed, 2000, "size = \"400kB\"", agent);
    text.replace("ms\" },", "ms\", queue = { kind = \"droptail\", limit = \"3pkt\" }, reverse = { queue = { kind = \"droptail\", limit = \"3pkt\" } } },")
}

#[test]
fn hits_and_misses_are_the_packets_that_pass() {
    let visits = [TrumpKind::Setup, TrumpKind::SetupAck, TrumpKind::Data, TrumpKind::Ack];
    for seed in 0..8 {
        for agent in ["", ", quench = true, revupdates = true, threshold = 1, alpha = 0.5"] {
            let (results, watch) = watched(&lossy(seed, agent));
            let table = &results.allocations;
            let decided: u64 = table.hits.iter().chain(&table.misses).sum();
            assert_eq!(decided, watch.passed(&visits), "network {seed}");
            let misses: u64 = table.misses.iter().sum();
            assert!(decided > 1000 && (!agent.is_empty() || decided > 20 * misses), "{misses} of {decided}");
            // Every packet passes one agent on its way out of each router.
            let out: u64 = table
                .link
                .iter()
                .map(|label| {
                    let link = results.links.link.iter().position(|l| l == label).unwrap();
                    results.links.arrived[link]
                })
                .sum();
            let others = watch.passed(&[TrumpKind::Teardown, TrumpKind::Quench]);
            let own: u64 = table.quenches.iter().sum();
            // A quench for a flow that has ended does not leave.
            assert!((decided + others..=decided + others + own).contains(&out), "network {seed}");
            assert_eq!(results.runs.packets_originated[0] == 0, own == 0);
        }
    }
}

#[test]
fn messages_arrive_whole_and_packets_are_conserved() {
    let (mut lost, mut originated) = (0, 0);
    for seed in 0..8 {
        let results = crate::traced::run(&plan(&lossy(seed, ", quench = true, threshold = 1")));
        let r = &results.runs;
        let from = r.total_sent[0] + r.total_originated[0];
        assert_eq!(from, r.total_delivered[0] + r.total_dropped[0] + r.packets_inside[0]);
        assert_eq!(r.packets_inside[0], 0, "all is over");
        assert!(results.flows.delivered.iter().all(|bytes| *bytes == 400_000), "network {seed}");
        lost += r.total_dropped[0];
        originated += r.total_originated[0];
    }
    assert!(lost > 10 && originated > 100, "the case must be worth checking: {lost}, {originated}");
}

#[test]
fn routers_of_a_group_that_no_packet_passes_have_nothing_to_do() {
    // A router beside the path.
    let text = r#"
        duration = "1s"
        transport = "trump"
        nodes = [{ name = ["r0", "r1"], agent = "rbcc" }]
        [topology]
        kind = "graph"
        nodes = ["s", "r0", "r1", "d"]
        links = [{ from = "s", to = "r0", rate = "1Mbit/s" }, { from = "r0", to = "d", rate = "1Mbit/s" }, { from = "r0", to = "r1", rate = "1Mbit/s" }]
        [[flows]]
        from = "s"
        to = "d"
        size = "10kB"
    "#;
    assert_eq!(crate::traced::run(&plan(text)).flows.delivered, [10_000]);
    let alone = text.replace(r#"["r0", "r1"]"#, r#""r1""#).replace("trump", "tcp");
    let refused = Plan::new(&Scenario::from_toml(&alone).unwrap(), Path::new(".")).unwrap_err().to_string();
    assert!(refused.contains("no path leads through it"), "{refused}");
}
