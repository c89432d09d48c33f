//! TUN devices and their addresses: what `ip tuntap`, `ip address` and `ip link` do, without needing them.

#![allow(trivial_numeric_casts, reason = "numbers of the C library have other types in musl than in glibc")]

use std::fs::{self, OpenOptions};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};

/// The device that TUN devices are opened through.
pub const TUN: &str = "/dev/net/tun";

/// The name of the device in each namespace.
pub const DEVICE: &str = "dumbbell0";

/// Packets that the kernel holds for the emulator: enough for a burst of a large window between two wake-ups. What does
/// not fit is lost before the emulator, which counts it and calls the run invalid.
const TX_QUEUE: u32 = 10_000;

/// The end of an emulated path: what its device is called inside the namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// In 100.64.0.0/10, the space that RFC 6598 shares out among carriers: no route outside leads there.
    pub v4: Ipv4Addr,
    /// In fd64::/64, unique local (RFC 4193).
    pub v6: Ipv6Addr,
}

/// Bits of the network that all ends share.
const V4_NETMASK: Ipv4Addr = Ipv4Addr::new(255, 192, 0, 0);
const V6_PREFIX: u32 = 64;

/// A link with a smaller MTU carries no IPv6 (RFC 8200 section 5).
const V6_MIN_MTU: u32 = 1280;

impl Address {
    /// The end with this number: 1 is the server, 2 the client, more for shells within.
    pub fn numbered(n: u32) -> Address {
        let v4 = Ipv4Addr::from(u32::from(Ipv4Addr::new(100, 64, 0, 0)) | (n & 0x003f_ffff));
        let v6 = Ipv6Addr::from((0xfd64_u128 << 112) | u128::from(n));
        Address { v4, v6 }
    }

    /// The number of an address, given as its 4 or 16 bytes, if it is one of these.
    pub fn number(bytes: &[u8]) -> Option<u32> {
        let number = match bytes.len() {
            4 => u32::from_be_bytes(bytes.try_into().ok()?) & 0x003f_ffff,
            _ => u32::try_from(u128::from_be_bytes(bytes.try_into().ok()?) & u128::from(u64::MAX)).ok()?,
        };
        let here = Address::numbered(number);
        (bytes == here.v4.octets() || bytes == here.v6.octets()).then_some(number)
    }
}

/// Opens a TUN device in the network namespace of the caller. Reads and writes are single IP packets, complete with
/// checksums and no larger than the MTU: without `IFF_VNET_HDR` the kernel offers the device no offloads.
///
/// # Errors
/// If there is no TUN driver, or the caller may not administer its network.
pub fn open_tun() -> io::Result<OwnedFd> {
    let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(TUN)?;
    let mut request = request(DEVICE);
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as i16;
    ioctl(&file, libc::TUNSETIFF as _, &mut request)?;
    Ok(file.into())
}

/// Gives the device its MTU and addresses and brings it up, and the loopback device with it. What is sent from no
/// particular address has the first.
///
/// # Errors
/// If the kernel refuses. Where the kernel or the MTU allow no IPv6, its address is left out.
pub fn configure(addresses: &[Address], mtu: u32) -> io::Result<()> {
    let v4 = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
    let mut up = request("lo");
    up.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as i16;
    ioctl(&v4, libc::SIOCSIFFLAGS, &mut up)?;

    // No duplicate detection and no router solicitation: there is nobody else on the link, and what is measured should
    // be the user's traffic alone. The kernel may lack IPv6, or this setting.
    for (key, value) in [("accept_dad", "0"), ("router_solicitations", "0"), ("addr_gen_mode", "1")] {
        let _ = fs::write(format!("/proc/sys/net/ipv6/conf/{DEVICE}/{key}"), value);
    }
    let mut device = request(DEVICE);
    device.ifr_ifru.ifru_mtu = mtu.cast_signed();
    ioctl(&v4, libc::SIOCSIFMTU, &mut device)?;
    set_queue(nix::net::if_::if_nametoindex(DEVICE)?)?;
    for (i, address) in addresses.iter().enumerate() {
        // A request sets one address for each label: the name of the device alone, or with a colon and more.
        let label = if i == 0 { DEVICE.to_owned() } else { format!("{DEVICE}:{i}") };
        let mut labelled = request(&label);
        labelled.ifr_ifru.ifru_addr = sockaddr(address.v4);
        ioctl(&v4, libc::SIOCSIFADDR, &mut labelled)?;
        labelled.ifr_ifru.ifru_netmask = sockaddr(V4_NETMASK);
        ioctl(&v4, libc::SIOCSIFNETMASK, &mut labelled)?;
    }
    device.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as i16;
    ioctl(&v4, libc::SIOCSIFFLAGS, &mut device)?;

    if mtu < V6_MIN_MTU {
        return Ok(());
    }
    let Ok(v6) = socket(AddressFamily::Inet6, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None) else {
        return Ok(());
    };
    let index = nix::net::if_::if_nametoindex(DEVICE)?.cast_signed();
    // Of addresses that serve alike, the kernel chooses the one that it was given last.
    for address in addresses.iter().rev() {
        let mut addressed = libc::in6_ifreq {
            ifr6_addr: libc::in6_addr { s6_addr: address.v6.octets() },
            ifr6_prefixlen: V6_PREFIX,
            ifr6_ifindex: index,
        };
        ioctl(&v6, libc::SIOCSIFADDR, &mut addressed)?;
    }
    Ok(())
}

