//! What an acknowledgement does to a sender that detects losses by time. The order is that of Linux: what is held, what is
//! acknowledged, the probe, the state, timers, the window.

use dumbbell_core::{Duration, Header, Packet, Time};
use dumbbell_header::{SackBlock, TcpHeader};

use super::{Sender, todo};
use crate::controller::{Class, Control, Event, Needs};
use crate::tcp::params::CutFrom;
use crate::tcp::rack::prr::Prr;
use crate::tcp::rack::{DUPLICATES, KEPT_FOR, Probe, Rack, SLACK, State, Timer};
use crate::tcp::rtt::passed;
use crate::tcp::stamps::round_trip;

/// What an acknowledgement brings.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// New data, in order.
    advanced: bool,
    /// New data above a hole.
    held: bool,
    /// Data sent once, of what was out when the state was entered.
    original: bool,
    /// Data sent more than once, in order.
    resent: bool,
    /// Segments that arrived twice (RFC 2883).
    duplicates: u32,
    /// The probe arrived, and what it repeats had too.
    probe: bool,
    /// An echo of congestion.
    echo: bool,
    /// A retransmission was found lost.
    lost_again: bool,
    /// The timestamp echoed.
    timestamp: Option<Time>,
    /// When the first and the last of the segments sent once were sent that it acknowledges, and that it shows held.
    acked: Option<(Time, Time)>,
    held_sent: Option<(Time, Time)>,
    /// The most segments that had been delivered when one of them was sent.
    prior: u32,
    /// Where the lowest of them begins that was sent once.
    lowest: u64,
    /// True if the timer for retransmissions starts afresh.
    rearm: bool,
}

/// What may be sent in answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    /// Nothing is lost.
    NewData,
    /// What is lost comes first.
    Repairs,
    /// New data, though something is lost: it shows whether a timeout was spurious (RFC 5682 section 2.1 step 2b).
    Instead,
}

impl Sender {
    /// An acknowledgement.
    pub(in crate::tcp) fn acknowledged_in_time(&mut self, now: Time, packet: &Packet) {
        // Out of the sender and back, so that both can be changed.
        let Some(mut rack) = self.repair.rack.take() else { return };
        self.stream.held = false;
        if rack.is_plain(packet) && self.gate.is_settled() {
            self.advance_in_time(now, packet, &mut rack);
        } else {
            self.work(now, packet, &mut rack);
        }
        let arrived = self.stream.una + rack.segments.held_bytes();
        rack.arrived = (arrived / u64::from(self.stream.mss)) as u16;
        self.update_limit_in_time(&rack);
        self.repair.rack = Some(rack);
    }

    /// What an acknowledgement does that may bring anything.
    #[inline(never)]
    fn work(&mut self, now: Time, packet: &Packet, rack: &mut Rack) {
        let header = TcpHeader::unpack(&packet.words());
        debug_assert!(header.number <= self.stream.max, "nothing is acknowledged that was not sent");
        let (una, found, delivered, held) = (self.stream.una, rack.found, rack.delivered, rack.highest_held);
        self.stream.take_window(header.number, header.window);
        if rack.timer == Timer::Persist {
            // Probes of a closed window are answered.
            self.timers.expired = 0;
        }
        let mut seen = Seen {
            advanced: header.number > una,
            held: false,
            original: false,
            resent: false,
            duplicates: 0,
            probe: false,
            echo: self.gate.note_marks(header.has(TcpHeader::ECE), self.echo.accurate.is_some()),
            lost_again: false,
            timestamp: self.params.timestamps.then(|| Time::from_nanos(header.timestamp)),
            acked: None,
            held_sent: None,
            prior: 0,
            lowest: u64::MAX,
            rearm: false,
        };
        if packet.body[2] != 0 && self.params.sack {
            self.take_blocks(now, &header, rack, &mut seen);
        }
        if seen.advanced {
            self.stream.advance(header.number);
            self.timers.expired = 0;
            rack.timeouts = 0;
            self.take_acknowledged(now, rack, &mut seen, held);
        }
        let rtt = self.take_times(now, rack, &mut seen);
        if rack.delivered > delivered && seen.prior > 0 {
            rack.adapt(seen.prior);
        }
        if rack.probe_end > 0 {
            self.end_probe(now, rack, header.number, &seen);
        }
        let plain =
            seen.advanced && rack.state == State::Open && !seen.held && !seen.echo && seen.duplicates == 0;
        let answer = if plain { Answer::NewData } else { self.alert(now, rack, &mut seen) };
        if seen.rearm && !self.schedule_probe(now, rack, true) {
            self.rearm_in_time(now, rack);
        }
        self.control_congestion(now, rack, &seen, rtt, (rack.delivered - delivered, rack.found - found));
        rack.repairing = answer == Answer::Repairs;
        if answer == Answer::Instead {
            self.tell_beginning(now, rack);
        }
    }

