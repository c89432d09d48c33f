"""Scenarios: one experiment, described once."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dumbbell import _native, _trace
from dumbbell._files.names import readable
from dumbbell._files.read import read_text
from dumbbell._memory import limit_of_run
from dumbbell._progress import Progress, line_of_notebook
from dumbbell._results import Results, Table, html
from dumbbell._run import MemoryLimitError, Run
from dumbbell._system import usable_cores
from dumbbell._threads import checked, idle_cores
from dumbbell.errors import ScenarioError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_SHOWN = 12
"""Links and groups of a scenario in a notebook."""


class Scenario:
    """A valid experiment, ready to run.

    Make one with :meth:`from_file`, :meth:`from_toml`, :meth:`from_dict`, or :func:`dumbbell.scenario`.

    Examples
    --------
    >>> import dumbbell as db
    >>> scenario = db.scenario(
    ...     duration="10s",
    ...     topology=db.topology.dumbbell(pairs=2),
    ...     flows=[db.flows(from_="senders", to="receivers")],
    ... )
    >>> len(scenario.run().flows)
    2
    """

    def __init__(self, native: _native.Scenario, name: str | None = None) -> None:
        self._native = native
        self._name = name

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], settings: Iterable[str] = ()) -> Scenario:
        """Read a TOML file.

        Parameters
        ----------
        path
            The file. Names of other files in it count from its folder.
        settings
            Changes, each ``path=value``: ``"topology.bottleneck.rate=20Mbit/s"``.

        Raises
        ------
        ScenarioError
            The first thing wrong with the scenario.
        OSError
            If the file cannot be read.
        """
        path = Path(path)
        try:
            text = read_text(path)
        except UnicodeDecodeError as error:
            raise ScenarioError("", f"not UTF-8 text (byte {error.start})", "save it as UTF-8") from None
        return cls(_native.Scenario.from_toml(text, list(settings), path.parent, False), readable(path.stem))

    @classmethod
    def from_toml(
        cls,
        text: str,
        settings: Iterable[str] = (),
        base: str | os.PathLike[str] = ".",
        *,
        confined: bool = False,
    ) -> Scenario:
        """Read TOML text.

        Parameters
        ----------
        text
            What a file would hold.
        settings
            Changes, each ``path=value``.
        base
            The folder from which names of files count.
        confined
            Open no file outside `base`: for a scenario that somebody else has written.

        Raises
        ------
        ScenarioError
            The first thing wrong with the scenario.
        """
        return cls(_native.Scenario.from_toml(text, list(settings), base, confined))

    @classmethod
    def from_dict(
        cls,
        values: dict[str, Any],
        settings: Iterable[str] = (),
        base: str | os.PathLike[str] = ".",
        *,
        confined: bool = False,
    ) -> Scenario:
        """Read a dictionary of the same keys and values as a TOML file.

        Parameters
        ----------
        values
            The scenario.
        settings, base, confined
            As in :meth:`from_toml`.

        Raises
        ------
        ScenarioError
            The first thing wrong with the scenario.
        """
        return cls(_native.Scenario.from_dict(values, list(settings), base, confined))

    @property
    def name(self) -> str:
        """The name the scenario gives itself, else that of its file, else ``scenario``."""
        return self._native.name or self._name or "scenario"

    @property
    def seed(self) -> int:
        """The seed of every random stream."""
        return self._native.seed

    @property
    def plan_hash(self) -> str:
        """SHA-256 of the resolved scenario, in hexadecimal."""
        return self._native.plan_hash

    @property
    def libraries(self) -> list[tuple[str, str]]:
        """Libraries whose code the experiment runs: the file as it is named, and its controller's name."""
        return self._native.libraries

    def with_seed(self, seed: int) -> Scenario:
        """Return the same scenario under another seed.

        It is not planned again, so this takes microseconds, unless the topology is random.

        Raises
        ------
        ScenarioError
            If the seed is not a whole number of 63 bits, or the scenario names what the network of this seed
            does not have.
        """
        return Scenario(self._native.with_seed(_checked(seed)), self._name)

    def with_(self, path: str, value: object) -> Scenario:
        """Return the same scenario with another value at a path: what ``--set path=value`` does.

        Parameters
        ----------
        path
            Keys with dots, indices in brackets: ``flows[0].transport.controller``.
        value
            Anything that a scenario may hold there: text such as ``"20Mbit/s"``, a number, a dictionary, what
            a builder of :mod:`dumbbell` returns.

        Raises
        ------
        ScenarioError
            If the path leads nowhere, or the value does not fit.

        Examples
        --------
        >>> import dumbbell as db
        >>> scenario = db.scenario(
        ...     duration="10s",
        ...     topology=db.topology.dumbbell(),
        ...     flows=[db.flows(from_="senders", to="receivers")],
        ... )
        >>> short = scenario.with_("topology.bottleneck.queue.limit", "0.5bdp")
        >>> short.to_dict()["topology"]["bottleneck"]["queue"]["limit"]
        '0.5bdp'
        """
        return Scenario(self._native.with_value(path, value), self._name)

    def to_dict(self) -> dict[str, Any]:
        """Every field, defaults filled in."""
        return self._native.to_dict()

    def to_toml(self) -> str:
        """Every field, defaults filled in, as TOML."""
        return self._native.to_toml()

    def explain(self) -> dict[str, Any]:
        """The plan: resolved rates, delays, bandwidth-delay products, buffers, offered load."""
        return self._native.explain()

    def fluid(
        self, seeds: Iterable[int], group: str | None = None, share: float = 1.0
    ) -> list[NDArray[np.float64]]:
        """Return completion times of the flows as a fluid, under each of some seeds; no packet is simulated.

        All flows have their max-min fair rates at every moment, as :func:`dumbbell.theory.max_min_sharing`
        has it, and take 1.5 round-trip times more. A flow without a size takes its share up to the end.

        Parameters
        ----------
        seeds
            Of the arrivals.
        group
            The flows of one group alone.
        share
            The part of the rate that each link has, above 0.

        Returns
        -------
        list
            For each seed an array of shape (flows,): times in s of the flows that start after the warm-up and
            end before the run does, in order of start.

        Raises
        ------
        TheoryError
            If arrivals are not known beforehand, or a pair has several paths.
        """
        return self._native.fluid(list(seeds), group, share)

    def threads(self, threads: int | None = None) -> tuple[int, str | None]:
        """On how many threads :meth:`run` would run now; and why it is one, if it is.

        Parameters
        ----------
        threads
            As for :meth:`run`.
        """
        count, _, reason = self._native.threads(checked(threads), idle_cores())
        return count, reason

    def expected_threads(self) -> tuple[int, float, str | None]:
        """On how many threads :meth:`run` would run if all cores were idle.

        With that, how many times faster than one it would be, as far as can be told before; and why it is
        one, if it is.
        """
        return self._native.threads(None, usable_cores())

    def run(
        self, progress: Progress | None = None, memory: int | None = None, threads: int | None = None
    ) -> Results:
        """Run the experiment. Threads can run scenarios in parallel: the interpreter lock is not held.

        Parameters
        ----------
        progress
            Called about twenty times a second; what it raises ends the run and is passed on.
        memory
            The bytes that the run may take; by default a share of what the machine has left. The results of a
            run that fits do not depend on it.
        threads
            Threads for this one run; by default as many as pay of the cores that are idle now. A run that
            cannot be cut stays on one: see :meth:`threads`. The results do not depend on it.

        Raises
        ------
        MemoryLimitError
            If the run would take more. It holds what was measured up to then.
        DumbbellError
            If the number of threads is none.
        """
        run = self.start(memory, threads)
        run.advance(progress=progress)
        return run.tables()

    def start(self, memory: int | None = None, threads: int | None = None) -> Run:
        """Begin a run that advances step by step: see :meth:`Run.advance`.

        Parameters
        ----------
        memory
            As for :meth:`run`; by default a share of what the machine has left now.
        threads
            As for :meth:`run`, where the run goes to its end without a pause. With pauses it stays on one.

        Raises
        ------
        DumbbellError
            If the number of threads is none.
        """
        cores = idle_cores() if threads is None else 1
        native = self._native.start(limit_of_run(memory), checked(threads), cores)
        return Run(native, self.name, tuple(self._native.links))

    def trace(
        self,
        *,
        flows: Iterable[int] | None = None,
        links: Iterable[str] | None = None,
        start: str | None = None,
        until: str | None = None,
        limit: int | None = _trace.MOST,
        progress: Progress | None = None,
        memory: int | None = None,
    ) -> _trace.Trace:
        """Run the experiment, and return what happens to each packet as tables.

        Parameters
        ----------
        flows
            Numbers of flows; all by default.
        links
            Names of links. Without, what happens at the end points is there too.
        start, until
            Times such as ``"1.5s"``; the run stops at `until`.
        limit
            The most events of packets; ``None`` for no limit. The run is made twice, to count first.
        progress, memory
            As for :meth:`run`.

        Raises
        ------
        TraceLimitError
            If there would be more events than the limit.
        DumbbellError
            If a flow or a link does not exist.

        Examples
        --------
        >>> import dumbbell as db
        >>> scenario = db.scenario(
        ...     duration="1s",
        ...     topology=db.topology.dumbbell(),
        ...     flows=[db.flows(from_="senders", to="receivers", size="10kB")],
        ... )
        >>> packets = scenario.trace(flows=[0]).packets
        >>> str(packets["event"][0]), str(packets["kind"][0])
        ('sent', 'S')
        """
        selection = _trace.Selection.of(flows, links, start, until)
        return _trace.Tracing(self._native, selection, limit, progress, memory).collect()

    def write_trace(
        self,
        outputs: Mapping[str, str | os.PathLike[str] | None],
        *,
        flows: Iterable[int] | None = None,
        links: Iterable[str] | None = None,
        start: str | None = None,
        until: str | None = None,
        limit: int | str | None = _trace.MOST,
        capture: str = "sources",
        force: bool = False,
        progress: Progress | None = None,
        memory: int | None = None,
    ) -> _trace.Written:
        """Run the experiment, and write what happens to each packet to files.

        Files appear whole or not at all. The page ``docs/trace.md`` describes what is in them.

        Parameters
        ----------
        outputs
            A file for each form: ``lines``, ``json``, ``pcapng``, ``qlog`` or ``perfetto``. ``None`` is the
            standard output.
        flows, links, start, until
            As for :meth:`trace`.
        limit
            The most events of packets, or the most bytes of all files, such as ``"100MB"``; ``None`` for no
            limit. The run is made twice, to count first.
        capture
            Where packets of a capture are seen, unless `links` says it: at ``sources`` or ``destinations``.
        force
            Replace files that a trace has written.
        progress, memory
            As for :meth:`run`.

        Raises
        ------
        TraceLimitError
            If there would be more events than the limit.
        DumbbellError
            If a flow or a link does not exist, or a file cannot be written.
        """
        selection = _trace.Selection.of(flows, links, start, until)
        paths = {form: None if path is None else Path(path) for form, path in outputs.items()}
        tracing = _trace.Tracing(self._native, selection, limit, progress, memory)
        return tracing.write(paths, capture, force)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._name, *self._native.again())

    def __eq__(self, other: object) -> bool:
        """Whether the other scenario has the same name, seed and plan: their runs give the same bytes."""
        if not isinstance(other, Scenario):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[str, int, str]:
        return self.name, self.seed, self.plan_hash

    def _repr_html_(self) -> str:
        facts = self.explain()
        about = f"{facts['duration']:g} s, seed {facts['seed']}, {len(facts['nodes'])} nodes"
        links = [
            (
                link["name"], link["queue"], link["rate"] / 1e6, link["delay"] * 1e3, link["buffer_packets"],
                link["load"],
            )
            for link in facts["links"][:_MOST_SHOWN]
        ]  # fmt: skip
        groups = [
            (
                group["name"], group["kind"], group["controller"] or group["transport"], group["flows"],
                group["offered"] and group["offered"] / 1e6,
            )
            for group in facts["groups"][:_MOST_SHOWN]
        ]  # fmt: skip
        rest = len(facts["links"]) - len(links)
        return (
            html.heading(self.name, about)
            + html.table(("group", "kind", "controller", "flows", "offered (Mbit/s)"), groups)
            + html.table(
                ("link", "queue", "rate (Mbit/s)", "delay (ms)", "buffer (packets)", "load"),
                links,
                f"and {rest:,} links more" if rest else "",
            )
        )

    def __repr__(self) -> str:
        return f"<Scenario {self.name!r}, seed {self.seed}, plan {self.plan_hash[:12]}>"