/// Sets the number of packets that the device queues, by a message of rtnetlink(7): the request of netdevice(7) is refused
/// to users who are superuser in their own namespace only.
fn set_queue(index: u32) -> io::Result<()> {
    const LENGTH: usize = 40;
    let mut message = Vec::with_capacity(LENGTH);
    // The header: length, type, flags, sequence, port.
    message.extend((LENGTH as u32).to_ne_bytes());
    message.extend(libc::RTM_NEWLINK.to_ne_bytes());
    message.extend(((libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16).to_ne_bytes());
    message.extend([0; 8]);
    // The link: family, padding, kind of device, index, flags, mask of changed flags.
    message.extend([0; 4]);
    message.extend(index.to_ne_bytes());
    message.extend([0; 8]);
    // One attribute: length, type, value.
    message.extend(8_u16.to_ne_bytes());
    message.extend(libc::IFLA_TXQLEN.to_ne_bytes());
    message.extend(TX_QUEUE.to_ne_bytes());
    let socket =
        socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkRoute)?;
    nix::unistd::write(&socket, &message)?;
    let mut answer = [0; 64];
    let length = nix::unistd::read(&socket, &mut answer)?;
    // The acknowledgement is a header and the number of an error, negative; 0 is success.
    match answer[..length].get(16..20).and_then(|code| Some(i32::from_ne_bytes(code.try_into().ok()?))) {
        Some(0) => Ok(()),
        Some(code) => Err(io::Error::from_raw_os_error(-code)),
        None => Err(io::Error::other("an answer that rtnetlink does not give")),
    }
}

/// What the kernel counted at the device of the caller's namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Packets that it handed to the emulator or took from it.
    pub packets: u64,
    /// Packets that it threw away because the emulator did not fetch them in time.
    pub lost_before_emulator: u64,
}

/// Reads the counters of the device.
///
/// # Errors
/// If the kernel does not list the device.
pub fn counters() -> io::Result<Counters> {
    let table = fs::read_to_string("/proc/self/net/dev")?;
    let row = table.lines().find_map(|line| line.trim_start().strip_prefix(DEVICE)?.strip_prefix(':'));
    // Eight columns for reception, the second of them packets, then bytes, packets, errors and drops of transmission.
    let columns: Vec<u64> = row.unwrap_or_default().split_whitespace().flat_map(str::parse).collect();
    match columns[..] {
        [_, received, _, _, _, _, _, _, _, sent, _, dropped, ..] => {
            Ok(Counters { packets: received + sent, lost_before_emulator: dropped })
        }
        _ => Err(io::Error::other(format!("no row of {DEVICE} in /proc/self/net/dev"))),
    }
}

fn request(name: &str) -> libc::ifreq {
    let mut ifr_name = [0; libc::IFNAMSIZ];
    ifr_name.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = libc::c_char::from_ne_bytes([from]));
    libc::ifreq { ifr_name, ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_metric: 0 } }
}

fn sockaddr(address: Ipv4Addr) -> libc::sockaddr {
    // `sockaddr_in` within the generic form: port, address, padding.
    let mut sa_data = [0; 14];
    sa_data[2..6]
        .iter_mut()
        .zip(address.octets())
        .for_each(|(to, from)| *to = libc::c_char::from_ne_bytes([from]));
    libc::sockaddr { sa_family: libc::AF_INET as u16, sa_data }
}

/// A request that passes a struct by reference.
#[expect(unsafe_code, reason = "requests without a safe form in any library")]
fn ioctl<T>(fd: &impl AsRawFd, number: libc::c_ulong, argument: &mut T) -> io::Result<()> {
    // SAFETY: every request used here reads or writes at most one `T`, which is borrowed for the time of the call.
    match unsafe { libc::ioctl(fd.as_raw_fd(), number as _, std::ptr::from_mut(argument)) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_numbers() {
        let client = Address::numbered(2);
        assert_eq!(client.v4, Ipv4Addr::new(100, 64, 0, 2));
        assert_eq!(client.v6.to_string(), "fd64::2");
        for n in [1, 2, 300, 0x003f_fffe] {
            let address = Address::numbered(n);
            assert_eq!(Address::number(&address.v4.octets()), Some(n));
            assert_eq!(Address::number(&address.v6.octets()), Some(n));
        }
        assert_eq!(Address::number(&[10, 0, 0, 1]), None);
        assert_eq!(Address::number(&[0; 16]), None);
    }
}
