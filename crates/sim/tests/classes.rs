//! Traffic classes from end to end: who gets what of a link, what the tables say, and what is refused.

use std::ops::ControlFlow;

use crate::traced::{planned, simulate};
use dumbbell_core::Results;
use dumbbell_sim::{Plan, Scenario, built_in, run, toml};

/// Two sources of datagrams of 1500 bytes that each fill the link: 12 Mbit/s, a packet a millisecond.
const OVERLOAD: &str = r#"
duration = "10s"
warmup = "2s"
transport = { kind = "cbr", rate = "12Mbit/s" }
record = { drops = true, samples = false }
[topology]
kind = "chain"
link = { rate = "12Mbit/s", delay = "1ms", queue = { kind = "strict-priority", classes = [
    { kind = "droptail", limit = "20pkt" }, { kind = "droptail", limit = "20pkt" } ] } }
[[flows]]
name = "first"
from = "senders"
to = "receivers"
[[flows]]
name = "second"
from = "senders"
to = "receivers"
class = 1
start = "100us"
"#;

/// Of a column of the table of classes, the values of the first link.
fn of_first_link<T: Copy>(results: &Results, column: &[T]) -> Vec<T> {
    let link = results.classes.link[0];
    let rows = results.classes.link.iter().zip(column);
    rows.filter(|(of, _)| **of == link).map(|(_, value)| *value).collect()
}

#[test]
fn under_strict_priority_the_second_class_starves() {
    let results = simulate(OVERLOAD, &[]);
    let classes = &results.classes;
    assert_eq!(of_first_link(&results, &classes.class), [0, 1]);
    // 8 s of a packet a millisecond, of which the link sends as many.
    assert_eq!(of_first_link(&results, &classes.sent), [8000, 0]);
    assert_eq!(of_first_link(&results, &classes.sent_bytes), [12_000_000, 0]);
    assert_eq!(of_first_link(&results, &classes.arrived), [8000, 8000]);
    assert_eq!(of_first_link(&results, &classes.dropped), [0, 8000]);
    assert_eq!(of_first_link(&results, &classes.loss), [0.0, 1.0]);
    assert_eq!(results.flows.goodput[1], 0.0);
    // A packet of class 0 waits for the one in transmission at most, which at first was one of class 1.
    let sojourns = of_first_link(&results, &classes.sojourn_mean);
    assert!(sojourns[0] <= 2.0e-3 && sojourns[1].is_nan(), "{sojourns:?}");
    assert!(results.drops.class.iter().all(|class| *class == 1));
    assert!(results.drops.rows() > 8000, "those of the warm-up too");
}

#[test]
fn the_highest_class_may_come_first() {
    let results = simulate(OVERLOAD, &["topology.link.queue.first=highest"]);
    assert_eq!(of_first_link(&results, &results.classes.sent), [0, 8000]);
}

#[test]
fn round_robin_shares_by_weight_within_a_quantum() {
    for (weights, shares) in [([1, 1], [4000.0, 4000.0]), ([1, 3], [2000.0, 6000.0])] {
        let queue = format!(
            "topology.link.queue={{ kind = 'drr', weights = {weights:?}, classes = [\
             {{ kind = 'droptail', limit = '20pkt' }}, {{ kind = 'droptail', limit = '20pkt' }} ] }}"
        );
        let results = simulate(OVERLOAD, &[&queue]);
        for (sent, share) in of_first_link(&results, &results.classes.sent).iter().zip(shares) {
            let largest = f64::from(weights[1]);
            assert!((*sent as f64 - share).abs() <= largest, "{sent} of {share}");
        }
    }
}

#[test]
fn acknowledgements_have_the_class_of_their_flow() {
    let results = simulate(OVERLOAD, &["transport=tcp", "topology.link.queue=drr"]);
    let back = *results.classes.link.last().unwrap();
    assert_ne!(back, results.classes.link[0]);
    let rows = results.classes.link.iter().zip(&results.classes.arrived).filter(|(link, _)| **link == back);
    let arrived: Vec<u64> = rows.map(|(_, arrived)| *arrived).collect();
    assert_eq!(arrived.len(), 2);
    assert!(arrived.iter().all(|n| *n > 100), "{arrived:?}");
}

#[test]
fn a_shaper_holds_its_class_to_its_rate() {
    // The shaped class comes first; it gets 3 Mbit/s, 250 packets a second, and the burst before the warm-up ends.
    let queue = "topology.link.queue={ kind = 'strict-priority', classes = [\
        { kind = 'token-bucket-filter', rate = '3Mbit/s', burst = '3000B', queue = { kind = 'droptail', limit = '20pkt' } }, \
        { kind = 'droptail', limit = '20pkt' } ] }";
    let results = simulate(OVERLOAD, &[queue]);
    let sent = of_first_link(&results, &results.classes.sent);
    assert!(sent[0].abs_diff(2000) <= 1, "{sent:?}");
    assert!(sent[1].abs_diff(6000) <= 1, "{sent:?}");
    // Alone, it leaves the link idle.
    let queue = "topology.link.queue={ kind = 'token-bucket-filter', rate = '3Mbit/s', burst = '3000B', \
                 queue = { kind = 'droptail', limit = '20pkt' } }";
    let results = simulate(OVERLOAD, &[queue, "flows[1].class=0"]);
    assert!(results.links.sent[0].abs_diff(2000) <= 1, "{:?}", results.links.sent);
    assert!((results.links.utilisation[0] - 0.25).abs() < 1e-3, "{:?}", results.links.utilisation);
}

