//! The contract of host policies: events and answers.

use std::fmt::Debug;

use dumbbell_core::{BitRate, Duration, Time};

/// What a policy may know of its host when it is made.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The rate of the slowest link into the host.
    pub rate: BitRate,
    /// Mean round-trip time of the pairs that send to the host, propagation only.
    pub base_rtt: Duration,
    /// The largest packet that arrives, headers included.
    pub mtu: u32,
}

/// What a policy grants to a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grant {
    /// A receive window of so many bytes from now on.
    Window(u64),
    /// So many bytes beyond what has arrived, once: see [`HostPolicy::gives_credit`].
    Credit(u64),
}

/// What a policy grants, by the index of the flow, in order.
#[derive(Debug, Default)]
pub struct Grants {
    list: Vec<(u32, Grant)>,
}

impl Grants {
    /// The receiver of the flow advertises `window` bytes: not less than a segment, and not less than what is left of what it
    /// has advertised already, which is used up as data arrives (RFC 9293 section 3.8.6).
    pub fn grant(&mut self, flow: u32, window: u64) {
        self.list.push((flow, Grant::Window(window)));
    }

    /// The sender of the flow may send `bytes` beyond what has arrived, or a segment if that is more. What was promised before
    /// stays promised.
    pub fn credit(&mut self, flow: u32, bytes: u64) {
        self.list.push((flow, Grant::Credit(bytes)));
    }

    /// The latest window granted to a flow.
    pub fn last_of(&self, flow: u32) -> Option<u64> {
        self.list.iter().rev().find_map(|(other, grant)| match grant {
            Grant::Window(window) if *other == flow => Some(*window),
            _ => None,
        })
    }

    /// Takes out all grants, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = (u32, Grant)> {
        self.list.drain(..)
    }
}

/// A packet that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Bytes of its data that are new and in order.
    pub bytes: u64,
    /// Bytes that the host still expects of the object; `u64::MAX` if it has no end.
    pub left: u64,
    /// How long the latest packet in order was on its way, if the flow has timestamps; the unknown difference of two clocks may
    /// be in it, always the same.
    pub transit: Option<Duration>,
}

/// What the flows that end at one host share.
///
/// Calls come in order of time; at equal times packets come before `wake`. Flows go by an index, which is used again when
/// one has ended.
pub trait HostPolicy: Debug + Send {
    /// The largest window that it ever grants, which gives connections their window scale (RFC 7323 section 2.2).
    fn largest(&self) -> u64;

    /// True if windows do not move along with the data: the receiver promises what credits allow, never more than the host
    /// expects, and an acknowledgement that would promise nothing waits for the next credit.
    fn gives_credit(&self) -> bool {
        false
    }

    /// A flow to the host opens, which brings `expected` bytes (`u64::MAX`: without end). Without a grant it begins with
    /// [`HostPolicy::largest`], or with nothing if the policy gives credit.
    fn opened(&mut self, now: Time, flow: u32, expected: u64, grants: &mut Grants);

    /// An open flow brings another `expected` bytes, after its last object.
    fn expects(&mut self, now: Time, flow: u32, expected: u64, grants: &mut Grants) {
        let _ = (now, flow, expected, grants);
    }

    /// Both ends of the flow have closed.
    fn ended(&mut self, now: Time, flow: u32, grants: &mut Grants);

    /// A packet of the flow has arrived.
    fn arrived(&mut self, now: Time, flow: u32, arrival: Arrival, grants: &mut Grants) {
        let _ = (now, flow, arrival, grants);
    }

    /// A time that the policy asked for has come.
    fn wake(&mut self, now: Time, grants: &mut Grants) {
        let _ = (now, grants);
    }

    /// When `wake` must be called next; [`Time::NEVER`] if not at all. Behind a call of `wake` it is later than that.
    fn wake_at(&self) -> Time {
        Time::NEVER
    }
}

/// The parameters of a host policy.
pub trait HostPolicyParams: Debug + Send + Sync {
    /// A policy with these parameters, of a host that no flow has reached.
    fn build(&self, setting: Setting) -> Box<dyn HostPolicy>;
}
