"""The page "RCP on real packets": flows on real packets, in simulation, and under exact sharing."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import matplotlib as mpl
import numpy as np
from markupsafe import Markup

from dumbbell._native import version
from dumbbell.figures.style import COLOURS, STYLE, data_address, finish, new_figure, plain_log, save
from dumbbell.live import virtual
from dumbbell.live.named import cell
from dumbbell.live.rcp import DELAY, LOAD, MEAN, MTU, Case, Run
from dumbbell.live.udp import HEADERS
from dumbbell.report import palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

_MADE_UP = 1.0
"""What a sender that wakes late may make up for, in ms (crates/proto/src/late.rs)."""
_BINS_PER_DECADE = 4
_FEWEST_IN_BIN = 5

_FILES = Path(__file__).parent

_COLUMNS = {
    "rate": ("last link", "Mbit/s"),
    "routers": ("routers", ""),
    "crossed": ("routers crossed", ""),
    "runs": ("runs", ""),
    "flows": ("flows", ""),
    "completed_live": ("completed, real", ""),
    "completed_simulated": ("completed, simulated", ""),
    "fct_live": ("mean FCT, real", "ms"),
    "fct_simulated": ("mean FCT, simulated", "ms"),
    "fct_sharing": ("mean FCT, exact sharing", "ms"),
    "live_over_simulated": ("real / simulated", ""),
    "live_over_sharing": ("real / exact sharing", ""),
    "median_ratio": ("median of real / simulated by flow", ""),
    "sender_minus_receiver": ("sender later by", "ms"),
    "queue_live": ("mean sojourn at the first router crossed, real", "ms"),
    "queue_simulated": ("mean sojourn there, simulated", "ms"),
    "late_p99": ("lateness of the links p99", "ms"),
    "sender_late_p99": ("lateness of the senders p99", "ms"),
    "not_taken": ("headers not taken", ""),
    "valid": ("valid", ""),
}


def write_page(folder: Path, cases: Sequence[Case], command: str) -> Path:
    """Write ``report.html``, ``table.csv``, ``flows.csv``, ``figures/`` and the results of every run.

    Parameters
    ----------
    folder
        Exists and is empty.
    cases
        From :func:`dumbbell.live.rcp.measure`.
    command
        What makes the page again.
    """
    rows = rows_of(cases)
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    _write_flows(folder, cases)
    for case in cases:
        for run in case.runs:
            _write_run(folder / case.name / str(run.seed), run)
    (folder / "figures").mkdir()
    figures = draw(cases)
    for name, figure in figures.items():
        save(figure, folder / "figures" / name)
    page = folder / "report.html"
    page.write_text(_render(cases, rows, list(figures.values()), command), encoding="utf-8")
    return page


def rows_of(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """Return the rows of the table, those of a case together."""
    return [row for case in cases for row in case.rows()]


def _write_flows(folder: Path, cases: Sequence[Case]) -> None:
    with (folder / "flows.csv").open("w", encoding="utf-8", newline="") as file:
        plain = csv.writer(file)
        plain.writerow(
            [
                "rate_mbps", "routers", "seed", "crossed", "size_B", "live_s", "live_sender_s", "simulated_s",
                "sharing_s",
            ]
        )  # fmt: skip
        for case in cases:
            for run in case.runs:
                columns = (run.sizes, run.live, run.live_sender, run.simulated, run.sharing)
                for node, *numbers in zip(run.enters.tolist(), *columns, strict=True):
                    place = (f"{case.rate:g}", case.routers, run.seed, case.routers - node)
                    plain.writerow([*place, *map(repr, map(float, numbers))])


def _write_run(place: Path, run: Run) -> None:
    for number, results in enumerate(run.emulations, start=1):
        results.save(place / ("live" if len(run.emulations) == 1 else f"link{number}"))
    about = {
        "valid": run.valid, "reasons": run.reasons, "late_p99": run.late_p99,
        "sender_late_p99": run.sender_late_p99, "not_taken": run.not_taken, "virtual": virtual.rests_on(),
    }  # fmt: skip
    (place / "fidelity.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    run.simulation.save(place / "simulation")


def draw(cases: Sequence[Case]) -> dict[str, Figure]:
    """Draw mean completion times by size: one figure of all single links, and one of each chain.

    A figure of single links has a panel for each, one of a chain a panel for the flows that cross so many
    routers.
    """
    single = [(case, 0, f"{case.rate:g} Mbit/s") for case in cases if case.routers == 1]
    found = {"completion": _draw(single)} if single else {}
    for case in cases:
        if case.routers > 1:
            panels = [
                (case, node, f"{case.routers - node} of {case.routers} routers")
                for node in reversed(range(case.routers))
            ]
            found[f"completion-{case.name}"] = _draw(panels)
    return found


def _draw(panels: Sequence[tuple[Case, int, str]]) -> Figure:
    with mpl.rc_context(STYLE):
        figure, axes = new_figure(len(panels), "double")
        for panel, (case, node, title) in zip(axes, panels, strict=True):
            sizes, sides = _by_flow(case, node)
            bins = np.floor(np.log10(sizes) * _BINS_PER_DECADE).astype(int)
            chosen = [bins == b for b in np.unique(bins).tolist() if (bins == b).sum() >= _FEWEST_IN_BIN]
            centres = [np.exp(np.log(sizes[c]).mean()) for c in chosen]
            for label, style, colour in (
                ("real packets", "o", COLOURS[1]),
                ("simulation", "-", COLOURS[0]),
                ("exact sharing", "--", COLOURS[6]),
            ):
                panel.plot(
                    centres, [sides[label][c].mean() for c in chosen], style, color=colour, label=label
                )
            plain_log(panel.xaxis)
            plain_log(panel.yaxis)
            panel.set_title(title)
            panel.set_xlabel("flow size (B)")
        axes[0].set_ylabel("mean completion time (s)")
        finish(figure, axes)
    return figure


def _by_flow(case: Case, node: int) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Return sizes and completion times of the flows that enter at a node and completed, of all runs."""
    chosen = [(run, run.whole & (run.enters == node)) for run in case.counted]

    def column(name: str) -> NDArray[np.float64]:
        return np.concatenate([getattr(run, name)[c] for run, c in chosen])

    sides = {"real packets": "live", "simulation": "simulated", "exact sharing": "sharing"}
    return column("sizes"), {label: column(name) for label, name in sides.items()}


