"""Text of a law in C or in Rust: what `dumbbell export` writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

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

_NAMES = {
    "+": "add", "-": "sub", "*": "mul", "//": "div", "%": "rem", "&": "and", "|": "or", "^": "xor",
    "<<": "shl", ">>": "shr", "min": "least", "max": "most",
    "isqrt": "isqrt", "icbrt": "icbrt", "mul_div": "mul_div",
}  # fmt: skip

_RESERVED = frozenset((
    "self", "s", "c", "k", "as", "async", "auto", "await", "bool", "box", "break", "case", "char",
    "const", "continue", "crate", "default", "do", "double", "dyn", "else", "enum", "extern", "false",
    "final", "float", "fn", "for", "goto", "if", "impl", "in", "inline", "int", "let", "loop", "long",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "register", "restrict",
    "return", "short", "signed", "sizeof", "static", "struct", "super", "switch", "trait", "true",
    "try", "type", "typedef", "typeof", "union", "unsafe", "unsigned", "unsized", "use", "virtual",
    "void", "volatile", "where", "while", "yield", "on", "start", "random",
))  # fmt: skip
"""Names that mean something else in C or Rust."""

_SIGNED = {"now", "acked", "flight", "growth_limit", "initial_window", "delivered", "held",
           "departs_at", "rtt", "smoothed_rtt", "min_rtt", "lost", "marked", "round", "rate.rate",
           "rate.interval", "rate.delivered", "rate.prior_delivered",
           "rate.lost", "rate.in_flight"}  # fmt: skip
"""Signals that are unsigned words of 64 bits, and saturate."""


@dataclass
class _Writer:
    """Writes the parts that C and Rust share: they differ in their words."""

    law: Law
    rust: bool
    uses: dict[str, str] = field(default_factory=dict)
    """Text of helpers by their name there, each after those that it uses."""
    arrays: Mapping[str, str] = field(default_factory=dict)
    """The arrays of the law by the arguments that stand for them."""
    lines: list[str] = field(default_factory=list)
    level: int = 0

    def __post_init__(self) -> None:
        # In Rust methods stand in a block.
        self.level = int(self.rust)

    def name(self, name: str) -> str:
        """Return a name that neither language has for itself."""
        return f"{name}_" if name in _RESERVED else name if name.strip("_") else f"{name}unused"

    def line(self, text: str) -> None:
        self.lines.append("    " * self.level + text)

    def number(self, value: int) -> str:
        if self.rust:
            return "i64::MIN" if value == -(2**63) else f"({value}_i64)" if value < 0 else f"{value}_i64"
        return "INT64_MIN" if value == -(2**63) else f"INT64_C({value})"

    def apply(self, name: str, *parts: str) -> str:
        prefix = "" if self.rust else "law_"
        return f"{prefix}{self.name(_NAMES[name])}({', '.join(parts)})"

    def value(self, value: Expr) -> str:
        match value:
            case Const(number):
                return self.number(number)
            case Local(name):
                return self.name(name)
            case Field(name):
                return f"self.{self.name(name)}" if self.rust else f"self->{self.name(name)}"
            case Signal(name):
                return self.signal(name)
            case Decision(name):
                return self.decision(name)
            case Element(array, index):
                place, length = self.array(array)
                if self.rust:
                    return f"get({self.value(index)}, &{place})"
                return f"law_get({place}, {length}, {self.value(index)})"
            case Binary(op, left, right):
                return self.apply(op, self.value(left), self.value(right))
            case Apply("random", _):
                return "draw(&mut self.random_stream)" if self.rust else "law_draw(&self->random_stream)"
            case Apply(name, parts):
                return self.apply(name, *map(self.value, parts))
            case Choose(condition, yes, no):
                if self.rust:
                    test = self.condition(condition)
                    return f"(if {test} {{ {self.value(yes)} }} else {{ {self.value(no)} }})"
                return f"({self.condition(condition)} ? {self.value(yes)} : {self.value(no)})"
            case Call():
                return self.call(value)
            case _:
                cast = "i64::from" if self.rust else "(int64_t)"
                return f"{cast}({self.condition(value)})"

    def condition(self, value: Expr) -> str:
        match value:
            case Compare(op, left, right):
                return f"{self.value(left)} {op} {self.value(right)}"
            case Logic(op, parts):
                sign = " && " if op == "and" else " || "
                return sign.join(f"({self.condition(part)})" for part in parts)
            case Not(part):
                return f"!({self.condition(part)})"
            case Const(number):
                return ("true" if number else "false") if self.rust else str(number)
            case _:
                return f"{self.value(value)} != 0"

    def signal(self, name: str) -> str:
        place = f"s.{name}" if self.rust else f"s->{name}"
        if name in _SIGNED:
            if not self.rust:
                return f"law_signed({place})"
            part = name.rpartition(".")[2]
            if part in ("now", "rtt", "smoothed_rtt", "min_rtt", "interval"):
                place += ".as_nanos()"
            elif name == "rate.rate":
                place += ".raw()"
            return f"signed({place})"
        if name == "feedback":
            return place
        return f"i64::from({place})" if self.rust else f"(int64_t){place}"

    def decision(self, name: str) -> str:
        place = f"c.{name}" if self.rust else f"c->{name}"
        if name == "request":
            return place
        if not self.rust:
            return f"law_signed({place})"
        return f"signed({place}{ {'pacing': '.raw()', 'wake_at': '.as_nanos()'}.get(name, '') })"

    def array(self, name: str) -> tuple[str, int]:
        name = self.arrays.get(name, name).removeprefix("self.")
        place = f"self.{self.name(name)}" if self.rust else f"self->{self.name(name)}"
        return place, len(self.law.arrays[name])

    def call(self, call: Call) -> str:
        method = self.law.helpers[call.helper]
        arrays = {name: self.arrays.get(array, array) for name, array in call.arrays}
        name = "_".join(["do", call.helper, *(array.removeprefix("self.") for array in arrays.values())])
        given = [self.value(value) for _, value in call.numbers]
        if name not in self.uses:
            # Written now, so that it stands before its caller.
            writer = _Writer(self.law, self.rust, self.uses, arrays)
            writer.helper(name, method)
            self.uses[name] = "\n".join(writer.lines)
        kinds = [argument.kind for argument in method.arguments]
        passed = [
            word
            for word, kind in (("s", ("ack", "sent")), ("c", ("control",)))
            if any(k in kinds for k in kind)
        ]
        if self.rust:
            return f"self.{name}({', '.join([*passed, *given])})"
        return f"{name}({', '.join(['self', *passed, *given])})"

    def helper(self, name: str, method: Method) -> None:
        kinds = [argument.kind for argument in method.arguments]
        if self.rust:
            parts = ["&mut self" if method.changes else "&self"]
            parts += ["s: &Signals"] if "ack" in kinds else ["s: &Sent"] if "sent" in kinds else []
            parts += ["c: &mut Control"] if "control" in kinds else []
            parts += [f"mut {self.name(argument.name)}: i64" for argument in method.numbers]
            result = " -> i64" if method.result else ""
            self.line(f"fn {name}({', '.join(parts)}){result} {{")
        else:
            parts = ["struct state *self"]
            parts += ["const struct dumbbell_signals *s"] if "ack" in kinds else []
            parts += ["const struct dumbbell_sent *s"] if "sent" in kinds else []
            parts += ["struct dumbbell_control *c"] if "control" in kinds else []
            parts += [f"int64_t {self.name(argument.name)}" for argument in method.numbers]
            self.line(f"static {'int64_t' if method.result else 'void'} {name}({', '.join(parts)})")
            self.line("{")
        self.body(method)
        self.line("}")

    def body(self, method: Method) -> None:
        self.level += 1
        for local in method.locals:
            self.line(
                f"let mut {self.name(local)} = 0_i64;" if self.rust else f"int64_t {self.name(local)} = 0;"
            )
        if not self.rust:
            for name in ("self", *map(self.name, method.locals)):
                self.line(f"(void){name};")
        self.block(method.body)
        self.level -= 1

    def block(self, body: Iterable[Stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, statement: Stmt) -> None:
        match statement:
            case Assign(Decision(name), value):
                self.line(self.write(name, self.value(value)))
            case Assign(Element(array, index), value):
                place, length = self.array(array)
                if self.rust:
                    # In a block, so that the names hide nothing of the law.
                    self.line("{")
                    self.line(f"    let (at, new) = ({self.value(index)}, {self.value(value)});")
                    self.line(f"    put(&mut {place}, at, new);")
                    self.line("}")
                else:
                    self.line(f"law_put({place}, {length}, {self.value(index)}, {self.value(value)});")
            case Assign(target, value):
                self.line(f"{self.value(target)} = {self.value(value)};")
            case If(condition, yes, no):
                self.line(
                    f"if {self.condition(condition)} {{"
                    if self.rust
                    else f"if ({self.condition(condition)}) {{"
                )
                self.inner(yes)
                if no:
                    self.line("} else {")
                    self.inner(no)
                self.line("}")
            case For(name, numbers, body):
                self.loop(self.name(name), numbers, body)
            case Leave(word):
                self.line(f"{word};")
            case Return(value):
                self.line("return;" if value is None else f"return {self.value(value)};")
            case Do(call):
                self.line(f"{self.value(call)};")

    def inner(self, body: Iterable[Stmt]) -> None:
        self.level += 1
        self.block(body)
        self.level -= 1

    def loop(self, name: str, numbers: range, body: Iterable[Stmt]) -> None:
        if self.rust:
            self.line(f"for k in 0..{len(numbers)}_i64 {{")
        else:
            self.line(f"for (int64_t k = 0; k < {len(numbers)}; k++) {{")
        self.level += 1
        self.line(f"{name} = {numbers.start} + k * {self.number(numbers.step)};")
        self.block(body)
        self.level -= 1
        self.line("}")

    def write(self, name: str, value: str) -> str:
        if name == "request":
            return f"c.request = {value};" if self.rust else f"c->request = {value};"
        if not self.rust:
            return f"c->{name} = law_size({value});"
        size = f"size({value})"
        made = {"pacing": f"Rate::from_raw({size})", "wake_at": f"Time::from_nanos({size})"}.get(name, size)
        return f"c.{name} = {made};"


def to_c(law: Law, source: str) -> str:
    """Return a law as C against ``controller.h``.

    Parameters
    ----------
    law
        The law.
    source
        Where it comes from, for the first line.
    """
    writer = _Writer(law, rust=False)
    answers = _answers(writer)
    state = [f"    int64_t {writer.name(word.name)};" for word in law.words]
    state += [f"    int64_t {writer.name(name)}[{len(values)}];" for name, values in law.arrays.items()]
    state += ["    struct dumbbell_random random_stream;"] if law.draws else []
    begin = [f"    self->{writer.name(w.name)} = {writer.number(w.value)};" for w in law.words if w.value]
    for name, values in law.arrays.items():
        if any(values):
            place = writer.name(name)
            begin.append(
                f"    for (int k = 0; k < {len(values)}; k++) self->{place}[k] = {writer.number(values[0])};"
            )
    begin += ["    self->random_stream = *random;"] if law.draws else []
    cases = [
        f"    case DUMBBELL_{event.upper()}: answer_{method.name}(memory, s, c); break;"
        for event, method in law.answers.items()
        if event != "sent"
    ]
    needs = " | ".join(f"DUMBBELL_NEEDS_{need}" for need in law.needs) or "0"
    declared = [
        ".abi = DUMBBELL_ABI", ".state_bytes = sizeof(struct state)", f".needs = {needs}",
        f".class_ = DUMBBELL_CLASS_{law.kind.upper()}",
        f".repair = DUMBBELL_{law.repair.upper().replace('-', '_')}",
        f".exchange = DUMBBELL_EXCHANGE_{law.exchange.upper()}", f'.name = "{law.name}"', ".start = start",
        ".on = on",
    ]  # fmt: skip
    sent: list[str] = []
    if "sent" in law.answers:
        declared.append(".on_sent = on_sent")
        sent = [
            "static void on_sent(void *memory, const struct dumbbell_sent *s, struct dumbbell_control *c)",
            "{",
            f"    answer_{law.answers['sent'].name}(memory, s, c);", "}", "",
        ]  # fmt: skip
    return "\n".join(
        [
            f"/* {law.label}, from {source}. Written by `dumbbell export`. */",
            '#include "controller.h"',
            "",
            _C_FUNCTIONS,
            "struct state {",
            *(state or ["    int64_t nothing;"]),
            "};",
            "",
            *answers,
            "static void start(void *memory, const struct dumbbell_random *random)",
            "{",
            "    struct state *self = memory;",
            "    (void)self;",
            "    (void)random;",
            *begin,
            "}",
            "",
            "static void on(void *memory, const struct dumbbell_signals *s, struct dumbbell_control *c)",
            "{",
            "    switch (s->event) {",
            *cases,
            "    default: break;",
            "    }",
            "}",
            "",
            *sent,
            "const struct dumbbell_law dumbbell_law = {",
            *(f"    {entry}," for entry in declared),
            "};",
            "",
        ]
    )


def to_rust(law: Law, source: str) -> str:
    """Return a law as Rust against the crate ``dumbbell-cc``; the arguments are those of `to_c`."""
    writer = _Writer(law, rust=True)
    answers = _answers(writer)
    name = law.label
    state = [f"    {writer.name(word.name)}: i64," for word in law.words]
    state += [f"    {writer.name(array)}: [i64; {len(values)}]," for array, values in law.arrays.items()]
    state += ["    random_stream: Option<Random>,"] if law.draws else []
    begin = [f"            {writer.name(w.name)}: {w.value}," for w in law.words]
    begin += [
        f"            {writer.name(array)}: [{values[0]}; {len(values)}],"
        for array, values in law.arrays.items()
    ]
    begin += ["            random_stream: None,"] if law.draws else []
    cases = [
        f"            Event::{event.title()} => self.answer_{method.name}(s, c),"
        for event, method in law.answers.items()
        if event != "sent"
    ]
    needs = "".join(f".and(Needs::{need})" for need in law.needs)
    more: list[str] = []
    if law.draws:
        more += [
            "",
            "    fn start(&mut self, random: Random) {",
            "        self.random_stream = Some(random);",
            "    }",
        ]
    if "sent" in law.answers:
        more += ["", "    fn on_sent(&mut self, s: &Sent, c: &mut Control) {"]
        more += [f"        self.answer_{law.answers['sent'].name}(s, c);", "    }"]
    repair = "".join(part.title() for part in law.repair.split("-"))
    return "\n".join(
        [
            f"//! {name}, from {source}. Written by `dumbbell export`.",
            "#![allow(dead_code, unused_assignments, unused_imports)]",
            "#![allow(unused_mut, unused_parens, unused_variables)]",
            "#![allow(clippy::all)]",
            "",
            "use dumbbell_cc::{Class, Control, Controller, Event, Needs, Random, Rate};",
            "use dumbbell_cc::{Repair, Sent, Signals, Time};",
            "",
            f"/// {law.title or name}",
            "#[derive(Clone, Debug)]",
            f"pub struct {name} {{",
            *state,
            "}",
            "",
            f"impl Default for {name} {{",
            "    fn default() -> Self {",
            f"        {name} {{",
            *begin,
            "        }",
            "    }",
            "}",
            "",
            f"impl Controller for {name} {{",
            f"    const CLASS: Class = Class::{law.kind.title()};",
            f"    const NEEDS: Needs = Needs::NOTHING{needs};",
            f"    const REPAIR: Repair = Repair::{repair};",
            "",
            "    fn on(&mut self, s: &Signals, c: &mut Control) {",
            "        match s.event {",
            *cases,
            "            _ => {}",
            "        }",
            "    }",
            *more,
            "}",
            "",
            f"impl {name} {{",
            *answers,
            "}",
            "",
            _RUST_FUNCTIONS,
        ]
    )


def _answers(writer: _Writer) -> list[str]:
    """Return the text of helpers and answers."""
    written: dict[str, str] = {}
    for event, method in writer.law.answers.items():
        if method.name in written:
            continue
        sent = event == "sent"
        own = _Writer(writer.law, writer.rust, writer.uses)
        kind = (
            ("Sent" if sent else "Signals")
            if writer.rust
            else ("dumbbell_sent" if sent else "dumbbell_signals")
        )
        if writer.rust:
            own.line(f"fn answer_{method.name}(&mut self, s: &{kind}, c: &mut Control) {{")
        else:
            own.line(
                f"static void answer_{method.name}(struct state *self, const struct {kind} *s, "
                "struct dumbbell_control *c)"
            )
            own.line("{")
        own.body(method)
        own.line("}")
        written[method.name] = "\n".join(own.lines)
    texts = [*writer.uses.values(), *written.values()]
    return [part for text in texts for part in (text, "")]


_C_FUNCTIONS = (Path(__file__).parent / "functions.c.txt").read_text(encoding="utf-8")
_RUST_FUNCTIONS = (Path(__file__).parent / "functions.rs.txt").read_text(encoding="utf-8")
