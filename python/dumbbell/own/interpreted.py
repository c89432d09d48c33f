"""The same class, run by Python's interpreter: for print, for pdb, and to check the other back ends."""

from __future__ import annotations

import ast
import enum
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import CodeType
from typing import Any, SupportsIndex

from dumbbell import _native
from dumbbell.own import numbers, prelude, vocabulary
from dumbbell.own.errors import LawError
from dumbbell.own.read import read
from dumbbell.own.source import MARK
from dumbbell.own.tree import BOOL, INT, Law

_, SIGNALS, SENT, _ = _native.law_codes()
_MASK = 2**64 - 1
_NONE = vocabulary.CONSTANTS["UNLIMITED"]
"""No threshold, no pacing, no wake-up."""


class Int(int):
    """A number of 64 bits, with the arithmetic of laws."""

    __slots__ = ()

    def __rsub__(self, other: int) -> Int:
        return Int(numbers.wrap(int(other) - int(self)))

    def __neg__(self) -> Int:
        return Int(numbers.wrap(-int(self)))

    def __invert__(self) -> Int:
        return Int(~int(self))

    def __pos__(self) -> Int:
        return self

    def __abs__(self) -> Int:
        return max(self, -self)


def _operations() -> None:
    names = {
        "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "and": "&", "or": "|", "xor": "^",
        "lshift": "<<", "rshift": ">>",
    }  # fmt: skip

    def made(function: Callable[[int, int], int]) -> Callable[[Int, int], Int]:
        return lambda self, other: Int(function(int(self), int(other)))

    for name, sign in names.items():
        setattr(Int, f"__{name}__", made(numbers.BINARY[sign]))


_operations()


class _Array(list[Int]):
    """An array: 0 outside it."""

    def __getitem__(self, index: Any) -> Any:
        return list.__getitem__(self, index) if 0 <= index < len(self) else Int(0)

    def __setitem__(self, index: SupportsIndex | slice, value: Any) -> None:
        if 0 <= int(index) < len(self):  # type: ignore[arg-type]
            list.__setitem__(self, index, value)


class Control:
    """The control: negative numbers become 0, but for a request."""

    def __init__(self, values: Sequence[int]) -> None:
        self.take(values)

    def take(self, values: Sequence[int]) -> None:
        """Take the numbers of another control, in the order of the contract."""
        for name, value in zip(vocabulary.CONTROL, values, strict=True):
            setattr(self, name, Int(numbers.wrap(value) if name == "request" else numbers.saturate(value)))

    def __setattr__(self, name: str, value: int) -> None:
        object.__setattr__(self, name, Int(value if name == "request" else max(0, value)))

    def values(self) -> list[int]:
        """Return the numbers, unsigned, in the order of the contract."""
        return [int(getattr(self, name)) & _MASK for name in vocabulary.CONTROL]


class _Event:
    """An event or a segment that leaves."""


class _Random:
    """xoshiro256++."""

    def __init__(self, state: Sequence[int]) -> None:
        self.state = list(state)

    def __call__(self) -> Int:
        s = self.state
        total = (s[0] + s[3]) & _MASK
        drawn = (_rotated(total, 23) + s[0]) & _MASK
        shifted = (s[1] << 17) & _MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = _rotated(s[3], 45)
        return Int(drawn >> 1)


def _rotated(number: int, by: int) -> int:
    return ((number << by) | (number >> (64 - by))) & _MASK


