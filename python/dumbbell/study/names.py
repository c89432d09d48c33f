"""Names of a study that stand twice, whoever has made it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dumbbell.study.sizes import BySize

_RESERVED = frozenset(("run_id", "arm", "seed"))
"""Columns of every study's table."""


def clashes(
    axes: Sequence[str | None],
    arms: Sequence[str | None],
    metrics: Sequence[str | None],
    sized: Sequence[str | None],
    by_size: BySize | None,
) -> Iterator[str]:
    """Yield every name that stands twice: axes and metrics are columns of one table, arms values in another.

    Parameters
    ----------
    axes, arms, metrics, sized
        Names in their order, the last of the metrics by size; ``None`` for what has none.
    by_size
        Whose columns are names too.
    """
    columns = [
        *((f"axes[{i}].name", name) for i, name in enumerate(axes)),
        *((f"metrics[{i}].name", name) for i, name in enumerate(metrics)),
        *((f"by_size.metrics[{i}].name", name) for i, name in enumerate(sized)),
        *(("by_size", name) for name in (by_size.columns if by_size else ())),
        *((("by_size", by_size.axis.name),) if by_size else ()),
    ]
    seen: set[str] = set()
    for place, name in columns:
        if name is None:
            continue
        if name in _RESERVED:
            yield f"{place}: {name!r} is a column of every study; choose another name"
        elif name in seen:
            yield f"{place}: a second {name!r}; choose another name"
        seen.add(name)
    seen.clear()
    for index, arm in enumerate(arms):
        if arm is None:
            continue
        if arm in seen:
            yield f"arms[{index}].name: a second {arm!r}; choose another name"
        seen.add(arm)
