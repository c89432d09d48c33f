//! The largest value of a window of rounds, from three samples.

/// The filter (Linux lib/win_minmax.c, after Kathleen Nichols): the best sample of the window, and the best of its later parts. It may
/// hold a value for a round longer than the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    /// Rounds and values, the best first.
    samples: [(u64, u64); 3],
}

impl Filter {
    /// The largest value.
    pub fn largest(&self) -> u64 {
        self.samples[0].1
    }

    /// Takes in a value of a round.
    pub fn take(&mut self, window: u64, round: u64, value: u64) {
        let new = (round, value);
        let [first, second, third] = &mut self.samples;
        if value >= first.1 || round - third.0 > window {
            self.samples = [new; 3];
            return;
        }
        if value >= second.1 {
            (*second, *third) = (new, new);
        } else if value >= third.1 {
            *third = new;
        }
        let age = round - first.0;
        if age > window {
            (*first, *second, *third) = (*second, *third, new);
            if round - first.0 > window {
                (*first, *second) = (*second, *third);
            }
        } else if second.0 == first.0 && age > window / 4 {
            (*second, *third) = (new, new);
        } else if third.0 == second.0 && age > window / 2 {
            *third = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_lasts_for_a_window_and_a_round() {
        let mut filter = Filter::default();
        let found: Vec<u64> = (0..14)
            .map(|round| {
                filter.take(10, round, if round == 1 { 9 } else { 5 });
                filter.largest()
            })
            .collect();
        assert_eq!(found, [5, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 5, 5]);
    }

    #[test]
    fn the_best_of_the_later_part_follows() {
        let mut filter = Filter::default();
        for (round, value) in [(0, 9), (1, 3), (4, 7), (8, 6), (11, 2)] {
            filter.take(10, round, value);
        }
        assert_eq!(filter.largest(), 7);
    }
}
