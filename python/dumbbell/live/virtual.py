"""Commands in virtual time: in Linux in user mode, whose clock stands still while it computes.

The kernel is a process of the user, built by ``make kernel``. Its clock moves only when all processes in it
wait, and then by as much as they wait. So nothing in it is late however busy the machine is. Its root file
system is that of the host and may only be read. See docs/virtual.md.
"""

from __future__ import annotations

import compileall
import contextlib
import functools
import json
import os
import re
import resource
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dumbbell import _native
from dumbbell._files import parts
from dumbbell._files.names import real
from dumbbell.errors import DumbbellError

VERSIONS = ("6.12", "6.1")
"""Kernels that ``make kernel`` builds, the preferred one first."""

MEMORY = 2 << 30
"""Bytes of memory of a kernel: with less than 1 GB, its TCP would have smaller buffers (tcp(7), tcp_mem)."""

WALL_LIMIT = 3600.0
"""Seconds of wall time after which a command is ended: one that spins on memory stops the clock for good."""

BEGIN = 1_767_225_600
"""The date at which each kernel starts, seconds since 1970: 2026-01-01."""

RESTS_ON = "DUMBBELL_VIRTUAL"
"""In a kernel in virtual time, the variable that says in words what results rest on."""

_FOLDER = "DUMBBELL_KERNELS"
"""The variable with the folder of kernels; without it, that of ``make kernel`` in a checkout."""

_LOOK = 0.02
"""Seconds between two looks at what a kernel has left."""

_PATIENCE = 2.5
"""Seconds that a command has to clean up when it is to end; then its kernel is killed."""

_MAGIC, _VERSION, _MOST_WORDS = 0xCAFEBABE, 2, 512
"""Of messages to the console of a kernel in user mode (uml_mconsole)."""

_PANIC = re.compile(r"Kernel panic - not syncing: (.*)")
_NO_ROOT = re.compile("VFS: Unable to mount root|Requested init")
_FAILED = re.compile(r"^dumbbell: (.*?)\r?$", re.MULTILINE)
_OUT_OF_MEMORY = re.compile(r"Out of memory: Killed process [0-9]+ \(([^)]*)\)")


@dataclass(frozen=True)
class Kernel:
    """A kernel in user mode with time travel."""

    path: Path
    release: str
    """Such as ``6.12.117``."""
    hz: int
    """Ticks a second, on which timers of TCP end."""


class Progress:
    """Shows how far a command is; this one does not."""

    def show(self, at: float, wall: float) -> None:
        """Receives the seconds of virtual time and of wall time, some fifty times a second."""

    def clear(self) -> None:
        """Makes room for what the command prints."""


@dataclass(frozen=True)
class Ran:
    """What became of a command."""

    status: int
    """Its exit status, or 128 and the number of the signal that ended it."""
    rests_on: str
    """The kernel, its ticks and its seed, in words."""
    virtual: float
    """How long its kernel ran, in virtual time (s)."""
    wall: float
    """The same in wall time (s)."""
    killed: str | None = None
    """What the kernel killed because it had no more memory."""


def rests_on() -> str | None:
    """Return what results rest on if this process is in virtual time, else ``None``."""
    return os.environ.get(RESTS_ON) if _native.is_virtual() else None


def folder() -> Path:
    """Return where kernels are looked for."""
    named = os.environ.get(_FOLDER)
    return Path(named) if named else Path(__file__).parents[3] / ".setup" / "kernel"


def find(version: str | None = None) -> Kernel:
    """Return a kernel, by default the preferred one of those that were built.

    Raises
    ------
    DumbbellError
        If there is none, or the file is no kernel with time travel.
    """
    paths = [folder() / f"linux-{each}" for each in ([version] if version else VERSIONS)]
    found = [path for path in paths if path.exists()]
    if not found:
        raise DumbbellError(
            f"{paths[0]}: this kernel has not been built; run `make kernel` in a checkout, "
            f"or name the folder of one in {_FOLDER}"
        )
    return _facts(found[0])


def _facts(path: Path) -> Kernel:
    """Ask a kernel what it is."""
    answers = []
    for option in ("--version", "--showconfig"):
        try:
            asked = subprocess.run([path, option], capture_output=True, text=True, timeout=10, check=False)
        except OSError as error:
            raise DumbbellError(
                f"{path}: cannot be run ({error.strerror}); build it with `make kernel`"
            ) from None
        except (subprocess.TimeoutExpired, UnicodeDecodeError):
            raise DumbbellError(f"{path}: is no kernel in user mode; build one with `make kernel`") from None
        answers.append(asked.stdout.strip())
    release, config = answers
    ticks = re.search(r"^CONFIG_HZ=([0-9]+)$", config, re.MULTILINE)
    if not re.match(r"[0-9]+\.[0-9]+", release) or ticks is None:
        raise DumbbellError(f"{path}: is no kernel in user mode; build one with `make kernel`")
    if "CONFIG_UML_TIME_TRAVEL_SUPPORT=y" not in config.splitlines():
        raise DumbbellError(f"{path}: this kernel has no time travel; build one with `make kernel`")
    return Kernel(path.absolute(), release, int(ticks[1]))


