//! The receiving ends of flows, whoever sends them.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::io;
use std::path::Path;

use dumbbell_core::rng::stream;
use dumbbell_core::{ConfigError, Duration, FlowTag, Stage, Time, TrafficClass};
use dumbbell_proto::{Opening, Receiver, ReceiverReport};
use dumbbell_sim::engine::timers::Timers;

use super::events::{Log, What};
use super::{Arrival, Counts, Outgoing, OverUdp};

/// Flows in progress at a time: more than a link of these rates shares out, and few enough that a flood of them fills no
/// memory.
const MOST_OPEN: usize = 1 << 16;

/// Flows in all, for the same reason.
const MOST_FLOWS: usize = 1 << 20;

/// A flow that nothing was heard of for so long is forgotten: longer than a sender waits between two attempts (RCP's 0.5 s
/// doubled eight times).
const SILENCE: Duration = Duration::from_secs(150);

/// The same for one that has ended: time enough for an answer that was lost to be asked for again.
const LINGER: Duration = Duration::from_secs(10);

/// A flow as the receiver saw it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Received {
    /// Its number, as its sender counts.
    pub flow: u32,
    /// When the packet that opened it arrived.
    pub opened: Time,
    /// When that packet left, by the sender's clock.
    pub sent: Time,
    /// When something last arrived.
    pub heard: Time,
    /// What arrived.
    pub report: ReceiverReport,
}

struct Open<A> {
    receiver: Receiver,
    from: A,
    /// Its number on the wire.
    number: u32,
    opened: Time,
    sent: Time,
    heard: Time,
    /// Bytes delivered when somebody last looked.
    seen: u64,
    /// True if it stands among those that may have something to send.
    ready: bool,
}

/// The receiving ends of flows from peers whose addresses are `A`.
pub struct Receivers<A> {
    transport: OverUdp,
    /// The largest packet on the way from a peer.
    mtu: Box<dyn Fn(A) -> u32>,
    /// The flows in progress: where each stands among all.
    known: HashMap<(A, u32), u32>,
    /// In order of arrival; none for those that were forgotten.
    flows: Vec<Option<Box<Open<A>>>>,
    timers: Timers,
    ready: VecDeque<u32>,
    ended: Vec<Received>,
    /// Flows whose last byte has arrived.
    pub completed: u64,
    /// When something last came.
    pub heard: Time,
    log: Option<Log>,
    /// What came and was not taken.
    pub counts: Counts,
}

impl<A: Copy + Eq + Hash> Receivers<A> {
    /// Receivers of packets with `header` bytes of headers. `mtu` tells the largest packet on the way from a peer.
    ///
    /// # Errors
    /// If the log of events cannot be written.
    pub fn new(
        transport: OverUdp,
        header: u16,
        mtu: impl Fn(A) -> u32 + 'static,
        events: Option<&Path>,
    ) -> Result<Receivers<A>, ConfigError> {
        let what = What::Receive { header, transport: transport.spec.clone() };
        Ok(Receivers {
            transport,
            mtu: Box::new(mtu),
            known: HashMap::new(),
            flows: Vec::new(),
            timers: Timers::default(),
            ready: VecDeque::new(),
            ended: Vec::new(),
            completed: 0,
            heard: Time::ZERO,
            log: events.map(|path| Log::create(path, &what)).transpose()?,
            counts: Counts::default(),
        })
    }

    /// Takes in a datagram.
    pub fn take(&mut self, now: Time, from: A, came: Arrival<'_>) {
        let Some(read) = self.transport.read(came) else {
            self.counts.malformed += 1;
            return;
        };
        self.heard = now;
        if let Some(sent) = read.opens {
            self.admit(now, from, (read.number, read.packet.class), sent);
        }
        let serial = self.known.get(&(from, read.number)).copied();
        let Some((serial, open)) = serial.and_then(|n| Some((n, self.flows[n as usize].as_mut()?))) else {
            self.counts.stray += 1;
            return;
        };
        open.heard = now;
        let complete = open.receiver.finished().is_some();
        if let Some(log) = &mut self.log {
            log.came(now, serial, came);
        }
        open.receiver.push(now, &read.packet);
        self.completed += u64::from(!complete && open.receiver.finished().is_some());
        self.mark_ready(serial);
    }

