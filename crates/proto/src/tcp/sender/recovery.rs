//! The sender after a loss: duplicates, fast retransmit and recovery, timeouts.
//!
//! Without SACK the controller decides how recovery goes: Tahoe goes back, Reno ends at the first new acknowledgement,
//! NewReno at the acknowledgement of everything that was outstanding (RFC 6582). With SACK recovery is that of RFC
//! 6675.

use dumbbell_core::{Duration, Header, Packet, Time};
use dumbbell_header::TcpHeader;

use super::Sender;
use super::todo::{self, Repaired};
use crate::controller::{Class, Event, Needs, Repair as Way};
use crate::tcp::params::LossDetection;

impl Sender {
    /// Up to where sending is allowed when duplicates arrive or losses are repaired.
    #[cold]
    pub(super) fn limit_under_loss(&self, window: u64) -> u64 {
        if let Some(rack) = &self.repair.rack {
            return self.stream.nxt
                + u64::from(rack.room(self.gate.window_segments())) * u64::from(self.stream.mss);
        }
        if self.repair.duplicates.way.is_none() {
            let waiting = !self.repair.duplicates.recovering && self.todo & todo::REPAIR == 0;
            if waiting && !self.params.limited_transmit {
                return self.stream.una + window;
            }
            return self.stream.nxt
                + window.saturating_sub(self.repair.board().pipe(self.stream.una, self.stream.max));
        }
        let mss = i64::from(self.stream.mss);
        let added = if self.repair.duplicates.recovering {
            self.repair.duplicates.inflation
        } else if self.params.limited_transmit && self.stream.nxt == self.stream.max {
            // New segments only (RFC 3042): none while old ones are sent again.
            mss * i64::from(self.repair.duplicates.in_a_row.min(self.params.duplicate_threshold - 1))
        } else {
            0
        };
        self.stream.una + (window.cast_signed() + added).max(mss) as u64
    }

    /// An acknowledgement that is a duplicate, or arrives while losses are known or repaired.
    #[cold]
    pub(super) fn acknowledged_under_loss(&mut self, now: Time, ack: u64, rtt: Duration, packet: &Packet) {
        let advanced = ack > self.stream.una;
        let outstanding = self.stream.una < self.stream.max;
        let same_window = self.stream.shifted(packet.aux) == self.stream.receive_window;
        self.stream.take_window(ack, packet.aux);
        if !outstanding {
            // Probes of a closed window are answered.
            self.timers.expired = 0;
        }
        let mut news = 0;
        if self.repair.duplicates.way.is_none() {
            if let Some(board) = self.repair.duplicates.board.as_mut().filter(|_| advanced) {
                board.advance(self.stream.una, ack);
            }
            for block in TcpHeader::unpack(&packet.words()).sack.iter().filter(|b| b.end.cast_signed() > 0) {
                let (start, end) = (ack + u64::from(block.start), ack + u64::from(block.end));
                // An old acknowledgement may carry blocks that lie below the latest one.
                let start = start.max(self.stream.una.max(ack));
                if start < end {
                    let (board, account) = (&mut self.repair.duplicates.board, &mut self.gate.account);
                    news += board.get_or_insert_default().add(start, end, |start, end| {
                        if let Some(account) = account {
                            account.acknowledged(start, end);
                        }
                    });
                }
            }
            let (una, mss, threshold) =
                (self.stream.una.max(ack), u64::from(self.stream.mss), self.params.duplicate_threshold);
            let forward = self.params.loss_detection == LossDetection::Fack;
            let reach = if self.repair.duplicates.recovering { 0 } else { u64::from(threshold) * mss };
            let known = self.repair.board().lost_to();
            let found = self.repair.duplicates.board.as_mut().map_or(0, |board| {
                if forward { board.detect_forward(una, reach) } else { board.detect(una, mss, threshold) }
            });
            if found > 0 {
                self.gate.note_lost((known, self.repair.board().lost_to()), found);
            }
        }
        if advanced {
            let acked = ack - self.stream.una;
            self.stream.advance(ack);
            self.timers.expired = 0;
            self.repair.judge_timeout(
                now,
                self.stream.timestamps.then(|| Time::from_nanos(packet.body[1])),
                self.timers.rtt.min(),
            );
            let counted = if self.counts_duplicates() { self.repair.duplicates.in_a_row } else { 0 };
            self.repair.duplicates.in_a_row = 0;
            let before = self.gate.control.window;
            self.advanced_under_loss(now, acked, rtt);
            if counted > 0 && !self.repair.duplicates.recovering {
                let news = acked
                    .saturating_sub(u64::from(counted) * u64::from(self.stream.mss))
                    .max(u64::from(self.stream.mss));
                self.gate.control.window = self.gate.control.window.min(before + news);
            }
        } else if ack == self.stream.una
            && outstanding
            && (news > 0 || self.repair.duplicates.way.is_some() && same_window)
        {
            // Without SACK a duplicate has the window of the one before (RFC 5681 section 2).
            if let Some(account) = self.gate.account.as_mut().filter(|_| self.repair.duplicates.way.is_some())
            {
                account.duplicate(self.stream.max - self.stream.una);
            }
            if (self.repair.duplicates.recovering && news > 0) || self.gate.account.is_some() {
                self.decide(now, Event::Ack, self.total(), self.repair.outstanding(&self.stream), rtt);
            }
            self.duplicate(now);
        }
        if self.repair.duplicates.way.is_none()
            && !self.repair.duplicates.recovering
            && self.stream.una >= self.repair.duplicates.again_from
            && self.repair.board().held() > 0
        {
            let shown = self.repair.duplicates.in_a_row >= self.params.duplicate_threshold
                || self.repair.board().is_lost(self.stream.una);
            if shown {
                self.lost(now);
            }
        }
        if self.gate.needs.any(Needs::LOSSES) {
            self.tell_losses(now, self.repair.outstanding(&self.stream));
        }
    }

