"""The demonstration: ``python -m dumbbell.demo -o out/demo``.

Two experiments, made with the interface that any user has:

1. Four long flows share a 10 Mbit/s dumbbell, under NewReno and under CUBIC.
2. The study `campus-web`, quick: completion time of web traffic against load, NewReno against CUBIC, with
   claims, figures and a report.
"""

from __future__ import annotations

import time
from pathlib import Path

import click

import dumbbell as db
from dumbbell._files.folder import new_files
from dumbbell._printing import TextTable
from dumbbell.cli.boundary import exit_with
from dumbbell.cli.common import console, number
from dumbbell.cli.papers import print_reproduction
from dumbbell.cli.progress import study_progress
from dumbbell.papers import find_paper, reproduce

BOTTLENECK = "left->right"
CONTROLLERS = {"NewReno": db.controller.newreno(), "CUBIC": db.controller.cubic()}


def long_flows(controller: dict[str, object]) -> db.Scenario:
    """Four long flows that start a second apart; 42 packets of 1500 B are 10 Mbit/s for 50 ms."""
    link = db.network.bottleneck(rate="10Mbit/s", delay="5ms", queue=db.queue.droptail(limit="42pkt"))
    access = db.network.access(rate="100Mbit/s", delay="10ms")
    return db.scenario(
        name=f"four long flows, {controller['kind']}",
        duration="60s",
        warmup="10s",
        topology=db.topology.dumbbell(pairs=4, bottleneck=link, access=access),
        transport=db.transport.tcp(controller=controller),
        flows=[db.flows(name="flow", from_="senders", to="receivers", stagger="1s")],
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
    table = TextTable("Four long flows, 10 Mbit/s, 50 ms, 42 packets", ("controller",), columns, rows)
    console().print(table)
    names = [f"figures/long_{kind}" for kind in ("cwnd", "rate", "queue")]
    with new_files(output) as part:
        (part / "figures").mkdir()
        for name in names:
            db.figures.save(db.figures.draw(name.removeprefix("figures/long_"), results), part / name)
    return [output / f"{name}.png" for name in names]


def run_campus_web(output: Path) -> Path:
    """Run the study, print its answer and claims, and return its report."""
    with study_progress("campus-web") as progress:
        found = reproduce(find_paper("campus-web"), output / "campus-web", progress=progress)
    print_reproduction(console(), found)
    return found.report


def _bottleneck(results: db.Results) -> dict[str, float]:
    return results.links.row(results.links["link"].tolist().index(BOTTLENECK))


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("out/demo"), show_default=True)
def demo(output: Path) -> None:
    """Run two experiments, print tables, draw figures and write a report into the output folder."""
    start = time.perf_counter()
    figures = run_long_flows(output)
    report = run_campus_web(output)
    click.echo("Figures, each also as PDF:")
    for path in [*figures, *sorted((report.parent / "figures").glob("*.png"))]:
        click.echo(f"  {path}")
    click.echo(f"Done in {time.perf_counter() - start:.1f} s.")
    click.echo(f"Report: {report}")


if __name__ == "__main__":
    exit_with(demo, "demo")
