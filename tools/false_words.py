"""Counts the words that chance makes: CUBIC judged against CUBIC, both with seeds of their own.

    python -m tools.false_words               # 200 judges of chapters 2, 3 and 17, in the quick form
    python -m tools.false_words 17 --judges 50

In a judge of CUBIC the runs of both sides are the same, so that nothing can differ. Here no run is shared.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from dumbbell.judge import Chapter, all_chapters, candidate_of, outcome
from dumbbell.judge.run import study_of
from dumbbell.judge.words import CANDIDATE
from dumbbell.study import StudyResult, run_study

CHAPTERS = (2, 3, 17)
"""Those that are cheap, and of several metrics and points."""

FIRST = 10_001
"""The first seed: no chapter has it."""


def false_words(chapter: Chapter, judges: int) -> Counter[str]:
    """Return how often each word is said of CUBIC, judged against CUBIC."""
    study = study_of(chapter, candidate_of("cubic"), ["cubic"], quick=True)
    count = len(study.seeds)
    arms = tuple(arm for arm in study.arms if arm.name != CANDIDATE)
    seeds = tuple(range(FIRST, FIRST + 2 * count * judges))
    with tempfile.TemporaryDirectory() as folder:
        table = run_study(replace(study, arms=arms, seeds=seeds), Path(folder) / "study").table
    by_seed: dict[int, list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        by_seed.setdefault(row["seed"], []).append(row)
    words: Counter[str] = Counter()
    for judge in range(judges):
        rows = []
        for place, seed in enumerate(study.seeds):
            first = FIRST + 2 * count * judge + place
            rows += [row | {"seed": seed} for row in by_seed[first]]
            others = (row for row in by_seed[first + count] if row["arm"] == "cubic")
            rows += [row | {"seed": seed, "arm": CANDIDATE} for row in others]
        made = StudyResult(study, pa.Table.from_pylist(rows), len(rows), "0")
        words[outcome(made, chapter, "cubic").word] += 1
    return words


def main() -> None:
    """Print a row of a table for each chapter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chapters", nargs="*", type=int, default=CHAPTERS, metavar="CHAPTER")
    parser.add_argument("--judges", type=int, default=200)
    given = parser.parse_args()
    known = {chapter.number: chapter for chapter in all_chapters() if chapter.study}
    for number in given.chapters:
        if number not in known:
            parser.error(f"there is no chapter {number} with runs; use one of {', '.join(map(str, known))}")
        words = false_words(known[number], given.judges)
        counts = (words[word] for word in ("as reference", "more harm", "less harm", "not judged"))
        print(f"| {number} | {' | '.join(map(str, counts))} |", flush=True)


if __name__ == "__main__":
    main()
