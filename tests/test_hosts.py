"""Files for hosts of repositories: they say what their schema knows, and name what is there."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

checked = pytest.mark.skipif(
    find_spec("check_jsonschema") is None, reason="check-jsonschema is not installed: make site"
)


def check(schema: str, *files: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@checked
def test_workflows_obey_their_schema(tmp_path: Path) -> None:
    done = check("vendor.github-workflows", *WORKFLOWS)
    assert done.returncode == 0, done.stdout
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(WORKFLOWS[0].read_text(encoding="utf-8").replace("runs-on:", "runs:"))
    assert check("vendor.github-workflows", wrong).returncode == 1


def test_workflows_call_what_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        targets = re.findall(r"run: make (\w+)", text)
        assert targets or "maturin" in text
        assert [target for target in targets if f"\n{target}:" not in makefile] == []
        # Nothing is uploaded to an index, and no job may write.
        assert not re.search(r"publish|twine|password|secrets|write", text)


def test_hooks_name_programs_of_the_checkout() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"entry: (\S+)", text)
    assert set(entries) == {"cargo", ".venv/bin/ruff", ".venv/bin/python"}
    assert "http" not in text
