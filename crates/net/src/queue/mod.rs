//! Queue disciplines: one file each, one line each in [`disciplines!`].
//!
//! A discipline holds packets and decides which to drop; it passes every packet that it drops to the verdict sink, with
//! a reason. It is generic over [`Frame`], so the same code queues simulated packets and real ones. It may
//! hold other disciplines, one for each traffic class, and it may hold packets back although the link is free.

mod branches;
pub mod codel;
pub mod droptail;
pub mod drr;
mod fifo;
pub mod strict_priority;
pub mod token_bucket;

#[cfg(test)]
pub(crate) mod laws;

use dumbbell_core::class::TRAFFIC_CLASSES;
use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::{Stream, Streams};
use dumbbell_core::{BitRate, ClassSet, Frame, QueueLimit, Time, VerdictSink};

pub use branches::{Branch, Branches, MAX_DEPTH, check_classes, held_in_classes};
pub use fifo::Fifo;

/// What a discipline may know of the link it serves.
#[derive(Clone, Debug)]
pub struct Context {
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
}

impl Context {
    /// The queue's own random stream.
    pub fn rng(&self) -> Stream {
        self.streams.of(&self.name)
    }

    /// The same for the queue at `position` within this one, whose classes begin with `first_class`.
    #[must_use]
    pub fn within(&self, position: usize, first_class: usize) -> Context {
        Context { name: format!("{} {position}", self.name), first_class, ..self.clone() }
    }
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

/// A queue discipline.
///
/// The packet in transmission has left the discipline: limits count waiting packets.
pub trait Discipline<P: Frame> {
    /// Takes in a packet or gives it (or others) up.
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>);

    /// The next packet to transmit; none if nothing waits, or if all that waits is held back.
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P>;

    /// Bytes of the packet that `dequeue` gives next, where that is known before: in a first-in first-out queue.
    fn next_size(&self) -> Option<u32> {
        None
    }

    /// When to ask again, right after `dequeue` has given nothing though packets wait. Only for disciplines that hold packets
    /// back: see [`QueueParams::holds_back`].
    fn ready_at(&self) -> Time {
        Time::NEVER
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

/// A discipline within another.
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    /// The parameter under which it stands.
    pub key: &'static str,
    /// Its position, if a list stands there.
    pub index: Option<usize>,
    /// What it is.
    pub queue: &'a QueueSpec,
}

impl Held<'_> {
    /// Does something with the place at which it stands, in the discipline at `at`.
    fn at<T>(&self, at: &At<'_>, then: impl FnOnce(&At<'_>) -> T) -> T {
        let place = at.key(self.key);
        match self.index {
            Some(i) => then(&place.index(i)),
            None => then(&place),
        }
    }
}

/// The parameters of a discipline.
pub trait QueueParams {
    /// What the discipline itself may hold, on a link of this bandwidth-delay product and MTU, both in bytes.
    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        let _ = (bdp, mtu);
        Limit::NONE
    }

    /// The disciplines within it, in the order of their classes.
    fn within(&self) -> Vec<Held<'_>> {
        Vec::new()
    }

    /// How many traffic classes it tells apart, from the first that it gets; 1 if it looks at none. Of one that holds others,
    /// those that they have together.
    fn classes(&self) -> usize {
        self.within().iter().map(|held| held.queue.classes()).sum::<usize>().max(1)
    }

    /// True if it may hold packets back though the link is free.
    fn holds_back(&self) -> bool {
        false
    }

    /// Checks the parameters, which stand at `at`, against the largest packet of the link.
    ///
    /// # Errors
    /// What does not fit.
    fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
        let _ = (mtu, at);
        Ok(())
    }
}

impl QueueSpec {
    /// How many disciplines stand within one another, this one counted.
    pub fn depth(&self) -> usize {
        1 + self.params().within().iter().map(|held| held.queue.depth()).max().unwrap_or_default()
    }

