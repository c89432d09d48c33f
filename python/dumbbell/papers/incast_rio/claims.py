"""The claims of the paper, B1 to B8, each for both readings of the client's link."""

from collections.abc import Callable, Iterator

from dumbbell.claims import Claim, Difference, Level, Monotone, Order, Ratio, Rule
from dumbbell.claims.points import At
from dumbbell.papers.incast_rio.figures import READINGS

_FEW_TO_MANY = (4, 8, 12, 16, 20)
_MANY = (8, 12, 16, 20)
_PACKET = 0.512
"""kB. Where two designs may do exactly the same, "more" means by a packet at least."""


_SLOW = "the average never reaches the lowest threshold, so RIO does what DropTail does"
_FAST = "RIO drops, though the buffer has room, and nearly every server waits for a timeout of 1 to 1.5 s"
_ROOM = (
    "without RIO nothing is dropped: windows of 8 kB fit the buffer, and more servers fill the link better"
)
_ALL = "all bytes arrive within the 120 s, with and without RIO"
_SAME = "nothing is lost, so that forms of recovery do not differ, or by the headers of their packets alone"
_AGAIN = (
    "Tahoe sends all behind a loss again, which repairs several; Reno repairs one and waits for the timer"
)
_TWICE = (
    "after needless timeouts TCP Lite takes the duplicates that it has caused for a loss, again and again"
)

_WAITING = "what still waits after 120 s counts as lost, and with TCP Lite from 8 servers on more waits"
_NONE = "without RIO nothing is dropped, by either TCP"
_STAMPS = "nothing is lost, and the timestamps of TCP Lite take 12 bytes of each packet"
_SHORT = "from 16 servers on Vegas sends less into the long queue, so that fewer timers expire"
_RATE = (
    "with 8 and 12 servers Westwood sends less again: it sets its window by the bandwidth, and does not halve"
)
_SELDOM = ("tahoe-1323", "newreno", "sack", "fack")

REASONS = {
    "B1-values-10k": "up to 12 servers it is 7 to 9 kbit/s; from 16 on, what the figure has",
    "B2-more-10k": _SLOW,
    "B2-rises-10k": "the link is always busy; the more servers, the more of what it carries was sent before",
    **{f"B3-{letter}-with-10k": _SLOW for letter in "abc"},
    "B3-values-10k": "with 20 servers none finishes, and the sum is no more than the link carries",
    **{f"B4-{name}-10k": _SLOW for name in ("less", "less-undelivered", "less-dropped")},
    **{f"B4-{id_}-less-10k": _WAITING for id_ in ("joint", "lite")},
    **{f"B4-{id_}-less-dropped-10k": _NONE for id_ in ("joint", "lite")},
    **{f"B7-{arm}{tail}-10k": _TWICE for arm in _SELDOM for tail in ("", "-rio")},
    **{f"B7-westwood{tail}-10k": _RATE for tail in ("", "-rio")},
    **{f"B7-vegas{tail}-10k": _SHORT for tail in ("", "-rio")},
    "B8-losses-10k": "nothing is lost: the queue outlasts the timer, and all timeouts are spurious",
    "B8-idle-10k": "the link is never idle: it carries the same packets twice",
    **{f"B1-{size}-10M": _ROOM for size in (512, 1024)},
    "B1-values-10M": "the figure is in kbit/s, the link carries Mbit/s",
    "B2-more-10M": _ALL,
    "B3-a-without-10M": _ROOM,
    "B3-c-without-10M": _ROOM,
    **{f"B3-{letter}-with-10M": _FAST for letter in "abc"},
    "B3-values-10M": "the figure is in kbit/s, the link carries Mbit/s",
    "B2-joint-more-10M": _ALL,
    "B2-lite-more-10M": _ALL,
    "B3-joint-10M": _FAST,
    "B3-lite-10M": _STAMPS,
    "B4-joint-less-10M": _FAST,
    "B4-joint-less-dropped-10M": _FAST,
    "B4-joint-less-undelivered-10M": _ALL,
    "B4-lite-less-10M": _NONE,
    "B4-lite-less-dropped-10M": _NONE,
    "B4-lite-less-undelivered-10M": _ALL,
    "B4-less-10M": _FAST,
    "B4-less-dropped-10M": _FAST,
    "B4-less-undelivered-10M": _ALL,
    **{f"B7-{arm}-10M": _SAME for arm in ("tahoe", "westwood", *_SELDOM)},
    **{f"B7-{arm}-rio-10M": _AGAIN for arm in ("tahoe", "tahoe-1323")},
    "B7-sack-rio-10M": "SACK repairs several losses of a window, Reno one",
    "B7-fack-rio-10M": "FACK repairs several losses of a window, Reno one",
    "B7-westwood-rio-10M": "Westwood repairs as NewReno does, several losses of a window; Reno repairs one",
    "B7-vegas-rio-10M": "Vegas keeps few packets in the queue, so that RIO drops next to nothing",
    "B7-newreno-rio-10M": "NewReno repairs several losses of a window, Reno one",
    "B8-losses-10M": _ROOM,
    "B8-idle-10M": _ROOM,
}
"""Why a claim is not reproduced, by its name."""


