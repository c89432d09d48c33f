//! The events of a part, counted, so that its caller is heard and the other parts are.

use dumbbell_core::{Duration, Time};

use super::board::{Board, GivenUp};
use crate::engine::going::{FIRST_STEP, LONGEST_STEP, Progress, Report, report};

/// Events after which a part that reports to nobody looks whether the others go on.
const LOOK: u64 = 1 << 10;

/// Counts the events of a part. The first part reports its progress now and then, and stops all if it is interrupted.
pub struct Pulse<'a> {
    /// Where the parts meet.
    pub board: &'a Board,
    part: usize,
    report: Option<Report<'a>>,
    duration: Duration,
    /// Events up to the last look.
    counted: u64,
    /// Events from one look to the next.
    step: u64,
    /// Of these, those to come.
    left: u64,
    clock: Time,
    /// True once the caller has stopped the run.
    pub interrupted: bool,
}

impl<'a> Pulse<'a> {
    /// That of the first part of a run, with whom it reports to, or of another.
    pub fn new(board: &'a Board, part: usize, duration: Duration, report: Option<Report<'a>>) -> Pulse<'a> {
        let step = if report.is_some() { FIRST_STEP } else { LOOK };
        Pulse {
            board,
            part,
            report,
            duration,
            counted: 0,
            step,
            left: step,
            clock: Time::ZERO,
            interrupted: false,
        }
    }

    /// Events so far.
    pub fn events(&self) -> u64 {
        self.counted + self.step - self.left
    }

    /// The most events that may happen before they are counted.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Takes note of some events. The part has come to `clock`, which may take long to find with many regions.
    #[inline]
    pub fn count(&mut self, events: u64, clock: impl FnOnce() -> Time) -> Result<(), GivenUp> {
        self.left -= events;
        if self.left == 0 { self.look(clock()) } else { Ok(()) }
    }

    #[cold]
    fn look(&mut self, clock: Time) -> Result<(), GivenUp> {
        self.counted += self.step;
        self.board.note(self.part, self.counted);
        self.clock = clock;
        self.step = self.tell()?;
        self.left = self.step;
        Ok(())
    }

    /// The part waits for others.
    pub fn wait(&mut self) -> Result<(), GivenUp> {
        if self.report.is_some() { self.tell().map(drop) } else { Ok(()) }
    }

    /// Reports, and returns the next step.
    fn tell(&mut self) -> Result<u64, GivenUp> {
        self.board.goes_on()?;
        let Some(progress) = &mut self.report else { return Ok(LOOK) };
        let (now, events) = (self.clock.min(Time::ZERO + self.duration), self.board.events());
        let mut told = Progress { now, duration: self.duration, events, step: self.step };
        self.interrupted = report(progress, &mut told).is_err();
        if self.interrupted { Err(GivenUp) } else { Ok(told.step.min(LONGEST_STEP)) }
    }
}
