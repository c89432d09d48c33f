//! Disciplines of other crates.

use std::fmt::Debug;
use std::marker::PhantomData;

use dumbbell_core::{Frame, Packet, Time, VerdictSink};

use super::contract::{Discipline, Setting};
use crate::own::{Simulated, same, simulated_mut};

/// Makes a machine of parameters whose type nobody knows: those of another crate.
pub trait Open {
    /// See [`super::QueueParams::build`].
    fn open(&self, setting: Setting) -> Box<dyn Simulates>;
}

impl<P: super::QueueParams> Open for P
where
    P::Machine<Packet>: Clone,
{
    fn open(&self, setting: Setting) -> Box<dyn Simulates> {
        Box::new(self.build::<Packet>(setting))
    }
}

/// What a discipline tells of its queue.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    next_size: Option<u32>,
    ready_at: Time,
    average: Option<f64>,
    len: usize,
    bytes: u64,
}

/// A [`Discipline`] of simulated packets.
#[allow(missing_docs, reason = "as those of `Discipline`")]
pub trait Simulates: Debug + Send {
    /// Another one like it.
    fn copy(&self) -> Box<dyn Simulates>;
    fn enqueue(&mut self, now: Time, packet: Packet, sink: &mut dyn VerdictSink<Packet>);
    fn pass_through(&mut self, now: Time, packet: &mut Packet, sink: &mut dyn VerdictSink<Packet>) -> bool;
    fn dequeue(&mut self, now: Time, sink: &mut dyn VerdictSink<Packet>) -> Option<Packet>;
    fn told(&self) -> Told;
}

impl<D: Discipline<Packet> + Clone + Debug + Send + 'static> Simulates for D {
    fn copy(&self) -> Box<dyn Simulates> {
        Box::new(self.clone())
    }
    fn enqueue(&mut self, now: Time, packet: Packet, mut sink: &mut dyn VerdictSink<Packet>) {
        Discipline::enqueue(self, now, packet, &mut sink);
    }
    fn pass_through(
        &mut self,
        now: Time,
        packet: &mut Packet,
        mut sink: &mut dyn VerdictSink<Packet>,
    ) -> bool {
        Discipline::pass_through(self, now, packet, &mut sink)
    }
    fn dequeue(&mut self, now: Time, mut sink: &mut dyn VerdictSink<Packet>) -> Option<Packet> {
        Discipline::dequeue(self, now, &mut sink)
    }
    fn told(&self) -> Told {
        Told {
            next_size: self.next_size(),
            ready_at: self.ready_at(),
            average: self.average(),
            len: self.len(),
            bytes: self.bytes(),
        }
    }
}

/// A discipline of another crate, which queues simulated packets.
#[derive(Debug)]
pub struct Outside<P> {
    discipline: Box<dyn Simulates>,
    frames: PhantomData<P>,
}

impl<P> Outside<P> {
    /// One that queues frames, which are simulated packets.
    pub fn of(discipline: Box<dyn Simulates>) -> Outside<P> {
        Outside { discipline, frames: PhantomData }
    }
}

impl<P> Clone for Outside<P> {
    fn clone(&self) -> Outside<P> {
        Outside::of(self.discipline.copy())
    }
}

impl<P: Frame> Discipline<P> for Outside<P> {
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        self.discipline.enqueue(now, same(packet), &mut Simulated::new(sink));
    }
    fn pass_through(&mut self, now: Time, packet: &mut P, sink: &mut impl VerdictSink<P>) -> bool {
        self.discipline.pass_through(now, simulated_mut(packet), &mut Simulated::new(sink))
    }
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        self.discipline.dequeue(now, &mut Simulated::new(sink)).map(same)
    }
    fn next_size(&self) -> Option<u32> {
        self.discipline.told().next_size
    }
    fn ready_at(&self) -> Time {
        self.discipline.told().ready_at
    }
    fn average(&self) -> Option<f64> {
        self.discipline.told().average
    }
    fn len(&self) -> usize {
        self.discipline.told().len
    }
    fn bytes(&self) -> u64 {
        self.discipline.told().bytes
    }
}
