//! What a part knows of the ends of flows. See [`super::ending`].

use dumbbell_core::Time;

use crate::engine::delays::Delays;
use crate::engine::flows::Account;

/// An event among all: when it is, its owner, and of the owner of all timers the end point. One loop goes in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    pub time: Time,
    pub owner: u32,
    pub endpoint: u32,
}

/// What a part knows of a flow that may be over.
#[derive(Clone, Copy, Debug, Default)]
pub struct Word {
    pub slot: u32,
    /// Packets that it sent less those that it saw delivered or dropped.
    pub inside: u32,
    /// Ends that have closed: see [`closed`](crate::engine::flows::closed).
    pub closed: u8,
    /// The last event here.
    pub last: Place,
}

/// The ends of flows, as a part sees them.
#[derive(Debug, Default)]
pub struct Ends {
    /// The event at hand.
    pub at: Place,
    /// By slot: the last event of the flow here.
    pub last: Vec<Place>,
    /// Slots whose senders have closed here since the parts last looked.
    pub named: Vec<Word>,
    /// Slots whose senders have closed: the same in all parts, in order.
    pub waiting: Vec<u32>,
    /// When the epoch is over in which the parts are.
    pub due: Time,
    /// Flows that are over, in the order in which one loop would have found them so.
    pub over: Vec<Over>,
}

/// A flow that is over, as the part at hand knows it: the report of an end that is elsewhere is empty.
#[derive(Debug)]
pub struct Over {
    pub slot: u32,
    pub time: Time,
    pub account: Account,
    pub delays: Option<Box<Delays>>,
}

impl Ends {
    /// A flow opens in a slot.
    pub fn open(&mut self, slot: u32) {
        let room = self.last.len().max(slot as usize + 1);
        self.last.resize(room, Place::default());
        self.last[slot as usize] = Place::default();
    }

    /// An event of the flow in a slot, with which it may be over; `ended` if its sender has closed.
    pub fn touch(&mut self, slot: u32, ended: bool) {
        let last = &mut self.last[slot as usize];
        *last = self.at.max(*last);
        if ended {
            self.named.push(Word { slot, ..Word::default() });
        }
    }
}
