"""Estimates with intervals.

Examples
--------
>>> from dumbbell import stats
>>> print(stats.mean([1.0, 2.0, 3.0]))
2 [-0.4841, 4.484] (n=3, 95 %)
>>> print(stats.mean([1.0]))
1 (n=1, no interval)
"""

from dumbbell.stats.control import FEWEST, FURTHER, controlled
from dumbbell.stats.estimate import CONFIDENCE, Estimate
from dumbbell.stats.intervals import (
    difference,
    mean,
    median,
    median_difference,
    median_ratio,
    paired_difference,
    paired_ratio,
    proportion,
    quantile,
)
from dumbbell.stats.tail import Tail, heavy_tail, tail
from dumbbell.stats.warmup import Cut, warmup

__all__ = [
    "CONFIDENCE",
    "FEWEST",
    "FURTHER",
    "Cut",
    "Estimate",
    "Tail",
    "controlled",
    "difference",
    "heavy_tail",
    "mean",
    "median",
    "median_difference",
    "median_ratio",
    "paired_difference",
    "paired_ratio",
    "proportion",
    "quantile",
    "tail",
    "warmup",
]