    /// True if, without SACK, a duplicate counts as a segment delivered, for which the window does not grow when a hole before it
    /// is filled.
    // Linux net/ipv4/tcp_input.c: what tcp_add_reno_sack and tcp_remove_reno_sacks compute.
    fn counts_duplicates(&self) -> bool {
        self.params.loss_detection == LossDetection::Rack
            && self.repair.duplicates.way.is_some()
            && self.gate.class == Class::Window
    }

    /// Bytes acknowledged since the start, cumulatively, selectively or, if the controller wants to know, by duplicates.
    fn total(&self) -> u64 {
        self.stream.una + self.repair.board().held() + self.gate.account.as_ref().map_or(0, |a| a.credit)
    }

    /// Counts the first segment that is not acknowledged as lost, if the controller wants to know.
    fn note_first_lost(&mut self) {
        let mss = u64::from(self.stream.mss);
        self.gate.note_lost((self.stream.una, self.stream.una + mss), mss);
    }

    /// New data was acknowledged, `acked` bytes.
    fn advanced_under_loss(&mut self, now: Time, acked: u64, rtt: Duration) {
        let repaired = self.stream.una >= self.repair.duplicates.recover;
        if repaired {
            // What pacing held back is not needed any more.
            self.todo &= !(todo::REPAIR | todo::RESEND);
        }
        if let Some(account) = &mut self.gate.account {
            account.advanced(self.stream.una, acked, self.stream.max - self.stream.una);
        }
        let ends = repaired || self.repair.duplicates.way == Some(Way::FastRecovery);
        if self.repair.duplicates.recovering && !ends && self.repair.duplicates.way.is_some() {
            self.note_first_lost();
        }
        let event = if self.repair.duplicates.recovering && ends { Event::Recovered } else { Event::Ack };
        if self.repair.duplicates.recovering && ends {
            self.repair.duplicates.recovering = false;
            self.deflate();
        }
        self.decide(now, event, self.total(), self.repair.outstanding(&self.stream), rtt);
        if self.repair.duplicates.recovering && self.repair.duplicates.way.is_some() {
            // A partial acknowledgement (RFC 6582 section 3.2 step 3): the next hole is sent, the window shrinks by
            // what has left the network, and only the first one restarts the timer.
            self.todo |= todo::RESEND;
            self.repair.duplicates.inflation -= acked.cast_signed();
            if acked >= u64::from(self.stream.mss) {
                self.repair.duplicates.inflation += i64::from(self.stream.mss);
            }
            if self.repair.duplicates.partial {
                return;
            }
            self.repair.duplicates.partial = true;
        } else if self.repair.duplicates.way.is_some()
            && let Some(account) = &mut self.gate.account
            && account.worries(now)
        {
            self.todo |= todo::RESEND;
        }
        self.rearm(now);
    }

