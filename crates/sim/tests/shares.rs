//! How controllers of different kinds share a bottleneck, where somebody has published it.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use dumbbell_core::{Packet, Results, Time, Way};
use dumbbell_sim::{Event, Observer, Plan, Scenario, run, run_observed};

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

fn plan(text: &str) -> Arc<Plan> {
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
fn one_flow_of_bbr_keeps_40_percent_against_cubic() {
    for cubic in [1, 4, 16] {
        let mut controllers = vec!["cubic"; cubic + 1];
        controllers[0] = "bbr";
        let share = share_of_first(&shared(&controllers, &droptail(4), 200, 40));
        assert!((0.35..0.55).contains(&share), "against {cubic}: {share}");
    }
    let short = share_of_first(&shared(&["bbr", "cubic"], &droptail(1), 100, 20));
    assert!(short > 0.75, "{short}");
}

/// Arun & Balakrishnan, Copa, NSDI 2018, section 3: among flows like it the queue is short and shares are equal.
#[test]
fn two_flows_of_copa_share_equally_and_keep_the_queue_short() {
    let results = shared(&["copa", "copa"], &droptail(4), 60, 10);
    let own = share_of_first(&results);
    assert!((0.45..0.55).contains(&own), "{own}");
    let longest = results.links.queue_mean.iter().copied().fold(0.0, f64::max);
    assert!(longest < 12.0, "{longest} packets");
}

/// Arun & Balakrishnan, section 2.2: it competes with flows that fill the queue. With 1 / delta in the place of the window it is as
/// strong as NewReno (0.32 in this place), not stronger.
#[test]
fn copa_holds_its_own_beside_cubic_for_minutes() {
    let share = share_of_first(&shared(&["copa", "cubic"], &droptail(4), 300, 10));
    assert!((0.25..0.5).contains(&share), "{share}");
}

/// Section 2.1: slow start ends where a few packets wait. On a long link with one bandwidth-delay product of buffer, what it overshot
/// must not keep the buffer overflowing.
#[test]
fn copa_alone_fills_a_long_link_without_a_queue() {
    let text =
        scenario(&["copa"], &droptail(1), 20, 2).replace("10Mbit/s", "100Mbit/s").replace("10ms", "45ms");
    let results = run(&plan(&text), u64::MAX, |_| ControlFlow::Continue(())).unwrap();
    let links = &results.links;
    let bottleneck =
        (0..links.utilisation.len()).max_by(|&a, &b| links.utilisation[a].total_cmp(&links.utilisation[b]));
    let bottleneck = bottleneck.unwrap();
    assert!(links.utilisation[bottleneck] > 0.98, "{}", links.utilisation[bottleneck]);
    assert!(links.sojourn_mean[bottleneck] < 0.005, "{} s", links.sojourn_mean[bottleneck]);
}

/// RFC 6817 section 1: it yields. Where the queue never reaches the target it does not, as the RFC says (section 4.2).
#[test]
fn ledbat_yields_to_cubic_in_long_buffers() {
    for controller in ["ledbat", "ledbat-plus-plus"] {
        let share = share_of_first(&shared(&[controller, "cubic"], &droptail(4), 60, 10));
        assert!(share < 0.05, "{controller}: {share}");
        let equal = share_of_first(&shared(&[controller, controller], &droptail(4), 300, 60));
        assert!((0.4..0.6).contains(&equal), "{controller}: {equal}");
    }
}

/// How long the packets of the first flow wait at each link.
#[derive(Default)]
struct Waits {
    arrived: Vec<VecDeque<Time>>,
    waits: Vec<Vec<f64>>,
}

impl Observer for Waits {
    fn packet(&mut self, now: Time, packet: &Packet, way: Way, event: Event) {
        let (Event::Arrived(link) | Event::Left(link) | Event::Dropped(link, _)) = event else { return };
        if way != Way::Forward || packet.flow != 0 {
            return;
        }
        let link = link as usize;
        if self.arrived.len() <= link {
            self.arrived.resize_with(link + 1, VecDeque::new);
            self.waits.resize_with(link + 1, Vec::new);
        }
        match event {
            Event::Arrived(_) => self.arrived[link].push_back(now),
            _ => {
                self.waits[link].extend(self.arrived[link].pop_front().map(|at| now.since(at).as_secs_f64()));
            }
        }
    }
}

/// RFC 9332 section 1, De Schepper et al., 2022: scalable flows have a queue of about a millisecond beside classic ones, and rates of the
/// same order.
#[test]
fn prague_and_cubic_share_dualpi2_within_a_factor_of_two() {
    // One run's share strays by .04: the mean of seeds that nobody has looked at decides.
    let text =
        scenario(&["prague", "cubic"], r#"{ kind = "dualpi2" }"#, 40, 10).replace("10Mbit/s", "100Mbit/s");
    let shares: Vec<f64> = (100..108)
        .map(|seed| {
            let mut waits = Waits::default();
            let plan = plan(&format!("seed = {seed}{text}"));
            let results = run_observed(&plan, u64::MAX, |_| ControlFlow::Continue(()), &mut waits).unwrap();
            // The bottleneck is where they wait longest; a packet takes 0.12 ms to send.
            let p99 = waits.waits.iter_mut().map(|waits| {
                waits.sort_by(f64::total_cmp);
                waits.get(waits.len() * 99 / 100).map_or(0.0, |wait| wait - 0.12e-3)
            });
            let p99 = p99.fold(0.0, f64::max);
            assert!(p99 > 1e-4 && p99 < 1e-3, "{p99} s with seed {seed}");
            share_of_first(&results)
        })
        .collect();
    let share = shares.iter().sum::<f64>() / shares.len() as f64;
    assert!((1.0 / 3.0..2.0 / 3.0).contains(&share), "{share}: {shares:?}");
}
