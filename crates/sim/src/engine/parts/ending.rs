//! Flows that end in a run in parts.
//!
//! A flow is over once both its ends have closed and none of its packets is left. No part sees all of that. So parts find it out
//! together: when an epoch is over, before a sample, and at the end. What they find does not depend on when they look: it has the
//! time of the last event of the flow. Slots of flows that are over rest until the end of their epoch ([`FreeSlots`]), so all parts
//! open flows in the same slots.
//!
//! [`FreeSlots`]: crate::engine::free::FreeSlots

use dumbbell_core::Time;

use super::board::GivenUp;
use super::ends::{Over, Word};
use super::part::Part;
use super::pulse::Pulse;
use crate::engine::flows::closed;
use crate::engine::network::ELSEWHERE;
use crate::engine::{Engine, TICK};

impl Engine<(), Part<'_>> {
    /// Until when the parts may go on from `now` before they look which flows have ended.
    pub(super) fn ends_due(&self, now: Time) -> Time {
        let part = &self.network.share;
        if part.epoch.is_zero() {
            return Time::NEVER;
        }
        // Samples are taken of flows that go on.
        let sample = self.network.tree.first().0;
        let sample = if sample < Time::NEVER { sample + TICK } else { sample };
        debug_assert!(part.ends.due > now);
        part.ends.due.min(sample)
    }

    /// Finds out which flows have ended, if an epoch is over at `now`.
    pub(super) fn end_epoch(
        &mut self,
        pulse: &mut Pulse<'_>,
        round: &mut u64,
        now: Time,
    ) -> Result<(), GivenUp> {
        let part = &mut self.network.share;
        if part.epoch.is_zero() || now < part.ends.due {
            return Ok(());
        }
        let epoch = part.epoch.as_nanos();
        part.ends.due = Time::from_nanos((now.as_nanos() / epoch + 1).saturating_mul(epoch));
        self.end_flows(pulse, round)
    }

    /// Finds out which flows have ended: all parts are at the same time.
    pub(super) fn end_flows(&mut self, pulse: &mut Pulse<'_>, round: &mut u64) -> Result<(), GivenUp> {
        let part = &mut self.network.share;
        if part.epoch.is_zero() {
            return Ok(());
        }
        let (board, number) = (pulse.board, usize::from(part.number));
        let others = (0..part.cut.parts).filter(|other| *other != number);
        let named = &mut part.ends.named;
        if part.cut.parts > 1 {
            board.tell(*round, number, named);
            board.meet(number, *round, Time::ZERO, || pulse.wait())?;
            for other in others.clone() {
                board.hear(*round, other, |_, word| named.push(*word));
            }
            *round += 1;
        }
        let waiting = &mut part.ends.waiting;
        waiting.extend(named.drain(..).map(|word| word.slot));
        if waiting.is_empty() {
            return Ok(());
        }
        waiting.sort_unstable();
        let (slots, pairs, inside, last) =
            (&self.slots, &self.plan.pairs, &self.network.inside, &part.ends.last);
        let word = |slot: &u32| {
            let at = *slot as usize;
            let inside = inside[at].wrapping_sub(ELSEWHERE);
            let (flow, pair) = (&slots[at], &pairs[slots[at].flow.pair as usize]);
            let has = |node: u32| part.cut.of_node[node as usize] == part.number;
            // Not what was noted: the receiver of datagrams is closed from the beginning, even if none arrives.
            let sender = u8::from(has(pair.source) && flow.sender.is_closed()) * closed::SENDER;
            let receiver = u8::from(has(pair.destination) && flow.receiver.is_closed()) * closed::RECEIVER;
            Word { slot: *slot, inside, closed: sender | receiver, last: last[at] }
        };
        let mut words: Vec<Word> = waiting.iter().map(word).collect();
        if part.cut.parts > 1 {
            board.tell(*round, number, &words);
            board.meet(number, *round, Time::ZERO, || pulse.wait())?;
            for other in others {
                board.hear(*round, other, |place, there| {
                    let here = &mut words[place];
                    assert_eq!(here.slot, there.slot, "all parts wait for the same flows");
                    here.inside = here.inside.wrapping_add(there.inside);
                    here.closed |= there.closed;
                    here.last = here.last.max(there.last);
                });
            }
            *round += 1;
        }
        words.retain(|word| word.inside == 0 && word.closed == closed::SENDER | closed::RECEIVER);
        waiting.retain(|slot| words.binary_search_by_key(slot, |word| word.slot).is_err());
        words.sort_unstable_by_key(|word| (word.last, word.slot));
        words.iter().for_each(|word| self.end_flow(word));
        Ok(())
    }

    /// A flow is over.
    fn end_flow(&mut self, word: &Word) {
        let (index, time) = (word.slot, word.last.time);
        let slot = &mut self.slots[index as usize];
        slot.active = false;
        let pair = &self.plan.pairs[slot.flow.pair as usize];
        let delays = self.delays.get(index);
        let account = slot.account();
        let part = &mut self.network.share;
        if part.cut.parts == 1 {
            self.recorder.write(&account, delays, time);
        }
        // With one part that is for samples alone: which slot a flow had.
        if part.cut.parts > 1 || self.plan.record.samples {
            let delays = delays.filter(|_| part.cut.parts > 1).cloned().map(Box::new);
            part.ends.over.push(Over { slot: index, time, account, delays });
        }
        part.regions.close(index, [pair.source, pair.destination]);
        self.network.inside[index as usize] = ELSEWHERE;
        self.free_slots.add(index, time);
    }
}
