"""The claims of the study."""

from dumbbell.claims import Claim, Level

_PUBLISHED = "[A10], section 4.1, figure 17"


def _near(group: str, over: str, published: float) -> Claim:
    return Claim(
        id=f"rate-{group}",
        statement=f"A flow over {over} gets {published:.0f} Mbit/s, within a tenth.",
        source=_PUBLISHED,
        metric=group,
        rule=Level("linux", 0.9 * published, 1.1 * published, at={"threshold": 20}),
    )


CLAIMS = (
    _near("s1", "both bottlenecks", 46),
    _near("s2", "the fast bottleneck only", 475),
    _near("s3", "the slow bottleneck only", 54),
    Claim(
        id="no-drops",
        statement="The slow port drops nothing.",
        source=_PUBLISHED,
        metric="dropped",
        rule=Level("linux", high=0.5, at={"threshold": 20}),
    ),
)
