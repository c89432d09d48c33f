//! The port: what every policy has in common. Transmission at the present rate, the pause of a transition, the guard, the
//! packet in transmission, sleep and waking, and the account of time.

use dumbbell_core::{BitRate, Duration, Time};

use super::description::{GuardFrom, InService, Power, Start};
use super::ledger::{Entry, Ledger, State};
use super::policy::{AnyPolicy, Policy, Setting, Target, View};
use crate::serializer::Serializer;

/// What makes the port ask its policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// A packet arrived.
    Arrival,
    /// A packet has left.
    Departure,
    /// A time that the port named has come.
    Own,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Awake at its level.
    On,
    /// Set to change its level once the packet in transmission has left.
    Draining { from: usize },
    /// Changing its level.
    Pausing { from: usize, until: Time },
    /// Asleep.
    Asleep,
    /// Waking up.
    Waking { until: Time },
}

/// The packet in transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum InTransmission {
    None,
    /// Has left at this time.
    Until(Time),
    /// Held back over a pause with this much of it to send, in bits per second times nanoseconds.
    Held(u128),
}

/// A port under power control.
///
/// The link that drives it keeps the packets. It tells the port of arrivals and departures, lets it [`Port::advance`] at
/// the times that it names, starts a packet whenever it may ([`Port::can_start`]), and after each of these lets it
/// [`Port::review`] its rate.
#[derive(Clone, Debug)]
pub struct Port {
    policy: AnyPolicy,
    rates: Vec<BitRate>,
    /// The same as real numbers, for policies.
    speeds: Vec<f64>,
    pause: Duration,
    guard: Duration,
    guard_from: GuardFrom,
    wake: Duration,
    in_service: InService,
    /// The level that the port is set to, or is changing to.
    level: usize,
    phase: Phase,
    transmission: InTransmission,
    serializer: Serializer,
    /// Bytes waiting, without the packet in transmission.
    waiting: u64,
    /// True if nothing waits and nothing is in transmission.
    empty: bool,
    /// Since when.
    since: Time,
    /// No change of the rate before.
    guard_until: Time,
    /// The policy must be asked again when the guard ends: it was refused, or a change has no pause to end.
    ask_again: bool,
    /// The policy's next decision moment of its own.
    policy_at: Time,
    ledger: Ledger,
}

impl Port {
    /// An empty port of a link of rate `link`.
    pub fn new(power: &Power, link: BitRate) -> Port {
        let rates = power.rates.levels(link);
        let speeds: Vec<f64> = rates.iter().map(|r| r.as_bps() as f64).collect();
        let level = match power.start {
            Start::Highest => rates.len() - 1,
            Start::Lowest => 0,
        };
        let setting = Setting { levels: rates.len(), level, rate: speeds[level], timing: power.timing() };
        let mut port = Port {
            policy: power.policy.build(setting),
            ledger: Ledger::new(speeds.clone(), level),
            serializer: Serializer::new(rates[level]),
            rates,
            speeds,
            pause: power.pause,
            guard: power.guard,
            guard_from: power.guard_from,
            wake: power.wake,
            in_service: power.in_service,
            level,
            phase: Phase::On,
            transmission: InTransmission::None,
            waiting: 0,
            empty: true,
            since: Time::ZERO,
            guard_until: Time::ZERO,
            ask_again: false,
            policy_at: Time::NEVER,
        };
        port.policy_at = port.policy_wake_at(Time::ZERO);
        port
    }

    /// A packet of `size` bytes arrived; `accepted` says whether the queue took it.
    #[inline]
    pub fn arrived(&mut self, now: Time, size: u32, accepted: bool) {
        self.policy.arrived(now, size, accepted);
    }

    /// True if a packet may start.
    #[inline]
    pub fn can_start(&self) -> bool {
        self.phase == Phase::On && self.transmission == InTransmission::None
    }

