//! The sending end of a connection: opening, sending, acknowledgements, timers. What happens after a loss is in
//! `recovery`, or by time in `rack_ack` and `rack_timers`.

mod accounted;
mod bursts;
mod causes;
mod ecn;
mod end;
mod gate;
mod idle;
#[cfg(test)]
mod look;
mod open;
mod pull;
mod rack_ack;
mod rack_plain;
mod rack_timers;
mod recovery;
mod repair;
mod socket;
mod stream;
mod timers;
pub(super) mod todo;
mod units;

use std::sync::Arc;

use dumbbell_core::{Duration, Header, Packet, Stage, Time, TrafficClass};
use dumbbell_header::TcpHeader;

pub use self::socket::{Handshake, Info};
use super::account::{Account, News};
use super::accurate::Heard;
use super::causes::Causes;
use super::overhead::Overhead;
use super::params::{EcnFeedback, LossDetection, Offload, Pacing, Params};
use super::rack::{Rack, Timer};
use super::rtt::Rtt;
use super::scoreboard::Scoreboard;
use super::spread::Spread;
use super::ticks::Ticks;
use super::writer::Writer;
use crate::controller::{
    ACCOUNT, AnyController, Class, Control, Event, FEEDBACK_UNIT, LARGEST_WINDOW, Needs, Repair as Way,
    SENDING,
};
use crate::transport::{Failure, Opening};

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

/// The sending end of a connection. A packet goes from the stream and the repair of losses to the gate, and from there to the
/// controller.
#[derive(Debug)]
pub struct Sender {
    // What every acknowledgement and every segment touches comes first.
    stream: Stream,
    timers: Timers,
    gate: Gate,
    todo: u16,
    /// Flags of packets that are more than a plain acknowledgement; all, if the controller wants an account.
    special: u8,
    phase: Phase,
    repair: Repair,
    echo: EcnEcho,
    params: Arc<Params>,
    /// Acknowledgements of what was never sent; 65,535 stand for more.
    ignored: u16,
}

/// The numbers of the stream: what is written, sent, acknowledged, and what the receiver lets through.
#[derive(Debug)]
struct Stream {
    /// Lowest byte not acknowledged.
    una: u64,
    /// Next byte to send.
    nxt: u64,
    /// One past the highest byte sent; above `nxt` only after a timeout without SACK.
    max: u64,
    /// Windows allow sending below this number.
    limit: u64,
    /// One past the last byte of the stream.
    end: u64,
    /// One past the last number of the stream: the FIN's, if there is one.
    stop: u64,
    /// The receiver's window.
    receive_window: u64,
    /// The largest receive window so far, as advertised.
    largest_window: u16,
    /// Segments that the send buffer holds, while no application writes.
    buffer: u16,
    /// Segments below this number belong to a burst that may leave; all, if they leave alone.
    granted: u64,
    /// The burst has several segments: its last pushes.
    pushes: bool,
    /// The next burst leaves at once, full or not.
    at_once: bool,
    /// The next burst waits for an acknowledgement or for more data. Timers do not release it.
    held: bool,
    /// The receiver's host grants windows or credit.
    hosted: bool,
    /// See [`Sender::is_paced`].
    paced: bool,
    mss: u16,
    header: u16,
    // The parts of a `FlowTag`: as one they are padded.
    slot: u32,
    class: TrafficClass,
    timestamps: bool,
    /// True if segments are ECN-capable.
    ecn_capable: bool,
    /// The next new segment tells the receiver that the window was cut.
    tell_cut: bool,
    /// Shift of the receiver's window.
    scale: u8,
    packets: u64,
    /// Where the latest segment that was not full ended, and its length.
    short_end: u64,
    short_length: u16,
    /// The application, while it has something to write, or what it wrote piece by piece may wait.
    writer: Option<Box<Writer>>,
}

/// When the sender has to be called, and what it measures for that.
#[derive(Debug)]
struct Timers {
    /// When the retransmission timer expires.
    rto_at: Time,
    /// The earliest of `pace_wake` and the times at which the controller and the application want to be woken.
    call_at: Time,
    /// The timed segment is acknowledged by this number.
    timed_by: u64,
    /// When the timed segment was sent.
    timed_at: Time,
    /// When the latest segment was sent.
    sent_at: Time,
    rtt: Rtt,
    /// When pacing, its processing or the first write lets a segment leave that waits; never if none does.
    pace_wake: Time,
    timeouts: u32,
    /// Timeouts in a row, or probes of a closed window that nobody answered.
    expired: u32,
    spread: Option<Box<Spread>>,
    overhead: Option<Box<Overhead>>,
    /// When everything was acknowledged; never until then.
    finished: Time,
}

