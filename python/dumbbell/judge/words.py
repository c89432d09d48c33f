"""From the runs of a chapter to one of four words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from dumbbell.claims import Claim, Difference, Finding, Judgement, Probe, decide
from dumbbell.claims.points import Place, arm_label, find_metric, places
from dumbbell.judge.chapter import Chapter, Row
from dumbbell.stats import CONFIDENCE, Estimate
from dumbbell.study import Derived, Metric, Point, StudyResult, derive
from dumbbell.study.derived import Columns, Floats
from dumbbell.study.estimates import Measure, Where, difference, level

Word: TypeAlias = Literal["less harm", "as reference", "more harm", "not judged"]
"""What may be said of a candidate."""

CANDIDATE = "candidate"
"""The arm of the candidate."""

ALONE = "alone"
"""The arm in which the others are alone."""


@dataclass(frozen=True)
class RowOutcome:
    """What came out of a row."""

    row: Row
    """As the chapter has it."""
    word: Word
    """Of this row alone."""
    label: str
    """Of the metric."""
    unit: str
    """Of the metric; may be empty."""
    reference: str
    """Label of the reference of the judge, by which words compare."""
    finding: Finding
    """The comparison that decided: the largest next to what the reference has."""
    point: Point
    """Of the finding."""
    levels: tuple[tuple[str, Estimate], ...]
    """The metric of each arm at that point, by label."""
    why: str = ""
    """Why it is not judged."""


@dataclass(frozen=True)
class Outcome:
    """The word of a chapter and what it comes from."""

    chapter: Chapter
    """Which one."""
    word: Word
    """The worst of its rows."""
    reference: str
    """Label of the reference."""
    rows: tuple[RowOutcome, ...] = ()
    """What came out of each row."""
    why: str = ""
    """Why it is not judged."""
    failed: bool = False
    """Whether a run of it failed."""
    more: tuple[Claim, Judgement] | None = None
    """That it does no more harm, judged; for all chapters together."""
    less: tuple[Claim, Judgement] | None = None
    """That it does no less harm, judged."""
    scenario: str = ""
    """Path of the scenario that repeats the deciding row, from the folder of the judgement."""

    @property
    def counts(self) -> str:
        """How many comparisons are worse and better: ``worse in 3, better in 1 of 12 comparisons``."""
        found = self.comparisons
        if found is None:
            return ""
        return f"worse in {found['worse']}, better in {found['better']} of {found['all']} comparisons"

    @property
    def comparisons(self) -> dict[str, int] | None:
        """How many comparisons there are, as ``all``, and how many are ``worse`` and ``better``."""
        if self.more is None or self.less is None:
            return None
        worse, better = (
            sum(finding.verdict == "not reproduced" for finding in judgement.details)
            for _, judgement in (self.more, self.less)
        )
        return {"worse": worse, "better": better, "all": len(self.more[1].details)}

    @property
    def gaps(self) -> list[str]:
        """What is missing here: what parts of the criterion need, and rows without data."""
        rows = [row.why for row in self.rows if row.word == "not judged" and self.word != "not judged"]
        return [*(f"needs {need}" for need in self.chapter.needs), *rows]

    @property
    def decided(self) -> RowOutcome | None:
        """The row that made the word."""
        return next((row for row in self.rows if row.word == self.word), None)


def word_text(word: Word, reference: str) -> str:
    """Return a word as pages write it: ``as CUBIC``."""
    return f"as {reference}" if word == "as reference" else word


def with_harm(result: StudyResult, chapter: Chapter) -> StudyResult:
    """Return the result with the harm that each arm does to the others, for the rows that need it.

    Harm is (alone - with) / alone for what should be high and (with - alone) / with for what should be low
    (Ware, Mukerjee, Seshan & Sherry, HotNets 2019, section 4).
    """
    names = dict.fromkeys(row.metric for row in chapter.rows if row.kind == "harm")
    made = [_harm(find_metric(result, name)) for name in names]
    return derive(result, made)


def _harm(metric: Metric) -> Derived:
    name, higher = metric.name, metric.better == "higher"

    def harm(there: Columns, alone: Columns) -> Floats:
        beside, before = there[name], alone[name]
        return (before - beside) / before if higher else (beside - before) / beside

    label = f"harm: {metric.label}"
    return Derived(f"harm-{name}", label, "", harm, ALONE, "lower", possible=(-math.inf, 1.0))


def outcome(result: StudyResult, chapter: Chapter, reference: str) -> Outcome:
    """Return the word of a chapter.

    Each comparison of the chapter has an interval that is widened to the number of comparisons
    (Bonferroni), so that chance alone makes the chapter say *more harm* or *less harm* with at most 5 %.

    Parameters
    ----------
    result
        Of the study of the chapter, with the arms of the judge.
    chapter
        Whose rows are judged.
    reference
        Name of the arm that words compare with, where a row names no other.
    """
    result = with_harm(result, chapter)
    there = [(row, place) for row in chapter.rows for place in places(result, row.at) if place.point]
    label = arm_label(result, reference)
    if not there:
        return Outcome(chapter, "not judged", label, why="the study has no point that a row speaks of")
    more = decide([_probe(result, row, place, reference, 1) for row, place in there])
    less = decide([_probe(result, row, place, reference, -1) for row, place in there])
    rows = []
    for row in chapter.rows:
        own = [index for index, (entry, _) in enumerate(there) if entry is row]
        if not own:
            continue
        found = [(there[index][1], more.details[index], less.details[index]) for index in own]
        found = [
            _undecided(entry) if _shared(result, row, entry, reference, len(there)) else entry
            for entry in found
        ]
        made = _row(result, row, found, row.against or reference, len(there))
        rows.append(replace(made, reference=label))
    word = _worst([row.word for row in rows])
    why = next((row.why for row in rows if word == "not judged"), "")
    return Outcome(
        chapter, word, label, tuple(rows), why,
        more=(_claim(chapter, reference, 1), more), less=(_claim(chapter, reference, -1), less),
    )  # fmt: skip


def _worst(words: Sequence[Word]) -> Word:
    order: tuple[Word, ...] = ("more harm", "less harm", "as reference", "not judged")
    return next((word for word in order if word in words), "not judged")


def gathered(chapter: Chapter, others: Sequence[Outcome]) -> Outcome:
    """Return the word of a chapter that others make together: the worst of theirs."""
    chosen = [entry for entry in others if entry.chapter.number in chapter.gathers]
    word = _worst([entry.word for entry in chosen])
    why = "none of the chapters that it gathers is judged" if word == "not judged" else ""
    reference = chosen[0].reference if chosen else ""
    return Outcome(chapter, word, reference, why=why)


def _claim(chapter: Chapter, reference: str, side: int) -> Claim:
    no = "no more" if side > 0 else "no less"
    low, high = (-math.inf, 0.0) if side > 0 else (0.0, math.inf)
    rule = Difference(CANDIDATE, reference, low, high)
    text = f"{chapter.title}: {no} harm than {reference}"
    return Claim(f"chapter-{chapter.number}", text, f"RFC 9743 section {chapter.section}", "", rule)


def _probe(result: StudyResult, row: Row, place: Place, reference: str, side: int) -> Probe:
    """Return a comparison that breaks its bounds if there is more harm (side 1), or less (side -1)."""
    assert place.point is not None, "places outside the study are left out"
    metric, against = find_metric(result, row.column), row.against or reference
    where = (CANDIDATE, place.point)
    label = arm_label(result, CANDIDATE)
    if row.kind == "bound":
        measure = _level(result, row, where)
        if side < 0:
            # A bound is kept or broken; what keeps it does not do less harm than another that keeps it.
            return Probe(place.where, label, metric.unit, measure)
        return Probe(place.where, label, metric.unit, measure, row.low, row.high)
    quantity = f"{label} - {arm_label(result, against)}"
    measure = difference(result, row.column, where, (against, place.point))
    worse_is_more = (1 if metric.better == "lower" else -1) * side > 0
    ends = (-math.inf, 0.0) if worse_is_more else (0.0, math.inf)
    return Probe(place.where, quantity, metric.unit, measure, *ends)


def _row(
    result: StudyResult,
    row: Row,
    found: list[tuple[Place, Finding, Finding]],
    against: str,
    total: int,
) -> RowOutcome:
    metric = find_metric(result, row.column)
    broken = [(place, more) for place, more, _ in found if more.verdict == "not reproduced"]
    better = [(place, less) for place, _, less in found if less.verdict == "not reproduced"]
    word: Word = "more harm" if broken else "less harm" if better else "as reference"
    why = ""
    if row.kind == "bound":
        word, why = _bound_word(result, row, found, against, total)
    elif all(more.estimate.interval is None for _, more, _ in found):
        word, why = "not judged", f"{metric.label}: {found[0][1].estimate.note or 'no data'}"
    choices = broken or better or [(place, more) for place, more, _ in found]

    def size(entry: tuple[Place, Finding]) -> float:
        return _size(entry[1], level(result, row.column, (against, entry[0].point or {}))(CONFIDENCE))

    place, finding = max(choices, key=size)
    labels = {arm.name: arm.label for arm in result.study.arms if arm.name != ALONE}
    point = place.point or {}
    levels = tuple(
        (label, level(result, row.column, (arm, point))(CONFIDENCE)) for arm, label in labels.items()
    )
    reference = arm_label(result, against)
    return RowOutcome(row, word, metric.label, metric.unit, reference, finding, point, levels, why)


def _shared(
    result: StudyResult, row: Row, entry: tuple[Place, Finding, Finding], reference: str, total: int
) -> bool:
    """Whether a candidate is worse or better than another controller where the reference is so too."""
    place, more, less = entry
    if not row.against or row.against == reference or place.point is None:
        return False
    where, against = (reference, place.point), (row.against, place.point)
    interval = difference(result, row.column, where, against)(1 - (1 - CONFIDENCE) / total).interval
    if interval is None:
        return False
    low, high = interval
    return any(
        finding.verdict == "not reproduced" and (high < finding.low or low > finding.high)
        for finding in (more, less)
    )


def _undecided(entry: tuple[Place, Finding, Finding]) -> tuple[Place, Finding, Finding]:
    """Return a comparison that makes no word: its difference is that of the reference."""
    place, more, less = entry
    return place, replace(more, verdict="inconclusive"), replace(less, verdict="inconclusive")


def _bound_word(
    result: StudyResult, row: Row, found: list[tuple[Place, Finding, Finding]], against: str, total: int
) -> tuple[Word, str]:
    """Return the word of a bound: who breaks it where the reference keeps it does more harm."""
    confidence = 1 - (1 - CONFIDENCE) / total
    words: list[Word] = []
    for place, own, _ in found:
        assert place.point is not None, "places outside the study are left out"
        other = _keeps(row, _level(result, row, (against, place.point)), confidence)
        keeps = None if own.verdict == "inconclusive" else own.verdict == "reproduced"
        if keeps is None:
            words.append("not judged")
        elif keeps:
            words.append("less harm" if other is False else "as reference")
        else:
            words.append("as reference" if other is False else "more harm")
    word = _worst(words)
    return word, "the interval holds the bound" if word == "not judged" else ""


def _level(result: StudyResult, row: Row, where: Where) -> Measure:
    """Return how to estimate the metric of a bound; where no random number acts, one run is exact."""
    measure = level(result, row.metric, where)
    if not result.repeated(where[0], **where[1]):
        return measure

    def exact(confidence: float) -> Estimate:
        one = measure(confidence)
        return replace(one, low=one.value, high=one.value, note="the same at all seeds")

    return exact


def _keeps(row: Row, measure: Measure, confidence: float) -> bool | None:
    interval = measure(confidence).interval
    if interval is None:
        return None
    low, high = interval
    if row.low <= low and high <= row.high:
        return True
    return False if high < row.low or low > row.high else None


def _size(finding: Finding, before: Estimate) -> float:
    """Return how large a difference is next to what the reference has, or how far a bound is missed."""
    ends = [end for end in (finding.low, finding.high) if math.isfinite(end)]
    distance = max((abs(finding.estimate.value - end) for end in ends), default=0.0)
    if not math.isfinite(distance):
        return -1.0
    return distance / max(abs(before.value), 1e-9) if math.isfinite(before.value) else distance
