//! Backup path: a second path from a time on.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Duration, Time, Validate, config};
use dumbbell_sim::paths::{Choice, Dealing, PathChoice};

config! {
    /// Packets take the first of two equally short paths until it fails, and the second from then on.
    pub struct Params {
        /// When the first path fails.
        fails: Duration;
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "backup-path";
    const TITLE: &'static str = "A second path once the first has failed";
    const REFERENCE: &'static str = "choice: protection switching, without its delay";
}

impl PathChoice for Params {
    fn choice(&self) -> Choice {
        Choice::PerPacket(Dealing::SecondFrom(Time::ZERO + self.fails))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_path_begins_when_the_first_fails() {
        let params = Params { fails: Duration::from_secs(3) };
        assert_eq!(
            params.choice(),
            Choice::PerPacket(Dealing::SecondFrom(Time::ZERO + Duration::from_secs(3)))
        );
    }
}
