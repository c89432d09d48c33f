//! The segments that are not acknowledged, in the order of their numbers and in the order in which they were sent last
//! (RFC 8985 section 6.1), with what is known of each. Counts are kept as segments change, so that none is ever
//! computed by a walk.

use std::collections::VecDeque;

use dumbbell_core::Time;

/// No neighbour in the order of sending.
const NONE: u32 = u32::MAX;

/// So many segments have their memory from the start, and keep it while the connection is idle: the usual first window
/// (RFC 6928).
const FEW: usize = 10;

/// Packets that are held do not become one of so many bytes or more.
// Linux net/ipv4/tcp_input.c: tcp_skb_shift.
const LONGEST: u64 = 65_535 * 8;

/// What is known of a segment.
mod state {
    /// The receiver holds it.
    pub const HELD: u8 = 1;
    /// It is taken for lost.
    pub const LOST: u8 = 1 << 1;
    /// It was sent again, and that may still arrive.
    pub const RESENT: u8 = 1 << 2;
    /// It was sent more than once.
    pub const EVER_RESENT: u8 = 1 << 3;
    /// It stands in the order of sending.
    pub const LISTED: u8 = 1 << 4;
    /// It is the last of a packet that the device cut.
    pub const LAST: u8 = 1 << 5;
    /// It pushes (RFC 9293 section 3.9.1.2).
    pub const PUSHES: u8 = 1 << 6;
    /// It was sent again without being lost, and held then.
    pub const APART: u8 = 1 << 7;
}

/// A segment that is not acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Its first number.
    pub start: u64,
    /// One past its last number.
    pub end: u64,
    /// When it was sent last.
    pub sent_at: Time,
    /// Segments that had been delivered then.
    pub delivered: u32,
    /// The one sent before it and the one sent after it: numbers of segments.
    earlier: u32,
    later: u32,
    /// Of the last one of packets that became one: how many segments that has. Else zero.
    joined: u16,
    state: u8,
}

impl Segment {
    /// True if the receiver holds it.
    pub fn is_held(&self) -> bool {
        self.state & state::HELD != 0
    }

    /// True if it is taken for lost.
    pub fn is_lost(&self) -> bool {
        self.state & state::LOST != 0
    }

    /// True if it was sent again and that may still arrive.
    pub fn is_resent(&self) -> bool {
        self.state & state::RESENT != 0
    }

    /// True if the application pushed it, or it was the last that it had written.
    pub fn pushes(&self) -> bool {
        self.state & state::PUSHES != 0
    }

    /// True if it was sent more than once.
    pub fn was_resent(&self) -> bool {
        self.state & state::EVER_RESENT != 0
    }
}

/// Plain segments that one acknowledgement has taken away.
#[derive(Clone, Copy, Debug)]
pub struct Gone {
    /// The first number, and one past the last.
    pub start: u64,
    pub end: u64,
    /// When the first and the last of them were sent.
    pub first_sent_at: Time,
    pub last_sent_at: Time,
    /// Segments that had been delivered when the last was sent.
    pub delivered: u32,
    pub count: u32,
}

/// All segments that are not acknowledged.
#[derive(Clone, Debug)]
pub struct Segments {
    queue: VecDeque<Segment>,
    /// The number of the first in the queue; numbers wrap.
    base: u32,
    /// Below this number a segment may have been held, lost or sent again: the order of sending is a list. At zero it is the
    /// order of the queue, and no list is kept.
    listed_below: u64,
    /// The one sent longest ago of those in the list, and the one sent last.
    first_sent: Option<u32>,
    last_sent: Option<u32>,
    held: u32,
    held_bytes: u64,
    lost: u32,
    resent: u32,
    /// Packets that the device cut into these.
    packets: u32,
    /// No segment below is lost and waits to be sent again.
    repair_from: u64,
}

