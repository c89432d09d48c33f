"""Every paper that comes with the package."""

import random
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dumbbell import Scenario, papers
from dumbbell.claims import judge
from dumbbell.report import figure_data, map_data, parameters
from dumbbell.report.index import Target, lines_of
from dumbbell.report.page import targets
from dumbbell.study import StudyResult, derive
from dumbbell.study.plans import sharing_plans

PAPERS = {paper.name: paper for paper in papers.all_papers()}


@pytest.fixture(params=PAPERS, ids=str)
def paper(request):
    return PAPERS[request.param]


def made_up(study, value=lambda _arm, place, _column, _noise: 1 + 0.1 * place, seeds=8, stream=13):
    """A result whose values are a function of the numbers of arm, point and column, and noise.

    Each argument of the function is an array with the numbers of all rows, but for that of the column.
    """
    study = sharing_plans(replace(study, seeds=study.seeds[:seeds]), study)
    points, arms = study.points(), [arm.name for arm in study.arms]
    rng = np.random.default_rng(stream)
    rows = len(study.seeds) * len(points) * len(arms)
    _, place, arm = (each.ravel() for each in np.indices((len(study.seeds), len(points), len(arms))))
    columns = {
        "run_id": [str(row) for row in range(rows)],
        "arm": np.array(arms)[arm],
        "seed": np.repeat(study.seeds, len(points) * len(arms)),
    }
    columns |= {axis.name: np.array([point[axis.name] for point in points])[place] for axis in study.axes}
    for number, name in enumerate(study.columns):
        columns[name] = np.broadcast_to(value(arm, place, number, rng.normal(size=rows)), rows) * 1.0
    return StudyResult(study, pa.table(columns), rows, "0.0.0")


def at_first(study, but=None):
    """A study at the first values of its axes, but for one."""
    axes = (
        axis if axis is but else replace(axis, values=axis.values[:1], settings=axis.settings[:1])
        for axis in study.axes
    )
    return replace(study, axes=tuple(axes))


CAPTIONS = {
    "capacity-scaling": [f"Figure {number}" for number in range(1, 8)],
    "incast-rio": [*(f"Figure {number}" for number in range(1, 7)), "Table 1"],
    "trump-rbcc": [rf"Table 11\.{section}" for section in (3, 4, 5, 6, 7, 8, 10)],
}
"""The figures and tables of publications, as their texts number them."""


def test_there_are_papers():
    assert "campus-web" in PAPERS


MANY = 100
"""Cells of a study. Of more than that, `make test` plans those that differ from the first along one axis."""


def plan_all(studies):
    for study in studies:
        assert study.question
        assert len(study.runs()) == len(study.points()) * len(study.arms) * len(study.seeds)


def few(study):
    return len(study.points()) * len(study.arms) <= MANY


@pytest.mark.parametrize("quick", [True, False])
def test_every_run_is_valid(paper, quick):
    study, full = paper.study(quick), paper.study()
    if quick and few(full) and study.scenario == full.scenario:
        # All its cells are some of the full study, which are planned.
        assert study.arms == full.arms
        cells = {(*point.items(), settings) for point, settings in full.grid()}
        assert {(*point.items(), settings) for point, settings in study.grid()} <= cells
        assert (study.metrics, study.by_size) == (full.metrics, full.by_size)
        return
    plan_all([study] if few(study) else [at_first(study, axis) for axis in study.axes])


@pytest.mark.full
@pytest.mark.parametrize("quick", [True, False])
def test_every_run_of_large_studies_is_valid(paper, quick):
    plan_all([paper.study(quick)])


def test_figures_fit_the_study(paper):
    result = derive(made_up(paper.study(quick=True)), paper.derived())
    for spec in paper.figures():
        assert figure_data(result, spec).lines
    for spec in paper.maps():
        assert map_data(result, spec).cells