/// What the controller lets out: its window, its pace, and what it hears of both.
#[derive(Debug)]
struct Gate {
    control: Control,
    // What the parameters say, where every segment asks for it.
    initial_window: u64,
    growth_limit: u64,
    mss: u32,
    /// Largest part of the congestion window in use.
    largest_window: u64,
    /// Bytes acknowledged, cumulatively or selectively, that the controller knows of.
    delivered: u64,
    /// Paced, nothing new leaves before this time.
    departs_at: Time,
    /// The answer of routers that the acknowledgement in hand brought.
    feedback: i64,
    needs: Needs,
    class: Class,
    validates: bool,
    /// True if the congestion window was what stopped the latest burst.
    window_limited: bool,
    /// True if another window than the congestion window rules.
    capped: bool,
    /// Payload of the latest segment, for pacing.
    sent_bytes: u32,
    cuts: u32,
    /// Probes since the window closed.
    probes: u32,
    account: Option<Box<Account>>,
    controller: AnyController,
}

/// Where the connection stands when its controller hears of something.
#[derive(Clone, Copy, Debug)]
struct Standing {
    /// Losses are repaired, or a cut for marks is not over.
    in_recovery: bool,
    /// Slow start after a timeout: it counts acknowledgements (RFC 3465 section 2.3).
    counts: bool,
    /// The timer has expired more than once.
    repeated: bool,
}

/// What is known of losses, and how they are repaired: by duplicates, or by time.
#[derive(Debug)]
struct Repair {
    duplicates: Duplicates,
    /// Loss detection by time, if that is what finds losses, from the handshake on.
    rack: Option<Box<Rack>>,
    retransmissions: u64,
    causes: Option<Box<Causes>>,
}

/// Losses that duplicate acknowledgements and SACK show.
#[derive(Debug)]
struct Duplicates {
    /// True if no duplicates have arrived, no loss is known and the receiver holds nothing out of order.
    quiet: bool,
    /// True in fast recovery: by duplicates until everything below `recover` is acknowledged.
    recovering: bool,
    /// Recovery ends when this is acknowledged.
    recover: u64,
    /// How losses are repaired; `None` by SACK.
    way: Option<Way>,
    /// True after the first partial acknowledgement of a recovery.
    partial: bool,
    /// Duplicate acknowledgements in a row.
    in_a_row: u32,
    /// What is known by SACK, from the first loss on.
    board: Option<Box<Scoreboard>>,
    /// What duplicates and partial acknowledgements add to the window (RFC 5681 section 3.2, RFC 6582).
    inflation: i64,
    /// A new recovery may begin when this is acknowledged.
    again_from: u64,
    /// The next number before limited transmit added to it.
    before: u64,
    /// The first retransmission of this recovery is acknowledged by this number: a rescue may follow.
    rescue_after: u64,
}

