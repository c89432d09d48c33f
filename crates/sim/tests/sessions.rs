//! Closed loops: what starts when, on which connection, and what is written down.

use std::collections::BTreeMap;

use crate::traced::simulate;
use dumbbell_core::Results;

/// A transfer: round, source, start and end in seconds.
#[derive(Clone, Debug)]
struct Row {
    flow: u32,
    group: String,
    source: String,
    destination: String,
    round: u32,
    start: f64,
    end: f64,
}

fn transfers(results: &Results) -> Vec<Row> {
    let (t, label) = (&results.transfers, |code: u32| results.labels.all()[code as usize].to_string());
    (0..t.flow.len())
        .map(|i| Row {
            flow: t.flow[i],
            group: label(t.group[i]),
            source: label(t.source[i]),
            destination: label(t.destination[i]),
            round: t.round[i],
            start: t.start[i],
            end: t.start[i] + t.completion_time[i],
        })
        .collect()
}

const STAR: &str = r#"
duration = "20s"
transport = { kind = "tcp", profile = "rfc", controller = "newreno", handshake = false, initial_window = 2, ack_every = 1 }
[topology]
kind = "star"
senders = 4
receivers = 1
link = { rate = "100Mbit/s", delay = "1ms", queue = { kind = "droptail", limit = "10pkt" } }
[[workloads]]
kind = "rounds"
name = "reads"
from = "senders"
to = "receivers"
size = "14600B"
rounds = 5
[record]
samples = false
"#;

#[test]
fn a_round_begins_when_all_transfers_of_the_last_have_ended() {
    for (settings, flows) in [(vec![], 4), (vec!["workloads[0].connections=fresh"], 20)] {
        let mut settings = settings;
        settings.extend(["workloads[0].pause=3ms", "workloads[0].stagger=10us"]);
        let results = simulate(STAR, &settings);
        let rows = transfers(&results);
        assert_eq!((rows.len(), results.flows.flow.len()), (20, flows));
        let mut ends: BTreeMap<u32, f64> = BTreeMap::new();
        rows.iter().for_each(|r| {
            let end = ends.entry(r.round).or_default();
            *end = end.max(r.end);
        });
        for row in &rows {
            let sender: f64 = row.source.trim_start_matches(char::is_alphabetic).parse().unwrap();
            let barrier = if row.round == 0 { 0.0 } else { ends[&(row.round - 1)] + 3e-3 };
            assert!((row.start - barrier - sender * 1e-5).abs() < 1e-9, "{row:?} after {barrier}");
        }
    }
}

#[test]
fn a_transfer_ends_at_the_nanosecond_computed_by_hand() {
    // One sender. A hop is 120 us (1500 B at 100 Mbit/s) or 3.2 us (40 B) and 1 ms of propagation.
    //   Window 2: segments 0, 1 leave at 0; 0 arrives at 2 * 1120 = 2240, its acknowledgement at + 2 * 1003.2 = 4246.4,
    //   that of 1 at 4366.4. Round trips: 2, 4, then the last 4 of 10 segments.
    //   Segments 2, 3 leave at 4246.4 and 4, 5 at 4366.4, each behind the one before: 5 begins at 4246.4 + 3 * 120.
    //   The acknowledgement of 2 comes at 8492.8 and opens 6, 7; that of 3, 120 later, opens 8, 9: 9 is the fourth, and
    //   arrives at 8492.8 + 3 * 120 + 2240.
    //   The second transfer begins then. The acknowledgements of 4 and 5 found nothing to send, so the window is 6, and 4 are
    //   outstanding: 10, 11 leave at once. Those of 6, 7, 8, 9 come from 12739.2 on, 120 apart, and open two each: the last
    //   of these eight begins 7 * 120 after the first.
    let results = simulate(STAR, &["topology.senders=1", "workloads[0].rounds=2"]);
    let rows = transfers(&results);
    let first = 8492.8 + 3.0 * 120.0 + 2240.0;
    assert!((rows[0].end * 1e6 - first).abs() < 1e-3, "{rows:?}, not {first}");
    let second = 8492.8 + 4246.4 + 7.0 * 120.0 + 2240.0;
    assert!((rows[1].end * 1e6 - second).abs() < 1e-3, "{rows:?}, not {second}");
    assert_eq!((results.flows.size[0], results.flows.delivered[0]), (29_200.0, 29_200));
    assert!(results.flows.completion_time[0].is_nan(), "what it completes are its transfers");
}

#[test]
fn a_fixed_block_is_split_evenly() {
    let results = simulate(STAR, &["workloads[0].size=1B", "workloads[0].rounds=1"]);
    assert_eq!(results.transfers.size, [1.0; 4]);
    let split = STAR.replace("size = \"14600B\"", "block = \"10B\"");
    assert_eq!(simulate(&split, &["workloads[0].rounds=1"]).transfers.size, [3.0, 3.0, 2.0, 2.0]);
}

