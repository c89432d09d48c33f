//! The sending ends of the flows of a plan.

use std::collections::VecDeque;
use std::io;
use std::iter::Peekable;
use std::path::Path;

use dumbbell_core::rng::stream;
use dumbbell_core::{ConfigError, FlowTag, Stage, Time};
use dumbbell_proto::{Opening, Sender, SenderReport};
use dumbbell_sim::Plan;
use dumbbell_sim::arrivals::Arrivals;
use dumbbell_sim::engine::timers::Timers;
use dumbbell_sim::workload::{Flow, Traffic};

use super::events::{Log, What};
use super::{Arrival, Counts, Outgoing, OverUdp};
use crate::clock::lateness::Lateness;

/// The flows of a plan in order of start, and how to open each: the same for those who send and those who replay.
pub struct Openings<'p> {
    plan: &'p Plan,
    arrivals: Peekable<Arrivals>,
    transports: Vec<OverUdp>,
    started_in_group: Vec<u32>,
    started: u32,
}

impl<'p> Openings<'p> {
    /// The flows of a plan, in packets with `header` bytes of headers.
    ///
    /// # Errors
    /// If some flows have no end points over UDP, or not those that the others have.
    pub fn new(plan: &'p Plan, header: u16) -> Result<Openings<'p>, ConfigError> {
        if plan.workloads.iter().any(|workload| matches!(workload.traffic, Traffic::Closed(_))) {
            return Err(ConfigError::new(
                "workloads",
                "a closed loop needs both ends of its flows, and only the sender is here",
                "use flows and open-loop workloads",
            ));
        }
        Ok(Openings {
            plan,
            arrivals: plan.arrivals().peekable(),
            transports: OverUdp::of_groups(plan, header)?,
            started_in_group: vec![0; plan.groups.len()],
            started: 0,
        })
    }

    /// When the next flow starts.
    pub fn next_start(&mut self) -> Time {
        self.arrivals.peek().map_or(Time::NEVER, |flow| flow.start)
    }

    /// Opens the next flow over a path with packets of up to `mtu` bytes: what it is, its number and its sending end.
    pub fn open(&mut self, mtu: u32) -> Option<(Flow, u32, Sender)> {
        let flow = self.arrivals.next()?;
        let in_group = &mut self.started_in_group[flow.group as usize];
        // The name that the simulator gives the stream.
        let name = format!("flow {in_group} of {}", self.plan.groups[flow.group as usize].name);
        *in_group += 1;
        let number = self.started;
        self.started += 1;
        let group = &self.plan.groups[flow.group as usize];
        let transport = &self.transports[flow.group as usize];
        let [application, _] = group.applications(self.plan.seed, &name);
        let opening = Opening {
            flow: FlowTag { slot: number, class: group.class },
            size: flow.size,
            mtu: transport.largest(mtu),
            access: Some(self.plan.pairs[flow.pair as usize].access),
            rng: stream(self.plan.seed, &name),
            replay: None,
            granted: None,
            application,
            reader: None,
        };
        Some((flow, number, transport.open(opening).0))
    }
}

enum State {
    Open(Box<Sender>),
    Closed(Box<SenderReport>),
}

/// A flow that has started.
struct Started {
    flow: Flow,
    state: State,
    /// True if it stands among those that may have something to send.
    ready: bool,
}

/// The sending ends of the flows of a plan.
pub struct Senders<'p> {
    openings: Openings<'p>,
    /// The clock's time at the plan's time zero.
    begin: Time,
    mtu: u32,
    flows: Vec<Started>,
    open: usize,
    timers: Timers,
    ready: VecDeque<u32>,
    log: Option<Log>,
    /// How late timers fired: those that pace packets, above all.
    pub late: Lateness,
    /// What came and was not taken.
    pub counts: Counts,
}

