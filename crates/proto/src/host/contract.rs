//! What a policy of a host is told, and what it answers.

use std::fmt::Debug;

use dumbbell_core::{BitRate, Duration, Time};

/// What a policy may know of its host when it is made.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The rate of the slowest link into the host.
    pub rate: BitRate,
    /// Mean round-trip time of the pairs that send to the host, propagation only.
    pub base_rtt: Duration,
}

/// Receive windows that a policy grants, by the index of the flow, in bytes.
#[derive(Debug, Default)]
pub struct Grants {
    windows: Vec<(u32, u64)>,
}

impl Grants {
    /// The receiver of the flow advertises `window` bytes: not less than a segment, and not less than what is left of what it
    /// has advertised already, which is used up as data arrives (RFC 9293 section 3.8.6).
    pub fn grant(&mut self, flow: u32, window: u64) {
        self.windows.push((flow, window));
    }

    /// The latest grant to a flow.
    pub fn last_of(&self, flow: u32) -> Option<u64> {
        self.windows.iter().rev().find(|(other, _)| *other == flow).map(|(_, window)| *window)
    }

    /// Takes out all grants, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = (u32, u64)> {
        self.windows.drain(..)
    }
}

/// A packet that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Bytes of its data that are new and in order.
    pub bytes: u64,
    /// How long the latest packet in order was on its way, if the flow has timestamps; the unknown difference of two clocks may
    /// be in it, always the same.
    pub transit: Option<Duration>,
}

/// What the flows that end at one host share.
///
/// Calls come in order of time; at equal times packets come before `wake`. Flows go by an index, which is used again when
/// one has ended.
pub trait HostPolicy: Debug {
    /// The largest window that it ever grants, which gives connections their window scale (RFC 7323 section 2.2).
    fn largest(&self) -> u64;

    /// A flow to the host opens. Without a grant it begins with [`HostPolicy::largest`].
    fn opened(&mut self, now: Time, flow: u32, grants: &mut Grants);

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
