//! The sender after a loss: duplicates, fast retransmit and recovery, timeouts.
//!
//! Without SACK the controller decides how recovery goes: Tahoe goes back, Reno ends at the first new acknowledgement,
//! NewReno at the acknowledgement of everything that was outstanding (RFC 6582). With SACK recovery is that of RFC
//! 6675.

use dumbbell_core::{Duration, Header, Packet, Time};
use dumbbell_header::TcpHeader;

use super::Sender;
use super::todo::{self, Repaired};
use crate::controller::{Class, Event, Needs, Repair};
use crate::tcp::params::LossDetection;
use crate::tcp::scoreboard::{EMPTY, Scoreboard};

impl Sender {
    /// What is known of losses by duplicates and SACK.
    #[inline]
    pub(in crate::tcp) fn board(&self) -> &Scoreboard {
        self.board.as_deref().unwrap_or(&EMPTY)
    }

    /// Up to where sending is allowed when duplicates arrive or losses are repaired.
    #[cold]
    pub(super) fn limit_under_loss(&self, window: u64) -> u64 {
        if let Some(rack) = &self.rack {
            return self.nxt + u64::from(rack.room(self.window_segments())) * u64::from(self.mss);
        }
        if self.repair.is_none() {
            let waiting = !self.recovering && self.todo & todo::REPAIR == 0;
            if waiting && !self.params.limited_transmit {
                return self.una + window;
            }
            return self.nxt + window.saturating_sub(self.board().pipe(self.una, self.max));
        }
        let mss = i64::from(self.mss);
        let added = if self.recovering {
            self.inflation
        } else if self.params.limited_transmit && self.nxt == self.max {
            // New segments only (RFC 3042): none while old ones are sent again.
            mss * i64::from(self.duplicates.min(self.params.duplicate_threshold - 1))
        } else {
            0
        };
        self.una + (window.cast_signed() + added).max(mss) as u64
    }

    /// An acknowledgement that is a duplicate, or arrives while losses are known or repaired.
    #[cold]
    pub(super) fn acknowledged_under_loss(&mut self, now: Time, ack: u64, rtt: Duration, packet: &Packet) {
        let advanced = ack > self.una;
        let outstanding = self.una < self.max;
        let same_window = self.shifted(packet.aux) == self.receive_window;
        self.take_window(ack, packet.aux);
        if !outstanding {
            // Probes of a closed window are answered.
            self.expired = 0;
        }
        let mut news = 0;
        if self.repair.is_none() {
            if let Some(board) = self.board.as_mut().filter(|_| advanced) {
                board.advance(self.una, ack);
            }
            for block in TcpHeader::unpack(&packet.words()).sack.iter().filter(|b| b.end.cast_signed() > 0) {
                let (start, end) = (ack + u64::from(block.start), ack + u64::from(block.end));
                // An old acknowledgement may carry blocks that lie below the latest one.
                let start = start.max(self.una.max(ack));
                if start < end {
                    let Sender { board, account, .. } = self;
                    news += board.get_or_insert_default().add(start, end, |start, end| {
                        if let Some(account) = account {
                            account.acknowledged(start, end);
                        }
                    });
                }
            }
            let (una, mss, threshold) =
                (self.una.max(ack), u64::from(self.mss), self.params.duplicate_threshold);
            let forward = self.params.loss_detection == LossDetection::Fack;
            let reach = if self.recovering { 0 } else { u64::from(threshold) * mss };
            let known = self.board().lost_to();
            let found = self.board.as_mut().map_or(0, |board| {
                if forward { board.detect_forward(una, reach) } else { board.detect(una, mss, threshold) }
            });
            if found > 0 {
                self.note_lost((known, self.board().lost_to()), found);
            }
        }
        if advanced {
            let acked = ack - self.una;
            self.una = ack;
            self.nxt = self.nxt.max(ack);
            self.expired = 0;
            self.judge_timeout(now, self.timestamps.then(|| Time::from_nanos(packet.body[1])));
            let counted = if self.counts_duplicates() { self.duplicates } else { 0 };
            self.duplicates = 0;
            let before = self.control.window;
            self.advanced_under_loss(now, acked, rtt);
            if counted > 0 && !self.recovering {
                let news =
                    acked.saturating_sub(u64::from(counted) * u64::from(self.mss)).max(u64::from(self.mss));
                self.control.window = self.control.window.min(before + news);
            }
        } else if ack == self.una && outstanding && (news > 0 || self.repair.is_some() && same_window) {
            // Without SACK a duplicate has the window of the one before (RFC 5681 section 2).
            if let Some(account) = self.account.as_mut().filter(|_| self.repair.is_some()) {
                account.duplicate(self.max - self.una);
            }
            if (self.recovering && news > 0) || self.account.is_some() {
                self.decide(now, Event::Ack, self.total(), self.outstanding(), rtt);
            }
            self.duplicate(now);
        }
        if self.repair.is_none() && !self.recovering && self.una >= self.gate && self.board().held() > 0 {
            let shown = self.duplicates >= self.params.duplicate_threshold || self.board().is_lost(self.una);
            if shown {
                self.lost(now);
            }
        }
        if self.needs.any(Needs::LOSSES) {
            self.tell_losses(now, self.outstanding());
        }
    }

