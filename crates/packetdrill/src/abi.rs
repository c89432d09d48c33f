//! The table of functions that packetdrill calls, with the interface of C. Here alone are pointers: each function turns its
//! own into slices and numbers, and calls the stack.
//!
//! packetdrill runs calls that may block on a thread of their own. Virtual time stands still until such a thread, once woken,
//! has looked at the clock.

#![allow(trivial_numeric_casts, reason = "numbers of the C library have other types in musl than in glibc")]
#![allow(unsafe_code, reason = "a table of functions with pointers is what packetdrill asks for")]

use std::ffi::{CStr, c_char, c_int, c_long, c_longlong, c_ulong, c_void};
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use dumbbell_core::Duration;
use libc::{
    AF_INET, AF_INET6, EAFNOSUPPORT, EAGAIN, EFAULT, EINVAL, EMFILE, ENOSYS, epoll_event, iovec, msghdr,
    nfds_t, off_t, pollfd, size_t, sockaddr, sockaddr_in, socklen_t, ssize_t, timeval, useconds_t,
};

use crate::stack::{Result, Stack};
use crate::stream::How;
use crate::wire::Endpoint;

/// The stack, and who waits for it.
struct Machine {
    stack: Stack,
    /// The thread that runs the script.
    main: Option<ThreadId>,
    /// The address of this end.
    local: [u8; 4],
    /// Threads that wait.
    sleepers: u32,
    /// Those that have yet to look whether they may go on.
    looking: u32,
    /// Those that go on, and have yet to look at the clock.
    owing: u32,
}

static MACHINE: Mutex<Option<Machine>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();

/// The address of this end, unless packetdrill names another.
const LOCAL: [u8; 4] = [192, 168, 0, 1];

fn lock() -> MutexGuard<'static, Option<Machine>> {
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_main(machine: &Machine) -> bool {
    machine.main == Some(thread::current().id())
}

/// Does something to the machine.
fn with<T>(work: impl FnOnce(&mut Machine) -> Result<T>) -> Result<T> {
    lock().as_mut().map_or(Err(EINVAL), work)
}

/// Does something that may free a sleeping thread, and lets it go on first.
fn stir<T>(work: impl FnOnce(&mut Machine) -> T) -> Result<T> {
    let mut guard = lock();
    let Some(machine) = guard.as_mut() else { return Err(EINVAL) };
    let done = work(machine);
    if is_main(machine) && machine.sleepers > 0 {
        machine.looking = machine.sleepers;
        CHANGED.notify_all();
        drop(CHANGED.wait_while(guard, |m| m.as_ref().is_some_and(|m| m.looking + m.owing > 0)));
    }
    Ok(done)
}

/// Does something on a descriptor; on a thread that may sleep, waits until it can be done.
fn wait<T>(fd: c_int, mut work: impl FnMut(&mut Machine) -> Result<T>) -> Result<T> {
    let mut guard = lock();
    let mut slept = false;
    loop {
        let Some(machine) = guard.as_mut() else { return Err(EINVAL) };
        let done = work(machine);
        let blocks =
            done.as_ref().err() == Some(&EAGAIN) && !is_main(machine) && !machine.stack.is_nonblocking(fd)?;
        if slept {
            machine.sleepers -= 1;
            machine.looking = machine.looking.saturating_sub(1);
            machine.owing += u32::from(!blocks);
            CHANGED.notify_all();
        }
        if !blocks {
            return done;
        }
        machine.sleepers += 1;
        slept = true;
        guard = CHANGED
            .wait_while(guard, |m| m.as_ref().is_some_and(|m| m.looking == 0))
            .unwrap_or_else(PoisonError::into_inner);
    }
}

/// The result as C has it: -1 and `errno` for an error.
fn answer(result: Result<u64>) -> ssize_t {
    match result {
        Ok(n) => n.cast_signed() as ssize_t,
        Err(errno) => {
            // SAFETY: the place of errno of this thread is always valid.
            unsafe { *libc::__errno_location() = errno };
            -1
        }
    }
}

fn status(result: Result<()>) -> c_int {
    answer(result.map(|()| 0)) as c_int
}

