//! Delays that depend on the address of the client: what the links beside the emulated one add for some pairs only.

use std::collections::VecDeque;

use dumbbell_core::{Duration, Time};
use dumbbell_net::link::Carried;

use crate::frame::IpFrame;

/// Packets of one address. All wait for the same time, so none overtakes another.
#[derive(Debug)]
struct Line {
    delay: Duration,
    /// By the time at which they go on.
    waiting: VecDeque<IpFrame>,
}

/// The lines at one side of the emulated link, one for each address of the client; none if no packet waits.
#[derive(Debug)]
pub struct Delays(Vec<Line>);

impl Delays {
    /// What each address adds, in their order.
    pub fn new(each: impl Iterator<Item = Duration>) -> Delays {
        let lines: Vec<Line> = each.map(|delay| Line { delay, waiting: VecDeque::new() }).collect();
        Delays(if lines.iter().all(|line| line.delay.is_zero()) { Vec::new() } else { lines })
    }

    /// Keeps a packet of an address; gives it back if it goes on at once.
    pub fn keep(&mut self, address: usize, mut frame: IpFrame) -> Option<IpFrame> {
        let Some(line) = self.0.get_mut(address).filter(|line| !line.delay.is_zero()) else {
            return Some(frame);
        };
        frame.set_at(frame.at() + line.delay);
        line.waiting.push_back(frame);
        None
    }

    /// When the next packet goes on.
    pub fn wake_at(&self) -> Time {
        self.heads().map(|(at, _)| at).min().unwrap_or(Time::NEVER)
    }

    /// The next packet that goes on by `now`; its time says when.
    pub fn next(&mut self, now: Time) -> Option<IpFrame> {
        let (_, i) = self.heads().min().filter(|(at, _)| *at <= now)?;
        self.0[i].waiting.pop_front()
    }

    /// The packets that wait.
    pub fn waiting(&self) -> impl Iterator<Item = &IpFrame> {
        self.0.iter().flat_map(|line| &line.waiting)
    }

    fn heads(&self) -> impl Iterator<Item = (Time, usize)> {
        self.0.iter().enumerate().filter_map(|(i, line)| Some((line.waiting.front()?.at(), i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::tests::udp;

    fn frame(ms: u64, payload: &[u8]) -> IpFrame {
        IpFrame::parse(at(ms), udp(false, (1, 2), 0, payload)).unwrap()
    }

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn each_address_waits_for_its_own_time_and_keeps_its_order() {
        let mut delays = Delays::new([0, 5, 2].map(Duration::from_millis).into_iter());
        assert!(delays.keep(0, frame(0, b"at once")).is_some());
        for (ms, address, payload) in [(0, 1, b"c"), (1, 2, b"a"), (2, 2, b"b"), (3, 1, b"e"), (5, 2, b"d")] {
            assert!(delays.keep(address, frame(ms, payload)).is_none());
        }
        assert_eq!((delays.wake_at(), delays.waiting().count()), (at(3), 5));
        assert!(delays.next(Time::from_nanos(2_999_999)).is_none());
        let mut seen = Vec::new();
        while let Some(frame) = delays.next(at(9)) {
            seen.push((frame.at(), frame.udp_payload().unwrap().to_vec()));
        }
        let expected = [(3, b"a"), (4, b"b"), (5, b"c"), (7, b"d"), (8, b"e")];
        assert_eq!(seen, expected.map(|(ms, payload)| (at(ms), payload.to_vec())));
        assert_eq!(delays.wake_at(), Time::NEVER);
    }

    #[test]
    fn addresses_that_do_not_differ_have_no_lines() {
        let mut delays = Delays::new([Duration::ZERO; 3].into_iter());
        assert!(delays.0.is_empty());
        assert!(delays.keep(2, frame(0, b"at once")).is_some());
    }
}
