//! Flow control between switches: who is paused, how long, and what it takes to lose nothing.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod traced;

use dumbbell_core::Results;
use traced::{planned, simulate};

/// Two sources of datagrams overload the port of one receiver; one of them sends to another receiver too.
const STAR: &str = r#"
duration = "1s"
warmup = "200ms"
nodes = [{ name = "switch", pause = { xoff = "30kB" } }]
record = { samples = false, drops = true }
[topology]
kind = "star"
senders = 2
receivers = 2
link = { rate = "100Mbit/s", delay = "10us" }
port = { kind = "droptail", limit = "36600B" }
[[flows]]
from = "senders"
to = ["receiver0", "receiver0"]
stagger = "37us"
transport = { kind = "cbr", rate = "90Mbit/s" }
[[flows]]
name = "victim"
from = "sender0"
to = "receiver1"
transport = { kind = "cbr", rate = "5Mbit/s" }
"#;

/// The row of a link.
fn row(results: &Results, name: &str) -> usize {
    let links = &results.links;
    (0..links.rows()).find(|i| *results.labels.all()[links.link[*i] as usize] == *name).unwrap()
}

#[test]
fn a_long_queue_pauses_the_links_before_it_and_nothing_is_lost() {
    // A long pause, of which the packet in transmission when it begins is a small part.
    let results = simulate(STAR, &["nodes[0].pause.xon=10kB"]);
    let links = &results.links;
    assert_eq!(links.dropped.iter().sum::<u64>(), 0);
    let port = row(&results, "switch->receiver0");
    assert!(links.utilisation[port] > 0.999, "{}", links.utilisation[port]);
    assert!(links.paused[port].is_nan(), "nobody pauses the port");
    // Two links fill one of the same rate: half of the time they may not send.
    for sender in ["sender0->switch", "sender1->switch"] {
        let paused = links.paused[row(&results, sender)];
        assert!((paused - 0.5).abs() < 0.06, "{sender}: {paused}");
    }
    // Without pauses, 80 of 180 Mbit/s are lost, and nothing else.
    let without = simulate(STAR, &["nodes=[]"]);
    assert!((without.links.loss[row(&without, "switch->receiver0")] - 80.0 / 180.0).abs() < 0.01);
    assert!(without.links.paused.iter().all(|paused| paused.is_nan()));
}

#[test]
fn a_flow_through_another_port_waits_too() {
    // Head-of-line blocking: the victim's port is free, and its link is paused half of the time.
    let [blocked, free] = [&[][..], &["nodes=[]"]].map(|settings| {
        let results = simulate(STAR, settings);
        let port = row(&results, "switch->receiver1");
        results.links.utilisation[port]
    });
    assert!(free > 0.045 && blocked < 0.6 * free, "{blocked} {free}");
}

#[test]
fn what_is_on_its_way_needs_room_above_the_threshold() {
    // Twice the delay at the rate is 250 B; two packets and a frame for each of two links: 6628 B.
    for (limit, lossless) in [("36628B", true), ("31kB", false)] {
        let results = simulate(STAR, &[&format!("topology.port.limit={limit}"), "duration=2s"]);
        let dropped: u64 = results.links.dropped.iter().sum();
        assert_eq!(dropped == 0, lossless, "{limit}: {dropped}");
    }
}

#[test]
fn links_that_wait_for_each_other_in_a_circle_stay_paused() {
    // Each flow goes over two of three switches: each of the three queues between them waits for the next.
    let text = r#"
        duration = "200ms"
        warmup = "100ms"
        transport = { kind = "cbr", rate = "90Mbit/s" }
        record = { samples = false }
        nodes = [{ name = ["s0", "s1", "s2"], pause = { xoff = "15kB" } }]
        [topology]
        kind = "graph"
        nodes = ["s0", "s1", "s2", "a0", "a1", "a2", "b0", "b1", "b2"]
        links = [
            { from = "s0", to = "s1", rate = "100Mbit/s", duplex = false },
            { from = "s1", to = "s2", rate = "100Mbit/s", duplex = false },
            { from = "s2", to = "s0", rate = "100Mbit/s", duplex = false },
            { from = "a0", to = "s0", rate = "100Mbit/s" }, { from = "s0", to = "b0", rate = "100Mbit/s" },
            { from = "a1", to = "s1", rate = "100Mbit/s" }, { from = "s1", to = "b1", rate = "100Mbit/s" },
            { from = "a2", to = "s2", rate = "100Mbit/s" }, { from = "s2", to = "b2", rate = "100Mbit/s" },
        ]
        [[flows]]
        from = ["a0", "a1", "a2"]
        to = ["b2", "b0", "b1"]
        stagger = "37us"
    "#;
    let results = simulate(text, &[]);
    for link in ["s0->s1", "s1->s2", "s2->s0"] {
        let i = row(&results, link);
        let (paused, used) = (results.links.paused[i], results.links.utilisation[i]);
        assert!(paused > 0.999 && used == 0.0, "{link}: {paused} {used}");
    }
    assert_eq!(results.links.dropped.iter().sum::<u64>(), 0);
    let without = simulate(text, &["nodes=[]"]);
    assert!(without.links.utilisation[row(&without, "s0->s1")] > 0.9);
}

#[test]
fn what_cannot_be_paused_is_refused() {
    for (settings, expected) in [
        (
            &["nodes=[{ name = 'receiver0', pause = { xoff = '30kB' } }]"][..],
            "nodes[0].pause: no path leads through \"receiver0\": nobody waits for it; \
             name a switch that packets pass, or leave it out",
        ),
        (&["nodes[0].pause.xon=40kB"], "nodes[0].pause.xon: 40kB is above `xoff`, 30kB; give less"),
        (
            &["topology.link.power={}"],
            "nodes[0].pause: link \"switch->receiver0\" has power control, which knows no pause; leave out one of the two",
        ),
    ] {
        assert_eq!(planned(STAR, settings).err().as_deref(), Some(expected));
    }
}