def _render(
    cases: Sequence[Case], rows: Sequence[dict[str, Any]], figures: Sequence[Figure], command: str
) -> str:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string((_FILES / "rcp.html.j2").read_text(encoding="utf-8")).render(
        version=version,
        css=Markup(palette.style_sheet()),
        light=palette.light(),
        dark=palette.dark(),
        images=[data_address(figure) for figure in figures],
        cases=[_named(row) for row in rows],
        quantities=[
            (f"{name} ({unit})" if unit else name, [_cell(row, key) for row in rows])
            for key, (name, unit) in _COLUMNS.items()
            if key not in ("rate", "routers", "crossed")
        ],
        reasons=_reasons(cases),
        answer=_answer(rows),
        command=command,
        delay=f"{DELAY * 1e3:g}",
        mtu=MTU,
        headers=HEADERS,
        load=LOAD,
        mean=f"{MEAN / 1e3:g}",
        virtual=virtual.rests_on(),
        chains=any(case.routers > 1 for case in cases),
        runs=len(cases[0].runs),
        scenario=cases[0].runs[0].simulation.provenance["scenario"],
    )


def _reasons(cases: Sequence[Case]) -> list[tuple[str, str, str]]:
    """What a reader must know of runs: word, place, reason."""
    found = []
    for case in cases:
        for run in case.runs:
            place = f"{case.rate:g} Mbit/s, {_routers(case.routers)}, seed {run.seed}"
            found += [("INVALID", place, reason) for reason in run.reasons]
            late = run.sender_late_p99 * 1e3
            if late > _MADE_UP:
                reason = f"senders woke {late:.2g} ms late (99th percentile)"
                found.append(("BUSY MACHINE", place, reason))
    return found


def _routers(count: int) -> str:
    return "1 router" if count == 1 else f"{count} routers"


def _named(row: dict[str, Any]) -> str:
    rate = f"{row['rate']:g} Mbit/s"
    return rate if row["routers"] == 1 else f"{rate}, {row['crossed']} of {row['routers']} routers"


def _cell(row: dict[str, Any], key: str) -> str:
    value = row[key]
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "INVALID"
    if not isinstance(value, float):
        return f"{value:,}"
    return cell(row, key)


def _answer(rows: Sequence[dict[str, Any]]) -> str:
    parts = [
        f"{_named(row)}: {cell(row, 'fct_live')} ms (simulation {cell(row, 'fct_simulated')}, "
        f"exact sharing {cell(row, 'fct_sharing')})"
        for row in rows
    ]
    return f"Mean completion time on real packets, {'; '.join(parts)}."
