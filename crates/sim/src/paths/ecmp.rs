//! Equal-cost multipath: each node hashes the flow and takes one of the next hops that are equally short.

use std::sync::Arc;

use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::stream;
use dumbbell_core::{Validate, config};
use rand::Rng;

use super::{Choice, PathChoice, PathSet};

config! {
    /// Each node on the way takes one of its equally short next hops, by a hash of the flow and of its own. Every packet of a
    /// flow and direction takes the same path.
    pub struct Ecmp {}
}

impl Validate for Ecmp {}

impl Algorithm for Ecmp {
    const NAME: &'static str = "ecmp";
    const TITLE: &'static str = "Equal-cost multipath: a hash of the flow chooses at each node";
    const REFERENCE: &'static str = "RFC 2992: the hash-threshold algorithm";
}

impl PathChoice for Ecmp {
    fn choice(&self) -> Choice {
        Choice::PerFlow
    }
}

/// What the nodes of a network add to what they hash, so that one does not choose as the one before it did.
#[derive(Debug)]
pub struct Salts(Vec<u64>);

impl Salts {
    /// Of the nodes with these names, under a seed.
    pub fn new(seed: u64, nodes: &[Arc<str>]) -> Salts {
        Salts(nodes.iter().map(|name| stream(seed, &format!("ecmp {name}")).next_u64()).collect())
    }

    /// The path that the nodes choose for a flow whose header fields are `key`. `from` gives the node that a link leaves.
    pub fn choose(&self, set: &PathSet, key: u64, from: impl Fn(u32) -> u32) -> usize {
        let mut left = 0..set.len();
        let mut hop = 0;
        while left.len() > 1 {
            let ways = set.branches(left.clone(), hop);
            // A path that forks here forks behind the links that all of `left` have in common.
            let node = from(set.path(left.start)[hop]);
            // The hash values are cut into regions of one size, one for each next hop: RFC 2992, hash-threshold.
            let hash = u128::from(mix(key ^ self.0[node as usize]));
            let taken = (hash * ways.len() as u128) >> 64;
            left = ways[taken as usize].clone();
            hop += 1;
        }
        left.start
    }
}

/// The finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): every bit of the result depends on every bit of `z`.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
