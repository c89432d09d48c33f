//! Values that are refused, each with the place of the mistake, next to the nearest values that are not.

use dumbbell_core::Config;
use dumbbell_core::config::At;

use crate::controller::ControllerSpec;
use crate::host::HostPolicySpec;
use crate::schedule::ScheduleSpec;
use crate::transports::TransportSpec;

/// A kind, a key of it, values that are refused there, and values that are not. What else stands in a table follows the value,
/// after a comma.
type Row = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

fn judge<C: Config>(rows: &[Row]) {
    let wrong = |text: &str| {
        let value = dumbbell_core::json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        C::from_value(&value, &At::root("it")).err().map(|error| error.to_string())
    };
    for (kind, key, bad, good) in rows {
        let place = format!("it.{key}");
        // Where a list stands, the place may be within it.
        let own = key.split('[').next().unwrap_or(key);
        for value in *bad {
            let text = format!(r#"{{"kind": "{kind}", "{own}": {value}}}"#);
            let told = wrong(&text).unwrap_or_else(|| panic!("{text} is not refused"));
            assert!(told.starts_with(&format!("{place}: ")), "{text}: {told}");
            assert!(told.contains("; "), "{text}: no remedy: {told}");
        }
        for value in *good {
            let text = format!(r#"{{"kind": "{kind}", "{own}": {value}}}"#);
            assert_eq!(wrong(&text), None, "{text}");
        }
    }
}

/// Shares that are neither nothing nor all, to three digits.
const SHARE: (&[&str], &[&str]) = (&["0.0009", "0.9991"], &["0.001", "0.999"]);
/// Segments.
const SEGMENTS: (&[&str], &[&str]) = (&["0.0009", "1000001.0"], &["0.001", "1e6"]);
/// Parts that are neither nothing nor all.
const PART: (&[&str], &[&str]) = (&["0.0", "1.0"], &["0.0001", "0.9999"]);
/// Parts that may be all.
const UP_TO_ALL: (&[&str], &[&str]) = (&["0.0", "1.0001"], &["0.0001", "1.0"]);
/// Parts that may be nothing or all.
const FROM_NOTHING: (&[&str], &[&str]) = (&["-0.0001", "1.0001"], &["0.0", "1.0"]);
/// Times that last.
const LASTS: (&[&str], &[&str]) = (&[r#""0s""#], &[r#""1ns""#]);
/// Counts of something.
const SOME: (&[&str], &[&str]) = (&["0"], &["1"]);

const fn row(
    kind: &'static str,
    key: &'static str,
    values: (&'static [&'static str], &'static [&'static str]),
) -> Row {
    (kind, key, values.0, values.1)
}

#[test]
fn controllers_of_fast_networks_refuse_laws_out_of_range() {
    judge::<ControllerSpec>(&[
        row("htcp", "least_decrease", (SHARE.0, &["0.001", "0.8"])),
        (
            "htcp",
            "most_decrease",
            &[r#"0.49, "least_decrease": 0.5"#, "0.9991"],
            &[r#"0.5, "least_decrease": 0.5"#, "0.999"],
        ),
        ("htcp", "throughput_change", &["-0.1", "1000001.0"], &["0.0", "1e6"]),
        row("htcp", "reference_rtt", LASTS),
        row("yeah", "most_waiting", SEGMENTS),
        ("yeah", "phi", &["0.0099", "1000001.0"], &["0.01", "1e6"]),
        ("yeah", "gamma", &["0.99", "1000001.0"], &["1.0", "1e6"]),
        row("yeah", "epsilon", SHARE),
        ("yeah", "delta", &["0.0009", "0.51"], &["0.001", "0.5"]),
        row("yeah", "increase", SHARE),
        row("bic", "low_window", SEGMENTS),
        ("bic", "max_increment", &["1000001.0"], &["1e6"]),
        (
            "bic",
            "min_increment",
            &["0.00009", r#"2.1, "max_increment": 2.0"#],
            &["0.0001", r#"2.0, "max_increment": 2.0"#],
        ),
        row("bic", "decrease", SHARE),
        ("bic", "divisor", &["0.99", "1001.0"], &["1.0", "1000.0"]),
        ("illinois", "alpha_max", &["1000001.0"], &["1e6"]),
        (
            "illinois",
            "alpha_min",
            &["0.0009", r#"2.1, "alpha_max": 2.0"#],
            &["0.001", r#"2.0, "alpha_max": 2.0"#],
        ),
        ("illinois", "beta_max", &["0.9991"], &["0.999"]),
        (
            "illinois",
            "beta_min",
            &["0.0009", r#"0.5, "beta_max": 0.4"#],
            &["0.001", r#"0.4, "beta_max": 0.4"#],
        ),
        row("illinois", "window_threshold", SEGMENTS),
        ("illinois", "eta1", &["-0.1", "0.9991"], &["0.0", "0.999"]),
        ("illinois", "eta3", &["0.9991"], &["0.999"]),
        ("illinois", "eta2", &["-0.1", r#"0.6, "eta3": 0.5"#], &["0.0", r#"0.5, "eta3": 0.5"#]),
        ("highspeed", "low_window", &["0.0009"], &["0.001"]),
        (
            "highspeed",
            "high_window",
            &[r#"50.0, "low_window": 50.0"#, "1000001.0"],
            &[r#"50.1, "low_window": 50.0"#, "1e6"],
        ),
        ("highspeed", "low_loss", &["0.11"], &["0.1"]),
        (
            "highspeed",
            "high_loss",
            &["1e-16", r#"1e-3, "low_loss": 1e-3"#],
            &["1e-15", r#"9e-4, "low_loss": 1e-3"#],
        ),
        ("highspeed", "high_decrease", &["0.0009", "0.51"], &["0.001", "0.5"]),
        row("scalable", "increase", SHARE),
        row("scalable", "decrease", SHARE),
        row("scalable", "legacy_window", SEGMENTS),
        row("hybla", "reference_rtt", LASTS),
        ("hybla", "most_doublings", &["0.99", "16.1"], &["1.0", "16.0"]),
        row("westwood", "time_constant", LASTS),
        ("westwood-plus", "memory", &["-0.1", "0.9991"], &["0.0", "0.999"]),
        ("cubic", "scale", &["0.0", "1000001.0"], &["0.1", "1e6"]),
        row("cubic", "decrease", PART),
        row("cubic", "ecn_decrease", PART),
        ("newreno", "increase", &["0.0", "1001.0"], &["0.1", "1000.0"]),
        row("newreno", "decrease", PART),
        row("newreno", "ecn_decrease", PART),
    ]);
}

#[test]
fn controllers_by_delays_refuse_laws_out_of_range() {
    judge::<ControllerSpec>(&[
        ("vegas", "alpha", &["-0.1"], &["0.0"]),
        ("vegas", "beta", &[r#"1.9, "alpha": 2.0"#, "1000001.0"], &[r#"2.0, "alpha": 2.0"#, "1e6"]),
        ("vegas", "gamma", &["-0.1", "1000001.0"], &["0.0", "1e6"]),
        row("vegas", "exit_decrease", PART),
        row("vegas", "decrease", PART),
        row("vegas", "decrease_again", PART),
        ("copa", "delta", &["0.0009", "10.1"], &["0.001", "10.0"]),
        row("copa", "rtt_window", LASTS),
        ("ledbat", "target", &[r#""0s""#, r#""10001ms""#], &[r#""1ns""#, r#""10s""#]),
        ("ledbat", "gain", &["0.0", "100.1"], &["0.1", "100.0"]),
        ("ledbat", "least_window", &["0", "1001"], &["1", "1000"]),
        ("ledbat", "allowed_increase", &["0", "1001"], &["1", "1000"]),
        ("ledbat", "current_delays", &["0", "61"], &["1", "60"]),
        ("ledbat", "base_minutes", &["0", "61"], &["1", "60"]),
        ("ledbat-plus-plus", "target", &[r#""0s""#, r#""10001ms""#], &[r#""1ns""#, r#""10s""#]),
        ("ledbat-plus-plus", "decrease", &["0.0", "10.1"], &["0.1", "10.0"]),
        ("ledbat-plus-plus", "exit_at", &["0.0", "10.1"], &["0.1", "10.0"]),
        ("ledbat-plus-plus", "apart", &["0.0", "1001.0"], &["0.1", "1000.0"]),
        ("ledbat-plus-plus", "closed_for", &["0", "1001"], &["1", "1000"]),
        ("ledbat-plus-plus", "current_delays", &["0", "61"], &["1", "60"]),
        ("ledbat-plus-plus", "base_minutes", &["0", "61"], &["1", "60"]),
        ("bbr", "startup_gain", &["0.99", "2.9"], &["1.0", "2.89"]),
        ("bbr", "window_gain", &["0.99", "2.9"], &["1.0", "2.89"]),
        ("bbr", "rate_rounds", &["0", "65"], &["1", "64"]),
        ("bbr", "least_window", &["0", "65"], &["1", "64"]),
        row("bbr", "rtt_window", LASTS),
        row("bbr", "closed_for", LASTS),
        ("bbr", "margin", &["-0.01", "0.5"], &["0.0", "0.49"]),
        ("bbr3", "startup_pacing_gain", &["0.99", "3.01"], &["1.0", "3.0"]),
        ("bbr3", "drain_pacing_gain", &["0.009", "1.01"], &["0.01", "1.0"]),
        ("bbr3", "down_pacing_gain", &["0.009", "1.01"], &["0.01", "1.0"]),
        ("bbr3", "up_pacing_gain", &["0.99", "3.01"], &["1.0", "3.0"]),
        ("bbr3", "cwnd_gain", &["0.99", "3.01"], &["1.0", "3.0"]),
        ("bbr3", "up_cwnd_gain", &["0.99", "3.01"], &["1.0", "3.0"]),
        ("bbr3", "probe_rtt_cwnd_gain", &["0.009", "1.01"], &["0.01", "1.0"]),
        ("bbr3", "pacing_margin", &["-0.01", "0.51"], &["0.0", "0.5"]),
        ("bbr3", "full_pipe_growth", &["0.009", "2.01"], &["0.01", "2.0"]),
        ("bbr3", "loss_threshold", &["-0.01", "0.51"], &["0.0", "0.5"]),
        ("bbr3", "beta", &["0.009", "1.01"], &["0.01", "1.0"]),
        ("bbr3", "headroom", &["-0.01", "0.91"], &["0.0", "0.9"]),
        ("bbr3", "min_window", &["0", "1001"], &["1", "1000"]),
        ("bbr3", "probe_rounds", &["0", "1001"], &["1", "1000"]),
        ("bbr3", "startup_loss_ranges", &["0", "1001"], &["1", "1000"]),
        ("bbr3", "offload_quanta", &["1001"], &["0", "1000"]),
        row("bbr3", "min_rtt_filter", LASTS),
        row("bbr3", "probe_rtt_interval", LASTS),
        row("bbr3", "probe_wait", LASTS),
    ]);
}

#[test]
fn controllers_of_data_centres_refuse_laws_out_of_range() {
    judge::<ControllerSpec>(&[
        row("dctcp", "gain", UP_TO_ALL),
        row("dctcp", "initial_alpha", FROM_NOTHING),
        row("prague", "gain", UP_TO_ALL),
        row("prague", "initial_alpha", FROM_NOTHING),
        ("prague", "least_rtt", &[r#""10001ms""#], &[r#""0s""#, r#""10s""#]),
        row("prague", "decrease", PART),
        row("timely", "decrease", UP_TO_ALL),
        row("timely", "gain", UP_TO_ALL),
        row("timely", "loss_decrease", UP_TO_ALL),
        row("timely", "base_rtt", LASTS),
        ("timely", "high", &[r#""1ms", "low": "1001us""#], &[r#""1ms", "low": "1ms""#]),
        row("hpcc", "utilisation", UP_TO_ALL),
        row("hpcc", "loss_decrease", UP_TO_ALL),
        row("hpcc", "rtt", LASTS),
        row("dcqcn", "gain", UP_TO_ALL),
        row("dcqcn", "loss_decrease", UP_TO_ALL),
        ("dcqcn", "alpha_interval", &[r#""999ns""#], &[r#""1us""#]),
        ("dcqcn", "timer", &[r#""999ns""#], &[r#""1us""#]),
        ("dcqcn", "byte_counter", &[r#""0B""#], &[r#""1B""#]),
        ("dcqcn", "fast_steps", &["65"], &["0", "64"]),
        row("swift", "decrease", UP_TO_ALL),
        row("swift", "max_decrease", UP_TO_ALL),
        ("swift", "increase", &["0.9e-6", "1000001.0"], &["1e-6", "1e6"]),
        ("swift", "scaling_min_window", &["0.9e-6"], &["1e-6"]),
        (
            "swift",
            "scaling_max_window",
            &[r#"1.0, "scaling_min_window": 1.0"#, "1000001.0"],
            &[r#"1.1, "scaling_min_window": 1.0"#, "1e6"],
        ),
        ("swift", "min_window", &["0.9e-6"], &["1e-6"]),
        (
            "swift",
            "max_window",
            &[r#"1.0, "min_window": 1.0"#, "1000001.0"],
            &[r#"1.1, "min_window": 1.0"#, "1e6"],
        ),
        row("xcp", "decrease", PART),
    ]);
    for kind in ["timely", "hpcc", "dcqcn"] {
        judge::<ControllerSpec>(&[
            (kind, "min_rate", &[r#""0bit/s""#], &[r#""1bit/s""#]),
            (
                kind,
                "line_rate",
                &[r#""1Mbit/s", "min_rate": "1000001bit/s""#],
                &[r#""1Mbit/s", "min_rate": "1Mbit/s""#],
            ),
        ]);
    }
}

#[test]
fn transports_refuse_what_stops_a_connection() {
    for key in [
        "mss",
        "initial_window",
        "initial_threshold",
        "max_window",
        "unit_window",
        "ack_every",
        "byte_counting",
        "duplicate_threshold",
    ] {
        judge::<TransportSpec>(&[row("tcp", key, (SOME.0, if key == "mss" { &["536"] } else { SOME.1 }))]);
    }
    judge::<TransportSpec>(&[
        (
            "tcp",
            "rto_min",
            &[r#""0s""#, r#""2s", "rto_max": "1999ms""#],
            &[r#""1ns""#, r#""2s", "rto_max": "2s""#],
        ),
        (
            "tcp",
            "rto_initial",
            &[r#""0s""#, r#""2s", "rto_max": "1999ms""#],
            &[r#""1ns""#, r#""2s", "rto_max": "2s""#],
        ),
        ("tcp", "unit_copies", &["4"], &["3"]),
        ("tcp", "rto_spread", &["-0.1", "10.1"], &["0.0", "10.0"]),
        ("tcp", "ecn", &[r#""off", "controller": "dctcp""#], &[r#""classic", "controller": "dctcp""#]),
        ("tcp", "max_pacing_rate", &[r#""1Mbit/s", "pacing": "off""#], &[r#""1Mbit/s", "pacing": "linux""#]),
        ("tcp", "receive_window", &[r#""0B""#], &[r#""1B""#]),
        ("tcp", "packet_memory", &[r#""65537B""#], &[r#""0B""#, r#""65536B""#]),
        ("tcp", "window_scale", &["9", "15"], &["10", "14"]),
        (
            "tcp",
            "rto_tick",
            &[r#""500ms""#, r#""27ns", "loss_detection": "duplicates""#],
            &[r#""28ns", "loss_detection": "duplicates""#],
        ),
        row("rcp", "payload", SOME),
        ("rcp", "desired", &[r#""0bit/s""#, r#""7bit/s""#], &[r#""8bit/s""#]),
        row("rcp", "syn_timeout", LASTS),
        row("rcp", "probe_min", LASTS),
        (
            "rcp",
            "probe_max",
            &[r#""1ms", "probe_min": "1001us""#, r#""0s""#],
            &[r#""1ms", "probe_min": "1ms""#],
        ),
        row("rcp", "probe_running", LASTS),
        row("rcp", "rto_min", LASTS),
        ("lttp", "overhead", &["-0.1", "10.1"], &["0.0", "10.0"]),
        ("nada", "rmin", &[r#""999bit/s""#], &[r#""1kbit/s""#]),
        ("nada", "rmax", &[r#""149kbit/s""#], &[r#""150kbit/s""#]),
        ("nada", "prio", &["0.0", "1000001.0"], &["1e-9", "1e6"]),
        ("nada", "lambda", &["-0.1", "1000001.0"], &["0.0", "1e6"]),
        row("nada", "alpha", UP_TO_ALL),
        ("nada", "fps", &["0", "1001"], &["1", "1000"]),
        ("nada", "delta", &[r#""999us""#], &[r#""1ms""#]),
        ("nada", "packet_size", &["40"], &["41"]),
        (
            "nada",
            "pauses[1].at",
            &[r#"[{"at": "40s", "lasts": "20s"}, {"at": "59s", "lasts": "1s"}]"#],
            &[r#"[{"at": "40s", "lasts": "20s"}, {"at": "60s", "lasts": "1s"}]"#],
        ),
        row("tfrc", "payload", SOME),
        row("trump", "payload", SOME),
        ("trump", "selacksize", &["0", "17"], &["1", "16"]),
        ("trump", "desired", &[r#""0bit/s""#], &[r#""1bit/s""#]),
        row("trump", "retry", LASTS),
        row("trump", "ack_delay", LASTS),
        ("trump", "give_up", &[r#""1s", "retry": "1001ms""#, r#""0s""#], &[r#""1s", "retry": "1s""#]),
        ("cbr", "packet_size", &["28"], &["29"]),
        ("poisson", "packet_size", &["28"], &["29"]),
        ("poisson", "rate", &[r#""12001Gbit/s""#], &[r#""11999Gbit/s""#]),
        ("on-off", "packet_size", &["28"], &["29"]),
        // 10,000 bursts for a packet of 1500 bytes: at 1 kbit/s that takes 12 s.
        (
            "on-off",
            "mean_on",
            &[r#""999ns", "rate": "10Mbit/s""#, r#""1199us", "rate": "1kbit/s""#],
            &[r#""1us", "rate": "10Mbit/s""#, r#""1200us", "rate": "1kbit/s""#],
        ),
    ]);
}

#[test]
fn schedules_and_hosts_refuse_what_never_ends() {
    judge::<ScheduleSpec>(&[
        // A piece in a microsecond, at 8 Gbit/s.
        (
            "rate",
            "piece",
            &[r#""0B", "rate": "1Mbit/s""#, r#""999B", "rate": "8Gbit/s""#],
            &[r#""1000B", "rate": "8Gbit/s""#],
        ),
        ("on-off", "piece", &[r#""0B", "rate": "1Mbit/s""#], &[r#""1B", "rate": "1Mbit/s""#]),
        (
            "on-off",
            "mean_on",
            &[r#""799ns", "rate": "1Mbit/s", "piece": "1kB""#],
            &[r#""800ns", "rate": "1Mbit/s", "piece": "1kB""#],
        ),
        ("listed", "actions", &["[]"], &[r#"[{"at": "1s", "bytes": "1B"}]"#]),
        ("listed", "actions[0].bytes", &[r#"[{"at": "1s", "bytes": "0B"}]"#], &[]),
        (
            "listed",
            "actions[1].at",
            &[r#"[{"at": "1s", "bytes": "1B"}, {"at": "999ms", "bytes": "1B"}]"#],
            &[r#"[{"at": "1s", "bytes": "1B"}, {"at": "1s", "bytes": "1B"}]"#],
        ),
    ]);
    judge::<HostPolicySpec>(&[
        ("ia-tcp", "bdp", &[r#""0B""#], &[r#""1B""#]),
        ("ia-tcp", "segment", &[r#""0B""#], &[r#""1B""#]),
        ("fair-window", "bdp", &[r#""0B""#], &[r#""1B""#]),
        ("ictcp", "segment", &[r#""0B""#], &[r#""1B""#]),
        row("ictcp", "least", SOME),
        row("ictcp", "share", FROM_NOTHING),
        row("ictcp", "memory", FROM_NOTHING),
        row("ictcp", "scarce", FROM_NOTHING),
        ("ictcp", "unused", &["1.1"], &["1.0"]),
        ("ictcp", "used", &["-0.1", r#"0.6, "unused": 0.5"#], &[r#"0.5, "unused": 0.5"#]),
    ]);
}
