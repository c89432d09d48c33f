//! The figures of a plan that `dumbbell check` shows.

pub mod cost;
mod draws;
mod facts;
mod shortage;

use dumbbell_core::{Duration, Time};
use dumbbell_net::buffer::SharedBuffer;
use dumbbell_net::queue::{Level, Limit, Threshold};
use dumbbell_proto::TransportSpec;
use serde::Serialize;

use cost::Cost;
pub use draws::Draw;
pub use facts::{GroupFacts, LinkFacts, PairFacts, PowerFacts, ThresholdFacts};

use crate::pairs::Pair;
use crate::plan::{Plan, PlannedLink};

/// A plan in figures. Times in seconds, rates in bits per second, sizes in bytes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Explanation {
    /// The seed of every random stream.
    pub seed: u64,
    /// Simulated time.
    pub duration: f64,
    /// Part of it that no figure counts.
    pub warmup: f64,
    /// Time for counted flows to end behind it.
    pub drain: f64,
    /// SHA-256 of the resolved scenario.
    pub hash: String,
    /// Node names.
    pub nodes: Vec<String>,
    /// Directed links.
    pub links: Vec<LinkFacts>,
    /// Pairs of nodes that exchange packets.
    pub pairs: Vec<PairFacts>,
    /// Entries of `flows`, then of `workloads`.
    pub groups: Vec<GroupFacts>,
    /// What may draw random numbers. Of a plan where nothing does, every seed makes the same run.
    pub draws: Vec<Draw>,
    /// Flows to expect in all.
    pub flows: f64,
    /// What the run is expected to take.
    pub cost: Cost,
    /// What is legal but may not be meant.
    pub notes: Vec<String>,
}

impl Plan {
    /// The plan in figures.
    pub fn explain(&self) -> Explanation {
        let mut load = vec![0.0; self.links.len()];
        let mut notes = Vec::new();
        let mut groups = self.listed(&mut load, &mut notes);
        for workload in &self.workloads {
            let facts = workload.traffic.facts();
            self.add_load(&mut load, facts.offered.iter().copied());
            let group = &self.groups[workload.group as usize];
            if facts.late > 0 {
                notes.push(format!("{}: {} flows start after the end of the run", group.name, facts.late));
            }
            if facts.flows == 0.0 {
                notes.push(format!("{}: no flow starts before the end of the run", group.name));
            }
            groups.push(GroupFacts {
                name: group.name.clone(),
                kind: workload.kind,
                transport: group.transport.name(),
                controller: group.transport.controller(),
                flows: facts.flows,
                arrival_rate: facts.rate,
                mean_size: Some(facts.mean_size),
                tail: facts.tail,
                mean_wire: Some(facts.mean_wire),
                offered: facts.rate.map(|_| facts.offered.iter().map(|(_, rate)| rate).sum()),
                payload: self.payload(&group.transport),
            });
        }
        let mut crossing = vec![0; self.links.len()];
        for pair in &self.pairs {
            for link in pair.forward.links().iter().chain(pair.reverse.links().iter()) {
                crossing[*link as usize] += 1;
            }
        }
        let links: Vec<LinkFacts> = (self.links.iter().zip(load).zip(crossing))
            .map(|((link, load), pairs)| self.link_facts(link, load, pairs))
            .collect();
        for link in &links {
            if link.load > 1.0 {
                notes.push(format!("{}: the offered load is {:.3} of its rate", link.name, link.load));
            }
            if link.buffer_bytes.is_some_and(|bytes| bytes < u64::from(link.mtu)) {
                notes.push(format!("{}: the buffer holds no packet of {} B", link.name, link.mtu));
            }
        }
        if let Some(replay) = &self.replay {
            let link = &self.links[replay.link as usize].name;
            notes.push(format!(
                "two runs: what arrives at {link} in the first enters it again in the second, alone; results are of the second"
            ));
        }
        let cost = self.cost(&links, &groups);
        Explanation {
            seed: self.seed,
            duration: self.duration.as_secs_f64(),
            warmup: self.warmup.as_secs_f64(),
            drain: self.drain.as_secs_f64(),
            hash: self.origin.hash(),
            nodes: self.nodes.iter().map(ToString::to_string).collect(),
            links,
            pairs: self.pairs.iter().map(|pair| self.pair_facts(pair)).collect(),
            draws: self.draws(),
            flows: groups.iter().map(|g| g.flows).sum(),
            cost,
            groups,
            notes,
        }
    }

    /// The groups of listed flows. What their sources offer without adapting is added to `load`.
    fn listed(&self, load: &mut [f64], notes: &mut Vec<String>) -> Vec<GroupFacts> {
        let end = Time::ZERO + self.duration;
        let count = self.groups.len() - self.workloads.len();
        let mut members = vec![Vec::new(); count];
        let flows = self.listed_flows();
        flows.iter().for_each(|flow| members[flow.group as usize].push(flow));
        let facts = |(group, flows): (&crate::plan::Group, Vec<&crate::workload::Flow>)| {
            let started = flows.iter().filter(|f| f.start < end).count();
            if started < flows.len() {
                let late = flows.len() - started;
                notes.push(format!("{}: {late} flows start after the end of the run", group.name));
            }
            let each = match &group.replay {
                Some(packets) => Some(replayed_rate(packets, self.duration)),
                None => group.transport.offered_rate().filter(|_| flows.iter().any(|f| f.size.is_none())),
            };
            if let Some(each) = each {
                self.add_load(load, flows.iter().filter(|f| f.start < end).map(|f| (f.pair, each)));
            }
            let size = flows.first().and_then(|f| f.size);
            let wire = size.zip(flows.first()).map(|(size, flow)| {
                group.transport.wire_bytes(size, self.pairs[flow.pair as usize].mtu) as f64
            });
            GroupFacts {
                name: group.name.clone(),
                kind: "flows",
                transport: group.transport.name(),
                controller: group.transport.controller(),
                flows: started as f64,
                arrival_rate: None,
                mean_size: size.map(|n| n as f64),
                tail: None,
                mean_wire: wire,
                offered: each.map(|each| each * started as f64),
                payload: self.payload(&group.transport),
            }
        };
        self.groups[..count].iter().zip(members).map(facts).collect()
    }

