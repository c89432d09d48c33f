"""The figures of the study."""

from dumbbell.report import FigureSpec, Reference


def _figure(group: str, over: str, published: float, ns3: float) -> FigureSpec:
    return FigureSpec(
        group,
        f"Rate of a flow over {over}",
        "threshold",
        group,
        references=(
            Reference("published", (published,), (20,), "[A10], figure 17"),
            Reference("ns-3", (ns3,), (20,), "[N3]"),
        ),
    )


FIGURES = (
    _figure("s1", "both bottlenecks", 46.0, 23.0),
    _figure("s2", "the fast bottleneck", 475.0, 471.0),
    _figure("s3", "the slow bottleneck", 54.0, 74.0),
)
