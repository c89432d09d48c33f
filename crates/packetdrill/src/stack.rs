//! Sockets and the network below them, in virtual time. Errors are numbers of `errno`.

use std::collections::{BTreeMap, VecDeque};

use dumbbell_core::{Duration, Time};
use libc::{EADDRNOTAVAIL, EAGAIN, EBADF, ECONNREFUSED, EINPROGRESS, EINVAL, EISCONN, ENOTCONN, EPIPE};

use crate::connection::{Connection, Phase};
use crate::info;
use crate::settings::{Queue, Settings};
use crate::wire::{Endpoint, Segment, flag};

/// The time that a look at the clock takes: whoever spins until a time comes gets there.
const TICK: Duration = Duration::from_micros(1);
/// The port from which connections are opened.
const LOCAL_PORT: u16 = 40_000;
/// The option that turns Nagle's algorithm off.
const NODELAY: (i32, i32) = (libc::IPPROTO_TCP, libc::TCP_NODELAY);

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
    options: BTreeMap<(i32, i32), Vec<u8>>,
}

impl Socket {
    fn is_nodelay(&self) -> bool {
        self.options.get(&NODELAY).is_some_and(|value| value.iter().any(|byte| *byte != 0))
    }
}

/// The sockets of one program.
#[derive(Debug, Default)]
pub struct Stack {
    now: Time,
    settings: Settings,
    sockets: BTreeMap<i32, Socket>,
    connections: Vec<Connection>,
    /// What left, and when.
    sent: VecDeque<(Time, Vec<u8>)>,
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
            self.connections.iter_mut().for_each(|c| c.follow(&self.settings));
        }
    }

    /// What a connection has sent goes to the queue below.
    fn collect(&mut self, id: usize) {
        let out = self.connections[id].take_out();
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
        let Some(segment) = Segment::parse(packet) else { return };
        let known = self.connections.iter().rposition(|c| {
            c.phase != Phase::Dead && c.local.port == segment.to.port && c.remote == segment.from
        });
        let id = match known {
            Some(id) => {
                let before = self.connections[id].phase;
                if let Err(message) = self.connections[id].arrive(self.now, &segment) {
                    complain(&message);
                }
                if before == Phase::SynReceived && self.connections[id].phase == Phase::Established {
                    self.queue(id);
                }
                id
            }
            None if segment.flags & 0x17 == flag::SYN && self.listener(segment.to.port).is_some() => {
                self.add(Connection::accept(self.now, &segment, self.settings.clone()))
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

    fn listener(&mut self, port: u16) -> Option<&mut VecDeque<usize>> {
        let listens = self
            .sockets
            .values_mut()
            .find(|s| s.waiting.is_some() && s.local.is_some_and(|l| l.port == port));
        listens?.waiting.as_mut()
    }

    fn queue(&mut self, id: usize) {
        let port = self.connections[id].local.port;
        if let Some(waiting) = self.listener(port) {
            waiting.push_back(id);
        }
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
        let waiting = self.socket(fd)?.waiting.as_mut().ok_or(EINVAL)?;
        let id = waiting.pop_front().ok_or(EAGAIN)?;
        let socket = Socket { connection: Some(id), ..Socket::default() };
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
        let (bound, nodelay) = (socket.local, socket.is_nodelay());
        let port = LOCAL_PORT + self.connections.len() as u16;
        let local = bound.unwrap_or(Endpoint { address: local, port });
        let id = self.add(Connection::connect(now, local, remote, settings));
        self.connections[id].set_nodelay(now, nodelay);
        self.socket(fd)?.connection = Some(id);
        self.collect(id);
        Err(if nonblocking { EINPROGRESS } else { EAGAIN })
    }

    /// Writes zeros.
    pub fn write(&mut self, fd: i32, bytes: u64) -> Result<u64> {
        self.follow_settings();
        let now = self.now;
        let connection = self.connection(fd)?;
        match connection.phase {
            Phase::Established if !connection.is_shut() => connection.write(now, bytes),
            Phase::Established | Phase::Dead => return Err(EPIPE),
            Phase::SynSent | Phase::SynReceived => return Err(EAGAIN),
        }
        let id = self.socket(fd)?.connection.ok_or(ENOTCONN)?;
        self.collect(id);
        Ok(bytes)
    }

    /// Reads; nothing at the end of the stream.
    pub fn read(&mut self, fd: i32, most: usize, peek: bool) -> Result<Vec<u8>> {
        let deaf = self.socket(fd)?.deaf;
        let connection = self.connection(fd)?;
        if connection.readable() == 0 && !connection.is_ended() && !deaf {
            return Err(EAGAIN);
        }
        Ok(connection.read(most, peek))
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
        let socket = self.sockets.remove(&fd).ok_or(EBADF)?;
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

    /// Keeps an option.
    pub fn set_option(&mut self, fd: i32, level: i32, name: i32, value: &[u8]) -> Result<()> {
        let value = match (level, name, value.try_into().map(i32::from_ne_bytes)) {
            // The kernel doubles what it is told (socket(7)).
            (libc::SOL_SOCKET, libc::SO_SNDBUF | libc::SO_RCVBUF, Ok(n)) => {
                n.saturating_mul(2).to_ne_bytes().to_vec()
            }
            _ => value.to_vec(),
        };
        let socket = self.socket(fd)?;
        socket.options.insert((level, name), value);
        let nodelay = socket.is_nodelay();
        if let Some(id) = socket.connection.filter(|_| (level, name) == NODELAY) {
            self.connections[id].set_nodelay(self.now, nodelay);
            self.collect(id);
        }
        Ok(())
    }

    /// An option as the kernel would show it, in `len` bytes at most.
    pub fn option(&mut self, fd: i32, level: i32, name: i32, len: usize) -> Result<Vec<u8>> {
        let socket = self.socket(fd)?;
        let id = socket.connection;
        let mut value = match (level, name) {
            (libc::IPPROTO_TCP, libc::TCP_INFO) => info::tcp_info(id.map(|id| &self.connections[id])),
            (libc::IPPROTO_TCP, libc::TCP_CC_INFO) => Vec::new(),
            (libc::SOL_SOCKET, info::SO_MEMINFO) => vec![0; info::MEMINFO_LENGTH],
            key => socket.options.get(&key).cloned().unwrap_or_else(|| vec![0; 4]),
        };
        value.truncate(len);
        Ok(value)
    }

    /// Bytes that wait to be read, and bytes that were written and not acknowledged.
    pub fn queued(&mut self, fd: i32) -> Result<(u64, u64)> {
        let connection = self.connection(fd)?;
        Ok((connection.readable(), connection.unacknowledged()))
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
        if connection.readable() > 0 || connection.is_ended() {
            events |= libc::POLLIN;
        }
        if connection.phase == Phase::Established {
            events |= libc::POLLOUT;
        }
        if connection.phase == Phase::Dead {
            events |= libc::POLLHUP | libc::POLLERR;
        }
        Ok(events)
    }
}

/// A setting that cannot be had: the script fails, and the reader sees why.
fn complain(message: &str) {
    eprintln!("dumbbell: {message}");
}
