//! The receiving end of a connection: reassembly, acknowledgements, the closing of both directions.

use std::sync::Arc;

use dumbbell_core::{Duration, Ecn, FlowTag, Frame, Header, Packet, Stage, Time};
use dumbbell_header::{SackBlock, TcpHeader};

use super::accurate::Counts;
use super::acks::{Acks, Pressure, SHOWN, Verdict};
use super::allowance::{Allowance, Credit};
use super::cheat::Cheating;
use super::disorder::{Disorder, SACK_BLOCK, SACK_OPTION};
use super::params::{DelayedAcks, EcnFeedback, Params};
use super::reading::{Reading, Rules};
use crate::controller::Needs;
use crate::host::Grant;
use crate::transport::{Opening, ReceiveEnd, ReceiverReport};

/// Among the flags of the next acknowledgement: another goes first, for what arrived under the other state of marks.
/// (A bit that this stack has no other use for; RFC 9293 calls it RST.)
const EARLY: u8 = 0x04;

/// Among the flags of the next acknowledgement: the window is computed, the policy for acknowledgements has a say, or it carries
/// counters of marks. (Acknowledgements have no use for PSH.)
const HOSTED: u8 = 0x08;

/// The receiving end of a connection.
#[derive(Debug)]
pub struct Receiver {
    /// Next number expected in order.
    next: u64,
    /// Application bytes that will come.
    size: u64,
    /// The largest window that it can grant or advertise.
    reach: u32,
    /// True if an acknowledgement is due.
    due: bool,
    /// True if something is held above a hole.
    gap: bool,
    /// Flags of the next acknowledgement besides ACK.
    flags: u8,
    /// The receive window, shifted.
    window: u16,
    /// Payload of a full segment.
    segment: u16,
    flow: FlowTag,
    header: u16,
    /// Segments in order not acknowledged yet.
    waiting: u32,
    /// When the delayed acknowledgement is due.
    ack_at: Time,
    params: Arc<Params>,
    // What the parameters say, where every segment asks for it.
    ack_every: u32,
    ecn: bool,
    timestamps: bool,
    packets: u64,
    marks: u64,
    /// When the last byte expected arrived; never until then.
    finished: Time,
    /// What arrived out of order, if anything did.
    disorder: Option<Box<Disorder>>,
    /// The timestamp to echo (RFC 7323 section 4.3: TS.Recent).
    timestamp: u64,
    /// The latest acknowledgement sent (RFC 7323 section 4.3: Last.ACK.sent).
    acknowledged: u64,
    /// When the FIN is sent again; never before it is sent and after it is acknowledged. Before the end: when the application
    /// reads.
    fin_at: Time,
    /// Time the FIN waits for an acknowledgement.
    fin_timeout: Duration,
    /// What routers answered to the segments not acknowledged yet.
    feedback: f64,
    /// Times the FIN was sent because nothing was heard.
    expired: u32,
    /// True if every mark counts: the sender needs the echo of each (RFC 8257 section 3.2), or counters tell of them.
    pub(super) exact: bool,
    /// The counters, with accurate ECN.
    counts: Option<Box<Counts>>,
    /// What the acknowledgement that goes first acknowledges.
    early: u64,
    /// When to acknowledge, if that takes more than a count and a delay; from the handshake on.
    acks: Option<Box<Acks>>,
    /// The window, if the host has a policy.
    allowance: Option<Box<Allowance>>,
    /// Segments beyond the window.
    ignored: u32,
}

