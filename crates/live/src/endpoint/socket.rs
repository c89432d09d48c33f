//! A UDP socket that takes and gives datagrams in batches: one system call for many.

#![allow(trivial_numeric_casts, reason = "numbers of the C library have other types in musl than in glibc")]

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::sys::socket::{SockaddrLike, SockaddrStorage, setsockopt, sockopt};

use dumbbell_header::datagram::LENGTH;

use super::{Arrival, Outgoing};

/// Datagrams in one system call: what a link of 500 Mbit/s brings in two milliseconds.
pub const BATCH: usize = 64;

/// Bytes that the kernel may hold for the socket, each way.
const BUFFER: usize = 4 << 20;

/// The data of every packet.
static ZEROS: [u8; u16::MAX as usize] = [0; u16::MAX as usize];

/// A datagram that came.
#[derive(Clone, Copy, Debug)]
pub struct Incoming {
    /// Where from.
    pub from: SocketAddr,
    /// The first bytes.
    pub bytes: [u8; LENGTH],
    /// Bytes of the whole datagram.
    pub length: usize,
    /// The octet of its traffic class.
    pub traffic_class: u8,
}

impl Incoming {
    /// The part that the ends of flows receive.
    pub fn arrival(&self) -> Arrival<'_> {
        let head = &self.bytes[..self.length.min(LENGTH)];
        Arrival { head, length: self.length, traffic_class: self.traffic_class }
    }
}

/// What stands beside a datagram in a call of the kernel: the octet of its traffic class (ip(7), ipv6(7)).
#[repr(C)]
#[derive(Clone, Copy)]
struct Control {
    header: libc::cmsghdr,
    value: [u8; 8],
}

impl Control {
    #[expect(unsafe_code, reason = "the padding of the header has no name")]
    const fn empty() -> Control {
        // SAFETY: numbers, for which 0 is a value.
        unsafe { std::mem::zeroed() }
    }

    /// A traffic class to send with, in the family of the receiver.
    fn of(is_v4: bool, octet: u8) -> Control {
        let mut control = Control::empty();
        (control.header.cmsg_level, control.header.cmsg_type) =
            if is_v4 { (libc::IPPROTO_IP, libc::IP_TOS) } else { (libc::IPPROTO_IPV6, libc::IPV6_TCLASS) };
        control.header.cmsg_len = (size_of::<libc::cmsghdr>() + size_of::<libc::c_int>()) as _;
        control.value[..size_of::<libc::c_int>()].copy_from_slice(&libc::c_int::from(octet).to_ne_bytes());
        control
    }

    /// The traffic class that came; 0 if the kernel has told none.
    fn octet(&self) -> u8 {
        let [a, b, c, d, ..] = self.value;
        match (self.header.cmsg_level, self.header.cmsg_type) {
            (libc::IPPROTO_IP, libc::IP_TOS) => a,
            (libc::IPPROTO_IPV6, libc::IPV6_TCLASS) => libc::c_int::from_ne_bytes([a, b, c, d]) as u8,
            _ => 0,
        }
    }
}

/// A datagram that waits to be sent.
struct Waiting {
    to: Option<SockaddrStorage>,
    datagram: Outgoing,
    control: Option<Control>,
}

/// The socket.
pub struct Socket {
    socket: UdpSocket,
    outgoing: Vec<Waiting>,
    /// The peer of a connected socket has an IPv4 address.
    to_v4: bool,
    /// Datagrams that the kernel refused.
    pub unsent: u64,
    /// Datagrams that came back: nobody listens where they went. Known of a connected socket only.
    pub refused: u64,
}

impl Socket {
    /// Takes over a socket.
    ///
    /// # Errors
    /// If it cannot be set not to block, or the kernel does not tell traffic classes.
    pub fn new(socket: UdpSocket) -> io::Result<Socket> {
        socket.set_nonblocking(true)?;
        // The kernel grants what it allows.
        let _ = setsockopt(&socket, sockopt::RcvBuf, &BUFFER);
        let _ = setsockopt(&socket, sockopt::SndBuf, &BUFFER);
        // One of both families gets packets of either.
        setsockopt(&socket, sockopt::IpRecvTos, &true)?;
        if socket.local_addr()?.is_ipv6() {
            setsockopt(&socket, sockopt::Ipv6RecvTClass, &true)?;
        }
        let to_v4 = socket.peer_addr().is_ok_and(is_v4);
        Ok(Socket { socket, outgoing: Vec::with_capacity(BATCH), to_v4, unsent: 0, refused: 0 })
    }

