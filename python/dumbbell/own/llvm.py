"""LLVM's language: from byte code to functions, for machine code and for the kernel.

Byte code is the one form that all back ends of machines share, so that their arithmetic and their order of
evaluation cannot differ. A `Door` says how a machine reads events and keeps what a law decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from dumbbell import _native
from dumbbell.own.code import Compiled

FUNCTIONS = (Path(__file__).parent / "functions.ll.txt").read_text(encoding="utf-8")
"""Arithmetic of the language; what uses it defines the attributes ``#0``."""

_PLAIN = {"Add": "add", "Sub": "sub", "Mul": "mul", "And": "and", "Or": "or", "Xor": "xor"}
_CALLED = {
    "Div": "law_div", "Rem": "law_rem", "Shl": "law_shl", "Shr": "law_shr", "Sqrt": "law_isqrt",
    "Cbrt": "law_icbrt", "Min": "llvm.smin.i64", "Max": "llvm.smax.i64",
}  # fmt: skip
_COMPARED = {"Eq": "eq", "Ne": "ne", "Lt": "slt", "Le": "sle"}
_JUMPS = {"Jump", "JumpIf", "JumpIfNot", "JumpEq", "JumpNe", "JumpLt", "JumpLe"}


class Door(Protocol):
    """What the code of a law has around it, on one machine."""

    def load(self, writer: Writer, word: int) -> str:
        """Return the value of a word of state."""
        ...

    def store(self, writer: Writer, word: int, value: str) -> None:
        """Keep a word of state."""
        ...

    def get(self, writer: Writer, base: int, length: int, index: str) -> str:
        """Return an element of an array of the state; 0 outside."""
        ...

    def put(self, writer: Writer, base: int, length: int, index: str, value: str) -> None:
        """Keep an element of an array of the state."""
        ...

    def signal(self, writer: Writer, name: str, sent: bool) -> str:
        """Return what an event brings, or a segment that leaves."""
        ...

    def read(self, writer: Writer, name: str) -> str:
        """Return what a law has decided."""
        ...

    def write(self, writer: Writer, name: str, value: str) -> None:
        """Keep what a law decides; a negative number has become 0 where it must."""
        ...


