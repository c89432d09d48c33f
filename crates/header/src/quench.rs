//! Source quench of ICMP (RFC 792), as far as a simulation needs it: what it quotes is the flow that it belongs to.

use dumbbell_core::Header;
use dumbbell_core::header::Words;

/// A router asks the source of a flow to slow down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceQuench;

impl Header for SourceQuench {
    const NAME: &'static str = "source quench";

    #[inline]
    fn unpack(_words: &Words) -> SourceQuench {
        SourceQuench
    }

    #[inline]
    fn pack(&self, _words: &mut Words) {}
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn any() -> impl Strategy<Value = SourceQuench> {
        Just(SourceQuench)
    }
}
