"""Assertions: one line of text that a run or a study satisfies or not, for pipelines.

Of a run, a number of its summary: ``run.goodput > 9Mbit/s``, ``links.left->right.loss <= 1%``,
``groups.web.completion_time.p99 < 0.5s``. Of a study, the mean of a metric over seeds, with its interval:
``goodput: cubic >= 9Mbit/s``, ``fct: cubic < newreno at load = 0.8``, ``fct: cubic / newreno <= 1.1``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from dumbbell import _native
from dumbbell._files.folder import new_file
from dumbbell._files.text import plain
from dumbbell._results.summary import unit_of
from dumbbell.claims.claim import Claim, ClaimError, Judgement, Rule
from dumbbell.claims.points import find_metric
from dumbbell.claims.rules import Difference, Level, Order, Ratio

if TYPE_CHECKING:
    from dumbbell._results import Results
    from dumbbell.study import StudyResult

_UNITS = {
    unit: (units[0][0], factor)
    for units in (*_native.units(), [("", 1.0), ("%", 1e-2)])
    for unit, factor in units
}
"""What a unit measures, by the first of its kind, and how many of that it is: those of scenarios."""

_USUAL = {"bit/s": "Mbit/s", "B": "kB"}
"""What a number of this unit is mostly written in."""

_FORM = re.compile(r"(?P<left>.+?)\s*(?P<sign><=|>=|=|(?<!-)>(?!=)|<)\s*(?P<right>[^<>=]+)")
_NUMBER = re.compile(r"(?P<number>[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)\s*(?P<unit>\D.*)?")
_ARMS = re.compile(r"(?P<first>\S+)(\s+(?P<sign>[-/])\s+(?P<second>\S+))?")


@dataclass(frozen=True)
class Outcome:
    """What an assertion found."""

    rule: str
    """As it was given."""
    passed: bool
    evidence: str
    """The numbers, with their interval where there is one."""

    def to_dict(self) -> dict[str, Any]:
        """Return JSON types."""
        return {"rule": self.rule, "passed": self.passed, "evidence": self.evidence}


def assert_run(results: Results, rule: str) -> Outcome:
    """Compare one number of the summary of a run, in SI units, as it is: one run has no interval.

    Parameters
    ----------
    results
        Of the run.
    rule
        ``PATH SIGN NUMBER``: names of :meth:`dumbbell.Results.summary` joined by points, where an entry of a
        list goes by its name; ``<``, ``<=``, ``>``, ``>=`` or ``=``; a number, and its unit if the quantity
        has one: a number of ``bit/s`` may be written in ``Mbit/s`` or ``Mbps``, but not without a unit.

    Raises
    ------
    ClaimError
        If the rule is not of this form, the summary has no such number, or its unit is missing or of another
        kind.
    """
    _refuse_bytes(rule)
    left, sign, right = _parts(rule, rule)
    value, unit = _value(rule, results.summary(), left)
    bound = _bound(rule, right, unit)

    if value is None:
        return Outcome(rule, False, f"{left} has no value in this run")
    signs = {
        "<": value < bound,
        "<=": value <= bound,
        ">": value > bound,
        ">=": value >= bound,
        "=": value == bound,
    }
    return Outcome(rule, signs[sign], f"{left} = {_shown(value, right, unit)} (one run, no interval)")


def assert_study(result: StudyResult, rule: str) -> Outcome:
    """Judge an assertion as a claim on a study; what is not sure does not pass.

    Parameters
    ----------
    result
        Of the study.
    rule
        ``METRIC: ARM SIGN NUMBER``, ``METRIC: ARM SIGN ARM``, ``METRIC: ARM / ARM SIGN NUMBER`` or
        ``METRIC: ARM - ARM SIGN NUMBER``, and ``at AXIS = VALUE, AXIS = VALUE`` for some points only. The
        sign is ``<=`` or ``>=`` before a number, ``<`` or ``>`` before an arm. A number has a unit where the
        metric has one.

    Raises
    ------
    ClaimError
        If the rule is not of this form, or names what the study does not have.
    """
    _refuse_bytes(rule)
    text, _, where = rule.partition(" at ")
    metric, colon, comparison = text.partition(":")
    if not colon:
        known = ", ".join(entry.name for entry in result.study.metrics)
        raise ClaimError(f"{rule!r}: no metric; write METRIC: ARM >= NUMBER, with one of {known}")
    try:
        find_metric(result, metric.strip())
    except ClaimError as error:
        raise ClaimError(f"{rule!r}: {error}") from None
    claim = Claim(
        rule, rule, "asserted", metric.strip(), _rule(result, rule, metric.strip(), comparison, where)
    )
    try:
        judgement: Judgement = claim.judge(result)
    except ClaimError as error:
        raise ClaimError(str(error).removeprefix("claim ")) from None
    words = {"reproduced": "holds", "not reproduced": "broken", "inconclusive": "undecided"}
    evidence = judgement.evidence
    if not evidence.startswith(words[judgement.verdict]):
        evidence = f"{words[judgement.verdict]}: {evidence}"
    return Outcome(rule, judgement.verdict == "reproduced" and result.complete, evidence)


def write_outcomes(outcomes: Sequence[Outcome], of: str, path: Path) -> None:
    """Write outcomes as a JUnit report: a test case for each rule.

    Parameters
    ----------
    outcomes
        In the order of the rules.
    of
        The folder that was asked.
    path
        Where to; an earlier report of this kind is replaced.

    Raises
    ------
    FolderError
        If it cannot be written, or another file is in the way.
    """
    failed = sum(not outcome.passed for outcome in outcomes)
    suite = ElementTree.Element(
        "testsuite", name="dumbbell assert", tests=str(len(outcomes)), failures=str(failed), errors="0"
    )
    for outcome in outcomes:
        case = ElementTree.SubElement(suite, "testcase", classname=plain(of), name=plain(outcome.rule))
        if outcome.passed:
            ElementTree.SubElement(case, "system-out").text = plain(outcome.evidence)
        else:
            ElementTree.SubElement(case, "failure", message=plain(outcome.evidence))
    ElementTree.indent(suite)
    body = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    with new_file(path, _is_ours, force=True) as part:
        part.write_bytes(body + b"\n")


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        return b'<testsuite name="dumbbell assert"' in file.read(200)


def outcomes_json(outcomes: Sequence[Outcome]) -> str:
    """Return outcomes as JSON."""
    return json.dumps([outcome.to_dict() for outcome in outcomes], indent=2, ensure_ascii=False)


def _refuse_bytes(rule: str) -> None:
    """Refuse what a shell passes on although it is no text."""
    try:
        rule.encode()
    except UnicodeEncodeError:
        raise ClaimError(f"{rule!r}: not in UTF-8; write it so") from None


def _parts(rule: str, text: str) -> tuple[str, str, str]:
    found = _FORM.fullmatch(text.strip())

    if found is None:
        raise ClaimError(f"{rule!r}: not a rule; write it as NAME >= NUMBER, with <, <=, >, >= or =")
    return found["left"], found["sign"], found["right"].strip()


def _bound(rule: str, text: str, own: str) -> float:
    """Return a number in the unit `own`; one without a unit may be meant in another."""
    number = _in_unit(rule, text, own)
    if own and (found := _NUMBER.fullmatch(text)) and not found["unit"]:
        shown = _USUAL.get(own, own)
        space = "" if shown in _UNITS else " "
        raise ClaimError(f"{rule!r}: {text} has no unit; write it with one, such as {text}{space}{shown}")
    return number


def _shown(value: float, bound: str, own: str) -> str:
    """Return a number that is in the unit `own` in the unit of its bound."""
    found = _NUMBER.fullmatch(bound)
    unit = (found["unit"] if found else None) or own
    if unit != own:
        value *= _UNITS[own][1] / _UNITS[unit][1]
    space = "" if unit in ("", "%") else " "
    return f"{value:.6g}{space}{unit}"


def _in_unit(rule: str, text: str, own: str) -> float:
    """Return a number in the unit `own`; one without a unit is in it."""
    found = _NUMBER.fullmatch(text)
    number = float(found["number"]) if found else math.nan
    if found is None or not math.isfinite(number):
        raise ClaimError(f"{rule!r}: {text!r} is not a number; write one, with its unit if it has one")
    unit = found["unit"] or ""
    if unit in ("", own):
        return number
    if unit not in _UNITS:
        raise ClaimError(f"{rule!r}: unknown unit {unit!r}; use {', '.join(filter(None, _UNITS))}")
    kind, factor = _UNITS[unit]
    if own not in _UNITS or _UNITS[own][0] != kind:
        remedy = f"in {own}" if own else "without a unit"
        raise ClaimError(f"{rule!r}: {unit} is not a unit of this; write a number {remedy}")
    return number * factor / _UNITS[own][1]


def _value(rule: str, summary: Mapping[str, Any], path: str) -> tuple[float | None, str]:
    """Return a number of a summary and its unit; names of links and groups may hold points themselves."""
    here: Any = summary
    rest = path
    way: list[str] = []
    while rest:
        entries = here if isinstance(here, Mapping) else _named(here)
        known = [name for name in entries if rest == name or rest.startswith(f"{name}.")]
        if not known:
            place = path[: len(path) - len(rest)].rstrip(".") or "the summary"
            raise ClaimError(
                f"{rule!r}: {place} has no {rest.partition('.')[0]!r}; "
                f"{_native.suggest(rest.partition('.')[0], list(entries)) if entries else 'it has no parts'}"
            )
        name = max(known, key=len)
        here, rest = entries[name], rest[len(name) + 1 :]
        way.append(name)
    if here is not None and (isinstance(here, bool) or not isinstance(here, (int, float))):
        names = ", ".join(here if isinstance(here, Mapping) else _named(here))
        raise ClaimError(
            f"{rule!r}: {path} is not a number{f'; use one of its parts: {names}' if names else ''}"
        )
    return here, unit_of(way)


def _named(entries: object) -> Mapping[str, Any]:
    """Return the entries of a list by name: of a link, of a group."""
    if not isinstance(entries, list):
        return {}
    return {str(entry.get("link", entry.get("group"))): entry for entry in entries}


def _rule(result: StudyResult, rule: str, metric: str, comparison: str, where: str) -> Rule:
    left, sign, right = _parts(rule, comparison)
    at = _at(result, rule, where)
    arms = [arm.name for arm in result.study.arms]
    found = _ARMS.fullmatch(left)
    named = [] if found is None else [name for name in (found["first"], found["second"]) if name]
    unknown = [name for name in named if name not in arms]
    if found is None or unknown:
        name = unknown[0] if unknown else left
        raise ClaimError(f"{rule!r}: the study has no arm {name!r}; {_native.suggest(name, arms)}")
    if right in arms:
        if sign not in "<>" or len(named) > 1:
            raise ClaimError(f"{rule!r}: two arms are compared by ARM < ARM or ARM > ARM; write it so")
        first, second = (named[0], right) if sign == "<" else (right, named[0])
        return Order((first, second), at)
    if sign not in ("<=", ">="):
        raise ClaimError(f"{rule!r}: a mean has an interval, which {sign} does not suit; use <= or >=")
    units = {entry.name: entry.unit for entry in result.study.metrics}
    bound = _bound(rule, right, "" if found["sign"] == "/" else units.get(metric, ""))
    low, high = (bound, math.inf) if sign == ">=" else (-math.inf, bound)
    if found["second"] is None:
        return Level(named[0], low, high, at)
    return (Ratio if found["sign"] == "/" else Difference)(named[0], named[1], low, high, at)


def _at(result: StudyResult, rule: str, where: str) -> dict[str, float | str]:
    """Return the points that a rule names."""
    at: dict[str, float | str] = {}
    for part in filter(None, (part.strip() for part in where.split(","))):
        name, equals, value = (text.strip() for text in part.partition("="))
        if not equals or not value:
            raise ClaimError(f"{rule!r}: {part!r} is not a point; write at AXIS = VALUE")
        axes = {axis.name: axis for axis in result.study.axes}
        if name not in axes:
            raise ClaimError(f"{rule!r}: the study has no axis {name!r}; {_native.suggest(name, list(axes))}")
        axis = axes[name]
        at[name] = value if isinstance(axis.values[0], str) else _in_unit(rule, value, axis.unit)
    return at
