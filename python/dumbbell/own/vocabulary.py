"""What laws read and write: the fields of events and of the control, and what each asks of the transport."""

from __future__ import annotations

from dataclasses import dataclass

from dumbbell.own.tree import BOOL, INT


@dataclass(frozen=True)
class Named:
    """A field of an event or of the control."""

    code: str
    """Its name in the machine."""
    kind: str
    need: str
    """What reading it asks of the transport; for the control, writing it."""


def _signal(code: str, kind: str = INT, need: str = "") -> Named:
    return Named(code, kind, need)


ACK = {
    "now": _signal("now"),
    "acked": _signal("acked"),
    "flight": _signal("flight"),
    "mss": _signal("mss"),
    "in_recovery": _signal("in_recovery", BOOL),
    "window_limited": _signal("window_limited", BOOL),
    "repeated": _signal("repeated", BOOL),
    "growth_limit": _signal("growth_limit"),
    "initial_window": _signal("initial_window"),
    "delivered": _signal("delivered"),
    "held": _signal("held"),
    "departs_at": _signal("departs_at"),
    "rtt": _signal("rtt"),
    "smoothed_rtt": _signal("smoothed_rtt"),
    "min_rtt": _signal("min_rtt"),
    "lost": _signal("lost", INT, "RATES"),
    "marked": _signal("marked", INT, "ECHOES"),
    "round": _signal("round", INT, "RATES"),
    "feedback": _signal("feedback", INT, "ROUTERS"),
    "rate": _signal("rate.rate", INT, "RATES"),
    "rate_interval": _signal("rate.interval", INT, "RATES"),
    "rate_delivered": _signal("rate.delivered", INT, "RATES"),
    "rate_prior_delivered": _signal("rate.prior_delivered", INT, "RATES"),
    "rate_lost": _signal("rate.lost", INT, "RATES"),
    "rate_in_flight": _signal("rate.in_flight", INT, "RATES"),
    "rate_packets": _signal("rate.packets_in_flight", INT, "RATES"),
    "app_limited": _signal("rate.app_limited", BOOL, "RATES"),
}
"""Fields of all events but a segment that leaves."""

SENT = {
    "now": _signal("now"),
    "flight": _signal("flight"),
    "bytes": _signal("bytes"),
    "again": _signal("again", BOOL),
}
"""Fields of a segment that leaves."""

CONTROL = {
    "window": _signal("window"),
    "threshold": _signal("threshold"),
    "pacing": _signal("pacing", INT, "PACING"),
    "wake_at": _signal("wake_at", INT, "WAKE"),
    "request": _signal("request", INT, "ROUTERS"),
    "quantum": _signal("quantum", INT, "PACING"),
}
"""Fields of the control."""

EVENT_NEEDS = {
    "wake": ("WAKE",),
    "lost": ("LOSSES", "RATES"),
    "undone": ("REPAIRS",),
    "restart": ("RESTARTS",),
    "sent": ("SENT",),
}
"""What answering an event asks of the transport."""

ASKED = {
    "repairs": "REPAIRS",
    "fine-timeouts": "FINE_TIMEOUTS",
    "scalable": "SCALABLE",
    "cuts": "CUTS",
}
"""Needs that follow from no field: what ``needs=`` of a class may name."""

KINDS = ("window", "model", "router", "rate")
REPAIRS = ("partial-acks", "fast-recovery", "go-back")
EXCHANGES = ("none", "xcp", "hpcc")
"""What ``kind=``, ``repair=`` and ``exchange=`` of a class may name, in the order of the contract."""

EVENTS = (
    "start", "ack", "loss", "timeout", "ecn", "recovered", "idle", "wake", "lost", "undone", "restart",
    "sent",
)  # fmt: skip
"""Events, in the order of the contract; ``sent`` is the last."""

CONSTANTS = {
    "UNLIMITED": 2**63 - 1,
    "UNPACED": 2**63 - 1,
    "NEVER": 2**63 - 1,
    "RATE_SHIFT": 20,
    "SECOND": 1_000_000_000,
    "MILLISECOND": 1_000_000,
    "MICROSECOND": 1_000,
}
"""Constants that a law may import."""
