"""The paper on capacity scaling: metrics, bounds and readings on short runs, verdicts on long ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import dumbbell as db
from dumbbell import papers
from dumbbell.claims import Level, Ratio, judge
from dumbbell.papers.capacity_scaling import maps, offline, policies, together
from dumbbell.papers.capacity_scaling.derived import DERIVED, SHARES
from dumbbell.papers.capacity_scaling.tables import printed
from dumbbell.search import Search
from dumbbell.study import StudyResult, derive, run_study
from dumbbell.study.metric import evaluate


def short(name, folder, duration="30s", seeds=1, warmup="5s", **axes):
    """The result of a companion's study with short runs at the given values of its axes."""
    paper = papers.find_paper(name)
    study = paper.study()
    scenario = {**study.scenario, "duration": duration, "warmup": warmup}
    chosen = []
    for axis in study.axes:
        wanted = axes.get(axis.name, axis.values)
        kept = [index for index, value in enumerate(axis.values) if value in wanted]
        assert len(kept) == len(wanted)
        chosen.append(
            replace(
                axis,
                values=tuple(axis.values[index] for index in kept),
                settings=tuple(axis.settings[index] for index in kept),
            )
        )
    study = replace(study, scenario=scenario, axes=tuple(chosen), seeds=study.seeds[:seeds])
    return derive(run_study(study, folder), paper.derived())


def values(result, metric, arm, **point):
    return result.values(metric, arm, **point)[1]


def test_every_arm_gives_every_metric(tmp_path):
    result = short("capacity-scaling", tmp_path / "out", seeds=2, load=(0.5,))
    for arm in result.study.arms:
        for metric in result.study.metrics:
            # A source that only replays has no flows that start or end.
            if arm.name.startswith("udp") and metric.source.get("table") in ("flows", None):
                continue
            assert np.isfinite(values(result, metric.name, arm.name, load=0.5)).all(), (arm.name, metric.name)
    assert (values(result, "saving-fs-100", "tcp-pc", load=0.5) < 1e-9).all()
    assert (values(result, "saving-fs-0", "tcponly", load=0.5) == 0).all()
    assert (values(result, "asleep", "tcp-sleep", load=0.5) > 0).all()


def test_figures_6_and_7_cover_every_static_share(tmp_path):
    claims = {claim.id: claim for claim in papers.find_paper("capacity-scaling").claims()}
    for share in SHARES:
        for number in (
            "A10-high",
            "A11-low",
            "A11-high",
            "A12-low",
            "A12-high",
            "A13-goodput-low",
            "A13-time-high",
        ):
            claim = claims[f"{number}-ps{share}"]
            assert claim.metric.endswith(f"-{share}")
            assert f"static share {share / 100:g}" in claim.statement
    paper = papers.find_paper("capacity-scaling")
    drawn = {spec.id: [spec.metric, *(line.metric for line in spec.references)] for spec in paper.figures()}
    for figure in ("net-goodput-fs", "net-time-fs", "net-time-bounded-fs", "net-goodput-dvs", "net-time-dvs"):
        assert drawn[figure] == [f"{figure}-{share}" for share in SHARES]
    result = short("capacity-scaling", tmp_path / "out", seeds=2, load=(0.5,))
    slowdown = values(result, "slowdown", "tcp-pc", load=0.5)
    goodput = values(result, "goodput", "tcp-pc", load=0.5) / values(result, "goodput", "tcponly", load=0.5)
    for scaling in ("fs", "dvs"):
        for share in SHARES:
            saving = values(result, f"saving-{scaling}-{share}", "tcp-pc", load=0.5)
            expected = {
                "net-goodput": saving - 100 * (1 - goodput),
                "net-time": saving - 100 * (slowdown - 1),
                "net-time-bounded": saving - 100 * (1 - 1 / slowdown),
            }
            for name, wanted in expected.items():
                found = values(result, f"{name}-{scaling}-{share}", "tcp-pc", load=0.5)
                assert found == pytest.approx(wanted, rel=1e-9), (name, scaling, share)


