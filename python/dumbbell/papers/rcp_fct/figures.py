"""The figures of the study."""

from dumbbell.papers.rcp_fct.reference import line, points
from dumbbell.report import FigureSpec, Measured, Reference

SHARING = line("sharing", "Processor sharing, formula")
SLOW_START = line("slow-start", "Slow start, formula")
_RCP = points("rcp", "RCP, published")
_TCP = points("tcp", "TCP, published")
EXACT = Measured("Processor sharing, exact", "ps", "rcp")
_CAPPED = Measured("The same, at most 120 Mbit/s a flow", "ps_capped", "rcp")
_WORST = Measured("Processor sharing, exact", "ps_worst", "rcp")
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
    FigureSpec(
        "worst", "Longest completion time against flow size, up to 2000 packets", "flow_size", "worst",
        scale="log", x_range=(0, 2000), references=(_WORST,), note="The longest of all flows of a bin.",
    ),
    FigureSpec(
        "worst-long", "Longest completion time against flow size, from 1000 packets", "flow_size", "worst",
        scale="log", x_scale="log", x_range=(1000, 100_000), references=(_WORST,),
    ),
    FigureSpec(
        "over-line", "RCP over the line of processor sharing", "flow_size", "over_line", arms=("rcp",),
        x_scale="log",
        references=(Reference("bound up to 500 packets", (1.1,)), Reference("bound up to 10,000", (1.6,))),
        note="The line holds for the nominal load of 0.9; runs have loads of their own.",
    ),
    FigureSpec(
        "over-exact", "RCP over exact processor sharing of the same flows", "flow_size", "over_exact",
        arms=("rcp",), x_scale="log", references=(Reference("equal", (1.0,)),),
    ),
    FigureSpec(
        "over-published", "RCP over the published averages", "flow_size", "over_rcp", arms=("rcp",),
        x_scale="log", x_range=(0, 10_000),
        references=(Reference("10 % above", (1.1,)), Reference("10 % below", (0.9,))),
        note="Flows that ended within 65 s, as the published script counts; it shows one realisation.",
    ),
)  # fmt: skip
