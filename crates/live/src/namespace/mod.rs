//! One end of an emulated path: a network namespace with a TUN device and one command in it.
//!
//! Four processes stand in a row. The *emulator* forks a *waiter*, which enters new namespaces for users, processes,
//! mounts and the network, and forks their *first process*. That one makes the device, hands it to the emulator over a
//! socket, and starts the *command* when told to. No root is needed where the kernel lets users make namespaces.
//!
//! Nothing stays behind. The device lives as long as the emulator's descriptor, the namespaces as long as their
//! processes, and the kernel kills all processes of a process namespace with its first. The first process ends
//! when the command ends, or when its socket closes because the emulator has ended or was killed.

pub mod device;
pub(crate) mod nest;
pub mod waiting;

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use caps::{CapSet, Capability};
use dumbbell_core::ConfigError;
use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{SigHandler, SigSet, Signal, kill, signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, recvmsg, sendmsg,
    socketpair,
};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, execvpe, fork, getgid, getuid};

use self::device::Address;
use self::waiting::{Waited, Watch};
use crate::clock::precise;

/// How long a server may take to open its first port before the command starts all the same.
const SERVER_PATIENCE: Duration = Duration::from_secs(5);

/// Time between two looks whether it has.
const WATCH_PORTS: Duration = Duration::from_millis(10);

/// Longest time from the request to end until a server ends.
const PATIENCE_AT_END: Duration = Duration::from_secs(2);

/// A command for a namespace.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program and its arguments.
    pub arguments: Vec<CString>,
    /// The whole environment, `KEY=value`.
    pub environment: Vec<CString>,
    /// Keep the capabilities over the namespace's own network: to choose any congestion control, to capture packets.
    pub network_administration: bool,
    /// Leave it the priority that it inherits.
    pub keep_priority: bool,
    /// The congestion controller that TCP of its namespace has by default; that of the system if none.
    pub controller: Option<String>,
}

/// What a namespace is to hold.
#[derive(Clone, Debug)]
pub struct Inside {
    /// The addresses of its device; packets that choose none have the first.
    pub addresses: Vec<Address>,
    /// The MTU of its device.
    pub mtu: u32,
    /// What to run in it; nothing for a server that only answers.
    pub command: Option<Command>,
    /// This is the client: other emulators may attach to it, and its end is that of the run. A server stays after its
    /// command, until it receives the request to finish.
    pub client: bool,
}

/// What the first process of a namespace has to tell.
#[derive(Clone, Debug)]
pub enum News {
    /// The server has opened a port, or will not.
    Listening {
        /// The exit status of a command that has ended instead, if it is not 0.
        failed: Option<u8>,
    },
    /// The command has ended.
    Exited {
        /// Its exit status; 128 and the signal's number if a signal ended it.
        status: u8,
        /// Packets lost on their way from the kernel to the emulator.
        lost: u64,
        /// How long its processes waited for a processor; none if the system keeps no account of that, or the namespace was
        /// killed.
        waited: Option<Box<Waited>>,
    },
}

/// A namespace, as the emulator holds it.
#[derive(Debug)]
pub struct End {
    socket: OwnedFd,
    /// Packets that leave the namespace are read here; those written arrive in it.
    pub device: OwnedFd,
    /// Where other emulators ask to be attached.
    pub door: Option<OwnedFd>,
    waiter: Pid,
}

const UNMAPPED: u8 = b'u';
const MAPPED: u8 = b'm';
const READY: u8 = b'r';
const REFUSED: u8 = b'e';
const LISTENING: u8 = b'l';
const EXITED: u8 = b'x';
const START: u8 = b's';
const FINISH: u8 = b'f';

/// Bytes of the longest message: a full histogram of waits.
pub(crate) const LONGEST_NEWS: usize = 80 << 10;

