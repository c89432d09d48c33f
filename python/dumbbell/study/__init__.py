"""Studies: grids of runs, kept safely, answered with intervals."""

from dumbbell.study.derived import Derived, derive
from dumbbell.study.errors import StudyError
from dumbbell.study.execute import Progress, run_study
from dumbbell.study.plan import Study
from dumbbell.study.result import StudyResult
from dumbbell.study.spec import AT_LEAST_ZERO, Arm, Axis, Metric, Point, RunSpec, StopRule
from dumbbell.study.until import until

__all__ = [
    "AT_LEAST_ZERO",
    "Arm",
    "Axis",
    "Derived",
    "Metric",
    "Point",
    "Progress",
    "RunSpec",
    "StopRule",
    "Study",
    "StudyError",
    "StudyResult",
    "derive",
    "run_study",
    "until",
]
