"""Recorded links of others: listed with licences, fetched from a server, refused if they have changed."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dumbbell.formats import FormatError, traces
from dumbbell.formats.traces import Recording, fetch, recordings

LINES = b"1\n2\n4\n"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A folder with a recording, served on this machine."""
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "some.down").write_bytes(LINES)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path / "www")) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_address[1]}"
        http.shutdown()
        thread.join()


@pytest.fixture
def listed(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"{server}/some.down"
    some = Recording("some", address, len(LINES), hashlib.sha256(LINES).hexdigest(), "none", "us")
    monkeypatch.setattr(traces, "recordings", lambda: {"some-down": some})


@pytest.mark.usefixtures("listed")
def test_a_recording_is_fetched_and_checked(server: str, tmp_path: Path) -> None:
    assert fetch("some-down") == fetch("some-down", server + "/") == LINES
    for changed in (b"1\n2\n5\n", LINES[:-1], LINES + b"9", b""):
        (tmp_path / "www" / "some.down").write_bytes(changed)
        with pytest.raises(FormatError, match=r"some\.down: not the file that is known as some-down"):
            fetch("some-down")


@pytest.mark.usefixtures("listed")
def test_what_cannot_be_had_is_one_line(server: str) -> None:
    for wrong, line in [
        (("other",), "'other' is no recording;"),
        (("some-down", f"{server}/gone"), "File not found; try again, or name a mirror with --from"),
        (("some-down", "http://127.0.0.1:1"), "refused; try again, or name a mirror with --from"),
        (("some-down", "file:///etc"), "file:///etc/some.down: not an address of the web"),
        (("some-down", "http://[x"), "http://[x/some.down: "),
    ]:
        with pytest.raises(FormatError) as error:
            fetch(*wrong)
        assert line in str(error.value)
        assert "\n" not in str(error.value)


def test_an_address_has_the_checksum_that_is_given(server: str, cli, tmp_path: Path) -> None:
    address, digest = f"{server}/some.down", hashlib.sha256(LINES).hexdigest()
    done = cli("traces", address, "-o", tmp_path / "a.trace")
    assert done.stdout.endswith(f"a.trace: 6 bytes; sha256: {digest}\n")
    assert (tmp_path / "a.trace").read_bytes() == LINES
    done = cli("traces", address, "--sha256", digest.upper(), "-o", tmp_path / "b.trace", "--json")
    assert json.loads(done.stdout)["sha256"] == digest
    (tmp_path / "www" / "page.html").write_text("<html> 1 2")
    for words, line in [
        ((address, "--sha256", "0" * 64), f"not the file that is meant: its checksum is {digest}"),
        ((address, "--sha256", "5"), "--sha256: '5' is no checksum; give 64 hexadecimal digits"),
        ((f"{server}/page.html",), "no recorded link, of which each line is a time in milliseconds"),
        ((f"{server}/gone",), "File not found; try again"),
        ((address, "--from", server), "--from is for recordings of the list"),
        (("verizon-lte-short-down", "--sha256", digest), "--sha256 is for an address"),
    ]:
        done = cli("traces", *words, "-o", tmp_path / "c.trace")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert line in done.stderr
    assert not (tmp_path / "c.trace").exists()


def test_every_entry_is_complete() -> None:
    known = recordings()
    assert len(known) >= 13
    for name, of in known.items():
        assert of.address.startswith("https://")
        assert (len(of.sha256), of.bytes > 1000, bool(of.licence and of.source)) == (64, True, True), name
    assert len({of.sha256 for of in known.values()}) == len(known)


def test_the_command_lists_and_refuses(cli, tmp_path: Path) -> None:
    done = cli("traces", "--json")
    assert json.loads(done.stdout)["verizon-lte-short-down"]["licence"].startswith("GPL-3.0")
    assert "verizon-lte-short-down" in cli("traces").stdout
    for words, line in [
        (("verizon-lte-short-down",), "no file is named; give one with -o, such as -o link.trace"),
        (("verizon", "-o", "x.trace"), "'verizon' is no recording;"),
        (("verizon-lte-short-down", "-o", "x.trace", "--from", "http://127.0.0.1:1"), "try again, or name"),
    ]:
        done = cli("traces", *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert line in done.stderr
    assert not (tmp_path / "x.trace").exists()
