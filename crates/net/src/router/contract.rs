//! The contract of port agents: events, and changes of packets.

use std::fmt::Debug;

use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Frame, HeaderKind, Time, VerdictSink};

use super::own::Open;

/// What an agent may know of the link it serves, when it is made.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The link's rate at the start.
    pub rate: BitRate,
    /// Largest packet on the link.
    pub mtu: u32,
    /// The agent's own random stream.
    pub rng: Stream,
}

/// The parameters of an agent.
pub trait AgentParams: Open + Send + Sync {
    /// The agent.
    type Machine: Agent + Clone + Debug + Send + 'static
    where
        Self: Sized;

    /// An agent that has seen nothing.
    fn build(&self, setting: Setting) -> Self::Machine
    where
        Self: Sized;

    /// The headers that it reads or writes: end points that need one of these find it served, and real packets can only
    /// pass if all have a wire form.
    fn headers(&self) -> &'static [HeaderKind] {
        &[]
    }

    /// True if it may draw random numbers.
    fn draws(&self) -> bool {
        false
    }
}

/// What an agent sees of its queue: the packets that wait, without the one in transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QueueView {
    /// Packets waiting.
    pub packets: u64,
    /// Bytes waiting.
    pub bytes: u64,
    /// The link's rate now.
    pub rate: BitRate,
}

/// A router agent.
///
/// Calls come in order of time; at equal times `wake` comes before packets.
pub trait Agent {
    /// `packet` arrives at the queue. The queue may yet drop it.
    fn arrived<P: Frame>(&mut self, now: Time, packet: &P, queue: &QueueView);

    /// `packet` has left the queue and is about to be transmitted. A mark goes through `sink`.
    fn leaving<P: Frame>(
        &mut self,
        now: Time,
        packet: &mut P,
        queue: &QueueView,
        sink: &mut impl VerdictSink<P>,
    );

    /// A time that the agent asked for has come.
    fn wake(&mut self, now: Time, queue: &QueueView);

    /// When `wake` must be called next; [`Time::NEVER`] if not at all.
    fn wake_at(&self) -> Time;

    /// The rate it offers each flow at present, in bits per second, if it has one.
    fn offered(&self) -> Option<f64>;
}
