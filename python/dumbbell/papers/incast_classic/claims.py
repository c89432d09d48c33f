"""The claims of the study: I1 to I13 are the numbers of README.md."""

from dumbbell.claims import Claim, Level, Monotone, Order, Ratio

_P08 = "[P08], on goodput against the number of servers"
_V09 = "[V09], on timeouts of microseconds"
_Z11 = "[Z11], on the two kinds of timeouts"
_OURS = "our question: what is left of incast today"

_MANY = (16, 24, 32, 48, 64)

_THIRD = (
    "[P08] names a third kind, which [Z11] leaves out: a retransmission that is lost again. It makes 70 to "
    "100 % of the timeouts with 2 to 4 servers, and as many as full windows do with 32 and more"
)

CLAIMS = (
    Claim(
        id="I1-few",
        statement="Up to three servers, NewReno uses three quarters of the line rate.",
        source=f"{_P08}: near the line rate at first; the bound is ours",
        metric="used",
        rule=Level("newreno", low=75, at={"servers": (1, 2, 3)}),
        reason=(
            "two windows of 64 kB do not fit into a port of 64 kB, and a retransmission that is lost again "
            "waits 200 ms; with a port of 256 kB, up to four servers use 98 %"
        ),
    ),
    Claim(
        id="I1-onset",
        statement="NewReno has collapsed at 12 servers: goodput is less than half of the line rate.",
        source=f"{_P08}; the acceptance bound is a collapse before 16 servers",
        metric="used",
        rule=Level("newreno", high=50, at={"servers": 12}),
    ),
    Claim(
        id="I1-collapse",
        statement="With NewReno and 16 servers or more, goodput is less than a fifth of the line rate.",
        source=f"{_P08}; the bound of a factor of five is ours",
        metric="used",
        rule=Level("newreno", high=20, at={"servers": _MANY}),
    ),
    Claim(
        id="I1-delay",
        statement="From 2 to 8 servers NewReno and SACK are better than Reno: they delay the collapse.",
        source=f"{_P08}: NewReno and SACK improve on Reno",
        metric="goodput",
        rule=Order(("reno", "sack"), at={"servers": (2, 3, 4, 6, 8)}),
    ),
    Claim(
        id="I1-sack",
        statement="SACK does not prevent it: from 16 servers on, less than a fifth of the line is used.",
        source=f"{_P08}: neither prevents the collapse",
        metric="used",
        rule=Level("sack", high=20, at={"servers": _MANY}),
    ),
    Claim(
        id="I4-line",
        statement="With timeouts from 200 us on, 48 servers use 80 % of the line rate.",
        source=f"{_V09}: practically no incast at 47 servers; the bound is ours",
        metric="used",
        rule=Level("rto-200us", low=80, at={"servers": 48}),
        reason=(
            "the port of 64 kB does not hold one packet of each of 48 servers, so timeouts cost little but "
            "stay many; ports of 128 and 256 kB give 80 and 93 %"
        ),
    ),
    Claim(
        id="I4-gain",
        statement="From 16 servers on, timeouts from 200 us give five times the goodput or more.",
        source=f"{_V09}; the factor is that of the collapse in I1",
        metric="goodput",
        rule=Ratio("rto-200us", "newreno", low=5, at={"servers": _MANY}),
    ),
    Claim(
        id="I8-fall",
        statement="Goodput of NewReno falls with each step from 2 to 8 servers.",
        source="[C09]: three regions, of which the first falls",
        metric="goodput",
        rule=Monotone("servers", "newreno", "falls", at={"servers": (2, 3, 4, 6, 8)}),
    ),
    Claim(
        id="I8-rise",
        statement="It rises from 8 to 12 servers.",
        source="[C09]: the second region, a partial rise",
        metric="goodput",
        rule=Monotone("servers", "newreno", "rises", at={"servers": (8, 12)}),
    ),
    Claim(
        id="I8-fall-again",
        statement="It falls again from 12 to 16 servers.",
        source="[C09]: the third region",
        metric="goodput",
        rule=Monotone("servers", "newreno", "falls", at={"servers": (12, 16)}),
    ),
    Claim(
        id="I12-tail",
        statement="With 2 to 4 servers most timeouts of NewReno are for the tail of a block.",
        source=_Z11,
        metric="tail_lead",
        rule=Level("newreno", low=0, at={"servers": (2, 3, 4)}),
        reason=_THIRD,
    ),
    Claim(
        id="I12-full-window",
        statement="With 32 servers or more most of them are for a full window.",
        source=_Z11,
        metric="full_window_lead",
        rule=Level("newreno", low=0, at={"servers": (32, 48, 64)}),
        reason=_THIRD,
    ),
    Claim(
        id="I12-kinds",
        statement="The share of full windows is larger with 48 servers than with 6.",
        source=f"{_Z11}: full windows with many servers",
        metric="full_window_share",
        rule=Monotone("servers", "newreno", "rises", at={"servers": (6, 48)}),
    ),
    Claim(
        id="today-collapse",
        statement="Linux collapses too: CUBIC uses less than a third of the line from 12 servers on.",
        source=_OURS,
        metric="used",
        rule=Level("linux", high=33.3, at={"servers": (12, *_MANY)}),
    ),
    Claim(
        id="today-rto",
        statement="Linux with timeouts from 5 ms uses two thirds of the line at every number of servers.",
        source=f"{_OURS}; net.ipv4.tcp_rto_min_us",
        metric="used",
        rule=Level("linux-5ms", low=66.7),
    ),
    Claim(
        id="today-dctcp",
        statement="Linux with DCTCP, marks above 20 packets: nine tenths of the line up to 24 servers.",
        source=_OURS,
        metric="used",
        rule=Level("linux-dctcp", low=90, at={"servers": (1, 2, 3, 4, 6, 8, 12, 16, 24)}),
    ),
    Claim(
        id="today-dctcp-end",
        statement="From 32 servers on, two packets of each do not fit: DCTCP uses less than half.",
        source="[A10]: DCTCP fails where two packets of each server fill the buffer",
        metric="used",
        rule=Level("linux-dctcp", high=50, at={"servers": (32, 48, 64)}),
    ),
    Claim(
        id="today-receiver",
        statement="From 12 to 48 servers, fair receive windows use nine tenths of the line.",
        source=f"{_OURS}; the form of IA-TCP without its delayed acknowledgements",
        metric="used",
        rule=Level("linux-fair", low=90, at={"servers": (12, 16, 24, 32, 48)}),
    ),
)
