"""The claims of the study."""

from dumbbell.claims import Claim, Level, Order, Ratio
from dumbbell.papers.rcp_fct.reference import sizes

_BOUNDS = "digitised figure of [K16]; bounds of the reproduction"
_TEXT = "[K16], results in the paper"

CLAIMS = (
    Claim(
        id="rcp-as-published",
        statement="Up to 1000 packets RCP's averages are within 10 % of the published ones.",
        source=_BOUNDS,
        metric="over_rcp",
        rule=Level("rcp", 0.9, 1.1, at={"flow_size": sizes(5, 1000)}),
    ),
    Claim(
        id="rcp-near-sharing-short",
        statement="Up to 500 packets RCP is within 10 % above the line of processor sharing.",
        source=_BOUNDS,
        metric="over_line",
        rule=Level("rcp", high=1.1, at={"flow_size": sizes(5, 500)}),
    ),
    Claim(
        id="rcp-near-sharing-long",
        statement="Up to 10,000 packets RCP takes at most 1.6 times what the line of processor sharing says.",
        source=_BOUNDS,
        metric="over_line",
        rule=Level("rcp", high=1.6, at={"flow_size": sizes(5, 10_000)}),
    ),
    Claim(
        id="rcp-below-tcp",
        statement="Up to 10,000 packets RCP takes less time than TCP.",
        source=_BOUNDS,
        metric="mean",
        rule=Order(("rcp", "tcp"), at={"flow_size": sizes(5, 10_000)}),
    ),
    Claim(
        id="rcp-not-below-sharing",
        statement="RCP is never below exact processor sharing of the same flows: dips below are chance.",
        source="our question, on [K16]: averages dip below the ideal",
        metric="over_exact",
        rule=Level("rcp", low=1.0, at={"flow_size": sizes(5, 10_000)}),
    ),
    Claim(
        id="tcp-ten-times",
        statement="From 5 to 2000 packets TCP takes ten times as long as RCP, or longer.",
        source=f"{_TEXT}: one or two orders of magnitude better than TCP",
        metric="mean",
        rule=Ratio("tcp", "rcp", low=10, at={"flow_size": sizes(5, 2000)}),
    ),
    Claim(
        id="xcp-ten-times",
        statement="From 200 to 10,000 packets XCP takes ten times as long as RCP, or longer.",
        source=f"{_TEXT}: one or two orders of magnitude better than XCP; XCP as in ns-2.35: README.md",
        metric="mean",
        rule=Ratio("xcp", "rcp", low=10, at={"flow_size": sizes(200, 10_000)}),
    ),
    Claim(
        id="xcp-slow",
        statement="From 10 to 10,000 packets XCP takes longer than TCP.",
        source="[K16], motivation: XCP reacts too slowly to complete short transfers promptly",
        metric="mean",
        rule=Order(("tcp", "xcp"), at={"flow_size": sizes(10, 10_000)}),
    ),
    Claim(
        id="tcp-longest",
        statement="Up to 2000 packets the longest flow takes ten times as long under TCP as under RCP.",
        source="our question: the published script computes the longest and does not print them",
        metric="worst",
        rule=Ratio("tcp", "rcp", low=10, at={"flow_size": sizes(5, 2000)}),
    ),
    Claim(
        id="rcp-little-queue",
        statement="Under RCP packets wait less than a tenth of the round-trip time on average.",
        source="[K16], motivation: TCP by design fills buffers, RCP does not; the tenth is ours",
        metric="delay",
        rule=Level("rcp", high=10),
    ),
    Claim(
        id="rcp-less-queue",
        statement="Packets wait less under RCP than under TCP.",
        source="[K16], motivation: TCP by design fills buffers",
        metric="delay",
        rule=Order(("rcp", "tcp")),
    ),
    Claim(
        id="rcp-buffers-not-full",
        statement="99 % of the time RCP's queue is below one bandwidth-delay product, TCP's buffer.",
        source="[K16], motivation: TCP by design fills buffers",
        metric="queue_p99",
        rule=Level("rcp", high=1),
    ),
)
