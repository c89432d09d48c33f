//! Which form a link takes, and what it may do for its driver.

use std::sync::Arc;

use dumbbell_core::{Bytes, Duration, Ecn, Packet, Time};
use dumbbell_header::TcpHeader;

use super::laws::{config_of, described};
use super::{Abilities, Form, Link, LinkConfig, Order, Other, Trace};
use crate::buffer::{Pool, SharedBuffer};
use crate::pause::Role;

/// A link of 10 Mbit/s and 5 ms with `more`.
fn config(more: &str) -> LinkConfig {
    config_of(described(&format!(r#"{{"rate": "10Mbit/s", "delay": "5ms", {more}}}"#)))
}

fn form(config: &LinkConfig) -> &'static str {
    match Link::new(config).0 {
        Form::Fifo(_) => "fifo",
        Form::Other(link) => match *link {
            Other::Tapped(_) => "tapped",
            Other::Lazy(_) => "lazy",
            Other::Routed(_) => "routed",
            Other::Queued(_) => "queued",
        },
    }
}

#[test]
fn a_link_takes_the_cheapest_form_that_serves() {
    let plain = config(r#""queue": "droptail""#);
    let codel = config(r#""queue": "codel""#);
    let rcp = config(r#""queue": "droptail", "router": "rcp""#);
    let inspected = |config: &LinkConfig| LinkConfig { inspected: true, ..config.clone() };
    let watched = |config: &LinkConfig| LinkConfig { watched: true, ..config.clone() };
    let exact = |config: &LinkConfig| LinkConfig { exact_drops: true, ..config.clone() };
    let general = |config: &LinkConfig| LinkConfig { general: true, ..config.clone() };
    let marked = config(
        r#""queue": "droptail", "marker": {"kind": "token-bucket", "rate": "1Mbit/s", "out_class": 1}"#,
    );
    for (config, expected) in [
        (plain.clone(), "fifo"),
        (exact(&plain), "fifo"),
        (watched(&plain), "fifo"),
        (inspected(&plain), "tapped"),
        (watched(&inspected(&plain)), "queued"),
        (general(&plain), "queued"),
        (codel.clone(), "lazy"),
        // CoDel drops on dequeue, RED on arrival.
        (exact(&codel), "queued"),
        (exact(&config(r#""queue": "red""#)), "lazy"),
        (watched(&codel), "queued"),
        (inspected(&codel), "queued"),
        (general(&codel), "queued"),
        (config(r#""queue": {"kind": "token-bucket-filter", "rate": "1Mbit/s"}"#), "queued"),
        (rcp.clone(), "tapped"),
        (inspected(&rcp), "queued"),
        (general(&rcp), "queued"),
        (config(r#""queue": "codel", "router": "rcp""#), "queued"),
        (config(r#""queue": "droptail", "router": "xcp""#), "routed"),
        (inspected(&config(r#""queue": "droptail", "router": "xcp""#)), "queued"),
        (config(r#""queue": "droptail", "router": "hpcc""#), "queued"),
        // A marker needs packets of several kinds.
        (marked, "lazy"),
        (config(r#""queue": "droptail", "power": {}"#), "queued"),
        (config(r#""queue": "droptail", "rate_changes": [{"at": "1s", "rate": "1Mbit/s"}]"#), "queued"),
        (config(r#""queue": "codel", "rate_changes": [{"at": "1s", "rate": "1Mbit/s"}]"#), "queued"),
        (config(r#""queue": "droptail", "impairments": [{"kind": "jitter", "spread": "1ms"}]"#), "queued"),
        (config(r#""queue": "droptail", "loss": 0.5, "drop_list": [1]"#), "fifo"),
    ] {
        assert_eq!(form(&config), expected, "{config:?}");
    }
    let trace = Trace { times: [Time::from_nanos(1)].into(), opportunity: 1504, overhead: 4 };
    assert_eq!(form(&LinkConfig { trace: Some(trace), ..plain.clone() }), "queued");
    let buffer = SharedBuffer { size: Bytes::new(9000), alpha: 1.0 };
    assert_eq!(form(&LinkConfig { buffer: Some(Pool::new(&buffer)), ..plain.clone() }), "queued");
    assert_eq!(form(&LinkConfig { pause: Role { thresholds: None, obeys: true }, ..plain }), "queued");
}

/// Whether a link passes packets on, takes them ahead of time, hands them on, and then gives them ahead.
fn abilities(config: &LinkConfig) -> [bool; 4] {
    let mut link = Link::new(config);
    let Abilities { passes_on, transparent, hands_on, .. } = link.abilities();
    assert!(link.ahead().is_none());
    link.arm(Order::HandOn);
    [passes_on, transparent, hands_on, link.ahead().is_some()]
}

#[test]
fn links_say_what_they_can_do() {
    let unsampled = |more: &str| LinkConfig { sampled: false, ..config(more) };
    let scripted = r#""queue": "droptail", "drop_list": [1]"#;
    let exact = |more: &str| LinkConfig { exact_drops: true, ..unsampled(more) };
    let limited = r#""queue": {"kind": "droptail", "limit": "9pkt"}"#;
    for (config, expected) in [
        (config(r#""queue": "droptail""#), [true, false, false, false]),
        (unsampled(r#""queue": "droptail""#), [true, true, false, false]),
        (unsampled(limited), [true, false, false, false]),
        (unsampled(r#""queue": "droptail", "loss": 0.5"#), [false, false, false, false]),
        (unsampled(scripted), [true, true, false, false]),
        (exact(scripted), [true, false, false, false]),
        (exact(r#""queue": "droptail""#), [true, true, false, false]),
        (unsampled(r#""queue": "codel""#), [false, false, true, true]),
        (unsampled(r#""queue": "codel", "loss": 0.5"#), [false, false, false, true]),
        (unsampled(r#""queue": "droptail", "power": {}"#), [false, false, true, false]),
        (unsampled(r#""queue": "droptail", "power": {}, "loss": 0.5"#), [false; 4]),
        (unsampled(r#""queue": "codel", "impairments": [{"kind": "jitter", "spread": "1ms"}]"#), [false; 4]),
        (unsampled(r#""queue": "droptail", "router": "rcp""#), [false; 4]),
        (LinkConfig { inspected: true, ..unsampled(r#""queue": "droptail""#) }, [false; 4]),
    ] {
        assert_eq!(abilities(&config), expected, "{config:?}");
    }
}

#[test]
fn links_count_classes_that_somebody_tells_apart() {
    let marker = r#""marker": {"kind": "token-bucket", "rate": "1Mbit/s", "out_class": 1}"#;
    for (more, counts) in [
        (r#""queue": "droptail""#.to_owned(), false),
        (r#""queue": "strict-priority""#.to_owned(), true),
        (format!(r#""queue": "droptail", {marker}"#), true),
    ] {
        assert_eq!(config(&more).direction.counts_classes(), counts, "{more}");
        assert_eq!(Link::new(&config(&more)).read().read_classes(Time::ZERO).is_some(), counts, "{more}");
    }
}

#[test]
fn a_link_is_idle_until_a_packet_comes() {
    let mut shared = config(r#""queue": "codel""#);
    Arc::make_mut(&mut shared.direction).delay = Duration::ZERO;
    for config in [shared.clone(), LinkConfig { general: true, ..shared }] {
        let mut link = Link::new(&config);
        assert_eq!(
            (link.wake_at(), link.read().inside(), link.read().backlog(Time::ZERO)),
            (Time::NEVER, 0, 0)
        );
        assert_eq!((link.read().port().is_some(), link.read().average()), (false, None));
        assert_eq!((link.read().offered(Time::ZERO), link.read().read_pause(Time::ZERO)), (None, None));
        assert!(link.read().next_arrival().is_none() && link.read().read_port(Time::ZERO).is_none());
    }
}

#[test]
#[should_panic(expected = "a link that passes on is a FIFO")]
fn a_link_that_cannot_pass_on_loses_no_packet() {
    let packet = Packet::of(TcpHeader::default(), 0, 1500, Ecn::NotEct);
    Link::new(&config(r#""queue": "codel""#)).pass(Time::ZERO, &packet, &mut Vec::new());
}
