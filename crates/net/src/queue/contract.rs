//! The contract of queue disciplines: events, and decisions about packets.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::{Stream, Streams};
use dumbbell_core::{BitRate, Duration, FlowEnds, Frame, Probability, QueueLimit, Time, VerdictSink};

/// What a discipline may know of the link it serves.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The link's rate.
    pub rate: BitRate,
    /// Largest packet on the link.
    pub mtu: u32,
    /// One bandwidth-delay product in bytes.
    pub bdp: u64,
    /// The link's random streams.
    pub streams: Streams,
    /// The name of the queue among the parts of the link: `queue`; of one that another holds, with its position in that.
    pub name: String,
    /// The first of the traffic classes whose packets it gets.
    pub first_class: usize,
    /// The hosts of simulated flows, if it asks for them: see [`super::QueueParams::shares_between_hosts`].
    pub ends: FlowEnds,
}

impl Setting {
    /// The queue's own random stream.
    pub fn rng(&self) -> Stream {
        self.streams.of(&self.name)
    }

    /// The same for the queue at `position` within this one, whose classes begin with `first_class`.
    #[must_use]
    pub fn within(&self, position: usize, first_class: usize) -> Setting {
        Setting { name: format!("{} {position}", self.name), first_class, ..self.clone() }
    }
}

/// The largest gain or weight of a law: sums of their products stay finite.
const MOST: f64 = 1e9;

/// Checks the gains and weights of a law, which stand under these keys of the table at `at`.
///
/// # Errors
/// One is negative, or out of all proportion.
pub fn check_factors(factors: &[(&str, f64)], at: &At<'_>) -> Result<(), ConfigError> {
    match factors.iter().find(|(_, factor)| !(0.0..=MOST).contains(factor)) {
        Some((key, factor)) => Err(at
            .key(key)
            .error(format!("{factor} is out of range"), format!("give a number from 0 to {MOST:e}"))),
        None => Ok(()),
    }
}

/// Checks the wait that a law aims at, under the key `target` of the table at `at`.
///
/// # Errors
/// It is zero: no packet waits for less, so that the integral of such a law never falls.
pub fn check_target(target: Duration, at: &At<'_>) -> Result<(), ConfigError> {
    if target.is_zero() {
        return Err(at
            .key("target")
            .error("0s never lets the probability fall", "give a time such as \"15ms\""));
    }
    Ok(())
}

/// Checks the steps by which a law raises and lowers its probability, under the keys `increment` and `decrement` of the table at
/// `at`.
///
/// # Errors
/// It rises and never falls.
pub fn check_steps(increment: Probability, decrement: Probability, at: &At<'_>) -> Result<(), ConfigError> {
    if increment.get() > 0.0 && decrement.get() == 0.0 {
        let remedy = "give a number above 0, such as a tenth of `increment`";
        return Err(at.key("decrement").error("0 never lets the probability fall", remedy));
    }
    Ok(())
}

/// A limit in the units a queue counts in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// Packets that may wait.
    pub packets: u64,
    /// Bytes that may wait.
    pub bytes: u64,
}

impl Limit {
    /// No limit.
    pub const NONE: Limit = Limit { packets: u64::MAX, bytes: u64::MAX };

    /// Resolves what the user wrote. Multiples of the bandwidth-delay product become whole packets of the MTU,
    /// rounded up, as a packet buffer of one BDP is understood in the literature.
    pub fn resolve(limit: QueueLimit, bdp: u64, mtu: u32) -> Limit {
        match limit {
            QueueLimit::Packets(packets) => Limit { packets, ..Limit::NONE },
            QueueLimit::Bytes(bytes) => Limit { bytes, ..Limit::NONE },
            QueueLimit::Bdp(multiple) => {
                let packets = (multiple * bdp as f64 / f64::from(mtu)).ceil().max(1.0);
                Limit { packets: packets as u64, ..Limit::NONE }
            }
            QueueLimit::Unlimited => Limit::NONE,
        }
    }

    /// True if a packet of `size` bytes fits behind `packets` waiting packets of `bytes` bytes in all.
    #[inline]
    pub fn admits(&self, packets: u64, bytes: u64, size: u32) -> bool {
        packets < self.packets && bytes.saturating_add(u64::from(size)) <= self.bytes
    }

    /// What two queues may hold together: in packets if both limits are in packets, else in bytes, full packets of `mtu`
    /// where a limit is in packets.
    #[must_use]
    pub fn and(&self, other: &Limit, mtu: u32) -> Limit {
        let bytes = |limit: &Limit| limit.bytes.min(limit.packets.saturating_mul(mtu.into()));
        let packets = self.packets.saturating_add(other.packets);
        if packets < u64::MAX && self.bytes == u64::MAX && other.bytes == u64::MAX {
            return Limit { packets, ..Limit::NONE };
        }
        Limit { bytes: bytes(self).saturating_add(bytes(other)), ..Limit::NONE }
    }
}

/// What a discipline compares with the queue: a length or a wait from which on it acts, or at which it aims.
#[derive(Clone, PartialEq, Debug)]
pub struct Threshold {
    /// The parameter that sets it; of one of several classes, with the class.
    pub name: String,
    /// Where it lies.
    pub level: Level,
}

