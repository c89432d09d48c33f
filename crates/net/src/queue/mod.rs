//! Queue disciplines: one file each, one line each in the registry.
//!
//! A discipline holds packets and decides which to drop; it passes every packet that it drops to the verdict sink, with
//! a reason. It is generic over [`Frame`], so the same code queues simulated packets and real ones. It may
//! hold other disciplines, one for each traffic class, and it may hold packets back although the link is free.

mod at_arrival;
pub mod blue;
mod branches;
pub mod cake;
pub mod choke;
pub mod cobalt;
pub mod codel;
mod contract;
pub mod droptail;
pub mod drr;
pub mod dualpi2;
mod early;
mod fair;
mod fifo;
mod flows;
pub mod fq_codel;
pub mod fq_pie;
pub mod fred;
pub mod own;
pub mod pi;
pub mod pie;
pub mod policer;
mod present;
pub mod push_out;
pub mod ramp;
pub mod red;
pub mod rem;
pub mod rio;
pub mod sfb;
pub mod sfq;
pub mod strict_priority;
pub mod threshold;
mod ticks;
pub mod token_bucket;
pub mod wred;
pub mod wrr;

#[cfg(test)]
pub(crate) mod laws;

use std::fmt::Debug;

use dumbbell_core::class::TRAFFIC_CLASSES;
use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{BitRate, ClassSet, Frame, Time, VerdictSink, registry};

pub use branches::{Branch, Branches, MAX_DEPTH, check_classes, held_in_classes};
pub use contract::{Discipline, Level, Limit, Setting, Threshold, check_factors, check_steps, check_target};
pub use fifo::Fifo;

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

/// What a discipline leaves to the arrival of packets: all, or all but what stands here. A link puts off what it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Laziness {
    /// It may hold packets back though the link is free.
    pub holds_back: bool,
    /// It may drop packets on dequeue.
    pub drops_late: bool,
    /// An idle link must ask it for a packet although it has none.
    pub notices_idle: bool,
    /// It does nothing for its classes unless somebody puts packets into them: class 0 is no class among others.
    pub needs_marks: bool,
}

impl Laziness {
    /// It decides on packets when they arrive, and then alone.
    pub const FULL: Laziness =
        Laziness { holds_back: false, drops_late: false, notices_idle: false, needs_marks: false };
    /// It may drop packets on dequeue.
    pub const DROPS_LATE: Laziness = Laziness { drops_late: true, ..Laziness::FULL };
    /// An idle link must ask it for a packet although it has none.
    pub const NOTICES_IDLE: Laziness = Laziness { notices_idle: true, ..Laziness::FULL };

    /// What two disciplines leave to arrivals together.
    #[must_use]
    pub const fn and(self, other: Laziness) -> Laziness {
        Laziness {
            holds_back: self.holds_back || other.holds_back,
            drops_late: self.drops_late || other.drops_late,
            notices_idle: self.notices_idle || other.notices_idle,
            needs_marks: self.needs_marks || other.needs_marks,
        }
    }
}

/// The parameters of a discipline.
pub trait QueueParams: own::Open + Send + Sync {
    /// The discipline.
    type Machine<P: Frame>: Discipline<P> + Debug + Send + 'static
    where
        Self: Sized;

    /// An empty queue.
    fn build<P: Frame>(&self, setting: Setting) -> Self::Machine<P>
    where
        Self: Sized;

