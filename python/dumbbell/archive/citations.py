"""The publications to cite: those of every algorithm in use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dumbbell import __version__
from dumbbell.report import Algorithm


@dataclass(frozen=True)
class Citation:
    """A publication."""

    key: str
    """Of BibTeX: ``rfc9438``."""
    text: str
    """As the registry gives it: ``RFC 9438``."""
    url: str
    """Empty if unknown."""
    used_by: tuple[str, ...]
    """Algorithms: ``controller cubic``."""


def citations(algorithms: Iterable[Algorithm]) -> list[Citation]:
    """Return the publications that the registry names for algorithms, each once."""
    users: dict[str, list[str]] = {}
    for algorithm in algorithms:
        for text in _publications(algorithm.reference):
            users.setdefault(text, []).append(f"{algorithm.family} {algorithm.name}")
    found: list[Citation] = []
    for text, names in sorted(users.items()):
        rfc = re.fullmatch(r"RFC (\d+)", text)
        url = f"https://www.rfc-editor.org/rfc/rfc{rfc[1]}" if rfc else _arxiv(text)
        key = f"rfc{rfc[1]}" if rfc else _key(text)
        same = sum(other.key.startswith(key) for other in found)
        found.append(
            Citation(f"{key}{'abcdefgh'[same]}" if same and not rfc else key, text, url, tuple(names))
        )
    return found


def bibtex(found: Sequence[Citation]) -> str:
    """Write publications, and dumbbell itself, as BibTeX."""
    entries = [_entry("software", "dumbbell", {"title": "dumbbell", "version": __version__})]
    for citation in found:
        note = {"note": "Used by: " + ", ".join(citation.used_by)}
        url = {"url": citation.url} if citation.url else {}
        if citation.text.startswith("RFC "):
            number = citation.text.removeprefix("RFC ")
            fields = {"title": citation.text, "type": "RFC", "number": number, "institution": "RFC Editor"}
            entries.append(_entry("techreport", citation.key, fields | url | note))
        else:
            year = re.search(r"\b(?:19|20)\d\d\b", citation.text)
            fields = {"howpublished": citation.text} | ({"year": year[0]} if year else {})
            entries.append(_entry("misc", citation.key, fields | url | note))
    return "\n".join(entries)


def _publications(reference: str) -> list[str]:
    """Return what a reference names; choices are not published."""
    if reference.startswith("choice:"):
        return []
    rfcs = re.findall(r"RFC \d+", reference)
    return rfcs or [reference.partition(": ")[0] if re.search(r"\d{4}: ", reference) else reference]


def _arxiv(text: str) -> str:
    number = re.search(r"arXiv (\d{4}\.\d{4,5})", text)
    return f"https://arxiv.org/abs/{number[1]}" if number else ""


def _key(text: str) -> str:
    year = re.search(r"\b(?:19|20)\d\d\b", text)
    author = re.match(r"\W*(\w+)", text)
    return (author[1].lower() if author else "source") + (year[0] if year else "")


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    body = "".join(f"  {name} = {{{_tex(value)}}},\n" for name, value in fields.items())
    return f"@{kind}{{{key},\n{body}}}\n"


def _tex(text: str) -> str:
    return re.sub(r"([&%$#_{}])", r"\\\1", text)
