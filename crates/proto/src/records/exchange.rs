//! An exchange of a transport over a path, as a line of a record: all that its ends send, and how they stand after each event.

use dumbbell_core::testing::Record;
use dumbbell_core::{Duration, Frame, Packet, Stage, Time, Way};
use dumbbell_header::{HpccHeader, NadaHeader, TfrcHeader, XcpHeader};

use super::scripts::Script;
use crate::host::Grant;
use crate::testing::Pipe;
use crate::transport::{Opening, ReceiverReport, SenderReport, TimeoutCauses};
use crate::transports::{Receiver, Sender, TransportSpec};

/// Events after which an exchange is cut off.
const MOST: usize = 60_000;

/// Something that is done to the ends after an event, by the number of the event.
#[derive(Clone, Copy)]
pub struct Meddle {
    pub act: fn(&mut Pipe<Sender, Receiver>, usize),
    /// How often time passes in which nothing would happen by itself.
    pub rests: u32,
}

impl Meddle {
    /// One that goes on as long as the exchange.
    pub const fn by(act: fn(&mut Pipe<Sender, Receiver>, usize)) -> Meddle {
        Meddle { act, rests: 0 }
    }
}

/// Nothing is done.
pub const LEAVE: Meddle = Meddle::by(|_, _| {});
/// Time that passes where nothing happens.
const REST: Duration = Duration::from_millis(70);

/// A router on the way.
pub type Router = Box<dyn FnMut(Time, Way, &mut Packet)>;

/// What an exchange came to.
#[derive(Default)]
pub struct Sums {
    sent: u64,
    again: u64,
    answers: u64,
    timeouts: u64,
    last: Time,
    window: u64,
    delivered: u64,
}

impl Sums {
    pub fn add(&mut self, other: &Sums) {
        self.sent += other.sent;
        self.again += other.again;
        self.answers += other.answers;
        self.timeouts += other.timeouts;
        self.delivered += other.delivered;
        (self.last, self.window) = (other.last, other.window);
    }

    pub fn text(&self) -> String {
        let Sums { sent, again, answers, timeouts, last, window, delivered } = self;
        let last = last.as_nanos();
        format!(
            "sent {sent}, again {again}, answers {answers}, timeouts {timeouts}, {delivered} B, {last} ns, window {window}"
        )
    }
}

/// Runs an exchange until nothing happens any more, or until a time.
pub fn run(
    record: &mut Record,
    spec: &TransportSpec,
    opening: Opening,
    script: &Script,
    router: Option<Router>,
    end: Time,
    meddle: Meddle,
) -> Sums {
    let size = opening.size.unwrap_or(u64::MAX);
    let mut pipe = Pipe::new(spec.open(opening), (script.fates)(size)).shaped(script.rate, script.rtt);
    if let Some(room) = script.room {
        pipe = pipe.buffered(room);
    }
    if let Some(router) = router {
        pipe = pipe.routed(router);
    }
    if let Some((from, to)) = script.stall {
        pipe.stall(from, to);
    }
    let (mut forward, mut reverse) = (0, 0);
    let mut rests = meddle.rests;
    for event in 0..MOST {
        (meddle.act)(&mut pipe, event);
        if pipe.now > end || !pipe.step() && rests == 0 {
            break;
        }
        if pipe.sender.wake_at().min(pipe.receiver.wake_at()) == Time::NEVER && rests > 0 {
            rests -= 1;
            pipe.now += REST;
        }
        for (at, packet) in pipe.forward[forward..].iter().chain(&pipe.reverse[reverse..]) {
            note(record, *at, packet);
        }
        (forward, reverse) = (pipe.forward.len(), pipe.reverse.len());
        record.hash(pipe.sender.wake_at().as_nanos());
        record.hash(pipe.receiver.wake_at().as_nanos());
        if event % 4 == 0 {
            stand(record, &pipe);
        }
        if event % 64 == 0 {
            pipe.sender.estimates(&mut |estimate| {
                record.text(estimate.name);
                record.float(estimate.value);
            });
        }
        if event % 32 == 0 {
            report(record, &pipe.sender.report(), &pipe.receiver.report());
        }
    }
    report(record, &pipe.sender.report(), &pipe.receiver.report());
    let (sender, receiver) = (pipe.sender.report(), pipe.receiver.report());
    record.hash(pipe.sender.ignored());
    record.hash(pipe.receiver.ignored());
    record.hash(pipe.sender.is_closed());
    record.hash(pipe.receiver.is_closed());
    Sums {
        sent: sender.packets_sent,
        again: sender.retransmissions,
        answers: pipe.reverse.len() as u64,
        timeouts: sender.timeouts.into(),
        last: pipe.now,
        window: sender.window,
        delivered: receiver.delivered,
    }
}

