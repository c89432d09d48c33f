//! Topologies: one file each, one line each in the registry. A topology builds a [`Network`].

pub mod chain;
mod contract;
pub mod dumbbell;
pub mod fat_tree;
pub mod graph;
pub mod leaf_spine;
mod network;
pub mod parking_lot;
pub mod random;
pub mod star;

use dumbbell_core::registry;

use contract::to_host;
pub use contract::{MAX_HOSTS, Topology, check_count};
pub use network::{Names, Network, NetworkLink};

registry! {
    /// A topology with its parameters.
    pub enum TopologySpec in "topology" as Topology {
        Dumbbell(dumbbell::Dumbbell),
        Chain(chain::Chain),
        Star(star::Star),
        ParkingLot(parking_lot::ParkingLot),
        FatTree(fat_tree::FatTree),
        LeafSpine(leaf_spine::LeafSpine),
        RandomTree(random::tree::RandomTree),
        Waxman(random::waxman::Waxman),
        BarabasiAlbert(random::barabasi_albert::BarabasiAlbert),
        Graph(graph::Graph),
    }
}
