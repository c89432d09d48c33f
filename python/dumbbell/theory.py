"""What simulations are compared with: offline optima, exact processor sharing, closed forms.

Times are in seconds, sizes in bytes, rates in bit/s unless a function says otherwise.

Examples
--------
A link may delay two packets by 40 ms and knows their arrivals in advance. It needs at most 0.4 Mbit/s:

>>> from dumbbell import theory
>>> best = theory.optimal_rates(times=[0.0, 0.1], sizes=[1500, 2000], delay=0.04)
>>> best.rates.tolist()
[300000.0, 0.0, 400000.0]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dumbbell import _native
from dumbbell.errors import TheoryError

__all__ = [
    "Schedule",
    "TheoryError",
    "longest_sleep",
    "max_min_sharing",
    "optimal_rates",
    "processor_sharing",
    "sharing_line",
    "slow_start_line",
    "smallest_delay",
    "time_shared",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Schedule:
    """Bytes sent over time, piecewise linear."""

    times: Floats
    """Of the knots, shape (knots,), in s."""
    sent: NDArray[np.uint64]
    """Bytes sent by then, shape (knots,)."""
    durations: Floats
    """Of the pieces between knots, shape (knots - 1,), in s."""
    rates: Floats
    """Of the pieces, shape (knots - 1,), in bit/s."""

    @property
    def peak(self) -> float:
        """The largest rate, in bit/s."""
        return float(self.rates.max())

    def energy(self, power: Callable[[Floats], Floats], horizon: float | None = None) -> float:
        """Return the integral of power over time.

        Parameters
        ----------
        power
            From rates in bit/s to power, both of shape (n,).
        horizon
            From time zero up to here, in s: before and after the schedule the rate is zero. By default from
            the first knot to the last.

        Returns
        -------
        float
            In the unit of power times s.

        Raises
        ------
        TheoryError
            If the horizon ends before the schedule.
        """
        durations, rates = self.durations, self.rates
        if horizon is not None:
            if horizon < self.times[-1]:
                raise TheoryError(
                    f"the horizon of {horizon:g} s ends before the schedule at {self.times[-1]:g} s; raise it"
                )
            idle = horizon - (self.times[-1] - self.times[0])
            durations, rates = np.append(durations, idle), np.append(rates, 0.0)
        return float(durations @ power(rates))


def optimal_rates(times: ArrayLike, sizes: ArrayLike, delay: float) -> Schedule:
    """Return the schedule of least energy that sends every byte within a delay of its packet's arrival.

    It is the taut string between the bytes that have arrived and those that had arrived a delay before
    (Nedevschi et al., NSDI 2008). It has the least energy for every convex power function at once and the
    least peak rate: where that exceeds the rate of a link, the link cannot keep the delay.

    Parameters
    ----------
    times
        When packets arrived, shape (packets,), in rising order; nearest nanosecond.
    sizes
        Their bytes, shape (packets,).
    delay
        The longest time from arrival to the end of transmission, above zero.

    Raises
    ------
    TheoryError
        If there are no arrivals, they are not in order, or a number is out of range.
    """
    return Schedule(*_native.optimal_rates(_floats(times), _whole(sizes), delay))


def smallest_delay(times: ArrayLike, sizes: ArrayLike, rate: float) -> float:
    """Return the longest delay that packets see at a constant rate: no schedule below it keeps a smaller one.

    Parameters
    ----------
    times, sizes
        As in :func:`optimal_rates`, shape (packets,) each.
    rate
        In bit/s.

    Raises
    ------
    TheoryError
        If the arrivals are not in order, or a number is out of range.
    """
    return _native.smallest_delay(_floats(times), _whole(sizes), rate)


def longest_sleep(
    times: ArrayLike, sizes: ArrayLike, rate: float, delay: float, wake: float, horizon: float
) -> float:
    """Return the most time, in s, that a port of one rate can be asleep from time zero to a horizon.

    Over all ways to hold packets and send them in order, each gone within a delay of its arrival, the largest
    sum over gaps between busy periods of ``max(0, gap - wake)``. The gap after the last needs no waking. The
    time to find it grows with the packets that can come within the delay: 600 s of a 10 Mbit/s link take less
    than a second at load 0.5 and 30 ms, and many at load 0.9 and 200 ms.

    Parameters
    ----------
    times, sizes
        As in :func:`optimal_rates`, shape (packets,) each.
    rate
        In bit/s.
    delay
        The longest time from arrival to the end of transmission.
    wake
        How long waking takes.
    horizon
        At or after the last deadline.

    Raises
    ------
    TheoryError
        If the arrivals are not in order, a number is out of range, the rate too low to keep the delay, or the
        horizon too early.
    """
    return _native.longest_sleeping(_floats(times), _whole(sizes), rate, delay, wake, horizon)


def time_shared(rates: ArrayLike, powers: ArrayLike) -> Callable[[Floats], Floats]:
    """Return the least mean power at a mean rate when a port switches freely between levels.

    The lower convex envelope of the levels; below the lowest level, that level's power; infinite above the
    highest. A lower bound for every port that has these levels.

    Parameters
    ----------
    rates, powers
        Of the levels, shape (levels,), rates in bit/s.

    Raises
    ------
    TheoryError
        If there are no levels, not as many rates as powers, or numbers that are not finite.
    """
    levels, at_levels = _floats(rates), _floats(powers)
    if levels.shape != at_levels.shape:
        raise TheoryError(f"{levels.size} rates and {at_levels.size} powers; give as many of each")
    _native.envelope(levels, at_levels, np.zeros(1))
    return lambda rate: _native.envelope(levels, at_levels, _floats(rate))


def processor_sharing(
    starts: ArrayLike, work: ArrayLike, capacity: float, cap: float | None = None
) -> Floats:
    """Return the time that each job spends where all present share a capacity equally.

    Exact processor sharing, by virtual time, in O(log n) for each job.

    Parameters
    ----------
    starts
        When jobs arrive, shape (jobs,), in rising order, in s.
    work
        How much each is, shape (jobs,), in any unit.
    capacity
        In that unit per s.
    cap
        The most that one job gets, likewise; no limit by default.

    Returns
    -------
    ndarray
        Shape (jobs,), in s.

    Raises
    ------
    TheoryError
        If jobs are not in order, or a number is not finite or out of range.
    """
    return _native.processor_sharing(_floats(starts), _floats(work), capacity, cap)


def max_min_sharing(
    starts: ArrayLike,
    work: ArrayLike,
    classes: Sequence[int],
    paths: Sequence[Sequence[int]],
    capacities: Sequence[float],
) -> Floats:
    """Return the time that each flow takes where all have their max-min fair rates at every moment.

    Max-min fair as in Bertsekas & Gallager, Data Networks, 1992, section 6.5.2. Flows of a class have one
    rate, so each class has a virtual time of its own. With one link this is :func:`processor_sharing`.

    Parameters
    ----------
    starts
        When flows begin, shape (flows,), in rising order, in s.
    work
        How much each sends, shape (flows,), in any unit; infinite for a flow that does not end.
    classes
        Of each flow its class, shape (flows,), counted from 0.
    paths
        For each class the links that it crosses, counted from 0.
    capacities
        Of the links, in that unit per s.

    Returns
    -------
    ndarray
        Shape (flows,), in s; infinite for a flow that does not end.

    Raises
    ------
    TheoryError
        If flows are not in order, a number is out of range, or a class or link is not there.
    """
    own, links = [int(index) for index in classes], [[int(link) for link in path] for path in paths]
    if min([*own, *(link for path in links for link in path)], default=0) < 0:
        raise TheoryError("a class or link below 0 is not there; count from 0")
    return _native.max_min_sharing(_floats(starts), _floats(work), own, links, list(map(float, capacities)))


def sharing_line(sizes: ArrayLike, capacity: float, load: float, rtt: float) -> Floats:
    """Return the mean completion time by size under processor sharing.

    ``1.5 rtt + size / (capacity (1 - load))``: handshake and the way of the last packet, and the mean time in
    an M/G/1 processor-sharing queue (Dukkipati et al., IWQoS 2005), up to the last byte at the receiver.

    Parameters
    ----------
    sizes
        Shape (n,), in any unit.
    capacity
        In that unit per s.
    load
        Below 1.
    rtt
        Round-trip time in s.
    """
    return _native.sharing_line(_floats(sizes), capacity, load, rtt)


def slow_start_line(sizes: ArrayLike, capacity: float, rtt: float) -> Floats:
    """Return the completion time by size of a flow alone.

    ``(log2(size + 1) + 0.5) rtt + size / capacity``: slow start from a window of one packet (Dukkipati &
    McKeown, 2005, p. 2), up to the last byte at the receiver.

    Parameters
    ----------
    sizes
        In packets, shape (n,).
    capacity
        In packets per s.
    rtt
        Round-trip time in s.
    """
    return _native.slow_start_line(_floats(sizes), capacity, rtt)


def _floats(values: ArrayLike) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float64).reshape(-1)


def _whole(values: ArrayLike) -> NDArray[np.uint64]:
    return np.ascontiguousarray(values, dtype=np.uint64).reshape(-1)
