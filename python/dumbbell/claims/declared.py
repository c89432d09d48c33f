"""Claims of a study file: ``[[claims]]``, as the extension has read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from dumbbell import _native
from dumbbell.claims.claim import Claim, Rule
from dumbbell.claims.points import same
from dumbbell.claims.rules import Crossing, Difference, Level, Monotone, Order, Ratio
from dumbbell.study.sizes import AXIS

if TYPE_CHECKING:
    from dumbbell.study import Study

Values = Mapping[str, Any]

_RULES: dict[str, Callable[..., Rule]] = {
    "level": Level,
    "ratio": Ratio,
    "difference": Difference,
    "order": Order,
    "monotone": Monotone,
    "crossing": Crossing,
}

_ARMS = ("arm", "over", "minus", "arms")
"""Keys of rules that name arms."""


def claims_of(study: Study) -> tuple[Claim, ...]:
    """Return the claims that the file of a study declares, in order.

    Parameters
    ----------
    study
        As :meth:`dumbbell.study.Study.from_file` has read it.
    """
    return tuple(_claim(study, entry) for entry in study.declared.claims)


def _claim(study: Study, entry: Values) -> Claim:
    ends = {"low": -math.inf, "high": math.inf}
    rule = {
        key: tuple(value) if isinstance(value, list) else ends.get(key) if value is None else value
        for key, value in entry["rule"].items()
        if key != "kind"
    }
    rule["at"] = in_order(study, entry["rule"]["at"] or {})
    return Claim(
        id=entry["id"],
        statement=entry["statement"],
        source=entry["source"],
        metric=entry["metric"],
        rule=_RULES[entry["rule"]["kind"]](**rule),
        reason=_reason(entry["id"], entry["reason"]),
        ours=entry["ours"],
    )


def in_order(study: Study, at: Values) -> dict[str, Any]:
    """Return values by axis in the order of the axes: tables of files have none.

    Parameters
    ----------
    study
        Whose axes.
    at
        The values; what is no axis comes last.
    """
    order = [axis.name for axis in study.axes]
    values = {axis: tuple(value) if isinstance(value, list) else value for axis, value in at.items()}
    return dict(sorted(values.items(), key=lambda entry: (*order, entry[0]).index(entry[0])))


def _reason(id_: str, reason: str | Mapping[str, str] | None) -> str:
    if isinstance(reason, Mapping):
        return next((text for pattern, text in reason.items() if fnmatchcase(id_, pattern)), "")
    return reason or ""


def claim_problems(study: Study, derived: Iterable[str] = ()) -> Iterator[str]:
    """Yield what the claims of a study file name and the study does not have, one line each.

    Parameters
    ----------
    study
        In full: a quick one has fewer values of axes.
    derived
        Names of metrics that are made of those of the study.
    """
    metrics = [*(metric.name for metric in study.metrics), *derived]
    metrics += [metric.name for metric in study.by_size.metrics] if study.by_size else []
    # Claims that one entry makes have the same patterns.
    by_patterns: dict[tuple[str, ...], list[str]] = {}
    for entry in study.declared.claims:
        place, rule = f"claim {entry['id']!r}", entry["rule"]
        if entry["metric"] not in metrics:
            remedy = _native.suggest(entry["metric"], metrics)
            yield f"{place}: metric: the study has no metric {entry['metric']!r}; {remedy}"
        for key in _ARMS:
            names = rule.get(key, ())
            yield from arm_problems(
                study, (names,) if isinstance(names, str) else names, f"{place}: rule.{key}"
            )
        axes = rule["at"] or {}
        if "axis" in rule:
            axes = {rule["axis"]: (), **axes}
        yield from place_problems(study, axes, f"{place}: rule")
        if isinstance(entry["reason"], Mapping):
            by_patterns.setdefault(tuple(entry["reason"]), []).append(entry["id"])
    for patterns, ids in by_patterns.items():
        for pattern in patterns:
            if not any(fnmatchcase(id_, pattern) for id_ in ids):
                yield f"claim {ids[0]!r}: reason: no id is {pattern!r}; {_native.suggest(pattern, ids)}"
        for id_ in ids:
            both = [pattern for pattern in patterns if fnmatchcase(id_, pattern)]
            if len(both) > 1:
                yield f"claim {id_!r}: reason: {both[0]!r} and {both[1]!r} speak of it; let one do so"


def arm_problems(study: Study, names: Iterable[str], place: str) -> Iterator[str]:
    """Yield a line for each name that no arm of the study has.

    Parameters
    ----------
    study
        Whose arms.
    names
        What is said to be arms.
    place
        Where they stand.
    """
    known = [arm.name for arm in study.arms]
    for name in names:
        if name not in known:
            yield f"{place}: the study has no arm {name!r}; {_native.suggest(name, known)}"


def place_problems(study: Study, at: Values, place: str) -> Iterator[str]:
    """Yield a line for each axis, and each value of one, that the study does not have.

    Parameters
    ----------
    study
        Whose axes; the bins of flow sizes are one.
    at
        Values by axis: one, or several.
    place
        Where they stand.
    """
    known = {axis.name: axis.values for axis in study.axes}
    if study.by_size is not None:
        known[AXIS] = study.by_size.axis.values
    for axis, values in at.items():
        if axis not in known:
            remedy = _native.suggest(axis, list(known))
            yield f"{place}: the study has no axis {axis!r}; {remedy}"
            continue
        for value in values if isinstance(values, (list, tuple)) else (values,):
            if not any(same(value, there) for there in known[axis]):
                some = ", ".join(map(str, known[axis][:16]))
                yield f"{place}: at.{axis}: {value!r} is not a value of the axis; use one of {some}"