/// A descriptor that the process may close whenever it wants.
fn new_descriptor() -> Result<c_int> {
    let file = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null");
    file.map(IntoRawFd::into_raw_fd).map_err(|_| EMFILE)
}

/// # Safety
/// `address` points to `len` bytes, or is null.
unsafe fn endpoint(address: *const sockaddr, len: socklen_t) -> Result<Endpoint> {
    if address.is_null() || (len as usize) < size_of::<sockaddr_in>() {
        return Err(EINVAL);
    }
    // SAFETY: it is long enough for this type; its alignment is not known.
    let address = unsafe { address.cast::<sockaddr_in>().read_unaligned() };
    if c_int::from(address.sin_family) != AF_INET {
        return Err(EAFNOSUPPORT);
    }
    Ok(Endpoint { address: address.sin_addr.s_addr.to_ne_bytes(), port: u16::from_be(address.sin_port) })
}

/// # Safety
/// `address` has room for `len` bytes, and `len` is valid; or one is null.
unsafe fn put_endpoint(from: Endpoint, address: *mut sockaddr, len: *mut socklen_t) {
    if address.is_null() || len.is_null() {
        return;
    }
    // SAFETY: sockaddr_in is made of numbers, for which zeros are valid.
    let mut value: sockaddr_in = unsafe { std::mem::zeroed() };
    value.sin_family = AF_INET as u16;
    value.sin_port = from.port.to_be();
    value.sin_addr.s_addr = u32::from_ne_bytes(from.address);
    // SAFETY: the caller says how much room there is.
    unsafe {
        let room = (*len as usize).min(size_of::<sockaddr_in>());
        std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), address.cast(), room);
        *len = size_of::<sockaddr_in>() as socklen_t;
    }
}

/// # Safety
/// `vectors` points to `count` vectors.
unsafe fn vectors<'a>(vectors: *const iovec, count: usize) -> &'a [iovec] {
    if vectors.is_null() {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(vectors, count) }
}

/// Refuses buffers that are nowhere.
fn check(buffers: &[iovec]) -> Result<usize> {
    let nowhere = buffers.iter().any(|v| v.iov_base.is_null() && v.iov_len > 0);
    if nowhere { Err(EFAULT) } else { Ok(buffers.iter().map(|v| v.iov_len).sum()) }
}

fn read_into(fd: c_int, into: &[iovec], flags: c_int) -> ssize_t {
    let bytes =
        check(into).and_then(|room| wait(fd, |m| m.stack.read(fd, room, flags & libc::MSG_PEEK != 0)));
    answer(bytes.map(|bytes| {
        let mut rest = bytes.as_slice();
        for vector in into {
            let (now, later) = rest.split_at(rest.len().min(vector.iov_len));
            // SAFETY: the vector has room for so many bytes: its maker says so.
            unsafe { std::ptr::copy_nonoverlapping(now.as_ptr(), vector.iov_base.cast(), now.len()) };
            rest = later;
        }
        bytes.len() as u64
    }))
}

/// Pieces of memory that one packet of Linux holds: MAX_SKB_FRAGS. Data that is not copied begins a new packet after so many.
const PIECES: usize = 17;
/// Flags of send(2) that are obeyed, or change nothing here.
const SENDS: c_int =
    libc::MSG_MORE | libc::MSG_EOR | libc::MSG_ZEROCOPY | libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;

fn write_from(fd: c_int, from: &[iovec], flags: c_int) -> ssize_t {
    let has = |flag| flags & flag != 0;
    let how =
        How { more: has(libc::MSG_MORE), ends_record: has(libc::MSG_EOR), copied: has(libc::MSG_ZEROCOPY) };
    let left_out = match flags & !SENDS {
        0 => None,
        others if others & libc::MSG_FASTOPEN != 0 => Some("TCP Fast Open (MSG_FASTOPEN)".to_owned()),
        others => Some(format!("flags {others:#x} of send")),
    }
    .or_else(|| {
        (how.copied && from.len() > PIECES).then(|| "packets of many pieces (MSG_ZEROCOPY)".to_owned())
    });
    if let Some(what) = left_out {
        return answer(with(|m| {
            m.stack.lack(what);
            Err(libc::EOPNOTSUPP)
        }));
    }
    answer(check(from).and_then(|bytes| wait(fd, |m| m.stack.write(fd, bytes as u64, how))))
}

