//! Agents of routers: what they see, what they originate, and what becomes of that.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::traced::{plan, simulate};
use dumbbell_core::{DropReason, Duration, Frame, MarkReason, Packet, Results, Time, VerdictSink, Way};
use dumbbell_header::SourceQuench;
use dumbbell_net::node::{FlowId, NodeAgent, NodeAgentParams, Outbox, Passage, PortView, Setting};
use dumbbell_sim::Plan;

fn results(plan: &Arc<Plan>) -> Results {
    crate::traced::run(plan)
}

/// What a [`Probe`] does beside counting.
#[derive(Clone, Copy, Debug, Default)]
struct Deeds {
    /// Gives up one in so many packets.
    drop_every: Option<u64>,
    /// Marks what is capable of it.
    mark: bool,
    /// Answers each packet by one to either end of its flow.
    answer: bool,
    /// Sends one to both ends of all flows that it ever saw, at this period.
    period: Option<Duration>,
}

/// What a [`Probe`] has seen.
#[derive(Debug, Default)]
struct Seen {
    /// Packets by the port that they enter and the one that they leave.
    passed: BTreeMap<(u32, u32), u64>,
    ports: usize,
    dropped: u64,
    marked: u64,
    sent: u64,
    wakes: u64,
    /// The longest queue of any port when it woke, and the packets that all had counted at the last time.
    longest: u64,
    counted: u64,
}

/// An agent that writes down what it sees.
#[derive(Clone, Debug, Default)]
struct Probe {
    deeds: Deeds,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Debug)]
struct ProbeAgent {
    probe: Probe,
    flows: Vec<FlowId>,
    wake_at: Time,
}

impl NodeAgentParams for Probe {
    fn build(&self, setting: Setting) -> Box<dyn NodeAgent> {
        self.seen.lock().unwrap().ports = setting.ports.len();
        let wake_at = if self.deeds.period.is_some() { Time::ZERO } else { Time::NEVER };
        Box::new(ProbeAgent { probe: self.clone(), flows: Vec::new(), wake_at })
    }
}

impl NodeAgent for ProbeAgent {
    fn passing(
        &mut self,
        _now: Time,
        mut packet: Packet,
        passage: &Passage,
        _port: &PortView,
        sink: &mut dyn VerdictSink<Packet>,
        outbox: &mut Outbox,
    ) -> Option<Packet> {
        let seen = &mut *self.probe.seen.lock().unwrap();
        *seen.passed.entry((passage.entered, passage.leaves)).or_default() += 1;
        if !self.flows.contains(&passage.flow) {
            self.flows.push(passage.flow);
        }
        if self.probe.deeds.mark && packet.ecn().is_capable() {
            sink.mark(&mut packet, MarkReason::Threshold);
            seen.marked += 1;
        }
        if self.probe.deeds.answer && !passage.originated {
            outbox.send(passage.flow, Way::Forward, 40, SourceQuench);
            outbox.send(passage.flow, Way::Reverse, 40, SourceQuench);
            seen.sent += 2;
        }
        let all: u64 = seen.passed.values().sum();
        if self.probe.deeds.drop_every.is_some_and(|n| all.is_multiple_of(n)) {
            seen.dropped += 1;
            sink.dropped(packet, DropReason::Law);
            return None;
        }
        Some(packet)
    }

    fn wake(&mut self, now: Time, ports: &[PortView], outbox: &mut Outbox) {
        let seen = &mut *self.probe.seen.lock().unwrap();
        seen.wakes += 1;
        seen.longest = ports.iter().map(|port| port.queue.packets).fold(seen.longest, u64::max);
        let counted = ports.iter().map(|port| port.counters.sent).sum();
        assert!(counted >= seen.counted);
        seen.counted = counted;
        for flow in &self.flows {
            outbox.send(*flow, Way::Forward, 40, SourceQuench);
            outbox.send(*flow, Way::Reverse, 40, SourceQuench);
        }
        self.wake_at = now + self.probe.deeds.period.unwrap();
    }

    fn wake_at(&self) -> Time {
        self.wake_at
    }
}

/// Runs a scenario with a probe at the first node that it describes; its agent there is replaced.
fn probed(text: &str, settings: &[&str], deeds: Deeds) -> (Arc<Plan>, Results, Probe) {
    let mut plan = plan(text, settings);
    let probe = Probe { deeds, ..Probe::default() };
    Arc::make_mut(&mut plan).described[0].agent.as_mut().unwrap().params = Arc::new(probe.clone());
    let results = results(&plan);
    conserved(&results);
    (plan, results, probe)
}

