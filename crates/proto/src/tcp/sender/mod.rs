//! The sending end of a connection: opening, sending, acknowledgements, timers. What happens after a loss is in
//! `recovery`, or by time in `rack_ack` and `rack_timers`.

mod accounted;
mod bursts;
mod causes;
mod ecn;
mod end;
mod open;
mod pull;
mod rack_ack;
mod rack_plain;
mod rack_timers;
mod recovery;
mod socket;
pub(super) mod todo;
mod units;

use std::sync::Arc;

use dumbbell_core::{Duration, FlowTag, Header, Packet, Stage, Time};
use dumbbell_header::TcpHeader;

pub use self::socket::{Handshake, Info};
use super::account::{Account, News};
use super::accurate::Heard;
use super::causes::Causes;
use super::overhead::Overhead;
use super::params::{EcnFeedback, LossDetection, Offload, Pacing, Params, scale_of};
use super::rack::{Rack, Timer};
use super::rtt::Rtt;
use super::scoreboard::Scoreboard;
use super::spread::Spread;
use super::ticks::Ticks;
use super::writer::Writer;
use crate::controller::{
    ACCOUNT, AnyController, Class, Control, Event, FEEDBACK_UNIT, Needs, Repair, SENDING, Signals,
};
use crate::transport::{Failure, Opening};

/// The largest window a controller may set: a terabyte is more than any path holds.
const LARGEST_WINDOW: u64 = 1 << 40;
/// The end of an unlimited stream.
const ENDLESS: u64 = 1 << 62;
/// No segment is being timed.
const UNTIMED: u64 = u64::MAX;

/// Flags of packets that are more than a plain acknowledgement.
const SPECIAL: u8 = TcpHeader::SYN | TcpHeader::FIN | TcpHeader::FEEDBACK;

/// Where a connection stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Before the flow's start.
    Unopened,
    /// A SYN was sent.
    Connecting,
    /// Data may be sent.
    Established,
    /// Both directions are closed; a FIN that arrives again is acknowledged again.
    Closed,
    /// The sender gave up.
    Failed(Failure),
}

