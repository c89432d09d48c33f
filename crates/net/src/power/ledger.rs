//! The account of a port: time in every state, in whole nanoseconds.

use dumbbell_core::{Duration, Time};

dumbbell_core::labels! {
    /// What a port is doing.
    pub enum State {
        /// Transmitting.
        Busy = "busy",
        /// Awake with nothing to send.
        Idle = "idle",
        /// Changing its rate: nothing is sent.
        Pause = "pause",
        /// Asleep.
        Sleep = "sleep",
        /// Waking up: nothing is sent.
        Waking = "waking",
    }
}

/// Time in one state at one rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Span {
    /// The state.
    pub state: State,
    /// The rate that the port is set to, in bits per second; in a pause the new one.
    pub rate: f64,
    /// In a pause the rate before it.
    pub previous: Option<f64>,
    /// How long in all.
    pub time: Duration,
}

/// Where the clock runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub state: State,
    pub level: usize,
    /// In a pause the level before it, else `level`.
    pub previous: usize,
}

/// Time in every state and what happened, since the last reading.
#[derive(Clone, Debug)]
pub struct Ledger {
    rates: Vec<f64>,
    now: Entry,
    since: Time,
    /// By state and level, but for pauses.
    times: Vec<Duration>,
    /// By level and level before.
    pauses: Vec<Duration>,
    /// Changes of the rate.
    pub transitions: u64,
    /// Decision moments at which the policy wanted another rate and was refused: guard, pause or waking.
    pub blocked: u64,
    /// Times that the port woke up.
    pub wakes: u64,
    /// Longest time of a packet from arrival to the end of its transmission.
    pub longest_sojourn: Duration,
}

impl Ledger {
    /// An empty account of a port with these rates.
    pub(super) fn new(rates: Vec<f64>, level: usize) -> Ledger {
        let n = rates.len();
        Ledger {
            rates,
            now: Entry { state: State::Idle, level, previous: level },
            since: Time::ZERO,
            times: vec![Duration::ZERO; n * State::ALL.len()],
            pauses: vec![Duration::ZERO; n * n],
            transitions: 0,
            blocked: 0,
            wakes: 0,
            longest_sojourn: Duration::ZERO,
        }
    }

    /// The port is in `entry` from `now` on.
    #[inline]
    pub(super) fn enter(&mut self, now: Time, entry: Entry) {
        if entry != self.now {
            self.count_up_to(now);
            self.now = entry;
        }
    }

    fn count_up_to(&mut self, now: Time) {
        let n = self.rates.len();
        let Entry { state, level, previous } = self.now;
        let slot = match state {
            State::Pause => &mut self.pauses[level * n + previous],
            _ => &mut self.times[state as usize * n + level],
        };
        *slot += now.since(self.since);
        self.since = now;
    }

    /// Closes the account at `now` and opens an empty one.
    pub(super) fn read(&mut self, now: Time) -> Ledger {
        self.count_up_to(now);
        let closed = self.clone();
        self.times.fill(Duration::ZERO);
        self.pauses.fill(Duration::ZERO);
        (self.transitions, self.blocked, self.wakes) = (0, 0, 0);
        self.longest_sojourn = Duration::ZERO;
        closed
    }

    /// Time in every state that occurred, ordered by state, rate, rate before.
    pub fn spans(&self) -> Vec<Span> {
        let n = self.rates.len();
        let mut spans = Vec::new();
        for state in State::ALL {
            for (level, &rate) in self.rates.iter().enumerate() {
                if state == State::Pause {
                    let pauses = self.pauses[level * n..][..n].iter().zip(&self.rates);
                    spans.extend(pauses.map(|(&time, &from)| Span {
                        state,
                        rate,
                        previous: Some(from),
                        time,
                    }));
                } else {
                    let time = self.times[state as usize * n + level];
                    spans.push(Span { state, rate, previous: None, time });
                }
            }
        }
        spans.retain(|s| !s.time.is_zero());
        spans
    }
}
