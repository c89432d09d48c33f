//! Several paths for a pair: which there are, who chooses, and what the packets of a flow then do.

use std::collections::BTreeMap;

use crate::traced::{plan, simulate};
use dumbbell_core::{Duration, Results};

/// Packets sent over each link, by name.
fn sent(results: &Results) -> BTreeMap<String, u64> {
    let name = |code: &u32| results.labels.all()[*code as usize].to_string();
    results.links.link.iter().map(name).zip(results.links.sent.iter().copied()).collect()
}

/// 16 hosts, each sends 1001 datagrams to the host at its place in the next pod, at a tenth of the rate of its link.
const FAT_TREE: &str = r#"
duration = "200ms"
transport = { kind = "cbr", rate = "100Mbit/s" }
topology = "fat-tree"
paths = "ecmp"
[[flows]]
from = "senders"
to = "receivers"
size = "1472kB"
[record]
samples = false
"#;

#[test]
fn the_fat_tree_is_wired_as_al_fares_et_al_wired_it() {
    for k in [2_usize, 4, 6] {
        let plan = plan(FAT_TREE, &[&format!("topology.k={k}"), "flows[0].pairing=all"]);
        let half = k / 2;
        assert_eq!(plan.nodes.len(), k * half * half + k * k + half * half);
        assert_eq!(plan.links.len(), 2 * 3 * k * half * half);
        assert_eq!(plan.pairs.len(), (k * half * half) * (k * half * half - 1));
        let mut degrees = vec![0; plan.nodes.len()];
        plan.links.iter().for_each(|link| degrees[link.from as usize] += 1);
        for (name, degree) in plan.nodes.iter().zip(degrees) {
            assert_eq!(degree, if name.starts_with("host") { 1 } else { k }, "ports of {name}");
        }
        for pair in &plan.pairs {
            // Hosts are numbered pod by pod, and edge switch by edge switch.
            let (a, b) = (pair.source as usize, pair.destination as usize);
            let expected = match (a / half == b / half, a / (half * half) == b / (half * half)) {
                (true, _) => (2, 1),
                (false, true) => (4, half),
                (false, false) => (6, half * half),
            };
            for set in [&pair.forward, &pair.reverse] {
                assert!(set.iter().all(|path| path.len() == expected.0), "hops from {a} to {b}");
                assert_eq!(set.len(), expected.1, "paths from {a} to {b}");
            }
            assert_eq!(pair.base_rtt, Duration::from_micros(8) * (2 * expected.0 as u64));
            let mut found: Vec<&[u32]> = pair.forward.iter().collect();
            let ordered = found.clone();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found, ordered, "in order, none twice");
            for path in found {
                let mut at = pair.source;
                for link in path {
                    assert_eq!(plan.links[*link as usize].from, at);
                    at = plan.links[*link as usize].to;
                }
                assert_eq!(at, pair.destination);
            }
        }
    }
}

#[test]
fn leaves_are_joined_by_a_path_over_each_spine() {
    let plan = plan(FAT_TREE, &["topology=leaf-spine"]);
    assert_eq!((plan.nodes.len(), plan.links.len(), plan.pairs.len()), (157, 2 * (144 + 36), 144));
    for pair in &plan.pairs {
        assert_eq!(pair.destination, (pair.source + 16) % 144);
        assert!(pair.forward.len() == 4 && pair.forward.iter().all(|path| path.len() == 4));
        assert_eq!(pair.base_rtt, Duration::from_nanos(14_800));
    }
}

#[test]
fn a_fabric_gives_its_ports_its_queue() {
    let queues = |settings: &[&str]| -> BTreeMap<String, &'static str> {
        plan(FAT_TREE, settings)
            .links
            .iter()
            .map(|link| (link.name.to_string(), link.direction.queue.name()))
            .collect()
    };
    let queue = queues(&["topology={kind='fat-tree', fabric={queue='codel'}}"]);
    assert_eq!((queue["host0->edge0-0"], queue["edge0-0->host0"]), ("droptail", "codel"));
    assert_eq!((queue["edge0-0->aggregation0-1"], queue["core3->aggregation1-1"]), ("codel", "codel"));
    let given = "topology={kind='fat-tree', fabric={queue='codel'}, host={reverse={queue='droptail'}}}";
    assert_eq!(queues(&[given])["edge0-0->host0"], "droptail");
}

