//! Every controller under the laws of `crate::laws`, and for each law a controller that breaks it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use dumbbell_core::config::At;
use dumbbell_core::testing::lengths;
use dumbbell_core::{BitRate, Config, Duration, Time, Value};
use proptest::prelude::*;

use super::probe::Probe;
use super::*;
use crate::laws::{self, Declared, MSS, Make, Story, Subject, obeys};
use crate::tcp;
use crate::testing::{Fate, Pipe, opening, read};
use crate::transport::{ReceiveEnd, SendEnd};

type Law = Result<(), String>;

/// One of the registry.
fn of(spec: &ControllerSpec) -> Subject {
    Subject {
        class: Some(spec.class()),
        needs: spec.needs(),
        declared: Declared { limited_start: spec.limited_start(), remembers_path: spec.remembers_path() },
        controller: spec.build(),
    }
}

/// One made by a test.
fn by(class: Class, needs: Needs, answer: impl FnMut(&Signals, &mut Control) + Send + 'static) -> Subject {
    Subject::new(class, needs, Box::new(Probe::new(answer)))
}

/// Every controller as the profile has it.
fn all(profile: &str) -> Vec<ControllerSpec> {
    let read = |name| {
        read::<tcp::Params>(&format!(r#"{{"profile": "{profile}", "controller": "{name}", "ecn": true}}"#))
    };
    ControllerSpec::descriptors().iter().map(|d| read(d.name).controller.registered()).collect()
}

/// All of two profiles, with their profile. Read once: reading takes longer than a short story.
static EVERY: LazyLock<Vec<(&str, ControllerSpec)>> = LazyLock::new(|| {
    ["rfc", "linux"]
        .into_iter()
        .flat_map(|profile| all(profile).into_iter().map(move |spec| (profile, spec)))
        .collect()
});

/// A drawn story; fewer of its steps if a shorter one breaks the law, too.
fn story() -> impl Strategy<Value = Story> {
    (any::<u64>(), lengths(1..200)).prop_map(|(seed, most)| {
        let mut story = Story::drawn(seed);
        story.steps.truncate(most);
        story
    })
}

/// Holds a controller to its laws in the same stories each time; the law that it breaks, if there is one.
fn judge(make: Make<'_>) -> Law {
    // Some broken laws come up in one of a hundred stories.
    laws::judge(make, 0..256).map_err(|(_, broken)| broken.to_string())
}

/// Runs a model over a link of 12 Mbit/s with a round-trip time of 50 ms and a queue without end. A controller that only
/// loss can stop fills it; one that follows a model keeps the link busy and the queue below two round-trip times.
fn steers(make: Make<'_>) -> Law {
    let subject = make();
    let params: Arc<tcp::Params> = Arc::new(read(r#"{"profile": "rfc", "handshake": false}"#));
    let ends = tcp::probed(subject.controller, subject.needs, params, &opening(None));
    let (rate, rtt) = (BitRate::from_bps(12_000_000), Duration::from_millis(50));
    let mut pipe = Pipe::new(ends, |_, _, _| Fate::Pass).shaped(Some(rate), rtt);
    let second = |n| Time::ZERO + Duration::from_secs(n);
    pipe.until(|p| p.now >= second(5));
    let before = pipe.receiver.report().delivered;
    let mut longest = Duration::ZERO;
    pipe.until(|p| {
        longest = longest.max(p.sender.report().smoothed_rtt);
        p.now >= second(15)
    });
    let share = (pipe.receiver.report().delivered - before) as f64 / (10.0 * 1460.0 / 1e-3);
    if share < 0.85 {
        return Err(format!("a model keeps the link busy: {share}"));
    }
    if longest > rtt * 3 { Err(format!("a model keeps the queue short: {longest}")) } else { Ok(()) }
}

proptest! {
    // Some broken laws come up in one of a hundred cases.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(256), ..ProptestConfig::default() })]

    /// Under the RFCs each obeys the laws of its class. Linux counts whole segments, and its slow start ends before a loss, which
    /// the laws of windows (RFC 5681) do not know: there each obeys the laws of all.
    #[test]
    fn every_controller_obeys_its_laws(story in story()) {
        for (profile, spec) in &*EVERY {
            let make = || match *profile {
                "linux" => Subject { class: None, ..of(spec) },
                _ => of(spec),
            };
            obeys(&make, &story).map_err(|law| TestCaseError::fail(format!("{}, {profile}: {law}", spec.name())))?;
        }
    }
}

proptest! {
    /// The events that built-in controllers are tried with: C and Rust answer alike, and the law in C obeys the laws of its class.
    #[test]
    fn newreno_in_c_answers_like_newreno(story in story()) {
        let Some(library) = &*IN_C else { return Ok(()) };
        let foreign = || Subject::new(library.class(), library.needs(), Box::new(library.build()));
        obeys(&foreign, &story).map_err(|broken| TestCaseError::fail(broken.to_string()))?;
        let (_, spec) = EVERY.iter().find(|(profile, spec)| *profile == "rfc" && spec.name() == "newreno").unwrap();
        prop_assert_eq!(story.answers(&mut foreign()), story.answers(&mut of(spec)));
    }
}

/// NewReno in C, compiled once.
static IN_C: LazyLock<Option<Arc<Library>>> = LazyLock::new(library::tests::newreno);

#[test]
fn every_model_steers() {
    for spec in all("rfc").iter().filter(|spec| spec.class() == Class::Model) {
        steers(&|| of(spec)).unwrap_or_else(|law| panic!("{}: {law}", spec.name()));
    }
}

#[test]
fn each_law_of_all_is_broken_by_a_controller() {
    let broken = |law: &str, answer: fn(&Signals, &mut Control)| {
        let make = || by(Class::Model, Needs::NOTHING, answer);
        let found = judge(&make).unwrap_err();
        assert!(found.starts_with(law), "{law}: {found}");
    };
    broken("the window stays finite", |_, c| c.window = 0);
    broken("the window stays finite", |_, c| c.window = 1 << 45);
    broken("the pacing rate is above zero", |_, c| c.pacing = Rate::ZERO);
    broken("only a controller that says so paces", |_, c| c.pacing = Rate::from_bytes_per_second(1000));
    broken("only a controller that says so asks routers", |_, c| c.request = 1);
    broken("a wake-up lies in the future", |s, c| c.wake_at = s.now);
    broken("only a controller that says so is woken", |s, c| c.wake_at = s.now + Duration::from_secs(1));
    static CALLS: AtomicU64 = AtomicU64::new(0);
    broken("the same events give the same answers", |_, c| {
        c.threshold = CALLS.fetch_add(1, Ordering::Relaxed);
    });
}

/// A correct controller of the class, with the answer to one event replaced.
fn breaks(class: Class, law: &str, answer: fn(&Signals, &mut Control)) {
    let (kind, needs) = match class {
        Class::Window => ("newreno", Needs::NOTHING),
        Class::Model => ("", Needs::RATES.and(Needs::PACING)),
        Class::Rate => ("timely", Needs::RATES.and(Needs::PACING)),
        Class::Router => ("xcp", Needs::ROUTERS),
    };
    let right = all("rfc").into_iter().find(|spec| spec.name() == kind);
    let make = || {
        let mut right = right.as_ref().map(ControllerSpec::build);
        let mut model = model();
        by(class, needs, move |signals, control| {
            match &mut right {
                Some(right) => right.on(signals, control),
                None => model(signals, control),
            }
            answer(signals, control);
        })
    };
    let found = judge(&make).unwrap_err();
    assert!(found.starts_with(law), "{law}: {found}");
}

#[test]
fn each_law_of_windows_is_broken_by_a_controller() {
    let breaks = |law, answer| breaks(Class::Window, law, answer);
    breaks("congestion opens no window", |s, c| {
        if s.event == Event::Loss {
            c.window *= 4;
        }
    });
    breaks("a timer that expires again keeps the threshold", |s, c| {
        if s.repeated {
            c.threshold = 2 * MSS + 1;
        }
    });
    breaks("the threshold is a part of what was outstanding", |s, c| {
        if s.event == Event::Loss {
            c.threshold = Control::UNLIMITED;
        }
    });
    breaks("a timeout leaves one segment", |s, c| {
        if s.event == Event::Timeout {
            c.window = 2 * MSS;
        }
    });
    breaks("an acknowledgement closes no window", |s, c| {
        if s.event == Event::Ack && s.marked == 0 {
            c.window = MSS / 2;
        }
    });
    breaks("an acknowledgement keeps the threshold", |s, c| {
        if s.event == Event::Ack {
            c.threshold = 12_345;
        }
    });
    breaks("the window grows only when it is the limit", |s, c| {
        if s.event == Event::Ack && s.in_recovery {
            c.window += MSS;
        }
    });
    breaks("slow start adds no more than its limit", |s, c| {
        if s.event == Event::Ack && !s.in_recovery && s.window_limited {
            c.window += s.acked;
        }
    });
    breaks("an idle time opens no window", |s, c| {
        if s.event == Event::Idle {
            c.window += MSS;
        }
    });
    breaks("recovery ends with the threshold at most", |s, c| {
        if s.event == Event::Recovered {
            c.window = 1 << 30;
        }
    });
}

#[test]
fn each_law_of_router_driven_controllers_can_be_broken() {
    breaks(Class::Router, "only routers open the window", |s, c| {
        if s.event == Event::Ack && s.feedback < 0 {
            c.window += 1 << 30;
        }
    });
    breaks(Class::Router, "only routers close the window", |s, c| {
        if s.event == Event::Ack && s.feedback > 0 {
            c.window = 1;
        }
    });
    breaks(Class::Router, "congestion opens no window", |s, c| {
        if s.event == Event::Loss {
            c.window += 1 << 30;
        }
    });
}

#[test]
fn each_law_of_rates_is_broken_by_a_controller() {
    breaks(Class::Rate, "neither congestion nor an idle time raises a rate", |s, c| {
        if s.event == Event::Loss {
            c.pacing = Rate::from_f64(c.pacing.as_f64() * 4.0);
        }
    });
    breaks(Class::Rate, "neither congestion nor an idle time opens a window", |s, c| {
        if s.event == Event::Idle {
            c.window *= 2;
        }
    });
}

/// A model for the laws to be right about: paces at the largest rate of the last ten rounds, a little more in one round of
/// eight and a little less in the next, with a window of two bandwidth-delay products.
fn model() -> impl FnMut(&Signals, &mut Control) + Send + Clone {
    let mut rates = [0.0_f64; 10];
    let mut round = 0;
    move |signals, control| {
        while round < signals.round {
            round += 1;
            rates[round as usize % 10] = 0.0;
        }
        let rate = &mut rates[round as usize % 10];
        *rate = rate.max(signals.rate.rate.as_f64());
        let rate = rates.iter().copied().fold(0.0, f64::max);
        if rate == 0.0 {
            return;
        }
        let gain = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0][round as usize % 8];
        control.pacing = Rate::from_f64(gain * rate);
        let pipe = (2.0 * rate * signals.min_rtt.as_secs_f64()) as u64;
        control.window = pipe.clamp(4 * MSS, LARGEST_WINDOW - 1);
    }
}

#[test]
fn each_law_of_models_is_broken_by_a_controller() {
    let needs = Needs::RATES.and(Needs::PACING);
    let right = || by(Class::Model, needs, model());
    assert_eq!(judge(&right), Ok(()));
    assert_eq!(steers(&right), Ok(()));
    breaks(Class::Model, "the pacing rate is at most three times", |_, c| {
        if c.pacing != Control::UNPACED {
            c.pacing = Rate::from_f64(c.pacing.as_f64() * 4.0);
        }
    });
    breaks(Class::Model, "the window is at most three times", |s, c| {
        if s.event == Event::Ack {
            c.window = LARGEST_WINDOW - 1;
        }
    });
    // One that takes what it sends for what is delivered, and one that never tries more than it has.
    let greedy = || {
        by(Class::Model, needs, |s, c| {
            c.window += s.acked;
        })
    };
    assert!(steers(&greedy).unwrap_err().starts_with("a model keeps the queue short"));
    let timid = || {
        let mut model = model();
        by(Class::Model, needs, move |s, c| {
            model(s, c);
            c.pacing = Rate::from_f64(c.pacing.as_f64() / 2.0);
        })
    };
    assert!(steers(&timid).unwrap_err().starts_with("a model keeps the link busy"));
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
        "controller.decrease: 1.5 is out of range; give a number between 0 and 1"
    );
    assert_eq!(
        error(r#"{"kind": "cubic", "scale": -1}"#),
        "controller.scale: -1 is out of range; give a number above 0 and up to 1000000"
    );
    assert_eq!(error(r#""newrno""#), "controller: \"newrno\" is not a controller; did you mean \"newreno\"?");
}

#[test]
fn a_loss_a_timeout_and_an_idle_time_leave_what_the_rfcs_say() {
    use super::growth::tests::signals;
    // RFC 5681 section 3.1 and RFC 8257 section 3.5: one half; RFC 9438 section 4.6 and Linux tcp_cubic.c: 0.7.
    for (text, share) in [
        (r#"{"kind": "reno"}"#, 50_000),
        (r#"{"kind": "newreno"}"#, 50_000),
        (r#"{"kind": "dctcp"}"#, 50_000),
        (r#"{"kind": "cubic", "variant": "rfc9438"}"#, 70_000),
        (r#"{"kind": "cubic", "variant": "linux"}"#, 70_000),
    ] {
        let spec: ControllerSpec = read(text);
        let after = |event, repeated| {
            let mut control = Control { window: 100_000, threshold: 40_000, ..Control::default() };
            let told = signals(event, Time::ZERO, 0, 100_000);
            spec.build().on(&Signals { repeated, ..told }, &mut control);
            (control.window, control.threshold)
        };
        assert_eq!(after(Event::Loss, false), (share, share), "{text}");
        assert_eq!(after(Event::Timeout, false), (1000, share), "{text}");
        assert_eq!(after(Event::Timeout, true), (1000, 40_000), "{text}: again for the same segment");
        assert_eq!(after(Event::Idle, false), (10_000, 40_000), "{text}: RFC 5681 section 4.1");
    }
}
