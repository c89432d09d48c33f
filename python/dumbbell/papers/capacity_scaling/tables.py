"""Which static share of power supports which claim about figures 6 and 7."""

from __future__ import annotations

from dumbbell.claims import Judgement
from dumbbell.papers.capacity_scaling.claims import claims_of
from dumbbell.papers.capacity_scaling.derived import SHARES
from dumbbell.report import TableData, TableSpec
from dumbbell.study import StudyResult


def _cell(judgement: Judgement) -> str:
    estimate = judgement.estimate
    return judgement.verdict if estimate is None else f"{judgement.verdict}: {estimate.text('%')}"


def _support(result: StudyResult) -> TableData:
    found = {
        (claim.id.rpartition("-ps")[0], share): _cell(claim.judge(result))
        for share in SHARES
        for claim in claims_of("tcp-pc", "udp-pc", shares=[share])
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
