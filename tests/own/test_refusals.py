"""What is no law: each refusal is one line with a place, and nothing hangs."""

from __future__ import annotations

import time

import pytest

from dumbbell.own.compiler import compiled
from dumbbell.own.errors import LawError
from dumbbell.own.interpreted import Interpreter
from dumbbell.own.source import MARK

HEAD = "from dumbbell.own import Ack, Array, Control, Controller, Enum, array, param, random, state\n"


def law(body: str, fields: str = "") -> str:
    """Return a source whose answer has a body from line 4 on, or below its fields."""
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    return f"{HEAD}class Mine(Controller):\n{fields}    def on_ack(self, ack, control):\n{lines}"


def said(text: str) -> str:
    with pytest.raises(LawError) as caught:
        compiled(text, "my.py", "Mine", {})
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("control.windw = 1", "4:9: control has no field windw; did you mean window?"),
        ("x = ack.ackd", "4:13: ack has no field ackd; did you mean acked?"),
        ("self.x = 1", "4:9: the law has no field x; declare one in the class: `x: int = 0`"),
        ("ack.acked = 1", "4:9: ack is read only; write to the control, or to a field of self"),
        ("ack = 1", "4:9: ack is an argument of another kind; choose another name"),
        ("while True:\n    pass", "4:9: while is not part of the language; write `for i in range(N)` with"),
        ("for i in range(ack.acked):\n    pass", "4:24: a constant belongs here; write a whole number"),
        ("for i in range(10**9):\n    pass", "4:24: a constant belongs here"),
        ("for i in range(5000):\n    pass", "4:18: a loop of 5,000 is longer than 4,096; shorten it"),
        ("break", "4:9: no loop stands around this; remove it"),
        ("import os", "4:9: import is not part of the language; a law has only its fields"),
        ("global x", "4:9: global is not part of the language; keep it in a field of the class"),
        ("x = [1]", "4:13: a list is not part of the language; declare an array"),
        ("x = 'text'", "4:13: 'text' is no number; write whole numbers"),
        ("control.window = 0.5", "4:26: 0.5 is no whole number: the kernel has no floating point; scale to"),
        ("control.window = ack.mss / 2", "4:26: `/` gives no whole number; write `//`, which rounds down"),
        ("control.window = 2 ** 70", "4:26: `**` is not part of the language; write x * x"),
        ("control.window = 99999999999999999999", "4:26: 99999999999999999999 does not fit into 63 bits"),
        ("if ack.acked:\n    pass", "4:12: a value of kind int stands where bool belongs; compare it"),
        ("x = 1 + True", "4:17: a value of kind bool stands where int belongs; write `int(x)`"),
        ("if ack.in_recovery:\n    x = 1\ncontrol.window = x", "6:26: x may have no value here; give it one"),
        ("return\ncontrol.window = 1", "5:9: nothing gets here; remove it"),
        ("return 1", "4:16: on_ack promises no value; write `-> int`"),
        ("x = random() + 1", "4:13: random() moves its stream on, so it stands alone; assign it"),
        ("x = ack.__class__", "4:13: ack has no field __class__; its fields are"),
        ("x = open('a')", "4:13: there is no function open; functions are"),
        ("x = real(1) + real(2, 3)", "4:23: real takes 1 values, and 2 stand here; give 1"),
        ("x = real_ad(1, 2)", "4:13: there is no function real_ad; did you mean real_add?"),
        ("x = ack.acked.real", "4:13: nothing has an attribute real here; read self"),
        ("control.request = 1", '2:1: asking routers takes a header; write `exchange="xcp"` after its base'),
        ("pass", "2:1: Mine does nothing; answer an event: `def on_ack(self, ack, control):`"),
        ("x = 'a", "4:13: unterminated string literal"),
        ("ä = 1; control.windw = ä", "4:16: control has no field windw"),
    ],
)
def test_a_body_is_refused_with_its_place(body: str, message: str) -> None:
    assert said(law(body)).startswith(f"my.py:{message}")


