//! Random streams: one per component, derived from the seed and the component's name, so that adding a component
//! never changes what another draws (common random numbers between two designs).

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A component's own stream of random numbers.
pub type Stream = Xoshiro256PlusPlus;

/// The stream of the component `name` in a run with `seed`.
pub fn stream(seed: u64, name: &str) -> Stream {
    // FNV-1a separates names; the generator's own SplitMix64 seeding spreads the result over its state.
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
    Stream::seed_from_u64(hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17))
}

/// The streams of one component that draws for several purposes, one for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Streams {
    seed: u64,
    name: String,
}

impl Streams {
    /// The streams of the component `name` in a run with `seed`.
    pub fn new(seed: u64, name: impl Into<String>) -> Streams {
        Streams { seed, name: name.into() }
    }

    /// The stream for one purpose.
    pub fn of(&self, purpose: &str) -> Stream {
        stream(self.seed, &format!("{purpose} {}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn streams_differ_by_name_and_by_seed_and_repeat() {
        let draw = |seed, name| stream(seed, name).next_u64();
        assert_eq!(draw(1, "workload 0"), draw(1, "workload 0"));
        assert_ne!(draw(1, "workload 0"), draw(1, "workload 1"));
        assert_ne!(draw(1, "workload 0"), draw(2, "workload 0"));
    }
}
