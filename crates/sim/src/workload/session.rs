//! Sessions: traffic in which what starts next depends on what has ended. Incast rounds, requests and responses.
//!
//! A workload that closes the loop gives a [`Program`]; a run makes a [`Session`] of it. The engine tells the session which
//! transfers have ended, and the session answers with [`Actions`]: what to start, and when. It never sees a packet.

use std::fmt::Debug;
use std::sync::Arc;

use dumbbell_core::Time;

use super::facts::Facts;

/// A closed-loop workload in a plan.
pub trait Program: Debug + Send + Sync {
    /// The session of one run. Draws come from streams of the workload's own.
    fn session(self: Arc<Self>, seed: u64) -> Box<dyn Session>;

    /// Flow groups besides its own whose ends the session hears.
    fn watches(&self) -> &[u32] {
        &[]
    }

    /// The figures that `dumbbell check` shows.
    fn facts(&self) -> Facts;
}

/// A closed-loop workload in a run, which may move to another thread with its run. Calls come in order of time.
pub trait Session: Send {
    /// The run begins.
    fn start(&mut self, actions: &mut Actions);

    /// A transfer of the session, or a flow of a group that it watches, has ended.
    fn ended(&mut self, now: Time, ended: &Ended, actions: &mut Actions);

    /// A time that the session asked for has come.
    fn wake(&mut self, now: Time, actions: &mut Actions) {
        let _ = (now, actions);
    }
}

/// A flow in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Connection {
    /// Where the engine keeps it; another flow may be there later.
    pub(crate) slot: u32,
    /// Its number in the results.
    pub(crate) number: u32,
}

/// Bytes to bring from one end of a pair to the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Transfer {
    /// Application bytes.
    pub size: u64,
    /// The round, exchange or step that it belongs to, for the results.
    pub round: u32,
    /// A number of the session's own, which comes back when the transfer ends.
    pub tag: u32,
}

/// A transfer that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// The flow group.
    pub group: u32,
    /// The pair, an index into [`crate::Plan::pairs`].
    pub pair: u32,
    /// The flow, for [`Actions::write`].
    pub connection: Connection,
    /// What was brought.
    pub transfer: Transfer,
    /// True if the last byte has arrived; false if the sender gave up, or datagrams were lost.
    pub received: bool,
}

/// What a session wants done, and when.
#[derive(Debug, Default)]
pub struct Actions {
    list: Vec<(Time, Action)>,
}

/// One thing to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    Open { pair: u32, transfer: Transfer, keep: bool },
    Write { connection: Connection, transfer: Transfer },
    Wake,
}

impl Actions {
    /// Opens a flow for one transfer, which closes behind it.
    pub fn open(&mut self, at: Time, pair: u32, transfer: Transfer) {
        self.list.push((at, Action::Open { pair, transfer, keep: false }));
    }

    /// Opens a flow that stays open behind its first transfer: see [`Actions::write`].
    pub fn open_to_keep(&mut self, at: Time, pair: u32, transfer: Transfer) {
        self.list.push((at, Action::Open { pair, transfer, keep: true }));
    }

    /// The next transfer on a flow that was kept open and whose last transfer has ended.
    pub fn write(&mut self, at: Time, connection: Connection, transfer: Transfer) {
        self.list.push((at, Action::Write { connection, transfer }));
    }

    /// Asks for [`Session::wake`].
    pub fn wake(&mut self, at: Time) {
        self.list.push((at, Action::Wake));
    }

    /// Takes what was asked for, in that order.
    pub(crate) fn take(&mut self) -> std::vec::Drain<'_, (Time, Action)> {
        self.list.drain(..)
    }
}
