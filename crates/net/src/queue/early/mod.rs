//! Random early detection: what its forms (`red.rs`, `rio.rs`, `wred.rs`) have in common.
//!
//! Packets wait in one queue, first in, first out. Each class has thresholds, and looks at an average. The forms differ in whose
//! packets an average counts.

mod average;
mod description;
mod law;

use dumbbell_core::rng::Stream;
use dumbbell_core::{DropReason, Duration, Frame, MarkReason, Time, VerdictSink, words};

pub use average::Average;
pub use description::{
    Common, Thresholds, check_classes, check_thresholds, is_in_bytes, of_classes, resolve, thresholds,
};
pub use law::{Law, Spacing, Verdict};

use super::{Discipline, Fifo, Limit, Setting};

/// Whose packets the averages count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// One average, of all packets.
    All,
    /// One for each class, of its own packets and of those of the classes before it.
    UpTo,
    /// One for each class, of its own packets.
    Own,
}

words! {
    /// Which classes count anew from a drop.
    pub enum Resets {
        /// The class of the packet dropped.
        Own = "own",
        /// That, and those that are less protected.
        Less = "less-protected",
    }
}

/// What a form of random early detection is made of.
#[derive(Clone, Debug)]
pub struct Form {
    /// One for each class.
    pub laws: Vec<Law>,
    pub counted: Counted,
    /// The averages at the start.
    pub average: Average,
    pub resets: Resets,
    /// Adapts the first law.
    pub adaptation: Option<Adaptation>,
    /// What else was said.
    pub limit: Limit,
    pub limit_first: bool,
    pub ecn: bool,
    pub ecn_above_max: bool,
}

/// Moves the probability of a law so that the average stays within a band (Floyd, Gummadi & Shenker 2001, section 4).
#[derive(Clone, Debug)]
pub struct Adaptation {
    pub interval: Duration,
    /// The averages within which nothing changes.
    pub band: [f64; 2],
    /// What is added above the band at most; never more than a quarter of the probability.
    pub increment: f64,
    /// Factor below the band.
    pub decrease: f64,
    /// The least and the largest probability.
    pub range: [f64; 2],
    /// When the probability may change next.
    pub due: Time,
}

impl Adaptation {
    #[inline]
    fn adapt(&mut self, now: Time, average: f64, law: &mut Law) {
        if now < self.due {
            return;
        }
        self.due = now + self.interval;
        let p = &mut law.max_probability;
        if average > self.band[1] && *p < self.range[1] {
            *p = (*p + self.increment.min(*p / 4.0)).min(self.range[1]);
        } else if average < self.band[0] && *p > self.range[0] {
            *p = (*p * self.decrease).max(self.range[0]);
        }
    }
}

/// What decides on packets.
#[derive(Clone, Debug)]
struct Control {
    form: Form,
    averages: Vec<Average>,
    first_class: usize,
    rng: Stream,
    /// One law that does not adapt, and one average.
    single: bool,
}

impl Control {
    /// The class of a packet among those that have thresholds. RFC 2474 section 3: one that is not known is the default class.
    #[inline]
    fn class(&self, packet: &impl Frame) -> usize {
        let class = usize::from(packet.class()).checked_sub(self.first_class);
        class.filter(|class| *class < self.form.laws.len()).unwrap_or_default()
    }

    /// The averages that count packets of the class. The first of them is the one that the class looks at.
    #[inline]
    fn averages(&mut self, class: usize) -> &mut [Average] {
        match self.form.counted {
            Counted::All => &mut self.averages,
            Counted::UpTo => &mut self.averages[class..],
            Counted::Own => &mut self.averages[class..=class],
        }
    }

    /// A packet of `size` bytes finds nothing waiting and need not wait either. True if its average is below what the law looks at:
    /// then it has come and gone. False if there is more to it, and nothing has changed.
    #[inline(always)]
    fn passes(&mut self, now: Time, size: u32) -> bool {
        let Control { form, averages, .. } = self;
        let (Some(law), Some(average)) = (form.laws.first_mut(), averages.first_mut()) else { return false };
        if !self.single || average.value() >= law.min {
            return false;
        }
        // An idle time only lowers the average.
        average.arrived(now);
        average.passed(now, size);
        law.rests();
        true
    }

