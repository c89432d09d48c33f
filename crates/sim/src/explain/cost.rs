//! What a run is expected to take, before it is made: packet-hops, time and memory. An estimate from rates and buffers:
//! it knows nothing of windows that grow and shrink, and takes all data packets to be full.

use dumbbell_core::Time;
use dumbbell_core::results::FlowRow;
use serde::Serialize;

use super::facts::{GroupFacts, LinkFacts};
use crate::engine::{PACKET_BYTES, PacketRates};
use crate::pairs::Pair;
use crate::plan::{Plan, PlannedLink};

/// Time for a packet over a link: `bench/record.txt` has from 27 ns (long flows) to 65 ns (datagrams, RCP).
const SECONDS_PER_HOP: f64 = 50e-9;

/// Bytes of a packet on a link: what it takes, and the room to grow by a quarter.
const BYTES_PER_PACKET: f64 = PACKET_BYTES as f64 * 1.25;

/// Bytes of a flow in progress: `bench/record.txt`, an idle TCP connection, with room for the next.
const BYTES_PER_ACTIVE_FLOW: f64 = 1_200.0;

/// Bytes of a row of the table of flows, while it is made and as it is returned.
const BYTES_PER_FLOW: f64 = 2.0 * size_of::<FlowRow>() as f64;

/// Bytes of a row of samples or drops: three or four whole numbers of 4 bytes, one or two real ones of 8.
const BYTES_PER_ROW: f64 = 28.0;

/// Bytes of an arrival, on the link and in its table.
const BYTES_PER_ARRIVAL: f64 = 44.0;

/// The most that a flow has in the network: the largest window of RFC 7323 section 2.3.
const LARGEST_WINDOW: f64 = (1_u64 << 30) as f64;

/// Acknowledgements for each data packet (RFC 5681 section 4.2).
const ACKNOWLEDGEMENTS: f64 = 0.5;

/// Rounds in which overloaded links tell those behind them how little is left.
const ROUNDS: usize = 4;

/// The least share of a link that a short flow finds.
const LEAST_SHARE: f64 = 0.05;

/// What a run is expected to take.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Cost {
    /// Packets over links, dropped ones too.
    pub packet_hops: f64,
    /// Time to compute, in seconds, on the machine of `bench/record.txt`.
    pub seconds: f64,
    /// Bytes of memory.
    pub memory: f64,
    /// Where these go, largest first.
    pub parts: Vec<Share>,
}

/// A part of the memory of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Share {
    /// What takes it: `queue of left->right`.
    pub what: String,
    /// Bytes.
    pub bytes: f64,
}

/// Data that all flows of a pair are offered together: all of it, or as much as the network takes.
struct Stream<'p> {
    pair: &'p Pair,
    /// The share of its packets on each path, forward and reverse.
    shares: [Vec<f64>; 2],
    /// Bits a second.
    rate: f64,
    /// Bytes of a packet.
    packet: f64,
    acknowledged: bool,
}

/// What enters a link in a second.
#[derive(Clone, Copy, Default)]
struct Inflow {
    bits: f64,
    packets: f64,
    acknowledgements: f64,
}

impl Plan {
    /// The packets to expect.
    pub(crate) fn traffic(&self) -> PacketRates {
        let (streams, _) = self.streams(self.duration.as_secs_f64());
        let (inflow, passed) = self.inflow(&streams);
        let mut data = vec![0.0; self.nodes.len()];
        let mut acknowledgements = vec![0.0; self.nodes.len()];
        for Stream { pair, shares: [shares, _], rate, packet, acknowledged } in &streams {
            let passes = |path: &[u32]| path.iter().map(|link| passed[*link as usize]).product::<f64>();
            let arrives: f64 =
                pair.forward.iter().zip(shares).map(|(path, share)| share * passes(path)).sum();
            let packets = rate * arrives / 8.0 / packet;
            data[pair.destination as usize] += packets;
            if *acknowledged {
                acknowledgements[pair.source as usize] += packets * ACKNOWLEDGEMENTS;
            }
        }
        PacketRates {
            links: inflow.iter().map(|i| i.packets + i.acknowledgements).collect(),
            data,
            acknowledgements,
        }
    }

