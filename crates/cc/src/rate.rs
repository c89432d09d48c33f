//! Rates: whole numbers, with a fixed scale.

/// A rate in units of 2^-20 bytes a second. Every rate but [`Rate::UNLIMITED`] is below 2^63 - 1, so that it stays the same number in
/// languages with signed integers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[repr(transparent)]
pub struct Rate(u64);

impl Rate {
    /// Bits after the binary point: a byte a second is `1 << SHIFT`.
    pub const SHIFT: u32 = 20;
    /// No rate at all.
    pub const ZERO: Rate = Rate(0);
    /// Faster than everything: the largest signed number.
    pub const UNLIMITED: Rate = Rate(i64::MAX as u64);

    /// So many units of 2^-20 bytes a second, [`Rate::UNLIMITED`] at most.
    #[inline]
    pub const fn from_raw(units: u64) -> Rate {
        if units > Rate::UNLIMITED.0 { Rate::UNLIMITED } else { Rate(units) }
    }

    /// Units of 2^-20 bytes a second.
    #[inline]
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// So many bytes a second, [`Rate::UNLIMITED`] at most.
    #[inline]
    pub const fn from_bytes_per_second(bytes: u64) -> Rate {
        if bytes >= 1 << (63 - Rate::SHIFT) { Rate::UNLIMITED } else { Rate(bytes << Rate::SHIFT) }
    }

    /// Whole bytes a second, rounded down.
    #[inline]
    pub const fn bytes_per_second(self) -> u64 {
        self.0 >> Rate::SHIFT
    }

    /// The nearest rate to a number of bytes a second, for laws that reckon in real numbers; zero for a negative one and for none.
    #[inline]
    pub fn from_f64(bytes_per_second: f64) -> Rate {
        // A conversion to a signed number saturates at `UNLIMITED`.
        Rate((bytes_per_second * (1_u64 << Rate::SHIFT) as f64 + 0.5).max(0.0) as i64 as u64)
    }

    /// Bytes a second; infinite if unlimited.
    #[inline]
    pub fn as_f64(self) -> f64 {
        if self.0 >= Rate::UNLIMITED.0 {
            return f64::INFINITY;
        }
        // Signed: one instruction.
        self.0.cast_signed() as f64 / (1_u64 << Rate::SHIFT) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_round_and_saturate() {
        for (real, units) in
            [(0.0, 0), (1.0, 1 << 20), (-5.0, 0), (f64::NAN, 0), (f64::INFINITY, i64::MAX as u64)]
        {
            assert_eq!(Rate::from_f64(real).raw(), units, "{real}");
        }
        assert_eq!(Rate::from_f64(0.75 / f64::from(1 << 20)).raw(), 1);
        assert_eq!(Rate::from_f64(0.25 / f64::from(1 << 20)).raw(), 0);
        assert_eq!(Rate::from_bytes_per_second(u64::MAX), Rate::UNLIMITED);
        assert_eq!(Rate::from_raw(u64::MAX), Rate::UNLIMITED);
        assert_eq!(Rate::from_bytes_per_second(1_250_000).bytes_per_second(), 1_250_000);
        assert_eq!(Rate::UNLIMITED.as_f64(), f64::INFINITY);
        assert_eq!(Rate::from_f64(1.25e9).as_f64(), 1.25e9);
    }
}
