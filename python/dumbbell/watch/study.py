"""A study that pages show while its runs are made: intervals as they narrow, figures as they come."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell.errors import DumbbellError
from dumbbell.report.data import figure_data
from dumbbell.report.described import described
from dumbbell.report.study import shown_figures
from dumbbell.stats import CONFIDENCE
from dumbbell.study import StudyResult
from dumbbell.study.estimates import level
from dumbbell.watch.show import Show

if TYPE_CHECKING:
    from dumbbell.report.spec import FigureSpec
    from dumbbell.stats import Estimate
    from dumbbell.study import Progress, Study

_PERIOD = 1.0
"""Seconds between two looks at the results, at least."""

_SHARE = 4
"""A look takes one part in so many of the time, at most."""

_MOST_ROWS = 60
"""Of the table."""

_MOST_METRICS = 8
"""Of the table."""

_MOST_FIGURES = 12

_MOST_WIDTHS = 400
"""Looks whose widths are kept; with more, every second one of the older half goes."""


class WatchedStudy:
    """A study, and its page.

    Parameters
    ----------
    study
        To be run.
    folder
        Where its results will be.
    port
        Of the page; 0 for any that is free.
    """

    def __init__(self, study: Study, folder: Path, port: int = 0) -> None:
        self._study = study
        self._folder = folder
        self._figures: list[FigureSpec] = [spec for spec in shown_figures(study) if _has_lines(study, spec)][
            :_MOST_FIGURES
        ]
        self._widths: list[tuple[int, list[float | None]]] = []
        self._next = 0.0
        facts = {
            "title": study.title,
            "question": study.question,
            "arms": [arm.label for arm in study.arms],
            "runs": len(study.points()) * len(study.seeds),
            "metrics": [f"{m.label} {m.unit}".strip() for m in study.metrics[:_MOST_METRICS]],
            "axes": [f"{axis.label} {axis.unit}".strip() for axis in study.axes],
            "narrows": study.metrics[0].label,
        }
        self.show = Show("study", study.title or study.name, facts, port=port)
        self.show.board.tell(phase="begins")

    def __call__(self, progress: Progress) -> None:
        """Tell the page how far the study is, and now and then what it has found."""
        self.show.board.tell(
            phase="running",
            total=progress.total,
            reused=progress.reused,
            done=progress.done,
            elapsed=progress.elapsed,
            remaining=progress.remaining,
            notes=list(progress.notes),
        )
        if time.monotonic() >= self._next:
            self.look()

    def look(self) -> None:
        """Tell the page what the study has found so far."""
        start = time.monotonic()
        try:
            result = StudyResult.load(self._folder)
        except DumbbellError:
            # Nothing is durable yet.
            self._next = start + _PERIOD
            return
        self.tell(result)
        took = time.monotonic() - start
        self._next = start + max(_PERIOD, _SHARE * took)

    def tell(self, result: StudyResult) -> None:
        """Tell the page what a result says."""
        study = result.study
        points, arms = study.points(), study.arms
        metric = study.metrics[0].name
        done, widest = [], []
        rows: list[list[str]] = []
        for arm in arms:
            count, widths = 0, []
            for point in points:
                count += (
                    len(result.values(metric, arm.name, **point)[0])
                    if not result.repeated(arm.name, **point)
                    else len(study.seeds)
                )
                widths.append(_width(level(result, metric, (arm.name, point))(CONFIDENCE)))
            done.append(count)
            known = [width for width in widths if width is not None]
            widest.append(max(known) if len(known) == len(points) else None)
        for point, arm in [(point, arm) for point in points for arm in arms][:_MOST_ROWS]:
            estimates = [
                level(result, each.name, (arm.name, point))(CONFIDENCE)
                for each in study.metrics[:_MOST_METRICS]
            ]
            runs = max((estimate.n for estimate in estimates), default=0)
            rows.append(
                [arm.label, *map(str, point.values()), str(runs), *(_cell(each) for each in estimates)]
            )
        self._widths.append((result.finished, widest))
        if len(self._widths) > _MOST_WIDTHS:
            half = len(self._widths) // 2
            self._widths[:half] = self._widths[:half:2]
        self.show.board.tell(
            finished=result.finished,
            arms=done,
            rows=rows,
            more=max(len(points) * len(arms) - _MOST_ROWS, 0),
            figures=[self._narrowing(), *self._drawn(result)],
        )

    def ended(self, result: StudyResult, report: Path | None) -> None:
        """Tell the page that the study has ended, and with what."""
        self.tell(result)
        made = f"{result.finished:,} of {result.expected:,} runs are finished."
        self.show.ended(f"{made} Results in {self._folder}.", report)

    def _narrowing(self) -> dict[str, Any]:
        """Describe how the intervals of the first metric have narrowed."""
        runs = [finished for finished, _ in self._widths]
        lines = [
            {
                "label": arm.label,
                "slot": slot,
                "dash": slot,
                "marker": slot,
                "x": 0,
                "y": [widths[slot] for _, widths in self._widths],
            }
            for slot, arm in enumerate(self._study.arms)
        ]
        return {
            "id": "widths",
            "title": f"Intervals of {self._study.metrics[0].label}",
            "x": {"label": "runs finished"},
            "y": {"label": "widest half of an interval (% of the value)"},
            "grids": [runs],
            "lines": lines,
        }

    def _drawn(self, result: StudyResult) -> list[dict[str, Any]]:
        found = []
        for spec in self._figures:
            try:
                found.append(described(figure_data(result, spec)))
            except DumbbellError:
                # The report says what is wrong with it.
                continue
        return found


def _has_lines(study: Study, spec: FigureSpec) -> bool:
    return any(axis.name == spec.x and len(axis.values) > 1 for axis in study.axes)


def _width(estimate: Estimate) -> float | None:
    """Return half of an interval, as a percentage of the value; ``None`` without one."""
    if estimate.interval is None or not estimate.value or not math.isfinite(estimate.value):
        return None
    low, high = estimate.interval
    return 50 * (high - low) / abs(estimate.value)


def _cell(estimate: Estimate) -> str:
    return "-" if estimate.n == 0 else estimate.short()
