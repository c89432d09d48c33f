//! Standard deviations, one value at a time.

/// Mean and standard deviation of some values.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub sd: f64,
}

/// Mean and sum of squared deviations, without the loss of digits that a sum of squares has (B. P. Welford,
/// Technometrics 4(3), 1962).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Deviation {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Deviation {
    /// Adds a value.
    #[inline]
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// Mean and standard deviation of the values so far, taken as all that there are; `None` of no values.
    pub fn spread(&self) -> Option<Spread> {
        self.get().map(|sd| Spread { mean: self.mean, sd })
    }

    /// The standard deviation of the values so far, taken as all that there are; `None` of no values.
    pub fn get(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.squares / self.count as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_values_far_from_zero() {
        let mut deviation = Deviation::default();
        assert_eq!(deviation.get(), None);
        [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].iter().for_each(|x| deviation.add(1e9 + x));
        // The squares have 18 digits, of which a number holds 16.
        assert!((deviation.get().unwrap() - 2.0).abs() < 1e-6);
        assert_eq!(deviation.spread().map(|spread| spread.mean), Some(1e9 + 5.0));
    }
}
