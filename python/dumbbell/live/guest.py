"""The first process of a kernel in virtual time: makes a root file system, runs one command, and powers off.

``guest.py`` runs as a program, with the standard library alone. The folder of the launcher
(:mod:`dumbbell.live.virtual`) is mounted at :data:`HOME`: ``plan.json`` in it says what to run, ``stdout``,
``stderr``, ``clock`` and ``status`` take what comes of it. The root file system is that of the host and may
only be read; what is written below /tmp, /var/tmp and /run is gone at the end.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import time
from pathlib import Path
from typing import Any

HOME = "/run/dumbbell"
"""Where the folder of the launcher is mounted."""

HOST_FOLDER = "/proc/self/cwd"
"""That folder for the process of the kernel on the host. Its name differs from boot to boot, and names on the
command line of a kernel go into its random numbers."""

_READ_ONLY, _NO_DEVICES = 1, 4
_POWER_OFF = 0x4321FEDC
_TICK = 1.0
"""Seconds of virtual time between two notes of the clock."""

_FIRST = 10.0
"""Seconds after its start at which the kernel begins the command: to some programs, ping among them, an
uptime of less than a second is none."""

_PATIENCE = 2.0
"""Seconds that a command has to end when it was asked to."""

_SCRATCH = ("/tmp", "/var/tmp", "/run")
"""Folders of the host under which anything may be written: into memory."""

_PRIORITY = 3
"""Above the emulator and the end points (crates/live/src/clock/precise.rs): what a program prints before it
spins comes out."""

_OF_USER = {"XDG_CACHE_HOME": ".cache", "XDG_CONFIG_HOME": ".config"}
"""Folders of the user in which programs such as Matplotlib want to write, by the variables that name them."""

_libc = ctypes.CDLL(None, use_errno=True)


def mount(what: str, where: str, kind: str, options: str = "", flags: int = 0) -> None:
    """Mount a file system."""
    words = (what.encode(), os.fsencode(where), kind.encode(), ctypes.c_ulong(flags), os.fsencode(options))
    if _libc.mount(*words) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), where)


def furnish() -> None:
    """Mount what every program expects."""
    mount("devices", "/dev", "devtmpfs")
    mount("proc", "/proc", "proc")
    mount("sysfs", "/sys", "sysfs")
    for name in ("pts", "shm"):
        Path("/dev", name).mkdir(exist_ok=True)
    mount("devpts", "/dev/pts", "devpts", "ptmxmode=0666")
    for name, descriptor in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        Path("/dev", name).symlink_to(f"/proc/self/fd{descriptor}")
    # Memory in which the changes of the scratch folders are kept.
    mount("memory", "/dev/shm", "tmpfs", "mode=1777")
    for folder in _SCRATCH:
        if Path(folder).is_dir():
            open_up(folder)
    Path(HOME).mkdir(parents=True, exist_ok=True)
    mount("dumbbell", HOME, "hostfs", HOST_FOLDER)


def open_up(folder: str) -> None:
    """Let anything be written below a folder of the host, into memory."""
    kept = Path("/dev/shm", f".scratch{folder.replace('/', '-')}")
    for part in ("new", "work"):
        (kept / part).mkdir(parents=True)
    (kept / "new").chmod(Path(folder).stat().st_mode & 0o7777)
    mount("scratch", folder, "overlay", f"lowerdir={folder},upperdir={kept}/new,workdir={kept}/work")


def open_up_user(environment: dict[str, str]) -> None:
    """Do so with folders of the user, or name others where they are missing."""
    for variable, name in _OF_USER.items():
        folder = Path(environment.get(variable) or Path(environment.get("HOME", "/"), name))
        if folder.is_dir() and not set(str(folder)) & set(",:\\"):
            open_up(str(folder))
        else:
            Path("/run", name).mkdir()
            environment[variable] = f"/run/{name}"


def prepare_network() -> None:
    """Bring up the loopback device, and let every command choose any controller."""
    with socket.socket() as any_socket:
        request = struct.pack("16sh", b"lo", 0)
        (flags,) = struct.unpack("16xh", fcntl.ioctl(any_socket, 0x8913, request)[:18])  # SIOCGIFFLAGS
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", flags | 1))  # SIOCSIFFLAGS, IFF_UP
    ours = Path("/proc/sys/net/ipv4")
    names = (ours / "tcp_available_congestion_control").read_text(encoding="ascii")
    (ours / "tcp_allowed_congestion_control").write_text(names, encoding="ascii")


class Pumps:
    """Take what a command prints to the files of the launcher, at once."""

    def __init__(self, together: bool) -> None:
        self._files: dict[int, int] = {}
        self.ends = [self._new("stdout")]
        self.ends.append(self.ends[0] if together else self._new("stderr"))
        self._poll = select.poll()
        for pipe in self._files:
            self._poll.register(pipe, select.POLLIN)

    def _new(self, name: str) -> int:
        reads, writes = os.pipe()
        os.set_blocking(reads, False)
        # Pages that are written later would reach the host later.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_SYNC | os.O_CLOEXEC
        self._files[reads] = os.open(f"{HOME}/{name}", flags, 0o600)
        return writes

    def begin(self) -> None:
        """Leave the writing ends to the command alone."""
        for end in set(self.ends):
            os.close(end)

    def watch(self, descriptor: int) -> None:
        """Wait for this one too."""
        self._poll.register(descriptor, select.POLLIN)

    def carry(self, seconds: float) -> bool:
        """Carry what is there, or comes within a time; false if there was nothing."""
        carried = False
        for pipe, _ in self._poll.poll(max(seconds, 0.0) * 1000):
            try:
                text = os.read(pipe, 1 << 16)
            except BlockingIOError:
                continue
            if pipe not in self._files:
                continue
            if not text:
                self._poll.unregister(pipe)
                continue
            while text:
                text = text[os.write(self._files[pipe], text) :]
            carried = True
        return carried


def start(plan: dict[str, Any], ends: list[int]) -> int:
    """Start the command; return its number."""
    child = os.fork()
    if child:
        return child
    command = plan["command"]
    try:
        os.setsid()
        for number in (signal.SIGCHLD, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(ends[0], 1)
        os.dup2(ends[1], 2)
        os.closerange(3, 64)
        os.umask(plan["umask"])
        resource.setrlimit(resource.RLIMIT_NOFILE, (plan["open_files"],) * 2)
        os.chdir(plan["folder"])
        os.execvpe(command[0], command, plan["environment"])
    except OSError as error:
        os.write(2, f"dumbbell: {error.filename or command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def serve(child: int, pumps: Pumps) -> int:
    """Wait for the command and carry what it prints; return its status."""
    awake, wakes = os.pipe()
    for end in (awake, wakes):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    pumps.watch(awake)
    asked = [0.0]

    def ask(_number: int, _frame: object) -> None:
        # The launcher has pressed Ctrl-Alt-Del.
        os.killpg(child, signal.SIGTERM)
        asked[0] = time.monotonic() + _PATIENCE

    signal.signal(signal.SIGINT, ask)
    clock = os.open(f"{HOME}/clock", os.O_WRONLY | os.O_CREAT | os.O_SYNC | os.O_CLOEXEC, 0o600)
    due = 0.0
    while True:
        now = time.monotonic()
        if now >= due:
            due = now + _TICK
            os.pwrite(clock, f"{now - _FIRST:.3f}\n".encode(), 0)
        pumps.carry(due - now)
        if asked[0] and now > asked[0]:
            os.killpg(child, signal.SIGKILL)
        try:
            while True:
                ended, status = os.waitpid(-1, os.WNOHANG)
                if ended == 0:
                    break
                if ended == child:
                    while pumps.carry(0):
                        pass
                    os.pwrite(clock, f"{time.monotonic() - _FIRST:.3f}\n".encode(), 0)
                    code = os.waitstatus_to_exitcode(status)
                    return code if code >= 0 else 128 - code
        except ChildProcessError:
            return 1


def main() -> None:
    """Do the work of the plan."""
    furnish()
    # Ctrl-Alt-Del comes as a signal to this process, and does not restart the kernel.
    Path("/proc/sys/kernel/ctrl-alt-del").write_text("0", encoding="ascii")
    # Python sees a signal only if it has a handler.
    signal.signal(signal.SIGCHLD, lambda *_: None)
    first = os.sched_param(_PRIORITY)  # type: ignore[call-arg,unused-ignore]
    os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, first)
    plan = json.loads(Path(HOME, "plan.json").read_text(encoding="utf-8"))
    open_up_user(plan["environment"])
    for folder in plan["writable"]:
        mount("results", folder, "hostfs", folder, _NO_DEVICES)
    prepare_network()
    pumps = Pumps(plan["together"])
    time.sleep(max(_FIRST - time.monotonic(), 0.0))
    child = start(plan, pumps.ends)
    pumps.begin()
    status = serve(child, pumps)
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with Path(HOME, "status").open("w", encoding="ascii") as file:
        file.write(str(status))
        file.flush()
        os.fsync(file.fileno())
    os.sync()


if __name__ == "__main__":
    try:
        main()
    except BaseException as error:  # noqa: BLE001 - a first process that ends stops the kernel.
        # The launcher looks for this line.
        with contextlib.suppress(OSError), Path("/dev/console").open("w", encoding="utf-8") as console:
            console.write(f"\ndumbbell: {type(error).__name__}: {error}\n")
    finally:
        _libc.reboot(_POWER_OFF)