impl End {
    /// Makes a namespace. Its command waits for [`End::start`].
    ///
    /// # Errors
    /// What the kernel does not allow or lacks.
    pub fn create(inside: &Inside) -> Result<End, ConfigError> {
        let (ours, theirs) =
            socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)
                .map_err(|e| refusal("a socket", e.into(), "close some programs"))?;
        let waiter =
            match fork_process().map_err(|e| refusal("a process", e.into(), "close some programs"))? {
                ForkResult::Child => wait_for_first(inside, theirs),
                ForkResult::Parent { child } => child,
            };
        drop(theirs);
        let mut buffer = [0; 512];
        let (mut length, mut descriptors) = receive(&ours, &mut buffer).unwrap_or_default();
        if buffer[..length] == [UNMAPPED] {
            // A failure shows in what the namespace then does.
            let _ = map_ids(waiter, inside.command.as_ref().is_some_and(|c| c.network_administration));
            send(&ours, &[MAPPED], &[]);
            (length, descriptors) = receive(&ours, &mut buffer).unwrap_or_default();
        }
        match buffer[..length].split_first() {
            Some((&READY, _)) if !descriptors.is_empty() => {
                let device = descriptors.remove(0);
                Ok(End { socket: ours, device, door: descriptors.pop(), waiter })
            }
            answer => {
                drop(ours);
                reap(waiter);
                let text =
                    answer.map_or(String::new(), |(_, text)| String::from_utf8_lossy(text).into_owned());
                let (message, remedy) = text
                    .split_once("; ")
                    .unwrap_or(("the namespace ended while it was made", "see `dumbbell doctor`"));
                Err(ConfigError::new("", message, remedy))
            }
        }
    }

    /// Starts the command.
    pub fn start(&self) {
        self.tell(START);
    }

    /// Ends the command, if it still runs; [`News::Exited`] follows.
    pub fn finish(&self) {
        self.tell(FINISH);
    }

    fn tell(&self, what: u8) {
        // If nobody listens any more, [`End::news`] will say so.
        let _ = sendmsg::<()>(
            self.socket.as_raw_fd(),
            &[io::IoSlice::new(&[what])],
            &[],
            MsgFlags::MSG_NOSIGNAL,
            None,
        );
    }

    /// Reads the next piece of news; waits for it. If the namespace is gone, the command was killed with it.
    pub fn news(&self) -> News {
        let mut buffer = vec![0; LONGEST_NEWS];
        let length = receive(&self.socket, &mut buffer).map_or(0, |(length, _)| length);
        match &buffer[..length] {
            [LISTENING, status @ ..] => {
                News::Listening { failed: status.first().copied().filter(|status| *status != 0) }
            }
            [EXITED, status, a, b, c, d, e, f, g, h, waited @ ..] => News::Exited {
                status: *status,
                lost: u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
                waited: Waited::from_bytes(waited).map(Box::new),
            },
            _ => News::Exited { status: 128 + Signal::SIGKILL as u8, lost: 0, waited: None },
        }
    }
}

impl AsFd for End {
    /// Readable when there is news.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for End {
    fn drop(&mut self) {
        // The hang-up is what ends the namespace.
        let _ = nix::sys::socket::shutdown(self.socket.as_raw_fd(), nix::sys::socket::Shutdown::Both);
        reap(self.waiter);
    }
}

fn refusal(what: &str, e: io::Error, remedy: &str) -> ConfigError {
    ConfigError::new("", format!("cannot make {what} ({e})"), remedy)
}

/// Gives numbers to the users of the namespace that a process has made. Each keeps its number, so that files belong to whom
/// they did: the user who started the emulator, or, for programs that begin as the superuser and go on as somebody else,
/// all of them, where there is a right to that.
fn map_ids(process: Pid, everybody: bool) -> io::Result<()> {
    let write = |file: &str, text: String| fs::write(format!("/proc/{process}/{file}"), text);
    if everybody && write("uid_map", format!("0 0 {}", u32::MAX)).is_ok() {
        return write("gid_map", format!("0 0 {}", u32::MAX));
    }
    let (user, group) = (getuid(), getgid());
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("{user} {user} 1"))?;
    write("gid_map", format!("{group} {group} 1"))
}

fn reap(pid: Pid) {
    while waitpid(pid, None) == Err(Errno::EINTR) {}
}

#[expect(unsafe_code, reason = "fork has no safe form")]
fn fork_process() -> nix::Result<ForkResult> {
    // SAFETY: the child shares no lock with other threads. Those of the numeric libraries of Python idle and hold none
    // that it takes; the allocator of the C library is usable after a fork.
    unsafe { fork() }
}