    fn arrived(&mut self, now: Time, class: usize, size: u32) -> Verdict {
        let averages = self.averages(class);
        averages.iter_mut().for_each(|average| average.arrived(now));
        let (average, waiting) = (averages[0].value(), averages[0].packets());
        let law = &mut self.form.laws[class];
        if let Some(adaptation) = &mut self.form.adaptation {
            adaptation.adapt(now, average, law);
        }
        let verdict = law.decide(average, waiting, size, &mut self.rng);
        if verdict != Verdict::Pass && self.form.resets == Resets::Less {
            self.form.laws[class + 1..].iter_mut().for_each(Law::restart);
        }
        verdict
    }

    /// Decides on a packet that fits, or does not: why it is dropped, if it is. It may be marked. What stays counts in the
    /// averages.
    #[inline(always)]
    fn decide<P: Frame>(
        &mut self,
        now: Time,
        packet: &mut P,
        fits: bool,
        sink: &mut impl VerdictSink<P>,
    ) -> Option<DropReason> {
        if !fits && self.form.limit_first {
            return Some(DropReason::Overflow);
        }
        let (class, size) = (self.class(packet), packet.size());
        let verdict = self.arrived(now, class, size);
        let marks = verdict != Verdict::Pass && self.may_mark(packet, verdict);
        if verdict != Verdict::Pass && !marks {
            return Some(DropReason::Law);
        }
        if !fits {
            self.form.laws[class].restart();
            return Some(DropReason::Overflow);
        }
        if marks {
            sink.mark(packet, MarkReason::Law);
        }
        self.averages(class).iter_mut().for_each(|average| average.entered(size));
        None
    }

    /// A packet has left the queue.
    #[inline(always)]
    fn left(&mut self, now: Time, packet: &impl Frame) {
        let class = self.class(packet);
        self.averages(class).iter_mut().for_each(|average| average.left(now, packet.size()));
    }

    fn may_mark(&self, packet: &impl Frame, verdict: Verdict) -> bool {
        let marks = if verdict == Verdict::Forced { self.form.ecn_above_max } else { self.form.ecn };
        marks && packet.ecn().is_capable()
    }
}

/// A queue under random early detection.
#[derive(Clone, Debug)]
pub struct Early<P> {
    waiting: Fifo<P>,
    /// In a box: a link has room for any discipline.
    control: Box<Control>,
}

/// The parameters of a form of random early detection.
pub trait Describes {
    /// What they say for a link.
    fn form(&self, setting: &Setting) -> Form;
}

impl<P: Frame> Early<P> {
    /// An empty queue.
    pub fn new(params: &impl Describes, setting: Setting) -> Early<P> {
        let form = params.form(&setting);
        let count = if form.counted == Counted::All { 1 } else { form.laws.len() };
        let averages = vec![form.average.clone(); count];
        let (first_class, rng) = (setting.first_class, setting.rng());
        let single = count == 1 && form.laws.len() == 1 && form.adaptation.is_none();
        let control = Control { form, averages, first_class, rng, single };
        Early { waiting: Fifo::default(), control: Box::new(control) }
    }
}

impl<P: Frame> Early<P> {
    /// What [`Discipline::pass_through`] does where the law has a say.
    #[inline(never)]
    fn pass_judged(&mut self, now: Time, packet: &mut P, fits: bool, sink: &mut impl VerdictSink<P>) -> bool
    where
        P: Clone,
    {
        let reason = self.control.decide(now, packet, fits, sink);
        match reason {
            None => self.control.left(now, packet),
            Some(reason) => sink.dropped(packet.clone(), reason),
        }
        reason.is_none()
    }
}

