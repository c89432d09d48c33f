//! The Internet checksum: in full (RFC 1071) and updated for changed words (RFC 1624).

/// A one's complement sum of 16-bit words, folded to 16 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sum(u64);

impl Sum {
    /// The sum with the words of `bytes` added; an odd last byte counts as the high half of a word (RFC 1071 section 1).
    #[must_use]
    pub fn add_bytes(self, bytes: &[u8]) -> Sum {
        let (words, rest) = bytes.as_chunks::<2>();
        let odd = rest.first().map_or(0, |b| u64::from(*b) << 8);
        Sum(words.iter().fold(self.0 + odd, |sum, word| sum + u64::from(u16::from_be_bytes(*word))))
    }

    /// The sum with one word added.
    #[must_use]
    pub fn add_word(self, word: u16) -> Sum {
        Sum(self.0 + u64::from(word))
    }

    /// The checksum that goes into the header: the complement of the sum.
    pub fn checksum(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }
}

/// The checksum after the word `old` has become `new`: `HC' = ~(~HC + ~m + m')` (RFC 1624 equation 3).
#[must_use]
pub fn update(checksum: u16, old: u16, new: u16) -> u16 {
    Sum::default().add_word(!checksum).add_word(!old).add_word(new).checksum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_example_of_rfc_1624() {
        // Section 4: HC = 0xDD2F, m = 0x5555, m' = 0x3285, HC' = 0x0000.
        assert_eq!(update(0xdd2f, 0x5555, 0x3285), 0x0000);
    }

    #[test]
    fn an_odd_byte_counts_as_the_high_half() {
        assert_eq!(
            Sum::default().add_bytes(&[0x12, 0x34, 0x56]),
            Sum::default().add_bytes(&[0x12, 0x34, 0x56, 0])
        );
    }

    proptest! {
        #[test]
        fn updating_equals_summing_again(mut bytes in prop::collection::vec(any::<u8>(), 2..1600), at: prop::sample::Index, new: u16) {
            let word = at.index(bytes.len() / 2) * 2;
            let before = Sum::default().add_bytes(&bytes).checksum();
            let old = u16::from_be_bytes([bytes[word], bytes[word + 1]]);
            bytes[word..word + 2].copy_from_slice(&new.to_be_bytes());
            // A sum that covers one word that is not zero has one form of zero only; both forms verify alike.
            prop_assume!(bytes.iter().any(|b| *b != 0));
            prop_assert_eq!(update(before, old, new), Sum::default().add_bytes(&bytes).checksum());
        }
    }
}
