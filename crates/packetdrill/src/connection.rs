//! One connection: its handshake, and between segments on the wire and the sender and receiver, which know neither.

use std::collections::BTreeMap;

use dumbbell_core::rng;
use dumbbell_core::{Duration, Ecn, Frame, Packet, Stage, Time};
use dumbbell_header::{SackBlock, TcpHeader, TcpOptions};
use dumbbell_proto::Opening;
use dumbbell_proto::tcp::{HEADER, Handshake, Info, Nagle, Receiver, Sender, TIMESTAMPS};
use dumbbell_proto::transport::{SendEnd, Transport};

use crate::push::{self, Leaves, Written};
use crate::settings::{Agreed, Queue, Settings};
use crate::wire::{Endpoint, Segment, ecn, flag};

/// The initial sequence number: packetdrill learns it.
const ISS: u32 = 0;
/// Largest segment that fits Ethernet (RFC 9293 section 3.7.1).
const MSS: u16 = 1460;
const MTU: u32 = 1500;
/// The timestamp at time zero.
const FIRST_TIMESTAMP: u32 = 100;
/// The time until a SYN or SYN-ACK is sent again (RFC 6298 section 2.1).
const SYN_TIMEOUT: Duration = Duration::from_secs(1);
/// The first window (Linux: 64 KB in whole segments of 1460 bytes).
const WINDOW: u16 = 64_240;

/// Where a connection stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// A SYN was sent.
    SynSent,
    /// A SYN-ACK was sent.
    SynReceived,
    /// Data may be sent.
    Established,
    /// Reset, or given up.
    Dead,
}

/// The two ends behind a connection.
#[derive(Debug)]
struct Ends {
    sender: Sender,
    receiver: Receiver,
}

/// A connection.
#[derive(Debug)]
pub struct Connection {
    pub phase: Phase,
    pub local: Endpoint,
    pub remote: Endpoint,
    /// The initial sequence number of the peer.
    irs: u32,
    agreed: Agreed,
    /// Shift of the peer's windows, if both ends shift.
    peer_scale: Option<u8>,
    scale: u8,
    /// What the SYN offered.
    offered: TcpOptions,
    /// When the SYN or SYN-ACK was sent, how often, and when it is sent again.
    syn_at: Time,
    syns: u32,
    again_at: Time,
    ends: Option<Ends>,
    settings: Settings,
    /// One past the highest number sent.
    highest: u64,
    /// Bytes that the program has written, and the packets in which they leave.
    written: u64,
    packets: Written,
    /// The latest timestamp of the peer.
    echo: u32,
    /// Data that arrived, by number.
    arrived: BTreeMap<u64, Vec<u8>>,
    /// Bytes that the program has read.
    read: u64,
    /// Bytes that arrived in order, the FIN counted.
    next: u64,
    /// The peer's FIN has this number.
    fin: Option<u64>,
    /// What a segment waits for that is not full.
    nagle: Nagle,
    /// The program has ended its stream, after the peer has.
    shut: bool,
    closes_second: bool,
    /// The latest acknowledgement that data carried.
    carried: u64,
    /// What leaves.
    out: Vec<Segment>,
}

impl Connection {
    fn new(phase: Phase, local: Endpoint, remote: Endpoint, settings: Settings, now: Time) -> Connection {
        Connection {
            phase,
            local,
            remote,
            irs: 0,
            agreed: Agreed { mss: u32::from(MSS), sack: true, timestamps: false, ecn: false },
            peer_scale: None,
            scale: settings.scale(),
            offered: TcpOptions::default(),
            syn_at: now,
            syns: 0,
            again_at: now,
            ends: None,
            settings,
            highest: 0,
            written: 0,
            packets: Written::default(),
            echo: 0,
            arrived: BTreeMap::new(),
            read: 0,
            next: 0,
            fin: None,
            nagle: Nagle::Minshall,
            shut: false,
            closes_second: false,
            carried: 0,
            out: Vec::new(),
        }
    }

    /// Opens a connection: a SYN leaves.
    pub fn connect(now: Time, local: Endpoint, remote: Endpoint, settings: Settings) -> Connection {
        let mut connection = Connection::new(Phase::SynSent, local, remote, settings, now);
        let settings = &connection.settings;
        connection.offered = TcpOptions {
            mss: Some(MSS),
            sack_permitted: settings.is_on("tcp_sack"),
            scale: Some(connection.scale),
            timestamps: settings.is_on("tcp_timestamps").then_some((0, 0)),
            ..TcpOptions::default()
        };
        connection.agreed.ecn = settings.number("tcp_ecn", 2) == 1;
        connection.send_syn(now);
        connection
    }

