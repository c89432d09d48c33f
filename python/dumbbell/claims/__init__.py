"""Claims: statements of a paper, in a form that the numbers of a study can refute.

Examples
--------
>>> from dumbbell.claims import Claim, Ratio
>>> claim = Claim(
...     id="half",
...     statement="CoDel at least halves the mean queue of DropTail.",
...     source="our question",
...     metric="queue",
...     rule=Ratio("codel", "droptail", high=0.5),
... )
>>> claim.judge(result).verdict  # doctest: +SKIP
'reproduced'
"""

from dumbbell.claims.claim import VERDICTS, Claim, ClaimError, Finding, Judgement, Rule, Verdict, judge
from dumbbell.claims.decide import Probe, decide
from dumbbell.claims.declared import claims_of
from dumbbell.claims.family import family_note, standing
from dumbbell.claims.rules import Crossing, Difference, Level, Monotone, Order, Ratio, equivalent
from dumbbell.claims.write import claims_markdown, claims_table, write_claims

__all__ = [
    "VERDICTS",
    "Claim",
    "ClaimError",
    "Crossing",
    "Difference",
    "Finding",
    "Judgement",
    "Level",
    "Monotone",
    "Order",
    "Probe",
    "Ratio",
    "Rule",
    "Verdict",
    "claims_markdown",
    "claims_of",
    "claims_table",
    "decide",
    "equivalent",
    "family_note",
    "judge",
    "standing",
    "write_claims",
]
