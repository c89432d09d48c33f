"""Which static share of power supports which claim about figures 6 and 7."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dumbbell.claims import Claim, Judgement, claims_of
from dumbbell.papers.capacity_scaling.derived import SHARES
from dumbbell.report import TableData, TableSpec
from dumbbell.study import Study, StudyResult


@cache
def printed(share: int) -> tuple[Claim, ...]:
    """Return the claims under the down rule as printed, for one static share of power (%)."""
    study = Study.from_file(Path(__file__).parent / "study.toml")
    found = (c for c in claims_of(study) if c.id.startswith("A") and not c.id.endswith("-n08"))
    return tuple(claim for claim in found if "-ps" not in claim.id or claim.id.endswith(f"-ps{share}"))


def _cell(judgement: Judgement) -> str:
    estimate = judgement.estimate
    return judgement.verdict if estimate is None else f"{judgement.verdict}: {estimate.text('%')}"


def _support(result: StudyResult) -> TableData:
    found = {
        (claim.id.rpartition("-ps")[0], share): _cell(claim.judge(result))
        for share in SHARES
        for claim in printed(share)
        if claim.id.endswith(f"-ps{share}")
    }
    names = dict.fromkeys(name for name, _ in found)
    rows = tuple((name, *(found[name, share] for share in SHARES)) for name in names)
    return TableData(("claim", *(f"static share {share / 100:g}" for share in SHARES)), rows)


SUPPORT = TableSpec(
    "support", "Which static share of power supports which claim", _support,
    note="The paper has four shares and does not say which figures 6 and 7 have.",
)  # fmt: skip

TABLES = (SUPPORT,)
