"""Arrival lists of work W2: Poisson arrivals, Pareto sizes; the same list goes to every simulator.

Standard library only, so that the lists do not move with a library's version.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

PAIRS = 10
RATE = 10e6
"""Bottleneck, bit/s."""
LOAD = 0.8
"""Nominal: arrivals per second x mean size on the wire / rate."""
SHAPE = 1.2
MEAN = 25
"""Packets per flow before rounding up."""
DURATION = 600.0
"""Seconds."""
PAYLOAD = 1460
WIRE = 1500
SEEDS = (1, 2, 3, 4, 5)


def arrivals(seed: int) -> list[tuple[float, int, int]]:
    """Flows as (start in seconds, host pair, size in packets), sorted by start."""
    rng = random.Random(seed)
    per_second = LOAD * RATE / (MEAN * WIRE * 8)
    scale = MEAN * (SHAPE - 1) / SHAPE
    flows = []
    start = rng.expovariate(per_second)
    while start < DURATION:
        # Inverse of the Pareto distribution function; 1 - random() lies in (0, 1].
        size = scale * (1 - rng.random()) ** (-1 / SHAPE)
        flows.append((start, rng.randrange(PAIRS), max(1, -int(-size // 1))))
        start += rng.expovariate(per_second)
    return flows


def write(folder: Path) -> list[Path]:
    """Writes one CSV per seed (start, source, destination, size in payload bytes) and returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for seed in SEEDS:
        path = folder / f"w2-arrivals-{seed}.csv"
        rows = "".join(
            f"{t:.9f},sender{pair},receiver{pair},{size * PAYLOAD}\n" for t, pair, size in arrivals(seed)
        )
        path.write_text("start,source,destination,size\n" + rows)
        paths.append(path)
    return paths


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for path in write(parser.parse_args().folder):
        print(path)


if __name__ == "__main__":
    main()
