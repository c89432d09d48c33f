"""The page docs/gym.md: its blocks run in order and print what stands below them."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

pytest.importorskip("gymnasium", reason="needs the extra gym")

PAGE = Path(__file__).parents[2] / "docs/gym.md"


def test_page_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    names = {}
    blocks = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 3
    for block, said in blocks:
        with redirect_stdout(StringIO()) as shown:
            exec(block, names)
        assert shown.getvalue() == said