/// What is written is never looked at.
fn write_one(fd: c_int, bytes: *const c_void, len: size_t, flags: c_int) -> ssize_t {
    write_from(fd, &[iovec { iov_base: bytes.cast_mut(), iov_len: len }], flags)
}

/// A call that nothing here stands in for.
fn left_out(what: &str) -> c_int {
    status(with(|m| {
        m.stack.lack(what);
        Err(ENOSYS)
    }))
}

extern "C" fn free(_: *mut c_void) {}

extern "C" fn socket(_: *mut c_void, domain: c_int, _kind: c_int, _protocol: c_int) -> c_int {
    if domain != AF_INET {
        return status(with(|m| {
            m.stack.lack(if domain == AF_INET6 { "IPv6" } else { "sockets that are not of IPv4" });
            Err(EAFNOSUPPORT)
        }));
    }
    let fd = new_descriptor().and_then(|fd| with(|m| m.stack.open(fd)).map(|()| fd));
    answer(fd.map(|fd| fd as u64)) as c_int
}

unsafe extern "C" fn bind(_: *mut c_void, fd: c_int, address: *const sockaddr, len: socklen_t) -> c_int {
    // SAFETY: bind(2) promises it.
    let local = unsafe { endpoint(address, len) };
    status(local.and_then(|local| with(|m| m.stack.bind(fd, local))))
}

extern "C" fn listen(_: *mut c_void, fd: c_int, _backlog: c_int) -> c_int {
    status(with(|m| m.stack.listen(fd)))
}

unsafe extern "C" fn accept(_: *mut c_void, fd: c_int, address: *mut sockaddr, len: *mut socklen_t) -> c_int {
    let accepted = new_descriptor().and_then(|new| match wait(fd, |m| m.stack.accept(fd, new)) {
        Ok(peer) => Ok((new, peer)),
        Err(errno) => {
            close_descriptor(new);
            Err(errno)
        }
    });
    answer(accepted.map(|(new, peer)| {
        // SAFETY: accept(2) promises it.
        unsafe { put_endpoint(peer, address, len) };
        new as u64
    })) as c_int
}

unsafe extern "C" fn connect(_: *mut c_void, fd: c_int, address: *const sockaddr, len: socklen_t) -> c_int {
    // SAFETY: connect(2) promises it.
    let remote = unsafe { endpoint(address, len) };
    status(remote.and_then(|remote| wait(fd, |m| m.stack.connect(fd, m.local, remote))))
}

unsafe extern "C" fn read(_: *mut c_void, fd: c_int, buffer: *mut c_void, len: size_t) -> ssize_t {
    read_into(fd, &[iovec { iov_base: buffer, iov_len: len }], 0)
}

unsafe extern "C" fn readv(_: *mut c_void, fd: c_int, into: *const iovec, count: c_int) -> ssize_t {
    // SAFETY: readv(2) promises it.
    read_into(fd, unsafe { vectors(into, count.max(0) as usize) }, 0)
}

unsafe extern "C" fn recv(
    _: *mut c_void,
    fd: c_int,
    buffer: *mut c_void,
    len: size_t,
    flags: c_int,
) -> ssize_t {
    read_into(fd, &[iovec { iov_base: buffer, iov_len: len }], flags)
}

unsafe extern "C" fn recvfrom(
    _: *mut c_void,
    fd: c_int,
    buffer: *mut c_void,
    len: size_t,
    flags: c_int,
    _from: *mut sockaddr,
    _from_len: *mut socklen_t,
) -> ssize_t {
    read_into(fd, &[iovec { iov_base: buffer, iov_len: len }], flags)
}