def test_the_report_says_which_static_share_supports_which_claim(tmp_path):
    paper = papers.find_paper("capacity-scaling")
    result = short("capacity-scaling", tmp_path / "out", seeds=3, load=(0.1, 0.2, 0.3, 0.9))
    (table,) = (spec.make(result) for spec in paper.tables())
    assert table.columns == ("claim", *(f"static share {share / 100:g}" for share in SHARES))
    judged = {claim.id: judgement.verdict for claim, judgement in judge(paper.claims(), result)}
    cells = {row[0]: row[1:] for row in table.rows}
    assert {"A11-low", "A11-high", "A12-low", "A12-high", "A13-time-low"} <= set(cells)
    for name, row in cells.items():
        for share, cell in zip(SHARES, row, strict=True):
            assert cell.startswith(judged[f"{name}-ps{share}"])
    # The static share decides some of them.
    assert any(len({cell.partition(":")[0] for cell in row}) > 1 for row in cells.values())


def test_no_two_claims_exclude_each_other():
    """A8 asks for twice the time at every load, so what A10 calls tolerable must leave room for that."""
    paper = papers.find_paper("capacity-scaling")
    loads = paper.study().axis("load").values
    allowed = {}
    for claim in paper.claims():
        if isinstance(claim.rule, Ratio | Level):
            arms = (claim.rule.arm, getattr(claim.rule, "over", None))
            at = claim.rule.at.get("load", loads)
            for load in at if isinstance(at, tuple) else (at,):
                allowed.setdefault((claim.metric, arms, load), []).append((claim.id, claim.rule))
    together = [rules for rules in allowed.values() if len(rules) > 1]
    assert together
    for rules in together:
        room = min(rule.high for _, rule in rules) - max(rule.low for _, rule in rules)
        assert room > 0, [id_ for id_, _ in rules]


@pytest.mark.parametrize("share", SHARES)
def test_what_is_close_to_zero_leaves_room_for_twice_the_time(share):
    """T1: at twice the time figure 7 is at most 90 (1 - P_s) - 100, on an axis that A9 takes to -3400."""
    claims = {claim.id: claim for claim in papers.find_paper("capacity-scaling").claims()}
    for end in ("ps0", "ps75"):
        rule = claims[f"T1-{end}"].rule
        assert rule.low < 90 * (1 - share / 100) - 100 < rule.high
    # Without static power it is almost the same percentage as the saving.
    rule = claims["A12-low-ps0"].rule
    assert rule.low < 90 - 100 < rule.high


def factorial(value, levels=1):
    """A made-up result of the factorial study with `levels` of the buffer, and along the load alone."""
    study = papers.find_paper("capacity-scaling-readings").study()
    *factors, load = study.axes
    kept = [axis.keeping(axis.values[: levels if axis is factors[0] else 1]) for axis in factors]
    study = replace(study, axes=(*kept, load))
    rng = np.random.default_rng(7)
    rows = [
        {"run_id": f"{seed}{arm.name}{point}", "arm": arm.name, "seed": seed, **point}
        | {name: value(arm.name, point, name) * (1 + 1e-3 * rng.normal()) for name in study.columns}
        for seed in study.seeds
        for point in study.points()
        for arm in study.arms
    ]
    result = derive(StudyResult(study, pa.Table.from_pylist(rows), len(rows), "0.0.0"), DERIVED)
    plain = result.table.drop_columns([axis.name for axis in factors])
    return result, replace(result, study=replace(result.study, axes=(load,)), table=plain)


def rising(arm, point, name):
    """Everything rises with the load, and from arm to arm; twice as high where the sender looks."""
    level = {"tcponly": 1.0, "tcp-pc": 3.0, "udp-pc": 4.0}[arm] * (2 if name == "fct-sender" else 1)
    return level * (1 + point["load"])


