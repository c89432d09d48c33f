"""The examples of CONTRIBUTING.md are all there, and one of them builds outside the repository.

`cargo test --workspace` compiles and tests them: see `examples/together`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = {path.parent.name for path in (ROOT / "examples").glob("*/Cargo.toml")}


def test_contributing_links_to_every_example() -> None:
    assert set(re.findall(r"\(examples/([a-z-]+)\)", PAGE)) == EXAMPLES
    assert len(EXAMPLES) >= 16


def test_contributing_names_contracts_that_exist() -> None:
    named = re.findall(r"`((?:proto|net|sim|core)/src/\S+\.rs)`", PAGE)
    assert len(named) >= 15
    assert [path for path in named if not (ROOT / "crates" / path).is_file()] == []


@pytest.mark.parametrize("name", ["headdrop", "stop-and-wait"])
def test_an_example_outside_builds_by_path(name: str, tmp_path: Path) -> None:
    copy = tmp_path / name
    shutil.copytree(ROOT / "examples" / name, copy)
    manifest = copy / "Cargo.toml"
    text = manifest.read_text(encoding="utf-8")
    assert "../../crates/" in text
    manifest.write_text(text.replace("../../crates/", f"{ROOT.as_posix()}/crates/"), encoding="utf-8")
    # The versions of the repository, which are there already.
    shutil.copy(ROOT / "Cargo.lock", copy)
    environment = {
        **os.environ,
        "CARGO_TARGET_DIR": str(ROOT / "target" / "outside"),
        "CARGO_INCREMENTAL": "0",
        "CARGO_PROFILE_TEST_OPT_LEVEL": "0",
        "CARGO_PROFILE_TEST_DEBUG": "0",
    }
    done = subprocess.run(
        ["cargo", "test", "--offline", "--quiet"],
        cwd=copy,
        check=False,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"test result: ok\. [1-9]", done.stdout), done.stdout
