//! Schedules: when a program acts, and on how many bytes each time. One file each, one line each in the registry. An application
//! that writes follows one, or one that reads.

mod contract;
pub mod listed;
pub mod on_off;
pub mod rate;

use std::sync::Arc;

use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, registry};

pub use contract::{Schedule, ScheduleParams};

registry! {
    /// A schedule with its parameters.
    pub enum ScheduleSpec in "schedule" as ScheduleParams {
        Rate(rate::Params),
        OnOff(on_off::Params),
        Listed(listed::Params),
    }
}

/// A schedule that a program of one flow follows, with its random stream.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The schedule.
    pub schedule: Arc<ScheduleSpec>,
    /// What it draws from.
    pub rng: Stream,
}

impl Planned {
    /// What the program does within a time from its start: when, and on how many bytes. `None` if it acts more than `most` times.
    pub fn actions(mut self, within: Duration, most: usize) -> Option<Vec<(Duration, u64)>> {
        let (mut schedule, mut at, mut actions) = (self.schedule.build(), Duration::ZERO, Vec::new());
        while let Some((gap, bytes)) = schedule.next(&mut self.rng) {
            at += gap;
            if at >= within {
                break;
            }
            if actions.len() == most {
                return None;
            }
            actions.push((at, bytes));
        }
        Some(actions)
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Config;

    use super::*;
    use crate::testing::{read, stream};

    /// Times in milliseconds since the start, and bytes.
    fn actions(text: &str, count: usize) -> Vec<(f64, u64)> {
        let spec: ScheduleSpec = read(text);
        assert_eq!(
            ScheduleSpec::from_value(&spec.to_value(), &dumbbell_core::config::At::root("")).unwrap(),
            spec
        );
        let (mut schedule, mut rng, mut at) = (spec.build(), stream(), Duration::ZERO);
        let next = || {
            let (gap, bytes) = schedule.next(&mut rng)?;
            at += gap;
            Some((at.as_nanos() as f64 / 1e6, bytes))
        };
        std::iter::from_fn(next).take(count).collect()
    }

    #[test]
    fn schedules_within_the_limit_are_listed() {
        let schedule: Arc<ScheduleSpec> = read(r#"{"kind": "rate", "rate": "8Mbit/s", "piece": "3kB"}"#);
        let told = |most| {
            Planned { schedule: schedule.clone(), rng: stream() }.actions(Duration::from_millis(9), most)
        };
        let at = |n: u64| (Duration::from_millis(3 * n), 3000);
        assert_eq!(told(3), Some(vec![at(0), at(1), at(2)]));
        assert_eq!(told(2), None);
    }

    #[test]
    fn a_rate_is_kept_in_pieces_from_the_start_on() {
        let text = r#"{"kind": "rate", "rate": "8Mbit/s", "piece": "3kB"}"#;
        assert_eq!(actions(text, 4), [(0.0, 3000), (3.0, 3000), (6.0, 3000), (9.0, 3000)]);
    }

    #[test]
    fn bursts_and_silences_alternate() {
        let text = r#"{"kind": "on-off", "rate": "8Mbit/s", "piece": "1kB", "mean_on": "2500us", "mean_off": "10ms",
            "periods": "fixed"}"#;
        let times: Vec<f64> = actions(text, 6).into_iter().map(|a| a.0).collect();
        assert_eq!(times, [0.0, 1.0, 2.0, 13.0, 14.0, 15.0]);
        let text =
            r#"{"kind": "on-off", "rate": "8Mbit/s", "piece": "1kB", "mean_on": "20ms", "mean_off": "60ms"}"#;
        let last = actions(text, 250_000).last().unwrap().0;
        // 250 pieces a second; 12,500 cycles, as in the test of datagrams.
        assert!((last / 1_000_000.0 - 1.0).abs() < 0.05, "{last}");
    }

    #[test]
    fn a_list_is_followed_and_ends() {
        let text = r#"{"kind": "listed", "actions": [{"at": "5ms", "bytes": "10B"}, {"at": "5ms", "bytes": "1B"},
            {"at": "9ms", "bytes": "2kB"}]}"#;
        assert_eq!(actions(text, 9), [(5.0, 10), (5.0, 1), (9.0, 2000)]);
        assert_eq!(read::<ScheduleSpec>(text).total(), Some(2011));
        assert_eq!(read::<ScheduleSpec>(r#"{"kind": "rate", "rate": "1Mbit/s"}"#).total(), None);
    }

    #[test]
    fn what_would_never_act_or_never_rest_is_refused_in_a_line() {
        let error = |text: &str| {
            let value = dumbbell_core::json::from_str(text).unwrap();
            let error = ScheduleSpec::from_value(&value, &dumbbell_core::config::At::root("x")).unwrap_err();
            error.to_string()
        };
        for (text, message) in [
            (r#"{"kind": "rate", "rate": "0bit/s"}"#, "x.rate: "),
            (
                r#"{"kind": "rate", "rate": "1Gbit/s", "piece": "0B"}"#,
                "x.piece: pieces of nothing; give 1B or more",
            ),
            (
                r#"{"kind": "rate", "rate": "100Gbit/s", "piece": "1kB"}"#,
                "x.piece: 1kB at 100Gbit/s is more than a piece in a microsecond; give larger pieces",
            ),
            (r#"{"kind": "rate"}"#, "x.rate: missing rate; add `rate = ...`"),
            (
                r#"{"kind": "on-off", "rate": "1Mbit/s", "mean_on": "1ns"}"#,
                "x.mean_on: bursts of 1ns at 1Mbit/s need more than 10000 for a piece; give longer bursts or smaller pieces",
            ),
            (
                r#"{"kind": "listed", "actions": []}"#,
                "x.actions: the list is empty; give an action, or leave the schedule out",
            ),
            (
                r#"{"kind": "listed", "actions": [{"at": "2s", "bytes": "1B"}, {"at": "1s", "bytes": "1B"}]}"#,
                "x.actions[1].at: 1s comes after 2s in the list; sort the list by time",
            ),
            (
                r#"{"kind": "listed", "actions": [{"at": "2s", "bytes": "0B"}]}"#,
                "x.actions[0].bytes: an action on nothing; give 1B or more",
            ),
            (
                r#"{"kind": "listed", "actions": [{"at": "0s", "bytes": "900000TB"}, {"at": "0s", "bytes": "900000TB"}]}"#,
                "x.actions: more than 1000000000GB in all; give less",
            ),
        ] {
            assert!(error(text).starts_with(message), "{}", error(text));
        }
    }
}
