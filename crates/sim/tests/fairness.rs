//! What queues do for flows that slow down against one that does not.

use crate::traced::untraced as simulate;

/// Many TCP flows, and one of datagrams (the last pair) at `RATE`, over 10 Mbit/s.
const MIX: &str = r#"
duration = "120s"
warmup = "40s"
record = { samples = false }
[topology]
kind = "dumbbell"
pairs = PAIRS
bottleneck = { rate = "10Mbit/s", delay = "20ms", queue = "QUEUE" }
access = { rate = "100Mbit/s", delay = "5ms" }
[[flows]]
from = [SENDERS]
to = [RECEIVERS]
stagger = "20ms"
transport = { kind = "tcp", profile = "rfc", controller = "newreno" }
[[flows]]
from = "senderLAST"
to = "receiverLAST"
start = "5s"
transport = { kind = "cbr", rate = "RATE" }
"#;

/// The share of the bottleneck that the datagrams get at this rate beside so many TCP flows.
fn share_of_datagrams(queue: &str, flows: usize, rate: &str, settings: &[&str]) -> f64 {
    let side = |name: &str| (0..flows).map(|i| format!("\"{name}{i}\"")).collect::<Vec<_>>().join(", ");
    let text = MIX
        .replace("PAIRS", &(flows + 1).to_string())
        .replace("SENDERS", &side("sender"))
        .replace("RECEIVERS", &side("receiver"))
        .replace("LAST", &flows.to_string())
        .replace("RATE", rate)
        .replace("QUEUE", queue);
    let results = simulate(&text, settings);
    let goodput = &results.flows.goodput;
    goodput.last().unwrap() / goodput.iter().sum::<f64>()
}

#[test]
fn under_choke_datagrams_get_less_the_more_they_send() {
    let share = |rate| share_of_datagrams("choke", 64, rate, &[]);
    // Tang, Wang & Low, Understanding CHOKe, ToN 12(1), 2004, theorem 2: with infinitely many TCP flows the share is largest where the
    // datagrams arrive at (2e - 1) / (e + 1) of the rate of the link, and is 1 / (e + 1) = 26.9 % there; it tends to nothing beyond.
    let largest = share("11.93Mbit/s");
    assert!((0.23..0.269).contains(&largest), "{largest}");
    let shares = [largest, share("20Mbit/s"), share("50Mbit/s"), share("90Mbit/s")];
    assert!(shares.is_sorted_by(|a, b| a > b) && shares[3] < 0.05, "{shares:?}");
    assert!(share("5Mbit/s") < largest);
    // RED compares nothing, and the datagrams have the link.
    let red = &[
        "topology.bottleneck.queue={ kind = 'red', min_threshold = '100pkt', max_threshold = '200pkt', limit = '300pkt' }",
    ];
    assert!(share_of_datagrams("red", 64, "20Mbit/s", red) > 0.9);
}

#[test]
fn tcp_keeps_the_link_beside_datagrams_under_sfb_and_fred() {
    // The specification of SFB's isolation: 20 Mbit/s of datagrams among 20 TCP flows leave them more than 80 % of the link.
    for (queue, most) in [("sfb", 0.2), ("fred", 0.2)] {
        let share = share_of_datagrams(queue, 20, "20Mbit/s", &[]);
        assert!(share < most, "{queue}: {share}");
    }
    assert!(share_of_datagrams("blue", 20, "20Mbit/s", &[]) > 0.8);
}

#[test]
fn fair_queues_give_datagrams_the_share_of_one_flow() {
    // One of 21 flows is 4.8 %. Flows that share one of SFQ's buckets share its turn too.
    for queue in ["fq-codel", "fq-pie", "sfq"] {
        let share = share_of_datagrams(queue, 20, "20Mbit/s", &[]);
        assert!((0.03..0.065).contains(&share), "{queue}: {share}");
    }
}

