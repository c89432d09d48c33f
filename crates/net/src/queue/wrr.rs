//! Weighted round robin: classes take turns, and a turn has as many packets as the class has weight.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::{Algorithm, Inner};
use dumbbell_core::{Frame, Time, Validate, Value, VerdictSink, config};

use super::branches::{Branches, check_classes, check_weights, held_in_classes};
use super::{Discipline, Held, QueueParams, QueueSpec, Setting};

config! {
    /// In each round a class may send as many packets as its weight, whatever their sizes. A class that has no packet when its turn
    /// comes has no other in that round. Each class has a queue, and a limit, of its own.
    pub struct Params {
        /// The queue of each class, class 0 first. Where one tells classes apart itself, the numbers go on within it.
        classes: Vec<Inner<QueueSpec>> = [Value::from("droptail"), Value::from("droptail")],
            "choice: the fewest classes";
        /// Weight of each queue in `classes`: how many packets it may send in a round.
        weights: Vec<u32> as "packets" = [], "absent: all have weight 1";
        /// Classes send one packet in turn until each has used its weight, as WIRR of ns-2's dsRED; otherwise a class sends all of its
        /// round in a row, as its WRR.
        interleaved: bool = false, "ns-2.35, diffserv/dsred.cc: WRR";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_classes(&self.classes, at)?;
        check_weights(&self.weights, self.classes.len(), at)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "wrr";
    const TITLE: &'static str =
        "Weighted round robin by packets over traffic classes, each in a queue of its own";
    const REFERENCE: &'static str =
        "Katevenis, Sidiropoulos & Courcoubetis, IEEE JSAC 9(8), 1991; ns-2.35, diffserv/dsred.cc";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Wrr<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Wrr<P> {
        Wrr::new(self, setting)
    }

    fn within(&self) -> Vec<Held<'_>> {
        held_in_classes(&self.classes)
    }
}

/// A class in the round.
#[derive(Clone, Debug)]
struct Share {
    weight: u32,
    /// Packets that it may still send in this round.
    left: u32,
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct Wrr<P: Frame> {
    branches: Branches<P>,
    shares: Vec<Share>,
    /// Position of the next branch.
    turn: usize,
    interleaved: bool,
}

impl<P: Frame> Wrr<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> Wrr<P> {
        let weight = |i| params.weights.get(i).copied().unwrap_or(1);
        let share = |i| Share { weight: weight(i), left: weight(i) };
        Wrr {
            branches: Branches::new(&params.classes, &setting),
            shares: (0..params.classes.len()).map(share).collect(),
            turn: 0,
            interleaved: params.interleaved,
        }
    }

    /// The next packet of this round.
    fn in_round(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        while let Some(i) = self.next_turn() {
            let share = &mut self.shares[i];
            let packet = self.branches.all()[i].dequeue(now, sink);
            share.left = if packet.is_some() { share.left - 1 } else { 0 };
            let goes_on = share.left > 0 && !self.interleaved;
            self.turn = if goes_on { i } else { i + 1 };
            if packet.is_some() {
                return packet;
            }
        }
        None
    }

    /// The next branch, from the one whose turn it is, that may still send in this round.
    fn next_turn(&self) -> Option<usize> {
        let count = self.shares.len();
        (0..count).map(|step| (self.turn + step) % count).find(|i| self.shares[*i].left > 0)
    }
}

impl<P: Frame> Discipline<P> for Wrr<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        let branch = self.branches.of(&packet);
        self.branches.all()[branch].enqueue(now, packet, sink);
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, sink: &mut impl VerdictSink<P>) -> Option<P> {
        if self.is_empty() {
            return None;
        }
        self.in_round(now, sink).or_else(|| {
            self.shares.iter_mut().for_each(|share| share.left = share.weight);
            self.in_round(now, sink)
        })
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
    use super::super::{AnyDiscipline, Discipline};
    use super::*;

    const LONG: &str = r#"{"kind": "droptail", "limit": "100pkt"}"#;

    fn build(parameters: &str) -> AnyDiscipline<TestFrame> {
        described(&format!(r#"{{"kind": "wrr", "classes": [{LONG}, {LONG}, {LONG}], {parameters}}}"#))
            .build(setting())
    }

    /// The classes in which so many packets leave, of which each class has 50; those of class 1 are small.
    fn order(parameters: &str, count: usize) -> Vec<u8> {
        let mut queue = build(parameters);
        let mut log = Log::default();
        for class in (0..3).cycle().take(150) {
            queue.enqueue(
                Time::ZERO,
                TestFrame::of_class(class, if class == 1 { 40 } else { 1500 }),
                &mut log,
            );
        }
        let left = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut log));
        left.map(|packet| packet.class()).take(count).collect()
    }

    #[test]
    fn a_round_has_as_many_packets_of_a_class_as_its_weight() {
        assert_eq!(order(r#""weights": [3, 1, 2]"#, 12), [0, 0, 0, 1, 2, 2, 0, 0, 0, 1, 2, 2]);
        assert_eq!(order(r#""weights": []"#, 6), [0, 1, 2, 0, 1, 2]);
    }

    #[test]
    fn interleaved_the_packets_of_a_class_are_spread_over_its_round() {
        assert_eq!(
            order(r#""weights": [3, 1, 2], "interleaved": true"#, 12),
            [0, 1, 2, 0, 2, 0, 1, 2, 0, 2, 0, 0]
        );
    }

    #[test]
    fn a_class_without_packets_gives_its_turn_away() {
        let mut queue = build(r#""weights": [2, 5, 1]"#);
        let mut log = Log::default();
        for class in [0, 0, 0, 2, 2] {
            queue.enqueue(Time::ZERO, TestFrame::of_class(class, 1500), &mut log);
        }
        let left: Vec<u8> =
            std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut log)).map(|p| p.class()).collect();
        assert_eq!(left, [0, 0, 2, 0, 2]);
    }
}
