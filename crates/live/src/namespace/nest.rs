//! Shells within shells: an emulator inside a namespace hands its packets to the one outside through a socket, without
//! routes, address translation or privileges.
//!
//! The outer emulator listens at a name that only processes within its client namespace can see: names of abstract Unix
//! sockets belong to the network namespace. A message is an IP packet, or, if it begins with [`ATTACH`], a request for an
//! address (one byte) or the number given (five bytes).

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, UnixAddr, accept4, bind, connect, listen, socket,
};

/// The first byte of a message that is not a packet; no version of IP begins with it.
pub const ATTACH: u8 = 0;

/// The name of the door.
const NAME: &[u8] = b"dumbbell shell";

fn door_socket(flags: SockFlag) -> io::Result<(OwnedFd, UnixAddr)> {
    let socket = socket(AddressFamily::Unix, SockType::SeqPacket, flags | SockFlag::SOCK_CLOEXEC, None)?;
    Ok((socket, UnixAddr::new_abstract(NAME)?))
}

/// Opens the door of the namespace of the caller.
///
/// # Errors
/// If the name is taken.
pub fn open_door() -> io::Result<OwnedFd> {
    let (socket, name) = door_socket(SockFlag::SOCK_NONBLOCK)?;
    bind(socket.as_raw_fd(), &name)?;
    listen(&socket, Backlog::new(16)?)?;
    Ok(socket)
}

/// Lets the next one in.
///
/// # Errors
/// If nobody stands there.
pub fn admit(door: &OwnedFd) -> io::Result<OwnedFd> {
    let number = accept4(door.as_raw_fd(), SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK)?;
    Ok(owned(number))
}

#[expect(unsafe_code, reason = "descriptors arrive as numbers")]
fn owned(number: i32) -> OwnedFd {
    use std::os::fd::FromRawFd;
    // SAFETY: the kernel has just opened this descriptor, and nobody else knows it.
    unsafe { OwnedFd::from_raw_fd(number) }
}

/// Attaches to the emulator around the caller, if there is one: the socket, and the numbers of the addresses that it gives.
///
/// # Errors
/// If there is one that does not answer.
pub fn attach(addresses: usize) -> io::Result<Option<(OwnedFd, Vec<u32>)>> {
    let (socket, name) = door_socket(SockFlag::empty())?;
    if connect(socket.as_raw_fd(), &name).is_err() {
        return Ok(None);
    }
    let mut numbers = Vec::with_capacity(addresses);
    for _ in 0..addresses {
        nix::unistd::write(&socket, &[ATTACH])?;
        let mut answer = [0; 5];
        // Packets may come before the answer only if this emulator sent some, and it has not begun.
        if nix::unistd::read(&socket, &mut answer)? != answer.len() {
            return Err(io::Error::other("the shell around this one has ended"));
        }
        numbers.push(u32::from_be_bytes([answer[1], answer[2], answer[3], answer[4]]));
    }
    nix::fcntl::fcntl(&socket, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK))?;
    Ok(Some((socket, numbers)))
}