/// Ten long flows share a port of 50 packets.
const SHARED: &str = r#"
duration = "20s"
warmup = "5s"
transport = { kind = "tcp", controller = "newreno" }
[topology]
kind = "dumbbell"
pairs = 10
access = { rate = "100Mbit/s", delay = "2ms" }
bottleneck = { rate = "20Mbit/s", delay = "10ms", queue = { kind = "droptail", limit = "50pkt" } }
[[flows]]
from = "senders"
to = "receivers"
stagger = "50ms"
"#;

const QUENCH: &str = "nodes=[{ name = 'left', agent = 'source-quench' }]";

fn bottleneck(results: &Results) -> usize {
    results.links.link.iter().position(|l| *results.labels.all()[*l as usize] == *"left->right").unwrap()
}

fn conserved(results: &Results) {
    let r = &results.runs;
    let from = r.total_sent[0] + r.total_originated[0] + r.total_duplicated[0];
    assert_eq!(from, r.total_delivered[0] + r.total_dropped[0] + r.packets_inside[0]);
}

#[test]
fn quenched_sources_lose_less_and_wait_less() {
    let alone = simulate(SHARED, &[]);
    let quenched = simulate(SHARED, &[QUENCH]);
    let of = |r: &Results| (r.links.queue_mean[bottleneck(r)], r.links.dropped[bottleneck(r)]);
    let (before, after) = (of(&alone), of(&quenched));
    assert!(before.1 > 100 && after.1 < before.1 / 2, "lost {} alone, {} quenched", before.1, after.1);
    assert!(after.0 < 0.8 * before.0, "queues of {} alone, {} quenched", before.0, after.0);
    assert!(quenched.runs.packets_originated[0] > 50);
    assert_eq!((alone.runs.packets_originated[0], alone.runs.total_originated[0]), (0, 0));
    conserved(&quenched);
}

/// Flows both ways that all end, over links that lose packets.
const BOTH_WAYS: &str = r#"
duration = "60s"
transport = { kind = "tcp", controller = "cubic", ecn = true, quench = "ignore" }
nodes = [{ name = "left", agent = "source-quench" }]
[topology]
kind = "dumbbell"
pairs = 3
access = { rate = "100Mbit/s", delay = "2ms" }
bottleneck = { rate = "10Mbit/s", delay = "10ms", queue = { kind = "droptail", limit = "20pkt" }, reverse = { queue = { kind = "droptail", limit = "20pkt" } } }
[[flows]]
name = "there"
from = "senders"
to = "receivers"
size = "2MB"
[[flows]]
name = "back"
from = "receivers"
to = "senders"
size = "1MB"
start = "100ms"
"#;

#[test]
fn an_agent_sees_every_packet_of_all_ports_in_both_directions() {
    let (plan, results, probe) = probed(BOTH_WAYS, &[], Deeds::default());
    let seen = probe.seen.lock().unwrap();
    assert_eq!(seen.ports, 4, "three senders and the other router");
    let left = plan.nodes.iter().position(|name| **name == *"left").unwrap() as u32;
    assert!(results.links.dropped.iter().sum::<u64>() > 0 && results.runs.flows_completed[0] == 6);
    let numbered = || (0..).zip(&plan.links);
    let out: Vec<usize> = numbered().filter(|(_, l)| l.from == left).map(|(i, _)| i).collect();
    for (port, link) in (0..).zip(out) {
        let through = |pick: &dyn Fn(&(u32, u32)) -> u32| -> u64 {
            seen.passed.iter().filter(|(ports, _)| pick(ports) == port).map(|(_, n)| n).sum()
        };
        let back = numbered().find(|(_, l)| l.to == left && l.from == plan.links[link].to).unwrap().0;
        assert!(results.links.arrived[link] > 500);
        assert_eq!(through(&|ports| ports.1), results.links.arrived[link], "out of port {port}");
        assert_eq!(through(&|ports| ports.0), results.links.sent[back], "into port {port}");
    }
}

