//! The policer: a token bucket that drops what it has no tokens for.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Bytes, Frame, QueueLimit, Time, Validate, config};

use super::at_arrival::{ArrivalLaw, AtArrival, Decision, Signals, Waiting};
use super::{Limit, QueueParams, Setting};
use crate::token_bucket::{TokenBucket, check_burst};

config! {
    /// Drops each packet for whose bytes there are no tokens when it arrives. Tokens come at the rate, up to the burst; the bucket is
    /// full at the start. Nothing waits for tokens: what passes waits for the link alone, and not at all if the link is faster.
    pub struct Params {
        /// Bytes that pass in the long run, headers included, in bits a second.
        rate: BitRate = "1Mbit/s", "choice: that of token-bucket-filter";
        /// Bytes that may pass at once.
        burst: Bytes = "10kB", "choice: that of token-bucket-filter";
        /// Packets or bytes that may wait for the link.
        limit: QueueLimit = "100pkt", "choice: as droptail; a link that is faster than the rate never holds so many";
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "policer";
    const TITLE: &'static str = "Policer: a token bucket that drops what exceeds a rate and a burst";
    const REFERENCE: &'static str = "Flach et al., An internet-wide analysis of traffic policing, SIGCOMM 2016; RFC 2697 section 3 for the bucket";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Policer<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Policer<P> {
        Policer::new(self, setting)
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }

    fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
        check_burst(self.burst, mtu, "burst", at)
    }
}

impl ArrivalLaw for TokenBucket {
    #[inline]
    fn advance(&mut self, _now: Time, _waiting: Waiting) {}

    #[inline]
    fn arrives(&mut self, now: Time, size: u32, _waiting: Waiting, _rng: &mut Stream) -> Decision {
        if self.take(now, size) { Decision::Pass } else { Decision::Drop }
    }
}

/// The discipline.
pub type Policer<P> = AtArrival<P, TokenBucket>;

impl<P: Frame> Policer<P> {
    /// An empty queue, a full bucket.
    pub fn new(params: &Params, setting: Setting) -> Policer<P> {
        let bucket = TokenBucket::new(params.rate, params.burst);
        AtArrival::of(bucket, params.limit(setting.bdp, setting.mtu), Signals::Drops, &setting)
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Duration;

    use super::super::Discipline;
    use super::super::laws::{Log, TestFrame, setting};
    use super::*;

    #[test]
    fn a_burst_passes_at_once_and_then_the_rate() {
        let params = Params { burst: Bytes::new(5000), ..Params::default() };
        let mut queue: Policer<TestFrame> = Policer::new(&params, setting());
        let mut pass = |millis, packets| {
            let (before, now) = (queue.len(), Time::ZERO + Duration::from_millis(millis));
            (0..packets).for_each(|_| queue.enqueue(now, TestFrame::new(1000, false), &mut Log::default()));
            queue.len() - before
        };
        assert_eq!(pass(0, 20), 5, "the burst");
        assert_eq!(pass(7, 20), 0, "a packet takes 8 ms");
        assert_eq!(pass(16, 20), 2);
        assert_eq!(pass(10_000, 20), 5, "tokens are kept up to the burst");
    }
}
