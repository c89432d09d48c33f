"""LLVM's language: from byte code to functions, for machine code and for the kernel.

Byte code is the one form that all back ends of machines share, so that their arithmetic and their order of
evaluation cannot differ. A `Door` says how a machine reads events and keeps what a law decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from dumbbell import _native
from dumbbell.own.code import Compiled

FUNCTIONS = (Path(__file__).parent / "functions.ll.txt").read_text(encoding="utf-8")
"""Arithmetic of the language; what uses it defines attributes: ``#0`` of small functions, ``#2`` of large."""

_PLAIN = {"Add": "add", "Sub": "sub", "Mul": "mul", "And": "and", "Or": "or", "Xor": "xor"}
_CALLED = {
    "Div": "law_div", "Rem": "law_rem", "Shl": "law_shl", "Shr": "law_shr", "Sqrt": "law_isqrt",
    "Cbrt": "law_icbrt", "Min": "llvm.smin.i64", "Max": "llvm.smax.i64",
}  # fmt: skip
_COMPARED = {"Eq": "eq", "Ne": "ne", "Lt": "slt", "Le": "sle"}
_REALS = {"RealAdd", "RealMul", "RealDiv"}
"""What a processor does at once. Here the long way: the kernel has no real numbers. The sums are the same."""

_JUMPS = {"Jump", "JumpIf", "JumpIfNot", "JumpEq", "JumpNe", "JumpLt", "JumpLe"}


class Door(Protocol):
    """What the code of a law has around it, on one machine."""

    arguments: str
    """What each function receives: ``ptr %state, ...``."""

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
    """Writes the code of answers.

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
        self._name, self._of_sent = "", False
        self._frame: dict[int, int] = {}
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

    def answers(self, events: Sequence[str]) -> str:
        """Return the answers to events as functions ``answer_EVENT``, with their routines.

        Their arguments are those of the machine; so are their attributes ``#0``, and ``#3`` of routines. What
        an event brings must lie in the same places for all of them.
        """
        self._name = events[0]
        self._of_sent = "sent" in events
        entries = {event: self._compiled.entries[event] for event in events}
        bodies = {entry: self._body(entry) for entry in entries.values()}
        waiting = [*bodies]
        while waiting:
            calls = [self._op(at)[1] for at in bodies[waiting.pop()] if self._op(at)[0] == "Call"]
            new = {at: self._body(at) for at in calls if at not in bodies}
            bodies |= new
            waiting += new
        # Words of a call: its caller and its routine use them. Answers have none in common but by accident.
        within = [body for at, body in bodies.items() if at not in entries.values()]
        of_answers = {word for entry in entries.values() for word in self._locals(bodies[entry])}
        used = Counter(word for words in (of_answers, *map(self._locals, within)) for word in words)
        shared = sorted(word for word, count in used.items() if count > 1)
        self._frame = {word: place for place, word in enumerate(shared)}
        routines = [self._function(at, body) for at, body in bodies.items() if at not in entries.values()]
        answers = [self._function(entry, bodies[entry], event) for event, entry in entries.items()]
        return "\n".join([*routines, *answers])

    def _function(self, begin: int, body: list[int], event: str = "") -> str:
        """Return the answer to an event, or a routine."""
        self.lines = []
        given = self._door.arguments
        if event:
            head = f"define internal void @answer_{event}({given}) #0"
            # Routines take it, even if they share no word.
            self.line(f"%frame = alloca [{max(1, len(self._frame))} x i64]")
        else:
            head = f"define internal void @{self._name}_{begin}({given}, ptr %frame) #3"
        for word in sorted(self._locals(body) - self._frame.keys()):
            self.line(f"%w{word} = alloca i64")
            self.line(f"store i64 0, ptr %w{word}")
        self.line(f"br label %at{begin}")
        for at in body:
            self.label(f"at{at}")
            self._instruction(at)
        return "\n".join([head + " {", *self.lines, "end:", "  ret void", "}"])

    def _op(self, at: int) -> tuple[str, int, int, int]:
        op, a, b, c = self._compiled.code[at]
        return self._ops[op], a, b, c

    def _body(self, begin: int) -> list[int]:
        """Return the instructions of an answer or a routine, without those that it calls."""
        body: set[int] = set()
        waiting = [begin]
        while waiting:
            at = waiting.pop()
            if at in body:
                continue
            body.add(at)
            op, a, _, _ = self._op(at)
            if op in _JUMPS:
                waiting.append(a)
            if op in _REALS:
                waiting.append(at + 2)
            elif op not in ("Jump", "End", "Return"):
                waiting.append(at + 1)
        return sorted(body)

    def _locals(self, body: list[int]) -> set[int]:
        first = self._compiled.visible
        words: set[int] = set()
        for at in body:
            op, *given = self._op(at)
            if op in ("Signal", "Control", "Write"):
                given = given[:1]
            elif op in ("End", "Call", "Return", *_REALS):
                # Where a routine goes on, its function knows.
                given = []
            elif op in _JUMPS:
                given = given[1:]
            elif op == "Get":
                given = [given[0], given[2]]
            elif op == "Put":
                given = given[1:]
            words.update(word for word in given if word >= first and word not in self._compiled.constants)
        return words

    def _place(self, word: int) -> str:
        """Return where a word that is no state lies."""
        if word in self._frame:
            return self.value(f"getelementptr i64, ptr %frame, i64 {self._frame[word]}")
        return f"%w{word}"

    def _load(self, word: int) -> str:
        compiled = self._compiled
        if word in compiled.constants:
            return str(compiled.constants[word])
        if word < compiled.visible:
            return self._door.load(self, word)
        return self.value(f"load i64, ptr {self._place(word)}")

    def _store(self, word: int, value: str) -> None:
        if word < self._compiled.visible:
            self._door.store(self, word, value)
        else:
            self.line(f"store i64 {value}, ptr {self._place(word)}")

    def _instruction(self, at: int) -> None:
        op, a, b, c = self._op(at)
        if op in ("End", "Return"):
            self.line("br label %end")
            return
        if op in _JUMPS:
            self._jump(at, op, a, b, c)
            return
        if op in _REALS:
            self.line(f"br label %at{at + 2}")
            return
        if op == "Call":
            self.line(f"call void @{self._name}_{a}({self._door.arguments}, ptr %frame)")
            self.line(f"br label %at{at + 1}")
            return
        match op:
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
