//! Flows apart: which of so many buckets the packets of a flow go into.

use dumbbell_core::rng::Stream;
use rand::RngExt;

/// A hash function over flows, drawn at random: multiply-shift (Dietzfelbinger et al., J. Algorithms 25(1), 1997). Two flows share one of
/// `n` buckets with a probability of 2/n at most, over the draws.
#[derive(Clone, Copy, Debug)]
pub struct Salt(u64);

impl Salt {
    /// Draws one.
    pub fn draw(rng: &mut Stream) -> Salt {
        Salt(rng.random::<u64>() | 1)
    }

    /// The bucket, below `buckets`, of the flow with this hash.
    #[inline]
    pub fn bucket(self, flow: u64, buckets: u32) -> usize {
        let spread = flow.wrapping_mul(self.0) >> 32;
        ((spread * u64::from(buckets)) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;

    use super::*;

    #[test]
    fn flows_fill_all_buckets_and_another_draw_fills_them_otherwise() {
        let mut rng = stream(1, "flows");
        let flows: Vec<u64> = (0..12_700).map(|_| rng.random()).collect();
        let mut shared = 0;
        let first = Salt::draw(&mut rng);
        for _ in 0..20 {
            let salt = Salt::draw(&mut rng);
            let mut counts = [0_u32; 127];
            flows.iter().for_each(|flow| counts[salt.bucket(*flow, 127)] += 1);
            // 100 on average, with a standard deviation of 10.
            assert!(counts.iter().all(|n| (50..=150).contains(n)), "{counts:?}");
            shared +=
                flows.iter().filter(|flow| salt.bucket(**flow, 127) == first.bucket(**flow, 127)).count();
        }
        // 100 of 12700 flows stay in their bucket, in each of 20 draws.
        assert!((1_700..2_300).contains(&shared), "{shared}");
    }
}
