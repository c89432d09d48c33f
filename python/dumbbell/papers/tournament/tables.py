"""Tables: the numbers over DropTail with their intervals, and who could not take part."""

from __future__ import annotations

from functools import partial

from dumbbell.papers.tournament.entrants import controllers, queues
from dumbbell.papers.tournament.measures import MEASURES, Measure, Place
from dumbbell.papers.tournament.plots import half, unit_of, written
from dumbbell.report import TableData, TableSpec
from dumbbell.study import StudyResult


def _numbers(measure: Measure, result: StudyResult) -> TableData:
    study = result.study
    places = [
        Place(str(link), str(queue))
        for link in study.axis("link").values
        for queue in study.axis("queue").values
    ]
    rows = []
    for arm in study.arms:
        found = [measure.estimate(result, arm.name, place) for place in places]
        rows.append((arm.label, *(written(measure, cell) + half(measure, cell) for cell in found)))
    return TableData(("controller", *(f"{place.link}, {place.queue}" for place in places)), tuple(rows))


def _left_out(result: StudyResult) -> TableData:
    found = (("controller", controllers(result.study)[1]), ("queue", queues(result.study)[1]))
    rows = [(name, family, why) for family, names in found for name, why in names.items()]
    return TableData(("name", "family", "why it is left out"), tuple(rows) or (("none", "", ""),))


TABLES = (
    *(
        TableSpec(
            f"numbers-{measure.name}",
            f"{measure.title}{unit_of(measure)}: mean over seeds, and 95 % interval",
            partial(_numbers, measure),
        )
        for measure in MEASURES
    ),
    TableSpec(
        "left-out", "Registered, and not in the tournament", _left_out,
        "One flow of one class must be able to use the queue, and a router must answer the controller.",
    ),
)  # fmt: skip