/// A packet that leaves. What headers hold as numbers with a point is rounded.
fn note(record: &mut Record, at: Time, packet: &Packet) {
    record.hash(at.as_nanos());
    record.hash(packet.size);
    record.hash(u64::from(packet.aux) << 16 | u64::from(packet.flags) << 8 | u64::from(packet.ecn.bits()));
    let rides = packet.read::<XcpHeader>().is_some() || packet.read::<HpccHeader>().is_some();
    let has_rates = packet.read::<TfrcHeader>().is_some() || packet.read::<NadaHeader>().is_some();
    let floats = match has_rates {
        _ if rides => 2..5,
        true => 3..5,
        false => 5..5,
    };
    for (i, word) in packet.body.iter().enumerate() {
        if floats.contains(&i) {
            record.float(f64::from_bits(*word));
        } else {
            record.hash(*word);
        }
    }
}

/// How both ends stand.
fn stand(record: &mut Record, pipe: &Pipe<Sender, Receiver>) {
    let state = pipe.sender.state();
    record.hash(state.window);
    record.hash(state.threshold.unwrap_or(u64::MAX));
    record.hash(state.in_flight);
    record.hash(state.limit);
    record.hash(state.smoothed_rtt.as_nanos());
    record.text(state.phase.unwrap_or(""));
    if let Some(pacing) = state.pacing {
        record.float(pacing);
    }
    if let Some(stand) = pipe.sender.stand() {
        record.hash(stand.round);
        record.hash(stand.changes);
    }
    let got = pipe.receiver.report();
    record.hash(got.delivered);
    record.hash(got.received);
    record.hash(got.unread);
    record.hash(pipe.receiver.transit(pipe.now).map_or(u64::MAX, |transit| transit.as_nanos()));
}

fn report(record: &mut Record, sender: &SenderReport, receiver: &ReceiverReport) {
    let SenderReport {
        packets_sent,
        retransmissions,
        timeouts,
        causes,
        cuts,
        window,
        min_rtt,
        smoothed_rtt,
        finished,
        failure,
    } = *sender;
    let TimeoutCauses { full_window, tail, resent, spurious, other } = causes;
    let ReceiverReport { delivered, received, packets, out_of_order, marks, finished: got, unread, delay } =
        *receiver;
    for number in [packets_sent, retransmissions, window, min_rtt.as_nanos(), smoothed_rtt.as_nanos()] {
        record.hash(number);
    }
    for number in [timeouts, cuts, full_window, tail, resent, spurious, other] {
        record.hash(number);
    }
    for number in [delivered, received, packets, out_of_order, marks, unread] {
        record.hash(number);
    }
    for time in [finished, got] {
        record.hash(time.map_or(u64::MAX, Time::as_nanos));
    }
    record.text(failure.map_or("", |failure| failure.name()));
    if let Some(delay) = delay {
        record.float(delay.mean);
        record.float(delay.sd);
    }
}

/// A host that grants windows of many sizes.
pub fn grants(pipe: &mut Pipe<Sender, Receiver>, event: usize) {
    const SIZES: [u64; 6] = [3000, 60_000, 1460, 20_000, 0, 100_000];
    if event % 23 == 7 {
        pipe.receiver.grant(Grant::Window(SIZES[event / 23 % SIZES.len()]));
    }
    if event.is_multiple_of(3) {
        pipe.receiver.hasten();
    }
}

/// A host that gives credit.
pub fn credits(pipe: &mut Pipe<Sender, Receiver>, event: usize) {
    const SIZES: [u64; 5] = [1460, 5000, 30_000, 100, 14_600];
    if event % 11 == 3 {
        pipe.receiver.grant(Grant::Credit(SIZES[event / 11 % SIZES.len()]));
    }
}
