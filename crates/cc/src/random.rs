//! Random numbers that are the same in every language.

/// A stream of random numbers: the state of xoshiro256++ (Blackman & Vigna, ACM TOMS 47(4), 2021).
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The stream with this state.
    pub const fn of_state(state: [u64; 4]) -> Random {
        Random { state }
    }

    /// The state, from which the stream goes on.
    pub const fn state(&self) -> [u64; 4] {
        self.state
    }

    /// The stream of a seed, which SplitMix64 spreads over the state, as the authors advise.
    pub fn of(seed: u64) -> Random {
        let mut at = seed;
        let state = [(); 4].map(|()| {
            at = at.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (at ^ (at >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        });
        Random { state }
    }

    /// The next 64 bits.
    // Not an iterator: there is no end.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        let s = &mut self.state;
        let drawn = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        drawn
    }

    /// Moves on by 2^128 draws: to a part of the stream that nothing else reaches.
    pub fn jump(&mut self) {
        const JUMP: [u64; 4] =
            [0x180e_c6d3_3cfd_0aba, 0xd5a6_1266_f0c9_392c, 0xa958_2618_e03f_c9aa, 0x39ab_dc45_29b1_661c];
        let mut to = [0; 4];
        for word in JUMP {
            for bit in 0..64 {
                if word >> bit & 1 == 1 {
                    to.iter_mut().zip(self.state).for_each(|(to, s)| *to ^= s);
                }
                self.draw();
            }
        }
        self.state = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_those_of_the_reference() {
        // xoshiro256plusplus.c of the authors, from the state 1, 2, 3, 4.
        let mut random = Random { state: [1, 2, 3, 4] };
        let expected = [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386];
        assert_eq!([(); 4].map(|()| random.draw()), expected);
    }
}