    /// Takes in SACK blocks. The first may tell of what arrived twice (RFC 2883 section 4).
    fn take_blocks(&mut self, now: Time, header: &TcpHeader, rack: &mut Rack, seen: &mut Seen) {
        let ack = header.number;
        let place = |offset: u32| ack.wrapping_add_signed(i64::from(offset.cast_signed()));
        let absent = SackBlock::default();
        let blocks = header.sack.map(|b| if b == absent { (0, 0) } else { (place(b.start), place(b.end)) });
        let mut known = rack.blocks;
        let (start, end) = blocks[0];
        let inside = blocks[1].0 <= start && end <= blocks[1].1;
        let twice = start < end && (end <= ack || inside);
        if twice {
            self.take_duplicate(start, end, rack, seen);
        }
        // In the order of their numbers: what is delivered last counts for times.
        // Linux net/ipv4/tcp_input.c: tcp_sacktag_write_queue.
        let mut order = [0, 1, 2];
        order.sort_unstable_by_key(|i| blocks[*i].0);
        for i in order.into_iter().filter(|i| !(twice && *i == 0) && blocks[*i].0 < blocks[*i].1) {
            let (start, end) = blocks[i];
            let start = start.max(self.stream.una);
            // What an earlier acknowledgement told is not gone through again.
            let overlap = known.iter().find(|k| k.0 < end && start < k.1).copied().unwrap_or((end, end));
            for (from, to) in [(start, end.min(overlap.0)), (start.max(overlap.1), end)] {
                if from < to {
                    self.take_held(now, from, to, rack, seen);
                }
            }
            known[i] = (start, end);
        }
        rack.blocks = known;
        rack.highest_held =
            blocks.iter().map(|b| b.1).filter(|end| *end > ack).fold(rack.highest_held, u64::max);
        let lowest = std::mem::replace(&mut seen.lowest, u64::MAX);
        if rack.state != State::Loss || rack.undo.possible {
            rack.note_reordering(lowest, u64::from(self.stream.mss));
        }
    }

    fn take_held(&mut self, now: Time, start: u64, end: u64, rack: &mut Rack, seen: &mut Seen) {
        for id in rack.segments.within(start, end) {
            let Some(segment) = rack.segments.hold(id) else { continue };
            seen.held = true;
            rack.delivered += 1;
            seen.prior = seen.prior.max(segment.delivered);
            rack.delivered_one(now, &segment, self.timers.rtt.min(), None);
            if let Some(account) = &mut self.gate.account {
                account.acknowledged(segment.start, segment.end);
            }
            if !segment.was_resent() {
                if segment.start < rack.highest_held {
                    seen.lowest = seen.lowest.min(segment.start);
                }
                seen.original |= segment.end <= rack.high;
                let first = seen.held_sent.map_or(segment.sent_at, |(first, _)| first);
                seen.held_sent = Some((first, segment.sent_at));
            }
        }
        rack.segments.join(start, end);
    }

