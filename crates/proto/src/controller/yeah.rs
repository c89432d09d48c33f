//! YeAH-TCP: Scalable TCP while the queue is short, Reno and early decongestion while it is long.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Validate, config};

use super::avoidance::{Avoidance, Avoiding, SEGMENTS, SHARE, Steps, within};
use super::states::{Delays, States};
use super::{Build, Control, Event, Needs, Signals};

config! {
    /// Once a round trip it estimates its own packets in the queue, Q = window x (1 - RTT_base / RTT_min), from the smallest
    /// round-trip time of the round trip. If Q is above `most_waiting`, or the delay above RTT_base / `phi`, it is slow: the
    /// window grows by a segment a round trip, and if Q is above `most_waiting`, Q / `gamma` is taken from it. Otherwise it is
    /// fast: the window grows as that of Scalable TCP. Windows and Q count whole segments, as in Linux.
    pub struct Params {
        /// Own packets that may wait, in segments: alpha, Q_max.
        most_waiting: f64 as "segments" = 80.0, "Baiocchi, Castellani & Vacirca, PFLDnet 2007; Linux net/ipv4/tcp_yeah.c: TCP_YEAH_ALPHA";
        /// The network is congested if the queueing delay is above the part 1 / phi of the shortest round-trip time.
        phi: f64 as "dimensionless" = 8.0, "Baiocchi, Castellani & Vacirca 2007; Linux: TCP_YEAH_PHY";
        /// Early decongestion takes the part 1 / gamma of Q.
        gamma: f64 as "dimensionless" = 1.0, "Baiocchi, Castellani & Vacirca 2007; Linux: TCP_YEAH_GAMMA";
        /// The share of the window that early decongestion takes at most.
        epsilon: f64 as "dimensionless" = 0.5, "Baiocchi, Castellani & Vacirca 2007; Linux: TCP_YEAH_EPSILON, 1 / 2^1";
        /// The share of the window that a loss takes at least.
        delta: f64 as "dimensionless" = 0.125, "Baiocchi, Castellani & Vacirca 2007; Linux: TCP_YEAH_DELTA, 1 / 2^3";
        /// After so many slow round trips in a row there is competition from Reno, and a loss halves the window.
        rho: u32 as "round trips" = 16, "Baiocchi, Castellani & Vacirca 2007; Linux: TCP_YEAH_RHO";
        /// After so many fast round trips without a loss there is none, and what Reno's window would be is forgotten.
        zeta: u32 as "round trips" = 50, "Baiocchi, Castellani & Vacirca 2007; Linux: TCP_YEAH_ZETA";
        /// Segments added for each segment acknowledged while it is fast, and one in a round trip at least.
        increase: f64 as "segments" = 0.01, "Kelly, CCR 33(2), 2003, section 3: a";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        within(at, "most_waiting", self.most_waiting, &SEGMENTS)?;
        within(at, "phi", self.phi, &(0.01..=1e6))?;
        within(at, "gamma", self.gamma, &(1.0..=1e6))?;
        within(at, "epsilon", self.epsilon, &SHARE)?;
        within(at, "delta", self.delta, &(0.001..=0.5))?;
        within(at, "increase", self.increase, &SHARE)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "yeah";
    const TITLE: &'static str =
        "YeAH-TCP: Scalable while the queue is short, else Reno with early decongestion";
    const REFERENCE: &'static str = "Baiocchi, Castellani & Vacirca, YeAH-TCP, PFLDnet 2007";
}

impl Build for Params {
    type Controller = Avoiding<Yeah>;

    fn build(&self) -> Avoiding<Yeah> {
        Avoiding::by(Yeah {
            params: self.clone(),
            states: States::default(),
            delays: Delays::default(),
            waiting: 0.0,
            slow: 0,
            fast: 0,
            reno: FEWEST,
        })
    }
}

/// What Reno's window would be, at least, in segments.
const FEWEST: u64 = 2;

/// The laws of the window.
#[derive(Clone, Debug)]
pub struct Yeah {
    params: Params,
    states: States,
    /// RTT_base and RTT_min among them.
    delays: Delays,
    /// Own packets in the queue, in segments: Q.
    waiting: f64,
    /// Slow round trips in a row; fast ones since the latest loss.
    slow: u32,
    fast: u32,
    /// What Reno's window would be, in segments, below which early decongestion does not go.
    reno: u64,
}

impl Yeah {
    /// A round trip is over. The window has grown by what ends it.
    // Linux net/ipv4/tcp_yeah.c: tcp_yeah_cong_avoid.
    fn judge(&mut self, signals: &Signals, control: &mut Control) {
        let Params { most_waiting, phi, gamma, epsilon, zeta, .. } = self.params;
        let (base, rtt) = (self.delays.base, self.delays.shortest);
        let mss = u64::from(signals.mss);
        let mut window = control.window / mss;
        let delay = rtt - base;
        let waiting = window * delay / rtt;
        self.waiting = waiting as f64;
        if self.waiting <= most_waiting && delay <= (base as f64 / phi) as u64 {
            self.slow = 0;
            self.fast += 1;
            if self.fast > zeta {
                (self.reno, self.fast) = (FEWEST, 0);
            }
            return;
        }
        if self.waiting > most_waiting && window > self.reno {
            let taken = (self.waiting / gamma).min(window as f64 * epsilon) as u64;
            window = (window - taken).max(self.reno);
            control.window = (window * mss).min(control.window);
            control.threshold = control.window;
        }
        self.reno = if self.reno <= FEWEST { (window / 2).max(FEWEST) } else { self.reno + 1 };
        self.slow = self.slow.saturating_add(1);
    }
}

impl Avoidance for Yeah {
    // A round-trip time with every acknowledgement.
    const NEEDS: Needs = Needs::RATES.and(Needs::REPAIRS).and(Needs::RESTARTS);

    fn observe(&mut self, signals: &Signals, _control: &mut Control) {
        self.delays.measure(signals);
        if signals.event == Event::Ack && self.states.acknowledged(signals).opens {
            self.delays.begin(signals);
        }
    }

    fn grown(&mut self, signals: &Signals, control: &mut Control) {
        if self.delays.ends(signals) {
            if self.delays.count >= Delays::FEWEST {
                self.judge(signals, control);
            }
            self.delays.begin(signals);
        }
    }

    // Linux net/ipv4/tcp_vegas.c: tcp_vegas_state, tcp_vegas_cwnd_event.
    fn told(&mut self, signals: &Signals, _control: &mut Control) {
        self.states.told(signals);
        match signals.event {
            Event::Recovered | Event::Undone => self.delays.begin(signals),
            Event::Restart => self.delays.forget(signals),
            _ => {}
        }
    }

    fn steps(&self) -> Option<Steps> {
        Some(Steps::Kept)
    }

    fn increase(&mut self, _signals: &Signals, window: f64) -> f64 {
        if self.slow > 0 { 1.0 } else { (self.params.increase * window).max(1.0) }
    }

    // Linux net/ipv4/tcp_yeah.c: tcp_yeah_ssthresh.
    fn threshold(&mut self, signals: &Signals, _control: &Control) -> u64 {
        let mss = u64::from(signals.mss);
        let window = signals.flight / mss;
        let half = (window / 2).max(FEWEST);
        let least = (window as f64 * self.params.delta) as u64;
        let taken =
            if self.slow < self.params.rho { (self.waiting as u64).min(half).max(least) } else { half };
        self.fast = 0;
        self.reno = (self.reno / 2).max(FEWEST);
        signals.flight.saturating_sub(taken * mss)
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::{Duration, Time};

    use super::super::Controller;
    use super::super::avoidance::tests::Run;
    use super::super::growth::tests::signals;
    use super::*;

    fn run(window: u64, rtt: u64) -> Run<Avoiding<Yeah>> {
        let mut run = Run::at(Params::default().build(), window);
        run.rounds(1);
        run.rtt = Duration::from_millis(rtt);
        run.rounds(1);
        run.control.window = window * 1000;
        run
    }

    #[test]
    fn it_is_scalable_at_short_delays_and_reno_above() {
        // 11 and 14 ms of queue, 50 and 61 packets of 500.
        for (rtt, expected) in [(100, 5.0), (111, 5.0), (114, 1.0)] {
            let grown = run(500, rtt).rounds(1);
            assert!((grown / expected - 1.0).abs() < 0.02, "{rtt} ms: {grown}, not {expected}");
        }
    }

    #[test]
    fn early_decongestion_empties_queues_above_eighty() {
        // 1000 x (1 - 100/109) = 82.6 packets wait, with a delay below an eighth; 76 at 108.2 ms stay.
        let mut long = run(1000, 109);
        long.round();
        assert!((long.window() - (1000.0 - 82.6 + 1.0)).abs() < 1.5, "{}", long.window());
        assert_eq!(long.control.threshold, 918_000);
        // Baiocchi, Castellani & Vacirca, PFLDnet 2007, section 2: Q / gamma, and at most a part epsilon of the window.
        for (gamma, epsilon, taken) in [(2.0, 0.5, 41.3), (1.0, 0.05, 50.0)] {
            let mut part = Run::at(Params { gamma, epsilon, ..Params::default() }.build(), 1000);
            part.rounds(1);
            part.rtt = Duration::from_millis(109);
            part.rounds(1);
            part.control.window = 1_000_000;
            part.round();
            assert!((part.window() - (1000.0 - taken + 1.0)).abs() < 1.5, "{gamma}: {}", part.window());
        }
        let mut short = run(1000, 108);
        short.round();
        assert!(short.window() > 1009.0, "{}", short.window());
    }

    #[test]
    fn a_loss_takes_an_eighth_and_half_beside_reno() {
        for (rounds, rtt, left) in [(1, 100, 0.875), (2, 125, 0.8), (20, 125, 0.5)] {
            let mut run = run(200, rtt);
            for _ in 0..rounds {
                run.round();
                run.control.window = 200_000;
            }
            let found = run.congested(Event::Loss);
            assert!((found - left).abs() < 0.006, "{rounds} round trips of {rtt} ms: {found}, not {left}");
        }
    }

    /// Acknowledges one segment of 1000 bytes of a full window.
    fn ack(yeah: &mut Avoiding<Yeah>, control: &mut Control, told: &mut Signals, in_recovery: bool) {
        told.now += Duration::from_millis(1);
        told.delivered += 1000;
        (told.flight, told.in_recovery) = (control.window - 1000, in_recovery);
        told.held = if in_recovery { 1000 } else { 0 };
        yeah.on(told, control);
    }

    fn beginning() -> (Avoiding<Yeah>, Control, Signals) {
        let control = Control { window: 20_000, threshold: 2000, ..Control::default() };
        (Params::default().build(), control, signals(Event::Ack, Time::ZERO, 1000, 0))
    }

    /// Linux net/ipv4/tcp_yeah.c: tcp_yeah_cong_avoid. Half of the window waits, but for a part: of 21 segments ten, of 20 nine.
    #[test]
    fn the_window_that_is_judged_has_grown() {
        let (mut yeah, mut control, mut told) = beginning();
        ack(&mut yeah, &mut control, &mut told, false);
        told.rtt = Duration::from_millis(200);
        (1..20).for_each(|_| ack(&mut yeah, &mut control, &mut told, false));
        assert_eq!(yeah.laws().waiting, 0.0);
        (control.window, control.threshold) = (20_000, 21_000);
        ack(&mut yeah, &mut control, &mut told, false);
        assert_eq!((yeah.laws().waiting, control.window), (10.0, 21_000));
    }

    /// Linux net/ipv4/tcp_vegas.c: vegas_enable.
    #[test]
    fn a_round_trip_begins_where_a_repair_ends() {
        let (mut yeah, mut control, mut told) = beginning();
        (0..10).for_each(|_| ack(&mut yeah, &mut control, &mut told, false));
        ack(&mut yeah, &mut control, &mut told, true);
        assert_eq!(yeah.laws().delays.count, 10);
        ack(&mut yeah, &mut control, &mut told, false);
        assert_eq!(yeah.laws().delays.count, 0);
    }

    /// Linux net/ipv4/tcp_yeah.c: it asks for more than two round-trip times.
    #[test]
    fn two_round_trip_times_judge_nothing() {
        for (acks, slow) in [(2, 0), (3, 1)] {
            let (mut yeah, mut control, mut told) = beginning();
            ack(&mut yeah, &mut control, &mut told, false);
            (told.rtt, told.acked) = (Duration::from_millis(200), 1000);
            (1..acks).for_each(|_| ack(&mut yeah, &mut control, &mut told, false));
            told.delivered += 30_000;
            ack(&mut yeah, &mut control, &mut told, false);
            assert_eq!(yeah.laws().slow, slow, "{acks}");
        }
    }
}