/// The sending end of a connection.
#[derive(Debug)]
pub struct Sender {
    // What every acknowledgement and every segment touches comes first.
    /// Lowest byte not acknowledged.
    pub(super) una: u64,
    /// Next byte to send.
    pub(super) nxt: u64,
    /// One past the highest byte sent; above `nxt` only after a timeout without SACK.
    pub(super) max: u64,
    /// Windows allow sending below this number.
    limit: u64,
    /// One past the last byte of the stream.
    pub(super) end: u64,
    /// One past the last number of the stream: the FIN's, if there is one.
    pub(super) stop: u64,
    /// When the retransmission timer expires.
    pub(super) rto_at: Time,
    /// The timed segment is acknowledged by this number.
    timed_by: u64,
    /// When the timed segment was sent.
    timed_at: Time,
    /// When the latest segment was sent.
    sent_at: Time,
    pub(super) control: Control,
    pub(super) params: Arc<Params>,
    // What the parameters say, where every segment asks for it.
    initial_window: u64,
    growth_limit: u64,
    validates: bool,
    ecn: bool,
    timestamps: bool,
    flow: FlowTag,
    pub(super) mss: u32,
    header: u32,
    pub(super) todo: u16,
    /// Flags of packets that are more than a plain acknowledgement; all, if the controller wants an account.
    special: u8,
    phase: Phase,
    /// True if no duplicates have arrived, no loss is known and the receiver holds nothing out of order.
    pub(super) quiet: bool,
    /// True in fast recovery: until everything below `recover` is acknowledged.
    pub(super) recovering: bool,
    /// How losses are repaired; `None` by SACK.
    pub(super) repair: Option<Repair>,
    /// True if the congestion window was what stopped the latest burst.
    pub(super) window_limited: bool,
    /// True if another window than the congestion window rules.
    pub(super) capped: bool,
    /// Shift of the receiver's window.
    scale: u8,
    /// The receiver's window.
    pub(super) receive_window: u64,
    /// Largest part of the congestion window in use.
    largest_window: u64,
    packets: u64,
    /// Bytes acknowledged, cumulatively or selectively, that the controller knows of.
    pub(super) delivered: u64,
    /// Recovery ends when this is acknowledged.
    pub(super) recover: u64,
    /// Congestion echoes count again from this number.
    pub(super) cut_until: u64,
    pub(super) controller: AnyController,
    pub(super) rtt: Rtt,
    // What only losses, marks and the ends of a connection touch.
    /// What is known of losses by duplicates and SACK, from the first on.
    board: Option<Box<Scoreboard>>,
    /// Duplicate acknowledgements in a row.
    pub(super) duplicates: u32,
    /// What duplicates and partial acknowledgements add to the window (RFC 5681 section 3.2, RFC 6582).
    pub(super) inflation: i64,
    /// A new recovery may begin when this is acknowledged.
    pub(super) gate: u64,
    /// `nxt` before limited transmit added to it.
    pub(super) before_duplicates: u64,
    /// The first retransmission of this recovery is acknowledged by this number: a rescue may follow.
    pub(super) rescue_after: u64,
    /// The next new segment tells the receiver that the window was cut.
    pub(super) tell_cut: bool,
    /// True after the first partial acknowledgement of a recovery.
    pub(super) partial: bool,
    /// Timeouts in a row, or probes of a closed window that nobody answered.
    pub(super) expired: u32,
    /// Probes since the window closed.
    probes: u32,
    /// The answer of routers that the acknowledgement in hand brought.
    feedback: i64,
    pub(super) account: Option<Box<Account>>,
    /// What acknowledgements told of marks, with accurate ECN.
    accurate: Option<Box<Heard>>,
    /// Loss detection by time, if that is what finds losses, from the handshake on.
    pub(super) rack: Option<Box<Rack>>,
    /// Segments below this number belong to a burst that may leave; all, if they leave alone.
    granted: u64,
    pub(super) class: Class,
    needs: Needs,
    /// Payload of the latest segment, for pacing.
    sent_bytes: u32,
    /// When pacing, its processing or the first write lets a segment leave that waits; never if none does.
    pace_wake: Time,
    /// The earliest of that and the times at which the controller and the application want to be woken.
    call_at: Time,
    overhead: Option<Box<Overhead>>,
    spread: Option<Box<Spread>>,
    pub(super) retransmissions: u64,
    pub(super) timeouts: u32,
    causes: Option<Box<Causes>>,
    pub(super) cuts: u32,
    /// When everything was acknowledged; never until then.
    finished: Time,
    /// Where the latest segment that was not full began and ended.
    short: (u64, u64),
    /// The application, while it has something to write.
    writer: Option<Box<Writer>>,
    /// Acknowledgements of what was never sent.
    ignored: u32,
}

impl Sender {
    pub(super) fn new(params: Arc<Params>, opening: &Opening) -> Sender {
        let (controller, needs) = (params.controller.build(), params.controller.needs());
        Sender::under(controller, needs, params, opening)
    }

