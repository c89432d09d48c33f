"""The property of test_backends.py over many sequences: ``python -m tests.own.sequences [COUNT] [FIRST]``.

The shipped laws and one of all constructs take turns. Byte code, machine code and C answer every sequence,
Python's interpreter every tenth: it takes ten times as long. A million takes some ten minutes of a processor.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from dumbbell.own import laws
from tests.own.laws import EVERYTHING
from tests.own.told import Backends, story

FOLDER = Path(laws.__file__).parent
LAWS = [
    *(((FOLDER / f"{name.lower()}.py").read_text(encoding="utf-8"), name)
      for name in ("Aimd", "NewReno", "Cubic", "Prague", "Bbr3")),
    (EVERYTHING, "Everything"),
]  # fmt: skip
_PYTHON = 10
_SHOWN = 60_000


def main() -> None:
    """Run the sequences; the first that differs ends it."""
    count = int(sys.argv[1]) if sys.argv[1:] else 1_000_000
    first = int(sys.argv[2]) if sys.argv[2:] else 1_000
    done: Counter[str] = Counter()
    events = 0
    with tempfile.TemporaryDirectory() as scratch:
        backends = [Backends(text, label, Path(scratch) / label) for text, label in LAWS]
        for number in range(count):
            seed = first + number
            one = backends[number % len(backends)]
            told = story(seed)
            expected = one.machine(told)
            answers = {"C": one.c(told)}
            if one.code is not None:
                answers["machine code"] = one.machine(told, native=True)
            if number // len(backends) % _PYTHON == 0:
                answers["Python"] = one.python(told)
            for name, answer in answers.items():
                done[name] += 1
                if answer != expected:
                    raise SystemExit(f"{one.law.label}: {name} differs from byte code at seed {seed}")
            events += len(told[2])
            if (number + 1) % _SHOWN == 0 or number + 1 == count:
                told_of = ", ".join(f"{name} {times:,}" for name, times in done.items())
                print(f"{number + 1:,} sequences, {events:,} events; as byte code: {told_of}", flush=True)


if __name__ == "__main__":
    main()
