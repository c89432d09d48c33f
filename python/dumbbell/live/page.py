"""RCP on real packets: completion times over emulated links, in simulation, and under processor sharing."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import matplotlib as mpl
import numpy as np
from markupsafe import Markup

from dumbbell import theory
from dumbbell._native import version
from dumbbell._scenario import Scenario
from dumbbell.figures.style import COLOURS, STYLE, data_address, finish, new_figure, plain_log, save
from dumbbell.live.udp import HEADERS, LiveRun, run_flows
from dumbbell.report import palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from dumbbell._results import Results

    Floats = NDArray[np.float64]

RATES = (12.0, 50.0, 96.0)
"""Rates of the links in Mbit/s."""

# A round-trip time of 40 ms, as in the measurements of Mahimahi; flows of about one BDP at 12 Mbit/s, of an
# eighth of one at 96. The load leaves the router room to be late with its rate by a round-trip time.
_DELAY = 0.020
_MTU = 1500
_PAYLOAD = _MTU - HEADERS
_LOAD = 0.6
_MEAN = 50e3
_ATTEMPTS = 3
_MADE_UP = 1.0
"""What a sender that wakes late may make up for, in ms (crates/proto/src/late.rs)."""
_LEAD = 3.0
_DRAIN = 5.0
_BINS_PER_DECADE = 4
_FEWEST_IN_BIN = 5

_FILES = Path(__file__).parent


def scenario(rate: float, duration: float, seed: int = 1) -> Scenario:
    """Return the scenario of a link of `rate` Mbit/s: Poisson arrivals of Pareto flows for `duration` s.

    They begin after three seconds. A router starts at a twentieth of the rate of its link and rises while
    the link is idle; on real packets it idles until the programs have started.
    """
    values = {
        "name": f"rcp-{rate:g}M",
        "seed": seed,
        "duration": f"{_LEAD + duration + _DRAIN:g}s",
        "transport": {"kind": "rcp", "header": HEADERS},
        "topology": {
            "kind": "chain",
            "link": {
                "rate": f"{rate:g}Mbit/s", "delay": f"{_DELAY * 1e3:g}ms", "mtu": f"{_MTU}B", "router": "rcp",
            },
        },
        "workloads": [
            {
                "kind": "poisson", "name": "web", "from": "node0", "to": "node1", "load": _LOAD,
                "start": f"{_LEAD:g}s", "stop": f"{_LEAD + duration:g}s",
                "size": {"kind": "pareto", "mean": f"{_MEAN:g}B", "shape": 1.8},
            }
        ],
        "record": {"period": "100ms"},
    }  # fmt: skip
    return Scenario.from_dict(values)


@dataclass(frozen=True)
class Link:
    """The flows of one link, each three times. Arrays have shape (flows,)."""

    rate: float
    """In Mbit/s."""
    sizes: Floats
    """Application bytes."""
    live: Floats
    """Completion times on real packets (s), at the receiver; not-a-number if a flow did not complete."""
    live_sender: Floats
    """The same at the sender."""
    simulated: Floats
    """Completion times in simulation, at the receiver."""
    sharing: Floats
    """Completion times (s) of the same arrivals under exact processor sharing, with 1.5 round trips."""
    run: LiveRun
    simulation: Results

    @property
    def whole(self) -> NDArray[np.bool_]:
        """Which flows completed both ways."""
        return np.isfinite(self.live) & np.isfinite(self.simulated)

    def row(self) -> dict[str, Any]:
        """The figures of the table of the page; times in ms."""
        whole = self.whole
        late = max(self.run.fidelity[way]["lateness"]["p99"] for way in ("uplink", "downlink"))
        means = [float(times[whole].mean()) * 1e3 for times in (self.live, self.simulated, self.sharing)]
        counts = self.run.counts
        links = (self.run.results.links.row(0), self.simulation.links.row(0))
        return {
            "rate": self.rate,
            "flows": len(self.sizes),
            "completed_live": int(np.isfinite(self.live).sum()),
            "completed_simulated": int(np.isfinite(self.simulated).sum()),
            "fct_live": means[0],
            "fct_simulated": means[1],
            "fct_sharing": means[2],
            "live_over_simulated": means[0] / means[1],
            "median_ratio": float(np.median(self.live[whole] / self.simulated[whole])),
            "sender_minus_receiver": float(np.median((self.live_sender - self.live)[whole])) * 1e3,
            "queue_live": (links[0]["sojourn_mean"] or 0.0) * 1e3,
            "queue_simulated": (links[1]["sojourn_mean"] or 0.0) * 1e3,
            "late_p99": late * 1e3,
            "sender_late_p99": self.run.late["p99"] * 1e3,
            "not_taken": sum(counts[end][key] for end in counts for key in ("malformed", "stray", "ignored")),
            "valid": self.run.fidelity["valid"],
        }


_COLUMNS = {
    "rate": ("link", "Mbit/s"),
    "flows": ("flows", ""),
    "completed_live": ("completed, real", ""),
    "completed_simulated": ("completed, simulated", ""),
    "fct_live": ("mean FCT, real", "ms"),
    "fct_simulated": ("mean FCT, simulated", "ms"),
    "fct_sharing": ("mean FCT, PS", "ms"),
    "live_over_simulated": ("real / simulated", ""),
    "median_ratio": ("median of the ratio by flow", ""),
    "sender_minus_receiver": ("sender later by", "ms"),
    "queue_live": ("mean sojourn, real", "ms"),
    "queue_simulated": ("mean sojourn, simulated", "ms"),
    "late_p99": ("lateness of the link p99", "ms"),
    "sender_late_p99": ("lateness of the sender p99", "ms"),
    "not_taken": ("headers not taken", ""),
    "valid": ("valid", ""),
}


def measure(rate: float, duration: float, note: Callable[[str], object] = lambda _: None) -> Link:
    """Run one link three times over: on real packets, in simulation, under processor sharing.

    A live run that declares itself invalid is made again, up to three times in all; the last one counts.
    """
    given = scenario(rate, duration)
    simulation = given.run()
    for attempt in range(_ATTEMPTS):
        run = run_flows(given)
        if run.fidelity["valid"]:
            break
        note(f"{rate:g} Mbit/s, attempt {attempt + 1}: {'; '.join(run.fidelity['reasons'])}")
    flows, ours = run.results.flows, simulation.flows
    sizes = flows["size"]
    wire = sizes + HEADERS * np.ceil(sizes / _PAYLOAD)
    sharing = theory.processor_sharing(flows["start"], wire, rate * 1e6 / 8) + 1.5 * 2 * _DELAY
    return Link(
        rate, sizes, flows["completion_time"], flows["sender_completion_time"], ours["completion_time"],
        sharing, run, simulation,
    )  # fmt: skip


def write_page(folder: Path, links: Sequence[Link], command: str) -> Path:
    """Write ``report.html``, ``table.csv``, ``flows.csv``, ``figures/`` and the results of every run.

    Parameters
    ----------
    folder
        Exists and is empty.
    links
        From :func:`measure`.
    command
        What makes the page again.
    """
    rows = [link.row() for link in links]
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(_COLUMNS))
        writer.writeheader()
        writer.writerows(rows)
    with (folder / "flows.csv").open("w", encoding="utf-8", newline="") as file:
        plain = csv.writer(file)
        plain.writerow(["rate_mbps", "size_B", "live_s", "live_sender_s", "simulated_s", "sharing_s"])
        for link in links:
            columns = (link.sizes, link.live, link.live_sender, link.simulated, link.sharing)
            plain.writerows(
                [f"{link.rate:g}", *map(repr, map(float, row))] for row in zip(*columns, strict=True)
            )
    for link in links:
        place = folder / f"{link.rate:g}M"
        link.run.results.save(place / "live")
        text = json.dumps(
            {"fidelity": link.run.fidelity, "counts": link.run.counts, "late": link.run.late}, indent=2
        )
        (place / "live" / "fidelity.json").write_text(text + "\n", encoding="utf-8")
        link.simulation.save(place / "simulation")
    (folder / "figures").mkdir()
    figure = draw(links)
    save(figure, folder / "figures" / "completion")
    page = folder / "report.html"
    page.write_text(_render(links, rows, figure, command), encoding="utf-8")
    return page


def draw(links: Sequence[Link]) -> Figure:
    """Draw mean completion times by size, a panel for each link."""
    with mpl.rc_context(STYLE):
        figure, panels = new_figure(len(links), "double")
        for panel, link in zip(panels, links, strict=True):
            whole = link.whole
            bins = np.floor(np.log10(link.sizes) * _BINS_PER_DECADE).astype(int)
            full = [
                b for b in np.unique(bins[whole]).tolist() if ((bins == b) & whole).sum() >= _FEWEST_IN_BIN
            ]
            chosen = [(bins == b) & whole for b in full]
            centres = [np.exp(np.log(link.sizes[c]).mean()) for c in chosen]
            for label, times, style, colour in (
                ("real packets", link.live, "o", COLOURS[1]),
                ("simulation", link.simulated, "-", COLOURS[0]),
                ("processor sharing", link.sharing, "--", COLOURS[6]),
            ):
                panel.plot(centres, [times[c].mean() for c in chosen], style, color=colour, label=label)
            plain_log(panel.xaxis)
            plain_log(panel.yaxis)
            panel.set_title(f"{link.rate:g} Mbit/s")
            panel.set_xlabel("flow size (B)")
        panels[0].set_ylabel("mean completion time (s)")
        finish(figure, panels)
    return figure


def _render(links: Sequence[Link], rows: Sequence[dict[str, Any]], figure: Figure, command: str) -> str:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    reasons = [("INVALID", link.rate, reason) for link in links for reason in link.run.fidelity["reasons"]]
    reasons += [
        (
            "BUSY MACHINE",
            row["rate"],
            f"the sender woke {row['sender_late_p99']:.2g} ms late (99th percentile)",
        )
        for row in rows
        if row["sender_late_p99"] > _MADE_UP
    ]
    return environment.from_string((_FILES / "rcp.html.j2").read_text(encoding="utf-8")).render(
        version=version,
        css=Markup(palette.style_sheet()),
        light=palette.light(),
        dark=palette.dark(),
        image=data_address(figure),
        links=[f"{row['rate']:g} Mbit/s" for row in rows],
        quantities=[
            (f"{name} ({unit})" if unit else name, [_cell(row[key]) for row in rows])
            for key, (name, unit) in _COLUMNS.items()
            if key != "rate"
        ],
        reasons=reasons,
        answer=_answer(rows),
        command=command,
        delay=f"{_DELAY * 1e3:g}",
        mtu=_MTU,
        headers=HEADERS,
        load=_LOAD,
        mean=f"{_MEAN / 1e3:g}",
        scenario=links[0].simulation.provenance["scenario"],
    )


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "INVALID"
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}"


def _answer(rows: Sequence[dict[str, Any]]) -> str:
    parts = [
        f"{row['fct_live']:.4g} ms at {row['rate']:g} Mbit/s (simulation {row['fct_simulated']:.4g}, "
        f"processor sharing {row['fct_sharing']:.4g})"
        for row in rows
    ]
    return f"Mean completion time on real packets: {'; '.join(parts)}."
