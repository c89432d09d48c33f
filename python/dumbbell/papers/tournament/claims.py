"""Claims: what publications say of controllers that meet here."""

from dumbbell.claims import Claim, Level, Order, Ratio
from dumbbell.claims.points import At


def _wired(against: str) -> At:
    return {"queue": "droptail", "link": "wired", "against": against}


CLAIMS = (
    Claim(
        "cubic-long-fat",
        "On the long-fat link, over DropTail with a buffer of one BDP, CUBIC alone uses more than 90 %.",
        "Ha, Rhee & Xu, CUBIC, SIGOPS OSR 42(5), 2008, section 5: CUBIC uses fast and long networks",
        "utilisation",
        Level("cubic", low=90, at={"queue": "droptail", "link": "long-fat", "against": "nobody"}),
    ),
    Claim(
        "reno-suffers-random-loss",
        "With 0.5 % of random loss NewReno alone uses less than half of the link.",
        "Mathis, Semke, Mahdavi & Ott, CCR 27(3), 1997: 1.22 over the root of the loss, 17 packets of 83",
        "utilisation",
        Level("newreno", high=50, at={"queue": "droptail", "link": "lossy", "against": "nobody"}),
    ),
    Claim(
        "vegas-waits-less",
        "Alone, Vegas makes its packets wait less than a quarter as long as NewReno.",
        "Brakmo & Peterson, IEEE JSAC 13(8), 1995, section 4: it keeps a few packets in the queue",
        "wait",
        Ratio("vegas", "newreno", high=0.25, at=_wired("nobody")),
    ),
    Claim(
        "vegas-beside-cubic",
        "Beside CUBIC, over DropTail, Vegas gets less than NewReno does.",
        "Mo, La, Anantharam & Walrand, INFOCOM 1999: Vegas gets less beside a TCP that fills the queue",
        "own",
        Order(("vegas", "newreno"), at=_wired("cubic")),
    ),
    Claim(
        "flow-queues-isolate",
        "Over FQ-CoDel a flow of CUBIC and one of NewReno share the wired link evenly.",
        "RFC 8290 section 1.3: flows are isolated from each other",
        "fairness",
        Level("newreno", low=0.95, at={"queue": "fq-codel", "link": "wired", "against": "cubic"}),
    ),
    Claim(
        "codel-holds-the-wait",
        "Under CoDel the packets of CUBIC alone wait less than 10 ms on the wired link.",
        "RFC 8289 section 4.3: a target of 5 ms",
        "wait",
        Level("cubic", high=10, at={"queue": "codel", "link": "wired", "against": "nobody"}),
    ),
)
