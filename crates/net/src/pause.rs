//! Pauses between switches: priority flow control (IEEE 802.1Qbb) with one priority.
//!
//! A queue that grows above a threshold sends a pause frame to the links that lead to it; when it has shrunk below another, a
//! frame that ends the pause. A transmission in progress ends before the link pauses.

use std::collections::VecDeque;

use dumbbell_core::config::At;
use dumbbell_core::{Bytes, ConfigError, Duration, Time, Validate, config};

/// Bytes of a pause frame (IEEE 802.3 annex 31B: the smallest frame).
pub const FRAME: u64 = 64;

config! {
    /// Priority flow control: the links before a port send nothing while its queue holds more than `xoff`. Those
    /// are the links into the switch from which flows go on through that port; other flows on them wait too. A pause takes effect
    /// after the propagation delay and the transmission of a frame. What arrives until then needs room above `xoff`: for
    /// each such link twice its delay at its rate, two of its largest packets and a pause frame. Links that wait for each other in
    /// a circle stay paused for ever, as in a real network.
    pub struct PauseSpec {
        /// Bytes that may wait at a port without a pause.
        xoff: Bytes;
        /// Bytes at which a pause ends; absent: 3 kB below `xoff`.
        xon: Option<Bytes> = (), "published HPCC simulator: resume_offset 3 kB";
    }
}

/// How far below `xoff` a pause ends.
const OFFSET: u64 = 3000;

impl Validate for PauseSpec {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        match self.xon {
            Some(xon) if xon > self.xoff => {
                let message = format!("{xon} is above `xoff`, {}", self.xoff);
                Err(at.key("xon").error(message, "give less"))
            }
            _ => Ok(()),
        }
    }
}

impl PauseSpec {
    /// The two lengths in bytes.
    pub fn thresholds(&self) -> Thresholds {
        let (xoff, xon) = (self.xoff.get(), self.xon.map(Bytes::get));
        Thresholds { xoff, xon: xon.unwrap_or(xoff.saturating_sub(OFFSET)) }
    }
}

/// Lengths of a queue in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    /// Above this the links before the queue are paused.
    pub xoff: u64,
    /// At this, or below, they go on.
    pub xon: u64,
}

/// The part of a link in flow control; none by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Role {
    /// Of its own queue, if that pauses others.
    pub thresholds: Option<Thresholds>,
    /// True if its transmitter obeys pauses.
    pub obeys: bool,
}

impl Role {
    /// True if it has a part.
    pub fn is_any(&self) -> bool {
        *self != Role::default()
    }
}

/// The flow control of one link.
#[derive(Clone, Debug)]
pub struct Pause<P> {
    thresholds: Option<Thresholds>,
    obeys: bool,
    /// The packet that took the queue above its threshold, while it pauses others.
    cause: Option<P>,
    /// Queues that hold the transmitter back.
    holders: u32,
    /// Frames on their way, in the order in which they arrive: when, and whether it begins a pause.
    frames: VecDeque<(Time, bool)>,
    /// The time in pauses, complete up to `until`.
    paused: Duration,
    until: Time,
}

impl<P: Clone> Pause<P> {
    /// No pause.
    pub fn new(role: Role) -> Pause<P> {
        Pause {
            thresholds: role.thresholds,
            obeys: role.obeys,
            cause: None,
            holders: 0,
            frames: VecDeque::new(),
            paused: Duration::ZERO,
            until: Time::ZERO,
        }
    }

    /// `packet` has arrived, and so many bytes wait now: true if that begins a pause of others.
    pub fn grew(&mut self, packet: &P, waiting: u64) -> bool {
        let begins = self.cause.is_none() && self.thresholds.is_some_and(|t| waiting > t.xoff);
        if begins {
            self.cause = Some(packet.clone());
        }
        begins
    }

    /// A packet has left, and so many bytes wait still: if that ends the pause of others, the packet that began it.
    pub fn shrank(&mut self, waiting: u64) -> Option<P> {
        if self.thresholds.is_some_and(|t| waiting <= t.xon) { self.cause.take() } else { None }
    }

    /// A frame is on its way, and arrives at `at`.
    pub fn expect(&mut self, at: Time, begins: bool) {
        debug_assert!(self.frames.back().is_none_or(|last| last.0 <= at), "frames keep their order");
        self.frames.push_back((at, begins));
    }

    /// When the next frame arrives.
    pub fn wake_at(&self) -> Time {
        self.frames.front().map_or(Time::NEVER, |frame| frame.0)
    }

    /// Frames arrive up to `now`.
    pub fn obey(&mut self, now: Time) {
        while let Some((at, begins)) = self.frames.pop_front_if(|frame| frame.0 <= now) {
            self.count(at);
            self.holders = if begins { self.holders + 1 } else { self.holders - 1 };
        }
    }

    fn count(&mut self, now: Time) {
        if self.holders > 0 {
            self.paused += now.since(self.until);
        }
        self.until = now;
    }

    /// True if the transmitter may start a packet.
    pub fn is_open(&self) -> bool {
        self.holders == 0
    }

    /// The time in pauses up to `now`, since the last call; `None` if it obeys none.
    pub fn read(&mut self, now: Time) -> Option<Duration> {
        self.count(now);
        self.obeys.then(|| std::mem::take(&mut self.paused))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(micros: u64) -> Time {
        Time::ZERO + Duration::from_micros(micros)
    }

    #[test]
    fn a_queue_pauses_above_one_threshold_and_goes_on_at_the_other() {
        let thresholds = Some(Thresholds { xoff: 10_000, xon: 7000 });
        let mut pause = Pause::new(Role { thresholds, obeys: false });
        assert!(!pause.grew(&1, 10_000));
        assert!(pause.grew(&2, 11_000));
        assert!(!pause.grew(&3, 12_000), "one frame for one pause");
        assert_eq!(pause.shrank(7001), None);
        assert_eq!(pause.shrank(7000), Some(2));
        assert_eq!(pause.shrank(6000), None);
        assert!(pause.grew(&4, 11_000));
    }

    #[test]
    fn a_transmitter_waits_until_the_last_queue_lets_it_go() {
        let mut pause: Pause<u32> = Pause::new(Role { thresholds: None, obeys: true });
        for (at, begins) in [(10, true), (20, true), (30, false), (50, false)] {
            pause.expect(us(at), begins);
        }
        assert_eq!(pause.wake_at(), us(10));
        for (at, open) in [(9, true), (10, false), (20, false), (30, false), (49, false), (50, true)] {
            pause.obey(us(at));
            assert_eq!(pause.is_open(), open, "{at}");
        }
        assert_eq!(pause.read(us(100)), Some(Duration::from_micros(40)));
        assert_eq!(pause.read(us(200)), Some(Duration::ZERO));
    }

    #[test]
    fn a_pause_ends_three_kilobytes_below_its_threshold() {
        let spec = |xon| PauseSpec { xoff: Bytes::new(10_000), xon };
        assert_eq!(spec(None).thresholds(), Thresholds { xoff: 10_000, xon: 7000 });
        assert_eq!(spec(Some(Bytes::new(1))).thresholds().xon, 1);
        let error = spec(Some(Bytes::new(20_000))).validate(&At::root("pause")).unwrap_err().to_string();
        assert_eq!(error, "pause.xon: 20kB is above `xoff`, 10kB; give less");
    }
}
