"""Laws for the page: a source in, byte code or the first thing wrong out."""

from __future__ import annotations

import base64

from dumbbell.own.compiler import compiled, laws
from dumbbell.own.errors import LawError
from dumbbell.own.report import Report

FILE = "mine.py"
"""What messages and scenarios of the page call the file of a law."""


def compile_law(source: str) -> dict[str, str]:
    """Return the byte code of the first law in a source, or what is wrong with it.

    Parameters
    ----------
    source
        Text in the language of laws.

    Returns
    -------
    dict
        ``error`` alone, a line; or ``source``, ``label`` (the class), ``name`` (in tables), ``image``
        (base64) and ``about``, what the law needs and costs.
    """
    try:
        labels = laws(source, FILE)
        if not labels:
            raise LawError(FILE, "holds no law", "write `class Mine(Controller):`")
        law, code = compiled(source, FILE, labels[0], {})
    except LawError as error:
        return {"error": str(error)}
    report = Report(law, code)
    steps = ", ".join(f"{event} {code.steps[method.name]:,}" for event, method in law.answers.items())
    return {
        "source": source,
        "label": law.label,
        "name": law.name,
        "image": base64.b64encode(code.image).decode(),
        "about": f"needs: {', '.join(report.needs) or 'nothing but sums'}\n"
        f"instructions of byte code at an event, at most: {steps}",
    }
