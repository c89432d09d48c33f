"""The description of an archive for machines: RO-Crate 1.1 (https://w3id.org/ro/crate/1.1)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dumbbell import __version__
from dumbbell.archive.citations import Citation

METADATA = "ro-crate-metadata.json"

_PROFILE = "https://w3id.org/ro/crate/1.1"

_NO_LICENSE = "No licence is given: ask the authors."
"""The root must have one, and a text may be one (RO-Crate 1.1, Root Data Entity)."""

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
        "hasPart": _refs(map(quote, sorted(files))),
        # Only a URL may name a publication; others appear in words.
        "citation": _value([{"@id": c.url} if c.url else c.text for c in cited]),
        "mentions": {"@id": "#run"},
        "license": {"@id": license_url} if license_url else _NO_LICENSE,
    }
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
            "object": _refs(map(quote, inputs)),
            "result": _refs(quote(file) for file in sorted(files) if file not in inputs),
        },
    ]
    graph += [_file(file, files[file]) for file in sorted(files)]
    graph += [
        {"@id": citation.url, "@type": "ScholarlyArticle", "name": citation.text}
        for citation in cited
        if citation.url
    ]
    if license_url:
        graph.append({"@id": license_url, "@type": "CreativeWork", "name": license_url})
    text = {"@context": f"{_PROFILE}/context", "@graph": graph}
    return (json.dumps(text, indent=2, ensure_ascii=False) + "\n").encode()


def _refs(ids: Iterable[str]) -> Any:
    return _value([{"@id": name} for name in ids])


def _value(values: list[Any]) -> Any:
    """Return several values, or the only one, as compacted JSON-LD has it."""
    return values[0] if len(values) == 1 else values


def _file(name: str, content: Path | bytes) -> dict[str, Any]:
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    return {
        "@id": quote(name),
        "@type": "File",
        "name": name.rpartition("/")[2],
        "contentSize": str(size),
        "encodingFormat": _TYPES.get(Path(name).suffix, "text/plain"),
    }
