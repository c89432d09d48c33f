//! Captures that Wireshark and its like read: pcapng (draft-ietf-opsawg-pcapng).

mod blocks;

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, Write};

use dumbbell_core::{Time, Way};

use self::blocks::Captured;
use crate::event::{Content, Event, Flow, Happened, Network, Seen, What};
use crate::fields::{Feedback, Fields};
use crate::sink::Sink;
use crate::wire;

/// Packets held back until it is known what became of them; when there are more, the oldest are written without.
const MOST_HELD: usize = 1 << 18;

/// Said once, at the front of a capture of simulated packets.
const NOTES: &str = "Simulated packets: payload is zeros and not in the file. Time zero is the start of the run. \
                     Initial sequence numbers are 0; timestamps count milliseconds. The simulator counts no options \
                     of SYN, and shorter headers for RCP and TRUMP: such packets are longer here. Comments say where \
                     a packet was dropped or marked.";

/// Where packets are captured.
///
/// One place a packet: a viewer takes the second sight of a packet for a retransmission.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Capture {
    /// At the sources of flows: data as it is sent, and what comes back.
    #[default]
    Sources,
    /// At the destinations of flows: data that arrives, and acknowledgements as they are sent.
    Destinations,
    /// At these links, as packets arrive there, before the queue.
    Links(Vec<u32>),
}

/// Writes packets as a capture. The interfaces are named like the nodes or links where the packets were captured. What
/// happened to a packet afterwards, such as a drop and its reason, is a comment on it.
pub struct Pcapng<W> {
    out: W,
    capture: Capture,
    /// Node or link to interface.
    interfaces: HashMap<u32, u32>,
    named: HashSet<u32>,
    /// Packets in the order of time, the first of which has the number `first` among all captured.
    held: VecDeque<(bool, Captured)>,
    first: u64,
    /// By the number of the packet: where it is in `held`, counted from the first captured.
    places: HashMap<u64, u64>,
}

impl<W: Write> Pcapng<W> {
    /// A capture that goes to `out`.
    pub fn new(out: W, capture: Capture) -> Pcapng<W> {
        Pcapng {
            out,
            capture,
            interfaces: HashMap::new(),
            named: HashSet::new(),
            held: VecDeque::new(),
            first: 0,
            places: HashMap::new(),
        }
    }

    /// The node or link where the packet is captured now, and whether it leaves there.
    fn place(&self, flow: &Flow, happened: Happened, way: Way) -> Option<(u32, bool)> {
        match (&self.capture, happened, way) {
            (Capture::Sources, Happened::Sent, Way::Forward) => Some((flow.source, true)),
            (Capture::Sources, Happened::Returned, _) => Some((flow.source, false)),
            (Capture::Destinations, Happened::Sent, Way::Reverse) => Some((flow.destination, true)),
            (Capture::Destinations, Happened::Delivered, _) => Some((flow.destination, false)),
            (Capture::Links(links), Happened::Arrived(link), _) => {
                links.contains(&link).then_some((link, true))
            }
            _ => None,
        }
    }

    /// The interface of a node or link; it is described before its first packet.
    fn interface(&mut self, network: &Network, place: u32) -> io::Result<u32> {
        if let Some(interface) = self.interfaces.get(&place) {
            return Ok(*interface);
        }
        let (name, description) = match &self.capture {
            Capture::Links(_) => {
                let link = &network.links[place as usize];
                let node = |index: u32| network.nodes.get(index as usize).map_or("?", String::as_str);
                (
                    link.name.clone(),
                    format!("link from {} to {}, before its queue", node(link.from), node(link.to)),
                )
            }
            _ => (network.nodes.get(place as usize).cloned().unwrap_or_default(), "node".to_owned()),
        };
        blocks::interface(&mut self.out, &name, &description)?;
        let interface = self.interfaces.len() as u32;
        self.interfaces.insert(place, interface);
        Ok(interface)
    }

    /// Names the nodes at the ends of a flow.
    fn name(&mut self, network: &Network, flow: &Flow) -> io::Result<()> {
        for node in [flow.source, flow.destination] {
            if self.named.insert(node)
                && let Some(name) = network.nodes.get(node as usize)
            {
                blocks::name(&mut self.out, wire::address(node), name)?;
            }
        }
        Ok(())
    }

