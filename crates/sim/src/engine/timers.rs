//! Wake-ups of endpoints. Each endpoint has at most one; a deadline that moves later costs nothing until the old one comes up.
//!
//! They stand in a tournament of times: a node holds the earliest of its four children, so that an endpoint is armed by one pass
//! towards the root, which ends where another one is earlier, and the first of all is found by one pass from the root. An endpoint
//! that is woken is mostly armed again at once: the pass that would take its old time out waits for the new one. A sender that
//! paces is woken for every packet.

use dumbbell_core::{Time, memory};

/// When each endpoint is woken, and the first of all. Of several at one time the lowest endpoint is the first.
#[derive(Debug)]
pub struct Timers {
    /// By endpoint, filled up to whole blocks.
    armed: Vec<Time>,
    /// The nodes above them: a level for each quarter, filled up in the same way, and last the root.
    above: Vec<Vec<Time>>,
    /// The endpoint that was taken last, while the nodes above it still hold its old time; [`NOBODY`] if none is.
    taken: u32,
}

/// No endpoint.
const NOBODY: u32 = u32::MAX;

/// The children of a node.
const CHILDREN: usize = 4;

/// The children of node `i`, on the level below.
#[inline]
fn children(below: &[Time], i: usize) -> &[Time; CHILDREN] {
    &below.as_chunks().0[i]
}

#[inline]
fn earliest([a, b, c, d]: &[Time; CHILDREN]) -> Time {
    (*a).min(*b).min((*c).min(*d))
}

impl Default for Timers {
    fn default() -> Timers {
        Timers { armed: vec![Time::NEVER; CHILDREN], above: vec![vec![Time::NEVER]], taken: NOBODY }
    }
}

