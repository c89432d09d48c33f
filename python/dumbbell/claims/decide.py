"""From estimates at several points to one verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dumbbell.claims.claim import Finding, Judgement, Verdict
from dumbbell.stats import CONFIDENCE, Estimate

_LEAST_ERROR = 1e-12
"""Smaller ones are not told apart: no model of the runs is that good."""


@dataclass(frozen=True)
class Probe:
    """One comparison that a claim makes, not yet decided."""

    where: str
    """The point, in words; empty if the study has one."""
    quantity: str
    """What is estimated, in words."""
    unit: str
    """Of the number; may be empty."""
    measure: Callable[[float], Estimate]
    """Gives the estimate at a level of confidence."""
    low: float = -math.inf
    """The least value allowed; minus infinity if any."""
    high: float = math.inf
    """The largest value allowed; infinity if any."""
    strict: bool = False
    """Whether a value on a bound does not satisfy the claim."""


def decide(probes: Sequence[Probe], confidence: float = CONFIDENCE) -> Judgement:
    """Return the verdict on a claim that asks for all probes to lie within their bounds.

    ``reproduced``: every interval lies within its bounds. As all must, each test has the level of the whole
    (an intersection-union test: Berger, Technometrics 24(4), 1982).
    ``not reproduced``: some interval lies beyond its bounds. As any may, each of m is widened to the level
    ``1 - (1 - confidence) / m`` (Bonferroni).
    ``inconclusive``: neither; also without intervals, and without data.

    Parameters
    ----------
    probes
        The comparisons; none is inconclusive.
    confidence
        The level of the verdict.
    """
    if not probes:
        return Judgement("inconclusive", "no point of the study is one that the claim speaks of", None)
    wide = 1 - (1 - confidence) / len(probes)
    findings = [_find(probe, confidence, wide) for probe in probes]
    verdicts = [finding.verdict for finding in findings]
    verdict: Verdict
    if "not reproduced" in verdicts:
        verdict, word = "not reproduced", "broken"
    elif "inconclusive" in verdicts:
        verdict, word = "inconclusive", "undecided"
    else:
        verdict, word = "reproduced", "holds"
    deciding = [finding for finding in findings if finding.verdict == verdict]
    # The worst breach, the least sure, or the narrowest escape.
    chosen = min(deciding, key=_margin)
    count = ""
    if len(findings) > 1:
        several = "all" if len(deciding) == len(findings) else f"{len(deciding)} of"
        count = f" in {several} {len(findings)} comparisons"
    closest = "closest, " if verdict == "reproduced" and count else ""
    evidence = f"{word}{count}: {closest}{chosen}; claimed {chosen.claimed}"
    error = None if verdict == "inconclusive" else _error(probes, verdict, 1 - confidence)
    return Judgement(verdict, evidence, chosen.estimate, tuple(findings), error)


def _error(probes: Sequence[Probe], verdict: Verdict, most: float) -> float:
    """Return the least error at which the probes still give a verdict, which they do at `most`."""

    def given(error: float) -> bool:
        wide = 1 - error / len(probes)
        if verdict == "reproduced":
            return all(_holds(probe, 1 - error) for probe in probes)
        return any(_breaks(probe, wide) for probe in probes)

    # Intervals shrink as the error grows. Halving the decades twelve times leaves 0.6 % of the error.
    low, high = math.log10(_LEAST_ERROR), math.log10(most)
    if given(_LEAST_ERROR):
        return _LEAST_ERROR
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if given(10**middle) else (middle, high)
    return float(10.0**high)


def _holds(probe: Probe, confidence: float) -> bool:
    ends = probe.measure(confidence).interval
    return ends is not None and _within(probe, *ends)


def _breaks(probe: Probe, confidence: float) -> bool:
    ends = probe.measure(confidence).interval
    return ends is not None and _beyond(probe, *ends)


def _find(probe: Probe, confidence: float, wide: float) -> Finding:
    estimate = probe.measure(confidence)
    verdict: Verdict = "inconclusive"
    if _breaks(probe, wide):
        verdict, estimate = "not reproduced", probe.measure(wide)
    elif _holds(probe, confidence):
        verdict = "reproduced"
    return Finding(
        probe.where, probe.quantity, estimate, probe.low, probe.high, probe.unit, _bounds(probe), verdict
    )


def _within(probe: Probe, low: float, high: float) -> bool:
    if probe.strict:
        return probe.low < low and high < probe.high
    return probe.low <= low and high <= probe.high


def _beyond(probe: Probe, low: float, high: float) -> bool:
    # An interval without width on the bound itself breaks nothing: equal values in all seeds, such as no loss
    # at all, do not rule out a difference in others.
    return high < probe.low or low > probe.high


def _margin(finding: Finding) -> float:
    """Return how far the estimate lies within its bounds, in half widths of its interval."""
    distance = min(finding.estimate.value - finding.low, finding.high - finding.estimate.value)
    if math.isnan(distance):
        return -math.inf
    half = finding.estimate.half_width
    return distance / half if half and math.isfinite(half) else distance


def _bounds(probe: Probe) -> str:
    unit = f" {probe.unit}" if probe.unit else ""
    if math.isinf(probe.low):
        return f"{'below' if probe.strict else 'at most'} {probe.high:g}{unit}"
    if math.isinf(probe.high):
        return f"{'above' if probe.strict else 'at least'} {probe.low:g}{unit}"
    return f"{probe.low:g} to {probe.high:g}{unit}"
