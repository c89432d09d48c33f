//! H-TCP: the window grows faster the longer the last congestion lies back, and a cut empties the queue and no more.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config, words};

use super::avoidance::{Avoidance, Avoiding, Rounds, SHARE, Steps, within};
use super::growth::reduced;
use super::states::{InOrder, State, States};
use super::{Build, Control, Event, Needs, Signals};

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
            congested: Time::ZERO,
            beta: self.least_decrease,
            longest: Duration::ZERO,
            rounds: Rounds::default(),
            began: (Time::ZERO, 0),
            throughput: 0.0,
            before: None,
            linux: (self.variant == Variant::Linux).then(|| Linux::new(self)),
        })
    }
}

/// The laws of the window.
#[derive(Clone, Debug)]
pub struct Htcp {
    params: Params,
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
    /// Those of Linux; nothing above but the parameters counts then.
    linux: Option<Linux>,
}

/// Linux net/ipv4/tcp_htcp.c: the longest round-trip time rises by so much at a time, and below so much beta is the least.
const RISE: Duration = Duration::from_millis(20);
const SHORT: Duration = Duration::from_millis(10);
/// One, in the unit of alpha and beta.
const ONE: u64 = 128;

/// H-TCP as Linux has it: in whole numbers, times in ticks.
#[derive(Clone, Debug)]
struct Linux {
    states: States,
    in_order: InOrder,
    /// Ticks in a second, and lengths in ticks.
    ticks: u64,
    low_speed_time: u64,
    /// Segments a round trip, in 128ths. It follows the time since the latest congestion only when the window grows or is cut.
    alpha: u64,
    /// What the latest cut left, in 128ths.
    beta: u64,
    /// The throughput was steady at the cut before.
    switched: bool,
    /// Segments that count for the next acknowledgement.
    segments: u64,
    /// Segments since the window grew.
    counted: u64,
    /// Round-trip times; zero before the first.
    shortest: u64,
    longest: u64,
    /// The end of the latest congestion.
    congested: u64,
    /// That and the longest round-trip time and the throughput before the latest cut, until its repair is over.
    undo: Option<(u64, u64, u64)>,
    /// Segments of this measurement, and when it began; never before the first acknowledgement.
    measured: u64,
    began: Option<u64>,
    /// Throughput in segments a second: its mean, the largest since the latest cut, and the largest before that.
    throughput: u64,
    largest: u64,
    before: u64,
}

impl Linux {
    fn new(params: &Params) -> Linux {
        let tick = params.tick.as_nanos();
        Linux {
            states: States::default(),
            in_order: InOrder::default(),
            ticks: (1_000_000_000 / tick).max(1),
            low_speed_time: params.low_speed_time.as_nanos() / tick,
            alpha: ONE,
            beta: share(params.least_decrease),
            switched: false,
            segments: 1,
            counted: 0,
            shortest: 0,
            longest: 0,
            congested: 0,
            undo: None,
            measured: 0,
            began: None,
            throughput: 0,
            largest: 0,
            before: 0,
        }
    }

    /// Measures an acknowledgement.
    // Linux net/ipv4/tcp_htcp.c: measure_achieved_throughput, measure_rtt.
    fn measure(&mut self, params: &Params, signals: &Signals, window: u64) {
        let step = self.states.acknowledged(signals);
        let now = ticks(params, signals.now);
        let acked = self.in_order.segments(signals);
        if step.before == State::Open {
            self.segments = acked;
        }
        if !signals.rtt.is_zero() {
            let rtt = whole(params, signals.rtt);
            self.shortest = if self.shortest == 0 { rtt } else { self.shortest.min(rtt) };
            if step.before == State::Open {
                self.longest = self.longest.max(self.shortest);
                // A longer time than it may rise to does not count at all.
                if rtt <= self.longest + whole(params, RISE) {
                    self.longest = self.longest.max(rtt);
                }
            }
        }
        if matches!(step.before, State::Open | State::Disorder) {
            self.measured += acked;
            let took = self.began.map_or(u64::MAX, |began| now - began);
            let enough = window.saturating_sub((self.alpha / ONE).max(1));
            if self.measured >= enough && took >= self.shortest && self.shortest > 0 && took > 0 {
                self.take_throughput(now, self.measured * self.ticks / took);
            }
        } else {
            (self.measured, self.began) = (0, Some(now));
        }
        if step.opens && self.undo.take().is_some() {
            self.congested = now;
        }
    }

