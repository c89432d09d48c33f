//! YeAH-TCP: Scalable TCP while the queue is short, Reno and early decongestion while it is long.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Validate, config};

use super::avoidance::{Avoidance, Avoiding, SEGMENTS, SHARE, Steps, within};
use super::{Build, Control, Needs, Signals};

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
            base: Duration::MAX,
            shortest: Duration::MAX,
            round: 0,
            waiting: 0.0,
            slow: 0,
            fast: 0,
            reno: FEWEST,
        })
    }
}

/// What Reno's window would be, at least, in segments.
const FEWEST: f64 = 2.0;

/// The laws of the window.
#[derive(Clone, Debug)]
pub struct Yeah {
    params: Params,
    /// The shortest round-trip time of a segment with data: RTT_base.
    base: Duration,
    /// The shortest round-trip time of this round trip; `MAX` without one.
    shortest: Duration,
    round: u64,
    /// Own packets in the queue, in segments: Q.
    waiting: f64,
    /// Slow round trips in a row; fast ones since the latest loss.
    slow: u32,
    fast: u32,
    /// What Reno's window would be, in segments, below which early decongestion does not go.
    reno: f64,
}

impl Yeah {
    /// A round trip is over.
    fn judge(&mut self, signals: &Signals, control: &mut Control) {
        let shortest = std::mem::replace(&mut self.shortest, Duration::MAX);
        if shortest == Duration::MAX || signals.in_recovery {
            return;
        }
        let Params { most_waiting, phi, gamma, epsilon, zeta, .. } = self.params;
        let (base, rtt) = (self.base.as_nanos() as f64, shortest.as_nanos() as f64);
        let mss = u64::from(signals.mss);
        let mut window = (control.window / mss) as f64;
        let delay = (rtt - base).max(0.0);
        self.waiting = (window * delay / rtt).floor();
        if self.waiting <= most_waiting && delay <= base / phi {
            self.slow = 0;
            self.fast += 1;
            if self.fast > zeta {
                (self.reno, self.fast) = (FEWEST, 0);
            }
            return;
        }
        if self.waiting > most_waiting && window > self.reno {
            window = (window - (self.waiting / gamma).min(window * epsilon).floor()).max(self.reno);
            control.window = (window as u64 * mss).max(2 * mss).min(control.window);
            control.threshold = control.window;
        }
        self.reno = if self.reno <= FEWEST { (window / 2.0).floor().max(FEWEST) } else { self.reno + 1.0 };
        self.slow = self.slow.saturating_add(1);
    }
}

impl Avoidance for Yeah {
    // A round-trip time with every acknowledgement.
    const NEEDS: Needs = Needs::RATES;

    fn observe(&mut self, signals: &Signals, control: &mut Control) {
        if !signals.rtt.is_zero() {
            self.base = self.base.min(signals.rtt);
            self.shortest = self.shortest.min(signals.rtt);
        }
        if signals.round > self.round {
            self.round = signals.round;
            self.judge(signals, control);
        }
    }

    fn steps(&self) -> Option<Steps> {
        Some(Steps::Kept)
    }

    fn increase(&mut self, _signals: &Signals, window: f64) -> f64 {
        if self.slow > 0 { 1.0 } else { (self.params.increase * window).max(1.0) }
    }

    fn threshold(&mut self, signals: &Signals, _control: &Control) -> u64 {
        let mss = u64::from(signals.mss);
        let window = (signals.flight / mss) as f64;
        let half = (window / 2.0).floor().max(FEWEST);
        let least = (window * self.params.delta).floor();
        let taken = if self.slow < self.params.rho { self.waiting.min(half).max(least) } else { half };
        self.fast = 0;
        self.reno = (self.reno / 2.0).floor().max(FEWEST);
        signals.flight.saturating_sub(taken as u64 * mss)
    }

    fn restart(&mut self) {
        (self.waiting, self.slow) = (0.0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Event;
    use super::super::avoidance::tests::Run;
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
        for (rounds, rtt, left) in [(1, 100, 0.875), (1, 125, 0.8), (20, 125, 0.5)] {
            let mut run = run(200, rtt);
            for _ in 0..rounds {
                run.round();
                run.control.window = 200_000;
            }
            let found = run.congested(Event::Loss);
            assert!((found - left).abs() < 0.005, "{rounds} round trips of {rtt} ms: {found}, not {left}");
        }
    }
}
