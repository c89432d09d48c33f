//! The engine against hand-computed cases, and what must not change its results.

use std::ops::ControlFlow;

use crate::traced::{plan, simulate};
use dumbbell_core::{Results, Value};
use dumbbell_sim::{Interrupted, Plan, Scenario, built_in, run, toml};

/// One flow of 10 segments over two links of 10 Mbit/s and 1 ms each.
const ONE_FLOW: &str = r#"
duration = "10s"
transport = { kind = "tcp", profile = "rfc", controller = "newreno", initial_window = 2, ack_every = 1 }
[topology]
kind = "chain"
hops = 2
[topology.link]
rate = "10Mbit/s"
delay = "1ms"
[[flows]]
from = "node0"
to = "node2"
size = "14600B"
"#;

#[test]
fn slow_start_completes_at_the_nanosecond_computed_by_hand() {
    // Times in microseconds. A hop is 1200 (data), 32 (40-byte packets), and 1000 of propagation.
    //   SYN 2*(32+1000) = 2064 there, SYN-ACK the same back: established at 4128.
    //   A segment sent at t on an idle path arrives at t + 2*(1200+1000) = t + 4400; its acknowledgement at t + 6464.
    //   The acknowledgement that ends the handshake leaves first, so data starts at 4128 + 32 = 4160.
    //   Round 1: segments 0, 1 leave at 4160; 0 is acknowledged at 10624; 1 follows 1200 behind.
    //   Round 2: window 4: at 10624 segments 2, 3; at 11824 segments 4, 5. They leave the first hop back to back, the
    //     last of them at 10624 + 4*1200.
    //   Acknowledgements of 2, 3, 4, 5 return at 10624 + 6464 + k*1200, k = 0..3: each opens two more.
    //   Round 3: 6, 7 at 17088; 8, 9 at 18288. Segment 9 (the last, with FIN) leaves the first hop at
    //     17088 + 4*1200, and arrives after propagation, the second hop and propagation: + 1000 + 1200 + 1000.
    let done_us = 17_088 + 4 * 1_200 + 1_000 + 1_200 + 1_000;
    let results = simulate(ONE_FLOW, &[]);
    assert_eq!(results.flows.completion_time, [f64::from(done_us) / 1e6]);
}

#[test]
fn without_a_handshake_data_leaves_at_once() {
    let results = simulate(ONE_FLOW, &["transport.handshake=false"]);
    let done_us = 17_088 - 4_160 + 4 * 1_200 + 1_000 + 1_200 + 1_000;
    assert_eq!(results.flows.completion_time, [f64::from(done_us) / 1e6]);
}

const WEB: &str = r#"
seed = 3
duration = "60s"
warmup = "7s"
transport = { kind = "tcp", controller = "cubic" }
[topology]
kind = "dumbbell"
pairs = 5
[topology.bottleneck]
rate = "10Mbit/s"
delay = "10ms"
queue = { kind = "droptail", limit = "20pkt" }
[topology.access]
rate = "20Mbit/s"
delay = "7ms"
[[flows]]
name = "bulk"
from = "senders"
to = "receivers"
count = 2
[[workloads]]
kind = "poisson"
name = "web"
from = "senders"
to = "receivers"
load = 0.5
link = "left->right"
size = "campus-web"
[record]
period = "100ms"
queues = "none"
"#;

/// All tables but the samples, as text.
fn shown(mut results: Results) -> String {
    results.samples = Default::default();
    format!("{:?}", results.into_tables())
}

#[test]
fn the_same_plan_gives_the_same_bytes_and_another_seed_others() {
    assert_eq!(shown(simulate(WEB, &[])), shown(simulate(WEB, &[])));
    assert_ne!(shown(simulate(WEB, &[])), shown(simulate(WEB, &["seed=4"])));
}

#[test]
fn looking_at_every_queue_changes_nothing() {
    // A sampled link takes no packet ahead of time, so this also holds the express links to the plain ones: behind a link
    // that knows a packet's departure when it arrives, and behind one that knows it when it has come.
    let forms = ["queue.kind=droptail", "queue.kind=codel", "power={}", "router=rcp"];
    for form in forms.map(|form| format!("topology.bottleneck.{form}")) {
        let (plain, watched) = (simulate(WEB, &[&form]), simulate(WEB, &[&form, "record.queues=all"]));
        assert_eq!(plain.flows.completion_time.len(), watched.flows.completion_time.len());
        assert_eq!(format!("{:?}", plain.flows), format!("{:?}", watched.flows), "{form}");
        assert_eq!(plain.runs.packet_hops, watched.runs.packet_hops);
        assert_eq!((plain.links.sent, plain.links.arrived), (watched.links.sent, watched.links.arrived));
        assert_eq!(
            (plain.links.queue_mean, plain.links.dropped),
            (watched.links.queue_mean, watched.links.dropped)
        );
    }
}