/// Of the results of a permutation that moves on by one pod: the packets on each link from a pod up to a core, 16 in all.
fn up(results: &Results) -> Vec<u64> {
    let up = sent(results).into_iter().filter(|(name, _)| name.starts_with("agg") && name.contains("->core"));
    up.map(|(_, packets)| packets).collect()
}

#[test]
fn hashes_spread_flows_over_the_core_as_draws_would() {
    // Each pod has 4 flows and 4 links up to the 4 cores, and each flow is on each of them with probability 1/2 * 1/2. That
    // is 4 balls in 4 bins. A bin stays empty with probability e = (3/4)^4 = 0.3164, two given ones with f = (2/4)^4, so
    // of the 4 pods' 16 links 16 (1 - e) = 10.94 are used, with a variance of 4 (4 e (1 - e) + 12 (f - e^2)) = 1.66.
    // Over 64 seeds the mean lies within 4 sqrt(1.66 / 64) = 0.64 but for one draw of seeds in 16000. And a given link is
    // unused under all of them with probability e^64, below 1e-31.
    let (empty, both): (f64, f64) = (0.75_f64.powi(4), 0.5_f64.powi(4));
    let variance = 4.0 * (4.0 * empty * (1.0 - empty) + 12.0 * (both - empty * empty));
    let mut used = [0_u32; 16];
    for seed in 0..64 {
        let packets = up(&simulate(FAT_TREE, &[&format!("seed={seed}"), "flows[0].size=14720B"]));
        assert_eq!((packets.len(), packets.iter().sum::<u64>()), (16, 160));
        assert!(packets.iter().all(|n| n % 10 == 0), "flows stay whole: {packets:?}");
        used.iter_mut().zip(packets).for_each(|(used, packets)| *used += u32::from(packets > 0));
    }
    assert!(used.iter().all(|n| *n > 0), "{used:?}");
    let mean = f64::from(used.iter().sum::<u32>()) / 64.0;
    assert!((mean - 16.0 * (1.0 - empty)).abs() < 4.0 * (variance / 64.0).sqrt(), "{mean} links used");
}

#[test]
fn spraying_by_turns_is_even_to_a_packet_of_each_flow() {
    // 4 flows of 1000 packets share the 4 links up from each pod, and those down to the next: whatever path a flow begins
    // with, each link has 250 of it.
    let results = simulate(FAT_TREE, &["paths=spray"]);
    assert_eq!(up(&results), [1000; 16]);
    let all = sent(&results);
    let down: Vec<u64> = all.iter().filter(|(name, _)| name.starts_with("core")).map(|(_, n)| *n).collect();
    assert_eq!(down, [1000; 16]);
    // 1001 packets cannot be even: one link has one more, another one for each flow.
    let uneven = up(&simulate(FAT_TREE, &["paths=spray", "flows[0].size=1473472B"]));
    assert!(uneven.iter().all(|n| (1000..=1004).contains(n)), "{uneven:?}");
    assert_eq!(uneven.iter().sum::<u64>(), 16 * 1001);
    assert!(results.flows.completion_time.iter().all(|t| t.is_finite()));
}

#[test]
fn random_spraying_is_even_on_the_average() {
    // The 4000 packets of a pod are on each of its links with probability 1/4: 1000 of them, with a standard deviation of
    // sqrt(4000 * 3/16) = 27.4. All 16 links lie within 4.5 of these but once in 9000 (two-sided normal tail 6.8e-6).
    let packets = up(&simulate(FAT_TREE, &["paths={kind='spray', order='random'}"]));
    assert!(packets.iter().all(|n| n.abs_diff(1000) < 123), "{packets:?}");
    assert!(packets.iter().any(|n| *n != 1000), "drawn, not dealt");
}