impl Timers {
    /// Makes room for `endpoints` endpoints.
    pub fn reserve(&mut self, endpoints: usize) {
        if endpoints <= self.armed.len() {
            return;
        }
        let mut nodes = endpoints.div_ceil(CHILDREN);
        self.armed.resize(nodes * CHILDREN, Time::NEVER);
        for level in 0.. {
            let len = if nodes == 1 { 1 } else { nodes.next_multiple_of(CHILDREN) };
            if level == self.above.len() {
                let below = self.above.last().unwrap_or(&self.armed);
                self.above.push(below.as_chunks().0.iter().map(earliest).collect());
            }
            self.above[level].resize(len, Time::NEVER);
            if nodes == 1 {
                return;
            }
            nodes = len / CHILDREN;
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        memory::of_vec(&self.armed) + self.above.iter().map(memory::of_vec).sum::<u64>()
    }

    /// Makes sure that `endpoint` is woken at `at` or earlier. Returns true if that is now the first wake-up of all, but for an
    /// endpoint that was just taken: after [`Timers::take`], ask [`Timers::first`].
    #[inline(always)]
    pub fn arm(&mut self, endpoint: u32, at: Time) -> bool {
        let armed = &mut self.armed[endpoint as usize];
        if at >= *armed {
            return false;
        }
        *armed = at;
        if self.taken == endpoint {
            self.taken = NOBODY;
            self.replay(endpoint);
            return false;
        }
        self.rise(endpoint, at)
    }

    /// Forgets the wake-up of an endpoint that closed.
    pub fn disarm(&mut self, endpoint: u32) {
        self.armed[endpoint as usize] = Time::NEVER;
        self.replay(endpoint);
    }

    /// When `endpoint` is woken, [`Time::NEVER`] if it is not armed.
    pub fn armed(&self, endpoint: u32) -> Time {
        self.armed[endpoint as usize]
    }

    /// When the next wake-up is.
    #[inline]
    pub fn first(&mut self) -> Time {
        if self.taken != NOBODY {
            let endpoint = std::mem::replace(&mut self.taken, NOBODY);
            self.replay(endpoint);
        }
        self.root()
    }

    fn root(&self) -> Time {
        self.above.last().map_or(Time::NEVER, |root| root[0])
    }

    /// Takes the first wake-up, which is due at `now`; `None` if that is a later one.
    #[inline(always)]
    pub fn take(&mut self, now: Time) -> Option<u32> {
        let first = self.first();
        if first > now {
            return None;
        }
        let levels = self.above.iter().rev().skip(1).chain(std::iter::once(&self.armed));
        let endpoint = levels.fold(0, |node, below| {
            let [a, b, c, _] = *children(below, node);
            let later = |time: Time| usize::from(time != first);
            CHILDREN * node + later(a) * (1 + later(b) * (1 + later(c)))
        });
        self.armed[endpoint] = Time::NEVER;
        self.taken = endpoint as u32;
        Some(self.taken)
    }

    /// Takes the first wake-up, which is due at `now`; of several that of the endpoint for which `order` is least.
    #[inline(never)]
    pub fn take_by(&mut self, now: Time, order: impl Fn(u32) -> u32) -> Option<u32> {
        let first = self.first();
        if first > now {
            return None;
        }
        let (_, endpoint) = self.least_due(self.above.len() - 1, 0, first, &order)?;
        self.armed[endpoint as usize] = Time::NEVER;
        self.taken = endpoint;
        Some(self.taken)
    }

    /// Of the endpoints below a node that are woken at `first`, the one for which `order` is least, behind its place in it.
    fn least_due(
        &self,
        level: usize,
        node: usize,
        first: Time,
        order: &impl Fn(u32) -> u32,
    ) -> Option<(u32, u32)> {
        let below = level.checked_sub(1);
        let times = below.map_or(&self.armed, |level| &self.above[level]);
        let due = (CHILDREN * node..).zip(children(times, node)).filter(|(_, time)| **time == first);
        due.filter_map(|(child, _)| match below {
            None => Some((order(child as u32), child as u32)),
            Some(level) => self.least_due(level, child, first, order),
        })
        .min()
    }

    /// Hands an earlier time of an endpoint on to the nodes above it. Returns true if it is the first of all.
    #[inline]
    fn rise(&mut self, endpoint: u32, at: Time) -> bool {
        let mut i = endpoint as usize;
        for level in &mut self.above {
            i /= CHILDREN;
            if at >= level[i] {
                return false;
            }
            level[i] = at;
        }
        true
    }

    /// Hands a later time of an endpoint on to the nodes above it.
    #[inline]
    fn replay(&mut self, endpoint: u32) {
        let mut i = endpoint as usize;
        let mut below = &self.armed;
        for level in &mut self.above {
            i /= CHILDREN;
            let first = earliest(children(below, i));
            if level[i] == first {
                return;
            }
            level[i] = first;
            below = level;
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::testing::lengths;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_later_deadline_is_lazy_and_an_earlier_one_supersedes() {
        let t = Time::from_nanos;
        let mut timers = Timers::default();
        timers.reserve(2);
        assert!(timers.arm(0, t(10)));
        assert!(!timers.arm(0, t(20)), "later: the endpoint re-arms itself when woken at 10");
        assert!(timers.arm(0, t(5)));
        assert!(!timers.arm(1, t(7)));
        assert_eq!(timers.take(t(5)), Some(0));
        assert_eq!(timers.take(t(7)), Some(1));
        assert_eq!(timers.take(t(10)), None, "superseded at 5");
        assert_eq!(timers.first(), Time::NEVER);
    }

    #[test]
    fn ties_go_by_another_order_if_there_is_one() {
        let t = Time::from_nanos;
        let mut timers = Timers::default();
        timers.reserve(40);
        [3, 7, 39].into_iter().for_each(|endpoint| {
            timers.arm(endpoint, t(5));
        });
        timers.arm(8, t(6));
        let mut take = |now| timers.take_by(t(now), |endpoint| 100 - endpoint);
        assert_eq!(
            [take(4), take(5), take(5), take(5), take(5), take(6)],
            [None, Some(39), Some(7), Some(3), None, Some(8)]
        );
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Arm(u32, u64),
        Disarm(u32),
        Take,
        /// As after an event: the driver asks when the next one is.
        First,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0..40_u32, 0..30_u64).prop_map(|(endpoint, after)| Step::Arm(endpoint, after)),
            1 => (0..40_u32).prop_map(Step::Disarm),
            4 => Just(Step::Take),
            1 => Just(Step::First),
        ]
    }

    proptest! {
        /// Wake-ups come by time, then by endpoint, whatever is armed and forgotten between, and as endpoints are added.
        #[test]
        fn wake_ups_come_in_order(steps in prop::collection::vec(step(), lengths(1..200))) {
            let mut timers = Timers::default();
            let mut model = vec![Time::NEVER; 40];
            let mut now = Time::ZERO;
            for step in steps {
                let first = model.iter().copied().zip(0..).min().unwrap();
                match step {
                    Step::Arm(endpoint, after) => {
                        timers.reserve(endpoint as usize + 1);
                        let at = now + dumbbell_core::Duration::from_nanos(after);
                        timers.arm(endpoint, at);
                        let armed = &mut model[endpoint as usize];
                        *armed = at.min(*armed);
                        prop_assert_eq!(timers.armed(endpoint), *armed);
                    }
                    Step::Disarm(endpoint) => {
                        timers.reserve(endpoint as usize + 1);
                        timers.disarm(endpoint);
                        model[endpoint as usize] = Time::NEVER;
                    }
                    Step::Take if first.0.is_finite() => {
                        now = first.0;
                        prop_assert_eq!(timers.take(now), Some(first.1));
                        model[first.1 as usize] = Time::NEVER;
                    }
                    Step::Take | Step::First => prop_assert_eq!(timers.first(), first.0),
                }
            }
        }
    }
}
