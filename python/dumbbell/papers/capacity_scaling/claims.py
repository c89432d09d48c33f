"""The claims of the paper, by the numbers of README.md.

The paper has four static shares of power and does not say which of them figures 6 and 7 have: what depends
on the share comes once for each, ``-ps50`` for a share of 0.5. Those about power control come twice: under
the down rule as printed, and with ``-n08`` under that of its source, Nedevschi et al. A14 to A16 are claims
of the studies ``delay``, ``guard`` and ``steps``.
"""

from __future__ import annotations

from collections.abc import Sequence

from dumbbell.claims import Claim, Crossing, Level, Monotone, Order, Ratio
from dumbbell.papers.capacity_scaling.derived import SHARES

_P = "Panarello et al., e-Energy 2012, "
_LOW = {"load": (0.1, 0.2, 0.3)}
_ALONG = {"load": (0.1, 0.3, 0.5, 0.7, 0.9)}
_AT_8 = {"load": 0.8}
_LOWEST = {"load": 0.1}
_HIGHEST = {"load": 0.9}

_CEILING = 90
"""What a port at 1 of 10 Mbit/s saves without static power (FS), in %."""


def claims_of(
    tcp: str, udp: str, suffix: str = "", words: str = "", shares: Sequence[int] = SHARES
) -> tuple[Claim, ...]:
    """Return the claims about power control, for the arms of one down rule and some static shares (%)."""

    def claim(id_: str, statement: str, where: str, metric: str, rule: object) -> Claim:
        return Claim(f"{id_}{suffix}", f"{statement}{words}.", _P + where, metric, rule)  # type: ignore[arg-type]

    whole = (
        claim(
            "A1", "TCP+PC and UDP+PC make different numbers of transitions, UDP+PC more", "figure 2",
            "transitions", Order((tcp, udp)),
        ),
        claim(
            "A2-fs", "At low load TCP+PC saves more than UDP+PC (FS)", "figure 3a",
            "saving-fs-0", Order((udp, tcp), _LOW),
        ),
        claim(
            "A2-dvs", "At low load TCP+PC saves more than UDP+PC (DVS)", "figure 3b",
            "saving-dvs-0", Order((udp, tcp), _LOW),
        ),
        claim(
            "A3-fs", "At high load the order reverses (FS)", "figure 3a",
            "saving-fs-0", Crossing("load", udp, tcp, 0.3, 0.95),
        ),
        claim(
            "A3-dvs", "At high load the order reverses (DVS)", "figure 3b",
            "saving-dvs-0", Crossing("load", udp, tcp, 0.3, 0.95),
        ),
        claim(
            "A4", "At low load TCP+PC loses less than UDP+PC", "section 3.1",
            "loss", Order((tcp, udp), _LOW),
        ),
        claim(
            "A5-resent", "Under TCP+PC the share of segments sent again rises with the load", "section 3.1",
            "resent-share", Monotone("load", tcp, "rises", _ALONG),
        ),
        claim(
            "A5-window", "Under TCP+PC the window of a flow falls with the load", "section 3.1",
            "window", Monotone("load", tcp, "falls", _ALONG),
        ),
        claim(
            "A6", "TCP+PC loses more than TCPonly at every load", "figure 4",
            "loss", Order(("tcponly", tcp)),
        ),
        claim(
            "A6-gap", "What TCP+PC loses more than TCPonly rises with the load", "figure 4",
            "extra-loss", Monotone("load", tcp, "rises", _ALONG),
        ),
        claim(
            "A7", "Completion times rise with the load under TCP+PC", "figure 5",
            "fct", Monotone("load", tcp, "rises", _ALONG),
        ),
        claim(
            "A8", "With scaling, completion takes at least twice as long at every load", "section 3.2",
            "fct", Ratio(tcp, "tcponly", low=2),
        ),
        claim(
            "A9", "At load 0.8 it takes more than ten times as long", "section 3.2",
            "fct", Ratio(tcp, "tcponly", low=10, at=_AT_8),
        ),
        claim(
            "A9-7s", "At load 0.8 it takes more than 7 s", "section 3.2",
            "fct", Level(tcp, low=7, at=_AT_8),
        ),
        claim(
            "A10-low", "At load 0.1 the saving is large, within ten points of its ceiling of 90 % (FS)",
            "section 3.3", "saving-fs-0", Level(tcp, low=80, at=_LOWEST),
        ),
        claim(
            "A10-delay", "At load 0.1 the growth of completion times is tolerable, less than 2.5-fold",
            "section 3.3", "fct", Ratio(tcp, "tcponly", high=2.5, at=_LOWEST),
        ),
    )  # fmt: skip
    return (*whole, *(entry for share in shares for entry in _at_share(tcp, share, suffix, words)))


