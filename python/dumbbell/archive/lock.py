"""The exact versions that results rest on: written into an archive, read back and compared."""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from dumbbell import __version__, _native
from dumbbell._files.foreign import NotDataError, parse_json, parse_toml
from dumbbell._files.text import plain, shortened
from dumbbell.archive.files import ArchiveError


def lock_files(code: str) -> dict[str, bytes]:
    """Return the files of ``lock/``, by name.

    Parameters
    ----------
    code
        The version of the code that made the results.
    """
    facts = {"dumbbell": __version__, "code": code, **_machine()}
    return {
        "lock/dumbbell.json": (json.dumps(facts, indent=2) + "\n").encode(),
        "lock/requirements.txt": "".join(f"{line}\n" for line in _requirements()).encode(),
        "lock/Cargo.lock": _native.cargo_lock.encode(),
    }


def changes(folder: Path) -> list[str]:
    """Return what is here in another version than an archive was made with: ``numpy 2.4.1, here 2.4.6``.

    Parameters
    ----------
    folder
        The unpacked archive.

    Raises
    ------
    ArchiveError
        If its ``lock/`` is missing or damaged.
    """
    try:
        facts = parse_json((folder / "lock/dumbbell.json").read_bytes())
        packages = (folder / "lock/requirements.txt").read_text(encoding="utf-8").split()
        crates = parse_toml((folder / "lock/Cargo.lock").read_text(encoding="utf-8"))
        then = [
            {key: str(facts[key]) for key in ("dumbbell", *_machine())},
            dict(line.split("==") for line in packages),
            _crates(crates),
        ]
    except (OSError, NotDataError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise ArchiveError(f"lock/: damaged ({type(error).__name__}); get the archive again") from None
    here = [
        {"dumbbell": __version__, **_machine()},
        dict(line.split("==") for line in _requirements()),
        _crates(parse_toml(_native.cargo_lock)),
    ]
    return [line for old, new in zip(then, here, strict=True) for line in _differing(old, new)]


def _differing(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    names = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    return [
        f"{_shown(name)} {_shown(then.get(name, 'absent'))}, here {now.get(name, 'absent')}" for name in names
    ]


def _shown(text: str) -> str:
    return shortened(plain(text), 40)


def _machine() -> dict[str, str]:
    return {"python": platform.python_version(), "system": sys.platform, "machine": platform.machine()}


def _crates(lock: Mapping[str, Any]) -> dict[str, str]:
    """Return the versions of every crate of a ``Cargo.lock``, by name."""
    found: dict[str, list[str]] = {}
    for package in lock["package"]:
        found.setdefault(str(package["name"]), []).append(str(package["version"]))
    return {name: " and ".join(sorted(found[name])) for name in found}


def _without_extra(requirement: str) -> str:
    """Return a requirement of the extra ``all`` as one of the core."""
    name, _, marker = requirement.partition(";")
    return name if re.search(r"extra *== *['\"]all['\"]", marker) else requirement


@cache
def _requirements() -> tuple[str, ...]:
    """Return the installed versions of what dumbbell needs, and of what that needs: ``numpy==2.4.6``.

    Of its extras those that make results and reports; what is not installed of them is left out.
    """
    try:
        waiting = [_without_extra(entry) for entry in metadata.requires("dumbbell") or ()]
    except metadata.PackageNotFoundError:
        raise ArchiveError(
            "dumbbell: its package data are missing, so what it needs is unknown; install it with pip"
        ) from None
    found: dict[str, str] = {}
    while waiting:
        requirement, _, marker = waiting.pop().partition(";")
        match = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
        if match is None or "extra" in marker:
            continue
        name = re.sub(r"[-_.]+", "-", match[0]).lower()
        if name in found:
            continue
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            # Asked for on other systems only.
            continue
        waiting += metadata.requires(name) or ()
    return tuple(f"{name}=={found[name]}" for name in sorted(found))