unsafe extern "C" fn recvmsg(_: *mut c_void, fd: c_int, message: *mut msghdr, flags: c_int) -> ssize_t {
    // SAFETY: recvmsg(2) promises a message.
    let message = unsafe { &mut *message };
    if flags & libc::MSG_ERRQUEUE != 0 {
        return answer(with(|m| m.stack.report(fd)).map(|(flags, control)| {
            message.msg_flags = flags;
            // SAFETY: as above.
            unsafe { put_control(message, &control) };
            0
        }));
    }
    // SAFETY: recvmsg(2) promises the vectors.
    let read = read_into(fd, unsafe { vectors(message.msg_iov, message.msg_iovlen as _) }, flags);
    if read >= 0 {
        message.msg_flags = 0;
        let control = with(|m| m.stack.ancillary(fd)).unwrap_or_default();
        // SAFETY: as above.
        unsafe { put_control(message, &control) };
    }
    read
}

/// Writes ancillary messages, as far as there is room.
///
/// # Safety
/// The message has room for as many bytes as it says.
unsafe fn put_control(message: &mut msghdr, control: &[u8]) {
    let room = if message.msg_control.is_null() { 0 } else { message.msg_controllen as _ };
    let n = control.len().min(room);
    // SAFETY: there is room for so many.
    unsafe { std::ptr::copy_nonoverlapping(control.as_ptr(), message.msg_control.cast(), n) };
    message.msg_controllen = n as _;
}

extern "C" fn write(_: *mut c_void, fd: c_int, bytes: *const c_void, len: size_t) -> ssize_t {
    write_one(fd, bytes, len, 0)
}

unsafe extern "C" fn writev(_: *mut c_void, fd: c_int, from: *const iovec, count: c_int) -> ssize_t {
    // SAFETY: writev(2) promises it.
    let from = unsafe { vectors(from, count.max(0) as usize) };
    write_from(fd, from, 0)
}

extern "C" fn send(_: *mut c_void, fd: c_int, bytes: *const c_void, len: size_t, flags: c_int) -> ssize_t {
    write_one(fd, bytes, len, flags)
}

extern "C" fn sendto(
    _: *mut c_void,
    fd: c_int,
    bytes: *const c_void,
    len: size_t,
    flags: c_int,
    _to: *const sockaddr,
    _to_len: socklen_t,
) -> ssize_t {
    write_one(fd, bytes, len, flags)
}

unsafe extern "C" fn sendmsg(_: *mut c_void, fd: c_int, message: *const msghdr, flags: c_int) -> ssize_t {
    // SAFETY: sendmsg(2) promises both.
    let from = unsafe { vectors((*message).msg_iov, (*message).msg_iovlen as _) };
    write_from(fd, from, flags)
}

/// packetdrill declares it with a variable number of arguments; where one is passed, it stands in the same register.
extern "C" fn fcntl(_: *mut c_void, fd: c_int, command: c_int, argument: c_long) -> c_int {
    match command {
        libc::F_GETFL => {
            let flags = with(|m| m.stack.is_nonblocking(fd));
            answer(flags.map(|n| (libc::O_RDWR | if n { libc::O_NONBLOCK } else { 0 }) as u64)) as c_int
        }
        libc::F_SETFL => {
            let nonblocking = argument as c_int & libc::O_NONBLOCK != 0;
            status(with(|m| m.stack.set_nonblocking(fd, nonblocking)))
        }
        _ => left_out("this command of fcntl"),
    }
}

/// See [`fcntl`].
unsafe extern "C" fn ioctl(_: *mut c_void, fd: c_int, request: c_ulong, argument: *mut c_int) -> c_int {
    let queued = match request as libc::Ioctl {
        libc::FIONREAD => with(|m| m.stack.queued(fd)).map(|q| q.0),
        libc::TIOCOUTQ => with(|m| m.stack.queued(fd)).map(|q| q.1),
        _ => return left_out("this request of ioctl"),
    };
    status(queued.map(|n| {
        // SAFETY: both requests write one int (tcp(7)).
        unsafe { argument.write_unaligned(n as c_int) };
    }))
}

