"""The publications to cite: those of every algorithm in use, and of the paper that a study is of."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from dumbbell import __version__
from dumbbell.report import Algorithm

_KNOWN = Path(__file__).with_name("publications.toml")

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_RFC = re.compile(r"RFC (\d+)")

_LITERAL = ("doi", "url")
"""Fields that are addresses: what reads them escapes nothing."""


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
    """Algorithms: ``controller cubic``; papers: ``paper rcp-fct``."""
    type: str = "misc"
    """Of BibTeX: ``article``."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Of BibTeX: ``author``, ``title``, ``year``."""


@dataclass(frozen=True)
class _Publication:
    """A publication as ``publications.toml`` has it."""

    key: str
    type: str
    named: tuple[str, ...]
    """How references name it."""
    fields: Mapping[str, str]

    @property
    def url(self) -> str:
        """Where it is; empty if unknown."""
        doi = self.fields.get("doi")
        return self.fields.get("url") or (f"https://doi.org/{doi}" if doi else "")


def citations(
    algorithms: Iterable[Algorithm], papers: Mapping[str, Iterable[str]] | None = None
) -> list[Citation]:
    """Return the publications that the registry names for algorithms, each once.

    Parameters
    ----------
    algorithms
        Those in use.
    papers
        Publications of papers that were reproduced, by the name of the paper, as their README ends with them:
        authors, title in quotation marks, venue and year.
    """
    named = [
        (text, publication, f"{algorithm.family} {algorithm.name}")
        for algorithm in algorithms
        for text, publication in _of_reference(algorithm.reference)
    ]
    named += [(text, _quoted(text), f"paper {paper}") for paper, of in (papers or {}).items() for text in of]
    users: dict[str, list[tuple[str, _Publication, str]]] = {}
    for entry in named:
        users.setdefault(_plain(entry[1].fields["title"]), []).append(entry)
    found: list[Citation] = []
    for entries in sorted(users.values(), key=lambda of: of[0][1].key):
        text, publication, _ = entries[0]
        same = sum(other.key.startswith(publication.key) for other in found)
        key = f"{publication.key}{'abcdefgh'[same]}" if same and not _RFC.fullmatch(text) else publication.key
        used_by = tuple(dict.fromkeys(user for _, _, user in entries))
        found.append(Citation(key, text, publication.url, used_by, publication.type, publication.fields))
    return found


def bibtex(found: Sequence[Citation]) -> str:
    """Write publications, and dumbbell itself, as BibTeX."""
    own = {"author": "{The dumbbell developers}", "title": "dumbbell", "version": __version__}
    entries = [_entry("software", "dumbbell", own)]
    for citation in found:
        note = {"note": "Used by: " + ", ".join(citation.used_by)}
        entries.append(_entry(citation.type, citation.key, {**citation.fields, **note}))
    return "\n".join(entries)


@cache
def _known() -> tuple[_Publication, ...]:
    values = tomllib.loads(_KNOWN.read_text(encoding="utf-8"))["publications"]
    return tuple(
        _Publication(entry["key"], entry["type"], tuple(entry["named"]), entry["fields"]) for entry in values
    )


def _of_reference(reference: str) -> Iterator[tuple[str, _Publication]]:
    """Yield the publications that a reference names, and how; choices are not published."""
    for part in reference.split("; "):
        if part.startswith("choice:"):
            continue
        known = {
            match.start(): (name.strip(), publication)
            for publication in _known()
            for name in publication.named
            for match in re.finditer(rf"{re.escape(name)}(?!\d)", part)
        }
        unknown = {
            match.start(): (match[0], _read(match[0], "{RFC Editor}", match[0], "techreport"))
            for match in _RFC.finditer(part)
        }
        found = unknown | known
        if found:
            yield from (entry for _, entry in sorted(found.items(), key=lambda place: place[0]))
        else:
            yield part, _by_commas(part)


def _by_commas(text: str) -> _Publication:
    """Read ``Authors, Title, Venue 1(2), year``, with ``A, B & C`` or ``A et al.`` as authors."""
    about = text.partition(": ")[0] if re.search(r"\d{4}: ", text) else text
    authors = re.match(r"(?:[^&]*? & [^,]+|.*? et al\.|[^,]+)(?=, )", about)
    if authors is None:
        return _read(text, "", about, "misc")
    title = about[authors.end() + 2 :].partition(", ")[0]
    # Without a title, the venue with its number or year comes next.
    return _read(text, _names(authors[0]), about if re.search(r"\d", title) else title, "misc")


def _quoted(text: str) -> _Publication:
    """Read ``Authors, "Title", venue, year``."""
    found = re.match(r'(.*?), "(.*?)[,.]?"', text)
    if found is None:
        return _by_commas(text)
    title = _plain(found[2])
    known = (publication for publication in _known() if _plain(publication.fields["title"]) == title)
    return next(known, None) or _read(text, _names(found[1]), found[2], "misc")


def _read(text: str, authors: str, title: str, kind: str) -> _Publication:
    """Return a publication of which nothing more is known."""
    year = _YEAR.search(text)
    first = re.match(r"\W*(\w+)", text)
    rfc, arxiv = _RFC.fullmatch(text), re.search(r"arXiv[: ](\d{4}\.\d{4,5})", text)
    fields = {"author": authors, "title": title, "year": year[0] if year else ""}
    if rfc:
        fields |= {"institution": "RFC Editor", "type": "RFC", "number": rfc[1]}
        fields["url"] = f"https://www.rfc-editor.org/rfc/rfc{rfc[1]}"
    else:
        fields |= {"howpublished": text, "url": f"https://arxiv.org/abs/{arxiv[1]}" if arxiv else ""}
    key = f"rfc{rfc[1]}" if rfc else (first[1].lower() if first else "source") + fields["year"]
    return _Publication(key, kind, (text,), {name: value for name, value in fields.items() if value})


def _names(authors: str) -> str:
    """Return ``A, B & C`` and ``A et al.`` as BibTeX has them."""
    names = re.split(r", | & ", authors.removesuffix(" et al."))
    return " and ".join([*names, "others"] if authors.endswith(" et al.") else names)


def _plain(title: str) -> str:
    """Return a title by which two references to one publication are the same."""
    return re.sub(r"\W+", " ", title).strip().lower()


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    body = "".join(
        f"  {name} = {{{value if name in _LITERAL else _tex(value)}}},\n" for name, value in fields.items()
    )
    return f"@{kind}{{{key},\n{body}}}\n"


def _tex(text: str) -> str:
    """Escape what TeX reads as a command; a name in braces stays one."""
    if re.fullmatch(r"\{[^{}]*\}", text):
        return text
    return re.sub(r"([&%$#_{}])", r"\\\1", text)
