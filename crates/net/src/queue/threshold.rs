//! Marking at a threshold: an ECN-capable packet that finds the queue too long is marked.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{
    BitRate, DropReason, Frame, MarkReason, QueueLimit, Time, Validate, VerdictSink, config, words,
};

use super::{Discipline, Fifo, Level, Limit, QueueParams, Setting};

words! {
    /// When a packet is marked.
    pub enum When { Exceeds = "exceeds", Reaches = "reaches" }
}

config! {
    /// Marks packets that are ECN-capable by the length of the queue when they arrive, without any average. The packet in
    /// transmission does not count.
    pub struct Params {
        /// The length, in packets or bytes.
        threshold: QueueLimit = "20pkt", "Alizadeh et al., SIGCOMM 2010: K at 1 Gbit/s";
        /// A packet is marked if the queue with it `exceeds` the threshold, or if it `reaches` it: with 20pkt, from the 21st packet on,
        /// or from the 20th.
        when: When = "exceeds", "RFC 8257 section 3.1: greater than K";
        /// Drop packets that are not ECN-capable where others are marked.
        drop_others: bool = false, "choice: the limit alone drops";
        /// Packets or bytes that may wait.
        limit: QueueLimit = "100kB", "Alizadeh et al., SIGCOMM 2010: the static buffer of a port";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.threshold == QueueLimit::Unlimited {
            return Err(at.key("threshold").error("is no threshold", "give one such as \"20pkt\""));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "threshold";
    const TITLE: &'static str = "First in, first out; marks at a threshold of the queue's length (DCTCP)";
    const REFERENCE: &'static str = "Alizadeh et al., SIGCOMM 2010; RFC 8257 section 3.1";
}

impl QueueParams for Params {
    type Machine<P: Frame> = Threshold<P>;

    fn build<P: Frame>(&self, setting: Setting) -> Threshold<P> {
        Threshold::new(self, setting)
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }

    fn thresholds(&self, _rate: BitRate) -> Vec<super::Threshold> {
        vec![super::Threshold::new("threshold", Level::Length(self.threshold))]
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct Threshold<P> {
    waiting: Fifo<P>,
    limit: Limit,
    /// What a packet may find and fill without a mark.
    unmarked: Limit,
    drop_others: bool,
}

impl<P: Frame> Threshold<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> Threshold<P> {
        let mut unmarked = Limit::resolve(params.threshold, setting.bdp, setting.mtu);
        if params.when == When::Reaches {
            for limit in [&mut unmarked.packets, &mut unmarked.bytes] {
                *limit = if *limit == u64::MAX { *limit } else { *limit - 1 };
            }
        }
        let limit = params.limit(setting.bdp, setting.mtu);
        Threshold { waiting: Fifo::default(), limit, unmarked, drop_others: params.drop_others }
    }

    /// Decides on a packet that finds so much waiting: why it is dropped, if it is. It may be marked.
    #[inline(always)]
    fn decide(
        &self,
        packet: &mut P,
        packets: u64,
        bytes: u64,
        sink: &mut impl VerdictSink<P>,
    ) -> Option<DropReason> {
        if !self.limit.admits(packets, bytes, packet.size()) {
            return Some(DropReason::Overflow);
        }
        if !self.unmarked.admits(packets, bytes, packet.size()) {
            if packet.ecn().is_capable() {
                sink.mark(packet, MarkReason::Threshold);
            } else if self.drop_others {
                return Some(DropReason::Law);
            }
        }
        None
    }
}

impl<P: Frame> Discipline<P> for Threshold<P> {
    #[inline(never)]
    fn enqueue(&mut self, now: Time, mut packet: P, sink: &mut impl VerdictSink<P>) {
        let (packets, bytes) = (self.waiting.len() as u64, self.waiting.bytes());
        match self.decide(&mut packet, packets, bytes, sink) {
            None => self.waiting.push(now, packet),
            Some(reason) => sink.dropped(packet, reason),
        }
    }

    #[inline]
    fn pass_through(&mut self, _now: Time, packet: &mut P, sink: &mut impl VerdictSink<P>) -> bool
    where
        P: Clone,
    {
        let reason = self.decide(packet, 0, 0, sink);
        if let Some(reason) = reason {
            sink.dropped(packet.clone(), reason);
        }
        reason.is_none()
    }

    #[inline(never)]
    fn dequeue(&mut self, _now: Time, _sink: &mut impl VerdictSink<P>) -> Option<P> {
        self.waiting.pop().map(|(_, packet)| packet)
    }

    #[inline]
    fn next_size(&self) -> Option<u32> {
        self.waiting.front().map(Frame::size)
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

    /// Of 30 packets of 1000 bytes that wait, the positions of those marked, and how many are dropped.
    fn marked(parameters: &str, ecn: bool) -> (Vec<usize>, usize) {
        let text = format!(r#"{{"kind": "threshold", "limit": "30pkt", {parameters}}}"#);
        let mut queue = described(&text).build(setting());
        let mut log = Log::default();
        let mut positions = Vec::new();
        for n in 1..=40 {
            let before = log.marked;
            queue.enqueue(Time::ZERO, TestFrame::new(1000, ecn), &mut log);
            if log.marked > before {
                positions.push(n);
            }
        }
        (positions, log.dropped.len())
    }

    #[test]
    fn with_a_threshold_of_twenty_the_twenty_first_packet_is_marked() {
        let from = |n| (n..=30).collect::<Vec<usize>>();
        assert_eq!(marked(r#""threshold": "20pkt""#, true), (from(21), 10));
        assert_eq!(marked(r#""threshold": "20pkt", "when": "reaches""#, true), (from(20), 10));
        assert_eq!(marked(r#""threshold": "20kB""#, true), (from(21), 10));
        assert_eq!(marked(r#""threshold": "20kB", "when": "reaches""#, true), (from(20), 10));
    }

    #[test]
    fn what_cannot_be_marked_waits_or_is_dropped() {
        assert_eq!(marked(r#""threshold": "20pkt""#, false), (vec![], 10));
        assert_eq!(marked(r#""threshold": "20pkt", "drop_others": true"#, false), (vec![], 20));
    }
}
