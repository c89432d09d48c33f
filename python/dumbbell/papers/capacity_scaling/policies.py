"""S7: sleeping, and two rates, beside rate adaptation, over load and power profile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dumbbell.claims import Claim, Level, Order
from dumbbell.papers import Companion
from dumbbell.papers.capacity_scaling.derived import DERIVED
from dumbbell.papers.capacity_scaling.maps import SHARES, within
from dumbbell.report import FigureSpec, MapSpec
from dumbbell.study import Arm, Metric, Study

_POLICY = "topology.bottleneck.power.policy"
_ARMS = ("tcponly", "tcp-pc", "multi-up", "alr", "tcp-sleep", "sleep-and-scale")
_N08 = "Nedevschi et al., NSDI 2008, abstract"


def _metric(scaling: str) -> Metric:
    model = {"scaling": scaling, "static_share": 0, "idle_share": 0}
    source = {"table": "states", "link": "left->right", "statistic": "saving", "model": model, "factor": 100}
    label = f"energy saving, {scaling.upper()}, no static and no idle power"
    return Metric(f"saving-{scaling}-0-idle-0", label, "%", source, "higher")


def _saving(runs: Any, scaling: str, static: float, idle: float, asleep: float) -> Any:
    """Return the saving for a static share, an idle share and a share of sleep power.

    Power is affine in each of the three while the others stay, and so is the saving: exact between the
    metrics, which have idle shares of 0 and 1 and, for sleep, a tenth.
    """
    more = (0.1 - asleep) * runs["asleep"]
    none = (1 - idle) * runs[f"saving-{scaling}-0-idle-0"] + idle * (runs[f"saving-{scaling}-0"] + more)
    return (1 - static) * none + static * (runs["saving-fs-100"] + more)


def _map(scaling: str, idle: float, asleep: float) -> MapSpec:
    def saving(runs: Any, static: float) -> Any:
        return _saving(runs, scaling, static, idle, asleep)

    return MapSpec(
        f"{scaling}-idle-{100 * idle:.0f}-sleep-{100 * asleep:.0f}",
        f"What saves most, {scaling.upper()}, idle share {idle:g}, sleep share {asleep:g}",
        "load", "static share of power", SHARES, within(1.5, saving), "energy saving", _ARMS, "%",
        note="Against full power all the time. Ruled out where mean completion times grow by more than half.",
        possible=(0, 100),
    )  # fmt: skip


def _study(paper: Study) -> Study:
    load = paper.axis("load")
    labels = {"multi-up": "TCP+multi-up", "alr": "TCP+two rates", "sleep-and-scale": "TCP+sleep and scale"}
    others = {name: Arm(name, label, (f"{_POLICY}.kind={name}",)) for name, label in labels.items()}
    return replace(
        paper,
        title="Sleeping beside rate adaptation",
        question="Which policy saves most for a given load and power profile?",
        axes=(load.keeping(load.values[1::2]),),
        arms=tuple(others.get(name) or paper.arm(name) for name in _ARMS),
        metrics=(*paper.metrics, _metric("fs"), _metric("dvs")),
        seeds=paper.seeds[:10],
    )


COMPANION = Companion(
    "policies",
    _study,
    {"seeds": 3, "axes": {"load": [0.1, 0.2, 0.3, 0.5, 0.7, 0.9]}},
    (
        FigureSpec(
            "saving-fs-0", "Energy saving, FS, no static power", "load", "saving-fs-0", _ARMS[1:],
            answers=True,
        ),
        FigureSpec("saving-fs-50", "Energy saving, FS, static share 0.5", "load", "saving-fs-50", _ARMS[1:]),
        FigureSpec("saving-dvs-0", "Energy saving, DVS, no static power", "load", "saving-dvs-0", _ARMS[1:]),
        FigureSpec(
            "slowdown", "Mean completion time over that of TCPonly", "load", "slowdown", _ARMS[1:],
            answers=True,
        ),
        FigureSpec("loss", "Loss at N1", "load", "loss", _ARMS),
        FigureSpec("transitions", "Rate transitions", "load", "transitions", _ARMS[1:]),
        FigureSpec("asleep", "Time asleep", "load", "asleep", ("tcp-sleep", "sleep-and-scale")),
        FigureSpec("paused", "Time in pauses", "load", "paused", _ARMS[1:]),
        FigureSpec("net-time", "ES - QoS_D, completion time, FS", "load", "net-time-fs-0", _ARMS[1:]),
    ),
    (
        Claim(
            "S7-half", "Sleeping halves the energy at loads 0.1 and 0.2 (static share 0.5, sleep share 0.1).",
            _N08, "saving-fs-50", Level("tcp-sleep", low=50, at={"load": (0.1, 0.2)}),
        ),
        Claim(
            "S7-rates", "Without static power and with DVS, rate adaptation saves more than sleeping.",
            _N08, "saving-dvs-0", Order(("tcp-sleep", "tcp-pc")),
        ),
        Claim(
            "S7-sleep", "With a static share of 0.5 and FS, sleeping saves more than rate adaptation.",
            _N08, "saving-fs-50", Order(("tcp-pc", "tcp-sleep")),
        ),
    ),
    DERIVED,
    (
        _map("fs", 0.8, 0.1), _map("dvs", 0.8, 0.1), _map("fs", 0.1, 0.1), _map("dvs", 0.1, 0.1),
        _map("fs", 1.0, 0.7), _map("dvs", 1.0, 0.7),
    ),
)  # fmt: skip