    fn admit(&mut self, now: Time, from: A, (number, class): (u32, u8), sent: Time) {
        if self.known.contains_key(&(from, number)) {
            return;
        }
        if self.known.len() >= MOST_OPEN || self.flows.len() >= MOST_FLOWS {
            self.counts.refused += 1;
            return;
        }
        let serial = self.flows.len() as u32;
        let mtu = (self.mtu)(from);
        if let Some(log) = &mut self.log {
            log.opened(now, serial, number, mtu, class);
        }
        let receiver = receiver(&self.transport, serial, mtu, class);
        self.known.insert((from, number), serial);
        let open = Open { receiver, from, number, opened: now, sent, heard: now, seen: 0, ready: false };
        self.flows.push(Some(Box::new(open)));
        self.timers.reserve(self.flows.len());
    }

    fn mark_ready(&mut self, serial: u32) {
        let Some(open) = &mut self.flows[serial as usize] else { return };
        if !std::mem::replace(&mut open.ready, true) {
            self.ready.push_back(serial);
        }
    }

    /// Fires timers that are due.
    pub fn wake(&mut self, now: Time) {
        while self.timers.first() <= now {
            let Some(serial) = self.timers.take(now) else { continue };
            let Some(open) = &mut self.flows[serial as usize] else { continue };
            if let Some(log) = &mut self.log {
                log.woken(now, serial);
            }
            open.receiver.wake(now);
            self.mark_ready(serial);
        }
    }

    /// The next answer that is due, of each flow in turn, and where it goes.
    pub fn pull(&mut self, now: Time) -> Option<(A, Outgoing)> {
        while let Some(serial) = self.ready.pop_front() {
            let Some(open) = &mut self.flows[serial as usize] else { continue };
            if let Some(packet) = open.receiver.pull(now) {
                self.ready.push_back(serial);
                let outgoing = self.transport.write(&packet, open.number);
                if let Some(log) = &mut self.log {
                    log.left(now, serial, outgoing.arrival());
                }
                return Some((open.from, outgoing));
            }
            open.ready = false;
            let at = open.receiver.wake_at();
            if at.is_finite() {
                self.timers.arm(serial, at);
            }
        }
        None
    }

    /// Looks at the flows in progress, each with the bytes that have come since the last look.
    pub fn each(&mut self, mut look: impl FnMut(u32, u64)) {
        for open in self.flows.iter_mut().flatten() {
            let delivered = open.receiver.report().delivered;
            look(open.number, delivered - std::mem::replace(&mut open.seen, delivered));
        }
    }

    /// When something is due.
    pub fn wake_at(&mut self) -> Time {
        if self.ready.is_empty() { self.timers.first() } else { Time::ZERO }
    }

    /// Forgets flows that nothing is heard of any more.
    pub fn sweep(&mut self, now: Time) {
        let Receivers { known, flows, timers, ended, counts, .. } = self;
        known.retain(|_, serial| {
            let place = &mut flows[*serial as usize];
            let silence = |open: &Open<A>| match open.receiver.finished() {
                Some(_) => LINGER,
                None => SILENCE,
            };
            let keep = place.as_ref().is_some_and(|open| now.since(open.heard) <= silence(open));
            if !keep && let Some(open) = place.take() {
                timers.disarm(*serial);
                counts.ignored += open.receiver.ignored();
                ended.push(received(&open));
            }
            keep
        });
    }

    /// What each flow came to, in order of number, and what was not taken.
    ///
    /// # Errors
    /// If the log of events could not be written.
    pub fn finish(mut self) -> io::Result<(Vec<Received>, Counts)> {
        for open in self.flows.iter().flatten() {
            self.counts.ignored += open.receiver.ignored();
            self.ended.push(received(open));
        }
        self.ended.sort_by_key(|flow| (flow.flow, flow.opened));
        if let Some(log) = self.log {
            log.finish()?;
        }
        Ok((self.ended, self.counts))
    }
}

/// The receiving end of a flow whose packets are at most `mtu` bytes: the same for those who receive and those who replay.
pub(super) fn receiver(transport: &OverUdp, serial: u32, mtu: u32, class: u8) -> Receiver {
    let opening = Opening {
        flow: FlowTag { slot: serial, class: TrafficClass::new(class).unwrap_or_default() },
        size: None,
        mtu: transport.largest(mtu),
        access: None,
        rng: stream(0, "receiver"),
        replay: None,
        granted: None,
        application: None,
        reader: None,
    };
    transport.open(opening).1
}

fn received<A>(open: &Open<A>) -> Received {
    let report = open.receiver.report();
    Received { flow: open.number, opened: open.opened, sent: open.sent, heard: open.heard, report }
}
