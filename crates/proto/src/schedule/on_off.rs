//! On-off: bursts of constant rate and silences.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Bytes, ConfigError, Duration, Validate, config};

use super::contract::{Schedule, ScheduleParams, check_pieces};
use crate::pacer::{Bursts, MOST_BURSTS, Pacer, Periods};

config! {
    /// Bursts of equal pieces at equal distances, and silences.
    pub struct Params {
        /// Application bytes in a time, during a burst.
        rate: BitRate;
        /// Bytes each time.
        piece: Bytes = "4kB", "choice: three segments, a page of memory";
        /// Mean length of a burst.
        mean_on: Duration = "500ms", "ns-2.35 tcl/lib/ns-default.tcl: burst_time_ of exponential traffic";
        /// Mean length of a silence.
        mean_off: Duration = "500ms", "ns-2.35 tcl/lib/ns-default.tcl: idle_time_ of exponential traffic";
        /// Distribution of both lengths: `exponential` or `fixed`.
        periods: Periods = "exponential", "choice: as of the transport `on-off`";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_pieces(self.rate, self.piece, at)?;
        if self.mean_on * MOST_BURSTS < self.rate.time_to_send(self.piece.get()) {
            let message = format!(
                "bursts of {} at {} need more than {MOST_BURSTS} for a piece",
                self.mean_on, self.rate
            );
            return Err(at.key("mean_on").error(message, "give longer bursts or smaller pieces"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "on-off";
    const TITLE: &'static str = "Bursts of constant rate, and silences";
    const REFERENCE: &'static str = "Brady, A model for generating on-off speech patterns, BSTJ 1969";
}

impl ScheduleParams for Params {
    fn draws(&self) -> bool {
        self.periods == Periods::Exponential
    }

    fn build(&self) -> Box<dyn Schedule> {
        let piece = self.piece.get();
        let pacer = Pacer::new(self.rate, piece);
        Box::new(Pieces { bursts: Bursts::new(pacer, self.mean_on, self.mean_off, self.periods), piece })
    }
}

#[derive(Debug)]
struct Pieces {
    bursts: Bursts,
    piece: u64,
}

impl Schedule for Pieces {
    fn next(&mut self, rng: &mut Stream) -> Option<(Duration, u64)> {
        Some((self.bursts.gap(rng), self.piece))
    }
}
