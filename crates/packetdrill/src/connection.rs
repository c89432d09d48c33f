//! One connection: its handshake, and between segments on the wire and the sender and receiver, which know neither.

mod program;

use dumbbell_core::rng;
use dumbbell_core::{Duration, Ecn, Frame, Packet, Stage, Time};
use dumbbell_header::{SackBlock, TcpHeader, TcpOptions};
use dumbbell_proto::Opening;
use dumbbell_proto::tcp::{HEADER, Handshake, Nagle, Pressure, Receiver, Sender, TIMESTAMPS};
use dumbbell_proto::transport::{SendEnd, Transport};

use crate::accurate::{self, Accurate, Feedback};
use crate::inbox::Inbox;
use crate::messages::Errors;
use crate::push::{self, Written};
use crate::room::{Fit, Room};
use crate::settings::{Agreed, Queue, Settings};
use crate::stream::Stream;
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
/// The window of the receiver below, which is never the limit: that is the buffer's.
const UNLIMITED: &str = "1GiB";

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

/// What a program has set before there is a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// The largest segment: TCP_MAXSEG.
    pub segment: Option<u16>,
    /// The receive buffer, doubled: SO_RCVBUF.
    pub buffer: Option<u32>,
    /// Differentiated services: the upper bits of IP_TOS.
    pub dscp: u8,
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
    /// The window of the SYN or SYN-ACK.
    window: u16,
    /// What the SYN offered.
    offered: TcpOptions,
    /// When the SYN or SYN-ACK was sent, how often, and when it is sent again.
    syn_at: Time,
    syns: u32,
    again_at: Time,
    ends: Option<Ends>,
    settings: Settings,
    asked: Asked,
    /// One past the highest number sent.
    highest: u64,
    /// What the program has written, and the packets in which it leaves.
    stream: Stream,
    packets: Written,
    /// When the rest of a segment leaves that waits for more.
    flush_at: Time,
    /// The reports of writes that the program asked for.
    errors: Errors,
    /// The latest timestamp of the peer.
    echo: u32,
    /// What has arrived.
    inbox: Inbox,
    /// What the two ends tell each other of marks, and how the SYN arrived.
    accurate: Accurate,
    reflected: u8,
    /// What a segment waits for that is not full.
    nagle: Nagle,
    /// The program has ended its stream, after the peer has.
    shut: bool,
    /// The sender knows that.
    closing: bool,
    closes_second: bool,
    /// The latest acknowledgement that data carried.
    carried: u64,
    /// Events that somebody may wait for: bits of epoll(7).
    news: u32,
    /// What leaves.
    out: Vec<Segment>,
}

impl Connection {
    fn new(
        phase: Phase,
        (local, remote): (Endpoint, Endpoint),
        settings: Settings,
        asked: Asked,
        now: Time,
    ) -> Connection {
        let room = Room::new(&settings, asked.buffer);
        let accurate = Accurate::new(settings.number("tcp_ecn_option", 2) != 0);
        Connection {
            phase,
            local,
            remote,
            irs: 0,
            agreed: Agreed { mss: u32::from(MSS), sack: true, timestamps: false, ecn: Feedback::Off },
            peer_scale: None,
            scale: 0,
            window: 0,
            offered: TcpOptions::default(),
            syn_at: now,
            syns: 0,
            again_at: now,
            ends: None,
            settings,
            asked,
            highest: 0,
            stream: Stream::default(),
            packets: Written::default(),
            flush_at: Time::NEVER,
            errors: Errors::default(),
            echo: 0,
            inbox: Inbox::new(room),
            accurate,
            reflected: 0,
            nagle: Nagle::Minshall,
            shut: false,
            closing: false,
            closes_second: false,
            carried: 0,
            news: 0,
            out: Vec::new(),
        }
    }

    /// The largest segment that this end takes.
    fn largest(&self) -> u16 {
        self.asked.segment.map_or(MSS, |segment| segment.min(MSS))
    }