    /// What duplicates added to the window is taken back.
    fn deflate(&mut self) {
        let inflation = std::mem::take(&mut self.repair.duplicates.inflation);
        let fewest = i64::from(self.params.duplicate_threshold) * i64::from(self.stream.mss);
        let reno = self.repair.duplicates.way == Some(Way::FastRecovery);
        if reno && inflation == fewest && !self.params.exit_inflation_fix {
            self.gate.control.window += inflation as u64;
        }
    }

    /// A duplicate acknowledgement.
    fn duplicate(&mut self, now: Time) {
        if self.repair.duplicates.in_a_row == 0 {
            self.repair.duplicates.before = self.stream.nxt;
        }
        self.repair.duplicates.in_a_row += 1;
        if self.repair.duplicates.recovering {
            self.repair.duplicates.inflation += i64::from(self.stream.mss);
        } else if self.repair.duplicates.way.is_some() && self.stream.una >= self.repair.duplicates.again_from
        {
            let late = self.gate.account.as_ref().is_some_and(|account| account.first_is_late(now));
            if self.repair.duplicates.in_a_row == self.params.duplicate_threshold || late {
                self.lost(now);
            }
        }
    }

    /// A loss was detected: one cut, and the first segment is sent again.
    fn lost(&mut self, now: Time) {
        if self.repair.duplicates.way.is_some() {
            self.note_first_lost();
            if let Some(account) = &mut self.gate.account {
                account.worry();
            }
        }
        // One cut per window, whether losses or marks show congestion (RFC 3168 section 6.1.2).
        if self.stream.una >= self.echo.cut_until || self.repair.duplicates.way == Some(Way::GoBack) {
            self.decide(
                now,
                Event::Loss,
                self.gate.delivered,
                self.repair.flight(&self.stream, self.gate.control.window),
                Duration::ZERO,
            );
            self.gate.cuts += 1;
            self.stream.tell_cut = true;
        }
        self.repair.duplicates.recover = self.stream.max;
        // As Linux, BSD and ns-2 do: the segment sent again has a whole timeout to arrive.
        self.timers.rto_at = now + self.timers.rtt.timeout();
        match self.repair.duplicates.way {
            Some(Way::GoBack) => {
                self.repair.duplicates.again_from = self.stream.max + 1;
                self.stream.nxt = self.stream.una;
                self.todo |= todo::GO_BACK;
                self.repair.duplicates.before = self.stream.una;
                return;
            }
            Some(Way::FastRecovery) => self.todo |= todo::RESEND,
            Some(Way::PartialAcks) => {
                // The acknowledgement must cover more than `recover` before another fast retransmit (RFC 6582
                // section 3.2 step 2).
                self.repair.duplicates.again_from = self.stream.max + 1;
                self.todo |= todo::RESEND;
            }
            None => {
                self.repair.duplicates.again_from = self.stream.max;
                self.todo |= todo::REPAIR;
                if self.repair.duplicates.board.get_or_insert_default().begin(self.stream.una) {
                    self.todo |= todo::RESEND;
                }
                self.repair.duplicates.rescue_after =
                    self.stream.after(self.stream.una, self.stream.sent_length(self.stream.una));
            }
        }
        self.repair.duplicates.recovering = true;
        self.repair.duplicates.partial = false;
        self.repair.duplicates.inflation =
            i64::from(self.params.duplicate_threshold) * i64::from(self.stream.mss);
    }

