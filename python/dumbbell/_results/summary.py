"""The figures of merit of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dumbbell._results.tables import Tables

_LINK_COLUMNS = (
    "link", "queue", "rate", "utilisation", "loss", "arrived", "sent", "dropped", "marked",
    "queue_mean", "queue_p50", "queue_p90", "queue_p99", "queue_max", "sojourn_mean",
)  # fmt: skip


def statistics(values: NDArray[np.float64]) -> dict[str, float | int | None]:
    """Count, mean, quantiles and maximum; quantiles interpolate linearly; ``None`` without values.

    Parameters
    ----------
    values
        Any shape; not-a-number counts as absent.
    """
    values = values[~np.isnan(values)]
    if values.size == 0:
        return {"count": 0, "mean": None, "p50": None, "p90": None, "p99": None, "max": None}
    if values.size == 1:
        # As of each of many groups of one flow: finding quantiles takes longer than a short run.
        only = float(values[0])
        return {"count": 1, "mean": only, "p50": only, "p90": only, "p99": only, "max": only}
    p50, p90, p99 = np.quantile(values, (0.5, 0.9, 0.99)).tolist()
    mean, largest = float(values.mean()), float(values.max())
    return {"count": int(values.size), "mean": mean, "p50": p50, "p90": p90, "p99": p99, "max": largest}


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
    flows = tables.flows
    completion_time, counted, goodput = flows["completion_time"], flows["counted"], flows["goodput"]
    totals = {
        name: flows[name] for name in ("delivered", "packets_sent", "retransmissions", "timeouts", "dropped")
    }
    transport, controller = flows["transport"], flows["controller"]
    entries = []
    for group, of_group in flows.groups("group"):
        entries.append(
            {
                "group": group,
                "transport": str(transport[of_group[0]]),
                "controller": str(controller[of_group[0]]) or None,
                "flows": len(of_group),
                "completed": int(np.isfinite(completion_time[of_group]).sum()),
                "completion_time": statistics(completion_time[of_group[counted[of_group]]]),
                "goodput": statistics(goodput[of_group]),
            }
            | {name: int(values[of_group].sum()) for name, values in totals.items()}
        )
    return entries


def _transfers(tables: Tables) -> list[dict[str, Any]]:
    """One entry for each workload that closes the loop: its transfers, and its rounds that have ended."""
    transfers = tables.transfers
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
                "completion_time": statistics(took[chosen]),
                "round_time": statistics(end - begin),
            }
        )
    return entries


def _links(tables: Tables) -> list[dict[str, Any]]:
    columns = {name: tables.links[name].tolist() for name in _LINK_COLUMNS}
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return [{key: None if value != value else value for key, value in row.items()} for row in rows]
