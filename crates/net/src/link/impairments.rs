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
    recorded: bool,
    scripted: bool,
    pub lossy: bool,
    rare: Box<Rare>,
}

#[derive(Clone, Debug)]
struct Rare {
    loss: f64,
    loss_rng: Stream,
    /// Sorted.
    drop_list: Vec<u64>,
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
        let mut drop_list = direction.drop_list.clone();
        drop_list.sort_unstable();
        Impairments {
            mtu: u16::try_from(direction.largest_packet()).unwrap_or(u16::MAX),
            recorded: config.recorded,
            scripted: !drop_list.is_empty(),
            lossy: direction.loss.get() > 0.0,
            rare: Box::new(Rare {
                loss: direction.loss.get(),
                loss_rng: config.streams.of("loss"),
                drop_list,
                arrivals: Ring::default(),
            }),
        }
    }

    /// Takes note of the `n`-th arrival. Says why it must not enter the queue, if it must not.
    #[inline]
    pub fn refuse(&mut self, now: Time, packet: &impl Carried, n: u64) -> Option<DropReason> {
        let size = packet.size();
        if self.recorded
            && let Some(flow) = packet.flow()
        {
            self.rare.arrivals.push(Arrival { time: now, flow, size });
        }
        if size > u32::from(self.mtu) {
            return Some(DropReason::TooBig);
        }
        (self.scripted && self.rare.drop_list.binary_search(&n).is_ok()).then_some(DropReason::Scripted)
    }

    /// True if a list names packets to drop.
    pub fn is_scripted(&self) -> bool {
        self.scripted
    }

    /// True if a transmitted packet is lost on the way.
    #[inline]
    pub fn lose(&mut self) -> bool {
        self.lossy && self.rare.loss_rng.random::<f64>() < self.rare.loss
    }

    /// The arrivals noted.
    pub fn arrivals(&mut self) -> &mut Ring<Arrival> {
        &mut self.rare.arrivals
    }
}
