"""The figures of the study."""

from dumbbell.report import FigureSpec

FIGURES = (
    FigureSpec("mean", "Mean completion time", "load", "fct_mean"),
    FigureSpec("p99", "99th percentile of completion time", "load", "fct_p99"),
    FigureSpec(
        "ratio",
        "Mean completion time under CUBIC, over that under NewReno",
        "load",
        "fct_mean",
        relative_to="newreno",
        note="Paired by seed: both arms serve the same flows.",
    ),
    FigureSpec("loss", "Loss at the bottleneck", "load", "loss"),
    FigureSpec("retransmissions", "Retransmissions per flow", "load", "retransmissions"),
    FigureSpec("utilisation", "Utilisation of the bottleneck", "load", "utilisation"),
)