fn close_descriptor(fd: c_int) {
    // SAFETY: the descriptor came from `new_descriptor`, and nothing else owns it.
    drop(unsafe { OwnedFd::from_raw_fd(fd) });
}

extern "C" fn close(_: *mut c_void, fd: c_int) -> c_int {
    let closed = with(|m| m.stack.close(fd));
    if closed.is_ok() {
        close_descriptor(fd);
    }
    status(closed)
}

extern "C" fn shutdown(_: *mut c_void, fd: c_int, how: c_int) -> c_int {
    status(with(|m| m.stack.shut_down(fd, how)))
}

/// # Safety
/// `value` has room for `len` bytes.
unsafe fn option(fd: c_int, level: c_int, name: c_int, value: *mut c_void, len: *mut socklen_t) -> c_int {
    if value.is_null() || len.is_null() {
        return status(Err(EFAULT));
    }
    // SAFETY: the caller says so.
    let room = unsafe { *len } as usize;
    status(with(|m| m.stack.option(fd, level, name, room)).map(|bytes| {
        // SAFETY: as above; there are no more bytes than room.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), value.cast(), bytes.len());
            *len = bytes.len() as socklen_t;
        }
    }))
}

unsafe extern "C" fn table_getsockopt(
    _: *mut c_void,
    fd: c_int,
    level: c_int,
    name: c_int,
    value: *mut c_void,
    len: *mut socklen_t,
) -> c_int {
    // SAFETY: getsockopt(2) promises it.
    unsafe { option(fd, level, name, value, len) }
}

unsafe extern "C" fn setsockopt(
    _: *mut c_void,
    fd: c_int,
    level: c_int,
    name: c_int,
    value: *const c_void,
    len: socklen_t,
) -> c_int {
    let bytes = if value.is_null() {
        &[]
    } else {
        // SAFETY: setsockopt(2) promises it.
        unsafe { std::slice::from_raw_parts(value.cast::<u8>(), len as usize) }
    };
    status(with(|m| m.stack.set_option(fd, level, name, bytes)))
}

unsafe extern "C" fn poll(_: *mut c_void, fds: *mut pollfd, count: nfds_t, _timeout: c_int) -> c_int {
    if fds.is_null() {
        return 0;
    }
    // SAFETY: poll(2) promises it.
    let fds = unsafe { std::slice::from_raw_parts_mut(fds, count as usize) };
    let ready = with(|m| {
        for entry in &mut *fds {
            let events = m.stack.events(entry.fd).unwrap_or(libc::POLLNVAL);
            entry.revents = events & (entry.events | libc::POLLERR | libc::POLLHUP | libc::POLLNVAL);
        }
        Ok(fds.iter().filter(|entry| entry.revents != 0).count() as u64)
    });
    answer(ready) as c_int
}

unsafe extern "C" fn netdev_send(_: *mut c_void, packet: *const c_void, len: size_t) -> c_int {
    // SAFETY: packetdrill passes a packet of this length.
    let packet = unsafe { std::slice::from_raw_parts(packet.cast::<u8>(), len) };
    status(stir(|m| m.stack.deliver(packet)))
}

unsafe extern "C" fn netdev_receive(
    _: *mut c_void,
    buffer: *mut c_void,
    len: *mut size_t,
    micros: *mut c_longlong,
) -> c_int {
    let Ok(packet) = stir(|m| m.stack.receive()) else { return -1 };
    // A packet of no length says that none will ever come: for -1, packetdrill would ask again.
    let (at, bytes) = packet.unwrap_or_default();
    // SAFETY: packetdrill passes a buffer of `len` bytes, and places for both numbers.
    unsafe {
        let n = bytes.len().min(*len);
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.cast(), n);
        *len = n;
        *micros = (at.as_nanos() / 1_000).cast_signed();
    }
    0
}

/// The time that is left when packetdrill stops to sleep and begins to spin.
const SPINS: useconds_t = 20;

extern "C" fn usleep(_: *mut c_void, micros: useconds_t) -> c_int {
    let time = Duration::from_micros(u64::from(micros.saturating_add(SPINS)));
    status(stir(|m| m.stack.pass(time)))
}