impl Receiver {
    pub(super) fn new(params: Arc<Params>, opening: &Opening) -> Receiver {
        let granted = params.window(opening);
        let scale = params.scale(granted.largest);
        let promised = if params.handshake { 0 } else { granted.first };
        let hosted = opening.granted.is_some();
        let least = u64::from(params.segment(opening.mtu));
        let credit = granted.by_credit.then_some(Credit { end: 0, open: !params.handshake });
        let reading = opening.reader.as_ref().map(|planned| {
            let linux = params.delayed_acks == DelayedAcks::Linux;
            Reading::new(planned, if linux { Rules::Linux } else { Rules::Rfc })
        });
        let has_policy = Acks::are_wanted(&params, hosted) || reading.is_some();
        let (window, latest) = (granted.first, 0);
        let allowance = (hosted || reading.is_some())
            .then(|| Box::new(Allowance { window, least, promised, latest, scale, hosted, reading, credit }));
        let acks = (has_policy && !params.handshake).then(|| Acks::new(&params, least, hosted));
        let first = Acks::first_window(&params, least).filter(|_| !hosted).unwrap_or(granted.first);
        let window = (first >> scale).min(u64::from(u16::MAX)) as u16;
        let ecn = params.agreed_ecn();
        let counts = (ecn == EcnFeedback::Accurate).then(|| Box::new(Counts::new()));
        let weighs = hosted || has_policy || counts.is_some();
        let hides = params.cheat.as_ref().is_some_and(|cheat| cheat.hide_marks);
        Receiver {
            next: 0,
            size: opening.size.unwrap_or(u64::MAX),
            reach: granted.largest.max(u64::from(u16::MAX) << scale).try_into().unwrap_or(u32::MAX),
            due: false,
            gap: false,
            flags: TcpHeader::ACK | if weighs { HOSTED } else { 0 },
            window,
            segment: least as u16,
            flow: opening.flow,
            ack_every: params.ack_every,
            ecn: ecn != EcnFeedback::Off,
            timestamps: params.timestamps,
            header: params.header() as u16,
            waiting: 0,
            ack_at: Time::NEVER,
            packets: 0,
            marks: 0,
            finished: Time::NEVER,
            disorder: None,
            timestamp: 0,
            acknowledged: 0,
            fin_at: Time::NEVER,
            fin_timeout: params.rto_initial,
            feedback: 0.0,
            expired: 0,
            exact: params.controller.needs().any(Needs::ECHOES) || counts.is_some() || hides,
            counts,
            early: 0,
            acks,
            allowance,
            ignored: 0,
            params,
        }
    }

    /// The number expected next: everything below has arrived.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// True if everything from `start` to `end` has arrived.
    pub fn holds(&self, start: u64, end: u64) -> bool {
        let start = start.max(self.next);
        let held = || self.disorder.as_ref().and_then(|disorder| disorder.held.overlap(start, end));
        end <= start || held() == Some((start, end))
    }

    /// A segment that begins at `start` does not fit a buffer elsewhere: it is dropped, and acknowledged with what of it was there.
    pub fn turn_away(&mut self, start: u64) {
        if let Some(acks) = &mut self.acks {
            acks.begins(start);
        }
        self.refuse();
    }

    /// Sets the answer of a buffer elsewhere to the segment that comes next. From then on every segment needs one.
    pub fn press(&mut self, pressure: Pressure) {
        if let Some(acks) = &mut self.acks {
            acks.set_pressure(pressure);
        }
    }

    /// How it misbehaves, if it does.
    #[inline]
    fn cheating(&self) -> Option<&Cheating> {
        self.acks.as_ref()?.cheating.as_deref()
    }

    #[inline]
    fn cheating_mut(&mut self) -> Option<&mut Cheating> {
        self.acks.as_mut()?.cheating.as_deref_mut()
    }

    /// A segment with data arrived where every mark counts.
    #[cold]
    fn count_mark(&mut self, ecn: Ecn, payload: u64) {
        let ecn = self.cheating().map_or(ecn, |cheating| cheating.seen(ecn));
        match &mut self.counts {
            Some(counts) => self.due |= counts.arrived(ecn, payload),
            None => self.echo_exactly(ecn == Ecn::Ce),
        }
    }

    /// Echoes marks one by one (RFC 8257 section 3.2): when marked segments follow unmarked ones, or the reverse, what
    /// waits is acknowledged under the old state, and the segment at once under the new one.
    fn echo_exactly(&mut self, marked: bool) {
        if marked == (self.flags & TcpHeader::ECE != 0) {
            return;
        }
        self.flags ^= TcpHeader::ECE;
        self.due = true;
        if self.waiting > 0 {
            self.flags |= EARLY;
            self.early = self.next;
            self.waiting = 0;
            self.ack_at = Time::NEVER;
        }
    }

    /// True after the sender's FIN.
    fn is_ended(&self) -> bool {
        self.flags & TcpHeader::FIN != 0
    }