/// From a to z over b in 2 ms, or over c in 2 ms, or over d in `late`.
const DIAMOND: &str = r#"
duration = "20s"
paths = "ecmp"
[topology]
kind = "graph"
nodes = ["h", "a", "b", "c", "d", "z", "r"]
links = [{ from = "h", to = "a", rate = "10Mbit/s", delay = "1ms" },
         { from = "a", to = "b", rate = "10Mbit/s", delay = "1ms" },
         { from = "a", to = "c", rate = "10Mbit/s", delay = "1ms" },
         { from = "a", to = "d", rate = "10Mbit/s", delay = "1ms" },
         { from = "b", to = "z", rate = "10Mbit/s", delay = "1ms" },
         { from = "c", to = "z", rate = "10Mbit/s", delay = "1ms" },
         { from = "d", to = "z", rate = "10Mbit/s", delay = "5ms" },
         { from = "z", to = "r", rate = "10Mbit/s", delay = "1ms" }]
[[flows]]
from = "h"
to = "r"
size = "1MB"
"#;

#[test]
fn a_pair_of_several_paths_has_the_mean_of_their_delays() {
    let one = plan(DIAMOND, &["paths=single"]);
    let all = plan(DIAMOND, &[]);
    assert_eq!((one.pairs[0].forward.len(), all.pairs[0].forward.len()), (1, 3));
    assert_eq!(one.pairs[0].base_rtt, Duration::from_millis(8));
    // There and back, each (4 + 4 + 8) / 3 ms, in whole nanoseconds.
    assert_eq!(all.pairs[0].base_rtt, Duration::from_nanos(2 * (16_000_000 / 3)));
    assert_eq!(all.pairs[0].mtu, 1500);
    let facts = all.explain();
    assert_eq!((facts.pairs[0].paths, facts.pairs[0].return_paths), (3, 3));
    assert_eq!(facts.pairs[0].path, ["h", "a", "b", "z", "r"]);
    // By delay the path over d is longer.
    assert_eq!(plan(DIAMOND, &["routing=delay"]).pairs[0].forward.len(), 2);
    let small = plan(&DIAMOND.replace("\"5ms\" }", "\"5ms\", mtu = \"900B\" }"), &[]);
    assert_eq!(small.pairs[0].mtu, 900, "whatever path a packet takes, it fits");
}

#[test]
fn loads_count_the_share_of_a_path() {
    let offered = ["transport={kind='cbr', rate='6Mbit/s'}", "flows[0].count=1"];
    let text = DIAMOND.replace("size = \"1MB\"\n", "");
    for paths in ["ecmp", "spray"] {
        let facts = plan(&text, &[offered[0], offered[1], &format!("paths={paths}")]).explain();
        let load = |name: &str| facts.links.iter().find(|l| l.name == name).unwrap().load;
        assert!((load("h->a") - 0.6).abs() < 1e-12 && (load("a->d") - 0.2).abs() < 1e-12, "{paths}");
        assert_eq!(load("z->d"), 0.0);
    }
    // Half of the load of a link with a third of the data is one and a half of its rate in data.
    let web = text.split("[[flows]]").next().unwrap().to_owned()
        + "[[workloads]]\nkind = 'poisson'\nfrom = 'h'\nto = 'r'\nload = 0.5\nlink = 'a->d'\nsize = { kind = 'fixed', size = '10kB' }\n";
    let facts = plan(&web, &["transport=cbr"]).explain();
    let load = |name: &str| facts.links.iter().find(|l| l.name == name).unwrap().load;
    assert!((load("a->d") - 0.5).abs() < 1e-12 && (load("h->a") - 1.5).abs() < 1e-12);
}

