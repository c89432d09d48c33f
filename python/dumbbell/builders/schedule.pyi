"""Schedules: when an application writes or reads, and how much.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

def listed(*, actions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A list of times and bytes.

    Reference: choice: what a program was seen to do.

    Parameters
    ----------
    actions
        The actions, sorted by time: `{ at = "1s", bytes = "10kB" }` and so on.
        Tables with these keys:
        - ``at``: duration. When, since the start. Required.
        - ``bytes``: size. Bytes that it writes or reads. Required.
        Required.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def on_off(
    *,
    rate: str,
    piece: str | None = None,
    mean_on: str | None = None,
    mean_off: str | None = None,
    periods: Literal["exponential", "fixed"] | None = None,
) -> dict[str, Any]:
    """Bursts of constant rate, and silences.

    Reference: Brady, A model for generating on-off speech patterns, BSTJ 1969.

    Parameters
    ----------
    rate
        Application bytes in a time, during a burst.
        Required.
    piece
        Bytes each time.
        Default: ``"4kB"`` (choice: three segments, a page of memory).
    mean_on
        Mean length of a burst.
        Default: ``"500ms"`` (ns-2.35 tcl/lib/ns-default.tcl: burst_time_ of exponential traffic).
    mean_off
        Mean length of a silence.
        Default: ``"500ms"`` (ns-2.35 tcl/lib/ns-default.tcl: idle_time_ of exponential traffic).
    periods
        Distribution of both lengths: `exponential` or `fixed`.
        Default: ``"exponential"`` (choice: as of the transport `on-off`).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def rate(*, rate: str, piece: str | None = None) -> dict[str, Any]:
    """Constant rate, in equal pieces.

    Reference: choice: a stream of constant quality.

    Parameters
    ----------
    rate
        Application bytes in a time.
        Required.
    piece
        Bytes each time.
        Default: ``"4kB"`` (choice: three segments, a page of memory).

    Returns
    -------
    dict
        What to write in a scenario.
    """