    /// The next segment in order has arrived, up to `end`.
    #[inline]
    fn in_order(&mut self, now: Time, end: u64, fin: bool, packet: &Packet) {
        self.next = end;
        let gap = self.gap;
        if gap {
            self.fill();
        }
        if self.next >= self.size {
            self.finished = self.finished.min(now);
        }
        // The FIN may be in what was held.
        if fin || (gap && self.params.fin && self.next > self.size) {
            self.closed(now);
        }
        self.waiting += 1;
        if let Some(acks) = &mut self.acks {
            let alone = !gap && !fin && self.allowance.is_none();
            let waiting = self.waiting;
            match alone.then(|| acks.full_in_order(now, packet.body[0], end, waiting, packet)).flatten() {
                Some(verdict) => self.obey(verdict),
                None => self.weigh(now, gap || fin, packet),
            }
        } else if self.waiting >= self.ack_every || gap || fin {
            self.due = true;
        } else if self.ack_at == Time::NEVER {
            self.ack_at = now + self.params.ack_delay;
        }
    }

    /// All has arrived, and the FIN.
    #[cold]
    fn closed(&mut self, now: Time) {
        self.flags |= TcpHeader::FIN;
        // The FIN tells how much there was where nobody has said it before.
        self.size = self.size.min(self.next - 1);
        self.finished = self.finished.min(now);
    }

    /// Acknowledges now or later, as the policy has it.
    #[inline(never)]
    fn weigh(&mut self, now: Time, at_once: bool, packet: &Packet) {
        let shrinks = self.allowance.is_some() && self.read(now);
        let Some(acks) = &mut self.acks else { return };
        acks.echoed(now, packet.aux);
        if !at_once {
            acks.forget_twice();
        }
        acks.begins(packet.body[0]);
        if let Some(cheating) = &mut acks.cheating {
            cheating.arrived(packet, self.segment.into());
        }
        let held = self.disorder.as_ref().map_or(0, |disorder| disorder.held.bytes());
        let pushed = packet.flags & TcpHeader::PSH != 0;
        let verdict =
            acks.in_order(now, (self.next, held), self.waiting, (at_once, shrinks, pushed), &self.params);
        let delayed = acks.linux && self.ack_at != Time::NEVER && matches!(verdict, Verdict::By(_));
        self.due |= delayed && self.ack_at <= acks.soon(now, self.params.timer_tick);
        self.obey(verdict);
    }

    /// Lets the application read what it has time for. True if what it has not read makes the window smaller than it was.
    #[cold]
    #[inline(never)]
    fn read(&mut self, now: Time) -> bool {
        let next = self.next.min(self.size);
        let Some(allowance) = self.allowance.as_mut() else { return false };
        let Some(reading) = allowance.reading.as_mut() else { return false };
        let bytes = reading.read(now, next);
        let unread = reading.unread(next);
        if let Some(acks) = &mut self.acks {
            acks.read(now, bytes, unread);
        }
        if self.flags & TcpHeader::FIN != 0 {
            // Nothing more will come: the window does not matter, and the timer is the FIN's.
            self.fin_at = Time::NEVER;
            return false;
        }
        self.fin_at = reading.due(next);
        let (window, room) = allowance.window(next, self.acks.as_deref());
        self.due |=
            bytes > 0 && allowance.reading.as_ref().is_some_and(|reading| reading.tells(window, &room));
        unread > 0 && window < allowance.latest
    }

