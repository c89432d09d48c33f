"""The site: every page has a place in the menu, links lead somewhere, and what is wrong is found."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tools import site
from tools.site import SiteError, broken, folder_page, menu, pages_of, slug, stage, tracked


def test_every_page_stands_in_the_menu_once() -> None:
    listed = tracked()
    names = pages_of(listed)
    assert len(names) > 150
    assert {
        "README.md",
        "docs/tutorial.md",
        "docs/api/stats.md",
        "python/dumbbell/papers/rcp_fct/README.md",
    } <= {*names}
    chosen = [page for entry in menu(names) for pages in entry.values() for page in pages]
    assert sorted(chosen) == sorted(names)
    with pytest.raises(SiteError, match=r"docs/new\.md: no entry of the menu has this page"):
        menu([*names, "docs/new.md"])


def test_links_lead_to_what_goes_along(tmp_path: Path) -> None:
    stage(tracked(), tmp_path)
    home = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "](LICENSE)" in home
    assert (tmp_path / "LICENSE").is_file()
    assert (tmp_path / "docs" / "figures" / "bufferbloat.svg").is_file()
    # A folder has a page, with the text of its files.
    assert "](../scenarios/README.md)" in (tmp_path / "docs" / "run.md").read_text(encoding="utf-8")
    scenarios = (tmp_path / "scenarios" / "README.md").read_text(encoding="utf-8")
    assert "## fq-codel-call.toml" in scenarios


def test_a_link_out_of_the_project_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("[a](../elsewhere)\n")
    monkeypatch.setattr(site, "ROOT", tmp_path)
    with pytest.raises(SiteError, match=r"README\.md: \.\./elsewhere: there is no such file"):
        stage(["README.md"], tmp_path / "staged")


def test_a_folder_shows_short_texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "a.toml").write_text("a = 1\n")
    (tmp_path / "some" / "b.bin").write_bytes(b"\0")
    monkeypatch.setattr(site, "ROOT", tmp_path)
    page = folder_page("some", ["some/a.toml", "some/b.bin"], tmp_path / "staged")
    assert "`````toml\na = 1\n`````" in page
    assert "[b.bin](b.bin)" in page
    assert (tmp_path / "staged" / "some" / "b.bin").is_file()


def test_anchors_are_those_of_hosts() -> None:
    assert slug("RCP end points, at a rate: `--x`", "-") == "rcp-end-points-at-a-rate---x"


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there"><a href="b.html#gone"><img src="no.png"><p id="x">'
    )
    (tmp_path / "b.html").write_text(
        '<h1 id="there"></h1><a href="a.html#x"></a><a href="https://example.org">'
    )
    assert list(broken(tmp_path)) == ["a.html: b.html#gone", "a.html: no.png"]


@pytest.mark.full
@pytest.mark.skipif(find_spec("material") is None, reason="MkDocs is not installed: make site")
def test_the_site_is_built() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.site"], cwd=site.ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "all links lead somewhere" in done.stdout
    assert list((site.SITE / "docs" / "gallery").glob("*.png"))
