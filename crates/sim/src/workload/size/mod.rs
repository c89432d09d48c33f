//! Flow sizes: distributions of application bytes. One file each, one line each in the registry.

pub mod bounded_pareto;
pub mod campus;
mod contract;
pub mod empirical;
pub mod exponential;
pub mod fixed;
pub mod lognormal;
pub mod pareto;
pub mod uniform;

#[cfg(test)]
mod tests;

use dumbbell_core::registry;

pub use contract::{Law, SizeParams, Sizes, Tail, average_by_quantiles};
use contract::{POINTS, check_above, uniform_moment};

registry! {
    /// A distribution of flow sizes with its parameters.
    pub enum SizeSpec in "size" as SizeParams {
        Fixed(fixed::Fixed),
        Uniform(uniform::Uniform),
        Exponential(exponential::Exponential),
        Pareto(pareto::Pareto),
        BoundedPareto(bounded_pareto::BoundedPareto),
        Lognormal(lognormal::Lognormal),
        CampusWeb(campus::CampusWeb),
        Campus10M(campus::Campus10M),
        CampusWeb10M(campus::CampusWeb10M),
        Empirical(empirical::Empirical),
    }
}
