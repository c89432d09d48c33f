"""Many claims at once: which verdicts stand if the whole report may be wrong with 5 % only."""

from __future__ import annotations

from collections.abc import Sequence

from dumbbell.claims.claim import Claim, Judgement, Verdict
from dumbbell.stats import CONFIDENCE


def standing(judged: Sequence[tuple[Claim, Judgement]], confidence: float = CONFIDENCE) -> list[bool | None]:
    """Return for each claim whether its verdict stands with all claims of a report controlled together.

    Holm's step-down procedure (Scand. J. Stat. 6(2), 1979), for each kind of verdict apart: with
    `confidence`, no false claim is called reproduced, and no true one not reproduced.

    Parameters
    ----------
    judged
        What :func:`dumbbell.claims.judge` returned.
    confidence
        That no verdict of a kind is wrong.

    Returns
    -------
    list
        ``None`` for a claim that is inconclusive.
    """
    found: list[bool | None] = [None] * len(judged)
    verdicts: tuple[Verdict, ...] = ("reproduced", "not reproduced")
    for verdict in verdicts:
        errors = sorted(
            (1.0 if judgement.error is None else judgement.error, place)
            for place, (_, judgement) in enumerate(judged)
            if judgement.verdict == verdict
        )
        stands = True
        for rank, (error, place) in enumerate(errors):
            stands = stands and error <= (1 - confidence) / (len(judged) - rank)
            found[place] = stands
    return found


def family_note(judged: Sequence[tuple[Claim, Judgement]], confidence: float = CONFIDENCE) -> str:
    """Say how likely it is that some verdict is wrong, and how many stand when that is controlled.

    Parameters
    ----------
    judged
        The claims with their judgements.
    confidence
        The level of each verdict alone.
    """
    stands = standing(judged, confidence)
    decided = sum(stand is not None for stand in stands)
    if decided < 2:
        return ""
    error = 1 - confidence
    some = 1 - confidence**decided
    weak = [claim.id for (claim, _), stand in zip(judged, stands, strict=True) if stand is False]
    rest = f"all but {', '.join(weak)} stand" if weak else "all stand"
    return (
        f"Each of {decided} verdicts alone is wrong with at most {100 * error:.3g} %; some is wrong with up "
        f"to {100 * some:.0f} % if they are independent. Where that is held at {100 * error:.3g} % for each "
        f"kind of verdict (Holm), {rest}."
    )
