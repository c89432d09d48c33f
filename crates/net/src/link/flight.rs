//! Packets in flight behind the transmitter: in order, or in the order that the impairments of the link give.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use dumbbell_core::{Duration, Time, memory};

use super::{Carried, LinkConfig};
use crate::impairment::{self, AnyImpairment, Impairment, Passage};
use crate::ring::Ring;

/// Packets on their way. Without impairments they keep their order and their distances.
#[derive(Clone, Debug)]
pub(super) struct Flight<P> {
    ring: Ring<P>,
    impaired: Option<Box<Impaired<P>>>,
}

/// What became of a packet that was sent off.
pub(super) enum Launched<P> {
    /// It is on its way.
    Off,
    /// It is on its way, and so are copies of it.
    Doubled(P, u32),
    /// It is lost.
    Lost(P),
}

#[derive(Clone, Debug)]
struct Impaired<P> {
    impairments: Vec<AnyImpairment>,
    heap: BinaryHeap<Reverse<Entry<P>>>,
    /// Packets that let others pass: few.
    waiting: Vec<Waiting<P>>,
    /// Packets sent off.
    sent: u64,
    /// One more than the highest place of those that reached the far end.
    out: u64,
    /// Packets that reached the far end after one that was sent off later.
    reordered: u64,
    /// Numbers what enters the heap.
    entered: u64,
}

/// A packet on its way. Of those that arrive together, overtakers come first, then the one that was sent off first.
#[derive(Clone, Debug)]
struct Entry<P> {
    at: Time,
    overtakes: bool,
    entered: u64,
    /// How many were sent off before it.
    place: u64,
    packet: P,
}

impl<P> Entry<P> {
    fn key(&self) -> (Time, bool, u64) {
        (self.at, !self.overtakes, self.entered)
    }
}

impl<P> PartialEq for Entry<P> {
    fn eq(&self, other: &Entry<P>) -> bool {
        self.key() == other.key()
    }
}

impl<P> Eq for Entry<P> {}