# Values that claims may be broken by: steps between arms, along axes and from column to column, both ways,
# and steps between arms that grow along axes, at several levels.
SHAPES = [
    lambda arm, place, column, noise, level=level, step=step, slope=slope, tilt=tilt, growth=growth: (
        level
        * step ** (arm * (1 + growth * place / (1 + place)))
        * (1 + slope * place)
        * tilt ** (column * (1 + place))
        * (1 + 1e-6 * noise)
    )
    for level in (1e3, 1, 1e-3)
    for step in (0.5, 1, 3)
    for slope in (-0.1, 0, 0.1)
    for tilt in (0.99, 1, 1.01)
    for growth in (0, 1)
]
# In an order in which neighbours differ, claims break after half as many.
random.Random(0).shuffle(SHAPES)


def test_every_claim_can_fail(paper):
    study = paper.study()
    unbroken = paper.claims()
    for shape in SHAPES:
        judged = judge(unbroken, derive(made_up(study, shape), paper.derived()))
        unbroken = [claim for claim, judgement in judged if judgement.verdict != "not reproduced"]
        if not unbroken:
            break
    assert [claim.id for claim in unbroken] == []


def test_no_claim_is_decided_by_noise_or_one_seed(paper):
    def decided(bare, claims):
        judged = judge(claims, derive(bare, paper.derived()))
        return [claim.id for claim, judgement in judged if judgement.verdict != "inconclusive"]

    assert decided(made_up(paper.study(), seeds=1), paper.claims()) == []
    # Noise decides a difference one time in twenty, at 95 %, and a bound on a ratio of noise more often, for
    # most of such ratios lie within it. A claim that it always decides says nothing.
    left = paper.claims()
    for stream in range(5):
        noise = made_up(paper.study(), lambda _arm, _place, _column, noise: 1 + 1000 * noise, stream=stream)
        chosen = decided(noise, left)
        left = [claim for claim in left if claim.id in chosen]
        if not left:
            break
    assert [claim.id for claim in left] == []


def test_every_claim_has_a_source(paper):
    assert all(claim.source and claim.statement.endswith(".") for claim in paper.claims())


def test_every_parameter_has_a_source(paper):
    study, sources = paper.study(), paper.sources()
    missing = [
        parameter.path
        for parameter in parameters(study, sources)
        if parameter.origin in ("study", "arm") and parameter.source in ("set by the study", "set by the arm")
    ]
    assert missing == []


def test_sources_name_parameters_that_are_there(paper):
    study = at_first(paper.study())
    arms = study.runs()[: len(study.arms)]
    resolved = [Scenario.from_dict(study.scenario, run.settings, study.base_dir).to_dict() for run in arms]
    # The table of the paper speaks of its first study.
    sources = paper.study().declared.sources if paper.companion else paper.sources()
    assert [path for path in sources if not any(holds(scenario, path) for scenario in resolved)] == []


def holds(scenario, path):
    for key in path.replace("[", ".").replace("]", "").split("."):
        try:
            scenario = scenario[int(key) if key.isdigit() else key]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def test_short_names_of_publications_are_explained(paper):
    bibliography = paper.bibliography()
    assert bibliography
    for source in paper.sources().values():
        assert set(re.findall(r"\[([A-Z]\d\d)\]", source)) <= set(bibliography), source


@pytest.mark.parametrize("name", CAPTIONS)
def test_index_has_every_caption(name):
    printed = [row.printed for row in PAPERS[name].index()]
    missing = [
        caption
        for caption in CAPTIONS[name]
        if not any(re.fullmatch(rf"{caption}[a-z]?", entry) for entry in printed)
    ]
    assert missing == []


def test_index_points_at_what_is_there(paper):
    def there(of):
        return targets((*of.plots(), *of.figures()), of.maps(), of.tables())

    claims = {claim.id: Target(f"claim-{claim.id}", claim.id) for claim in paper.claims()}
    for line in lines_of(paper.index(), there(paper), claims):
        for study, id_ in line.studies:
            assert study in PAPERS, line.about.printed
            assert not id_ or id_ in there(PAPERS[study]), (line.about.printed, study, id_)
