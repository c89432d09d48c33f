//! Replay: the events of a live end point, fed to the state machines as the simulator drives them.

use std::collections::BTreeMap;

use dumbbell_core::{ConfigError, Packet, Stage, Time};
use dumbbell_proto::{Receiver, Sender};
use dumbbell_sim::Plan;

use super::events::{self, Event, Told, What};
use super::receive::receiver;
use super::send::Openings;
use super::{Outgoing, OverUdp};

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
            (OverUdp::of(transport, header).map_err(|_| no_wire())?, None)
        }
        _ => return Err(unclear(0, "the log is of another plan")),
    };
    let packet = |line: usize, told: Told| {
        let read = transport.read(told.arrival());
        read.map(|read| read.packet).ok_or_else(|| unclear(line, "this is no packet of the transport"))
    };
    let only_simulated = |line: usize, at: Time, packet: &Packet| {
        format!("line {}: at {at} only the simulator sends {}", line + 1, transport.text(packet))
    };
    // The driver asks an end until it has nothing more to say. A receiver is asked at once; a sender may wait for room.
    let unsaid = |line: usize, machine: &mut Machine, last: Time| match machine {
        Machine::Receiver(receiver) => receiver.pull(last).map(|packet| only_simulated(line, last, &packet)),
        Machine::Sender(_) => None,
    };
    // With the time of the last event of each, and its number on the wire.
    let mut machines: BTreeMap<u32, (Machine, Time, u32)> = BTreeMap::new();
    let mut found = Replayed::default();
    for (number, line) in lines {
        let Some((now, flow, event)) = events::parse(line) else {
            return Err(unclear(number, "this is no event"));
        };
        found.events += 1;
        if let Event::Open { mtu, class, number: on_wire } = event {
            let machine = match &mut openings {
                None => Machine::Receiver(Box::new(receiver(&transport, flow, mtu, class))),
                Some(openings) => {
                    let opened = openings.open(mtu);
                    let Some((_, _, sender)) = opened else {
                        return Err(unclear(number, "the plan has no such flow"));
                    };
                    Machine::Sender(Box::new(sender))
                }
            };
            machines.insert(flow, (machine, now, on_wire));
            found.flows += 1;
            continue;
        }
        let Some((machine, last, on_wire)) = machines.get_mut(&flow) else {
            return Err(unclear(number, "the flow was never opened"));
        };
        if !matches!(event, Event::Left(_))
            && let Some(packet) = unsaid(number, machine, *last)
        {
            found.difference = Some(packet);
            return Ok(found);
        }
        *last = now;
        match event {
            Event::Open { .. } => {}
            Event::Wake => machine.stage().wake(now),
            Event::Came(came) => {
                let packet = packet(number, came)?;
                machine.stage().push(now, &packet);
            }
            Event::Dry => {
                if let Some(packet) = machine.stage().pull(now) {
                    found.difference = Some(only_simulated(number, now, &packet));
                    return Ok(found);
                }
            }
            Event::Left(left) => {
                found.packets += 1;
                let pulled = machine.stage().pull(now);
                let expected = pulled.map(|packet| transport.write(&packet, *on_wire));
                if expected.as_ref().map(Outgoing::arrival) != Some(left.arrival()) {
                    let expected = pulled.map_or_else(|| "nothing".to_owned(), |p| transport.text(&p));
                    let left = transport.text(&packet(number, left)?);
                    found.difference =
                        Some(format!("line {}: {left} left, {expected} by the simulator", number + 1));
                    return Ok(found);
                }
            }
        }
    }
    let end = text.lines().count();
    found.difference = machines.values_mut().find_map(|(machine, last, _)| unsaid(end, machine, *last));
    Ok(found)
}
