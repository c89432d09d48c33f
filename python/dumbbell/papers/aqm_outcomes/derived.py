"""The share of the datagrams."""

from dumbbell.study import Derived
from dumbbell.study.derived import Columns, Floats


def _share(runs: Columns) -> Floats:
    return 100 * runs["datagrams"] / (runs["datagrams"] + runs["tcp"])


DERIVED = (Derived("share", "share of the datagrams in the goodput", "%", _share, possible=(0, 100)),)
