"""The archive of a paper: claims, figures and report follow from the runs."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

from dumbbell import papers
from dumbbell.archive import pack, verify
from dumbbell.archive.files import MANIFEST, write_zip
from tests.unprinted import unprinted


def test_claims_and_report_of_a_paper_are_made_anew(tmp_path: Path) -> None:
    paper = shutil.copytree(papers.find_paper("campus-web").folder, tmp_path / "campus_web")
    text = (paper / "study.toml").read_text()
    quick = "[quick]\nseeds = 5\n"
    assert quick in text
    (paper / "study.toml").write_text(text.replace(quick, "[quick]\nseeds = 3\naxes = { load = [0.8] }\n"))
    with unprinted():
        _made_anew(paper, tmp_path)


def _made_anew(paper: Path, tmp_path: Path) -> None:
    papers.reproduce(papers.find_paper(paper), tmp_path / "out")
    path = pack(tmp_path / "out", tmp_path / "paper.zip")
    found = verify(path, sample=1)
    assert (found.outcome, found.differences) == ("bit-equal", ())
    assert found.unchecked == ("ro-crate-metadata.json: the description of the archive",)
    with zipfile.ZipFile(path) as opened:
        files = {name: opened.read(name) for name in opened.namelist() if name != MANIFEST}
    for name in ("claims.json", "claims.md"):
        files[name] = files[name].replace(b"inconclusive", b"reproduced")
    write_zip(tmp_path / "false.zip", files)
    found = verify(tmp_path / "false.zip", sample=1)
    assert found.outcome == "different"
    assert found.differences == ("claims.json: not what the runs give", "claims.md: not what the runs give")
