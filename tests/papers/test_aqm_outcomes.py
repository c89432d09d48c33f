"""The region in which RED is stable is that of the publication."""

import math
import re

import pytest

from dumbbell.papers import find_paper


def sides(study, settings):
    """Both sides of the condition of Hollot et al. 2001, from the parameters of the study."""
    red = {key: float(value) for key, value in re.findall(r"(\w+) = '?([\d.e-]+)", settings)}
    flows = study.scenario["topology"]["pairs"]
    capacity = 15e6 / 8 / 500
    # The propagation delay, and a queue of 170 packets.
    rtt = 2 * (0.040 + 2 * 0.030) + 170 / capacity
    slope = red["max_probability"] / (red["max_threshold"] - red["min_threshold"])
    crossover = 0.1 * min(2 * flows / (rtt**2 * capacity), 1 / rtt)
    left = slope * (rtt * capacity) ** 3 / (2 * flows) ** 2
    return left, math.hypot(crossover / (red["weight"] * capacity), 1)


def test_the_condition_holds_for_the_first_weight_alone():
    study = find_paper("aqm-outcomes-red").study()
    axis = study.axis("weight")
    found = {weight: sides(study, text) for weight, (text,) in zip(axis.values, axis.settings, strict=True)}
    left, right = found[1.33]
    assert (left, right) == (pytest.approx(10.1, abs=0.3), pytest.approx(10.6, abs=0.3))
    assert [left <= right for left, right in found.values()] == [True, False, False]