impl Threshold {
    /// The threshold that the parameter `name` sets.
    pub fn new(name: impl Into<String>, level: Level) -> Threshold {
        Threshold { name: name.into(), level }
    }
}

/// Where a threshold lies.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Level {
    /// A length, as the user wrote it.
    Length(QueueLimit),
    /// So many packets wait.
    Packets(f64),
    /// A packet waits for so long.
    Wait(Duration),
}

impl Level {
    /// The full packets that wait there, on a link of this rate, bandwidth-delay product and MTU.
    pub fn packets(self, rate: BitRate, bdp: u64, mtu: u32) -> f64 {
        match self {
            Level::Length(length) => match Limit::resolve(length, bdp, mtu) {
                Limit { packets: u64::MAX, bytes } => bytes as f64 / f64::from(mtu),
                Limit { packets, .. } => packets as f64,
            },
            Level::Packets(packets) => packets,
            Level::Wait(wait) => rate.as_bps() as f64 * wait.as_secs_f64() / 8.0 / f64::from(mtu),
        }
    }
}

/// A queue discipline.
///
/// The packet in transmission has left the discipline: limits count waiting packets.
pub trait Discipline<P: Frame> {
    /// Takes in a packet or gives it (or others) up.
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>);

    /// A packet arrives while nothing waits and the link is free: the same as `enqueue` and then `dequeue`. True if the packet,
    /// which may have been marked, is to be transmitted.
    fn pass_through(&mut self, now: Time, packet: &mut P, sink: &mut impl VerdictSink<P>) -> bool
    where
        P: Clone,
    {
        self.wait_for_none(now, packet, sink)
    }

    /// The long way of [`Discipline::pass_through`].
    fn wait_for_none(&mut self, now: Time, packet: &mut P, sink: &mut impl VerdictSink<P>) -> bool
    where
        P: Clone,
    {
        self.enqueue(now, packet.clone(), sink);
        let Some(next) = self.dequeue(now, sink) else { return false };
        // It is the same packet, which nobody has to wait for.
        if next.ecn() != packet.ecn() {
            packet.mark_ce();
        }
        true
    }

    /// The next packet to transmit; none if nothing waits, or if all that waits is held back.
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P>;

    /// Bytes of the packet that `dequeue` gives next, where that is known before: in a first-in first-out queue.
    fn next_size(&self) -> Option<u32> {
        None
    }

    /// When to ask again, right after `dequeue` has given nothing though packets wait. Only for disciplines that hold packets
    /// back: see [`super::Laziness::holds_back`].
    fn ready_at(&self) -> Time {
        Time::NEVER
    }

    /// The largest average length so far, in packets, where averages are what the discipline decides by.
    fn average(&self) -> Option<f64> {
        None
    }

    /// Packets waiting.
    fn len(&self) -> usize;

    /// Bytes waiting.
    fn bytes(&self) -> u64;

    /// True if nothing waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKETS: Limit = Limit { packets: 10, bytes: u64::MAX };
    const BYTES: Limit = Limit { packets: u64::MAX, bytes: 4000 };

    #[test]
    fn two_limits_add_up_in_packets_or_else_in_bytes() {
        for (one, other, both) in [
            (PACKETS, PACKETS, Limit { packets: 20, ..Limit::NONE }),
            (BYTES, BYTES, Limit { bytes: 8000, ..Limit::NONE }),
            (PACKETS, BYTES, Limit { bytes: 19_000, ..Limit::NONE }),
            (BYTES, PACKETS, Limit { bytes: 19_000, ..Limit::NONE }),
            (PACKETS, Limit::NONE, Limit::NONE),
            (Limit { packets: 10, bytes: 4000 }, PACKETS, Limit { bytes: 19_000, ..Limit::NONE }),
        ] {
            assert_eq!(one.and(&other, 1500), both, "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_limit_admits_what_fills_it() {
        for (limit, packets, bytes, size, admits) in [
            (PACKETS, 9, 1 << 40, 1500, true),
            (PACKETS, 10, 0, 40, false),
            (BYTES, 1 << 40, 2500, 1500, true),
            (BYTES, 0, 2501, 1500, false),
            (Limit::NONE, u64::MAX - 1, u64::MAX - 1, 1500, true),
        ] {
            assert_eq!(limit.admits(packets, bytes, size), admits, "{limit:?} {packets} {bytes}");
        }
    }

    #[test]
    fn a_limit_is_whole_packets_of_a_product_or_as_written() {
        // 62,500 bytes are 41.7 packets.
        for (limit, packets, bytes) in [
            (QueueLimit::Bdp(1.0), 42, u64::MAX),
            (QueueLimit::Bdp(0.5), 21, u64::MAX),
            (QueueLimit::Bdp(0.001), 1, u64::MAX),
            (QueueLimit::Packets(7), 7, u64::MAX),
            (QueueLimit::Bytes(7), u64::MAX, 7),
            (QueueLimit::Unlimited, u64::MAX, u64::MAX),
        ] {
            assert_eq!(Limit::resolve(limit, 62_500, 1500), Limit { packets, bytes }, "{limit:?}");
        }
    }
}