def test_a_reading_counts_claims_by_their_own_rules():
    result, plain = factorial(rising)
    found = together.readings(result)
    assert len(found) == len(together.DEFINITIONS) * len(SHARES) * len(together.FORMS)
    for reading in found:
        share = round(100 * reading.choice["static share"])
        column = together.DEFINITIONS[reading.choice["time"]]
        names = [
            metric.name for metric in plain.study.metrics if metric.name not in {d.name for d in DERIVED}
        ]
        bare = plain.table.select(["run_id", "arm", "seed", "load", *names])
        bare = bare.set_column(bare.column_names.index("fct"), "fct", bare[column])
        metrics = tuple(metric for metric in plain.study.metrics if metric.name in names)
        alone = derive(replace(plain, study=replace(plain.study, metrics=metrics), table=bare), DERIVED)
        claims = [
            claim
            for claim in printed(share)
            if not claim.id.startswith(("A12", "A13-time"))
            or ("-bounded" in claim.id) == (reading.choice["figure 7"] == "bounded")
        ]
        judged = judge(claims, alone)
        out = [claim.id for claim, judgement in judged if judgement.verdict == "reproduced"]
        assert (reading.parts, reading.of) == (len(out), len(claims))
        assert 0 < len(reading.whole) < len(together.NUMBERS)
        for number in together.NUMBERS:
            parts = [claim.id for claim in claims if claim.id.split("-")[0] == number]
            assert parts
            assert (number in reading.whole) == set(parts).issubset(out), number


def test_the_factorial_study_has_every_combination():
    study = papers.find_paper("capacity-scaling-readings").study()
    assert {axis.name for axis in study.axes} == {"buffer", "round-trip", "q", "sizes", "load"}
    assert {20, 42, 44} <= set(study.axis("buffer").values)
    # A smaller buffer is the better reading here, and the second of two.
    result, _ = factorial(
        lambda arm, point, name: rising(arm, point, name) ** (1 if point["buffer"] == 42 else 4),
        levels=2,
    )
    best, factors, each = (spec.make(result) for spec in papers.find_paper(study.name).tables())
    count = best.columns.index("claims")
    counts = [int(row[count]) for row in best.rows]
    ranked = counts[: together.BEST]
    assert ranked == sorted(ranked, reverse=True)
    assert max(reading.rank for reading in together.readings(result))[0] == ranked[0]
    assert {row[0] for row in factors.rows} >= {
        "buffer: 42",
        "buffer: 20",
        "figure 7: bounded",
    }
    assert [row[0] for row in each.rows] == list(together.NUMBERS)


def test_the_buffer_decides_whether_the_rate_can_rise(tmp_path):
    """Half the buffer never holds what the rule for a step up asks for at high rates: README.md."""
    place = {"round-trip": 50, "sizes": "campus-web", "load": 0.8}
    cells = [(42, "with-service"), (22, "with-service"), (22, "waiting")]
    result = short(
        "capacity-scaling-readings", tmp_path / "out", "60s", buffer=(42, 22),
        **{name: (value,) for name, value in place.items()},
    )  # fmt: skip
    slowdown, steps = (
        [values(result, metric, "tcp-pc", buffer=buffer, q=q, **place)[0] for buffer, q in cells]
        for metric in ("slowdown", "transitions")
    )
    assert slowdown[0] < 2
    assert min(slowdown[1:]) > 4
    # The port has stopped at a rate below the load.
    assert steps[0] > 100 > max(steps[1:])


