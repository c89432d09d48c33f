"""Scripts of packetdrill: where they are, what their commands set, and the copy that is run.

Commands of a script would change the host. None is run: what they set goes to a file that our TCP reads.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dumbbell._files.read import opened
from dumbbell.errors import DumbbellError

SETTINGS = "DUMBBELL_PACKETDRILL_SETTINGS"
"""The variable of the environment that names the file of settings."""

_LARGEST = 1 << 20
"""Bytes of a script: the longest of Google's has 20 kB."""

DEFAULTS = {
    "tcp_rmem": "4096 540000 15728640",
    "tcp_wmem": "4096 262144 4194304",
    "tcp_timestamps": "1",
    "tcp_frto": "2",
    "tcp_sack": "1",
    "tcp_dsack": "1",
    "tcp_reordering": "3",
    "tcp_congestion_control": "cubic",
    "tcp_slow_start_after_idle": "0",
    "tcp_early_retrans": "4",
    "tcp_recovery": "1",
    "tcp_tso_win_divisor": "3",
    "tcp_ecn": "0",
    "tcp_fastopen": "0x70403",
    "tcp_pacing_ss_ratio": "200",
    "tcp_pacing_ca_ratio": "120",
    "qdisc": "pfifo",
    "hystart": "linux-6.6",
}
"""What scripts presuppose and a common command sets, and the HyStart of their time, before Linux 6.14."""

_IGNORED = re.compile(
    r":|true|ip tcp_metrics flush\b.*|ethtool -K \S+( (tso|gso|gro|lro) (on|off))*|nstat( -\w+)*"
)
"""Commands that set nothing our TCP has: it remembers no path, sends single segments, and counts nothing."""

_COMMAND = "command"
"""The setting for a command that nothing here stands in for: the library names it when it gets there."""

_SEGMENT = re.compile(r"^\s*--mss=(\d+)\s*$", re.MULTILINE)
"""The option of the program that says in which segments data arrives."""

# The parts of a script in which other rules hold: comments, texts, programs, commands.
_PART = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|%\{.*?\}%|`[^`]*`', re.DOTALL)


@dataclass(frozen=True)
class Script:
    """A script, read.

    Attributes
    ----------
    name
        Its path below the folder that was given.
    version
        The version of IP, 4 or 6: the program's own runner goes by names, too.
    settings
        What its first command and its options set, as lines ``key=value``.
    text
        The copy that is run: commands write settings instead.
    """

    name: str
    version: int
    settings: str
    text: str

    def masked(self) -> str:
        """Return the copy in which no outgoing packet has PSH."""
        return "".join(text if special else _without_push(text) for special, text in _parts(self.text))


def find(folder: Path, only: str | None = None) -> list[Path]:
    """Return the scripts in a folder and below, sorted; those whose path has ``only`` in it."""
    if not folder.exists():
        raise DumbbellError(f"{folder}: no such folder; give the one that holds the scripts (*.pkt)")
    found = [folder] if folder.is_file() else sorted(folder.rglob("*.pkt"))
    chosen = [path for path in found if only is None or only in str(path)]
    if not found:
        raise DumbbellError(f"{folder}: no scripts (*.pkt) here; give the folder of packetdrill's tests")
    if not chosen:
        raise DumbbellError(f"--only {only}: none of {len(found)} scripts has that in its path")
    return chosen


def holds_python(path: Path) -> bool:
    """Whether a script holds Python; false for one that cannot be read, which is not run either."""
    try:
        with opened(path) as file:
            return b"%{" in file.read(_LARGEST)
    except OSError:
        return False


def read(path: Path, folder: Path) -> Script:
    """Read a script and make the copy of it.

    Raises
    ------
    DumbbellError
        If the file cannot be read, or is no text.
    """
    name = str(path.relative_to(folder)) if path != folder else path.name
    try:
        with opened(path) as file:
            raw = file.read(_LARGEST + 1)
    except OSError as error:
        raise DumbbellError(f"{path}: {error.strerror}; give a readable script") from None
    if len(raw) > _LARGEST:
        raise DumbbellError(f"{path}: larger than {_LARGEST} bytes; this is no script")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise DumbbellError(f"{path}: not a text; this is no script") from None
    first: dict[str, str] | None = None
    options, copied = {}, []
    for special, part in _parts(text):
        if special and part.startswith("`"):
            lines = _translated(part[1:-1])
            if first is None:
                first, lines = lines, {}
            copied.append(_written(lines))
        else:
            if not special and (segment := _SEGMENT.search(part)):
                options["mss"] = segment[1]
            copied.append(part)
    settings = "".join(f"{key}={value}\n" for key, value in ((first or {}) | options).items())
    return Script(name, 6 if name.endswith("v6.pkt") else 4, settings, "".join(copied))


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """Cut a script: (True, comment, text, program or command), (False, all else)."""
    at = 0
    for match in _PART.finditer(text):
        yield False, text[at : match.start()]
        yield True, match.group()
        at = match.end()
    yield False, text[at:]


def _translated(command: str) -> dict[str, str]:
    """Return what a command sets; the first part that sets nothing known ends it, and is a setting too."""
    found: dict[str, str] = {}
    for line in command.replace("\\\n", " ").splitlines():
        for part in re.split(r";|&&|\|\|", line):
            try:
                words = shlex.split(part, comments=True)
            except ValueError:
                words = [part]
            words = [word for word in words if not re.fullmatch(r"\d?&?>.*|/dev/null", word)]
            if words and not _translate(words, part, found):
                return found | {_COMMAND: " ".join(part.split())}
    return found


def _translate(words: list[str], part: str, found: dict[str, str]) -> bool:
    """Add what one command sets; False if that is not known."""
    name = words[0].rsplit("/", 1)[-1]
    written = re.fullmatch(r"\s*echo\s+(\S+)\s*>\s*(/(?:sys|proc)/\S+)\s*", part)
    if name == "defaults.sh":
        found.update(DEFAULTS)
    elif name in ("sysctl", "set_sysctls.py"):
        pairs = [word.split("=", 1) for word in words[1:] if "=" in word]
        found.update({re.split(r"[/.]", key)[-1]: value.strip() for key, value in pairs})
    elif name == "tc":
        kind = words[words.index("root") + 1 :] if "root" in words else []
        found["qdisc"] = " ".join(kind) or "pfifo"
    elif written:
        found[written[2].rsplit("/", 1)[-1]] = written[1]
    else:
        return bool(_IGNORED.fullmatch(" ".join([name, *words[1:]]))) or name.startswith("sysctl_restore_")
    return True


def _written(settings: dict[str, str]) -> str:
    """Return the command that writes settings, for the shell that packetdrill starts."""
    if not settings:
        return "`:`"
    lines = " ".join(shlex.quote(f"{key}={value}") for key, value in settings.items())
    return f"`printf '%s\\n' {lines} >> \"${SETTINGS}\"`"


# An outgoing packet: > [ecn] flags, of which P is one.
_OUTGOING = re.compile(r"(>\s*(?:\[[^\]]*\]\s*)?)([A-Z]*)P([A-Z]*\.)(?=\s)")


def _without_push(text: str) -> str:
    return _OUTGOING.sub(r"\1\2\3", text)
