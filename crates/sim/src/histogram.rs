//! Exact quantiles of small whole numbers, such as the packets in a queue.

/// How often each backlog was seen, in packets.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Histogram {
    /// Counts a value.
    pub fn add(&mut self, value: u64) {
        let i = value as usize;
        if i >= self.counts.len() {
            self.counts.resize(i + 1, 0);
        }
        self.counts[i] += 1;
        self.total += 1;
    }

    /// The smallest value with at least the share `q` of the observations at or below it.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let rank = ((q * self.total as f64).ceil() as u64).max(1);
        let mut seen = 0;
        self.counts.iter().enumerate().find_map(|(value, n)| {
            seen += n;
            (seen >= rank).then_some(value as f64)
        })
    }

    /// The largest value seen.
    pub fn max(&self) -> Option<f64> {
        self.quantile(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_exact() {
        let mut h = Histogram::default();
        assert_eq!(h.quantile(0.5), None);
        (1..=100).for_each(|v| h.add(v));
        assert_eq!(
            (h.quantile(0.5), h.quantile(0.9), h.quantile(0.99)),
            (Some(50.0), Some(90.0), Some(99.0))
        );
        assert_eq!(h.max(), Some(100.0));
        assert_eq!(h.quantile(0.0), Some(1.0));
    }
}
