"""The claims of the study: I1 to I13 are the numbers of README.md."""

from dumbbell.claims import Claim, Level

_FAST = "[P08], section 3: goodput collapses; the bound of a fifth is ours"

CLAIMS = (
    Claim(
        id="I1-collapse",
        statement="With NewReno and 16 servers or more, goodput is less than a fifth of the line rate.",
        source=_FAST,
        metric="goodput",
        rule=Level("newreno", high=190, at={"servers": (16, 24, 32, 48, 64)}),
    ),
)
