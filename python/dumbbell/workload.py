"""Workloads: sources of flows that arrive while the run goes on.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dumbbell._given import given


def poisson(
    *,
    from_: str | Sequence[str],
    to: str | Sequence[str],
    size: Literal[
        "fixed",
        "exponential",
        "pareto",
        "bounded-pareto",
        "lognormal",
        "campus-web",
        "campus-10M",
        "campus-web-10M",
        "empirical",
    ]
    | Mapping[str, Any],
    name: str | None = None,
    pairing: Literal["one-to-one", "all"] | None = None,
    load: float | None = None,
    link: str | None = None,
    rate: float | None = None,
    start: str | None = None,
    stop: str | None = None,
    max_flows: int | None = None,
    transport: Literal["tcp", "rcp", "cbr", "poisson", "on-off", "replay"] | Mapping[str, Any] | None = None,
    sampled: bool | None = None,
) -> dict[str, Any]:
    """Poisson flow arrivals at an offered load or rate.

    Reference: Paxson & Floyd, IEEE/ACM ToN 3(3), 1995: sessions arrive as a Poisson process.

    Parameters
    ----------
    from_
        Where the data comes from: a group, a node, or a list of them.
        Required.
    to
        Where the data goes: a group, a node, or a list of them.
        Required.
    size
        Distribution of application bytes.
        Required.
    name
        The name in results; also names the random streams of arrivals, sizes and pairs.
        Default: absent: `workload` and the position in the list, from 0.
    pairing
        `one-to-one` joins the first of `from` with the first of `to`, and so on, or a single node with each
        of the other side; `all` joins each of `from` with each of `to`. Each flow draws one of the pairs.
        Default: ``"one-to-one"`` (choice: as host pairs are drawn).
    load
        Offered load as a share of the rate of `link`; in place of `rate`.
        Default: absent: `rate` is given.
    link
        The link that `load` speaks of.
        Default: absent: the bottleneck, if there is one only.
    rate
        Flows a second; in place of `load`.
        Default: absent: `load` is given.
    start
        When arrivals begin.
        Default: ``"0s"`` (choice: at once).
    stop
        When arrivals end.
        Default: absent: when the run ends.
    max_flows
        Flows at most.
        Default: absent: no limit.
    transport
        Transport and its parameters.
        Default: absent: the scenario's transport.
    sampled
        Write time series of the flows.
        Default: ``false`` (choice: arriving flows are many and short).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "poisson",
            "name": name,
            "from": from_,
            "to": to,
            "pairing": pairing,
            "size": size,
            "load": load,
            "link": link,
            "rate": rate,
            "start": start,
            "stop": stop,
            "max_flows": max_flows,
            "transport": transport,
            "sampled": sampled,
        }
    )


def trace(
    *,
    file: str,
    name: str | None = None,
    transport: Literal["tcp", "rcp", "cbr", "poisson", "on-off", "replay"] | Mapping[str, Any] | None = None,
    sampled: bool | None = None,
) -> dict[str, Any]:
    """Flows listed in a file of (start, source, destination, size).

    Reference: choice: the same arrivals for several tools.

    Parameters
    ----------
    file
        The file, relative to the scenario.
        Required.
    name
        The name in results.
        Default: absent: `workload` and the position in the list, from 0.
    transport
        Transport and its parameters.
        Default: absent: the scenario's transport.
    sampled
        Write time series of the flows.
        Default: ``false`` (choice: arriving flows are many and short).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "trace",
            "name": name,
            "file": file,
            "transport": transport,
            "sampled": sampled,
        }
    )
