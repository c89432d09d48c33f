"""What a judgement leaves: a page, a table in 72 columns, the same as RFCXML, and JSON."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from dumbbell._files.folder import new_files
from dumbbell._files.numbers import finite
from dumbbell.judge.drawing import FIGURES, draw
from dumbbell.judge.run import Judged
from dumbbell.judge.words import Outcome, RowOutcome, word_text
from dumbbell.stats import CONFIDENCE

WIDTH = 72
"""Columns of the table: those of an Internet-Draft (RFC 7994 section 4.3)."""

QUESTIONS = (
    ("5.3.1", "Where does the algorithm deviate from RFC 2914 and RFC 7141, and why?"),
    ("5.3.2", "Can it be deployed step by step, and what does it ask of routers and middleboxes?"),
    ("6.2", "If it relies on signals from the path: what happens to traffic within a tunnel?"),
    ("7.10", "If it is used by a multipath transport: what happens when paths share a bottleneck?"),
)
"""Sections of RFC 9743 that no simulation answers."""

_CODE = """import json
from pathlib import Path

from dumbbell.judge.drawing import draw

facts = json.loads(Path("judge.json").read_text(encoding="utf-8"))  # in the folder of this page
draw("{kind}", facts).savefig("{kind}.pdf")
"""

_LEGEND = (
    "Words compare with the reference at the same seeds. Intervals are widened to the comparisons of a "
    "chapter: chance alone makes a chapter say more or less harm with at most "
    f"{100 * (1 - CONFIDENCE):.0f} %. A word with * does not stand if that holds for all chapters together "
    "(Holm)."
)


def write_judge(judged: Judged, folder: Path) -> Path:
    """Write ``judge.html``, ``judge.txt``, ``judge.xml`` and ``judge.json`` into a folder; return the first.

    Parameters
    ----------
    judged
        All words.
    folder
        Where the chapters are.

    Raises
    ------
    FolderError
        If a file cannot be written.
    """
    from dumbbell.report.html import Drawn, engine, render

    found: dict[str, Any] = finite(facts(judged))
    text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
    with new_files(folder) as part:
        drawn = [
            Drawn.of(about, image, part, _CODE.format(kind=about.id), "QUICK" if judged.quick else "")
            for about in FIGURES
            if (image := draw(about.id, found)) is not None
        ]
        page = render(
            "judge.html.j2", title=f"{judged.candidate.name} judged by RFC 9743", name="judge",
            stamps=[("Quick.", "Few runs, so intervals are wide.")] if judged.quick else [],
            chapters=[_shown(entry, judged) for entry in judged.outcomes], figures=drawn,
            answer=summary(judged), legend=_LEGEND, questions=QUESTIONS, code=judged.code, **engine(drawn),
        )  # fmt: skip
        bodies = {
            "judge.html": page,
            "judge.json": text + "\n",
            "judge.txt": table(judged),
            "judge.xml": rfcxml(judged),
        }
        for name, body in bodies.items():
            (part / name).write_text(body, encoding="utf-8")
    return folder / "judge.html"


def summary(judged: Judged) -> str:
    """Return the words in a sentence: how many chapters say what."""
    words = [word_text(entry.word, judged.reference) for entry in judged.outcomes]
    order = ("more harm", "less harm", f"as {judged.reference}", "not judged")
    chapters = "chapter" if len(words) == 1 else "chapters"
    counts = ", ".join(f"{words.count(word)} {word}" for word in order)
    return f"{judged.candidate.name} in {len(words)} {chapters} of RFC 9743: {counts}."


def _word(entry: Outcome, judged: Judged) -> str:
    mark = "*" if judged.stands().get(entry.chapter.number) is False else ""
    return word_text(entry.word, entry.reference) + mark


def _evidence(row: RowOutcome) -> str:
    where = f" at {row.finding.where}" if row.finding.where else ""
    text = f"{row.label}{where}: {row.finding.quantity} {row.finding.estimate.short(row.unit)}"
    return f"{text}; allowed {row.finding.claimed} ({row.row.source})" if row.row.kind == "bound" else text


def _levels(row: RowOutcome) -> str:
    return ", ".join(f"{label} {level.short(row.unit)}" for label, level in row.levels)


def _shown(entry: Outcome, judged: Judged) -> dict[str, Any]:
    """Return a chapter as the page shows it."""
    chapter, row = entry.chapter, entry.decided
    return {
        "section": chapter.section,
        "title": chapter.title,
        "keyword": chapter.keyword,
        "word": _word(entry, judged),
        "evidence": f"{entry.counts}: {_evidence(row)}" if row else entry.why,
        "levels": _levels(row) if row else "",
        "report": f"{chapter.id}/report.html" if entry.rows else "",
        "scenario": entry.scenario,
        "gaps": "; ".join(entry.gaps) if row else "",
    }


def table(judged: Judged) -> str:
    """Return the table in 72 columns: each chapter with its word, and what made it."""
    form = "in full" if judged.kernel is None else "in the form for real packets"
    form = f"in the quick form{', on real packets' if judged.kernel else ''}" if judged.quick else form
    lines = textwrap.wrap(f"{summary(judged)} Judged {form} by {judged.code}.", WIDTH)
    lines += ["", f"{'Sect.':<7}{'Asked':<8}{'Criterion':<41}{'Word':<16}", "-" * WIDTH]
    for entry in judged.outcomes:
        chapter = entry.chapter
        title = textwrap.shorten(chapter.title, 40, placeholder="..")
        line = f"{chapter.section:<7}{chapter.keyword:<8}{title:<41}{_word(entry, judged)}"
        lines.append(line.rstrip())
        row = entry.decided
        told = [entry.counts, _evidence(row), _levels(row)] if row else [entry.why]
        if row and entry.gaps:
            told.append(f"not covered: {'; '.join(entry.gaps)}")
        for text in filter(None, told):
            indent = "       "
            lines += textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)
    lines += ["", *textwrap.wrap(_LEGEND, WIDTH), "", "Questions to the author, which no simulation answers:"]
    for section, question in QUESTIONS:
        lines += textwrap.wrap(f"{section:<7}{question}", WIDTH, subsequent_indent="       ")
    return "\n".join(lines) + "\n"


def rfcxml(judged: Judged) -> str:
    """Return the table for an Internet-Draft in RFCXML (RFC 7991 section 2.54)."""
    heads = "".join(f"<th>{name}</th>" for name in ("Section", "Asked", "Criterion", "Word", "Evidence"))
    rows = []
    for entry in judged.outcomes:
        chapter, row = entry.chapter, entry.decided
        cells = (
            chapter.section, chapter.keyword, chapter.title, _word(entry, judged),
            f"{entry.counts}: {_evidence(row)}" if row else entry.why,
        )  # fmt: skip
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    body = "\n".join(rows)
    name = escape(f"{judged.candidate.name} judged by RFC 9743, {judged.code}")
    head = f"<table>\n<name>{name}</name>\n<thead><tr>{heads}</tr></thead>"
    return f"{head}\n<tbody>\n{body}\n</tbody>\n</table>\n"


def facts(judged: Judged) -> dict[str, Any]:
    """Return the judgement as JSON types."""
    stands = judged.stands()
    return {
        "candidate": judged.candidate.name,
        "against": list(judged.references),
        "quick": judged.quick,
        "version": judged.version,
        "kernel": judged.kernel and judged.kernel.name,
        "summary": summary(judged),
        "chapters": [
            {
                "number": entry.chapter.number,
                "section": entry.chapter.section,
                "title": entry.chapter.title,
                "keyword": entry.chapter.keyword,
                "word": word_text(entry.word, entry.reference),
                "stands": stands.get(entry.chapter.number),
                "why": entry.why,
                "counts": entry.counts,
                "comparisons": entry.comparisons,
                "failed": entry.failed,
                "gaps": entry.gaps,
                "scenario": entry.scenario,
                "rows": [_row_facts(row) for row in entry.rows],
            }
            for entry in judged.outcomes
        ],
        "questions": [{"section": section, "question": text} for section, text in QUESTIONS],
    }


def _row_facts(row: RowOutcome) -> dict[str, Any]:
    return {
        "metric": row.row.metric,
        "by": row.row.kind,
        "word": word_text(row.word, row.reference),
        "finding": row.finding.to_dict(),
        "levels": {label: level.to_dict() for label, level in row.levels},
    }
