"""The figures with published averages and computed lines; ``figures.toml`` has the others."""

from dumbbell.papers.rcp_fct.reference import line, points
from dumbbell.report import FigureSpec, Measured

SHARING = line("sharing", "Processor sharing, formula")
SLOW_START = line("slow-start", "Slow start, formula")
_RCP = points("rcp", "RCP, published")
_TCP = points("tcp", "TCP, published")
EXACT = Measured("Processor sharing, exact", "ps", "rcp")
_CAPPED = Measured("The same, at most 120 Mbit/s a flow", "ps_capped", "rcp")
_NOTE = "From the SYN to the last acknowledgement at the sender, so the formulas have half a round trip more."

FIGURES = (
    FigureSpec(
        "average", "Average completion time against flow size, up to 2000 packets", "flow_size", "afct",
        scale="log", x_range=(0, 2000), references=(_RCP, _TCP, SHARING, SLOW_START, EXACT), note=_NOTE,
    ),
    FigureSpec(
        "average-long", "Average completion time against flow size, from 1000 packets", "flow_size", "afct",
        scale="log", x_scale="log", x_range=(1000, 100_000),
        references=(_RCP, _TCP, SHARING, SLOW_START, EXACT, _CAPPED), note=_NOTE,
    ),
    FigureSpec(
        "average-all", "Average completion time against flow size, all sizes", "flow_size", "afct",
        scale="log", x_scale="log", references=(_RCP, _TCP, SHARING, SLOW_START, EXACT, _CAPPED),
        note="TCP climbs a step wherever one more round trip of slow start is needed.",
    ),
)  # fmt: skip
