//! Partial buffer sharing: the last part of the room is for the first of two classes.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{DropReason, Frame, QueueLimit, Time, Validate, VerdictSink, config};

use dumbbell_net::queue::{Discipline, Fifo, Limit, QueueParams, Setting};

config! {
    /// First in, first out; packets of class 1 are dropped once a share of the room is taken.
    pub struct Params {
        /// Packets or bytes that may wait.
        limit: QueueLimit = "1bdp", "Villamizar & Song, CCR 24(5), 1994";
        /// The share that packets of class 1 may find taken.
        share: f64 as "dimensionless" = 0.5, "choice: half";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if !(self.share > 0.0 && self.share < 1.0) {
            let message = format!("{} is not a part of the room", self.share);
            return Err(at.key("share").error(message, "give a number between 0 and 1"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "partial-sharing";
    const TITLE: &'static str = "One queue for two classes, the last part of it for the first";
    const REFERENCE: &'static str = "Kroner et al., IEEE JSAC 9(3), 1991: partial buffer sharing";
}

impl QueueParams for Params {
    type Machine<P: Frame> = PartialSharing<P>;

    fn build<P: Frame>(&self, setting: Setting) -> PartialSharing<P> {
        PartialSharing::new(self, setting)
    }

    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        Limit::resolve(self.limit, bdp, mtu)
    }

    fn classes(&self) -> usize {
        2
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct PartialSharing<P> {
    waiting: Fifo<P>,
    limit: Limit,
    /// What packets of the second class may find.
    second: Limit,
    /// The number of that class.
    second_class: usize,
}

impl<P: Frame> PartialSharing<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> PartialSharing<P> {
        let limit = params.limit(setting.bdp, setting.mtu);
        let part = |whole: u64| if whole == u64::MAX { whole } else { (whole as f64 * params.share) as u64 };
        PartialSharing {
            waiting: Fifo::default(),
            second: Limit { packets: part(limit.packets), bytes: part(limit.bytes) },
            limit,
            second_class: setting.first_class + 1,
        }
    }
}

impl<P: Frame> Discipline<P> for PartialSharing<P> {
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        let is_second = usize::from(packet.class()) == self.second_class;
        let limit = if is_second { &self.second } else { &self.limit };
        if limit.admits(self.waiting.len() as u64, self.waiting.bytes(), packet.size()) {
            self.waiting.push(now, packet);
        } else {
            sink.dropped(packet, DropReason::Overflow);
        }
    }

    fn dequeue(&mut self, _now: Time, _sink: &mut impl VerdictSink<P>) -> Option<P> {
        self.waiting.pop().map(|(_, packet)| packet)
    }

    fn next_size(&self) -> Option<u32> {
        self.waiting.front().map(Frame::size)
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }

    fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }
}
