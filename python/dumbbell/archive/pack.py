"""Packing the folder of a study or of a run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from dumbbell._declared import TABLES
from dumbbell._files.folder import refuse_file
from dumbbell._files.foreign import inside
from dumbbell._files.read import read_bytes, read_text
from dumbbell._results import load
from dumbbell._scenario import Scenario
from dumbbell.archive.citations import bibtex, citations
from dumbbell.archive.crate import METADATA, metadata
from dumbbell.archive.files import MOST_BYTES, ArchiveError, is_archive, write_zip
from dumbbell.archive.lock import lock_files
from dumbbell.errors import FolderError, ScenarioError
from dumbbell.papers.paper import bibliography_of
from dumbbell.report import Algorithm, write_study_report
from dumbbell.report.parameter import algorithms, study_algorithms, study_scenarios
from dumbbell.study import StudyResult
from dumbbell.study.manifest import Manifest

INPUTS = "inputs"
"""Folder of the files that scenarios name, such as traces."""

_BESIDE = ("report.html", "claims.json", "claims.md", "figures/*", "data/*")
"""Files besides the tables, if they exist."""

_FILE_FIELDS = ("file", "library", "packets")
"""Fields of scenarios that name files."""

_LAW_FIELDS = ("controller", "kind")
"""Fields that may name a law of one's own, as ``my.py:Mine``."""

_Files = dict[str, Path | bytes]


@dataclass(frozen=True)
class _Content:
    """What a folder holds."""

    name: str
    description: str
    code: str
    """The version of the code that made it."""
    described: str
    """The file that says what was run."""
    tables: list[Path]
    scenarios: list[Scenario]
    algorithms: list[Algorithm]
    papers: dict[str, list[str]]
    """Publications of the paper that the study is of, by its name."""
    result: StudyResult | None
    """Of a study."""


def pack(
    folder: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    base: str | os.PathLike[str] | None = None,
    license_url: str = "",
    force: bool = False,
) -> Path:
    """Pack the folder of a study, or of a run, into one ZIP file.

    Beside the study or scenario, the tables, the report and the figures, it holds ``lock/`` (versions of
    dumbbell and of what it is built on), ``CITATIONS.bib``, ``ro-crate-metadata.json`` (RO-Crate 1.1) and a
    manifest of checksums. A study without a report gets one. The same folder gives the same bytes.

    Parameters
    ----------
    folder
        What ``dumbbell study run``, ``dumbbell reproduce`` or ``dumbbell run`` wrote.
    output
        The ZIP file to write.
    base
        The folder from which names of files in the scenario count; `folder` by default.
    license_url
        The licence of the archive, such as ``https://spdx.org/licenses/CC-BY-4.0``.
    force
        Replace an archive that is there. Nothing else is replaced.

    Returns
    -------
    Path
        The ZIP file.

    Raises
    ------
    ArchiveError, FolderError, StudyError, ScenarioError
        What is wrong.
    """
    folder, output = Path(folder), Path(output)
    refuse_file(output, is_archive, force)
    base = folder if base is None else Path(base)
    study = (folder / "study.json").is_file()
    content = _study(folder, base) if study else _run(folder, base)
    if content.result is None or (folder / "report.html").is_file():
        files = _beside(folder)
        _write(folder, output, base, license_url, content, files, force)
        return output
    with tempfile.TemporaryDirectory(prefix="dumbbell-pack-") as made:
        write_study_report(Path(made) / "report.html", content.result)
        _write(folder, output, base, license_url, content, _beside(folder) | _beside(Path(made)), force)
    return output


def _write(
    folder: Path,
    output: Path,
    base: Path,
    license_url: str,
    content: _Content,
    beside: _Files,
    force: bool,
) -> None:
    inputs = _inputs(content.scenarios, base)
    cited = citations(content.algorithms, content.papers)
    files: _Files = {
        **beside,
        **_named(folder, [folder / content.described, *content.tables]),
        **{f"{INPUTS}/{name}": path for name, path in inputs.items()},
        **lock_files(content.code),
        "CITATIONS.bib": bibtex(cited).encode(),
    }
    files[METADATA] = metadata(
        files,
        name=content.name,
        description=content.description,
        # When the newest table was written: the same folder gives the same archive.
        published=max(path.stat().st_mtime for path in content.tables),
        code=content.code,
        cited=cited,
        inputs=[content.described, *(f"{INPUTS}/{name}" for name in inputs)],
        license_url=license_url,
    )
    write_zip(output, files, force)


def _study(folder: Path, base: Path) -> _Content:
    result = StudyResult.load(folder)
    result = replace(result, study=replace(result.study, base_dir=base))
    study = result.study
    home = folder / "results" / result.version
    state = "" if result.stamp is None else f" {result.stamp}."
    return _Content(
        name=study.title or study.name,
        description=f"{study.question or study.name}{state}",
        code=result.version,
        described="study.json",
        tables=[home / "catalogue.parquet", *sorted((home / "shards").glob("[!.]*.parquet"))],
        scenarios=list(study_scenarios(study).values()),
        algorithms=study_algorithms(study),
        papers=bibliography_of(study.name),
        result=result,
    )


def _run(folder: Path, base: Path) -> _Content:
    if not (folder / "scenario.toml").is_file():
        raise FolderError(
            f"{folder}: neither a study nor the results of a run; make some with `dumbbell run FILE -o DIR`"
        )
    results = load(folder)
    scenario = read_scenario(folder, base)
    return _Content(
        name=results.name,
        description=scenario.to_dict().get("description") or f"One run of {results.name}.",
        code=results.provenance["version"],
        described="scenario.toml",
        tables=[folder / name for name in ("summary.json", *(f"{name}.parquet" for name in TABLES))],
        scenarios=[scenario],
        algorithms=algorithms([scenario]),
        papers={},
        result=None,
    )


def read_scenario(folder: Path, base: Path) -> Scenario:
    """Return the scenario of a run's folder; it opens no file outside `base`.

    Raises
    ------
    FolderError
        If it is not a scenario.
    """
    path = inside(folder, folder / "scenario.toml")
    try:
        return Scenario.from_toml(read_text(path), base=base, confined=True)
    except UnicodeDecodeError:
        raise FolderError(f"{path}: not UTF-8 text; run the scenario again") from None
    except ScenarioError as error:
        raise FolderError(f"{path}: {error}") from None


def _beside(folder: Path) -> _Files:
    """Return the files besides the tables, as they were written."""
    manifest = Manifest(folder)
    found = [path for pattern in _BESIDE for path in sorted(folder.glob(pattern)) if path.is_file()]
    for path in found:
        remedy = "write it again with `dumbbell report`, or `reproduce`"
        manifest.check(path, read_bytes(inside(folder, path), MOST_BYTES), remedy)
    return _named(folder, found)


def _named(folder: Path, paths: Sequence[Path]) -> _Files:
    return {path.relative_to(folder).as_posix(): path for path in paths}


def _inputs(scenarios: Sequence[Scenario], base: Path) -> dict[str, Path]:
    """Return the files that scenarios name, by name."""
    found = {}
    for name in {name for scenario in scenarios for name in _file_names(scenario.to_dict())}:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise ArchiveError(f"{name}: a file outside {base}; name files relative to it, and below it")
        found[name] = inside(base, base / name)
    return found


def _file_names(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if key in _FILE_FIELDS and isinstance(entry, str):
                yield entry
            if key in _LAW_FIELDS and isinstance(entry, str) and entry.rpartition(":")[0].endswith(".py"):
                yield entry.rpartition(":")[0]
            yield from _file_names(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _file_names(entry)