    /// `[start, end)` arrived twice.
    fn take_duplicate(&mut self, start: u64, end: u64, rack: &mut Rack, seen: &mut Seen) {
        let segments = (end - start).div_ceil(u64::from(self.stream.mss)).max(1);
        seen.probe = segments == 1 && rack.probe_end > 0 && rack.probe_end == end;
        rack.duplicates_seen += segments;
        // More than were sent again: the network copies packets, and tells nothing about the sender.
        if rack.duplicates_seen > self.repair.retransmissions {
            return;
        }
        rack.duplicate_seen |= rack.reorderings > 0 && !seen.probe;
        seen.duplicates = segments as u32;
        if rack.undo.possible && rack.undo.resent > 0 && end > rack.undo.marker {
            rack.undo.resent = (rack.undo.resent - segments.cast_signed()).max(0);
        }
    }

    /// Takes in what is acknowledged in order. Of that, what lies below `held`, the highest byte that the receiver was known to
    /// hold before, was reordered; what the same acknowledgement shows held says nothing about it.
    fn take_acknowledged(&mut self, now: Time, rack: &mut Rack, seen: &mut Seen, held: u64) {
        let min_rtt = self.timers.rtt.min();
        while let Some(segment) = rack.segments.pop(self.stream.una) {
            seen.rearm = true;
            seen.prior = seen.prior.max(segment.delivered);
            if segment.was_resent() {
                seen.resent = true;
            } else if !segment.is_held() {
                let first = seen.acked.map_or(segment.sent_at, |(first, _)| first);
                seen.acked = Some((first, segment.sent_at));
                seen.lowest = seen.lowest.min(segment.start);
                seen.original |= segment.end <= rack.high;
            }
            if !segment.is_held() {
                rack.delivered += 1;
                rack.delivered_one(now, &segment, min_rtt, seen.timestamp);
                if let Some(account) = &mut self.gate.account {
                    account.acknowledged(segment.start, segment.end);
                }
            }
        }
        if seen.lowest < held {
            rack.note_reordering(seen.lowest, u64::from(self.stream.mss));
        }
        if rack.segments.held() == 0 {
            rack.highest_held = self.stream.una;
        }
    }

    /// Measures: the timer takes the segment sent longest ago, the controller the one sent last. Returns the latter.
    fn take_times(&mut self, now: Time, rack: &mut Rack, seen: &mut Seen) -> Duration {
        let in_order = seen.acked.filter(|_| !seen.resent);
        if let (None, Some((first, _)), Some(head)) = (in_order, seen.held_sent, rack.segments.first()) {
            // What was sent before the head was sent last shows that the head is late, not lost.
            seen.rearm |= first < head.sent_at;
        }
        let newest = seen.held_sent.or(in_order).map(|(_, last)| passed(last, now));
        let oldest = in_order.or(seen.held_sent).map(|(first, _)| passed(first, now));
        let echoed = seen.timestamp.filter(|_| seen.advanced).map(|sent| round_trip(sent, now));
        let Some(measured) = oldest.or(echoed) else { return Duration::ZERO };
        let newest = newest.or(echoed).unwrap_or(measured);
        self.time_round(rack, measured, newest);
        newest
    }

    /// Takes in the round-trip times of the segments sent longest ago and last of those that an acknowledgement delivers.
    #[inline]
    pub(super) fn time_round(&mut self, rack: &mut Rack, longest: Duration, shortest: Duration) {
        self.timers.rtt.lower(shortest);
        self.timers.rtt.estimate(longest, 0, &self.params);
        if self.stream.una > rack.rtt_until {
            rack.rtt_until = self.stream.nxt;
            self.timers.rtt.end_round(&self.params);
        }
    }

    /// Looks what became of a tail loss probe (RFC 8985 section 7.4).
    fn end_probe(&mut self, now: Time, rack: &mut Rack, ack: u64, seen: &Seen) {
        if ack < rack.probe_end {
            return;
        }
        if !rack.probe_resent || seen.probe {
            rack.probe_end = 0;
        } else if ack > rack.probe_end {
            // The probe repaired a loss that nothing else shows: one cut.
            self.begin_reduction(now, rack, Event::Loss);
            rack.state = State::Reduced;
            self.end_reduction(rack);
            self.keep_open(rack);
        } else if !(seen.advanced || seen.held) {
            rack.probe_end = 0;
        }
    }