class Writer:
    """Writes the code of one answer.

    Parameters
    ----------
    compiled
        The law as byte code.
    door
        The machine.
    """

    def __init__(self, compiled: Compiled, door: Door) -> None:
        ops, signals, sent, control = _native.law_codes()
        self._ops, self._signals, self._sent, self._control = ops, signals, sent, control
        self._compiled, self._door = compiled, door
        self._count = 0
        self._of_sent = False
        self._goes_on: dict[int, list[int]] = {}
        """Where routines go on, by the word that says where."""
        self.lines: list[str] = []

    def line(self, text: str) -> None:
        """Write an instruction."""
        self.lines.append(f"  {text}")

    def name(self) -> str:
        """Return a name that nothing has yet."""
        self._count += 1
        return f"%t{self._count}"

    def value(self, text: str) -> str:
        """Write an instruction that gives a value; return its name."""
        name = self.name()
        self.line(f"{name} = {text}")
        return name

    def label(self, name: str) -> None:
        """Write a label."""
        self.lines.append(f"{name}:")

    def answer(self, event: str) -> list[str]:
        """Return the body of the answer to an event, which ends by a jump to ``%end``."""
        entry = self._compiled.entries[event]
        self._of_sent = event == "sent"
        reached = sorted(self._reached(entry))
        self._goes_on = {}
        for at in reached:
            op, _, link, _ = self._op(at)
            if op == "Call":
                self._goes_on.setdefault(link, []).append(at + 1)
        for word in sorted(self._locals(reached)):
            self.line(f"%w{word} = alloca i64")
            self.line(f"store i64 0, ptr %w{word}")
        self.line(f"br label %at{entry}")
        for at in reached:
            self.label(f"at{at}")
            self._instruction(at)
        return self.lines

    def _op(self, at: int) -> tuple[str, int, int, int]:
        op, a, b, c = self._compiled.code[at]
        return self._ops[op], a, b, c

    def _following(self, at: int) -> Iterator[int]:
        op, a, _, _ = self._op(at)
        if op in _JUMPS or op == "Call":
            yield a
        if op not in ("Jump", "End", "Return"):
            yield at + 1

    def _reached(self, entry: int) -> set[int]:
        reached: set[int] = set()
        waiting = [entry]
        while waiting:
            at = waiting.pop()
            if at not in reached:
                reached.add(at)
                waiting.extend(self._following(at))
        return reached

    def _locals(self, reached: list[int]) -> set[int]:
        first = self._compiled.visible
        words: set[int] = set()
        for at in reached:
            op, *given = self._op(at)
            if op in ("Signal", "Control", "Write"):
                given = given[:1]
            elif op in _JUMPS:
                given = given[1:]
            elif op in ("Call", "Return"):
                given = [given[1]]
            elif op == "Get":
                given = [given[0], given[2]]
            elif op == "Put":
                given = given[1:]
            words.update(word for word in given if word >= first and word not in self._compiled.constants)
        return words

    def _load(self, word: int) -> str:
        compiled = self._compiled
        if word in compiled.constants:
            return str(compiled.constants[word])
        if word < compiled.visible:
            return self._door.load(self, word)
        return self.value(f"load i64, ptr %w{word}")

    def _store(self, word: int, value: str) -> None:
        if word < self._compiled.visible:
            self._door.store(self, word, value)
        else:
            self.line(f"store i64 {value}, ptr %w{word}")

    def _instruction(self, at: int) -> None:
        op, a, b, c = self._op(at)
        if op == "End":
            self.line("br label %end")
            return
        if op in _JUMPS:
            self._jump(at, op, a, b, c)
            return
        match op:
            case "Call":
                self._store(b, str(at + 1))
                self.line(f"br label %at{a}")
                return
            case "Return":
                ways = " ".join(f"i64 {on}, label %at{on}" for on in self._goes_on[b])
                self.line(f"switch i64 {self._load(b)}, label %end [ {ways} ]")
                return
            case "Write":
                name = self._control[b]
                value = self._load(a)
                if name != "request":
                    value = self.value(f"call i64 @llvm.smax.i64(i64 {value}, i64 0)")
                self._door.write(self, name, value)
            case "Put":
                base, length = self._compiled.arrays[a]
                self._door.put(self, base, length, self._load(b), self._load(c))
            case _:
                self._store(a, self._result(op, a, b, c))
        self.line(f"br label %at{at + 1}")

    def _result(self, op: str, a: int, b: int, c: int) -> str:
        if op in _PLAIN:
            return self.value(f"{_PLAIN[op]} i64 {self._load(b)}, {self._load(c)}")
        if op in _COMPARED:
            truth = self.value(f"icmp {_COMPARED[op]} i64 {self._load(b)}, {self._load(c)}")
            return self.value(f"zext i1 {truth} to i64")
        if op in _CALLED:
            words = (b,) if op in ("Sqrt", "Cbrt") else (b, c)
            given = ", ".join(f"i64 {self._load(word)}" for word in words)
            return self.value(f"call i64 @{_CALLED[op]}({given})")
        match op:
            case "Move":
                return self._load(b)
            case "MulDiv":
                given = ", ".join(f"i64 {self._load(word)}" for word in (a, b, c))
                return self.value(f"call i64 @law_mul_div({given})")
            case "Signal":
                names = self._sent if self._of_sent else self._signals
                return self._door.signal(self, names[b], self._of_sent)
            case "Control":
                return self._door.read(self, self._control[b])
            case "Get":
                base, length = self._compiled.arrays[b]
                return self._door.get(self, base, length, self._load(c))
            case "Draw":
                return self._draw()
        raise AssertionError(op)

    def _jump(self, at: int, op: str, a: int, b: int, c: int) -> None:
        if op == "Jump":
            self.line(f"br label %at{a}")
            return
        yes, no = f"%at{a}", f"%at{at + 1}"
        if op in ("JumpIf", "JumpIfNot"):
            truth = self.value(f"icmp {'ne' if op == 'JumpIf' else 'eq'} i64 {self._load(b)}, 0")
        else:
            truth = self.value(f"icmp {_COMPARED[op[4:]]} i64 {self._load(b)}, {self._load(c)}")
        self.line(f"br i1 {truth}, label {yes}, label {no}")

    def _draw(self) -> str:
        """Draw a number as ``dumbbell_cc::Random`` does: xoshiro256++."""
        base = self._compiled.random
        s0, s1, s2, s3 = (self._door.load(self, base + k) for k in range(4))
        total = self.value(f"add i64 {s0}, {s3}")
        turned = self.value(f"call i64 @llvm.fshl.i64(i64 {total}, i64 {total}, i64 23)")
        drawn = self.value(f"add i64 {turned}, {s0}")
        shifted = self.value(f"shl i64 {s1}, 17")
        t2 = self.value(f"xor i64 {s2}, {s0}")
        t3 = self.value(f"xor i64 {s3}, {s1}")
        n1 = self.value(f"xor i64 {s1}, {t2}")
        n0 = self.value(f"xor i64 {s0}, {t3}")
        n2 = self.value(f"xor i64 {t2}, {shifted}")
        n3 = self.value(f"call i64 @llvm.fshl.i64(i64 {t3}, i64 {t3}, i64 45)")
        for k, new in enumerate((n0, n1, n2, n3)):
            self._door.store(self, base + k, new)
        return self.value(f"lshr i64 {drawn}, 1")