    fn obey(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Now => self.due = true,
            Verdict::By(at) => self.ack_at = self.ack_at.min(at),
        }
    }

    /// What was held joins what has arrived in order. What was sent again may reach into several blocks of it.
    #[cold]
    fn fill(&mut self) {
        let Some(disorder) = &mut self.disorder else { return };
        if let Some(acks) = &mut self.acks {
            acks.forget_twice();
            if let Some(held) = disorder.held.overlap(0, self.next) {
                acks.repeat(held);
            }
        }
        self.next = disorder.fill(self.next);
        self.gap = !disorder.held.is_empty();
    }

    /// A segment that is not the next one, where losses are hidden: what is missing is taken for arrived. One that is old has
    /// nothing new, and is acknowledged.
    #[cold]
    #[inline(never)]
    fn hide(&mut self, now: Time, (number, end): (u64, u64), fin: bool, packet: &Packet) {
        let next = self.next;
        let Some(cheating) = self.cheating_mut().filter(|_| number > next) else {
            self.due = true;
            return;
        };
        cheating.skipped += number - next;
        self.next = number;
        self.in_order(now, end, fin, packet);
    }

    /// A segment that is not the next one, whose sender knew of so many segments that they had arrived.
    #[cold]
    fn unexpected(&mut self, now: Time, (number, end): (u64, u64), fin: bool, acknowledged: u16) {
        if fin {
            self.size = self.size.min(end - 1);
        }
        let disorder = self.disorder.get_or_insert_default();
        disorder.arrivals += 1;
        let held = if self.acks.is_some() { disorder.held.overlap(number, end) } else { None };
        let known = held == Some((number, end));
        let many = self.acks.is_some() && disorder.held.iter().nth(1).is_some();
        let waits = self.acks.as_ref().filter(|acks| acks.linux).map(|acks| acks.holds_back());
        let before = disorder.held.bytes();
        let mut pushes_out = false;
        if number > self.next {
            pushes_out = match waits {
                Some(waits) => disorder.hold_as_linux(number, end, waits),
                None => disorder.hold(number, end).is_none_or(|place| place >= SHOWN) && many,
            };
            self.gap = true;
        }
        match &mut self.acks {
            None => self.due = true,
            Some(acks) => {
                acks.echoed(now, acknowledged);
                acks.forget_twice();
                // What has come with this segment may ask for an answer at once.
                let told = (known, pushes_out, self.due);
                let above = if pushes_out && waits.is_some() { before } else { disorder.held.bytes() };
                let verdict = acks.unexpected(now, (number, end), (self.next, above), told);
                if let Some(held) = held.filter(|_| !known && number > self.next) {
                    acks.repeat(held);
                }
                disorder.hold_back(now, verdict != Verdict::Now);
                if let Verdict::By(_) = verdict
                    && acks.timer > now
                {
                    // The timer of a delayed acknowledgement that has left lets this one go.
                    // Linux net/ipv4/tcp_timer.c: the beginning of tcp_delack_timer_handler.
                    self.ack_at = self.ack_at.min(acks.timer);
                }
                self.obey(verdict);
            }
        }
    }

    /// The SACK blocks of the next acknowledgement, and the bytes that they take.
    #[cold]
    fn blocks(&mut self) -> ([SackBlock; 3], u16) {
        let linux = self.acks.as_ref().is_some_and(|acks| acks.linux);
        match self.disorder.as_mut().filter(|_| self.params.sack) {
            Some(disorder) if linux => disorder.blocks_of_linux(self.next),
            Some(disorder) => disorder.blocks(self.next),
            None => ([SackBlock::default(); 3], 0),
        }
    }

    /// What arrived twice goes before the blocks (RFC 2883 section 4). It may lie below the acknowledgement: its offsets wrap.
    #[cold]
    fn tell_twice(&self, (start, end): (u64, u64), packet: &mut Packet) {
        let mut header = TcpHeader::unpack(&packet.words());
        header.sack.copy_within(..2, 1);
        let offset = |number: u64| number.wrapping_sub(self.next) as u32;
        header.sack[0] = SackBlock { start: offset(start), end: offset(end) };
        let n = header.sack.iter().filter(|b| **b != SackBlock::default()).count() as u16;
        packet.write(&header);
        packet.size = self.header + SACK_OPTION + SACK_BLOCK * n;
    }

    /// An old timestamp in a segment: it is dropped and acknowledged (RFC 7323 section 5.3).
    #[inline]
    fn is_old(&mut self, number: u64, timestamp: u64) -> bool {
        if timestamp < self.timestamp {
            return true;
        }
        if number <= self.acknowledged {
            self.timestamp = timestamp;
        }
        false
    }

    /// A segment beyond the window: it is dropped and acknowledged (RFC 9293 section 3.10.7.4, first check).
    #[cold]
    fn refuse(&mut self) {
        self.ignored = self.ignored.saturating_add(1);
        self.due = true;
    }

    /// A segment without data and without FIN.
    #[cold]
    fn push_empty(&mut self, packet: &Packet) {
        if packet.flags & TcpHeader::SYN != 0 {
            let hosted = self.allowance.as_ref().is_some_and(|allowance| allowance.hosted);
            let reads = self.allowance.as_ref().is_some_and(|allowance| allowance.reading.is_some());
            if self.acks.is_none() && (reads || Acks::are_wanted(&self.params, hosted)) {
                self.acks = Some(Acks::new(&self.params, u64::from(self.segment), hosted));
            }
            if let Some(credit) = self.allowance.as_mut().and_then(|allowance| allowance.credit.as_mut()) {
                credit.open = true;
            }
            self.timestamp = packet.body[1];
            self.flags |= TcpHeader::SYN | self.ecn_answer(packet);
            self.due = true;
        } else if packet.body[0] < self.next {
            // A probe of the window: what lies before it is acknowledged (RFC 9293 section 3.8.6.1).
            self.due = true;
            let held = self.disorder.as_ref().map_or(0, |disorder| disorder.held.bytes());
            if let Some(acks) = &mut self.acks {
                acks.probed(held);
            }
        } else if self.is_ended() {
            self.fin_at = Time::NEVER;
        }
    }

    /// The flags of the SYN-ACK that agree to what a SYN asks for. They tell a sender of accurate ECN that the SYN arrived as it
    /// left, not ECN-capable (RFC 9768 section 3.1.1, table 2).
    fn ecn_answer(&self, syn: &Packet) -> u8 {
        match self.params.ecn_answer {
            EcnFeedback::Accurate if syn.flags & TcpHeader::AE != 0 => TcpHeader::CWR,
            EcnFeedback::Accurate | EcnFeedback::Classic => syn.flags & TcpHeader::ECE,
            EcnFeedback::Off => 0,
        }
    }

    /// A segment with a header of an exchange with routers.
    #[cold]
    fn gather(&mut self, packet: &Packet) {
        let so_far = (self.flags & TcpHeader::FEEDBACK != 0).then_some(self.feedback);
        let exchange = self.params.controller.exchange();
        if let Some(feedback) = exchange.and_then(|exchange| exchange.gather(packet, so_far)) {
            self.flags |= TcpHeader::FEEDBACK;
            self.feedback = feedback;
        }
    }

    /// The timestamp of an acknowledgement that leaves, and the bytes that its receiver knows of then.
    #[inline]
    fn stamp(&mut self, now: Time) -> (Time, u64) {
        if self.gap { self.stamp_above(now) } else { (now, self.next) }
    }

    #[cold]
    fn stamp_above(&mut self, now: Time) -> (Time, u64) {
        let (at, held) = self.disorder.as_mut().map_or((now, 0), |disorder| disorder.leaves(now));
        (at, self.next + held)
    }

    /// A mark, CWR, or a segment that cannot be marked has arrived, where marks are echoed until the sender answers.
    #[cold]
    fn echo_until_answered(&mut self, packet: &Packet) {
        if packet.flags & TcpHeader::CWR != 0 {
            self.flags &= !TcpHeader::ECE;
        }
        let marked = packet.ecn == Ecn::Ce;
        let first = marked && self.flags & TcpHeader::ECE == 0;
        // What cannot be marked was sent again, if others could.
        let again = packet.ecn == Ecn::NotEct && (self.next > 0 || self.gap);
        if let Some(acks) = self.acks.as_mut().filter(|_| first || again) {
            acks.marked();
        }
        if marked {
            self.flags |= TcpHeader::ECE;
        }
    }

    /// The sender has made its window smaller: perhaps it waits for this acknowledgement.
    // Linux net/ipv4/tcp_input.c: tcp_ecn_accept_cwr.
    #[cold]
    fn accept_cwr(&mut self) {
        self.due |= self.acks.as_ref().is_some_and(|acks| acks.linux);
    }

    /// An acknowledgement leaves whose window is computed, or that is more than an acknowledgement. False if it has to wait.
    #[inline(never)]
    fn sent_hosted(&mut self, now: Time, packet: &mut Packet) -> bool {
        let special = TcpHeader::SYN | TcpHeader::FIN | TcpHeader::FEEDBACK | EARLY;
        let alone = self.flags & special == 0 && self.allowance.is_none() && self.counts.is_none();
        let (at, known) = self.stamp(now);
        let Some(acks) = self.acks.as_mut().filter(|acks| alone && acks.is_steady()) else {
            return self.sent_control(now, (at, known), packet);
        };
        acks.sent(at, known);
        self.window = acks.advertise(self.window, self.next);
        packet.flags &= !HOSTED;
        packet.aux = self.window;
        true
    }

    /// The same for one that may be anything.
    #[cold]
    fn sent_control(&mut self, now: Time, (at, known): (Time, u64), packet: &mut Packet) -> bool {
        packet.flags &= !HOSTED;
        let left = self.size.saturating_sub(self.next);
        let waits = self.allowance.as_deref().is_some_and(|allowance| allowance.waits(self.next, left));
        if waits && self.flags & (TcpHeader::SYN | EARLY) == 0 {
            return false;
        }
        if let Some(acks) = &mut self.acks {
            acks.sent(at, known);
            self.window = acks.advertise(self.window, self.next);
            let held = self.disorder.as_ref().map_or(0, |disorder| disorder.held.bytes());
            self.due |= self.flags & TcpHeader::FIN == 0 && acks.reopens(self.next, held);
            if let Some(twice) = acks.twice.take().filter(|_| self.params.sack) {
                self.tell_twice(twice, packet);
            }
        }
        if let Some(allowance) = &mut self.allowance {
            self.window = allowance.advertise(self.next, self.acks.as_deref());
        }
        packet.aux = self.window;
        if let Some(counts) = self.counts.as_mut().filter(|_| self.flags & (TcpHeader::SYN | EARLY) == 0) {
            counts.write(packet);
        }
        let state = (self.next, self.size, self.segment.into());
        let special = self.flags & (TcpHeader::SYN | EARLY) != 0;
        if let Some(cheating) = self.cheating_mut().filter(|_| !special) {
            self.due = cheating.alter(packet, state);
        }
        if self.flags & (TcpHeader::SYN | TcpHeader::FIN | TcpHeader::FEEDBACK | EARLY) != 0 {
            self.sent_special(now, packet);
        }
        true
    }

    /// An acknowledgement with SYN, FIN or feedback leaves, or one that another has to precede.
    #[inline(never)]
    fn sent_special(&mut self, now: Time, packet: &mut Packet) {
        if self.flags & EARLY != 0 {
            self.flags ^= EARLY;
            self.due = true;
            let flags = TcpHeader::ACK | (self.flags ^ TcpHeader::ECE) & TcpHeader::ECE;
            let (window, number, timestamp) = (self.window, self.early, self.timestamp);
            *packet = Packet::of(
                TcpHeader { flags, window, number, timestamp, ..TcpHeader::default() },
                self.flow,
                self.header,
                Ecn::NotEct,
            );
            return;
        }
        if self.flags & TcpHeader::FEEDBACK != 0 {
            self.flags &= !TcpHeader::FEEDBACK;
            TcpHeader::put_answer(packet, std::mem::take(&mut self.feedback));
        }
        if self.flags & TcpHeader::SYN != 0 {
            self.flags &= !(TcpHeader::SYN | TcpHeader::ECE | TcpHeader::CWR);
            packet.size = packet.size.max(self.params.syn() as u16);
            if let Some(acks) = &mut self.acks {
                acks.answered(now);
            }
        }
        if self.is_ended() && self.fin_at == Time::NEVER && self.expired == 0 {
            self.expired = 1;
            self.fin_at = now + self.fin_timeout;
        }
    }
}