#[test]
fn jitter_draws_from_the_workloads_own_stream() {
    let starts = |seed: &str| simulate(STAR, &["workloads[0].jitter=1ms", seed]).transfers.start;
    assert_eq!(starts("seed=1"), starts("seed=1"));
    assert_ne!(starts("seed=1"), starts("seed=2"));
    assert!(starts("seed=1").iter().take(4).all(|t| (0.0..1e-3).contains(t)));
}

#[test]
fn senders_that_give_up_do_not_hold_the_round() {
    // Sender 0 loses everything: it gives up after three timeouts, and the others go on without it.
    let text = STAR.replace("ack_every = 1", "ack_every = 1, retries = 2, rto_initial = \"200ms\"");
    let graph = r#"kind = "graph"
nodes = ["a", "b", "r", "s"]
links = [{ from = "a", to = "s", rate = "1Mbit/s", delay = "1ms", loss = 1.0 },
         { from = "b", to = "s", rate = "1Mbit/s", delay = "1ms" },
         { from = "s", to = "r", rate = "1Mbit/s", delay = "1ms" }]
"#;
    let start = text.find("kind = \"star\"").unwrap();
    let end = text.find("[[workloads]]").unwrap();
    let text = text.replace(&text[start..end], graph).replace("from = \"senders\"", "from = [\"a\", \"b\"]");
    let results = simulate(&text.replace("to = \"receivers\"", "to = \"r\""), &[]);
    let rows = transfers(&results);
    assert_eq!(rows.iter().filter(|r| r.source == "a" && r.end.is_nan()).count(), 5, "{rows:?}");
    assert_eq!(rows.iter().filter(|r| r.source == "b" && r.end.is_finite()).count(), 5, "{rows:?}");
}

#[test]
fn lost_datagrams_do_not_hold_the_round() {
    let lossy = "topology.link.loss=0.5";
    let settings = ["transport={ kind = 'cbr', rate = '10Mbit/s' }", "workloads[0].connections=fresh", lossy];
    let rows = transfers(&simulate(STAR, &settings));
    assert_eq!(rows.len(), 20, "four transfers in each of five rounds");
    assert!(rows.iter().any(|r| r.end.is_nan()), "{rows:?}");
}

const EXCHANGES: &str = r#"
duration = "10s"
transport = { kind = "tcp", controller = "cubic" }
[topology]
kind = "dumbbell"
pairs = 3
[[workloads]]
kind = "request-response"
name = "rpc"
from = "senders"
to = "receivers"
request = { kind = "fixed", size = "500B" }
response = { kind = "fixed", size = "20kB" }
work = "7ms"
think = "11ms"
exchanges = 4
[record]
samples = false
"#;

#[test]
fn responses_and_requests_alternate() {
    for connections in ["persistent", "fresh"] {
        let results = simulate(EXCHANGES, &[&format!("workloads[0].connections={connections}")]);
        let rows = transfers(&results);
        assert_eq!(rows.len(), 3 * 4 * 2);
        assert_eq!(results.flows.flow.len(), if connections == "fresh" { 24 } else { 6 });
        let find = |source: &str, round| {
            rows.iter().find(|r| r.source == source && r.round == round).expect("a transfer")
        };
        for pair in 0..3 {
            for round in 0..4 {
                let request = find(&format!("sender{pair}"), round);
                let response = find(&format!("receiver{pair}"), round);
                assert_eq!(response.destination, request.source);
                assert!((response.start - request.end - 7e-3).abs() < 1e-9);
                if round > 0 {
                    let before = find(&format!("receiver{pair}"), round - 1);
                    assert!((request.start - before.end - 11e-3).abs() < 1e-9);
                }
            }
        }
    }
}

#[test]
fn times_may_be_exponential() {
    let settings = ["workloads[0].spread=exponential", "workloads[0].exchanges=400", "duration=200s"];
    let rows = transfers(&simulate(EXCHANGES, &settings));
    let requests = rows.iter().filter(|r| r.source == "sender0" && r.end.is_finite());
    let work: Vec<f64> = requests
        .filter_map(|q| {
            let response = rows.iter().find(|r| r.source == "receiver0" && r.round == q.round)?;
            Some(response.start - q.end)
        })
        .collect();
    let mean = work.iter().sum::<f64>() / work.len() as f64;
    // 400 draws of mean 7 ms: a standard error of 0.35 ms.
    assert!(work.len() >= 399 && (mean - 7e-3).abs() < 4.0 * 0.35e-3, "{} draws, mean {mean}", work.len());
    assert!(work.iter().any(|t| *t < 1e-3) && work.iter().any(|t| *t > 2e-2));
}

