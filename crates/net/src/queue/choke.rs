//! CHOKe: an arrival that meets a packet of its own flow in the queue goes, and takes that packet with it.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{
    BitRate, DropReason, Frame, MarkReason, Probability, QueueLimit, Time, Validate, VerdictSink, config,
};
use rand::RngExt;

use super::early::{Average, Common, Law, Verdict, check_thresholds, is_in_bytes, resolve};
use super::{Discipline, Fifo, Level, Limit, QueueParams, Setting, Threshold};

config! {
    /// Random early detection that holds back flows which do not slow down, without a state for any flow. Once the average length of the queue
    /// is above `min_threshold`, an arrival is compared with a packet drawn at random from the queue. If both are of one flow, both are
    /// dropped. What is left is decided as under `red`.
    pub struct Params {
        /// Average below which nothing is compared or dropped.
        min_threshold: QueueLimit = "100pkt", "Pan, Prabhakar & Psounis, INFOCOM 2000, section 3";
        /// Average from which everything is dropped.
        max_threshold: QueueLimit = "200pkt", "Pan, Prabhakar & Psounis, INFOCOM 2000, section 3";
        /// Probability just below `max_threshold`.
        max_probability: Probability = 0.02, "Floyd & Jacobson 1993, section 5";
        /// Packets that an arrival is compared with. Each of its own flow is dropped; the arrival goes with the first.
        candidates: u32 as "packets" = 1, "Pan, Prabhakar & Psounis, INFOCOM 2000, section 2";
        ..common: Common {
            limit = "300pkt", "Pan, Prabhakar & Psounis, INFOCOM 2000, section 3";
            weight = (), "absent: 0.002 (Floyd & Jacobson 1993, section 5)";
            gentle = (), "absent: no (Floyd & Jacobson 1993, figure 2)";
        }
    }
}

/// Candidates at most: each costs a draw.
const MOST_CANDIDATES: u32 = 100;

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(1..=MOST_CANDIDATES).contains(&self.candidates) {
            let message = format!("{} is out of range", self.candidates);
            let remedy = format!("give 1 to {MOST_CANDIDATES}; without any, take the queue `red`");
            return Err(at.key("candidates").error(message, remedy));
        }
        check_thresholds(self.min_threshold, self.max_threshold, at)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "choke";
    const TITLE: &'static str = "RED that also drops arrivals which meet a packet of their own flow";
    const REFERENCE: &'static str = "Pan, Prabhakar & Psounis, CHOKe, INFOCOM 2000";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Choke<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Choke<P> {
        Choke::new(self, setting)
    }

    fn draws(&self) -> bool {
        true
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.common.limit, bdp, mtu)
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<Threshold> {
        let at = |name, length| Threshold::new(name, Level::Length(length));
        vec![at("min_threshold", self.min_threshold), at("max_threshold", self.max_threshold)]
    }
}

/// What decides on packets.
#[derive(Clone, Debug)]
struct Control {
    average: Average,
    law: Law,
    candidates: u32,
    limit: Limit,
    limit_first: bool,
    ecn: bool,
    ecn_above_max: bool,
    rng: Stream,
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct Choke<P> {
    waiting: Fifo<P>,
    /// In a box: a link has room for any discipline.
    control: Box<Control>,
}

impl<P: Frame> Choke<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> Choke<P> {
        let [min, max] =
            [params.min_threshold, params.max_threshold].map(|threshold| resolve(threshold, &setting));
        let thresholds = [[min, max, params.max_probability.get()]];
        let form = params.common.form(&thresholds, is_in_bytes(params.min_threshold), false, &setting);
        let [law] = <[Law; 1]>::try_from(form.laws).expect("one class");
        let control = Control {
            average: form.average,
            law,
            candidates: params.candidates,
            limit: form.limit,
            limit_first: form.limit_first,
            ecn: form.ecn,
            ecn_above_max: form.ecn_above_max,
            rng: setting.rng(),
        };
        Choke { waiting: Fifo::default(), control: Box::new(control) }
    }

    /// Draws packets and drops those of the flow; true if there was one.
    fn meets_its_own(&mut self, now: Time, flow: u64, sink: &mut impl VerdictSink<P>) -> bool {
        let mut met = false;
        for _ in 0..self.control.candidates {
            if self.waiting.is_empty() {
                break;
            }
            let drawn = self.control.rng.random_range(0..self.waiting.len());
            if self.waiting.get(drawn).is_some_and(|packet| packet.flow_hash() == flow) {
                let packet = self.waiting.remove(drawn).expect("it was there");
                self.control.average.dropped(now, packet.size());
                sink.dropped(packet, DropReason::Law);
                met = true;
            }
        }
        met
    }
}