    /// A sender under a given controller.
    pub(super) fn under(
        mut controller: AnyController,
        needs: Needs,
        params: Arc<Params>,
        opening: &Opening,
    ) -> Sender {
        let repair = params.controller.repair();
        if needs.any(Needs::RANDOM) {
            controller.start(opening.rng.clone().jumped(2).into());
        }
        let mss = params.segment(opening.mtu);
        let bytes = opening.size.unwrap_or(ENDLESS);
        let buffer = params.send_buffer.open(mss);
        let writer = match &opening.application {
            Some(planned) => Some(Writer::scheduled(planned, bytes, buffer)),
            None => Writer::new(0, bytes, buffer),
        };
        let end = if writer.is_some() { 0 } else { bytes };
        let window = params.window(opening);
        let overhead = Overhead::new(params.overhead, &opening.rng);
        // Without SACK nobody knows what was delivered; Tahoe goes back whatever the receiver says.
        let in_time = params.loss_detection == LossDetection::Rack && params.sack && repair != Repair::GoBack;
        let together = params.segmentation_offload != Offload::Off || params.pacing != Pacing::Off;
        let granted = if together && in_time { 0 } else { u64::MAX };
        let ecn = params.agreed_ecn();
        let accurate = (ecn == EcnFeedback::Accurate).then(|| Box::new(Heard::new()));
        Sender {
            una: 0,
            nxt: 0,
            max: 0,
            limit: 0,
            end,
            stop: end + u64::from(params.fin && writer.is_none()),
            rto_at: Time::NEVER,
            timed_by: UNTIMED,
            timed_at: Time::ZERO,
            sent_at: Time::ZERO,
            initial_window: u64::from(params.initial_window) * u64::from(mss),
            growth_limit: u64::from(params.byte_counting) * u64::from(mss),
            validates: params.window_validation,
            ecn: ecn != EcnFeedback::Off,
            timestamps: params.timestamps,
            control: Control::default(),
            flow: opening.flow,
            mss,
            header: params.header(),
            todo: todo::HOLD
                | if !needs.any(SENDING) && accurate.is_none() { 0 } else { todo::NEEDS }
                | if overhead.is_some() { todo::OVERHEAD } else { 0 }
                | if in_time { todo::TIMED } else { 0 },
            special: if needs.any(ACCOUNT) || in_time || accurate.is_some() { u8::MAX } else { SPECIAL },
            phase: Phase::Unopened,
            quiet: !in_time,
            recovering: false,
            // Tahoe goes back whatever the receiver says.
            repair: if params.sack && repair != Repair::GoBack { None } else { Some(repair) },
            window_limited: false,
            capped: false,
            scale: scale_of(window.largest),
            receive_window: window.first,
            largest_window: params.max_window.map_or(LARGEST_WINDOW, |w| u64::from(w) * u64::from(mss)),
            packets: 0,
            delivered: 0,
            controller,
            rtt: Rtt::new(&params).by(Ticks::new(&params, &opening.rng)),
            board: None,
            duplicates: 0,
            inflation: 0,
            recover: 0,
            gate: 0,
            before_duplicates: 0,
            rescue_after: 0,
            cut_until: 0,
            tell_cut: false,
            partial: false,
            expired: 0,
            probes: 0,
            feedback: 0,
            account: needs.any(ACCOUNT).then(|| Box::new(Account::new(mss, needs))),
            accurate,
            granted,
            rack: None,
            class: params.controller.class(),
            needs,
            sent_bytes: 0,
            pace_wake: Time::NEVER,
            call_at: Time::NEVER,
            overhead,
            spread: Spread::new(params.rto_spread, &opening.rng),
            retransmissions: 0,
            timeouts: 0,
            causes: None,
            cuts: 0,
            finished: Time::NEVER,
            short: (0, 0),
            writer,
            ignored: 0,
            params,
        }
    }

    /// Bytes outstanding, for the size of a cut (RFC 5681: FlightSize), without what limited transmit added. While
    /// losses are repaired, duplicates and SACK let new data out as old data arrives, so that what is in the network
    /// is no more than the window, however far behind the cumulative acknowledgement is.
    pub(super) fn flight(&self) -> u64 {
        let added = self.duplicates > 0 && !self.recovering;
        let end = if added { self.before_duplicates } else { self.nxt };
        (end - self.una).min(self.control.window)
    }

    /// Lets the controller answer an event. It may see `delivered` bytes as acknowledged since the start, and
    /// `flight` as outstanding.
    pub(super) fn decide(&mut self, now: Time, event: Event, delivered: u64, flight: u64, rtt: Duration) {
        if self.account.is_none() {
            return self.inform(now, event, delivered, flight, News::of_rtt(rtt));
        }
        self.decide_by_account(now, event, delivered, flight, rtt);
    }

    /// Tells a controller how a repair ended, if it wants to know.
    pub(super) fn tell_end(&mut self, now: Time, event: Event, rack: &Rack) {
        if self.needs.any(Needs::REPAIRS) {
            let flight = u64::from(rack.segments.in_flight()) * u64::from(self.mss);
            self.decide(now, event, self.delivered, flight, Duration::ZERO);
        }
    }

