"""Metrics made from others: savings against losses of quality (figures 6 and 7), and what explains them."""

from __future__ import annotations

from typing import Any

from dumbbell.study import AT_LEAST_ZERO, Derived

_REFERENCE = "tcponly"


def _unfinished(runs: Any) -> Any:
    return 100 * (1 - runs["completed"] / runs["started"])


def _window(runs: Any) -> Any:
    # Little's law: packets in flight of a flow = its rate of packets x round-trip time.
    return runs["packets"] * runs["rtt"] / runs["fct"]


def _resent_share(runs: Any) -> Any:
    return 100 * runs["resent"] / runs["packets"]


def _slowdown(runs: Any, base: Any) -> Any:
    return runs["fct"] / base["fct"]


def _extra_loss(runs: Any, base: Any) -> Any:
    return runs["loss"] - base["loss"]


def _net_goodput(runs: Any, base: Any) -> Any:
    return runs["saving-fs-0"] - 100 * (1 - runs["goodput"] / base["goodput"])


def _net_time(runs: Any, base: Any) -> Any:
    return runs["saving-fs-0"] - 100 * (runs["fct"] / base["fct"] - 1)


def _net_time_bounded(runs: Any, base: Any) -> Any:
    return runs["saving-fs-0"] - 100 * (1 - base["fct"] / runs["fct"])


def _net_goodput_dvs(runs: Any, base: Any) -> Any:
    return runs["saving-dvs-0"] - 100 * (1 - runs["goodput"] / base["goodput"])


def _net_time_dvs(runs: Any, base: Any) -> Any:
    return runs["saving-dvs-0"] - 100 * (runs["fct"] / base["fct"] - 1)


DERIVED = (
    Derived(
        "unfinished",
        "flows not completed when the run ends",
        "%",
        _unfinished,
        better="lower",
        possible=(0, 100),
    ),
    Derived("window", "packets in flight per flow in progress", "packets", _window, possible=AT_LEAST_ZERO),
    Derived(
        "resent-share",
        "segments sent again, of all sent",
        "%",
        _resent_share,
        better="lower",
        possible=(0, 100),
    ),
    Derived(
        "slowdown",
        "mean completion time over that of TCPonly",
        "",
        _slowdown,
        _REFERENCE,
        "lower",
        possible=AT_LEAST_ZERO,
    ),
    Derived("extra-loss", "loss at N1 less that of TCPonly", "%", _extra_loss, _REFERENCE, "lower"),
    Derived("net-goodput", "ES - QoS_D, goodput, FS", "%", _net_goodput, _REFERENCE, "higher"),
    Derived("net-time", "ES - QoS_D, completion time, FS", "%", _net_time, _REFERENCE, "higher"),
    Derived(
        "net-time-bounded", "ES - QoS_D, completion time, FS", "%", _net_time_bounded, _REFERENCE, "higher"
    ),
    Derived("net-goodput-dvs", "ES - QoS_D, goodput, DVS", "%", _net_goodput_dvs, _REFERENCE, "higher"),
    Derived("net-time-dvs", "ES - QoS_D, completion time, DVS", "%", _net_time_dvs, _REFERENCE, "higher"),
)
