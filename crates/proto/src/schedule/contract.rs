//! The contract of schedules.

use std::fmt::Debug;

use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, Bytes, ConfigError, Duration, config::At};

/// When a program acts, and on how many bytes.
pub trait Schedule: Debug + Send {
    /// The next action: time since the one before (the first: since the start), and bytes. `None` after the last.
    fn next(&mut self, rng: &mut Stream) -> Option<(Duration, u64)>;
}

/// The parameters of a schedule.
pub trait ScheduleParams: Debug + Send + Sync {
    /// A schedule with these parameters, from its start.
    fn build(&self) -> Box<dyn Schedule>;

    /// True if it draws random numbers.
    fn draws(&self) -> bool {
        false
    }

    /// Bytes of all actions; `None` if it has no end.
    fn total(&self) -> Option<u64> {
        None
    }
}

/// Refuses pieces that are none, or that come so often that a run would do little else.
pub(super) fn check_pieces(rate: BitRate, piece: Bytes, at: &At<'_>) -> Result<(), ConfigError> {
    let at = at.key("piece");
    if piece.get() == 0 {
        return Err(at.error("pieces of nothing", "give 1B or more"));
    }
    if rate.time_to_send(piece.get()) < Duration::from_micros(1) {
        let message = format!("{piece} at {rate} is more than a piece in a microsecond");
        return Err(at.error(message, "give larger pieces"));
    }
    Ok(())
}
