"""The description of an archive for machines: RO-Crate 1.1 (https://w3id.org/ro/crate/1.1)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dumbbell import __version__
from dumbbell.archive.citations import Citation

METADATA = "ro-crate-metadata.json"

_PROFILE = "https://w3id.org/ro/crate/1.1"

_TYPES = {
    ".bib": "application/x-bibtex",
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".lock": "application/toml",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".toml": "application/toml",
}


def metadata(
    files: Mapping[str, Path | bytes],
    *,
    name: str,
    description: str,
    published: float,
    code: str,
    cited: Sequence[Citation],
    inputs: Sequence[str],
    license_url: str,
) -> bytes:
    """Return the text of ``ro-crate-metadata.json``.

    Parameters
    ----------
    files
        What is in the archive, by name.
    name, description
        Of the study or run.
    published
        When it was, in seconds since 1970.
    code
        The version of the code that made the results.
    cited
        Publications.
    inputs
        Names of the files that describe what was run; the others came out.
    license_url
        Of the archive; empty if not said.
    """
    root: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": name,
        "description": description,
        "datePublished": datetime.fromtimestamp(published, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "hasPart": _refs(sorted(files)),
        "citation": _refs(_id(citation) for citation in cited),
        "mentions": {"@id": "#run"},
    }
    if license_url:
        root["license"] = {"@id": license_url}
    graph: list[dict[str, Any]] = [
        {
            "@id": METADATA,
            "@type": "CreativeWork",
            "conformsTo": {"@id": _PROFILE},
            "about": {"@id": "./"},
        },
        root,
        {
            "@id": "#dumbbell",
            "@type": "SoftwareApplication",
            "name": "dumbbell",
            "version": __version__,
            "softwareVersion": code,
        },
        {
            "@id": "#run",
            "@type": "CreateAction",
            "name": "Simulation",
            "instrument": {"@id": "#dumbbell"},
            "object": _refs(inputs),
            "result": _refs(file for file in sorted(files) if file not in inputs),
        },
    ]
    graph += [_file(file, files[file]) for file in sorted(files)]
    graph += [
        {"@id": _id(citation), "@type": "ScholarlyArticle", "name": citation.text} for citation in cited
    ]
    if license_url:
        graph.append({"@id": license_url, "@type": "CreativeWork", "name": license_url})
    text = {"@context": f"{_PROFILE}/context", "@graph": graph}
    return (json.dumps(text, indent=2, ensure_ascii=False) + "\n").encode()


def _id(citation: Citation) -> str:
    return citation.url or f"#{citation.key}"


def _refs(ids: Any) -> list[dict[str, str]]:
    return [{"@id": name} for name in ids]


def _file(name: str, content: Path | bytes) -> dict[str, Any]:
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    return {
        "@id": name,
        "@type": "File",
        "name": name.rpartition("/")[2],
        "contentSize": str(size),
        "encodingFormat": _TYPES.get(Path(name).suffix, "text/plain"),
    }
