"""Runs scripts with the program packetdrill over the library that takes the place of a kernel."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from dumbbell import _native
from dumbbell._files.text import plain, shortened
from dumbbell._laws import law_name
from dumbbell.errors import DumbbellError
from dumbbell.packetdrill.fields import LACKS
from dumbbell.packetdrill.scripts import SETTINGS, Script, read

LIBRARY = Path(__file__).parents[1] / "libdumbbell_packetdrill.so"

PASSED = "passed"
MASKED = "passed with PSH masked"
FAILED = "failed"
UNREADABLE = "does not parse"
ABSENT = "not applicable"

_LOCAL = "192.168.0.1"
_ADDRESSES = {
    4: (
        "--ip_version=ipv4", f"--local_ip={_LOCAL}", f"--gateway_ip={_LOCAL}", "--netmask_ip=255.255.0.0",
        "--remote_ip=192.0.2.1",
    ),
    6: (
        "--ip_version=ipv6", "--local_ip=fd3d:0a0b:17d6::1", "--gateway_ip=fd3d:0a0b:17d6:8888::1",
        "--remote_ip=fd3d:fa7b:d17d::1",
    ),
}  # fmt: skip
"""Addresses as in the program's own runner."""

_FLAGS = (
    "--send_omit_free",
    "-D", "TFO_COOKIE=3021b9d889017eeb", "-D", "CODE=host_unreachable",
    "-D", "CMSG_LEVEL_IP=SOL_IP", "-D", "CMSG_TYPE_RECVERR=IP_RECVERR",
    f"--so_filename={LIBRARY}", f"--so_flags={_LOCAL}",
)  # fmt: skip

FIELDS = Path(__file__).with_name("fields.py")
"""The program that runs the Python of scripts."""

_PATIENCE = 60.0
"""Seconds for one script: a tenth of a second is usual, and time is virtual."""

_LONGEST = 400
"""Characters of what the program says."""


@dataclass(frozen=True)
class Outcome:
    """What became of a script.

    Attributes
    ----------
    script
        Its path below the folder.
    status
        :data:`PASSED`, :data:`MASKED`, :data:`FAILED`, :data:`UNREADABLE` or :data:`ABSENT`.
    detail
        The first difference, or what is absent; empty if it passed.
    seconds
        How long it took.
    """

    script: str
    status: str
    detail: str
    seconds: float

    def as_row(self) -> dict[str, object]:
        """Return it as a row for JSON."""
        return asdict(self)


def find_program(given: Path | None) -> Path:
    """Return the program: the one given, that of the variable ``PACKETDRILL``, or the first on the path."""
    named = given or (Path(os.environ["PACKETDRILL"]) if os.environ.get("PACKETDRILL") else None)
    if named is None:
        found = shutil.which("packetdrill")
        if found is None:
            raise DumbbellError(
                "packetdrill: not found; build it as docs/packetdrill.md says, and give --program PATH"
            )
        return Path(found)
    if not named.is_file() or not os.access(named, os.X_OK):
        raise DumbbellError(f"{named}: no program; give the path of packetdrill")
    return named.absolute()


@dataclass(frozen=True)
class Controller:
    """One of ours that all connections have, whatever the scripts set.

    Attributes
    ----------
    name
        What tables call it.
    image
        The byte code of a law of one's own; ``None`` of a registered one.
    """

    name: str
    image: bytes | None = None

    def settings(self, folder: Path) -> str:
        """Return the line of settings; the byte code goes to a file in a folder."""
        if self.image is None:
            return f"controller={self.name}\n"
        file = folder / "law"
        file.write_bytes(self.image)
        return f"law={file}\n"


def controller_of(text: str) -> Controller:
    """Return the controller of a name, or the class of a file, such as ``my.py:Mine(gain=2)``.

    Raises
    ------
    DumbbellError
        If there is none of that name.
    LawError
        If the class is no law.
    """
    if law_name(text) is not None:
        from dumbbell.own.file import read_law

        _, law, compiled = read_law(text)
        return Controller(law.name, compiled.image)
    known = [name for name, _, _ in dict(_native.algorithms())["controller"]]
    if text not in known:
        raise DumbbellError(f"--controller: no controller {text!r}; {_native.suggest(text, known)}")
    return Controller(text)


