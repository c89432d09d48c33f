//! Strict priority: a class is served when those before it have nothing to send.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::{Algorithm, Inner};
use dumbbell_core::{Frame, Time, Validate, Value, VerdictSink, config, words};

use super::branches::{Branches, check_classes, held_in_classes};
use super::{Discipline, Held, QueueParams, QueueSpec, Setting};

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
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_classes(&self.classes, at)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "strict-priority";
    const TITLE: &'static str = "Strict priority over traffic classes, each in a queue of its own";
    const REFERENCE: &'static str = "Cobham, Operations Research 2(1), 1954; Linux tc-prio(8)";
}

impl QueueParams for Params {
    fn within(&self) -> Vec<Held<'_>> {
        held_in_classes(&self.classes)
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct StrictPriority<P> {
    branches: Branches<P>,
    highest_first: bool,
}

impl<P: Frame> StrictPriority<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> StrictPriority<P> {
        let branches = Branches::new(&params.classes, &setting);
        StrictPriority { branches, highest_first: params.first == First::Highest }
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
        let branches = self.branches.all();
        if self.highest_first {
            branches.iter_mut().rev().find_map(|branch| branch.dequeue(now, sink))
        } else {
            branches.iter_mut().find_map(|branch| branch.dequeue(now, sink))
        }
    }

    #[inline(never)]
    fn next_size(&self) -> Option<u32> {
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
    fn numbers_of_classes_go_on_within_a_queue_that_tells_them_apart() {
        let nested = r#"{"kind": "strict-priority", "classes": ["droptail", "drr", "droptail"]}"#;
        assert_eq!(described(nested).classes(), 4);
        assert_eq!(order(nested, 4), [0, 0, 1, 2, 1, 2, 3, 3]);
    }

    #[test]
    fn a_class_that_is_not_known_is_the_default_class() {
        assert_eq!(order(r#""strict-priority""#, 3), [0, 2, 0, 2, 1, 1]);
    }
}
