//! What a link counts of each traffic class, where its queue tells them apart or a marker sets them.

use dumbbell_core::class::TRAFFIC_CLASSES;
use dumbbell_core::{DropReason, Frame};

/// What a link counts of one class, from the start of the run or since it was last read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClassCounters {
    /// Packets that arrived at the queue.
    pub arrived: u64,
    /// Packets fully transmitted.
    pub sent: u64,
    /// Bytes fully transmitted.
    pub sent_bytes: u64,
    /// Packets dropped, for any reason.
    pub dropped: u64,
    /// Of these, after transmission.
    pub lost: u64,
    /// Packets marked "congestion experienced".
    pub marked: u64,
    /// Sum over the packets sent of the time from arrival to the end of transmission, in nanoseconds.
    pub sojourn_sum: u64,
}

impl ClassCounters {
    fn since(&self, earlier: &ClassCounters) -> ClassCounters {
        ClassCounters {
            arrived: self.arrived - earlier.arrived,
            sent: self.sent - earlier.sent,
            sent_bytes: self.sent_bytes - earlier.sent_bytes,
            dropped: self.dropped - earlier.dropped,
            lost: self.lost - earlier.lost,
            marked: self.marked - earlier.marked,
            sojourn_sum: self.sojourn_sum - earlier.sojourn_sum,
        }
    }

    /// Packets waiting or in transmission; `None` if more have left than arrived.
    fn waiting(&self) -> Option<u64> {
        self.arrived.checked_sub(self.sent + self.dropped - self.lost)
    }
}

/// The counters of all classes, by number.
pub type PerClass = [ClassCounters; TRAFFIC_CLASSES];

/// The counters of all classes of a link.
#[derive(Clone, Debug, Default)]
pub(super) struct ClassAccount {
    total: PerClass,
    /// What was counted when it was last read.
    read: PerClass,
}

impl ClassAccount {
    #[inline]
    pub fn of(&mut self, packet: &impl Frame) -> &mut ClassCounters {
        &mut self.total[usize::from(packet.class()) % TRAFFIC_CLASSES]
    }

    pub fn dropped(&mut self, packet: &impl Frame, reason: DropReason) {
        let counters = self.of(packet);
        counters.dropped += 1;
        counters.lost += u64::from(reason == DropReason::RandomLoss);
    }

    /// What was counted since the last call, without a packet that is counted as sent and will be: its class, its bytes, and
    /// its sojourn in nanoseconds. The next call has it.
    pub fn read_but(&mut self, early: Option<(u8, u64, u64)>) -> PerClass {
        let mut total = self.total;
        if let Some((class, size, sojourn)) = early {
            let class = &mut total[usize::from(class) % TRAFFIC_CLASSES];
            class.sent -= 1;
            class.sent_bytes -= size;
            class.sojourn_sum -= sojourn;
        }
        let before = std::mem::replace(&mut self.read, total);
        std::array::from_fn(|i| total[i].since(&before[i]))
    }

    /// Conservation: of each class, what arrived was sent or dropped or waits; of all together as the link has it.
    ///
    /// # Panics
    /// If a class gained or lost a packet, which only a bug can do.
    pub fn assert_conservation(&self, totals: &super::Counters, waiting: u64) {
        let sum = |of: fn(&ClassCounters) -> u64| self.total.iter().map(of).sum::<u64>();
        let counted = [
            sum(|c| c.arrived),
            sum(|c| c.sent),
            sum(|c| c.sent_bytes),
            sum(|c| c.dropped),
            sum(|c| c.marked),
        ];
        let expected =
            [totals.arrived, totals.sent, totals.sent_bytes, totals.dropped_total(), totals.marked];
        assert_eq!(
            counted, expected,
            "arrived, sent, sent bytes, dropped, marked of all classes = of the link"
        );
        let by_class = self.total.iter().map(ClassCounters::waiting);
        assert_eq!(
            by_class.sum::<Option<u64>>(),
            Some(waiting),
            "packets of all classes = packets that wait"
        );
    }
}
