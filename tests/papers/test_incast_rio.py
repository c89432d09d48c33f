"""The study of TCP Lite and RIO."""

import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dumbbell import Scenario, papers
from dumbbell.claims import judge
from dumbbell.papers.incast_rio.derived import DERIVED
from dumbbell.papers.incast_rio.tables import TABLES, direction, doing
from dumbbell.search import Search
from dumbbell.stats import Estimate
from dumbbell.study import derive, run_study
from dumbbell.study.metric import evaluate
from dumbbell.study.spec import filled


@pytest.fixture(scope="module")
def paper():
    return papers.find_paper("incast-rio")


@pytest.fixture(scope="module")
def study(paper):
    return paper.study()


def run(study, arm, **point):
    """The metrics that one run of an arm gives at a point."""
    settings = [text for axis in study.axes for text in axis.settings[axis.values.index(point[axis.name])]]
    changes = filled([*settings, *study.arm(arm).settings], point)
    results = Scenario.from_dict(study.scenario, [*changes, "seed=1"]).run()
    return {metric.name: evaluate(metric, results) for metric in study.metrics}


def test_at_10_kbit_s_every_timeout_is_spurious(study):
    lite = run(study, "droptail", rate=10, servers=12)
    assert lite["dropped"] == 0
    assert lite["timeouts"] == lite["spurious"] > 12
    assert lite["retransmissions"] > 24
    # What 120 s at 10 kbit/s carry of packets with 512 bytes of 564, less the handshakes.
    assert 150 < lite["delivered"] / 0.512 < 266


def test_at_10_kbit_s_rio_does_what_droptail_does(study):
    for servers in (4, 12):
        without, rio = (run(study, arm, rate=10, servers=servers) for arm in ("droptail", "rio"))
        same = ("delivered", "sent", "crossed", "retransmissions", "timeouts", "dropped", "sum_goodput")
        assert [rio[name] for name in same] == [without[name] for name in same]
        assert 5 < rio["average"] < 50, "below the threshold"


def test_rio_drops_green_packets_at_10_mbit_s(study):
    without, rio = (run(study, arm, rate=10_000, servers=16) for arm in ("droptail", "rio"))
    assert without["dropped"] == 0
    assert rio["dropped"] == rio["dropped_unprotected"] > 50
    assert rio["dropped_protected"] == 0
    assert rio["arrived_protected"] > 200
    assert np.isnan(rio["first_overflow"])
    assert rio["average"] > 50
    assert rio["slowest"] > 2 * without["slowest"]


def test_thresholds_above_the_limit_are_no_thresholds():
    readings = papers.find_paper("incast-rio-readings").study()
    point = {"rate": 10_000, "limit": 50, "window": 8, "servers": 20}
    rio = run(readings, "rio-unmarked", **point)
    assert rio["dropped"] == run(readings, "droptail", **point)["dropped"] > 0
    assert np.isnan(rio["first_early"])


def law(arm, **reading):
    study = papers.find_paper("incast-rio-law").study()
    return run(study, arm, rate=10, servers=20, **reading)


def test_slow_weights_let_rio_act_on_green_packets():
    slow = law("rio", weight=0.015625, unit="pkt", limit="300pkt")
    assert slow["average"] > 50
    assert slow["dropped"] == slow["dropped_unprotected"] > 0
    assert slow["dropped_protected"] == 0
    assert law("rio", weight=0.002, unit="pkt", limit="300pkt")["dropped"] == 0


def test_thresholds_in_bytes_raise_throughput():
    reading = {"weight": 1.0, "unit": "B", "limit": "300pkt"}
    rio, lite = law("rio", **reading), law("lite", **reading)
    assert rio["delivered"] > 1.3 * lite["delivered"]
    assert rio["dropped_protected"] > 0
    # With a slow average the same thresholds stop nearly all.
    assert law("rio", **{**reading, "weight": 0.002})["delivered"] < 0.2 * lite["delivered"]


def test_it_is_the_doing_of_what_changes_alone():
    assert doing(1, 0) == doing(-1, 0) == "Lite's"
    assert doing(0, -1) == "RIO's"
    assert doing(1, 1) == "both"
    assert doing(1, -1) == "one against the other"
    assert doing(0, 0) == "nobody's"
    sure = Estimate(-2.0, -3.0, -1.0, 5, 0.95, "")
    assert direction(sure) == -1
    assert direction(replace(sure, low=1.0, high=3.0)) == 1
    assert direction(replace(sure, high=1.0)) == direction(replace(sure, low=None, high=None)) == 0


