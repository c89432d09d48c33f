"""The demonstration: ``python -m dumbbell.demo -o out/demo``.

Two experiments, made with the interface that any user has:

1. Four long flows share a 10 Mbit/s dumbbell, under NewReno and under CUBIC.
2. Campus web traffic at loads 0.2 to 0.9 on the dumbbell of Panarello et al. (e-Energy 2012): 10 Mbit/s, mean
   round-trip time 50 ms, a buffer of 42 packets (one bandwidth-delay product), 20 sources, 600 s.
"""

from __future__ import annotations

import time
from pathlib import Path

import click
import numpy as np
from numpy.typing import ArrayLike, NDArray
from rich.progress import Progress

import dumbbell as db
from dumbbell.cli import exit_with
from dumbbell.cli.common import console, number, text_table

LOADS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SEEDS = tuple(range(1, 9))
BOTTLENECK = "left->right"
CONTROLLERS = {"NewReno": db.controller.newreno(), "CUBIC": db.controller.cubic()}


def dumbbell(pairs: int) -> dict[str, object]:
    """The topology of both experiments; 42 packets of 1500 B are 10 Mbit/s for 50 ms."""
    link = db.network.bottleneck(rate="10Mbit/s", delay="5ms", queue=db.queue.droptail(limit="42pkt"))
    return db.topology.dumbbell(
        pairs=pairs, bottleneck=link, access=db.network.access(rate="100Mbit/s", delay="10ms")
    )


def long_flows(controller: dict[str, object]) -> db.Scenario:
    """Four long flows that start a second apart."""
    return db.scenario(
        name=f"four long flows, {controller['kind']}",
        duration="60s",
        warmup="10s",
        topology=dumbbell(4),
        transport=db.transport.tcp(controller=controller),
        flows=[db.flows(name="flow", from_="senders", to="receivers", stagger="1s")],
    )


def campus_web(load: float, seed: int) -> db.Scenario:
    """Campus web traffic, with TCP as ns-2.30 had it: the simulator of the study."""
    tcp = db.transport.tcp(
        controller="newreno", sack=False, ack_every=1, initial_window=2, max_window=20, rto_min="200ms"
    )
    return db.scenario(
        name=f"campus web, load {load}",
        seed=seed,
        duration="600s",
        warmup="60s",
        topology=dumbbell(20),
        transport=tcp,
        workloads=[
            db.workload.poisson(name="web", from_="senders", to="receivers", load=load, size="campus-web")
        ],
        record=db.record(samples=False),
    )


def run_long_flows(output: Path) -> list[Path]:
    """Run the first experiment; save the results and return the PNG figures."""
    runs = db.run_all([long_flows(controller) for controller in CONTROLLERS.values()])
    results = dict(zip(CONTROLLERS, runs, strict=True))
    for title, run in results.items():
        run.save(output / title.lower(), force=True)
    columns = ("goodput Mbit/s", "fairness", "loss %", "mean queue", "p99 queue", "timeouts")
    rows = []
    for title, run in results.items():
        total, link = run.runs.row(0), _bottleneck(run)
        timeouts = int(run.flows["timeouts"].sum())
        rows.append(
            (
                title, number(total["goodput"], 1e6), number(total["fairness"]), number(link["loss"], 1e-2),
                number(link["queue_mean"], digits=3), number(link["queue_p99"], digits=3), number(timeouts),
            )
        )  # fmt: skip
    table = text_table("Four long flows, 10 Mbit/s, 50 ms, 42 packets", ("controller",), columns, rows)
    console().print(table)
    return [
        _save(db.figures.draw(kind, results), output, f"long_{kind}") for kind in ("cwnd", "rate", "queue")
    ]


def run_campus_web(output: Path) -> list[Path]:
    """Run the second experiment; return the PNG figures."""
    scenarios = [campus_web(load, seed) for load in LOADS for seed in SEEDS]
    values: dict[str, list[float]] = {"fct_mean": [], "fct_p99": [], "loss": [], "utilisation": []}
    out = console()
    with Progress(console=out, transient=True) as bar:
        task = bar.add_task("campus web traffic", total=len(scenarios))

        def collect(_index: int, results: db.Results) -> None:
            link = _bottleneck(results)
            times = results.summary()["groups"][0]["completion_time"]
            values["fct_mean"].append(times["mean"])
            values["fct_p99"].append(times["p99"])
            values["loss"].append(100 * link["loss"])
            values["utilisation"].append(100 * link["utilisation"])
            bar.advance(task)

        db.run_all(scenarios, done=collect)
    grids = {name: np.reshape(numbers, (len(LOADS), len(SEEDS))) for name, numbers in values.items()}
    names = ("FCT mean s", "FCT p99 s", "loss %", "utilisation %")
    title = f"Campus web traffic: mean (lowest to highest) of {len(SEEDS)} seeds"
    rows = [
        (f"{load:.1f}", *(_spread(grid[row]) for grid in grids.values())) for row, load in enumerate(LOADS)
    ]
    table = text_table(title, (), ("load", *names), rows)
    out.print(table)
    curves: dict[str, tuple[list[tuple[str | None, ArrayLike]], str]] = {
        "fct": (
            [("mean", grids["fct_mean"]), ("99th percentile", grids["fct_p99"])],
            "flow completion time (s)",
        ),
        "loss": ([(None, grids["loss"])], "loss at the bottleneck (%)"),
        "utilisation": ([(None, grids["utilisation"])], "utilisation (%)"),
    }
    return [
        _save(
            db.figures.sweep(LOADS, lines, "offered load", label, log=name == "fct"), output, f"campus_{name}"
        )
        for name, (lines, label) in curves.items()
    ]


def _bottleneck(results: db.Results) -> dict[str, float]:
    return results.links.row(results.links["link"].tolist().index(BOTTLENECK))


def _spread(values: NDArray[np.float64]) -> str:
    return f"{values.mean():.3g} ({values.min():.3g} to {values.max():.3g})"


def _save(figure: db.figures.Figure, output: Path, name: str) -> Path:
    folder = output / "figures"
    folder.mkdir(exist_ok=True)
    return db.figures.save(figure, folder / name)[0]


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("out/demo"), show_default=True)
def demo(output: Path) -> None:
    """Run two experiments, print tables and draw figures into the output folder."""
    start = time.perf_counter()
    output.mkdir(parents=True, exist_ok=True)
    figures = [*run_long_flows(output), *run_campus_web(output)]
    click.echo("Figures, each also as SVG and PDF:")
    for path in figures:
        click.echo(f"  {path}")
    click.echo(f"Done in {time.perf_counter() - start:.1f} s.")


if __name__ == "__main__":
    exit_with(demo, "demo")
