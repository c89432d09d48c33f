//! Sockets and the network below them, in virtual time. Errors are numbers of `errno`.

use std::collections::{BTreeMap, VecDeque};

use dumbbell_core::{Duration, Time};
use libc::{
    EADDRNOTAVAIL, EAGAIN, EBADF, ECONNREFUSED, EINPROGRESS, EINVAL, EISCONN, ENOBUFS, ENOPROTOOPT, ENOTCONN,
    EPIPE, IPPROTO_IP, IPPROTO_TCP, SO_RCVBUF, SO_SNDBUF, SO_TIMESTAMPING, SO_ZEROCOPY, SOL_SOCKET, TCP_CORK,
    TCP_INFO, TCP_INQ, TCP_MAXSEG, TCP_NODELAY,
};

use crate::connection::{Asked, Connection, Phase};
use crate::epoll::Epoll;
use crate::info;
use crate::lacks::Lacks;
use crate::messages::{self, Message, TIMED};
use crate::options::Options;
use crate::settings::{Queue, Settings};
use crate::stream::How;
use crate::wire::{Endpoint, Foreign, Segment, flag};

/// The time that a look at the clock takes: whoever spins until a time comes gets there.
const TICK: Duration = Duration::from_micros(1);
/// The port from which connections are opened.
const LOCAL_PORT: u16 = 40_000;
/// The segment of a socket that has no connection (RFC 9293 section 3.7.1).
const SEGMENT: u32 = 536;
/// Bits of tcp_fastopen: a listener takes data in a SYN, and does so without a cookie.
const FASTOPEN_SERVER: u64 = 2;
const FASTOPEN_NO_COOKIE: u64 = 0x200;

/// What a descriptor stands for.
#[derive(Debug, Default)]
struct Socket {
    local: Option<Endpoint>,
    /// Connections that wait to be accepted, while it listens.
    waiting: Option<VecDeque<usize>>,
    connection: Option<usize>,
    /// Nothing more is read.
    deaf: bool,
    nonblocking: bool,
    options: Options,
}

impl Socket {
    fn asked(&self) -> Asked {
        Asked {
            segment: self.options.number(IPPROTO_TCP, TCP_MAXSEG).map(|n| n.min(u16::MAX.into()) as u16),
            buffer: self.options.number(SOL_SOCKET, SO_RCVBUF),
            dscp: self.options.number(IPPROTO_IP, libc::IP_TOS).map_or(0, |tos| (tos as u8) >> 2),
        }
    }
}

/// The sockets of one program.
#[derive(Debug, Default)]
pub struct Stack {
    now: Time,
    settings: Settings,
    sockets: BTreeMap<i32, Socket>,
    connections: Vec<Connection>,
    epolls: BTreeMap<i32, Epoll>,
    /// What left, and when.
    sent: VecDeque<(Time, Vec<u8>)>,
    lacks: Lacks,
}

/// A result, or a number of `errno`.
pub type Result<T> = std::result::Result<T, i32>;

impl Stack {
    /// The time. Looking takes some.
    pub fn look(&mut self) -> Time {
        self.pass(TICK);
        self.now
    }

