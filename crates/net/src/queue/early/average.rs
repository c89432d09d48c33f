//! The average of a queue's length.

use dumbbell_core::{BitRate, Bytes, Time};

/// Nanoseconds of a second times bits of a byte: a rate in bit/s times nanoseconds, over this, is a number of bytes.
const BIT_NANOS: f64 = 8e9;

/// The exponentially weighted average length of a queue, in packets or bytes, and the length itself. Holds no packets.
///
/// Floyd & Jacobson, IEEE/ACM ToN 1(4), 1993, section 4. The average moves when a packet arrives. After an idle time it is what it
/// would be if as many packets had found the queue empty as could have been sent meanwhile.
#[derive(Clone, Debug)]
pub struct Average {
    value: f64,
    /// The largest that it has been.
    largest: f64,
    weight: f64,
    packets: u64,
    bytes: u64,
    in_bytes: bool,
    /// Once the queue is empty, when its last packet has left the link.
    idle_since: Time,
    /// Packets of the mean size that the link sends in a nanosecond.
    packets_per_nano: f64,
    rate: BitRate,
}

impl Average {
    /// Of an empty queue on a link of this rate, in `in_bytes` or packets. A packet that arrives counts by `weight`.
    pub fn new(weight: f64, in_bytes: bool, rate: BitRate, mean_packet: Bytes) -> Average {
        Average {
            value: 0.0,
            largest: 0.0,
            weight,
            packets: 0,
            bytes: 0,
            in_bytes,
            idle_since: Time::ZERO,
            packets_per_nano: rate.as_bps() as f64 / BIT_NANOS / mean_packet.get() as f64,
            rate,
        }
    }

    /// The average, in packets or bytes.
    #[inline]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The largest average so far, of packets.
    pub fn largest(&self) -> Option<f64> {
        (!self.in_bytes).then_some(self.largest)
    }

    /// Packets in the queue.
    #[inline]
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// A packet arrives at `now`, and finds the queue as it is.
    #[inline]
    pub fn arrived(&mut self, now: Time) {
        if self.packets == 0 {
            // An average of nothing stays one: no power is worth computing.
            if self.value > 0.0 {
                let sent = now.since(self.idle_since).as_nanos() as f64 * self.packets_per_nano;
                self.value *= (1.0 - self.weight).powi((sent as i32).saturating_add(1));
            }
            self.idle_since = self.idle_since.max(now);
        } else {
            let length = if self.in_bytes { self.bytes } else { self.packets };
            self.value += self.weight * (length as f64 - self.value);
            self.largest = self.largest.max(self.value);
        }
    }

    /// A packet of `size` bytes enters the queue.
    #[inline]
    pub fn entered(&mut self, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
    }

    /// A packet of `size` bytes leaves the queue at `now` and is transmitted.
    #[inline]
    pub fn left(&mut self, now: Time, size: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(size);
        if self.packets == 0 {
            self.idle_since = now + self.rate.time_to_send(size.into());
        }
    }

    /// A packet of `size` bytes enters an empty queue at `now`, and is transmitted at once.
    #[inline]
    pub fn passed(&mut self, now: Time, size: u32) {
        self.idle_since = now + self.rate.time_to_send(size.into());
    }

    /// A packet of `size` bytes is dropped from the queue at `now`.
    pub fn dropped(&mut self, now: Time, size: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(size);
        self.idle_since = self.idle_since.max(now);
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Duration;

    use super::*;

    /// On a link that sends 1000 packets of 500 bytes a second.
    fn average(weight: f64) -> Average {
        Average::new(weight, false, BitRate::from_bps(4_000_000), Bytes::new(500))
    }

    #[test]
    fn an_arrival_finds_the_queue_without_itself() {
        let mut average = average(0.25);
        for length in 0..4 {
            average.arrived(Time::ZERO);
            average.entered(500);
            assert_eq!(average.packets(), length + 1);
        }
        // 0, 1, 2, 3 were found: ((0.25 * 1) * 0.75 + 0.25 * 2) * 0.75 + 0.25 * 3.
        assert_eq!(average.value(), 1.265625);
        assert_eq!(average.largest(), Some(1.265625));
    }

    #[test]
    fn an_idle_second_lowers_the_average() {
        let mut average = average(0.002);
        average.value = 10.0;
        average.entered(500);
        average.left(Time::ZERO, 500);
        // The packet leaves the link after 1 ms: one arrival and 1000 that could have been.
        let second = Time::ZERO + Duration::from_millis(1001);
        let mut short = average.clone();
        average.arrived(second);
        assert!((average.value() - 10.0 * 0.998_f64.powi(1001)).abs() < 1e-9, "{}", average.value());
        // While the last packet is in transmission the link is not idle.
        short.arrived(Time::ZERO + Duration::from_micros(999));
        assert_eq!(short.value(), 9.98);
        // Idle time counts once.
        average.arrived(second);
        assert!((average.value() - 10.0 * 0.998_f64.powi(1002)).abs() < 1e-9, "{}", average.value());
    }

    #[test]
    fn an_average_of_bytes_counts_bytes() {
        let mut average = Average::new(0.5, true, BitRate::from_bps(4_000_000), Bytes::new(500));
        average.entered(1500);
        average.entered(40);
        average.arrived(Time::ZERO);
        assert_eq!(average.value(), 770.0);
    }
}
