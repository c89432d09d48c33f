//! The two programs: one sends the flows of a plan, the other receives flows.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::path::Path;

use dumbbell_core::results::{FlowRow, Results, RunRow};
use dumbbell_core::{ConfigError, Duration, Time};
use dumbbell_proto::SenderReport;
use dumbbell_sim::Plan;
use nix::poll::{PollFd, PollFlags, ppoll};
use serde::Serialize;

use super::receive::Receivers;
use super::sampler::Sampler;
use super::send::Senders;
use super::socket::Socket;
use super::{Counts, OverUdp, header_bytes};
use crate::clock::lateness::Quantiles;
use crate::clock::precise::Precise;
use crate::clock::{monotonic, processor_time, timespec};
use crate::namespace::waiting::OwnDelay;
use crate::shell::Ended;

/// Time between two looks at the caller, who may wish to stop.
const TICK: Duration = Duration::from_millis(100);

/// A receiver that waits for a number of flows ends when nothing has come for so long after the last: time enough for its
/// last answer to be asked for again.
const QUIET: Duration = Duration::from_secs(1);

/// A sender whose packets come back, and that was never answered, gives up with the first that comes back this long after
/// it began: time enough for a receiver that starts at the same time.
const REFUSED: Duration = Duration::from_secs(5);

/// What an end point leaves behind.
pub struct Endpoint {
    /// The tables of a simulation, with flows and their series alone.
    pub results: Results,
    /// When it began, by the monotonic clock: time 0 of its tables.
    pub began: Time,
    /// What came and was not taken.
    pub counts: Counts,
    /// How late the timers of a sender fired; of a receiver, which has none, nothing.
    pub late: Quantiles,
    /// What it took of a processor.
    pub spent: Spent,
}

/// What an end point took of a processor (s).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Spent {
    /// Processor time, the kernel's work for it included.
    pub processor: f64,
    /// How long it waited for a processor; none where the system keeps no account.
    pub waited: Option<f64>,
}

/// What an end point takes of a processor from when this begins.
struct Spending {
    processor: Duration,
    delay: OwnDelay,
}

impl Spending {
    fn begin() -> Spending {
        Spending { processor: processor_time(), delay: OwnDelay::begin() }
    }

    fn finish(mut self) -> Spent {
        let processor = processor_time().saturating_sub(self.processor).as_secs_f64();
        let waited = self.delay.is_known().then(|| self.delay.since_last().as_secs_f64());
        Spent { processor, waited }
    }
}

/// Sends the flows of a plan to `to` and returns when all have ended, or at the end of the plan. `tick` is called some ten
/// times a second with the time since the beginning, as long as nobody has answered, and may end it; then what was not sent is
/// left.
///
/// # Errors
/// If some flows have no end points over UDP, the network refuses, or nobody listens at the port.
pub fn send(
    plan: &Plan,
    to: SocketAddr,
    events: Option<&Path>,
    mut tick: impl FnMut(Option<Duration>) -> ControlFlow<()>,
) -> Result<Endpoint, Ended> {
    let (mut socket, mtu) = connect(to).map_err(|e| refused(&to.to_string(), &e))?;
    let begin = monotonic();
    let end = begin + plan.duration;
    let mut senders =
        Senders::new(plan, begin, (mtu, header_bytes(to.is_ipv6())), events).map_err(Ended::Refused)?;
    let _precise = Precise::begin();
    let mut came = Vec::new();
    let mut next_tick = begin;
    let mut heard = false;
    let mut results = Results::default();
    let mut sampler = Sampler::new(plan, begin, &mut results);
    let spending = Spending::begin();
    loop {
        let now = monotonic();
        if now >= next_tick {
            next_tick = now + TICK;
            if tick((!heard).then(|| now.since(begin))).is_break() {
                break;
            }
        }
        let refusals = socket.refused;
        socket.receive(&mut came).map_err(|e| refused(&to.to_string(), &e))?;
        heard |= !came.is_empty();
        if !heard && socket.refused > refusals && now.since(begin) >= REFUSED {
            return Err(Ended::Refused(ConfigError::new(
                to.to_string(),
                "nobody listens at this port",
                "start `dumbbell recv` there, or give another address",
            )));
        }
        for datagram in &came {
            senders.take(now, datagram.arrival());
            // At once, as in a simulation.
            transmit(&mut senders, now, &mut socket);
        }
        senders.wake(now);
        transmit(&mut senders, now, &mut socket);
        if sampler.is_due(now) {
            senders.each(|number, sender| sampler.sent(now, number, &sender.report(), &mut results));
        }
        let all_sent = socket.flush();
        if all_sent && senders.is_done() || now >= end {
            break;
        }
        wait(&socket, !all_sent, senders.wake_at().min(next_tick).min(end).min(sampler.next));
    }
    let (now, spent) = (monotonic(), spending.finish());
    let (unsent, late) = (socket.unsent, senders.late.quantiles());
    let (flows, counts) = senders.finish().map_err(|e| refused("the log of events", &e))?;
    sent_tables(plan, (begin, now), &flows, &mut results);
    Ok(Endpoint { results, began: begin, counts: Counts { unsent, ..counts }, late, spent })
}