    /// What the run is expected to take, given the rest of its explanation.
    pub(crate) fn cost(&self, links: &[LinkFacts], groups: &[GroupFacts]) -> Cost {
        let seconds = self.duration.as_secs_f64();
        let (streams, greedy) = self.streams(seconds);
        let (inflow, passed) = self.inflow(&streams);

        let mut parts = Vec::new();
        let mut packet_hops = 0.0;
        let (mut dropped, mut arrived) = (0.0, 0.0);
        for (i, (link, facts)) in self.links.iter().zip(links).enumerate() {
            let enters = inflow[i].packets * seconds;
            packet_hops += enters + inflow[i].acknowledgements * seconds;
            let limit = facts
                .buffer_bytes
                .map_or(f64::INFINITY, |bytes| bytes as f64 / f64::from(link.direction.largest_packet()));
            // Of flows that adapt, as many as the windows allow wait where they are slowed down.
            let windows = greedy[i] * LARGEST_WINDOW / f64::from(link.direction.largest_packet());
            let held = (enters * (1.0 - passed[i]) + windows.min(enters)).min(limit);
            dropped += (enters * (1.0 - passed[i]) - held).max(0.0);
            if link.recorded {
                arrived += enters;
            }
            let flight = inflow[i].packets * passed[i] * link.direction.delay.as_secs_f64().min(seconds);
            parts.push((format!("queue of {}", link.name), held * BYTES_PER_PACKET));
            parts.push((format!("packets in flight on {}", link.name), flight * BYTES_PER_PACKET));
        }
        let started: f64 = groups.iter().map(|g| g.flows).sum();
        // The first packet of a flow and its answer, whatever comes of it.
        let links_there_and_back: usize = self.pairs.iter().map(|p| p.forward.len() + p.reverse.len()).sum();
        packet_hops += started * links_there_and_back as f64 / self.pairs.len().max(1) as f64;
        let active = self.active_flows(groups, links);
        let sampled: f64 = active.iter().zip(&self.groups).filter(|(_, g)| g.sampled).map(|(n, _)| n).sum();
        parts.push(("flows in progress".to_owned(), active.iter().sum::<f64>() * BYTES_PER_ACTIVE_FLOW));
        if self.record.flows {
            parts.push(("table of flows".to_owned(), started * BYTES_PER_FLOW));
        }
        if let (true, Some(period)) = (self.record.samples, self.record.period) {
            let of_link = |link: &PlannedLink| if link.changes_rate() { 4.0 } else { 3.0 };
            let links: f64 = self.links.iter().filter(|l| l.sampled).map(of_link).sum();
            // What is received, goodput, window and RTT; queue, throughput, drops and a capacity that changes.
            let rows = (4.0 * sampled + links) * seconds / period.as_secs_f64();
            parts.push(("table of samples".to_owned(), rows * BYTES_PER_ROW));
        }
        if self.record.drops {
            parts.push(("table of drops".to_owned(), dropped * BYTES_PER_ROW));
        }
        parts.push(("table of arrivals".to_owned(), arrived * BYTES_PER_ARRIVAL));
        if let Some(replay) = &self.replay {
            packet_hops += replay.source.explain().cost.packet_hops;
        }
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        Cost {
            packet_hops,
            seconds: packet_hops * SECONDS_PER_HOP,
            memory: parts.iter().map(|(_, bytes)| bytes).sum(),
            parts: parts
                .into_iter()
                .filter(|(_, bytes)| *bytes >= 1.0)
                .map(|(what, bytes)| Share { what, bytes })
                .collect(),
        }
    }

    /// What is offered to each pair, and for each link how many flows without end it slows down.
    fn streams(&self, seconds: f64) -> (Vec<Stream<'_>>, Vec<f64>) {
        let end = Time::ZERO + self.duration;
        let mut greedy = vec![0.0; self.links.len()];
        let started = || self.flows.iter().filter(|f| f.start < end);
        let adapts = |group: u32| {
            let group = &self.groups[group as usize];
            group.replay.is_none() && group.transport.offered_rate().is_none()
        };
        for flow in started().filter(|f| adapts(f.group) && f.size.is_none()) {
            self.slowest(&self.pairs[flow.pair as usize]).into_iter().for_each(|l| greedy[l] += 1.0);
        }
        // A closed loop takes what it finds, as flows without end do, or less: it may wait, or have done.
        for (pair, _) in self.workloads.iter().flat_map(|w| {
            let facts = w.traffic.facts();
            if facts.rate.is_none() { facts.offered } else { Vec::new() }
        }) {
            self.slowest(&self.pairs[pair as usize]).into_iter().for_each(|l| greedy[l] += 1.0);
        }
        let limit =
            |pair: &Pair| self.slowest(pair).map_or(0.0, |l| self.links[l].direction.rate.as_bps() as f64);
        let share = |pair: &Pair, greedy: &[f64]| {
            limit(pair) / self.slowest(pair).map_or(1.0, |l| greedy[l].max(1.0))
        };
        // By pair, not by flow: a list of a million flows may lie on one pair.
        let mut rates = vec![[0.0; 2]; self.pairs.len()];
        let mut add = |pair: u32, rate: f64, acknowledged: bool| {
            rates[pair as usize][usize::from(acknowledged)] += rate;
        };
        for flow in started() {
            let group = &self.groups[flow.group as usize];
            let pair = &self.pairs[flow.pair as usize];
            let rate = match (&group.replay, group.transport.offered_rate(), flow.size) {
                (Some(packets), ..) => {
                    packets.iter().map(|(_, size)| f64::from(*size) * 8.0).sum::<f64>() / seconds
                }
                (None, Some(rate), None) => rate,
                (None, _, Some(size)) => {
                    (group.transport.wire_bytes(size, pair.mtu) as f64 * 8.0 / seconds).min(limit(pair))
                }
                (None, None, None) => share(pair, &greedy),
            };
            add(flow.pair, rate, adapts(flow.group));
        }
        for workload in &self.workloads {
            let facts = workload.traffic.facts();
            for (pair, rate) in facts.offered {
                let rate =
                    if facts.rate.is_some() { rate } else { share(&self.pairs[pair as usize], &greedy) };
                add(pair, rate, adapts(workload.group));
            }
        }
        let of_pair = |(pair, rates): (_, [f64; 2])| {
            let kinds = [false, true].into_iter().zip(rates).filter(|(_, rate)| *rate > 0.0);
            kinds.map(move |(acknowledged, rate)| self.stream(pair, rate, acknowledged))
        };
        (self.pairs.iter().zip(rates).flat_map(of_pair).collect(), greedy)
    }

