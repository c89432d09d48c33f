//! Limits of a study, and how messages tell them.

/// Values of an axis, seeds, and bins of sizes at most.
pub const MOST_VALUES: usize = 10_000;

/// Runs of a study at most; above this it is taken for a mistake.
pub const MOST_RUNS: u128 = 1_000_000;

/// A number with commas between the thousands.
pub fn thousands(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