def run_all(
    paths: Sequence[Path], folder: Path, program: Path, jobs: int, controller: Controller | None = None
) -> Iterator[Outcome]:
    """Run scripts, so many at a time; outcomes come as they end."""
    if not LIBRARY.exists():
        raise DumbbellError(f"{LIBRARY.name}: not built; run `make setup`")
    with (
        tempfile.TemporaryDirectory(prefix="dumbbell-packetdrill-") as scratch,
        ThreadPoolExecutor(jobs) as pool,
    ):
        places = (Path(scratch) / str(number) for number in range(len(paths)))
        more = "" if controller is None else controller.settings(Path(scratch))
        waiting = [
            pool.submit(_run, path, folder, program, place, more)
            for path, place in zip(paths, places, strict=True)
        ]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _run(path: Path, folder: Path, program: Path, place: Path, more: str) -> Outcome:
    begun = time.monotonic()
    try:
        script = read(path, folder)
        script = replace(script, settings=script.settings + more)
    except DumbbellError as error:
        return Outcome(path.name, UNREADABLE, str(error), 0.0)
    status, detail = _judge(script, program, place)
    return Outcome(script.name, status, detail, time.monotonic() - begun)


def _judge(script: Script, program: Path, place: Path) -> tuple[str, str]:
    difference, lacking = _difference(script, script.text, script.settings, program, place / "plain")
    if lacking:
        # It may also have passed: by luck, if something was set that is not obeyed.
        return ABSENT, f"needs {lacking}"
    if difference is None:
        return PASSED, ""
    if re.match(r"line \d+: (?:parse|semantic) error", difference):
        return UNREADABLE, f"{difference}; correct the script, or take a newer program"
    masked, _ = _difference(
        script, script.masked(), script.settings + "mask_push=1\n", program, place / "masked"
    )
    return (MASKED, difference) if masked is None else (FAILED, masked)


def _difference(
    script: Script, text: str, settings: str, program: Path, place: Path
) -> tuple[str | None, str]:
    """Run one copy. Returns the first difference, or None, and what the library lacks, if the run met it."""
    place.mkdir(parents=True)
    copy, file, lacks = place / "script.pkt", place / "settings", place / "lacks"
    copy.write_text(text, encoding="utf-8")
    file.write_text(settings, encoding="utf-8")
    environment = {
        **os.environ,
        "LD_PRELOAD": str(LIBRARY),
        SETTINGS: str(file),
        LACKS: str(lacks),
        "TMPDIR": str(place),
    }
    code = f"--code_command={sys.executable} -IS {shlex.quote(str(FIELDS))}"
    arguments = [str(program), *_ADDRESSES[script.version], *_FLAGS, code, copy.name]
    with subprocess.Popen(
        arguments,
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            said = process.communicate(timeout=_PATIENCE)[0].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f"no end after {_PATIENCE:.0f} s", ""
    lacking = (
        shortened(plain(lacks.read_text(encoding="utf-8", errors="replace")), _LONGEST)
        if lacks.exists()
        else ""
    )
    if process.returncode == 0:
        return None, lacking
    if process.returncode < 0:
        return f"the program died of signal {-process.returncode}: {_first(said)}", lacking
    return _first(said), lacking


def _first(said: str) -> str:
    """Return the first difference in what the program said, in one line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    assertion = next((line for line in reversed(lines) if line.startswith("AssertionError")), None)
    if assertion is not None:
        place = next((m[1] for line in lines if (m := re.search(r"script\.pkt\D*(\d+)", line))), "?")
        quoted = next((line for line in lines if line.startswith("assert ")), "")
        return shortened(plain(f"line {place}: {quoted}: {assertion.partition(':')[2].strip()}"), _LONGEST)
    errors = [line for line in lines if not line.startswith("Ran into")] or ["it said nothing"]
    text = " | ".join(errors[:3]).replace("script.pkt:", "line ")
    return shortened(plain(text), _LONGEST)
