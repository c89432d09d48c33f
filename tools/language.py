"""Writes the reference of the language of laws: ``python -m tools.language``.

Fields come from ``dumbbell.own``, with what each asks of the transport. Every example is compiled
and answers one acknowledgement in the machine; the page shows what it decided.
"""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass
from pathlib import Path

from dumbbell import _native, own
from dumbbell.own import vocabulary
from dumbbell.own.compiler import compiled

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "own-controller-language.md"

EVENT = {
    "now": 5_000_000_000,
    "acked": 2920,
    "flight": 29_200,
    "mss": 1460,
    "window_limited": 1,
    "rtt": 40_000_000,
}
"""The acknowledgement of the examples; what it does not name is 0."""

WINDOW = 14_600
"""The window before it, in bytes."""
CONTROL = [WINDOW, 2**63 - 1, 2**63 - 1, 2**63 - 1, 0, 0]
RANDOM = [1, 2, 3, 4]
"""The control and the random stream before it."""


@dataclass(frozen=True)
class Example:
    """One construct."""

    title: str
    fields: str
    """What stands in the class before the answer."""
    body: str
    """What the answer to an acknowledgement does."""
    beside: str = ""
    """What stands before the class."""
    options: str = ""
    after: str = ""
    """What follows the answer."""

    @property
    def source(self) -> str:
        """The class as it is shown."""
        parts = [self.beside + "\n\n\n"] if self.beside else []
        parts.append(f"class Example(Controller{self.options}):\n")
        if self.fields:
            parts.append(textwrap.indent(textwrap.dedent(self.fields).strip(), "    ") + "\n\n")
        parts.append("    def on_ack(self, ack: Ack, control: Control) -> None:\n")
        parts.append(textwrap.indent(textwrap.dedent(self.body).strip(), "        ") + "\n")
        if self.after:
            parts.append("\n" + textwrap.indent(self.after, "    ") + "\n")
        return "".join(parts)

    @property
    def text(self) -> str:
        """A whole file."""
        names = ", ".join(name for name in own.__all__ if name != "LawError")
        return f"from dumbbell.own import {names}\n{self.source}"

    def window(self) -> int:
        """Return the window that it decides."""
        _, found = compiled(self.text, self.title, "Example", {})
        machine = _native.LawMachine(found.image, RANDOM, CONTROL)
        event = [1 if name == "event" else EVENT.get(name, 0) for name in _native.law_codes()[1]]
        ((window, *_),) = machine.tell([event])
        return window