impl<P> PartialOrd for Entry<P> {
    fn partial_cmp(&self, other: &Entry<P>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> Ord for Entry<P> {
    fn cmp(&self, other: &Entry<P>) -> Ordering {
        self.key().cmp(&other.key())
    }
}

#[derive(Clone, Debug)]
struct Waiting<P> {
    /// When it would arrive by itself, and when it does at the latest.
    at: Time,
    until: Time,
    /// Packets that it still waits for.
    packets: u32,
    place: u64,
    packet: P,
}

impl<P: Carried> Flight<P> {
    pub fn new(config: &LinkConfig) -> Flight<P> {
        let specs = &config.direction.impairments;
        let impaired = (!specs.is_empty()).then(|| {
            Box::new(Impaired {
                impairments: impairment::build(specs, &config.streams),
                heap: BinaryHeap::new(),
                waiting: Vec::new(),
                sent: 0,
                out: 0,
                reordered: 0,
                entered: 0,
            })
        });
        Flight { ring: Ring::default(), impaired }
    }

    pub fn is_impaired(&self) -> bool {
        self.impaired.is_some()
    }

    /// Sends off a packet that left the transmitter at `now`, over a way of this delay.
    #[inline]
    pub fn launch(&mut self, now: Time, mut packet: P, delay: Duration) -> Launched<P> {
        if let Some(impaired) = &mut self.impaired {
            return impaired.launch(now, packet, delay);
        }
        packet.set_at(now + delay);
        self.ring.push(packet);
        Launched::Off
    }

    /// Lets packets go that have waited for others long enough.
    #[inline]
    pub fn settle(&mut self, now: Time) {
        if let Some(impaired) = &mut self.impaired {
            impaired.release(now, |waiting| waiting.until <= now);
        }
    }

    /// The packet that arrives first.
    #[inline]
    pub fn front(&self) -> Option<&P> {
        match &self.impaired {
            None => self.ring.front(),
            Some(impaired) => impaired.heap.peek().map(|Reverse(entry)| &entry.packet),
        }
    }

    /// Takes it to the far end.
    #[inline]
    pub fn pop(&mut self) -> Option<P> {
        match &mut self.impaired {
            None => self.ring.pop(),
            Some(impaired) => impaired.pop(),
        }
    }

    /// Takes it to be lost.
    pub fn lose(&mut self) -> Option<P> {
        match &mut self.impaired {
            None => self.ring.pop(),
            Some(impaired) => impaired.heap.pop().map(|Reverse(entry)| entry.packet),
        }
    }

    /// When there is something to do.
    #[inline]
    pub fn wake_at(&self) -> Time {
        match &self.impaired {
            None => self.ring.front().map_or(Time::NEVER, Carried::at),
            Some(impaired) => impaired.wake_at(),
        }
    }

    pub fn len(&self) -> usize {
        let impaired = self.impaired.as_ref().map_or(0, |i| i.heap.len() + i.waiting.len());
        self.ring.len() + impaired
    }

    /// All of them, in any order.
    pub fn iter(&self) -> impl Iterator<Item = &P> {
        let heap = self.impaired.iter().flat_map(|i| i.heap.iter().map(|Reverse(entry)| &entry.packet));
        let waiting = self.impaired.iter().flat_map(|i| i.waiting.iter().map(|waiting| &waiting.packet));
        self.ring.iter().chain(heap).chain(waiting)
    }

    /// Packets that reached the far end after one that was sent off later.
    pub fn reordered(&self) -> u64 {
        self.impaired.as_ref().map_or(0, |impaired| impaired.reordered)
    }
}

impl<P: Carried> Impaired<P> {
    fn launch(&mut self, now: Time, packet: P, delay: Duration) -> Launched<P> {
        let mut passage = Passage { delay, ..Passage::default() };
        for impairment in &mut self.impairments {
            impairment.impair(now, &mut passage);
        }
        if passage.lost {
            return Launched::Lost(packet);
        }
        let place = self.sent;
        self.sent += 1;
        let at = now + passage.delay;
        let copy = (passage.copies > 0).then(|| packet.clone());
        match passage.yields {
            Some(yields) => {
                let (packets, until) = (yields.packets, at + yields.longest);
                for copy in std::iter::repeat_n(&packet, passage.copies as usize) {
                    self.wait(Waiting { at, until, packets, place, packet: copy.clone() });
                }
                self.wait(Waiting { at, until, packets, place, packet });
            }
            None => {
                let first = self.first_overtaken(now, at, passage.overtakes);
                let (at, overtakes) = (first.unwrap_or(at), first.is_some());
                for copy in std::iter::repeat_n(&packet, passage.copies as usize) {
                    self.enter(at, overtakes, place, copy.clone());
                }
                self.enter(at, overtakes, place, packet);
                self.passed(now, place, at);
            }
        }
        match copy {
            Some(copy) => Launched::Doubled(copy, passage.copies),
            None => Launched::Off,
        }
    }

    /// When the first of the last `count` packets arrives that are on their way at `now` and arrive up to `at`.
    fn first_overtaken(&self, now: Time, at: Time, count: u32) -> Option<Time> {
        let last = count.checked_sub(1)? as usize;
        let before = |entry: &&Entry<P>| now < entry.at && entry.at <= at;
        let before = self.heap.iter().map(|Reverse(entry)| entry).filter(before);
        let mut keys: Vec<_> = before.map(Entry::key).collect();
        keys.sort_unstable_by(|a, b| b.cmp(a));
        keys.get(last).or(keys.last()).map(|key| key.0)
    }

    fn enter(&mut self, at: Time, overtakes: bool, place: u64, mut packet: P) {
        packet.set_at(at);
        if self.heap.len() == self.heap.capacity() {
            let (len, size) = (self.heap.len(), size_of::<Entry<P>>());
            memory::grow(len, len / 4, size, |more| self.heap.try_reserve_exact(more));
        }
        self.heap.push(Reverse(Entry { at, overtakes, entered: self.entered, place, packet }));
        self.entered += 1;
    }

    fn wait(&mut self, waiting: Waiting<P>) {
        if self.waiting.len() == self.waiting.capacity() {
            let (len, size) = (self.waiting.len(), size_of::<Waiting<P>>());
            memory::grow(len, len / 4, size, |more| self.waiting.try_reserve_exact(more));
        }
        self.waiting.push(waiting);
    }

    /// The packet of `place`, which arrives at `at`, passes those that wait.
    fn passed(&mut self, now: Time, place: u64, at: Time) {
        if self.waiting.is_empty() {
            return;
        }
        for waiting in self.waiting.iter_mut().filter(|waiting| waiting.place < place) {
            waiting.packets -= 1;
            waiting.at = waiting.at.max(at);
        }
        self.release(now, |waiting| waiting.packets == 0 || waiting.until <= now);
    }

    fn release(&mut self, now: Time, is_due: impl Fn(&Waiting<P>) -> bool) {
        let mut i = 0;
        while i < self.waiting.len() {
            if is_due(&self.waiting[i]) {
                let Waiting { at, until, place, packet, .. } = self.waiting.remove(i);
                self.enter(at.min(until).max(now), false, place, packet);
            } else {
                i += 1;
            }
        }
    }

    fn pop(&mut self) -> Option<P> {
        let Reverse(entry) = self.heap.pop()?;
        if entry.place + 1 < self.out {
            self.reordered += 1;
        }
        self.out = self.out.max(entry.place + 1);
        Some(entry.packet)
    }

    fn wake_at(&self) -> Time {
        let first = self.heap.peek().map_or(Time::NEVER, |Reverse(entry)| entry.at);
        self.waiting.iter().map(|waiting| waiting.until).min().map_or(first, |until| until.min(first))
    }
}
