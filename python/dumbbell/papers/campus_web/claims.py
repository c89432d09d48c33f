"""The claims of the study."""

from dumbbell.claims import Claim, Level, Monotone, Order, equivalent

_OURS = "our question"

CLAIMS = (
    Claim(
        id="rises-newreno",
        statement="Under NewReno the mean completion time rises with each step of the load.",
        source=_OURS,
        metric="fct_mean",
        rule=Monotone("load", "newreno", "rises"),
    ),
    Claim(
        id="rises-cubic",
        statement="Under CUBIC the mean completion time rises with each step of the load.",
        source=_OURS,
        metric="fct_mean",
        rule=Monotone("load", "cubic", "rises"),
    ),
    Claim(
        id="controllers-within-5-percent",
        statement="CUBIC's mean completion time differs from NewReno's by less than 5 % at every load.",
        source=_OURS,
        metric="fct_mean",
        rule=equivalent("cubic", "newreno", 0.05),
    ),
    Claim(
        id="tails-within-5-percent",
        statement="CUBIC's 99th percentile differs from NewReno's by less than 5 % at every load.",
        source=_OURS,
        metric="fct_p99",
        rule=equivalent("cubic", "newreno", 0.05),
    ),
    Claim(
        id="newreno-faster-under-load",
        statement="NewReno's mean completion time is below CUBIC's at loads 0.7 to 0.9.",
        source=_OURS,
        metric="fct_mean",
        rule=Order(("newreno", "cubic"), at={"load": (0.7, 0.8, 0.9)}),
    ),
    Claim(
        id="cubic-loses-more",
        statement="CUBIC loses more packets than NewReno at every load.",
        source=_OURS,
        metric="loss",
        rule=Order(("newreno", "cubic")),
    ),
    Claim(
        id="little-loss",
        statement="Up to load 0.6 NewReno loses less than 1 % of packets.",
        source=_OURS,
        metric="loss",
        rule=Level("newreno", high=1, at={"load": (0.2, 0.3, 0.4, 0.5, 0.6)}),
    ),
    Claim(
        id="anchor",
        statement=(
            "Under NewReno the mean completion time at load 0.8 is 0.2 s, the digit that Panarello et al. "
            "(2012) give for sizes they did not publish."
        ),
        source="Panarello et al., e-Energy 2012, on figure 5 (TCPonly); with other flow sizes, see README.md",
        metric="fct_mean",
        rule=Level("newreno", 0.15, 0.25, at={"load": 0.8}),
        reason=(
            "our times count from the first SYN; counted from the connection's establishment the mean is "
            "0.22 s ± 0.02, which agrees; python/dumbbell/papers/campus_web/README.md has the other readings"
        ),
    ),
)