fn receive(socket: &OwnedFd, buffer: &mut [u8]) -> nix::Result<(usize, Vec<OwnedFd>)> {
    let mut space = nix::cmsg_space!([RawFd; 2]);
    loop {
        let mut parts = [io::IoSliceMut::new(buffer)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        match recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags) {
            Err(Errno::EINTR) => {}
            Err(e) => return Err(e),
            Ok(message) => {
                let mut descriptors = Vec::new();
                for part in message.cmsgs()? {
                    if let ControlMessageOwned::ScmRights(numbers) = part {
                        descriptors.extend(numbers.into_iter().map(owned));
                    }
                }
                return Ok((message.bytes, descriptors));
            }
        }
    }
}

#[expect(unsafe_code, reason = "descriptors arrive as numbers")]
fn owned(number: RawFd) -> OwnedFd {
    // SAFETY: the kernel has just opened this descriptor for the message, and nobody else knows it.
    unsafe { OwnedFd::from_raw_fd(number) }
}

// ---- In the waiter ----

/// Where the socket stands in the processes of the namespace; everything above is closed.
const SOCKET: RawFd = 3;

fn wait_for_first(inside: &Inside, socket: OwnedFd) -> ! {
    // Signals of the terminal are for the command.
    let _ = SigSet::all().thread_block();
    let socket = keep_only(socket);
    if inside.command.as_ref().is_some_and(|command| !command.keep_priority) {
        // Before the namespace is made: within it, nobody has a right over the machine's processors.
        precise::favour_end_point();
    }
    let flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNS;
    let made = unshare(flags).and_then(|()| {
        send(&socket, &[UNMAPPED], &[]);
        let mut answer = [0];
        receive(&socket, &mut answer)
    });
    let child = made.and_then(|_| fork_process());
    match child {
        Ok(ForkResult::Child) => first_process(inside, &socket),
        Ok(ForkResult::Parent { child }) => {
            drop(socket);
            reap(child);
        }
        Err(e) => refuse(&socket, &format!("the kernel refuses a namespace ({e}); see `dumbbell doctor`")),
    }
    exit(0)
}

/// Closes every descriptor but the standard ones and the socket, which other ends would hold open.
#[expect(unsafe_code, reason = "system calls without a safe form in any library")]
fn keep_only(socket: OwnedFd) -> OwnedFd {
    let number = socket.into_raw_fd();
    if number != SOCKET {
        // SAFETY: whatever stood at this number is closed below in any case; nothing in this process uses it again.
        unsafe { libc::dup3(number, SOCKET, libc::O_CLOEXEC) };
    }
    // By its number: glibc has a function for it since 2.34, and the wheel is for 2.17.
    // SAFETY: as above.
    unsafe { libc::syscall(libc::SYS_close_range, SOCKET as u32 + 1, u32::MAX, 0) };
    owned(SOCKET)
}

fn refuse(socket: &OwnedFd, text: &str) {
    send(socket, &[&[REFUSED], text.as_bytes()].concat(), &[]);
}

fn send(socket: &OwnedFd, message: &[u8], descriptors: &[RawFd]) {
    let rights = [ControlMessage::ScmRights(descriptors)];
    let rights = if descriptors.is_empty() { &[][..] } else { &rights };
    // Without a listener this process is about to end anyway.
    let parts = [io::IoSlice::new(message)];
    let _ = sendmsg::<()>(socket.as_raw_fd(), &parts, rights, MsgFlags::MSG_NOSIGNAL, None);
}

/// Ends a forked process without what the emulator would do at its end, such as flushing the buffers it was copied with.
#[expect(unsafe_code, reason = "no safe form in any library")]
fn exit(status: i32) -> ! {
    // SAFETY: ends the process at once.
    unsafe { libc::_exit(status) }
}

// ---- In the first process of the namespace ----