    /// Keeps what is needed to take the cut back, and lets the controller cut.
    pub(super) fn begin_reduction(&mut self, now: Time, rack: &mut Rack, event: Event) {
        rack.high = self.stream.nxt;
        rack.probe_end = 0;
        rack.prr = Prr::begin(self.gate.window_segments());
        rack.undo.window = self.gate.control.window;
        self.cut(now, rack, event);
        self.stream.tell_cut = true;
    }

    /// Lets the controller say where the window goes.
    fn cut(&mut self, now: Time, rack: &Rack, event: Event) {
        let window = self.gate.control.window;
        let base = self.cut_base(rack);
        self.decide(now, event, self.gate.delivered, base, Duration::ZERO);
        self.gate.round_threshold();
        self.gate.cuts += 1;
        if self.gate.moves_window() {
            self.gate.control.window = window;
        }
    }

    /// What the size of a cut is reckoned from.
    pub(super) fn cut_base(&self, rack: &Rack) -> u64 {
        match self.params.cut_from {
            CutFrom::Window => u64::from(self.gate.window_segments()) * u64::from(self.stream.mss),
            CutFrom::Flight => rack.flight(self.stream.mss.into()).min(self.gate.control.window),
        }
    }

    fn end_reduction(&mut self, rack: &Rack) {
        let cut = rack.state == State::Reduced || rack.undo.possible;
        if cut && self.gate.moves_window() && self.gate.control.threshold != Control::UNLIMITED {
            self.gate.set_window(self.gate.threshold_segments());
        }
    }

    /// Open, or what it must be called otherwise.
    pub(super) fn keep_open(&mut self, rack: &mut Rack) {
        let disorder = rack.segments.held() + rack.segments.lost() > 0 || rack.has_resent();
        let state = if disorder { State::Disorder } else { State::Open };
        if state != rack.state {
            rack.state = state;
            rack.high = self.stream.nxt;
        }
    }

    fn try_to_open(&mut self, now: Time, rack: &mut Rack, seen: &Seen) {
        if !rack.has_resent() {
            rack.undo.since = None;
        }
        if seen.echo && rack.state < State::Reduced {
            rack.undo.possible = false;
            rack.undo.threshold = 0;
            self.begin_reduction(now, rack, Event::Ecn);
            rack.state = State::Reduced;
        }
        if rack.state != State::Reduced {
            self.keep_open(rack);
        }
    }

    /// Restores window and threshold. With `unmark` nothing counts as lost any more.
    fn take_back(&mut self, now: Time, rack: &mut Rack, unmark: bool) {
        if rack.state == State::Loss {
            self.repair.timeout_was_spurious();
        }
        if unmark {
            rack.segments.find_all();
            self.gate.account.iter_mut().for_each(|account| account.found_again());
        }
        if rack.undo.threshold > 0 {
            if self.gate.moves_window() {
                self.gate.control.window = self.gate.control.window.max(rack.undo.window);
            }
            if rack.undo.threshold > self.gate.control.threshold {
                self.gate.control.threshold = rack.undo.threshold;
                self.stream.tell_cut = false;
            }
        }
        rack.undo.possible = false;
        // What is late is looked at again.
        rack.advanced = true;
        self.tell_end(now, Event::Undone, rack);
    }