    /// The same for a controller without an account, or with what its account says.
    #[inline]
    fn inform(&mut self, now: Time, event: Event, delivered: u64, flight: u64, news: News) {
        let acked = delivered - self.delivered;
        self.delivered = delivered;
        let mss = u64::from(self.mss);
        // Slow start after a timeout counts acknowledgements (RFC 3465 section 2.3).
        let growth_limit = if self.una < self.recover { mss } else { self.growth_limit };
        let signals = Signals {
            now,
            initial_window: self.initial_window,
            growth_limit,
            acked,
            flight,
            delivered,
            rtt: news.rtt,
            smoothed_rtt: self.rtt.smoothed(),
            min_rtt: self.rtt.min(),
            feedback: self.feedback,
            lost: news.lost,
            marked: news.marked,
            round: news.round,
            rate: news.rate,
            mss: self.mss,
            event,
            in_recovery: self.recovering || self.una < self.cut_until,
            window_limited: self.window_limited || !self.validates,
            repeated: news.repeated || self.expired > 1 && event != Event::Lost,
        };
        self.controller.on(&signals, &mut self.control);
        self.hold_window();
    }

    /// Holds the window at a segment or more, and finite.
    #[inline]
    fn hold_window(&mut self) {
        self.control.window = self.control.window.clamp(u64::from(self.mss), LARGEST_WINDOW);
    }

    /// Computes when pacing, the controller or the application needs to be called.
    fn arm_call(&mut self) {
        let wakes =
            self.needs.any(Needs::WAKE) && self.una < self.stop && self.control.wake_at < Control::NEVER;
        let asked = if wakes { self.control.wake_at } else { Time::NEVER };
        let writes = self.writer.as_ref().map_or(Time::NEVER, |writer| writer.due());
        self.call_at = self.pace_wake.min(asked).min(writes);
    }

    /// The congestion window, as far as the connection may use it.
    #[inline]
    pub(super) fn window_in_use(&self) -> u64 {
        self.control.window.min(self.largest_window)
    }

    /// Sets up to where the windows allow sending.
    pub(super) fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// The receive window that a header advertises, in bytes.
    pub(super) fn shifted(&self, window: u16) -> u64 {
        u64::from(window) << self.scale
    }

    /// Computes up to where the windows allow sending.
    #[inline]
    pub(super) fn update_limit(&mut self) {
        let window = self.window_in_use();
        self.capped = self.control.window > window.min(self.receive_window);
        let limit = if self.quiet { self.una + window } else { self.limit_under_loss(window) };
        self.limit = limit.min(self.una + self.receive_window);
    }

    /// An acknowledgement of new data in order, with no loss in sight.
    #[inline]
    fn advance(&mut self, now: Time, ack: u64, rtt: Duration) {
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        self.expired = 0;
        self.inform(now, Event::Ack, ack, self.nxt - ack, News::of_rtt(rtt));
        self.rearm(now);
        self.update_limit();
    }

    /// Restarts the retransmission timer if anything is outstanding (RFC 6298 sections 5.2 and 5.3).
    #[inline]
    pub(super) fn rearm(&mut self, now: Time) {
        if self.una < self.max {
            self.rto_at = now + self.rtt.timeout();
            return;
        }
        self.rto_at = Time::NEVER;
        if self.una >= self.stop {
            if self.writer.is_none() {
                self.finished = self.finished.min(now);
            }
            self.pace_wake = Time::NEVER;
            self.arm_call();
        }
        self.todo |= todo::IDLE;
    }

    /// The round-trip time that the acknowledgement of new data `ack` measures; zero if none.
    #[inline]
    fn measure(&mut self, now: Time, ack: u64, packet: &Packet) -> Duration {
        let measured = if self.timestamps {
            now.since(Time::from_nanos(packet.body[1]))
        } else if ack >= self.timed_by {
            self.timed_by = UNTIMED;
            now.since(self.timed_at)
        } else {
            return Duration::ZERO;
        };
        let shift = if self.params.timestamps {
            // Measurements per round trip, to the next power of two: one per acknowledgement.
            let segments = (self.nxt - self.una) / (u64::from(self.mss) * u64::from(self.params.ack_every));
            segments.max(1).next_power_of_two().ilog2()
        } else {
            0
        };
        self.sample(now, measured, shift);
        measured
    }