def writable(outputs: Iterable[Path]) -> list[Path]:
    """Return the folders that a command has to write in for these outputs: the nearest above each."""
    found = []
    for output in outputs:
        place = real(output).absolute()
        if place.exists() and not place.is_dir() and not place.is_file():
            continue
        above = next(each for each in place.parents if each.is_dir())
        if above == Path("/"):
            raise DumbbellError(f"{output}: in virtual time, no results go into /; choose another folder")
        found.append(above)
    # A folder within another one needs no mention, and each is mounted once.
    return [each for each in dict.fromkeys(found) if not any(other in each.parents for other in found)]


def run(
    command: Sequence[str],
    kernel: Kernel,
    *,
    seed: int = 1,
    memory: int = MEMORY,
    wall_limit: float = WALL_LIMIT,
    outputs: Sequence[Path] = (),
    progress: Progress | None = None,
) -> Ran:
    """Run a command in a kernel of its own, and pass on what it prints.

    Parameters
    ----------
    command
        Program and arguments, in the present folder and environment.
    kernel
        From :func:`find`.
    seed
        Of the kernel's random numbers.
    memory
        Bytes of memory of the kernel.
    wall_limit
        Seconds of wall time after which the command is ended.
    outputs
        Files and folders that the command may make: it may write in the folders that hold them, and in no
        others of the host.
    progress
        Receives how far the command is.

    Raises
    ------
    DumbbellError
        If the kernel does not start, stops before the command has ended, or the time is over.
    """
    where = _room(memory)
    _compile()
    rests_on = f"Linux {kernel.release}, {kernel.hz} ticks a second, seed {seed}"
    plan = {
        "command": list(command),
        "environment": {
            **os.environ,
            "TMPDIR": "/tmp",
            RESTS_ON: rests_on,
            # As long for every process.
            parts.HOST: f"{os.getpid():07}",
        },
        "folder": str(Path.cwd()),
        "umask": _umask(),
        "together": _same_file(1, 2),
        "open_files": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        "writable": [str(path) for path in writable(outputs)],
    }
    guest = Path(__file__).with_name("guest.py")
    begin = shlex.join([sys.executable, "-I", "-S", str(guest)])
    order: dict[str, object] = {
        "where": where,
        "kernel": str(kernel.path),
        "words": [
            "linux", f"mem={memory >> 20}M", "rootfstype=hostfs", "rootflags=/", "ro", "time-travel=inf-cpu",
            f"time-travel-start={BEGIN}000000000", "init=/proc/self/cwd/init", "devtmpfs.mount=0",
            "con=null", "con0=null,fd:1", "ssl=null", "quiet", "uml_dir=.", "umid=guest",
        ],
        "environment": {"DUMBBELL_KERNEL_SEED": str(seed)},
        "files": {"plan.json": (json.dumps(plan), 0o600), "init": (f"#!/bin/sh\nexec {begin}\n", 0o700)},
    }  # fmt: skip
    with _kept(order, progress or Progress()) as started:
        return started.run(rests_on, wall_limit, outputs)


@functools.cache
def _compile() -> None:
    """Leave no module of ours to compile to a kernel, which cannot keep what it compiles.

    Work counts in the clock of its scheduler. If another process compiled a module between two boots, packets
    of the second one would be some nanoseconds off.
    """
    if not sys.dont_write_bytecode:
        compileall.compile_dir(str(Path(__file__).parents[1]), quiet=2)


def _room(memory: int) -> str:
    """Return a folder for a kernel, whose memory is a file."""
    for place in ("/dev/shm", tempfile.gettempdir()):
        try:
            about = os.statvfs(place)
        except OSError:
            continue
        usable = os.access(place, os.W_OK | os.X_OK) and not about.f_flag & os.ST_NOEXEC
        if usable and about.f_bavail * about.f_frsize >= memory:
            return place
    raise DumbbellError(
        f"no folder has room for the {memory / 1e9:.1f} GB of memory of a kernel; "
        "name one in TMPDIR, or give --kernel-memory"
    )


def _umask() -> int:
    # Asked of the system call it would be zero for a moment, for other threads too.
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return int(next(line for line in lines if line.startswith("Umask:")).split()[1], 8)


