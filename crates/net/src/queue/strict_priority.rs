//! Strict priority: a class is served when those before it have nothing to send.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::{Algorithm, Inner};
use dumbbell_core::{BitRate, Bytes, Frame, Time, Validate, Value, VerdictSink, config, words};

use super::branches::{Branches, check_classes, held_in_classes};
use super::{Discipline, Held, QueueParams, QueueSpec, Setting};
use crate::token_bucket::{TokenBucket, check_burst};

words! {
    /// The class that is served first.
    pub enum First { Lowest = "lowest", Highest = "highest" }
}

config! {
    /// Serves the first class that has a packet waiting; the packet in transmission is not interrupted. Each class has a queue,
    /// and a limit, of its own.
    pub struct Params {
        /// The queue of each class, class 0 first. Where one tells classes apart itself, the numbers go on within it.
        classes: Vec<Inner<QueueSpec>> = [Value::from("droptail"), Value::from("droptail")],
            "choice: the fewest classes";
        /// `lowest`: class 0 comes first. `highest`: the last class does, as with the class selectors of real packets
        /// (RFC 2474 section 4.2.2.2).
        first: First = "lowest", "Linux tc-prio(8): band 0 is served first";
        /// Rates above which a queue in `classes` has no priority: it is served when no queue within its own rate has a packet. A
        /// `token-bucket-filter` among the `classes` holds packets back instead.
        caps: Vec<Cap> = [], "choice: none";
    }
}

config! {
    /// The rate up to which a queue has its priority.
    pub struct Cap {
        /// The position of the queue in `classes`, from 0.
        queue: u32 as "position";
        /// Bytes served with priority in the long run, headers included, in bits a second.
        rate: BitRate;
        /// Bytes served with priority at once.
        burst: Bytes = "10kB", "choice: six full packets";
    }
}

impl Validate for Cap {}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_classes(&self.classes, at)?;
        let caps = at.key("caps");
        for (i, cap) in self.caps.iter().enumerate() {
            let place = caps.index(i);
            let place = place.key("queue");
            if cap.queue as usize >= self.classes.len() {
                let message = format!("there is no queue {}", cap.queue);
                let last = self.classes.len() - 1;
                return Err(place.error(message, format!("give its position in `classes`, from 0 to {last}")));
            }
            if self.caps[..i].iter().any(|before| before.queue == cap.queue) {
                let message = format!("queue {} has a cap already", cap.queue);
                return Err(place.error(message, "give each queue one"));
            }
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "strict-priority";
    const TITLE: &'static str = "Strict priority over traffic classes, each in a queue of its own";
    const REFERENCE: &'static str = "Cobham, Operations Research 2(1), 1954; Linux tc-prio(8)";
}

impl QueueParams for Params {
    type Machine<P: Frame> = StrictPriority<P>;

    fn build<P: Frame>(&self, setting: Setting) -> StrictPriority<P> {
        StrictPriority::new(self, setting)
    }

    fn within(&self) -> Vec<Held<'_>> {
        held_in_classes(&self.classes)
    }

    fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
        let place = at.key("caps");
        let mut caps = self.caps.iter().enumerate();
        caps.try_for_each(|(i, cap)| check_burst(cap.burst, mtu, "burst", &place.index(i)))
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct StrictPriority<P: Frame> {
    branches: Branches<P>,
    highest_first: bool,
    /// For each branch, if any has a cap.
    caps: Vec<Option<TokenBucket>>,
}

impl<P: Frame> StrictPriority<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> StrictPriority<P> {
        let branches = Branches::new(&params.classes, &setting);
        let mut caps = Vec::new();
        if !params.caps.is_empty() {
            caps.resize(params.classes.len(), None);
        }
        for cap in &params.caps {
            caps[cap.queue as usize] = Some(TokenBucket::new(cap.rate, cap.burst));
        }
        StrictPriority { branches, highest_first: params.first == First::Highest, caps }
    }

    /// The next packet where queues have caps: of the first queue within its own, or else of the first.
    #[cold]
    #[inline(never)]
    fn dequeue_capped(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        let branches = self.branches.all();
        let count = branches.len();
        let mut beyond = None;
        for place in 0..count {
            let i = if self.highest_first { count - 1 - place } else { place };
            let Some(size) = branches[i].look(now, sink) else { continue };
            if self.caps[i].as_mut().is_none_or(|bucket| bucket.take(now, size)) {
                return branches[i].dequeue(now, sink);
            }
            beyond = beyond.or(Some(i));
        }
        // ns-2.35, diffserv/dsred.cc: the link does not idle for a cap.
        branches[beyond?].dequeue(now, sink)
    }
}

