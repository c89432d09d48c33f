"""What a claim and a judgement are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from dumbbell.errors import DumbbellError

if TYPE_CHECKING:
    from dumbbell.stats import Estimate
    from dumbbell.study import StudyResult

Verdict = Literal["reproduced", "not reproduced", "inconclusive"]
"""What may be said of a claim."""

VERDICTS: tuple[Verdict, ...] = ("reproduced", "not reproduced", "inconclusive")
"""All verdicts."""


class ClaimError(DumbbellError, ValueError):
    """A claim that the study cannot judge, or that no data could break."""


@dataclass(frozen=True)
class Finding:
    """What one comparison found."""

    where: str
    """The point: ``load = 0.8``; empty if the study has one point."""
    quantity: str
    """What was estimated: ``CUBIC / NewReno``."""
    estimate: Estimate
    """The number with its interval."""
    low: float
    """The least value that the claim allows; minus infinity if any."""
    high: float
    """The largest value that the claim allows; infinity if any."""
    unit: str
    """Of the number; may be empty."""
    claimed: str
    """The bounds in words: ``at most 0.5 s``."""
    verdict: Verdict
    """Of this comparison alone."""

    def to_dict(self) -> dict[str, Any]:
        """Return JSON types; bounds that are not finite become ``None``."""
        return {
            "where": self.where,
            "quantity": self.quantity,
            "estimate": self.estimate.to_dict(),
            "low": self.low if math.isfinite(self.low) else None,
            "high": self.high if math.isfinite(self.high) else None,
            "unit": self.unit,
            "claimed": self.claimed,
            "verdict": self.verdict,
        }

    def __str__(self) -> str:
        at = f" at {self.where}" if self.where else ""
        note = f"; {self.estimate.note}" if self.estimate.note and self.estimate.interval else ""
        return f"{self.quantity}{at}: {self.estimate.text(self.unit)}{note}"


@dataclass(frozen=True)
class Judgement:
    """A verdict and what it rests on."""

    verdict: Verdict
    """Of all comparisons together."""
    evidence: str
    """In words, with the number and interval that decided."""
    estimate: Estimate | None
    """The number that decided; ``None`` if there is none."""
    details: tuple[Finding, ...] = ()
    """Every comparison that the rule made."""
    error: float | None = None
    """Its p-value: the least probability of error at which the verdict is given; ``None`` if inconclusive."""


class Rule(Protocol):
    """Judges a metric of a study. ``str()`` of a rule says what it asks for."""

    def __call__(self, result: StudyResult, metric: str) -> Judgement:
        """Judge."""


@dataclass(frozen=True)
class Claim:
    """A statement that the numbers of a study can break."""

    id: str
    """Short and unique in the study."""
    statement: str
    """In plain words."""
    source: str
    """Paper and section, or ``our question``."""
    metric: str
    """Name of the metric of the study that the rule looks at."""
    rule: Rule
    """What the metric must do."""
    reason: str = ""
    """The known reason why it is not reproduced; it appears with that verdict only."""
    ours: str = ""
    """Why a bound of the rule is ours, and not the source's; empty if the source gives it."""

    @property
    def bound(self) -> dict[str, str] | None:
        """Whose the bound is: ``by``, which is ``ours`` or ``source``, and the ``reason`` for one of ours.

        ``None`` for a rule that has no number. A question of ours has bounds of ours.
        """
        if not getattr(self.rule, "bounded", True):
            return None
        reason = self.ours or (self.source if self.source.startswith("our ") else "")
        return {"by": "ours", "reason": reason} if reason else {"by": "source"}

    def bound_text(self) -> str:
        """Return a sentence on a bound of ours; empty for others."""
        bound = self.bound
        return f"The bound is ours: {bound['reason']}." if bound and bound["by"] == "ours" else ""

    def why(self, judgement: Judgement) -> str:
        """Return the reason if the verdict is one that needs it, else nothing.

        Parameters
        ----------
        judgement
            Of this claim.
        """
        return self.reason if judgement.verdict == "not reproduced" else ""

    def judge(self, result: StudyResult) -> Judgement:
        """Judge the claim; what an incomplete study says is stamped.

        Parameters
        ----------
        result
            Of a study, whole or not.

        Raises
        ------
        ClaimError
            If the study has no such metric, arm or axis.
        """
        try:
            judgement = self.rule(result.having(self.metric), self.metric)
        except ClaimError as error:
            raise ClaimError(f"claim {self.id!r}: {error}") from None
        if judgement.verdict == "inconclusive" and result.repetition:
            judgement = replace(judgement, evidence=f"{judgement.evidence}; {result.repetition}")
        if result.complete:
            return judgement
        return replace(judgement, evidence=f"{result.stamp}; {judgement.evidence}")


def judge(
    claims: Iterable[Claim],
    result: StudyResult,
    progress: Callable[[str, int, int], object] = lambda _what, _done, _total: None,
) -> list[tuple[Claim, Judgement]]:
    """Judge all claims of a study, in order.

    Parameters
    ----------
    claims
        With different ids.
    result
        Of the study, whole or not.
    progress
        Called before each claim: what is done, how many, of how many.

    Raises
    ------
    ClaimError
        If two claims have the same id, or the study has no metric, arm or axis that one names.
    """
    claims = list(claims)
    twice = [name for name, count in Counter(claim.id for claim in claims).items() if count > 1]
    if twice:
        raise ClaimError(f"claim {twice[0]!r}: two claims have this id; rename one")
    judged = []
    for number, claim in enumerate(claims):
        progress("claims judged", number, len(claims))
        judged.append((claim, claim.judge(result)))
    return judged
