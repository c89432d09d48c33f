//! The shaper one hop before a sleeping port.

use dumbbell_core::{Duration, Time};

use crate::ring::Ring;

/// Holds every packet until the next multiple of its period, when all of them pass together, in order.
///
/// It stands for what the nodes that feed the port do for the class of packets that leave by it: they agree on the times,
/// so that one shaper in front of the port does what one in each of them would. It has no limit, as ingress routers have
/// none in the literature.
#[derive(Clone, Debug)]
pub struct Shaper<P> {
    period: Duration,
    held: Ring<P>,
    /// When the packets held pass.
    release: Time,
}

impl<P> Shaper<P> {
    /// An empty shaper.
    pub fn new(period: Duration) -> Shaper<P> {
        Shaper { period, held: Ring::default(), release: Time::NEVER }
    }

    /// Takes in a packet. It passes at the first multiple of the period after `now`.
    pub fn push(&mut self, now: Time, packet: P) {
        if self.held.is_empty() {
            let period = self.period.as_nanos();
            self.release = Time::from_nanos((now.as_nanos() / period + 1) * period);
        }
        self.held.push(packet);
    }

    /// The next packet that passes at `now`.
    pub fn pop(&mut self, now: Time) -> Option<P> {
        if now < self.release {
            return None;
        }
        let packet = self.held.pop();
        if self.held.is_empty() {
            self.release = Time::NEVER;
        }
        packet
    }

    /// Packets held.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// True if nothing is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// When packets pass next.
    pub fn wake_at(&self) -> Time {
        self.release
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_passes_at_the_next_multiple() {
        let ms = |t: u64| Time::from_nanos(t * 1_000_000);
        let mut s = Shaper::new(Duration::from_millis(10));
        s.push(ms(3), 'a');
        s.push(ms(9), 'b');
        assert_eq!((s.wake_at(), s.pop(ms(9)), s.len()), (ms(10), None, 2));
        assert_eq!([s.pop(ms(10)), s.pop(ms(10)), s.pop(ms(10))], [Some('a'), Some('b'), None]);
        assert_eq!(s.wake_at(), Time::NEVER);
        s.push(ms(10), 'c');
        assert_eq!(s.wake_at(), ms(20));
    }
}