def test_lite_does_what_the_joint_arms_show_at_10_kbit_s(small):
    rows = {row[0]: row[3:] for row in TABLES[0].make(derive(small, DERIVED)).rows}
    assert rows["figure 3, received (kB), 20 servers"][1:] == ("0", "Lite's")
    assert rows["figure 5, dropped, 20 servers"][2] == "nobody's"
    altered_rows = (
        TABLES[0]
        .make(
            derive(
                altered(small, "rio", delivered=lambda row: row["delivered"] + row["seed"] % 3 + 5), DERIVED
            )
        )
        .rows
    )
    assert {row[0]: row[5] for row in altered_rows}["figure 3, received (kB), 20 servers"] == "both"


def test_answer_says_whether_it_is_incast(paper, small):
    found = paper.answer(derive(small, DERIVED))
    assert "Client's link 10 kbit/s, 20 servers" in found
    assert "this is no incast" in found
    idle = altered(
        small, "droptail", busy=lambda row: 0.1 * row["busy"], spurious=lambda row: 0 * row["spurious"]
    )
    assert "this is incast" in paper.answer(derive(idle, DERIVED))


def test_thresholds_that_nothing_reaches_are_droptail():
    fit = papers.find_paper("incast-rio-fit").study()
    limit = fit.scenario["topology"]["port"]["limit"]
    droptail = replace(
        fit.arm("lite"),
        settings=(
            f"topology.port={{ kind = 'droptail', limit = '{limit}' }}",
            f"topology.link={{ rate = '10Mbit/s', delay = '{fit.scenario['topology']['link']['delay']}' }}",
        ),
    )
    both = replace(fit, arms=(fit.arm("lite"), droptail))
    found = [run(replace(both, arms=(arm,)), "lite", servers=20) for arm in both.arms]
    same = ("delivered", "sent", "retransmissions", "timeouts", "dropped")
    assert [found[0][name] for name in same] == [found[1][name] for name in same]
    assert found[0]["dropped"] > 0


def test_the_fitted_reading_is_one_that_its_search_may_find():
    paper = papers.find_paper("incast-rio-fit")
    search = Search.from_file(paper.folder / "reading.toml")
    assert len(search.targets) == 5
    assert len(search.claims) == 14
    factors = {factor.name: factor for factor in search.factors}
    scenario = paper.study().scenario
    topology, transport, (workload,) = (scenario[key] for key in ("topology", "transport", "workloads"))
    port, marker = topology["port"], topology["link"]["marker"]

    def number(text, unit):
        return float(text.removesuffix(unit))

    reading = {
        "unit": "bytes" if port["classes"][0]["min_threshold"] == "100B" else "packets",
        "weight": port["weight"],
        "limit": number(port["limit"], "pkt"),
        "yellow": port["classes"][0]["max_probability"],
        "green": port["classes"][1]["max_probability"],
        "agreed-rate": number(marker["rate"], "bit/s"),
        "burst": number(marker["burst"], "B"),
        "buffers": number(transport["receive_window"], "kB"),
        "delay": number(topology["receiver_link"]["delay"], "ms"),
        "jitter": number(workload["jitter"], "s"),
    }
    assert reading.keys() == factors.keys()
    for name, value in reading.items():
        factor = factors[name]
        assert value in factor.values if factor.values else factor.low <= value <= factor.high, name


def test_the_grid_is_whole():
    grid = papers.find_paper("incast-rio-grid").study()
    assert [len(axis.values) for axis in grid.axes] == [3, 5, 5]
    assert len(grid.arms) == 2 + 3 * 7
    # Each marker tells two classes apart.
    for how in ("tb", "tsw", "srtcm", "trtcm", "static", "ends"):
        found = run(grid, f"rio-c-{how}", rate=10_000, tcp="SACK", servers=16)
        assert 0.02 < found["arrived_protected"] / found["arrived_all"] < 1, how


def derived(**columns):
    columns = {name: np.array(values, np.float64) for name, values in columns.items()}
    for entry in DERIVED:
        try:
            columns[entry.name] = entry.function(columns)
        except KeyError:
            continue
    return columns