def test_plots_have_the_panels_of_the_paper(tmp_path):
    paper = papers.find_paper("capacity-scaling")
    result = short("capacity-scaling", tmp_path / "out", load=(0.3, 0.8))
    panels = {plot.id: plot.draw(result).axes[0] for plot in paper.plots()}
    assert list(panels) == [f"printed-{number}" for number in ("1", "2", "3a", "3b", "4", "5", "6", "7")]
    panels.pop("printed-1")
    assert all(axes.get_xlim() == (0, 1) for axes in panels.values())
    for number, scaling in (("3a", "fs"), ("3b", "dvs")):
        lines = panels[f"printed-{number}"].get_lines()
        assert panels[f"printed-{number}"].get_ylim() == (0, 100)
        assert [line.get_label() for line in lines] == [
            f"{name}, P_s = {share / 100:g}" for name in ("TCP", "UDP") for share in SHARES
        ]
        for line, share in zip(lines, (*SHARES, *SHARES), strict=True):
            arm = "tcp-pc" if line.get_label().startswith("TCP") else "udp-pc"
            (saving,) = values(result, f"saving-{scaling}-{share}", arm, load=0.8)
            assert list(line.get_xdata()) == [0.3, 0.8]
            assert line.get_ydata()[1] == pytest.approx(saving)
    published = panels["printed-5"].get_lines()[-1]
    assert (list(published.get_xdata()), list(published.get_ydata())) == ([0.8, 0.8], [0.2, 7.0])


def test_fitted_buffer_stands_in_the_scenario():
    fitted = papers.find_paper("capacity-scaling-fitted")
    bottleneck = fitted.study().scenario["topology"]["bottleneck"]
    assert bottleneck["queue"] == bottleneck["reverse"]["queue"] == {"kind": "droptail", "limit": "24pkt"}
    printed = papers.find_paper("capacity-scaling").study().scenario["topology"]["bottleneck"]
    assert {**bottleneck, "queue": printed["queue"], "reverse": printed["reverse"]} == printed
    # Judged at other seeds than the search had.
    search = Search.from_file(fitted.folder / "readings.toml")
    assert not set(fitted.study().seeds) & {*search.seeds, *search.fresh}


def test_advice_that_fills_the_link_leaves_the_port_slow(tmp_path):
    """S8: what is in flight at 60 kB is r (RTT + d) at 5.3 Mbit/s, so the port stays at 6."""
    result = short("capacity-scaling-advice", tmp_path / "out", "20s", window=(2, 4))
    shares = {
        (window, arm): values(result, "utilisation", arm, window=window)[0]
        for window in (2, 4)
        for arm in ("tcponly", "tcp-pc")
    }
    assert shares[2, "tcponly"] > 90
    assert shares[2, "tcp-pc"] == pytest.approx(60, abs=0.5)
    assert shares[4, "tcp-pc"] > 99


def test_the_tcp_of_the_simulator_of_the_paper_is_judged():
    paper = papers.find_paper("capacity-scaling-ns2")
    study = paper.study()
    assert study.scenario["transport"] == {"kind": "tcp", "profile": "ns2"}
    assert {claim.id for claim in paper.claims()} == {
        claim.id for share in SHARES for claim in printed(share)
    }


def test_no_policy_beats_the_optimum_of_its_own_arrivals(tmp_path):
    paper = papers.find_paper("capacity-scaling-offline")
    study = paper.study()
    workload = {**study.scenario["workloads"][0], "stop": "20s"}
    study = replace(
        study,
        scenario={**study.scenario, "duration": "40s", "workloads": [workload]},
        seeds=study.seeds[:1],
    )
    result = run_study(study, tmp_path / "out")
    found = {}
    for load in (0.1, 0.3, 0.5, 0.7):
        for arm in ("tcp-pc", "tcp-pc-n08", "udp-pc", "multi-up", "multi-both", "alr"):
            found[arm, load] = values(result, "over-levels", arm, load=load)[0]
            assert values(result, "over-optimum", arm, load=load)[0] >= found[arm, load] > 1, (arm, load)
        for arm in ("tcp-sleep", "udp-sleep"):
            assert 0 < values(result, "of-longest-sleep", arm, load=load)[0] <= 100, (arm, load)
    assert len(found) == 24


@pytest.fixture(scope="module")
def asleep():
    scenario = papers.find_paper("capacity-scaling").study().scenario | {"duration": "20s", "warmup": "2s"}
    policy = "topology.bottleneck.power.policy.kind=sleep-and-scale"
    return db.Scenario.from_dict(scenario, ["workloads[0].load=0.3", policy]).run()


