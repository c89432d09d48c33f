//! Parameters and profiles: what is read, what is refused, and what follows from them alone.

use dumbbell_core::config::At;
use dumbbell_core::{Config, json};

use super::Params;
use super::profile::profiles;
use super::tests::params;
use crate::transport::Transport;

#[test]
fn profiles_are_read_and_give_way_to_what_is_said() {
    for profile in profiles() {
        let read = params(&format!(r#"{{"profile": "{}"}}"#, profile.name));
        let written = read.to_value();
        for (key, value, source) in &profile.settings {
            assert!(!source.is_empty());
            let plain = params(&format!(r#"{{"{key}": {}}}"#, json::to_string(value).unwrap()));
            if *key != "controller" {
                assert_eq!(written.get(key), plain.to_value().get(key), "{}: {key}", profile.name);
            }
        }
        assert_eq!(*params(&json::to_string(&written).unwrap()), *read, "read again");
    }
    let linux = params(r#"{"profile": "linux"}"#);
    assert_eq!(Params::default(), *linux, "who names no profile has that of Linux");
    assert_eq!(linux.to_value().get("profile"), Some(&"linux".into()));
    assert_eq!(profiles()[0].settings, [], "what is declared is what Linux does");
    let kernel = params(
        r#"{"profile": "linux", "timestamps": false, "controller": {"kind": "cubic", "hystart": "off"}}"#,
    );
    assert!(!kernel.timestamps && kernel.dsack);
    let controller = kernel.controller.to_value();
    assert_eq!(controller.get("hystart"), Some(&"off".into()));
    assert_eq!(controller.get("variant"), Some(&"linux".into()));
    assert_eq!(params(r#"{"profile": "linux", "controller": "reno"}"#).controller.name(), "reno");
    let cubic = |profile: &str| {
        params(&format!(r#"{{"profile": "{profile}", "controller": "cubic"}}"#)).controller.to_value()
    };
    for profile in ["rfc", "ns2", "bsd"] {
        assert_eq!(cubic(profile).get("variant"), Some(&"rfc9438".into()), "{profile}");
        assert_eq!(cubic(profile).get("hystart"), Some(&"off".into()), "{profile}");
    }
}

/// What `dumbbell` wrote beside results when TCP had no profiles: every parameter that there was.
#[test]
fn a_table_from_before_profiles_runs_as_it_ran() {
    let old = r#"{"handshake": true, "fin": true, "initial_window": 10, "receive_window": "1.07372544GB", "ack_every": 2,
        "ack_delay": "40ms", "byte_counting": 2, "window_validation": true, "limited_transmit": true, "sack": true,
        "timestamps": false, "ecn": false, "quench": "slow-start", "rto_min": "200ms", "rto_initial": "1s", "rto_max": "60s",
        "rto_granularity": "1ms", "rtt_tick": "0s", "overhead": "0s", "retries": 15, "controller": {"kind": "cubic",
        "scale": 0.4, "decrease": 0.7, "fast_convergence": true, "reno_friendly": true}}"#;
    let older = old.replace(r#""overhead": "0s", "#, "").replace(r#""quench": "slow-start", "#, "");
    for text in [old, &older] {
        let value = json::from_str(text).unwrap();
        let read = Params::from_value(&value, &At::root("transport")).unwrap();
        assert_eq!(read, *params(r#"{"profile": "rfc"}"#), "{text}");
    }
}

#[test]
fn fixed_times_of_acknowledgements_can_be_set() {
    let waits = |text: &str| params(&format!(r#"{{"profile": "linux"{text}}}"#)).delayed_acks.word();
    assert_eq!(waits(""), "linux");
    assert_eq!(waits(r#", "ack_every": 1"#), "fixed");
    assert_eq!(waits(r#", "ack_delay": "10ms""#), "fixed");
    assert_eq!(waits(r#", "ack_every": 2, "delayed_acks": "linux""#), "linux");
}

#[test]
fn parameters_are_checked_where_they_stand() {
    let error = |text: &str| {
        let value = json::from_str(text).unwrap();
        Params::from_value(&value, &At::root("transport")).unwrap_err().to_string()
    };
    assert_eq!(
        error(r#"{"initial_window": 0}"#),
        "transport.initial_window: zero stops the connection; give 1 or more"
    );
    assert_eq!(
        error(r#"{"rto_min": "3min"}"#),
        "transport.rto_min: 180s is not between zero and `rto_max`, 120s; lower it or raise `rto_max`"
    );
    assert_eq!(
        error(r#"{"loss_detection": "fack", "sack": false}"#),
        "transport.loss_detection: FACK looks at the highest segment selectively acknowledged, and `sack` is false; add sack = true"
    );
    assert_eq!(
        error(r#"{"receive_window": "0B"}"#),
        "transport.receive_window: a receiver without buffer takes no data; give a size above zero"
    );
}

#[test]
fn bytes_on_the_wire_are_counted_per_segment() {
    let wire = |text: &str, payload| params(text).wire_bytes(payload, 1500);
    assert_eq!(wire("{}", 0), 0);
    assert_eq!(wire("{}", 1460), 1500);
    assert_eq!(wire("{}", 1461), 1461 + 80);
    assert_eq!(wire(r#"{"timestamps": true}"#, 1448), 1500);
    assert_eq!(wire(r#"{"mss": 1000}"#, 10_000), 10_400);
}
