//! The choice among the equally short paths between two nodes: one file each, one line each in the registry.

pub mod change;
mod contract;
pub mod dealer;
pub mod ecmp;
mod set;
pub mod single;
pub mod spray;

use dumbbell_core::registry;

pub use self::contract::{Choice, Dealing, Order, PathChoice};
pub use self::set::PathSet;

registry! {
    /// A choice among paths with its parameters.
    pub enum ChoiceSpec in "path choice" as PathChoice {
        Single(single::Single),
        Ecmp(ecmp::Ecmp),
        Spray(spray::Spray),
        Change(change::Change),
    }
}