def _again(name: str | None, *made_of: Any) -> Scenario:
    """Return a pickled scenario."""
    values, settings, base, confined = made_of
    return Scenario(_native.Scenario.from_dict(values, settings, base, confined), name)


def _checked(seed: int) -> int:
    if not 0 <= seed < 2**63:
        raise ScenarioError("seed", f"{seed} is out of range", "give a number from 0 to 2^63 - 1")
    return seed


Made: TypeAlias = "tuple[list[float], Results | None]"
"""A run that has ended: the numbers that were asked for, and its results if they were."""


def run_seeds(
    runs: Sequence[tuple[Scenario, int]],
    progress: Progress | None = None,
    memory: int | None = None,
    metrics: _native.Metrics | None = None,
) -> tuple[list[Made], BaseException | None]:
    """Make runs one after the other, each of a scenario under a seed.

    Threads that make small runs one by one wait for the interpreter lock for longer than the runs take; here
    it is held before the first and after the last only.

    Parameters
    ----------
    runs
        Scenarios and seeds.
    progress, memory
        As for :meth:`Scenario.run`.
    metrics
        Evaluated without the lock too: a number of each, not-a-number where Python has to evaluate it. Unless
        they ask for tables, there are no results then.

    Returns
    -------
    tuple
        Numbers and results of the runs that have ended, and what kept the next from it, if anything has.

    Raises
    ------
    ScenarioError
        If a seed is not a whole number of 63 bits.
    """
    native = [(scenario._native, _checked(seed)) for scenario, seed in runs]
    made, failure = _native.Scenario.run_seeds(native, limit_of_run(memory), progress, metrics)
    ended: list[Made] = []
    for (scenario, _), (numbers, (tables, shortage)) in zip(runs, made, strict=False):
        results = Results.of(map(Table, tables), scenario.name) if tables else None
        if shortage is not None:
            assert results is not None, "the tables of a run that was short of memory are kept"
            return ended, MemoryLimitError(shortage, results)
        ended.append((numbers, results))
    return ended, failure


