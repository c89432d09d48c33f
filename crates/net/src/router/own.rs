//! Agents of other crates.

use std::fmt::Debug;

use dumbbell_core::{Frame, Packet, Time, VerdictSink};

use super::contract::{Agent, AgentParams, QueueView, Setting};
use crate::own::{Simulated, simulated, simulated_mut};

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