    /// Takes in the window of the acknowledgement of `ack`, unless that is an old one. Of several for one number the largest is the
    /// latest, but for one that closes the window (RFC 9293 section 3.10.7.4; Linux net/ipv4/tcp_input.c: tcp_may_update_window).
    pub(super) fn take_window(&mut self, ack: u64, advertised: u16) {
        let window = self.shifted(advertised);
        if ack > self.una || ack == self.una && (window > self.receive_window || window == 0) {
            self.receive_window = window;
        }
    }

    /// True if, without SACK, a duplicate counts as a segment delivered, for which the window does not grow when a hole before it
    /// is filled.
    // Linux net/ipv4/tcp_input.c: what tcp_add_reno_sack and tcp_remove_reno_sacks compute.
    fn counts_duplicates(&self) -> bool {
        self.params.loss_detection == LossDetection::Rack
            && self.repair.is_some()
            && self.class == Class::Window
    }

    /// Bytes acknowledged since the start, cumulatively, selectively or, if the controller wants to know, by duplicates.
    fn total(&self) -> u64 {
        self.una + self.board().held() + self.account.as_ref().map_or(0, |a| a.credit)
    }

    /// Counts bytes found lost in a range, if the controller wants to know.
    fn note_lost(&mut self, range: (u64, u64), bytes: u64) {
        if let Some(account) = &mut self.account {
            account.found_lost(range, bytes);
        }
    }

    /// The same for the first segment that is not acknowledged.
    fn note_first_lost(&mut self) {
        let mss = u64::from(self.mss);
        self.note_lost((self.una, self.una + mss), mss);
    }

    /// Bytes in the network.
    pub(super) fn outstanding(&self) -> u64 {
        if let Some(rack) = &self.rack {
            return u64::from(rack.segments.in_flight()) * u64::from(self.mss);
        }
        match self.repair {
            None => self.board().pipe(self.una, self.max),
            Some(_) => self.nxt - self.una,
        }
    }

    /// New data was acknowledged, `acked` bytes.
    fn advanced_under_loss(&mut self, now: Time, acked: u64, rtt: Duration) {
        let repaired = self.una >= self.recover;
        if repaired {
            // What pacing held back is not needed any more.
            self.todo &= !(todo::REPAIR | todo::RESEND);
        }
        if let Some(account) = &mut self.account {
            account.advanced(self.una, acked, self.max - self.una);
        }
        let ends = repaired || self.repair == Some(Repair::FastRecovery);
        if self.recovering && !ends && self.repair.is_some() {
            self.note_first_lost();
        }
        let event = if self.recovering && ends { Event::Recovered } else { Event::Ack };
        if self.recovering && ends {
            self.recovering = false;
            self.deflate();
        }
        self.decide(now, event, self.total(), self.outstanding(), rtt);
        if self.recovering && self.repair.is_some() {
            // A partial acknowledgement (RFC 6582 section 3.2 step 3): the next hole is sent, the window shrinks by
            // what has left the network, and only the first one restarts the timer.
            self.todo |= todo::RESEND;
            self.inflation -= acked.cast_signed();
            if acked >= u64::from(self.mss) {
                self.inflation += i64::from(self.mss);
            }
            if self.partial {
                return;
            }
            self.partial = true;
        } else if self.repair.is_some()
            && let Some(account) = &mut self.account
            && account.worries(now)
        {
            self.todo |= todo::RESEND;
        }
        self.rearm(now);
    }

    /// What duplicates added to the window is taken back.
    fn deflate(&mut self) {
        let inflation = std::mem::take(&mut self.inflation);
        let fewest = i64::from(self.params.duplicate_threshold) * i64::from(self.mss);
        let reno = self.repair == Some(Repair::FastRecovery);
        if reno && inflation == fewest && !self.params.exit_inflation_fix {
            self.control.window += inflation as u64;
        }
    }

    /// A duplicate acknowledgement.
    fn duplicate(&mut self, now: Time) {
        if self.duplicates == 0 {
            self.before_duplicates = self.nxt;
        }
        self.duplicates += 1;
        if self.recovering {
            self.inflation += i64::from(self.mss);
        } else if self.repair.is_some() && self.una >= self.gate {
            let late = self.account.as_ref().is_some_and(|account| account.first_is_late(now));
            if self.duplicates == self.params.duplicate_threshold || late {
                self.lost(now);
            }
        }
    }

