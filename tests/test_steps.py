"""Runs in Python, step by step; and the page about them, block by block."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import dumbbell as db

PAGE = Path(__file__).parent.parent / "docs" / "steps.md"

TEXT = """
duration = "4s"
warmup = "500ms"
transport = { kind = "tcp", controller = "cubic" }
[topology]
kind = "dumbbell"
pairs = 2
bottleneck = { rate = "10Mbit/s", delay = "5ms", queue = "fq-codel" }
[[flows]]
from = "senders"
to = "receivers"
[[workloads]]
kind = "poisson"
from = "senders"
to = "receivers"
rate = 20
size = { kind = "pareto", mean = "20kB" }
"""


@pytest.fixture
def scenario() -> db.Scenario:
    return db.Scenario.from_toml(TEXT)


def content(results: db.Results) -> list[tuple[str, str, bytes]]:
    """Return all values of all tables as bytes."""
    return [
        (table.name, column.name, np.asarray(table[column.name]).astype("U").tobytes())
        if table[column.name].dtype.kind in "OU"
        else (table.name, column.name, table[column.name].tobytes())
        for table in results.tables
        for column in table.columns
    ]


def test_the_page_works(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(
        r"^```(python|)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    scope: dict[str, object] = {}
    shown = 0
    for kind, block in blocks:
        if kind == "python":
            exec(block, scope)
        else:
            assert capsys.readouterr().out == block
            shown += 1
    assert shown == 6


def test_steps_and_turns_change_no_byte(scenario: db.Scenario) -> None:
    scenarios = [scenario, scenario.with_seed(2)]
    runs = [each.start() for each in scenarios]
    for step in range(1, 40):
        for run in runs:
            assert not run.advance(step / 10)
            assert run.now == step / 10
            assert run.peek().flow.size
            if step % 13 == 0:
                run.tables()
    for run, each in zip(runs, scenarios, strict=True):
        assert run.advance()
        assert run.done
        assert content(run.tables()) == content(each.run())
    assert content(runs[0].tables()) != content(runs[1].tables())


def test_rows_that_were_taken_and_the_rest_are_all_rows(scenario: db.Scenario) -> None:
    scenario = scenario.with_("record.drops", True).with_("record.controllers", True)
    whole, run = scenario.run(), scenario.start()
    assert len(run.take().samples) == 0
    taken = []
    while not run.advance(run.now + 0.3):
        taken.append(run.take())
        assert len(run.take().samples) == 0
        assert len(run.tables().samples) == 0
        assert len(taken[-1].flows) == len(taken[-1].links) == 0
    with pytest.raises(db.ScenarioError, match="until: the run has ended at 4s; begin another"):
        run.take()
    taken.append(run.tables())
    for name in ("samples", "drops", "controller_states", "estimates"):
        ours = getattr(whole, name)
        assert len(ours) > 10
        for column in (column.name for column in ours.columns):
            parts = np.concatenate([getattr(part, name)[column] for part in taken])
            assert np.array_equal(parts, ours[column], equal_nan=parts.dtype.kind == "f"), (name, column)
    for name in ("runs", "flows", "links"):
        assert [table for table in content(run.tables()) if table[0] == name] == [
            table for table in content(whole) if table[0] == name
        ]


def test_a_run_whose_rows_are_taken_needs_no_room_for_them(scenario: db.Scenario) -> None:
    scenario = scenario.with_("duration", "100s").with_("record.period", "1ms").with_("workloads", [])
    limit = 20_000_000
    run = scenario.start(memory=limit)
    with pytest.raises(db.MemoryLimitError):
        run.advance()
    run, rows = scenario.start(memory=limit), 0
    while not run.advance(run.now + 1):
        rows += len(run.take().samples)
    assert rows > 100_000


def test_threads_are_for_a_run_without_pauses(scenario: db.Scenario) -> None:
    long = scenario.with_("workloads", [])
    run = long.start(threads=2)
    assert not run.advance("1s")
    assert run.advance()
    assert content(run.tables()) == content(long.run(threads=2)) == content(long.run(threads=1))


def test_a_look_is_cheap(scenario: db.Scenario) -> None:
    run = scenario.with_("workloads", []).start()
    run.advance("1s")
    before = time.process_time()
    for step in range(2000):
        run.advance(1 + step * 1e-6)
        run.peek()
    seconds = time.process_time() - before
    print(f"{2000 / seconds:,.0f} steps with a look a second")
    assert seconds < 1


def test_what_no_run_can_do_is_a_line(scenario: db.Scenario) -> None:
    run = scenario.start()
    run.advance("1s")
    told = {}
    for until in ("0.5s", 0.5, -1, float("nan"), "soon", "1e30s"):
        with pytest.raises(db.ScenarioError) as caught:
            run.advance(until)
        told[until] = str(caught.value)
    assert told["0.5s"] == told[0.5]
    assert told["0.5s"].startswith("until: the run has come to 1s, and does not go back to 500ms; give")
    assert told[-1].startswith("until: -1 is no time; give seconds")
    assert all(line.startswith("until: ") and "; " in line and "\n" not in line for line in told.values())
    assert run.now == 1
    assert not run.advance(1.0)
    with pytest.raises(TypeError):
        run.advance([])  # type: ignore[arg-type]
    assert run.advance("1h")
    for again in (run.advance, run.peek):
        with pytest.raises(db.ScenarioError, match="until: the run has ended at 4s; begin another"):
            again()
    assert run.now == 4
    with pytest.raises(db.DumbbellError, match="0 threads; give"):
        scenario.start(threads=0)


def test_two_threads_with_one_run(scenario: db.Scenario) -> None:
    run = scenario.with_("duration", "1000s").start()
    begun, over = threading.Event(), threading.Event()

    class EnoughError(Exception):
        pass

    def wait(_now: float, _duration: float, _events: int) -> None:
        begun.set()
        if over.is_set():
            raise EnoughError

    def advance() -> None:
        with pytest.raises(EnoughError):
            run.advance("900s", wait)

    thread = threading.Thread(target=advance)
    thread.start()
    assert begun.wait(60)
    for use in (run.advance, run.peek, run.tables, lambda: run.now):
        with pytest.raises(db.DumbbellError, match=r"run: another thread has it, .*; give each thread"):
            use()
    over.set()
    thread.join()
    # It stopped between two events.
    now = run.now
    assert 0 < now < 900
    assert not run.advance(now + 1)


def test_a_progress_function_cannot_advance_its_run(scenario: db.Scenario) -> None:
    run = scenario.with_("duration", "1000s").start()
    with pytest.raises(db.DumbbellError, match="or its own progress function"):
        run.advance("900s", lambda *_: run.advance("901s"))


def test_a_run_that_its_memory_ends(scenario: db.Scenario) -> None:
    # Far more arrives than leaves.
    flood = db.transport.cbr(rate="100Mbit/s")
    scenario = scenario.with_("topology.bottleneck.queue", db.queue.droptail(limit="unlimited")).with_(
        "transport", flood
    )
    run = scenario.start(memory=5_000_000)
    caught = None
    while caught is None:
        try:
            assert not run.advance(run.now + 0.1)
        except db.MemoryLimitError as error:
            caught = error
    assert "; " in str(caught)
    assert run.done
    assert 0 < run.now < 4
    results = run.tables()
    assert results is caught.results
    assert results.runs["ended"][0] == "memory"
    with pytest.raises(db.MemoryLimitError) as again:
        scenario.run(memory=5_000_000)
    assert content(again.value.results) == content(results)


def test_a_signal_stops_a_step_and_the_run_goes_on(tmp_path: Path) -> None:
    program = f"""
