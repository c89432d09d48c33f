//! TCP Westwood: the rate at which acknowledgements come back says what congestion leaves of the window.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config};

use super::avoidance::{Avoidance, Avoiding, Steps};
use super::growth::reduced;
use super::states::States;
use super::{Build, Control, Event, Needs, Signals};

config! {
    /// Grows as Reno. Each acknowledgement is a sample of the bandwidth: what it acknowledged over the time since the one before. The
    /// samples pass a low-pass filter. A loss sets the threshold to the estimate times the shortest round-trip time, and the window to
    /// the threshold if it is larger.
    pub struct Params {
        /// Time constant of the filter: tau. After half of it without an acknowledgement the sample is zero.
        time_constant: Duration = "500ms", "Casetti, Gerla, Mascolo, Sanadidi & Wang, Wireless Networks 8, 2002: tau, m = 2";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.time_constant.is_zero() {
            return Err(at.key("time_constant").error("0 s is no time constant", "give more"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "westwood";
    const TITLE: &'static str = "TCP Westwood: a loss sets the window to the estimated bandwidth";
    const REFERENCE: &'static str = "Mascolo, Casetti, Gerla, Sanadidi & Wang, TCP Westwood, MobiCom 2001";
}

impl Build for Params {
    type Controller = Avoiding<Westwood<Tustin>>;
    fn build(&self) -> Self::Controller {
        Westwood::with(Tustin {
            tau: self.time_constant.as_secs_f64(),
            latest: Time::ZERO,
            delivered: 0,
            sample: 0.0,
            bandwidth: 0.0,
        })
    }

    #[cfg(test)]
    fn remembers_path(&self) -> bool {
        true
    }
}

/// How the bandwidth is estimated.
pub trait Estimate {
    /// True if the threshold follows from the bandwidth only when the repair is over, as in Linux. Until then it is half of the window,
    /// which counts whole segments.
    fn waits(&self) -> bool {
        false
    }

    /// What the path holds without a queue: the bandwidth times the shortest round-trip time, in bytes; zero if not known.
    fn product(&self, signals: &Signals) -> f64 {
        self.bandwidth() * signals.min_rtt.as_secs_f64()
    }

    /// The connection begins.
    fn begin(&mut self, _now: Time) {}

    /// The retransmission timer has expired, and the window is cut.
    fn timed_out(&mut self) {}

    /// Takes in an acknowledgement.
    fn acknowledged(&mut self, signals: &Signals);

    /// The bandwidth in bytes a second; zero without an estimate.
    fn bandwidth(&self) -> f64;
}

/// The laws of the window, with the estimator `E`.
#[derive(Clone, Debug)]
pub struct Westwood<E> {
    pub(super) estimate: E,
    states: States,
    /// The latest cut was that of a timeout.
    timed_out: bool,
}

impl<E: Estimate> Westwood<E> {
    /// The controller with an estimator.
    pub fn with(estimate: E) -> Avoiding<Westwood<E>> {
        Avoiding::by(Westwood { estimate, states: States::default(), timed_out: false })
    }
}

impl<E: Estimate> Avoidance for Westwood<E> {
    // An event for every acknowledgement, duplicates included.
    const NEEDS: Needs = Needs::RATES.and(Needs::REPAIRS);

    fn observe(&mut self, signals: &Signals, control: &mut Control) {
        self.estimate.acknowledged(signals);
        let ends_cut = signals.event == Event::Ack && self.states.acknowledged(signals).ends_cut;
        if ends_cut && self.estimate.waits() {
            // The transport has set the window to the threshold of the cut.
            self.repaired(signals, control);
            control.window = control.threshold;
        }
    }

    fn steps(&self) -> Option<Steps> {
        self.estimate.waits().then_some(Steps::Kept)
    }

    fn increase(&mut self, _signals: &Signals, _window: f64) -> f64 {
        1.0
    }

    fn threshold(&mut self, signals: &Signals, _control: &Control) -> u64 {
        let held = self.estimate.product(signals);
        self.timed_out = signals.event == Event::Timeout;
        if self.timed_out {
            self.estimate.timed_out();
        }
        if self.estimate.waits() && self.timed_out {
            return held as u64;
        }
        if held == 0.0 || self.estimate.waits() { reduced(signals, 0.5) } else { held as u64 }
    }

    // Linux net/ipv4/tcp_westwood.c: CA_EVENT_COMPLETE_CWR. A repair after a timeout ends without it.
    fn repaired(&mut self, signals: &Signals, control: &mut Control) {
        if !std::mem::take(&mut self.timed_out) && self.estimate.waits() {
            let held = self.estimate.product(signals) as u64;
            control.threshold = held.max(2 * u64::from(signals.mss));
        }
    }

    fn told(&mut self, signals: &Signals, _control: &mut Control) {
        self.states.told(signals);
        if signals.event == Event::Start {
            self.estimate.begin(signals.now);
        }
    }
}

/// A first-order low-pass filter, discrete by Tustin's rule (Mascolo et al. 2001, section 2).
#[derive(Clone, Debug)]
pub struct Tustin {
    /// The time constant, s.
    tau: f64,
    latest: Time,
    /// Bytes delivered then.
    delivered: u64,
    /// The latest sample and the estimate, in bytes a second.
    sample: f64,
    bandwidth: f64,
}

impl Tustin {
    /// Takes in what was delivered in so many seconds.
    fn filter(&mut self, sample: f64, seconds: f64) {
        let (tau, last) = (2.0 * self.tau, std::mem::replace(&mut self.sample, sample));
        self.bandwidth = ((tau - seconds) * self.bandwidth + seconds * (sample + last)) / (tau + seconds);
    }
}

impl Estimate for Tustin {
    fn acknowledged(&mut self, signals: &Signals) {
        let bytes = signals.delivered - self.delivered;
        let mut seconds = signals.now.since(self.latest).as_secs_f64();
        if bytes == 0 || seconds == 0.0 {
            return;
        }
        (self.latest, self.delivered) = (signals.now, signals.delivered);
        let longest = self.tau / 2.0;
        // After 20 time constants without an acknowledgement nothing is left.
        if seconds > 40.0 * longest {
            (self.sample, self.bandwidth, seconds) = (0.0, 0.0, longest);
        }
        while seconds > longest {
            self.filter(0.0, longest);
            seconds -= longest;
        }
        self.filter(bytes as f64 / seconds, seconds);
    }

    fn bandwidth(&self) -> f64 {
        self.bandwidth
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::avoidance::tests::Run;
    use super::super::{Controller, Event};
    use super::*;

    /// Holds a controller to what both kinds of Westwood do: a saturated link of 1000 segments a second and a round-trip time of
    /// 100 ms without a queue, that is 100 segments.
    pub fn keeps_the_pipe_full<C: Controller>(make: impl Fn() -> C) {
        // With a queue of 50 and of 100 segments, then without one: a random loss takes nothing.
        for (window, rtt, left) in [(150_u64, 150, 100.0), (200, 200, 100.0), (100, 100, 100.0)] {
            let mut run = Run::at(make(), window);
            run.rtt = Duration::from_millis(rtt);
            for _ in 0..60 {
                run.control.window = window * 1000;
                run.round();
            }
            run.control.window = window * 1000;
            run.congested(Event::Loss);
            assert!((run.window() - left).abs() < 0.05 * left, "{} of {window}, not {left}", run.window());
        }
        let grown = Run::at(make(), 100).rounds(3);
        assert!((grown - 1.0).abs() < 0.05, "a segment in a round trip, as Reno: {grown}");
        // A timeout closes the window, and slow start goes to the same threshold, also of a small flight.
        let mut run = Run::at(make(), 100);
        for _ in 0..60 {
            run.control.window = 100_000;
            run.round();
        }
        run.control.window = 10_000;
        run.congested(Event::Timeout);
        assert_eq!(run.control.window, 1000);
        assert!(run.control.threshold.abs_diff(100_000) < 5000, "{}", run.control.threshold);
    }

    #[test]
    fn a_loss_leaves_what_the_path_holds_without_a_queue() {
        keeps_the_pipe_full(|| Params::default().build());
    }

    #[test]
    fn the_estimate_follows_a_step_with_the_time_constant() {
        let mut filter = Tustin { tau: 0.5, latest: Time::ZERO, delivered: 0, sample: 0.0, bandwidth: 0.0 };
        let mut told = super::super::growth::tests::signals(Event::Ack, Time::ZERO, 1000, 0);
        for _ in 0..500 {
            told.now += Duration::from_millis(1);
            told.delivered += 1000;
            filter.acknowledged(&told);
        }
        // 1 - 1/e after tau.
        assert!((filter.bandwidth / 1e6 - 0.632).abs() < 0.002, "{}", filter.bandwidth);
        // A silence of 0.5 s and a segment.
        told.now += Duration::from_millis(500);
        told.delivered += 1000;
        filter.acknowledged(&told);
        // By hand: (0.75 x 0.632 + 0.25 x 1) / 1.25 = 0.579 after the sample of zero, and 0.6 of that after the segment.
        assert!((filter.bandwidth / 1e6 - 0.348).abs() < 0.002, "{}", filter.bandwidth);
    }
}
