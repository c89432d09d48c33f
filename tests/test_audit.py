"""The audit of dependencies: what it lets pass, what it refuses, and an OSV that answers, or does not."""

from __future__ import annotations

import json
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from email.message import Message
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tools import audit, notices
from tools.audit import Package, Rules

RULES = Rules.read(audit.REPOSITORY / "tools" / "audit.toml")
CRATE = Package("crates.io", "some", "1.0.0", "MIT")


@pytest.mark.parametrize(
    ("expression", "met"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT/Apache-2.0", True),
        ("GPL-2.0-only OR MIT", True),
        ("MIT AND GPL-2.0-only", False),
        ("(GPL-2.0-only OR MIT) AND Unicode-3.0", True),
        ("MIT AND (GPL-2.0-only OR AGPL-3.0-only)", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-3.0-only WITH GCC-exception-3.1", False),
        ("MIT WITH some-exception", False),
        ("MIT AND", False),
        ("(MIT", False),
        ("MIT GPL-3.0-only", False),
        ("", False),
    ],
)
def test_expressions(expression: str, met: bool) -> None:
    assert audit.satisfied(expression, RULES.permissive) is met


def test_the_mozilla_licence_is_for_tools_only() -> None:
    package = replace(CRATE, licence="MPL-2.0")
    assert not RULES.allows(package)
    assert RULES.allows(replace(package, tool=True))


def test_what_packages_state() -> None:
    about = Message()
    assert audit.stated(about, RULES.names) == ""
    about["License"] = "Copyright (c) 2020 somebody"
    assert not RULES.allows(replace(CRATE, licence=audit.stated(about, RULES.names)))
    about["Classifier"] = "License :: OSI Approved :: MIT License"
    assert audit.stated(about, RULES.names) == "MIT"
    about["Classifier"] = "License :: OSI Approved :: GNU General Public License v3 (GPLv3)"
    assert not RULES.allows(replace(CRATE, licence=audit.stated(about, RULES.names)))
    about["License-Expression"] = "BSD-3-Clause"
    assert audit.stated(about, RULES.names) == "BSD-3-Clause"


def test_two_versions_of_a_crate_need_a_reason() -> None:
    crates = [CRATE, replace(CRATE, version="2.0.0"), replace(CRATE, name="other")]
    assert audit.doubled(crates, RULES) == [
        "some: 2 versions, 1.0.0, 2.0.0; agree on one, or say why in tools/audit.toml"
    ]
    assert audit.doubled(crates, replace(RULES, twice={"some": "why"})) == []


def test_a_dependency_of_our_own_stands_in_the_table() -> None:
    page = "serde, evil\n## Dependencies\n\n| package | for |\n|---|---|\n| serde, arrow | evil things |\n"
    ours = [("serde", "^1"), ("arrow-array", "^60.1"), ("evil", "^1"), ("serde", "*")]
    assert audit.undecided(ours, page) == [
        "evil: not in the table of ARCHITECTURE.md; say there what it is for",
        "serde: any version would do; name the oldest that is known to work",
    ]


def test_a_licence_outside_the_list_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        audit, "rust_packages", lambda: ([CRATE, replace(CRATE, licence="AGPL-3.0-only")], [])
    )
    assert audit.audit("http://127.0.0.1:1") == 1
    told = capsys.readouterr()
    assert told.err.startswith("audit: some 1.0.0: its licence is AGPL-3.0-only; choose another package, or")
    assert "advisories: skipped: http://127.0.0.1:1 gives no answer" in told.out


def test_what_is_locked_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.audit(None) == 0, capsys.readouterr().err
    assert "advisories: not asked for" in capsys.readouterr().out


@pytest.fixture
def osv() -> Iterator[tuple[str, list[bytes]]]:
    """A server that knows an advisory for every package called ``bad``, or says what it is told to."""
    says: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
            found = [{"vulns": [{"id": "RUSTSEC-1"}]} if q["package"]["name"] == "bad" else {} for q in asked]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(says[0] if says else json.dumps({"results": found}).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", says
        server.shutdown()
        thread.join()


def test_an_advisory_fails_unless_it_is_listed(osv: tuple[str, list[bytes]]) -> None:
    packages = [CRATE, replace(CRATE, name="bad")]
    told = audit.vulnerable(packages, RULES, osv[0])
    assert told == ["bad 1.0.0: RUSTSEC-1; see https://osv.dev/RUSTSEC-1, and take a version without"]
    assert audit.vulnerable(packages, replace(RULES, advisories={"RUSTSEC-1": "why"}), osv[0]) == []


@pytest.mark.parametrize("answer", [b"<html>", b"{}", b"[]", b'{"results": []}'])
def test_what_is_no_answer_is_skipped_and_told(
    osv: tuple[str, list[bytes]],
    answer: bytes,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    osv[1].append(answer)
    monkeypatch.setattr(audit, "rust_packages", lambda: ([CRATE], []))
    assert audit.audit(osv[0]) == 0
    assert "advisories: skipped: " in capsys.readouterr().out


def test_the_notices_of_others_are_those_of_the_locked_crates() -> None:
    text = notices.FILE.read_text(encoding="utf-8")
    assert text == notices.notices(), "make docs"
    assert "serde_json" in text
    assert "uplot" in text
    assert "Permission is hereby granted" in text
    assert "/root/" not in text
    project = tomllib.loads((audit.REPOSITORY / "pyproject.toml").read_text())["project"]
    assert notices.FILE.name in project["license-files"]