unsafe extern "C" fn gettimeofday(_: *mut c_void, time: *mut timeval, _zone: *mut c_void) -> c_int {
    let now = with(|m| {
        if !is_main(m) && m.owing > 0 {
            m.owing -= 1;
            CHANGED.notify_all();
        }
        Ok(m.stack.look())
    });
    status(now.map(|now| {
        let micros = now.as_nanos() / 1_000;
        if !time.is_null() {
            // SAFETY: gettimeofday(2) promises a place.
            unsafe {
                (*time).tv_sec = (micros / 1_000_000).cast_signed();
                (*time).tv_usec = (micros % 1_000_000).cast_signed();
            }
        }
    }))
}

extern "C" fn epoll_create(_: *mut c_void, _size: c_int) -> c_int {
    let fd = new_descriptor().and_then(|fd| {
        with(|m| {
            m.stack.add_epoll(fd);
            Ok(fd as u64)
        })
    });
    answer(fd) as c_int
}

unsafe extern "C" fn epoll_ctl(
    _: *mut c_void,
    epoll: c_int,
    op: c_int,
    fd: c_int,
    event: *mut epoll_event,
) -> c_int {
    let (mask, data) = if event.is_null() {
        (0, 0)
    } else {
        // SAFETY: epoll_ctl(2) promises an event.
        let event = unsafe { event.read_unaligned() };
        (event.events, event.u64)
    };
    status(with(|m| m.stack.control_epoll(epoll, op, fd, mask, data)))
}

unsafe extern "C" fn epoll_wait(
    _: *mut c_void,
    epoll: c_int,
    events: *mut epoll_event,
    most: c_int,
    _timeout: c_int,
) -> c_int {
    let found = with(|m| m.stack.take_events(epoll, most.max(0) as usize));
    answer(found.map(|found| {
        for (i, (mask, data)) in found.iter().enumerate() {
            // SAFETY: epoll_wait(2) promises room for `most` events, and there are no more.
            unsafe { events.add(i).write_unaligned(epoll_event { events: *mask, u64: *data }) };
        }
        found.len() as u64
    })) as c_int
}

extern "C" fn pipe(_: *mut c_void, _fds: *mut c_int) -> c_int {
    left_out("pipe and splice")
}

extern "C" fn splice(
    _: *mut c_void,
    _from: c_int,
    _from_at: *mut c_void,
    _to: c_int,
    _to_at: *mut c_void,
    _len: size_t,
    _flags: u32,
) -> ssize_t {
    left_out("pipe and splice") as ssize_t
}

macro_rules! table {
    ( $( $slot:ident = $function:ident: $type:ty ),+ $(,)? ) => {
        /// The table, in the order of packetdrill's.
        #[repr(C)]
        pub struct Table {
            userdata: *mut c_void,
            $( $slot: $type ),+
        }

        impl Table {
            const OURS: Table = Table { userdata: std::ptr::null_mut(), $( $slot: $function ),+ };
        }
    };
}

type User = *mut c_void;

