"""Byte code, Python and C give equal answers and states, whatever happens to them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dumbbell.own import laws
from tests.own.laws import EVERYTHING
from tests.own.told import Backends, agree

HAS_CC = shutil.which("cc") is not None


LAWS = Path(laws.__file__).parent
SHIPPED = [
    ((LAWS / f"{name.lower()}.py").read_text(encoding="utf-8"), name) for name in ("Aimd", "NewReno", "Cubic")
]


@pytest.mark.parametrize(("text", "label"), [*SHIPPED, (EVERYTHING, "Everything")])
def test_back_ends_answer_alike(tmp_path: Path, text: str, label: str) -> None:
    agree(Backends(text, label, tmp_path if HAS_CC else None), range(400), HAS_CC)