impl<P: Frame> Discipline<P> for StrictPriority<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        let branch = self.branches.of(&packet);
        self.branches.all()[branch].enqueue(now, packet, sink);
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        if !self.caps.is_empty() {
            return self.dequeue_capped(now, sink);
        }
        let branches = self.branches.all();
        if self.highest_first {
            branches.iter_mut().rev().find_map(|branch| branch.dequeue(now, sink))
        } else {
            branches.iter_mut().find_map(|branch| branch.dequeue(now, sink))
        }
    }

    #[inline(never)]
    fn next_size(&self) -> Option<u32> {
        if !self.caps.is_empty() {
            return None;
        }
        let waits = |branch: &&super::branches::Branch<P>| !branch.is_empty();
        let first = if self.highest_first {
            self.branches.iter().rev().find(waits)
        } else {
            self.branches.iter().find(waits)
        };
        first?.next_size()
    }

    #[inline(never)]
    fn len(&self) -> usize {
        self.branches.len()
    }

    #[inline(never)]
    fn bytes(&self) -> u64 {
        self.branches.bytes()
    }

    #[inline(never)]
    fn ready_at(&self) -> Time {
        self.branches.ready_at()
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Duration;

    use super::super::laws::{Log, TestFrame, described, setting};
    use super::*;

    /// The classes in which packets of 1500 bytes leave, of which each class has two.
    fn order(spec: &str, classes: u8) -> Vec<u8> {
        let mut queue = described(spec).build(setting());
        let mut log = Log::default();
        for class in (0..classes).chain(0..classes) {
            queue.enqueue(Time::ZERO, TestFrame::of_class(class, 1500), &mut log);
        }
        let left = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut log));
        left.map(|packet| packet.class()).collect()
    }

    #[test]
    fn classes_are_served_one_after_the_other() {
        let three = r#"{"kind": "strict-priority", "classes": ["droptail", "droptail", "droptail"]}"#;
        assert_eq!(order(three, 3), [0, 0, 1, 1, 2, 2]);
        let highest = three.replace("]}", r#"], "first": "highest"}"#);
        assert_eq!(order(&highest, 3), [2, 2, 1, 1, 0, 0]);
    }

    #[test]
    fn classes_are_numbered_on_within_nested_queues() {
        let nested = r#"{"kind": "strict-priority", "classes": ["droptail", "drr", "droptail"]}"#;
        assert_eq!(described(nested).classes(), 4);
        assert_eq!(order(nested, 4), [0, 0, 1, 2, 1, 2, 3, 3]);
    }

    #[test]
    fn a_class_that_is_not_known_is_the_default_class() {
        assert_eq!(order(r#""strict-priority""#, 3), [0, 2, 0, 2, 1, 1]);
    }

    #[test]
    fn a_class_above_its_cap_is_served_after_the_others() {
        // A packet of 1500 bytes each millisecond is served, 12 Mbit/s; the first class has 3 Mbit/s of it with priority.
        let droptail = r#"{"kind": "droptail", "limit": "unlimited"}"#;
        let spec = format!(
            r#"{{"kind": "strict-priority", "classes": [{droptail}, {droptail}], "caps": [{{"queue": 0, "rate": "3Mbit/s", "burst": "3000B"}}]}}"#
        );
        let mut queue = described(&spec).build(setting());
        let mut log = Log::default();
        let mut serve = |classes: &[u8], rounds: std::ops::Range<u64>| {
            let mut sent = [0; 2];
            for t in rounds {
                let now = Time::ZERO + Duration::from_millis(t);
                for class in classes {
                    queue.enqueue(now, TestFrame::of_class(*class, 1500), &mut log);
                }
                sent[usize::from(queue.dequeue(now, &mut log).unwrap().class())] += 1;
            }
            sent
        };
        // The burst is two packets, and then every fourth.
        let sent: [u64; 2] = serve(&[0, 1], 0..1000);
        assert!(sent[0].abs_diff(251) <= 1 && sent[1] == 1000 - sent[0], "{sent:?}");
        // Once nothing else waits, what is above the cap is served too: 749 of class 0 and 251 of class 1 are left.
        let sent = serve(&[], 1000..2000);
        assert_eq!(sent[0] + sent[1], 1000);
        assert!(log.dropped.is_empty());
    }
}