EXAMPLES = (
    Example(
        "Parameter",
        'gain: int = param(2, ge=1, le=8, unit="segments")',
        "control.window += self.gain * ack.mss",
    ),
    Example(
        "State",
        "acks: int = 40",
        ("self.acks += 1\ncontrol.window = self.acks * ack.mss"),
    ),
    Example(
        "State that traces show",
        'seen: int = state(0, unit="bytes")',
        ("self.seen += ack.acked\ncontrol.window = self.seen"),
    ),
    Example(
        "Truth value",
        "grown: bool = False",
        ("if not self.grown and ack.window_limited:\n    self.grown = True\n    control.window += ack.mss"),
    ),
    Example(
        "Enum",
        "phase: Phase = Phase.START",
        ("if self.phase == Phase.START:\n    self.phase = Phase.STEADY\n    control.window += 1000"),
        beside=("class Phase(Enum):\n    START = 0\n    STEADY = 1"),
    ),
    Example(
        "Constant of the file",
        "",
        "control.window = SEGMENTS * ack.mss",
        beside="SEGMENTS = 10",
    ),
    Example(
        "Array",
        "ring: Array = array(4, fill=7)",
        ("self.ring[1] = ack.acked\ncontrol.window = self.ring[1] + self.ring[3]"),
    ),
    Example(
        "Array, outside",
        "ring: Array = array(4, fill=7)",
        ("index = ack.flight\nself.ring[index] = 9\ncontrol.window = 1000 + self.ring[index]"),
    ),
    Example(
        "Local variable",
        "",
        ("room = control.window - ack.flight\ncontrol.window += max(0, room) + 1"),
    ),
    Example(
        "Choice",
        "",
        (
            "if ack.rtt > 100_000_000:\n"
            "    control.window = 2 * ack.mss\n"
            "elif ack.rtt > 10_000_000:\n"
            "    control.window = 3 * ack.mss\n"
            "else:\n"
            "    control.window = 4 * ack.mss"
        ),
    ),
    Example(
        "Choice in a value",
        "",
        "control.window = 1000 if ack.in_recovery else 2000",
    ),
    Example(
        "And, or, not",
        "",
        ("if ack.acked > 0 and (ack.in_recovery or not ack.repeated):\n    control.window = 5000"),
    ),
    Example(
        "Comparisons in a row",
        "",
        ("if 0 < ack.rtt <= 50_000_000 != ack.now:\n    control.window = 6000"),
    ),
    Example(
        "Loop",
        "",
        (
            "total = 0\n"
            "for i in range(1, 10):\n"
            "    if i == 3:\n"
            "        continue\n"
            "    if i > 5:\n"
            "        break\n"
            "    total += i\n"
            "control.window = total"
        ),
    ),
    Example(
        "Arithmetic",
        "",
        ("control.window = (ack.flight * 7 // 10 - 440) % 10_000 + (3 << 4 | 1) - (0xFF & 6) + (64 >> 3)"),
    ),
    Example(
        "Division by zero",
        "",
        "control.window = 1000 + ack.flight // ack.lost",
    ),
    Example(
        "Sums wrap",
        "",
        "control.window = 9223372036854775807 + ack.mss + 9223372036854775807",
    ),
    Example(
        "Less than nothing",
        "",
        "control.window = ack.mss - ack.flight",
    ),
    Example(
        "min, max, abs, clamp",
        "",
        "control.window = clamp(abs(ack.mss - ack.flight), min(10, 20, 30), max(9000, 20_000))",
    ),
    Example(
        "Square and cube root",
        "",
        "control.window = isqrt(ack.flight * ack.flight) + icbrt(1_000_000)",
    ),
    Example(
        "A product divided",
        "",
        "control.window = mul_div(ack.now * 1_000_000, ack.mss, 1_000_000_000_000)",
    ),
    Example(
        "Truth value as a number",
        "",
        "control.window = int(ack.window_limited) + int(bool(ack.acked))",
    ),
    Example(
        "Helper",
        ("def half(self, ack: Ack) -> int:\n    return ack.flight // 2"),
        "control.window = self.half(ack)",
    ),
    Example(
        "Helper that changes something",
        (
            "acks: int = 0\n"
            "\n"
            "def count(self, control: Control, by: int) -> int:\n"
            "    self.acks += by\n"
            "    control.window = 100\n"
            "    return self.acks"
        ),
        ("counted = self.count(control, 5)\ncontrol.window += counted"),
    ),
    Example(
        "Helper with an array",
        (
            "a: Array = array(2)\n"
            "b: Array = array(2)\n"
            "\n"
            "def put(self, into: Array, value: int) -> None:\n"
            "    into[0] = value"
        ),
        ("self.put(self.a, 3)\nself.put(self.b, 4)\ncontrol.window = 10 * self.a[0] + self.b[0]"),
    ),
    Example(
        "Extreme of a window",
        "samples: Array = array(7)",
        ("most = windowed_max(self.samples, 1_000_000_000, ack.now, ack.rtt)\ncontrol.window = most // 1000"),
    ),
    Example(
        "Real number",
        "tenth: int = 0",
        (
            "self.tenth = real_div(real(1), real(10))\n"
            "three = real_add(real_add(self.tenth, self.tenth), self.tenth)\n"
            "# As on every processor, three tenths are a little more than 0.3.\n"
            "if three > real_div(real(3), real(10)):\n"
            "    control.window = real_int(real_mul(three, real(100_000)))"
        ),
    ),
    Example(
        "Real numbers below zero",
        "",
        ("less = real_sub(real(2), real(5))\ncontrol.window = 1000 + real_int(real_div(less, real(2)))"),
    ),
    Example(
        "Random number",
        "",
        ("drawn = random()\ncontrol.window = 1000 + drawn % 1000"),
    ),
    Example(
        "Two events, one answer",
        "",
        "control.window = ack.mss",
        after="on_ecn = on_ack",
    ),
    Example(
        "Class options",
        "",
        "control.window = 7777",
        options=', kind="model", needs="repairs", name="mine-2"',
    ),
)


def _documented(label: str) -> dict[str, str]:
    """Return the fields of a class of ``dumbbell.own`` with what is said of each."""
    text = (ROOT / "python/dumbbell/own/__init__.py").read_text(encoding="utf-8")
    (node,) = (n for n in ast.parse(text).body if isinstance(n, ast.ClassDef) and n.name == label)
    said = {}
    for entry, following in zip(node.body, node.body[1:], strict=False):
        match entry, following:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                said[name] = doc
    return said


def _fields(label: str, fields: dict[str, vocabulary.Named]) -> str:
    said = _documented(label)
    assert list(said) == list(fields), f"{label} and the vocabulary differ"
    rows = [
        f"| `{name}` | {named.kind} | {said[name]} | {named.need.lower().replace('_', ' ')} |"
        for name, named in fields.items()
    ]
    return "\n".join(["| field | kind | meaning | asks for |", "|---|---|---|---|", *rows])


def page() -> str:
    """Return the page."""
    shown = [
        f"### {example.title}\n\n```python\n{example.source}```\n\n"
        f"The window becomes {example.window():,} bytes.\n"
        for example in EXAMPLES
    ]
    given = ", ".join(f"`{name} = {value:,}`" for name, value in EVENT.items())
    needs = "\n".join(
        f"| `on_{event}` | {', '.join(vocabulary.EVENT_NEEDS.get(event, ())).lower() or 'nothing'} |"
        for event in vocabulary.EVENTS
    )
    return f"""# The language of laws

[own-controller.md](own-controller.md) teaches the language. This page is generated from `dumbbell.own` by
`tools/language.py`.

## Events

| answer | asks for |
|---|---|
{needs}

## What an event brings

{_fields("Ack", vocabulary.ACK)}

## What a segment that leaves brings

{_fields("Sent", vocabulary.SENT)}

## What a law decides

A field of the control asks for something when it is written; reading it asks for nothing.

{_fields("Control", vocabulary.CONTROL)}

## Every construct

Each example answered one acknowledgement: {given}; what is not named is 0. The window was {WINDOW:,} bytes.

{chr(10).join(shown)}"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