    /// Lets time pass.
    pub fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(next) = self.next_event().filter(|at| *at <= end) {
            self.happen(next);
        }
        self.now = end;
    }

    fn next_event(&self) -> Option<Time> {
        let next = self.connections.iter().map(Connection::wake_at).min()?;
        next.is_finite().then_some(next)
    }

    fn happen(&mut self, at: Time) {
        self.now = self.now.max(at);
        self.follow_settings();
        for id in 0..self.connections.len() {
            if self.connections[id].wake_at() <= self.now {
                self.connections[id].wake(self.now);
                self.collect(id);
            }
        }
        // A timer that is not moved by what it starts would hold the clock.
        if self.next_event() == Some(at) {
            self.now += TICK;
        }
    }

    fn follow_settings(&mut self) {
        let settings = Settings::read();
        if settings != self.settings {
            self.settings = settings;
            if let Some(unmet) = self.settings.unmet() {
                self.lacks.name(unmet);
            }
            self.connections.iter_mut().for_each(|c| c.follow(&self.settings));
        }
    }

    /// What a connection has sent goes to the queue below.
    fn collect(&mut self, id: usize) {
        let out = self.connections[id].take_out();
        let news = self.connections[id].take_news();
        if news != 0 && !self.epolls.is_empty() {
            let watched = self.sockets.iter().filter(|(_, socket)| socket.connection == Some(id));
            for (fd, _) in watched {
                self.epolls.values_mut().for_each(|epoll| epoll.stir(*fd, news));
            }
        }
        match self.settings.queue() {
            Queue::Closed => {}
            Queue::Fifo | Queue::Paced => self.sent.extend(out.iter().map(|s| (self.now, s.to_bytes()))),
        }
    }

    /// The next packet that left, and when; `None` if none ever will.
    pub fn receive(&mut self) -> Option<(Time, Vec<u8>)> {
        loop {
            if let Some(sent) = self.sent.pop_front() {
                return Some(sent);
            }
            let event = self.next_event()?;
            self.happen(event);
        }
    }

    /// A packet arrives.
    pub fn deliver(&mut self, packet: &[u8]) {
        self.follow_settings();
        let segment = match Segment::parse_or_name(packet) {
            Ok(segment) => segment,
            Err(Foreign::Other(name)) => return self.lacks.name(format!("packets of {name}")),
            Err(Foreign::Broken) => return,
        };
        if let Some(option) = segment.foreign_option() {
            self.lacks.name(option);
        }
        let known = self.connections.iter().rposition(|c| {
            c.phase != Phase::Dead && c.local.port == segment.to.port && c.remote == segment.from
        });
        let id = match known {
            Some(id) => {
                let before = self.connections[id].phase;
                if let Err(setting) = self.connections[id].arrive(self.now, &segment) {
                    self.lacks.name(setting);
                }
                if before == Phase::SynReceived && self.connections[id].phase == Phase::Established {
                    self.queue(id);
                }
                id
            }
            None if segment.flags & 0x17 == flag::SYN && self.listener(segment.to.port).is_some() => {
                if self.opens_fast(&segment) {
                    self.lacks.name("TCP Fast Open (a SYN)");
                }
                let asked = self.listener(segment.to.port).map(|socket| socket.asked()).unwrap_or_default();
                self.add(Connection::accept(self.now, &segment, self.settings.clone(), asked))
            }
            None => return self.reset(&segment),
        };
        self.collect(id);
    }

    /// Answers a segment that belongs to no connection (RFC 9293 section 3.10.7.1).
    fn reset(&mut self, segment: &Segment) {
        if segment.has(flag::RST) {
            return;
        }
        let (from, to) = (segment.to, segment.from);
        let len = segment.payload.len() as u32
            + u32::from(segment.has(flag::SYN))
            + u32::from(segment.has(flag::FIN));
        let answer = if segment.has(flag::ACK) {
            Segment { from, to, seq: segment.ack, flags: flag::RST, ..Segment::default() }
        } else {
            let ack = segment.seq.wrapping_add(len);
            Segment { from, to, ack, flags: flag::RST | flag::ACK, ..Segment::default() }
        };
        self.sent.push_back((self.now, answer.to_bytes()));
    }

    fn add(&mut self, connection: Connection) -> usize {
        self.connections.push(connection);
        self.connections.len() - 1
    }

    fn listener(&mut self, port: u16) -> Option<&mut Socket> {
        self.sockets
            .values_mut()
            .find(|socket| socket.waiting.is_some() && socket.local.is_some_and(|local| local.port == port))
    }

    /// True if a listener of Linux takes the data of this SYN, or hands out a cookie for it (RFC 7413).
    fn opens_fast(&self, syn: &Segment) -> bool {
        let bits = self.settings.number("tcp_fastopen", 1);
        let asks = syn.options.fast_open || bits & FASTOPEN_NO_COOKIE != 0 && !syn.payload.is_empty();
        bits & FASTOPEN_SERVER != 0 && asks
    }

    /// A connection waits to be accepted.
    fn queue(&mut self, id: usize) {
        let port = self.connections[id].local.port;
        for (fd, socket) in &mut self.sockets {
            let Some(waiting) = socket.waiting.as_mut() else { continue };
            if socket.local.is_some_and(|local| local.port == port) {
                waiting.push_back(id);
                self.epolls.values_mut().for_each(|epoll| epoll.stir(*fd, libc::EPOLLIN as u32));
                return;
            }
        }
    }

    /// Names what a program wants and this stack leaves out.
    pub fn lack(&mut self, what: impl Into<String>) {
        self.lacks.name(what);
    }

    /// The first thing that was wanted and is left out.
    pub fn lacking(&self) -> Option<&str> {
        self.lacks.first()
    }

    /// Adds a socket with this descriptor.
    pub fn open(&mut self, fd: i32) -> Result<()> {
        self.follow_settings();
        self.sockets.insert(fd, Socket::default());
        Ok(())
    }

    /// True if the descriptor is one of its own.
    pub fn owns(&self, fd: i32) -> bool {
        self.sockets.contains_key(&fd)
    }

    fn socket(&mut self, fd: i32) -> Result<&mut Socket> {
        self.sockets.get_mut(&fd).ok_or(EBADF)
    }

    fn connection(&mut self, fd: i32) -> Result<&mut Connection> {
        let id = self.socket(fd)?.connection.ok_or(ENOTCONN)?;
        Ok(&mut self.connections[id])
    }

    /// Names the local end.
    pub fn bind(&mut self, fd: i32, local: Endpoint) -> Result<()> {
        self.socket(fd)?.local = Some(local);
        Ok(())
    }

    /// Waits for connections.
    pub fn listen(&mut self, fd: i32) -> Result<()> {
        let socket = self.socket(fd)?;
        if socket.local.is_none() {
            return Err(EADDRNOTAVAIL);
        }
        socket.waiting.get_or_insert_default();
        Ok(())
    }

    /// Takes a connection that waits, as `new`; its peer.
    pub fn accept(&mut self, fd: i32, new: i32) -> Result<Endpoint> {
        let listener = self.socket(fd)?;
        let id = listener.waiting.as_mut().ok_or(EINVAL)?.pop_front().ok_or(EAGAIN)?;
        let socket = Socket { connection: Some(id), options: listener.options.clone(), ..Socket::default() };
        let on = |name| socket.options.is_on(IPPROTO_TCP, name);
        if on(TCP_NODELAY) {
            self.connections[id].set_nodelay(self.now, true);
        }
        if on(TCP_CORK) {
            self.connections[id].set_cork(self.now, true);
        }
        self.sockets.insert(new, socket);
        Ok(self.connections[id].remote)
    }

    /// Opens a connection, or says how that goes.
    pub fn connect(&mut self, fd: i32, local: [u8; 4], remote: Endpoint) -> Result<()> {
        let (now, settings) = (self.now, self.settings.clone());
        let socket = self.socket(fd)?;
        if let Some(id) = socket.connection {
            return match self.connections[id].phase {
                Phase::SynSent | Phase::SynReceived => Err(EAGAIN),
                Phase::Established => Ok(()),
                Phase::Dead => Err(ECONNREFUSED),
            };
        }
        if socket.waiting.is_some() {
            return Err(EISCONN);
        }
        let nonblocking = socket.nonblocking;
        let (bound, asked) = (socket.local, socket.asked());
        let on = |name| socket.options.is_on(IPPROTO_TCP, name);
        let (nodelay, cork) = (on(TCP_NODELAY), on(TCP_CORK));
        let port = LOCAL_PORT + self.connections.len() as u16;
        let local = bound.unwrap_or(Endpoint { address: local, port });
        let id = self.add(Connection::connect(now, local, remote, settings, asked));
        self.connections[id].set_nodelay(now, nodelay);
        self.connections[id].set_cork(now, cork);
        self.socket(fd)?.connection = Some(id);
        self.collect(id);
        Err(if nonblocking { EINPROGRESS } else { EAGAIN })
    }

    /// Writes zeros.
    pub fn write(&mut self, fd: i32, bytes: u64, how: How) -> Result<u64> {
        self.follow_settings();
        let now = self.now;
        let socket = self.socket(fd)?;
        let how = How { copied: how.copied && socket.options.is_on(SOL_SOCKET, SO_ZEROCOPY), ..how };
        let timed = socket.options.number(SOL_SOCKET, SO_TIMESTAMPING).unwrap_or(0) & TIMED;
        let set = socket.options.number(SOL_SOCKET, SO_SNDBUF);
        // A socket without a connection is one that was shut (tcp(7)).
        let id = socket.connection.ok_or(EPIPE)?;
        let connection = &self.connections[id];
        match connection.phase {
            Phase::Established if !connection.is_shut() => {}
            Phase::Established | Phase::Dead => return Err(EPIPE),
            Phase::SynSent | Phase::SynReceived => return Err(EAGAIN),
        }
        let room = set.map_or_else(|| connection.send_room(self.settings.send_buffer()), u64::from);
        if connection.unacknowledged() + bytes > room {
            self.lacks.name("a send buffer that fills");
            return Err(ENOBUFS);
        }
        self.connections[id].write(now, bytes, how, timed);
        self.collect(id);
        Ok(bytes)
    }

    /// Reads; nothing at the end of the stream.
    pub fn read(&mut self, fd: i32, most: usize, peek: bool) -> Result<Vec<u8>> {
        let now = self.now;
        let socket = self.socket(fd)?;
        let (deaf, id) = (socket.deaf, socket.connection.ok_or(ENOTCONN)?);
        let connection = &mut self.connections[id];
        if connection.inbox().readable() == 0 && !connection.is_ended() && !deaf {
            return Err(EAGAIN);
        }
        let bytes = connection.read(now, most, peek);
        self.collect(id);
        Ok(bytes)
    }

    /// The ancillary messages of a read that has just been done.
    pub fn ancillary(&mut self, fd: i32) -> Result<Vec<u8>> {
        let socket = self.socket(fd)?;
        if !socket.options.is_on(IPPROTO_TCP, TCP_INQ) {
            return Ok(Vec::new());
        }
        let waiting = self.connection(fd)?.inbox().hint();
        Ok(messages::waiting(waiting.min(i32::MAX as u64) as u32))
    }

    /// Takes a report from the queue of errors.
    pub fn report(&mut self, fd: i32) -> Result<Message> {
        let id = self.socket(fd)?.connection.ok_or(EAGAIN)?;
        self.connections[id].take_report().ok_or(EAGAIN)
    }

    /// Ends the stream to the peer, that from it, or both: `how` of shutdown(2).
    pub fn shut_down(&mut self, fd: i32, how: i32) -> Result<()> {
        let now = self.now;
        self.connection(fd)?;
        self.socket(fd)?.deaf |= how != libc::SHUT_WR;
        if how == libc::SHUT_RD {
            return Ok(());
        }
        self.connection(fd)?.close(now);
        let id = self.socket(fd)?.connection.ok_or(ENOTCONN)?;
        self.collect(id);
        Ok(())
    }

    /// Closes a descriptor.
    pub fn close(&mut self, fd: i32) -> Result<()> {
        if self.epolls.remove(&fd).is_some() {
            return Ok(());
        }
        let socket = self.sockets.remove(&fd).ok_or(EBADF)?;
        self.epolls.values_mut().for_each(|epoll| epoll.forget(fd));
        if let Some(id) = socket.connection {
            self.connections[id].abandon(self.now);
            self.collect(id);
        }
        Ok(())
    }

    /// True if calls on the descriptor return at once.
    pub fn is_nonblocking(&mut self, fd: i32) -> Result<bool> {
        Ok(self.socket(fd)?.nonblocking)
    }

    /// See [`Stack::is_nonblocking`].
    pub fn set_nonblocking(&mut self, fd: i32, nonblocking: bool) -> Result<()> {
        self.socket(fd)?.nonblocking = nonblocking;
        Ok(())
    }

    /// Sets an option.
    pub fn set_option(&mut self, fd: i32, level: i32, name: i32, value: &[u8]) -> Result<()> {
        let now = self.now;
        let socket = self.socket(fd)?;
        if let Err(what) = socket.options.set(level, name, value) {
            self.lacks.name(what);
            return Err(ENOPROTOOPT);
        }
        let Some(id) = socket.connection else { return Ok(()) };
        let (on, number) = (socket.options.is_on(level, name), socket.options.number(level, name));
        let asked = socket.asked();
        let connection = &mut self.connections[id];
        match (level, name) {
            (IPPROTO_TCP, TCP_NODELAY) => connection.set_nodelay(now, on),
            (IPPROTO_TCP, TCP_CORK) => connection.set_cork(now, on),
            (SOL_SOCKET, SO_TIMESTAMPING) => connection.count_reports(),
            (SOL_SOCKET, SO_RCVBUF) => connection.set_buffer(number.unwrap_or(0)),
            (IPPROTO_IP, libc::IP_TOS) => connection.set_dscp(asked.dscp),
            (IPPROTO_TCP, TCP_MAXSEG) => self.lacks.name("TCP_MAXSEG of an open connection"),
            _ => {}
        }
        self.collect(id);
        Ok(())
    }

    /// An option as the kernel would show it, in `len` bytes at most.
    pub fn option(&mut self, fd: i32, level: i32, name: i32, len: usize) -> Result<Vec<u8>> {
        let socket = self.sockets.get(&fd).ok_or(EBADF)?;
        let connection = socket.connection.map(|id| &self.connections[id]);
        let mut value = match (level, name) {
            (IPPROTO_TCP, TCP_INFO) => info::tcp_info(self.now, connection),
            (IPPROTO_TCP, libc::TCP_CC_INFO) => Vec::new(),
            (IPPROTO_TCP, TCP_MAXSEG) => {
                let asked = socket.options.number(level, name).unwrap_or(SEGMENT);
                let segment = connection.and_then(Connection::info).map_or(asked, |info| info.mss);
                segment.to_ne_bytes().to_vec()
            }
            (SOL_SOCKET, info::SO_MEMINFO) => vec![0; info::MEMINFO_LENGTH],
            _ => socket.options.bytes(level, name),
        };
        value.truncate(len);
        Ok(value)
    }

    /// Adds an epoll with this descriptor.
    pub fn add_epoll(&mut self, fd: i32) {
        self.epolls.insert(fd, Epoll::default());
    }

    /// Changes what an epoll watches: epoll_ctl(2).
    pub fn control_epoll(&mut self, epoll: i32, op: i32, fd: i32, mask: u32, data: u64) -> Result<()> {
        let events = u32::from(self.events(fd)?.cast_unsigned());
        self.epolls.get_mut(&epoll).ok_or(EINVAL)?.control(op, fd, mask, data, events)
    }

    /// Up to `most` events and the data of their descriptors: epoll_wait(2) without waiting.
    pub fn take_events(&mut self, fd: i32, most: usize) -> Result<Vec<(u32, u64)>> {
        let mut epoll = self.epolls.remove(&fd).ok_or(EINVAL)?;
        let found = epoll.take(most, |fd| self.events(fd).map_or(0, |events| events.cast_unsigned().into()));
        self.epolls.insert(fd, epoll);
        Ok(found)
    }

    /// Bytes that wait to be read, and bytes that were written and not acknowledged.
    pub fn queued(&mut self, fd: i32) -> Result<(u64, u64)> {
        let connection = self.connection(fd)?;
        Ok((connection.inbox().readable(), connection.unacknowledged()))
    }

    /// What may be done with a descriptor: events of poll(2).
    pub fn events(&mut self, fd: i32) -> Result<i16> {
        let socket = self.socket(fd)?;
        if let Some(waiting) = &socket.waiting {
            return Ok(if waiting.is_empty() { 0 } else { libc::POLLIN });
        }
        let Some(id) = socket.connection else { return Ok(libc::POLLOUT | libc::POLLHUP) };
        let connection = &self.connections[id];
        let mut events = 0;
        if connection.inbox().readable() > 0 || connection.is_ended() {
            events |= libc::POLLIN;
        }
        if connection.phase == Phase::Established {
            events |= libc::POLLOUT;
        }
        if connection.phase == Phase::Dead {
            events |= libc::POLLHUP | libc::POLLERR;
        }
        if connection.has_reports() {
            events |= libc::POLLERR;
        }
        Ok(events)
    }
}
