//! A constant rate.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Bytes, ConfigError, Duration, Validate, config};

use super::contract::{Schedule, ScheduleParams, check_pieces};
use crate::pacer::Pacer;

config! {
    /// Equal pieces at equal distances, the first at the start.
    pub struct Params {
        /// Application bytes in a time.
        rate: BitRate;
        /// Bytes each time.
        piece: Bytes = "4kB", "choice: three segments, a page of memory";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        check_pieces(self.rate, self.piece, at)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "rate";
    const TITLE: &'static str = "Constant rate, in equal pieces";
    const REFERENCE: &'static str = "choice: a stream of constant quality";
}

impl ScheduleParams for Params {
    fn build(&self) -> Box<dyn Schedule> {
        let pacer = Pacer::new(self.rate, self.piece.get());
        Box::new(Constant { pacer, piece: self.piece.get(), started: false })
    }
}

#[derive(Debug)]
struct Constant {
    pacer: Pacer,
    piece: u64,
    started: bool,
}

impl Schedule for Constant {
    fn next(&mut self, _rng: &mut Stream) -> Option<(Duration, u64)> {
        let gap = if self.started { self.pacer.gap() } else { Duration::ZERO };
        self.started = true;
        Some((gap, self.piece))
    }
}
