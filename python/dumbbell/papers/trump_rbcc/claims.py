"""The claims of the tables of losses, one for each row and rule. ``claims.toml`` has those of the text."""

from __future__ import annotations

from dumbbell.claims import Claim, Order, Ratio
from dumbbell.papers.trump_rbcc.published import SWEEPS, lost

_TABLES = "[T98], table {}"

_NEAR = 0.05
"""Rows that differ from the base by less than this share are the same: 551 and 550, or 551 and 549."""

_SAME = 0.15
"""Within which ours must then lie. Choice: three times that."""


_FACTOR = 1.5
"""Within which a ratio to the base follows the published one. An ordering lets a factor of 10 pass."""

_ALPHA = (
    "27,389 packets are those of a few networks that become unstable: 95 % of the networks lose 4 or fewer. "
    "None of our 500 becomes unstable. A search over routers, messages, rates, delays to 0.4 s and starts "
    "found none; the inputs of chapter 10 would settle it."
)

_BUFFER = (
    "The direction is that of the thesis. With T = 10 our queues still cross T: acknowledgements of 40 "
    "octets count as packets in a buffer of 15,000 octets."
)

_SIZE = (
    "Losses grow with the size as published, and faster: a rate that is known later is wrong for longer, and "
    "our few lossy networks have a link of up to 69 ms."
)


def _reason(arm: str) -> str:
    """Return why a row is not reproduced, as far as that is known."""
    reasons = {"alpha": _ALPHA, "threshold-10": _BUFFER, "selacksize": _SIZE}
    return next((why for start, why in reasons.items() if arm.startswith(start)), "")


def _row(table: str, value: str, arm: str) -> Claim:
    """Return the claim that a row of a table makes: more is lost than with the base, less, or as much."""
    share = lost(arm) / lost("base")
    source = f"{_TABLES.format(table)}: {lost(arm):.0f} and {lost('base'):.0f} packets"
    of = f"With {value} (table {table}) "
    rule: Order | Ratio
    if abs(share - 1) < _NEAR:
        what, rule = "as many packets are lost as", Ratio(arm, "base", 1 - _SAME, 1 + _SAME)
    elif share > 1:
        what, rule = "more packets are lost than", Order(("base", arm))
    else:
        what, rule = "fewer packets are lost than", Order((arm, "base"))
    ours = f"{100 * _SAME:.0f} % more or less stand for as many"
    return Claim(f"lost-{arm}", f"{of}{what} with the base.", source, "lost", rule, _reason(arm), ours)


def _followed(table: str, value: str, arm: str) -> Claim:
    """Return the claim that the ratio of a row to the base is the published one, up to a factor."""
    share = lost(arm) / lost("base")
    return Claim(
        f"ratio-{arm}",
        f"With {value} (table {table}) {share:.2f} times as many packets are lost as with the base, up to a "
        f"factor of {_FACTOR:g}.",
        f"{_TABLES.format(table)}: {lost(arm):.0f} and {lost('base'):.0f} packets",
        "lost",
        Ratio(arm, "base", share / _FACTOR, share * _FACTOR),
        _reason(arm),
        f"a factor of {_FACTOR:g}: above most effects of the thesis, and far below the 10 that an ordering "
        "lets pass",
    )


_NAMES = {
    "11.3": "rate quenches",
    "11.4": "reverse updates",
    "11.5": "T = {}",
    "11.6": "alpha = {}",
    "11.7": "acknowledgements of {}",
    "11.8": "{}",
    "11.10": "the recommended parameters",
}

CLAIMS = tuple(
    make(sweep.table, _NAMES[sweep.table].format(value.replace("_", " ")), arm)
    for make in (_row, _followed)
    for sweep in SWEEPS
    for value, arm in sweep.arms
    if arm != "base"
)
