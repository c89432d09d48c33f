//! Ranges of numbers for the checks of parameters. All checks share their messages.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::{At, ConfigError};

impl At<'_> {
    /// Checks the number under `key` of the table at this place.
    ///
    /// # Errors
    /// It is out of the range, or not a number.
    pub fn within<T: PartialOrd + Display>(
        &self,
        key: &str,
        number: T,
        range: RangeInclusive<T>,
    ) -> Result<(), ConfigError> {
        if range.contains(&number) {
            return Ok(());
        }
        self.out_of_range(key, number, format!("from {} to {}", range.start(), range.end()))
    }

    /// The same for a number that is above zero, and `most` at most.
    ///
    /// # Errors
    /// It is not, or not a number.
    pub fn above_zero(&self, key: &str, number: f64, most: f64) -> Result<(), ConfigError> {
        if number > 0.0 && number <= most {
            return Ok(());
        }
        self.out_of_range(key, number, format!("above 0 and up to {most}"))
    }

    /// The same for a part of something that is neither nothing nor the whole.
    ///
    /// # Errors
    /// It is zero or less, 1 or more, or not a number.
    pub fn part(&self, key: &str, number: f64) -> Result<(), ConfigError> {
        if number > 0.0 && number < 1.0 {
            return Ok(());
        }
        self.out_of_range(key, number, "between 0 and 1".to_owned())
    }

    fn out_of_range(&self, key: &str, number: impl Display, range: String) -> Result<(), ConfigError> {
        Err(self.key(key).error(format!("{number} is out of range"), format!("give a number {range}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_range_belong_to_it_where_they_are_said_to() {
        let at = At::root("queue");
        for number in [0.0, 0.5, 1.0] {
            assert_eq!(at.within("share", number, 0.0..=1.0), Ok(()));
            assert_eq!(at.above_zero("share", number, 1.0).is_ok(), number > 0.0, "{number}");
            assert_eq!(at.part("share", number).is_ok(), number == 0.5, "{number}");
        }
    }

    #[test]
    fn what_is_no_number_is_out_of_range() {
        let at = At::root("queue");
        assert!(at.within("share", f64::NAN, 0.0..=1.0).is_err());
        assert!(at.above_zero("share", f64::NAN, 1.0).is_err());
        assert!(at.part("share", f64::NAN).is_err());
    }

    #[test]
    fn an_error_names_the_place_and_the_range() {
        let error = At::root("queue").within("copies", 9_u32, 1..=8).unwrap_err();
        assert_eq!(error.to_string(), "queue.copies: 9 is out of range; give a number from 1 to 8");
    }
}
