//! The decision of random early detection on one packet.

use dumbbell_core::rng::Stream;
use dumbbell_core::words;
use rand::RngExt;

words! {
    /// How drops are spaced while the probability `p` stays the same.
    pub enum Spacing {
        /// Gaps are uniform on 1 to 1/p packets.
        Uniform = "uniform",
        /// Gaps are uniform on 1 to 1/p - 1 packets: the count of packets begins again at 0.
        Pseudocode = "pseudocode",
        /// Gaps are uniform on 1/p to 2/p - 1 packets.
        Wait = "wait",
        /// Each packet is dropped with probability p, whatever happened before.
        Independent = "independent",
    }
}

/// What becomes of a packet that arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is queued.
    Pass,
    /// It is dropped, or marked, to tell its sender of congestion.
    Early,
    /// It is dropped: the average is too long for signals to help.
    Forced,
}

/// The control law of random early detection for one class of packets (Floyd & Jacobson, IEEE/ACM ToN 1(4), 1993). Holds no
/// packets.
#[derive(Clone, Debug)]
pub struct Law {
    /// Below this average nothing is dropped.
    pub min: f64,
    /// From this average on everything is dropped.
    pub max: f64,
    /// The probability just below `max`.
    pub max_probability: f64,
    /// From `max` to twice of it, the probability grows to 1.
    pub gentle: bool,
    pub spacing: Spacing,
    /// The first packet above `min` passes.
    pub first_passes: bool,
    /// With fewer packets in the queue nothing is dropped.
    pub least_waiting: u64,
    /// Bytes of a packet to which the probability applies; smaller ones get a smaller one. None: all get the same.
    pub full_size: Option<f64>,
    /// True if the last packet found the average above `min`.
    above: bool,
    /// The variable `count` of the paper: packets since the last drop. -1 if the first packet counts as 0.
    count: i64,
}

impl Law {
    /// A law that has seen nothing yet, and drops nothing below `min`, all from `max` on.
    pub fn new(min: f64, max: f64, max_probability: f64) -> Law {
        Law {
            min,
            max,
            max_probability,
            gentle: false,
            spacing: Spacing::Uniform,
            first_passes: false,
            least_waiting: 0,
            full_size: None,
            above: false,
            count: -1,
        }
    }

    /// What happens to a packet of `size` bytes that arrives with this `average` at a queue of so many packets.
    pub fn decide(&mut self, average: f64, waiting: u64, size: u32, rng: &mut Stream) -> Verdict {
        if average < self.min || waiting < self.least_waiting {
            self.rests();
            return Verdict::Pass;
        }
        let ceiling = if self.gentle { 2.0 * self.max } else { self.max };
        if average >= ceiling {
            self.restart();
            return Verdict::Forced;
        }
        if !std::mem::replace(&mut self.above, true) && self.first_passes {
            self.count = 1;
            return Verdict::Pass;
        }
        self.count += 1;
        let p = self.spaced(self.probability(average, size));
        if rng.random::<f64>() < p {
            self.restart();
            return Verdict::Early;
        }
        Verdict::Pass
    }

    /// The average is below what the law looks at.
    #[inline]
    pub fn rests(&mut self) {
        (self.above, self.count) = (false, -1);
    }

    /// Begins to count anew: a packet was dropped.
    pub fn restart(&mut self) {
        self.count = match self.spacing {
            // Section 7 of the paper has the gaps uniform on 1 to 1/p, which asks for a first packet that counts as 0; its
            // pseudocode has it count as 1.
            Spacing::Uniform | Spacing::Independent => -1,
            Spacing::Pseudocode | Spacing::Wait => 0,
        };
    }

    /// The probability by the average, `p_b` of the paper.
    fn probability(&self, average: f64, size: u32) -> f64 {
        let p = if average < self.max {
            self.max_probability * (average - self.min) / (self.max - self.min)
        } else {
            self.max_probability + (1.0 - self.max_probability) * (average - self.max) / self.max
        };
        self.full_size.map_or(p, |full| p * f64::from(size) / full)
    }

