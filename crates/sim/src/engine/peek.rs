//! A look at a run that is paused: cheap enough for a look at every step, and nothing of the run changes.

use dumbbell_core::{Duration, Time};
use dumbbell_net::link::Link;

use super::Engine;
use super::observer::Observer;
use super::share::Share;

/// How a link stands whose queue is sampled. Counters are those since the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkNow {
    /// The row of the link.
    pub link: u32,
    /// Packets that wait or are in transmission.
    pub queue: u64,
    /// Bytes fully transmitted.
    pub sent_bytes: u64,
    /// Packets dropped, for any reason.
    pub dropped: u64,
    /// Packets marked "congestion experienced".
    pub marked: u64,
}

/// How a flow in progress stands. Counters are those since its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowNow {
    /// Its number.
    pub flow: u32,
    /// Its group: an index into the groups of the plan.
    pub group: u32,
    /// The state of congestion control; none without states.
    pub state: Option<&'static str>,
    /// Bytes that the window allows in flight; 0 for a sender without a window.
    pub window: u64,
    /// The smoothed round-trip time; zero before the first sample.
    pub rtt: Duration,
    /// Bytes delivered in order.
    pub delivered: u64,
    /// Packets sent again.
    pub retransmissions: u64,
}

/// How a run stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Peek {
    /// The links whose queues are sampled, in the order of the plan.
    pub links: Vec<LinkNow>,
    /// The flows in progress, by number.
    pub flows: Vec<FlowNow>,
}

impl<O: Observer, S: Share> Engine<O, S> {
    /// How the run stands at `now`, where it is paused.
    pub(super) fn peek(&mut self, now: Time) -> Peek {
        let mut incidents = Vec::new();
        let links = (0..).zip(&mut self.network.links).zip(&self.plan.links);
        let links = links.filter(|(_, planned)| planned.sampled).map(|((number, link), _)| {
            if !link.abilities().puts_off {
                return link_now(number, link, now);
            }
            // A link that catches up changes, which must not depend on who looks.
            let mut copy = link.clone();
            copy.read().settle(now, &mut incidents);
            link_now(number, &mut copy, now)
        });
        let links = links.collect();
        let flows = self.slots.iter().filter(|slot| slot.active).map(|slot| {
            let (sent, got) = (slot.sender.report(), slot.receiver.report());
            FlowNow {
                flow: slot.number,
                group: slot.flow.group,
                state: slot.sender.state().phase,
                window: sent.window,
                rtt: sent.smoothed_rtt,
                delivered: got.delivered,
                retransmissions: sent.retransmissions,
            }
        });
        let mut flows: Vec<FlowNow> = flows.collect();
        flows.sort_unstable_by_key(|flow| flow.flow);
        Peek { links, flows }
    }

    /// See [`super::Run::steer`].
    pub(super) fn steer(&mut self, group: u32, steer: &mut dyn FnMut(u32, &mut [i64])) {
        for slot in self.slots.iter_mut().filter(|slot| slot.active && slot.flow.group == group) {
            if let Some(words) = slot.sender.words_mut() {
                steer(slot.number, words);
            }
        }
    }
}

fn link_now(number: u32, link: &mut Link, now: Time) -> LinkNow {
    let link = link.read();
    let queue = link.backlog(now);
    let counted = link.progress(now);
    LinkNow {
        link: number,
        queue,
        sent_bytes: counted.sent_bytes,
        dropped: counted.dropped_total(),
        marked: counted.marked,
    }
}
