"""Link impairments: what happens to packets on their way.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

def delay_list(*, packets: Sequence[int], delay: str) -> dict[str, Any]:
    """Packets of a list arrive later.

    Reference: draft-ietf-ccwg-bbr-06 appendix A: cases with reordering at a given time.

    Parameters
    ----------
    packets
        The packets, by order of transmission, counted from 0. Unit: positions.
        Required.
    delay
        By how much they arrive later.
        Required.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def delay_steps(
    *, steps: Sequence[Mapping[str, Any]], every: str | None = None, keep_order: bool | None = None
) -> dict[str, Any]:
    """The delay steps at given times.

    Reference: RFC 9743 sections 7.3 and 7.9: varying delay, changes of the path.

    Parameters
    ----------
    steps
        The steps, sorted by time.
        Tables with these keys:
        - ``at``: duration. When. Required.
        - ``extra``: duration. What is added to the link's delay from then on. Required.
        Required.
    every
        The steps are repeated with this period, which begins without an extra delay.
        Default: absent: each step happens once.
    keep_order
        A packet that would overtake arrives together with the one before it. If false, packets on a shorter
        path overtake those on the longer one.
        Default: ``false`` (choice: a new path does not wait for the old one).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def duplication(*, probability: float) -> dict[str, Any]:
    """Some packets arrive twice.

    Reference: Hemminger, Network emulation with NetEm, linux.conf.au 2005.

    Parameters
    ----------
    probability
        Share of packets that are doubled.
        Required.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def jitter(
    *,
    spread: str,
    distribution: Literal["uniform", "normal", "exponential"] | None = None,
    keep_order: bool | None = None,
) -> dict[str, Any]:
    """A delay that varies from packet to packet.

    Reference: Hemminger, Network emulation with NetEm, linux.conf.au 2005.

    Parameters
    ----------
    spread
        Half the width of the uniform distribution, the standard deviation of the normal one, the mean of the
        exponential one.
        Required.
    distribution
        `uniform`: up to `spread` more or less than the link's delay. `normal`: around the link's delay,
        truncated at a delay of zero. `exponential`: added to the link's delay.
        Default: ``"uniform"`` (Linux tc-netem(8): DELAY JITTER).
    keep_order
        Packets keep their order: one that would overtake arrives together with the one before it. If false,
        packets overtake one another.
        Default: ``true`` (choice: on most paths delays vary in queues, which keep order (tc-netem reorders)).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def reordering(
    *,
    probability: float,
    place: Literal["back", "ahead"] | None = None,
    delay: str | None = None,
    packets: int | None = None,
    longest: str | None = None,
) -> dict[str, Any]:
    """Some packets change their position.

    Reference: Hemminger, Network emulation with NetEm, linux.conf.au 2005.

    Parameters
    ----------
    probability
        Share of packets that change their position.
        Required.
    place
        `back`: held back; `ahead`: sent ahead.
        Default: ``"back"`` (choice: one late packet is what a second path or a resent frame makes).
    delay
        Time by which such a packet is held back or sent ahead; instead of `packets`.
        Default: absent: `packets` says how far.
    packets
        Number of packets that it lets pass or overtakes; instead of `delay`. Unit: packets.
        Default: absent: `delay` says how far.
    longest
        With `packets`: the longest time that a packet is held back.
        Default: ``"1s"`` (RFC 6298 section 2.1: by then a sender has sent it again).

    Returns
    -------
    dict
        What to write in a scenario.
    """
