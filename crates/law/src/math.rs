//! Arithmetic that is defined for all numbers. C, Rust and Python have the same: `dumbbell export` writes these functions out.

/// The quotient, rounded down; 0 if `b` is 0.
#[inline]
pub const fn div(a: i64, b: i64) -> i64 {
    if b == 0 {
        return 0;
    }
    let quotient = a.wrapping_div(b);
    if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// Two real numbers by their bits (IEEE 754), if their sum, product and quotient are neither tiny nor huge: there the processor gives
/// what the functions of the language give. Zeros are left to these.
#[inline]
pub const fn plain(a: i64, b: i64) -> Option<(f64, f64)> {
    const FIRST: i64 = 600;
    const COUNT: u64 = 848;
    const fn is_plain(number: i64) -> bool {
        ((number >> 52 & 2047) - FIRST).cast_unsigned() < COUNT
    }
    if !is_plain(a) || !is_plain(b) {
        return None;
    }
    Some((f64::from_bits(a.cast_unsigned()), f64::from_bits(b.cast_unsigned())))
}

/// What [`div`] leaves, with the sign of `b`; 0 if `b` is 0.
#[inline]
pub const fn rem(a: i64, b: i64) -> i64 {
    if b == 0 {
        return 0;
    }
    let rest = a.wrapping_rem(b);
    if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
}

/// `a * b / c` without overflow between, rounded down and saturated; 0 if `c` is 0.
#[inline]
pub const fn mul_div(a: i64, b: i64, c: i64) -> i64 {
    if let Some(product) = a.checked_mul(b)
        && product != i64::MIN
    {
        return div(product, c);
    }
    wide(a, b, c)
}

#[cold]
const fn wide(a: i64, b: i64, c: i64) -> i64 {
    if c == 0 {
        return 0;
    }
    let (product, by) = (a as i128 * b as i128, c as i128);
    let quotient = product / by;
    let down = product % by != 0 && (product < 0) != (by < 0);
    let quotient = if down { quotient - 1 } else { quotient };
    if quotient > i64::MAX as i128 {
        i64::MAX
    } else if quotient < i64::MIN as i128 {
        i64::MIN
    } else {
        quotient as i64
    }
}

/// Bits moved up; none by 0 or less, all lost by 64 or more.
#[inline]
pub const fn shl(a: i64, by: i64) -> i64 {
    if by <= 0 {
        a
    } else if by > 63 {
        0
    } else {
        a << by
    }
}

/// Bits moved down, the sign kept; none by 0 or less.
#[inline]
pub const fn shr(a: i64, by: i64) -> i64 {
    if by <= 0 { a } else { a >> (if by > 63 { 63 } else { by }) }
}

/// The square root, rounded down; 0 of a negative number.
pub const fn sqrt(a: i64) -> i64 {
    if a <= 0 { 0 } else { a.isqrt() }
}

/// The cube root, rounded down; 0 of a negative number.
pub const fn cbrt(a: i64) -> i64 {
    let mut root = 0_i64;
    let mut bit = 1_i64 << 20;
    while bit > 0 {
        let next = root + bit;
        // The cube of 2^21 - 1 fits.
        if next * next * next <= a {
            root = next;
        }
        bit >>= 1;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDGES: [i64; 9] = [i64::MIN, i64::MIN + 1, -7, -1, 0, 1, 7, i64::MAX - 1, i64::MAX];

    #[test]
    fn division_is_defined_everywhere() {
        for a in EDGES {
            assert_eq!((div(a, 0), rem(a, 0), mul_div(a, a, 0)), (0, 0, 0));
            for b in EDGES {
                assert_eq!(div(a, b).wrapping_mul(b).wrapping_add(rem(a, b)), if b == 0 { 0 } else { a });
            }
        }
        assert_eq!((div(-7, 2), rem(-7, 2), div(7, -2), rem(7, -2)), (-4, 1, -4, -1));
        assert_eq!(div(i64::MIN, -1), i64::MIN);
    }

    #[test]
    fn mul_div_saturates() {
        assert_eq!(mul_div(i64::MAX, i64::MAX, i64::MAX), i64::MAX);
        assert_eq!(mul_div(i64::MAX, i64::MAX, -1), i64::MIN);
        assert_eq!(mul_div(i64::MIN, 1, -1), i64::MAX);
        assert_eq!(mul_div(i64::MAX, 3, 4), 6_917_529_027_641_081_855);
        assert_eq!(mul_div(-1, i64::MAX, 2), -4_611_686_018_427_387_904);
    }

    #[test]
    fn plain_numbers_are_neither_tiny_nor_huge() {
        let bits = |number: f64| number.to_bits().cast_signed();
        for number in [1.0, -3.5, 1e-120, -1e120] {
            assert_eq!(plain(bits(number), bits(2.0)), Some((number, 2.0)));
            assert_eq!(plain(bits(2.0), bits(number)), Some((2.0, number)));
            for other in [1e-120, 1e120] {
                let results = [number + other, number - other, number * other, number / other];
                assert!(results.iter().all(|n| *n == 0.0 || n.is_normal()), "{number} and {other}");
            }
        }
        for number in [0.0, -0.0, 1e-200, 1e200, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE] {
            assert_eq!(plain(bits(number), bits(2.0)), None, "{number}");
            assert_eq!(plain(bits(2.0), bits(number)), None, "{number}");
        }
    }

    #[test]
    fn roots_round_down() {
        for root in [0, 1, 2, 3, 1000, 2_097_151] {
            let cube = root * root * root;
            assert_eq!(cbrt(cube), root);
            assert_eq!(cbrt(cube - 1), (root - 1).max(0));
        }
        assert_eq!((cbrt(i64::MAX), cbrt(-8), sqrt(i64::MAX), sqrt(-4)), (2_097_151, 0, 3_037_000_499, 0));
    }

    #[test]
    fn shifts_take_any_count() {
        assert_eq!((shl(1, 64), shl(5, -1), shl(1, 63)), (0, 5, i64::MIN));
        assert_eq!((shr(-1, 99), shr(8, 2), shr(8, -2), shr(8, 64)), (-1, 2, 8, 0));
    }
}