    /// Takes in up to [`BATCH`] datagrams. Of each, only the header is copied.
    ///
    /// # Errors
    /// What the kernel says, but for errors that tell of earlier datagrams.
    #[expect(unsafe_code, reason = "no safe form in any library that does not copy the data")]
    pub fn receive(&mut self, into: &mut Vec<Incoming>) -> io::Result<()> {
        into.clear();
        // SAFETY: numbers and pointers, for which 0 is a value.
        let mut addresses: [libc::sockaddr_storage; BATCH] = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        let mut messages: [libc::mmsghdr; BATCH] = unsafe { std::mem::zeroed() };
        let mut bytes = [[0_u8; LENGTH]; BATCH];
        let mut parts =
            bytes.each_mut().map(|b| libc::iovec { iov_base: b.as_mut_ptr().cast(), iov_len: LENGTH });
        let mut controls = [Control::empty(); BATCH];
        for (((message, part), address), control) in
            messages.iter_mut().zip(&mut parts).zip(&mut addresses).zip(&mut controls)
        {
            message.msg_hdr.msg_control = std::ptr::from_mut(control).cast();
            message.msg_hdr.msg_controllen = size_of::<Control>() as _;
            message.msg_hdr.msg_name = std::ptr::from_mut(address).cast();
            message.msg_hdr.msg_namelen = size_of::<libc::sockaddr_storage>() as u32;
            message.msg_hdr.msg_iov = part;
            message.msg_hdr.msg_iovlen = 1;
        }
        // With MSG_TRUNC, the length is that of the whole datagram.
        let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
        let (fd, none) = (self.socket.as_raw_fd(), std::ptr::null_mut());
        // SAFETY: every message points to an address, a part and a control message of its own, which live on this stack.
        let count = unsafe { libc::recvmmsg(fd, messages.as_mut_ptr(), BATCH as u32, flags as _, none) };
        if count < 0 {
            let e = io::Error::last_os_error();
            self.note_refusal(&e);
            return if is_passing(&e) { Ok(()) } else { Err(e) };
        }
        let came = messages.iter().zip(&addresses).zip(&bytes).zip(&controls);
        for (((message, address), bytes), control) in came.take(count as usize) {
            let length = message.msg_hdr.msg_namelen;
            // SAFETY: the kernel wrote an address of this length.
            let from = unsafe { SockaddrStorage::from_raw(std::ptr::from_ref(address).cast(), Some(length)) };
            if let Some(from) = from.and_then(|address| to_std(&address)) {
                let (length, traffic_class) = (message.msg_len as usize, control.octet());
                into.push(Incoming { from, bytes: *bytes, length, traffic_class });
            }
        }
        Ok(())
    }

    fn note_refusal(&mut self, e: &io::Error) {
        self.refused += u64::from(e.kind() == io::ErrorKind::ConnectionRefused);
    }

    /// True if nothing more can be queued before [`Socket::flush`].
    pub fn is_full(&self) -> bool {
        self.outgoing.len() >= BATCH
    }

    /// Queues a datagram: to `to`, or to the peer that the socket is connected to.
    pub fn queue(&mut self, to: Option<SocketAddr>, datagram: Outgoing) {
        let is_v4 = to.map_or(self.to_v4, is_v4);
        let octet = datagram.traffic_class;
        let control = (octet != 0).then(|| Control::of(is_v4, octet));
        self.outgoing.push(Waiting { to: to.map(SockaddrStorage::from), datagram, control });
    }