    /// Answers a SYN.
    pub fn accept(now: Time, syn: &Segment, settings: Settings) -> Connection {
        let mut connection = Connection::new(Phase::SynReceived, syn.to, syn.from, settings, now);
        let settings = &connection.settings;
        let wants_ecn = syn.flags & (flag::ECE | flag::CWR) == flag::ECE | flag::CWR;
        connection.agreed.ecn = wants_ecn && settings.number("tcp_ecn", 2) != 0;
        connection.offered = TcpOptions {
            mss: Some(MSS),
            sack_permitted: syn.options.sack_permitted && settings.is_on("tcp_sack"),
            scale: syn.options.scale.map(|_| connection.scale),
            timestamps: syn.options.timestamps.filter(|_| settings.is_on("tcp_timestamps")),
            ..TcpOptions::default()
        };
        connection.agree(syn);
        connection.send_syn(now);
        connection
    }

    /// Both ends have said what they can do.
    fn agree(&mut self, syn: &Segment) {
        self.irs = syn.seq;
        let (mine, theirs) = (&self.offered, &syn.options);
        self.agreed.sack = mine.sack_permitted && theirs.sack_permitted;
        self.agreed.timestamps = mine.timestamps.is_some() && theirs.timestamps.is_some();
        self.peer_scale = theirs.scale.filter(|_| mine.scale.is_some());
        if self.peer_scale.is_none() {
            self.scale = 0;
        }
        // Without the option 536 bytes (RFC 9293 section 3.7.1). Timestamps take of it.
        let mss = u32::from(theirs.mss.unwrap_or(536).clamp(64, MSS));
        self.agreed.mss = mss - if self.agreed.timestamps { TIMESTAMPS } else { 0 };
        self.echo = theirs.timestamps.map_or(0, |t| t.0);
    }

    fn send_syn(&mut self, now: Time) {
        self.syn_at = now;
        self.again_at = now + SYN_TIMEOUT * (1 << self.syns.min(6));
        self.syns += 1;
        let passive = self.phase == Phase::SynReceived;
        let flags = match (passive, self.agreed.ecn) {
            (true, true) => flag::SYN | flag::ACK | flag::ECE,
            (true, false) => flag::SYN | flag::ACK,
            (false, true) => flag::SYN | flag::ECE | flag::CWR,
            (false, false) => flag::SYN,
        };
        let mut options = self.offered.clone();
        options.timestamps = options.timestamps.map(|_| (timestamp(now), self.echo));
        let ack = if passive { self.irs.wrapping_add(1) } else { 0 };
        self.out.push(Segment { seq: ISS, ack, flags, window: WINDOW, options, ..self.blank() });
    }

    fn blank(&self) -> Segment {
        Segment { from: self.local, to: self.remote, ..Segment::default() }
    }

    /// The handshake is over.
    fn establish(&mut self, now: Time, window: u64) -> Result<(), String> {
        let params = self.settings.params(self.agreed)?;
        let opening = Opening {
            flow: 0.into(),
            size: Some(0),
            mtu: MTU,
            access: None,
            rng: rng::stream(1, "packetdrill"),
            replay: None,
            granted: None,
            application: None,
            reader: None,
        };
        let (mut sender, _) = params.open(opening.clone());
        let (_, receiver) = params.open(Opening { size: None, ..opening });
        let rtt = (self.syns == 1).then(|| now.since(self.syn_at));
        sender.set_nagle(self.nagle);
        sender.take_over(&Handshake { rtt, window, scale: self.peer_scale.unwrap_or(0) });
        sender.wake(now);
        self.ends = Some(Ends { sender, receiver });
        self.phase = Phase::Established;
        self.again_at = Time::NEVER;
        Ok(())
    }