impl Stage for Receiver {
    #[inline]
    fn push(&mut self, now: Time, packet: &Packet) {
        self.packets += 1;
        let payload = u64::from(packet.size).saturating_sub(u64::from(self.header));
        if packet.flags & TcpHeader::FEEDBACK != 0 {
            self.gather(packet);
        }
        let fin = packet.flags & TcpHeader::FIN != 0;
        // A SYN carries options, and no data.
        if !fin && (payload == 0 || packet.flags & TcpHeader::SYN != 0) {
            if let Some(acks) = &mut self.acks {
                acks.heard(now);
            }
            self.push_empty(packet);
            return;
        }
        if self.ecn {
            let marked = packet.ecn == Ecn::Ce;
            self.marks += u64::from(marked);
            let reduced = packet.flags & TcpHeader::CWR != 0;
            if reduced {
                self.accept_cwr();
            }
            if self.exact {
                self.count_mark(packet.ecn, payload);
            } else if reduced || marked || packet.ecn == Ecn::NotEct {
                self.echo_until_answered(packet);
            }
        }
        let number = packet.body[0];
        if number.saturating_sub(self.next) > u64::from(self.reach) {
            self.refuse();
            return;
        }
        let end = number + payload + u64::from(fin);
        if self.timestamps && self.is_old(number, packet.body[1]) {
            self.due = true;
            return;
        }
        if number <= self.next && end > self.next {
            self.in_order(now, end, fin, packet);
        } else if self.cheating().is_some_and(Cheating::hides_losses) {
            self.hide(now, (number, end), fin, packet);
        } else {
            self.unexpected(now, (number, end), fin, packet.aux);
        }
    }

