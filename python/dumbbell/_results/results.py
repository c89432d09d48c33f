"""Results: tables in memory and on disk."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell import _native
from dumbbell._declared import SERIES, TABLES
from dumbbell._files.folder import new_folder, restore
from dumbbell._files.foreign import NotDataError, inside, parse_json
from dumbbell._files.names import real
from dumbbell._files.read import read_bytes
from dumbbell._files.text import control_character
from dumbbell._lookup import Numbered, unknown
from dumbbell._printing import significant
from dumbbell._results import html
from dumbbell._results.summary import summarise
from dumbbell._results.table import Table
from dumbbell._results.tables import Tables
from dumbbell.errors import FolderError

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

_MOST_SHOWN = 10
"""Groups and links of a run in a notebook; of links, those that are busiest."""


@dataclass(frozen=True, repr=False)
class Results(Tables):
    """Everything a run leaves behind: its tables, and the name of the scenario."""

    name: str = field(default="scenario", kw_only=True)
    """The name of the scenario."""

    @classmethod
    def of(cls, tables: Iterable[Table], name: str) -> Results:
        """The results that consist of these tables, under a name."""
        return cls(**{table.name: table for table in tables}, name=name)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables, in the order of their declaration."""
        return tuple(getattr(self, name) for name in TABLES)

    @property
    def provenance(self) -> dict[str, str]:
        """Version, plan hash, seed and scenario."""
        return self.runs.provenance

    def summary(self) -> dict[str, Any]:
        """Return the figures of merit: completion times, goodput, utilisation, loss, queues, fairness.

        Only JSON types; ``None`` where there is no value. Units: seconds, bits per second, packets, bytes.
        """
        return summarise(self.name, self)

    def series(self, metric: str) -> dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return the time series of one metric, by number of the flow or row of the link.

        Parameters
        ----------
        metric
            Its name, such as ``cwnd`` or ``queue``. The reference lists all, with their units:
            ``docs/reference/results.md``.

        Returns
        -------
        dict
            Times (s) and values, both of shape (samples,). Empty where nothing was recorded; of a number that
            is not there, it raises `UnknownNameError`.

        Raises
        ------
        UnknownNameError
            If there is no series of this name.
        """
        import numpy as np

        codes, labels = self.samples.codes("metric")
        if metric not in (*labels, *SERIES):
            raise unknown(metric, SERIES, "there is no series")
        missing = f"there is no {metric} of {SERIES[metric].of if metric in SERIES else 'number'}"
        if metric not in labels:
            return Numbered({}, missing)
        chosen = np.flatnonzero(codes == labels.index(metric))
        # Stable, so that the samples of one subject stay in order of time.
        chosen = chosen[np.argsort(self.samples["id"][chosen], kind="stable")]
        found, starts = np.unique(self.samples["id"][chosen], return_index=True)
        times, values = self.samples["time"][chosen], self.samples["value"][chosen]
        parts = zip(np.split(times, starts[1:]), np.split(values, starts[1:]), strict=True)
        return Numbered(dict(zip(found.tolist(), parts, strict=True)), missing)

    def plot(self, kind: str, width: str | None = None) -> Figure:
        """Draw one kind of figure: :func:`dumbbell.figures.draw` of this run.

        Parameters
        ----------
        kind
            ``cwnd``, ``rate``, ``rtt``, ``queue``, ``drops``, ``fct_cdf``, ``fct_size``, or any series.
        width
            ``single`` or ``double`` column.

        Raises
        ------
        NothingToDrawError
            If the results hold no data for it.
        """
        # Through the package: figures know results, and results know nothing of figures.
        figure: Figure = sys.modules["dumbbell"].figures.draw(kind, self, width)
        return figure

    def save(self, folder: str | os.PathLike[str], force: bool = False) -> Path:
        """Write the tables as Parquet, ``scenario.toml`` and ``summary.json`` into a new folder.

        The folder appears whole or not at all. The same results give the same bytes.

        Parameters
        ----------
        folder
            Where to; must not exist, or be empty.
        force
            Replace the results that are there. What dumbbell has not written is never removed: it refuses.

        Raises
        ------
        FolderError
            If the folder holds something, and not results or not `force`; if it holds anything else beside.
        """
        with new_folder(Path(folder), force) as part:
            self.write(part)
        return Path(folder)

    def write(self, folder: Path) -> None:
        """Write the files of :meth:`save` into an existing folder."""
        for table in self.tables:
            table.write_parquet(folder / f"{table.name}.parquet")
        (folder / "scenario.toml").write_text(self.provenance["scenario"], encoding="utf-8")
        text = json.dumps(self.summary(), indent=2, ensure_ascii=False, allow_nan=False)
        (folder / "summary.json").write_text(text + "\n", encoding="utf-8")

    def _repr_html_(self) -> str:
        summary = self.summary()
        run = summary["run"]
        facts = f"goodput {significant(run['goodput'] / 1e6)} Mbit/s over {run['duration']:g} s"
        groups = [
            (
                group["group"], group["controller"] or group["transport"], group["flows"],
                group["completed"], (group["goodput"]["mean"] or 0.0) / 1e6, group["completion_time"]["mean"],
                group["completion_time"]["p99"], group["retransmissions"],
            )
            for group in summary["groups"][:_MOST_SHOWN]
        ]  # fmt: skip
        links = [
            (
                link["link"], link["queue"], link["rate"] / 1e6, 100 * link["utilisation"],
                100 * link["loss"], link["queue_mean"], link["queue_p99"],
            )
            for link in sorted(summary["links"], key=lambda link: -link["utilisation"])[:_MOST_SHOWN]
        ]  # fmt: skip
        return (
            html.heading(self.name, facts)
            + html.table(
                (
                    "group", "controller", "flows", "completed", "mean goodput (Mbit/s)", "mean FCT (s)",
                    "p99 FCT (s)", "resent",
                ),
                groups,
            )
            + html.table(
                ("link", "queue", "rate (Mbit/s)", "used (%)", "loss (%)", "mean queue", "p99 queue"), links
            )
        )  # fmt: skip

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(table)} {table.name}" for table in self.tables)
        return f"<Results of {self.name!r}: {counts}>"


def load(folder: str | os.PathLike[str]) -> Results:
    """Read the results that :meth:`Results.save` wrote. They may be somebody else's.

    Raises
    ------
    FolderError
        If the folder does not hold results.
    """
    folder = Path(folder)
    with contextlib.suppress(OSError):
        restore(real(folder))
    if not folder.is_dir() and (folder.exists() or folder.is_symlink()):
        raise FolderError(f"{folder}: is not a folder; give one that `dumbbell run` has written")
    if (folder / "study.json").is_file():
        raise FolderError(f"{folder}: holds a study; `dumbbell report` draws its figures")
    try:
        results = _load(folder)
    except FileNotFoundError as error:
        missing = Path(error.filename).name
        raise FolderError(
            f"{folder}: no results here ({missing} is missing); make some with `dumbbell run`"
        ) from None
    except ValueError as error:
        raise FolderError(f"{folder}: damaged results ({error}); run the scenario again") from None
    return results


def _load(folder: Path) -> Results:
    """Read results; raise `ValueError` for what no run leaves behind."""
    import numpy as np

    tables = [
        Table(_native.read_parquet(inside(folder, folder / f"{name}.parquet"), name)) for name in TABLES
    ]
    for name, table in zip(TABLES, tables, strict=True):
        if table.name != name:
            raise ValueError(f"{name}.parquet: holds another table")
    try:
        summary = parse_json(read_bytes(inside(folder, folder / "summary.json")))
    except NotDataError as error:
        raise ValueError(f"summary.json: {error}") from None
    if not isinstance(summary, dict) or "name" not in summary:
        raise ValueError("summary.json: it has no name")
    name = summary["name"]
    if not isinstance(name, str) or control_character(name):
        raise ValueError("summary.json: the name is not a text of one line")
    results = Results.of(tables, name)
    for table in results.tables:
        about = table.provenance
        if not {"version", "plan_hash", "seed", "scenario"} <= set(about) or not about["seed"].isdecimal():
            raise ValueError(f"{table.name}.parquet: does not say which run it comes from")
        if any(map(control_character, (about["version"], about["plan_hash"]))):
            raise ValueError(f"{table.name}.parquet: its version or plan holds control characters")
    if len(results.runs) != 1:
        raise ValueError(f"runs.parquet: {len(results.runs):,} rows instead of one")
    of_flows = [name for name, series in SERIES.items() if series.of == "flow"]
    subjects = results.samples["id"][~np.isin(results.samples["metric"], of_flows)]
    places = {"samples": subjects, "drops": results.drops["link"], "arrivals": results.arrivals["link"]}
    quantiles = results.quantiles
    places["quantiles"] = quantiles["id"][quantiles["subject"] == "link"]
    for name, links in places.items():
        if links.size and links.max() >= len(results.links):
            raise ValueError(f"{name}.parquet: {name} of a link that is not there")
    return results
