"""The typed tree of a law: what the front end makes of a class, and every back end reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

INT, BOOL = "int", "bool"
"""Kinds of values; the others are the names of enums."""


@dataclass(frozen=True)
class Const:
    """A number, or the number of a member of an enum."""

    value: int


@dataclass(frozen=True)
class Local:
    """A local variable or an argument."""

    name: str


@dataclass(frozen=True)
class Field:
    """A parameter or a word of state."""

    name: str


@dataclass(frozen=True)
class Signal:
    """A field of the event."""

    name: str


@dataclass(frozen=True)
class Decision:
    """A field of the control."""

    name: str


@dataclass(frozen=True)
class Element:
    """An element of an array of the state, or of an array that is an argument."""

    array: str
    index: Expr


@dataclass(frozen=True)
class Binary:
    """Arithmetic of two numbers: ``+ - * // % & | ^ << >> min max``."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Compare:
    """``== != < <=`` of two numbers."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Logic:
    """``and`` or ``or``."""

    op: str
    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Not:
    """``not``."""

    part: Expr


@dataclass(frozen=True)
class Choose:
    """``yes if condition else no``."""

    condition: Expr
    yes: Expr
    no: Expr


@dataclass(frozen=True)
class Apply:
    """A function of the language: ``isqrt``, ``icbrt``, ``mul_div``, ``random``."""

    name: str
    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Call:
    """A helper method, with numbers by name and arrays by name."""

    helper: str
    numbers: tuple[tuple[str, Expr], ...]
    arrays: tuple[tuple[str, str], ...]


Expr: TypeAlias = (
    Const
    | Local
    | Field
    | Signal
    | Decision
    | Element
    | Binary
    | Compare
    | Logic
    | Not
    | Choose
    | Apply
    | Call
)


@dataclass(frozen=True)
class Assign:
    """Gives a value to a local variable, a field, a decision or an element."""

    target: Local | Field | Decision | Element
    value: Expr


@dataclass(frozen=True)
class If:
    """One of two branches."""

    condition: Expr
    yes: tuple[Stmt, ...]
    no: tuple[Stmt, ...]


@dataclass(frozen=True)
class For:
    """A loop over a constant range."""

    name: str
    numbers: range
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class Leave:
    """``break`` or ``continue``."""

    word: str


@dataclass(frozen=True)
class Return:
    """The end of a method, with its value if it has one."""

    value: Expr | None


@dataclass(frozen=True)
class Do:
    """A helper that is called for what it does."""

    call: Call


Stmt: TypeAlias = Assign | If | For | Leave | Return | Do


@dataclass(frozen=True)
class Word:
    """A parameter or a word of state."""

    name: str
    kind: str
    value: int
    """What it begins as."""
    parameter: bool
    unit: str = ""
    source: str = ""
    least: int | None = None
    most: int | None = None
    shown: bool = False
    """Whether traces show it."""
    doc: str = ""


@dataclass(frozen=True)
class Argument:
    """An argument of a helper: a number of a kind, or an array."""

    name: str
    kind: str
    """A kind; ``array``, ``ack``, ``sent`` or ``control`` for what is no number."""


@dataclass
class Method:
    """A method: the answer to an event, or a helper."""

    name: str
    arguments: tuple[Argument, ...]
    result: str | None
    """The kind of its value; ``None`` without."""
    body: tuple[Stmt, ...] = ()
    locals: dict[str, str] = field(default_factory=dict)
    """Kinds of local variables."""
    changes: bool = False
    """Whether it changes anything outside it."""
    given: bool = False
    """Whether the language has it, not the law."""

    @property
    def numbers(self) -> list[Argument]:
        """The arguments that are numbers."""
        return [a for a in self.arguments if a.kind not in ("array", "ack", "sent", "control")]

    @property
    def arrays(self) -> list[Argument]:
        """The arguments that are arrays."""
        return [a for a in self.arguments if a.kind == "array"]


@dataclass(frozen=True)
class Law:
    """A law."""

    name: str
    """What tables call it."""
    title: str
    label: str
    """The name of the class."""
    kind: str
    """What moves the window: ``window``, ``model``, ``router`` or ``rate``."""
    repair: str
    exchange: str
    needs: tuple[str, ...]
    words: tuple[Word, ...]
    arrays: Mapping[str, tuple[int, ...]]
    """What arrays begin as, by name."""
    enums: Mapping[str, Mapping[str, int]]
    answers: Mapping[str, Method]
    """Methods by their event: ``ack``, ``sent``."""
    helpers: Mapping[str, Method]
    """Those that answers use, each after those that it uses."""

    @property
    def draws(self) -> bool:
        """Whether it draws random numbers."""
        return "RANDOM" in self.needs

    @property
    def states(self) -> tuple[str, Sequence[str]] | None:
        """The word that holds its state, and the names of the states in the order of their numbers."""
        for word in self.words:
            if word.kind in self.enums and not word.parameter:
                members = self.enums[word.kind]
                return word.name, [name.lower() for name in sorted(members, key=lambda name: members[name])]
        return None