#[test]
fn a_drain_lets_counted_flows_end_and_changes_nothing_else() {
    let busy = ["duration=20s", "workloads[0].load=1.2"];
    let cut = simulate(WEB, &busy);
    let counted: Vec<usize> =
        (0..cut.flows.flow.len()).filter(|i| cut.flows.counted[*i] && !cut.flows.size[*i].is_nan()).collect();
    let unfinished = |r: &Results| counted.iter().filter(|i| r.flows.completion_time[**i].is_nan()).count();
    let open = unfinished(&cut);
    assert!(open > 10, "the case must be worth checking");

    let drained = simulate(WEB, &[&busy[..], &["drain=300s"]].concat());
    assert_eq!(unfinished(&drained), 0);
    assert_eq!(format!("{:?}", drained.links), format!("{:?}", cut.links));
    assert_eq!(drained.flows.start, cut.flows.start);
    assert_eq!((&drained.runs.goodput, &drained.runs.fairness), (&cut.runs.goodput, &cut.runs.fairness));
    assert_eq!(drained.runs.packet_hops, cut.runs.packet_hops);
    for (i, before) in cut.flows.completion_time.iter().enumerate() {
        assert!(before.is_nan() || *before == drained.flows.completion_time[i], "flow {i}");
    }
    // Flows without a size go on for ever, and nobody waits for them.
    let last = counted.iter().map(|i| drained.flows.start[*i] + drained.flows.completion_time[*i]);
    let last = last.fold(0.0, f64::max);
    assert!(last > 20.0 && last < 320.0, "ended at {last} s");

    // Cut short, those that ended within it have the same times.
    let short = simulate(WEB, &[&busy[..], &["drain=1s"]].concat());
    assert!(unfinished(&short) > 0 && unfinished(&short) < open);
    for (i, within) in short.flows.completion_time.iter().enumerate() {
        assert!(within.is_nan() || *within == drained.flows.completion_time[i], "flow {i}");
        assert!(within.is_nan() || short.flows.start[i] + within <= 21.0, "flow {i}");
    }
}

#[test]
fn packets_are_conserved_at_the_end() {
    for queue in ["droptail", "codel"] {
        let r = simulate(WEB, &[&format!("topology.bottleneck.queue.kind={queue}"), "duration=20s"]).runs;
        let out = r.total_delivered[0] + r.total_dropped[0] + r.packets_inside[0];
        assert_eq!(r.total_sent[0], out);
        assert!(r.total_dropped[0] > 0 && r.packets_inside[0] > 0, "the case must be worth checking");
    }
}

#[test]
fn adding_a_workload_leaves_what_others_draw() {
    // Common random numbers: the sizes and starts of the web flows, and the gaps of a Poisson source.
    const NOISE: &str = r#"
[[flows]]
name = "noise"
from = "senders"
to = "receivers"
count = 1
start = "30s"
size = "100kB"
transport = { kind = "poisson", rate = "100kbit/s" }
"#;
    const MORE: &str = r#"
[[workloads]]
kind = "poisson"
name = "more"
from = "senders"
to = "receivers"
rate = 3.0
size = { kind = "fixed", size = "2kB" }
"#;
    let drawn = |text: &str, group: &str| -> Vec<(f64, f64)> {
        // A network without a bottleneck, so that the flows meet only in what they draw.
        let r = simulate(
            text,
            &[
                "topology.bottleneck.rate=10Gbit/s",
                "topology.bottleneck.queue.limit=unlimited",
                "topology.access.rate=10Gbit/s",
                "workloads[0].load=0.0005",
                "flows[0].size=1kB",
            ],
        );
        let code = r.labels.all().iter().position(|l| **l == *group).expect("the group") as u32;
        let rows = (0..r.flows.flow.len()).filter(|i| r.flows.group[*i] == code);
        rows.map(|i| {
            (
                r.flows.start[i],
                if group == "noise" { (r.flows.completion_time[i] * 1e4).round() } else { r.flows.size[i] },
            )
        })
        .collect()
    };
    let (few, many) = (format!("{WEB}{NOISE}"), format!("{WEB}{NOISE}{MORE}"));
    for group in ["web", "noise"] {
        let alone = drawn(&few, group);
        assert!(!alone.is_empty());
        assert_eq!(alone, drawn(&many, group), "{group}");
    }
}

