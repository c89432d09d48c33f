"""Reports of single runs: what happened, over time, to each flow, and where packets were lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell import figures
from dumbbell._files.folder import new_files
from dumbbell._printing import significant
from dumbbell.errors import NothingToDrawError
from dumbbell.figures.planned import planned
from dumbbell.report.extras import PlotSpec, TableData
from dumbbell.report.html import Drawn, engine, render

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dumbbell._results import Results, Table
    from dumbbell._trace import Trace

_MOST_ROWS = 200
"""Of a table on the page; the Parquet files hold all."""


def _kind(kind: str, title: str, text: str) -> PlotSpec[Results]:
    return PlotSpec(kind, title, lambda results: figures.draw(kind, results), text)


FIGURES = (
    _kind("cwnd", "Congestion windows", "The congestion window of each sampled flow against time"),
    _kind("rate", "Throughput", "The throughput of each sampled flow at its receiver against time"),
    _kind("rtt", "Round-trip times", "The round-trip time of each sampled flow against time"),
    _kind("delay", "One-way delays", "The one-way delay of each sampled flow's packets against time"),
    _kind("delay_cdf", "Distribution of one-way delays", "The share of packets within a one-way delay"),
    _kind("queue", "Queues", "The length of each sampled queue against time, with buffer and thresholds"),
    _kind("sojourn_cdf", "Times at links", "The share of packets that leave a link within a time"),
    _kind("drops", "Drops", "Packets dropped per second at each sampled link against time"),
    _kind("fct_cdf", "Completion times", "The share of flows that complete within a time"),
    _kind("fct_size", "Completion time against size", "The completion time of each flow against its size"),
)
"""What a report of a run draws, in order; what a run has no data for is left out, with the reason."""


_LOADING = """import dumbbell as db