impl<P: Frame> Discipline<P> for Early<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, mut packet: P, sink: &mut impl VerdictSink<P>) {
        let (packets, bytes) = (self.waiting.len() as u64, self.waiting.bytes());
        let fits = self.control.form.limit.admits(packets, bytes, packet.size());
        match self.control.decide(now, &mut packet, fits, sink) {
            None => self.waiting.push(now, packet),
            Some(reason) => sink.dropped(packet, reason),
        }
    }

    #[inline(never)]
    fn pass_through(&mut self, now: Time, packet: &mut P, sink: &mut impl VerdictSink<P>) -> bool
    where
        P: Clone,
    {
        let fits = self.control.form.limit.admits(0, 0, packet.size());
        if fits && self.control.passes(now, packet.size()) {
            return true;
        }
        self.pass_judged(now, packet, fits, sink)
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, _sink: &mut impl VerdictSink<P>) -> Option<P> {
        self.control.left(now, self.waiting.front()?);
        self.waiting.pop().map(|(_, packet)| packet)
    }

    #[inline]
    fn next_size(&self) -> Option<u32> {
        self.waiting.front().map(Frame::size)
    }

    fn average(&self) -> Option<f64> {
        self.control.averages.last().and_then(Average::largest)
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
    use dumbbell_core::BitRate;

    use super::super::laws::{Log, TestFrame, described, setting};
    use super::super::{AnyDiscipline, red};
    use super::*;

    fn build(text: &str) -> Early<TestFrame> {
        match described(text).build(setting()) {
            AnyDiscipline::Red(q) | AnyDiscipline::Rio(q) | AnyDiscipline::Wred(q) => q,
            other => panic!("{other:?}"),
        }
    }

    /// Sends so many packets of the class at once; returns how many are dropped.
    fn send(queue: &mut Early<TestFrame>, class: u8, packets: usize) -> usize {
        let mut log = Log::default();
        for _ in 0..packets {
            queue.enqueue(Time::ZERO, TestFrame::of_class(class, 1000), &mut log);
        }
        log.dropped.len()
    }

    fn averages(queue: &Early<TestFrame>) -> Vec<f64> {
        queue.control.averages.iter().map(Average::value).collect()
    }

    /// Averages that are the present lengths, so that lengths can be compared with thresholds.
    const PRESENT: &str = r#""weight": 1.0, "limit": "1000pkt""#;

    #[test]
    fn coupled_averages_count_what_is_protected_better() {
        let text = format!(
            r#"{{"kind": "rio", {PRESENT}, "classes": [
            {{"min_threshold": "90pkt", "max_threshold": "99pkt", "max_probability": 0.1}},
            {{"min_threshold": "90pkt", "max_threshold": "99pkt", "max_probability": 0.1}}]}}"#
        );
        // Only unprotected traffic: nothing of it shows in the average of the other class.
        let mut queue = build(&text);
        send(&mut queue, 1, 10);
        assert_eq!(averages(&queue), [0.0, 9.0]);
        // Only protected traffic: the last class has the same average.
        let mut queue = build(&text);
        send(&mut queue, 0, 10);
        assert_eq!(averages(&queue), [9.0, 9.0]);
        send(&mut queue, 1, 1);
        assert_eq!(averages(&queue), [9.0, 10.0]);
        let mut decoupled = build(&text.replace("\"rio\"", "\"rio\", \"averages\": \"decoupled\""));
        send(&mut decoupled, 0, 10);
        send(&mut decoupled, 1, 3);
        assert_eq!(averages(&decoupled), [9.0, 2.0]);
    }

    #[test]
    fn only_coupled_averages_drop_unprotected_packets_early() {
        for (averages, dropped) in [("coupled", 1), ("decoupled", 0)] {
            let mut queue = build(&format!(
                r#"{{"kind": "rio", {PRESENT}, "averages": "{averages}", "classes": [
                {{"min_threshold": "100pkt", "max_threshold": "200pkt", "max_probability": 0.02}},
                {{"min_threshold": "5pkt", "max_threshold": "15pkt", "max_probability": 0.1}}]}}"#
            ));
            assert_eq!(send(&mut queue, 0, 60), 0);
            assert_eq!(send(&mut queue, 1, 1), dropped, "{averages}");
        }
    }

    #[test]
    fn departures_leave_the_averages_they_entered() {
        for (averages, lengths) in [("coupled", [1, 3]), ("decoupled", [1, 2])] {
            let mut queue = build(&format!(r#"{{"kind": "rio", {PRESENT}, "averages": "{averages}"}}"#));
            for class in [1, 0, 0, 1, 1] {
                send(&mut queue, class, 1);
            }
            let left: Vec<u8> = (0..2)
                .filter_map(|_| queue.dequeue(Time::ZERO, &mut Log::default()))
                .map(|p| p.class())
                .collect();
            assert_eq!(left, [1, 0]);
            let counted: Vec<u64> = queue.control.averages.iter().map(Average::packets).collect();
            assert_eq!(counted, lengths, "{averages}");
        }
    }

    #[test]
    fn classes_of_wred_share_one_average() {
        let mut queue = build(&format!(
            r#"{{"kind": "wred", {PRESENT}, "classes": [
            {{"min_threshold": "40pkt", "max_threshold": "50pkt", "max_probability": 0.1}},
            {{"min_threshold": "5pkt", "max_threshold": "15pkt", "max_probability": 0.1}}]}}"#
        ));
        assert_eq!(send(&mut queue, 0, 20), 0);
        assert_eq!(averages(&queue), [19.0]);
        assert_eq!(send(&mut queue, 1, 1), 1);
        assert_eq!(averages(&queue), [20.0]);
    }

    #[test]
    fn within_another_discipline_classes_count_from_its_first() {
        let rio = r#"{"kind": "rio", "weight": 1.0, "classes": [
            {"min_threshold": "100pkt", "max_threshold": "200pkt", "max_probability": 0.02},
            {"min_threshold": "5pkt", "max_threshold": "5pkt", "max_probability": 0.1}]}"#;
        let mut queue: AnyDiscipline<TestFrame> =
            described(&format!(r#"{{"kind": "strict-priority", "classes": ["droptail", {rio}]}}"#))
                .build(setting());
        let mut log = Log::default();
        for class in [0, 1, 2] {
            for _ in 0..10 {
                queue.enqueue(Time::ZERO, TestFrame::of_class(class, 1000), &mut log);
            }
        }
        assert_eq!(log.dropped.len(), 10);
        assert!(log.dropped.iter().all(|packet| packet.class() == 2));
    }

    #[test]
    fn a_drop_resets_the_counts_that_it_should() {
        for (resets, count) in [("own", 7), ("less-protected", -1)] {
            let mut queue = build(&format!(
                r#"{{"kind": "rio", {PRESENT}, "resets": "{resets}", "classes": [
                {{"min_threshold": "1pkt", "max_threshold": "1pkt", "max_probability": 0.1}},
                {{"min_threshold": "1pkt", "max_threshold": "100pkt", "max_probability": 0.0}}]}}"#
            ));
            // The first finds nothing waiting, eight count from 0.
            assert_eq!(send(&mut queue, 1, 9), 0);
            send(&mut queue, 0, 1);
            assert_eq!(send(&mut queue, 0, 1), 1);
            let verdict = format!("{:?}", queue.control.form.laws[1]);
            assert!(verdict.contains(&format!("count: {count}")), "{resets}: {verdict}");
        }
    }

    #[test]
    fn what_may_be_marked_is_marked_up_to_max_and_dropped_above() {
        // One of two is marked from 10 packets on, all from 20 on are dropped, or marked.
        for (above, marked, dropped) in [(false, 10, 20), (true, 30, 0)] {
            let mut queue = build(&format!(
                r#"{{"kind": "red", {PRESENT}, "min_threshold": "10pkt", "max_threshold": "20pkt",
                "max_probability": 1.0, "spacing": "pseudocode", "ecn_above_max": {above}}}"#
            ));
            let mut log = Log::default();
            for _ in 0..20 {
                queue.enqueue(Time::ZERO, TestFrame::new(1000, true), &mut log);
            }
            assert_eq!(log.dropped.len(), 0);
            assert!((1..=10).contains(&log.marked), "{}", log.marked);
            let before = log.marked;
            for _ in 0..20 {
                queue.enqueue(Time::ZERO, TestFrame::new(1000, true), &mut log);
            }
            assert_eq!(
                (log.marked - before, log.dropped.len()),
                (marked.min(20 * usize::from(above)), dropped)
            );
        }
    }

    #[test]
    fn an_overflowing_packet_counts_unless_the_limit_is_first() {
        for (first, average) in [(false, 2.0), (true, 1.0)] {
            let mut queue = build(&format!(
                r#"{{"kind": "red", "weight": 1.0, "limit": "2pkt", "limit_first": {first}}}"#
            ));
            assert_eq!(send(&mut queue, 0, 3), 1);
            assert_eq!(averages(&queue), [average]);
        }
    }

    #[test]
    fn thresholds_in_bytes_compare_with_the_average_of_bytes() {
        let mut queue = build(&format!(
            r#"{{"kind": "red", {PRESENT}, "min_threshold": "5kB", "max_threshold": "5kB"}}"#
        ));
        assert_eq!(send(&mut queue, 0, 9), 4);
    }

    #[test]
    fn the_probability_moves_once_an_interval_outside_the_band() {
        let mut queue =
            build(r#"{"kind": "red", "min_threshold": "10pkt", "max_threshold": "20pkt", "adaptive": {}}"#);
        let form = &mut queue.control.form;
        let adaptation = form.adaptation.as_mut().unwrap();
        let mut now = Time::ZERO;
        let mut step = |average: f64| {
            now += Duration::from_millis(500);
            let before = now;
            adaptation.adapt(now, average, &mut form.laws[0]);
            // Once in an interval.
            adaptation.adapt(before + Duration::from_millis(499), average, &mut form.laws[0]);
            form.laws[0].max_probability
        };
        // Floyd et al. 2001, figure 1: up by 0.01 or a quarter, down by a tenth; nothing from 14 to 16 of 10 to 20.
        let near = |p: f64, expected: f64| assert!((p - expected).abs() < 1e-12, "{p}, {expected}");
        near(step(16.1), 0.025);
        near(step(15.9), 0.025);
        near(step(14.1), 0.025);
        near(step(13.9), 0.0225);
        let high = (0..100).map(|_| step(19.0)).last().unwrap();
        near(high, 0.5);
        near(step(13.0), 0.45);
        near(step(17.0), 0.46);
        let low = (0..100).map(|_| step(1.0)).last().unwrap();
        near(low, 0.01);
    }

    #[test]
    fn adaptive_red_sets_itself_by_the_rate_of_the_link() {
        // 100 Mbit/s are 25000 packets of 500 bytes a second: a target of 5 ms is 125 packets.
        let setting = Setting { rate: BitRate::from_bps(100_000_000), ..setting() };
        let AnyDiscipline::Red(queue) =
            described(r#"{"kind": "red", "adaptive": {}}"#).build::<TestFrame>(setting)
        else {
            panic!("RED is RED")
        };
        let form = &queue.control.form;
        assert_eq!([form.laws[0].min, form.laws[0].max], [62.5, 187.5]);
        assert!(form.laws[0].gentle);
        let mut average = form.average.clone();
        (0..1000).for_each(|_| average.entered(500));
        average.arrived(Time::ZERO);
        assert!((average.value() / 1000.0 - (1.0 - (-1.0_f64 / 25_000.0).exp())).abs() < 1e-12);
        // At a low rate the thresholds stay at five packets or more.
        let slow = red::Params { adaptive: Some(red::Adaptive::default()), ..red::Params::default() };
        let slow =
            slow.form(&Setting { rate: BitRate::from_bps(1_000_000), ..super::super::laws::setting() });
        assert_eq!([slow.laws[0].min, slow.laws[0].max], [5.0, 15.0]);
    }
}
