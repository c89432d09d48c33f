"""What OpenEvolve calls for each program: a path in, numbers out.

Let the evolved program be a law, a file such as `python/dumbbell/own/laws/aimd.py`. Evolution maximises
`combined_score`; `feedback` goes into the next prompt.
"""

from dumbbell import arena
from dumbbell.errors import DumbbellError


def evaluate(path: str) -> dict[str, float | str]:
    """Return the three train scores of the law in a file, their least, and what decides them in words."""
    try:
        found = arena.score(path)
    except DumbbellError as error:
        return {"combined_score": 0.0, "feedback": str(error)}
    scores = {name: mark.value for name, mark in found.marks.items()}
    return {**scores, "combined_score": min(scores.values()), "feedback": arena.feedback(found)}