def test_throughput_counts_the_time_until_all_have_finished():
    found = derived(
        servers=[2, 2],
        completed=[2, 1],
        slowest=[80, 80],
        delivered=[100, 75],
        offered=[100, 100],
        busy=[40, 60],
    )
    assert found["elapsed"].tolist() == [80, 120]
    assert found["throughput"].tolist() == [10, 5]
    assert found["received"].tolist() == [200, 150]
    assert found["undelivered"].tolist() == [0, 50]
    assert found["used"].tolist() == [50, 50]


def test_what_never_happens_happens_at_the_end():
    nan = np.nan
    found = derived(first_early=[10, 10, nan, nan], first_overflow=[30, nan, 30, nan])
    assert found["early_lead"].tolist()[:3] == [20, 110, -90]
    assert np.isnan(found["early_lead"][3])
    found = derived(dropped_protected=[0, 1, 0], dropped=[4, 4, 0])
    assert found["protected_share"].tolist()[:2] == [0, 25]
    assert np.isnan(found["protected_share"][2])


@pytest.fixture(scope="module")
def small(study, tmp_path_factory):
    """A result with enough of the study for its claims."""
    servers = study.axis("servers").keeping((4, 8, 12, 16, 20))
    arms = tuple(study.arm(name) for name in ("tahoe", "droptail", "rio"))
    part = replace(study, axes=(study.axis("rate"), servers), arms=arms, seeds=study.seeds[:4])
    return run_study(part, tmp_path_factory.mktemp("rio") / "out")


def verdicts(paper, result, *ids):
    claims = [claim for claim in paper.claims() if claim.id in ids]
    assert len(claims) == len(ids)
    judged = judge(claims, derive(result, DERIVED))
    return [judgement.verdict for _, judgement in judged]


def altered(result, arm, **change):
    """The result with some numbers of an arm changed: ``metric=function of a row``."""
    rows = [
        {**row, **({name: f(row) for name, f in change.items()} if row["arm"] == arm else {})}
        for row in result.table.to_pylist()
    ]
    return replace(result, table=pa.Table.from_pylist(rows, schema=result.table.schema))


BROKEN, HELD = ["not reproduced"], ["reproduced"]


def test_verdicts_follow_the_data(paper, small):
    def verdict(id_, result=small):
        return verdicts(paper, result, id_)

    def more(name, by):
        return {name: lambda row: row[name] + by * (1 + row["seed"] % 2 / 10)}

    assert verdict("B2-more-10k") == BROKEN
    assert verdict("B2-more-10k", altered(small, "rio", **more("delivered", 1))) == HELD
    assert verdict("B2-joint-more-10k", altered(small, "rio", **more("delivered", 9))) == HELD
    assert verdict("B2-joint-more-10k", altered(small, "rio", **more("delivered", -40))) == BROKEN
    assert verdict("B4-less-10k") == BROKEN
    assert verdict("B4-less-10k", altered(small, "rio", **more("sent", -2))) == HELD
    assert verdict("B8-losses-10k") == BROKEN
    assert verdict("B8-losses-10k", altered(small, "droptail", spurious=lambda _: 0.0)) == HELD
    assert verdict("B5-green-10M") == HELD
    assert verdict("B5-green-10M", altered(small, "rio", dropped_protected=lambda _: 1.0)) == BROKEN
    assert verdict("B6-early-10M") == HELD
    assert verdict("B6-early-10M", altered(small, "rio", first_overflow=lambda _: 0.001)) == BROKEN
    # Nothing is dropped there: nobody knows what would be.
    assert verdict("B6-early-10k") == ["inconclusive"]


@pytest.mark.full
def test_quick_is_quick_and_full_gives_the_verdicts(tmp_path):
    found = [papers.find_paper(f"incast-rio{name}") for name in ("", "-readings", "-law", "-fit", "-grid")]
    start = time.process_time()
    for number, paper in enumerate(found):
        assert papers.reproduce(paper, tmp_path / str(number)).result.complete
    # A minute on two cores, whatever else they do; all of it in fifteen.
    assert time.process_time() - start < 2 * 60
    full = [papers.reproduce(p, tmp_path / str(number), quick=False) for number, p in enumerate(found)]
    assert time.process_time() - start < 2 * 900
    missing = [
        claim.id
        for claim, judgement in full[0].judged
        if judgement.verdict == "not reproduced" and not claim.reason
    ]
    assert missing == []