#[test]
fn a_shuffle_joins_every_pair_once_a_wave() {
    let text = STAR
        .replace("kind = \"rounds\"", "kind = \"shuffle\"")
        .replace("receivers = 1", "receivers = 3")
        .replace("size = \"14600B\"", "size = { kind = \"fixed\", size = \"14600B\" }")
        .replace("rounds = 5", "waves = 2\nparallel = 2");
    let rows = transfers(&simulate(&text, &[]));
    assert_eq!(rows.len(), 4 * 3 * 2);
    for wave in 0..2 {
        let mut ends: Vec<_> =
            rows.iter().filter(|r| r.round == wave).map(|r| (&r.source, &r.destination)).collect();
        ends.sort();
        ends.dedup();
        assert_eq!(ends.len(), 12);
    }
    let last = rows.iter().filter(|r| r.round == 0).map(|r| r.end).fold(0.0, f64::max);
    assert!(rows.iter().filter(|r| r.round == 1).all(|r| r.start >= last));
    for row in &rows {
        let overlapping = rows.iter().filter(|r| {
            r.destination == row.destination && r.start <= row.start && row.start < r.end - 1e-12
        });
        assert!(overlapping.count() <= 2, "{row:?}");
    }
}

const CHAIN: &str = r#"
duration = "10s"
transport = { kind = "tcp", controller = "cubic" }
[topology]
kind = "dumbbell"
pairs = 2
[[flows]]
name = "first"
from = "sender0"
to = "receiver0"
size = "10kB"
count = 2
stagger = "1s"
[[workloads]]
kind = "on-close"
name = "second"
after = "first"
from = "sender1"
to = "receiver1"
size = { kind = "fixed", size = "5kB" }
think = "100ms"
[[workloads]]
kind = "on-close"
name = "third"
after = "second"
from = "sender0"
to = "receiver0"
size = { kind = "fixed", size = "1kB" }
[record]
samples = false
"#;

#[test]
fn chains_of_flows_follow_each_other() {
    let results = simulate(CHAIN, &[]);
    let rows = transfers(&results);
    let of = |name: &str| rows.iter().filter(|r| r.group == name).cloned().collect::<Vec<_>>();
    let (second, third) = (of("second"), of("third"));
    assert_eq!((second.len(), third.len(), results.flows.flow.len()), (2, 2, 6));
    for i in 0..2 {
        let flow = (0..6).filter(|f| results.flows.size[*f] == 10_000.0).nth(i).expect("a first flow");
        let end = results.flows.start[flow] + results.flows.completion_time[flow];
        assert!((second[i].start - end - 0.1).abs() < 1e-9, "{second:?} after {end}");
        assert!((third[i].start - second[i].end).abs() < 1e-9);
    }
}

#[test]
fn a_population_has_one_flow_in_progress_for_each_pair() {
    let text = CHAIN.replace("after = \"second\"\n", "").replace(
        "from = \"sender0\"\nto = \"receiver0\"\nsize = { kind",
        "from = \"senders\"\nto = \"receivers\"\nsize = { kind",
    );
    let results = simulate(&text, &["workloads[1].max_flows=50"]);
    let rows: Vec<Row> = transfers(&results).into_iter().filter(|r| r.group == "third").collect();
    assert_eq!(rows.len(), 50);
    for source in ["sender0", "sender1"] {
        let own: Vec<&Row> = rows.iter().filter(|r| r.source == source).collect();
        assert!(own.len() > 20);
        assert!(own.windows(2).all(|w| (w[1].start - w[0].end).abs() < 1e-9));
    }
}

#[test]
fn workloads_that_wait_multiply_up_to_their_limit() {
    let text = CHAIN.replace("after = \"first\"", "after = [\"first\", \"second\", \"third\"]");
    let text = text.replace("after = \"second\"", "after = [\"second\", \"third\"]");
    let settings = ["workloads[0].max_flows=300", "workloads[1].max_flows=200", "workloads[0].think=0s"];
    let results = simulate(&text, &settings);
    let rows = transfers(&results);
    let count = |name: &str| rows.iter().filter(|r| r.group == name).count();
    assert_eq!((count("second"), count("third")), (300, 200));
}

#[test]
fn an_unfinished_transfer_is_written_down_without_a_time() {
    let results = simulate(STAR, &["duration=5ms"]);
    let rows = transfers(&results);
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|r| r.end.is_nan()));
}

#[test]
fn nothing_starts_in_the_drain() {
    let text = format!("drain = \"5s\"\n{STAR}");
    let results = simulate(&text, &["duration=5ms", "workloads[0].connections=fresh"]);
    let rows = transfers(&results);
    assert_eq!(rows.len(), 4, "the round that was in progress");
    assert!(rows.iter().all(|r| r.end.is_finite()));
}