    /// A packet of `size` bytes starts. Only if [`Port::can_start`]. Returns when it has left, if nothing intervenes.
    pub fn start(&mut self, now: Time, size: u16) -> Time {
        debug_assert!(self.can_start(), "a packet starts on a port that is not free");
        let end = self.serializer.depart(now, size);
        self.transmission = InTransmission::Until(end);
        self.account(now);
        end
    }

    /// When the packet in transmission has left; [`Time::NEVER`] if there is none, or if it is held back.
    #[inline]
    pub fn end_of_service(&self) -> Time {
        match self.transmission {
            InTransmission::Until(end) => end,
            _ => Time::NEVER,
        }
    }

    /// The packet in transmission has left, `sojourn` after its arrival.
    pub fn ended(&mut self, now: Time, sojourn: Duration) {
        self.ledger.longest_sojourn = self.ledger.longest_sojourn.max(sojourn);
        self.transmission = InTransmission::None;
        if let Phase::Draining { from } = self.phase {
            self.begin_pause(now, from);
        }
    }

    /// When [`Port::advance`] and [`Port::review`] must be called next. During a change of the rate and while it wakes, the port has
    /// no other moments of its own: whatever its policy wants then has to wait for the end.
    #[inline]
    pub fn wake_at(&self) -> Time {
        match self.phase {
            Phase::Pausing { until, .. } | Phase::Waking { until } => until,
            Phase::Draining { .. } => Time::NEVER,
            _ if self.ask_again => self.policy_at.min(self.guard_until),
            _ => self.policy_at,
        }
    }

    /// Ends the pause or the waking that is over at `now`.
    pub fn advance(&mut self, now: Time) {
        match self.phase {
            Phase::Pausing { until, .. } | Phase::Waking { until } if until <= now => self.run(now),
            _ => {}
        }
    }

    /// Lets the policy decide, if this is a moment to. `waiting` bytes wait in the queue.
    pub fn review(&mut self, now: Time, waiting: u64, moment: Moment) {
        self.waiting = waiting;
        let empty = waiting == 0 && self.transmission == InTransmission::None;
        if empty != self.empty {
            self.empty = empty;
            self.since = now;
        }
        if moment != Moment::Departure || empty || self.policy.watches_departures() {
            self.decide(now);
        }
        self.account(now);
    }

    fn decide(&mut self, now: Time) {
        let seen = self.seen(now);
        let target = self.policy.decide(now, &View { rates: &self.speeds, ..seen });
        self.ask_again = false;
        if target == Target::Level(self.level) && self.phase != Phase::Asleep {
            self.policy_at = self.policy.wake_at(now, &View { rates: &self.speeds, ..seen });
        } else {
            self.follow(now, target);
            self.policy_at = self.policy_wake_at(now);
        }
    }

    /// Does what the policy wants, as far as it may.
    fn follow(&mut self, now: Time, target: Target) {
        match (self.phase, target) {
            (Phase::Asleep, Target::Level(level)) => {
                self.level = level;
                self.ledger.wakes += 1;
                self.phase = Phase::Waking { until: now + self.wake };
                self.advance(now);
            }
            (Phase::On, Target::Sleep) if self.empty => self.phase = Phase::Asleep,
            (_, Target::Sleep) => {}
            (Phase::On, Target::Level(level)) if now >= self.guard_until => self.change(now, level),
            (_, Target::Level(_)) => {
                self.ledger.blocked += 1;
                self.ask_again = true;
            }
        }
    }

    fn policy_wake_at(&self, now: Time) -> Time {
        self.policy.wake_at(now, &View { rates: &self.speeds, ..self.seen(now) })
    }

    /// Sets the port to another level.
    fn change(&mut self, now: Time, level: usize) {
        let from = std::mem::replace(&mut self.level, level);
        self.ledger.transitions += 1;
        self.ask_again = true;
        self.guard_until = match self.guard_from {
            GuardFrom::Start => now + self.guard_length(),
            GuardFrom::End => Time::NEVER,
        };
        match (self.transmission, self.in_service) {
            (InTransmission::Until(_), InService::Finish) => self.phase = Phase::Draining { from },
            (InTransmission::Until(end), InService::Hold) => {
                let left = u128::from(end.since(now).as_nanos()) * u128::from(self.rates[from].as_bps());
                self.transmission = InTransmission::Held(left);
                self.begin_pause(now, from);
            }
            _ => self.begin_pause(now, from),
        }
    }