    /// Moves between the states. Says what may be sent.
    fn alert(&mut self, now: Time, rack: &mut Rack, seen: &mut Seen) -> Answer {
        if seen.echo {
            rack.undo.threshold = 0;
        }
        if rack.state == State::Open {
            rack.undo.since = None;
        } else if self.stream.una >= rack.high {
            match rack.state {
                State::Reduced if self.stream.una != rack.high => {
                    self.end_reduction(rack);
                    rack.state = State::Open;
                }
                State::Recovery => {
                    self.recovered(now, rack, seen);
                    self.end_reduction(rack);
                }
                _ => {}
            }
        }
        match rack.state {
            State::Recovery => {
                if seen.advanced && self.params.undo && rack.undo.possible && rack.was_delayed(seen.timestamp)
                {
                    rack.reorderings += 1;
                    if rack.segments.resent() > 0 {
                        return Answer::NewData;
                    }
                    if !rack.has_resent() {
                        rack.undo.since = None;
                    }
                    self.take_back(now, rack, true);
                    self.keep_open(rack);
                }
                if self.undone_by_duplicates(now, rack) {
                    self.keep_open(rack);
                }
                self.identify_losses(now, rack, seen);
                if rack.state != State::Recovery {
                    if rack.segments.lost() == 0 {
                        self.try_to_open(now, rack, seen);
                        return Answer::NewData;
                    }
                    self.enter_recovery(now, rack, seen.echo);
                }
                Answer::Repairs
            }
            State::Loss => {
                if seen.advanced {
                    self.repair.judge_timeout(now, None, self.timers.rtt.min());
                }
                let answer = self.repair_after_timeout(now, rack, seen);
                self.identify_losses(now, rack, seen);
                if rack.state == State::Open || seen.lost_again {
                    return self.open_or_recover(now, rack, seen);
                }
                answer
            }
            State::Open | State::Disorder | State::Reduced => {
                if rack.state <= State::Disorder {
                    self.undone_by_duplicates(now, rack);
                }
                self.identify_losses(now, rack, seen);
                self.open_or_recover(now, rack, seen)
            }
        }
    }

    fn open_or_recover(&mut self, now: Time, rack: &mut Rack, seen: &Seen) -> Answer {
        if rack.segments.lost() == 0 {
            self.try_to_open(now, rack, seen);
            return Answer::NewData;
        }
        self.enter_recovery(now, rack, seen.echo);
        Answer::Repairs
    }

    /// Everything up to the end of the episode is acknowledged.
    fn recovered(&mut self, now: Time, rack: &mut Rack, seen: &Seen) {
        if self.params.undo && rack.may_undo(seen.timestamp) {
            self.take_back(now, rack, false);
        } else {
            rack.kept_for = rack.kept_for.saturating_sub(1);
            self.tell_end(now, Event::Recovered, rack);
        }
        rack.state = State::Open;
        if !rack.has_resent() {
            rack.undo.since = None;
        }
    }

    fn undone_by_duplicates(&mut self, now: Time, rack: &mut Rack) -> bool {
        let undone = self.params.undo && rack.undo.possible && rack.undo.resent == 0;
        if undone {
            rack.kept_for = (rack.kept_for + 1).min(KEPT_FOR);
            self.take_back(now, rack, false);
        }
        undone
    }

    /// Begins to repair losses.
    pub(super) fn enter_recovery(&mut self, now: Time, rack: &mut Rack, echo: bool) {
        let reducing = rack.is_reducing();
        rack.undo.threshold = 0;
        rack.keep_for_undo(self.stream.una);
        if !reducing {
            if !echo {
                rack.undo.threshold = self.gate.current_threshold();
            }
            self.begin_reduction(now, rack, Event::Loss);
        } else if rack.state == State::Reduced && self.gate.needs.any(Needs::CUTS) {
            // Linux net/ipv4/tcp_dctcp.c: dctcp_state.
            self.cut(now, rack, Event::Loss);
        }
        rack.state = State::Recovery;
    }

    /// An acknowledgement after a timeout (RFC 5682, in the form for SACK).
    fn repair_after_timeout(&mut self, now: Time, rack: &mut Rack, seen: &Seen) -> Answer {
        let recovered = self.stream.una >= rack.high;
        if seen.advanced && self.params.undo && rack.may_undo(seen.timestamp) {
            self.undo_loss(now, rack);
            return Answer::NewData;
        }
        if rack.frto {
            if seen.original {
                self.undo_loss(now, rack);
                return Answer::NewData;
            }
            if self.stream.nxt > rack.high {
                if seen.held || !seen.advanced {
                    rack.frto = false;
                }
            } else if seen.advanced && !recovered {
                rack.high = self.stream.nxt;
                if self.stream.nxt < self.stream.stop
                    && self.stream.nxt + self.stream.length(self.stream.nxt)
                        <= self.stream.una + self.stream.receive_window
                {
                    // Whatever Nagle says: it shall show something.
                    self.stream.short_end = self.stream.una;
                    return Answer::Instead;
                }
                rack.frto = false;
            }
        }
        if recovered {
            self.recovered(now, rack, seen);
            return Answer::NewData;
        }
        Answer::Repairs
    }

