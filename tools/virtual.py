"""Runs a command in virtual time: `python -m tools.virtual WORD ...`, such as the tests of real packets."""

from __future__ import annotations

import sys

from dumbbell.errors import DumbbellError
from dumbbell.live import virtual


def main(command: list[str]) -> int:
    """Run the command, and return its status; 2 if there is no kernel."""
    try:
        ran = virtual.run(command, virtual.find())
    except DumbbellError as error:
        print(f"dumbbell: {error}", file=sys.stderr)
        return 2
    print(f"VIRTUAL: {ran.rests_on}; {ran.virtual:.1f} s in {ran.wall:.1f} s")
    return ran.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
