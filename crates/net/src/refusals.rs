//! Values that are refused, each with the place of the mistake, next to the nearest values that are not.

use dumbbell_core::config::At;
use dumbbell_core::{Config, Value};

use crate::buffer::SharedBuffer;
use crate::link::LinkSpec;
use crate::node::NodeAgentSpec;
use crate::pause::PauseSpec;

fn value(text: &str) -> Value {
    dumbbell_core::json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What is wrong with a table, if anything is.
fn wrong<C: Config>(text: &str) -> Option<String> {
    C::from_value(&value(text), &At::root("link")).err().map(|error| error.to_string())
}

/// What is wrong with a link of 10 Mbit/s and 5 ms that has `more`, if anything is.
fn link(more: &str) -> Option<String> {
    let mut link = value(r#"{"rate": "10Mbit/s", "delay": "5ms", "queue": "droptail"}"#);
    let more = value(&format!("{{{more}}}"));
    let Value::Table(more) = more else { panic!("a table") };
    more.into_iter().for_each(|(key, value)| link.insert(&key, value));
    LinkSpec::from_value(&link, &At::root("link")).err().map(|error| error.to_string())
}

/// Checks that each of `bad` is refused at `place`, and each of `good` is not.
fn judge(wrong: impl Fn(&str) -> Option<String>, place: &str, bad: &[String], good: &[String]) {
    for text in bad {
        let told = wrong(text).unwrap_or_else(|| panic!("{text} is not refused"));
        assert!(told.starts_with(&format!("link.{place}: ")), "{text}: {told}");
        assert!(told.contains("; "), "{text}: no remedy: {told}");
    }
    for text in good {
        assert_eq!(wrong(text), None, "{text}");
    }
}

/// Tables of one kind under a key of a link: the key that is refused in them, and what else stands in them.
fn each(section: &str, kind: &str, rows: &[(&str, &[&str], &[&str])]) {
    for (key, bad, good) in rows {
        let written = |list: &[&str]| -> Vec<String> {
            list.iter().map(|more| format!(r#""{section}": {{"kind": "{kind}", {more}}}"#)).collect()
        };
        judge(link, &format!("{section}.{key}"), &written(bad), &written(good));
    }
}

/// The same for a key alone, by its values.
fn values(section: &str, kind: &str, rows: &[(&str, &[&str], &[&str])]) {
    for (key, bad, good) in rows {
        let written =
            |list: &[&str]| list.iter().map(|value| format!(r#""{key}": {value}"#)).collect::<Vec<_>>();
        let (bad, good) = (written(bad), written(good));
        let texts = |list: &'_ [String]| list.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
        let (bad, good) = (texts(&bad), texts(&good));
        each(section, kind, &[(key, &bad.lines().collect::<Vec<_>>(), &good.lines().collect::<Vec<_>>())]);
    }
}

#[test]
fn queues_refuse_values_out_of_range() {
    values(
        "queue",
        "sfb",
        &[
            ("levels", &["0", "17"], &["1", "16"]),
            ("bins", &["0", "4097"], &["1", "4096"]),
            ("bin_size", &["0"], &["1"]),
        ],
    );
    each(
        "queue",
        "sfb",
        &[
            ("bin_max", &[r#""bin_size": 5, "bin_max": 4"#], &[r#""bin_size": 5, "bin_max": 5"#]),
            (
                "rehash",
                &[r#""rehash": "2s", "warmup": "2s""#, r#""rehash": "1s", "warmup": "2s""#],
                &[r#""rehash": "2001ms", "warmup": "2s""#],
            ),
        ],
    );
    for kind in ["fq-codel", "fq-pie"] {
        values(
            "queue",
            kind,
            &[
                ("flows", &["0", "1048577"], &["1", "1048576"]),
                ("quantum", &[r#""63B""#], &[r#""64B""#]),
                ("drop_batch", &["0"], &["1"]),
            ],
        );
    }
    values(
        "queue",
        "sfq",
        &[
            ("buckets", &["0", "65537"], &["1", "65536"]),
            ("quantum", &[r#""63B""#], &[r#""64B""#]),
            ("limit", &[r#""9kB""#, r#""unlimited""#], &[r#""9pkt""#, r#""1bdp""#]),
            ("perturb", &[r#""999us""#], &[r#""1ms""#]),
        ],
    );
    values("queue", "cake", &[("flows", &["0", "4", "12", "65544"], &["8", "65536"])]);
    values("queue", "blue", &[("freeze", &[r#""0s""#], &[r#""1ns""#])]);
    values("queue", "choke", &[("candidates", &["0", "101"], &["1", "100"])]);
    values("queue", "threshold", &[("threshold", &[r#""unlimited""#], &[r#""20pkt""#])]);
    values("queue", "drr", &[("quantum", &[r#""0B""#, r#""1499B""#], &[r#""1500B""#])]);
    for kind in ["token-bucket-filter", "policer"] {
        let rows: [(&str, &[&str], &[&str]); 1] = [(
            "burst",
            &[r#""rate": "1Mbit/s", "burst": "1499B""#],
            &[r#""rate": "1Mbit/s", "burst": "1500B""#],
        )];
        each("queue", kind, &rows);
    }
    for kind in ["codel", "cobalt"] {
        values("queue", kind, &[("target", &[r#""0s""#, r#""100ms""#], &[r#""1ns""#, r#""99ms""#])]);
    }
    values(
        "queue",
        "fred",
        &[
            ("min_threshold", &["0"], &["1"]),
            ("weight", &["0.0", "1.01"], &["1.0"]),
            ("mean_packet", &[r#""0B""#], &[r#""1B""#]),
        ],
    );
    let order: [(&str, &[&str], &[&str]); 1] = [(
        "max_threshold",
        &[r#""min_threshold": 3, "max_threshold": 3"#],
        &[r#""min_threshold": 3, "max_threshold": 4"#],
    )];
    each("queue", "fred", &order);
}

#[test]
fn controllers_of_queues_refuse_gains_out_of_range() {
    let gain: (&[&str], &[&str]) = (&["-0.1", "1.1e9"], &["0.0", "1e9"]);
    for kind in ["pie", "dualpi2", "pi", "rem"] {
        values("queue", kind, &[("interval", &[r#""999ns""#], &[r#""1us""#])]);
    }
    for kind in ["pie", "dualpi2"] {
        values("queue", kind, &[("alpha", gain.0, gain.1), ("beta", gain.0, gain.1)]);
    }
    values(
        "queue",
        "dualpi2",
        &[("coupling", &["-0.1", "0.0", "1.1e9"], &["0.1"]), ("classic_share", &["0.0", "1.0"], &["0.5"])],
    );
    values("queue", "pi", &[("target", &["-0.1", "0.0", "1.1e9"], &["1e-9", "1e9"])]);
    for kind in ["pie", "fq-pie", "dualpi2"] {
        values("queue", kind, &[("target", &[r#""0s""#], &[r#""1ns""#])]);
    }
    for kind in ["blue", "sfb", "cobalt"] {
        values("queue", kind, &[("decrement", &["0"], &["1e-9"])]);
        each("queue", kind, &[("decrement", &[], &[r#""increment": 0, "decrement": 0"#])]);
    }
    each(
        "queue",
        "pi",
        &[(
            "gain_previous",
            &[r#""gain_present": 0.5, "gain_previous": 0.6"#],
            &[r#""gain_present": 0.5, "gain_previous": 0.5"#],
        )],
    );
    values(
        "queue",
        "rem",
        &[
            ("target", gain.0, gain.1),
            ("gain", gain.0, gain.1),
            ("backlog_weight", gain.0, gain.1),
            ("base", &["1.0", "0.5"], &["1.001"]),
            ("mean_packet", &[r#""0B""#], &[r#""1B""#]),
        ],
    );
}

#[test]
fn thresholds_of_early_drops_are_in_order_and_in_one_unit() {
    let pair = |min: &str, max: &str| format!(r#""min_threshold": "{min}", "max_threshold": "{max}""#);
    for kind in ["red", "choke"] {
        let rows = |list: &[(&str, &str)]| -> Vec<String> {
            let of = |(min, max): &(&str, &str)| pair(min, max);
            list.iter().map(of).map(|more| format!(r#""queue": {{"kind": "{kind}", {more}}}"#)).collect()
        };
        let good = rows(&[("5pkt", "5pkt"), ("2kB", "9kB"), ("0.1bdp", "0.1bdp")]);
        let bad = rows(&[
            ("6pkt", "5pkt"),
            ("9kB", "2kB"),
            ("0.2bdp", "0.1bdp"),
            ("5pkt", "9kB"),
            ("5pkt", "unlimited"),
        ]);
        judge(link, "queue.max_threshold", &bad, &good);
        judge(link, "queue.min_threshold", &rows(&[("unlimited", "5pkt")]), &[]);
    }
    values(
        "queue",
        "red",
        &[("weight", &["0.0", "1.01"], &["1.0"]), ("mean_packet", &[r#""0B""#], &[r#""1B""#])],
    );
    each(
        "queue",
        "red",
        &[
            ("max_threshold", &[r#""min_threshold": "5pkt""#], &[]),
            ("min_threshold", &[r#""max_threshold": "5pkt""#], &[]),
            (
                "adaptive.interval",
                &[r#""adaptive": {"interval": "0s"}"#],
                &[r#""adaptive": {"interval": "1ns"}"#],
            ),
            (
                "adaptive.lowest",
                &[r#""adaptive": {"lowest": 0.3, "highest": 0.2}"#],
                &[r#""adaptive": {"lowest": 0.2, "highest": 0.2}"#],
            ),
        ],
    );
    let ramp = |min: &str, max: &str| format!(r#""queue": {{"kind": "ramp", {}}}"#, pair(min, max));
    judge(link, "queue.max_threshold", &[ramp("9kB", "8kB")], &[ramp("9kB", "9kB")]);
    let of = |n: usize| {
        let class = r#"{"min_threshold": "5pkt", "max_threshold": "15pkt", "max_probability": 0.1}"#;
        vec![class; n].join(", ")
    };
    for kind in ["rio", "wred"] {
        let classes = |list: &str| format!(r#""queue": {{"kind": "{kind}", "classes": [{list}]}}"#);
        judge(link, "queue.classes", &[classes(""), classes(&of(9))], &[classes(&of(8))]);
        let mixed = format!(
            r#"{}, {{"min_threshold": "5kB", "max_threshold": "15kB", "max_probability": 0.1}}"#,
            of(2)
        );
        judge(link, "queue.classes[2].min_threshold", &[classes(&mixed)], &[]);
    }
}

#[test]
fn queues_of_classes_refuse_lists_that_do_not_fit() {
    let list = |n: usize| format!(r#""classes": [{}]"#, vec![r#""droptail""#; n].join(", "));
    let of = |kind: &str, more: &str| format!(r#""queue": {{"kind": "{kind}", {more}}}"#);
    for kind in ["strict-priority", "drr", "wrr"] {
        judge(link, "queue.classes", &[of(kind, &list(0)), of(kind, &list(9))], &[of(kind, &list(8))]);
    }
    for kind in ["drr", "wrr"] {
        let weights = |text: &str| of(kind, &format!(r#"{}, "weights": {text}"#, list(2)));
        judge(
            link,
            "queue.weights",
            &[weights("[1]"), weights("[1, 2, 3]")],
            &[weights("[]"), weights("[1, 1000000]")],
        );
        judge(link, "queue.weights[1]", &[weights("[1, 0]"), weights("[1, 1000001]")], &[]);
    }
    let caps = |text: &str| of("strict-priority", &format!(r#"{}, "caps": [{text}]"#, list(2)));
    let cap =
        |queue: u32, burst: &str| format!(r#"{{"queue": {queue}, "rate": "1Mbit/s", "burst": "{burst}"}}"#);
    let both = caps(&format!("{}, {}", cap(0, "1500B"), cap(1, "9kB")));
    judge(link, "queue.caps[0].queue", &[caps(&cap(2, "9kB"))], &[caps(&cap(1, "9kB"))]);
    judge(link, "queue.caps[1].queue", &[caps(&format!("{}, {}", cap(1, "9kB"), cap(1, "9kB")))], &[both]);
    judge(link, "queue.caps[1].burst", &[caps(&format!("{}, {}", cap(1, "9kB"), cap(0, "1499B")))], &[]);
    assert!(link(&caps(&cap(9, "9kB"))).unwrap().contains("from 0 to 1"));
    // Three within one another, and no more.
    let nested = |queue: &str| of("token-bucket-filter", &format!(r#""rate": "1Mbit/s", "queue": {queue}"#));
    let drr = |queue: &str| format!(r#"{{"kind": "drr", "classes": [{queue}, "droptail"]}}"#);
    judge(link, "queue", &[nested(&drr(&drr(r#""droptail""#)))], &[nested(&drr(r#""droptail""#))]);
    judge(
        link,
        "queue.classes[1].burst",
        &[of(
            "drr",
            r#""classes": ["droptail", {"kind": "token-bucket-filter", "rate": "1Mbit/s", "burst": "9B"}]"#,
        )],
        &[],
    );
}

#[test]
fn markers_refuse_profiles_without_sense() {
    let rates = r#""rate": "2Mbit/s", "peak_rate""#;
    for kind in ["token-bucket", "srtcm"] {
        let burst = |n| format!(r#""marker": {{"kind": "{kind}", "rate": "2Mbit/s", "burst": "{n}B"}}"#);
        judge(link, "marker.burst", &[burst(1499)], &[burst(1500)]);
    }
    for kind in ["trtcm", "tsw3cm"] {
        let peak = |rate| format!(r#""marker": {{"kind": "{kind}", {rates}: "{rate}bit/s"}}"#);
        judge(link, "marker.peak_rate", &[peak(1_999_999)], &[peak(2_000_000)]);
        let same = |red| {
            format!(
                r#""marker": {{"kind": "{kind}", {rates}: "2Mbit/s", "green": 1, "yellow": 1, "red": {red}}}"#
            )
        };
        judge(link, "marker.yellow", &[same(1)], &[same(2)]);
    }
    let burst = |key, n| format!(r#""marker": {{"kind": "trtcm", {rates}: "3Mbit/s", "{key}": "{n}B"}}"#);
    for key in ["burst", "peak_burst"] {
        judge(link, &format!("marker.{key}"), &[burst(key, 1499)], &[burst(key, 1500)]);
    }
    for (kind, more) in [("tsw2cm", ""), ("tsw3cm", r#", "peak_rate": "2Mbit/s""#)] {
        let window =
            |w| format!(r#""marker": {{"kind": "{kind}", "rate": "2Mbit/s", "window": "{w}"{more}}}"#);
        judge(link, "marker.window", &[window("999ns")], &[window("1us")]);
        // RFC 2859 and RFC 2698: packets that differ have classes of their own.
    }
    let classes = |a, b| {
        format!(r#""marker": {{"kind": "tsw2cm", "rate": "2Mbit/s", "in_class": {a}, "out_class": {b}}}"#)
    };
    judge(link, "marker.out_class", &[classes(1, 1)], &[classes(1, 0)]);
    for kind in ["srtcm", "trtcm"] {
        let peak = if kind == "trtcm" { r#", "peak_rate": "2Mbit/s""# } else { "" };
        let aware = |of: [u8; 3], aware| {
            let [green, yellow, red] = of;
            format!(
                r#""marker": {{"kind": "{kind}", "rate": "2Mbit/s"{peak}, "colour_aware": {aware},
                    "green": {green}, "yellow": {yellow}, "red": {red}}}"#
            )
        };
        let bad = [[0, 0, 1], [0, 1, 1], [0, 1, 0]].map(|of| aware(of, true));
        judge(link, "marker.colour_aware", &bad, &[aware([0, 1, 2], true), aware([0, 1, 0], false)]);
    }
    let sizes = |key, n| {
        let other = if key == "block" { "segment" } else { "block" };
        format!(r#""marker": {{"kind": "head-tail", "{key}": "{n}B", "{other}": "9kB"}}"#)
    };
    for key in ["block", "segment"] {
        judge(link, &format!("marker.{key}"), &[sizes(key, 0)], &[sizes(key, 1)]);
    }
}

#[test]
fn impairments_refuse_packets_that_arrive_before_they_leave() {
    let one = |text: &str| format!(r#""impairments": [{{{text}}}]"#);
    let jitter =
        |d: &str, n: u32| one(&format!(r#""kind": "jitter", "distribution": "{d}", "spread": "{n}us""#));
    judge(
        link,
        "impairments[0].spread",
        &[jitter("uniform", 5001)],
        &[jitter("uniform", 5000), jitter("exponential", 5001), jitter("normal", 5001)],
    );
    // What one impairment takes from the delay, the next cannot take.
    let two = |first: &str, n| {
        format!(
            r#""impairments": [{{"kind": "jitter", "distribution": "{first}", "spread": "4ms"}},
                {{"kind": "jitter", "spread": "{n}us"}}]"#
        )
    };
    judge(link, "impairments[1].spread", &[two("uniform", 1001), two("normal", 1)], &[two("uniform", 1000)]);
    judge(link, "impairments[1].spread", &[], &[two("exponential", 5000)]);
    let reorder = |more: &str| one(&format!(r#""kind": "reordering", "probability": 0.1, {more}"#));
    judge(
        link,
        "impairments[0].packets",
        &[
            reorder(r#""delay": "1ms", "packets": 3"#),
            reorder(r#""packets": 0"#),
            reorder(r#""packets": 3001"#),
        ],
        &[reorder(r#""packets": 1"#), reorder(r#""packets": 3000"#)],
    );
    judge(link, "impairments[0].delay", &[one(r#""kind": "reordering", "probability": 0.1"#)], &[]);
    let ahead = |n: u32| reorder(&format!(r#""place": "ahead", "delay": "{n}us""#));
    judge(link, "impairments[0].delay", &[ahead(5001)], &[ahead(5000)]);
}

#[test]
fn steps_of_the_delay_are_sorted_and_fit_their_period() {
    let steps = |first: u32, second: u32, every: &str| {
        let step = |at: u32| format!(r#"{{"at": "{at}ms", "extra": "5ms"}}"#);
        let list = format!("{}, {}", step(first), step(second));
        format!(r#""impairments": [{{"kind": "delay-steps", "steps": [{list}]{every}}}]"#)
    };
    let none = r#""impairments": [{"kind": "delay-steps", "steps": []}]"#.to_owned();
    judge(link, "impairments[0].steps", &[none], &[steps(1, 2, "")]);
    judge(link, "impairments[0].steps[1].at", &[steps(2, 2, ""), steps(3, 2, "")], &[steps(0, 2, "")]);
    let every = |ms: u32| steps(1, 20, &format!(r#", "every": "{ms}ms""#));
    judge(link, "impairments[0].every", &[every(20)], &[every(21)]);
}

#[test]
fn links_refuse_changes_out_of_order_and_packets_out_of_range() {
    let changes = |first: &str, second: &str| {
        let change = |at| format!(r#"{{"at": "{at}", "rate": "1Mbit/s"}}"#);
        format!(r#""rate_changes": [{}, {}]"#, change(first), change(second))
    };
    judge(
        link,
        "rate_changes[1].at",
        &[changes("1s", "1s"), changes("2s", "1s")],
        &[changes("1s", "1001ms")],
    );
    judge(link, "drop_list", &[r#""drop_list": [3, 1, 3]"#.into()], &[r#""drop_list": [3, 1]"#.into()]);
    // RFC 791 section 3.1: the total length has 16 bits.
    let mtu = |n: u64| format!(r#""mtu": "{n}B""#);
    judge(link, "mtu", &[mtu(87), mtu(65_536)], &[mtu(88), mtu(65_535)]);
    let reverse = |more: &str| format!(r#""reverse": {{{more}}}"#);
    judge(link, "reverse.mtu", &[reverse(&mtu(87))], &[reverse(&mtu(88))]);
    judge(
        link,
        "reverse.rate_changes[1].at",
        &[reverse(&changes("1s", "1s"))],
        &[reverse(&changes("1s", "2s"))],
    );
    judge(link, "reverse.drop_list", &[reverse(r#""drop_list": [7, 7]"#)], &[reverse(r#""drop_list": [7]"#)]);
    let trace = |opportunity: &str, overhead: &str| {
        format!(r#""trace": {{"file": "t", "opportunity": "{opportunity}B", "overhead": "{overhead}B"}}"#)
    };
    judge(
        link,
        "trace.opportunity",
        &[trace("4", "4"), trace("3", "4"), trace("65535001", "4")],
        &[trace("5", "4"), trace("65535000", "4")],
    );
    let recorded = format!("{}, {}", trace("1504", "4"), changes("1s", "2s"));
    judge(link, "trace", &[recorded], &[]);
}

#[test]
fn power_control_refuses_times_that_are_too_short() {
    let power = |more: &str| format!(r#""power": {{{more}}}"#);
    let rows: [(&str, &[&str], &[&str]); 8] = [
        ("guard", &[r#""pause": "2ms", "guard": "1999us""#], &[r#""pause": "2ms", "guard": "2ms""#]),
        (
            "rates.levels",
            &[r#""rates": {"levels": 0}"#, r#""rates": {"levels": 257}"#],
            &[r#""rates": {"levels": 1}"#, r#""rates": {"levels": 256}"#],
        ),
        ("rates.ratio", &[r#""rates": {"ratio": 1.0}"#], &[r#""rates": {"ratio": 1.5}"#]),
        ("rates[1]", &[r#""rates": ["1Mbit/s", "11Mbit/s"]"#], &[r#""rates": ["1Mbit/s", "10Mbit/s"]"#]),
        (
            "model.voltage_range",
            &[r#""model": {"voltage_range": 0.9}"#],
            &[r#""model": {"voltage_range": 1.0}"#],
        ),
        ("model.full_power", &[r#""model": {"full_power": -0.1}"#], &[r#""model": {"full_power": 0.0}"#]),
        (
            "policy.low",
            &[r#""policy": {"kind": "alr", "low": "3kB", "high": "2kB"}"#],
            &[r#""policy": {"kind": "alr", "low": "2kB", "high": "2kB"}"#],
        ),
        (
            "policy.hold",
            &[
                r#""policy": {"kind": "buffer-and-burst", "placement": "local", "hold": "999us"}"#,
                r#""policy": {"kind": "buffer-and-burst", "placement": "upstream", "hold": "9us"}"#,
                r#""policy": {"kind": "sleep-and-scale", "placement": "local", "hold": "999us"}"#,
            ],
            &[
                r#""policy": {"kind": "buffer-and-burst", "placement": "local", "hold": "1ms"}"#,
                r#""policy": {"kind": "buffer-and-burst", "placement": "local", "hold": "0s"}"#,
                r#""policy": {"kind": "buffer-and-burst", "placement": "upstream", "hold": "10us"}"#,
                r#""policy": {"kind": "sleep-and-scale", "placement": "upstream", "hold": "0s"}"#,
            ],
        ),
    ];
    for (key, bad, good) in rows {
        let written = |list: &[&str]| list.iter().map(|more| power(more)).collect::<Vec<_>>();
        judge(link, &format!("power.{key}"), &written(bad), &written(good));
    }
    for kind in ["practra", "multi-up", "multi-both", "sleep-and-scale"] {
        let policy =
            |more: &str| power(&format!(r#""pause": "2ms", "policy": {{"kind": "{kind}", {more}}}"#));
        judge(link, "power.policy.delay", &[policy(r#""delay": "2ms""#)], &[policy(r#""delay": "2001us""#)]);
        judge(link, "power.policy.period", &[policy(r#""period": "9us""#)], &[policy(r#""period": "10us""#)]);
        let predictor = |more: &str| policy(&format!(r#""predictor": {{{more}}}"#));
        judge(
            link,
            "power.policy.predictor.tau",
            &[predictor(r#""kind": "ewma-tau", "tau": "0s""#)],
            &[predictor(r#""kind": "ewma-tau", "tau": "1ns""#)],
        );
        judge(
            link,
            "power.policy.predictor.window",
            &[predictor(r#""kind": "ewma-window", "window": "9us""#)],
            &[predictor(r#""kind": "ewma-window", "window": "10us""#)],
        );
    }
    let changing = r#""power": {}, "rate_changes": [{"at": "1s", "rate": "1Mbit/s"}]"#;
    judge(link, "power", &[changing.into(), r#""power": {}, "trace": {"file": "t"}"#.into()], &[power("")]);
    let shaper = r#""power": {}, "queue": {"kind": "token-bucket-filter", "rate": "1Mbit/s"}"#;
    judge(link, "queue", &[shaper.into()], &[]);
}

#[test]
fn routers_refuse_gains_and_times_out_of_range() {
    let times: (&[&str], &[&str]) = (&[r#""999ns""#], &[r#""1us""#]);
    values(
        "router",
        "xcp",
        &[
            ("alpha", &["-0.1", "10.1"], &["0.0", "10.0"]),
            ("beta", &["-0.1", "10.1"], &["0.0", "10.0"]),
            ("gamma", &["-0.1", "10.1"], &["0.0", "10.0"]),
            ("initial_interval", times.0, times.1),
            ("interval_min", times.0, times.1),
            ("queue_interval_min", times.0, times.1),
        ],
    );
    values(
        "router",
        "rcp",
        &[
            ("alpha", &["-0.1", "100.1"], &["0.0", "100.0"]),
            ("beta", &["-0.1", "100.1"], &["0.0", "100.0"]),
            ("gamma", &["0.0", "1.1"], &["0.1", "1.0"]),
            ("initial", &["-0.1", "1.1"], &["0.0", "1.0"]),
            ("period", times.0, times.1),
            ("initial_rtt", times.0, times.1),
            ("least_factor", &["-0.1", "1.0"], &["0.0", "0.99"]),
        ],
    );
    let changes = |list: &[(&str, f64)]| {
        let one = |(at, share): &(&str, f64)| format!(r#"{{"at": "{at}", "share": {share}}}"#);
        let list = list.iter().map(one).collect::<Vec<_>>().join(", ");
        format!(r#""router": {{"kind": "rcp", "mode": "share", "changes": [{list}]}}"#)
    };
    judge(link, "router.changes[0].share", &[changes(&[("1s", -0.1)]), changes(&[("1s", 1.1)])], &[]);
    judge(
        link,
        "router.changes[1].at",
        &[changes(&[("1s", 0.0), ("1s", 1.0)])],
        &[changes(&[("1s", 0.0), ("2s", 1.0)])],
    );
    let law = changes(&[("1s", 0.5)]).replace("share\", \"changes", "law\", \"changes");
    judge(link, "router.changes", &[law], &[]);
}

#[test]
fn node_agents_refuse_values_out_of_range() {
    let rows: [(&str, &str, &[&str], &[&str]); 9] = [
        ("circuit-breaker", "interval", &[r#""999us""#], &[r#""1ms""#]),
        ("circuit-breaker", "intervals", &["0"], &["1"]),
        ("circuit-breaker", "packets", &["0"], &["1"]),
        ("source-quench", "threshold", &["0"], &["1"]),
        ("rbcc", "threshold", &["0"], &["1"]),
        ("rbcc", "alpha", &["0.0", "1.1"], &["0.1", "1.0"]),
        ("rbcc", "quench_size", &["19"], &["20"]),
        ("rbcc", "idle", &[r#""0s""#], &[r#""1ns""#]),
        ("rbcc", "sweep", &[r#""999us""#], &[r#""1ms""#]),
    ];
    for (kind, key, bad, good) in rows {
        let written = |list: &[&str]| -> Vec<String> {
            list.iter().map(|value| format!(r#"{{"kind": "{kind}", "{key}": {value}}}"#)).collect()
        };
        judge(wrong::<NodeAgentSpec>, key, &written(bad), &written(good));
    }
}

#[test]
fn buffers_and_pauses_refuse_what_never_ends() {
    let pause = |xon: &str| format!(r#"{{"xoff": "9kB", "xon": "{xon}"}}"#);
    judge(wrong::<PauseSpec>, "xon", &[pause("9001B")], &[pause("9kB"), r#"{"xoff": "9kB"}"#.into()]);
    let alpha = |n: &str| format!(r#"{{"size": "9kB", "alpha": {n}}}"#);
    judge(wrong::<SharedBuffer>, "alpha", &[alpha("0.0"), alpha("1001.0")], &[alpha("0.1"), alpha("1000.0")]);
    // The remedy is the least size that will do: of 4500 B a port alone gets a third with alpha = 1/2.
    let check = |size: u64| {
        let text = format!(r#"{{"size": "{size}B", "alpha": 0.5}}"#);
        let buffer = SharedBuffer::from_value(&value(&text), &At::root("link")).unwrap();
        buffer.check(1500, &At::root("link")).err().map(|error| error.to_string())
    };
    assert!(
        check(4499)
            .is_some_and(|told| told.starts_with("link.size: ") && told.ends_with("give 4500B or more"))
    );
    assert_eq!(check(4500), None);
}