_LOSSES = (
    ("less", "missing", "packet loss, sent less received,"),
    ("less-undelivered", "undelivered", "what the client still lacks"),
    ("less-dropped", "dropped", "the number of packets dropped"),
)
"""Readings of figure 5: claim, metric, words."""

_FURTHER = ("Vegas", "Westwood", "FACK")


def _joint(claim: Callable[[str, str, str, str, Rule], Claim], at: At) -> Iterator[Claim]:
    """Return the claims on TCP Lite and RIO against basic TCP and drop tail, and on what Lite does alone."""
    why = "abstract: TCP Lite instead of basic TCP, and RIO-C"
    for id_, arm, words in (
        ("joint", "rio", "TCP Lite and RIO, against basic TCP and drop tail"),
        ("lite", "droptail", "TCP Lite without RIO, against basic TCP and drop tail"),
    ):
        yield claim(
            f"B2-{id_}-more", f"{words}: the client receives more, by a packet or more",
            f"{why}; figure 3; the bound is ours", "delivered", Difference(arm, "tahoe", low=_PACKET, at=at),
        )  # fmt: skip
        yield claim(
            f"B3-{id_}", f"{words}: throughput (a) is higher by a hundredth or more",
            f"{why}; figure 4; the bound is ours", "throughput", Ratio(arm, "tahoe", low=1.01, at=at),
        )  # fmt: skip
        for name, metric, meaning in _LOSSES:
            yield claim(
                f"B4-{id_}-{name}", f"{words}: {meaning} is less, by a packet or more",
                f"{why}; figure 5; the bound is ours", metric, Difference(arm, "tahoe", high=-1, at=at),
            )  # fmt: skip


