"""What an archive holds, and that the same folder gives the same one."""

from __future__ import annotations

import json
import re
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import dumbbell as db
from dumbbell.archive import pack
from dumbbell.archive.citations import bibtex, citations
from dumbbell.errors import FolderError
from dumbbell.papers import all_papers
from dumbbell.report import Algorithm


@pytest.fixture(scope="module")
def contents(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_everything_is_there(contents: dict[str, bytes]) -> None:
    names = set(contents)
    assert {
        "study.json",
        "report.html",
        "figures/goodput.png",
        "figures/goodput.pdf",
        "data/runs.parquet",
        "CITATIONS.bib",
        "ro-crate-metadata.json",
        "manifest-sha256.txt",
        "lock/dumbbell.json",
        "lock/requirements.txt",
        "lock/Cargo.lock",
    } <= names
    assert any(name.endswith("/catalogue.parquet") for name in names)
    assert any("/shards/" in name for name in names)


def test_lock_names_exact_versions(contents: dict[str, bytes]) -> None:
    lines = contents["lock/requirements.txt"].decode().split()
    assert all(line.count("==") == 1 for line in lines)
    names = {line.partition("==")[0] for line in lines}
    # Of dumbbell itself, and of what it needs in turn.
    assert {"numpy", "scipy", "pyarrow", "jinja2", "markupsafe", "pillow"} <= names
    assert names.isdisjoint({"pytest", "ruff"})
    crates = {package["name"] for package in tomllib.loads(contents["lock/Cargo.lock"].decode())["package"]}
    assert {"dumbbell-core", "dumbbell-sim", "parquet", "pyo3"} <= crates
    facts = json.loads(contents["lock/dumbbell.json"])
    assert facts["dumbbell"] == db.__version__
    assert facts["code"].startswith(db.__version__)


def test_every_algorithm_is_cited(contents: dict[str, bytes]) -> None:
    text = contents["CITATIONS.bib"].decode()
    for entry in ("@software{dumbbell,", "@techreport{rfc9438,", "@techreport{rfc6582,", "@book{kleinrock"):
        assert text.count(entry) == 1, entry
    assert "Used by: controller newreno, transport tcp" in text
    assert text.count("{") == text.count("}")


REQUIRED = {
    "article": {"author", "title", "journal", "year"},
    "book": {"author", "title", "publisher", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "manual": {"title"},
    "misc": {"title", "howpublished"},
    "phdthesis": {"author", "title", "school", "year"},
    "software": {"author", "title", "version"},
    "techreport": {"author", "title", "institution", "year"},
}
"""What an entry of each type needs (BibTeXing, O. Patashnik, 1988, section 3.1)."""


def parsed(text: str) -> dict[str, tuple[str, dict[str, str]]]:
    """Parse BibTeX as strictly as its grammar is: entries, fields in braces that match, commas."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    place = 0

    def take(pattern: str) -> re.Match[str]:
        nonlocal place
        match = re.compile(pattern).match(text, place)
        assert match, f"no {pattern} at {text[place : place + 40]!r}"
        place = match.end()
        return match

    while text[place:].strip():
        kind, key = take(r"\s*@(\w+)\{([\w+-]+),\s*").groups()
        assert key not in found, f"{key} stands twice"
        fields: dict[str, str] = {}
        while text[place] != "}":
            name = take(r"\s*(\w+)\s*=\s*\{")[1]
            start, depth = place, 1
            while depth:
                depth += {"{": 1, "}": -1}.get(text[place], 0) if text[place - 1] != "\\" else 0
                place += 1
            fields[name] = text[start : place - 1]
            take(r",\s*")
        take(r"\}")
        found[key] = (kind, fields)
    return found


def test_every_algorithm_and_paper_has_complete_entries() -> None:
    families = db.registry()["families"]
    algorithms = [
        Algorithm(family, member["name"], member["title"], member["reference"])
        for family, members in families.items()
        for member in members
    ]
    papers = [paper for paper in all_papers() if not paper.companion]
    found = citations(algorithms, {paper.name: paper.bibliography().values() for paper in papers})
    entries = parsed(bibtex(found))
    assert len(entries) == len(found) + 1
    incomplete = {
        key: REQUIRED[kind] - fields.keys()
        for key, (kind, fields) in entries.items()
        if not REQUIRED[kind] <= {name for name, value in fields.items() if value.strip()}
    }
    assert incomplete == {}
    cited = {user for citation in found for user in citation.used_by}
    published = {a.family + " " + a.name for a in algorithms if not a.reference.startswith("choice:")}
    assert published <= cited
    assert {f"paper {paper.name}" for paper in papers if paper.bibliography()} <= cited
    # One publication is one entry, whether an algorithm names it or a paper.
    assert {"router rcp", "transport rcp", "paper rcp-fct"} <= {
        user for citation in found if citation.key == "dukkipati2006" for user in citation.used_by
    }
    kind, fields = entries["floyd1993"]
    assert (kind, fields["author"], fields["year"]) == ("article", "Floyd, Sally and Jacobson, Van", "1993")
    assert fields["doi"] == "10.1109/90.251892"
    numbers = {fields["number"] for kind, fields in entries.values() if fields.get("type") == "RFC"}
    assert numbers >= {"9438", "8289", "768"}


def test_references_that_nobody_knows_are_read_by_their_commas() -> None:
    reference = "Smith, Jones & Young, Law of queues, SIGCOMM 2030; Lee et al., NSDI 2031; RFC 99999"
    entries = parsed(bibtex(citations([Algorithm("queue", "a", "", reference)])))
    assert entries["smith2030"][1]["author"] == "Smith and Jones and Young"
    assert entries["smith2030"][1]["title"] == "Law of queues"
    assert entries["lee2031"][1]["author"] == "Lee and others"
    assert entries["rfc99999"][1]["number"] == "99999"


def test_citations_leave_choices_out_and_escape() -> None:
    found = citations(
        [
            Algorithm("size", "a", "", "Smith & Jones, ToN 5(6), 1997"),
            Algorithm("size", "b", "", "Smith, On sizes, JACM, 1997: why"),
            Algorithm("size", "c", "", "choice: the simplest"),
            Algorithm("size", "d", "", "Jurkiewicz et al., arXiv 1809.03486 (2018)"),
        ]
    )
    assert [(citation.key, citation.url) for citation in found] == [
        ("jurkiewicz2018", "https://arxiv.org/abs/1809.03486"),
        ("smith1997", ""),
        ("smith1997b", ""),
    ]
    assert r"Smith \& Jones, ToN 5(6), 1997" in bibtex(found)


def test_crate_describes_every_file(contents: dict[str, bytes]) -> None:
    crate = json.loads(contents["ro-crate-metadata.json"])
    assert crate["@context"] == "https://w3id.org/ro/crate/1.1/context"
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])
    about = entities["ro-crate-metadata.json"]
    assert about["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert about["about"] == {"@id": "./"}
    root = entities["./"]
    assert root["name"] == "A small study"
    assert root["description"] == "Which controller?"
    assert root["datePublished"][10] == "T"
    parts = {part["@id"] for part in root["hasPart"]}
    assert parts == set(contents) - {"ro-crate-metadata.json", "manifest-sha256.txt"}
    for name in parts:
        assert entities[name]["@type"] == "File"
        assert entities[name]["contentSize"] == str(len(contents[name]))

    def ids(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [value["@id"]] if set(value) == {"@id"} else [x for v in value.values() for x in ids(v)]
        return [x for v in value for x in ids(v)] if isinstance(value, list) else []

    external = {name for name in ids(crate["@graph"]) if name not in entities}
    assert external == {"https://w3id.org/ro/crate/1.1"}


def test_same_folder_same_bytes(study_folder: Path, archive: Path, tmp_path: Path) -> None:
    assert pack(study_folder, tmp_path / "again.zip").read_bytes() == archive.read_bytes()
    with zipfile.ZipFile(archive) as opened:
        assert {entry.date_time for entry in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_files_that_a_run_reads_are_packed(run_folder: Path, tmp_path: Path) -> None:
    path = pack(run_folder, tmp_path / "run.zip", base=run_folder.parent, license_url="https://example.org/l")
    with zipfile.ZipFile(path) as opened:
        assert opened.read("inputs/flows.csv") == (run_folder.parent / "flows.csv").read_bytes()
        crate = json.loads(opened.read("ro-crate-metadata.json"))
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert entities["./"]["license"] == {"@id": "https://example.org/l"}
    assert {"@id": "inputs/flows.csv"} in entities["#run"]["object"]


def test_refusals(study_folder: Path, archive: Path, tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="is there already; choose another name"):
        pack(study_folder, archive)
    with pytest.raises(FolderError, match="neither a study nor the results of a run"):
        pack(tmp_path, tmp_path / "a.zip")
    with pytest.raises(FolderError, match=r"cannot be written \(No such file or directory\)"):
        pack(study_folder, tmp_path / "nowhere" / "a.zip")
    assert list(tmp_path.iterdir()) == []
