"""Statements and expressions of a method: from Python's tree to the typed tree."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from dumbbell.own import vocabulary
from dumbbell.own.errors import LawError
from dumbbell.own.numbers import BINARY, LEAST, MOST, icbrt, isqrt, mul_div, wrap
from dumbbell.own.source import Source
from dumbbell.own.tree import (
    BOOL,
    INT,
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
    Leave,
    Local,
    Logic,
    Method,
    Not,
    Return,
    Signal,
    Stmt,
)  # fmt: skip

MOST_ITERATIONS = 4096
"""Of one loop."""

NOTHING = "nothing"
"""The kind of a helper without a value."""

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.BitAnd: "&",
    ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], tuple[str, bool]] = {
    ast.Eq: ("==", False), ast.NotEq: ("!=", False), ast.Lt: ("<", False), ast.LtE: ("<=", False),
    ast.Gt: ("<", True), ast.GtE: ("<=", True),
}  # fmt: skip
"""Comparisons of the tree, and whether their sides change places."""

_FUNCTIONS = {"isqrt": (1, isqrt), "icbrt": (1, icbrt), "mul_div": (3, mul_div)}
"""Functions of numbers: how many, and what they give."""

_NOT_THERE = {
    ast.While: ("while", "write `for i in range(N)` with a constant N, and break"),
    ast.Import: ("import", "a law has only its fields, the event and the control"),
    ast.ImportFrom: ("import", "a law has only its fields, the event and the control"),
    ast.Global: ("global", "keep it in a field of the class"),
    ast.Nonlocal: ("nonlocal", "keep it in a field of the class"),
    ast.Try: ("try", "leave it out: nothing raises"),
    ast.Raise: ("raise", "leave it out: a law cannot fail"),
    ast.With: ("with", "leave it out"),
    ast.Assert: ("assert", "write a law that the tests check"),
    ast.Delete: ("del", "leave it out"),
    ast.Lambda: ("lambda", "write a helper method"),
    ast.List: ("a list", "declare an array: `name: Array = array(8)`"),
    ast.Tuple: ("a tuple", "assign one value after the other"),
    ast.Dict: ("a dictionary", "declare an array: `name: Array = array(8)`"),
    ast.Set: ("a set", "declare an array: `name: Array = array(8)`"),
    ast.ListComp: ("a comprehension", "write a loop"),
    ast.GeneratorExp: ("a comprehension", "write a loop"),
    ast.JoinedStr: ("text", "leave it out: a law has numbers only"),
    ast.FunctionDef: ("a function in a method", "write a helper method of the class"),
    ast.ClassDef: ("a class in a method", "write it beside this one"),
    ast.NamedExpr: ("`:=`", "assign on a line of its own"),
    ast.Match: ("match", "write if and elif"),
    ast.Starred: ("`*`", "write the values one by one"),
}
"""What Python has and the language does not: what it is, and the remedy."""


class Helpers(Protocol):
    """Where a method finds the helpers that it calls."""

    def helper(self, name: str, node: ast.AST) -> Method:
        """Return a helper method, read."""
        ...


@dataclass
class Names:
    """What the methods of a class can name."""

    source: Source
    fields: Mapping[str, str]
    """Kinds of parameters and of words of state."""
    parameters: frozenset[str]
    arrays: Mapping[str, int]
    """Lengths."""
    enums: Mapping[str, Mapping[str, int]]
    constants: Mapping[str, int]
    functions: frozenset[str]
    """Functions of the language that are helpers themselves."""
    needs: set[str] = field(default_factory=set)


def constant(source: Source, node: ast.expr, constants: Mapping[str, int]) -> int:
    """Return the number of a constant expression."""
    match node:
        case ast.Constant(value=bool()):
            raise source.refuse(node, "a truth value stands where a number belongs", "write 0 or 1")
        case ast.Constant(value=int(value)):
            if value > MOST:
                raise source.refuse(node, f"{value} does not fit into 63 bits", f"write {MOST} at most")
            return value
        case ast.Constant(value=float()):
            raise source.refuse(
                node,
                f"{node.value!r} is no whole number: the kernel has no floating point",
                "scale to integers: x * 7 // 10 for 0.7 x",
            )
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return wrap(-constant(source, part, constants))
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATORS:
            name = _OPERATORS[type(op)]
            return BINARY[name](constant(source, left, constants), constant(source, right, constants))
        case ast.Name(id=name) if name in constants:
            return constants[name]
        case ast.Name(id=name):
            raise source.unknown(node, f"{name} is no constant", name, constants, "constants here")
    raise source.refuse(node, "a constant belongs here", "write a whole number, or the name of a constant")


class Body:
    """Reads the body of one method."""

    def __init__(self, names: Names, method: Method, helpers: Helpers) -> None:
        self._names = names
        self._source = names.source
        self._method = method
        self._helpers = helpers
        self._kinds = {a.name: a.kind for a in method.arguments}
        self._changed = {a.name for a in method.arguments}
        """Locals that have a value here."""
        self._loops = 0
        self.changes = False
        """Whether the method changes anything outside it."""

    def read(self, body: list[ast.stmt]) -> tuple[Stmt, ...]:
        """Read statements; kinds of locals go into the method."""
        read = self._block(body)
        if self._method.result is not None and not _returns(read):
            last = body[-1]
            raise self._source.refuse(
                last,
                f"{self._method.name} may end without a value",
                "end it with `return`, or leave out its `->`",
            )
        arguments = {a.name for a in self._method.arguments}
        self._method.locals = {n: k for n, k in self._kinds.items() if n not in arguments}
        return read

    def _block(self, body: list[ast.stmt]) -> tuple[Stmt, ...]:
        read: list[Stmt] = []
        for number, statement in enumerate(body):
            if read and isinstance(read[-1], (Return, Leave)):
                raise self._source.refuse(
                    body[number], "nothing gets here", "remove it, or what stands before it"
                )
            read.extend(self._statement(statement))
        return tuple(read)

    def _statement(self, node: ast.stmt) -> list[Stmt]:
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                return []
            case ast.Assign(targets=[target], value=value):
                return [self._assign(target, value)]
            case ast.Assign():
                raise self._source.refuse(node, "two assignments stand in one", "write one a line")
            case ast.AnnAssign(target=target, annotation=annotation, value=ast.expr() as value):
                kind = self.kind_of(annotation)
                read = self._assign(target, value)
                if isinstance(read.target, Local) and self._kinds[read.target.name] != kind:
                    raise self._wrong(value, kind, self._kinds[read.target.name])
                return [read]
            case ast.AugAssign(target=target, op=op, value=value):
                load = ast.copy_location(ast.BinOp(_as_load(target), op, value), node)
                return [self._assign(target, load)]
            case ast.If(test=test, body=body, orelse=other):
                return [self._if(test, body, other)]
            case ast.For():
                return [self._for(node)]
            case ast.Break() | ast.Continue():
                if not self._loops:
                    raise self._source.refuse(node, "no loop stands around this", "remove it")
                return [Leave("break" if isinstance(node, ast.Break) else "continue")]
            case ast.Return(value=value):
                return [self._return(node, value)]
            case ast.Expr(value=ast.Call(func=ast.Name(id="print" | "breakpoint"))):
                # For Python's interpreter alone: see `dumbbell.own.interpreted`.
                return []
            case ast.Expr(value=ast.Call() as call):
                read_call, _ = self._call(call, alone=True)
                if isinstance(read_call, Call):
                    return [Do(read_call)]
                raise self._source.refuse(call, "its value is lost", "assign it, or remove it")
            case ast.Expr():
                raise self._source.refuse(node, "its value is lost", "assign it, or remove it")
        raise self._absent(node)

    def _absent(self, node: ast.AST) -> LawError:
        what, remedy = _NOT_THERE.get(
            type(node), (type(node).__name__.lower(), "see the reference in docs/own-controller-language.md")
        )
        return self._source.refuse(node, f"{what} is not part of the language", remedy)

    def _assign(self, target: ast.expr, value: ast.expr) -> Assign:
        match target:
            case ast.Name(id=name):
                read, kind = self._expression(value, alone=True)
                if name in self._names.constants or name in self._names.enums:
                    raise self._source.refuse(target, f"{name} is a constant", "choose another name")
                known = self._kinds.setdefault(name, kind)
                if known in ("array", "ack", "sent", "control"):
                    raise self._source.refuse(
                        target, f"{name} is an argument of another kind", "choose another name"
                    )
                if known != kind:
                    raise self._wrong(value, known, kind)
                self._changed.add(name)
                return Assign(Local(name), read)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                self._field(target, name)
                if name in self._names.parameters:
                    raise self._source.refuse(
                        target, f"{name} is a parameter, which does not change", "keep the value in a field"
                    )
                self.changes = True
                return Assign(Field(name), self._of(value, self._names.fields[name], alone=True))
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if self._kinds.get(name) == "control":
                named = self._find(target, attribute, vocabulary.CONTROL, name)
                self._need(named.need)
                self.changes = True
                return Assign(Decision(attribute), self._of(value, named.kind, alone=True))
            case ast.Attribute(value=ast.Name(id=name)) if self._kinds.get(name) in ("ack", "sent"):
                raise self._source.refuse(
                    target, f"{name} is read only", "write to the control, or to a field of self"
                )
            case ast.Subscript():
                element, _ = self._element(target)
                self.changes = True
                return Assign(element, self._of(value, INT, alone=True))
        raise self._source.refuse(
            target, "nothing can be assigned here", "assign to a name, self.NAME or control.NAME"
        )

    def _if(self, test: ast.expr, body: list[ast.stmt], other: list[ast.stmt]) -> If:
        condition = self._of(test, BOOL)
        before = set(self._changed)
        yes = self._block(body)
        after_yes, self._changed = self._changed, set(before)
        no = self._block(other)
        # A branch that leaves says nothing about what follows.
        if _leaves(yes):
            pass
        elif _leaves(no):
            self._changed = after_yes
        else:
            self._changed &= after_yes
        return If(condition, yes, no)

    def _for(self, node: ast.For) -> For:
        if node.orelse:
            raise self._source.refuse(node.orelse[0], "a loop has no else", "write it after the loop")
        if not isinstance(node.target, ast.Name):
            raise self._source.refuse(node.target, "a loop counts in one name", "write `for i in range(N)`")
        numbers = self._range(node.iter)
        name = node.target.id
        if self._kinds.setdefault(name, INT) != INT:
            raise self._wrong(node.target, self._kinds[name], INT)
        before = set(self._changed)
        self._changed.add(name)
        self._loops += 1
        body = self._block(node.body)
        self._loops -= 1
        # A loop that may be left early, or has no numbers, promises nothing.
        self._changed = before if not numbers or _leaves_early(body) else self._changed
        return For(name, numbers, body)

    def _range(self, node: ast.expr) -> range:
        match node:
            case ast.Call(func=ast.Name(id="range"), args=[_, *_] as arguments, keywords=[]) if (
                len(arguments) < 4
            ):
                values = [constant(self._source, a, self._names.constants) for a in arguments]
                if len(values) == 3 and values[2] == 0:
                    raise self._source.refuse(arguments[2], "a step of 0 leads nowhere", "give another step")
                numbers = range(*values)
                if len(numbers) > MOST_ITERATIONS:
                    raise self._source.refuse(
                        node, f"a loop of {len(numbers):,} is longer than {MOST_ITERATIONS:,}", "shorten it"
                    )
                return numbers
        raise self._source.refuse(
            node, "a loop counts over a constant range", "write `range(N)` with a constant N"
        )

    def _return(self, node: ast.Return, value: ast.expr | None) -> Return:
        kind = self._method.result
        if value is None:
            if kind is not None:
                raise self._source.refuse(node, f"{self._method.name} promises a value", "return one")
            return Return(None)
        if kind is None:
            raise self._source.refuse(
                value,
                f"{self._method.name} promises no value",
                "write `-> int` after its arguments, or `return`",
            )
        return Return(self._of(value, kind, alone=True))

    def kind_of(self, annotation: ast.expr) -> str:
        """Return the kind that an annotation names."""
        match annotation:
            case ast.Name(id="int"):
                return INT
            case ast.Name(id="bool"):
                return BOOL
            case ast.Name(id=name) if name in self._names.enums:
                return name
        raise self._source.refuse(
            annotation, "a value is int, bool or an Enum of this file", "write one of them"
        )

    def _wrong(self, node: ast.AST, wanted: str, found: str) -> LawError:
        if wanted == BOOL and found == INT:
            remedy = "compare it, such as `x != 0`"
        elif wanted == INT and found == BOOL:
            remedy = "write `int(x)`"
        else:
            remedy = f"give a value of kind {wanted}"
        return self._source.refuse(node, f"a value of kind {found} stands where {wanted} belongs", remedy)

    def _of(self, node: ast.expr, wanted: str, alone: bool = False) -> Expr:
        read, kind = self._expression(node, alone)
        if kind != wanted:
            raise self._wrong(node, wanted, kind)
        return read

    def _need(self, need: str) -> None:
        if need:
            self._names.needs.add(need)

    def _field(self, node: ast.AST, name: str) -> None:
        if name not in self._names.fields:
            if name in self._names.arrays:
                raise self._source.refuse(node, f"{name} is an array", f"name an element: self.{name}[0]")
            known = self._names.fields
            if not known:
                raise self._source.refuse(
                    node, f"the law has no field {name}", f"declare one in the class: `{name}: int = 0`"
                )
            raise self._source.unknown(node, f"the law has no field {name}", name, known, "its fields are")

    def _find(
        self, node: ast.AST, name: str, fields: Mapping[str, vocabulary.Named], whose: str
    ) -> vocabulary.Named:
        if name not in fields:
            raise self._source.unknown(node, f"{whose} has no field {name}", name, fields, "its fields are")
        return fields[name]

    def _element(self, node: ast.Subscript) -> tuple[Element, str]:
        index = self._of(node.slice, INT)
        match node.value:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in self._names.arrays:
                length = self._names.arrays[name]
                if isinstance(index, Const) and not 0 <= index.value < length:
                    raise self._source.refuse(
                        node.slice, f"{name} has {length} elements, and none of them is {index.value}",
                        f"write a number from 0 to {length - 1}",
                    )  # fmt: skip
                return Element(f"self.{name}", index), INT
            case ast.Name(id=name) if self._kinds.get(name) == "array":
                return Element(name, index), INT
        raise self._source.refuse(node.value, "this is no array", "declare one: `name: Array = array(8)`")

    def _expression(self, node: ast.expr, alone: bool = False) -> tuple[Expr, str]:
        match node:
            case ast.Constant(value=bool(value)):
                return Const(int(value)), BOOL
            case ast.Constant(value=int() | float()):
                return Const(constant(self._source, node, {})), INT
            case ast.Constant():
                raise self._source.refuse(
                    node, f"{node.value!r} is no number", "write whole numbers: a law has nothing else"
                )
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._element(node)
            case ast.BinOp():
                return self._arithmetic(node), INT
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return Not(self._of(part, BOOL)), BOOL
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return _fold("-", Const(0), self._of(part, INT)), INT
            case ast.UnaryOp(op=ast.Invert(), operand=part):
                return _fold("^", self._of(part, INT), Const(-1)), INT
            case ast.UnaryOp(operand=part):
                return self._of(part, INT), INT
            case ast.BoolOp(op=op, values=values):
                word = "and" if isinstance(op, ast.And) else "or"
                return Logic(word, tuple(self._of(value, BOOL) for value in values)), BOOL
            case ast.Compare():
                return self._compare(node), BOOL
            case ast.IfExp(test=test, body=body, orelse=other):
                condition = self._of(test, BOOL)
                yes, kind = self._expression(body)
                return Choose(condition, yes, self._of(other, kind)), kind
            case ast.Call():
                read, kind = self._call(node, alone)
                if kind == NOTHING:
                    raise self._source.refuse(node, "this gives no value", "call it on a line of its own")
                return read, kind
        raise self._absent(node)

    def _name(self, node: ast.AST, name: str) -> tuple[Expr, str]:
        if name in self._kinds:
            kind = self._kinds[name]
            if kind in ("ack", "sent", "control", "array"):
                raise self._source.refuse(
                    node, f"{name} is no number", f"name a part of it, such as {name}.NAME"
                )
            if name not in self._changed:
                raise self._source.refuse(
                    node, f"{name} may have no value here", "give it one before, on every way here"
                )
            return Local(name), kind
        if name in self._names.constants:
            return Const(self._names.constants[name]), INT
        known = [*self._kinds, *self._names.constants, "self"]
        raise self._source.unknown(node, f"{name} is not known here", name, known, "known are")

    def _attribute(self, node: ast.Attribute) -> tuple[Expr, str]:
        match node.value:
            case ast.Name(id="self"):
                self._field(node, node.attr)
                return Field(node.attr), self._names.fields[node.attr]
            case ast.Name(id=name) if self._kinds.get(name) == "ack":
                named = self._find(node, node.attr, vocabulary.ACK, name)
                self._need(named.need)
                return Signal(named.code), named.kind
            case ast.Name(id=name) if self._kinds.get(name) == "sent":
                named = self._find(node, node.attr, vocabulary.SENT, name)
                return Signal(named.code), named.kind
            case ast.Name(id=name) if self._kinds.get(name) == "control":
                named = self._find(node, node.attr, vocabulary.CONTROL, name)
                return Decision(named.code), named.kind
            case ast.Name(id=name) if name in self._names.enums:
                members = self._names.enums[name]
                if node.attr not in members:
                    raise self._source.unknown(
                        node, f"{name} has no member {node.attr}", node.attr, members, "its members are"
                    )
                return Const(members[node.attr]), name
        raise self._source.refuse(
            node, f"nothing has an attribute {node.attr} here", "read self, the event, the control or an Enum"
        )

    def _arithmetic(self, node: ast.BinOp) -> Expr:
        if isinstance(node.op, ast.Div):
            raise self._source.refuse(node, "`/` gives no whole number", "write `//`, which rounds down")
        if isinstance(node.op, ast.Pow):
            raise self._source.refuse(
                node, "`**` is not part of the language", "write x * x, or 1 << n for 2 ** n"
            )
        if type(node.op) not in _OPERATORS:
            raise self._source.refuse(
                node, "this operator is not part of the language", "write + - * // % & | ^ << >>"
            )
        return _fold(_OPERATORS[type(node.op)], self._of(node.left, INT), self._of(node.right, INT))

    def _compare(self, node: ast.Compare) -> Expr:
        sides = [node.left, *node.comparators]
        read = [self._expression(side) for side in sides]
        parts: list[Expr] = []
        for op, place, (left, kind), (right, other) in zip(
            node.ops, node.comparators, read[:-1], read[1:], strict=True
        ):
            if type(op) not in _COMPARISONS:
                raise self._source.refuse(
                    node, "`is` and `in` are not part of the language", "write == or !="
                )
            word, turned = _COMPARISONS[type(op)]
            if kind != other:
                raise self._wrong(place, kind, other)
            if kind != INT and word not in ("==", "!="):
                raise self._source.refuse(node, f"values of kind {kind} have no order", "write == or !=")
            parts.append(Compare(word, right, left) if turned else Compare(word, left, right))
        return parts[0] if len(parts) == 1 else Logic("and", tuple(parts))

    def _call(self, node: ast.Call, alone: bool) -> tuple[Expr, str]:
        if node.keywords:
            raise self._source.refuse(
                node.keywords[0], "arguments have no names here", "give them in their order"
            )
        match node.func:
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self._help(node, name, alone)
            case ast.Name(id=name) if name in self._names.functions:
                return self._help(node, name, alone)
            case ast.Name(id=name):
                return self._function(node, name, alone)
        raise self._source.refuse(
            node.func, "this cannot be called", "call a helper, self.NAME(...), or a function"
        )

    def _function(self, node: ast.Call, name: str, alone: bool) -> tuple[Expr, str]:
        if name == "int" and len(node.args) == 1:
            read, kind = self._expression(node.args[0])
            return Choose(read, Const(1), Const(0)) if kind == BOOL else read, INT
        if name == "bool" and len(node.args) == 1:
            return Compare("!=", self._of(node.args[0], INT), Const(0)), BOOL
        if name == "random":
            self._count(node, 0)
            self._alone(node, alone, "random() moves its stream on")
            self._need("RANDOM")
            self.changes = True
            return Apply("random", ()), INT
        if name in ("min", "max"):
            if len(node.args) < 2:
                raise self._source.refuse(node, f"{name} compares two numbers or more", f"write {name}(a, b)")
            parts = [self._of(a, INT) for a in node.args]
            read = parts[0]
            for part in parts[1:]:
                read = _fold(name, read, part)
            return read, INT
        if name in ("abs", "clamp", *_FUNCTIONS):
            count = {"abs": 1, "clamp": 3}.get(name) or _FUNCTIONS[name][0]
            self._count(node, count)
            parts = [self._of(a, INT) for a in node.args]
            if name == "abs":
                return _fold("max", parts[0], _fold("-", Const(0), parts[0])), INT
            if name == "clamp":
                return _fold("max", parts[1], _fold("min", parts[0], parts[2])), INT
            return Apply(name, tuple(parts)), INT
        known = ("abs", "min", "max", "clamp", "int", "bool", "random", *_FUNCTIONS, *self._names.functions)
        raise self._source.unknown(node.func, f"there is no function {name}", name, known, "functions are")

    def _count(self, node: ast.Call, count: int) -> None:
        if len(node.args) != count:
            what = "one value" if count == 1 else f"{count} values"
            raise self._source.refuse(
                node, f"this takes {what}, and {len(node.args)} stand here", f"give {what}"
            )

    def _alone(self, node: ast.AST, alone: bool, why: str) -> None:
        if not alone:
            raise self._source.refuse(
                node,
                f"{why}, so it stands alone",
                "assign it to a name on a line of its own, then use the name",
            )

    def _help(self, node: ast.Call, name: str, alone: bool) -> tuple[Expr, str]:
        helper = self._helpers.helper(name, node)
        if helper.changes:
            self._alone(node, alone, f"{name} changes something")
            self.changes = True
        if len(node.args) != len(helper.arguments):
            count = len(helper.arguments)
            raise self._source.refuse(
                node, f"{name} takes {count} values, and {len(node.args)} stand here", f"give {count}"
            )
        numbers: list[tuple[str, Expr]] = []
        arrays: list[tuple[str, str]] = []
        for argument, given in zip(helper.arguments, node.args, strict=True):
            if argument.kind in ("ack", "sent", "control"):
                if not (isinstance(given, ast.Name) and self._kinds.get(given.id) == argument.kind):
                    raise self._source.refuse(
                        given, f"{name} takes the {argument.kind} here", "pass it on as it came"
                    )
            elif argument.kind == "array":
                arrays.append((argument.name, self._array(given, name)))
            else:
                numbers.append((argument.name, self._of(given, argument.kind)))
        return Call(name, tuple(numbers), tuple(arrays)), helper.result or NOTHING

    def _array(self, node: ast.expr, helper: str) -> str:
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in self._names.arrays:
                return f"self.{name}"
            case ast.Name(id=name) if self._kinds.get(name) == "array":
                return name
        raise self._source.refuse(node, f"{helper} takes an array here", "pass an array of self")


def _fold(op: str, left: Expr, right: Expr) -> Expr:
    if isinstance(left, Const) and isinstance(right, Const):
        value = BINARY[op](left.value, right.value)
        assert LEAST <= value <= MOST
        return Const(value)
    return Binary(op, left, right)


def _as_load(target: ast.expr) -> ast.expr:
    """Return what reads a place that is written."""
    match target:
        case ast.Name(id=name):
            read: ast.expr = ast.Name(name, ast.Load())
        case ast.Attribute(value=value, attr=attr):
            read = ast.Attribute(value, attr, ast.Load())
        case ast.Subscript(value=value, slice=index):
            read = ast.Subscript(value, index, ast.Load())
        case _:
            return target
    return ast.copy_location(read, target)


def _returns(body: tuple[Stmt, ...]) -> bool:
    """Whether every way through a body ends with a value."""
    if not body:
        return False
    last = body[-1]
    return isinstance(last, Return) or (isinstance(last, If) and _returns(last.yes) and _returns(last.no))


def _leaves(body: tuple[Stmt, ...]) -> bool:
    if not body:
        return False
    last = body[-1]
    return isinstance(last, (Return, Leave)) or (
        isinstance(last, If) and _leaves(last.yes) and _leaves(last.no)
    )


def _leaves_early(body: tuple[Stmt, ...]) -> bool:
    """Whether a body has a break or continue of its own loop."""
    for statement in body:
        if isinstance(statement, Leave):
            return True
        if isinstance(statement, If) and (_leaves_early(statement.yes) or _leaves_early(statement.no)):
            return True
    return False
