//! H-TCP: the window grows faster the longer the last congestion lies back, and a cut empties the queue and no more.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config, words};

use super::avoidance::{Avoidance, Avoiding, Rounds, SHARE, Steps, within};
use super::growth::reduced;
use super::{Build, Control, Needs, Signals};

words! {
    /// Whose H-TCP: that of the draft, or that of the Linux kernel.
    pub enum Variant { Draft = "draft", Linux = "linux" }
}

config! {
    /// A round trip adds 2 (1 - beta) f segments. With d, the seconds that the latest congestion lies back beyond `low_speed_time`,
    /// f = 1 + 10 d + (d / 2)^2; before that, f is 1. Congestion leaves the share beta: the shortest round-trip time over the
    /// longest since the congestion before, from `least_decrease` to `most_decrease`.
    pub struct Params {
        /// Whose. That of Linux counts the time from the end of the repair, f in whole numbers, and takes beta from round-trip times above
        /// 10 ms alone. Its longest round-trip time rises by 20 ms at a time and fades by a twentieth of the queue at each congestion.
        /// The ratio to `reference_rtt` is two at most. Times are whole ticks, round-trip times rounded up; beta counts in 128ths, the window
        /// in whole segments.
        variant: Variant = "draft", "draft-leith-tcp-htcp-06 (Linux net/ipv4/tcp_htcp.c)";
        /// Length of a tick; only with `variant = "linux"`.
        tick: Duration = "4ms", "choice: 250 Hz, as Debian and Ubuntu have";
        /// For so long after congestion it grows as standard TCP does.
        low_speed_time: Duration = "1s", "draft-leith-tcp-htcp-06: Delta_L";
        /// Takes beta from the round-trip times. If false, it is `least_decrease`, and a round trip adds f segments.
        adaptive_backoff: bool = true, "draft-leith-tcp-htcp-06 (FreeBSD cc_htcp: off)";
        /// Beta at least, and where the throughput has changed.
        least_decrease: f64 as "dimensionless" = 0.5, "draft-leith-tcp-htcp-06";
        /// Beta at most.
        most_decrease: f64 as "dimensionless" = 0.8, "draft-leith-tcp-htcp-06";
        /// If the largest throughput before a congestion differs by more than this share from that before the congestion before, beta is
        /// `least_decrease`, so that flows make room for one another.
        throughput_change: f64 as "dimensionless" = 0.2, "Shorten & Leith, PFLDnet 2004; Linux net/ipv4/tcp_htcp.c: use_bandwidth_switch";
        /// Multiplies f by the shortest round-trip time over `reference_rtt`, one at least, so that the growth in a second does not
        /// depend on the round-trip time.
        rtt_scaling: bool = true, "Shorten & Leith, PFLDnet 2004; Linux net/ipv4/tcp_htcp.c: use_rtt_scaling (FreeBSD cc_htcp: off)";
        /// The round-trip time at which `rtt_scaling` changes nothing.
        reference_rtt: Duration = "100ms", "Linux net/ipv4/tcp_htcp.c; FreeBSD cc_htcp.c: HTCP_RTT_REF";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        within(at, "least_decrease", self.least_decrease, &SHARE)?;
        within(at, "most_decrease", self.most_decrease, &(self.least_decrease..=0.999))?;
        within(at, "throughput_change", self.throughput_change, &(0.0..=1e6))?;
        if self.tick.is_zero() {
            return Err(at.key("tick").error("0 s is no tick", "give more"));
        }
        if self.reference_rtt.is_zero() {
            let message = "0 s is no round-trip time";
            return Err(at.key("reference_rtt").error(message, "give more"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "htcp";
    const TITLE: &'static str = "H-TCP: grows faster with the time since the latest congestion";
    const REFERENCE: &'static str = "Leith, draft-leith-tcp-htcp-06, 2008; Shorten & Leith, PFLDnet 2004";
}

impl Build for Params {
    type Controller = Avoiding<Htcp>;

    fn build(&self) -> Avoiding<Htcp> {
        Avoiding::by(Htcp {
            params: self.clone(),
            base: Duration::ZERO,
            switched: false,
            congested: Time::ZERO,
            beta: self.least_decrease,
            longest: Duration::ZERO,
            rounds: Rounds::default(),
            began: (Time::ZERO, 0),
            throughput: 0.0,
            before: None,
        })
    }
}

/// The laws of the window.
#[derive(Clone, Debug)]
pub struct Htcp {
    params: Params,
    /// The shortest round-trip time of a segment with data; zero before the first.
    base: Duration,
    /// As Linux has it: the throughput was steady at the latest congestion.
    switched: bool,
    /// The latest congestion; the start before there was any.
    congested: Time,
    /// What it left.
    beta: f64,
    /// The longest round-trip time since.
    longest: Duration,
    rounds: Rounds,
    /// When this round trip began, and the bytes delivered by then; never before the latest congestion.
    began: (Time, u64),
    /// The largest throughput of a round trip since the latest congestion, in bytes a second, and the largest before it.
    throughput: f64,
    before: Option<f64>,
}

/// Linux net/ipv4/tcp_htcp.c: the longest round-trip time rises by so much at a time, and below so much beta is the least.
const RISE: Duration = Duration::from_millis(20);
const SHORT: Duration = Duration::from_millis(10);

impl Htcp {
    /// A time in whole ticks, rounded up.
    fn whole(&self, time: Duration) -> Duration {
        self.params.tick * time.as_nanos().div_ceil(self.params.tick.as_nanos())
    }

    /// Whole ticks since the latest congestion.
    fn since_congestion(&self, now: Time) -> Duration {
        let tick = self.params.tick.as_nanos();
        self.params.tick * (now.as_nanos() / tick - self.congested.as_nanos() / tick)
    }

    /// f as Linux has it: whole numbers, and eighths of the ratio of round-trip times.
    fn factor_of_linux(&self, since: Duration) -> f64 {
        let d = since.as_secs_f64() - self.params.low_speed_time.as_secs_f64();
        let factor = if d > 0.0 { (1.0 + 10.0 * d + d * d / 4.0).floor() } else { 1.0 };
        if !self.params.rtt_scaling || self.base.is_zero() {
            return factor;
        }
        let ratio = self.params.reference_rtt.as_secs_f64() / self.base.as_secs_f64();
        (factor * 8.0 / (8.0 * ratio).floor().clamp(4.0, 80.0)).floor().max(1.0)
    }

    /// Beta as Linux has it.
    fn backoff_of_linux(&mut self) -> f64 {
        let Params { adaptive_backoff, least_decrease, most_decrease, throughput_change, .. } = self.params;
        let before = self.before.replace(self.throughput).unwrap_or(0.0);
        let steady = (self.throughput - before).abs() <= throughput_change * before;
        let known = std::mem::replace(&mut self.switched, steady);
        if !(adaptive_backoff && steady && known && self.base > self.whole(SHORT)) || self.longest.is_zero() {
            return least_decrease;
        }
        let ratio = self.base.as_nanos() * 128 / self.longest.as_nanos();
        (ratio as f64 / 128.0).clamp(least_decrease, most_decrease)
    }

    /// f, with the scaling by the round-trip time.
    fn factor(&self, signals: &Signals) -> f64 {
        let since = signals.now.since(self.congested);
        if since <= self.params.low_speed_time {
            return 1.0;
        }
        let d = (since - self.params.low_speed_time).as_secs_f64();
        let factor = 1.0 + 10.0 * d + d * d / 4.0;
        if !self.params.rtt_scaling {
            return factor;
        }
        (factor * signals.min_rtt.as_secs_f64() / self.params.reference_rtt.as_secs_f64()).max(1.0)
    }

    /// Beta for a congestion now.
    fn backoff(&self, signals: &Signals) -> f64 {
        let Params { adaptive_backoff, least_decrease, most_decrease, throughput_change, .. } = self.params;
        let steady =
            self.before.is_some_and(|before| (self.throughput - before).abs() <= throughput_change * before);
        if !adaptive_backoff || !steady || self.longest.is_zero() {
            return least_decrease;
        }
        let ratio = signals.min_rtt.as_secs_f64() / self.longest.as_secs_f64();
        ratio.clamp(least_decrease, most_decrease)
    }
}

impl Avoidance for Htcp {
    // A round-trip time with every acknowledgement.
    const NEEDS: Needs = Needs::RATES.and(Needs::REPAIRS);

    fn observe(&mut self, signals: &Signals, _control: &mut Control) {
        if signals.in_recovery {
            self.began = (signals.now, signals.delivered);
            return;
        }
        if !signals.rtt.is_zero() {
            let linux = self.params.variant == Variant::Linux;
            let rtt = if linux { self.whole(signals.rtt) } else { signals.rtt };
            self.base = if self.base.is_zero() { rtt } else { self.base.min(rtt) };
            // A longer time than it may rise to does not count at all.
            if !linux || rtt <= self.longest.max(self.base) + self.whole(RISE) {
                self.longest = self.longest.max(rtt);
            }
        }
        if self.rounds.ends(signals) {
            let (since, delivered) = self.began;
            let seconds = signals.now.since(since).as_secs_f64();
            if seconds > 0.0 && signals.now.since(since) >= signals.min_rtt {
                self.throughput =
                    self.throughput.max(signals.delivered.saturating_sub(delivered) as f64 / seconds);
            }
            self.began = (signals.now, signals.delivered);
        }
    }

    fn steps(&self) -> Option<Steps> {
        (self.params.variant == Variant::Linux).then_some(Steps::Late)
    }

    fn increase(&mut self, signals: &Signals, _window: f64) -> f64 {
        let factor = match self.params.variant {
            Variant::Draft => self.factor(signals),
            Variant::Linux => self.factor_of_linux(self.since_congestion(signals.now)),
        };
        2.0 * (1.0 - self.beta) * factor
    }

    fn threshold(&mut self, signals: &Signals, _control: &Control) -> u64 {
        if self.params.variant == Variant::Linux {
            self.beta = self.backoff_of_linux();
            self.congested = signals.now;
            let above = (self.longest.max(self.base) - self.base).as_nanos() / self.params.tick.as_nanos();
            self.longest = self.base + self.params.tick * (above * 95 / 100);
            self.throughput = 0.0;
            self.began = (signals.now, signals.delivered);
            return reduced(signals, self.beta);
        }
        self.beta = self.backoff(signals);
        self.congested = signals.now;
        self.longest = Duration::ZERO;
        self.before = (self.throughput > 0.0).then_some(self.throughput);
        self.throughput = 0.0;
        self.began = (signals.now, signals.delivered);
        reduced(signals, self.beta)
    }

    fn repaired(&mut self, signals: &Signals, _control: &mut Control) {
        if self.params.variant == Variant::Linux {
            self.congested = signals.now;
        }
    }

    fn restart(&mut self) {
        if self.params.variant == Variant::Linux {
            return;
        }
        self.beta = self.params.least_decrease;
        self.before = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Event;
    use super::super::avoidance::tests::{Run, linux};
    use super::*;

    #[test]
    fn growth_is_linear_for_a_second_and_then_a_parabola() {
        let mut run = Run::at(Params::default().build(), 1000);
        run.congested(Event::Loss);
        for _ in 0..9 {
            let grown = run.rounds(1);
            assert!((0.95..1.01).contains(&grown), "{grown} after {}", run.now);
        }
        // f(d) = 1 + 10 d + d^2 / 4 in the middle of a round trip, 2 (1 - beta) = 1.
        for rounds in [12, 20, 30] {
            let grown = run.rounds(rounds);
            let d = run.now.as_secs_f64() - 0.05 - 1.0;
            let expected = 1.0 + 10.0 * d + d * d / 4.0;
            assert!((grown / expected - 1.0).abs() < 0.02, "{grown}, not {expected}");
        }
    }

    #[test]
    fn growth_in_a_second_does_not_depend_on_the_round_trip_time() {
        let grown = |ms| {
            let mut run = Run::at(Params::default().build(), 1000);
            (run.rtt, run.min_rtt) = (Duration::from_millis(ms), Duration::from_millis(ms));
            run.congested(Event::Loss);
            let before = run.window();
            while run.now.as_secs_f64() < 10.0 {
                run.round();
            }
            run.window() - before
        };
        let (short, long) = (grown(100), grown(200));
        // Twice as much in a round trip, half as many round trips; f counts by halves of round trips here.
        assert!((long / short - 1.0).abs() < 0.05, "{short} and {long}");
    }

    /// Linux net/ipv4/tcp_htcp.c, by hand: d = 0.95 s is a factor of 1 + 9 = 10 or 11, times RTT / 100 ms in eighths.
    #[test]
    fn linux_counts_from_the_end_of_the_repair_in_whole_numbers() {
        let mut run = Run::at(linux("htcp"), 1000);
        run.rounds(1);
        run.congested(Event::Loss);
        run.rounds(20);
        run.congested(Event::Recovered);
        for _ in 0..9 {
            let grown = run.rounds(1);
            assert!((0.95..1.01).contains(&grown), "{grown} after {}", run.now);
        }
        run.rounds(10);
        // In whole segments; a step takes one acknowledgement more than the window over 10 or 11, 50 to 60.
        let grown = run.rounds(1);
        assert!((9.0..=11.0).contains(&grown), "{grown}");
        // A queue of 40 ms, reached in steps of 20: a ratio of 100 / 140 once the throughput was steady twice.
        let mut run = Run::at(linux("htcp"), 140);
        let mut left = Vec::new();
        for _ in 0..3 {
            for rtt in [100, 120, 140, 140, 140, 140, 140] {
                run.rtt = Duration::from_millis(rtt);
                run.rounds(1);
                run.control.window = 140_000;
            }
            left.push(run.congested(Event::Loss));
            run.control.window = 140_000;
        }
        assert_eq!(left[0], 0.5, "{left:?}");
        assert!((left[2] - 100.0 / 140.0).abs() < 0.02, "{left:?}");
    }

    #[test]
    fn a_cut_empties_the_queue_once_the_throughput_is_steady() {
        let mut run = Run::at(Params::default().build(), 100);
        run.rtt = Duration::from_millis(150);
        run.rounds(6);
        assert_eq!(run.congested(Event::Loss), 0.5, "nothing is known of the throughput before");
        for (rtt, left) in [(150, 2.0 / 3.0), (110, 0.8), (300, 0.5)] {
            // The same throughput each time.
            run.control.window = 100_000 * rtt / 150;
            run.rtt = Duration::from_millis(rtt);
            run.rounds(6);
            let found = run.congested(Event::Loss);
            assert!((found - left).abs() < 0.01, "{found} at {rtt} ms, not {left}");
        }
        run.rtt = Duration::from_millis(110);
        run.control.window = 30_000;
        run.rounds(6);
        let left = run.congested(Event::Loss);
        assert!((left - 0.5).abs() < 0.001, "{left}: the throughput has changed");
    }
}
