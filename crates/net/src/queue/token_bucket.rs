//! The token bucket filter: holds packets back so that what leaves keeps to a rate and a burst.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::{Algorithm, Inner};
use dumbbell_core::{BitRate, Bytes, Frame, Time, Validate, VerdictSink, config};

use super::branches::Branch;
use super::{Discipline, Held, Laziness, QueueParams, QueueSpec, Setting};
use crate::token_bucket::{TokenBucket, check_burst};

config! {
    /// A shaper: a packet leaves the queue within when there are tokens for its bytes. Tokens come at the rate, up to the
    /// burst; the bucket is full at the start. The link may idle while packets wait.
    pub struct Params {
        /// Bytes that leave in the long run, headers included, in bits a second.
        rate: BitRate = "1Mbit/s", "choice: a tenth of the default bottleneck";
        /// Bytes that may leave at once.
        burst: Bytes = "10kB", "choice: six full packets, 80 ms of the default rate";
        /// Where packets wait.
        queue: Inner<QueueSpec> = "droptail", "choice: as a link without a shaper";
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "token-bucket-filter";
    const TITLE: &'static str = "Token bucket filter: a shaper with a rate and a burst, over another queue";
    const REFERENCE: &'static str = "Linux tc-tbf(8); RFC 2697 section 3 for the bucket";
}

impl QueueParams for Params {
    type Machine<P: Frame> = TokenBucketFilter<P>;

    fn build<P: Frame>(&self, setting: Setting) -> TokenBucketFilter<P> {
        TokenBucketFilter::new(self, setting)
    }

    fn within(&self) -> Vec<Held<'_>> {
        vec![Held { key: "queue", index: None, queue: &self.queue }]
    }

    fn laziness(&self) -> Laziness {
        Laziness { holds_back: true, ..Laziness::FULL }
    }

    fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
        check_burst(self.burst, mtu, "burst", at)
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct TokenBucketFilter<P: Frame> {
    branch: Box<Branch<P>>,
    bucket: TokenBucket,
    /// When there are tokens for the packet that was last held back.
    ready_at: Time,
}

impl<P: Frame> TokenBucketFilter<P> {
    /// An empty queue, a full bucket.
    pub fn new(params: &Params, setting: Setting) -> TokenBucketFilter<P> {
        let branch = Box::new(Branch::new(&params.queue, setting.within(0, setting.first_class)));
        TokenBucketFilter {
            branch,
            bucket: TokenBucket::new(params.rate, params.burst),
            ready_at: Time::ZERO,
        }
    }
}

impl<P: Frame> Discipline<P> for TokenBucketFilter<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        self.branch.enqueue(now, packet, sink);
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        let Some(size) = self.branch.look(now, sink) else {
            self.ready_at = self.branch.ready_at();
            return None;
        };
        if !self.bucket.take(now, size) {
            self.ready_at = self.bucket.ready_at(size);
            return None;
        }
        self.branch.dequeue(now, sink)
    }

    #[inline(never)]
    fn len(&self) -> usize {
        self.branch.len()
    }

    #[inline(never)]
    fn bytes(&self) -> u64 {
        self.branch.bytes()
    }

    #[inline(never)]
    fn ready_at(&self) -> Time {
        self.ready_at
    }
}