    /// A segment has arrived.
    ///
    /// # Errors
    /// What is wrong with a setting.
    pub fn arrive(&mut self, now: Time, segment: &Segment) -> Result<(), String> {
        if segment.has(flag::RST) {
            self.phase = Phase::Dead;
            self.again_at = Time::NEVER;
            return Ok(());
        }
        let scale = self.peer_scale.filter(|_| !segment.has(flag::SYN)).unwrap_or(0);
        self.packets.heard(u64::from(segment.window) << scale);
        match self.phase {
            Phase::SynSent => {
                if segment.has(flag::SYN) && segment.has(flag::ACK) {
                    self.agreed.ecn &= segment.flags & (flag::ECE | flag::CWR) == flag::ECE;
                    self.agree(segment);
                    self.establish(now, u64::from(segment.window))?;
                    self.acknowledge(now);
                }
                return Ok(());
            }
            Phase::SynReceived => {
                if segment.has(flag::SYN) {
                    self.send_syn(now);
                    return Ok(());
                }
                if segment.ack != ISS.wrapping_add(1) {
                    return Ok(());
                }
                let window = u64::from(segment.window) << self.peer_scale.unwrap_or(0);
                self.establish(now, window)?;
                if segment.payload.is_empty() && !segment.has(flag::FIN) {
                    return Ok(());
                }
            }
            Phase::Established => {}
            Phase::Dead => return Ok(()),
        }
        if segment.has(flag::SYN) {
            self.acknowledge(now);
            return Ok(());
        }
        if !segment.has(flag::ACK) {
            // RFC 9293 section 3.10.7.4, fifth check.
            return Ok(());
        }
        if self.acknowledged(segment) > Some(self.highest) {
            // The same; Linux does not answer.
            return Ok(());
        }
        if let Some((value, _)) = segment.options.timestamps {
            self.echo = value;
        }
        self.take_acknowledgement(now, segment);
        self.take_data(now, segment);
        self.drain(now, false);
        let acknowledged = self.ends.as_ref().map_or(0, |ends| ends.sender.acknowledged_to());
        if self.closes_second && acknowledged > self.written {
            // LAST-ACK is over (RFC 9293 section 3.10.7.4).
            self.phase = Phase::Dead;
        }
        Ok(())
    }

    /// The number of the byte that the peer expects; `None` for one before the first.
    fn acknowledged(&self, segment: &Segment) -> Option<u64> {
        let expected = ISS.wrapping_add(1).wrapping_add(self.highest as u32);
        let ahead = segment.ack.wrapping_sub(expected).cast_signed();
        self.highest.checked_add_signed(i64::from(ahead))
    }

    /// What the segment acknowledges goes to the sender.
    fn take_acknowledgement(&mut self, now: Time, segment: &Segment) {
        let Some(number) = self.acknowledged(segment) else { return };
        let Some(ends) = &mut self.ends else { return };
        // Data without news is no duplicate (RFC 5681 section 2).
        let data = !segment.payload.is_empty() && segment.options.sack.is_empty();
        if data && number == ends.sender.acknowledged_to() {
            return;
        }
        let mut sack = [SackBlock::default(); 3];
        for (block, (start, end)) in sack.iter_mut().zip(&segment.options.sack) {
            let offset = |edge: &u32| edge.wrapping_sub(segment.ack);
            *block = SackBlock { start: offset(start), end: offset(end) };
        }
        let echoed = segment.options.timestamps.map_or(0, |t| t.1.wrapping_sub(FIRST_TIMESTAMP));
        let header = TcpHeader {
            flags: TcpHeader::ACK | if self.agreed.ecn { segment.flags & flag::ECE } else { 0 },
            window: segment.window,
            number,
            timestamp: Duration::from_millis(u64::from(echoed)).as_nanos(),
            sack,
        };
        ends.sender.push(now, &Packet::of(header, 0, HEADER as u16, Ecn::NotEct));
        self.packets.forget(ends.sender.acknowledged_to());
    }

    /// Data and FIN go to the receiver. To it a FIN is one more byte.
    fn take_data(&mut self, now: Time, segment: &Segment) {
        let Some(ends) = &mut self.ends else { return };
        let fin = u64::from(segment.has(flag::FIN));
        let len = segment.payload.len() as u64 + fin;
        let expected = self.irs.wrapping_add(1).wrapping_add(self.next as u32);
        let ahead = i64::from(segment.seq.wrapping_sub(expected).cast_signed());
        let Ok(number) = u64::try_from(self.next.cast_signed() + ahead) else { return };
        if len == 0 {
            return;
        }
        if fin > 0 {
            self.fin = Some(number + len - 1);
        }
        let header = TcpHeader {
            flags: TcpHeader::ACK | segment.flags & flag::CWR,
            number,
            timestamp: segment.options.timestamps.map_or(0, |t| u64::from(t.0)),
            ..TcpHeader::default()
        };
        let own = HEADER + if self.agreed.timestamps { TIMESTAMPS } else { 0 };
        let mark = if segment.ecn == ecn::CE { Ecn::Ce } else { Ecn::NotEct };
        ends.receiver.push(now, &Packet::of(header, 0, (u64::from(own) + len) as u16, mark));
        if !segment.payload.is_empty() {
            self.arrived.entry(number).or_insert_with(|| segment.payload.clone());
        }
        self.next = ends.receiver.next();
        if self.fin.is_some_and(|fin| self.next > fin) && fin > 0 {
            // At once (RFC 9293 section 3.10.7.4), and but once.
            ends.receiver.pull(now);
            self.acknowledge(now);
        }
    }

