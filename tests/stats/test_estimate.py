"""How estimates read, and what they become in JSON."""

import json
import math

from dumbbell import stats


def test_one_seed_has_no_interval():
    estimate = stats.mean([2.5])
    assert estimate.interval is None
    assert estimate.half_width is None
    assert str(estimate) == "2.5 (n=1, no interval)"


def test_no_seed_has_no_value():
    estimate = stats.mean([])
    assert math.isnan(estimate.value)
    assert str(estimate) == "no value (n=0)"


def test_text_has_unit_interval_and_count():
    assert stats.mean([1, 2, 3]).text("s") == "2 s [-0.4841, 4.484] (n=3, 95 %)"


def test_short_text_has_three_digits_and_no_count():
    assert stats.mean([1, 2, 3]).short("s") == "2 [-0.484, 4.48] s"
    assert stats.mean([2.5]).short("%") == "2.5 % (n=1, no interval)"
    assert stats.mean([]).short("s") == "no value (n=0)"


def test_json_holds_no_infinity():
    unbounded = stats.paired_ratio([1.0, 1.1, 0.9], [1.0, -1.0, 0.1])
    assert unbounded.interval == (-math.inf, math.inf)
    written = json.loads(json.dumps(unbounded.to_dict(), allow_nan=False))
    assert written["low"] is None
    assert written["n"] == 3
    assert "no bounds" in written["note"]
