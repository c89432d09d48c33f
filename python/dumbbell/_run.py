"""Runs in progress: advanced up to a time, looked at, and advanced again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dumbbell._results import Results, Table
from dumbbell.errors import DumbbellError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dumbbell import _native
    from dumbbell._progress import Progress


class MemoryLimitError(DumbbellError, MemoryError):
    """A run that its limit of memory cut short.

    Parameters
    ----------
    message
        What took the memory, and what to do about it.
    results
        What was measured up to then; the table ``runs`` says that it ended by ``memory``.
    """

    def __init__(self, message: str, results: Results) -> None:
        super().__init__(message)
        self.results = results


class Peek(NamedTuple):
    """How a paused run stands: links whose queue is sampled, and flows in progress, each in order.

    Counters count from the start of the run or of the flow, so rates are differences of two looks.
    """

    link: NDArray[np.uint32]
    """Rows of the links in the table ``links`` and in :attr:`Run.links`, shape (links,)."""
    queue: NDArray[np.uint64]
    """Packets that wait or are in transmission, shape (links,)."""
    sent_bytes: NDArray[np.uint64]
    """Bytes fully transmitted, shape (links,)."""
    dropped: NDArray[np.uint64]
    """Packets dropped, for any reason, shape (links,)."""
    marked: NDArray[np.uint64]
    """Packets marked "congestion experienced", shape (links,)."""
    flow: NDArray[np.uint32]
    """Numbers of the flows, shape (flows,)."""
    window: NDArray[np.uint64]
    """Bytes that the window allows in flight, shape (flows,); 0 without a window."""
    rtt: NDArray[np.float64]
    """Smoothed round-trip times in s, shape (flows,); 0 before the first sample."""
    delivered: NDArray[np.uint64]
    """Bytes delivered in order, shape (flows,)."""
    retransmissions: NDArray[np.uint64]
    """Packets sent again, shape (flows,)."""


class States(NamedTuple):
    """What congestion control of flows in progress is about, in the order of :class:`Peek`."""

    flow: NDArray[np.uint32]
    """Numbers of the flows, shape (flows,)."""
    group: NDArray[np.uint32]
    """Their groups, as positions in ``Scenario.explain()["groups"]``, shape (flows,)."""
    state: list[str]
    """States such as ``slow-start``, as in the table ``controller_states``; empty text without states."""


class Run:
    """A run of a scenario in progress.

    :meth:`Scenario.start` makes one. Whatever pauses a run makes, its tables are the same, byte for byte.
    Runs may take turns in one thread: none knows of another.

    Examples
    --------
    >>> import dumbbell as db
    >>> scenario = db.scenario(
    ...     duration="10s",
    ...     topology=db.topology.dumbbell(pairs=2),
    ...     flows=[db.flows(from_="senders", to="receivers")],
    ... )
    >>> run = scenario.start()
    >>> run.advance("1s")
    False
    >>> run.now, run.peek().queue.shape
    (1.0, (1,))
    >>> len(run.tables().flows)
    2
    >>> run.advance()
    True
    >>> float(run.tables().runs["duration"][0])
    10.0
    """

    def __init__(self, native: _native.Run, name: str, links: tuple[str, ...]) -> None:
        self._native = native
        self._name = name
        self._links = links
        self._results: Results | None = None

    @property
    def links(self) -> tuple[str, ...]:
        """The names of the links, by their rows."""
        return self._links

    @property
    def now(self) -> float:
        """The simulated time that the run has come to, in s."""
        return self._native.now

    @property
    def done(self) -> bool:
        """Whether the run has ended."""
        return self._results is not None

    def advance(self, until: str | float | None = None, progress: Progress | None = None) -> bool:
        """Go on up to a time: all that happens up to and at it has happened then, and nothing after it.

        A signal, or what `progress` raises, stops the run between two events, and is passed on. The run may
        go on from there. One that goes to its end at once, without a pause before, begins again.

        Parameters
        ----------
        until
            Simulated time: text such as ``"1.5s"``, or seconds. By default, and behind the end, the end.
        progress
            Called about twenty times a second.

        Returns
        -------
        bool
            Whether the run has ended.

        Raises
        ------
        MemoryLimitError
            If the run would take more than its limit. It has ended then, and this holds what was measured.
        ScenarioError
            If `until` is no time or is past, or the run has ended before.
        DumbbellError
            If another thread has the run.
        """
        ended = self._native.advance(until, progress)
        if ended is None:
            return False
        tables, shortage = ended
        self._results = Results.of(map(Table, tables), self._name)
        if shortage is not None:
            raise MemoryLimitError(shortage, self._results)
        return True

    def peek(self) -> Peek:
        """Return how links and flows stand, cheaply enough for a look at each of thousands of steps a second.

        Nothing of the run changes. Before the first :meth:`advance` there is nothing to see.

        Raises
        ------
        ScenarioError
            If the run has ended: :meth:`tables` has all.
        DumbbellError
            If another thread has the run.
        """
        links, flows = self._native.peek()
        return Peek(*links, *flows)

    def states(self) -> States:
        """Return the states of congestion control of the flows in progress. Nothing of the run changes.

        Raises
        ------
        ScenarioError
            If the run has ended: with ``record.controllers`` the table ``controller_states`` has all.
        DumbbellError
            If another thread has the run.
        """
        return States(*self._native.states())

    def tables(self) -> Results:
        """Return the results of a run that has ended; of one that is paused, those of a run that ends here.

        The table ``runs`` says which: it ended by ``duration``, ``memory`` or ``paused``. Flows in progress
        stand as they are. The bytes that a link has sent are an estimate if it is neither sampled nor
        limited; ``sojourn_mean`` of a FIFO queue with packets is null. A pause makes no lazy queue decide:
        such drops are in the row of the link, and not yet in those of flows.

        Raises
        ------
        DumbbellError
            If another thread has the run.
        """
        if self._results is None:
            return Results.of(map(Table, self._native.tables()), self._name)
        return self._results

    def take(self) -> Results:
        """Return the rows since the last call of the tables that grow while the run goes on, in order.

        These are ``samples``, ``drops``, ``controller_states`` and ``estimates``; the others are empty. The
        run keeps the rows no longer, so a long run takes no more memory than a step of it. :meth:`tables` has
        the rows since the last call.

        Raises
        ------
        ScenarioError
            If the run has ended: :meth:`tables` has the last rows.
        DumbbellError
            If another thread has the run.

        Examples
        --------
        >>> import dumbbell as db
        >>> scenario = db.scenario(
        ...     duration="10s",
        ...     topology=db.topology.dumbbell(pairs=2),
        ...     flows=[db.flows(from_="senders", to="receivers")],
        ... )
        >>> run, rows = scenario.start(), 0
        >>> while not run.advance(run.now + 1):
        ...     rows += len(run.take().samples)
        >>> rows + len(run.tables().samples) == len(scenario.run().samples)
        True
        """
        return Results.of(map(Table, self._native.take()), self._name)

    def __repr__(self) -> str:
        return f"<Run of {self._name!r}, {'ended' if self.done else 'going on'}>"
