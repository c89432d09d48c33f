"""Figures and the index of a study file: ``[[figures]]``, ``[[index]]``, as the extension has read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from dumbbell import _native
from dumbbell.claims.declared import arm_problems, claim_problems, in_order, place_problems
from dumbbell.report.index import IndexRow
from dumbbell.report.spec import FigureSpec, Measured, Reference

if TYPE_CHECKING:
    from dumbbell.study import Study

Values = Mapping[str, Any]


def figures_of(study: Study) -> tuple[FigureSpec, ...]:
    """Return the figures that the file of a study declares, in order.

    Parameters
    ----------
    study
        As :meth:`dumbbell.study.Study.from_file` has read it.
    """
    return tuple(_figure(study, entry) for entry in study.declared.figures)


def index_of(study: Study) -> tuple[IndexRow, ...]:
    """Return the rows of the index that the file of a study declares, in order.

    Parameters
    ----------
    study
        As :meth:`dumbbell.study.Study.from_file` has read it.
    """
    return tuple(
        IndexRow(
            entry["printed"],
            entry["shows"],
            tuple(entry["here"]),
            tuple(entry["claims"]),
            tuple(entry["elsewhere"]),
            entry["note"],
        )
        for entry in study.declared.index
    )


def _figure(study: Study, entry: Values) -> FigureSpec:
    low_high = entry["x_range"]
    return FigureSpec(
        **{
            **entry,
            "arms": tuple(entry["arms"]),
            "at": in_order(study, entry["at"] or {}),
            "x_range": None if low_high is None else (low_high[0], low_high[1]),
            "references": tuple(map(_reference, entry["references"])),
            "answers": _answers(entry["id"], entry["answers"]),
        }
    )


def _answers(id_: str, answers: bool | str) -> bool:
    return fnmatchcase(id_, answers) if isinstance(answers, str) else answers


def _reference(entry: Values) -> Reference | Measured:
    if entry["metric"] is not None:
        return Measured(entry["label"], entry["metric"], entry["arm"])
    x = tuple(entry["x"] or ())
    return Reference(entry["label"], tuple(entry["y"]), x, entry["source"], entry["marks"])


def report_problems(study: Study, derived: Iterable[str] = ()) -> list[str]:
    """Return what claims and figures of a study file name and the study does not have, one line each.

    Parameters
    ----------
    study
        In full: a quick one has fewer values of axes.
    derived
        Names of metrics that are made of those of the study.
    """
    derived = tuple(derived)
    return [*claim_problems(study, derived), *_figure_problems(study, derived)]


def _figure_problems(study: Study, derived: Iterable[str]) -> Iterator[str]:
    metrics = [*(metric.name for metric in study.metrics), *derived]
    metrics += [metric.name for metric in study.by_size.metrics] if study.by_size else []
    ids = [entry["id"] for entry in study.declared.figures]
    for entry in study.declared.figures:
        place = f"figure {entry['id']!r}"
        measured = [reference for reference in entry["references"] if reference["metric"] is not None]
        for metric in (entry["metric"], *(reference["metric"] for reference in measured)):
            if metric not in metrics:
                yield f"{place}: the study has no metric {metric!r}; {_native.suggest(metric, metrics)}"
        arms = [*entry["arms"], *filter(None, [entry["relative_to"]])]
        yield from arm_problems(study, [*arms, *(reference["arm"] for reference in measured)], place)
        at = entry["at"] or {}
        yield from place_problems(study, {entry["x"]: (), **at}, place)
        wanting = [
            axis.name for axis in study.axes if len(axis.values) > 1 and axis.name not in (entry["x"], *at)
        ]
        pattern = entry["answers"]
        if isinstance(pattern, str) and not any(fnmatchcase(id_, pattern) for id_ in ids):
            yield f"{place}: answers: no figure is called {pattern!r}; {_native.suggest(pattern, ids)}"
        for axis in wanting:
            some = ", ".join(map(str, study.axis(axis).values[:16]))
            yield f"{place}: the axis {axis!r} is open; give its value in `at`, one of {some}"