    /// An acknowledgement without data leaves.
    fn acknowledge(&mut self, now: Time) {
        self.carried = self.next;
        let segment = self.bare(now, self.next, Vec::new());
        self.out.push(segment);
    }

    fn bare(&self, now: Time, next: u64, sack: Vec<(u32, u32)>) -> Segment {
        Segment {
            seq: ISS.wrapping_add(1).wrapping_add(self.highest as u32),
            ack: self.irs.wrapping_add(1).wrapping_add(next as u32),
            flags: flag::ACK,
            window: WINDOW >> self.scale,
            options: TcpOptions { timestamps: self.stamps(now), sack, ..TcpOptions::default() },
            ..self.blank()
        }
    }

    fn stamps(&self, now: Time) -> Option<(u32, u32)> {
        self.agreed.timestamps.then(|| (timestamp(now), self.echo))
    }

    /// Takes all that the two ends have to send. `late` if a timer has run out.
    fn drain(&mut self, now: Time, late: bool) {
        self.drain_receiver(now, late);
        self.drain_sender(now, usize::MAX);
    }

    fn drain_receiver(&mut self, now: Time, late: bool) {
        while let Some(packet) = self.ends.as_mut().and_then(|ends| ends.receiver.pull(now)) {
            let Some(header) = packet.read::<TcpHeader>() else { continue };
            // Data has carried it meanwhile.
            if late && self.carried >= header.number {
                continue;
            }
            let place = self.irs.wrapping_add(1).wrapping_add(header.number as u32);
            let blocks = header.sack.iter().filter(|b| **b != SackBlock::default());
            let sack = blocks.map(|b| (place.wrapping_add(b.start), place.wrapping_add(b.end))).collect();
            let mut segment = self.bare(now, header.number, sack);
            segment.flags |= header.flags & TcpHeader::ECE;
            self.out.push(segment);
        }
    }

    /// Takes up to `most` segments that the sender has to send.
    fn drain_sender(&mut self, now: Time, most: usize) {
        let Some(ends) = &mut self.ends else { return };
        if self.settings.queue() == Queue::Closed {
            // What cannot be sent stays with the sender.
            return;
        }
        let own = HEADER + if self.agreed.timestamps { TIMESTAMPS } else { 0 };
        let mut places = Vec::new();
        let first = self.out.len();
        while places.len() < most
            && let Some(packet) = ends.sender.pull(now)
        {
            let Some(header) = packet.read::<TcpHeader>() else { continue };
            let len = u32::from(packet.size).saturating_sub(own);
            let end = header.number + u64::from(len);
            let after = end + u64::from(header.has(TcpHeader::FIN));
            places.push(end);
            self.highest = self.highest.max(after);
            self.out.push(Segment {
                from: self.local,
                to: self.remote,
                seq: ISS.wrapping_add(1).wrapping_add(header.number as u32),
                ack: self.irs.wrapping_add(1).wrapping_add(self.next as u32),
                flags: header.flags & (flag::FIN | flag::ACK | flag::ECE | flag::CWR),
                window: WINDOW >> self.scale,
                ecn: if packet.ecn == Ecn::Ect0 { ecn::ECT0 } else { 0 },
                options: TcpOptions {
                    timestamps: self.agreed.timestamps.then(|| (timestamp(now), self.echo)),
                    ..TcpOptions::default()
                },
                payload: vec![0; len as usize],
            });
        }
        if places.is_empty() {
            return;
        }
        self.carried = self.next;
        let mut leaving: Vec<_> = places.into_iter().zip(&mut self.out[first..]).collect();
        self.packets.mark(&mut leaving, push::group(&ends.sender.info(), &self.settings));
        if self.settings.masks_push() {
            self.out[first..].iter_mut().for_each(|s| s.flags &= !flag::PSH);
        }
    }

    /// The program writes.
    pub fn write(&mut self, now: Time, bytes: u64) {
        self.written += bytes;
        let mut left = bytes;
        while left > 0 {
            let Some(ends) = &mut self.ends else { return };
            let info = ends.sender.info();
            let (copied, leaves) = self.packets.copy(left, info.mss.into(), left == bytes);
            left -= copied;
            ends.sender.write(copied);
            ends.sender.wake(now);
            match leaves {
                Leaves::All => self.drain(now, false),
                Leaves::One => self.drain_sender(now, push::group(&info, &self.settings) as usize),
                Leaves::Nothing => {}
            }
        }
    }