    /// The share of data in a transport's packets, where those are as large as any path takes.
    fn payload(&self, transport: &TransportSpec) -> f64 {
        // Many packets, so that the last, which may not be full, does not show.
        const SIZE: u64 = 1_000_000_000_000;
        let mtu = self.pairs.iter().map(|pair| pair.mtu).max();
        mtu.map_or(1.0, |mtu| SIZE as f64 / transport.wire_bytes(SIZE, mtu) as f64)
    }

    /// Adds what is offered to each pair to the load of every link that its data, or a share of it, crosses.
    fn add_load(&self, load: &mut [f64], offered: impl Iterator<Item = (u32, f64)>) {
        for (pair, rate) in offered {
            let paths = &self.pairs[pair as usize].forward;
            for (path, share) in paths.iter().zip(self.choice.shares(paths)) {
                for link in path {
                    load[*link as usize] +=
                        rate * share / self.links[*link as usize].direction.rate.as_bps() as f64;
                }
            }
        }
    }

    fn link_facts(&self, link: &PlannedLink, load: f64, pairs: u64) -> LinkFacts {
        let (direction, mtu) = (&link.direction, link.direction.largest_packet());
        let limit = direction.queue.limit(link.bdp, mtu);
        let shared = link.buffer.map(|i| &self.buffers[i as usize]);
        let limit = match shared.map(SharedBuffer::of_one_port) {
            Some(most) if most < limit.packets.saturating_mul(mtu.into()).min(limit.bytes) => {
                Limit { bytes: most, ..Limit::NONE }
            }
            _ => limit,
        };
        let buffer_packets = (limit.packets != u64::MAX).then_some(limit.packets);
        let buffer_bytes = match buffer_packets {
            Some(packets) => Some(packets.saturating_mul(u64::from(mtu))),
            None => (limit.bytes != u64::MAX).then_some(limit.bytes),
        };
        let threshold = |Threshold { name, level }| ThresholdFacts {
            name,
            packets: level.packets(direction.rate, link.bdp, mtu),
            wait: match level {
                Level::Wait(wait) => Some(wait.as_secs_f64()),
                Level::Length(_) | Level::Packets(_) => None,
            },
        };
        LinkFacts {
            name: link.name.to_string(),
            from: self.nodes[link.from as usize].to_string(),
            to: self.nodes[link.to as usize].to_string(),
            rate: direction.rate.as_bps() as f64,
            delay: direction.delay.as_secs_f64(),
            mtu,
            service: match (&link.trace, direction.rate_changes.is_empty()) {
                (Some(_), _) => "trace",
                (None, false) => "steps",
                (None, true) => "constant",
            },
            queue: direction.queue.name(),
            router: direction.router.as_ref().map(|router| router.name()),
            marker: direction.marker.as_ref().map(|marker| marker.name()),
            power: direction.power.as_ref().map(|power| PowerFacts {
                policy: power.policy.name(),
                rates: power.rates.levels(direction.rate).iter().map(|rate| rate.as_bps() as f64).collect(),
                pause: power.pause.as_secs_f64(),
                guard: power.guard.as_secs_f64(),
                wake: power.wake.as_secs_f64(),
            }),
            bdp: link.bdp,
            bdp_packets: link.bdp as f64 / f64::from(mtu),
            buffer_packets,
            buffer_bytes,
            shared_buffer: shared.map(|buffer| buffer.size.get()),
            thresholds: direction.queue.thresholds(direction.rate).into_iter().map(threshold).collect(),
            buffer_time: buffer_bytes.map(|bytes| direction.rate.time_to_send(bytes).as_secs_f64()),
            loss: direction.loss.get(),
            impairments: direction.impairments.iter().map(|spec| spec.summary()).collect(),
            pairs,
            load,
            sampled: link.sampled,
        }
    }

    fn pair_facts(&self, pair: &Pair) -> PairFacts {
        let path = |links: &[u32]| {
            let first = links.first().map(|l| self.links[*l as usize].from);
            let rest = links.iter().map(|l| self.links[*l as usize].to);
            first.into_iter().chain(rest).map(|n| self.nodes[n as usize].to_string()).collect()
        };
        let rates = pair.forward.iter().flatten().map(|l| self.links[*l as usize].direction.rate);
        PairFacts {
            source: self.nodes[pair.source as usize].to_string(),
            destination: self.nodes[pair.destination as usize].to_string(),
            path: path(pair.forward.first()),
            paths: pair.forward.len() as u64,
            return_path: path(pair.reverse.first()),
            return_paths: pair.reverse.len() as u64,
            base_rtt: pair.base_rtt.as_secs_f64(),
            rate: rates.min().unwrap_or_default().as_bps() as f64,
        }
    }
}

/// Bits per second of a recorded list over the run.
fn replayed_rate(packets: &[(Duration, u32)], duration: Duration) -> f64 {
    let within = packets.iter().take_while(|(time, _)| *time < duration);
    within.map(|(_, size)| f64::from(*size) * 8.0).sum::<f64>() / duration.as_secs_f64()
}
