"""The run of the published figure again: its own flows, and our times next to its averages.

    python -m dumbbell.papers.rcp_fct.published -o out/published

[T16] draws gaps between arrivals from the random stream of ns-2 with seed 4, and sizes from that with seed 7.
Both are MRG32k3a, so the flows can be drawn here. Its averages are over flows that end within 10 s under TCP,
when the 100,000th has ended, and within 65 s under RCP.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dumbbell import Scenario
from dumbbell.papers.rcp_fct.reference import Floats, bins

_MODULI = (4294967087, 4294944443)
_SCALE = 2.328306549295727688e-10

_ARRIVALS, _SIZES = 4, 7
"""The published seeds."""

_RATE, _MEAN, _SHAPE = 10_800.0, 25.0, 1.2

PACKET = 960
"""Bytes of data."""


def _uniform(seed: int) -> Iterator[float]:
    """Yield MRG32k3a in (0, 1), all six words of its state set to the seed as ns-2 does.

    L'Ecuyer, Operations Research 47(1), 1999, table I.
    """
    first, second = [seed] * 3, [seed] * 3
    while True:
        a = (1403580 * first[1] - 810728 * first[0]) % _MODULI[0]
        b = (527612 * second[2] - 1370589 * second[0]) % _MODULI[1]
        first, second = [*first[1:], a], [*second[1:], b]
        yield (a - b if a > b else a - b + _MODULI[0]) * _SCALE


def flows(until: float) -> tuple[Floats, Floats]:
    """Return starts (s) and sizes (packets) of the flows that start before `until`, shape (flows,)."""
    starts, sizes, now = [], [], 0.0
    for gap, size in zip(_uniform(_ARRIVALS), _uniform(_SIZES), strict=True):
        now -= math.log(gap) / _RATE
        if now >= until:
            break
        starts.append(now)
        sizes.append(math.ceil(_MEAN * (_SHAPE - 1) / _SHAPE * size ** (-1 / _SHAPE)))
    return np.array(starts), np.array(sizes, np.float64)


_TCP = (
    "transport.kind=tcp", "transport.max_window=120000",
    "topology.link.queue={ kind = 'droptail', limit = '1bdp' }",
)  # fmt: skip

PROTOCOLS: dict[str, tuple[str, tuple[str, ...], float]] = {
    "Reno of ns-2": ("tcp", (*_TCP, "transport.profile=ns2", "transport.controller=reno"), 10.0),
    "NewReno by the RFCs": (
        "tcp",
        (
            *_TCP, "transport.profile=rfc", "transport.controller=newreno", "transport.initial_window=2",
            "transport.ack_every=1", "transport.sack=false",
        ),
        10.0,
    ),
    "RCP": ("rcp", ("transport.kind=rcp", "topology.link.queue=droptail", "topology.link.router=rcp"), 65.0),
}  # fmt: skip
"""By name: the published curve to compare with, settings, and by when a flow has to end to count, in s."""


@dataclass(frozen=True)
class Beside:
    """A bin of sizes."""

    size: int
    """Where the bin stands, in packets."""
    published: float
    """The median over its sizes of average completion times, in s."""
    own: float
    """The same, ours; not-a-number without flows."""

    @property
    def ratio(self) -> float:
        """Ours over the published."""
        return self.own / self.published


def averages(protocol: str, until: float | None = None) -> tuple[Floats, Floats]:
    """Run the published flows under one of :data:`PROTOCOLS` and average the times of each size.

    Parameters
    ----------
    protocol
        Its name.
    until
        By when a flow has to end to count, in s; as published by default.

    Returns
    -------
    tuple
        Sizes in packets, rising, and average completion times in s, both of shape (sizes,).
    """
    _, settings, published_until = PROTOCOLS[protocol]
    end = published_until if until is None else until
    starts, sizes = flows(end)
    with tempfile.TemporaryDirectory() as folder:
        lines = (
            f"{start:.9f},node0,node1,{PACKET * size:.0f}\n"
            for start, size in zip(starts, sizes, strict=True)
        )
        Path(folder, "flows.csv").write_text("start,source,destination,size\n" + "".join(lines))
        scenario = {
            "duration": f"{end}s",
            "topology": {"kind": "chain", "link": {"rate": "2.4Gbit/s", "delay": "50ms", "mtu": "1000B"}},
            "workloads": [{"kind": "trace", "name": "web", "file": "flows.csv"}],
            "record": {"samples": False},
        }
        results = Scenario.from_dict(scenario, settings, Path(folder)).run()
    times = results.flows["sender_completion_time"]
    ended = np.isfinite(times)
    packets = np.round(results.flows["size"] / PACKET)[ended]
    there, place, count = np.unique(packets, return_inverse=True, return_counts=True)
    return there, np.bincount(place, times[ended]) / count


def beside(protocol: str, found: tuple[Floats, Floats]) -> list[Beside]:
    """Compare averages of :func:`averages` with the published ones, bin by bin."""
    rows, low = [], 0
    sizes, times = found
    for entry in bins(PROTOCOLS[protocol][0]):
        here = times[(sizes > low) & (sizes <= entry.up_to)]
        rows.append(Beside(entry.size, entry.median, float(np.median(here)) if here.size else math.nan))
        low = entry.up_to
    return rows


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "-o", "--output", type=Path, help="folder for both published plots, drawn from our times"
    )
    folder = parser.parse_args().output
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            parser.error(f"{folder}: {error.strerror}; name a folder that can be made")
    found = {name: averages(name) for name in PROTOCOLS}
    for name, of_sizes in found.items():
        print(f"{name}\n{'packets':>8} {'published s':>12} {'ours s':>8} {'ratio':>6}")
        for row in beside(name, of_sizes):
            print(f"{row.size:8} {row.published:12.3f} {row.own:8.3f} {row.ratio:6.3f}")
    if folder is not None:
        _draw(found, folder)


def _draw(found: dict[str, tuple[Floats, Floats]], folder: Path) -> None:
    """Write both published plots, RCP and the TCP of ns-2, size by size."""
    from dumbbell.figures.style import save
    from dumbbell.papers.rcp_fct.plots import draw_sizes

    for name in ("normal", "log"):
        curves = {"rcp": found["RCP"], "tcp": found["Reno of ns-2"]}
        print(*save(draw_sizes(name, curves), folder / f"{name}-plot"), sep="\n")


if __name__ == "__main__":
    main()