impl<P: Frame> Discipline<P> for Choke<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, mut packet: P, sink: &mut impl VerdictSink<P>) {
        let (control, size) = (&mut *self.control, packet.size());
        let fits = control.limit.admits(self.waiting.len() as u64, self.waiting.bytes(), size);
        if !fits && control.limit_first {
            return sink.dropped(packet, DropReason::Overflow);
        }
        control.average.arrived(now);
        let (average, packets) = (control.average.value(), control.average.packets());
        if average > control.law.min && self.meets_its_own(now, packet.flow_hash(), sink) {
            self.control.law.restart();
            return sink.dropped(packet, DropReason::Law);
        }
        let control = &mut *self.control;
        let verdict = control.law.decide(average, packets, size, &mut control.rng);
        let may_mark = if verdict == Verdict::Forced { control.ecn_above_max } else { control.ecn };
        let marks = verdict != Verdict::Pass && may_mark && packet.ecn().is_capable();
        if verdict != Verdict::Pass && !marks {
            return sink.dropped(packet, DropReason::Law);
        }
        if !fits {
            control.law.restart();
            return sink.dropped(packet, DropReason::Overflow);
        }
        if marks {
            sink.mark(&mut packet, MarkReason::Law);
        }
        control.average.entered(size);
        self.waiting.push(now, packet);
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, _sink: &mut impl VerdictSink<P>) -> Option<P> {
        let (_, packet) = self.waiting.pop()?;
        self.control.average.left(now, packet.size());
        Some(packet)
    }

    fn average(&self) -> Option<f64> {
        self.control.average.largest()
    }

    #[inline]
    fn len(&self) -> usize {
        self.waiting.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::{Log, TestFrame, described, setting};
    use super::*;

    /// Packets of the flows, numbered in the order of arrival, sent at once to a queue that compares from two packets on and does nothing
    /// else; returns the numbers of those dropped.
    fn dropped(flows: &[u64], more: &str) -> Vec<u64> {
        let text = format!(
            r#"{{"kind": "choke", "weight": 1.0, "min_threshold": "1pkt", "max_threshold": "90pkt", "max_probability": 0.0{more}}}"#
        );
        let mut queue = described(&text).build(setting());
        let mut log = Log::default();
        for (i, flow) in (0..).zip(flows) {
            queue.enqueue(Time::ZERO, TestFrame::new(1000, true).numbered(7 * i + flow), &mut log);
        }
        assert_eq!(log.marked, 0);
        log.dropped.iter().map(|packet| packet.id / 7).collect()
    }

    #[test]
    fn an_arrival_goes_with_the_packet_of_its_flow_that_it_meets() {
        // Of one flow, the third packet finds two and takes one of them with it; the fourth finds one, which is not above the threshold.
        let gone = dropped(&[1, 1, 1], "");
        assert!(gone == [0, 2] || gone == [1, 2], "{gone:?}");
        assert_eq!(dropped(&[1, 1, 1, 1], "").len(), 2);
        // Packets of other flows never go.
        assert_eq!(dropped(&[1, 1, 1, 2, 3, 4], "").len(), 2);
        assert_eq!(dropped(&[1, 2, 3, 4, 5, 6], ""), Vec::<u64>::new());
    }

    #[test]
    fn below_the_threshold_nothing_is_compared() {
        let text = r#"{"kind": "choke", "weight": 1.0}"#;
        let mut queue = described(text).build(setting());
        let mut log = Log::default();
        (0..101)
            .for_each(|i| queue.enqueue(Time::ZERO, TestFrame::new(1000, true).numbered(7 * i), &mut log));
        assert_eq!(log.dropped.len(), 0);
        queue.enqueue(Time::ZERO, TestFrame::new(1000, true).numbered(7 * 101), &mut log);
        assert_eq!((log.dropped.len(), queue.len()), (2, 100));
    }

    #[test]
    fn any_packet_of_the_queue_may_be_met() {
        // A packet of flow 1 stands at one of ten places; one arrival of its flow in ten meets it, wherever it stands.
        for place in [0, 5, 9] {
            let mut met = 0;
            for seed in 0..2000 {
                let streams = dumbbell_core::rng::Streams::new(seed, "choke");
                let setting = Setting { streams, ..setting() };
                let text =
                    r#"{"kind": "choke", "weight": 1.0, "min_threshold": "9pkt", "max_probability": 0.0}"#;
                let mut queue = described(text).build(setting);
                let mut log = Log::default();
                for i in 0..11_u64 {
                    let flow = if i == place || i == 10 { 1 } else { 2 + i % 5 };
                    queue.enqueue(Time::ZERO, TestFrame::new(1000, false).numbered(7 * i + flow), &mut log);
                }
                met += log.dropped.len() / 2;
            }
            // 200 with a standard deviation of 13.
            assert!((150..=250).contains(&met), "place {place}: {met}");
        }
    }

    #[test]
    fn with_more_candidates_more_of_the_flow_go() {
        // The third of every three finds two, and takes both with it; with one candidate it takes one.
        assert_eq!(dropped(&[1; 12], r#", "candidates": 5"#).len(), 12);
        assert_eq!(dropped(&[1; 12], "").len(), 10);
    }
}
