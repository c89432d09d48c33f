//! The states of congestion that Linux tells a controller of, as far as events show them.

use dumbbell_core::Time;

use super::{Event, Signals};

/// A state (Linux include/uapi/linux/tcp.h: tcp_ca_state).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum State {
    /// Nothing is out of order.
    #[default]
    Open,
    /// Something is held above a hole.
    Disorder,
    /// The window was cut, for a loss or a mark: Recovery and CWR.
    Reduced,
    /// The timer expired.
    Loss,
}

/// What an acknowledgement found and left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The state before it: Linux measures before it moves between states (net/ipv4/tcp_input.c: `tcp_ack`).
    pub before: State,
    /// The state after it.
    pub after: State,
    /// True if the state is open now and was not.
    pub opens: bool,
    /// True if a cut ended that no repair followed: one for a mark, or for the loss that a probe repaired.
    pub ends_cut: bool,
}

/// Round trips by data in order: one ends when something is acknowledged that was sent after it had begun.
// Linux compares tp->snd_una with what tp->snd_nxt was.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    /// This one ends when more than so many bytes are delivered in order.
    end: u64,
    /// The end of what was sent, as far as it is known.
    sent: u64,
}

impl Rounds {
    /// Takes in an acknowledgement.
    #[inline]
    pub fn see(&mut self, signals: &Signals) {
        self.sent = self.sent.max(signals.delivered + signals.flight);
    }

    /// A round trip begins.
    pub fn begin(&mut self, signals: &Signals) {
        self.see(signals);
        self.end = self.sent;
    }

    /// True if the acknowledgement ends a round trip. What is held beyond a hole counts for nothing.
    #[inline]
    pub fn ends(&self, signals: &Signals) -> bool {
        signals.delivered - signals.held > self.end
    }
}

/// The round trips of a connection whose delays are measured, in microseconds.
// Linux net/ipv4/tcp_vegas.c.
#[derive(Clone, Copy, Debug)]
pub struct Delays {
    /// The shortest round-trip time, and the shortest of this round trip; `MAX` without one.
    pub base: u64,
    pub shortest: u64,
    /// Round-trip times of this round trip.
    pub count: u32,
    rounds: Rounds,
}

impl Default for Delays {
    fn default() -> Delays {
        Delays { base: u64::MAX, shortest: u64::MAX, count: 0, rounds: Rounds::default() }
    }
}

impl Delays {
    /// Round-trip times of a round trip, at least, that say something: with two, acknowledgements are delayed.
    pub const FEWEST: u32 = 3;

    /// A round trip begins (`vegas_enable`).
    pub fn begin(&mut self, signals: &Signals) {
        self.rounds.begin(signals);
        (self.shortest, self.count) = (u64::MAX, 0);
    }

    /// Nothing is known any more: sending begins with nothing in flight (`tcp_vegas_init`).
    pub fn forget(&mut self, signals: &Signals) {
        self.base = u64::MAX;
        self.begin(signals);
    }

    /// Takes in an acknowledgement (`tcp_vegas_pkts_acked`).
    pub fn measure(&mut self, signals: &Signals) {
        self.rounds.see(signals);
        if !signals.rtt.is_zero() {
            let rtt = signals.rtt.as_nanos() / 1000 + 1;
            self.base = self.base.min(rtt);
            self.shortest = self.shortest.min(rtt);
            self.count += 1;
        }
    }

    /// True if the acknowledgement ends a round trip.
    pub fn ends(&self, signals: &Signals) -> bool {
        self.rounds.ends(signals)
    }
}

/// What acknowledgements say of the data in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct InOrder {
    /// All of it, in bytes.
    una: u64,
}

impl InOrder {
    /// Bytes by which an acknowledgement advances: Linux counts segments when they leave its queue.
    pub fn advance(&mut self, signals: &Signals) -> u64 {
        let una = signals.delivered - signals.held;
        una - std::mem::replace(&mut self.una, una).min(una)
    }

