"""Entries of a board: a file each, with source, scores and runs. Anybody can recompute it bit for bit."""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dumbbell import _native
from dumbbell._files.folder import new_file
from dumbbell._files.read import read_text
from dumbbell._laws import law_name
from dumbbell.arena.entrant import Entrant, Named, entrant_of
from dumbbell.arena.errors import ArenaError
from dumbbell.arena.networks import SCORES, TRAIN, distribution, held_out_key, latest_year
from dumbbell.arena.scoring import Score, score
from dumbbell.errors import DumbbellError

SUFFIX = ".arena.json"
"""What names of entries end in."""

_FORM = 1


@dataclass(frozen=True)
class Entry:
    """What a file of a board holds."""

    path: Path
    """The file."""
    name: str
    """What tables call the controller."""
    command: str
    """What commands call it."""
    text: str | None
    """The file of a law; ``None`` for a registered controller."""
    year: int
    """Of the salt of its held-out set."""
    version: str
    """Of dumbbell."""
    sets: Mapping[str, Mapping[str, Any]]
    """``train`` and ``held-out``: key, scores, cap, and the numbers of each network."""
    history: Sequence[Mapping[str, Any]] = ()
    """What it replaced: version, hash of the source, year and scores; nobody verifies it."""

    @property
    def digest(self) -> str:
        """SHA-256 of what is submitted, in hexadecimal."""
        return hashlib.sha256((self.text or "").encode() + b"\0" + self.command.encode()).hexdigest()

    def past(self) -> dict[str, Any]:
        """Return what an entry that replaces this one keeps of it."""
        scores = {name: dict(each["scores"]) for name, each in self.sets.items()}
        return {"version": self.version, "source": self.digest, "year": self.year, "scores": scores}

    def score(self, of: str, name: str) -> float:
        """Return the score `name` in a set: of ``train`` or ``held-out``."""
        return float(self.sets[of]["scores"][name])


def submit(named: Named, folder: Path, *, year: int | None = None, force: bool = False) -> Path:
    """Score a controller on both sets, and write its entry into the folder of a board; return the file.

    Parameters
    ----------
    named
        As in :func:`score`.
    folder
        The board.
    year
        Of the salt; by default the latest.
    force
        Replace the entry of that name.

    Raises
    ------
    ArenaError
        As :func:`score`; or if the board has another version of the law.
    FolderError
        If the file cannot be written.
    """
    entrant, year = entrant_of(named), year or latest_year()
    path = folder / f"{_file_name(entrant)}{SUFFIX}"
    if not force:
        _refuse_second(entrant, folder)
    if folder.exists() and not folder.is_dir():
        raise ArenaError(f"{folder}: is no folder; choose another name")
    folder.mkdir(parents=True, exist_ok=True)
    # What cannot be written is refused before the runs.
    with new_file(path, _is_entry, force) as part:
        held_out, train = score(named, set=f"held-out-{year}"), score(named)
        part.write_text(_body(entrant, year, [], train, held_out), encoding="utf-8")
        past = _history(path, _read(part))
        part.write_text(_body(entrant, year, past, train, held_out), encoding="utf-8")
    return path


def _file_name(entrant: Entrant) -> str:
    parameters = entrant.command.partition("(")[2].rstrip(")")
    return entrant.name + "".join(f"-{each}" for each in parameters.split(",") if each).replace("=", "-")


def _refuse_second(entrant: Entrant, folder: Path) -> None:
    for other in map(_read, sorted(folder.glob(f"*{SUFFIX}"))):
        if other.name == entrant.name and _file_name(entrant) == other.path.name.removesuffix(SUFFIX):
            same = other.command == entrant.command and other.text == entrant.text
            what = "is there already" if same else "is another version of the law"
            raise ArenaError(
                f"{other.path}: {what}; give --force to replace it, or another name to the class"
            )


def _history(path: Path, new: Entry) -> list[Mapping[str, Any]]:
    """Return what the entry that a new one replaces has replaced, and that entry unless it says the same."""
    if not path.is_file():
        return []
    old = _read(path)
    return [*old.history, *([] if old.past() == new.past() else [old.past()])]


def _is_entry(path: Path) -> bool:
    """Whether a file is an entry."""
    try:
        _read(path)
    except ArenaError:
        return False
    return True


def _body(
    entrant: Entrant, year: int, history: Sequence[Mapping[str, Any]], train: Score, held_out: Score
) -> str:
    """Return the file: a line for each network, so that versions can be compared."""
    head = {
        "arena": _FORM,
        "edition": distribution().edition,
        "version": _native.version,
        "name": entrant.name,
        "command": entrant.command,
        "source": entrant.text,
        "year": year,
        "history": list(history),
    }
    sets = {TRAIN: train, "held-out": held_out}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    lines.append(
        '"sets": {' + ",\n".join(f"{json.dumps(key)}: {_set(each)}" for key, each in sets.items()) + "}"
    )
    return "{" + "\n".join(lines) + "}\n"


def _set(found: Score) -> str:
    rows = ",\n".join(json.dumps([row.network.name, *_finite(row.numbers)]) for row in found.rows)
    plans = "\n".join(row.plan for row in found.rows)
    head = {
        "set": found.set,
        "key": found.key,
        "scores": {name: mark.value for name, mark in found.marks.items()},
        "decided_by": {name: mark.group.name for name, mark in found.marks.items()},
        "cap": round(found.cap, 4),
        "plans": hashlib.sha256(plans.encode()).hexdigest(),
    }
    return json.dumps(head)[:-1] + ', "runs": [\n' + rows + "]}"


