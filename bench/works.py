"""The works that ns-2 runs too (``peers``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.arrivals import write
from bench.measure import BUILD, SCENARIOS


@dataclass(frozen=True)
class Work:
    """One work of `peers` and `bench`."""

    name: str
    scenario: Path
    lists: tuple[Path, ...] = ()
    """Arrival lists; physics are means over them, speed is measured on the first."""

    def settings(self, arrivals: Path | None) -> list[str]:
        """Return what the scenario needs to serve an arrival list."""
        if arrivals is None:
            return []
        return [f'workloads=[{{ kind = "trace", name = "web", file = "{arrivals}" }}]']

    def runs(self) -> tuple[Path | None, ...]:
        """Return the arrival lists, or one run without a list."""
        return self.lists or (None,)


def works() -> list[Work]:
    """Return the works, with their arrival lists written."""
    lists = tuple(write(BUILD / "arrivals"))
    return [
        Work("W1", SCENARIOS / "w1-dumbbell-bulk.toml"),
        Work("W2", SCENARIOS / "w2-dumbbell-web.toml", lists),
        Work("W4S", SCENARIOS / "w4s-long-fat.toml"),
    ]
