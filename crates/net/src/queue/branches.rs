//! What a discipline holds that holds disciplines: its branches, and which traffic classes go into which.

use dumbbell_core::class::TRAFFIC_CLASSES;
use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Inner;
use dumbbell_core::{Frame, Time, VerdictSink};

use super::{AnyDiscipline, Discipline, Held, QueueSpec, Setting};

/// The largest weight: twelve seconds of full packets at 1 Gbit/s in one turn.
const MAX_WEIGHT: u32 = 1_000_000;

/// Disciplines within one another at most, the outermost counted.
pub const MAX_DEPTH: usize = 3;

/// A discipline within another, whose next packet can be looked at.
#[derive(Clone, Debug)]
pub struct Branch<P: Frame> {
    queue: AnyDiscipline<P>,
    /// What the queue has given up to be looked at.
    next: Option<P>,
}

impl<P: Frame> Branch<P> {
    /// An empty queue of the discipline.
    pub fn new(spec: &QueueSpec, setting: Setting) -> Branch<P> {
        Branch { queue: spec.build(setting), next: None }
    }

    /// Takes in a packet or gives it (or others) up.
    #[inline(never)]
    pub fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        self.queue.enqueue(now, packet, sink);
    }

    /// The packet that was looked at, or the next.
    #[inline(never)]
    pub fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        match self.next.take() {
            None => self.queue.dequeue(now, sink),
            looked_at => looked_at,
        }
    }

    /// Bytes of the packet that `dequeue` gives next; `None` if it gives none at `now`.
    ///
    /// A discipline that does not know its next packet before it decides on it (CoDel) decides now, as under
    /// `qdisc_peek_dequeued` of Linux.
    pub fn look(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<u32> {
        self.next_size().or_else(|| {
            self.next = self.queue.dequeue(now, sink);
            self.next.as_ref().map(Frame::size)
        })
    }

    /// Bytes of the packet that `dequeue` gives next, if that is known.
    #[inline]
    pub fn next_size(&self) -> Option<u32> {
        self.next.as_ref().map(Frame::size).or_else(|| self.queue.next_size())
    }

    /// Packets waiting.
    #[inline]
    pub fn len(&self) -> usize {
        self.queue.len() + usize::from(self.next.is_some())
    }

    /// True if nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.next.is_none() && self.queue.is_empty()
    }

    /// Bytes waiting.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.queue.bytes() + self.next.as_ref().map_or(0, |packet| packet.size().into())
    }

    /// See [`Discipline::ready_at`].
    pub fn ready_at(&self) -> Time {
        if self.is_empty() { Time::NEVER } else { self.queue.ready_at() }
    }
}

/// The branches of a discipline, one for each class or, where a branch tells classes apart itself, for some in a row.
#[derive(Clone, Debug)]
pub struct Branches<P: Frame> {
    all: Vec<Branch<P>>,
    of_class: [u8; TRAFFIC_CLASSES],
}

impl<P: Frame> Branches<P> {
    /// Empty queues of these disciplines, within the one that has the setting.
    pub fn new(specs: &[Inner<QueueSpec>], setting: &Setting) -> Branches<P> {
        let mut all = Vec::new();
        // RFC 2474 section 3: a packet of a class that is not known goes where those of the default class go.
        let mut of_class = [0; TRAFFIC_CLASSES];
        let mut class = setting.first_class;
        for (i, spec) in specs.iter().enumerate() {
            all.push(Branch::new(spec, setting.within(i, class)));
            let next = class + spec.classes();
            of_class[class.min(TRAFFIC_CLASSES)..next.min(TRAFFIC_CLASSES)].fill(i as u8);
            class = next;
        }
        Branches { all, of_class }
    }

    /// The branch for packets of the class of this one, by its position.
    #[inline]
    pub fn of(&self, packet: &P) -> usize {
        usize::from(self.of_class[usize::from(packet.class()) % TRAFFIC_CLASSES])
    }

    /// All branches, that of the first class first.
    #[inline]
    pub fn all(&mut self) -> &mut [Branch<P>] {
        &mut self.all
    }

    /// The same, to be read.
    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, Branch<P>> {
        self.all.iter()
    }

    /// Packets waiting.
    #[inline]
    pub fn len(&self) -> usize {
        self.iter().map(Branch::len).sum()
    }

    /// True if nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.iter().all(Branch::is_empty)
    }

    /// Bytes waiting.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.iter().map(Branch::bytes).sum()
    }

    /// See [`Discipline::ready_at`].
    pub fn ready_at(&self) -> Time {
        self.iter().map(Branch::ready_at).min().unwrap_or(Time::NEVER)
    }
}

/// What stands under the key `classes`.
pub fn held_in_classes(classes: &[Inner<QueueSpec>]) -> Vec<Held<'_>> {
    let held = |(i, queue)| Held { key: "classes", index: Some(i), queue };
    classes.iter().map(|class| &**class).enumerate().map(held).collect()
}

/// Checks the list under the key `classes` of the discipline at `at`.
///
/// # Errors
/// None, or more classes than there are.
pub fn check_classes(classes: &[Inner<QueueSpec>], at: &At<'_>) -> Result<(), ConfigError> {
    let place = at.key("classes");
    if classes.is_empty() {
        return Err(place.error("there is no class", "list a queue for each class, class 0 first"));
    }
    match classes.iter().map(|queue| queue.classes()).sum::<usize>() {
        n if n > TRAFFIC_CLASSES => {
            Err(place
                .error(format!("{n} classes are above the limit of {TRAFFIC_CLASSES}"), "list fewer queues"))
        }
        _ => Ok(()),
    }
}

/// Checks the list under the key `weights` of the discipline at `at`, which has so many `queues`.
///
/// # Errors
/// Some queues have a weight and some have none, or one is out of range.
pub fn check_weights(weights: &[u32], queues: usize, at: &At<'_>) -> Result<(), ConfigError> {
    let place = at.key("weights");
    if !weights.is_empty() && weights.len() != queues {
        let message = format!("{} weights for {queues} queues", weights.len());
        return Err(place.error(message, "give one for each, or none"));
    }
    match weights.iter().position(|w| !(1..=MAX_WEIGHT).contains(w)) {
        Some(i) => Err(place.index(i).error(
            format!("{} is not a weight", weights[i]),
            format!("give a whole number from 1 to {MAX_WEIGHT}"),
        )),
        None => Ok(()),
    }
}