def _same_file(one: int, other: int) -> bool:
    """Whether two descriptors write to one place, in the order in which it comes."""
    try:
        return os.path.sameopenfile(one, other)
    except OSError:
        return False


@contextlib.contextmanager
def _kept(order: dict[str, object], progress: Progress) -> Iterator[_Guest]:
    """Start a kernel, and leave nothing of it."""
    keeper = subprocess.Popen(
        [sys.executable, "-I", "-S", str(Path(__file__).with_name("keeper.py"))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    place = ""
    assert keeper.stdin is not None
    assert keeper.stdout is not None
    try:
        keeper.stdin.write(json.dumps(order).encode() + b"\n")
        keeper.stdin.flush()
        place = keeper.stdout.readline().decode().strip()
        if not place:
            raise DumbbellError(
                f"{order['where']}: no folder for a kernel can be made; name another in TMPDIR"
            )
        yield _Guest(Path(place), keeper.stdout.fileno(), progress)
    finally:
        with contextlib.suppress(BrokenPipeError):
            keeper.stdin.close()
        keeper.wait()
        keeper.stdout.close()
        if place:
            # Of a keeper that was killed.
            shutil.rmtree(place, ignore_errors=True)


class _Guest:
    """A kernel that runs."""

    def __init__(self, folder: Path, news: int, progress: Progress) -> None:
        self._progress = progress
        self._folder = folder
        self._news = news
        os.set_blocking(news, False)
        self._began = time.monotonic()
        self._read = {"stdout": 0, "stderr": 0}
        self._ended: str | None = None

    def run(self, rests_on: str, wall_limit: float, outputs: Sequence[Path]) -> Ran:
        try:
            while not self._has_ended():
                time.sleep(_LOOK)
                self._pass_on()
                self._progress.show(self._clock(), self._wall())
                if self._wall() > wall_limit:
                    raise DumbbellError(
                        f"--wall-limit: the command has not ended within {wall_limit:g} s of wall time "
                        f"({self._clock():.1f} s of virtual time); give it more, or end it yourself"
                    )
            self._pass_on()
        except BaseException:
            self._stop(outputs)
            raise
        status = self._text("status")
        killed = _OUT_OF_MEMORY.search(self._text("log"))
        if not status:
            for output in outputs:
                parts.remove(parts.beside(real(output), "part"))
            raise DumbbellError(f"the kernel in virtual time {self._fate()}")
        return Ran(int(status), rests_on, self._clock(), self._wall(), killed[1] if killed else None)

    def _has_ended(self) -> bool:
        if self._ended is None:
            try:
                said = os.read(self._news, 64)
            except BlockingIOError:
                return False
            # Nothing is said by a keeper that was killed.
            self._ended = said.decode().strip() or "-9"
        return True

    def _stop(self, outputs: Sequence[Path]) -> None:
        """Ask the command to end and to clean up, and wait a little."""
        words = b"cad"
        message = struct.pack(f"=III{_MOST_WORDS}s", _MAGIC, _VERSION, len(words), words)
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as console:
            console.connect(str(self._folder / "guest" / "mconsole"))
            console.send(message)
            until = time.monotonic() + _PATIENCE
            while not self._has_ended() and time.monotonic() < until:
                time.sleep(_LOOK)
        for output in outputs:
            parts.remove(parts.beside(real(output), "part"))

    def _pass_on(self) -> None:
        """Print what the command has printed."""
        for number, name in ((1, "stdout"), (2, "stderr")):
            try:
                with (self._folder / name).open("rb") as file:
                    file.seek(self._read[name])
                    while text := file.read(1 << 16):
                        self._read[name] += len(text)
                        self._progress.clear()
                        while text:
                            text = text[os.write(number, text) :]
            except FileNotFoundError:
                continue

    def _text(self, name: str) -> str:
        try:
            return (self._folder / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def _clock(self) -> float:
        try:
            return float(self._text("clock"))
        except ValueError:
            return 0.0

    def _wall(self) -> float:
        return time.monotonic() - self._began

    def _fate(self) -> str:
        """Say in words why there is no status of a command."""
        log = self._text("log")
        panic = _PANIC.search(log)
        if panic is not None and _NO_ROOT.match(panic[1]):
            return "cannot read its root file system, which is / of this machine; check that you may read it"
        if panic is not None:
            return f"panicked: {panic[1]}"
        if self._ended == "-9":
            return "was killed"
        failed = _FAILED.search(log)
        lines = [line for line in log.splitlines() if line.strip()]
        reason = failed[1] if failed else lines[-1] if lines else f"status {self._ended}"
        return f"ended before its command: {reason}"
