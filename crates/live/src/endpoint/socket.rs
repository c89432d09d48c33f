//! A UDP socket that takes and gives datagrams in batches: one system call for many.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::sys::socket::{SockaddrLike, SockaddrStorage};

use dumbbell_header::datagram::LENGTH;

use super::Outgoing;

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
}

impl Incoming {
    /// The first bytes, as many as there are.
    pub fn head(&self) -> &[u8] {
        &self.bytes[..self.length.min(LENGTH)]
    }
}

/// A datagram that waits to be sent.
struct Waiting {
    to: Option<SockaddrStorage>,
    datagram: Outgoing,
}

/// The socket.
pub struct Socket {
    socket: UdpSocket,
    outgoing: Vec<Waiting>,
    /// Datagrams that the kernel refused.
    pub unsent: u64,
    /// Datagrams that came back: nobody listens where they went. Known of a connected socket only.
    pub refused: u64,
}

impl Socket {
    /// Takes over a socket.
    ///
    /// # Errors
    /// If it cannot be set not to block.
    pub fn new(socket: UdpSocket) -> io::Result<Socket> {
        socket.set_nonblocking(true)?;
        // The kernel grants what it allows.
        let _ = nix::sys::socket::setsockopt(&socket, nix::sys::socket::sockopt::RcvBuf, &BUFFER);
        let _ = nix::sys::socket::setsockopt(&socket, nix::sys::socket::sockopt::SndBuf, &BUFFER);
        Ok(Socket { socket, outgoing: Vec::with_capacity(BATCH), unsent: 0, refused: 0 })
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
        for ((message, part), address) in messages.iter_mut().zip(&mut parts).zip(&mut addresses) {
            message.msg_hdr.msg_name = std::ptr::from_mut(address).cast();
            message.msg_hdr.msg_namelen = size_of::<libc::sockaddr_storage>() as u32;
            message.msg_hdr.msg_iov = part;
            message.msg_hdr.msg_iovlen = 1;
        }
        // With MSG_TRUNC, the length is that of the whole datagram.
        let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
        let (fd, none) = (self.socket.as_raw_fd(), std::ptr::null_mut());
        // SAFETY: every message points to an address and a part of its own, which live on this stack.
        let count = unsafe { libc::recvmmsg(fd, messages.as_mut_ptr(), BATCH as u32, flags, none) };
        if count < 0 {
            let e = io::Error::last_os_error();
            self.note_refusal(&e);
            return if is_passing(&e) { Ok(()) } else { Err(e) };
        }
        for ((message, address), bytes) in messages.iter().zip(&addresses).zip(&bytes).take(count as usize) {
            let length = message.msg_hdr.msg_namelen;
            // SAFETY: the kernel wrote an address of this length.
            let from = unsafe { SockaddrStorage::from_raw(std::ptr::from_ref(address).cast(), Some(length)) };
            if let Some(from) = from.and_then(|address| to_std(&address)) {
                into.push(Incoming { from, bytes: *bytes, length: message.msg_len as usize });
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
        self.outgoing.push(Waiting { to: to.map(SockaddrStorage::from), datagram });
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
            for ((message, parts), Waiting { to, datagram }) in
                messages.iter_mut().zip(&mut parts).zip(&self.outgoing)
            {
                *parts = [
                    part(datagram.header.as_ptr(), LENGTH),
                    part(ZEROS.as_ptr(), usize::from(datagram.payload)),
                ];
                if let Some(to) = to {
                    message.msg_hdr.msg_name = to.as_ptr().cast_mut().cast();
                    message.msg_hdr.msg_namelen = to.len();
                }
                message.msg_hdr.msg_iov = parts.as_mut_ptr();
                message.msg_hdr.msg_iovlen = parts.len();
            }
            let fd = self.socket.as_raw_fd();
            // SAFETY: the kernel reads, within the call, addresses, headers and zeros that live longer than it.
            let sent = unsafe { libc::sendmmsg(fd, messages.as_mut_ptr(), count as u32, libc::MSG_DONTWAIT) };
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
            sender.queue(Some(to), Outgoing { header: [i as u8; LENGTH], payload: i as u16 });
        }
        assert!(sender.is_full());
        assert!(sender.flush() && !sender.is_full());
        let mut came = Vec::new();
        receiver.receive(&mut came).unwrap();
        let found: Vec<(u8, usize)> = came.iter().map(|d| (d.head()[47], d.length)).collect();
        assert_eq!(found, (0..BATCH).map(|i| (i as u8, LENGTH + i)).collect::<Vec<_>>());
        receiver.receive(&mut came).unwrap();
        assert!(came.is_empty());
    }
}