@pytest.mark.parametrize(
    "body",
    [
        "x = self.nop()",
        "x = int(self.nop())",
        "self.x = self.nop()",
        "if self.nop() == self.nop():\n    self.x = 1",
        "self.x = 1 if self.nop() != self.nop() else 0",
        "self.x = min(self.nop(), 1)",
    ],
)
def test_a_helper_without_a_value_gives_none(body: str) -> None:
    helper = "    x: int = 0\n    def nop(self):\n        pass\n"
    assert "this gives no value; call it on a line of its own" in said(law(body, helper))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "my.py: holds no class of a controller; write one: `class Mine(Controller):`"),
        ("import os\n", "my.py:1:1: a law imports nothing but `from dumbbell.own import ...`; put what else"),
        ("x = open('a')\n", "my.py:1:5: a constant belongs here"),
        (law("control.window = 1") * 2, "my.py:6:1: Mine stands here twice; give one of them another name"),
        (law("control.window = 1").replace("Mine", "Other"), "my.py: has no class Mine; its laws are Other"),
        (
            law("control.window = 1").replace("on_ack", "on_akc"),
            "my.py:3:5: there is no event akc; did you m",
        ),
        (law("self.g = 1", "    g: int = param(1)\n"), "my.py:5:9: g is a parameter, which does not change"),
        (
            law("pass", "    g: int = param(5, le=3)\n"),
            "my.py:3:20: g is 5, and 3 is the most; give 3 or less",
        ),
        (law("pass", "    a: Array = array(9999)\n"), "my.py:3:22: an array of 9999 elements; give it 1 to"),
        (law("self.a[9] = 1", "    a: Array = array(8)\n"), "my.py:5:16: a has 8 elements, and none of them"),
        (law("pass", "    state: int = 1\n"), "my.py:3:5: state hides the function of this name from"),
        (law("pass", "    a = 1\n"), "my.py:3:5: a has no kind; write `a: int = 0`"),
        (
            law("pass").replace("Controller):", 'Controller, kind="x"):'),
            "my.py:2:29: 'x' is no kind; choose one",
        ),
        (
            law("pass").replace("(self, ack, control)", "(self, ack)"),
            "my.py:3:5: on_ack takes self, the event",
        ),
        ("\0", "my.py:1:1: source code string cannot contain null bytes"),
    ],
)
def test_a_file_is_refused_with_its_place(text: str, message: str) -> None:
    assert said(text).startswith(message)


def test_a_file_may_begin_with_the_mark_of_an_editor() -> None:
    text = MARK + law("control.window = ack.mss")
    assert compiled(text, "my.py", "Mine", {})[1] == compiled(text[1:], "my.py", "Mine", {})[1]
    assert said(MARK + law("control.windw = 1")).startswith("my.py:4:9: control has no field windw")
    connection = Interpreter(text, "my.py", "Mine", {}).connect()
    connection.answer("ack", mss=900)
    assert connection.control.window == 900


RECURSION = """
    def f(self, x: int) -> int:
        return self.g(x)
    def g(self, x: int) -> int:
        return self.f(x)
"""
EXPLOSION = "    x: int = 0\n    def f0(self):\n        self.x += 1\n" + "".join(
    f"    def f{n}(self):\n" + f"        self.f{n - 1}()\n" * 60 for n in range(1, 9)
)
CHAIN = "    def f0(self) -> int:\n        return 1\n" + "".join(
    f"    def f{n}(self) -> int:\n        return self.f{n - 1}()\n" for n in range(1, 300)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (law("control.window = self.f(1)", RECURSION[1:]), "calls itself (f -> g -> f), and might not end"),
        (law("self.f8()", EXPLOSION), "Mine is too large: 16,384 instructions"),
        (law("control.window = self.f299()", CHAIN), "helpers call each other; put some of them together"),
        (
            law("for i in range(4000):\n    for j in range(4000):\n        control.window += 1"),
            "is too large",
        ),
        (law("control.window = " + "(" * 100_000 + "1" + ")" * 100_000), "too many nested parentheses"),
        (law("control.window = " + "-" * 100_000 + "1"), "is nested too deeply for Python"),
        (law("control.window = " + "1+" * 60_000 + "1"), "nested too deeply"),
        (law("x = ack" + ".a" * 80_000), "nested too deeply"),
        (law("control.window = " + "1+" * 50 + "1"), "more than 40 levels stand within each other"),
        (law("control.window = 1") + "#" * 5_000_000, "has 5,000,"),
    ],
)
def test_what_would_not_end_is_refused_at_once(text: str, message: str) -> None:
    begun = time.process_time()
    assert message in said(text)
    assert time.process_time() - begun < 5