    fn stream<'p>(&self, pair: &'p Pair, rate: f64, acknowledged: bool) -> Stream<'p> {
        let shares = [&pair.forward, &pair.reverse].map(|paths| self.choice.shares(paths));
        Stream { pair, shares, rate, packet: f64::from(pair.mtu.max(1)), acknowledged }
    }

    /// The link that limits the data of a pair, the first of equals.
    fn slowest(&self, pair: &Pair) -> Option<usize> {
        pair.forward.first().iter().map(|l| *l as usize).min_by_key(|l| self.links[*l].direction.rate)
    }

    /// What enters each link, and the share of it that the link can pass on.
    fn inflow(&self, streams: &[Stream<'_>]) -> (Vec<Inflow>, Vec<f64>) {
        let mut passed = vec![1.0; self.links.len()];
        let mut inflow = Vec::new();
        for _ in 0..ROUNDS {
            inflow = vec![Inflow::default(); self.links.len()];
            for stream in streams {
                let [forward, reverse] = &stream.shares;
                let mut arrived = 0.0;
                for (path, share) in stream.pair.forward.iter().zip(forward) {
                    let mut rate = stream.rate * share;
                    for link in path.iter().map(|l| *l as usize) {
                        inflow[link].bits += rate;
                        inflow[link].packets += rate / 8.0 / stream.packet;
                        rate *= passed[link];
                    }
                    arrived += rate / 8.0 / stream.packet;
                }
                if stream.acknowledged {
                    for (path, share) in stream.pair.reverse.iter().zip(reverse) {
                        for link in path {
                            inflow[*link as usize].acknowledgements += arrived * share * ACKNOWLEDGEMENTS;
                        }
                    }
                }
            }
            let share = |(inflow, link): (&Inflow, &PlannedLink)| {
                (link.direction.rate.as_bps() as f64 / inflow.bits.max(1.0)).min(1.0)
            };
            let before = std::mem::replace(&mut passed, inflow.iter().zip(&self.links).map(share).collect());
            if passed == before {
                break;
            }
        }
        (inflow, passed)
    }

    /// For each group, flows in progress at a time at most: by Little's law where flows come and go.
    fn active_flows(&self, groups: &[GroupFacts], links: &[LinkFacts]) -> Vec<f64> {
        let load = links.iter().map(|l| l.load).fold(0.0, f64::max);
        let share = (1.0 - load).max(LEAST_SHARE);
        let rates =
            self.pairs.iter().filter_map(|p| self.slowest(p)).map(|l| self.links[l].direction.rate.as_bps());
        let rate = rates.min().unwrap_or(1) as f64;
        let rtt = self.pairs.iter().map(|p| p.base_rtt.as_secs_f64()).fold(0.0, f64::max);
        let seconds = self.duration.as_secs_f64();
        let of_group = |group: &GroupFacts| match (group.arrival_rate, group.mean_wire) {
            (Some(arrivals), Some(wire)) => {
                let stay = (4.0 * rtt + wire * 8.0 / (rate * share)).min(seconds);
                // What an overloaded link does not let end stays.
                let stuck = if load > 1.0 { group.flows * (1.0 - 1.0 / load) } else { 0.0 };
                (arrivals * stay).max(stuck).min(group.flows)
            }
            _ => group.flows,
        };
        groups.iter().map(of_group).collect()
    }
}