    fn take_throughput(&mut self, now: u64, found: u64) {
        if (now - self.congested) / self.shortest <= 3 {
            (self.throughput, self.largest) = (found, found);
        } else {
            self.throughput = (3 * self.throughput + found) / 4;
            self.largest = self.largest.max(self.throughput);
        }
        (self.measured, self.began) = (0, Some(now));
    }

    // Linux net/ipv4/tcp_htcp.c: htcp_beta_update.
    fn update_beta(&mut self, params: &Params) {
        let before = std::mem::replace(&mut self.before, self.largest);
        self.beta = share(params.least_decrease);
        if self.largest.abs_diff(before) as f64 > params.throughput_change * before as f64 {
            self.switched = false;
        } else if !(self.switched && self.shortest > whole(params, SHORT) && self.longest > 0) {
            self.switched = true;
        } else if params.adaptive_backoff {
            let ratio = self.shortest * ONE / self.longest;
            self.beta = ratio.clamp(self.beta, share(params.most_decrease));
        }
    }

    // Linux net/ipv4/tcp_htcp.c: htcp_alpha_update.
    fn update_alpha(&mut self, params: &Params, now: u64) {
        let since = now - self.congested;
        let mut factor = 1;
        if since > self.low_speed_time {
            let d = since - self.low_speed_time;
            factor += (10 * d + (d / 2) * (d / 2) / self.ticks) / self.ticks;
        }
        if params.rtt_scaling && self.shortest > 0 {
            let eighths = 8 * params.reference_rtt.as_nanos() / params.tick.as_nanos() / self.shortest;
            factor = (8 * factor / eighths.clamp(4, 80)).max(1);
        }
        let alpha = 2 * factor * (ONE - self.beta);
        self.alpha = if alpha == 0 { ONE } else { alpha };
    }

    /// What a cut leaves, in segments.
    // Linux net/ipv4/tcp_htcp.c: htcp_recalc_ssthresh. Alpha still follows the congestion before.
    fn cut(&mut self, params: &Params, now: u64, window: u64) -> u64 {
        let (shortest, longest) = (self.shortest, self.longest);
        self.update_beta(params);
        self.update_alpha(params, now);
        if longest > shortest && shortest > 0 {
            self.longest = shortest + (longest - shortest) * 95 / 100;
        }
        self.counted = 0;
        window * self.beta / ONE
    }

    /// Takes in what is no acknowledgement.
    // Linux net/ipv4/tcp_htcp.c: htcp_state, htcp_cwnd_undo.
    fn told(&mut self, params: &Params, signals: &Signals) {
        self.states.told(signals);
        let now = ticks(params, signals.now);
        match signals.event {
            Event::Start => self.congested = now,
            Event::Loss | Event::Ecn | Event::Timeout => {
                self.undo = Some((self.congested, self.longest, self.before));
                self.congested = now;
                self.counted = 0;
            }
            Event::Recovered if self.undo.is_some() => {
                self.undo = None;
                self.congested = now;
            }
            Event::Undone => {
                if let Some(before) = self.undo.take() {
                    (self.congested, self.longest, self.before) = before;
                }
            }
            _ => {}
        }
    }
}

/// A share in 128ths.
fn share(part: f64) -> u64 {
    (part * ONE as f64).round() as u64
}

/// The tick of a time.
fn ticks(params: &Params, at: Time) -> u64 {
    at.as_nanos() / params.tick.as_nanos()
}

/// A time in whole ticks, rounded up.
fn whole(params: &Params, time: Duration) -> u64 {
    time.as_nanos().div_ceil(params.tick.as_nanos())
}

impl Htcp {
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

