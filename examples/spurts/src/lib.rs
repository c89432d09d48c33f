//! Spurts: pieces whose distances double.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Bytes, ConfigError, Duration, Validate, config};
use dumbbell_proto::schedule::{Schedule, ScheduleParams};

config! {
    /// Equal pieces, the first at the start; each gap is twice the one before, up to a longest.
    pub struct Params {
        /// Bytes each time.
        piece: Bytes = "4kB", "choice: three segments, a page of memory";
        /// The first gap.
        first: Duration = "10ms", "choice: below a round trip";
        /// The longest gap.
        longest: Duration = "1s", "choice: beyond a retransmission timeout";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.piece.get() == 0 {
            return Err(at.key("piece").error("pieces of nothing", "give 1B or more"));
        }
        if self.first < Duration::from_micros(1) || self.longest < self.first {
            let message = format!("gaps from {} to {} do not grow", self.first, self.longest);
            return Err(at.key("first").error(message, "give 1us or more, and a `longest` above it"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "spurts";
    const TITLE: &'static str = "Equal pieces whose distances double";
    const REFERENCE: &'static str = "choice: an application that backs off";
}

impl ScheduleParams for Params {
    fn build(&self) -> Box<dyn Schedule> {
        Box::new(Spurts { params: self.clone(), gap: Duration::ZERO })
    }
}

#[derive(Debug)]
struct Spurts {
    params: Params,
    gap: Duration,
}

impl Schedule for Spurts {
    fn next(&mut self, _rng: &mut Stream) -> Option<(Duration, u64)> {
        let gap = self.gap;
        self.gap = (gap * 2).clamp(self.params.first, self.params.longest);
        Some((gap, self.params.piece.get()))
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::rng::stream;

    use super::*;

    #[test]
    fn gaps_double_up_to_the_longest() {
        let (mut spurts, mut rng) = (Params::default().build(), stream(1, "reader"));
        let gaps: Vec<u64> = (0..10)
            .filter_map(|_| spurts.next(&mut rng))
            .map(|(gap, _)| gap.as_nanos() / 1_000_000)
            .collect();
        assert_eq!(gaps, [0, 10, 20, 40, 80, 160, 320, 640, 1000, 1000]);
    }
}