    /// Opens a connection: a SYN leaves.
    pub fn connect(
        now: Time,
        local: Endpoint,
        remote: Endpoint,
        settings: Settings,
        asked: Asked,
    ) -> Connection {
        let mut connection = Connection::new(Phase::SynSent, (local, remote), settings, asked, now);
        let scales = connection.settings.is_on("tcp_window_scaling");
        let mss = connection.largest();
        connection.window = connection.inbox.room.open(mss.into(), scales);
        connection.scale = connection.inbox.room.scale;
        let settings = &connection.settings;
        connection.offered = TcpOptions {
            mss: Some(mss),
            sack_permitted: settings.is_on("tcp_sack"),
            scale: scales.then_some(connection.scale),
            timestamps: settings.is_on("tcp_timestamps").then_some((0, 0)),
            ..TcpOptions::default()
        };
        connection.agreed.ecn = Feedback::asked(settings.number("tcp_ecn", 2));
        connection.send_syn(now);
        connection
    }

    /// Answers a SYN.
    pub fn accept(now: Time, syn: &Segment, settings: Settings, asked: Asked) -> Connection {
        let mut connection = Connection::new(Phase::SynReceived, (syn.to, syn.from), settings, asked, now);
        let settings = &connection.settings;
        connection.agreed.ecn = Feedback::granted(settings.number("tcp_ecn", 2), syn);
        let counters = (connection.agreed.ecn == Feedback::Accurate).then(|| {
            connection.accurate.arrived(syn);
            connection.reflected = accurate::reflected(syn);
            connection.accurate.counters(true)
        });
        let scales = syn.options.scale.is_some() && settings.is_on("tcp_window_scaling");
        let timestamps = syn.options.timestamps.filter(|_| settings.is_on("tcp_timestamps"));
        let sack_permitted = syn.options.sack_permitted && settings.is_on("tcp_sack");
        let mss = connection.largest();
        let payload = u32::from(mss) - if timestamps.is_some() { TIMESTAMPS } else { 0 };
        connection.window = connection.inbox.room.open(payload, scales);
        connection.scale = connection.inbox.room.scale;
        let scale = scales.then_some(connection.scale);
        connection.offered =
            TcpOptions { mss: Some(mss), sack_permitted, scale, timestamps, ..TcpOptions::default() };
        connection.offered.counters = counters.flatten();
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
            self.inbox.room.unscaled();
        }
        // Without the option 536 bytes (RFC 9293 section 3.7.1). Timestamps take of it.
        let mss = u32::from(theirs.mss.unwrap_or(536).clamp(64, self.largest().max(64)));
        self.agreed.mss = mss - if self.agreed.timestamps { TIMESTAMPS } else { 0 };
        self.echo = theirs.timestamps.map_or(0, |t| t.0);
    }

    fn send_syn(&mut self, now: Time) {
        self.syn_at = now;
        let timeout = SYN_TIMEOUT * (1 << self.syns.min(6));
        self.again_at = now + timeout.min(self.settings.longest_timeout());
        self.syns += 1;
        let passive = self.phase == Phase::SynReceived;
        let flags = if passive { flag::SYN | flag::ACK } else { flag::SYN };
        let field = match (passive, self.agreed.ecn) {
            (_, Feedback::Off) => 0,
            (true, Feedback::Classic) => 1,
            (false, Feedback::Classic) => 3,
            (true, Feedback::Accurate) => self.reflected,
            (false, Feedback::Accurate) => 7,
        };
        let mut options = self.offered.clone();
        options.timestamps = options.timestamps.map(|_| (timestamp(now), self.echo));
        let ack = if passive { self.irs.wrapping_add(1) } else { 0 };
        if self.syns > 1 {
            // A middlebox may have dropped the first for its option (RFC 9768 section 3.2.3.2.2).
            options.counters = None;
        }
        let mut segment = Segment { seq: ISS, ack, flags, window: self.window, options, ..self.blank() };
        segment.set_field(field);
        self.out.push(segment);
    }

    fn blank(&self) -> Segment {
        Segment { from: self.local, to: self.remote, dscp: self.asked.dscp, ..Segment::default() }
    }

    /// The handshake is over.
    fn establish(&mut self, now: Time, window: u64) -> Result<(), String> {
        let params = self.settings.params(self.agreed, UNLIMITED)?;
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
        self.inbox.room.establish(now, self.agreed.mss);
        self.inbox.latest = now;
        self.news |= libc::EPOLLOUT as u32;
        Ok(())
    }

    /// A segment has arrived.
    ///
    /// # Errors
    /// What is wrong with a setting.
    pub fn arrive(&mut self, now: Time, segment: &Segment) -> Result<(), String> {
        if segment.has(flag::RST) {
            self.die();
            return Ok(());
        }
        let scale = self.peer_scale.filter(|_| !segment.has(flag::SYN)).unwrap_or(0);
        self.packets.heard(u64::from(segment.window) << scale);
        let mut first = false;
        match self.phase {
            Phase::SynSent => {
                if segment.has(flag::SYN) && segment.has(flag::ACK) {
                    self.agreed.ecn = self.agreed.ecn.agreed(segment);
                    self.agree(segment);
                    self.establish(now, u64::from(segment.window))?;
                    self.accurate.arrived(segment);
                    self.acknowledge(now);
                    if self.agreed.ecn == Feedback::Accurate
                        && let Some(last) = self.out.last_mut()
                    {
                        last.set_field(accurate::reflected(segment));
                    }
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
                self.accurate.arrived(segment);
                first = true;
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
        if !first {
            self.accurate.arrived(segment);
        }
        self.take_acknowledgement(now, segment, first);
        self.take_data(now, segment);
        self.stream.release();
        self.drain(now, false);
        if self.closes_second && self.acknowledged_to() > self.stream.written {
            // LAST-ACK is over (RFC 9293 section 3.10.7.4).
            self.phase = Phase::Dead;
        }
        Ok(())
    }

    /// There is no connection any more.
    fn die(&mut self) {
        self.phase = Phase::Dead;
        self.again_at = Time::NEVER;
        self.flush_at = Time::NEVER;
        self.news |= (libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLERR | libc::EPOLLHUP) as u32;
    }

    /// Everything below this number is acknowledged.
    fn acknowledged_to(&self) -> u64 {
        self.ends.as_ref().map_or(0, |ends| ends.sender.acknowledged_to())
    }

    /// The number of the byte that the peer expects; `None` for one before the first.
    fn acknowledged(&self, segment: &Segment) -> Option<u64> {
        let expected = ISS.wrapping_add(1).wrapping_add(self.highest as u32);
        let ahead = segment.ack.wrapping_sub(expected).cast_signed();
        self.highest.checked_add_signed(i64::from(ahead))
    }

    /// What the segment acknowledges goes to the sender. The first tells how the SYN-ACK arrived, not how many marks there were.
    fn take_acknowledgement(&mut self, now: Time, segment: &Segment, first: bool) {
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
            flags: TcpHeader::ACK
                | if self.agreed.ecn == Feedback::Classic { segment.flags & flag::ECE } else { 0 },
            window: segment.window,
            number,
            timestamp: Duration::from_millis(u64::from(echoed)).as_nanos(),
            sack,
        };
        let mut packet = Packet::of(header, 0, HEADER as u16, Ecn::NotEct);
        if self.agreed.ecn == Feedback::Accurate {
            // Linux net/ipv4/tcp_input.c: what makes no progress is not looked at (__tcp_accecn_process).
            let news = number > ends.sender.acknowledged_to() || !segment.options.sack.is_empty();
            self.accurate.tell(segment, news && !first, &mut packet);
        }
        ends.sender.push(now, &packet);
        self.packets.forget(ends.sender.acknowledged_to());
    }

    /// Data and FIN go to the receiver. To it a FIN is one more byte.
    fn take_data(&mut self, now: Time, segment: &Segment) {
        let fin = u64::from(segment.has(flag::FIN));
        let len = segment.payload.len() as u64 + fin;
        let next = self.inbox.next;
        let expected = self.irs.wrapping_add(1).wrapping_add(next as u32);
        let ahead = i64::from(segment.seq.wrapping_sub(expected).cast_signed());
        let Ok(number) = u64::try_from(next.cast_signed() + ahead) else { return };
        if len == 0 || self.ends.is_none() {
            return;
        }
        let end = number + len;
        let fits = self.inbox.fit(number, end, fin > 0) == Fit::Fits;
        let Some(ends) = &mut self.ends else { return };
        if !fits {
            return ends.receiver.turn_away(number);
        }
        let new = !ends.receiver.holds(number, end);
        // As many segments as the peer would have made of it.
        let most = self.settings.number("mss", len).min(len) as u32;
        let grew = self.inbox.keep(now, number, segment, most, new);
        let room = &mut self.inbox.room;
        let in_order = number <= next && end > next;
        ends.receiver.press(Pressure {
            quick: room.quick(),
            grew,
            many: in_order && room.is_due(end),
            shrinks: in_order && room.is_shrinking() && !room.is_closed(),
            pressed: in_order && room.pressed && !room.is_closed(),
        });
        let header = TcpHeader {
            flags: TcpHeader::ACK | segment.flags & flag::CWR,
            number,
            timestamp: segment.options.timestamps.map_or(0, |t| u64::from(t.0)),
            ..TcpHeader::default()
        };
        let own = HEADER + if self.agreed.timestamps { TIMESTAMPS } else { 0 };
        let mark = accurate::codepoint(segment);
        ends.receiver.push(now, &Packet::of(header, 0, (u64::from(own) + len) as u16, mark));
        self.inbox.next = ends.receiver.next();
        if self.inbox.next > next {
            self.news |= libc::EPOLLIN as u32;
        }
        if self.inbox.is_ended() && fin > 0 {
            // At once (RFC 9293 section 3.10.7.4), and but once.
            ends.receiver.pull(now);
            self.acknowledge(now);
        }
    }

    /// An acknowledgement without data leaves.
    fn acknowledge(&mut self, now: Time) {
        self.carried = self.inbox.next;
        let segment = self.bare(now, self.inbox.next, Vec::new());
        self.out.push(segment);
    }

    fn bare(&mut self, now: Time, next: u64, sack: Vec<(u32, u32)>) -> Segment {
        let window = self.inbox.room.advertise(next);
        let mut segment = Segment {
            seq: ISS.wrapping_add(1).wrapping_add(self.highest as u32),
            ack: self.irs.wrapping_add(1).wrapping_add(next as u32),
            flags: flag::ACK,
            window,
            options: TcpOptions { timestamps: self.stamps(now), sack, ..TcpOptions::default() },
            ..self.blank()
        };
        if self.agreed.ecn == Feedback::Accurate {
            self.accurate.write(&mut segment);
        }
        segment
    }

    fn stamps(&self, now: Time) -> Option<(u32, u32)> {
        self.agreed.timestamps.then(|| (timestamp(now), self.echo))
    }

    /// Takes all that the two ends have to send. `late` if a timer has run out.
    fn drain(&mut self, now: Time, late: bool) {
        self.drain_receiver(now, late);
        self.drain_sender(now, usize::MAX);
        self.report(now);
    }

    fn drain_receiver(&mut self, now: Time, late: bool) {
        while let Some(mut packet) = self.ends.as_mut().and_then(|ends| ends.receiver.pull(now)) {
            if self.agreed.ecn == Feedback::Accurate {
                TcpHeader::take_option(&mut packet);
            }
            let Some(header) = packet.read::<TcpHeader>() else { continue };
            // Data has carried it meanwhile.
            if late && self.carried >= header.number && header.sack[0] == SackBlock::default() {
                continue;
            }
            let place = self.irs.wrapping_add(1).wrapping_add(header.number as u32);
            let blocks = header.sack.iter().filter(|b| **b != SackBlock::default());
            let sack = blocks.map(|b| (place.wrapping_add(b.start), place.wrapping_add(b.end))).collect();
            let mut segment = self.bare(now, header.number, sack);
            if self.agreed.ecn == Feedback::Classic {
                segment.flags |= header.flags & TcpHeader::ECE;
            }
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
        while places.len() < most {
            let more = self.stream.give(self.highest, self.agreed.mss.into());
            if more > 0 {
                ends.sender.set_nagle(if self.stream.ends_before_more() { Nagle::Off } else { self.nagle });
                ends.sender.write(more);
                ends.sender.wake(now);
            }
            if self.shut && !self.closing && !self.stream.is_holding() {
                self.closing = true;
                ends.sender.close();
                ends.sender.wake(now);
            }
            let Some(packet) = ends.sender.pull(now) else { break };
            let Some(header) = packet.read::<TcpHeader>() else { continue };
            let len = u32::from(packet.size).saturating_sub(own);
            let end = header.number + u64::from(len);
            let after = end + u64::from(header.has(TcpHeader::FIN));
            places.push(end);
            self.highest = self.highest.max(after);
            let mut segment = Segment {
                from: self.local,
                to: self.remote,
                seq: ISS.wrapping_add(1).wrapping_add(header.number as u32),
                ack: self.irs.wrapping_add(1).wrapping_add(self.inbox.next as u32),
                flags: header.flags & (flag::FIN | flag::ACK | flag::ECE | flag::CWR),
                window: self.inbox.room.advertise(self.inbox.next),
                dscp: self.asked.dscp,
                accurate: false,
                ecn: if packet.ecn == Ecn::Ect0 { ecn::ECT0 } else { 0 },
                options: TcpOptions {
                    timestamps: self.agreed.timestamps.then(|| (timestamp(now), self.echo)),
                    ..TcpOptions::default()
                },
                payload: vec![0; len as usize],
            };
            if self.agreed.ecn == Feedback::Accurate {
                self.accurate.write(&mut segment);
            }
            self.out.push(segment);
        }
        self.plan_flush(now);
        if places.is_empty() {
            return;
        }
        let Some(ends) = &self.ends else { return };
        self.carried = self.inbox.next;
        let mut leaving: Vec<_> = places.into_iter().zip(&mut self.out[first..]).collect();
        self.packets.mark(&mut leaving, push::group(&ends.sender.info(), &self.settings));
        if self.settings.masks_push() {
            self.out[first..].iter_mut().for_each(|s| s.flags &= !flag::PSH);
        }
    }

    /// The rest of a segment waits for more, but no longer than a timeout while nothing is out.
    // Linux net/ipv4/tcp_output.c: what tcp_check_probe_timer does.
    fn plan_flush(&mut self, now: Time) {
        let idle = self.ends.as_ref().filter(|ends| ends.sender.acknowledged_to() == self.highest);
        self.flush_at = match idle.filter(|_| self.stream.is_waiting(self.highest)) {
            None => Time::NEVER,
            Some(ends) => self.flush_at.min(now + ends.sender.info().timeout),
        };
    }

    /// Tells those who wait for it what has left and what is acknowledged.
    fn report(&mut self, now: Time) {
        let acknowledged = self.acknowledged_to();
        if self.errors.follow(now, self.highest, acknowledged) {
            self.news |= libc::EPOLLERR as u32;
        }
    }

    /// When something is due next.
    pub fn wake_at(&self) -> Time {
        let ends = self.ends.as_ref().filter(|_| self.phase == Phase::Established);
        ends.map_or(self.again_at, |e| e.sender.wake_at().min(e.receiver.wake_at()).min(self.flush_at))
    }

    /// Does what is due.
    pub fn wake(&mut self, now: Time) {
        match self.phase {
            Phase::SynSent | Phase::SynReceived if now >= self.again_at => self.send_syn(now),
            Phase::Established => {
                if now >= self.flush_at {
                    self.flush_at = Time::NEVER;
                    let corked = std::mem::take(&mut self.stream.corked);
                    self.stream.release();
                    self.packets.push();
                    self.drain(now, true);
                    self.stream.corked = corked;
                }
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

    /// Follows settings that have changed since.
    pub fn follow(&mut self, settings: &Settings) {
        self.settings = settings.clone();
    }
}

/// The clock of timestamps: milliseconds.
fn timestamp(now: Time) -> u32 {
    FIRST_TIMESTAMP.wrapping_add((now.as_nanos() / 1_000_000) as u32)
}
