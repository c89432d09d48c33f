"""Laws of their kind: `dumbbell check` names the first that a controller breaks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dumbbell.own import laws
from dumbbell.own.compiler import compiled
from dumbbell.own.report import Report
from tests.own.laws import NEWRENO

SHIPPED = Path(laws.__file__).parent


def report(text: str, label: str = "NewReno") -> Report:
    return Report(*compiled(text, "law.py", label, {}))


@pytest.mark.parametrize(
    ("old", "new", "law"),
    [
        (
            "if not ack.repeated:",
            "if True or ack.repeated:",
            "a timer that expires again keeps the threshold",
        ),
        ("min(ack.acked, ack.growth_limit)", "ack.acked", "slow start adds no more than its limit"),
        ("ack.in_recovery or not", "ack.in_recovery and not", "the window grows only when it is the limit"),
        (
            "= self.half(ack)\n",
            "= 2 * ack.flight + 2 * ack.mss\n",
            "the threshold is a part of what was outst",
        ),
        ("control.window = ack.mss\n", "control.window = 2 * ack.mss\n", "a timeout leaves one segment"),
        ("min(control.window, ack.initial_window)", "9 * control.window", "an idle time opens no window"),
        ("control.window = control.threshold", "control.window = 0", "the window stays finite"),
    ],
)
def test_a_fault_breaks_the_law_that_forbids_it(old: str, new: str, law: str) -> None:
    assert report(NEWRENO).broken is None
    assert old in NEWRENO
    broken = report(NEWRENO.replace(old, new)).broken
    assert broken is not None
    assert broken.law.startswith(law)


def test_shipped_laws_keep_those_of_their_kind() -> None:
    # CUBIC of Linux counts whole segments, and HyStart ends its slow start: the laws of windows know neither.
    for name, label in (("aimd", "Aimd"), ("newreno", "NewReno"), ("prague", "Prague"), ("bbr3", "Bbr3")):
        assert report((SHIPPED / f"{name}.py").read_text(encoding="utf-8"), label).broken is None, name


def test_check_names_law_event_and_numbers(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(NEWRENO.replace("not ack.repeated", "ack.mss > 0"), encoding="utf-8")
    command = [sys.executable, "-m", "dumbbell", "check", "mine.py:NewReno", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    (found,) = json.loads(done.stdout)
    assert found["broken"]["event"] == "timeout"
    _, window, before, after = found["broken"]["windows"]
    assert window == 1000
    assert after < before