    /// Takes in a round-trip time, one of `2^shift` in a round trip.
    #[inline]
    fn sample(&mut self, now: Time, measured: Duration, shift: u32) {
        if !self.rtt.measure_in_ticks(now, measured) {
            self.rtt.measure(measured, shift, &self.params);
        }
    }

    /// What is not a plain acknowledgement to loss detection by duplicates.
    #[cold]
    #[inline(never)]
    fn push_other(&mut self, now: Time, packet: &Packet) {
        let plain =
            self.phase == Phase::Established && packet.flags & SPECIAL == 0 && self.accurate.is_none();
        if plain && self.rack.is_some() {
            self.acknowledged_in_time(now, packet);
        } else if plain && self.account.is_some() {
            self.accounted(now, packet);
        } else {
            self.push_control(now, packet);
        }
    }

    /// What is not a plain acknowledgement on an established connection.
    #[inline(never)]
    fn push_control(&mut self, now: Time, packet: &Packet) {
        if packet.flags & TcpHeader::FEEDBACK != 0 {
            let mut plain = *packet;
            self.feedback = (TcpHeader::take_answer(&mut plain) * FEEDBACK_UNIT).round() as i64;
            self.push(now, &plain);
            self.feedback = 0;
            return;
        }
        if self.accurate.is_some() && self.phase == Phase::Established {
            let plain = self.hear_counts(packet);
            return self.push_plain(now, &plain);
        }
        self.push_plain(now, packet);
    }

    /// True for an acknowledgement that may go to loss detection by time at once.
    #[inline]
    fn is_timed(&self, packet: &Packet) -> bool {
        self.rack.is_some() && self.phase == Phase::Established && packet.flags & SPECIAL == 0
    }

    /// The same when headers that ride on it, and counts of marks, are taken off.
    fn push_plain(&mut self, now: Time, packet: &Packet) {
        if self.is_timed(packet) {
            return self.acknowledged_in_time(now, packet);
        }
        let header = TcpHeader::unpack(&packet.words());
        match self.phase {
            Phase::Connecting if header.has(TcpHeader::SYN) => {
                self.answered(now, &header);
            }
            // The acknowledgement of the SYN-ACK or of the FIN was lost.
            Phase::Established if header.has(TcpHeader::SYN) => self.todo |= todo::ACK,
            Phase::Closed => self.todo |= todo::ACK,
            Phase::Established => {
                if self.rack.is_some() {
                    self.acknowledged_in_time(now, packet);
                } else if self.account.is_some() {
                    self.accounted(now, packet);
                } else {
                    self.acknowledged(now, packet);
                }
                // Only a sender that has sent its own FIN is done (RFC 9293 section 3.10.7.4, eighth check).
                let has_ended = self.params.fin && self.writer.is_none() && self.una >= self.stop;
                if header.has(TcpHeader::FIN) && has_ended {
                    self.phase = Phase::Closed;
                    self.todo |= todo::ACK;
                }
            }
            Phase::Connecting | Phase::Unopened | Phase::Failed(_) => {}
        }
    }

    #[inline]
    fn acknowledged(&mut self, now: Time, packet: &Packet) {
        let ack = packet.body[0];
        debug_assert!(ack <= self.max, "nothing is acknowledged that was not sent");
        let rtt = if ack > self.una { self.measure(now, ack, packet) } else { Duration::ZERO };
        if ack > self.una && self.quiet && packet.body[2] == 0 && packet.flags & TcpHeader::ECE == 0 {
            self.receive_window = self.shifted(packet.aux);
            self.advance(now, ack, rtt);
            return;
        }
        if packet.flags & TcpHeader::ECE != 0 {
            self.echoed(now, ack);
        }
        self.acknowledged_at_length(now, ack, rtt, packet);
    }