    #[inline]
    fn pull(&mut self, now: Time) -> Option<Packet> {
        if !self.due {
            return None;
        }
        self.due = false;
        self.waiting = 0;
        self.ack_at = Time::NEVER;
        self.acknowledged = self.next;
        let (sack, option) = if self.gap { self.blocks() } else { ([SackBlock::default(); 3], 0) };
        let header = TcpHeader {
            flags: self.flags,
            window: self.window,
            number: self.next,
            timestamp: self.timestamp,
            sack,
        };
        // Written where the caller wants it: nothing else is returned below.
        let mut out = Some(Packet::of(header, self.flow, self.header + option, Ecn::NotEct));
        if self.flags & (TcpHeader::SYN | TcpHeader::FIN | TcpHeader::FEEDBACK | EARLY | HOSTED) != 0
            && let Some(packet) = &mut out
            && !self.sent_hosted(now, packet)
        {
            out = None;
        }
        out
    }

    #[inline]
    fn wake(&mut self, now: Time) {
        if now >= self.ack_at {
            let at = std::mem::replace(&mut self.ack_at, Time::NEVER);
            self.due = true;
            match (&mut self.acks, &mut self.disorder) {
                (Some(acks), _) if !self.gap => acks.expired(self.params.timer_tick),
                (Some(acks), Some(disorder)) if acks.timer != at => disorder.kick(),
                _ => {}
            }
        }
        if now >= self.fin_at {
            if !self.is_ended() {
                self.read(now);
                return;
            }
            if self.expired > self.params.retries {
                self.fin_at = Time::NEVER;
                return;
            }
            self.expired += 1;
            self.fin_timeout = (self.fin_timeout * 2).min(self.params.rto_max);
            self.fin_at = now + self.fin_timeout;
            self.due = true;
        }
    }