#[test]
fn a_run_can_be_stopped() {
    let mut calls = 0;
    let stopped = run(&plan(WEB, &[]), u64::MAX, |_| {
        calls += 1;
        ControlFlow::Break(())
    });
    assert!(matches!(stopped, Err(Interrupted)));
    assert_eq!(calls, 1);
}

#[test]
fn slots_of_closed_flows_are_used_again() {
    // Thousands of flows, few at a time: nothing must be left of a flow in the next one's record.
    let results = simulate(WEB, &["workloads[0].load=0.3"]);
    let flows = &results.flows;
    let ended: Vec<usize> = (0..flows.flow.len()).filter(|i| !flows.completion_time[*i].is_nan()).collect();
    assert!(ended.len() > 500);
    for i in ended {
        assert_eq!(flows.delivered[i] as f64, flows.size[i], "flow {i}");
        assert!(flows.completion_time[i] >= 0.048, "flow {i} finished faster than its round trips");
    }
}

/// A constant stream of 1500-byte datagrams, faster than the link that it enters.
const FLOOD: &str = r#"
duration = "10s"
transport = { kind = "cbr", rate = "20Mbit/s", packet_size = 1500 }
[topology]
kind = "chain"
hops = 1
[topology.link]
rate = "10Mbit/s"
delay = "1ms"
queue = { kind = "droptail", limit = "10pkt" }
[[flows]]
from = "node0"
to = "node1"
"#;

#[test]
fn a_link_follows_the_changes_of_its_rate() {
    let results = simulate(
        FLOOD,
        &["topology.link.rate_changes=[{at=\"4s\", rate=\"2Mbit/s\"}, {at=\"9s\", rate=\"5Mbit/s\"}]"],
    );
    // 4 s at 10, 5 s at 2 and 1 s at 5 Mbit/s; and the first begins late.
    let bits = results.links.sent_bytes[0] as f64 * 8.0;
    assert!((bits - 55e6).abs() <= 3.0 * 12_000.0, "{bits}");
    assert!((results.links.utilisation[0] - 1.0).abs() < 1e-3);
}

#[test]
fn a_recorded_link_sends_at_its_opportunities_only() {
    let folder = tempfile::tempdir().expect("a folder");
    // 1000, 2000 and 2000 ms again, then the list starts anew: three packets in each two seconds.
    std::fs::write(folder.path().join("slow.trace"), "1000\n2000\n2000\n").expect("written");
    let mut value: Value = toml::parse(FLOOD).expect("TOML");
    toml::apply_set(&mut value, "topology.link.trace.file=slow.trace", built_in()).expect("a setting");
    toml::apply_set(&mut value, "record.drops=true", built_in()).expect("a setting");
    let scenario = Scenario::from_value(&value, built_in()).expect("a scenario");
    let plan = Plan::new(&scenario, folder.path()).expect("a plan");
    assert_eq!(plan.links[0].direction.rate.as_bps(), 18_000);
    let results = crate::traced::run(&plan);
    assert_eq!(results.links.sent[0], 15, "five rounds of three");
}

#[test]
fn progress_counts_the_events_of_all_steps() {
    let text =
        ONE_FLOW.replace("14600B", "2MB").replace("delay = \"1ms\"", "delay = \"1ms\"\nqueue = \"codel\"");
    let mut told: Vec<(u64, u64)> = Vec::new();
    let every = |progress: &mut dumbbell_sim::Progress| {
        told.push((progress.events, progress.step));
        progress.step = 1000;
        ControlFlow::Continue(())
    };
    run(&plan(&text, &[]), u64::MAX, every).unwrap();
    assert!(told.len() > 5, "{told:?}");
    // Steps grow to what the caller asks for: 64, 128, 256, 512, then 1000 each.
    let steps: Vec<u64> = told.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert_eq!((told[0].0, &steps[..5]), (64, &[128, 256, 512, 1000, 1000][..]), "{told:?}");
}