#[test]
fn an_agent_that_only_looks_changes_nothing() {
    let (_, looked, _) = probed(BOTH_WAYS, &[], Deeds::default());
    let alone = simulate(BOTH_WAYS, &["nodes=[]"]);
    // What arrivals find is told where somebody looks.
    let shown = |mut r: Results| {
        r.samples = Default::default();
        r.links.queue_at_arrivals.fill(f64::NAN);
        format!("{:?}", r.into_tables())
    };
    assert_eq!(shown(looked), shown(alone));
}

#[test]
fn drops_and_marks_of_an_agent_are_those_of_the_link_behind_it() {
    let deeds = Deeds { drop_every: Some(100), mark: true, ..Deeds::default() };
    let (plan, results, probe) = probed(BOTH_WAYS, &[], deeds);
    let seen = probe.seen.lock().unwrap();
    let left = plan.nodes.iter().position(|name| **name == *"left").unwrap() as u32;
    let of_left = |column: &[u64]| -> u64 {
        column.iter().zip(&plan.links).filter(|(_, l)| l.from == left).map(|(n, _)| n).sum()
    };
    assert!(seen.dropped > 30 && seen.marked > 300, "the case must be worth checking");
    assert_eq!(of_left(&results.links.dropped_law), seen.dropped);
    assert_eq!(results.links.dropped_law.iter().sum::<u64>(), seen.dropped);
    assert_eq!(of_left(&results.links.marked), seen.marked);
    assert_eq!(of_left(&results.links.arrived), seen.passed.values().sum::<u64>());
    assert_eq!(results.flows.dropped.iter().sum::<u64>(), results.runs.total_dropped[0]);
}

#[test]
fn an_agent_wakes_and_reaches_both_ends_of_flows() {
    let period = Duration::from_millis(10);
    let (_, results, probe) = probed(BOTH_WAYS, &[], Deeds { period: Some(period), ..Deeds::default() });
    let seen = probe.seen.lock().unwrap();
    assert_eq!(seen.wakes, 6001, "60 s, both ends included");
    assert!(seen.longest >= 15 && results.runs.flows_completed[0] == 6);
    let life: f64 = results.flows.sender_completion_time.iter().sum();
    let originated = results.runs.total_originated[0] as f64;
    // Two each 10 ms for each flow, until its last packet has left the network.
    assert!((originated / (2.0 * life / 0.01) - 1.0).abs() < 0.2, "{originated} in {life} s of flows");
}

#[test]
fn end_points_ignore_what_they_do_not_understand() {
    let deeds = Deeds { answer: true, ..Deeds::default() };
    for transport in [
        "{ kind = 'tcp', quench = 'ignore' }",
        "{ kind = 'tcp', profile = 'rfc', quench = 'ignore' }",
        "{ kind = 'tcp', profile = 'rfc', controller = 'tahoe', sack = false, handshake = false, quench = 'ignore' }",
        "rcp",
        "{ kind = 'cbr', rate = '1Mbit/s' }",
        "{ kind = 'poisson', rate = '1Mbit/s' }",
        "{ kind = 'on-off', rate = '1Mbit/s' }",
    ] {
        let setting = format!("transport={transport}");
        let settings =
            [&*setting, "topology.bottleneck.router=rcp", "topology.bottleneck.reverse.router=rcp"];
        let (_, results, probe) = probed(BOTH_WAYS, &settings, deeds);
        let sent = probe.seen.lock().unwrap().sent;
        // A source of datagrams closes while the last of them are on their way: nothing is sent to it any more.
        let lag = if transport.contains("rate") { 100 } else { 0 };
        assert!((sent - lag..=sent).contains(&results.runs.total_originated[0]), "{transport}");
        assert!(sent > 1000, "{transport}");
        if !transport.contains("rate") {
            assert_eq!(
                results.flows.delivered,
                [2_000_000, 2_000_000, 2_000_000, 1_000_000, 1_000_000, 1_000_000]
            );
        }
    }
}

/// Flows between racks, over one of two spines or both.
const FABRIC: &str = r#"
duration = "2s"
transport = { kind = "tcp", quench = "ignore" }
nodes = [{ name = "spine0", agent = "source-quench" }]
[topology]
kind = "leaf-spine"
leaves = 3
spines = 2
hosts = 2
[[flows]]
from = "senders"
to = "receivers"
size = "300kB"
"#;

