//! The options of sockets: which the library obeys, which change nothing that a script can see, and which it leaves out.

use std::collections::BTreeMap;

use libc::{
    IPPROTO_IP, IPPROTO_TCP, SO_MARK, SO_PRIORITY, SO_RCVBUF, SO_RCVBUFFORCE, SO_REUSEADDR, SO_REUSEPORT,
    SO_SNDBUF, SO_SNDBUFFORCE, SO_TIMESTAMPING, SO_ZEROCOPY, SOL_SOCKET, TCP_CORK, TCP_INQ, TCP_MAXSEG,
    TCP_NODELAY,
};

use crate::messages::TIMED;

const FASTOPEN: [i32; 4] =
    [libc::TCP_FASTOPEN, libc::TCP_FASTOPEN_CONNECT, libc::TCP_FASTOPEN_KEY, libc::TCP_FASTOPEN_NO_COOKIE];

/// The largest buffer that a program may set: net.core.rmem_max and wmem_max of Linux 6.18.
const LARGEST: u32 = 4 << 20;

/// The options that a program has set, by level and name.
#[derive(Clone, Debug, Default)]
pub struct Options {
    values: BTreeMap<(i32, i32), Vec<u8>>,
}

impl Options {
    /// Keeps an option as the kernel keeps it.
    ///
    /// # Errors
    /// The name of one that is left out.
    pub fn set(&mut self, level: i32, name: i32, value: &[u8]) -> Result<(), String> {
        let value = match (level, name, value.try_into().map(i32::from_ne_bytes)) {
            // The kernel doubles what the program wants, up to a limit (socket(7)).
            (SOL_SOCKET, SO_SNDBUF | SO_RCVBUF | SO_SNDBUFFORCE | SO_RCVBUFFORCE, Ok(n)) => {
                (2 * n.cast_unsigned().min(LARGEST)).to_ne_bytes().to_vec()
            }
            (SOL_SOCKET, SO_TIMESTAMPING, Ok(bits)) if bits as u32 & !TIMED != 0 => {
                return Err(format!("SO_TIMESTAMPING with the bits {:#x}", bits as u32 & !TIMED));
            }
            (
                SOL_SOCKET,
                SO_REUSEADDR | SO_REUSEPORT | SO_MARK | SO_PRIORITY | SO_ZEROCOPY | SO_TIMESTAMPING,
                _,
            )
            | (IPPROTO_TCP, TCP_NODELAY | TCP_CORK | TCP_MAXSEG | TCP_INQ, _)
            // No router looks at the bit that IP_MTU_DISCOVER sets.
            | (IPPROTO_IP, libc::IP_FREEBIND | libc::IP_TOS | libc::IP_MTU_DISCOVER, _) => value.to_vec(),
            (IPPROTO_TCP, name, _) if FASTOPEN.contains(&name) => {
                return Err("TCP Fast Open (setsockopt)".to_owned());
            }
            _ => return Err(format!("setsockopt of {}", title(level, name))),
        };
        let name = match (level, name) {
            (SOL_SOCKET, SO_SNDBUFFORCE) => SO_SNDBUF,
            (SOL_SOCKET, SO_RCVBUFFORCE) => SO_RCVBUF,
            _ => name,
        };
        self.values.insert((level, name), value);
        Ok(())
    }

    /// The bytes of an option; four zeros if it was not set.
    pub fn bytes(&self, level: i32, name: i32) -> Vec<u8> {
        self.values.get(&(level, name)).cloned().unwrap_or_else(|| vec![0; 4])
    }

    /// The number of an option, if it was set to one.
    pub fn number(&self, level: i32, name: i32) -> Option<u32> {
        let value = self.values.get(&(level, name))?;
        Some(u32::from_ne_bytes(*value.first_chunk()?))
    }

    /// True if an option was set, and not to zero.
    pub fn is_on(&self, level: i32, name: i32) -> bool {
        self.number(level, name).is_some_and(|n| n != 0)
    }
}

/// An option as a reader of scripts knows it.
fn title(level: i32, name: i32) -> String {
    let known: &[(i32, i32, &str)] = &[
        (SOL_SOCKET, libc::SO_KEEPALIVE, "SO_KEEPALIVE"),
        (SOL_SOCKET, libc::SO_LINGER, "SO_LINGER"),
        (SOL_SOCKET, libc::SO_RCVLOWAT, "SO_RCVLOWAT"),
        (SOL_SOCKET, libc::SO_MAX_PACING_RATE, "SO_MAX_PACING_RATE"),
        (IPPROTO_TCP, libc::TCP_CONGESTION, "TCP_CONGESTION"),
        (IPPROTO_TCP, libc::TCP_KEEPIDLE, "TCP_KEEPIDLE"),
        (IPPROTO_TCP, libc::TCP_MD5SIG, "TCP_MD5SIG"),
        (IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, "TCP_NOTSENT_LOWAT"),
        (IPPROTO_TCP, libc::TCP_QUICKACK, "TCP_QUICKACK"),
        (IPPROTO_TCP, libc::TCP_REPAIR, "TCP_REPAIR"),
        (IPPROTO_TCP, libc::TCP_SYNCNT, "TCP_SYNCNT"),
        (IPPROTO_TCP, libc::TCP_USER_TIMEOUT, "TCP_USER_TIMEOUT"),
        (IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, "TCP_WINDOW_CLAMP"),
    ];
    let found = known.iter().find(|(l, n, _)| (*l, *n) == (level, name));
    found.map_or_else(|| format!("option {name} of level {level}"), |(_, _, title)| (*title).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_doubled_and_what_is_left_out_is_named() {
        let mut options = Options::default();
        let one = 1_i32.to_ne_bytes();
        assert_eq!(options.set(SOL_SOCKET, SO_RCVBUF, &10_000_i32.to_ne_bytes()), Ok(()));
        assert_eq!(options.number(SOL_SOCKET, SO_RCVBUF), Some(20_000));
        assert_eq!(options.bytes(SOL_SOCKET, SO_SNDBUF), [0; 4]);
        assert_eq!(options.set(SOL_SOCKET, SO_SNDBUF, &(-1_i32).to_ne_bytes()), Ok(()));
        assert_eq!(options.number(SOL_SOCKET, SO_SNDBUF), Some(8 << 20));
        assert_eq!(options.set(SOL_SOCKET, SO_ZEROCOPY, &one), Ok(()));
        assert!(options.is_on(SOL_SOCKET, SO_ZEROCOPY) && !options.is_on(IPPROTO_TCP, TCP_CORK));
        for (level, name, reason) in [
            (IPPROTO_TCP, libc::TCP_FASTOPEN, "TCP Fast Open (setsockopt)"),
            (IPPROTO_TCP, libc::TCP_USER_TIMEOUT, "setsockopt of TCP_USER_TIMEOUT"),
            (SOL_SOCKET, 999, "setsockopt of option 999 of level 1"),
        ] {
            assert_eq!(options.set(level, name, &one), Err(reason.to_owned()));
        }
    }
}