    /// Sends what is queued; true if all of it has gone.
    #[expect(unsafe_code, reason = "no safe form in any library that tells how many were sent")]
    pub fn flush(&mut self) -> bool {
        while !self.outgoing.is_empty() {
            let count = self.outgoing.len().min(BATCH);
            let part =
                |base: *const u8, length| libc::iovec { iov_base: base.cast_mut().cast(), iov_len: length };
            let mut parts = [[part(std::ptr::null(), 0); 2]; BATCH];
            // SAFETY: numbers and pointers, for which 0 is a value.
            let mut messages: [libc::mmsghdr; BATCH] = unsafe { std::mem::zeroed() };
            for ((message, parts), Waiting { to, datagram, control }) in
                messages.iter_mut().zip(&mut parts).zip(&self.outgoing)
            {
                let head = datagram.head();
                let behind = usize::from(datagram.length) - head.len();
                *parts = [part(head.as_ptr(), head.len()), part(ZEROS.as_ptr(), behind)];
                if let Some(control) = control {
                    message.msg_hdr.msg_control = std::ptr::from_ref(control).cast_mut().cast();
                    message.msg_hdr.msg_controllen = size_of::<Control>() as _;
                }
                if let Some(to) = to {
                    message.msg_hdr.msg_name = to.as_ptr().cast_mut().cast();
                    message.msg_hdr.msg_namelen = to.len();
                }
                message.msg_hdr.msg_iov = parts.as_mut_ptr();
                message.msg_hdr.msg_iovlen = parts.len() as _;
            }
            let fd = self.socket.as_raw_fd();
            // SAFETY: the kernel reads, within the call, addresses, headers, control messages and zeros that live longer than it.
            let sent =
                unsafe { libc::sendmmsg(fd, messages.as_mut_ptr(), count as u32, libc::MSG_DONTWAIT as _) };
            if sent < 0 {
                let e = io::Error::last_os_error();
                self.note_refusal(&e);
                match e.kind() {
                    io::ErrorKind::WouldBlock => return false,
                    io::ErrorKind::Interrupted => {}
                    // The first one is refused, or an earlier one was; the protocol sends again what matters.
                    _ => {
                        self.unsent += 1;
                        self.outgoing.remove(0);
                    }
                }
                continue;
            }
            self.outgoing.drain(..sent as usize);
        }
        true
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// True for errors that pass: nothing there, or news of an earlier datagram (nobody listens yet, the queue of the device
/// is full).
fn is_passing(e: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, HostUnreachable, Interrupted, NetworkUnreachable, WouldBlock};
    matches!(e.kind(), WouldBlock | Interrupted | ConnectionRefused | HostUnreachable | NetworkUnreachable)
}

/// True for an IPv4 address, which a socket of both families writes as one of IPv6.
fn is_v4(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_ipv4()
}

fn to_std(address: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = address.as_sockaddr_in().map(|a| SocketAddr::V4((*a).into()));
    v4.or_else(|| address.as_sockaddr_in6().map(|a| SocketAddr::V6((*a).into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_arrive_whole_and_in_order() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        let to = receiver.local_addr().unwrap();
        let mut sender = Socket::new(UdpSocket::bind("127.0.0.1:0").unwrap()).unwrap();
        let mut receiver = Socket::new(receiver).unwrap();
        for i in 0..BATCH {
            assert!(!sender.is_full());
            let length = (LENGTH / 2 + i) as u16;
            sender.queue(Some(to), Outgoing { header: [i as u8; LENGTH], length, traffic_class: 0 });
        }
        assert!(sender.is_full());
        assert!(sender.flush() && !sender.is_full());
        let mut came = Vec::new();
        receiver.receive(&mut came).unwrap();
        let found: Vec<(Option<u8>, usize)> =
            came.iter().map(|d| (d.arrival().head.last().copied(), d.length)).collect();
        let expected = |i| (Some(i as u8), LENGTH / 2 + i);
        assert_eq!(found, (0..BATCH).map(expected).collect::<Vec<_>>());
        receiver.receive(&mut came).unwrap();
        assert!(came.is_empty());
    }

    #[test]
    fn traffic_classes_arrive_in_both_families() {
        for (at, both) in [("127.0.0.1:0", false), ("[::1]:0", false), ("127.0.0.1:0", true)] {
            let bound = UdpSocket::bind(if both { "[::]:0" } else { at });
            // A machine may have no IPv6.
            let Ok(bound) = bound else { continue };
            let mut to: SocketAddr = at.parse().unwrap();
            to.set_port(bound.local_addr().unwrap().port());
            let mut receiver = Socket::new(bound).unwrap();
            let connected = UdpSocket::bind(at).unwrap();
            connected.connect(to).unwrap();
            let mut sender = Socket::new(connected).unwrap();
            let octets = [0, 0b10, 0b01, 0b11, 5 << 5 | 0b10];
            for traffic_class in octets {
                sender.queue(None, Outgoing { header: [7; LENGTH], length: 30, traffic_class });
            }
            assert!(sender.flush());
            let mut came = Vec::new();
            receiver.receive(&mut came).unwrap();
            assert_eq!(came.iter().map(|d| d.traffic_class).collect::<Vec<_>>(), octets, "{at} {both}");
            // And back, from a socket that is not connected.
            for datagram in &came {
                let Incoming { traffic_class, .. } = *datagram;
                receiver
                    .queue(Some(datagram.from), Outgoing { header: [7; LENGTH], length: 30, traffic_class });
            }
            assert!(receiver.flush());
            sender.receive(&mut came).unwrap();
            assert_eq!(came.iter().map(|d| d.traffic_class).collect::<Vec<_>>(), octets, "{at} {both}, back");
        }
    }
}