def _at_share(tcp: str, share: int, suffix: str, words: str) -> tuple[Claim, ...]:
    """Return the claims that depend on the static share of power."""
    given = f", static share {share / 100:g}"
    # QoS_D is "almost the same percentage" as ES: within a third of the most that can be saved.
    close = _CEILING * (1 - share / 100) / 3

    def claim(id_: str, statement: str, where: str, metric: str, rule: Level) -> Claim:
        return Claim(
            f"{id_}-ps{share}{suffix}", f"{statement}{given}{words}.", _P + where, f"{metric}-{share}", rule
        )

    return (
        claim(
            "A10-high", "At load 0.9 the saving is negligible, at most 10 % (FS)", "section 3.3",
            "saving-fs", Level(tcp, high=10, at=_HIGHEST),
        ),
        claim(
            "A11-low", "Figure 6 is above zero at low load", "figure 6",
            "net-goodput-fs", Level(tcp, low=0, at=_LOW),
        ),
        claim(
            "A11-high", "Figure 6 is below zero at load 0.9", "figure 6",
            "net-goodput-fs", Level(tcp, high=0, at=_HIGHEST),
        ),
        claim(
            "A12-low",
            "Figure 7 is close to zero at low load: within a third of the most that can be saved",
            "section 3.3", "net-time-fs", Level(tcp, -close, close, at=_LOW),
        ),
        claim(
            "A12-high", "Figure 7 is largely lower than zero at load 0.9, below -100", "figure 7",
            "net-time-fs", Level(tcp, high=-100, at=_HIGHEST),
        ),
        claim(
            "A12-low-bounded",
            "Figure 7 with the growth relative to the longer time: as close to zero at low load",
            "section 3.3", "net-time-bounded-fs", Level(tcp, -close, close, at=_LOW),
        ),
        claim(
            "A12-high-bounded",
            "Figure 7 with the growth relative to the longer time: below -50 at load 0.9",
            "figure 7", "net-time-bounded-fs", Level(tcp, high=-50, at=_HIGHEST),
        ),
        claim(
            "A13-goodput-low", "Figure 6 is above zero at low load with DVS too", "section 3.3",
            "net-goodput-dvs", Level(tcp, low=0, at=_LOW),
        ),
        claim(
            "A13-goodput-high", "Figure 6 is below zero at load 0.9 with DVS too", "section 3.3",
            "net-goodput-dvs", Level(tcp, high=0, at=_HIGHEST),
        ),
        claim(
            "A13-time-low", "Figure 7 is as close to zero at low load with DVS too", "section 3.3",
            "net-time-dvs", Level(tcp, -close, close, at=_LOW),
        ),
        claim(
            "A13-time-high", "Figure 7 is largely lower than zero at load 0.9 with DVS too", "section 3.3",
            "net-time-dvs", Level(tcp, high=-100, at=_HIGHEST),
        ),
        claim(
            "A13-time-low-bounded",
            "Figure 7 with the growth relative to the longer time: as close to zero with DVS too",
            "section 3.3", "net-time-bounded-dvs", Level(tcp, -close, close, at=_LOW),
        ),
        claim(
            "A13-time-high-bounded",
            "Figure 7 with the growth relative to the longer time: below -50 at load 0.9 with DVS too",
            "section 3.3", "net-time-bounded-dvs", Level(tcp, high=-50, at=_HIGHEST),
        ),
    )  # fmt: skip


A7_TCPONLY = Claim(
    "A7-tcponly", "Completion times rise with the load under TCPonly.", _P + "figure 5",
    "fct", Monotone("load", "tcponly", "rises", _ALONG),
)  # fmt: skip

CLAIMS = (
    *claims_of("tcp-pc", "udp-pc"),
    A7_TCPONLY,
    *(
        Claim(
            f"T1-ps{share}",
            "On an axis that A9 takes to -3400, figure 7 is close to zero at load 0.1: within 100 points, "
            f"3 % of it, static share {share / 100:g}.",
            _P + "section 3.2 and figure 7", f"net-time-fs-{share}", Level("tcp-pc", -100, 100, at=_LOWEST),
        )
        # The curves of the other shares lie between these.
        for share in (SHARES[0], SHARES[-1])
    ),
    Claim(
        "T2", "At load 0.8 completion takes more than 35 times as long, as 0.2 s and 7 s say.",
        _P + "section 3.2", "fct", Ratio("tcp-pc", "tcponly", low=35, at=_AT_8),
    ),
    Claim(
        "T2-reference", "At load 0.8 completion takes 0.2 s under TCPonly, to the digit given.",
        _P + "section 3.2", "fct", Level("tcponly", 0.15, 0.25, at=_AT_8),
    ),
    Claim(
        "T3", "The down rule as printed makes more transitions than that of its source.",
        _P + "section 2 against Nedevschi et al., NSDI 2008", "transitions", Order(("tcp-pc-n08", "tcp-pc")),
    ),
    Claim(
        "T3-time", "The two down rules give completion times within 5 % of each other.",
        "our question", "fct", Ratio("tcp-pc-n08", "tcp-pc", 0.95, 1.05),
    ),
    *claims_of("tcp-pc-n08", "udp-pc-n08", "-n08", ", by the down rule of N08", SHARES[:1]),
)  # fmt: skip
