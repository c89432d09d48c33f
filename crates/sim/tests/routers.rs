//! Flows under routers that tell them what to send.

use std::path::Path;

use dumbbell_core::Results;
use dumbbell_sim::{Plan, Scenario};

fn run(text: &str) -> Results {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{e}"));
    crate::traced::run(&plan)
}

fn xcp(gamma: f64) -> Results {
    run(&format!(
        r#"
        duration = "60s"
        warmup = "30s"
        transport = {{ kind = "tcp", profile = "rfc", controller = "xcp", ack_every = 1 }}
        flows = [{{ from = "senders", to = "receivers", count = 2, stagger = "10s" }}]
        [topology]
        kind = "chain"
        link = {{ rate = "100Mbit/s", delay = "25ms", router = {{ kind = "xcp", gamma = {gamma} }} }}
        "#
    ))
}

#[test]
fn xcp_becomes_fair_by_shuffling_alone() {
    let (shuffled, still) = (xcp(0.1), xcp(0.0));
    // Jain's index of two flows: 1 if they share equally, 1/2 if one has everything.
    assert!(shuffled.runs.fairness[0] > 0.99, "{}", shuffled.runs.fairness[0]);
    assert!(still.runs.fairness[0] < 0.6, "{}", still.runs.fairness[0]);
    for results in [shuffled, still] {
        assert!(results.links.utilisation[0] > 0.99);
        assert_eq!(results.links.dropped[0], 0);
    }
}

fn outage(compat: &str) -> Results {
    run(&format!(
        r#"
        duration = "60s"
        transport = {{ kind = "rcp", compat = "{compat}" }}
        flows = [{{ from = "senders", to = "receivers", count = 50, stagger = "200ms", size = "200kB" }}]
        [topology.link]
        # Packets 40 ms apart, less than a round-trip time: the published sender probes only if they are further apart.
        mtu = "1000B"
        rate = "100Mbit/s"
        delay = "25ms"
        router = {{ kind = "rcp", mode = "share", initial = 0.002, changes = [{{ at = "5s", share = 0 }}, {{ at = "10s", share = 0.5 }}] }}
        [topology]
        kind = "chain"
        "#
    ))
}

#[test]
fn flows_of_rcp_outlive_a_rate_of_zero_and_those_of_ns2_do_not() {
    let ours = outage("none");
    assert_eq!(ours.runs.flows_completed[0], 50);
    // An outage of 5 s, 1.1 s to the next probe, a round trip, and 16 ms of data at C/2.
    assert!(ours.flows.start.iter().zip(&ours.flows.completion_time).all(|(s, t)| s + t < 12.5));
    let theirs = outage("ns2");
    assert!(theirs.runs.flows_completed[0] < 30, "{}", theirs.runs.flows_completed[0]);
}

#[test]
fn rcp_shares_equally_fills_the_link_and_leaves_the_queue_empty() {
    let results = run(r#"
        duration = "30s"
        warmup = "10s"
        transport = "rcp"
        flows = [{ from = "senders", to = "receivers", count = 5, stagger = "1s" }]
        [topology]
        kind = "chain"
        link = { rate = "100Mbit/s", delay = "25ms", router = "rcp" }
        "#);
    assert!(results.runs.fairness[0] > 0.999, "{}", results.runs.fairness[0]);
    assert!(results.links.utilisation[0] > 0.97, "{}", results.links.utilisation[0]);
    assert!(results.links.queue_mean[0] < 20.0, "{}", results.links.queue_mean[0]);
}