/// Two sources of datagrams, at these rates, over 10 Mbit/s.
fn rates_of_two(queue: &str, rates: [&str; 2]) -> [f64; 2] {
    let flow = |i: usize| {
        format!(
            "[[flows]]\nfrom = \"sender{i}\"\nto = \"receiver{i}\"\ntransport = {{ kind = \"cbr\", rate = \"{}\" }}\n",
            rates[i]
        )
    };
    let text = format!(
        "duration = \"20s\"\nwarmup = \"5s\"\nrecord = {{ samples = false }}\n[topology]\nkind = \"dumbbell\"\npairs = 2\n\
         bottleneck = {{ rate = \"10Mbit/s\", delay = \"5ms\", queue = \"{queue}\" }}\n\
         access = {{ rate = \"100Mbit/s\", delay = \"1ms\" }}\n{}{}",
        flow(0),
        flow(1)
    );
    let results = simulate(&text, &[]);
    [0, 1].map(|i| results.flows.goodput[i] / 1e6)
}

#[test]
fn fair_queues_are_max_min_fair() {
    for queue in ["sfq", "fq-codel", "fq-pie"] {
        // The rates are of IP packets, what arrives is without their headers: 98 %.
        let [small, large] = rates_of_two(queue, ["1Mbit/s", "10Mbit/s"]);
        assert!((small - 0.98).abs() < 0.02 && (large - 8.82).abs() < 0.1, "{queue}: {small} {large}");
        let [first, second] = rates_of_two(queue, ["10Mbit/s", "11Mbit/s"]);
        assert!((first / second - 1.0).abs() < 0.02, "{queue}: {first} {second}");
    }
}

/// The share of the goodput that the eight flows of the second group get beside the one of the first, under CAKE.
fn share_of_eight(isolation: &str, ends: [[&str; 2]; 2]) -> f64 {
    let group = |[from, to]: [&str; 2], count: usize| {
        format!(
            "[[flows]]\nfrom = \"{from}\"\nto = \"{to}\"\ncount = {count}\nstagger = \"20ms\"\ntransport = {{ kind = \"cbr\", rate = \"20Mbit/s\" }}\n"
        )
    };
    let text = format!(
        "duration = \"60s\"\nwarmup = \"10s\"\nrecord = {{ samples = false }}\n[topology]\nkind = \"dumbbell\"\npairs = 2\n\
         bottleneck = {{ rate = \"100Mbit/s\", delay = \"5ms\", queue = {{ kind = \"cake\", rate = \"20Mbit/s\", isolation = \"{isolation}\" }} }}\n\
         access = {{ rate = \"1Gbit/s\", delay = \"5ms\" }}\n{}{}",
        group(ends[0], 1),
        group(ends[1], 8)
    );
    let results = simulate(&text, &[]);
    let goodput = &results.flows.goodput;
    let sum = goodput.iter().sum::<f64>();
    // The shaper's rate less headers of 28 bytes in 1500.
    assert!((sum / 19.627e6 - 1.0).abs() < 0.002, "{isolation}: {sum}");
    1.0 - goodput[0] / sum
}

#[test]
fn cake_shares_between_hosts_or_between_flows() {
    let apart = [["sender0", "receiver0"], ["sender1", "receiver1"]];
    let to_one = [["sender0", "receiver0"], ["sender1", "receiver0"]];
    let from_one = [["sender0", "receiver0"], ["sender0", "receiver1"]];
    for (isolation, ends, hosts) in [
        ("triple", apart, true),
        // The larger number decides: the nine flows of the host that both share.
        ("triple", to_one, false),
        ("triple", from_one, false),
        ("flows", apart, false),
        ("dual-source", to_one, true),
        ("dual-source", from_one, false),
        ("dual-destination", from_one, true),
        ("dual-destination", to_one, false),
        ("source", apart, true),
    ] {
        // A half for the host of eight flows, or eight ninths for eight of nine.
        let (share, due) = (share_of_eight(isolation, ends), if hosts { 0.5 } else { 8.0 / 9.0 });
        assert!((share - due).abs() < 0.005, "{isolation} {ends:?}: {share}");
    }
}
