"""Judged claims as files and tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell._files.folder import new_files
from dumbbell._printing import Text, TextTable
from dumbbell.claims.claim import VERDICTS, Claim, Judgement
from dumbbell.claims.family import family_note, standing

if TYPE_CHECKING:
    from dumbbell.study import StudyResult

Judged = Sequence[tuple[Claim, Judgement]]

_STYLES = {"reproduced": "green", "not reproduced": "red", "inconclusive": "yellow"}


def write_claims(judged: Judged, result: StudyResult, folder: Path, note: str = "") -> list[Path]:
    """Write ``claims.json`` and ``claims.md``; return their paths.

    Parameters
    ----------
    judged
        What :func:`judge` returned.
    result
        What was judged.
    folder
        Where to; must exist.
    note
        What a reader must know first, for example that the study was a quick one.
    """
    verdicts = Counter(judgement.verdict for _, judgement in judged)
    content = {
        "study": result.study.name,
        "version": result.version,
        "note": note,
        "complete": result.complete,
        "finished": result.finished,
        "expected": result.expected,
        "verdicts": {verdict: verdicts[verdict] for verdict in VERDICTS},
        "family": family_note(judged),
        "claims": [
            _entry(claim, judgement, stands)
            for (claim, judgement), stands in zip(judged, standing(judged), strict=True)
        ],
    }
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    bodies = {"claims.json": text + "\n", "claims.md": claims_markdown(judged, result, note)}
    with new_files(folder) as part:
        for name, body in bodies.items():
            (part / name).write_text(body, encoding="utf-8")
    return [folder / name for name in bodies]


def claims_markdown(judged: Judged, result: StudyResult, note: str = "") -> str:
    """Return the claims as a Markdown table, stamped if the study is incomplete.

    Parameters
    ----------
    judged
        The claims with their judgements.
    result
        Of the study that they judge.
    note
        Above the table; may be empty.
    """
    lines = [f"# Claims of {result.study.title}", ""]
    lines += [line for text in (result.stamp, note) if text for line in (f"**{text}**", "")]
    family = family_note(judged)
    lines += [family, ""] if family else []
    lines += ["| claim | statement | source | verdict | evidence |", "|---|---|---|---|---|"]
    for claim, judgement in judged:
        evidence = _with_reason(judgement.evidence, claim.why(judgement))
        source = ". ".join(filter(None, (claim.source, claim.bound_text().rstrip("."))))
        cells = (claim.id, claim.statement, source, f"**{judgement.verdict}**", evidence)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def claims_table(judged: Judged, result: StudyResult, note: str = "") -> TextTable:
    """Return the claims as a table for a terminal, stamped if the study is incomplete.

    Parameters
    ----------
    judged
        The claims with their judgements.
    result
        Of the study that they judge.
    note
        Above the table; may be empty.
    """
    title = "; ".join(text for text in ("Claims", result.stamp, note) if text)
    rows = [
        (
            claim.id, claim.statement, Text(judgement.verdict, _STYLES[judgement.verdict]),
            _with_reason(judgement.evidence, claim.why(judgement)),
        )
        for claim, judgement in judged
    ]  # fmt: skip
    heads = ("claim", "statement", "verdict", "evidence")
    return TextTable(title, heads, (), rows, note=family_note(judged))


def _with_reason(evidence: str, reason: str) -> str:
    return f"{evidence}. Why: {reason}" if reason else evidence


def _entry(claim: Claim, judgement: Judgement, stands: bool | None) -> dict[str, Any]:
    return {
        "id": claim.id,
        "statement": claim.statement,
        "source": claim.source,
        "metric": claim.metric,
        "rule": str(claim.rule),
        "bound": claim.bound,
        "verdict": judgement.verdict,
        "error": judgement.error,
        "stands": stands,
        "evidence": judgement.evidence,
        "reason": claim.why(judgement),
        "estimate": None if judgement.estimate is None else judgement.estimate.to_dict(),
        "details": [finding.to_dict() for finding in judgement.details],
    }
