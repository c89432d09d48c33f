//! Hosts with a policy for the flows that lead to them. A flow to any other host pays nothing: see [`super::flows::watched`].

use dumbbell_core::{Duration, Time};
use dumbbell_proto::Granted;
use dumbbell_proto::host::{Arrival, Grants, HostPolicy, Setting};

use crate::plan::Plan;

/// The hosts of a run that have a policy.
#[derive(Debug)]
pub struct Hosts {
    hosts: Vec<Host>,
    /// By flow slot: what is known of the flow.
    flows: Vec<Known>,
    /// What a policy grants in the call at hand.
    pub grants: Grants,
}

#[derive(Debug)]
struct Host {
    node: u32,
    policy: Box<dyn HostPolicy>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    host: u32,
    /// Bytes delivered when the host was last told.
    delivered: u64,
}

impl Hosts {
    /// The hosts of a plan that have a policy.
    pub fn new(plan: &Plan) -> Hosts {
        let hosts = plan.described.iter().filter_map(|node| {
            let planned = node.host.as_ref()?;
            let setting = Setting { rate: planned.rate, base_rtt: planned.base_rtt, mtu: planned.mtu };
            Some(Host { node: node.node, policy: planned.params.build(setting) })
        });
        Hosts { hosts: hosts.collect(), flows: Vec::new(), grants: Grants::default() }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.hosts.len()
    }

    /// When a host's policy must be woken.
    pub fn wake_at(&self, host: u32) -> Time {
        self.hosts[host as usize].policy.wake_at()
    }

    /// Wakes a host's policy.
    pub fn wake(&mut self, now: Time, host: u32) {
        self.hosts[host as usize].policy.wake(now, &mut self.grants);
        debug_assert!(self.wake_at(host) > now, "a policy is woken again at once");
    }

    /// The host that a flow in progress leads to.
    pub fn of_flow(&self, slot: u32) -> u32 {
        self.flows[slot as usize].host
    }

    /// A flow of `size` bytes to `node` opens in a slot. Returns its receive window, if the node has a policy.
    pub fn opened(&mut self, now: Time, node: u32, slot: u32, size: Option<u64>) -> Option<Granted> {
        let host = self.hosts.binary_search_by_key(&node, |host| host.node).ok()?;
        let slots = self.flows.len().max(slot as usize + 1);
        self.flows.resize(slots, Known::default());
        self.flows[slot as usize] = Known { host: host as u32, delivered: 0 };
        let policy = &mut self.hosts[host].policy;
        policy.opened(now, slot, size.unwrap_or(u64::MAX), &mut self.grants);
        let largest = policy.largest();
        let first = self.grants.last_of(slot).unwrap_or(largest);
        Some(Granted { first, largest, by_credit: policy.gives_credit() })
    }

    /// The flow in a slot brings another object of so many bytes. Returns its host.
    pub fn expects(&mut self, now: Time, slot: u32, bytes: u64) -> u32 {
        let host = self.of_flow(slot);
        self.hosts[host as usize].policy.expects(now, slot, bytes, &mut self.grants);
        host
    }

    /// Both ends of the flow in a slot have closed. Returns its host.
    pub fn ended(&mut self, now: Time, slot: u32) -> u32 {
        let host = self.of_flow(slot);
        self.hosts[host as usize].policy.ended(now, slot, &mut self.grants);
        host
    }

    /// A packet of the flow in a slot has arrived, with which so many bytes of `size` are delivered; `transit` is how long it was
    /// on its way. Returns its host.
    pub fn arrived(
        &mut self,
        now: Time,
        slot: u32,
        (delivered, size): (u64, Option<u64>),
        transit: Option<Duration>,
    ) -> u32 {
        let known = &mut self.flows[slot as usize];
        let bytes = delivered - std::mem::replace(&mut known.delivered, delivered);
        self.hosts[known.host as usize].policy.arrived(
            now,
            slot,
            Arrival { bytes, left: size.map_or(u64::MAX, |size| size.saturating_sub(delivered)), transit },
            &mut self.grants,
        );
        known.host
    }
}
