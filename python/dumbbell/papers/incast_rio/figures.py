"""The figures of the study: those of the paper, once for each reading of the client's link."""

from dumbbell.report import FigureSpec, Reference

READINGS = {10: "10 kbit/s", 10_000: "10 Mbit/s"}
"""Of the client's link, by its rate in kbit/s: the text of the paper, and its table."""

_BOTH = ("tahoe", "rio", "droptail", "tahoe-rio")
"""Without and with, in the order of the paper's legends; then what each of Lite and RIO does alone."""
_RIO = ("rio", "rio-unmarked")
_TCPS = ("tahoe", "tahoe-1323", "droptail", "newreno", "sack", "vegas", "westwood", "fack")
_TCPS_RIO = tuple("rio" if arm == "droptail" else f"{arm}-rio" for arm in _TCPS)
_SOURCE = "[A16], the ticks of its axes: no data points are legible"


def _ticks(low: float, high: float, rate: int) -> tuple[Reference, ...]:
    """Return the ends of a published axis, where the reading is the one that they can belong to."""
    if rate != 10:
        return ()
    return (
        Reference("published axis, lowest tick", (low,), source=_SOURCE),
        Reference("published axis, highest tick", (high,), source=_SOURCE),
    )


def _of(rate: int) -> tuple[FigureSpec, ...]:
    words = READINGS[rate]
    at = {"rate": rate}

    def figure(
        id_: str, title: str, metric: str, arms: tuple[str, ...] = _BOTH,
        references: tuple[Reference, ...] = (), note: str = "", answers: bool = False,
        x_range: tuple[float, float] | None = None,
    ) -> FigureSpec:  # fmt: skip
        return FigureSpec(
            f"{id_}-{rate}", f"{title}; client's link {words}", "servers", metric, arms, at=at,
            references=references, note=note, answers=answers, x_range=x_range,
        )  # fmt: skip

    return (
        figure(
            "figure-2", "Throughput of two packet sizes, as in figure 2", "throughput", ("droptail", "large"),
            _ticks(5.4, 6.4, rate), x_range=(4, 20),
        ),
        figure(
            "figure-3", "Bytes received, as in figure 3", "delivered",
            note="The figure has no legible ticks.", answers=True,
        ),
        figure(
            "figure-4a", "Throughput (a), as in figure 4", "throughput", references=_ticks(4, 18, rate),
            note="All bytes received over the time until the last server has finished, or 120 s.",
        ),
        figure(
            "figure-4b", "Throughput (b), as in figure 4", "mean_goodput", references=_ticks(4, 18, rate),
            note="The mean over servers of what each received over its own time.",
        ),
        figure(
            "figure-4c", "Throughput (c), as in figure 4", "sum_goodput", references=_ticks(4, 18, rate),
            note="The sum over servers of the same.",
        ),
        figure(
            "figure-5", "Packet loss as in figure 5: packets sent less packets received", "missing",
            references=_ticks(0, 2000, rate), note="What still waits after 120 s counts as lost.",
        ),
        figure(
            "figure-5-undelivered", "Packets that the client still lacks, as in figure 5", "undelivered",
            references=_ticks(0, 2000, rate),
        ),
        figure("figure-5-dropped", "Packets dropped, as in figure 5", "dropped"),
        figure(
            "figure-6", "Green packets dropped, as in figure 6", "dropped_unprotected", _RIO,
            note="The figure has no legible ticks.",
        ),
        figure("figure-6-yellow", "Yellow packets dropped, as in figure 6", "dropped_protected", ("rio",)),
        figure("marked", "Share of packets that arrive yellow", "marked", ("rio",)),
        figure("average", "Largest average queue that RIO computed", "average", _RIO),
        figure(
            "retransmissions", "Retransmissions", "retransmissions",
            note="The abstract promises them; the paper has no figure of them.",
        ),
        figure("timeouts", "Timeouts", "timeouts"),
        figure("spurious", "Spurious timeouts", "spurious"),
        figure("tcp", "Basic TCP, TCP Lite and their successors, without RIO", "throughput", _TCPS),
        figure("tcp-rio", "Basic TCP, TCP Lite and their successors, with RIO", "throughput", _TCPS_RIO),
        figure("used", "Share of time in which the client's link was busy", "used"),
    )  # fmt: skip


FIGURES = tuple(figure for rate in READINGS for figure in _of(rate))
