//! Maxima over the last cycles and rounds.

/// Rounds for which an excess of acknowledgements is remembered (draft-ietf-ccwg-bbr-06 section 2.12), and that in Startup.
const ROUNDS: usize = 10;
const STARTUP_ROUNDS: usize = 1;

/// The largest delivery rate of this cycle of probing and the one before (section 5.5.6). A cycle without samples moves nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaxRate {
    cycle: u64,
    rates: [f64; 2],
}

impl MaxRate {
    /// The maximum, with a rate of a cycle.
    pub fn update(&mut self, cycle: u64, rate: f64) -> f64 {
        if cycle != self.cycle {
            let before = if cycle == self.cycle + 1 { self.rates[0] } else { 0.0 };
            (self.cycle, self.rates) = (cycle, [rate, before]);
        }
        self.rates[0] = self.rates[0].max(rate);
        self.rates[0].max(self.rates[1])
    }
}

/// The largest excess of acknowledgements of this round and those before that are no more than so many rounds old.
#[derive(Clone, Debug, Default)]
pub struct MaxExcess {
    round: u64,
    bytes: [u64; ROUNDS + 1],
    /// The largest of the rounds before.
    before: u64,
}

impl MaxExcess {
    /// The maximum, with an excess of a round.
    pub fn update(&mut self, round: u64, bytes: u64, startup: bool) -> u64 {
        if round != self.round {
            for gone in (self.round + 1..=round).rev().take(ROUNDS + 1) {
                self.bytes[gone as usize % (ROUNDS + 1)] = 0;
            }
            self.round = round;
            let rounds = if startup { STARTUP_ROUNDS } else { ROUNDS } as u64;
            let known = (round.saturating_sub(rounds)..round).map(|n| self.bytes[n as usize % (ROUNDS + 1)]);
            self.before = known.max().unwrap_or(0);
        }
        let now = &mut self.bytes[round as usize % (ROUNDS + 1)];
        *now = (*now).max(bytes);
        (*now).max(self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_forgotten_with_the_second_cycle_after_its_own() {
        let mut filter = MaxRate::default();
        let seen =
            [(0, 5.0), (0, 9.0), (1, 4.0), (2, 3.0), (2, 3.5), (5, 1.0)].map(|(c, r)| filter.update(c, r));
        assert_eq!(seen, [5.0, 9.0, 9.0, 4.0, 4.0, 1.0]);
    }

    #[test]
    fn an_excess_is_remembered_for_ten_rounds() {
        for (startup, last) in [(true, 4), (false, 13)] {
            let mut filter = MaxExcess::default();
            assert_eq!(filter.update(3, 700, startup), 700);
            let until = (4..30).take_while(|round| filter.update(*round, 100, startup) == 700).last();
            assert_eq!(until, Some(last));
        }
        let mut filter = MaxExcess::default();
        filter.update(3, 700, false);
        assert_eq!(filter.update(40, 100, false), 100);
        // One that overwrites all slots leaves nothing of the rounds before.
        let mut filter = MaxExcess::default();
        let seen = [(3, 700), (13, 100), (24, 50)].map(|(round, bytes)| filter.update(round, bytes, false));
        assert_eq!(seen, [700, 700, 50]);
        // A jump of as many rounds as are remembered forgets the oldest, too.
        for jump in ROUNDS as u64..ROUNDS as u64 + 3 {
            let mut filter = MaxExcess::default();
            filter.update(3, 700, false);
            let last = if jump <= ROUNDS as u64 { 700 } else { 100 };
            assert_eq!(filter.update(3 + jump, 100, false), last, "{jump} rounds later");
            assert_eq!(filter.update(4 + jump, 50, false), 100, "{jump} rounds later and one");
        }
    }
}
