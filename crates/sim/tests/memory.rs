//! A run keeps to its limit of memory, says what took it, and keeps what was measured.

use std::ops::ControlFlow;

use crate::traced::plan;
use dumbbell_core::Results;
use dumbbell_core::results::Part;
use dumbbell_sim::run;

fn simulate(text: &str, settings: &[&str], memory: u64) -> Results {
    run(&plan(text, settings), memory, |_| ControlFlow::Continue(())).unwrap()
}

fn ended(results: &Results) -> &str {
    &results.labels.all()[results.runs.ended[0] as usize]
}

/// Ten times what two unlimited queues drain. The second is entered ahead of time unless it is sampled.
const FLOOD: &str = r#"
duration = "20s"
warmup = "1ms"
transport = { kind = "cbr", rate = "1Gbit/s" }
[topology]
kind = "chain"
hops = 2
[topology.link]
rate = "100Mbit/s"
delay = "1ms"
queue = "droptail"
[[flows]]
from = "node0"
to = "node2"
[record]
queues = "none"
"#;

const LIMIT: u64 = 20_000_000;

#[test]
fn a_queue_without_limit_ends_the_run_and_is_named() {
    for queue in ["droptail", "{ kind = 'codel', limit = 'unlimited' }"] {
        let set = format!("topology.link.queue={queue}");
        let results = simulate(FLOOD, &[&set], LIMIT);
        let shortage = results.shortage.unwrap();
        assert_eq!(shortage.limit, LIMIT);
        let Part::Queue { link: 0, packets } = shortage.largest else { panic!("{shortage:?}") };
        // 64 to 100 bytes each, and up to a quarter more of room in the rings.
        assert!((LIMIT / 130..LIMIT / 60).contains(&packets), "{queue}: {packets}");
        assert_eq!(ended(&results), "memory");
        assert!(results.runs.duration[0] < 20.0 && results.runs.duration[0] == shortage.time.as_secs_f64());
        assert!(results.runs.packets_inside[0].abs_diff(packets) < 20);
    }
}

#[test]
fn what_was_measured_is_what_a_run_of_that_length_measures() {
    let links =
        ["record.queues=none", "record.queues=all", "topology.link.queue=codel", "topology.link.router=rcp"];
    for setting in links {
        let unlimited = "topology.link.queue.limit=unlimited";
        let cut = simulate(FLOOD, &[setting, unlimited], LIMIT);
        let nanos = cut.shortage.unwrap().time.as_nanos();
        let whole = simulate(FLOOD, &[setting, unlimited, &format!("duration={nanos}ns")], u64::MAX);
        assert_eq!((ended(&whole), whole.shortage), ("duration", None));
        let close = |name: &str, a: f64, b: f64, tolerance: f64| {
            assert!((a - b).abs() <= tolerance, "{setting}, {name}: {a} cut short, {b} whole");
        };
        // What happens at that very nanosecond is in one and not in the other.
        for link in [0, 2] {
            close("sent", cut.links.sent[link] as f64, whole.links.sent[link] as f64, 2.0);
            close(
                "sent_bytes",
                cut.links.sent_bytes[link] as f64,
                whole.links.sent_bytes[link] as f64,
                3000.0,
            );
            close("utilisation", cut.links.utilisation[link], whole.links.utilisation[link], 1e-3);
        }
        close("queue_mean", cut.links.queue_mean[0], whole.links.queue_mean[0], 2.0);
        close("goodput", cut.runs.goodput[0], whole.runs.goodput[0], 1e5);
        close("hops", cut.runs.packet_hops[0] as f64, whole.runs.packet_hops[0] as f64, 4.0);
        close("delivered", cut.flows.delivered[0] as f64, whole.flows.delivered[0] as f64, 3000.0);
    }
}

#[test]
fn a_run_that_fits_does_not_depend_on_the_limit() {
    let settings = ["duration=100ms", "record.queues=all"];
    let shown = |memory| format!("{:?}", simulate(FLOOD, &settings, memory).into_tables());
    assert_eq!(shown(LIMIT), shown(u64::MAX));
}

#[test]
fn rows_and_flows_count_too() {
    let drops = ["topology.link.queue.limit=2pkt", "record.drops=true"];
    let arrivals = ["topology.link.queue.limit=2pkt", "record.arrivals=['node0->node1']"];
    let samples = ["topology.link.queue.limit=2pkt", "record.queues=all", "record.period=1us"];
    for (settings, table) in [(&drops[..], "drops"), (&arrivals, "arrivals"), (&samples, "samples")] {
        let results = simulate(FLOOD, settings, LIMIT);
        let Part::Rows { table: named, rows } = results.shortage.unwrap().largest else { panic!("{table}") };
        assert_eq!(named, table);
        assert!(rows > 100_000, "{rows}");
    }
    let flight = ["topology.link.rate=1Gbit/s", "topology.link.delay=10s"];
    let results = simulate(FLOOD, &flight, LIMIT);
    assert!(matches!(results.shortage.unwrap().largest, Part::InFlight(150_000..300_000)));
    // Entries of a heap take 112 bytes.
    for impairment in
        ["kind = 'jitter', spread = '1s', keep_order = false", "kind = 'duplication', probability = 1.0"]
    {
        let impaired = format!("topology.link.impairments=[{{ {impairment} }}]");
        let results = simulate(FLOOD, &[&flight[..], &[&impaired]].concat(), LIMIT);
        let Part::InFlight(packets) = results.shortage.unwrap().largest else { panic!("{impairment}") };
        assert!((130_000..190_000).contains(&packets), "{impairment}: {packets}");
    }
    let flows = ["transport=tcp", "flows[0].count=200000", "flows[0].stagger=1us", "record.samples=false"];
    let results = simulate(FLOOD, &flows, 40_000_000);
    assert!(matches!(results.shortage.unwrap().largest, Part::Flows(10_000..100_000)));
    let rows =
        ["flows[0].count=2000000", "flows[0].stagger=10us", "flows[0].size=100B", "record.samples=false"];
    let results = simulate(FLOOD, &rows, 100_000_000);
    assert!(matches!(results.shortage.unwrap().largest, Part::Rows { table: "flows", .. }));
}

#[test]
fn a_run_that_ends_in_its_warm_up_has_measured_nothing() {
    let results = simulate(FLOOD, &["warmup=10s"], LIMIT);
    assert_eq!(ended(&results), "memory");
    assert_eq!((results.links.sent[0], results.runs.goodput[0]), (0, 0.0));
    assert!(results.links.utilisation.iter().chain(&results.links.queue_mean).all(|x| *x == 0.0));
    assert_eq!((results.runs.packets_sent[0], results.runs.packets_dropped[0]), (0, 0));
    assert!(results.runs.total_sent[0] > 100_000);
}

#[test]
fn the_drain_keeps_to_the_limit_too() {
    // The whole flow is in the queue when the measured part ends; after it a sender without end goes on.
    let settings = [
        "duration=10ms",
        "warmup=0s",
        "drain=100s",
        "flows[0].size=1EB",
        "transport.rate=100Mbit/s",
        "topology.link.rate=1Mbit/s",
    ]; // fmt: skip
    let settings = settings.map(|s| s.replace("1EB", "1000000TB"));
    let results = simulate(FLOOD, &settings.each_ref().map(String::as_str), LIMIT);
    assert_eq!((ended(&results), results.runs.duration[0]), ("memory", 0.01));
    assert!(results.shortage.unwrap().time.as_secs_f64() > 0.01);
}
