//! The states of congestion controllers, where they are written down.

use dumbbell_core::Time;
use dumbbell_core::results::{ControllerStateRow, EstimateRow, Results};
use dumbbell_proto::Stand;

use super::flows::Slot;

/// How the controller of each slot stood last, and the number of its flow.
#[derive(Debug, Default)]
pub(super) struct States(Vec<Option<(u32, Stand)>>);

impl States {
    /// Takes what another part of the run knows of a slot.
    pub(super) fn adopt(&mut self, other: &States, index: u32) {
        let index = index as usize;
        if let Some(there) = other.0.get(index) {
            if self.0.len() <= index {
                self.0.resize(index + 1, None);
            }
            self.0[index] = *there;
        }
    }

    /// Writes down how the sender of a slot stands, if that is news.
    pub(super) fn note(&mut self, now: Time, index: u32, slot: &Slot, results: &mut Results) {
        let index = index as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, None);
        }
        let flow = slot.number;
        let before = self.0[index].filter(|(number, _)| *number == flow).map(|(_, stand)| stand);
        let Some(stand) = slot.sender.stand().filter(|stand| before != Some(*stand)) else { return };
        self.0[index] = Some((flow, stand));
        let time = now.as_secs_f64();
        let mut previous = results.label(before.map_or("", |before| before.latest[0].state));
        for entered in stand.since(before.as_ref()) {
            let (state, reason) = (results.label(entered.state), results.label(entered.reason));
            results.controller_states.push(ControllerStateRow { time, flow, previous, state, reason });
            previous = state;
        }
        slot.sender.estimates(&mut |told| {
            let (estimate, unit) = (results.label(told.name), results.label(told.unit));
            let value = told.value.is_finite().then_some(told.value);
            results.estimates.push(EstimateRow { time, flow, round: stand.round, estimate, value, unit });
        });
    }
}
