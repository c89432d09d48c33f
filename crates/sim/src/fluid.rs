//! The flows of a plan as a fluid: which links can limit them, and how much each sends. No packet, queue or transport is left of
//! the plan, so what a fluid network makes of the flows takes a small part of the time of a run, and goes up and down with it.

use std::collections::HashMap;
use std::fmt;

use dumbbell_core::Time;

use crate::plan::Plan;
use crate::workload::Flow;

/// A plan without packets.
pub struct Fluid<'p> {
    plan: &'p Plan,
    /// Rates of the links that can limit flows, in bit/s.
    pub capacities: Vec<f64>,
    /// For each class of flows the links of these that it crosses, in rising order.
    pub classes: Vec<Vec<usize>>,
    /// The class of each pair.
    class_of: Vec<usize>,
}

/// A flow as a fluid.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FluidFlow {
    /// Index into `Plan::groups`.
    pub group: usize,
    /// Index into [`Fluid::classes`].
    pub class: usize,
    /// When it begins, in seconds.
    pub start: f64,
    /// Bits on the wire; infinite for a flow without an end.
    pub work: f64,
    /// What its completion takes besides: the handshake and the way of the last packet, in seconds.
    pub delay: f64,
    /// True if it starts after the warm-up.
    pub counted: bool,
}

/// Why a plan has no fluid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotFluid {
    /// What starts depends on what has ended.
    Closed,
    /// Packets of a pair take several paths.
    Paths,
    /// Recorded packets are sent, not flows.
    Replay,
}

impl fmt::Display for NotFluid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotFluid::Closed => {
                "a workload starts flows when others end, so arrivals are not known beforehand"
            }
            NotFluid::Paths => "packets of a pair take several paths",
            NotFluid::Replay => "recorded packets are sent, not flows",
        })
    }
}

impl Plan {
    /// The plan as a fluid.
    ///
    /// # Errors
    /// Why it has none.
    pub fn fluid(&self) -> Result<Fluid<'_>, NotFluid> {
        if self.replay.is_some() {
            return Err(NotFluid::Replay);
        }
        if self.has_closed_loops() {
            return Err(NotFluid::Closed);
        }
        if self.pairs.iter().any(|pair| pair.forward.len() > 1) {
            return Err(NotFluid::Paths);
        }
        let end = Time::ZERO + self.duration;
        let rates: Vec<f64> = self
            .links
            .iter()
            .map(|link| {
                let changing = link.changing_capacity(Time::ZERO, end);
                changing.unwrap_or(link.direction.rate.as_bps() as f64)
            })
            .collect();
        let paths: Vec<&[u32]> = self.pairs.iter().map(|pair| pair.forward.path(0)).collect();
        let limits = limiting(&paths, &rates);
        let place: Vec<usize> = running(&limits);
        let mut classes: Vec<Vec<usize>> = Vec::new();
        let mut known = HashMap::new();
        let class_of = paths.iter().map(|path| {
            let kept = path.iter().filter(|link| limits[**link as usize]);
            let mut links: Vec<usize> = kept.map(|link| place[*link as usize]).collect();
            links.sort_unstable();
            *known.entry(links).or_insert_with_key(|links| {
                classes.push(links.clone());
                classes.len() - 1
            })
        });
        let class_of = class_of.collect();
        let capacities = rates.iter().zip(&limits).filter(|(_, limits)| **limits).map(|(rate, _)| *rate);
        Ok(Fluid { plan: self, capacities: capacities.collect(), classes, class_of })
    }
}

/// Which links can limit flows. A link cannot if all that crosses it also crosses one that is no faster.
fn limiting(paths: &[&[u32]], rates: &[f64]) -> Vec<bool> {
    let mut crossing: Vec<Vec<usize>> = vec![Vec::new(); rates.len()];
    for (pair, path) in paths.iter().enumerate() {
        for &link in *path {
            crossing[link as usize].push(pair);
        }
    }
    let narrower = |link: usize, other: usize| {
        // Of links that are alike, the first limits.
        (rates[other], other) < (rates[link], link)
            && crossing[link].iter().all(|pair| paths[*pair].contains(&(other as u32)))
    };
    (0..rates.len())
        .map(|link| {
            let first = crossing[link].first();
            first.is_some_and(|&pair| !paths[pair].iter().any(|&other| narrower(link, other as usize)))
        })
        .collect()
}

/// The places of the chosen among themselves.
fn running(chosen: &[bool]) -> Vec<usize> {
    let mut count = 0;
    let place = |chosen: &bool| {
        count += usize::from(*chosen);
        count.saturating_sub(1)
    };
    chosen.iter().map(place).collect()
}

impl Fluid<'_> {
    /// The flows of the plan under its seed, in order of start.
    pub fn flows(&self) -> impl Iterator<Item = FluidFlow> + use<'_> {
        self.plan.arrivals().map(|flow| self.flow(flow))
    }

    fn flow(&self, Flow { group, pair, start, size }: Flow) -> FluidFlow {
        let (transport, ends) =
            (&self.plan.groups[group as usize].transport, &self.plan.pairs[pair as usize]);
        FluidFlow {
            group: group as usize,
            class: self.class_of[pair as usize],
            start: start.as_secs_f64(),
            work: size.map_or(f64::INFINITY, |size| transport.wire_bytes(size, ends.mtu) as f64 * 8.0),
            delay: 1.5 * ends.base_rtt.as_secs_f64(),
            counted: start >= Time::ZERO + self.plan.warmup,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_that_can_limit_are_kept() {
        // A dumbbell: two ways in, the bottleneck, two ways out.
        let paths: [&[u32]; 2] = [&[0, 2, 3], &[1, 2, 4]];
        let kept = |rates: [f64; 5]| limiting(&paths, &rates);
        assert_eq!(kept([10.0, 10.0, 1.0, 10.0, 10.0]), [false, false, true, false, false]);
        // Equal links of one path: the first of them; the bottleneck can limit both together.
        assert_eq!(kept([1.0, 1.0, 1.5, 1.0, 1.0]), [true, true, true, false, false]);
        // A link that is not used limits nothing.
        assert_eq!(limiting(&[&[0]], &[1.0, 0.5]), [true, false]);
        assert_eq!(running(&[false, true, false, true]), [0, 0, 0, 1]);
    }
}