    /// What the discipline itself may hold, on a link of this bandwidth-delay product and MTU, both in bytes.
    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        let _ = (bdp, mtu);
        Limit::NONE
    }

    /// What it compares with the length of its queue, or with the wait in it, on a link of this rate.
    fn thresholds(&self, rate: BitRate) -> Vec<Threshold> {
        let _ = rate;
        Vec::new()
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

    /// What it does beside deciding on packets as they arrive.
    fn laziness(&self) -> Laziness {
        Laziness::FULL
    }

    /// True if it asks for the hosts of flows.
    fn shares_between_hosts(&self) -> bool {
        false
    }

    /// True if it may draw random numbers.
    fn draws(&self) -> bool {
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
        1 + (**self).within().iter().map(|held| held.queue.depth()).max().unwrap_or_default()
    }

    /// What it may hold with all that is within it, on a link of this bandwidth-delay product and MTU, both in bytes.
    pub fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        let within = (**self).within();
        let within = within.iter().map(|held| held.queue.limit(bdp, mtu)).reduce(|a, b| a.and(&b, mtu));
        within.unwrap_or_else(|| (**self).limit(bdp, mtu))
    }

    /// What it compares with the length of its queue, or with the wait in it, on a link of this rate. If it holds one queue, what
    /// that one does; several have lengths of their own.
    pub fn thresholds(&self, rate: BitRate) -> Vec<Threshold> {
        match (**self).within()[..] {
            [held] => held.queue.thresholds(rate),
            _ => (**self).thresholds(rate),
        }
    }

    /// How many traffic classes it tells apart: those from 0 on.
    pub fn classes(&self) -> usize {
        (**self).classes()
    }

    /// The classes that it knows; none if it does not look at them.
    pub fn known_classes(&self) -> ClassSet {
        match self.classes() {
            1 => ClassSet::EMPTY,
            n => ClassSet::first(n.min(TRAFFIC_CLASSES)),
        }
    }

    /// What it, or something within it, does beside deciding on packets as they arrive.
    pub fn laziness(&self) -> Laziness {
        let within = (**self).within();
        within.iter().map(|held| held.queue.laziness()).fold((**self).laziness(), Laziness::and)
    }

    /// True if it, or something within it, asks for the hosts of flows.
    pub fn shares_between_hosts(&self) -> bool {
        (**self).shares_between_hosts()
            || (**self).within().iter().any(|held| held.queue.shares_between_hosts())
    }

    /// True if it, or something within it, may draw random numbers.
    pub fn draws(&self) -> bool {
        (**self).draws() || (**self).within().iter().any(|held| held.queue.draws())
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
        (**self).check(mtu, at)?;
        (**self).within().iter().try_for_each(|held| held.at(at, |at| held.queue.check(mtu, at)))
    }
}

registry! {
    /// A queue discipline with its parameters.
    pub enum QueueSpec in "queue" as QueueParams {
        DropTail(droptail::Params),
        PushOut(push_out::Params),
        CoDel(codel::Params),
        Cobalt(cobalt::Params),
        Red(red::Params),
        Rio(rio::Params),
        Wred(wred::Params),
        Choke(choke::Params),
        Fred(fred::Params),
        Blue(blue::Params),
        Sfb(sfb::Params),
        Rem(rem::Params),
        Pi(pi::Params),
        Pie(pie::Params),
        DualPi2(dualpi2::Params),
        Sfq(sfq::Params),
        FqCoDel(fq_codel::Params),
        FqPie(fq_pie::Params),
        Cake(cake::Params),
        Threshold(threshold::Params),
        Ramp(ramp::Params),
        StrictPriority(strict_priority::Params),
        Drr(drr::Params),
        Wrr(wrr::Params),
        TokenBucket(token_bucket::Params),
        Policer(policer::Params),
    }

    /// Any discipline.
    #[derive(Clone, Debug)]
    pub enum AnyDiscipline [P] = Machine or own::Outside<P>, whichever!($);

    build(setting: Setting) or own => own::Outside::of(own.open(setting));
}

impl<P: Frame> Discipline<P> for AnyDiscipline<P> {
    // These three are called by a link and by a branch: the compiler would make them calls, which copy packets.
    #[inline(always)]
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        whichever!(self, q => q.enqueue(now, packet, sink));
    }
    #[inline(always)]
    fn pass_through(&mut self, now: Time, packet: &mut P, sink: &mut impl VerdictSink<P>) -> bool
    where
        P: Clone,
    {
        whichever!(self, q => q.pass_through(now, packet, sink))
    }
    #[inline(always)]
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        whichever!(self, q => q.dequeue(now, sink))
    }
    #[inline]
    fn next_size(&self) -> Option<u32> {
        whichever!(self, q => q.next_size())
    }
    #[inline]
    fn ready_at(&self) -> Time {
        whichever!(self, q => q.ready_at())
    }
    fn average(&self) -> Option<f64> {
        whichever!(self, q => q.average())
    }
    #[inline]
    fn len(&self) -> usize {
        whichever!(self, q => q.len())
    }
    #[inline]
    fn bytes(&self) -> u64 {
        whichever!(self, q => q.bytes())
    }
}
