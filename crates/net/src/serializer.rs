//! Serialisation: when a packet that starts now has left, in whole nanoseconds, without drift.

use dumbbell_core::{BitRate, Duration, Time};

/// The transmitter of a constant-rate link.
///
/// The part of a nanosecond by which a departure was rounded down is carried to the next one in the same busy
/// period, so that n packets back to back take n times their exact time, rounded down once.
#[derive(Clone, Debug)]
pub struct Serializer {
    rate: u64,
    free_at: Time,
    /// Carried remainder, in units of 1/rate nanoseconds.
    carry: u64,
    /// Quotient and remainder for the two sizes seen last: nearly all packets are segments or acknowledgements.
    known: [Division; 2],
    /// Which of `known` is replaced next.
    oldest: u8,
}

#[derive(Clone, Copy, Debug)]
struct Division {
    size: u16,
    remainder: u64,
    nanos: Duration,
}

impl Serializer {
    /// A free transmitter.
    pub fn new(rate: BitRate) -> Serializer {
        let none = Division { size: 0, remainder: 0, nanos: Duration::ZERO };
        Serializer { rate: rate.as_bps().max(1), free_at: Time::ZERO, carry: 0, known: [none; 2], oldest: 0 }
    }

    /// A transmitter that is free from a time on.
    pub fn free_from(rate: BitRate, at: Time) -> Serializer {
        Serializer { free_at: at, ..Serializer::new(rate) }
    }

    /// Bits per second.
    pub fn rate(&self) -> BitRate {
        BitRate::from_bps(self.rate)
    }

    /// When everything accepted so far has left.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Accepts a packet of `size` bytes at `now`; it starts when the transmitter is free. Returns when it has left.
    #[inline]
    pub fn depart(&mut self, now: Time, size: u16) -> Time {
        let d = self.divide(size);
        let start = if self.free_at >= now {
            self.free_at
        } else {
            self.carry = 0;
            now
        };
        self.carry += d.remainder;
        let mut end = start + d.nanos;
        if self.carry >= self.rate {
            self.carry -= self.rate;
            end += Duration::from_nanos(1);
        }
        self.free_at = end;
        end
    }

    #[inline]
    fn divide(&mut self, size: u16) -> Division {
        if self.known[0].size == size {
            return self.known[0];
        }
        if self.known[1].size == size {
            return self.known[1];
        }
        self.divide_anew(size)
    }

    #[cold]
    fn divide_anew(&mut self, size: u16) -> Division {
        let bits_e9 = u64::from(size) * 8_000_000_000;
        let d = Division {
            size,
            remainder: bits_e9 % self.rate,
            nanos: Duration::from_nanos(bits_e9 / self.rate),
        };
        self.known[usize::from(self.oldest)] = d;
        self.oldest ^= 1;
        d
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_busy_period_never_drifts(rate in 1_000..400_000_000_000u64, sizes in prop::collection::vec(1..=9000u16, 1..200)) {
            let mut s = Serializer::new(BitRate::from_bps(rate));
            let start = Time::from_nanos(12_345);
            let mut bits = 0u128;
            for size in sizes {
                let end = s.depart(start, size);
                bits += u128::from(size) * 8;
                prop_assert_eq!(u128::from(end.since(start).as_nanos()), bits * 1_000_000_000 / u128::from(rate));
            }
        }
    }

    #[test]
    fn parts_of_nanoseconds_are_forgotten_when_idle() {
        // A byte takes 2,666,666,666 ns and two thirds.
        let mut s = Serializer::new(BitRate::from_bps(3));
        let ends = [0, 0, 0, 20_000_000_000, 0].map(|at| s.depart(Time::from_nanos(at), 1).as_nanos());
        let after = |bytes: u64| bytes * 8_000_000_000 / 3;
        let idle = 20_000_000_000;
        assert_eq!(ends, [after(1), after(2), after(3), idle + after(1), idle + after(2)]);
    }

    #[test]
    fn an_idle_transmitter_starts_at_the_arrival() {
        let mut s = Serializer::new(BitRate::from_bps(10_000_000));
        assert_eq!(s.depart(Time::ZERO, 1500), Time::from_nanos(1_200_000));
        assert_eq!(s.depart(Time::from_nanos(5_000_000), 1500), Time::from_nanos(6_200_000));
        assert_eq!(s.free_at(), Time::from_nanos(6_200_000));
    }
}
