//! DropTail: first in, first out; an arrival that does not fit is dropped.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{DropReason, Frame, QueueLimit, Time, Validate, VerdictSink, config};

use super::{Discipline, Fifo, Limit, QueueParams, Setting};

config! {
    /// First in, first out; an arrival that does not fit is dropped.
    pub struct Params {
        /// Packets or bytes that may wait: `"42pkt"`, `"64kB"`, `"1bdp"` (rounded up to packets of the MTU) or `"unlimited"`.
        limit: QueueLimit = "unlimited", "choice: a link is a bottleneck only where the scenario says so";
        /// Count the packet in transmission against a limit in packets, as ns-2 does.
        count_in_service: bool = false, "choice: the transmitter holds its own packet, as a device driver's ring does";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        match self.limit {
            QueueLimit::Bytes(_) if self.count_in_service => Err(at.key("count_in_service").error(
                "has no meaning for a limit in bytes",
                "give the limit in packets, or leave this out",
            )),
            QueueLimit::Packets(1) if self.count_in_service => Err(at.key("limit").error(
                "leaves no room for a packet behind the one in transmission",
                "give 2pkt or more, or leave out `count_in_service`",
            )),
            _ => Ok(()),
        }
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "droptail";
    const TITLE: &'static str = "First in, first out; drops the arrival that does not fit";
    const REFERENCE: &'static str = "RFC 7567 section 2";
}

impl QueueParams for Params {
    type Machine<P: Frame> = DropTail<P>;

    fn build<P: Frame>(&self, setting: Setting) -> DropTail<P> {
        DropTail::new(self, setting)
    }

    /// The limit on waiting packets, with the convention for the packet in service applied.
    ///
    /// Counting the packet in service lowers a limit in packets by one: a busy transmitter always holds one.
    fn limit(&self, bdp: u64, mtu: u32) -> Limit {
        let mut limit = Limit::resolve(self.limit, bdp, mtu);
        if self.count_in_service && limit.packets != u64::MAX {
            limit.packets = (limit.packets - 1).max(1);
        }
        limit
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct DropTail<P> {
    waiting: Fifo<P>,
    limit: Limit,
}

impl<P: Frame> DropTail<P> {
    /// An empty queue.
    pub fn new(params: &Params, setting: Setting) -> DropTail<P> {
        DropTail { waiting: Fifo::default(), limit: params.limit(setting.bdp, setting.mtu) }
    }
}

impl<P: Frame> Discipline<P> for DropTail<P> {
    #[inline]
    fn enqueue(&mut self, now: Time, packet: P, sink: &mut impl VerdictSink<P>) {
        if self.limit.admits(self.waiting.len() as u64, self.waiting.bytes(), packet.size()) {
            self.waiting.push(now, packet);
        } else {
            sink.dropped(packet, DropReason::Overflow);
        }
    }

    #[inline]
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