class _Wrapped(ast.NodeTransformer):
    """Makes every number of a source one of 64 bits; leaves out what a law does not read."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            name = ast.copy_location(ast.Name("_Int", ast.Load()), node)
            return ast.copy_location(ast.Call(name, [node], []), node)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return node if node.module == "__future__" else None

    def visit_If(self, node: ast.If) -> ast.AST | None:
        match node.test:
            case ast.Compare(left=ast.Name(id="__name__")):
                return None
        return self.generic_visit(node)


def _range(*bounds: int) -> list[Int]:
    return [Int(number) for number in range(*map(int, bounds))]


def _function(function: Callable[..., int]) -> Callable[..., Int]:
    return lambda *values: Int(function(*map(int, values)))


class _Base:
    """What laws derive from here."""

    def __init_subclass__(cls, **_options: str) -> None:
        super().__init_subclass__()


def _namespace(constants: Mapping[str, int], random: Callable[[], Int]) -> dict[str, Any]:
    return {
        "__name__": "law",
        "_Int": Int,
        "Controller": _Base,
        "Enum": enum.IntEnum,
        "Array": _Array,
        "Ack": _Event,
        "Sent": _Event,
        "Control": Control,
        "array": lambda length, fill=0: _Array([Int(fill)] * length),
        "param": lambda value, **_options: value,
        "state": lambda value, **_options: value,
        "range": _range,
        "int": lambda value: Int(operator.index(value)),
        "isqrt": _function(numbers.isqrt),
        "icbrt": _function(numbers.icbrt),
        "mul_div": _function(numbers.mul_div),
        "clamp": lambda value, least, most: max(least, min(value, most)),
        "random": random,
        **{name: Int(value) for name, value in constants.items()},
    }


class Interpreter:
    """Python's interpreter for one law.

    Parameters
    ----------
    text, name, label, parameters
        As for `read`.

    Raises
    ------
    LawError
        If the class is no law.
    """

    def __init__(self, text: str, name: str, label: str, parameters: Mapping[str, Any]) -> None:
        self.law: Law = read(text, name, label, parameters)
        # The file under its own name, so that a debugger shows its lines.
        self.code = [_code(prelude.TEXT, "prelude"), _code(text, name)]

    def connect(
        self,
        random: Sequence[int] = (1, 2, 3, 4),
        control: Sequence[int] = (0, _NONE, _NONE, _NONE, 0, 0),
    ) -> Interpreted:
        """Return a new connection, with four words of a random stream and the six numbers of the control."""
        return Interpreted(self, random, control)


def _code(text: str, name: str) -> CodeType:
    return compile(
        ast.fix_missing_locations(_Wrapped().visit(ast.parse(text.removeprefix(MARK)))), name, "exec"
    )


@cache
def plain() -> Mapping[str, Callable[..., int]]:
    """Return functions of the language for plain Python; `random` draws from one stream."""
    stream = _Random((1, 2, 3, 4))
    helpers = _prelude(_namespace(vocabulary.CONSTANTS, stream), _code(prelude.TEXT, "prelude"))

    def wrapped(function: Callable[..., int]) -> Callable[..., int]:
        return lambda *values: function(
            *(value if isinstance(value, list) else Int(numbers.wrap(value)) for value in values)
        )

    return {"random": stream, **{name: wrapped(function) for name, function in helpers.items()}}


def _prelude(space: dict[str, Any], code: CodeType) -> dict[str, Callable[..., int]]:
    """Return the functions that are written in the language."""
    exec(code, space)
    helpers = space["Prelude"]()
    return {name: getattr(helpers, name) for name in prelude.FUNCTIONS}


class Interpreted:
    """A connection under a law that Python runs."""

    def __init__(self, interpreter: Interpreter, random: Sequence[int], control: Sequence[int]) -> None:
        self._interpreter = interpreter
        self.law = interpreter.law
        self._random = _Random(random)
        space = _namespace(vocabulary.CONSTANTS, self._random)
        beforehand, code = interpreter.code
        space.update(_prelude(space, beforehand))
        exec(code, space)
        self.object = space[self.law.label]()
        for word in self.law.words:
            setattr(self.object, word.name, self._value(word.kind, word.value, space))
        for array, values in self.law.arrays.items():
            setattr(self.object, array, _Array(map(Int, values)))
        self.control = Control(control)

    @staticmethod
    def _value(kind: str, value: int, space: Mapping[str, Any]) -> Any:
        return Int(value) if kind == INT else bool(value) if kind == BOOL else space[kind](value)

    def on(self, event: str, numbers_of: Mapping[str, int]) -> None:
        """Answer an event: the numbers of its signals by their name in the machine."""
        method = self.law.answers.get(event)
        if method is None:
            return
        signals = _Event()
        for name, named in (vocabulary.SENT if event == "sent" else vocabulary.ACK).items():
            value = numbers_of[named.code]
            number = Int(numbers.wrap(value) if named.code == "feedback" else numbers.saturate(value))
            setattr(signals, name, bool(number) if named.kind == BOOL else number)
        getattr(self.object, method.name)(signals, self.control)

    def tell(self, numbers_of: Sequence[int], control: Sequence[int]) -> list[int]:
        """Answer an event in a run: signals and control in the order of the machine; return the control."""
        named = dict(zip(SIGNALS, numbers_of, strict=True))
        return self._told(vocabulary.EVENTS[named["event"]], named, control)

    def tell_sent(self, numbers_of: Sequence[int], control: Sequence[int]) -> list[int]:
        """Answer a segment that leaves in a run."""
        return self._told("sent", dict(zip(SENT, numbers_of, strict=True)), control)

    def _told(self, event: str, named: Mapping[str, int], control: Sequence[int]) -> list[int]:
        self.control.take(control)
        self.on(event, named)
        return self.control.values()

    def copy(self) -> Interpreted:
        """Return another connection that stands as this one does."""
        other = self._interpreter.connect(self._random.state, self.control.values())
        for word in self.law.words:
            setattr(other.object, word.name, getattr(self.object, word.name))
        for array in self.law.arrays:
            setattr(other.object, array, _Array(getattr(self.object, array)))
        return other

    def answer(self, event: str, **fields: int) -> None:
        """Answer an event with the fields that a law reads, such as ``acked=1460``; the others are 0."""
        named = vocabulary.SENT if event == "sent" else vocabulary.ACK
        unknown = [name for name in fields if name not in named]
        if unknown or event not in vocabulary.EVENTS:
            what, name, known = (
                ("field", unknown[0], tuple(named)) if unknown else ("event", event, vocabulary.EVENTS)
            )
            raise LawError(self.law.label, f"there is no {what} {name}", f"{what}s are {', '.join(known)}")
        self.on(event, {entry.code: int(fields.get(name, 0)) for name, entry in named.items()})

    def words(self) -> list[int]:
        """Return fields, arrays and the random stream, in the order of the machine's words."""
        fields = [int(getattr(self.object, word.name)) for word in self.law.words]
        arrays = [int(value) for name in self.law.arrays for value in list(getattr(self.object, name))]
        stream = [numbers.wrap(word) for word in self._random.state] if self.law.draws else []
        return fields + arrays + stream