    /// What an acknowledgement brings besides new data in order.
    fn acknowledged_at_length(&mut self, now: Time, ack: u64, rtt: Duration, packet: &Packet) {
        self.acknowledged_under_loss(now, ack, rtt, packet);
        self.quiet = self.duplicates == 0 && !self.recovering && self.board().is_clear();
        self.update_limit();
    }

    #[cold]
    fn wake_due(&mut self, now: Time) {
        if let Some(writer) = &mut self.writer {
            if self.phase == Phase::Unopened {
                writer.start(now);
            }
            writer.run(now);
            self.arm_call();
        }
        if now >= self.call_at {
            if now >= self.pace_wake {
                self.pace_wake = Time::NEVER;
                self.todo &= !todo::HOLD;
            }
            self.wake_controller(now);
            self.arm_call();
        }
        if self.phase == Phase::Unopened {
            self.open(now);
        } else if now >= self.rto_at {
            self.expire(now);
        }
    }

    /// Wakes the controller if its time has come.
    fn wake_controller(&mut self, now: Time) {
        if now >= self.control.wake_at {
            self.control.wake_at = Control::NEVER;
            self.decide(now, Event::Wake, self.delivered, self.outstanding(), Duration::ZERO);
            self.update_limit();
        }
    }

    /// The retransmission timer has come up.
    #[inline(never)]
    fn expire(&mut self, now: Time) {
        if self.is_put_off() {
            return;
        }
        match self.phase {
            Phase::Connecting => self.unanswered(now),
            Phase::Established if self.rack.is_some() => self.time_is_up(now),
            // With nothing outstanding the timer is that of a closed window: `probe_window`.
            Phase::Established if self.una < self.max => {
                self.expired += 1;
                self.timeouts += 1;
                if self.expired > self.params.retries {
                    self.fail(Failure::TimedOut);
                } else {
                    self.timeout(now);
                }
            }
            _ => {}
        }
    }

    /// True if the retransmission timer, which has expired, expires later instead.
    fn is_put_off(&mut self) -> bool {
        let tick = self.rtt.tick_from(self.rto_at);
        if tick > self.rto_at {
            self.rto_at = tick;
            return true;
        }
        if self.phase != Phase::Established {
            return false;
        }
        let timeout = self.rtt.timeout();
        let retransmits = self.rack.as_ref().is_none_or(|rack| rack.timer == Timer::Retransmission);
        let later = match &mut self.spread {
            Some(spread) if retransmits => spread.put_off(self.rto_at, timeout),
            _ => None,
        };
        self.rto_at = later.unwrap_or(self.rto_at);
        later.is_some()
    }

    /// The data was sent again often enough.
    pub(super) fn give_up(&mut self) {
        self.fail(Failure::TimedOut);
    }

    fn fail(&mut self, failure: Failure) {
        self.phase = Phase::Failed(failure);
        self.todo = todo::HOLD;
        (self.rto_at, self.call_at) = (Time::NEVER, Time::NEVER);
    }
}

impl Stage for Sender {
    #[inline]
    fn push(&mut self, now: Time, packet: &Packet) {
        // What is no acknowledgement is dropped (RFC 9293 section 3.10.7.4, fifth check).
        if packet.flags & TcpHeader::ACK == 0 {
            return;
        }
        let [ack, _, blocks @ ..] = packet.body;
        if ack > self.max || blocks != [0; 3] && !self.is_credible(packet) {
            self.ignored = self.ignored.saturating_add(1);
            return;
        }
        if self.phase == Phase::Established && packet.flags & self.special == 0 {
            self.acknowledged(now, packet);
        } else {
            self.push_other(now, packet);
        }
    }

    #[inline(always)]
    fn pull(&mut self, now: Time) -> Option<Packet> {
        if self.todo != 0 { self.pull_due(now) } else { self.next(now) }
    }

    #[inline]
    fn wake(&mut self, now: Time) {
        if now >= self.wake_at() || self.phase == Phase::Unopened {
            self.wake_due(now);
        }
    }

    #[inline]
    fn wake_at(&self) -> Time {
        self.rto_at.min(self.call_at)
    }
}