#[test]
fn every_node_hashes_for_itself() {
    // a takes b or c, and c takes one of three: over b go 1/2 of the flows, not the 1/4 of a choice among whole paths. Of
    // 900 flows 450, with a standard deviation of 15; over each way behind c 150, with sqrt(900 * 5/36) = 11.2.
    let text = r#"
duration = "1s"
transport = { kind = "cbr", rate = "1Mbit/s" }
paths = "ecmp"
[topology]
kind = "graph"
nodes = ["a", "b", "c", "z", "b1", "c1", "c2", "c3"]
links = [{ from = "a", to = "b", rate = "1Gbit/s" }, { from = "a", to = "c", rate = "1Gbit/s" },
         { from = "b", to = "b1", rate = "1Gbit/s" }, { from = "b1", to = "z", rate = "1Gbit/s" },
         { from = "c", to = "c1", rate = "1Gbit/s" }, { from = "c1", to = "z", rate = "1Gbit/s" },
         { from = "c", to = "c2", rate = "1Gbit/s" }, { from = "c2", to = "z", rate = "1Gbit/s" },
         { from = "c", to = "c3", rate = "1Gbit/s" }, { from = "c3", to = "z", rate = "1Gbit/s" }]
[[flows]]
from = "a"
to = "z"
count = 900
stagger = "1ms"
size = "100B"
"#;
    let packets = sent(&simulate(text, &[]));
    assert!(packets["a->b"].abs_diff(450) < 60, "{packets:?}");
    for way in ["c->c1", "c->c2", "c->c3"] {
        assert!(packets[way].abs_diff(150) < 45, "{packets:?}");
    }
    // The load that is expected follows the same rule.
    let facts = plan(text, &["flows[0].size=1GB", "flows[0].count=1"]).explain();
    let share = |name: &str| facts.links.iter().find(|l| l.name == name).unwrap().load;
    assert_eq!(share("c->c1"), 0.0, "flows with an end offer nothing beforehand");
    let endless = text.replace("size = \"100B\"\n", "");
    let facts = plan(&endless, &["flows[0].count=1"]).explain();
    let load = |name: &str| facts.links.iter().find(|l| l.name == name).unwrap().load * 1000.0;
    assert!((load("a->b") - 0.5).abs() < 1e-12 && (load("c->c1") - 0.5 / 3.0).abs() < 1e-12);
}

#[test]
fn a_flow_keeps_its_path_whatever_else_there_is() {
    let paths = |settings: &[&str]| {
        let results =
            simulate(FAT_TREE, &[&["flows[0].size=14720B", "record.samples=false"], settings].concat());
        (sent(&results), results.flows.completion_time)
    };
    assert_eq!(paths(&[]), paths(&[]));
    assert_ne!(paths(&[]).0, paths(&["seed=2"]).0);
    // Another group that begins earlier takes other slots and numbers; it sends within its edge switch only.
    let second = FAT_TREE.to_owned()
        + "[[flows]]\nname = 'more'\nfrom = 'host0'\nto = 'host1'\ncount = 5\nsize = '1472B'\n";
    let both = simulate(&second, &["flows[0].size=14720B", "flows[0].start=1ms"]);
    assert_eq!(up(&both), up(&simulate(FAT_TREE, &["flows[0].size=14720B"])));
}

#[test]
fn acknowledgements_take_a_way_of_their_own() {
    // Routers hash addresses and ports, and those of an acknowledgement stand the other way round. With 3 ways each, the two
    // differ for 2 flows in 3: of 30 flows for all but 10, with a standard deviation of 2.6.
    let mut differ = 0_u32;
    for seed in 0..30 {
        let packets =
            sent(&simulate(DIAMOND, &[&format!("seed={seed}"), "flows[0].size=10kB", "duration=2s"]));
        let way = |from: &str| {
            let used = ["b", "c", "d"].into_iter().filter(|n| packets[&format!("{from}->{n}")] > 0);
            let used: Vec<&str> = used.collect();
            assert_eq!(used.len(), 1, "one way for a flow: {packets:?}");
            used[0]
        };
        differ += u32::from(way("a") != way("z"));
    }
    assert!(differ.abs_diff(20) <= 10, "{differ} of 30");
}