import os, signal, threading, time
import dumbbell as db
run = db.Scenario.from_toml({TEXT!r}, ["duration=1000s"]).start()
run.advance("1s")
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    run.advance()
except KeyboardInterrupt:
    now = run.now
    print(1 < now < 1000, run.advance(now + 1), run.now == now + 1)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("True False True\n", "")


def test_states_are_those_that_the_tables_write_down() -> None:
    run = db.Scenario.from_toml(TEXT, ["record.controllers=true"]).start()
    assert run.advance("1s") is False
    found, peek = run.states(), run.peek()
    assert (found.flow == peek.flow).all()
    assert len(found.state) == len(found.flow)
    written = run.tables().controller_states
    last = dict(zip(written["flow"].tolist(), written["state"].tolist(), strict=True))
    # Of a flow that has just begun there is nothing to write down.
    states = dict(zip(found.flow.tolist(), found.state, strict=True))
    assert states == {flow: last.get(flow, "slow-start") for flow in states}
    assert set(last) & set(states)
    groups = [group["name"] for group in db.Scenario.from_toml(TEXT).explain()["groups"]]
    flows = run.tables().flows
    named = dict(zip(flows["flow"].tolist(), flows["group"].tolist(), strict=True))
    assert [groups[i] for i in found.group.tolist()] == [named[flow] for flow in found.flow.tolist()]
    run.advance()
    with pytest.raises(db.ScenarioError, match="has ended"):
        run.states()
