//! The contract of port agents: events, and changes of packets.

use std::fmt::Debug;

use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Frame, HeaderKind, Packet, Time, VerdictSink};

use crate::own::{Simulated, simulated, simulated_mut};

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

/// Makes a machine of parameters whose type nobody knows: those of another crate.
pub trait Open {
    /// See [`AgentParams::build`].
    fn open(&self, setting: Setting) -> Box<dyn Acts>;
}

impl<P: AgentParams> Open for P {
    fn open(&self, setting: Setting) -> Box<dyn Acts> {
        Box::new(self.build(setting))
    }
}

/// An agent of another crate, which sees simulated packets. See [`Agent`].
#[allow(missing_docs, reason = "as those of `Agent`")]
pub trait Acts: Debug + Send {
    /// Another one like it.
    fn copy(&self) -> Box<dyn Acts>;
    fn arrived(&mut self, now: Time, packet: &Packet, queue: &QueueView);
    fn leaving(
        &mut self,
        now: Time,
        packet: &mut Packet,
        queue: &QueueView,
        sink: &mut dyn VerdictSink<Packet>,
    );
    fn wake(&mut self, now: Time, queue: &QueueView);
    fn wake_at(&self) -> Time;
    fn offered(&self) -> Option<f64>;
}

impl<A: Agent + Clone + Debug + Send + 'static> Acts for A {
    fn copy(&self) -> Box<dyn Acts> {
        Box::new(self.clone())
    }
    fn arrived(&mut self, now: Time, packet: &Packet, queue: &QueueView) {
        Agent::arrived(self, now, packet, queue);
    }
    fn leaving(
        &mut self,
        now: Time,
        packet: &mut Packet,
        queue: &QueueView,
        mut sink: &mut dyn VerdictSink<Packet>,
    ) {
        Agent::leaving(self, now, packet, queue, &mut sink);
    }
    fn wake(&mut self, now: Time, queue: &QueueView) {
        Agent::wake(self, now, queue);
    }
    fn wake_at(&self) -> Time {
        Agent::wake_at(self)
    }
    fn offered(&self) -> Option<f64> {
        Agent::offered(self)
    }
}

impl Agent for Box<dyn Acts> {
    fn arrived<P: Frame>(&mut self, now: Time, packet: &P, queue: &QueueView) {
        (**self).arrived(now, simulated(packet), queue);
    }
    fn leaving<P: Frame>(
        &mut self,
        now: Time,
        packet: &mut P,
        queue: &QueueView,
        sink: &mut impl VerdictSink<P>,
    ) {
        (**self).leaving(now, simulated_mut(packet), queue, &mut Simulated::new(sink));
    }
    fn wake(&mut self, now: Time, queue: &QueueView) {
        (**self).wake(now, queue);
    }
    fn wake_at(&self) -> Time {
        (**self).wake_at()
    }
    fn offered(&self) -> Option<f64> {
        (**self).offered()
    }
}

impl Clone for Box<dyn Acts> {
    fn clone(&self) -> Box<dyn Acts> {
        (**self).copy()
    }
}
