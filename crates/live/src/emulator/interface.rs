//! Where packets enter and leave the emulator: a TUN device, or a socket to another emulator. Both carry one packet in
//! one read or write.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use dumbbell_core::Time;
use nix::errno::Errno;
use nix::sys::socket::{setsockopt, sockopt};
use nix::unistd::{read, write};

use crate::frame::IpFrame;
use crate::namespace::nest::ATTACH;

/// Bytes that a socket to another emulator may hold.
const SOCKET_BUFFER: usize = 4 << 20;

/// Buffers for packets, used over and over.
#[derive(Debug)]
pub struct Pool {
    free: Vec<Vec<u8>>,
    size: usize,
}

impl Pool {
    /// Buffers for packets of up to `mtu` bytes.
    pub fn new(mtu: u32) -> Pool {
        // One byte more shows a packet that is too long: it is cut, and its own length says so.
        Pool { free: Vec::new(), size: mtu as usize + 1 }
    }

    fn take(&mut self) -> Vec<u8> {
        let mut buffer = self.free.pop().unwrap_or_default();
        buffer.resize(self.size, 0);
        buffer
    }

    /// Takes a buffer back.
    pub fn give(&mut self, buffer: Vec<u8>) {
        self.free.push(buffer);
    }
}

/// What a read brought.
#[derive(Debug)]
pub enum Input {
    /// A packet.
    Packet(IpFrame),
    /// Another emulator asks for an address.
    Attach,
    /// The number of the address that was asked for.
    Attached(u32),
    /// Bytes that are no packet.
    Malformed,
    /// Nothing more for now.
    Nothing,
    /// The other side has closed.
    Closed,
}

/// A device or socket, not blocking.
#[derive(Debug)]
pub struct Interface(OwnedFd);

impl Interface {
    /// A TUN device.
    pub fn device(fd: OwnedFd) -> Interface {
        Interface(fd)
    }

    /// A socket to another emulator.
    pub fn socket(fd: OwnedFd) -> Interface {
        // The kernel grants what it allows.
        let _ = setsockopt(&fd, sockopt::SndBuf, &SOCKET_BUFFER);
        Interface(fd)
    }

    /// Reads one packet.
    pub fn read(&self, now: Time, pool: &mut Pool) -> Input {
        let mut buffer = pool.take();
        let length = match read(&self.0, &mut buffer) {
            Ok(0) => return self.without(buffer, pool, Input::Closed),
            Ok(length) => length,
            Err(Errno::EAGAIN | Errno::EINTR) => return self.without(buffer, pool, Input::Nothing),
            Err(_) => return self.without(buffer, pool, Input::Closed),
        };
        buffer.truncate(length);
        match (buffer[0], length) {
            (ATTACH, 1) => return self.without(buffer, pool, Input::Attach),
            (ATTACH, 5) => {
                let number = u32::from_be_bytes([buffer[1], buffer[2], buffer[3], buffer[4]]);
                return self.without(buffer, pool, Input::Attached(number));
            }
            _ => {}
        }
        match IpFrame::parse(now, buffer) {
            Ok(frame) => Input::Packet(frame),
            Err((_, buffer)) => self.without(buffer, pool, Input::Malformed),
        }
    }

    fn without(&self, buffer: Vec<u8>, pool: &mut Pool, input: Input) -> Input {
        pool.give(buffer);
        input
    }

    /// Writes one packet.
    ///
    /// # Errors
    /// If the other side does not take it.
    pub fn write(&self, packet: &[u8]) -> io::Result<()> {
        write(&self.0, packet)?;
        Ok(())
    }

    /// Asks the emulator on the other side for an address.
    ///
    /// # Errors
    /// If it does not take the request.
    pub fn ask(&self) -> io::Result<()> {
        self.write(&[ATTACH])
    }

    /// Answers the emulator on the other side.
    ///
    /// # Errors
    /// If it does not take the answer.
    pub fn answer(&self, number: u32) -> io::Result<()> {
        let [a, b, c, d] = number.to_be_bytes();
        self.write(&[ATTACH, a, b, c, d])
    }
}

impl AsFd for Interface {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}
