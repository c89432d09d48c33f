"""Judging a controller by RFC 9743: what it does to itself and to others, next to Reno and CUBIC.

Each chapter is a file of TOML: a study without arms, and the rows that its word comes from. The judge adds
the arms, runs the study, and gives one of four words. No threshold is invented: a word compares with CUBIC
at the same seeds, or with a bound that a publication gives.

Examples
--------
>>> from dumbbell.judge import all_chapters
>>> all_chapters()[1].title
'Protection against bufferbloat'
"""

from dumbbell.judge.candidate import Candidate, candidate_of
from dumbbell.judge.chapter import Chapter, JudgeError, Row, all_chapters, read_chapter
from dumbbell.judge.real import Kernel, kernel_candidate
from dumbbell.judge.run import Judged, run_judge
from dumbbell.judge.words import Outcome, Word, outcome
from dumbbell.judge.write import write_judge

__all__ = [
    "Candidate",
    "Chapter",
    "JudgeError",
    "Judged",
    "Kernel",
    "Outcome",
    "Row",
    "Word",
    "all_chapters",
    "candidate_of",
    "kernel_candidate",
    "outcome",
    "read_chapter",
    "run_judge",
    "write_judge",
]
