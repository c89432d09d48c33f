//! Random streams: one per component, derived from the seed and the component's name, so that adding a component
//! never changes what another draws (common random numbers between two designs).

use std::convert::Infallible;
use std::sync::Arc;

use dumbbell_cc::Random;
use rand::TryRng;

/// A component's own stream of random numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stream(Random);

impl Stream {
    /// Moves on by 2^128 draws: to a part of the stream that nothing else reaches.
    pub fn jump(&mut self) {
        self.0.jump();
    }

    /// The stream after so many jumps.
    #[must_use]
    pub fn jumped(mut self, times: u32) -> Stream {
        (0..times).for_each(|_| self.jump());
        self
    }
}

impl From<Random> for Stream {
    fn from(random: Random) -> Stream {
        Stream(random)
    }
}

impl From<Stream> for Random {
    fn from(stream: Stream) -> Random {
        stream.0
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        count::one();
        // The lowest bits have some linear dependencies.
        Ok((self.0.draw() >> 32) as u32)
    }
    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        count::one();
        Ok(self.0.draw())
    }
    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        count::one();
        bytes
            .chunks_mut(8)
            .for_each(|chunk| chunk.copy_from_slice(&self.0.draw().to_le_bytes()[..chunk.len()]));
        Ok(())
    }
}

/// How many numbers the streams of this thread have given: tests compare it with what a plan declares. Optimised builds without
/// debug assertions do not count.
#[cfg(debug_assertions)]
pub fn drawn() -> u64 {
    count::DRAWN.get()
}

#[cfg(debug_assertions)]
mod count {
    use std::cell::Cell;

    thread_local! {
        pub static DRAWN: Cell<u64> = const { Cell::new(0) };
    }

    pub fn one() {
        DRAWN.set(DRAWN.get() + 1);
    }
}

#[cfg(not(debug_assertions))]
mod count {
    #[inline(always)]
    pub const fn one() {}
}

/// The stream of the component `name` in a run with `seed`.
pub fn stream(seed: u64, name: &str) -> Stream {
    of_parts(seed, &[name])
}

/// The same for a name in parts, one behind the other.
fn of_parts(seed: u64, name: &[&str]) -> Stream {
    // FNV-1a separates names; the generator's own SplitMix64 seeding spreads the result over its state.
    let bytes = name.iter().flat_map(|part| part.bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
    Stream(Random::of(hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17)))
}

/// The streams of one component that draws for several purposes, one for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Streams {
    seed: u64,
    name: Arc<str>,
}

impl Streams {
    /// The streams of the component `name` in a run with `seed`.
    pub fn new(seed: u64, name: impl Into<Arc<str>>) -> Streams {
        Streams { seed, name: name.into() }
    }

    /// The stream for one purpose.
    pub fn of(&self, purpose: &str) -> Stream {
        of_parts(self.seed, &[purpose, " ", &self.name])
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn a_stream_is_that_of_the_crate_rand_xoshiro() {
        for seed in [0, 1, u64::MAX, 0x1234_5678_9abc_def0] {
            let (mut ours, mut theirs) = (Stream(Random::of(seed)), Xoshiro256PlusPlus::seed_from_u64(seed));
            for _ in 0..3 {
                assert_eq!(ours.next_u64(), theirs.next_u64());
                assert_eq!(ours.next_u32(), theirs.next_u32());
                let (mut a, mut b) = ([0; 21], [0; 21]);
                ours.fill_bytes(&mut a);
                theirs.fill_bytes(&mut b);
                assert_eq!(a, b);
                ours.jump();
                theirs.jump();
            }
        }
    }

    #[test]
    fn streams_differ_by_name_and_by_seed_and_repeat() {
        let draw = |seed, name| stream(seed, name).next_u64();
        assert_eq!(draw(1, "workload 0"), draw(1, "workload 0"));
        assert_ne!(draw(1, "workload 0"), draw(1, "workload 1"));
        assert_ne!(draw(1, "workload 0"), draw(2, "workload 0"));
    }

    #[test]
    fn the_stream_of_a_purpose_is_that_of_the_purpose_and_the_name() {
        assert_eq!(Streams::new(1, "left->right").of("loss"), stream(1, "loss left->right"));
    }
}
