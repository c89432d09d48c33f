"""The list of papers that `dumbbell papers` shows."""

from __future__ import annotations

from tools.papers import LISTED, generate


def test_the_list_is_that_of_the_papers() -> None:
    assert LISTED.read_text(encoding="utf-8") == generate(), "run `make docs`"