#[test]
fn flows_keep_numbers_and_rows() {
    let rows = transfers(&simulate(STAR, &[]));
    for row in &rows {
        assert_eq!(format!("sender{}", row.flow), row.source);
    }
}

#[test]
fn each_answer_begins_when_its_request_has_arrived() {
    for connections in ["persistent", "fresh"] {
        let connections = format!("workloads[0].connections={connections}");
        let set =
            ["workloads[0].request=64B", "workloads[0].servers=3", "workloads[0].rounds=4", &connections];
        let rows = transfers(&simulate(STAR, &set));
        assert_eq!(rows.len(), 2 * 3 * 4, "{connections}");
        let (requests, answers): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|r| r.source == "receiver0");
        for answer in &answers {
            let asked = |r: &&&Row| r.destination == answer.source && r.round == answer.round;
            let request = requests.iter().find(asked).expect("a request for each answer");
            assert!((answer.start - request.end).abs() < 1e-9, "{connections}: {request:?} {answer:?}");
        }
        for round in 1..4 {
            let ends = answers.iter().filter(|r| r.round == round - 1).map(|r| r.end).fold(0.0, f64::max);
            let starts = requests.iter().filter(|r| r.round == round).map(|r| r.start);
            assert!(starts.into_iter().all(|at| (at - ends).abs() < 1e-9), "{connections}: the barrier");
        }
        assert!(
            rows.iter().all(|r| r.source != "sender3" && r.destination != "sender3"),
            "three servers of four"
        );
    }
}

#[test]
fn batches_of_a_round_start_one_after_the_other() {
    let set = ["workloads[0].batch=2", "workloads[0].stagger=3ms", "workloads[0].rounds=2"];
    let rows = transfers(&simulate(STAR, &set));
    for round in 0..2 {
        let mut starts: Vec<f64> = rows.iter().filter(|r| r.round == round).map(|r| r.start).collect();
        starts.sort_by(f64::total_cmp);
        let after: Vec<f64> = starts.iter().map(|at| ((at - starts[0]) * 1e6).round()).collect();
        assert_eq!(after, [0.0, 0.0, 3000.0, 3000.0], "microseconds");
    }
}

#[test]
fn no_more_servers_answer_at_a_time_than_are_asked_for() {
    for (more, connections) in [("request=64B", "fresh"), ("jitter=100us", "persistent")] {
        let (more, connections) =
            (format!("workloads[0].{more}"), format!("workloads[0].connections={connections}"));
        let rows = transfers(&simulate(STAR, &["workloads[0].at_once=2", &more, &connections]));
        let rows: Vec<&Row> = rows.iter().filter(|r| r.source != "receiver0").collect();
        assert_eq!(rows.len(), 4 * 5);
        let overlapping =
            |row: &Row| rows.iter().filter(|r| r.start <= row.start && row.start < r.end - 1e-12).count();
        assert_eq!(rows.iter().map(|row| overlapping(row)).max(), Some(2), "{more}");
        for round in 1..5 {
            let end = rows.iter().filter(|r| r.round == round - 1).map(|r| r.end).fold(0.0, f64::max);
            assert!(rows.iter().filter(|r| r.round == round).all(|r| r.start >= end), "the barrier");
        }
    }
}

#[test]
fn sizes_and_pauses_of_rounds_are_drawn_anew_in_every_round() {
    let text = STAR.replace(
        "size = \"14600B\"",
        "sizes = { kind = \"uniform\", min = \"1600B\", max = \"2kB\" }\npause = \"10ms\"\nspread = \"exponential\"",
    );
    let rounds = 100;
    let results = simulate(&text, &[&format!("workloads[0].rounds={rounds}")]);
    let rows = transfers(&results);
    let sizes = &results.transfers.size;
    assert!(sizes.iter().all(|size| (1600.0..=2000.0).contains(size)));
    let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
    // 400 draws with a deviation of 115: five standard errors are 29.
    assert!((mean - 1800.0).abs() < 29.0, "{mean}");
    let first = |round| rows.iter().filter(|r| r.round == round).map(|r| r.start).fold(f64::MAX, f64::min);
    let last = |round| rows.iter().filter(|r| r.round == round).map(|r| r.end).fold(0.0, f64::max);
    let pauses: Vec<f64> = (1..rounds).map(|round| first(round) - last(round - 1)).collect();
    let mean = pauses.iter().sum::<f64>() / pauses.len() as f64;
    // 99 draws with a deviation of 10 ms: five standard errors are 5 ms.
    assert!((mean - 0.01).abs() < 0.005, "{mean}");
    let shortest = pauses.iter().copied().fold(f64::MAX, f64::min);
    assert!(shortest < 0.002, "exponential: one of 99 is short, {shortest}");
}