table! {
    free = free: extern "C" fn(User),
    socket = socket: extern "C" fn(User, c_int, c_int, c_int) -> c_int,
    bind = bind: unsafe extern "C" fn(User, c_int, *const sockaddr, socklen_t) -> c_int,
    listen = listen: extern "C" fn(User, c_int, c_int) -> c_int,
    accept = accept: unsafe extern "C" fn(User, c_int, *mut sockaddr, *mut socklen_t) -> c_int,
    connect = connect: unsafe extern "C" fn(User, c_int, *const sockaddr, socklen_t) -> c_int,
    read = read: unsafe extern "C" fn(User, c_int, *mut c_void, size_t) -> ssize_t,
    readv = readv: unsafe extern "C" fn(User, c_int, *const iovec, c_int) -> ssize_t,
    recv = recv: unsafe extern "C" fn(User, c_int, *mut c_void, size_t, c_int) -> ssize_t,
    recvfrom = recvfrom:
        unsafe extern "C" fn(User, c_int, *mut c_void, size_t, c_int, *mut sockaddr, *mut socklen_t) -> ssize_t,
    recvmsg = recvmsg: unsafe extern "C" fn(User, c_int, *mut msghdr, c_int) -> ssize_t,
    write = write: extern "C" fn(User, c_int, *const c_void, size_t) -> ssize_t,
    writev = writev: unsafe extern "C" fn(User, c_int, *const iovec, c_int) -> ssize_t,
    send = send: extern "C" fn(User, c_int, *const c_void, size_t, c_int) -> ssize_t,
    sendto = sendto:
        extern "C" fn(User, c_int, *const c_void, size_t, c_int, *const sockaddr, socklen_t) -> ssize_t,
    sendmsg = sendmsg: unsafe extern "C" fn(User, c_int, *const msghdr, c_int) -> ssize_t,
    fcntl = fcntl: extern "C" fn(User, c_int, c_int, c_long) -> c_int,
    ioctl = ioctl: unsafe extern "C" fn(User, c_int, c_ulong, *mut c_int) -> c_int,
    close = close: extern "C" fn(User, c_int) -> c_int,
    shutdown = shutdown: extern "C" fn(User, c_int, c_int) -> c_int,
    getsockopt = table_getsockopt:
        unsafe extern "C" fn(User, c_int, c_int, c_int, *mut c_void, *mut socklen_t) -> c_int,
    setsockopt = setsockopt: unsafe extern "C" fn(User, c_int, c_int, c_int, *const c_void, socklen_t) -> c_int,
    poll = poll: unsafe extern "C" fn(User, *mut pollfd, nfds_t, c_int) -> c_int,
    netdev_send = netdev_send: unsafe extern "C" fn(User, *const c_void, size_t) -> c_int,
    netdev_receive = netdev_receive:
        unsafe extern "C" fn(User, *mut c_void, *mut size_t, *mut c_longlong) -> c_int,
    usleep = usleep: extern "C" fn(User, useconds_t) -> c_int,
    gettimeofday = gettimeofday: unsafe extern "C" fn(User, *mut timeval, *mut c_void) -> c_int,
    epoll_create = epoll_create: extern "C" fn(User, c_int) -> c_int,
    epoll_ctl = epoll_ctl: unsafe extern "C" fn(User, c_int, c_int, c_int, *mut epoll_event) -> c_int,
    epoll_wait = epoll_wait: unsafe extern "C" fn(User, c_int, *mut epoll_event, c_int, c_int) -> c_int,
    pipe = pipe: extern "C" fn(User, *mut c_int) -> c_int,
    splice = splice:
        extern "C" fn(User, c_int, *mut c_void, c_int, *mut c_void, size_t, u32) -> ssize_t,
}

/// Fills packetdrill's table. `flags` may name the address of this end.
///
/// # Safety
/// `table` points to a table of packetdrill; `flags` to a text, or it is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn packetdrill_interface_init(flags: *const c_char, table: *mut Table) {
    let named = if flags.is_null() {
        None
    } else {
        // SAFETY: the caller says so.
        unsafe { CStr::from_ptr(flags) }
            .to_str()
            .ok()
            .and_then(|text| text.parse::<std::net::Ipv4Addr>().ok())
    };
    *lock() = Some(Machine {
        stack: Stack::default(),
        main: Some(thread::current().id()),
        local: named.map_or(LOCAL, |address| address.octets()),
        sleepers: 0,
        looking: 0,
        owing: 0,
    });
    // The commands of the script need no sockets of ours.
    // SAFETY: packetdrill has one thread when it loads a library.
    unsafe { std::env::remove_var("LD_PRELOAD") };
    // SAFETY: the caller says so.
    unsafe { table.write(Table::OURS) };
}

/// Stands in for the function of libc, which packetdrill asks for TCP_INFO without regard to the table. Others' descriptors
/// go to the kernel.
///
/// # Safety
/// As getsockopt(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getsockopt(
    fd: c_int,
    level: c_int,
    name: c_int,
    value: *mut c_void,
    len: *mut socklen_t,
) -> c_int {
    if with(|m| Ok(m.stack.owns(fd))).unwrap_or(false) {
        // SAFETY: as getsockopt(2).
        return unsafe { option(fd, level, name, value, len) };
    }
    // SAFETY: as getsockopt(2).
    unsafe { libc::syscall(libc::SYS_getsockopt, fd, level, name, value, len) as c_int }
}

