//! How controllers of different kinds share a bottleneck, where somebody has published it.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

use std::ops::ControlFlow;
use std::path::Path;

use dumbbell_core::Results;
use dumbbell_sim::{Plan, Scenario, run};

/// Flows of the given controllers, 0.1 s apart, over 10 Mbit/s with a round-trip time of 40 ms.
fn scenario(controllers: &[&str], queue: &str, duration: u32, warmup: u32) -> String {
    let mut text = format!(
        r#"
duration = "{duration}s"
warmup = "{warmup}s"
record = {{ samples = false }}
[topology]
kind = "dumbbell"
pairs = {}
bottleneck = {{ rate = "10Mbit/s", delay = "10ms", queue = {queue} }}
access = {{ rate = "1Gbit/s", delay = "5ms" }}
"#,
        controllers.len()
    );
    for (i, controller) in controllers.iter().enumerate() {
        text += &format!(
            r#"
[[flows]]
from = "sender{i}"
to = "receiver{i}"
start = "{}ms"
transport = {{ kind = "tcp", controller = "{controller}" }}
"#,
            100 * i
        );
    }
    text
}

fn plan(text: &str) -> Plan {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    Plan::new(&scenario, Path::new(".")).unwrap_or_else(|e| panic!("{e}"))
}

fn shared(controllers: &[&str], queue: &str, duration: u32, warmup: u32) -> Results {
    let plan = plan(&scenario(controllers, queue, duration, warmup));
    run(&plan, u64::MAX, |_| ControlFlow::Continue(())).unwrap()
}

/// The part of the goodput that the first flow has.
fn share_of_first(results: &Results) -> f64 {
    let goodput = &results.flows.goodput;
    goodput[0] / goodput.iter().sum::<f64>()
}

/// A DropTail queue of so many bandwidth-delay products.
fn droptail(products: u32) -> String {
    format!(r#"{{ kind = "droptail", limit = "{products}bdp" }}"#)
}

/// Ware et al., Modeling BBR's interactions with loss-based congestion control, IMC 2019: one flow of BBR has about 40 % however many
/// flows of CUBIC there are; but where the buffer is short, it leaves a single one next to nothing.
#[test]
fn one_flow_of_bbr_has_40_percent_against_any_number_of_cubic_flows() {
    for cubic in [1, 4, 16] {
        let mut controllers = vec!["cubic"; cubic + 1];
        controllers[0] = "bbr";
        let share = share_of_first(&shared(&controllers, &droptail(4), 200, 40));
        assert!((0.35..0.55).contains(&share), "against {cubic}: {share}");
    }
    let short = share_of_first(&shared(&["bbr", "cubic"], &droptail(1), 100, 20));
    assert!(short > 0.75, "{short}");
}

/// RFC 6817 section 1: it yields. Where the queue never reaches the target it does not, as the RFC says (section 4.2).
#[test]
fn ledbat_yields_to_cubic_where_the_buffer_is_longer_than_its_target() {
    for controller in ["ledbat", "ledbat-plus-plus"] {
        let share = share_of_first(&shared(&[controller, "cubic"], &droptail(4), 60, 10));
        assert!(share < 0.05, "{controller}: {share}");
        let equal = share_of_first(&shared(&[controller, controller], &droptail(4), 300, 60));
        assert!((0.4..0.6).contains(&equal), "{controller}: {equal}");
    }
}
