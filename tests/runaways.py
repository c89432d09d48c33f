"""Scenarios that take ever more memory, drawn at random; and a program that runs one and prints what it took.

The program prints JSON: how the run ended (``memory``, ``time`` or ``refused``), the largest resident set of
the process, and that before the run, when it is planned, in bytes.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import dumbbell as db
from dumbbell import _native

QUEUES: tuple[str, ...] = tuple(member["name"] for member in _native.registry()["families"]["queue"])

PROCESSOR_SECONDS = 20.0
"""CPU time after which a run is stopped that takes no more memory than it has."""

Case = dict[str, Any]


def draw(rng: random.Random, queue: str | None = None) -> Case:
    """Return a scenario, a number of threads, and what is done with it."""
    pick = rng.choice
    rate = pick(["1Mbit/s", "1Mbit/s", "100Mbit/s", "10Gbit/s"])
    discipline: Case = {"kind": queue or pick(QUEUES)}
    if rng.random() < 0.7:
        discipline["limit"] = pick(["unlimited", "unlimited", "2pkt", "100000pkt"])
    link: Case = {"rate": rate, "delay": pick(["1us", "1ms", "100ms", "10s"]), "queue": discipline}
    if rng.random() < 0.3:
        impairments = [
            {"kind": "jitter", "spread": "1s", "distribution": "exponential", "keep_order": False},
            {"kind": "jitter", "spread": "1s", "distribution": "exponential"},
            {"kind": "duplication", "probability": 1.0},
            {"kind": "reordering", "probability": 0.5, "delay": "1s"},
        ]
        link["impairments"] = [pick(impairments)]
    if rng.random() < 0.2:
        link["loss"] = 0.1
    hops = pick([1, 1, 2, 3])
    size = pick([64, 200, 1500])
    speed = pick(["1Gbit/s", "100Gbit/s", "1000Gbit/s"])
    transport: Case = pick(
        [
            {"kind": "cbr", "rate": speed, "packet_size": size},
            {"kind": "cbr", "rate": speed, "packet_size": size},
            {"kind": "poisson", "rate": speed, "packet_size": size},
            {"kind": "tcp", "controller": pick(["cubic", "newreno", "bbr"])},
            {"kind": "tcp", "profile": "linux", "controller": "cubic"},
        ]
    )
    flows: Case = {"from": "node0", "to": f"node{hops}"}
    count = pick([1, 1, 10, 100_000, 1_000_000])
    if count > 1:
        flows |= {"count": count, "stagger": pick(["0s", "1us", "1ns"])}
        if rng.random() < 0.5:
            flows["size"] = pick(["100B", "10kB", "10MB"])
    scenario: Case = {
        "duration": "100s",
        "transport": transport,
        "topology": {"kind": "chain", "hops": hops, "link": link},
        "flows": [flows, *([{**flows, "class": 1}] if rng.random() < 0.3 else [])],
    }
    if rng.random() < 0.25:
        size_of = pick([{"kind": "fixed", "size": "100B"}, {"kind": "exponential", "mean": "100kB"}])
        workload: Case = {"kind": "poisson", "from": "node0", "to": f"node{hops}", "size": size_of}
        carrier = pick([{"kind": "tcp"}, {"kind": "cbr", "rate": "1Gbit/s"}])
        scenario["workloads"] = [{**workload, "rate": 1e5, "transport": carrier}]
    record: Case = {}
    if rng.random() < 0.2:
        record["drops"] = True
    if rng.random() < 0.2:
        record["arrivals"] = ["node0->node1"]
    if rng.random() < 0.2:
        record["controllers"] = True
    if rng.random() < 0.3:
        record |= {"period": "10us", "queues": "all"}
    scenario["record"] = record
    how = pick(["run", "run", "run", "threads", "trace", "replay"])
    if how == "replay":
        scenario["replay"] = {"link": "node0->node1"}
    return {"scenario": scenario, "how": how}


def _status(field: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


class _EnoughError(Exception):
    pass


def _stop(_now: float, _duration: float, _events: int) -> None:
    if time.process_time() > PROCESSOR_SECONDS:
        raise _EnoughError


def run(scenario: db.Scenario, how: str, memory: int) -> str:
    """Run a scenario, read its tables, and return how it ended."""
    try:
        if how == "trace":
            scenario.trace(memory=memory, limit=None, progress=_stop)
        else:
            threads = 2 if how == "threads" else None
            scenario.run(_stop, memory=memory, threads=threads).summary()
    except _EnoughError:
        return "time"
    except db.MemoryLimitError as error:
        error.results.summary()
        return "memory"
    except db.DumbbellError as error:
        return "memory" if "memory" in str(error) else f"refused: {error}"
    return "duration"


if __name__ == "__main__":
    # What the first run loads is no part of the case.
    small = {"duration": "1ms", "topology": "chain", "flows": [{"from": "node0", "to": "node1"}]}
    db.Scenario.from_dict(small).run().summary()
    case = json.loads(sys.argv[1])
    try:
        planned = db.Scenario.from_dict(case["scenario"])
    except db.DumbbellError as error:
        print(json.dumps({"ended": f"refused: {error}", "peak": 0, "before": 0}))
    else:
        before = _status("VmRSS")
        ended = run(planned, case["how"], int(sys.argv[2]))
        print(json.dumps({"ended": ended, "peak": _status("VmHWM"), "before": before}))