/// Stands in for the function of libc, which packetdrill calls itself. Others' descriptors go to the kernel.
///
/// # Safety
/// As sendfile(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sendfile(to: c_int, from: c_int, offset: *mut off_t, count: size_t) -> ssize_t {
    if with(|m| Ok(m.stack.owns(to))).unwrap_or(false) {
        return left_out("sendfile") as ssize_t;
    }
    // SAFETY: as sendfile(2).
    unsafe { libc::syscall(libc::SYS_sendfile, to, from, offset, count) as ssize_t }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{LOCAL as HERE, REMOTE, peer};
    use crate::wire::{Segment, flag};

    #[test]
    fn buffers_that_are_nowhere_are_refused() {
        let mut four = [0_u8; 4];
        let place = iovec { iov_base: four.as_mut_ptr().cast(), iov_len: 4 };
        let nowhere = iovec { iov_base: std::ptr::null_mut(), iov_len: 4 };
        assert_eq!(check(&[place, place]), Ok(8));
        assert_eq!(check(&[iovec { iov_len: 0, ..nowhere }]), Ok(0));
        assert_eq!(check(&[place, nowhere]), Err(EFAULT));
    }

    #[test]
    fn a_blocking_call_sleeps_on_its_own_thread() {
        let user = std::ptr::null_mut();
        let mut table = std::mem::MaybeUninit::<Table>::uninit();
        // SAFETY: both point to what they should.
        let table = unsafe {
            packetdrill_interface_init(std::ptr::null(), table.as_mut_ptr());
            table.assume_init()
        };
        let fd = (table.socket)(user, AF_INET, libc::SOCK_STREAM, 0);
        let clock = || {
            let mut time = timeval { tv_sec: 0, tv_usec: 0 };
            // SAFETY: there is a place for the time.
            assert_eq!(unsafe { gettimeofday(std::ptr::null_mut(), &raw mut time, std::ptr::null_mut()) }, 0);
            time.tv_sec * 1_000_000 + time.tv_usec
        };
        let other = thread::spawn(move || {
            // SAFETY: sockaddr_in is made of numbers.
            let mut to: sockaddr_in = unsafe { std::mem::zeroed() };
            to.sin_family = AF_INET as u16;
            to.sin_port = REMOTE.port.to_be();
            to.sin_addr.s_addr = u32::from_ne_bytes(REMOTE.address);
            let len = size_of::<sockaddr_in>() as socklen_t;
            // SAFETY: the address is as long as it says.
            let done = unsafe { connect(std::ptr::null_mut(), fd, (&raw const to).cast(), len) };
            (done, clock())
        });
        let mut buffer = [0_u8; 200];
        let syn = loop {
            let (mut len, mut at) = (buffer.len(), 0);
            // SAFETY: the buffer has so many bytes.
            unsafe { netdev_receive(user, buffer.as_mut_ptr().cast(), &raw mut len, &raw mut at) };
            if let Some(syn) = Segment::parse(&buffer[..len]) {
                break syn;
            }
            thread::yield_now();
        };
        assert_eq!((syn.flags, syn.from.address, syn.to), (flag::SYN, HERE.address, REMOTE));
        assert_eq!(usleep(user, 10_000), 0);
        let answer = Segment { to: syn.from, ..peer(flag::SYN | flag::ACK, 0, syn.seq + 1) }.to_bytes();
        // SAFETY: the packet has so many bytes.
        assert_eq!(unsafe { netdev_send(user, answer.as_ptr().cast(), answer.len()) }, 0);
        // Time has stood still meanwhile.
        assert_eq!(usleep(user, 1_000_000), 0);
        let (done, at) = other.join().expect("the thread ends");
        assert_eq!(done, 0);
        assert!((10_000..11_000).contains(&at), "{at} us");
        assert_eq!(close(user, fd), 0);
    }
}