    /// A loss was detected: one cut, and the first segment is sent again.
    fn lost(&mut self, now: Time) {
        if self.repair.is_some() {
            self.note_first_lost();
            if let Some(account) = &mut self.account {
                account.worry();
            }
        }
        // One cut per window, whether losses or marks show congestion (RFC 3168 section 6.1.2).
        if self.una >= self.cut_until || self.repair == Some(Repair::GoBack) {
            self.decide(now, Event::Loss, self.delivered, self.flight(), Duration::ZERO);
            self.cuts += 1;
            self.tell_cut = true;
        }
        self.recover = self.max;
        // As Linux, BSD and ns-2 do: the segment sent again has a whole timeout to arrive.
        self.rto_at = now + self.rtt.timeout();
        match self.repair {
            Some(Repair::GoBack) => {
                self.gate = self.max + 1;
                self.nxt = self.una;
                self.todo |= todo::GO_BACK;
                self.before_duplicates = self.una;
                return;
            }
            Some(Repair::FastRecovery) => self.todo |= todo::RESEND,
            Some(Repair::PartialAcks) => {
                // The acknowledgement must cover more than `recover` before another fast retransmit (RFC 6582
                // section 3.2 step 2).
                self.gate = self.max + 1;
                self.todo |= todo::RESEND;
            }
            None => {
                self.gate = self.max;
                self.todo |= todo::REPAIR;
                if self.board.get_or_insert_default().begin(self.una) {
                    self.todo |= todo::RESEND;
                }
                self.rescue_after = self.after(self.una, self.sent_length(self.una));
            }
        }
        self.recovering = true;
        self.partial = false;
        self.inflation = i64::from(self.params.duplicate_threshold) * i64::from(self.mss);
    }

    /// The retransmission timer expired (RFC 6298 section 5.4 to 5.6, RFC 5681 section 3.1).
    pub(super) fn timeout(&mut self, now: Time) {
        self.note_timeout(now);
        let found = match self.repair {
            None => self.board.get_or_insert_default().lose_all(self.una, self.max),
            Some(_) => self.outstanding(),
        };
        self.note_lost((self.una, self.max), found);
        self.decide(now, Event::Timeout, self.delivered, self.flight(), Duration::ZERO);
        if self.needs.any(Needs::LOSSES) {
            self.tell_losses(now, 0);
        }
        self.tell_cut = true;
        self.recovering = false;
        self.duplicates = 0;
        self.inflation = 0;
        self.recover = self.max;
        self.cut_until = 0;
        self.todo &= !todo::RESEND;
        if self.repair.is_none() {
            self.gate = self.max;
            self.todo |= todo::REPAIR;
        } else {
            self.gate = if self.params.single_fast_retransmit { self.max + 1 } else { 0 };
            self.nxt = self.una;
            self.todo |= todo::GO_BACK;
        }
        // The next acknowledgement shows whether the timeout was spurious.
        self.quiet = false;
        self.rtt.back_off(&self.params);
        self.rto_at = now + self.rtt.timeout();
        self.update_limit();
    }

    /// What is to be sent again now.
    pub(super) fn pull_repair(&mut self, now: Time) -> Repaired {
        if self.todo & todo::RESEND != 0 {
            self.todo &= !todo::RESEND;
            let (number, len) = (self.una, self.sent_length(self.una));
            if self.repair.is_none() {
                let after = self.after(number, len);
                self.board.get_or_insert_default().resend(number, after);
                self.update_limit();
            }
            return Repaired::Packet(self.resend(now, number, len));
        }
        if self.todo & todo::REPAIR == 0 {
            return Repaired::Nothing;
        }
        // Rules 1 to 4 of NextSeg (RFC 6675 section 4). Rule 2 is new data.
        if let Some(hole) = self.board().hole(false) {
            return self.fill(now, hole);
        }
        let new_data =
            self.nxt < self.stop && self.nxt + self.length(self.nxt) <= self.una + self.receive_window;
        if new_data || !self.recovering {
            return Repaired::Nothing;
        }
        if let Some(hole) = self.board().hole(true) {
            return self.fill(now, hole);
        }
        let last = self.last_segment().max(self.board().tail(self.una));
        let len = self.sent_length(last);
        if self.una >= self.rescue_after && last < self.max && self.has_room(len) {
            self.rescue_after = u64::MAX;
            return Repaired::Packet(self.resend(now, last, len));
        }
        Repaired::Nothing
    }

    /// Sends the beginning of a hole again, if the window has room.
    fn fill(&mut self, now: Time, (start, end): (u64, u64)) -> Repaired {
        let len = self.sent_length(start).min(end - start);
        if !self.has_room(len) {
            self.window_limited = !self.capped;
            return Repaired::Blocked;
        }
        let after = self.after(start, len);
        self.board.get_or_insert_default().resend(start, after);
        self.update_limit();
        Repaired::Packet(self.resend(now, start, len))
    }

    /// True if the congestion window has room for `len` bytes more.
    fn has_room(&self, len: u64) -> bool {
        self.board().pipe(self.una, self.max) + len <= self.window_in_use()
    }
}
