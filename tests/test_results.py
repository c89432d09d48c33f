"""Results in memory and on disk."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dumbbell as db
from conftest import LONG, SCENARIO
from dumbbell import _native
from dumbbell._scenario import run_seeds
from dumbbell.errors import ScenarioError


def test_numpy_columns_have_the_types_declared(results: db.Results) -> None:
    flows = results.flows.to_numpy()
    assert flows["flow"].dtype == np.uint32
    assert flows["retransmissions"].dtype == np.uint64
    assert flows["counted"].dtype == np.bool_
    assert flows["group"].dtype.kind == "U"
    assert set(flows["group"].tolist()) == {"bulk", "web"}
    # Long flows have no size: null, which NumPy shows as not-a-number.
    assert np.isnan(flows["size"][flows["group"] == "bulk"]).all()
    assert (flows["size"][flows["group"] == "web"] > 0).all()


def test_columns_say_what_they_are(results: db.Results) -> None:
    columns = {column.name: column for column in results.flows.columns}
    assert columns["completion_time"].unit == "s"
    assert columns["goodput"].doc.startswith("In-order application bytes")
    with pytest.raises(KeyError, match="nonsense"):
        results.flows["nonsense"]


def test_arrow_pandas_and_polars_agree_with_numpy(results: db.Results) -> None:
    for table in results.tables:
        arrow = pa.table(table)
        assert arrow.column_names == list(table)
        frames = table.to_pandas(), table.to_polars(), pl.DataFrame(table), pd.DataFrame.from_arrow(table)
        for name in table:
            expected = table[name]
            nulls = int(np.isnan(expected).sum()) if expected.dtype.kind == "f" else 0
            assert arrow[name].null_count == nulls
            arrays = [arrow[name].to_numpy(), *(frame[name].to_numpy() for frame in frames)]
            for array in arrays:
                np.testing.assert_array_equal(np.asarray(array, dtype=expected.dtype), expected)


def test_a_table_says_the_same_before_it_is_arrow_and_after() -> None:
    before, after = (db.Scenario.from_toml(SCENARIO).run() for _ in range(2))
    for raw, arrow in zip(before.tables, after.tables, strict=True):
        names = pa.table(arrow).column_names
        assert (raw.name, len(raw)) == (arrow.name, len(arrow))
        for name in names:
            assert raw[name].dtype == arrow[name].dtype
            np.testing.assert_array_equal(raw[name], arrow[name])
            assert raw.native.labels(name) == arrow.native.labels(name)
            np.testing.assert_array_equal(raw.native.values(name), arrow.native.values(name))
        with pytest.raises(KeyError, match="nonsense"):
            raw["nonsense"]
        assert raw.provenance == arrow.provenance
        assert pa.table(raw).equals(pa.table(arrow))


def test_another_seed_tells_its_own_provenance() -> None:
    planned = db.Scenario.from_toml(SCENARIO)
    there = db.Scenario.from_toml(SCENARIO, ["seed=5"])
    assert planned.with_seed(5).plan_hash == there.plan_hash != planned.plan_hash
    assert planned.with_seed(5).run().provenance == there.run().provenance


def test_runs_one_after_the_other_are_those_made_alone() -> None:
    scenario = db.Scenario.from_toml(SCENARIO)
    runs = [(scenario.with_seed(9), 3), (scenario, 4)]
    made, failure = run_seeds(runs)
    assert failure is None
    for (of, seed), (numbers, together) in zip(runs, made, strict=True):
        assert together is not None
        assert not numbers
        alone = of.with_seed(seed).run()
        assert together.name == alone.name
        assert all(
            pa.table(a).equals(pa.table(b)) for a, b in zip(alone.tables, together.tables, strict=True)
        )
    with pytest.raises(ScenarioError, match="out of range"):
        run_seeds([(scenario, -1)])


def test_runs_before_one_that_fails_are_there() -> None:
    small, large = db.Scenario.from_toml(SCENARIO), db.Scenario.from_toml(LONG)

    class EnoughError(Exception):
        pass

    def progress(_now: float, duration: float, _events: int) -> None:
        if duration > 1000:
            raise EnoughError

    made, failure = run_seeds([(small, 1), (small, 2), (large, 3), (small, 4)], progress)
    assert [results.provenance["seed"] for _, results in made if results] == ["1", "2"]
    assert isinstance(failure, EnoughError)
    # Hundreds of flows at a time, in room for a few.
    settings = ["workloads[0].load=0.95", "topology.bottleneck.rate=200Mbit/s"]
    many = db.Scenario.from_toml(SCENARIO, settings)
    nothing = _native.Metrics([], False)
    for metrics in (None, nothing):
        made, failure = run_seeds([(small, 1), (many, 2), (small, 3)], memory=1_000_000, metrics=metrics)
        assert len(made) == 1, failure
        assert isinstance(failure, db.MemoryLimitError)
        assert failure.results.runs.row(0)["ended"] == "memory"


def test_arrow_outlives_its_source() -> None:
    arrow = pa.table(db.Scenario.from_toml(SCENARIO).run().flows)
    assert arrow.num_rows == len(arrow["goodput"].to_pylist())
    assert (
        pa.RecordBatchReader.from_stream(db.Scenario.from_toml(SCENARIO).run().links).read_all().num_rows > 0
    )


def test_arrow_schema_carries_units(results: db.Results) -> None:
    schema = pa.schema(results.flows)
    assert schema.field("goodput").metadata[b"unit"] == b"bit/s"
    assert schema.metadata[b"table"] == b"flows"


def test_saved_results_are_the_results(results: db.Results, tmp_path: Path) -> None:
    results.save(tmp_path / "out")
    read = db.load(tmp_path / "out")
    assert read.name == "small"
    for table, again in zip(results.tables, read.tables, strict=True):
        assert pa.table(table).equals(pa.table(again), check_metadata=True)
        assert table.provenance == again.provenance
    assert read.summary() == results.summary()


def test_other_readers_see_the_provenance(results: db.Results, tmp_path: Path) -> None:
    results.save(tmp_path / "out")
    metadata = pq.read_metadata(tmp_path / "out/links.parquet").metadata
    assert metadata[b"dumbbell.seed"] == b"3"
    assert metadata[b"dumbbell.version"].decode() == db.__version__
    scenario = db.Scenario.from_toml(metadata[b"dumbbell.scenario"].decode())
    assert scenario.plan_hash.encode() == metadata[b"dumbbell.plan_hash"]


def test_an_occupied_folder_is_not_touched(results: db.Results, tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("dear diary")
    with pytest.raises(db.FolderError, match="not results"):
        results.save(tmp_path, force=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["diary.txt"]


def test_a_failed_save_leaves_nothing(
    results: db.Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(db.Table, "write_parquet", fail)
    with pytest.raises(db.FolderError, match=r"new/out: the disk is full; free some space"):
        results.save(tmp_path / "new/out")
    assert list(tmp_path.iterdir()) == []


def test_summary_counts_what_the_tables_hold(results: db.Results) -> None:
    summary = json.loads(json.dumps(results.summary(), allow_nan=False))
    bulk, web = summary["groups"]
    flows = results.flows
    of_web = (flows["group"] == "web") & flows["counted"]
    times = flows["completion_time"][of_web]
    times = times[~np.isnan(times)]
    assert web["completion_time"]["count"] == len(times) > 10
    assert web["completion_time"]["p90"] == pytest.approx(np.quantile(times, 0.9))
    assert bulk["completion_time"]["mean"] is None
    assert bulk["flows"] == 2
    assert summary["provenance"]["seed"] == 3
    link = next(link for link in summary["links"] if link["link"] == "left->right")
    assert link["dropped"] > 0
    assert link["queue_mean"] <= 9
    assert 0.5 < link["utilisation"] <= 1


def test_what_ends_before_the_warm_up_counts_in_no_rate() -> None:
    early = db.Scenario.from_toml(SCENARIO, ["workloads=[]", "flows[0].size=10kB", "warmup=6s"]).run()
    assert early.runs.row(0)["flows_completed"] == 2
    assert early.runs.row(0)["goodput"] == 0
    assert early.flows["goodput"].tolist() == [0, 0]


def test_series_hold_the_samples_of_one_subject(results: db.Results) -> None:
    cwnd = results.series("cwnd")
    bulk = results.flows["flow"][results.flows["group"] == "bulk"]
    assert sorted(cwnd) == sorted(bulk.tolist())
    for times, values in cwnd.values():
        assert (np.diff(times) > 0).all()
        assert (values > 0).all()
    with pytest.raises(db.UnknownNameError, match="there is no series 'cwmd'; did you mean \"cwnd\""):
        results.series("cwmd")
    with pytest.raises(db.UnknownNameError, match="there is no cwnd of flow 99; there are 0 to "):
        cwnd[99]
    assert results.series("predicted") == {}


def test_threads_give_the_results_of_one_thread() -> None:
    scenarios = [db.Scenario.from_toml(SCENARIO, [f"seed={seed}"]) for seed in range(4)]
    seen: list[int] = []
    together = db.run_all(scenarios, threads=4, done=lambda index, _: seen.append(index))
    assert seen == [0, 1, 2, 3]
    for scenario, results in zip(scenarios, together, strict=True):
        alone = scenario.run()
        assert all(pa.table(a).equals(pa.table(b)) for a, b in zip(alone.tables, results.tables, strict=True))


def test_the_interpreter_lock_is_free_during_a_run() -> None:
    turns = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal turns
        while not stop.wait(0.001):
            turns += 1

    class EnoughError(Exception):
        pass

    def progress(*_: object) -> None:
        if turns > 50:
            raise EnoughError

    thread = threading.Thread(target=count)
    thread.start()
    try:
        with pytest.raises(EnoughError):
            db.Scenario.from_toml(LONG).run(progress)
    finally:
        stop.set()
        thread.join()


def test_one_failure_ends_the_other_runs() -> None:
    def fail(_index: int, _results: db.Results) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        db.run_all([db.Scenario.from_toml(SCENARIO), db.Scenario.from_toml(LONG)], threads=2, done=fail)


def test_progress_goes_forward() -> None:
    seen: list[tuple[float, float, int]] = []

    class EnoughError(Exception):
        pass

    def progress(now: float, duration: float, events: int) -> None:
        seen.append((now, duration, events))
        if len(seen) == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        db.Scenario.from_toml(LONG).run(progress)
    assert seen == sorted(seen)
    assert seen[0][1] == 100_000


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 127, 128, 129, 1000, 4099, 100_003])
def test_statistics_are_those_of_numpy_to_the_last_bit(size: int) -> None:
    values = np.random.default_rng(size).lognormal(3.0, 2.0, size)
    with_gaps = np.insert(values, size // 2, np.nan)
    p50, p90, p99 = np.quantile(values, (0.5, 0.9, 0.99)).tolist()
    mean, largest = float(values.mean()), float(values.max())
    assert _native.statistics(with_gaps) == {
        "count": size, "mean": mean, "p50": p50, "p90": p90, "p99": p99, "max": largest
    }  # fmt: skip


def test_statistics_of_nothing_are_absent() -> None:
    assert _native.statistics(np.array([np.nan])) == {
        "count": 0, "mean": None, "p50": None, "p90": None, "p99": None, "max": None
    }  # fmt: skip


def test_a_row_is_python_values(results: db.Results) -> None:
    flows = results.flows
    for index in (0, len(flows) - 1, -1):
        row = flows.row(index)
        assert list(row) == list(flows)
        for name, value in row.items():
            found = flows[name][index].item()
            assert value == (None if found != found else found)
            assert type(value) is type(found) or value is None
    with pytest.raises(IndexError):
        flows.row(len(flows))
