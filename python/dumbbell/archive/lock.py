"""The exact versions that results rest on."""

from __future__ import annotations

import json
import platform
import re
import sys
from importlib import metadata

from dumbbell import __version__, _native
from dumbbell.archive.files import ArchiveError


def lock_files(code: str) -> dict[str, bytes]:
    """Return the files of ``lock/``, by name.

    Parameters
    ----------
    code
        The version of the code that made the results.
    """
    facts = {
        "dumbbell": __version__,
        "code": code,
        "python": platform.python_version(),
        "system": sys.platform,
        "machine": platform.machine(),
    }
    return {
        "lock/dumbbell.json": (json.dumps(facts, indent=2) + "\n").encode(),
        "lock/requirements.txt": "".join(f"{line}\n" for line in _requirements()).encode(),
        "lock/Cargo.lock": _native.cargo_lock.encode(),
    }


def _requirements() -> list[str]:
    """Return the installed versions of what dumbbell needs, and of what that needs: ``numpy==2.4.6``."""
    try:
        waiting = list(metadata.requires("dumbbell") or ())
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
    return [f"{name}=={found[name]}" for name in sorted(found)]