    /// The same in segments.
    // Linux include/net/tcp.h: pkts_acked of struct ack_sample.
    pub fn segments(&mut self, signals: &Signals) -> u64 {
        self.advance(signals).div_ceil(signals.mss.into())
    }
}

/// The state of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct States {
    state: State,
    /// The state before the events since this time, if an acknowledgement has not yet come.
    changed: Option<(State, Time)>,
}

impl States {
    /// Takes in an event that is no acknowledgement.
    pub fn told(&mut self, signals: &Signals) {
        let state = match signals.event {
            Event::Loss | Event::Ecn => State::Reduced,
            Event::Timeout => State::Loss,
            Event::Recovered | Event::Undone => State::Open,
            _ => return,
        };
        // A timer may have moved it at another time.
        if self.changed.is_none_or(|(_, at)| at < signals.now) {
            self.changed = Some((self.state, signals.now));
        }
        self.state = state;
    }

    /// Takes in an acknowledgement, after the events that it caused.
    pub fn acknowledged(&mut self, signals: &Signals) -> Step {
        let at_once = self.changed.take().filter(|(_, at)| *at == signals.now);
        let before = at_once.map_or(self.state, |(before, _)| before);
        let told = self.state;
        // Linux net/ipv4/tcp_input.c: tcp_try_keep_open.
        self.state = match told {
            State::Loss => State::Loss,
            State::Reduced if signals.in_recovery => State::Reduced,
            _ if signals.held > 0 => State::Disorder,
            _ => State::Open,
        };
        let opens = self.state == State::Open && (before, told) != (State::Open, State::Open);
        Step { before, after: self.state, opens, ends_cut: opens && told == State::Reduced }
    }
}

#[cfg(test)]
mod tests {
    use super::super::growth::tests::signals;
    use super::*;

    /// The states after acknowledgements at 1 s, 2 s..., each with the event that it causes, and true while nothing may grow and a
    /// segment is held beyond a hole.
    fn states(acks: &[(Option<Event>, bool)]) -> Vec<Step> {
        let mut states = States::default();
        let mut now = Time::ZERO;
        let mut steps = Vec::new();
        for (event, in_recovery) in acks {
            now += dumbbell_core::Duration::from_secs(1);
            if let Some(event) = event {
                states.told(&signals(*event, now, 0, 10_000));
            }
            let held = if *in_recovery { 1000 } else { 0 };
            let ack = Signals { in_recovery: *in_recovery, held, ..signals(Event::Ack, now, 1000, 9000) };
            steps.push(states.acknowledged(&ack));
        }
        steps
    }

    #[test]
    fn an_acknowledgement_knows_the_state_it_found() {
        let steps = states(&[(None, true), (Some(Event::Loss), true), (Some(Event::Recovered), false)]);
        let found: Vec<_> = steps.iter().map(|step| (step.before, step.after)).collect();
        use State::{Disorder, Open, Reduced};
        assert_eq!(found, [(Open, Disorder), (Disorder, Reduced), (Reduced, Open)]);
        assert_eq!(steps.iter().map(|step| step.opens).collect::<Vec<_>>(), [false, false, true]);
        assert!(!steps[2].ends_cut, "the event told of it");
    }

    #[test]
    fn growth_shows_the_end_of_a_cut_without_repair() {
        let steps = states(&[(Some(Event::Ecn), true), (None, true), (None, false), (None, false)]);
        assert_eq!(steps.iter().map(|step| step.ends_cut).collect::<Vec<_>>(), [false, false, true, false]);
        // A probe that repairs a loss: cut and end in one acknowledgement.
        let steps = states(&[(Some(Event::Loss), false)]);
        assert!(steps[0].opens && steps[0].ends_cut);
    }

    #[test]
    fn after_a_timeout_only_an_event_ends_the_repair() {
        let steps = states(&[(Some(Event::Timeout), false), (None, false), (Some(Event::Recovered), false)]);
        assert_eq!(steps.iter().map(|step| step.opens).collect::<Vec<_>>(), [false, false, true]);
    }
}