    /// The timeout was spurious.
    fn undo_loss(&mut self, now: Time, rack: &mut Rack) {
        self.take_back(now, rack, true);
        rack.timeouts = 0;
        rack.frto = false;
        rack.state = State::Open;
    }

    /// Finds what is lost, and arms the timer for what may soon be.
    fn identify_losses(&mut self, now: Time, rack: &mut Rack, seen: &mut Seen) {
        if !std::mem::take(&mut rack.advanced) {
            return;
        }
        let resent = rack.segments.resent();
        let window = rack.reordering_window(self.timers.rtt.min(), self.timers.rtt.smoothed());
        if let Some(left) = rack.detect(now, window, self.stream.mss.into(), &mut self.gate.account) {
            rack.timer = Timer::Reordering;
            self.timers.rto_at = self.due(now, left + SLACK);
            seen.rearm = false;
        }
        seen.lost_again |= rack.segments.resent() < resent;
    }

    /// Moves the window: by proportional rate reduction, or as the controller has it.
    fn control_congestion(
        &mut self,
        now: Time,
        rack: &mut Rack,
        seen: &Seen,
        rtt: Duration,
        (delivered, lost): (u32, u64),
    ) {
        // A part of a segment counts for nothing until the rest is acknowledged.
        // Linux net/ipv4/tcp_input.c: tcp_clean_rtx_queue, tcp_tso_acked.
        let una = rack.segments.first().map_or(self.stream.una, |first| first.start.min(self.stream.una));
        let total = una + rack.segments.held_bytes();
        // With reordering, what is held counts as progress: the cumulative acknowledgement would come in bursts.
        let may_grow = seen.advanced || rack.reordering > DUPLICATES && seen.held;
        let reducing = rack.is_reducing();
        let repairs = rack.state >= State::Recovery;
        self.repair.duplicates.recovering =
            if self.gate.class == Class::Model { repairs } else { reducing || !may_grow };
        self.gate.window_limited = self.gate.is_window_limited(rack);
        if let Some(account) = &mut self.gate.account {
            account.advanced(self.stream.una, 0, self.stream.max - self.stream.una);
        }
        self.tell_losses_in_time(now, rack);
        let in_flight = rack.flight(self.stream.mss.into());
        if total > self.gate.delivered || self.gate.account.is_some() {
            let delivered = total.max(self.gate.delivered);
            self.decide_holding(now, Event::Ack, (delivered, delivered - una), in_flight, rtt);
        }
        let delivered = delivered + seen.duplicates;
        if reducing && self.gate.moves_window() && delivered > 0 {
            let safe = seen.advanced && lost == 0;
            let threshold = self.gate.threshold_segments();
            let window = rack.prr.window(threshold, rack.segments.in_flight(), delivered, safe);
            self.gate.set_window(window);
        }
    }

    /// Computes up to where new data may be sent, and whether something goes before it.
    pub(super) fn update_limit_in_time(&mut self, rack: &Rack) {
        self.todo &= !todo::REPAIR;
        if rack.repairing && rack.segments.may_have_lost() || rack.probe != Probe::None {
            self.todo |= todo::REPAIR;
        }
        let room = u64::from(rack.room(self.gate.window_segments())) * u64::from(self.stream.mss);
        let granted = self.stream.una + self.stream.receive_window;
        self.stream.limit =
            if rack.probe == Probe::Due { granted } else { granted.min(self.stream.nxt + room) };
    }
}
