"""Answers in words: sentences that claim what the intervals support, and no more."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from dumbbell.answers.compare import Asked, Question, Value, Versus
from dumbbell.stats import CONFIDENCE

if TYPE_CHECKING:
    from dumbbell.study import Arm, StudyResult

_MOST_NAMES = 4
"""Arms, and stretches of an axis, that a sentence names."""

_STOPPED = "Points ended by the stop rule, after which intervals cover a little less than they say."

_MANY_TIMES = 3.0
"""Ratios as large as this, or as small as one over it, appear as they are, and not in percent."""


@dataclass(frozen=True)
class Answer:
    """What a study answers."""

    findings: tuple[tuple[str, str], ...]
    """What is compared, and the sentences on it: ``("Mean completion time", "CUBIC is better than ...")``.
    What a paper says itself is under no name."""
    sure: str
    """How sure all of it is together; empty if nothing could be compared."""

    def lines(self) -> Iterator[str]:
        """Yield the answer for a terminal, a paragraph at a time."""
        for name, text in self.findings:
            yield f"{name}: {text}" if name else text
        if self.sure:
            yield self.sure

    def __str__(self) -> str:
        return "\n".join(self.lines())


def answer(result: StudyResult, questions: Sequence[Question], confidence: float = CONFIDENCE) -> Answer:
    """Answer questions on a study.

    The answer states a difference if its interval excludes zero. Intervals are of paired differences
    (Student's t) and ratios (Fieller), or of medians where sizes ask for them (:mod:`dumbbell.study.tails`),
    each of m at the level ``1 - (1 - confidence) / m`` (Bonferroni). Here m counts all comparisons at all
    values of the axes in all answers. So with `confidence` no sentence tells a difference that is not there,
    wherever along an axis it begins, and none rules out the best arm.

    Parameters
    ----------
    result
        What the study has found so far.
    questions
        What is asked.
    confidence
        That all intervals in the answer hold.

    Raises
    ------
    UnknownNameError
        If the study has no metric, axis or arm of a name in a question.
    """
    asked = [Asked.of(result, question) for question in questions]
    count = sum(entry.comparisons for entry in asked)
    level = 1 - (1 - confidence) / max(count, 1)
    writers = [_Writer(entry, level) for entry in asked]
    findings = tuple((writer.name, writer.text()) for writer in writers)
    reason = next(filter(None, (entry.why_median for entry in asked)), None)
    what = f"medians where {reason}, else of means," if reason else "means"
    sure = _sure(count, confidence, level, {size for writer in writers for size in writer.sizes}, what)
    if sure and result.study.stop:
        sure = f"{sure} {_STOPPED}"

    if not result.complete:
        sure = f"{result.stamp}. {sure}".rstrip()
    return Answer(findings, sure)


def _sure(count: int, confidence: float, level: float, sizes: set[int], what: str) -> str:
    """Say how sure an answer of so many comparisons is, whose numbers of pairs are `sizes`, and of what."""
    if not sizes:
        return ""
    n = f"{min(sizes)}" if len(sizes) == 1 else f"{min(sizes)} to {max(sizes)}"
    means = f"of {what} over seeds, paired by seed, n={n}."
    if count == 1:
        return f"The interval holds with {100 * confidence:.4g} %. One comparison {means}"
    return (
        f"All intervals of the answer hold together with {100 * confidence:.4g} %, each with "
        f"{100 * level:.4g} % (Bonferroni). {count} comparisons {means}"
    )


class _Writer:
    """Writes the answer to one question."""

    def __init__(self, asked: Asked, confidence: float) -> None:
        self._asked = asked
        self._confidence = confidence
        better = asked.metric.better
        self._side = "lower" if better == "lower" else "higher"
        self._superlative = "lowest" if better == "lower" else "highest"
        self._better = bool(better)
        self.sizes: set[int] = set()
        """The numbers of pairs of the comparisons that have an interval."""

    @property
    def name(self) -> str:
        """What is compared, and where on the axes that the question fixes."""
        label = self._asked.metric.label
        fixed = [(axis, value) for axis, value in self._asked.fixed if len(axis.values) > 1]
        place = ", ".join(f"{axis.label} {_number(value)} {axis.unit}".rstrip() for axis, value in fixed)
        return f"{label[:1].upper()}{label[1:]}" + (f" at {place}" if place else "")

    def text(self) -> str:
        """Return the sentences."""
        asked = self._asked
        if not asked.arms:
            return "no run has a value yet."
        if asked.alone:
            return self._change(asked.arms[0])
        if len(asked.arms) == 1 or (asked.question.over and not asked.pairs):
            return "there is nothing to compare with yet."
        if asked.pairs:
            return " ".join(sentence for a, b in asked.pairs for sentence in self._pair(a, b))
        return " ".join(self._best())

    def _versus(self, a: tuple[Arm, int], b: tuple[Arm, int]) -> Versus:
        found = self._asked.versus(a, b, self._confidence)
        if found.sign is not None:
            self.sizes.add(found.difference.n)
        return found

    def _change(self, arm: Arm) -> str:
        """Tell how the only arm changes from one end of the axis to the other."""
        last = len(self._asked.values) - 1
        found = self._versus((arm, last), (arm, 0))
        ends = f"{self._at([last])} than {self._at([0], label=False)}"
        if found.sign is None:
            return self._too_few([0, last])
        if found.sign == 0:
            between = f"{self._at([0])} and {self._at([last], label=False)}"
            bound = self._bound([found])
            return f"no difference of {arm.label} {between} can be distinguished from chance{bound}."
        return f"{arm.label} is {'higher' if found.sign > 0 else 'lower'} {ends}, {self._size(found)}."

    def _pair(self, a: Arm, b: Arm) -> Iterator[str]:
        """Tell where one of two arms is better than the other, and where nothing can be told."""
        asked = self._asked
        found = {index: self._versus((a, index), (b, index)) for index in range(len(asked.values))}
        below, above = ([i for i, entry in found.items() if entry.sign == sign] for sign in (-1, 1))
        if self._side == "higher":
            below, above = above, below
        word = f"better ({self._side})" if self._better else self._side
        sides = [side for side in ((below, a, b), (above, b, a)) if side[0]]
        for indexes, winner, loser in sorted(sides, key=lambda side: -len(side[0])):
            ends = sorted({indexes[0], indexes[-1]})
            several = len(ends) > 1
            sizes = [
                f"{self._size(self._versus((winner, i), (loser, i)))}"
                f"{f' {self._at([i], label=False)}' if several else ''}"
                for i in ends
            ]
            where = f" {self._at(indexes)}" if asked.axis else ""
            colon = ":" if several else ","
            yield f"{winner.label} is {word} than {loser.label}{where}{colon} {' and '.join(sizes)}."
        none = [index for index, entry in found.items() if entry.sign == 0]
        if none:
            between = f"between {a.label} and {b.label} " if not sides else ""
            bound = self._bound([found[index] for index in none])
            where = f"{_upper(self._at(none))}, no" if asked.axis and sides else "No"
            place = f" {self._at(none, every='any')}" if asked.axis and not sides else ""
            yield f"{where} difference {between}can be distinguished from chance{place}{bound}."
        yield from self._missing([index for index, entry in found.items() if entry.sign is None])

    def _best(self) -> Iterator[str]:
        """Tell which of several arms is best where, and which others may be as good."""
        asked = self._asked
        groups: dict[tuple[Arm, ...], list[int]] = {}
        beside: dict[int, Mapping[str, Versus]] = {}
        missing = []
        for index in range(len(asked.values)):
            means = [(asked.mean(arm, index), arm) for arm in asked.arms]
            there = [(mean, arm) for mean, arm in means if mean is not None]
            if len(there) < len(asked.arms):
                missing.append(index)
                continue
            lead = (min if self._side == "lower" else max)(there, key=lambda entry: entry[0])[1]
            others = [arm for arm in asked.arms if arm is not lead]
            found = {arm.name: self._versus((lead, index), (arm, index)) for arm in others}
            if any(entry.sign is None for entry in found.values()):
                missing.append(index)
                continue
            # What the pairs do not say is not told: those of an incomplete study may differ from its means.
            wanted = -1 if self._side == "lower" else 1
            worse = [arm for arm in others if found[arm.name].sign == wanted]
            groups.setdefault(tuple(arm for arm in asked.arms if arm not in worse), []).append(index)
            beside[index] = found
        word = f"best ({self._superlative})" if self._better else self._superlative
        shown = sorted(groups.items(), key=lambda entry: (-len(entry[1]), entry[1]))
        for candidates, indexes in shown[:_MOST_NAMES]:
            where = f" {self._at(indexes)}" if asked.axis else ""
            if len(candidates) == 1:
                yield f"{candidates[0].label} is {word}{where}: {self._lead(indexes, beside)}."
                continue
            every = len(candidates) == len(asked.arms)
            names = f"the {len(asked.arms)}" if every else _listed([arm.label for arm in candidates])
            yield _upper(f"{where.strip()}{', ' if where else ''}any of {names} may be the {word}.")
        rest = [index for _, indexes in shown[_MOST_NAMES:] for index in indexes]
        if rest:
            yield f"{_upper(self._at(sorted(rest)))}, others lead, as the figure shows."
        yield from self._missing(missing)

    def _lead(self, indexes: Sequence[int], beside: Mapping[int, Mapping[str, Versus]]) -> str:
        """Tell by how much the best arm is before the next, at the ends of where it is."""
        asked = self._asked
        texts = []
        for index in sorted({indexes[0], indexes[-1]}):
            name, found = min(beside[index].items(), key=lambda entry: abs(entry[1].difference.value))
            at = f" {self._at([index], label=False)}" if len(indexes) > 1 else ""
            texts.append(f"{self._size(found)} before {asked.result.study.arm(name).label}{at}")
        return " and ".join(texts)

    def _missing(self, indexes: Sequence[int]) -> Iterator[str]:
        if indexes:
            yield self._too_few(indexes)

    def _too_few(self, indexes: Sequence[int]) -> str:
        asked = self._asked
        where = f"{_upper(self._at(indexes))}, " if asked.axis else ""
        if asked.result.repetition and asked.repeated(indexes):
            return _upper(f"{where}no difference can be judged: {asked.result.repetition}.")
        few = "one seed gives no interval" if len(asked.result.study.seeds) == 1 else "there are too few runs"
        # All n observations lie on one side of the median with probability 2^-n each.
        seeds = math.ceil(1 - math.log2(1 - self._confidence))
        medians = f"; medians need {seeds} seeds for intervals that hold together" if asked.why_median else ""
        return _upper(f"{where}{few}, so no difference can be judged{medians}.")

    def _size(self, found: Versus) -> str:
        """Write how far the first is from the second, and the interval of that."""
        ratio = found.ratio
        if ratio is not None and ratio.interval and all(map(math.isfinite, ratio.interval)):
            low, high = ratio.interval
            if not 1 / _MANY_TIMES < ratio.value < _MANY_TIMES:
                return f"{_short(ratio.value)} times as high [{_short(low)}, {_short(high)}]"
            # Ratios of medians leave pairs of zeros out, and may say less than differences do.
            if low > 1 or high < 1:
                ends = sorted(abs(100 * (end - 1)) for end in (low, high))
                return f"by {_short(abs(100 * (ratio.value - 1)))} % [{_short(ends[0])}, {_short(ends[1])}]"
        low, high = found.difference.interval or (math.nan, math.nan)
        scaled = [abs(self._asked.question.factor * end) for end in (found.difference.value, low, high)]
        ends = sorted(scaled[1:])
        return f"by {_short(scaled[0])}{self._unit} [{_short(ends[0])}, {_short(ends[1])}]"

    @property
    def _unit(self) -> str:
        unit = self._asked.unit
        return " percentage points" if unit == "%" else f" {unit}" if unit else ""

    def _bound(self, found: Sequence[Versus]) -> str:
        """Tell how large a difference may be that was not found."""
        ratios = [ends for entry in found if entry.ratio and (ends := entry.ratio.interval)]
        if len(ratios) == len(found) and all(math.isfinite(end) for ends in ratios for end in ends):
            most = max(abs(end - 1) for ends in ratios for end in ends)
            return f"; it is at most {_above(100 * most)} %"
        differences = [entry.difference.interval or (0.0, 0.0) for entry in found]
        most = self._asked.question.factor * max(abs(end) for ends in differences for end in ends)
        return f"; it is at most {_above(most)}{self._unit}" if most else ""

    def _at(self, indexes: Sequence[int], label: bool = True, every: str = "every") -> str:
        """Write where on the axis: ``from offered load 0.4 on``."""
        asked = self._asked
        axis, last = asked.axis, len(asked.values) - 1
        assert axis is not None, "only along an axis is there a place"
        name = f"{axis.label} " if label else ""
        if len(indexes) == last + 1 and last:
            span = "" if asked.named else f" from {self._value(0)} to {self._value(last)}"
            return f"at {every} value of {axis.label}{span}"
        if asked.named:
            return f"at {name}{_listed([str(asked.values[index]) for index in indexes])}"
        texts: list[str] = []
        # Indexes that follow each other differ from their place in the list by the same number.
        for _, run in groupby(enumerate(indexes), lambda entry: entry[1] - entry[0]):
            stretch = [index for _, index in run]
            first, end = f"{'' if texts else name}{self._value(stretch[0])}", self._value(stretch[-1])
            if len(stretch) == 1:
                texts.append(f"at {first}")
            elif stretch[-1] == last:
                texts.append(f"from {first} on")
            elif stretch[0] == 0:
                texts.append(f"up to {'' if texts else name}{end}")
            else:
                texts.append(f"from {first} to {end}")
        return _listed(texts, "places")

    def _value(self, index: int) -> str:
        axis = self._asked.axis
        unit = f" {axis.unit}" if axis is not None and axis.unit else ""
        return f"{_number(self._asked.values[index])}{unit}"


def _number(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _short(value: float) -> str:
    """Write a number with two significant digits, or all of those before the point."""
    return f"{value:.0f}" if value >= 99.5 else f"{value:.2g}"


def _above(value: float) -> str:
    """Write a bound with two significant digits, rounded up: it stays one."""
    if not value:
        return "0"
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return _short(math.ceil(value / step) * step)


def _listed(names: Sequence[str], what: str = "more") -> str:
    if len(names) > _MOST_NAMES:
        more = f"{len(names) - _MOST_NAMES} more{'' if what == 'more' else f' {what}'}"
        names = [*names[:_MOST_NAMES], more]
    # Labels may hold commas.
    between, last = ("; ", "; and ") if any("," in name for name in names) else (", ", " and ")
    return last.join(filter(None, [between.join(names[:-1]), names[-1]]))


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
