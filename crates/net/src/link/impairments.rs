//! What happens to packets apart from queueing: the MTU, scripted drops, random loss. A link without
//! these pays for one test of a flag.

use dumbbell_core::rng::Stream;
use dumbbell_core::{DropReason, Time};
use rand::RngExt;

use super::{Carried, LinkConfig};
use crate::ring::Ring;

/// The MTU, scripted drops and random loss of a link.
#[derive(Clone, Debug)]
pub(super) struct Impairments {
    mtu: u16,
    pub lossy: bool,
    /// What most links do without.
    rare: Option<Box<Rare>>,
}

#[derive(Clone, Debug)]
struct Rare {
    /// The share of packets lost, and what decides on each.
    loss: Option<(f64, Stream)>,
    /// Sorted.
    drop_list: Vec<u64>,
    recorded: bool,
    arrivals: Ring<Arrival>,
}

/// A packet that arrived at a link, whatever became of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// When.
    pub time: Time,
    /// The flow, as [`Carried::flow`] gives it.
    pub flow: u32,
    /// Bytes, headers included.
    pub size: u32,
}

impl Impairments {
    pub fn new(config: &LinkConfig) -> Impairments {
        let direction = &config.direction;
        let loss = Some(direction.loss.get()).filter(|share| *share > 0.0);
        let lossy = loss.is_some();
        let rare = || {
            let mut drop_list = direction.drop_list.clone();
            drop_list.sort_unstable();
            let loss = loss.map(|share| (share, config.streams.of("loss")));
            Box::new(Rare { loss, drop_list, recorded: config.recorded, arrivals: Ring::default() })
        };
        Impairments {
            mtu: u16::try_from(direction.largest_packet()).unwrap_or(u16::MAX),
            lossy,
            rare: (lossy || config.recorded || !direction.drop_list.is_empty()).then(rare),
        }
    }

    /// Takes note of the `n`-th arrival. Says why it must not enter the queue, if it must not.
    #[inline]
    pub fn refuse(&mut self, now: Time, packet: &impl Carried, n: u64) -> Option<DropReason> {
        let scripted = self.rare.as_mut().is_some_and(|rare| rare.note(now, packet, n));
        if packet.size() > u32::from(self.mtu) {
            return Some(DropReason::TooBig);
        }
        scripted.then_some(DropReason::Scripted)
    }

    /// Packets of fewer bytes are not refused, and no arrival is noted; zero if each must be looked at.
    pub fn unseen_below(&self) -> u16 {
        if self.rare.is_some() { 0 } else { self.mtu.saturating_add(1) }
    }

    /// True if a list names packets to drop.
    pub fn is_scripted(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| !rare.drop_list.is_empty())
    }

    /// True if a transmitted packet is lost on the way.
    #[inline]
    pub fn lose(&mut self) -> bool {
        self.rare.as_mut().is_some_and(|rare| rare.lose())
    }

    /// The next of the arrivals noted.
    pub fn next_arrival(&mut self) -> Option<Arrival> {
        self.rare.as_mut()?.arrivals.drain_one()
    }
}

impl Rare {
    /// Takes note of the `n`-th arrival. True if it is to be dropped.
    #[cold]
    #[inline(never)]
    fn note(&mut self, now: Time, packet: &impl Carried, n: u64) -> bool {
        if self.recorded
            && let Some(flow) = packet.flow()
        {
            self.arrivals.push(Arrival { time: now, flow, size: packet.size() });
        }
        self.drop_list.binary_search(&n).is_ok()
    }

    fn lose(&mut self) -> bool {
        self.loss.as_mut().is_some_and(|(share, rng)| rng.random::<f64>() < *share)
    }
}