def _of(rate: int) -> tuple[Claim, ...]:
    """Return the claims for one reading."""
    tag, words = f"-{READINGS[rate].replace(' kbit/s', 'k').replace(' Mbit/s', 'M')}", READINGS[rate]
    at: At = {"rate": rate, "servers": _FEW_TO_MANY}
    many: At = {"rate": rate, "servers": _MANY}

    def claim(id_: str, statement: str, source: str, metric: str, rule: Rule) -> Claim:
        return Claim(
            f"{id_}{tag}", f"Client's link {words}: {statement}.", f"[A16] {source}", metric, rule,
            REASONS.get(f"{id_}{tag}", ""),
        )  # fmt: skip

    throughput = (
        ("a", "throughput", "all bytes over the time"),
        ("b", "mean_goodput", "the mean over servers"),
        ("c", "sum_goodput", "the sum over servers"),
    )
    return (
        *(
            claim(
                f"B1-{size}", f"without RIO, throughput falls with the servers, for packets of {size} bytes",
                "figure 2", "throughput", Monotone("servers", arm, "falls", at),
            )
            for size, arm in ((512, "droptail"), (1024, "large"))
        ),
        claim(
            "B1-values", "throughput of packets of 512 bytes is 5.4 to 6.4 kbit/s",
            "figure 2, the ticks of its axis", "throughput", Level("droptail", 5.4, 6.4, at),
        ),
        claim(
            "B2-more", "with RIO the client receives more, by a packet or more",
            "figure 3: more; the bound is ours", "delivered",
            Difference("rio", "droptail", low=_PACKET, at=at),
        ),
        claim(
            "B2-rises", "with RIO the bytes received rise with the servers",
            "figure 3", "delivered", Monotone("servers", "rio", "rises", at),
        ),
        *(
            claim(
                f"B3-{letter}-without",
                f"without RIO, throughput ({letter}), {meaning}, falls with the servers",
                "figure 4", metric, Monotone("servers", "droptail", "falls", at),
            )
            for letter, metric, meaning in throughput
        ),
        *(
            claim(
                f"B3-{letter}-with", f"with RIO, throughput ({letter}), {meaning}, rises with the servers",
                "figure 4", metric, Monotone("servers", "rio", "rises", at),
            )
            for letter, metric, meaning in throughput
        ),
        claim(
            "B3-values", "with 20 servers and RIO, throughput (c) is above 10 kbit/s, and at most 18",
            "figure 4, the ticks of its axis", "sum_goodput",
            Level("rio", 10, 18, {"rate": rate, "servers": 20}),
        ),
        *(
            claim(
                f"B4-{name}", f"with RIO, {meaning} is less, by a packet or more",
                "figure 5: considerably less; the bound is ours", metric,
                Difference("rio", "droptail", high=-1, at=many),
            )
            for name, metric, meaning in _LOSSES
        ),
        *(
            claim(
                f"B4-rises-{word}", f"{word} RIO, packet loss rises with the servers",
                "figure 5", "missing", Monotone("servers", arm, "rises", at),
            )
            for word, arm in (("without", "droptail"), ("with", "rio"))
        ),
        *_joint(claim, at),
        claim(
            "B5-green", "of the packets that RIO drops none is yellow, though some are marked",
            "figure 6", "protected_share", Level("rio", high=0, at=many),
        ),
        claim(
            "B5-marked", "ten packets or more arrive yellow",
            "figure 6: without yellow packets it says nothing; the bound is ours", "arrived_protected",
            Level("rio", low=10, at=at),
        ),
        claim(
            "B6-early", "RIO drops by its law before the queue is full",
            "section V: it reacts before the congestion happens", "early_lead",
            Level("rio", low=0.001, at=many),
        ),
        *(
            claim(
                f"B7-{arm}{tail}", f"{queue} RIO, throughput of TCP Lite is higher than that of {name}",
                f"section III: {why}", "throughput", Order((arm + tail, lite), many),
            )
            for queue, tail, lite in (("without", "", "droptail"), ("with", "-rio", "rio"))
            for arm, name, why in (
                ("tahoe", "basic TCP, which is Tahoe", "better than basic TCP"),
                ("tahoe-1323", "Tahoe with timestamps", "better than basic TCP; only fast recovery differs"),
                ("newreno", "NewReno", "better fast retransmission than other variants"),
                ("sack", "SACK", "better fast retransmission than other variants"),
                *((name.lower(), name, "better than other variants; [Z13]") for name in _FURTHER),
            )
        ),
        claim(
            "B8-losses", "most timeouts are for packets that were lost, as in incast",
            "sections I and II; the kinds of [Z11]", "real_lead", Level("droptail", low=0.001, at=many),
        ),
        claim(
            "B8-idle", "the client's link is idle for more than half of the time, as in incast",
            "sections I and II; [P08] for what a collapse is, the bound is ours", "used",
            Level("droptail", high=50, at=many),
        ),
    )  # fmt: skip


CLAIMS = tuple(claim for rate in READINGS for claim in _of(rate))
