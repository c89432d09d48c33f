"""The figures of merit of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dumbbell import _native
from dumbbell._declared import UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell._results.tables import Tables

_LINK_COLUMNS = (
    "link", "queue", "rate", "utilisation", "loss", "arrived", "sent", "dropped", "marked",
    "queue_mean", "queue_p50", "queue_p90", "queue_p99", "queue_max", "sojourn_mean",
)  # fmt: skip

_NOTED_OF_LINKS = ("sojourn_p50", "sojourn_p95", "sojourn_p99", "sojourn_max")
_NOTED_OF_FLOWS = ("delay_p50", "delay_p95", "delay_p99", "delay_max")
"""Only where the scenario asks for them."""

_TOTALS = ("delivered", "packets_sent", "retransmissions", "timeouts", "dropped")


_TABLES = {"run": "runs", "groups": "flows", "transfers": "transfers", "links": "links"}
"""The table of which each part of a summary tells."""

_OWN_UNITS = {"bytes": "B", "round_time": "s"}
"""Of what stands in no column."""


def unit_of(names: Sequence[str]) -> str:
    """Return the unit of a number of a summary, empty for counts and shares.

    Parameters
    ----------
    names
        From the summary down: a part, the name of a link or group except in ``run``, a column, a statistic.
    """
    part, *rest = names
    column, *statistic = rest[0 if part == "run" else 1 :] or [""]
    if statistic == ["count"]:
        return ""
    return _OWN_UNITS.get(column) or UNITS.get(_TABLES.get(part, ""), {}).get(column, "")


def summarise(name: str, tables: Tables) -> dict[str, Any]:
    """Return the summary of the run of a scenario called `name`; see :meth:`dumbbell.Results.summary`."""
    provenance = tables.runs.provenance
    run = tables.runs.row(0)
    return {
        "name": name,
        "provenance": {
            "version": provenance["version"],
            "plan_hash": provenance["plan_hash"],
            "seed": int(provenance["seed"]),
        },
        "run": {key: value for key, value in run.items() if key != "seed"},
        "groups": _groups(tables),
        "transfers": _transfers(tables),
        "links": _links(tables),
    }


def _groups(tables: Tables) -> list[dict[str, Any]]:
    """One entry for each flow group, in the order of the first flow."""
    return [
        {
            "group": group,
            "transport": rows.first("transport"),
            "controller": rows.first("controller") or None,
            "flows": len(rows),
            "completed": rows.present("completion_time"),
            "completion_time": rows.statistics("completion_time", only="counted"),
            "goodput": rows.statistics("goodput"),
        }
        | {name: rows.sum(name) for name in _TOTALS}
        | {name: rows.statistics(name) for name in _NOTED_OF_FLOWS if rows.present(name)}
        for group, rows in tables.flows.native.groups("group")
    ]


def _transfers(tables: Tables) -> list[dict[str, Any]]:
    """One entry for each workload that closes the loop: its transfers, and its rounds that have ended."""
    transfers = tables.transfers
    if not len(transfers):
        return []
    import numpy as np

    codes, names = transfers.codes("group")
    start, took, size = transfers["start"], transfers["completion_time"], transfers["size"]
    counted, rounds = transfers["counted"], transfers["round"]
    entries = []
    for code in dict.fromkeys(codes.tolist()):
        chosen = (codes == code) & counted
        number, place = np.unique(rounds[chosen], return_inverse=True)
        begin, end = np.full(len(number), np.inf), np.full(len(number), -np.inf)
        np.minimum.at(begin, place, start[chosen])
        # A transfer that has not ended makes the end of its round not a number.
        with np.errstate(invalid="ignore"):
            np.maximum.at(end, place, start[chosen] + took[chosen])
        entries.append(
            {
                "group": names[code],
                "transfers": int((codes == code).sum()),
                "completed": int(np.isfinite(took[codes == code]).sum()),
                "bytes": float(size[chosen & np.isfinite(took)].sum()),
                "completion_time": _native.statistics(took[chosen]),
                "round_time": _native.statistics(end - begin),
            }
        )
    return entries


def _links(tables: Tables) -> list[dict[str, Any]]:
    links, names = tables.links.native, list(tables.links)
    places = [(name, names.index(name)) for name in _LINK_COLUMNS]
    noted = [(name, names.index(name)) for name in _NOTED_OF_LINKS]
    return [
        {name: row[place] for name, place in places}
        | {name: row[place] for name, place in noted if row[place] is not None}
        for row in map(links.row, range(len(links)))
    ]
