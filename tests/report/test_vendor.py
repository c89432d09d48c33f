"""Vendored files are those of the release that the list names."""

from __future__ import annotations

import hashlib
import re
from importlib import resources

from dumbbell.report.html import UPLOT_VERSION

VENDOR = resources.files("dumbbell.report") / "vendor"


def test_files_are_the_listed_ones() -> None:
    listed = re.findall(r"^    ([0-9a-f]{64})  (\S+)$", (VENDOR / "README.md").read_text(), re.MULTILINE)
    assert len(listed) == 3
    for digest, name in listed:
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == digest, name


def test_version_is_said_where_it_is_used() -> None:
    assert f"(v{UPLOT_VERSION})" in (VENDOR / "uplot" / "uPlot.iife.min.js").read_text()[:100]
    assert f"| {UPLOT_VERSION} |" in (VENDOR / "README.md").read_text()
