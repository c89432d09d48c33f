//! Another rate or another queue while packets pass: for an emulator whose user turns a knob. No simulation does this.

use std::mem;

use dumbbell_core::{BitRate, Duration, Time};

use super::super::verdicts::{Verdicts, verdicts};
use super::super::{Carried, Incidents, LinkConfig, Serializer, Service};
use super::QueuedLink;
use crate::queue::Discipline;

impl<P: Carried> QueuedLink<P> {
    /// True if its rate and its queue may change: it has one rate, that nothing else sets, and a queue that holds nothing back.
    pub fn can_change(&self) -> bool {
        matches!(self.service, Service::Constant(_)) && self.port.is_none() && !self.holds_back
    }

    /// The rate that it serves at.
    pub fn rate_now(&self, now: Time) -> BitRate {
        self.service.rate(now)
    }

    /// Serves at another rate from `now` on, with the rest of the packet in transmission. Only if [`QueuedLink::can_change`].
    pub fn set_rate(&mut self, now: Time, rate: BitRate, incidents: &mut Incidents<P>) {
        self.catch_up(now, incidents);
        let (before, rate) = (self.service.rate(now).as_bps(), BitRate::from_bps(rate.as_bps().max(1)));
        let mut free = now;
        if let Some((_, end)) = &mut self.in_service {
            // Bits and nanoseconds: what is left, times a second.
            let left = u128::from(end.since(now).as_nanos()) * u128::from(before);
            let rest = left.div_ceil(u128::from(rate.as_bps()));
            *end = now + Duration::from_nanos(u64::try_from(rest).unwrap_or(u64::MAX / 2));
            free = *end;
        }
        self.service = Service::Constant(Serializer::free_from(rate, free));
        self.due = self.next_due();
    }

    /// Puts the queue of another description in the place of its own. What waits moves over, in the order in which the old queue
    /// gives it: both may drop of it, as they always may. Only if [`QueuedLink::can_change`].
    pub fn set_queue(&mut self, now: Time, config: &LinkConfig, incidents: &mut Incidents<P>) {
        self.catch_up(now, incidents);
        let queue = &config.direction.queue;
        let mut old = mem::replace(&mut self.queue, queue.build(config.queue_setting()));
        while let Some(packet) = old.dequeue(now, &mut verdicts!(self, incidents)) {
            self.queue.enqueue(now, packet, &mut verdicts!(self, incidents));
        }
        self.holds_back = queue.laziness().holds_back;
        if self.in_service.is_none() {
            self.start(now, incidents);
        }
        self.due = self.next_due();
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Packet;

    use super::super::super::laws::{config_of, described, packet};
    use super::*;
    use crate::link::{Incident, Meter};

    const TEXT: &str = r#"{"rate": "12Mbit/s", "delay": "1ms", "queue": "droptail"}"#;
    const SMALLER: &str =
        r#"{"rate": "12Mbit/s", "delay": "1ms", "queue": {"kind": "droptail", "limit": "4pkt"}}"#;

    fn ms(t: u64) -> Time {
        Time::from_nanos(t * 1_000_000)
    }

    /// A link of 12 Mbit/s that got ten packets of 1500 bytes at once: one a millisecond.
    fn busy() -> QueuedLink<Packet> {
        let mut link = QueuedLink::new(&config_of(described(TEXT)));
        for id in 0..10 {
            link.push(Time::ZERO, packet(id, 1500), &mut Vec::new());
        }
        link
    }

    /// When packets come out, up to the end.
    fn out(link: &mut QueuedLink<Packet>, incidents: &mut Incidents<Packet>) -> Vec<Time> {
        let mut times = Vec::new();
        while link.wake_at().is_finite() {
            let now = link.wake_at();
            times.extend(link.take(now, incidents).map(|_| now));
        }
        times
    }

    #[test]
    fn the_rest_of_a_packet_has_the_new_rate() {
        let (mut link, mut none) = (busy(), Vec::new());
        // Half of the first is left.
        link.set_rate(Time::from_nanos(500_000), BitRate::from_bps(6_000_000), &mut none);
        let times = out(&mut link, &mut none);
        let expected: Vec<Time> =
            (0..10).map(|i| Time::from_nanos(1_500_000 + i * 2_000_000) + Duration::from_millis(1)).collect();
        assert_eq!(times, expected);
        assert_eq!(link.rate_now(ms(100)).as_bps(), 6_000_000);
    }

    #[test]
    fn a_standstill_ends_with_a_new_rate() {
        let (mut link, mut none) = (busy(), Vec::new());
        link.set_rate(ms(0), BitRate::from_bps(0), &mut none);
        assert!(link.wake_at() > ms(1_000_000));
        link.set_rate(ms(5), BitRate::from_bps(12_000_000), &mut none);
        assert_eq!(out(&mut link, &mut none)[0], ms(7));
    }

    #[test]
    fn what_waits_moves_into_the_new_queue_and_its_limit_holds() {
        let (mut link, mut lost) = (busy(), Vec::new());
        link.set_queue(Time::from_nanos(100), &config_of(described(SMALLER)), &mut lost);
        // One is in transmission, four of nine wait.
        assert_eq!((link.backlog(ms(0)), lost.len()), (5, 5));
        assert!(lost.iter().all(|(_, incident)| matches!(incident, Incident::Dropped(_))));
        assert_eq!(out(&mut link, &mut lost), (2..7).map(ms).collect::<Vec<_>>());
        link.assert_conservation();
        let counted = link.counters(ms(10));
        assert_eq!((counted.arrived, counted.sent, counted.dropped_total()), (10, 5, 5));
    }

    #[test]
    fn a_rate_that_something_else_sets_stays() {
        for (text, can) in [
            (TEXT, true),
            (
                r#"{"rate": "1Mbit/s", "delay": "1ms", "queue": "droptail", "rate_changes": [{"at": "1s", "rate": "2Mbit/s"}]}"#,
                false,
            ),
            (r#"{"rate": "1Mbit/s", "delay": "1ms", "queue": "token-bucket-filter"}"#, false),
        ] {
            let link = QueuedLink::<Packet>::new(&config_of(described(text)));
            assert_eq!(link.can_change(), can, "{text}");
        }
    }
}
