"""The reference pages are what the registry says."""

from __future__ import annotations

from dumbbell import registry
from tools.reference import FOLDER, generate


def test_the_pages_follow_from_the_registry() -> None:
    written = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.md")}
    assert written == generate(registry()), "run `make docs`"