    /// The guard; at least a nanosecond, so that a guard of zero cannot make the port change for ever at one instant.
    fn guard_length(&self) -> Duration {
        self.guard.max(Duration::from_nanos(1))
    }

    fn begin_pause(&mut self, now: Time, from: usize) {
        let until = now + self.pause;
        self.phase = Phase::Pausing { from, until };
        if self.guard_from == GuardFrom::End {
            self.guard_until = until + self.guard_length();
        }
        self.advance(now);
    }

    /// The port is awake at its level from `now` on.
    fn run(&mut self, now: Time) {
        self.phase = Phase::On;
        // What was to happen while the last packet at the old rate left, or in the pause, happens now.
        self.guard_until = self.guard_until.max(now);
        self.policy_at = self.policy_at.max(now);
        self.serializer = Serializer::new(self.rates[self.level]);
        if let InTransmission::Held(left) = self.transmission {
            let nanos = left.div_ceil(u128::from(self.rates[self.level].as_bps()));
            self.transmission = InTransmission::Until(now + Duration::from_nanos(nanos as u64));
        }
    }

    /// What a policy sees, but for the rates.
    fn seen(&self, now: Time) -> View<'static> {
        let waiting = 8.0 * self.waiting as f64;
        let in_transmission = match self.transmission {
            InTransmission::None => 0.0,
            InTransmission::Until(end) => {
                let level = if let Phase::Draining { from } = self.phase { from } else { self.level };
                end.since(now).as_nanos() as f64 * self.speeds[level] / 1e9
            }
            InTransmission::Held(left) => left as f64 / 1e9,
        };
        View {
            rates: &[],
            level: self.level,
            backlog: waiting + in_transmission,
            waiting,
            empty: self.empty,
            asleep: self.phase == Phase::Asleep,
            since: self.since,
        }
    }

    fn account(&mut self, now: Time) {
        self.ledger.enter(now, self.entry());
    }

    fn entry(&self) -> Entry {
        let entry = |state, level| Entry { state, level, previous: level };
        match self.phase {
            Phase::On if self.transmission == InTransmission::None => entry(State::Idle, self.level),
            Phase::On => entry(State::Busy, self.level),
            Phase::Draining { from } => entry(State::Busy, from),
            Phase::Pausing { from, .. } => Entry { state: State::Pause, level: self.level, previous: from },
            Phase::Asleep => entry(State::Sleep, self.level),
            Phase::Waking { .. } => entry(State::Waking, self.level),
        }
    }

    /// The state, the rate it is set to, and in a pause the rate before, in bits per second.
    pub fn state(&self) -> (State, f64, Option<f64>) {
        let entry = self.entry();
        let previous = (entry.state == State::Pause).then_some(self.speeds[entry.previous]);
        (entry.state, self.speeds[entry.level], previous)
    }

    /// The rate that the port is set to, or is changing to.
    pub fn level_rate(&self) -> BitRate {
        self.rates[self.level]
    }

    /// The rate that the port is set to, in bits per second; 0 while it sleeps or wakes.
    pub fn rate(&self) -> f64 {
        match self.state() {
            (State::Sleep | State::Waking, _, _) => 0.0,
            (_, rate, _) => rate,
        }
    }

    /// The arrival rate predicted at `now`, in bits per second, if the policy predicts it.
    pub fn predicted(&self, now: Time) -> Option<f64> {
        self.policy.predicted(now)
    }

    /// Closes the account at `now` and opens an empty one.
    pub fn read(&mut self, now: Time) -> Ledger {
        self.ledger.read(now)
    }
}