fn first_process(inside: &Inside, socket: &OwnedFd) -> ! {
    let (device, door) = match furnish(inside) {
        Ok(made) => made,
        Err(text) => {
            refuse(socket, &text);
            exit(1);
        }
    };
    let mut descriptors = vec![device.as_raw_fd()];
    descriptors.extend(door.as_ref().map(AsRawFd::as_raw_fd));
    send(socket, &[READY], &descriptors);
    drop((device, door));

    let mut children = SigSet::empty();
    children.add(Signal::SIGCHLD);
    let Ok(signals) = SignalFd::with_flags(&children, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK) else {
        exit(1)
    };
    let mut command = None;
    let mut status = 0;
    let mut watch_ports_until = None;
    let mut watch = None;
    loop {
        let mut ready =
            [PollFd::new(socket.as_fd(), PollFlags::POLLIN), PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        let ports = watch_ports_until.map(|_| WATCH_PORTS);
        let patience = [ports, watch.as_ref().map(|watch: &Watch| watch.patience(now()))];
        let patience = patience.into_iter().flatten().min().map(|p| p + Duration::from_millis(1));
        let patience = patience.map_or(PollTimeout::NONE, |p| p.try_into().unwrap_or(PollTimeout::MAX));
        let _ = poll(&mut ready, patience);
        let told = ready[0].revents().is_some_and(|events| !events.is_empty());
        if told {
            let mut message = [0];
            match receive(socket, &mut message) {
                Ok((1, _)) if message[0] == START => {
                    command = inside.command.as_ref().and_then(start);
                    watch = command.and_then(|_| Watch::begin(now()));
                    let patience = if command.is_some() { SERVER_PATIENCE } else { Duration::ZERO };
                    watch_ports_until = (!inside.client).then(|| now() + patience);
                }
                Ok((1, _)) if message[0] == FINISH => {
                    watch.iter_mut().for_each(|watch| watch.look(now));
                    ask_to_end();
                    break;
                }
                // The emulator is gone.
                _ => exit(1),
            }
        }
        let children_ended = matches!(signals.read_signal(), Ok(Some(_)));
        if let Some(watch) = &mut watch
            && (children_ended || watch.patience(now()).is_zero())
        {
            // What has ended is seen until it is reaped.
            watch.look(now);
        }
        let ended = reap_all(command);
        if let Some(ended) = ended {
            status = ended;
            if inside.client {
                break;
            }
        }
        if watch_ports_until.is_some_and(|until| ended.is_some() || any_port_open() || now() >= until) {
            watch_ports_until = None;
            send(socket, &[LISTENING, status], &[]);
        }
    }
    let lost = device::counters().unwrap_or_default().lost_before_emulator;
    let waited = match watch {
        Some(watch) => watch.finish().to_bytes(),
        None if command.is_none() => Waited::default().to_bytes(),
        None => Vec::new(),
    };
    send(socket, &[&[EXITED, status][..], &lost.to_be_bytes(), &waited].concat(), &[]);
    // The kernel kills what the command left running.
    exit(0)
}

#[expect(clippy::disallowed_methods, reason = "real time is this crate's business")]
fn now() -> Instant {
    Instant::now()
}

/// Asks every process of the namespace to end, and gives them time to write down what they have.
fn ask_to_end() {
    const EVERYONE: Pid = Pid::from_raw(-1);
    if kill(EVERYONE, Signal::SIGTERM).is_err() {
        return;
    }
    let end = now() + PATIENCE_AT_END;
    // Whoever loses its parent becomes a child of this process.
    while now() < end && waitpid(None, Some(WaitPidFlag::WNOHANG)) != Err(Errno::ECHILD) {
        let _ = poll(&mut [], PollTimeout::from(5_u8));
    }
}

/// Makes the device and the door; on failure, the message and the remedy.
fn furnish(inside: &Inside) -> Result<(OwnedFd, Option<OwnedFd>), String> {
    // A view of the processes of the namespace; where the kernel refuses it, tools see those outside, without harm.
    let none = None::<&str>;
    let _ = mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none);
    let _ = mount(Some("proc"), "/proc", Some("proc"), MsFlags::empty(), none);
    let device = device::open_tun()
        .map_err(|e| format!("cannot open {} ({e}); see `dumbbell doctor`", device::TUN))?;
    device::configure(&inside.addresses, inside.mtu)
        .map_err(|e| format!("cannot configure the device ({e}); see `dumbbell doctor`"))?;
    let group = getgid();
    // Let `ping` work without privileges; keep nothing of earlier connections, so that each measures the path anew.
    // The kernel may lack a setting.
    let _ = fs::write("/proc/sys/net/ipv4/ping_group_range", format!("{group} {group}"));
    let _ = fs::write("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
    if let Some(name) = inside.command.as_ref().and_then(|command| command.controller.as_ref()) {
        fs::write("/proc/sys/net/ipv4/tcp_congestion_control", name).map_err(|e| {
            format!("cannot give the namespace the controller {name} ({e}); see `dumbbell doctor`")
        })?;
    }
    let door = match inside.client {
        true => Some(
            nest::open_door().map_err(|e| format!("cannot open a socket ({e}); see `dumbbell doctor`"))?,
        ),
        false => None,
    };
    Ok((device, door))
}

/// Starts the command; it ends at once, with a message, if there is no such program.
fn start(command: &Command) -> Option<Pid> {
    match fork_process() {
        Ok(ForkResult::Parent { child }) => Some(child),
        Ok(ForkResult::Child) => {
            restore_signals();
            let name = command.arguments[0].to_string_lossy();
            if let Err(e) = drop_privileges(command.network_administration) {
                eprintln!("dumbbell: cannot drop privileges ({e}); see `dumbbell doctor`");
                exit(126);
            }
            let Err(e) = execvpe(&command.arguments[0], &command.arguments, &command.environment);
            eprintln!("dumbbell: {name}: {}; give a command that is on the PATH", e.desc());
            exit(127)
        }
        Err(_) => None,
    }
}

/// A command starts with default signals, whatever the emulator does with them.
#[expect(unsafe_code, reason = "no safe form in any library")]
fn restore_signals() {
    for number in Signal::iterator() {
        // SAFETY: a default action runs no code of ours. Two signals cannot be changed.
        let _ = unsafe { signal(number, SigHandler::SigDfl) };
    }
    let _ = SigSet::all().thread_unblock();
}

/// Takes every capability away, or all but those over the network of the namespace, for good: not even a program of the
/// superuser gets them back.
#[expect(unsafe_code, reason = "no safe form in any library")]
fn drop_privileges(network_administration: bool) -> Result<(), Box<dyn std::error::Error>> {
    let mut kept = caps::CapsHashSet::new();
    if network_administration {
        kept.extend([Capability::CAP_NET_ADMIN, Capability::CAP_NET_RAW]);
    }
    if network_administration && getuid().is_root() {
        // Those who capture packets go on as another user than root, as tcpdump does.
        kept.extend([Capability::CAP_SETUID, Capability::CAP_SETGID]);
    }
    if getuid().is_root() {
        // Without it, the user 0 could not make the namespaces of a shell within this one (user_namespaces(7)). Over
        // files outside it means nothing.
        kept.insert(Capability::CAP_SETFCAP);
    }
    // Bits of securebits.h: the user 0 gets no capabilities by being 0, and both locks.
    const NO_ROOT: libc::c_ulong = 0b11;
    const NO_FIXUP: libc::c_ulong = 0b11 << 2;
    // SAFETY: takes numbers only.
    if unsafe { libc::prctl(libc::PR_SET_SECUREBITS, NO_ROOT | NO_FIXUP) } != 0 {
        return Err(io::Error::last_os_error().into());
    }
    nix::sys::prctl::set_no_new_privs()?;
    // The bounding set stays: a program whose file asks for more would not start at all, as `ping` does where it has a
    // capability. With no new privileges, it gets nothing that is not permitted already.
    caps::clear(None, CapSet::Ambient)?;
    caps::set(None, CapSet::Inheritable, &kept)?;
    caps::set(None, CapSet::Ambient, &kept)?;
    caps::set(None, CapSet::Effective, &kept)?;
    caps::set(None, CapSet::Permitted, &kept)?;
    Ok(())
}

/// Reaps what has ended; the status of the command, if it is among it.
fn reap_all(command: Option<Pid>) -> Option<u8> {
    let mut status = None;
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, code)) if Some(pid) == command => status = Some(code as u8),
            Ok(WaitStatus::Signaled(pid, number, _)) if Some(pid) == command => {
                status = Some(128 + number as u8);
            }
            Ok(WaitStatus::StillAlive) | Err(_) => return status,
            Ok(_) => {}
        }
    }
}

/// True if a TCP socket listens or a UDP socket is bound in the namespace.
fn any_port_open() -> bool {
    let rows = |table: &str| fs::read_to_string(format!("/proc/self/net/{table}")).unwrap_or_default();
    let listens = |row: &str| row.split_whitespace().nth(3) == Some("0A");
    ["tcp", "tcp6"].iter().any(|table| rows(table).lines().any(listens))
        || ["udp", "udp6"].iter().any(|table| rows(table).lines().count() > 1)
}