results = db.load("{folder}")  # as seen from the folder of this page
"""


def _code(kind: str) -> str:
    return (
        f'db.figures.draw("{kind}", results).savefig("{kind}.pdf")\n'
        f"# or, on the command line: dumbbell plot . --only {kind}\n"
    )


def _network(results: Results) -> Figure:
    """Draw the network of a run.

    Raises
    ------
    NothingToDrawError
        If it cannot be known, or has too many nodes to tell them apart.
    """
    from dumbbell._scenario import Scenario

    about = planned(results)
    if about is None:
        raise NothingToDrawError("the scenario needs a file that the results do not hold")
    if len(about["nodes"]) > _MOST_NODES:
        raise NothingToDrawError(f"{len(about['nodes']):,} nodes are more than {_MOST_NODES}")
    return figures.draw_topology(Scenario.from_toml(results.provenance["scenario"]))


_MOST_NODES = 200
"""Of a network that is drawn: more are no picture."""

_NETWORK = PlotSpec(
    "topology", "The network", _network, "Nodes from senders to receivers, and the links between them"
)

_NETWORK_CODE = """scenario = db.Scenario.from_toml(results.provenance["scenario"])
db.figures.draw_topology(scenario).savefig("topology.pdf")
"""


@dataclass(frozen=True)
class Packets:
    """The packets of a flow."""

    trace: Trace
    flow: int
    start: str | None = None
    """As the trace was asked for; ``None`` from the beginning."""
    until: str | None = None
    """As the trace was asked for; ``None`` to the end."""

    def plots(self) -> list[tuple[PlotSpec[Results], str]]:
        """Return what shows them, each with its code."""
        text = {
            "time_sequence": (
                "Time-sequence plot",
                "Segments, acknowledgements and drops of the flow against time",
            ),
            "sequence_diagram": ("Sequence diagram", "The packets of the flow between its two ends"),
        }
        return [
            (PlotSpec(kind, f"{title} of flow {self.flow}", self._draws(kind), about), self._code(kind))
            for kind, (title, about) in text.items()
        ]

    def _code(self, kind: str) -> str:
        within = {"start": self.start, "until": self.until}
        given = "".join(f", {name}={value!r}" for name, value in within.items() if value is not None)
        return (
            'scenario = db.Scenario.from_toml(results.provenance["scenario"])\n'
            f"trace = scenario.trace(flows=[{self.flow}]{given})\n"
            f'db.figures.draw_packets("{kind}", trace, {self.flow}).savefig("{kind}.pdf")\n'
        )

    def _draws(self, kind: str) -> Callable[[Results], Figure]:
        return lambda _: figures.draw_packets(kind, self.trace, self.flow)


@dataclass(frozen=True)
class _Caption:
    id: str
    title: str
    note: str = ""


def write_run_report(
    path: str | os.PathLike[str], results: Results, packets: Packets | None = None, folder: str = "."
) -> Path:
    """Write the report of a run: one HTML file that needs nothing else, and its figures for print next to it.

    The figures go as PNG and PDF into ``figures/`` next to the report. The same results give the same bytes.

    Parameters
    ----------
    path
        Where to. A report that dumbbell has written there is replaced, whole or not at all.
    results
        Of the run.
    packets
        A flow of it whose packets the report shows.
    folder
        Where the code of the figures finds the results, as seen from the folder of the report.

    Raises
    ------
    FolderError
        If the folder cannot be written, or holds files of these names that dumbbell has not written.
    """
    path = Path(path)
    cut_short = results.runs.row(0)["ended"] != "duration"
    stamps = [("CUT SHORT", "The run reached its limit of memory before its end.")] if cut_short else []
    stamp = "; ".join(word for word, _ in stamps)
    with new_files(path.parent) as part:
        plots, undrawn = [], []
        usual = figures.usual([results])
        asked = [(entry, _code(entry.id)) for entry in FIGURES if entry.id in usual]
        asked += packets.plots() if packets else []
        for entry, code in (*asked, (_NETWORK, _NETWORK_CODE)):
            try:
                image = entry.draw(results)
            except NothingToDrawError as error:
                undrawn.append((entry.title, str(error)))
                continue
            plots.append(Drawn.of(entry, image, part, _LOADING.format(folder=folder) + code, stamp))
        text = render(
            "run.html.j2", title=results.name, name=f"seed {results.provenance['seed']}", stamps=stamps,
            stamp=stamp, findings=_findings(results), plots=plots,
            seeds=_seeds(results), undrawn=undrawn, tables=_tables(results),
            scenario=results.provenance["scenario"], provenance=_provenance(results),
            **engine(plots),
        )  # fmt: skip
        (part / path.name).write_text(text, encoding="utf-8")
    return path


def _seeds(results: Results) -> str:
    """Return what another seed would change."""
    about = planned(results)
    if about is None:
        return (
            "The scenario needs a file that the results do not hold: `dumbbell check` of the scenario says "
            "whether another seed gives other numbers."
        )
    if not about["draws"]:
        return "Nothing is drawn at random: any seed gives the same numbers."
    what = ", ".join(dict.fromkeys(draw["what"] for draw in about["draws"]))
    return f"One run is one sample: another seed gives other numbers ({what}). A study gives intervals."


def _findings(results: Results) -> list[tuple[str, str]]:
    """Return what happened, in a few sentences."""
    summary = results.summary()
    run = summary["run"]
    fair = f"; Jain's fairness index {_cell(run['fairness'])}" if run["fairness"] is not None else ""
    measured = f"from {_cell(run['warmup'])} s to {_cell(run['duration'])} s"
    found = [("Goodput", f"{_cell(run['goodput'], 1e6)} Mbit/s, measured {measured}{fair}.")]
    done = f"{run['flows_completed']:,} of {run['flows_started']:,} flows completed"
    mean = f", in {_cell(run['fct_mean'])} s on average" if run["fct_mean"] is not None else ""
    found.append(("Flows", f"{done}{mean}; {int(results.flows['timeouts'].sum()):,} timeouts."))
    links = summary["links"]
    if links:
        busiest = max(links, key=lambda link: link["utilisation"] or 0.0)
        used, mean, high = (busiest[key] for key in ("utilisation", "queue_mean", "queue_p99"))
        tail = f", {_cell(high)} at the 99th percentile" if high is not None else ""
        found.append(
            (
                "Busiest link",
                f"{_arrow(busiest['link'])} was used {_cell(used, 1e-2)} % of the time. Its queue held "
                f"{_cell(mean)} packets on average{tail}.",
            )
        )
        losses = sorted((link for link in links if link["dropped"]), key=lambda link: -link["dropped"])
        places = "; ".join(
            f"{_arrow(link['link'])} {link['dropped']:,} ({_cell(link['loss'], 1e-2)} %)"
            for link in losses[:3]
        )
        total = f"{run['packets_dropped']:,} of {run['packets_sent']:,} packets sent" if losses else "none"
        found.append(("Dropped", f"{total}{f': {places}' if losses else ''}."))
    return found


_Column = tuple[str, str, float]
"""Heading, column of the results, and what one of its units is in theirs; 0 for names."""

_FLOWS: tuple[_Column, ...] = (
    ("flow", "flow", 0), ("group", "group", 0), ("from", "source", 0), ("to", "destination", 0),
    ("controller", "controller", 0), ("start s", "start", 1), ("completed in s", "completion_time", 1),
    ("goodput Mbit/s", "goodput", 1e6), ("packets", "packets_sent", 1), ("resent", "retransmissions", 1),
    ("dropped", "dropped", 1), ("timeouts", "timeouts", 1), ("cuts", "cuts", 1),
    ("min RTT ms", "rtt_min", 1e-3),
)  # fmt: skip

_DELAYS: tuple[_Column, ...] = (
    ("median delay ms", "delay_p50", 1e-3), ("p95 delay ms", "delay_p95", 1e-3),
    ("longest delay ms", "delay_max", 1e-3),
)  # fmt: skip
_SOJOURNS: tuple[_Column, ...] = (
    ("median sojourn ms", "sojourn_p50", 1e-3), ("p95 sojourn ms", "sojourn_p95", 1e-3),
    ("longest sojourn ms", "sojourn_max", 1e-3),
)  # fmt: skip
"""Where the scenario asks for them."""

_LINKS: tuple[_Column, ...] = (
    ("link", "link", 0), ("queue", "queue", 0), ("rate Mbit/s", "rate", 1e6), ("used %", "utilisation", 1e-2),
    ("arrived", "arrived", 1), ("mean queue", "queue_mean", 1), ("p99 queue", "queue_p99", 1),
    ("longest queue", "queue_max", 1), ("mean sojourn ms", "sojourn_mean", 1e-3), ("marked", "marked", 1),
)  # fmt: skip

_LOSSES: tuple[_Column, ...] = (
    ("link", "link", 0), ("queue", "queue", 0), ("arrived", "arrived", 1), ("dropped", "dropped", 1),
    ("loss %", "loss", 1e-2), ("queue full", "dropped_overflow", 1), ("by the queue's law", "dropped_law", 1),
    ("at random on the link", "dropped_random", 1),
)  # fmt: skip

_CLASSES: tuple[_Column, ...] = (
    ("link", "link", 0), ("class", "class", 0), ("arrived", "arrived", 1), ("sent", "sent", 1),
    ("dropped", "dropped", 1), ("loss %", "loss", 1e-2), ("mean sojourn ms", "sojourn_mean", 1e-3),
    ("marked", "marked", 1),
)  # fmt: skip


def _tables(results: Results) -> list[tuple[_Caption, TableData]]:
    """Return the tables of flows, of links, and of what was dropped where."""
    links = results.links
    busiest = np.argsort(-links["utilisation"], kind="stable")
    dropped = links["dropped"].astype(np.float64)
    losing = np.argsort(-dropped, kind="stable")[: np.count_nonzero(dropped)]
    groups = results.summary()["groups"]
    found = [_groups(groups)] if len(groups) < len(results.flows) else []
    found += [
        _table("flows", "Flows", results.flows, (*_FLOWS, *_noted(results.flows, _DELAYS))),
        _table(
            "links", "Links, the busiest first", links, (*_LINKS, *_noted(links, _SOJOURNS)), busiest.tolist()
        ),
    ]
    if len(losing):
        found.append(_table("losses", "What was dropped where", links, _LOSSES, losing.tolist()))
    if len(results.classes):
        found.append(_table("classes", "Traffic classes", results.classes, _CLASSES))
    if len(results.drops):
        found.append(_dropped(results))
    return found


def _noted(table: Table, columns: Sequence[_Column]) -> Sequence[_Column]:
    """Return columns whose first has a value in some row."""
    return columns if np.isfinite(table[columns[0][1]]).any() else ()


def _table(
    name: str, title: str, table: Table, columns: Sequence[_Column], order: Sequence[int] | None = None
) -> tuple[_Caption, TableData]:
    chosen = range(len(table)) if order is None else order
    rows = [
        tuple(_cell(row[column], factor) for _, column, factor in columns)
        for row in map(table.row, chosen[:_MOST_ROWS])
    ]
    cut = len(chosen) > _MOST_ROWS
    note = f"The first {_MOST_ROWS:,} of {len(chosen):,}; `{table.name}.parquet` has all." if cut else ""
    return _Caption(name, title, note), TableData(tuple(heading for heading, _, _ in columns), tuple(rows))


def _groups(groups: Sequence[dict[str, Any]]) -> tuple[_Caption, TableData]:
    rows = [
        (
            group["group"], group["controller"] or group["transport"], _cell(group["flows"], 1),
            _cell(group["completed"], 1),
            *(_cell(group["completion_time"][key], 1) for key in ("mean", "p50", "p99")),
            _cell(group["goodput"]["mean"], 1e6), _cell(group["timeouts"], 1),
            _cell(group["retransmissions"], 1),
        )
        for group in groups[:_MOST_ROWS]
    ]  # fmt: skip
    columns = (
        "group", "controller", "flows", "completed", "mean FCT s", "p50", "p99", "mean goodput Mbit/s",
        "timeouts", "resent",
    )  # fmt: skip
    return _Caption("groups", "Groups of flows"), TableData(columns, tuple(rows))


def _dropped(results: Results) -> tuple[_Caption, TableData]:
    """Count recorded drops by link and reason, with the times of the first and the last."""
    drops, names = results.drops, results.links["link"]
    found = []
    for reason, rows in drops.groups("reason"):
        where = drops["link"][rows]
        for link in np.unique(where):
            times = drops["time"][rows][where == link]
            ends = (_cell(float(times.min())), _cell(float(times.max())))
            found.append((_arrow(str(names[link])), reason, f"{times.size:,}", *ends))
    columns = ("link", "reason", "packets", "first s", "last s")
    note = "Of the drops that the scenario asked to record, in the whole run."
    return _Caption("reasons", "Recorded drops by reason", note), TableData(
        columns, tuple(found[:_MOST_ROWS])
    )


def _cell(value: Any, factor: float = 1.0) -> str:
    """Write a name where the factor is 0, else a number: whole ones with all digits, others with four."""
    if value is None or value != value:
        return "-"
    if not factor:
        return _arrow(str(value))
    return f"{value:,}" if isinstance(value, int) and factor == 1 else significant(value / factor)


def _arrow(name: str) -> str:
    return name.replace("->", " → ")


def _provenance(results: Results) -> list[tuple[str, str]]:
    about = results.provenance
    return [("Code version", about["version"]), ("Plan", about["plan_hash"]), ("Seed", about["seed"])]
