"""The version of the code that makes the numbers of a study."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from dumbbell import _native

_PYTHON = (
    "_results/energy.py",
    "_results/results.py",
    "_scenario.py",
    "study/metric.py",
    "study/sizes.py",
)
"""Beside the extension, the files on the way from a scenario to a metric."""


@cache
def code_version() -> str:
    """Return the version of the package and a fingerprint of its code: ``0.1.0-3f2a9c41d07e``.

    Two machines that give the same text run the same code, bit for bit.
    """
    digest = hashlib.sha256()
    folder = Path(__file__).parent.parent
    for path in (Path(str(_native.__file__)), *(folder / name for name in _PYTHON)):
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return f"{_native.version}-{digest.hexdigest()[:12]}"
