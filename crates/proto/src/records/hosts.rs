//! Policies of hosts over several flows that send what they are granted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dumbbell_core::rng::stream;
use dumbbell_core::testing::Record;
use dumbbell_core::{BitRate, Duration, Time};
use rand::RngExt;

use super::{file, variants};
use crate::host::{Arrival, Grant, Grants, HostPolicy, HostPolicySpec, Setting};

/// A flow as the host knows it, and as its sender does.
#[derive(Clone, Copy, Default)]
struct Flow {
    open: bool,
    left: u64,
    /// The window, or the credit beyond what has arrived.
    window: u64,
    /// Bytes on their way.
    flying: u64,
    shortest: u64,
}

/// How much of their windows senders use, in percent.
const PARTS: [u64; 7] = [100, 30, 100, 92, 60, 100, 86];

/// What arrives: when, a number that tells equal times apart, the flow, its bytes, and how long they were on their way.
type Coming = (Time, u64, u32, u64, u64);

/// A host with its link and its senders.
struct Host<'a> {
    record: &'a mut Record,
    policy: Box<dyn HostPolicy>,
    grants: Grants,
    flows: Vec<Flow>,
    setting: Setting,
    now: Time,
    free_at: Time,
    coming: BinaryHeap<Reverse<Coming>>,
    count: u64,
    granted: u64,
    arrived: u64,
}

impl Host<'_> {
    fn note(&mut self) {
        for (index, grant) in self.grants.drain() {
            let flow = &mut self.flows[index as usize];
            let bytes = match grant {
                Grant::Window(bytes) | Grant::Credit(bytes) => bytes,
            };
            self.record.hash(self.now.as_nanos());
            self.record.hash(index);
            self.record.hash(bytes);
            self.granted += 1;
            flow.window = bytes.max(1460);
        }
        self.record.hash(self.policy.wake_at().as_nanos());
    }

    /// Lets a flow send what it may, over the link to the host.
    fn send(&mut self, index: u32, part: u64) {
        let flow = &mut self.flows[index as usize];
        while flow.open && flow.flying < flow.window.min(flow.left) * part / 100 {
            let bytes = 1460.min(flow.left - flow.flying).min(flow.window.max(1460));
            let sent = self.now + self.setting.base_rtt / 2;
            self.free_at = self.free_at.max(sent) + self.setting.rate.time_to_send(bytes + 40);
            let at = self.free_at + self.setting.base_rtt / 2;
            self.count += 1;
            let transit = at.since(self.now).as_nanos();
            self.coming.push(Reverse((at, self.count, index, bytes, transit)));
            flow.flying += bytes;
        }
    }

    fn open(&mut self, index: u32, bytes: u64) {
        self.flows[index as usize] = Flow { open: true, left: bytes, ..Flow::default() };
        self.policy.opened(self.now, index, bytes, &mut self.grants);
        if !self.policy.gives_credit() {
            self.flows[index as usize].window = self.policy.largest();
        }
        self.note();
    }

    /// Lets packets arrive and timers expire until a time. How much of its window a flow uses depends on `quiet`.
    fn until(&mut self, end: Time, quiet: u32, transits: bool) {
        loop {
            let arrival = self.coming.peek().map_or(Time::NEVER, |coming| coming.0.0);
            let at = arrival.min(self.policy.wake_at());
            if at > end {
                self.now = self.now.max(end);
                return;
            }
            self.now = self.now.max(at);
            if arrival <= at {
                let Reverse((_, _, index, bytes, transit)) = self.coming.pop().unwrap();
                let flow = &mut self.flows[index as usize];
                if !flow.open {
                    continue;
                }
                flow.flying = flow.flying.saturating_sub(bytes);
                flow.left = flow.left.saturating_sub(bytes);
                flow.shortest = transit;
                let transit = transits.then(|| Duration::from_nanos(transit));
                if self.policy.gives_credit() {
                    flow.window = flow.window.saturating_sub(bytes);
                }
                let arrival = Arrival { bytes, left: flow.left, transit };
                self.arrived += bytes;
                self.policy.arrived(self.now, index, arrival, &mut self.grants);
            } else {
                self.policy.wake(self.now, &mut self.grants);
            }
            self.note();
            for index in 0..self.flows.len() as u32 {
                self.send(index, PARTS[((index + quiet) % 7) as usize]);
            }
        }
    }
}

/// A day in the life of a host.
fn tell(record: &mut Record, name: &str, spec: &HostPolicySpec, setting: Setting, seed: u64) {
    let mut random = stream(seed, "host");
    let mut host = Host {
        record,
        policy: spec.build(setting),
        grants: Grants::default(),
        flows: vec![Flow::default(); 24],
        setting,
        now: Time::ZERO,
        free_at: Time::ZERO,
        coming: BinaryHeap::new(),
        count: 0,
        granted: 0,
        arrived: 0,
    };
    for turn in 0..60 {
        let most = if turn % 20 < 10 { 4 } else { 24 };
        for _ in 0..random.random_range(0..4) {
            let index = random.random_range(0..most);
            let bytes = [500, 64_000, 3_000_000, 1460][random.random_range(0..4)];
            let flow = host.flows[index as usize];
            if !flow.open {
                host.open(index, bytes);
            } else if flow.left == 0 {
                host.flows[index as usize].left = bytes;
                host.policy.expects(host.now, index, bytes, &mut host.grants);
                host.note();
            } else if random.random_range(0..3) == 0 {
                host.flows[index as usize] = Flow::default();
                host.policy.ended(host.now, index, &mut host.grants);
                host.note();
            }
            host.send(index, 100);
        }
        let quiet = turn / 6;
        let wait = setting.base_rtt * random.random_range(1..30);
        host.until(host.now + wait, quiet, seed.is_multiple_of(2));
    }
    let state =
        format!("{} grants, {} B arrived, largest {}", host.granted, host.arrived, host.policy.largest());
    record.line(name, &state);
}

/// Hosts that differ in rate, distance and packets.
fn settings() -> [(&'static str, Setting); 3] {
    let setting =
        |bps, us, mtu| Setting { rate: BitRate::from_bps(bps), base_rtt: Duration::from_micros(us), mtu };
    [
        ("1 Gbit/s", setting(1_000_000_000, 100, 1500)),
        ("10 Gbit/s", setting(10_000_000_000, 50, 9000)),
        ("20 Mbit/s", setting(20_000_000, 5000, 1500)),
    ]
}

#[test]
fn hosts_grant_as_recorded() {
    let mut record = Record::new(&file("hosts"));
    for spec in HostPolicySpec::all_defaults() {
        for (host, setting) in settings() {
            for seed in 1..=4 {
                tell(&mut record, &format!("{}, {host}, day {seed}", spec.name()), &spec, setting, seed);
            }
        }
    }
    for descriptor in HostPolicySpec::descriptors() {
        for (change, spec) in variants::<HostPolicySpec>(descriptor.name, &descriptor.fields, &[]) {
            for (host, setting) in settings() {
                tell(&mut record, &format!("{}, {change}, {host}", spec.name()), &spec, setting, 2);
            }
        }
    }
    record.finish();
}