    /// The retransmission timer expired (RFC 6298 section 5.4 to 5.6, RFC 5681 section 3.1).
    pub(super) fn timeout(&mut self, now: Time) {
        self.repair.note_timeout(now, &self.stream);
        let found = match self.repair.duplicates.way {
            None => self
                .repair
                .duplicates
                .board
                .get_or_insert_default()
                .lose_all(self.stream.una, self.stream.max),
            Some(_) => self.repair.outstanding(&self.stream),
        };
        self.gate.note_lost((self.stream.una, self.stream.max), found);
        self.decide(
            now,
            Event::Timeout,
            self.gate.delivered,
            self.repair.flight(&self.stream, self.gate.control.window),
            Duration::ZERO,
        );
        if self.gate.needs.any(Needs::LOSSES) {
            self.tell_losses(now, 0);
        }
        self.stream.tell_cut = true;
        self.repair.duplicates.recovering = false;
        self.repair.duplicates.in_a_row = 0;
        self.repair.duplicates.inflation = 0;
        self.repair.duplicates.recover = self.stream.max;
        self.echo.cut_until = 0;
        self.todo &= !todo::RESEND;
        if self.repair.duplicates.way.is_none() {
            self.repair.duplicates.again_from = self.stream.max;
            self.todo |= todo::REPAIR;
        } else {
            self.repair.duplicates.again_from =
                if self.params.single_fast_retransmit { self.stream.max + 1 } else { 0 };
            self.stream.nxt = self.stream.una;
            self.todo |= todo::GO_BACK;
        }
        // The next acknowledgement shows whether the timeout was spurious.
        self.repair.duplicates.quiet = false;
        self.timers.rtt.back_off(&self.params);
        self.timers.rto_at = now + self.timers.rtt.timeout();
        self.update_limit();
    }

    /// What is to be sent again now.
    pub(super) fn pull_repair(&mut self, now: Time) -> Repaired {
        if self.todo & todo::RESEND != 0 {
            self.todo &= !todo::RESEND;
            let (number, len) = (self.stream.una, self.stream.sent_length(self.stream.una));
            if self.repair.duplicates.way.is_none() {
                let after = self.stream.after(number, len);
                self.repair.duplicates.board.get_or_insert_default().resend(number, after);
                self.update_limit();
            }
            return Repaired::Packet(self.resend(now, number, len));
        }
        if self.todo & todo::REPAIR == 0 {
            return Repaired::Nothing;
        }
        // Rules 1 to 4 of NextSeg (RFC 6675 section 4). Rule 2 is new data.
        if let Some(hole) = self.repair.board().hole(false) {
            return self.fill(now, hole);
        }
        let new_data = self.stream.nxt < self.stream.stop
            && self.stream.nxt + self.stream.length(self.stream.nxt)
                <= self.stream.una + self.stream.receive_window;
        if new_data || !self.repair.duplicates.recovering {
            return Repaired::Nothing;
        }
        if let Some(hole) = self.repair.board().hole(true) {
            return self.fill(now, hole);
        }
        let last = self.stream.last_segment().max(self.repair.board().tail(self.stream.una));
        let len = self.stream.sent_length(last);
        if self.stream.una >= self.repair.duplicates.rescue_after
            && last < self.stream.max
            && self.has_room(len)
        {
            self.repair.duplicates.rescue_after = u64::MAX;
            return Repaired::Packet(self.resend(now, last, len));
        }
        Repaired::Nothing
    }

    /// Sends the beginning of a hole again, if the window has room.
    fn fill(&mut self, now: Time, (start, end): (u64, u64)) -> Repaired {
        let len = self.stream.sent_length(start).min(end - start);
        if !self.has_room(len) {
            self.gate.window_limited = !self.gate.capped;
            return Repaired::Blocked;
        }
        let after = self.stream.after(start, len);
        self.repair.duplicates.board.get_or_insert_default().resend(start, after);
        self.update_limit();
        Repaired::Packet(self.resend(now, start, len))
    }

    /// True if the congestion window has room for `len` bytes more.
    fn has_room(&self, len: u64) -> bool {
        self.repair.board().pipe(self.stream.una, self.stream.max) + len <= self.gate.window_in_use()
    }
}
