"""Byte code: from the typed tree to an image for the machine of ``crates/law``."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from dumbbell import _native
from dumbbell.own import vocabulary
from dumbbell.own.errors import LawError
from dumbbell.own.tree import (
    Apply,
    Assign,
    Binary,
    Call,
    Choose,
    Compare,
    Const,
    Decision,
    Do,
    Element,
    Expr,
    Field,
    For,
    If,
    Law,
    Leave,
    Local,
    Logic,
    Method,
    Not,
    Return,
    Signal,
    Stmt,
)  # fmt: skip

MOST_INSTRUCTIONS = 16_384
MOST_STEPS = 1_000_000
"""Instructions of a law, and those that one answer may take."""

MOST_WORDS = 8192
_NONE = 0xFFFF
_ROUTINES = 1 << 16
"""Words of routines have larger numbers before their places are known."""

_OF_ROUTINE = ("code", "_next", "_most", "_seen", "_weight", "_spent", "_loops", "_within")
"""What a routine that is written has for itself."""

_LARGE = 30
"""Nodes of a helper from which on it is called, where it is used twice; a smaller one is written out."""

_OPS = {
    "+": "Add", "-": "Sub", "*": "Mul", "//": "Div", "%": "Rem", "&": "And", "|": "Or", "^": "Xor",
    "<<": "Shl", ">>": "Shr", "min": "Min", "max": "Max", "==": "Eq", "!=": "Ne", "<": "Lt", "<=": "Le",
}  # fmt: skip
_REALS = {"real_add": "RealAdd", "real_mul": "RealMul", "real_div": "RealDiv"}
"""What the processor does at once with most numbers, of functions of the language."""

_OPPOSITE = {"==": "!=", "!=": "==", "<": "<=", "<=": "<"}
"""The comparison that holds where one does not; those of order with their sides changed."""


@dataclass
class _Label:
    """A place in the code that is not known yet."""

    at: int | None = None
    jumps: list[int] = field(default_factory=list)


@dataclass
class _Frame:
    """A method that is written out: where its locals are, and where it goes and writes when it ends."""

    locals: dict[str, int]
    arrays: dict[str, int]
    end: _Label
    into: int | None


@dataclass
class _Routine:
    """A helper whose code stands once, for all its calls."""

    number: int
    code: list[tuple[int, int, int, int]] = field(default_factory=list)
    arguments: dict[str, int] = field(default_factory=dict)
    result: int = 0
    link: int = 0
    """The word that says where its caller goes on."""
    words: int = 0
    steps: int = 0
    calls: set[int] = field(default_factory=set)
    """The routines that it calls."""

    @property
    def first(self) -> int:
        """The first of its words, while it is not known where they are."""
        return _ROUTINES + self.number * _ROUTINES


class _SizeError(Exception):
    pass


class _Assembler:
    """Writes the code of one law."""

    def __init__(self, law: Law) -> None:
        ops, signals, sent, control = _native.law_codes()
        self._number = {name: number for number, name in enumerate(ops)}
        self._signals = {name: number for number, name in enumerate(signals)}
        self._sent = {name: number for number, name in enumerate(sent)}
        self._control = {name: number for number, name in enumerate(control)}
        self._law = law
        self.words = [word.value for word in law.words]
        self._fields = {word.name: number for number, word in enumerate(law.words)}
        self.arrays: list[tuple[int, int]] = []
        self._arrays: dict[str, int] = {}
        for name, values in law.arrays.items():
            self._arrays[name] = len(self.arrays)
            self.arrays.append((len(self.words), len(values)))
            self.words.extend(values)
        self.random = len(self.words) if law.draws else _NONE
        if law.draws:
            self.words.extend((0, 0, 0, 0))
        self.visible = len(self.words)
        self._constants: dict[int, int] = {}
        self.code: list[tuple[int, int, int, int]] = []
        self.steps: dict[str, int] = {}
        self._first_local = 0
        self._next = 0
        self._most = 0
        self._seen: dict[str, int] = {}
        self._weight = 1
        self._spent = 0
        self._inputs = self._signals
        self._loops: list[tuple[_Label, _Label]] = []
        self._routines: dict[tuple[str, tuple[int, ...]], _Routine] = {}
        self._within: set[int] = set()
        self._depth = 0
        self._shared = _shared(law)

    def assemble(self) -> dict[str, int]:
        """Write the code of all answers; return where each begins."""
        for constant in sorted(set(_constants(self._law))):
            self._constants[constant] = len(self.words)
            self.words.append(constant)
        self._first_local = self._most = len(self.words)
        entries: dict[str, int] = {}
        begun: dict[str, int] = {}
        for event, method in self._law.answers.items():
            if method.name not in begun:
                begun[method.name] = len(self.code)
                self._inputs = self._sent if event == "sent" else self._signals
                self._next, self._seen, self._weight, self._spent = self._first_local, {}, 1, 0
                end = _Label()
                self._method(method, _Frame({}, {}, end, None))
                self._place(end)
                self._emit("End")
                self.steps[method.name] = self._spent
            entries[event] = begun[method.name]
        self._link()
        self._thread()
        return entries

    @property
    def constants(self) -> dict[int, int]:
        """Words that hold constants, and what they hold."""
        return {word: value for value, word in self._constants.items()}

    def _link(self) -> None:
        """Put routines after the answers, and their words after those that no call of theirs may touch."""
        firsts: list[int] = []
        begins: list[int] = []
        # In the order in which they were finished: each after those that it calls.
        routines = list(self._routines.values())
        for routine in routines:
            below = [firsts[number] + routines[number].words for number in routine.calls]
            firsts.append(max([self._most, *below]))
            begins.append(len(self.code))
            jumps = self._jumps()
            self.code.extend((op, a + begins[-1] if op in jumps else a, b, c) for op, a, b, c in routine.code)
        most = max([self._most, *(first + r.words for first, r in zip(firsts, routines, strict=True))])
        call = self._number["Call"]

        def place(word: int) -> int:
            if word < _ROUTINES:
                return word
            number, offset = divmod(word - _ROUTINES, _ROUTINES)
            return firsts[number] + offset

        self.code = [
            (op, begins[a] if op == call else place(a), place(b), place(c)) for op, a, b, c in self.code
        ]
        if most > MOST_WORDS or len(self.code) > MOST_INSTRUCTIONS:
            raise _SizeError
        self.words.extend([0] * (most - len(self.words)))

    def _jumps(self) -> set[int]:
        return {number for name, number in self._number.items() if name.startswith("Jump")}

    def _thread(self) -> None:
        """Let jumps to jumps, and to the end, go there at once."""
        jump, jumps = self._number["Jump"], self._jumps()
        ends = self._number["End"], self._number["Return"]
        for number, (op, to, b, c) in enumerate(self.code):
            if op not in jumps:
                continue
            a, ways = to, 0
            while self.code[a][0] == jump and ways < len(self.code):
                a, ways = self.code[a][1], ways + 1
            self.code[number] = self.code[a] if op == jump and self.code[a][0] in ends else (op, a, b, c)

    def _method(self, method: Method, frame: _Frame) -> None:
        if method.given and method.name in _REALS and frame.into is not None:
            sides = (frame.locals[argument.name] for argument in method.numbers)
            self._emit(_REALS[method.name], frame.into, *sides)
            self._jump("Jump", frame.end)
        for name in method.locals:
            frame.locals[name] = self._word()
        self._block(method.body, frame)

    def _word(self) -> int:
        number = self._next
        self._next += 1
        self._most = max(self._most, self._next)
        if self._next % _ROUTINES > MOST_WORDS:
            raise _SizeError
        return number

    def _emit(self, op: str, a: int = 0, b: int = 0, c: int = 0) -> int:
        self.code.append((self._number[op], a, b, c))
        if len(self.code) > MOST_INSTRUCTIONS:
            raise _SizeError
        self._spend(1)
        return len(self.code) - 1

    def _spend(self, steps: int) -> None:
        self._spent += self._weight * steps
        if self._spent > MOST_STEPS:
            raise _SizeError

    def _jump(self, op: str, label: _Label, b: int = 0, c: int = 0) -> None:
        number = self._emit(op, label.at or 0, b, c)
        if label.at is None:
            label.jumps.append(number)

    def _place(self, label: _Label) -> None:
        label.at = len(self.code)
        for number in label.jumps:
            op, _, b, c = self.code[number]
            self.code[number] = op, label.at, b, c

    def _block(self, body: Iterable[Stmt], frame: _Frame) -> None:
        for statement in body:
            self._statement(statement, frame)

    def _branch(self, body: Iterable[Stmt], frame: _Frame) -> None:
        """Write statements that may not run: what is loaded there is not known later."""
        seen, following = dict(self._seen), self._next
        self._block(body, frame)
        self._seen, self._next = seen, following

    def _statement(self, statement: Stmt, frame: _Frame) -> None:
        following = self._next
        match statement:
            case Assign(Local(name), value):
                self._into(value, frame.locals[name], frame)
            case Assign(Field(name), value):
                self._into(value, self._fields[name], frame)
            case Assign(Decision(name), value):
                word = self._value(value, frame)
                self._emit("Write", word, self._control[name])
            case Assign(Element(array, index), value):
                word = self._value(value, frame)
                self._emit("Put", self._array(array, frame), self._value(index, frame), word)
            case If(condition, yes, no):
                other, end = _Label(), _Label()
                self._unless(condition, other, frame)
                self._branch(yes, frame)
                if no:
                    self._jump("Jump", end)
                self._place(other)
                if no:
                    self._branch(no, frame)
                    self._place(end)
            case For():
                self._for(statement, frame)
            case Leave(word_of):
                end, again = self._loops[-1]
                self._jump("Jump", end if word_of == "break" else again)
            case Return(value):
                if value is not None and frame.into is not None:
                    self._into(value, frame.into, frame)
                elif isinstance(value, Call):
                    self._call(value, None, frame)
                self._jump("Jump", frame.end)
            case Do(call):
                self._call(call, None, frame)
        # Temporary words are free again; those of signals stay.
        self._next = max([following, *(word + 1 for word in self._seen.values() if word >= following)])

    def _for(self, loop: For, frame: _Frame) -> None:
        numbers = loop.numbers
        if not numbers:
            return
        word = frame.locals[loop.name]
        # The counter is apart from the name: the body may change that, as in Python.
        counter = self._word()
        self._emit("Move", counter, self._constants[numbers.start])
        begin, again, end = _Label(), _Label(), _Label()
        weight = self._weight
        self._weight = weight * len(numbers)
        self._place(begin)
        self._emit("Move", word, counter)
        self._loops.append((end, again))
        self._branch(loop.body, frame)
        self._loops.pop()
        self._place(again)
        self._emit("Add", counter, counter, self._constants[numbers.step])
        last = self._constants[numbers[-1]]
        sides = (counter, last) if numbers.step > 0 else (last, counter)
        self._jump("JumpLe", begin, *sides)
        self._weight = weight
        self._place(end)

    def _unless(self, condition: Expr, label: _Label, frame: _Frame) -> None:
        """Jump to a label unless a condition holds."""
        match condition:
            case Compare(op, left, right):
                a, b = self._value(left, frame), self._value(right, frame)
                opposite = _OPPOSITE[op]
                if op in ("<", "<="):
                    a, b = b, a
                self._jump(f"Jump{_OPS[opposite]}", label, a, b)
            case Logic("and", parts):
                self._lazily(parts, label, frame, self._unless)
            case Logic(_, parts):
                yes = _Label()
                self._lazily(parts[:-1], yes, frame, self._when)
                seen = dict(self._seen)
                self._unless(parts[-1], label, frame)
                self._seen = seen
                self._place(yes)
            case Not(part):
                self._when(part, label, frame)
            case Const(value):
                if not value:
                    self._jump("Jump", label)
            case _:
                self._jump("JumpIfNot", label, self._value(condition, frame))

    def _when(self, condition: Expr, label: _Label, frame: _Frame) -> None:
        """Jump to a label if a condition holds."""
        match condition:
            case Compare(op, left, right):
                self._jump(f"Jump{_OPS[op]}", label, self._value(left, frame), self._value(right, frame))
            case Logic("or", parts):
                self._lazily(parts, label, frame, self._when)
            case Logic(_, parts):
                no = _Label()
                self._lazily(parts[:-1], no, frame, self._unless)
                seen = dict(self._seen)
                self._when(parts[-1], label, frame)
                self._seen = seen
                self._place(no)
            case Not(part):
                self._unless(part, label, frame)
            case Const(value):
                if value:
                    self._jump("Jump", label)
            case _:
                self._jump("JumpIf", label, self._value(condition, frame))

    def _lazily(self, parts: Iterable[Expr], label: _Label, frame: _Frame, jump: _Jump) -> None:
        """Write parts of a condition of which the first always counts, and the others may not."""
        seen: dict[str, int] | None = None
        for part in parts:
            jump(part, label, frame)
            seen = dict(self._seen) if seen is None else seen
        self._seen = self._seen if seen is None else seen

    def _value(self, value: Expr, frame: _Frame) -> int:
        """Return a word that holds a value."""
        match value:
            case Const(number):
                return self._constants[number]
            case Local(name):
                return frame.locals[name]
            case Field(name):
                return self._fields[name]
            case Signal(name):
                if name not in self._seen:
                    word = self._word()
                    self._emit("Signal", word, self._inputs[name])
                    self._seen[name] = word
                return self._seen[name]
        word = self._word()
        self._into(value, word, frame)
        return word

    def _into(self, value: Expr, word: int, frame: _Frame) -> None:
        """Put a value into a word; what it is made of may be that word."""
        match value:
            case Decision(name):
                self._emit("Control", word, self._control[name])
            case Element(array, index):
                self._emit("Get", word, self._array(array, frame), self._value(index, frame))
            case Binary(op, left, right) | Compare(op, left, right):
                self._emit(_OPS[op], word, self._value(left, frame), self._value(right, frame))
            case Apply("mul_div", (a, b, c)):
                words = self._value(a, frame), self._value(b, frame), self._value(c, frame)
                product = self._word()
                self._emit("Move", product, words[0])
                self._emit("MulDiv", product, *words[1:])
                self._emit("Move", word, product)
            case Apply("random", _):
                self._emit("Draw", word)
            case Apply(name, (a,)):
                self._emit({"isqrt": "Sqrt", "icbrt": "Cbrt"}[name], word, self._value(a, frame))
            case Logic() | Not():
                self._choose(value, Const(1), Const(0), word, frame)
            case Choose(condition, yes, no):
                self._choose(condition, yes, no, word, frame)
            case Call():
                self._call(value, word, frame)
            case _:
                self._emit("Move", word, self._value(value, frame))

    def _choose(self, condition: Expr, yes: Expr, no: Expr, word: int, frame: _Frame) -> None:
        other, end = _Label(), _Label()
        self._unless(condition, other, frame)
        seen = dict(self._seen)
        self._into(yes, word, frame)
        self._jump("Jump", end)
        self._place(other)
        self._seen = dict(seen)
        self._into(no, word, frame)
        self._place(end)
        self._seen = seen

    def _array(self, name: str, frame: _Frame) -> int:
        return self._arrays[name[5:]] if name.startswith("self.") else frame.arrays[name]

    def _call(self, call: Call, into: int | None, frame: _Frame) -> None:
        """Write a helper out where it is called, or call its routine."""
        method = self._law.helpers[call.helper]
        arrays = {name: self._array(array, frame) for name, array in call.arrays}
        if call.helper in self._shared:
            # Arguments come first: one of them may call the same routine.
            values = {name: self._value(value, frame) for name, value in call.numbers}
            routine = self._routine(method, arrays)
            for name, word in values.items():
                self._emit("Move", routine.arguments[name], word)
            self._emit("Call", routine.number, routine.link)
            self._spend(routine.steps)
            self._within.add(routine.number)
            if into is not None:
                self._emit("Move", into, routine.result)
            return
        words: dict[str, int] = {}
        for name, value in call.numbers:
            words[name] = self._word()
            self._into(value, words[name], frame)
        # The value goes to a word of its own: the helper may read the one that it is meant for.
        result = None if into is None else self._word()
        end, loops, seen = _Label(), self._loops, dict(self._seen)
        self._loops = []
        self._method(method, _Frame(words, arrays, end, result))
        self._loops, self._seen = loops, seen
        self._place(end)
        if into is not None and result is not None:
            self._emit("Move", into, result)

    def _routine(self, method: Method, arrays: dict[str, int]) -> _Routine:
        """Return the routine of a helper with these arrays, written if this is its first call."""
        key = method.name, tuple(arrays.values())
        if key in self._routines:
            return self._routines[key]
        outside = {name: getattr(self, name) for name in _OF_ROUTINE}
        # Its number is known when those that it calls have theirs; until then its words count from elsewhere.
        first = _ROUTINES * (1 << 16) * (1 + self._depth)
        self._depth += 1
        self.code, self._seen, self._weight, self._spent, self._loops = [], {}, 1, 0, []
        self._within, self._next, self._most = set(), first, first
        link, result = self._word(), self._word()
        arguments = {argument.name: self._word() for argument in method.numbers}
        end = _Label()
        self._method(method, _Frame(dict(arguments), arrays, end, None if method.result is None else result))
        self._place(end)
        self._emit("Return", 0, link)
        self._depth -= 1
        routine = _Routine(len(self._routines), words=self._most - first, steps=self._spent)
        routine.calls = self._within

        def named(word: int) -> int:
            return routine.first + word - first if word >= first else word

        routine.code = [(op, named(a), named(b), named(c)) for op, a, b, c in self.code]
        routine.link, routine.result = named(link), named(result)
        routine.arguments = {name: named(word) for name, word in arguments.items()}
        for name, value in outside.items():
            setattr(self, name, value)
        self._routines[key] = routine
        return routine


class _Jump(Protocol):
    def __call__(self, condition: Expr, label: _Label, frame: _Frame) -> None: ...


def _nodes(body: Iterable[Stmt]) -> Iterable[object]:
    """Yield the statements and expressions of a body, and those within them."""
    waiting: list[object] = [*body]
    while waiting:
        match waiting.pop():
            case tuple(parts):
                waiting.extend(parts)
            case int() | str() | range() | None:
                pass
            case node:
                yield node
                waiting.extend(vars(node).values())


def _shared(law: Law) -> frozenset[str]:
    """Return the helpers whose code stands once: large ones that are called in two places."""
    bodies = {method.name: method.body for method in (*law.answers.values(), *law.helpers.values())}
    calls: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for name, body in bodies.items():
        nodes = list(_nodes(body))
        sizes[name] = len(nodes)
        for node in nodes:
            if isinstance(node, Call):
                calls[node.helper] = calls.get(node.helper, 0) + 1
    return frozenset(name for name, count in calls.items() if count > 1 and sizes[name] >= _LARGE)


def _constants(law: Law) -> Iterable[int]:
    """Yield the numbers that the code of a law names."""
    yield from (0, 1)
    for method in (*law.answers.values(), *law.helpers.values()):
        for node in _nodes(method.body):
            match node:
                case Const(value):
                    yield value
                case For(_, numbers, _):
                    yield from (numbers.start, numbers.step, numbers[-1] if numbers else 0)


def _text(text: str) -> bytes:
    raw = text.encode()[:255]
    return struct.pack("<B", len(raw)) + raw


@dataclass(frozen=True)
class Compiled:
    """A law as byte code."""

    image: bytes
    visible: int
    """How many words are state, the first ones; the others are constants and locals."""
    instructions: int
    steps: dict[str, int]
    """The most instructions that each answer takes, by its method."""
    words: int
    code: tuple[tuple[int, int, int, int], ...]
    """Instructions: number and operands."""
    entries: Mapping[str, int]
    """Where the answer to each event begins."""
    arrays: tuple[tuple[int, int], ...]
    """First word and length."""
    constants: Mapping[int, int]
    """Words that never change, and what they hold."""
    random: int
    """The first of four words of a random stream, if it draws."""


def reads(compiled: Compiled) -> set[str]:
    """Return the names of the signals that a law reads, and of the decisions that it reads or writes."""
    ops, signals, _, control = _native.law_codes()
    found = set()
    for op, _, b, _ in compiled.code:
        if ops[op] == "Signal":
            found.add(signals[b])
        elif ops[op] in ("Control", "Write"):
            found.add(control[b])
    return found


def assemble(law: Law, file: str) -> Compiled:
    """Compile a law.

    Raises
    ------
    LawError
        If it is too large.
    """
    assembler = _Assembler(law)
    try:
        entries = assembler.assemble()
    except _SizeError:
        raise LawError(
            file,
            f"{law.label} is too large: {MOST_INSTRUCTIONS:,} instructions, {MOST_STEPS:,} steps of one "
            f"answer and {MOST_WORDS:,} words are the most, helpers written out",
            "shorten loops and helpers",
        ) from None
    needs = {name: bit for bit, name in enumerate(_native.law_needs())}
    image = bytearray(b"DBL1")
    image += struct.pack(
        "<IBBB", sum(1 << needs[need] for need in law.needs), vocabulary.KINDS.index(law.kind),
        vocabulary.REPAIRS.index(law.repair), vocabulary.EXCHANGES.index(law.exchange),
    )  # fmt: skip
    image += _text(law.name)
    image += struct.pack(f"<H{len(assembler.words)}q", len(assembler.words), *assembler.words)
    image += struct.pack("<H", len(assembler.arrays))
    for base, length in assembler.arrays:
        image += struct.pack("<HH", base, length)
    image += struct.pack("<H", assembler.random)
    for event in vocabulary.EVENTS:
        image += struct.pack("<H", entries.get(event, _NONE))
    names = [word.name for word in law.words]
    states = law.states
    if states is None:
        image += struct.pack("<H", _NONE)
    else:
        image += struct.pack("<HB", names.index(states[0]), len(states[1])) + b"".join(map(_text, states[1]))
    shown = [word for word in law.words if word.shown][:255]
    image += struct.pack("<B", len(shown))
    for word in shown:
        image += struct.pack("<H", names.index(word.name)) + _text(word.name) + _text(word.unit)
    image += struct.pack("<H", len(assembler.code))
    for op, a, b, c in assembler.code:
        image += struct.pack("<BxHHH", op, a, b, c)
    return Compiled(
        image=bytes(image),
        visible=assembler.visible,
        instructions=len(assembler.code),
        steps=assembler.steps,
        words=len(assembler.words),
        code=tuple(assembler.code),
        entries=entries,
        arrays=tuple(assembler.arrays),
        constants=assembler.constants,
        random=assembler.random,
    )
