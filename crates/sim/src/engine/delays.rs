//! One-way delays of data packets, with `record.delays`: what their receivers make of them.
//!
//! Paths to destinations then end with a [`Stop`](super::routes::Stop), which the loop takes for none of its ends. So a run
//! that does not ask for delays pays nothing.

use dumbbell_core::results::{QuantileRow, Quantiles};
use dumbbell_core::table::Label;
use dumbbell_core::times::{SHARES, Times};
use dumbbell_core::{Duration, Time};
use dumbbell_proto::deviation::{Deviation, Spread};

/// The delays of the data packets of a flow.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    /// Of the whole run.
    all: Deviation,
    /// Of the measured part.
    measured: Times,
    /// Since the last sample.
    period: Period,
}

/// Delays by slot; of none where nobody notes them.
#[derive(Clone, Debug, Default)]
pub struct BySlot(Vec<Delays>);

impl BySlot {
    /// A flow begins in a slot.
    pub fn begin(&mut self, slot: u32) {
        let room = self.0.len().max(slot as usize + 1);
        self.0.resize_with(room, Delays::default);
        self.0[slot as usize].clear();
    }

    /// Those of a slot, if they are noted.
    pub fn get(&self, slot: u32) -> Option<&Delays> {
        self.0.get(slot as usize)
    }

    /// Takes those that another part of the run has of a slot.
    pub fn adopt(&mut self, other: &mut BySlot, slot: u32) {
        if let (Some(here), Some(there)) = (self.get_mut(slot), other.get_mut(slot)) {
            std::mem::swap(here, there);
        }
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, slot: u32) -> Option<&mut Delays> {
        self.0.get_mut(slot as usize)
    }
}

/// Some delays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Period {
    packets: u64,
    sum: Duration,
    /// The longest of them.
    pub longest: Duration,
}

impl Period {
    /// Their mean in seconds; `None` of none.
    pub fn mean(&self) -> Option<f64> {
        (self.packets > 0).then(|| self.sum.as_secs_f64() / self.packets as f64)
    }
}

impl Delays {
    /// A packet has arrived at `now`, in the measured part or not, that left at `departed`.
    pub fn add(&mut self, now: Time, departed: Time, is_measured: bool) {
        let delay = now.since(departed);
        self.all.add(delay.as_secs_f64());
        if is_measured {
            self.measured.add(delay);
        }
        let Period { packets, sum, longest } = &mut self.period;
        *packets += 1;
        *sum += delay;
        *longest = delay.max(*longest);
    }

    /// Those since the last call.
    pub fn take_period(&mut self) -> Period {
        std::mem::take(&mut self.period)
    }

    /// Forgets all, for another flow.
    pub fn clear(&mut self) {
        self.measured.clear();
        (self.all, self.period) = Default::default();
    }

    /// Mean and deviation of the whole run.
    pub fn spread(&self) -> Option<Spread> {
        self.all.spread()
    }

    /// The times of the measured part.
    pub fn measured(&self) -> &Times {
        &self.measured
    }
}

/// Writes the quantiles of a distribution of times, if there is any.
pub fn write_quantiles(table: &mut Quantiles, (subject, id, metric): (Label, u32, Label), times: &Times) {
    for share in SHARES {
        if let Some(value) = times.quantile(share) {
            table.push(QuantileRow { subject, id, metric, share, value });
        }
    }
}