impl Default for Segments {
    fn default() -> Segments {
        Segments {
            queue: VecDeque::with_capacity(FEW),
            base: 0,
            listed_below: 0,
            first_sent: None,
            last_sent: None,
            held: 0,
            held_bytes: 0,
            lost: 0,
            resent: 0,
            packets: 0,
            repair_from: 0,
        }
    }
}

impl Segments {
    /// Segments that are not acknowledged.
    #[inline]
    pub fn out(&self) -> u32 {
        self.queue.len() as u32
    }

    /// Those that the receiver holds.
    pub fn held(&self) -> u32 {
        self.held
    }

    /// The same in bytes.
    pub fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    /// Those taken for lost.
    pub fn lost(&self) -> u32 {
        self.lost
    }

    /// Those sent again that may still arrive.
    pub fn resent(&self) -> u32 {
        self.resent
    }

    /// Packets that the device cut into these: those whose last segment is not acknowledged.
    pub fn packets(&self) -> u32 {
        self.packets
    }

    /// True if none of them was ever held, lost or sent again.
    #[inline]
    pub fn are_plain(&self) -> bool {
        self.listed_below == 0
    }

    /// Segments in the network: neither held nor lost, and those sent again.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.out() - self.held - self.lost + self.resent
    }

    /// Gives back the memory of many segments, when none is out: the connection may stay idle.
    pub fn release(&mut self) {
        if self.queue.capacity() > FEW {
            self.queue = VecDeque::with_capacity(FEW);
        }
    }

    /// The first segment.
    pub fn first(&self) -> Option<&Segment> {
        self.queue.front()
    }

    /// The segment of a number.
    #[inline]
    pub fn get(&self, id: u32) -> &Segment {
        &self.queue[id.wrapping_sub(self.base) as usize]
    }

    #[inline]
    fn at(&mut self, id: u32) -> &mut Segment {
        &mut self.queue[id.wrapping_sub(self.base) as usize]
    }

    /// The numbers of all segments, in order.
    pub fn ids(&self) -> impl Iterator<Item = u32> + use<> {
        let base = self.base;
        (0..self.out()).map(move |i| base.wrapping_add(i))
    }

    /// The segments whose numbers lie in `[start, end)` whole, as numbers.
    pub fn within(&self, start: u64, end: u64) -> impl Iterator<Item = u32> + use<> {
        let first = self.below(start);
        let count = self.queue.range(first..).take_while(|s| s.end <= end).count();
        let base = self.base;
        (first..first + count).map(move |i| base.wrapping_add(i as u32))
    }

    /// How many segments begin below a number.
    fn below(&self, number: u64) -> usize {
        let Some(first) = self.queue.front().filter(|first| first.start < number) else { return 0 };
        // Where all are full.
        let place = ((number - first.start) / (first.end - first.start).max(1)) as usize;
        let is_it = self.queue.get(place).is_some_and(|s| s.start == number);
        if is_it { place } else { self.queue.partition_point(|s| s.start < number) }
    }

    /// A new segment leaves, perhaps as the last of a packet, and as one that the application pushed.
    #[inline]
    pub fn push(
        &mut self,
        now: Time,
        (start, end): (u64, u64),
        delivered: u32,
        (last, pushes): (bool, bool),
    ) {
        let id = self.base.wrapping_add(self.out());
        self.queue.push_back(Segment {
            start,
            end,
            sent_at: now,
            delivered,
            earlier: NONE,
            later: NONE,
            joined: 0,
            state: (state::LAST * u8::from(last)) | (state::PUSHES * u8::from(pushes)),
        });
        self.packets += u32::from(last);
        if !self.are_plain() {
            self.list(id);
        }
    }

    /// From now on the order of sending is a list, until everything that is out now has gone: one walk for each window at most.
    fn keep_list(&mut self) {
        if self.are_plain() {
            (self.first_sent, self.last_sent) = (None, None);
            self.ids().for_each(|id| self.list(id));
        }
        self.listed_below = self.queue.back().map_or(0, |s| s.end);
    }

    /// A segment leaves again.
    pub fn resend(&mut self, now: Time, id: u32, delivered: u32) {
        self.keep_list();
        self.unlist(id);
        // What is sent again alone becomes a packet of its own (Linux net/ipv4/tcp_output.c: __tcp_retransmit_skb).
        let place = id.wrapping_sub(self.base) as usize;
        let before = place.checked_sub(1).map(|before| self.queue[before]);
        if before.is_some_and(|before| before.state & state::LAST == 0 && before.sent_at != now) {
            self.split(place - 1);
        }
        let segment = self.at(id);
        let again = segment.is_resent();
        segment.sent_at = now;
        segment.delivered = delivered;
        segment.state |= state::RESENT | state::EVER_RESENT;
        self.resent += u32::from(!again);
        self.list(id);
    }

    /// How many segments leave again as one packet, from a lost one on, at most so many: those of its packet that are lost, too.
    // Linux net/ipv4/tcp_output.c: what tcp_xmit_retransmit_queue and __tcp_retransmit_skb send at once.
    pub fn together(&self, id: u32, most: u32) -> u32 {
        let first = id.wrapping_sub(self.base) as usize;
        let mut packet = self.queue.range(first..).take(most as usize);
        let mut count = 1;
        while let Some(segment) = packet.next()
            && segment.state & state::LAST == 0
            && packet.clone().next().is_some_and(|next| next.is_lost() && !next.is_resent())
        {
            count += 1;
        }
        count
    }

    /// A segment that leaves again is the last of its packet.
    pub fn end_packet(&mut self, id: u32) {
        if self.get(id).state & state::LAST == 0 {
            self.split(id.wrapping_sub(self.base) as usize);
        }
    }

    /// Puts a segment at the end of the order of sending.
    fn list(&mut self, id: u32) {
        let last = self.last_sent.replace(id);
        match last {
            Some(last) => self.at(last).later = id,
            None => self.first_sent = Some(id),
        }
        let segment = self.at(id);
        segment.earlier = last.unwrap_or(NONE);
        segment.later = NONE;
        segment.state |= state::LISTED;
    }

    /// Takes a segment out of the order of sending.
    fn unlist(&mut self, id: u32) {
        let segment = self.at(id);
        if segment.state & state::LISTED == 0 {
            return;
        }
        segment.state &= !state::LISTED;
        let (earlier, later) = (segment.earlier, segment.later);
        match earlier {
            NONE => self.first_sent = (later != NONE).then_some(later),
            earlier => self.at(earlier).later = later,
        }
        match later {
            NONE => self.last_sent = (earlier != NONE).then_some(earlier),
            later => self.at(later).earlier = earlier,
        }
    }

    /// The segment sent longest ago of those that may still arrive.
    pub fn first_sent(&self) -> Option<u32> {
        if self.are_plain() { self.ids().next() } else { self.first_sent }
    }

    /// The one sent after `id` of those that may still arrive.
    pub fn sent_after(&self, id: u32) -> Option<u32> {
        if self.are_plain() {
            let next = id.wrapping_add(1);
            return (next.wrapping_sub(self.base) < self.out()).then_some(next);
        }
        let later = self.get(id).later;
        (later != NONE).then_some(later)
    }

    /// The receiver holds the segment. Returns how it stood before, or `None` if that was known.
    pub fn hold(&mut self, id: u32) -> Option<Segment> {
        if self.get(id).is_held() {
            return None;
        }
        self.keep_list();
        let segment = self.at(id);
        let before = *segment;
        let apart = if before.is_resent() && !before.is_lost() { state::APART } else { 0 };
        segment.state = segment.state & !(state::LOST | state::RESENT) | state::HELD | apart;
        self.lost -= u32::from(before.is_lost());
        self.resent -= u32::from(before.is_resent());
        self.held += 1;
        self.held_bytes += before.end - before.start;
        self.unlist(id);
        Some(before)
    }

    /// What one acknowledgement newly shows held, from one number to another: packets become one with a held one before them if their
    /// segments are alike, and then with one behind them. A packet that is held in part becomes two or three.
    // Linux net/ipv4/tcp_input.c: tcp_shift_skb_data, and tcp_match_skb_to_sack where that does not go.
    pub fn join(&mut self, start: u64, end: u64) {
        let (mut place, beyond) = (self.below(start), self.below(end));
        if place > 0 && place < beyond && !self.ends(place - 1) {
            self.split(place - 1);
        }
        while place < beyond {
            let mut last = self.last_from(place);
            let in_part = last >= beyond;
            if in_part {
                last = beyond - 1;
                self.split(last);
            }
            let next = last + 1;
            if self.merge(place, last)
                && !in_part
                && self.queue.get(next).is_some_and(|s| next >= beyond && s.is_held())
            {
                self.merge(next, self.last_from(next));
            }
            place = next;
        }
    }

    /// Makes a packet one with that before it, if the receiver holds that and they are alike.
    fn merge(&mut self, first: usize, last: usize) -> bool {
        let Some(before) = first.checked_sub(1).filter(|before| self.queue[*before].is_held()) else {
            return false;
        };
        let begin = self.first_of(before);
        let segments = last + 1 - begin;
        let length = self.length(first, last);
        // A probe that the receiver got is not taken for lost.
        let is_apart = self.queue[first].state & state::APART != 0;
        if is_apart || length != self.length(begin, before) || segments as u64 * length >= LONGEST {
            return false;
        }
        self.queue[before].state &= !state::LAST;
        self.queue[last].joined = segments as u16;
        self.packets -= 1;
        true
    }

    /// Bytes of the full segments of a packet.
    fn length(&self, first: usize, last: usize) -> u64 {
        let length = |place: usize| self.queue[place].end - self.queue[place].start;
        if first == last { length(first) } else { length(first).max(length(first + 1)) }
    }

    fn ends(&self, place: usize) -> bool {
        self.queue[place].state & state::LAST != 0
    }

    /// The last segment of the packet of this one.
    fn last_from(&self, place: usize) -> usize {
        (place..self.queue.len()).find(|place| self.ends(*place)).unwrap_or(self.queue.len() - 1)
    }

    /// The first segment of the packet that ends with this one, as far as it is there.
    fn first_of(&self, last: usize) -> usize {
        match self.queue[last].joined {
            0 => (0..last).rev().find(|place| self.ends(*place)).map_or(0, |before| before + 1),
            joined => (last + 1).saturating_sub(joined.into()),
        }
    }

    /// A packet ends here from now on.
    fn split(&mut self, place: usize) {
        self.queue[place].state |= state::LAST;
        self.packets += 1;
    }

    /// The first segment, if everything up to its end is acknowledged: it goes.
    #[inline]
    pub fn pop(&mut self, una: u64) -> Option<Segment> {
        if self.queue.front().is_none_or(|s| s.end > una) {
            return None;
        }
        if !self.are_plain() {
            self.unlist(self.base);
        }
        let segment = self.queue.pop_front()?;
        self.base = self.base.wrapping_add(1);
        if segment.end >= self.listed_below {
            self.listed_below = 0;
        }
        if segment.is_held() {
            self.held -= 1;
            self.held_bytes -= segment.end - segment.start;
        }
        self.lost -= u32::from(segment.is_lost());
        self.resent -= u32::from(segment.is_resent());
        self.packets -= u32::from(segment.state & state::LAST != 0);
        Some(segment)
    }

    /// What is acknowledged up to `una` goes, while all segments are plain; `None` if that is not even one.
    #[inline]
    pub fn pop_plain(&mut self, una: u64) -> Option<Gone> {
        debug_assert!(self.are_plain());
        let first = self.queue.front()?;
        let (start, first_sent_at) = (first.start, first.sent_at);
        let mut gone =
            Gone { start, end: 0, first_sent_at, last_sent_at: first_sent_at, delivered: 0, count: 0 };
        while let Some(segment) = self.queue.front().filter(|s| s.end <= una) {
            (gone.end, gone.last_sent_at, gone.delivered) = (segment.end, segment.sent_at, segment.delivered);
            gone.count += 1;
            self.packets -= u32::from(segment.state & state::LAST != 0);
            self.queue.pop_front();
        }
        self.base = self.base.wrapping_add(gone.count);
        (gone.count > 0).then_some(gone)
    }

    /// Takes the segment for lost, unless the receiver holds it. Says what is news: that it is lost, or lost again.
    pub fn lose(&mut self, id: u32) -> bool {
        let segment = self.get(id);
        if segment.is_held() || segment.is_lost() && !segment.is_resent() {
            return false;
        }
        self.keep_list();
        let segment = self.at(id);
        let (start, known, again) = (segment.start, segment.is_lost(), segment.is_resent());
        segment.state = segment.state & !state::RESENT | state::LOST;
        self.lost += u32::from(!known);
        self.resent -= u32::from(again);
        self.repair_from = self.repair_from.min(start);
        self.unlist(id);
        true
    }

    /// Takes nothing for lost any more: what was, may still arrive. It stays out of the order of sending.
    pub fn find_all(&mut self) {
        self.queue.iter_mut().for_each(|s| s.state &= !state::LOST);
        self.lost = 0;
    }

    /// False if no segment is lost, or all that are were sent again since.
    #[inline]
    pub fn may_have_lost(&self) -> bool {
        self.lost > 0 && self.repair_from < u64::MAX
    }

    /// The first segment that is lost and was not sent again since.
    pub fn next_lost(&mut self) -> Option<u32> {
        if !self.may_have_lost() {
            return None;
        }
        let from = self.below(self.repair_from);
        let due = self.queue.range(from..).position(|s| s.is_lost() && !s.is_resent());
        match due {
            Some(i) => {
                self.repair_from = self.queue[from + i].start;
                Some(self.base.wrapping_add((from + i) as u32))
            }
            None => {
                self.repair_from = u64::MAX;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::testing::lengths;
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Push,
        Hold(usize),
        Lose(usize),
        Resend(usize),
        FindAll,
        Pop(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => Just(Step::Push),
            1 => (0_usize..12).prop_map(Step::Hold),
            1 => (0_usize..12).prop_map(Step::Lose),
            1 => (0_usize..12).prop_map(Step::Resend),
            1 => Just(Step::FindAll),
            2 => (1_usize..8).prop_map(Step::Pop),
        ]
    }

    #[test]
    fn packets_that_are_held_become_one() {
        let mut segments = Segments::default();
        // Three packets of two segments.
        (0..6).for_each(|n| segments.push(Time::ZERO, (10 * n, 10 * n + 10), 0, (n % 2 == 1, false)));
        let mut packets = |id| {
            segments.hold(id);
            segments.join(10 * u64::from(id), 10 * u64::from(id) + 10);
            segments.packets()
        };
        assert_eq!([2, 3, 4, 5].map(&mut packets), [4, 3, 3, 2]);
        // What is sent again with the segment before it stays in its packet; alone, it becomes one.
        for (later, expected) in [(0, 2), (1, 3)] {
            let mut again = segments.clone();
            again.resend(Time::from_nanos(1), 0, 0);
            again.resend(Time::from_nanos(1 + later), 1, 0);
            assert_eq!(again.packets(), expected);
            while again.pop(60).is_some() {}
            assert_eq!(again.packets(), 0);
        }
    }

    /// Linux net/ipv4/tcp_input.c: tcp_shift_skb_data looks at the packet before, and behind only at what follows one that it moved.
    #[test]
    fn packets_join_to_the_left_and_then_once_to_the_right() {
        let packets = |length: u64, count: u64, steps: &[(u64, u64)]| {
            let mut segments = Segments::default();
            (0..count).for_each(|n| {
                segments.push(Time::ZERO, (length * n, length * (n + 1)), 0, (true, false));
            });
            for (first, beyond) in steps {
                (*first..*beyond).for_each(|id| _ = segments.hold(id as u32));
                segments.join(length * first, length * beyond);
            }
            segments.packets()
        };
        // A hole of two is filled from its end: the second stays alone, the first takes it and no more.
        assert_eq!(packets(10, 6, &[(0, 2), (4, 6)]), 4);
        assert_eq!(packets(10, 6, &[(0, 2), (4, 6), (3, 4)]), 4);
        assert_eq!(packets(10, 6, &[(0, 2), (4, 6), (3, 4), (2, 3)]), 2);
        assert_eq!(packets(10, 6, &[(0, 2), (4, 6), (2, 3), (3, 4)]), 1);
        // 65,535 * 8 bytes are too many for one.
        assert_eq!([362, 363].map(|count| packets(1448, count, &[(0, count)])), [1, 2]);
    }

    #[test]
    fn what_was_sent_again_without_being_lost_joins_nothing() {
        for (lost, expected) in [(true, 1), (false, 2)] {
            let mut segments = Segments::default();
            (0..3).for_each(|n| segments.push(Time::ZERO, (10 * n, 10 * n + 10), 0, (true, false)));
            (0..2).for_each(|id| _ = segments.hold(id));
            segments.join(0, 20);
            if lost {
                segments.lose(2);
            }
            segments.resend(Time::ZERO, 2, 0);
            segments.hold(2);
            segments.join(20, 30);
            assert_eq!(segments.packets(), expected, "{lost}");
        }
    }

    proptest! {
        #[test]
        fn the_order_of_sending_is_that_of_a_plain_list(steps in prop::collection::vec(step(), lengths(1..120))) {
            let mut segments = Segments::default();
            // The starts of those that may still arrive, in the order in which they were sent last.
            let (mut order, mut next) = (Vec::<u64>::new(), 0);
            for step in steps {
                let id = |n: usize| segments.ids().nth(n).map(|id| (id, segments.get(id).start));
                match step {
                    Step::Push => {
                        segments.push(Time::ZERO, (next, next + 10), 0, (false, false));
                        order.push(next);
                        next += 10;
                    }
                    Step::Hold(n) => if let Some((id, start)) = id(n) {
                        segments.hold(id);
                        order.retain(|s| *s != start);
                    },
                    Step::Lose(n) => if let Some((id, start)) = id(n)
                        && segments.lose(id)
                    {
                        order.retain(|s| *s != start);
                    },
                    Step::Resend(n) => if let Some((id, start)) = id(n)
                        && segments.get(id).is_lost()
                    {
                        segments.resend(Time::ZERO, id, 0);
                        order.retain(|s| *s != start);
                        order.push(start);
                    },
                    Step::FindAll => segments.find_all(),
                    Step::Pop(n) => {
                        let una = segments.first().map_or(0, |s| s.start) + 10 * n as u64;
                        if segments.are_plain() {
                            segments.pop_plain(una);
                        } else {
                            while segments.pop(una).is_some() {}
                        }
                        order.retain(|s| *s >= una);
                    }
                }
                let listed = std::iter::successors(segments.first_sent(), |id| segments.sent_after(*id));
                let listed: Vec<u64> = listed.map(|id| segments.get(id).start).collect();
                prop_assert_eq!(&listed, &order);
                let count = |is: fn(&Segment) -> bool| segments.queue.iter().filter(|s| is(s)).count() as u32;
                let counts = [count(Segment::is_held), count(Segment::is_lost), count(Segment::is_resent)];
                prop_assert_eq!([segments.held(), segments.lost(), segments.resent()], counts);
                prop_assert!(!segments.are_plain() || counts == [0, 0, 0]);
            }
        }
    }
}
