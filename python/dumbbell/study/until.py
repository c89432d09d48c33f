"""As many seeds as an answer needs: ``dumbbell study run S.toml --until width=2%``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dumbbell.study.errors import StudyError
from dumbbell.study.estimates import difference, level
from dumbbell.study.plan import Study
from dumbbell.study.plans import Plans
from dumbbell.study.spec import Point, StopRule
from dumbbell.study.stop import contrasts
from dumbbell.study.tails import Tails

if TYPE_CHECKING:
    from dumbbell.stats import Estimate
    from dumbbell.study.result import StudyResult

MOST_SEEDS = 1000
"""Seeds of a point at most, unless another number is given (choice: five halvings of the width of twenty)."""

_MOST_RUNS = 1_000_000
"""Of a study; ``crates/study/src/limits.rs``."""

_FORM = "width=2% (a share of the mean) or width=0.01 (in units of the metric), and perhaps seeds=2000"


def until(study: Study, width: float, relative: bool = True, seeds: int | None = None) -> Study:
    """Return the study with as many seeds as the interval of the decisive quantity needs.

    That is, of several arms, the difference of each from the first, paired by seed, else the mean; of the
    metric of the study's stop rule, or of the first that says what is better, or of the first. Seeds go on
    behind the last of the study. Means of completion times have a control
    (:func:`dumbbell.stats.controlled`), unless the study says ``control = "none"``.

    Parameters
    ----------
    study
        With any seeds.
    width
        The half-width of the interval of 95 % to reach, above zero.
    relative
        Whether that is a share of the mean (of the first arm), or in units of the metric.
    seeds
        Seeds of a point at most; by default 1,000.

    Raises
    ------
    StudyError
        If the width cannot be reached: no metric has an interval, sizes have no variance, or too few seeds.
    """
    if not (width > 0 and math.isfinite(width)):
        raise StudyError(f"width: {width:g} is not above zero; use 2 %, for example")
    if not study.metrics:
        raise StudyError("width: metrics by size have no stop rule; add [[metrics]]")
    better = [metric.name for metric in study.metrics if metric.better is not None]
    metric = study.stop.metric if study.stop else (better or [study.metrics[0].name])[0]
    rule = StopRule(metric, width, relative, of="differences" if len(study.arms) > 1 else "means")
    if study.stop is not None:
        rule = replace(rule, minimum=study.stop.minimum, confidence=study.stop.confidence)
    cells = len(study.points()) * len(study.arms)
    most = min(MOST_SEEDS, _MOST_RUNS // cells) if seeds is None else seeds
    if most < rule.minimum:
        raise StudyError(f"seeds: {most} are fewer than the {rule.minimum} of the first stage; give more")
    if most * cells > _MOST_RUNS:
        raise StudyError(
            f"seeds: {most:,} are {most * cells:,} runs, and a study has {_MOST_RUNS:,} at most; give "
            f"{_MOST_RUNS // cells:,} or fewer"
        )
    first = max(study.seeds) + 1
    more = range(first, first + max(0, most - len(study.seeds)))
    made = replace(study, stop=rule, seeds=(*study.seeds[:most], *more))
    for place, reason in _unreachable(made):
        raise StudyError(
            f"width: {place}{reason}, so the intervals are those of medians, which no stop rule looks at; "
            "give a number of seeds instead"
        )
    return made


def read_until(study: Study, text: str) -> Study:
    """Return :func:`until` for a text such as ``width=2%`` or ``width=0.01,seeds=2000``.

    Raises
    ------
    StudyError
        If the text is none, or the width cannot be reached.
    """
    found = re.fullmatch(r"width=([0-9.]+(?:e-?[0-9]+)?)(%?)(?:,seeds=([0-9]{1,9}))?", text.replace(" ", ""))
    try:
        if found is None:
            raise ValueError
        width = float(found[1])
    except ValueError:
        raise StudyError(f"--until: {text[:100]!r} is no width; give {_FORM}") from None
    relative = found[2] == "%"
    seeds = None if found[3] is None else int(found[3])
    return until(study, width / 100 if relative else width, relative, seeds)


def _unreachable(study: Study) -> Iterator[tuple[str, str]]:
    tails = Tails(study, Plans(study))
    for point in study.points():
        for arm in study.arms:
            reason = tails.why_median(arm.name, point)
            if reason is not None:
                yield _place(point), reason


def _place(point: Point) -> str:
    return "".join(f"{name}={value}: " for name, value in point.items())


def outcome(result: StudyResult) -> list[str]:
    """Return what a stop rule came to, one sentence a line: the widths, and the runs that it saved.

    Parameters
    ----------
    result
        Of a study with a stop rule.
    """
    study, rule = result.study, result.study.stop
    assert rule is not None, "the study has a stop rule"
    lines: list[str] = []
    reached = used = saved = 0
    for point in study.points():
        estimates = list(_decisive(result, rule, point))
        runs = len(study.arms) * max((found.n for found, _, _ in estimates), default=0)
        used += runs
        need = 1.0
        wide = []
        for found, plain, bound in estimates:
            if found.half_width is None or plain.half_width is None:
                wide.append("no interval: the metric has no value in most runs")
                continue
            if found.half_width > 0:
                need = max(need, (plain.half_width / found.half_width) ** 2)
            if found.half_width > bound * (1 + 1e-9):
                seeds = math.ceil(found.n * (found.half_width / bound) ** 2) if bound else 0
                more = f"it needs some {seeds:,} seeds: seeds={seeds}" if seeds else "the mean may be zero"
                wide.append(
                    f"half-width {found.half_width:.3g} of {bound:.3g} after {found.n:,} seeds; {more}"
                )
        if not wide:
            reached += 1
            saved += math.ceil(runs * need) - runs
        lines += [f"not reached: {_place(point)}{max(wide, key=len)}"] if wide else []
    points = len(study.points())
    width = f"{100 * rule.half_width:g} %" if rule.relative else f"{rule.half_width:g}"
    head = f"half-width of {width} reached at {reached} of {points} points with {used:,} runs"
    if result.controls and saved:
        head += f"; without the control about {used + saved:,}: {saved:,} saved"
    return [head, *lines]


def _decisive(
    result: StudyResult, rule: StopRule, point: Point
) -> Iterator[tuple[Estimate, Estimate, float]]:
    """Yield what the rule looks at, with a control and without, and the bound of its half-width."""
    arms = result.study.arms
    plain = replace(result, study=replace(result.study, control="none"))
    for numbers in contrasts(rule, len(arms)):
        places = [(arms[number].name, point) for number in numbers]
        how = [
            level(each, rule.metric, places[0])
            if len(places) == 1
            else difference(each, rule.metric, places[0], places[1])
            for each in (result, plain)
        ]
        _, values = result.values(rule.metric, places[-1][0], **point)
        there = values[values == values]
        mean = abs(float(there.mean())) if there.size else math.nan
        yield (
            how[0](rule.confidence),
            how[1](rule.confidence),
            rule.half_width * (mean if rule.relative else 1),
        )