    /// True if the program has ended its stream.
    pub fn is_shut(&self) -> bool {
        self.shut
    }

    /// The program closes altogether. What it has not read is lost, and the peer is told so (RFC 2525 section 2.17).
    pub fn abandon(&mut self, now: Time) {
        if self.phase == Phase::Established && self.readable() == 0 {
            return self.close(now);
        }
        if self.phase == Phase::Established {
            let mut reset = self.bare(now, self.next, Vec::new());
            reset.flags |= flag::RST;
            self.out.push(reset);
        }
        self.phase = Phase::Dead;
        self.again_at = Time::NEVER;
    }

    /// The program ends its stream.
    pub fn close(&mut self, now: Time) {
        self.closes_second |= !self.shut && self.is_ended();
        self.shut = true;
        if let Some(ends) = &mut self.ends {
            ends.sender.close();
            ends.sender.wake(now);
            self.drain(now, false);
        }
    }

    /// Bytes that wait to be read.
    pub fn readable(&self) -> u64 {
        self.fin.map_or(self.next, |fin| self.next.min(fin)) - self.read
    }

    /// True if the peer will send nothing more.
    pub fn is_ended(&self) -> bool {
        self.phase == Phase::Dead || self.fin.is_some_and(|fin| self.next > fin)
    }

    /// The program reads at most `most` bytes; with `peek` they stay.
    pub fn read(&mut self, most: usize, peek: bool) -> Vec<u8> {
        let from = self.read;
        let end = from + self.readable().min(most as u64);
        let mut bytes = vec![0; (end - from) as usize];
        for (&number, data) in self.arrived.range(..end) {
            let (first, last) = (number.max(from), (number + data.len() as u64).min(end));
            if first < last {
                let data = &data[(first - number) as usize..(last - number) as usize];
                bytes[(first - from) as usize..(last - from) as usize].copy_from_slice(data);
            }
        }
        if !peek {
            self.read = end;
            self.arrived.retain(|number, data| number + data.len() as u64 > end);
        }
        bytes
    }

    /// When something is due next.
    pub fn wake_at(&self) -> Time {
        let ends = self.ends.as_ref().filter(|_| self.phase == Phase::Established);
        ends.map_or(self.again_at, |e| e.sender.wake_at().min(e.receiver.wake_at()))
    }

    /// Does what is due.
    pub fn wake(&mut self, now: Time) {
        match self.phase {
            Phase::SynSent | Phase::SynReceived if now >= self.again_at => self.send_syn(now),
            Phase::Established => {
                if let Some(ends) = &mut self.ends {
                    ends.sender.wake(now);
                    ends.receiver.wake(now);
                }
                self.drain(now, true);
            }
            _ => {}
        }
    }

    /// Takes the segments that leave.
    pub fn take_out(&mut self) -> Vec<Segment> {
        std::mem::take(&mut self.out)
    }

    /// The state of the sender, once there is one.
    pub fn info(&self) -> Option<Info> {
        self.ends.as_ref().map(|ends| ends.sender.info())
    }

    /// Bytes written that are not acknowledged.
    pub fn unacknowledged(&self) -> u64 {
        self.ends.as_ref().map_or(0, |ends| self.written.saturating_sub(ends.sender.acknowledged_to()))
    }

    /// What the two ends have agreed on.
    pub fn agreed(&self) -> Agreed {
        self.agreed
    }

    /// The shifts of the windows, of the peer and its own.
    pub fn scales(&self) -> (u8, u8) {
        (self.peer_scale.unwrap_or(0), self.scale)
    }

    /// Sends small segments at once from now on, or not any more: TCP_NODELAY.
    pub fn set_nodelay(&mut self, now: Time, on: bool) {
        self.nagle = if on { Nagle::Off } else { Nagle::Minshall };
        if let Some(ends) = &mut self.ends {
            ends.sender.set_nagle(self.nagle);
            self.drain(now, false);
        }
    }

    /// Follows settings that have changed since.
    pub fn follow(&mut self, settings: &Settings) {
        self.settings = settings.clone();
    }
}

/// The clock of timestamps: milliseconds.
fn timestamp(now: Time) -> u32 {
    FIRST_TIMESTAMP.wrapping_add((now.as_nanos() / 1_000_000) as u32)
}
