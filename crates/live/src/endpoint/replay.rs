//! Replay: the events of a live end point, fed to the state machines as the simulator drives them.

use std::collections::BTreeMap;

use dumbbell_core::{ConfigError, Ecn, Packet, Stage, Time};
use dumbbell_header::datagram::LENGTH;
use dumbbell_proto::{Receiver, Sender};
use dumbbell_sim::Plan;

use super::OverUdp;
use super::events::{self, Event, What};
use super::receive::receiver;
use super::send::Openings;

/// What a replay found.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Replayed {
    /// Events in the log.
    pub events: u64,
    /// Packets that left, each compared.
    pub packets: u64,
    /// Flows.
    pub flows: u64,
    /// The first packet that differs, in words.
    pub difference: Option<String>,
}

/// One end of a flow.
enum Machine {
    Sender(Box<Sender>),
    Receiver(Box<Receiver>),
}

impl Machine {
    fn stage(&mut self) -> &mut dyn Stage {
        match self {
            Machine::Sender(sender) => &mut **sender,
            Machine::Receiver(receiver) => &mut **receiver,
        }
    }
}

/// Feeds a log to state machines made as in the simulator, and compares every packet that leaves them.
///
/// A log of senders needs the plan that they sent.
///
/// # Errors
/// If the log cannot be understood, or is of another plan.
pub fn replay(text: &str, plan: Option<&Plan>) -> Result<Replayed, ConfigError> {
    let unclear = |line: usize, what: &str| {
        ConfigError::new(
            format!("line {}", line + 1),
            what.to_owned(),
            "give the file that `--events` wrote, unchanged",
        )
    };
    let mut lines = text.lines().enumerate();
    let head = lines.next().and_then(|(_, head)| What::parse(head));
    let (Some(What::Send { header, .. }) | Some(What::Receive { header, .. })) = head else {
        return Err(unclear(0, "this is no log of an end point"));
    };
    let no_wire = || unclear(0, "the log is of a transport that has no end points over UDP");
    let (transport, mut openings) = match (&head, plan) {
        (Some(What::Send { plan: hash, .. }), Some(plan)) if *hash == plan.origin.hash() => {
            let transport = OverUdp::of_groups(plan, header)?.into_iter().next().ok_or_else(no_wire)?;
            (transport, Some(Openings::new(plan, header)?))
        }
        (Some(What::Receive { transport, .. }), _) => {
            (OverUdp::of(transport, header).ok_or_else(no_wire)?, None)
        }
        _ => return Err(unclear(0, "the log is of another plan")),
    };
    let datagram = transport.datagram;

    let packet = |line: usize, bytes: [u8; LENGTH], payload: u16| {
        let read = datagram.read(&bytes, 0, header.saturating_add(payload), Ecn::NotEct);
        read.map(|read| read.packet).ok_or_else(|| unclear(line, "this is no packet of the transport"))
    };
    // The driver asks an end until it has nothing more to say. A receiver is asked at once; a sender may wait for room.
    let unsaid = |line: usize, machine: &mut Machine, last: Time| match machine {
        Machine::Receiver(receiver) => receiver.pull(last).map(|packet| {
            format!("line {}: at {last} only the simulator sends {}", line + 1, datagram.text(&packet))
        }),
        Machine::Sender(_) => None,
    };
    // With the time of the last event of each.
    let mut machines: BTreeMap<u32, (Machine, Time)> = BTreeMap::new();
    let mut found = Replayed::default();
    for (number, line) in lines {
        let Some((now, flow, event)) = events::parse(line) else {
            return Err(unclear(number, "this is no event"));
        };
        found.events += 1;
        if let Event::Open { mtu, .. } = event {
            let machine = match &mut openings {
                None => Machine::Receiver(Box::new(receiver(&transport, flow, mtu))),
                Some(openings) => {
                    let opened = openings.open(mtu);
                    let Some((_, _, sender)) = opened else {
                        return Err(unclear(number, "the plan has no such flow"));
                    };
                    Machine::Sender(Box::new(sender))
                }
            };
            machines.insert(flow, (machine, now));
            found.flows += 1;
            continue;
        }
        let Some((machine, last)) = machines.get_mut(&flow) else {
            return Err(unclear(number, "the flow was never opened"));
        };
        if !matches!(event, Event::Left { .. })
            && let Some(packet) = unsaid(number, machine, *last)
        {
            found.difference = Some(packet);
            return Ok(found);
        }
        *last = now;
        match event {
            Event::Open { .. } => {}
            Event::Wake => machine.stage().wake(now),
            Event::Came { header: came, payload } => {
                machine.stage().push(now, &packet(number, came, payload)?);
            }
            Event::Left { header: left, payload } => {
                found.packets += 1;
                let (left, pulled) = (packet(number, left, payload)?, machine.stage().pull(now));
                let what = |packet: &Packet| (packet.words(), packet.size);
                if pulled.as_ref().map(what) != Some(what(&left)) {
                    let expected = pulled.map_or_else(|| "nothing".to_owned(), |p| datagram.text(&p));
                    let left = datagram.text(&left);
                    found.difference =
                        Some(format!("line {}: {left} left, {expected} by the simulator", number + 1));
                    return Ok(found);
                }
            }
        }
    }
    let end = text.lines().count();
    found.difference = machines.values_mut().find_map(|(machine, last)| unsaid(end, machine, *last));
    Ok(found)
}