    fn observe(&mut self, signals: &Signals, control: &mut Control) {
        if let Some(linux) = &mut self.linux {
            if signals.event == Event::Ack {
                linux.measure(&self.params, signals, control.window / u64::from(signals.mss));
            }
            return;
        }
        if signals.in_recovery {
            self.began = (signals.now, signals.delivered);
            return;
        }
        if !signals.rtt.is_zero() {
            self.longest = self.longest.max(signals.rtt);
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
        (self.params.variant == Variant::Linux).then_some(Steps::Own)
    }

    // Linux net/ipv4/tcp_htcp.c: htcp_cong_avoid. The acknowledgement that finds a step due takes it, and counts for none.
    fn own_steps(&mut self, signals: &Signals, window: u64) -> u64 {
        let Some(linux) = &mut self.linux else { return 0 };
        let due = linux.counted * linux.alpha / ONE >= window;
        if due {
            linux.counted = 0;
            linux.update_alpha(&self.params, ticks(&self.params, signals.now));
        } else {
            linux.counted += linux.segments;
        }
        linux.segments = 1;
        u64::from(due)
    }

    fn told(&mut self, signals: &Signals, _control: &mut Control) {
        if let Some(linux) = &mut self.linux {
            linux.told(&self.params, signals);
        }
    }

    fn increase(&mut self, signals: &Signals, _window: f64) -> f64 {
        2.0 * (1.0 - self.beta) * self.factor(signals)
    }

    fn threshold(&mut self, signals: &Signals, _control: &Control) -> u64 {
        if let Some(linux) = &mut self.linux {
            let mss = u64::from(signals.mss);
            return linux.cut(&self.params, ticks(&self.params, signals.now), signals.flight / mss) * mss;
        }
        self.beta = self.backoff(signals);
        self.congested = signals.now;
        self.longest = Duration::ZERO;
        self.before = (self.throughput > 0.0).then_some(self.throughput);
        self.throughput = 0.0;
        self.began = (signals.now, signals.delivered);
        reduced(signals, self.beta)
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
    use super::super::Controller;
    use super::super::avoidance::tests::{Run, linux};
    use super::super::growth::tests::signals;
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
        run.held = 1000;
        run.rounds(20);
        run.held = 0;
        run.congested(Event::Recovered);
        let grown: f64 = (0..9).map(|_| run.rounds(1)).sum();
        assert!((7.0..=9.0).contains(&grown), "{grown} by {}", run.now);
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

    /// A controller as Linux has it, its window of ten segments limited by the threshold.
    fn of_linux() -> (Avoiding<Htcp>, Control) {
        let params = Params { variant: Variant::Linux, ..Params::default() };
        (params.build(), Control { window: 10_000, threshold: 10_000, ..Control::default() })
    }

    /// Linux net/ipv4/tcp_htcp.c: measure_achieved_throughput notes what leaves the queue while the state is open. What it noted last counts
    /// for the end of the repair: nothing if that was a duplicate, and a segment if it acknowledged one in order and another beyond a hole.
    #[test]
    fn linux_counts_at_the_end_of_a_repair_what_it_noted_before() {
        for (first, noted) in [(1000, 0), (2000, 1)] {
            let (mut htcp, mut control) = of_linux();
            let mut told = signals(Event::Ack, Time::ZERO, 1000, 9000);
            let mut counted = Vec::new();
            for (event, acked, held) in [
                (None, 1000, 0),
                (None, first, 1000),
                (Some(Event::Loss), 1000, 2000),
                (None, 1000, 3000),
                (Some(Event::Recovered), 2000, 0),
                (None, 1000, 0),
                (None, 1000, 0),
            ] {
                told.now += Duration::from_millis(10);
                if let Some(event) = event {
                    htcp.on(&Signals { event, acked: 0, flight: 10_000, ..told }, &mut control);
                    control.window = 10_000;
                }
                told.delivered += acked;
                let in_recovery = held > 0 && acked == 1000;
                htcp.on(&Signals { in_recovery, held, ..told }, &mut control);
                counted.push(htcp.laws().linux.as_ref().unwrap().counted);
            }
            assert_eq!(counted, [1, 1 + noted, 0, 0, noted, 1 + noted, 2 + noted]);
        }
    }

    /// Linux net/ipv4/tcp_htcp.c: htcp_recalc_ssthresh computes alpha before htcp_reset notes the congestion, and htcp_cong_avoid does
    /// so anew only when the window grows. After 11 s: 1 + (10 * 2500 + 1250^2 / 250) / 250 = 126 segments a round trip.
    #[test]
    fn linux_keeps_its_step_until_the_window_grows() {
        let (mut htcp, mut control) = of_linux();
        let mut told = signals(Event::Ack, Time::ZERO, 1000, 9000);
        told.delivered = 1000;
        htcp.on(&told, &mut control);
        told.now += Duration::from_secs(11);
        let alpha = |htcp: &Avoiding<Htcp>| htcp.laws().linux.as_ref().unwrap().alpha;
        assert_eq!(alpha(&htcp), 128);
        htcp.on(&Signals { event: Event::Loss, flight: 10_000, ..told }, &mut control);
        assert_eq!((control.window, alpha(&htcp)), (5000, 126 * 128));
        told.now += Duration::from_millis(100);
        htcp.on(&told, &mut control);
        assert_eq!((control.window, alpha(&htcp)), (5000, 126 * 128));
        htcp.on(&told, &mut control);
        assert_eq!((control.window, alpha(&htcp)), (6000, 128));
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
