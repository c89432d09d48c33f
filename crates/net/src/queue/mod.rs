//! Queue disciplines: one file each, one line each in [`disciplines!`].
//!
//! A discipline holds packets and decides which to drop; it passes every packet that it drops to the verdict sink, with
//! a reason. It is generic over [`Frame`], so the same code queues simulated packets and real ones.

pub mod codel;
pub mod droptail;
mod fifo;

#[cfg(test)]
mod laws;

use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Frame, QueueLimit, Time, VerdictSink};

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
    /// The queue's own random stream.
    pub rng: Stream,
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
}

/// A queue discipline.
///
/// The packet in transmission has left the discipline: limits count waiting packets.
pub trait Discipline<P: Frame> {
    /// Takes in a packet or gives it (or others) up.
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>);

    /// The next packet to transmit.
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P>;

    /// Packets waiting.
    fn len(&self) -> usize;

    /// Bytes waiting.
    fn bytes(&self) -> u64;

    /// True if nothing waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Registers the disciplines: `Variant(module) => Type` gives the name in scenarios, the parameters with their
/// defaults, dispatch, and the law tests.
macro_rules! disciplines {
    ($( $variant:ident($module:ident) => $type:ident ),+ $(,)?) => {
        dumbbell_core::registry! {
            /// A queue discipline with its parameters.
            pub enum QueueSpec in "queue" { $( $variant($module::Params) ),+ }
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

            /// The limit that the user gave, whatever the discipline.
            pub fn limit(&self) -> QueueLimit {
                match self { $( QueueSpec::$variant(p) => p.limit ),+ }
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
}