    fn capture(
        &mut self,
        network: &Network,
        event: &Event<'_>,
        seen: &Seen<'_>,
        at: (u32, bool),
    ) -> io::Result<()> {
        let interface = self.interface(network, at.0)?;
        let (bytes, length) = match seen.content {
            Content::Real(bytes) => (bytes.to_vec(), bytes.len()),
            Content::Simulated(packet) => {
                self.name(network, event.flow)?;
                let wire = wire::packet(network, event.flow, seen, packet);
                (wire.bytes, wire.length)
            }
        };
        let captured = Captured {
            interface,
            time: network.epoch.saturating_add(event.time.as_nanos()),
            number: seen.number,
            outbound: at.1,
            bytes,
            length: length as u32,
            comments: exchanged(seen.fields),
        };
        let here = self.first + self.held.len() as u64;
        if let Some(before) = self.places.insert(seen.number, here) {
            // What happens from now on is told at the later of two links.
            self.held[(before - self.first) as usize].0 = true;
        }
        self.held.push_back((false, captured));
        if self.held.len() > MOST_HELD {
            self.held[0].0 = true;
        }
        Ok(())
    }

    /// Writes what nothing more can happen to.
    fn release(&mut self, all: bool) -> io::Result<()> {
        while let Some((_, packet)) = self.held.pop_front_if(|(done, _)| *done || all) {
            if self.places.get(&packet.number) == Some(&self.first) {
                self.places.remove(&packet.number);
            }
            self.first += 1;
            blocks::packet(&mut self.out, &packet)?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for Pcapng<W> {
    fn begin(&mut self, network: &Network) -> io::Result<()> {
        let notes = if network.epoch == 0 { NOTES } else { "Real packets, as an emulator carried them." };
        blocks::section(&mut self.out, concat!("dumbbell ", env!("CARGO_PKG_VERSION")), notes)
    }

    fn event(&mut self, network: &Network, event: &Event<'_>) -> io::Result<()> {
        let What::Packet(happened, seen) = event.what else { return Ok(()) };
        if let Some(at) = self.place(event.flow, happened, seen.way) {
            self.capture(network, event, seen, at)?;
        }
        let Some(place) = self.places.get(&seen.number) else { return Ok(()) };
        let (done, captured) = &mut self.held[(place - self.first) as usize];
        *done |= happened.is_last();
        if let Some(fate) = fate(network, event.time, happened, captured.time.saturating_sub(network.epoch)) {
            captured.comments.push(fate);
        }
        self.release(false)
    }

    fn end(&mut self, _network: &Network, _now: Time) -> io::Result<()> {
        self.release(true)?;
        self.out.flush()
    }
}

/// What happened to a packet, worth a comment, and how long after it was captured.
fn fate(network: &Network, now: Time, happened: Happened, captured: u64) -> Option<String> {
    let link =
        happened.link().and_then(|link| network.links.get(link as usize)).map_or("?", |link| &link.name);
    let later = now.as_nanos().saturating_sub(captured) as f64 / 1e6;
    match happened {
        Happened::Dropped(_, reason) => {
            Some(format!("dropped at {link} after {later:.3} ms: {}", reason.name()))
        }
        Happened::Marked(_) => Some(format!("marked at {link} after {later:.3} ms")),
        _ => None,
    }
}

/// What rides on TCP and has no form on the wire.
fn exchanged(fields: &Fields) -> Vec<String> {
    let line = fields.feedback.map(|feedback| match feedback {
        Feedback::Ask(xcp) => format!(
            "XCP: packets every {} s, round-trip time {} s, change of rate {} B/s",
            xcp.spacing, xcp.rtt, xcp.delta
        ),
        Feedback::Answer(answer) => format!("answer of routers: {answer}"),
    });
    line.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Packet;
    use dumbbell_header::UdpHeader;

    use super::*;
    use crate::Trace;
    use crate::tests::{Shared, flow, network, written};

    /// A block: its type and its body.
    type Block = (u32, Vec<u8>);

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    /// Takes a file apart, and checks the lengths of its blocks.
    fn blocks(bytes: &[u8]) -> Vec<Block> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let length = word(bytes, at + 4) as usize;
            assert_eq!((length % 4, word(bytes, at + length - 4) as usize), (0, length));
            found.push((word(bytes, at), bytes[at + 8..at + length - 4].to_vec()));
            at += length;
        }
        found
    }

    /// The comments of packets: time in milliseconds, bytes kept, bytes on the wire, comments.
    fn packets(bytes: &[u8]) -> Vec<(u64, u32, u32, Vec<String>)> {
        let packet = |(_, body): Block| {
            let time = u64::from(word(&body, 4)) << 32 | u64::from(word(&body, 8));
            let (kept, length) = (word(&body, 12), word(&body, 16));
            let mut at = 20 + (kept as usize).next_multiple_of(4);
            let mut comments = Vec::new();
            while at < body.len() {
                let (code, size) = (word(&body, at) as u16, (word(&body, at) >> 16) as usize);
                if code == 1 {
                    comments.push(String::from_utf8(body[at + 4..at + 4 + size].to_vec()).unwrap());
                }
                at += 4 + size.next_multiple_of(4);
            }
            (time / 1_000_000, kept, length, comments)
        };
        blocks(bytes).into_iter().filter(|(kind, _)| *kind == 6).map(packet).collect()
    }

    #[test]
    fn a_source_sees_what_it_sends_and_gets_and_what_became_of_it() {
        let bytes = written(|out| Box::new(Pcapng::new(out, Capture::Sources)));
        let kinds: Vec<u32> = blocks(&bytes).iter().map(|block| block.0).collect();
        assert_eq!(
            kinds,
            [0x0a0d_0d0a, 1, 4, 4, 6, 6, 6, 6, 6, 6],
            "a section, an interface, names, packets"
        );
        let lost = vec!["dropped at left->right after 0.000 ms: overflow".to_owned()];
        assert_eq!(
            packets(&bytes),
            [
                (0, 60, 60, vec![]),
                (20, 60, 60, vec![]),
                (20, 52, 1500, lost),
                (20, 52, 1500, vec![]),
                (40, 64, 64, vec![]),
                (40, 52, 1500, vec![]),
            ]
        );
    }

    #[test]
    fn destinations_and_links_see_their_part() {
        let at = |capture| packets(&written(|out| Box::new(Pcapng::new(out, capture))));
        let times = |capture| at(capture).iter().map(|packet| packet.0).collect::<Vec<_>>();
        assert_eq!(times(Capture::Destinations), [10, 10, 30, 30, 50]);
        assert_eq!(times(Capture::Links(vec![0])), [20, 20]);
        assert_eq!(times(Capture::Links(vec![1])), [0; 0]);
    }

    #[test]
    fn a_packet_without_an_end_is_held_for_a_while_only() {
        let shared = Shared::default();
        let sink: Box<dyn Sink> = Box::new(Pcapng::new(shared.clone(), Capture::Sources));
        let mut trace = Trace::begin(network(), vec![("memory".to_owned(), sink)]).unwrap();
        trace.opened(Time::ZERO, Flow { connection: None, header: 28, ..flow(0) }).unwrap();
        for number in 0..MOST_HELD as u64 + 10 {
            let packet =
                Packet::of(UdpHeader { number, sent: Time::ZERO }, 0, 100, dumbbell_core::Ecn::NotEct);
            trace.packet(Time::ZERO, 0, Way::Forward, Happened::Sent, Content::Simulated(&packet)).unwrap();
        }
        assert!(packets(&shared.bytes()).len() >= 9, "not all are held");
        trace.end(Time::ZERO).unwrap();
        assert_eq!(packets(&shared.bytes()).len(), MOST_HELD + 10);
    }

    #[test]
    fn names_of_any_characters_keep_the_blocks_whole() {
        let mut network = network();
        network.nodes[0] = "Zürich\0\u{202e}<b>".to_owned();
        network.nodes[1] = String::new();
        network.links[0].name = "ü".repeat(40_000);
        for capture in [Capture::Sources, Capture::Links(vec![0])] {
            let shared = Shared::default();
            let sink: Box<dyn Sink> = Box::new(Pcapng::new(shared.clone(), capture));
            let mut trace = Trace::begin(network.clone(), vec![("memory".to_owned(), sink)]).unwrap();
            crate::tests::tell(&mut trace).unwrap();
            trace.end(Time::ZERO).unwrap();
            assert!(blocks(&shared.bytes()).len() > 3);
        }
    }
}