    /// The probability for this packet, `p_a` of the paper: drops are spaced by the count of packets.
    fn spaced(&self, p: f64) -> f64 {
        let counted = self.count as f64 * p;
        match self.spacing {
            Spacing::Independent => p,
            Spacing::Uniform | Spacing::Pseudocode if counted < 1.0 => p / (1.0 - counted),
            Spacing::Wait if counted < 1.0 => 0.0,
            Spacing::Wait if counted < 2.0 => p / (2.0 - counted),
            _ => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;

    use super::*;

    /// A hundred thousand gaps between drops at p = 0.02.
    fn gaps(spacing: Spacing) -> Vec<usize> {
        let mut law = Law { spacing, ..Law::new(0.0, 100.0, 0.04) };
        let mut rng = stream(1, "gaps");
        let mut gap =
            || 1 + (0..).take_while(|_| law.decide(50.0, 50, 1500, &mut rng) == Verdict::Pass).count();
        // The first one begins at the entry, not at a drop.
        gap();
        (0..100_000).map(|_| gap()).collect()
    }

    /// Asserts that the gaps are uniform on the range: all occur, none else, and by chi square.
    fn assert_uniform(gaps: &[usize], range: std::ops::RangeInclusive<usize>) {
        let mut counts = vec![0.0; range.clone().count()];
        for gap in gaps {
            assert!(range.contains(gap), "a gap of {gap}");
            counts[gap - range.start()] += 1.0;
        }
        let expected = gaps.len() as f64 / counts.len() as f64;
        let square: f64 = counts.iter().map(|n: &f64| (n - expected).powi(2) / expected).sum();
        // Of 49 degrees of freedom the 0.999 quantile is 85.4; of 48 it is 84.0.
        assert!(square < 85.4, "{square}: {counts:?}");
    }

    fn mean(gaps: &[usize]) -> f64 {
        gaps.iter().sum::<usize>() as f64 / gaps.len() as f64
    }

    #[test]
    fn gaps_between_drops_are_uniform() {
        let uniform = gaps(Spacing::Uniform);
        assert_uniform(&uniform, 1..=50);
        // The standard error is 14.4 / sqrt(100000) = 0.046.
        assert!((mean(&uniform) - 25.5).abs() < 0.2);
        assert_uniform(&gaps(Spacing::Pseudocode), 1..=49);
    }

    #[test]
    fn under_wait_gaps_lie_between_one_and_two_over_p() {
        let wait = gaps(Spacing::Wait);
        assert_uniform(&wait, 50..=99);
        assert!((mean(&wait) - 74.5).abs() < 0.2);
    }

    #[test]
    fn independent_drops_have_geometric_gaps() {
        let independent = gaps(Spacing::Independent);
        assert!((mean(&independent) - 50.0).abs() < 0.8, "{}", mean(&independent));
        let long = independent.iter().filter(|gap| **gap > 100).count() as f64 / 1e5;
        assert!((long - 0.98_f64.powi(100)).abs() < 0.006, "{long}");
    }

    #[test]
    fn the_probability_is_linear_and_gentle_up_to_twice_max() {
        let law = Law::new(5.0, 15.0, 0.1);
        assert_eq!([5.0, 10.0].map(|average| law.probability(average, 1500)), [0.0, 0.05]);
        let mut rng = stream(1, "law");
        assert_eq!(law.clone().decide(15.0, 20, 1500, &mut rng), Verdict::Forced);
        assert_eq!(law.clone().decide(4.99, 20, 1500, &mut rng), Verdict::Pass);
        let mut gentle = Law { gentle: true, ..law };
        assert_eq!(gentle.probability(15.0, 1500), 0.1);
        assert!((gentle.probability(22.5, 1500) - 0.55).abs() < 1e-12);
        assert_eq!(gentle.decide(30.0, 40, 1500, &mut rng), Verdict::Forced);
        // Small packets have a smaller share of it only if that is asked for.
        assert_eq!(gentle.probability(10.0, 150), 0.05);
        let by_size = Law { full_size: Some(1500.0), ..gentle };
        assert!((by_size.probability(10.0, 150) - 0.005).abs() < 1e-12);
    }

    #[test]
    fn variants_of_ns2_pass_the_first_packet_and_spare_short_queues() {
        let mut rng = stream(1, "law");
        // With p = 1 the first packet is dropped, unless it passes.
        let law = Law { spacing: Spacing::Independent, max_probability: 1.0, ..Law::new(0.0, 1.0, 1.0) };
        let average = 1.0 - f64::EPSILON;
        assert_eq!(law.clone().decide(average, 9, 1500, &mut rng), Verdict::Early);
        let mut passes = Law { first_passes: true, ..law };
        let verdicts = [0, 1].map(|_| passes.decide(average, 9, 1500, &mut rng));
        assert_eq!(verdicts, [Verdict::Pass, Verdict::Early]);
        let mut spares = Law { least_waiting: 2, ..law };
        assert_eq!(
            [1, 2].map(|n| spares.decide(average, n, 1500, &mut rng)),
            [Verdict::Pass, Verdict::Early]
        );
    }
}