#[test]
fn messages_of_routers_find_their_way_among_several_paths() {
    for paths in ["single", "ecmp", "spray", "{kind='change', at='5ms'}"] {
        let setting = format!("paths={paths}");
        let (_, results, probe) = probed(FABRIC, &[&setting], Deeds { answer: true, ..Deeds::default() });
        let sent = probe.seen.lock().unwrap().sent;
        assert!(sent > 500, "{paths}: {sent}");
        assert_eq!(results.runs.total_originated[0], sent, "{paths}");
        assert_eq!(results.runs.packets_inside[0], 0, "{paths}: all arrived");
        assert_eq!(results.flows.delivered, [300_000; 6], "{paths}");
    }
}

#[test]
fn slots_are_not_used_again_before_what_routers_sent_is_gone() {
    // Many short flows; what is sent to a flow that has ended would arrive at the next in its slot.
    let web = r#"
        seed = 5
        duration = "20s"
        nodes = [{ name = "left", agent = "source-quench" }]
        [topology]
        kind = "dumbbell"
        bottleneck = { rate = "10Mbit/s", delay = "10ms" }
        [[workloads]]
        kind = "poisson"
        from = "senders"
        to = "receivers"
        load = 0.6
        size = "campus-web"
    "#;
    let period = Some(Duration::from_millis(5));
    let (_, results, _) = probed(web, &[], Deeds { period, answer: true, ..Deeds::default() });
    assert!(results.runs.flows_completed[0] > 200 && results.runs.total_originated[0] > 10_000);
    let quenched = simulate(web, &["workloads[0].load=1.5"]);
    assert!(quenched.runs.total_originated[0] > 50);
    let again = simulate(web, &["workloads[0].load=1.5"]);
    assert_eq!(format!("{:?}", quenched.into_tables()), format!("{:?}", again.into_tables()));
}

#[test]
fn a_replay_records_what_passed_agents() {
    let settings = ["replay={ link = 'left->right' }"];
    let plain = simulate(SHARED, &settings);
    let quenched = simulate(SHARED, &[&settings[..], &[QUENCH]].concat());
    let arrived = |r: &Results| r.links.arrived[bottleneck(r)];
    assert_ne!(arrived(&plain), arrived(&quenched), "agents act on the run that is recorded");
    assert_eq!(quenched.runs.total_originated[0], 0, "and not on the replay");
}

#[test]
fn arrivals_at_an_inspected_queue_are_an_average_of_their_own() {
    let text = |rate: &str| {
        format!(
            "duration = '10s'\ntransport = {{ kind = 'cbr', rate = '{rate}' }}\n[topology]\nkind = 'chain'\nhops = 2\n\
             [topology.link]\nrate = '10Mbit/s'\ndelay = '1ms'\nqueue = {{ kind = 'droptail', limit = '9pkt' }}\n\
             [[flows]]\nfrom = 'senders'\nto = 'receivers'\n"
        )
    };
    let agent = "nodes=[{ name = 'node1', agent = 'source-quench' }]";
    let of = |r: &Results, link: &str| {
        let row = r.links.link.iter().position(|l| *r.labels.all()[*l as usize] == *link).unwrap();
        (r.links.queue_at_arrivals[row], r.links.queue_mean[row])
    };
    // At half the rate each packet finds nothing: with it there is one, half of the time.
    let results = simulate(&text("5Mbit/s"), &[agent]);
    let (at_arrivals, over_time) = of(&results, "node1->node2");
    assert_eq!(at_arrivals, 1.0);
    assert!((over_time - 0.5).abs() < 0.01, "{over_time}");
    assert!(of(&results, "node0->node1").0.is_nan(), "nobody looks at it");
}

#[test]
fn routers_of_a_group_on_the_path_have_the_agent() {
    let text = "duration = '1s'\n[topology]\nkind = 'graph'\nnodes = ['a', 'r', 'idle', 'b']\n\
                groups = [{ name = 'routers', nodes = ['r', 'idle'] }]\n\
                links = [{ from = 'a', to = 'r', rate = '1Mbit/s' }, { from = 'r', to = 'b', rate = '1Mbit/s' },\n\
                { from = 'r', to = 'idle', rate = '1Mbit/s' }]\n[[flows]]\nfrom = 'a'\nto = 'b'\n";
    let plan = plan(text, &["nodes=[{ name = 'routers', agent = 'source-quench' }]"]);
    let with_agents: Vec<u32> =
        plan.described.iter().filter(|node| node.agent.is_some()).map(|node| node.node).collect();
    assert_eq!(with_agents, [1]);
}