/// What is agreed about marks, and what the receiver hears of the answers to them.
#[derive(Debug)]
struct EcnEcho {
    /// Congestion echoes count again from this number.
    cut_until: u64,
    /// What acknowledgements told of marks, with accurate ECN.
    accurate: Option<Box<Heard>>,
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
        let way = params.controller.repair();
        if needs.any(Needs::RANDOM) {
            controller.start(opening.rng.clone().jumped(2).into());
        }
        let mss = params.segment(opening.mtu);
        let bytes = opening.size.unwrap_or(ENDLESS);
        let buffer = params.send_buffer.open(mss, params.windows_held(), 0);
        let writer = match &opening.application {
            Some(planned) => Some(Writer::scheduled(planned, bytes, buffer)),
            None => Writer::new(0, bytes, buffer),
        };
        let end = if writer.is_some() { 0 } else { bytes };
        let window = params.window(opening);
        let overhead = Overhead::new(params.overhead, &opening.rng);
        let takes_time = overhead.is_some();
        // Without SACK nobody knows what was delivered; Tahoe goes back whatever the receiver says.
        let in_time = params.loss_detection == LossDetection::Rack && params.sack && way != Way::GoBack;
        let together = params.segmentation_offload != Offload::Off || params.pacing != Pacing::Off;
        let paced = if needs.any(Needs::PACING) {
            in_time
                && params.controller.class() == Class::Model
                && params.segmentation_offload != Offload::Off
        } else {
            params.pacing == Pacing::Linux
        };
        let granted = if together && in_time { 0 } else { u64::MAX };
        let ecn = params.agreed_ecn();
        let accurate = (ecn == EcnFeedback::Accurate).then(|| Box::new(Heard::new()));
        Sender {
            stream: Stream {
                una: 0,
                nxt: 0,
                max: 0,
                limit: 0,
                end,
                stop: end + u64::from(params.fin && writer.is_none()),
                receive_window: window.first,
                largest_window: 0,
                buffer: 0,
                granted,
                pushes: false,
                at_once: false,
                held: false,
                hosted: opening.granted.is_some(),
                paced,
                mss: mss as u16,
                header: params.header() as u16,
                slot: opening.flow.slot,
                class: opening.flow.class,
                timestamps: params.timestamps,
                ecn_capable: ecn != EcnFeedback::Off,
                tell_cut: false,
                scale: params.scale(window.largest),
                packets: 0,
                short_end: 0,
                short_length: 0,
                writer,
            },
            timers: Timers {
                rto_at: Time::NEVER,
                call_at: Time::NEVER,
                timed_by: UNTIMED,
                timed_at: Time::ZERO,
                sent_at: Time::ZERO,
                rtt: Rtt::new(&params).by(Ticks::new(&params, &opening.rng)),
                pace_wake: Time::NEVER,
                timeouts: 0,
                expired: 0,
                spread: Spread::new(params.rto_spread, &opening.rng),
                finished: Time::NEVER,
                overhead,
            },
            todo: todo::HOLD
                | if !needs.any(SENDING) && accurate.is_none() { 0 } else { todo::NEEDS }
                | if takes_time { todo::OVERHEAD } else { 0 }
                | if in_time { todo::TIMED } else { 0 },
            special: if needs.any(ACCOUNT) || in_time || accurate.is_some() { u8::MAX } else { SPECIAL },
            phase: Phase::Unopened,
            gate: Gate {
                control: Control::default(),
                initial_window: u64::from(params.initial_window) * u64::from(mss),
                growth_limit: u64::from(params.byte_counting) * u64::from(mss),
                mss,
                largest_window: params.max_window.map_or(LARGEST_WINDOW, |w| u64::from(w) * u64::from(mss)),
                delivered: 0,
                departs_at: Time::ZERO,
                feedback: 0,
                needs,
                class: params.controller.class(),
                validates: params.window_validation,
                window_limited: false,
                capped: false,
                sent_bytes: 0,
                cuts: 0,
                probes: 0,
                account: needs.any(ACCOUNT).then(|| Box::new(Account::new(mss, needs, in_time))),
                controller,
            },
            repair: Repair {
                duplicates: Duplicates {
                    quiet: !in_time,
                    recovering: false,
                    recover: 0,
                    // Tahoe goes back whatever the receiver says.
                    way: if params.sack && way != Way::GoBack { None } else { Some(way) },
                    partial: false,
                    in_a_row: 0,
                    board: None,
                    inflation: 0,
                    again_from: 0,
                    before: 0,
                    rescue_after: 0,
                },
                rack: None,
                retransmissions: 0,
                causes: None,
            },
            echo: EcnEcho { cut_until: 0, accurate },
            ignored: 0,
            params,
        }
    }

    /// Lets the controller answer an event. It may see `delivered` bytes as acknowledged since the start, and
    /// `flight` as outstanding.
    pub(super) fn decide(&mut self, now: Time, event: Event, delivered: u64, flight: u64, rtt: Duration) {
        let held = delivered.saturating_sub(self.stream.una);
        self.decide_holding(now, event, (delivered, held), flight, rtt);
    }

    /// The same with what lies beyond a hole.
    pub(super) fn decide_holding(
        &mut self,
        now: Time,
        event: Event,
        arrived: (u64, u64),
        flight: u64,
        rtt: Duration,
    ) {
        if self.gate.account.is_none() {
            return self.inform(now, event, arrived, flight, News::of_rtt(rtt));
        }
        self.decide_by_account(now, event, arrived, flight, rtt);
    }

    /// Tells a controller how a repair ended, if it wants to know.
    pub(super) fn tell_end(&mut self, now: Time, event: Event, rack: &Rack) {
        if self.gate.needs.any(Needs::REPAIRS) {
            let flight = rack.flight(self.stream.mss.into());
            self.decide(now, event, self.gate.delivered, flight, Duration::ZERO);
            self.gate.round_threshold();
        }
    }

    /// Lets the controller answer an event, with the news of its account, if it has one. Bytes have arrived, and of them some beyond a hole.
    #[inline]
    fn inform(&mut self, now: Time, event: Event, arrived: (u64, u64), flight: u64, news: News) {
        let una = self.stream.una;
        let standing = Standing {
            in_recovery: self.repair.duplicates.recovering || una < self.echo.cut_until,
            counts: una < self.repair.duplicates.recover,
            repeated: self.timers.expired > 1,
        };
        self.gate.inform(now, event, (arrived, flight), news, &self.timers.rtt, standing);
    }

    /// Computes when pacing, the controller or the application needs to be called.
    fn arm_call(&mut self) {
        let asked = if self.stream.una < self.stream.stop { self.gate.wake_at() } else { Time::NEVER };
        let writes = self.stream.writer.as_ref().map_or(Time::NEVER, |writer| writer.due());
        self.timers.call_at = self.timers.pace_wake.min(asked).min(writes);
    }

    /// Computes up to where the windows allow sending.
    #[inline]
    pub(super) fn update_limit(&mut self) {
        let window = self.gate.window_in_use();
        self.gate.capped = self.gate.control.window > window.min(self.stream.receive_window);
        let limit = if self.repair.duplicates.quiet {
            self.stream.una + window
        } else {
            self.limit_under_loss(window)
        };
        self.stream.limit = limit.min(self.stream.una + self.stream.receive_window);
    }

    /// An acknowledgement of new data in order, with no loss in sight.
    #[inline]
    fn advance(&mut self, now: Time, ack: u64, rtt: Duration) {
        self.stream.advance(ack);
        self.timers.expired = 0;
        self.inform(now, Event::Ack, (ack, 0), self.stream.nxt - ack, News::of_rtt(rtt));
        self.rearm(now);
        self.update_limit();
    }

    /// Restarts the retransmission timer if anything is outstanding (RFC 6298 sections 5.2 and 5.3).
    #[inline]
    pub(super) fn rearm(&mut self, now: Time) {
        if self.stream.una < self.stream.max {
            self.timers.rto_at = self.due(now, self.timers.rtt.timeout());
            return;
        }
        self.timers.rto_at = Time::NEVER;
        if self.stream.una >= self.stream.stop {
            if self.stream.is_written() {
                self.timers.finished = self.timers.finished.min(now);
            }
            self.timers.pace_wake = Time::NEVER;
            self.arm_call();
        }
        self.todo |= todo::IDLE;
    }

    /// The round-trip time that the acknowledgement of new data `ack` measures; zero if none.
    #[inline]
    fn measure(&mut self, now: Time, ack: u64, packet: &Packet) -> Duration {
        let measured = if self.stream.timestamps {
            now.since(Time::from_nanos(packet.body[1]))
        } else if ack >= self.timers.timed_by {
            self.timers.timed_by = UNTIMED;
            now.since(self.timers.timed_at)
        } else {
            return Duration::ZERO;
        };
        let shift = if self.params.timestamps {
            // Measurements per round trip, to the next power of two: one per acknowledgement.
            let segments = (self.stream.nxt - self.stream.una)
                / (u64::from(self.stream.mss) * u64::from(self.params.ack_every));
            segments.max(1).next_power_of_two().ilog2()
        } else {
            0
        };
        self.timers.sample(&self.params, now, measured, shift);
        measured
    }

    /// What is not a plain acknowledgement to loss detection by duplicates.
    #[cold]
    #[inline(never)]
    fn push_other(&mut self, now: Time, packet: &Packet) {
        let plain =
            self.phase == Phase::Established && packet.flags & SPECIAL == 0 && self.echo.accurate.is_none();
        if plain && self.repair.rack.is_some() {
            self.acknowledged_in_time(now, packet);
        } else if plain && self.gate.account.is_some() {
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
            self.gate.feedback = (TcpHeader::take_answer(&mut plain) * FEEDBACK_UNIT).round() as i64;
            self.push(now, &plain);
            self.gate.feedback = 0;
            return;
        }
        if self.echo.accurate.is_some() && self.phase == Phase::Established {
            let plain = self.echo.hear_counts(packet, &self.stream, &mut self.gate);
            return self.push_plain(now, &plain);
        }
        self.push_plain(now, packet);
    }

    /// True for an acknowledgement that may go to loss detection by time at once.
    #[inline]
    fn is_timed(&self, packet: &Packet) -> bool {
        self.repair.rack.is_some() && self.phase == Phase::Established && packet.flags & SPECIAL == 0
    }

    /// Takes in what is not a plain acknowledgement, without the headers that rode on it and the counts of marks.
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
                if self.repair.rack.is_some() {
                    self.acknowledged_in_time(now, packet);
                } else if self.gate.account.is_some() {
                    self.accounted(now, packet);
                } else {
                    self.acknowledged(now, packet);
                }
                // Only a sender that has sent its own FIN is done (RFC 9293 section 3.10.7.4, eighth check).
                let has_ended =
                    self.params.fin && self.stream.is_written() && self.stream.una >= self.stream.stop;
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
        debug_assert!(ack <= self.stream.max, "nothing is acknowledged that was not sent");
        let rtt = if ack > self.stream.una { self.measure(now, ack, packet) } else { Duration::ZERO };
        if ack > self.stream.una && self.repair.is_plain(packet) {
            self.stream.set_window(packet.aux);
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
        self.repair.duplicates.quiet = self.repair.duplicates.in_a_row == 0
            && !self.repair.duplicates.recovering
            && self.repair.board().is_clear();
        self.update_limit();
    }

    /// True if a paced packet is due.
    #[inline(always)]
    pub(crate) fn is_due(&self, now: Time) -> bool {
        self.timers.pace_wake <= now
    }

    #[cold]
    fn wake_due(&mut self, now: Time) {
        let paced = now >= self.timers.pace_wake;
        if let Some(writer) = &mut self.stream.writer {
            if self.phase == Phase::Unopened {
                writer.start(now);
            }
            writer.run(now);
            if !paced {
                self.arm_call();
            }
        }
        if paced || now >= self.timers.call_at {
            if paced {
                self.timers.pace_wake = Time::NEVER;
                self.todo &= !todo::HOLD;
            }
            self.wake_controller(now);
            self.arm_call();
        }
        if self.phase == Phase::Unopened {
            self.open(now);
        } else if now >= self.timers.rto_at {
            self.expire(now);
        }
    }

    /// Wakes the controller if its time has come.
    #[inline]
    fn wake_controller(&mut self, now: Time) {
        if now >= self.gate.control.wake_at {
            self.gate.control.wake_at = Control::NEVER;
            self.decide(
                now,
                Event::Wake,
                self.gate.delivered,
                self.repair.outstanding(&self.stream),
                Duration::ZERO,
            );
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
            Phase::Established if self.repair.rack.is_some() => self.time_is_up(now),
            // With nothing outstanding the timer is that of a closed window: `probe_window`.
            Phase::Established if self.stream.una < self.stream.max => {
                self.timers.expired += 1;
                self.timers.timeouts += 1;
                if self.timers.expired > self.params.retries {
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
        let tick = self.timers.rtt.tick_from(self.timers.rto_at);
        if tick > self.timers.rto_at {
            self.timers.rto_at = tick;
            return true;
        }
        if self.phase != Phase::Established {
            return false;
        }
        let timeout = self.timers.rtt.timeout();
        let retransmits = self.repair.rack.as_ref().is_none_or(|rack| rack.timer == Timer::Retransmission);
        let later = match &mut self.timers.spread {
            Some(spread) if retransmits => spread.put_off(self.timers.rto_at, timeout),
            _ => None,
        };
        self.timers.rto_at = later.unwrap_or(self.timers.rto_at);
        later.is_some()
    }

    /// The data was sent again often enough.
    pub(super) fn give_up(&mut self) {
        self.fail(Failure::TimedOut);
    }

    fn fail(&mut self, failure: Failure) {
        self.phase = Phase::Failed(failure);
        self.todo = todo::HOLD;
        self.timers.stop();
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
        if ack > self.stream.max || blocks != [0; 3] && !self.is_credible(packet) {
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
        match self.todo {
            0 => self.next(now),
            todo::TIMED => self.pull_plain(now),
            _ => self.pull_due(now),
        }
    }

    #[inline]
    fn wake(&mut self, now: Time) {
        if now >= self.wake_at() || self.phase == Phase::Unopened {
            self.wake_due(now);
        }
    }

    #[inline]
    fn wake_at(&self) -> Time {
        self.timers.wake_at()
    }
}
