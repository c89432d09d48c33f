//! Replay: the events of a live end point, fed to the state machines as the simulator drives them.

use std::collections::HashMap;
use std::sync::Arc;

use dumbbell_core::{ConfigError, Ecn, Header, Packet, Stage, Time};
use dumbbell_header::RcpHeader;
use dumbbell_proto::transport::Transport;
use dumbbell_proto::{Opening, rcp};
use dumbbell_sim::Plan;

use super::events::{self, Event, What};
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
    Sender(Box<rcp::Sender>),
    Receiver(Box<rcp::Receiver>),
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
    let mut make: Box<dyn FnMut(u32) -> Option<Machine> + '_> = match (&head, plan) {
        (Some(What::Send { mtu, header, plan: hash }), Some(plan)) if *hash == plan.hash => {
            let mut openings = Openings::new(plan, *mtu, *header)?;
            Box::new(move |_| {
                let (_, params, opening) = openings.open()?;
                Some(Machine::Sender(Box::new(params.open(opening).0)))
            })
        }
        (Some(What::Send { .. }), _) => return Err(unclear(0, "the log is of another plan")),
        (Some(What::Receive { header }), _) => {
            let params = Arc::new(rcp::Params { header: *header, ..Default::default() });
            Box::new(move |flow| {
                let rng = dumbbell_core::rng::stream(0, "receiver");
                let opening = Opening {
                    flow: flow.into(),
                    size: None,
                    mtu: u32::MAX,
                    access: None,
                    rng,
                    replay: None,
                    granted: None,
                    application: None,
                    reader: None,
                };
                Some(Machine::Receiver(Box::new(params.open(opening).1)))
            })
        }
        (None, _) => return Err(unclear(0, "this is no log of an end point")),
    };
    let (Some(What::Send { header, .. }) | Some(What::Receive { header })) = head else { unreachable!() };

    let mut machines: HashMap<u32, Machine> = HashMap::new();
    let mut found = Replayed::default();
    for (number, line) in lines {
        let Some((now, flow, event)) = events::parse(line) else {
            return Err(unclear(number, "this is no event"));
        };
        found.events += 1;
        if let Event::Open { number: on_wire } = event {
            let Some(machine) = make(on_wire) else {
                return Err(unclear(number, "the plan has no such flow"));
            };
            machines.insert(flow, machine);
            found.flows += 1;
            continue;
        }
        let Some(machine) = machines.get_mut(&flow) else {
            return Err(unclear(number, "the flow was never opened"));
        };
        match event {
            Event::Open { .. } => {}
            Event::Wake => machine.stage().wake(now),
            Event::Came { header: came, payload } => {
                machine
                    .stage()
                    .push(now, &Packet::of(came, flow, header.saturating_add(payload), Ecn::NotEct));
            }
            Event::Left { header: left, payload } => {
                found.packets += 1;
                let packet = machine.stage().pull(now);
                let same = packet.as_ref().is_some_and(|packet| {
                    (header_of(packet), packet.size) == (left, header.saturating_add(payload))
                });
                if !same {
                    let expected = packet.as_ref().map(header_of);
                    found.difference =
                        Some(format!("line {}: {left:?} left, {expected:?} by the simulator", number + 1));
                    return Ok(found);
                }
            }
        }
        // What answers at once has nothing more to say; a sender may have, and say it when its driver asks.
        if let (Machine::Receiver(receiver), Event::Left { .. }) = (&mut *machine, event)
            && let Some(packet) = receiver.pull(now)
        {
            found.difference = Some(unsaid(number, now, &packet));
            return Ok(found);
        }
    }
    Ok(found)
}

fn header_of(packet: &Packet) -> RcpHeader {
    RcpHeader::unpack(&packet.words())
}

fn unsaid(line: usize, now: Time, packet: &Packet) -> String {
    format!("line {}: at {now} only the simulator sends {:?}", line + 1, header_of(packet))
}
