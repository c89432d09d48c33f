//! Losses in bursts: the channel of Gilbert and Elliott.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Probability, Time, Validate, config};
use rand::RngExt;

use dumbbell_net::impairment::{Impairment, ImpairmentParams, Passage};

config! {
    /// A channel that is good or bad, and loses packets while it is bad.
    pub struct Params {
        /// Probability that the channel is bad from a packet on, if it was good.
        worsens: Probability = 0.01, "choice: a burst in a hundred packets";
        /// Probability that it is good from a packet on, if it was bad.
        recovers: Probability = 0.25, "choice: bursts of four packets";
        /// Share of packets lost while it is bad.
        loss: Probability = 1.0, "choice: the simplest case of Gilbert, 1960";
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "bursts";
    const TITLE: &'static str = "Losses in bursts";
    const REFERENCE: &'static str = "Gilbert, BSTJ 39(5), 1960; Elliott, BSTJ 42(5), 1963";
}

impl ImpairmentParams for Params {
    type Machine = Bursts;

    fn build(&self, rng: Stream) -> Bursts {
        Bursts { params: self.clone(), rng, bad: false }
    }

    fn summary(&self) -> String {
        format!("bursts of losses, {} a packet", self.worsens.get())
    }
}

/// The impairment.
#[derive(Clone, Debug)]
pub struct Bursts {
    params: Params,
    rng: Stream,
    bad: bool,
}

impl Impairment for Bursts {
    fn impair(&mut self, _now: Time, passage: &mut Passage) {
        let change = if self.bad { self.params.recovers } else { self.params.worsens };
        self.bad ^= self.rng.random::<f64>() < change.get();
        passage.lost |= self.bad && self.rng.random::<f64>() < self.params.loss.get();
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;

    use super::*;

    #[test]
    fn losses_come_in_bursts() {
        let mut bursts = Params::default().build(stream(3, "bursts"));
        let lost: Vec<bool> = (0..100_000)
            .map(|_| {
                let mut passage = Passage::default();
                bursts.impair(Time::ZERO, &mut passage);
                passage.lost
            })
            .collect();
        let count = lost.iter().filter(|lost| **lost).count();
        let begun = lost.windows(2).filter(|w| !w[0] && w[1]).count();
        // 0.01 / (0.01 + 0.25) of packets, four in a burst; standard deviations 157 and 0.12.
        assert!((3_350..=4_350).contains(&count), "{count}");
        assert!((3.6..=4.4).contains(&(count as f64 / begun as f64)), "{count} in {begun} bursts");
    }
}