impl<'p> Senders<'p> {
    /// The flows of `plan`, which begins at `begin` by the clock. Packets have up to `mtu` bytes, `header` of them headers.
    ///
    /// # Errors
    /// As [`Openings::new`], and if the packets have no room for data or the log of events cannot be written.
    pub fn new(
        plan: &'p Plan,
        begin: Time,
        (mtu, header): (u32, u16),
        events: Option<&Path>,
    ) -> Result<Senders<'p>, ConfigError> {
        let openings = Openings::new(plan, header)?;
        for transport in &openings.transports {
            transport
                .spec
                .fits(transport.largest(mtu))
                .map_err(|problem| ConfigError::new("", problem, "use another path"))?;
        }
        let log = events.map(|path| Log::create(path, &What::Send { header, plan: plan.origin.hash() }));
        Ok(Senders {
            openings,
            begin,
            mtu,
            flows: Vec::new(),
            open: 0,
            timers: Timers::default(),
            ready: VecDeque::new(),
            log: log.transpose()?,
            late: Lateness::default(),
            counts: Counts::default(),
        })
    }

    /// Takes in a datagram.
    pub fn take(&mut self, now: Time, came: Arrival<'_>) {
        // All transports have the same header.
        let read = self.openings.transports.first().and_then(|transport| transport.read(came));
        let Some(read) = read else {
            self.counts.malformed += 1;
            return;
        };
        let Some(Started { state: State::Open(sender), .. }) = self.flows.get_mut(read.number as usize)
        else {
            self.counts.stray += 1;
            return;
        };
        if let Some(log) = &mut self.log {
            log.came(now, read.number, came);
        }
        sender.push(now, &read.packet);
        self.mark_ready(read.number);
    }

    /// Starts flows and fires timers that are due.
    pub fn wake(&mut self, now: Time) {
        while self.begin + self.openings.next_start().since(Time::ZERO) <= now {
            let Some((flow, number, sender)) = self.openings.open(self.mtu) else { break };
            let class = self.openings.plan.groups[flow.group as usize].class.number();
            self.flows.push(Started { flow, state: State::Open(Box::new(sender)), ready: false });
            self.open += 1;
            self.timers.reserve(self.flows.len());
            if let Some(log) = &mut self.log {
                log.opened(now, number, number, self.mtu, class);
            }
            self.fire(now, number);
        }
        loop {
            let due = self.timers.first();
            if due > now {
                break;
            }
            self.late.add(now.since(due));
            if let Some(number) = self.timers.take(now) {
                self.fire(now, number);
            }
        }
    }

    fn fire(&mut self, now: Time, number: u32) {
        let State::Open(sender) = &mut self.flows[number as usize].state else { return };
        if let Some(log) = &mut self.log {
            log.woken(now, number);
        }
        sender.wake(now);
        self.mark_ready(number);
    }

    fn mark_ready(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        if !std::mem::replace(&mut flow.ready, true) {
            self.ready.push_back(number);
        }
    }

    /// The next packet that is due, of each flow in turn.
    pub fn pull(&mut self, now: Time) -> Option<Outgoing> {
        while let Some(number) = self.ready.pop_front() {
            let started = &mut self.flows[number as usize];
            let State::Open(sender) = &mut started.state else { continue };
            if let Some(packet) = sender.pull(now) {
                self.ready.push_back(number);
                let outgoing = self.openings.transports[started.flow.group as usize].write(&packet, number);
                if let Some(log) = &mut self.log {
                    log.left(now, number, outgoing.arrival());
                }
                return Some(outgoing);
            }
            started.ready = false;
            if let Some(log) = &mut self.log {
                log.dry(now, number);
            }
            if sender.is_closed() {
                self.counts.ignored += sender.ignored();
                started.state = State::Closed(Box::new(sender.report()));
                self.open -= 1;
                self.timers.disarm(number);
            } else {
                let at = sender.wake_at();
                if at.is_finite() {
                    self.timers.arm(number, at);
                }
            }
        }
        None
    }

    /// Looks at the flows in progress, in order of number.
    pub fn each(&self, mut look: impl FnMut(u32, &Sender)) {
        for (number, started) in (0..).zip(&self.flows) {
            if let State::Open(sender) = &started.state {
                look(number, sender);
            }
        }
    }

    /// When something is due.
    pub fn wake_at(&mut self) -> Time {
        if !self.ready.is_empty() {
            return Time::ZERO;
        }
        let start = self.openings.next_start();
        let start = if start.is_finite() { self.begin + start.since(Time::ZERO) } else { start };
        self.timers.first().min(start)
    }

    /// True once every flow has come to its end.
    pub fn is_done(&mut self) -> bool {
        self.open == 0 && !self.openings.next_start().is_finite()
    }

    /// What each flow came to, in order of number, and what was not taken.
    ///
    /// # Errors
    /// If the log of events could not be written.
    pub fn finish(mut self) -> io::Result<(Vec<(Flow, SenderReport)>, Counts)> {
        let mut ended = Vec::with_capacity(self.flows.len());
        for started in self.flows {
            let report = match started.state {
                State::Closed(report) => *report,
                State::Open(sender) => {
                    self.counts.ignored += sender.ignored();
                    sender.report()
                }
            };
            ended.push((started.flow, report));
        }
        if let Some(log) = self.log {
            log.finish()?;
        }
        Ok((ended, self.counts))
    }
}