    /// What it may hold with all that is within it, on a link of this bandwidth-delay product and MTU, both in bytes.
    pub fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        let within = self.params().within();
        let within = within.iter().map(|held| held.queue.limit(bdp, mtu)).reduce(|a, b| a.and(&b, mtu));
        within.unwrap_or_else(|| self.params().limit(bdp, mtu))
    }

    /// How many traffic classes it tells apart: those from 0 on.
    pub fn classes(&self) -> usize {
        self.params().classes()
    }

    /// The classes that it knows; none if it does not look at them.
    pub fn known_classes(&self) -> ClassSet {
        match self.classes() {
            1 => ClassSet::EMPTY,
            n => ClassSet::first(n.min(TRAFFIC_CLASSES)),
        }
    }

    /// True if it, or something within it, may hold packets back though the link is free.
    pub fn holds_back(&self) -> bool {
        self.params().holds_back() || self.params().within().iter().any(|held| held.queue.holds_back())
    }

    /// Checks it and all that is within it against the largest packet of the link; it stands at `at`.
    ///
    /// # Errors
    /// What does not fit, or disciplines that are nested deeper than [`MAX_DEPTH`].
    pub fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
        if self.depth() > MAX_DEPTH {
            let message =
                format!("{} queues within one another are above the limit of {MAX_DEPTH}", self.depth());
            return Err(at.error(message, "nest fewer"));
        }
        self.params().check(mtu, at)?;
        self.params().within().iter().try_for_each(|held| held.at(at, |at| held.queue.check(mtu, at)))
    }
}

/// Registers the disciplines: `Variant(module) => Type` gives the name in scenarios, the parameters with their
/// defaults, dispatch, and the law tests.
macro_rules! disciplines {
    ($( $variant:ident($module:ident) => $type:ident ),+ $(,)?) => {
        dumbbell_core::registry! {
            /// A queue discipline with its parameters.
            pub enum QueueSpec in "queue" as QueueParams { $( $variant($module::Params) ),+ }
        }

        /// Any registered discipline.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum AnyDiscipline<P> { $( $variant($module::$type<P>) ),+ }

        impl QueueSpec {
            /// An empty queue of this discipline.
            pub fn build<P: Frame>(&self, context: Context) -> AnyDiscipline<P> {
                match self { $( QueueSpec::$variant(p) => AnyDiscipline::$variant($module::$type::new(p, context)) ),+ }
            }

            /// Every registered discipline with its default parameters.
            pub fn all_defaults() -> Vec<QueueSpec> {
                vec![ $( QueueSpec::$variant(Default::default()) ),+ ]
            }
        }

        impl<P: Frame> Discipline<P> for AnyDiscipline<P> {
            #[inline]
            fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
                match self { $( AnyDiscipline::$variant(q) => q.enqueue(now, packet, sink) ),+ }
            }
            #[inline]
            fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
                match self { $( AnyDiscipline::$variant(q) => q.dequeue(now, sink) ),+ }
            }
            #[inline]
            fn next_size(&self) -> Option<u32> {
                match self { $( AnyDiscipline::$variant(q) => q.next_size() ),+ }
            }
            #[inline]
            fn ready_at(&self) -> Time {
                match self { $( AnyDiscipline::$variant(q) => q.ready_at() ),+ }
            }
            #[inline]
            fn len(&self) -> usize {
                match self { $( AnyDiscipline::$variant(q) => q.len() ),+ }
            }
            #[inline]
            fn bytes(&self) -> u64 {
                match self { $( AnyDiscipline::$variant(q) => q.bytes() ),+ }
            }
        }
    };
}

disciplines! {
    DropTail(droptail) => DropTail,
    CoDel(codel) => CoDel,
    StrictPriority(strict_priority) => StrictPriority,
    Drr(drr) => Drr,
    TokenBucket(token_bucket) => TokenBucketFilter,
}
