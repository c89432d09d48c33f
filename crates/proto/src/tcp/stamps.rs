//! What timestamps say of times.

use dumbbell_core::{Duration, Time};

use crate::wheel::latest;

/// Timestamps count milliseconds.
// Linux include/net/tcp.h: TCP_TS_HZ.
pub const STAMP: Duration = Duration::from_millis(1);

/// The time that a timestamp shows for another.
#[inline]
pub fn stamp(at: Time) -> Time {
    latest(at, STAMP)
}

/// The round-trip time that a timestamp shows: a millisecond at least.
// Linux net/ipv4/tcp_input.c: tcp_rtt_tsopt_us.
pub fn round_trip(sent: Time, now: Time) -> Duration {
    stamp(now).since(stamp(sent)).max(STAMP)
}

#[cfg(test)]
mod tests {
    use super::round_trip;
    use crate::testing::ms;

    #[test]
    fn timestamps_tell_whole_milliseconds() {
        let shown = |sent, now| round_trip(ms(sent), ms(now)).as_secs_f64() * 1e3;
        assert_eq!([shown(0.9, 3.1), shown(0.1, 2.9), shown(0.1, 0.9)], [3.0, 2.0, 1.0]);
    }
}