#[test]
fn tcp_survives_reordering_and_every_packet_is_accounted_for() {
    // Over d a packet is 4 ms, three packets of the link, later than over b and c. The engine asserts at the end of the run
    // that packets sent are delivered, dropped or inside.
    let mut goodput = BTreeMap::new();
    for sack in [true, false] {
        for loss in ["0", "0.01"] {
            let text = DIAMOND.replace("to = \"z\", rate", &format!("to = \"z\", loss = {loss}, rate"));
            let transport = format!("transport={{kind='tcp', controller='newreno', sack={sack}}}");
            for paths in ["single", "spray", "{kind='spray', order='random'}"] {
                let results = simulate(&text, &[&transport, &format!("paths={paths}")]);
                let (flows, run) = (&results.flows, &results.runs);
                assert_eq!(flows.delivered, [1_000_000], "{sack} {loss} {paths}");
                assert!(flows.completion_time[0].is_finite(), "{sack} {loss} {paths}");
                assert_eq!(run.packets_sent[0], run.packets_delivered[0] + run.packets_dropped[0]);
                assert_eq!(
                    flows.out_of_order[0] > 0,
                    paths != "single" || loss != "0",
                    "{sack} {loss} {paths}"
                );
                goodput.insert((sack, loss, paths), flows.goodput[0]);
            }
        }
    }
    // Packets three places late look like losses (RFC 5681 section 3.2): spraying costs throughput, and never all of it.
    let of = |paths| goodput[&(true, "0", paths)];
    assert!(of("spray") < of("single") && of("spray") > 0.05 * of("single"), "{goodput:?}");
}

#[test]
fn after_a_route_change_packets_may_overtake() {
    // Datagrams of 1500 bytes each 2 ms, from 0 on; the last at 998 ms.
    let slow_first = DIAMOND.replace(
        "from = \"b\", to = \"z\", rate = \"10Mbit/s\", delay = \"1ms\"",
        "from = \"b\", to = \"z\", rate = \"10Mbit/s\", delay = \"9500us\"",
    );
    let set = ["transport={kind='cbr', rate='6Mbit/s', packet_size=1500}", "flows[0].size=736000B"];
    for (text, late) in [(DIAMOND, 0), (slow_first.as_str(), 4)] {
        let results = simulate(text, &[set[0], set[1], "paths={kind='change', at='401ms'}"]);
        let sent = sent(&results);
        assert_eq!((sent["a->b"], sent["a->c"], sent["a->d"]), (201, 299, 0));
        assert_eq!(results.flows.delivered, [736_000]);
        // Those sent 2, 4, 6 and 8 ms before the first of the other path arrive 8.5 ms later than they would have over it.
        assert_eq!(results.flows.out_of_order, [late]);
    }
    let results = simulate(DIAMOND, &["transport=tcp", "paths={kind='change', at='401ms'}"]);
    let sent = sent(&results);
    assert!(sent["z->b"] > 0 && sent["z->c"] > 0, "acknowledgements change too: {sent:?}");
    let refused = crate::traced::planned(DIAMOND, &["paths={kind='change', at='0s'}"]).unwrap_err();
    assert!(refused.contains("paths.at: the route changes before the first packet"), "{refused}");
}

#[test]
fn an_open_connection_keeps_its_path_under_spraying() {
    let rounds =
        "[[workloads]]\nkind = 'rounds'\nfrom = 'pod0'\nto = 'host12'\nsize = '14600B'\nrounds = 20\n";
    let text = FAT_TREE.split("[[flows]]").next().unwrap().to_owned() + rounds;
    let tcp = ["transport=tcp", "duration=2s"];
    let results = simulate(&text, &tcp);
    assert_eq!(results.transfers.flow.len(), 4 * 20);
    let used = up(&results).into_iter().filter(|n| *n > 0).count();
    // Data from pod 0 goes up on 4 ways at most, acknowledgements from pod 3 too.
    assert!((2..=8).contains(&used), "{used}");
    let sprayed = simulate(&text, &[tcp[0], tcp[1], "paths=spray"]);
    assert_eq!(sprayed.transfers.flow.len(), 4 * 20);
    assert!(up(&sprayed).iter().filter(|n| **n > 0).count() == 8);
}

#[test]
fn slots_that_are_used_again_deal_afresh() {
    // 300 flows one after the other, each of one packet, which takes a path drawn for the flow: 100 over each, with a
    // standard deviation of 8.2. A dealer left from the flow before would make it 100 exactly.
    let settings = ["transport={kind='cbr', rate='10Mbit/s'}", "paths=spray", "flows[0].size=100B"];
    let results =
        simulate(DIAMOND, &[&settings[..], &["flows[0].count=300", "flows[0].stagger=50ms"]].concat());
    let packets = sent(&results);
    let ways = ["a->b", "a->c", "a->d"].map(|name| packets[name]);
    assert!(ways.iter().all(|n| n.abs_diff(100) < 37) && ways != [100; 3], "{ways:?}");
}
