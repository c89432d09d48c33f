//! What holds for every registered controller, whatever happens to it.

use dumbbell_core::config::At;
use dumbbell_core::{Config, Duration, Time, Value};
use proptest::prelude::*;

use super::*;

const MSS: u32 = 1000;

fn all() -> Vec<ControllerSpec> {
    ControllerSpec::descriptors()
        .iter()
        .map(|d| ControllerSpec::from_value(&Value::from(d.name), &At::root("")).unwrap())
        .collect()
}

/// An event, the bytes it acknowledges and the time since the one before.
#[derive(Clone, Debug)]
struct Step {
    event: Event,
    acked: u64,
    in_recovery: bool,
    window_limited: bool,
    repeated: bool,
    /// The part of the window that is outstanding.
    used: f64,
    wait: Duration,
    /// Change of rate that routers granted, in bytes a second.
    feedback: f64,
}

prop_compose! {
    fn step()(
        event in prop_oneof![
            20 => Just(Event::Ack), 2 => Just(Event::Loss), 1 => Just(Event::Timeout),
            1 => Just(Event::Ecn), 1 => Just(Event::Recovered), 1 => Just(Event::Idle)],
        acked in 1_u64..100_000,
        (in_recovery, window_limited, repeated) in any::<(bool, bool, bool)>(),
        used in 0.0..1.0_f64,
        wait in 0_u64..2_000_000_000,
        feedback in -1e9..1e9_f64,
    ) -> Step {
        let wait = Duration::from_nanos(wait);
        Step { event, acked, in_recovery, window_limited, repeated, used, wait, feedback }
    }
}

proptest! {
    #[test]
    fn windows_stay_sane(
        initial in 1_u64..50,
        threshold in prop_oneof![Just(u64::MAX), 1_u64..100_000],
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let mss = u64::from(MSS);
        for spec in all() {
            let mut controller = spec.build();
            let mut control = Control { window: initial * mss, threshold, pacing: None, request: None };
            let (mut now, mut delivered) = (Time::ZERO, 0);
            for step in &steps {
                now += step.wait;
                delivered += step.acked;
                let before = control;
                let flight = (control.window as f64 * step.used) as u64;
                let rtt = Duration::from_millis(50);
                let sample = Sample {
                    now,
                    event: step.event,
                    in_recovery: step.in_recovery,
                    window_limited: step.window_limited,
                    repeated: step.repeated && step.event == Event::Timeout,
                    mss: MSS,
                    initial_window: initial * mss,
                    growth_limit: 2 * mss,
                    acked: step.acked,
                    flight,
                    delivered,
                    rtt,
                    smoothed_rtt: rtt,
                    min_rtt: rtt,
                    feedback: step.feedback,
                };
                controller.on(&sample, &mut control);
                let name = spec.name();
                prop_assert!(control.window >= 1 && control.window < 1 << 40, "{name}: {control:?}");
                control.window = control.window.max(mss);
                match step.event {
                    Event::Loss | Event::Timeout | Event::Ecn => {
                        prop_assert!(control.window <= before.window.max(2 * mss), "{name} {sample:?}");
                        if step.event != Event::Timeout || !step.repeated {
                            prop_assert!(control.threshold >= 2 * mss, "{name} {sample:?}");
                            prop_assert!(control.threshold <= flight.max(2 * mss), "{name} {sample:?}");
                        } else {
                            prop_assert_eq!(control.threshold, before.threshold, "{}", name);
                        }
                        if step.event == Event::Timeout {
                            prop_assert_eq!(control.window, mss, "{}", name);
                        }
                    }
                    // Routers, not acknowledgements, open and close the window.
                    Event::Ack | Event::Recovered if control.request.is_some() => {
                        prop_assert!(control.window >= before.window || step.feedback < 0.0, "{name}");
                        prop_assert!(control.window <= before.window + 1 || step.feedback > 0.0, "{name}");
                    }
                    Event::Ack => {
                        prop_assert!(control.window >= before.window, "{name} {sample:?}");
                        prop_assert_eq!(control.threshold, before.threshold, "{}", name);
                        let still = step.in_recovery || !step.window_limited;
                        prop_assert!(!still || control == before, "{name} grows when it must not: {sample:?}");
                        if before.window < before.threshold {
                            prop_assert!(control.window <= before.window + sample.growth_limit, "{name}");
                        }
                    }
                    Event::Idle => prop_assert!(control.window <= before.window, "{name}"),
                    Event::Recovered | Event::Start => {
                        prop_assert!(control.window <= before.window.max(before.threshold), "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_default_has_a_source() {
    for descriptor in ControllerSpec::descriptors() {
        for field in &descriptor.fields {
            assert!(
                field.default.is_none() || !field.source.is_empty(),
                "{}.{}",
                descriptor.name,
                field.name
            );
        }
    }
}

#[test]
fn parameters_are_checked_where_they_stand() {
    let error = |text: &str| {
        let value: Value = dumbbell_core::json::from_str(text).unwrap();
        ControllerSpec::from_value(&value, &At::root("controller")).unwrap_err().to_string()
    };
    assert_eq!(
        error(r#"{"kind": "newreno", "decrease": 1.5}"#),
        "controller.decrease: 1.5 is not a decrease; give a number between 0 and 1"
    );
    assert_eq!(
        error(r#"{"kind": "cubic", "scale": -1}"#),
        "controller.scale: -1 is out of range; give a number above 0 and up to 1e6"
    );
    assert_eq!(error(r#""newrno""#), "controller: \"newrno\" is not a controller; did you mean \"newreno\"?");
}