/// How long a receiver goes on, and what it knows of its senders.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// It ends when so many flows have arrived and nothing more comes; without a number, on request.
    pub flows: Option<u64>,
    /// The senders are on this machine: their clock is the receiver's, and flows count from their first packet. Otherwise
    /// they count from its arrival.
    pub same_clock: bool,
}

/// Receives flows of the transport of a plan at a UDP port. `tick` is called some ten times a second and may end it.
///
/// # Errors
/// If the transport has no end points over UDP, or the port is taken.
pub fn receive(
    plan: &Plan,
    port: u16,
    until: Until,
    events: Option<&Path>,
    mut tick: impl FnMut() -> ControlFlow<()>,
) -> Result<Endpoint, Ended> {
    let header = header_bytes(false);
    let transport = OverUdp::of_receivers(plan, header).map_err(Ended::Refused)?;
    let transport_name = transport.spec.name();
    // Both families, where there are two.
    let bound = UdpSocket::bind(("::", port)).or_else(|_| UdpSocket::bind(("0.0.0.0", port)));
    let name = format!("port {port}");
    let mut socket = bound.and_then(Socket::new).map_err(|e| refused(&name, &e))?;
    let mut receivers = Receivers::new(transport, header, mtu_to, events).map_err(Ended::Refused)?;
    let _precise = Precise::begin();
    let begin = monotonic();
    let mut came = Vec::new();
    let mut next_tick = begin;
    let mut results = Results::default();
    let mut sampler = Sampler::new(plan, begin, &mut results);
    let spending = Spending::begin();
    loop {
        let now = monotonic();
        if now >= next_tick {
            next_tick = now + TICK;
            receivers.sweep(now);
            let quiet = now.since(receivers.heard) >= QUIET;
            if tick().is_break() || quiet && until.flows.is_some_and(|n| receivers.completed >= n) {
                break;
            }
        }
        if socket.flush() {
            socket.receive(&mut came).map_err(|e| refused(&name, &e))?;
            for datagram in &came {
                receivers.take(now, datagram.from, datagram.arrival());
                // At once: an end may keep one answer, to the latest packet.
                answer(&mut receivers, now, &mut socket);
            }
        }
        receivers.wake(now);
        answer(&mut receivers, now, &mut socket);
        if sampler.is_due(now) {
            receivers.each(|number, news| sampler.received(now, number, news, &mut results));
        }
        let all_sent = socket.flush();
        wait(&socket, !all_sent, receivers.wake_at().min(next_tick).min(sampler.next));
    }
    let (now, spent) = (monotonic(), spending.finish());
    let unsent = socket.unsent;
    let (flows, counts) = receivers.finish().map_err(|e| refused("the log of events", &e))?;
    received_tables(plan, transport_name, (begin, now), until.same_clock, &flows, &mut results);
    let (counts, late) = (Counts { unsent, ..counts }, Quantiles::default());
    Ok(Endpoint { results, began: begin, counts, late, spent })
}

/// Queues what is due, as much as there is room for.
fn transmit(senders: &mut Senders<'_>, now: Time, socket: &mut Socket) {
    while !socket.is_full()
        && let Some(packet) = senders.pull(now)
    {
        socket.queue(None, packet);
    }
}

fn answer(receivers: &mut Receivers<SocketAddr>, now: Time, socket: &mut Socket) {
    while let Some((to, answer)) = receivers.pull(now) {
        socket.queue(Some(to), answer);
    }
}

/// A socket connected to `to`, and the largest packet on the way as far as the machine knows.
fn connect(to: SocketAddr) -> io::Result<(Socket, u32)> {
    let socket = connected(to)?;
    let mtu = mtu_of(&socket);
    Ok((Socket::new(socket)?, mtu))
}

fn connected(to: SocketAddr) -> io::Result<UdpSocket> {
    let any: SocketAddr = if to.is_ipv6() { ([0_u16; 8], 0).into() } else { ([0_u8; 4], 0).into() };
    let socket = UdpSocket::bind(any)?;
    socket.connect(to)?;
    Ok(socket)
}

fn mtu_of(socket: &UdpSocket) -> u32 {
    use nix::sys::socket::{getsockopt, sockopt};
    // Linux tells it for IPv4 only.
    let mtu = getsockopt(socket, sockopt::IpMtu).unwrap_or(MTU_OF_ETHERNET);
    u32::try_from(mtu).unwrap_or_default()
}

