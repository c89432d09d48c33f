//! The receiving ends of flows, whoever sends them.

use std::collections::HashMap;
use std::hash::Hash;
use std::io;
use std::path::Path;

use dumbbell_core::{ConfigError, Duration, Time};
use dumbbell_header::{RcpHeader, RcpKind};
use dumbbell_proto::ReceiverReport;
use dumbbell_proto::rcp::Receiver;
use dumbbell_proto::transport::ReceiveEnd;

use super::Counts;
use super::events::{Log, What};
use super::send::payload_of;

/// Flows in progress at a time: more than a link of these rates shares out, and few enough that a flood of them fills no
/// memory.
const MOST_OPEN: usize = 1 << 16;

/// Flows in all, for the same reason.
const MOST_FLOWS: u32 = 1 << 20;

/// A flow that nothing was heard of for so long is forgotten: longer than a sender waits between two attempts (0.5 s
/// doubled eight times).
const SILENCE: Duration = Duration::from_secs(150);

/// The same for one that has ended: time enough for an answer that was lost to be asked for again.
const LINGER: Duration = Duration::from_secs(10);

/// A flow as the receiver saw it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Received {
    /// Its number, as its sender counts.
    pub flow: u32,
    /// When its SYN arrived.
    pub opened: Time,
    /// When its SYN left, by the sender's clock.
    pub sent: Time,
    /// What arrived.
    pub report: ReceiverReport,
}

struct Open {
    receiver: Receiver,
    /// Number here, in order of arrival.
    serial: u32,
    opened: Time,
    sent: Time,
    heard: Time,
}

/// The receiving ends of flows from peers whose addresses are `A`.
pub struct Receivers<A> {
    header: u16,
    open: HashMap<(A, u32), Open>,
    ended: Vec<Received>,
    started: u32,
    /// Flows whose last byte has arrived.
    pub completed: u64,
    /// When something last came.
    pub heard: Time,
    log: Option<Log>,
    /// What came and was not taken.
    pub counts: Counts,
}

impl<A: Copy + Eq + Hash> Receivers<A> {
    /// Receivers of packets with `header` bytes of headers.
    ///
    /// # Errors
    /// If the log of events cannot be written.
    pub fn new(header: u16, events: Option<&Path>) -> Result<Receivers<A>, ConfigError> {
        Ok(Receivers {
            header,
            open: HashMap::new(),
            ended: Vec::new(),
            started: 0,
            completed: 0,
            heard: Time::ZERO,
            log: events.map(|path| Log::create(path, What::Receive { header })).transpose()?,
            counts: Counts::default(),
        })
    }

    /// Takes in a datagram of `length` bytes, of which `bytes` are the first; the flow and header of the answer, if there
    /// is one.
    pub fn take(&mut self, now: Time, from: A, bytes: &[u8], length: usize) -> Option<(u32, RcpHeader)> {
        let Some((flow, header)) = RcpHeader::decode(bytes) else {
            self.counts.malformed += 1;
            return None;
        };
        self.heard = now;
        if header.kind == RcpKind::Syn {
            self.admit(now, from, flow, &header);
        }
        let Some(open) = self.open.get_mut(&(from, flow)) else {
            self.counts.stray += 1;
            return None;
        };
        open.heard = now;
        let payload = payload_of(length);
        let complete = open.receiver.is_complete();
        open.receiver.take(now, &header, payload);
        self.completed += u64::from(!complete && open.receiver.is_complete());
        let answer = open.receiver.answer();
        if let Some(log) = &mut self.log {
            log.came(now, open.serial, &header, payload);
            if let Some(answer) = &answer {
                log.left(now, open.serial, answer, 0);
            }
        }
        answer.map(|answer| (flow, answer))
    }

    fn admit(&mut self, now: Time, from: A, flow: u32, header: &RcpHeader) {
        if self.open.contains_key(&(from, flow)) {
            return;
        }
        if self.open.len() >= MOST_OPEN || self.started >= MOST_FLOWS {
            self.counts.refused += 1;
            return;
        }
        let serial = self.started;
        self.started += 1;
        if let Some(log) = &mut self.log {
            log.opened(now, serial, flow);
        }
        let receiver = Receiver::new(flow, self.header);
        let sent = Time::from_nanos(header.ts);
        self.open.insert((from, flow), Open { receiver, serial, opened: now, sent, heard: now });
    }

    /// Forgets flows that nothing is heard of any more.
    pub fn sweep(&mut self, now: Time) {
        let (ended, counts) = (&mut self.ended, &mut self.counts);
        self.open.retain(|(_, flow), open| {
            let patience = if open.receiver.is_complete() { LINGER } else { SILENCE };
            let keep = now.since(open.heard) <= patience;
            if !keep {
                counts.ignored += open.receiver.ignored();
                ended.push(received(*flow, open));
            }
            keep
        });
    }

    /// What each flow came to, in order of number, and what was not taken.
    ///
    /// # Errors
    /// If the log of events could not be written.
    pub fn finish(mut self) -> io::Result<(Vec<Received>, Counts)> {
        for ((_, flow), open) in &self.open {
            self.counts.ignored += open.receiver.ignored();
            self.ended.push(received(*flow, open));
        }
        self.ended.sort_by_key(|flow| (flow.flow, flow.opened));
        if let Some(log) = self.log {
            log.finish()?;
        }
        Ok((self.ended, self.counts))
    }
}

fn received(flow: u32, open: &Open) -> Received {
    Received { flow, opened: open.opened, sent: open.sent, report: open.receiver.report() }
}
