//! Steps of the delay: hand-overs of a satellite, changes of a route.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, Time, Validate, config};

use super::{Impairment, ImpairmentParams, Passage};

config! {
    /// A step of the delay.
    pub struct Step {
        /// When.
        at: Duration;
        /// What is added to the link's delay from then on.
        extra: Duration;
    }
}

impl Validate for Step {}

config! {
    /// Changes the delay of the link at given times. The link's own `delay` is that before the first step.
    pub struct Params {
        /// The steps, sorted by time.
        steps: Vec<Step>;
        /// The steps are repeated with this period, which begins without an extra delay.
        every: Option<Duration> = (), "absent: each step happens once";
        /// A packet that would overtake arrives together with the one before it. If false, packets on a shorter path overtake
        /// those on the longer one.
        keep_order: bool = false, "choice: a new path does not wait for the old one";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let place = at.key("steps");
        let Some(last) = self.steps.last() else {
            return Err(place.error("there is none", "give [{ at = \"15s\", extra = \"40ms\" }]"));
        };
        if let Some(i) = self.steps.windows(2).position(|pair| pair[0].at >= pair[1].at) {
            let message = format!("{} is not after {}", self.steps[i + 1].at, self.steps[i].at);
            return Err(place.index(i + 1).key("at").error(message, "sort the steps by time"));
        }
        match self.every {
            Some(every) if every <= last.at => Err(at.key("every").error(
                format!("a period of {every} ends before the last step, at {}", last.at),
                "lengthen the period or remove the step",
            )),
            _ => Ok(()),
        }
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "delay-steps";
    const TITLE: &'static str = "The delay steps at given times";
    const REFERENCE: &'static str = "RFC 9743 sections 7.3 and 7.9: varying delay, changes of the path";
}

impl ImpairmentParams for Params {
    type Machine = DelaySteps;

    fn build(&self, _rng: Stream) -> DelaySteps {
        DelaySteps { params: self.clone(), latest: Time::ZERO }
    }

    fn summary(&self) -> String {
        let again = self.every.map_or(String::new(), |every| format!(", every {every}"));
        let most = self.steps.iter().map(|step| step.extra).max().unwrap_or_default();
        format!("{} steps of the delay, up to {most} more{again}", self.steps.len())
    }

    fn draws(&self) -> bool {
        false
    }
}

/// The impairment.
#[derive(Clone, Debug)]
pub struct DelaySteps {
    params: Params,
    /// The latest arrival so far.
    latest: Time,
}

impl DelaySteps {
    /// What is added to the delay of a packet that leaves the transmitter at `now`.
    fn extra(&self, now: Time) -> Duration {
        let nanos = now.as_nanos();
        let since = self.params.every.map_or(nanos, |every| nanos % every.as_nanos());
        let past = self.params.steps.partition_point(|step| step.at.as_nanos() <= since);
        past.checked_sub(1).map_or(Duration::ZERO, |last| self.params.steps[last].extra)
    }
}

impl Impairment for DelaySteps {
    fn impair(&mut self, now: Time, passage: &mut Passage) {
        passage.delay += self.extra(now);
        if self.params.keep_order {
            self.latest = self.latest.max(now + passage.delay);
            passage.delay = self.latest.since(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;

    use super::*;

    const MS: u64 = 1_000_000;

    /// Delays in milliseconds of packets that leave at these times.
    fn delays(every: Option<u64>, keep_order: bool, at: &[u64]) -> Vec<u64> {
        let step = |at, extra| Step { at: Duration::from_millis(at), extra: Duration::from_millis(extra) };
        let params = Params {
            steps: vec![step(15, 40), step(30, 5)],
            every: every.map(Duration::from_millis),
            keep_order,
        };
        let mut steps = params.build(stream(1, "delay-steps"));
        let delay = |ms: &u64| {
            let mut passage = Passage { delay: Duration::from_millis(20), ..Passage::default() };
            steps.impair(Time::from_nanos(ms * MS), &mut passage);
            passage.delay.as_nanos() / MS
        };
        at.iter().map(delay).collect()
    }

    #[test]
    fn a_step_holds_until_the_next() {
        assert_eq!(delays(None, false, &[0, 14, 15, 29, 30, 1000]), [20, 20, 60, 60, 25, 25]);
    }

    #[test]
    fn steps_repeat_with_their_period() {
        assert_eq!(delays(Some(45), false, &[44, 45, 59, 60, 75, 4500, 4515]), [25, 20, 20, 60, 25, 20, 60]);
    }

    #[test]
    fn packets_overtake_unless_they_keep_their_order() {
        // One leaves 1 ms before the delay falls from 60 to 25 ms, at 29 ms: it arrives at 89 ms.
        assert_eq!(delays(None, false, &[29, 31, 65]), [60, 25, 25]);
        assert_eq!(delays(None, true, &[29, 31, 65]), [60, 58, 25]);
    }
}
