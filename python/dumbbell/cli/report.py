"""The tables that `dumbbell run` prints."""

from __future__ import annotations

from typing import Any

from dumbbell._printing import Output, TextTable
from dumbbell._results import Results
from dumbbell.cli.common import number

_MOST_FLOWS = 16
"""More flows than this are shown by group only."""

_MOST_GROUPS = 60
"""More groups than this are cut; all of them are in ``summary.json``."""

_MOST_LINKS = 16
"""Of more links than this, those that are busiest are shown."""


_MOST_CLASSES = 32
"""More classes of links than this are not shown; the table has them."""


_DELAYS = ("median delay ms", "p95 delay ms")
"""Of flows whose one-way delays are noted."""


def print_summary(out: Output, results: Results) -> None:
    """Print the flows, the links, and the figures of the whole run."""
    summary = results.summary()
    flows = results.flows
    if 0 < len(flows) <= _MOST_FLOWS:
        out.print(_flows(results))
    # Groups of one flow each say no more than the flows.
    if len(summary["groups"]) < len(flows):
        out.print(_groups(summary["groups"]))
    if summary["transfers"]:
        out.print(_transfers(summary["transfers"]))
    out.print(_links(summary["links"]))
    if 0 < len(results.classes) <= _MOST_CLASSES:
        out.print(_classes(results))
    run = summary["run"]
    facts = [f"goodput {number(run['goodput'], 1e6)} Mbit/s"]
    if run["fairness"] is not None:
        facts.append(f"Jain's fairness index {number(run['fairness'])}")
    if run["flows_completed"]:
        facts.append(f"{run['flows_completed']:,} of {run['flows_started']:,} flows completed")
    if not run["flows_started"]:
        facts.append("no flow started before the end of the run")
    out.print("; ".join(facts))


def _flows(results: Results) -> TextTable:
    texts = ("flow", "group", "path", "controller")
    numbers = (
        "goodput Mbit/s", "start s", "completed in s", "timeouts", "cuts", "resent", "packets", "min RTT ms",
    )  # fmt: skip
    noted = any(row["delay_p95"] is not None for row in map(results.flows.row, range(len(results.flows))))
    delays = ("delay_p50", "delay_p95") if noted else ()
    rows = [
        (
            str(row["flow"]), row["group"], f"{row['source']} → {row['destination']}",
            row["controller"] or row["transport"],
            number(row["goodput"], 1e6), number(row["start"]), number(row["completion_time"]),
            number(row["timeouts"]), number(row["cuts"]), number(row["retransmissions"]),
            number(row["packets_sent"]), number(row["rtt_min"], 1e-3),
            *(number(row[name], 1e-3, digits=3) for name in delays),
        )
        for row in map(results.flows.row, range(len(results.flows)))
    ]  # fmt: skip
    return TextTable("Flows", texts, (*numbers, *_DELAYS[: len(delays)]), rows)


def _groups(groups: list[dict[str, Any]]) -> TextTable:
    numbers = (
        "flows", "completed", "mean goodput Mbit/s", "mean FCT s", "p50", "p90", "p99", "timeouts", "resent",
        "packets",
    )  # fmt: skip
    rows = [
        (
            group["group"], group["controller"] or group["transport"],
            number(group["flows"]), number(group["completed"]), number(group["goodput"]["mean"], 1e6),
            *(number(group["completion_time"][key]) for key in ("mean", "p50", "p90", "p99")),
            number(group["timeouts"]), number(group["retransmissions"]), number(group["packets_sent"]),
        )
        for group in groups[:_MOST_GROUPS]
    ]  # fmt: skip
    title = "Flow groups"
    if len(groups) > _MOST_GROUPS:
        title += f" (the first {_MOST_GROUPS} of {len(groups)})"
    return TextTable(title, ("group", "controller"), numbers, rows)


def _transfers(entries: list[dict[str, Any]]) -> TextTable:
    numbers = ("transfers", "completed", "mean s", "p50", "p99", "rounds", "mean round s", "p99 round s")
    rows = [
        (
            entry["group"], number(entry["transfers"]), number(entry["completed"]),
            *(number(entry["completion_time"][key]) for key in ("mean", "p50", "p99")),
            *(number(entry["round_time"][key]) for key in ("count", "mean", "p99")),
        )
        for entry in entries
    ]  # fmt: skip
    return TextTable("Transfers of sessions", ("workload",), numbers, rows)


def _classes(results: Results) -> TextTable:
    numbers = ("class", "arrived", "sent", "sent MB", "loss %", "dropped", "mean sojourn ms", "marked")
    rows = [
        (
            row["link"].replace("->", " → "), number(row["class"]),
            number(row["arrived"]), number(row["sent"]),
            number(row["sent_bytes"], 1e6), number(row["loss"], 1e-2), number(row["dropped"]),
            number(row["sojourn_mean"], 1e-3, digits=3), number(row["marked"]),
        )
        for row in map(results.classes.row, range(len(results.classes)))
    ]  # fmt: skip
    return TextTable("Traffic classes", ("link",), numbers, rows)


def _links(links: list[dict[str, Any]]) -> TextTable:
    # Busiest first; the sort is stable, so equal ones keep the order of the scenario.
    shown = sorted(links, key=lambda link: -link["utilisation"])[:_MOST_LINKS]
    title = f"Links (the {len(shown)} busiest of {len(links)})" if len(shown) < len(links) else "Links"
    numbers = (
        "rate Mbit/s", "used %", "loss %", "dropped", "mean queue", "p99 queue", "mean sojourn ms", "marked",
    )  # fmt: skip
    noted = any("sojourn_p95" in link for link in shown)
    rows = [
        (
            link["link"].replace("->", " → "), link["queue"], number(link["rate"], 1e6),
            number(link["utilisation"], 1e-2), number(link["loss"], 1e-2), number(link["dropped"]),
            number(link["queue_mean"], digits=3), number(link["queue_p99"], digits=3),
            number(link["sojourn_mean"], 1e-3, digits=3), number(link["marked"]),
            *([number(link.get("sojourn_p95"), 1e-3, digits=3)] if noted else []),
        )
        for link in shown
    ]  # fmt: skip
    return TextTable(title, ("link", "queue"), (*numbers, *(["p95 sojourn ms"] if noted else [])), rows)
