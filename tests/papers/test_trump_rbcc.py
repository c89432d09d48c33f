"""The random networks of the study, and its tables."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dumbbell import Scenario, papers
from dumbbell.papers.trump_rbcc import metrics
from dumbbell.papers.trump_rbcc.effects import best, shares
from dumbbell.papers.trump_rbcc.published import MEASUREMENTS, SWEEPS, lost, published
from dumbbell.papers.trump_rbcc.tables import TABLES, follows, of_arm
from tests.papers.test_papers import made_up


@pytest.fixture(scope="module")
def study():
    return papers.find_paper("trump-rbcc").study()


def scenario(study, *settings):
    return Scenario.from_dict(study.scenario, settings, study.base_dir)


def test_every_published_number_has_an_arm(study):
    arms = {arm.name for arm in study.arms}
    named = {(sweep.table, value) for sweep in SWEEPS for value, _ in sweep.arms}
    assert {(table, value) for table, value, _ in published()} == named
    assert {arm for sweep in SWEEPS for _, arm in sweep.arms} <= arms
    assert (len(published()), lost("base"), lost("alpha-375"), lost("recommended")) == (261, 551, 357, 259)


def test_the_networks_have_the_packet_visits_of_the_base_row(study):
    # 1470 packets and their acknowledgements visit each router on the way. Published: hits and misses of
    # 109,446 in the median, hits from 93,060 to 128,708.
    plain = scenario(study, "nodes=[]", "transport=tcp")
    pairs = [plain.with_seed(seed).explain()["pairs"] for seed in study.seeds[:200]]
    visits = [2 * 1470 * sum(len(pair["path"]) - 2 for pair in of) for of in pairs]
    low, median, high = np.quantile(visits, [0.05, 0.5, 0.95])
    assert median == pytest.approx(109_446, rel=0.04)
    # The fit weighs 25 numbers, of which these are two: the least are fewer, the most are more.
    assert (low, high) == (pytest.approx(93_060, rel=0.09), pytest.approx(128_708, rel=0.06))


def test_a_ratio_follows_within_a_factor_and_rounding():
    sweeps = {sweep.table: sweep for sweep in SWEEPS}
    # 512 and 214 updates are 2.39.
    ours = [follows("abt", sweeps["11.5"], "1", ratio) for ratio in (1.5, 1.7, 3.5, 3.7)]
    assert ours == [False, True, True, False]
    # 0.001 s and 0.001 s are anything from a third to three times.
    ours = [follows("e2edev", sweeps["11.3"], "yes", ratio) for ratio in (0.2, 0.23, 4.4, 4.6)]
    assert ours == [False, True, True, False]
    assert not follows("lost", sweeps["11.6"], "0.125", float("nan"))


def test_measurements_end_with_the_last_message(study):
    results = scenario(study, "nodes=[]", "transport={ kind = 'tcp', profile = 'rfc' }").run()
    end = metrics.finished(results)
    assert 5 < end < 100
    links = results.links
    busy = 8 * links["sent_bytes"].max() / links["rate"][links["sent_bytes"].argmax()] / end
    assert metrics.hiutil(results) >= 0.999 * busy
    assert metrics.hiutil(results) <= 1
    assert np.isnan(metrics.hits(results)), "nobody counts hits"


def test_hits_and_misses_are_the_visits_of_packets(study):
    results = scenario(study).run()
    links = results.links
    routers = np.char.startswith(links["source"], "router")
    # Set-up, data, acknowledgements and teardown; a quench is in no table.
    visits = links["arrived"][routers].sum()
    assert metrics.hits(results) + metrics.misses(results) == pytest.approx(visits, rel=0.01)


def test_tables_show_both_sides_of_every_measurement(study):
    result = made_up(study, seeds=4)
    for table in papers.find_paper("trump-rbcc").tables():
        data = table.make(result)
        assert all(len(row) == len(data.columns) for row in data.rows)
        if table.id.startswith("sweep"):
            assert len(data.rows) == 2 * len(MEASUREMENTS)
    for plot in papers.find_paper("trump-rbcc").plots():
        assert plot.draw(result).axes


def test_the_held_apart_networks_are_others(study):
    apart = papers.find_paper("trump-rbcc-held-apart").study()
    assert not set(apart.seeds) & set(study.seeds)
    assert len(apart.seeds) == len(study.seeds)


def test_networks_are_matched_by_their_seeds(study):
    """The first network of the base is missing: the others keep their own numbers."""
    result = made_up(study, seeds=4)
    names = result.table.column_names
    rows = [
        row | {"lost": float(row["seed"] == study.seeds[2]), "hiqueue": float(row["seed"])}
        for row in result.table.to_pylist()
        if (row["arm"], row["seed"]) != ("base", study.seeds[0])
    ]
    some = replace(result, table=pa.Table.from_pylist(rows).select(names))
    assert of_arm(some, "hiqueue", "recommended", losers=True).tolist() == [study.seeds[2]]


def test_sums_of_few_networks_are_scaled_beside_published_ones(study) -> None:
    def sums(seeds):
        result = made_up(study, value=lambda *place: 2 + 1e-6 * place[-1], seeds=seeds)
        (spec,) = [table for table in TABLES if table.id == "sweep-11-3"]
        return next((row[0], row[1]) for row in spec.make(result).rows if row[0].startswith("lost, ours"))

    assert sums(50) == ("lost, ours, 50 networks scaled to 500", "1000 (2 to 2)")
    assert sums(500) == ("lost, ours", "1000 (2 to 2)")


def test_effects_of_an_additive_grid_have_no_interaction() -> None:
    # Medians: 0, 1, 2 along the first factor and 0, 4 along the second. Variances: 2/3 and 4.
    cells = np.add.outer(np.arange(3.0), np.array([0.0, 4.0]))
    values = cells[..., None] + np.zeros(5)
    found = {share.term: share.value for share in shares(values, "median")}
    assert found == pytest.approx({(1,): 4 / (4 + 2 / 3), (0,): (2 / 3) / (4 + 2 / 3), (0, 1): 0})
    values[2, 1] += 6
    found = {share.term: share.value for share in shares(values, "median")}
    assert found[0, 1] > 0.1
    assert sum(found.values()) == pytest.approx(1)


def test_best_names_what_may_be_as_good() -> None:
    rng = np.random.default_rng(5)
    networks = rng.poisson(10, size=200).astype(float)
    values = np.stack([networks, networks + rng.integers(-1, 2, size=200), networks + 3])
    at, alike = best(values)
    assert at[0] in (0, 1)
    assert alike.tolist() == [True, True, False]
