"""Commands as forks of one process that has loaded what they need, which takes longer than most of them."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from threading import Lock

_LOADED = (
    "dumbbell.cli.archive", "dumbbell.cli.live", "dumbbell.cli.papers", "dumbbell.cli.plot",
    "dumbbell.cli.report", "dumbbell.cli.run", "dumbbell.cli.study", "dumbbell.cli.trace", "dumbbell.figures",
    "dumbbell.live", "dumbbell.papers", "dumbbell.report", "dumbbell.search", "dumbbell.study",
    "duckdb", "dumbbell.archive.verify", "dumbbell.report.run", "fontTools.subset", "jinja2",
    "matplotlib.backends.backend_agg", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg",
    "pandas", "PIL.features", "pyarrow.pandas_compat", "rich.progress", "rich.table", "scipy.special",
)  # fmt: skip


_LOCK = Lock()
"""A status can be read once, and the start of a process reads that of every other one."""

Limits = Mapping[int, int]
"""By the number of a resource, such as ``resource.RLIMIT_AS``: what a command may take of it."""


class Fork:
    """A command in a folder and an environment, which reads `inp` and appends to the files `out` and `err`.

    Threads may have one each. The environment is that of this process if none is given.
    """

    def __init__(
        self,
        words: Sequence[str | Path],
        folder: Path,
        out: Path,
        err: Path,
        inp: Path = Path(os.devnull),
        environment: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        texts = [os.fspath(word) for word in words]
        streams = (inp, out, err)
        with _LOCK:
            self._process: ForkServerProcess = _context().Process(
                target=_run,
                args=(texts, folder, streams, dict(os.environ if environment is None else environment),
                      dict(limits or {})),
            )  # fmt: skip
            self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    def status(self) -> int | None:
        """Return the exit status, or nothing while it runs."""
        with _LOCK:
            return self._process.exitcode

    def end(self, seconds: float) -> int | None:
        """Wait for the end, and kill what has not ended by then; return the exit status it had."""
        deadline = time.monotonic() + seconds
        while (status := self.status()) is None and time.monotonic() < deadline:
            time.sleep(0.005)
        with _LOCK:
            self._process.kill()
            self._process.join()
        return status


def completed(
    words: Sequence[str | Path],
    folder: Path,
    seconds: float,
    environment: Mapping[str, str] | None = None,
    limits: Limits | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end.

    Raises
    ------
    subprocess.TimeoutExpired
        If it takes longer than `seconds`.
    """
    with tempfile.TemporaryDirectory() as place:
        out, err = Path(place, "out"), Path(place, "err")
        status = Fork(words, folder, out, err, environment=environment, limits=limits).end(seconds)
        given = ["dumbbell", *map(os.fspath, words)]
        if status is None:
            raise subprocess.TimeoutExpired(given, seconds)
        texts = [path.read_text(encoding="utf-8", errors="surrogateescape") for path in (out, err)]
        return subprocess.CompletedProcess(given, status, *texts)


_CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as made:
    made.connect({address!r})
    asked = sys.argv[1:], os.getcwd(), dict(os.environ), os.getpid()
    made.sendall(json.dumps(asked).encode() + b"\\n")
    sys.exit(int(made.makefile().readline()))
"""


class _Asked(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        words, folder, environment, asker = json.loads(self.rfile.readline())
        inp, out, err = (Path(f"/proc/{asker}/fd/{number}") for number in range(3))
        fork = Fork(words, Path(folder), out, err, inp, environment)
        status = fork.end(_LONGEST)
        self.wfile.write(f"{99 if status is None else status}\n".encode())


_LONGEST = 600.0


@contextmanager
def program() -> Iterator[Path]:
    """Yield a program that takes the words of `dumbbell`, and has a fork do what they say, for shells."""
    with tempfile.TemporaryDirectory() as place:
        address = f"{place}/asked"
        client = Path(place, "dumbbell")
        client.write_text(_CLIENT.format(python=sys.executable, address=address), encoding="utf-8")
        client.chmod(0o755)
        with socketserver.ThreadingUnixStreamServer(address, _Asked) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
            thread.start()
            yield client
            server.shutdown()
            thread.join()


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_LOADED))
    return context


def _run(
    words: list[str],
    folder: Path,
    streams: tuple[Path, Path, Path],
    environment: dict[str, str],
    limits: dict[int, int],
) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, path in enumerate(streams):
        made = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT if number else os.O_RDONLY)
        os.dup2(made, number)
        os.close(made)
    # Those of the process that forked knew what its own streams could do.
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    # As Python does; it keeps them open when others take their places.
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, f"__{name}__", getattr(sys, name))
    for kind, most in limits.items():
        resource.setrlimit(kind, (most, most))
    sys.argv = ["dumbbell", *words]
    from dumbbell.cli import main

    main()
