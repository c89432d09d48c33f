"""Where commands end: signals, closed and full streams, faults of dumbbell itself."""

from __future__ import annotations

import contextlib
import os
import pty
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import click
import pytest

import forks
from conftest import COMMAND_TIMEOUT, LONG, SCENARIO
from dumbbell.cli import cli as commands
from test_cli import every_command

PROGRAM = [sys.executable, "-m", "dumbbell"]


def shell(line: str, folder: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which ``$d`` is the command."""
    environment = {**os.environ, **changes, "d": " ".join(PROGRAM)}
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, cwd=folder, env=environment, timeout=300,
        check=False,
    )  # fmt: skip


def started(folder: Path, before: Callable[[], object] = lambda: None) -> subprocess.Popen[str]:
    """Start a run that lasts for hours, and wait until it has begun to write."""

    def prepare() -> None:
        # What ignores them, such as nohup around the tests, would hand that on.
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        before()

    (folder / "long.toml").write_text(LONG)
    process = subprocess.Popen(
        [*PROGRAM, "run", "long.toml", "-o", "new/out"], cwd=folder, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=prepare,  # noqa: PLW1509
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not (folder / "new").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.3)
    return process


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (signal.SIGHUP, "hung up"),
        (signal.SIGQUIT, "quit"),
        (signal.SIGXCPU, "out of processor time"),
        (signal.SIGUSR1, "ended by SIGUSR1"),
        (signal.SIGALRM, "ended by SIGALRM"),
    ],
)
def test_any_signal_that_ends_a_run_leaves_nothing(tmp_path: Path, number: signal.Signals, word: str) -> None:
    process = started(tmp_path)
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (128 + number, "", f"dumbbell: {word}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["long.toml"]


def test_what_nohup_ignores_stays_ignored(tmp_path: Path) -> None:
    process = started(tmp_path, before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (143, "dumbbell: terminated\n")


def test_a_second_signal_leaves_the_time_to_clean_up(tmp_path: Path) -> None:
    process = started(tmp_path)
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGINT):
        process.send_signal(number)
    _, err = process.communicate(timeout=120)
    assert process.returncode - 128 in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["long.toml"]


def test_ctrl_c_while_the_program_loads_is_one_line() -> None:
    # `python -v` would say when; instead, the signal comes from a module that the package imports.
    code = (
        "import sys, os, signal, runpy, importlib.abc\n"
        "class Finder(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'dumbbell.cli.common': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "sys.argv = ['/usr/bin/dumbbell', 'list']\n"
        "from dumbbell.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "dumbbell: interrupted\n")


def test_a_program_that_imports_the_package_keeps_its_own_ctrl_c() -> None:
    code = "import signal, dumbbell; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert done.stdout == "True\n", done.stderr


@pytest.mark.usefixtures("scenario_file")
@pytest.mark.parametrize(
    ("line", "status", "err"),
    [
        ("$d list >&-", 0, ""),
        ("$d schema >&-", 0, ""),
        ("$d list | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}", 0, ""),
        ("$d check small.toml | true; exit ${PIPESTATUS[0]}", 0, ""),
        ("$d schema | true; exit ${PIPESTATUS[0]}", 0, ""),
        ("$d list <&- >/dev/null", 0, ""),
        ("$d list 2>&- >/dev/null", 0, ""),
        ("$d list <&- >&- 2>&-", 0, ""),
        ("$d run none.toml 2>&-", 2, ""),
        ("$d run none.toml 2>/dev/full", 2, ""),
        ("$d run none.toml >&- 2>/dev/full", 2, ""),
        (
            "$d list >/dev/full",
            2,
            "dumbbell: the disk is full; free some space and give the same command again\n",
        ),
        (
            "$d describe fixed >/dev/full",
            2,
            "dumbbell: the disk is full; free some space and give the same command again\n",
        ),
    ],
)
def test_closed_and_full_streams_are_no_fault(tmp_path: Path, line: str, status: int, err: str) -> None:
    done = shell(line, tmp_path)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.replace("standard output: ", "") == err


@pytest.mark.usefixtures("scenario_file")
def test_a_closed_output_takes_no_file(tmp_path: Path) -> None:
    """The number of a closed stream must not go to a file of results, into which others then print."""
    done = shell("$d run small.toml -o out >&- 2>&- <&- && $d plot out --only queue --format png", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "out/figures/queue.png\n"


@pytest.mark.usefixtures("scenario_file")
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_terminals_without_unicode_get_plain_tables(tmp_path: Path, encoding: str) -> None:
    done = subprocess.run(
        [*PROGRAM, "check", "small.toml"], capture_output=True, cwd=tmp_path, timeout=120, check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode(encoding)
    assert ("left → right" if encoding == "utf-8" else "left > right") in text
    rule = "─" if encoding == "utf-8" else "-"
    assert any(set(line.strip()) == {rule} for line in text.splitlines())


@pytest.mark.usefixtures("scenario_file")
@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_any_locale_will_do(tmp_path: Path, locale: str) -> None:
    done = shell("$d check small.toml && $d run small.toml && $d list", tmp_path, LC_ALL=locale)
    assert (done.returncode, done.stderr) == (0, "")


def test_file_names_may_be_any_bytes(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9 \xff.toml")
    (tmp_path / name).write_text(SCENARIO.replace('name = "small"', ""))
    line = f"$d check '{name}' && $d run '{name}' -o 'o\udcff' && $d plot 'o\udcff' --only queue && "
    line += "$d run 'o\udcff/scenario.toml' -o 'o\udcff' --force && $d run '\udcfe.toml'"
    environment = {**os.environ, "d": " ".join(PROGRAM)}
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, cwd=tmp_path, env=environment, timeout=120, check=False
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr == b"dumbbell: \xfe.toml: no such file; give the path of a scenario\n"
    assert b"o\xff/figures/queue.png\n" in done.stdout
    assert b"results in o\xff\n" in done.stdout


BYTES = "\udcff\udce9"
"""A word that is not UTF-8, as a shell passes it on."""


@pytest.mark.usefixtures("scenario_file")
def test_files_of_traces_and_papers_may_have_any_bytes(tmp_path: Path) -> None:
    for words in (
        ["trace", "small.toml", "--pcapng", f"p{BYTES}", "--qlog", f"q{BYTES}", "--until", "1s"],
        ["trace", "small.toml", "--pcapng", f"none{BYTES}/p", "--until", "1s"],
        ["reproduce", BYTES, "-o", "out"],
        ["reproduce", "folder", "-o", f"out{BYTES}"],
        ["verify", BYTES],
        ["trace", BYTES],
    ):
        done = forks.completed(words, tmp_path, COMMAND_TIMEOUT)
        status = 0 if words[0] == "trace" and f"q{BYTES}" in words else 2
        assert (done.returncode, done.stderr.count("\n")) == (status, status // 2), (words, done.stderr)
    assert {f"p{BYTES}", f"q{BYTES}"} <= {path.name for path in tmp_path.iterdir()}


@pytest.mark.usefixtures("scenario_file")
def test_words_that_are_no_text_are_one_line(tmp_path: Path) -> None:
    for words in (
        ["run", "small.toml", "--set", f"name={BYTES}"],
        ["trace", "small.toml", "--link", BYTES],
        ["trace", "small.toml", "--from", BYTES],
        ["describe", BYTES],
        ["list", BYTES],
        ["examples", BYTES],
        ["study", "run", "study.toml", "-o", "out", "--executor", BYTES],
        ["send", "--to", "127.0.0.1", "--set", BYTES],
        ["run", "small.toml", "--memory", BYTES],
    ):
        done = forks.completed(words, tmp_path, COMMAND_TIMEOUT)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), (words, done.stderr)
        assert "is not UTF-8; write it so" in done.stderr
    for name, command in every_command(commands):
        texts = [p for p in command.params if isinstance(p.type, click.types.StringParamType)]
        for parameter in texts:
            with pytest.raises(click.BadParameter, match="is not UTF-8"):
                parameter.type.convert(BYTES, parameter, None)
        assert all(p.name != "words" for p in texts), name


def test_folders_of_studies_may_have_any_bytes(tmp_path: Path) -> None:
    study = 'name = "tiny"\nseeds = 2\nscenario = "small.toml"\n'
    study += '[[axes]]\nname = "pairs"\nvalues = [1, 2]\nset = "topology.pairs={value}"\n'
    study += '[[arms]]\nname = "cubic"\nset = "transport.controller=cubic"\n'
    study += '[[metrics]]\nname = "goodput"\nsource = { table = "runs", column = "goodput" }\n'
    (tmp_path / "study.toml").write_text(study)
    (tmp_path / "small.toml").write_text(
        'duration = "1s"\ntopology = "dumbbell"\ntransport = { kind = "tcp" }\n'
        'flows = [{ from = "senders", to = "receivers" }]\n'
    )
    out, archive = "o\udcff", "a\udcfe.zip"
    for command in (
        ["study", "run", "study.toml", "-o", out],
        ["study", "run", "study.toml", "-o", out],
        ["study", "status", out],
        ["query", out, "select count(*) from runs"],
        ["report", out],
        ["pack", out, "-o", archive],
        ["verify", archive, "--sample", "1"],
    ):
        done = forks.completed(command, tmp_path, COMMAND_TIMEOUT)
        assert done.returncode == 0, (command, done.stderr)


def drained(terminal: int) -> None:
    """Read what comes until nobody holds the other end."""
    with contextlib.suppress(OSError):
        while os.read(terminal, 1 << 16):
            pass


@pytest.mark.usefixtures("scenario_file")
@pytest.mark.parametrize("columns", ["0", "1", "7", "-3", "nonsense", "100000"])
def test_a_terminal_of_any_width_will_do(tmp_path: Path, columns: str) -> None:
    for command in (["check", "small.toml"], ["run", "small.toml"], ["list", "queue"], ["--help"]):
        ours, theirs = pty.openpty()
        terminal, err = Path(os.ttyname(theirs)), tmp_path / "err"
        environment = {**os.environ, "COLUMNS": columns}
        process = forks.Fork(command, tmp_path, terminal, err, terminal, environment)
        read = threading.Thread(target=drained, args=(ours,))
        read.start()
        status = process.end(COMMAND_TIMEOUT)
        os.close(theirs)
        read.join()
        os.close(ours)
        assert (status, err.read_text()) == (0, ""), command


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("None.nothing", "AttributeError: 'NoneType' object has no attribute 'nothing'"),
        ("f = lambda: f(); f()", "RecursionError: maximum recursion depth exceeded"),
        ("_native.panic_for_test()", "PanicException: asked to"),
        ("raise ValueError('two\\nlines \\x1b[31m and \\udcff')", "ValueError: two lines \ufffd[31m and "),
        ("raise ValueError('x' * 100_000)", "ValueError: xxx"),
        ("import threading; t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()", "ZeroDivision"),
    ],
)
def test_a_fault_of_dumbbell_is_one_line_and_a_file(tmp_path: Path, body: str, message: str) -> None:
    program = tmp_path / "faulty.py"
    program.write_text(
        "import click\nfrom dumbbell import _native\nfrom dumbbell.cli.boundary import exit_with\n"
        f"def fail():\n    {body}\nexit_with(click.Command('faulty', callback=fail), 'faulty')\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, errors="surrogateescape", timeout=120,
        env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == (0 if "thread" in body else 70)
    assert done.stdout == ""
    assert done.stderr.startswith(f"dumbbell: a fault of dumbbell itself: {message}")
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 1000
    (report,) = tmp_path.glob("dumbbell-fault-*.txt")
    assert f"{report}: command, version and traceback" in done.stderr
    text = report.read_text()
    for part in ("command: ", "version: dumbbell ", "Traceback (most recent call last):"):
        assert part in text
    assert ("panicked at crates/py/src/panics.rs:" in text) == ("panic" in body)


def test_a_fault_on_a_full_disk_is_still_one_line(tmp_path: Path) -> None:
    program = tmp_path / "faulty.py"
    program.write_text(
        "import click\nfrom dumbbell.cli.boundary import exit_with\n"
        "exit_with(click.Command('faulty', callback=lambda: 1 / 0), 'faulty')\n"
    )
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=120, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )  # fmt: skip
    assert done.returncode == 70
    assert "; please report it with the command and version " in done.stderr
    assert "(no file: " in done.stderr
    assert done.stderr.count("\n") == 1


def ran(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, for less time than what it sleeps."""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=folder, timeout=50, check=False
    )


def test_a_signal_while_a_module_loads_is_no_fault(tmp_path: Path) -> None:
    """Modules written in C turn whatever comes up while they load into an ``ImportError``."""
    program = """
import os, signal, time
import click
from dumbbell.cli.boundary import exit_with

@click.command()
def command():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(100)
    except BaseException as error:
        raise ImportError("initialization failed") from error

exit_with(command, "dumbbell")
"""
    done = ran(program, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "dumbbell: terminated\n")


def test_a_signal_in_a_destructor_ends_the_command(tmp_path: Path) -> None:
    """Python prints exceptions of destructors, and goes on."""
    program = """
import os, signal, time
import click
from dumbbell.cli.boundary import exit_with

class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0)

@click.command()
def command():
    for _ in range(2):
        Dying()
        try:
            time.sleep(100)
        finally:
            print("cleaned up", flush=True)

exit_with(command, "dumbbell")
"""
    done = ran(program, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "cleaned up\n", "dumbbell: interrupted\n")