/// The largest packet on the way to a peer, of whom a receiver of both families may know the IPv4 address in IPv6.
fn mtu_to(peer: SocketAddr) -> u32 {
    let peer = SocketAddr::new(peer.ip().to_canonical(), peer.port());
    connected(peer).map_or(MTU_OF_ETHERNET as u32, |socket| mtu_of(&socket))
}

/// RFC 894.
const MTU_OF_ETHERNET: i32 = 1500;

fn wait(socket: &Socket, for_room: bool, until: Time) {
    let flags = if for_room { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN };
    let left = until.since(monotonic());
    if !left.is_zero() {
        // A signal is looked at with the next tick.
        let _ = ppoll(&mut [PollFd::new(socket.as_fd(), flags)], Some(timespec(left)), None);
    }
}

fn refused(place: &str, e: &io::Error) -> Ended {
    Ended::Refused(ConfigError::new(place.to_owned(), format!("{e}"), "choose another"))
}

fn run_row(plan: &Plan, duration: Duration, results: &mut Results) -> RunRow {
    RunRow {
        seed: plan.seed,
        duration: duration.as_secs_f64(),
        warmup: plan.warmup.min(duration).as_secs_f64(),
        ended: results.label("duration"),
        ..RunRow::default()
    }
}

fn no_flow(flow: u32, transport: &str, results: &mut Results) -> FlowRow {
    let empty = results.label("");
    FlowRow {
        flow,
        group: empty,
        source: empty,
        destination: empty,
        transport: results.label(transport),
        controller: empty,
        counted: true,
        failure: empty,
        ..FlowRow::default()
    }
}

fn sent_tables(
    plan: &Plan,
    (begin, now): (Time, Time),
    flows: &[(dumbbell_sim::workload::Flow, SenderReport)],
    results: &mut Results,
) {
    let mut run = run_row(plan, now.since(begin), results);
    let seconds = |d: Duration| (!d.is_zero()).then(|| d.as_secs_f64());
    for (number, (flow, report)) in (0..).zip(flows) {
        let pair = &plan.pairs[flow.pair as usize];
        let completion = report.finished.map(|at| at.since(begin + flow.start.since(Time::ZERO)));
        run.flows_started += 1;
        run.flows_completed += u64::from(completion.is_some());
        run.packets_sent += report.packets_sent;
        run.total_sent += report.packets_sent;
        let transport = &plan.groups[flow.group as usize].transport;
        let row = FlowRow {
            group: results.label(&plan.groups[flow.group as usize].name),
            source: results.label(&plan.nodes[pair.source as usize]),
            destination: results.label(&plan.nodes[pair.destination as usize]),
            size: flow.size.map(|n| n as f64),
            start: flow.start.as_secs_f64(),
            sender_completion_time: completion.map(Duration::as_secs_f64),
            counted: flow.start >= Time::ZERO + plan.warmup,
            packets_sent: report.packets_sent,
            retransmissions: report.retransmissions,
            timeouts: report.timeouts,
            failure: results.label(report.failure.map_or("", |failure| failure.name())),
            rtt_min: seconds(report.min_rtt),
            rtt_smoothed: seconds(report.smoothed_rtt),
            controller: results.label(transport.controller().unwrap_or_default()),
            ..no_flow(number, transport.name(), results)
        };
        results.flows.push(row);
    }
    results.runs.push(run);
}

fn received_tables(
    plan: &Plan,
    transport: &str,
    (begin, now): (Time, Time),
    same_clock: bool,
    flows: &[super::receive::Received],
    results: &mut Results,
) {
    let mut run = run_row(plan, now.since(begin), results);
    for flow in flows {
        let start = if same_clock { flow.sent } else { flow.opened };
        let delay = flow.report.delay.filter(|_| same_clock);
        let completion = flow.report.finished.map(|at| at.since(start).as_secs_f64());
        // A receiver outlives its senders: it waits to be told to end.
        let measured = flow.report.finished.unwrap_or(flow.heard).since(start).as_secs_f64();
        run.flows_started += 1;
        run.flows_completed += u64::from(completion.is_some());
        run.packets_delivered += flow.report.packets;
        run.total_delivered += flow.report.packets;
        run.goodput += flow.report.delivered as f64 * 8.0 / now.since(begin).as_secs_f64();
        let row = FlowRow {
            size: completion.map(|_| flow.report.delivered as f64),
            start: start.since(begin).as_secs_f64(),
            completion_time: completion,
            delivered: flow.report.delivered,
            goodput: if measured > 0.0 { flow.report.delivered as f64 * 8.0 / measured } else { 0.0 },
            out_of_order: flow.report.out_of_order,
            delay_mean: delay.map(|delay| delay.mean),
            delay_sd: delay.map(|delay| delay.sd),
            ..no_flow(flow.flow, transport, results)
        };
        results.flows.push(row);
    }
    results.runs.push(run);
}