@pytest.mark.parametrize("static", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("sleep", [0.1, 0.7])
def test_maps_take_the_exact_saving(asleep, static, sleep):
    study = papers.find_paper("capacity-scaling-policies").study()
    runs = {metric.name: evaluate(metric, asleep) for metric in study.metrics}

    def saving(**model):
        share = {"static_share": static, "sleep_share": sleep}
        return 100 * (1 - db.energy(asleep, model=share | model) / 18)

    assert maps._saving(runs, static, sleep) == pytest.approx(saving(), rel=1e-9, abs=1e-9)
    for scaling in ("fs", "dvs"):
        for idle in (0.1, 0.8, 1.0):
            exact = saving(scaling=scaling, idle_share=idle)
            assert policies._saving(runs, scaling, static, idle, sleep) == pytest.approx(
                exact, rel=1e-9, abs=1e-9
            )


def test_studies_of_senders_and_queues_take_what_is_registered():
    families = db.registry()["families"]
    senders, queues = (
        papers.find_paper(f"capacity-scaling-{name}").study().axes[0] for name in ("senders", "queues")
    )
    # XCP needs routers of its own, and others may need what this link does not have.
    assert set(senders.values) <= {entry["name"] for entry in families["controller"]} - {"xcp"}
    assert {"tahoe", "reno", "newreno", "cubic", "dctcp"} <= set(senders.values)
    # DCTCP needs marks.
    settings = dict(zip(senders.values, senders.settings, strict=True))
    assert any("threshold" in setting for setting in settings["dctcp"])
    assert set(queues.values) <= {entry["name"] for entry in families["queue"]}
    assert {"droptail", "codel", "red"} <= set(queues.values)


def test_losses_leave_no_bound():
    scenario = papers.find_paper("capacity-scaling-offline").study().scenario
    tight = {**scenario, "duration": "20s", "workloads": [{**scenario["workloads"][0], "stop": "15s"}]}
    settings = [
        "workloads[0].load=0.9",
        "topology.bottleneck.queue.limit=5pkt",
        "topology.bottleneck.power.policy=practra",
    ]
    results = db.Scenario.from_dict(tight, settings).run()
    assert all(
        np.isnan(evaluate(metric, results)) for metric in offline.METRICS if metric.name != "of-longest-sleep"
    )


@pytest.mark.full
def test_quick_and_full(tmp_path):
    paper = papers.find_paper("capacity-scaling")
    assert papers.reproduce(paper, tmp_path / "out").result.complete
    full = papers.reproduce(paper, tmp_path / "out", quick=False)
    verdicts = {claim.id: judgement.verdict for claim, judgement in full.judged}
    assert {id_: verdicts[id_] for id_ in VERDICTS} == VERDICTS
    # The other down rule changes no verdict.
    for id_ in VERDICTS:
        assert verdicts.get(f"{id_}-n08", VERDICTS[id_]) == VERDICTS[id_]


_WHOLE = dict.fromkeys(
    (
        "A1", "A2-fs", "A2-dvs", "A3-fs", "A3-dvs", "A4", "A5-resent", "A6-gap", "A7", "A7-tcponly",
        "A10-low", "A10-delay", "T1-ps0", "T1-ps75", "T3", "T3-time",
    ),
    "reproduced",
) | dict.fromkeys(("A5-window", "A8", "A9", "A9-7s", "T2", "T2-reference"), "not reproduced")  # fmt: skip

_SUPPORTED = {
    "A10-high": SHARES, "A11-low": SHARES, "A11-high": (), "A12-low": (50,), "A12-low-bounded": (),
    "A12-high": (), "A12-high-bounded": (), "A13-goodput-low": SHARES, "A13-goodput-high": (),
    "A13-time-low": (), "A13-time-high": (), "A13-time-high-bounded": (),
}  # fmt: skip
"""The static shares (%) that support each claim about figures 6 and 7."""

VERDICTS = (
    _WHOLE
    | {"A6": "inconclusive"}
    | {
        f"{name}-ps{share}": "reproduced" if share in shares else "not reproduced"
        for name, shares in _SUPPORTED.items()
        for share in SHARES
    }
)
