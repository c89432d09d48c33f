"""A chapter: the part of RFC 9743 that it answers, a study, and the rows that its word comes from."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

from dumbbell import _native
from dumbbell._files.read import read_toml
from dumbbell._files.table import Table
from dumbbell.errors import DumbbellError
from dumbbell.study import Study

_HERE = Path(__file__).parent / "chapters"

Kind = Literal["difference", "harm", "bound"]
"""How a row compares: the metric with the reference's; the harm to others with the harm that the reference
does them; the metric with a bound that a publication gives."""

_KEYWORDS = ("MUST", "SHOULD", "should", "ought", "might")


class JudgeError(DumbbellError, ValueError):
    """A judgement that cannot be made, or a chapter that is not as it should be."""


@dataclass(frozen=True)
class Row:
    """A line of a chapter: a metric, and what it is compared with."""

    metric: str
    """Name of a metric of the study."""
    kind: Kind
    """What it is compared with."""
    low: float = -math.inf
    """Of a bound: the least value that is no harm."""
    high: float = math.inf
    """Of a bound: the largest value that is no harm."""
    source: str = ""
    """Of a bound: who gives it."""
    against: str = ""
    """The reference, where it is another than the judge's."""
    at: Mapping[str, Any] = field(default_factory=dict)
    """The points that it looks at; all without."""

    @property
    def column(self) -> str:
        """The metric that is estimated: a harm is made from the metric."""
        return f"harm-{self.metric}" if self.kind == "harm" else self.metric


@dataclass(frozen=True)
class Chapter:
    """A criterion of RFC 9743 and how it is judged."""

    id: str
    """The name of its file, and of its folder in the output."""
    number: int
    """In the order of the pages."""
    section: str
    """Of RFC 9743."""
    title: str
    """Of the criterion."""
    keyword: str
    """How strongly the RFC asks for the evaluation."""
    asks: str
    """What it asks, in our words."""
    also: tuple[str, ...]
    """Other publications that the scenarios come from."""
    needs: tuple[str, ...]
    """What is missing here for parts of it, or for all of it."""
    gathers: tuple[int, ...]
    """Chapters whose words make its word; empty for a chapter with a study of its own."""
    study: Study | None
    """Without arms; ``None`` where there is nothing to run."""
    rows: tuple[Row, ...]
    """What its word comes from."""
    candidate: tuple[str, ...]
    """Settings that make a scenario that of a controller, with ``{controller}`` in them."""
    alone: tuple[str, ...]
    """Settings that take the candidate away, so that the others are alone; for harm."""
    real: Mapping[str, Any] | None = None
    """What is left of the study on real packets, as its quick form; ``None``: nothing."""
    real_needs: tuple[str, ...] = ()
    """What real packets do not have of it."""


def read_chapter(path: str | os.PathLike[str]) -> Chapter:
    """Read the TOML file of a chapter.

    Parameters
    ----------
    path
        Of the file; its name becomes the id.

    Raises
    ------
    JudgeError, StudyError
        What is wrong with it.
    OSError
        If it cannot be read.
    """
    path = Path(path)
    try:
        return _chapter(Table(read_toml(path, JudgeError), "", JudgeError), path)
    except JudgeError as error:
        raise JudgeError(f"{path.name}: {error}") from None


def _chapter(reader: Table, path: Path) -> Chapter:
    keyword = reader.text("keyword")
    if keyword not in _KEYWORDS:
        raise JudgeError(f"keyword: {keyword!r} is none; {_native.suggest(keyword, list(_KEYWORDS))}")
    rows = tuple(_row(entry) for entry in reader.tables("rows", ()))
    gathers = tuple(reader.take("gathers", list, "a list of chapters", []))
    real, real_needs = _real(reader)
    chapter = Chapter(
        id=path.stem,
        number=reader.integer("number", 0, least=1, most=99),
        section=reader.text("section"),
        title=reader.text("title"),
        keyword=keyword,
        asks=reader.text("asks"),
        also=reader.texts("also", ()),
        needs=reader.texts("needs", ()),
        gathers=gathers,
        study=_study(reader, path) if reader.has("study") else None,
        rows=rows,
        candidate=reader.texts("candidate", ("transport.controller={controller}",)),
        alone=reader.texts("alone", ()),
        real=real,
        real_needs=real_needs,
    )
    reader.close()
    _check(chapter)
    return chapter


def _study(reader: Table, path: Path) -> Study:
    values = dict(reader.take("study", dict, "a study"))
    if "arms" in values:
        raise JudgeError("study.arms: the judge makes the arms; remove them")
    values.setdefault("name", f"judge-{path.stem}")
    return Study.from_dict(values, path.parent)


def _real(reader: Table) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Return what a chapter is on real packets, and what of it cannot be had there."""
    if not reader.has("real"):
        return None, ("a [real] in the file of the chapter",)
    form = Table(reader.take("real", dict, "a table"), "real", JudgeError)
    needs = form.texts("needs", ())
    if not form.has("seeds"):
        if not needs:
            raise JudgeError("real.seeds: missing; give how many, or `needs` with what real packets lack")
        form.close()
        return None, needs
    seeds = form.integer("seeds", 0, least=4, most=1000)
    axes = form.take("axes", dict, "values by axis", {})
    change = form.take("change", dict, "a part of a scenario", {})
    form.close()
    return {"seeds": seeds, "axes": axes, "change": change}, needs


def _row(table: Table) -> Row:
    kind = table.text("by")
    if kind not in get_args(Kind):
        raise JudgeError(f"{table.at('by')}: {kind!r} is none; {_native.suggest(kind, list(get_args(Kind)))}")
    row = Row(
        metric=table.name("metric"),
        kind=cast("Kind", kind),
        low=table.number("low", -math.inf) if table.has("low") else -math.inf,
        high=table.number("high", math.inf) if table.has("high") else math.inf,
        source=table.text("source", ""),
        against=table.text("against", ""),
        at=table.take("at", dict, "values by axis", {}),
    )
    bounded = math.isfinite(row.low) or math.isfinite(row.high)
    if bounded != (kind == "bound"):
        raise JudgeError(f'{table.place}: give `low` or `high` for `by = "bound"`, and for no other')
    if bounded and not row.source:
        raise JudgeError(f"{table.at('source')}: who gives the bound? name the publication")
    return row


def _check(chapter: Chapter) -> None:
    study = chapter.study
    if study is None:
        if not chapter.needs and not chapter.gathers:
            raise JudgeError("study: missing; give one, or `needs`, or `gathers`")
        return
    if not chapter.rows:
        raise JudgeError("rows: missing; give [[rows]] that make the word")
    if not any("{controller}" in text for text in chapter.candidate):
        raise JudgeError("candidate: {controller} stands nowhere; write path={controller}")
    for row in chapter.rows:
        metric = study.metric(row.metric)
        if row.kind != "bound" and metric.better is None:
            raise JudgeError(f"study: the metric {row.metric!r} has no `better`; say which way it improves")
        if row.kind == "harm" and not chapter.alone:
            raise JudgeError("alone: missing; harm compares with the others alone")
        for name in row.at:
            study.axis(name)


def all_chapters() -> list[Chapter]:
    """Return the chapters that come with the package, in order."""
    return sorted((read_chapter(path) for path in _HERE.glob("*.toml")), key=lambda entry: entry.number)