    #[inline]
    fn wake_at(&self) -> Time {
        self.ack_at.min(self.fin_at)
    }
}

impl ReceiveEnd for Receiver {
    fn report(&self) -> ReceiverReport {
        let skipped = self.cheating().map_or(0, |cheating| cheating.skipped);
        let delivered = self.next.min(self.size) - skipped;
        // A FIN has a number too, and may be held.
        let held = self.disorder.as_ref().map_or(0, |disorder| disorder.held.bytes());
        ReceiverReport {
            delivered,
            received: delivered + held.min(self.size - skipped - delivered),
            packets: self.packets,
            out_of_order: self.disorder.as_ref().map_or(0, |disorder| disorder.arrivals),
            marks: self.marks,
            finished: self.finished(),
            unread: self
                .allowance
                .as_ref()
                .and_then(|allowance| allowance.reading.as_ref())
                .map_or(0, |reading| reading.unread(delivered)),
            delay: None,
        }
    }

    #[inline]
    fn is_closed(&self) -> bool {
        !self.due && self.wake_at() == Time::NEVER
    }

    #[inline]
    fn finished(&self) -> Option<Time> {
        Some(self.finished).filter(|at| at.is_finite())
    }

    fn grant(&mut self, grant: Grant) -> bool {
        let left = self.size.saturating_sub(self.next);
        let due = self.allowance.as_mut().is_some_and(|allowance| allowance.grant(grant, self.next, left));
        self.due |= due;
        due
    }

    fn transit(&self, now: Time) -> Option<Duration> {
        self.timestamps.then(|| now.since(Time::from_nanos(self.timestamp)))
    }

    fn departed(&self, packet: &Packet) -> Option<Time> {
        let carries_data = packet.size > self.header && packet.flags & TcpHeader::SYN == 0;
        carries_data.then(|| Time::from_nanos(packet.body[1]))
    }

    fn ignored(&self) -> u64 {
        self.ignored.into()
    }

    fn hasten(&mut self) -> bool {
        let used_up = |a: &Allowance| a.promised < self.next + a.least;
        let waits = self.waiting > 0 && !self.due && self.allowance.as_deref().is_some_and(used_up);
        self.due |= waits;
        waits
    }

    fn expect(&mut self, bytes: u64) {
        self.size = self.size.saturating_add(bytes);
        self.finished = Time::NEVER;
    }
}
