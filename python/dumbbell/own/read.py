"""Reads a class as a law: from the text of a file to the typed tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from dumbbell.own import prelude, vocabulary
from dumbbell.own.body import Body, Names, constant
from dumbbell.own.errors import LawError
from dumbbell.own.source import Source
from dumbbell.own.tree import BOOL, INT, Argument, Law, Method, Word

MOST_WORDS = 4096
"""Words of state, arrays included."""

MOST_HELPERS = 12
"""Helpers that call each other."""

_BASE = "Controller"
_EVENT = {"sent": "sent"}
"""What the first argument of an answer is, where it is no acknowledgement or the like."""


def read(text: str, name: str, label: str, parameters: Mapping[str, Any]) -> Law:
    """Read a class of a source as a law.

    Parameters
    ----------
    text
        The source.
    name
        The name of its file, for messages.
    label
        The name of the class.
    parameters
        Values of its parameters; the others are what the class says.

    Raises
    ------
    LawError
        The first thing wrong, with its place.
    """
    source = Source(text, name)
    file = _File(source)
    return _Reader(source, file, file.law(label)).law(parameters)


def laws(text: str, name: str) -> list[str]:
    """Return the names of the laws in a source."""
    return list(_File(Source(text, name)).classes)


class _File:
    """What stands in a file beside the methods."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.constants: dict[str, int] = dict(vocabulary.CONSTANTS)
        self.enums: dict[str, dict[str, int]] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        for node in source.tree.body:
            self._take(node)

    def law(self, label: str) -> ast.ClassDef:
        if label not in self.classes:
            place = self.source.name
            if not self.classes:
                remedy = f"write one: `class {label}(Controller):`"
                raise LawError(place, "holds no class of a controller", remedy)
            raise LawError(place, f"has no class {label}", f"its laws are {', '.join(self.classes)}")
        return self.classes[label]

    def _take(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                return
            case ast.ImportFrom(module="__future__"):
                return
            case ast.ImportFrom(module="dumbbell.own", names=names):
                for alias in names:
                    if alias.asname or alias.name == "*":
                        raise self.source.refuse(
                            node, "names are imported as they are", "write `from dumbbell.own import NAME`"
                        )
                return
            case ast.Import() | ast.ImportFrom():
                raise self.source.refuse(
                    node, "a law imports nothing but `from dumbbell.own import ...`",
                    "put what else the file does below `if __name__ == \"__main__\":`, imports too",
                )  # fmt: skip
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
                return
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._new(node, name)
                self.constants[name] = constant(self.source, value, self.constants)
            case ast.ClassDef(bases=[ast.Name(id="Enum")]):
                self._new(node, node.name)
                self.enums[node.name] = self._members(node)
            case ast.ClassDef(bases=[ast.Name(id=base)]) if base == _BASE:
                self._new(node, node.name)
                self.classes[node.name] = node
            case ast.ClassDef():
                raise self.source.refuse(
                    node, f"{node.name} is neither a Controller nor an Enum", "write class NAME(Controller)"
                )
            case ast.FunctionDef():
                raise self.source.refuse(
                    node, "a function stands outside a class", "make it a helper method of the class"
                )
            case _:
                raise self.source.refuse(
                    node, "a file of laws has constants, enums and classes only",
                    "move it into a method, or below `if __name__ == \"__main__\":`",
                )  # fmt: skip

    def _new(self, node: ast.stmt, name: str) -> None:
        if name in self.constants or name in self.enums or name in self.classes:
            raise self.source.refuse(node, f"{name} stands here twice", "give one of them another name")

    def _members(self, node: ast.ClassDef) -> dict[str, int]:
        members: dict[str, int] = {}
        for entry in node.body:
            match entry:
                case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                    continue
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    if name in members:
                        raise self.source.refuse(
                            entry, f"{name} stands here twice", "give one of them another name"
                        )
                    number = constant(self.source, value, self.constants)
                    if number != len(members):
                        raise self.source.refuse(
                            value,
                            f"members count from 0, and this one is {number}",
                            f"write {name} = {len(members)}",
                        )
                    members[name] = number
                case _:
                    raise self.source.refuse(
                        entry, "an Enum has members only", f"write NAME = {len(members)}"
                    )
        if not 1 <= len(members) <= 64:
            raise self.source.refuse(node, f"{node.name} has {len(members)} members", "give it 1 to 64")
        return members


def _title(node: ast.ClassDef) -> str:
    text = ast.get_docstring(node) or ""
    return text.split("\n")[0]


class _Reader:
    """Reads one class."""

    def __init__(self, source: Source, file: _File, node: ast.ClassDef) -> None:
        self._source, self._file, self._node = source, file, node
        self._words: dict[str, Word] = {}
        self._arrays: dict[str, tuple[int, ...]] = {}
        self._methods: dict[str, tuple[ast.FunctionDef, Source]] = {}
        self._aliases: dict[str, str] = {}
        self._options = self._keywords()
        for entry in node.body:
            self._take(entry)
        self._own = frozenset(self._methods)
        for function in _prelude():
            self._methods.setdefault(function[0].name, function)
        self._read: dict[str, Method] = {}
        self._reading: list[str] = []
        self._order: dict[str, Method] = {}

    def _keywords(self) -> dict[str, Any]:
        options: dict[str, Any] = {
            "kind": "window",
            "repair": "partial-acks",
            "exchange": "none",
            "needs": "",
            "name": "",
        }
        for keyword in self._node.keywords:
            name = keyword.arg or "**"
            if name not in options:
                raise self._source.unknown(
                    keyword, f"a class has no option {name}", name, options, "options are"
                )
            if not (isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str)):
                raise self._source.refuse(keyword.value, f"{name} is a text", f'write {name}="..."')
            options[name] = keyword.value.value
            choices = {
                "kind": vocabulary.KINDS,
                "repair": vocabulary.REPAIRS,
                "exchange": vocabulary.EXCHANGES,
            }
            if name in choices and options[name] not in choices[name]:
                raise self._source.refuse(
                    keyword.value,
                    f"{options[name]!r} is no {name}",
                    f"choose one of {', '.join(choices[name])}",
                )
            if name == "needs":
                for word in options[name].split():
                    if word not in vocabulary.ASKED:
                        raise self._source.unknown(
                            keyword.value, f"{word!r} is no need", word, vocabulary.ASKED, "needs are"
                        )
        name = options["name"] or self._node.name.lower().replace("_", "-")
        if not re.fullmatch(r"[a-z0-9-]{1,32}", name):
            raise self._source.refuse(
                self._node,
                f"tables cannot call it {name!r}",
                'give it a name of a-z, 0-9 and -: `name="mine"`',
            )
        options["name"] = name
        return options

    def _take(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                return
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                self._new(node, name)
                self._field(node, name, annotation, value)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)) if name.startswith("on_"):
                self._new(node, name)
                if other not in self._methods:
                    raise self._source.refuse(
                        node, f"{other} is no method above", "write it below the method"
                    )
                self._aliases[name] = other
            case ast.Assign(targets=[ast.Name(id=name)]):
                raise self._source.refuse(node, f"{name} has no kind", f"write `{name}: int = 0`")
            case ast.FunctionDef(name=name):
                self._new(node, name)
                self._methods[name] = (node, self._source)
            case _:
                raise self._source.refuse(
                    node, "a class has fields and methods only", "move it into a method"
                )

    def _new(self, node: ast.AST, name: str) -> None:
        if name in self._words or name in self._arrays or name in self._methods or name in self._aliases:
            raise self._source.refuse(node, f"{name} stands here twice", "give one of them another name")
        if name in ("param", "state", "array"):
            raise self._source.refuse(
                node, f"{name} hides the function of this name from the lines below", "choose another name"
            )
        if name.startswith("__"):
            raise self._source.refuse(
                node, f"{name} belongs to Python", "choose another name; fields have a first value instead"
            )

    def _field(self, node: ast.AnnAssign, name: str, annotation: ast.expr, value: ast.expr | None) -> None:
        source = self._source
        if value is None:
            raise source.refuse(node, f"{name} has no first value", f"write `{name}: int = 0`")
        match annotation, value:
            case ast.Name(id="Array"), ast.Call(func=ast.Name(id="array"), args=[length], keywords=keywords):
                count = constant(source, length, self._file.constants)
                fill = 0
                for keyword in keywords:
                    if keyword.arg != "fill":
                        raise source.refuse(
                            keyword, "an array has a length and `fill`", "write array(8, fill=0)"
                        )
                    fill = constant(source, keyword.value, self._file.constants)
                if not 1 <= count <= MOST_WORDS:
                    raise source.refuse(length, f"an array of {count} elements", f"give it 1 to {MOST_WORDS}")
                self._arrays[name] = (fill,) * count
            case ast.Name(id="Array"), _:
                raise source.refuse(
                    value, "an array begins as `array(N)`", "write array(8), or array(8, fill=1)"
                )
            case _, ast.Call(func=ast.Name(id="param" | "state" as what)):
                self._words[name] = self._declared(name, self._kind(annotation), value, what)
            case _:
                kind = self._kind(annotation)
                self._words[name] = Word(name, kind, self._value(value, kind), parameter=False)
        total = len(self._words) + sum(map(len, self._arrays.values()))
        if total > MOST_WORDS:
            raise source.refuse(node, f"{total:,} words of state are more than {MOST_WORDS:,}", "keep less")

    def _kind(self, annotation: ast.expr) -> str:
        match annotation:
            case ast.Name(id="int"):
                return INT
            case ast.Name(id="bool"):
                return BOOL
            case ast.Name(id=name) if name in self._file.enums:
                return name
        raise self._source.refuse(
            annotation, "a field is int, bool, Array or an Enum of this file", "write one of them"
        )

    def _value(self, node: ast.expr, kind: str) -> int:
        match node:
            case ast.Constant(value=bool(value)) if kind == BOOL:
                return int(value)
            case ast.Attribute(value=ast.Name(id=name), attr=member) if kind == name:
                members = self._file.enums[name]
                if member not in members:
                    raise self._source.unknown(
                        node, f"{name} has no member {member}", member, members, "its members are"
                    )
                return members[member]
        if kind != INT:
            raise self._source.refuse(node, f"a value of kind {kind} belongs here", "write one")
        return constant(self._source, node, self._file.constants)

    def _declared(self, name: str, kind: str, call: ast.Call, what: str) -> Word:
        source = self._source
        if len(call.args) != 1:
            raise source.refuse(call, f"{what} takes the first value", f"write {what}(0)")
        value = self._value(call.args[0], kind)
        texts, bounds = {"unit": "", "source": ""}, {"ge": None, "le": None}
        allowed = (*texts, *bounds) if what == "param" else ("unit",)
        for keyword in call.keywords:
            key = keyword.arg or "**"
            if key not in allowed:
                raise source.unknown(keyword, f"{what} has no option {key}", key, allowed, "options are")
            if key in texts:
                if not (isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str)):
                    raise source.refuse(keyword.value, f"{key} is a text", f'write {key}="..."')
                if len(keyword.value.value.encode()) > 255:
                    raise source.refuse(keyword.value, f"{key} has more than 255 bytes", "shorten it")
                texts[key] = keyword.value.value
            else:
                bounds[key] = constant(source, keyword.value, self._file.constants)  # type: ignore[assignment]
        word = Word(
            name, kind, value, what == "param", texts["unit"], texts["source"], bounds["ge"], bounds["le"],
            shown=what == "state",
        )  # fmt: skip
        wrong = _outside(word, value)
        if wrong:
            raise source.refuse(call.args[0], f"{name} is {value}, and {wrong[0]}", wrong[1])
        return word

    def law(self, given: Mapping[str, Any]) -> Law:
        """Return the law with values of its parameters."""
        words = self._words_with(given)
        names = Names(
            self._source,
            {word.name: word.kind for word in words},
            frozenset(word.name for word in words if word.parameter),
            {name: len(values) for name, values in self._arrays.items()},
            self._file.enums,
            self._file.constants,
            prelude.FUNCTIONS,
        )
        self._names = names
        answers = {}
        for name in [*self._own, *self._aliases]:
            if name.startswith("on_"):
                event = name.removeprefix("on_")
                target = self._aliases.get(name, name)
                if event not in vocabulary.EVENTS:
                    node = self._methods[name][0] if name in self._methods else self._node
                    raise self._source.unknown(
                        node, f"there is no event {event}", event, vocabulary.EVENTS, "events are"
                    )
                if target not in self._methods or not target.startswith("on_"):
                    raise self._source.refuse(
                        self._node, f"{name} names no answer to an event", "name one, such as on_loss"
                    )
                answers[event] = self._answer(target, event)
                names.needs.update(vocabulary.EVENT_NEEDS.get(event, ()))
        if not any(method.changes for method in answers.values()):
            raise self._source.refuse(
                self._node,
                f"{self._node.name} does nothing",
                "answer an event: `def on_ack(self, ack, control):`",
            )
        needs, helpers = set(names.needs), dict(self._order)
        # Helpers that nothing calls are read for their faults alone.
        for name in sorted(self._own):
            if not name.startswith("on_"):
                self.helper(name, self._methods[name][0])
        asked = {vocabulary.ASKED[word] for word in self._options["needs"].split()}
        needs |= asked
        if "LOSSES" in needs or "FINE_TIMEOUTS" in needs:
            needs.add("RATES")
        if ("ROUTERS" in needs) != (self._options["exchange"] != "none"):
            raise self._source.refuse(
                self._node,
                "asking routers takes a header"
                if "ROUTERS" in needs
                else "it names a header and asks no router",
                'write `exchange="xcp"` after its base'
                if "ROUTERS" in needs
                else "read ack.feedback, or leave out `exchange`",
            )
        return Law(
            name=self._options["name"],
            title=_title(self._node),
            label=self._node.name,
            kind=self._options["kind"],
            repair=self._options["repair"],
            exchange=self._options["exchange"],
            needs=tuple(sorted(needs)),
            words=tuple(words),
            arrays=self._arrays,
            enums=self._file.enums,
            answers={event: answers[event] for event in vocabulary.EVENTS if event in answers},
            helpers=helpers,
        )

    def _words_with(self, given: Mapping[str, Any]) -> list[Word]:
        parameters = {name for name, word in self._words.items() if word.parameter}
        words = dict(self._words)
        place = self._source.name
        for name, given_value in given.items():
            value = given_value
            if name not in parameters:
                shown = ", ".join(sorted(parameters)) or "none"
                raise LawError(
                    place, f"{self._node.name} has no parameter {name}", f"its parameters are {shown}", name
                )
            word = words[name]
            enum = self._file.enums.get(word.kind)
            if word.kind == BOOL and not isinstance(value, bool):
                raise LawError(place, f"{name} is a truth value", "give true or false", name)
            if enum is not None:
                lower = {member.lower(): number for member, number in enum.items()}
                if not isinstance(value, str) or value.lower() not in lower:
                    raise LawError(
                        place, f"{value!r} is no {word.kind}", f"give one of {', '.join(lower)}", name
                    )
                value = lower[value.lower()]
            elif word.kind == INT and (isinstance(value, bool) or not isinstance(value, int)):
                raise LawError(place, f"{value!r} is no whole number", "give a whole number", name)
            elif abs(value) >= 1 << 63:
                raise LawError(place, f"{name} has more than 64 bits", "give a smaller number", name)
            wrong = _outside(word, int(value))
            if wrong:
                raise LawError(place, f"{name} is {value}, and {wrong[0]}", wrong[1], name)
            words[name] = Word(**{**vars(word), "value": int(value)})
        # Parameters first.
        return sorted(words.values(), key=lambda word: not word.parameter)

    def _answer(self, name: str, event: str) -> Method:
        node, _ = self._methods[name]
        first = _EVENT.get(event, "ack")
        if name in self._read:
            method = self._read[name]
            if method.arguments[0].kind != first:
                raise self._source.refuse(
                    node, f"{name} answers segments that leave, and other events", "write two methods"
                )
            return method
        arguments = node.args
        extra = (
            arguments.posonlyargs
            or arguments.kwonlyargs
            or arguments.vararg
            or arguments.kwarg
            or arguments.defaults
        )
        if extra or len(arguments.args) != 3:
            raise self._source.refuse(
                node,
                f"{name} takes self, the event and the control",
                f"write def {name}(self, ack, control):",
            )
        _, ack, control = (argument.arg for argument in arguments.args)
        if ack == control:
            raise self._source.refuse(node, f"two arguments are called {ack}", "give them different names")
        method = Method(name, (Argument(ack, first), Argument(control, "control")), None)
        if node.decorator_list:
            raise self._source.refuse(node.decorator_list[0], "a method has no decorators", "remove it")
        self._body(name, method)
        return method

    def _body(self, name: str, method: Method) -> None:
        node, source = self._methods[name]
        names = self._names
        if source is not self._source:
            names = Names(source, {}, frozenset(), {}, {}, {}, frozenset(), names.needs)
        body = Body(names, method, self)
        self._reading.append(name)
        method.body = body.read(node.body)
        self._reading.pop()
        self._read[name] = method
        # What takes an array may change it.
        method.changes = body.changes or bool(method.arrays)

    def helper(self, name: str, node: ast.AST) -> Method:
        """Return a helper, read."""
        if name in self._read and not name.startswith("on_"):
            return self._read[name]
        if name not in self._methods:
            helpers = [n for n in self._own if not n.startswith("on_")]
            raise self._source.unknown(node, f"the law has no helper {name}", name, helpers, "helpers are")
        if name.startswith("on_"):
            raise self._source.refuse(node, f"{name} answers an event", "move what both need into a helper")
        if name in self._reading:
            way = " -> ".join([*self._reading[self._reading.index(name) :], name])
            raise self._source.refuse(node, f"{name} calls itself ({way}), and might not end", "write a loop")
        if len(self._reading) > MOST_HELPERS:
            raise self._source.refuse(
                node, f"more than {MOST_HELPERS} helpers call each other", "put some of them together"
            )
        function, source = self._methods[name]
        arguments = function.args
        extra = (
            arguments.posonlyargs
            or arguments.kwonlyargs
            or arguments.vararg
            or arguments.kwarg
            or arguments.defaults
        )
        if extra or not arguments.args:
            raise source.refuse(
                function,
                f"{name} takes self and values by their place",
                f"write def {name}(self, x: int) -> int:",
            )
        if function.decorator_list:
            raise source.refuse(function.decorator_list[0], "a method has no decorators", "remove it")
        read = tuple(self._argument(argument, source) for argument in arguments.args[1:])
        if len({argument.name for argument in read}) < len(read):
            raise source.refuse(function, "two arguments have one name", "give them different names")
        match function.returns:
            case None | ast.Constant(value=None):
                result = None
            case ast.expr() as annotation:
                result = self._kind(annotation)
        method = Method(name, read, result, given=source is not self._source)
        self._body(name, method)
        self._order[name] = method
        return method

    def _argument(self, argument: ast.arg, source: Source) -> Argument:
        kinds = {"Array": "array", "Ack": "ack", "Sent": "sent", "Control": "control"}
        match argument.annotation:
            case ast.Name(id=name) if name in kinds:
                return Argument(argument.arg, kinds[name])
            case ast.expr() as annotation:
                return Argument(argument.arg, self._kind(annotation))
        raise source.refuse(
            argument,
            f"{argument.arg} has no kind",
            f"write {argument.arg}: int, or Ack, Control, Array, bool, an Enum",
        )


def _outside(word: Word, value: int) -> tuple[str, str] | None:
    if word.least is not None and value < word.least:
        return f"{word.least} is the least", f"give {word.least} or more"
    if word.most is not None and value > word.most:
        return f"{word.most} is the most", f"give {word.most} or less"
    return None


def _prelude() -> list[tuple[ast.FunctionDef, Source]]:
    source = Source(prelude.TEXT, "prelude")
    (node,) = source.tree.body
    assert isinstance(node, ast.ClassDef)
    return [(entry, source) for entry in node.body if isinstance(entry, ast.FunctionDef)]