def _finite(numbers: Sequence[float]) -> list[float | None]:
    return [number if math.isfinite(number) else None for number in numbers]


def entries(folder: Path) -> list[Entry]:
    """Return the entries of a board by name.

    Raises
    ------
    ArenaError
        If the folder has none, a file is none, or two hold versions of one law.
    """
    if not folder.is_dir():
        raise ArenaError(f"{folder}: no such folder; `dumbbell arena submit NAME -o {folder}` makes it")
    found = [_read(path) for path in sorted(folder.glob(f"*{SUFFIX}"))]
    if not found:
        raise ArenaError(f"{folder}: holds no entry (*{SUFFIX}); `dumbbell arena submit` writes one")
    known: dict[str, Entry] = {}
    for entry in found:
        first = known.setdefault(f"{entry.name}{entry.command.partition('(')[2]}", entry)
        if first is not entry:
            raise ArenaError(
                f"{folder}: {first.path.name} and {entry.path.name} are two versions of {entry.name}; keep "
                "one, or give the class of one another name"
            )
    return found


def _read(path: Path) -> Entry:
    remedy = "get it again, or submit again"
    try:
        values = json.loads(read_text(path))
        if values["arena"] != _FORM or values["edition"] != distribution().edition:
            raise ArenaError(f"{path}: is of another edition of the arena; submit again")
        text, sets = values["source"], values["sets"]
        if not (text is None or isinstance(text, str)) or sorted(sets) != ["held-out", TRAIN]:
            raise KeyError("sets")
        for each in sets.values():
            if sorted(each["scores"]) != sorted(SCORES) or not all(
                isinstance(value, float | int) and 0 <= value <= 1 for value in each["scores"].values()
            ):
                raise KeyError("scores")
        history = values["history"]
        if not all({"version", "source", "year", "scores"} <= each.keys() for each in history):
            raise KeyError("history")
        return Entry(
            path, str(values["name"]), str(values["command"]), text, int(values["year"]),
            str(values["version"]), sets, tuple(history),
        )  # fmt: skip
    except OSError as error:
        raise ArenaError(f"{path}: {error.strerror or error}; {remedy}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, ArenaError):
            raise
        raise ArenaError(f"{path}: is no entry of a board; {remedy}") from None


def verify(folder: Path) -> list[Entry]:
    """Recompute each row of a board bit for bit; return its entries.

    Parameters
    ----------
    folder
        The board.

    Raises
    ------
    ArenaError
        The first thing that is not so: a score, a number of a run, a seed, a source; or another version.
    """
    found = entries(folder)
    for entry in found:
        verify_entry(entry)
    return found


def verify_entry(entry: Entry) -> None:
    """Recompute an entry.

    Raises
    ------
    ArenaError
        As :func:`verify`.
    """
    if entry.version != _native.version:
        raise ArenaError(
            f"{entry.path}: was made by version {entry.version}, this is {_native.version}; runs are equal "
            "under the same version only: install that, or submit again"
        )
    with tempfile.TemporaryDirectory() as place:
        entrant = _entrant(entry, Path(place))
        try:
            keys = {TRAIN: TRAIN, "held-out": held_out_key(entrant.source, entry.year)}
        except ArenaError as error:
            raise ArenaError(f"{entry.path}: {error}") from None
        for name, key in keys.items():
            if entry.sets[name]["key"] != key:
                raise ArenaError(
                    f"{entry.path}: the seeds of the set {name} are not those of the source and the salt of "
                    f"{entry.year}; the source or the key was changed"
                )
        again = json.loads(
            _body(
                entrant, entry.year, (), score(_named(entrant)),
                score(_named(entrant), set=f"held-out-{entry.year}"),
            )
        )  # fmt: skip
    for name, stated in entry.sets.items():
        _compare(f"{entry.path}: {name}", stated, again["sets"][name])
    if entry.name != entrant.name:
        raise ArenaError(f"{entry.path}: name: {entry.name} is stated, and {entrant.name} is in the source")


def _entrant(entry: Entry, place: Path) -> Entrant:
    """Return who is scored, its source as a file of a folder."""
    law = law_name(entry.command)
    if (law is None) is not (entry.text is None):
        raise ArenaError(f"{entry.path}: {entry.command} and its source do not belong together; submit again")
    if law is None:
        return entrant_of(entry.command)
    if Path(law.file).name != law.file:
        raise ArenaError(f"{entry.path}: {law.file} is no plain name of a file; submit again")
    (place / law.file).write_text(entry.text or "", encoding="utf-8")
    try:
        return entrant_of(f"{place / entry.command}")
    except DumbbellError as error:
        raise ArenaError(
            f"{entry.path}: its source is refused: {str(error).replace(f'{place}/', '')}"
        ) from None


def _named(entrant: Entrant) -> str:
    return str(entrant.folder / entrant.command) if entrant.text is not None else entrant.command


def _compare(place: str, stated: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuse the first value that was not computed."""
    runs = stated.get("runs")
    if not isinstance(runs, list) or len(runs) != len(found["runs"]):
        raise ArenaError(f"{place}: has not the runs of its {len(found['runs'])} networks; submit again")
    for told, made in zip(runs, found["runs"], strict=True):
        if told != made:
            raise ArenaError(f"{place}: the run of {made[0]} gives other numbers than those that are stated")
    for key in ("plans", "set", "scores", "decided_by", "cap"):
        if stated.get(key) != found[key]:
            raise ArenaError(f"{place}: {key}: {stated.get(key)} is stated, and {found[key]} comes out")