#[test]
fn a_shaper_waits_for_tokens_and_then_for_an_opportunity() {
    let folder = tempfile::tempdir().unwrap();
    // An opportunity for a full packet every four milliseconds.
    std::fs::write(folder.path().join("trace"), "4\n8\n").unwrap();
    let queue = "topology.link.queue={ kind = 'token-bucket-filter', rate = '1.2Mbit/s', burst = '1500B', \
                 queue = { kind = 'droptail', limit = '20pkt' } }";
    let mut value = toml::parse(OVERLOAD).unwrap();
    for setting in [queue, "flows[1].class=0", "topology.link.trace={ file = 'trace' }"] {
        toml::apply_set(&mut value, setting, built_in()).unwrap();
    }
    let scenario = Scenario::from_value(&value, built_in()).unwrap();
    let plan = Plan::new(&scenario, folder.path()).unwrap_or_else(|e| panic!("{e}"));
    let results = run(&plan, u64::MAX, |_| ControlFlow::Continue(())).unwrap();
    // Tokens for a packet every 10 ms, the next opportunity behind that: at 12, 24, 36 ms. A packet that leaves late leaves
    // tokens unused, as the bucket holds no more than one.
    let sent = results.links.sent[0];
    assert!((8000 / 12..=8000 / 10).contains(&sent), "{sent}");
}

#[test]
fn a_marker_tells_packets_in_profile_from_the_rest() {
    // 3 Mbit/s of 12 are in profile: 250 packets a second. The burst is gone before the warm-up ends.
    let marker = "topology.link.marker={ kind = 'token-bucket', rate = '3Mbit/s', burst = '3000B' }";
    let settings = [marker, "flows[1].class=0", "flows[1].start='20s'"];
    let results = simulate(OVERLOAD, &settings);
    let arrived = of_first_link(&results, &results.classes.arrived);
    assert!(arrived[0].abs_diff(2000) <= 1 && arrived[0] + arrived[1] == 8000, "{arrived:?}");
}

#[test]
fn what_no_queue_knows_is_refused_and_what_one_knows_is_not() {
    let of = |settings: &[&str]| planned(OVERLOAD, settings).map(|_| ());
    let deep = "topology.link.queue={ kind = 'strict-priority', classes = ['droptail', 'drr'] }";
    assert_eq!(of(&[deep, "flows[1].class=2"]), Ok(()));
    assert_eq!(
        of(&[deep, "flows[1].class=3"]).unwrap_err(),
        "flows[1].class: the queue of node0->node1 does not know class 3; give a class from 0 to 2, or that queue more \
         `classes`"
    );
    // A marker upstream gives other classes.
    let marker = "topology.link.marker={ kind = 'token-bucket', rate = '3Mbit/s' }";
    let back = "topology.link.reverse.queue=droptail";
    assert_eq!(
        of(&[deep, marker, back, "flows[1].class=3", "flows[0].class=7"]).unwrap_err(),
        "flows[0].class: no queue on the way tells class 7 apart; set `queue = \"strict-priority\"` or another with `classes` on a link, or leave it out"
    );
    let marker = "topology.link.marker={ kind = 'token-bucket', rate = '3Mbit/s', out_class = 5 }";
    assert_eq!(
        of(&[deep, marker, back, "flows[1].class=0"]).unwrap_err(),
        "topology.\"node0->node1\".marker: the queue of node0->node1 does not know class 5; give a class from 0 to 2, or that queue more `classes`"
    );
}

#[test]
fn classes_change_nothing_where_no_queue_looks_at_them() {
    // One class through a queue of one class fares as through that queue alone.
    let text = OVERLOAD.replace("class = 1\n", "");
    let plain = simulate(&text, &["topology.link.queue={ kind = 'droptail', limit = '20pkt' }"]);
    let nested = simulate(
        &text,
        &[
            "topology.link.queue={ kind = 'strict-priority', classes = [{ kind = 'droptail', limit = '20pkt' }] }",
        ],
    );
    assert_eq!(plain.classes.rows() + nested.classes.rows(), 0);
    assert_eq!(format!("{:?}", plain.flows), format!("{:?}", nested.flows));
    assert_eq!(format!("{:?}", plain.links.sojourn_mean), format!("{:?}", nested.links.sojourn_mean));
}

#[test]
fn the_first_and_last_packets_of_each_transfer_are_protected() {
    // Four senders, three rounds of ten packets on connections that stay open: two of ten are protected.
    let rounds = r#"
duration = "2s"
transport = { kind = "tcp", profile = "rfc", handshake = false }
record = { samples = false }
[topology]
kind = "star"
senders = 4
receivers = 1
link = { rate = "1Gbit/s", delay = "25us", marker = { kind = "head-tail", block = "14600B" } }
port = "rio"
[[workloads]]
kind = "rounds"
from = "senders"
to = "receivers"
size = "14600B"
rounds = 3
"#;
    let arrived = |settings: &[&str]| {
        let results = simulate(rounds, settings);
        assert_eq!(results.runs.total_dropped, [0]);
        let port = results.classes.link.iter().zip(&results.classes.class).zip(&results.classes.arrived);
        // The port is the link at which most packets arrive.
        let count = |class| port.clone().filter(|((_, of), _)| **of == class).map(|(_, n)| *n).max().unwrap();
        [count(0), count(1)]
    };
    assert_eq!(arrived(&[]), [24, 96]);
    assert_eq!(arrived(&["topology.link.marker.packets=2"]), [48, 72]);
}