class _CancelledError(Exception):
    """Ends the runs of the other threads when one fails or Ctrl-C is pressed."""


def run_all(
    scenarios: Sequence[Scenario],
    threads: int | None = None,
    done: Callable[[int, Results], object] | None = None,
    memory: int | None = None,
) -> list[Results]:
    """Run scenarios in parallel threads; results in the order of the scenarios.

    In a notebook, a line below the cell tells how many are done.

    Parameters
    ----------
    scenarios
        What to run.
    threads
        How many at a time; the number of usable cores by default.
    done
        Called in this thread with the index and the results of each scenario, in order.
    memory
        The bytes that the runs in progress may take, in equal parts; see :meth:`Scenario.run`.

    Raises
    ------
    MemoryLimitError
        If a run would take more than its part.
    """
    from concurrent.futures import ThreadPoolExecutor

    threads = threads or usable_cores()
    part = limit_of_run(memory, threads)
    stop = threading.Event()
    show = line_of_notebook()

    def watch(_now: float, _duration: float, _events: int) -> None:
        if stop.is_set():
            raise _CancelledError

    with ThreadPoolExecutor(threads) as pool:
        try:
            futures = [pool.submit(scenario.run, watch, part, 1) for scenario in scenarios]
            results = []
            for index, future in enumerate(futures):
                results.append(future.result())
                if show is not None:
                    show(f"{index + 1:,} of {len(scenarios):,} runs")
                if done is not None:
                    done(index, results[-1])
            return results
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
