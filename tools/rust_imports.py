"""Which files of a Rust crate use which others of it, from their text.

A path (``use crate::a::B``, ``super::B``, ``b::C``) leads to the file that defines what it names. ``pub use``
is followed, and is no use by itself. Left out: comments, strings, and what is compiled for tests only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_IGNORED = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(?P<hash>\#*)".*?"(?P=hash)|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^\n]*?|[^'\\\n])'""",
    re.DOTALL,
)
_TOKEN = re.compile(r"\$?[A-Za-z_]\w*|::|#!?\[|[{}()\[\];,*!=<>&:|]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_DEFINING = ("struct", "enum", "union", "trait", "fn", "type", "const", "static")
_TURNS = {"{": "}", "(": ")", "[": "]", "#[": "]", "#![": "]"}


@dataclass
class Module:
    """A module: a file, or a part of one."""

    file: Path
    parent: Module | None = None
    children: dict[str, Module] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    """What ``use`` brings in, by its name here."""
    globs: list[list[str]] = field(default_factory=list)
    offered: list[list[str]] = field(default_factory=list)
    """Paths of ``pub use``: the last name, if it is used here too, makes a use of it."""
    paths: list[list[str]] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    """Single names in the code."""
    defined: set[str] = field(default_factory=set)
    macros: set[str] = field(default_factory=set)
    """Names of the macros that it defines."""
    called: set[str] = field(default_factory=set)
    """Names of the macros that it calls."""
    in_macros: set[str] = field(default_factory=set)
    """Single names in the arguments of macros in braces, where a registry names its members."""

    @property
    def root(self) -> Module:
        """The crate."""
        return self.parent.root if self.parent else self

    @property
    def offers(self) -> set[str]:
        """What ``use module::*`` may bring."""
        return self.defined | self.names.keys()

    def within(self) -> Iterator[Module]:
        """Yield the module and all below it."""
        yield self
        for child in self.children.values():
            yield from child.within()


def uses(crate: Path) -> dict[Path, set[Path]]:
    """Return for each file of a crate the other files of it that it uses.

    Parameters
    ----------
    crate
        The folder with ``src/lib.rs``.
    """
    root = _read(crate / "src" / "lib.rs", None)
    found: dict[Path, set[Path]] = {}
    for module in root.within():
        files = found.setdefault(module.file, set())
        files.update(_used(module))
        files.update(other.file for other in root.within() if other.macros & module.called)
        files.discard(module.file)
    return found


def _used(module: Module) -> Iterator[Path]:
    """Yield the files that a module uses."""
    for path in module.paths:
        if file := _resolve(module, path):
            yield file
    for path in module.offered:
        if path[-1] in module.words and (file := _resolve(module, path)):
            yield file
    for name in module.in_macros & module.children.keys():
        yield module.children[name].file
    for path in module.globs:
        target = _module(module, path)
        for name in sorted(module.words & target.offers if target else ()):
            if target and (file := _resolve(target, ["self", name])):
                yield file


def _resolve(
    module: Module, path: Sequence[str], seen: frozenset[tuple[Path, str]] = frozenset()
) -> Path | None:
    """Return the file that defines what a path names; ``None`` if it is elsewhere or a module by itself."""
    here: Module = module
    rest = list(path)
    if rest[0] not in ("crate", "self", "super") and rest[0] not in module.children | module.names:
        return None
    while rest and rest[0] in ("crate", "self", "super"):
        word = rest.pop(0)
        if word == "crate":
            here = here.root
        elif word == "super":
            here = here.parent or here
    while rest:
        name = rest.pop(0)
        if name in here.children:
            here = here.children[name]
        elif name in here.names:
            if (here.file, name) in seen:
                return None
            seen |= {(here.file, name)}
            return _resolve(here, [*here.names[name], *rest], seen)
        else:
            if name not in here.defined:
                for other in here.globs:
                    target = _module(here, other)
                    if target and name in target.offers:
                        return _resolve(target, ["self", name, *rest], seen)
            return here.file
    return None


def _module(module: Module, path: Sequence[str]) -> Module | None:
    """Return the module that a path names, if it is one of the crate."""
    here: Module | None = module
    for index, word in enumerate(path):
        if here is None:
            return None
        if word == "crate":
            here = here.root
        elif word == "super":
            here = here.parent
        elif word in here.children:
            here = here.children[word]
        elif word != "self" and not (index == 0 and word in here.names):
            return None
        elif word != "self":
            here = _module(here, here.names[word])
    return here


def _read(file: Path, parent: Module | None) -> Module:
    """Read a file and the files of the modules that it declares."""
    module = Module(file, parent)
    text = _IGNORED.sub(" ", file.read_text(encoding="utf-8"))
    folder = file.parent if file.name in ("lib.rs", "mod.rs") else file.parent / file.stem
    _parse(_TOKEN.findall(text), module, folder)
    return module


def _parse(tokens: list[str], module: Module, folder: Path) -> None:
    """Take in the items of a module from its tokens."""
    at = 0
    public = False
    macro_end = 0
    while at < len(tokens):
        token = tokens[at]
        if token in ("#[", "#!["):
            end = _closing(tokens, at)
            if tokens[at:end] == ["#[", "cfg", "(", "test", ")"]:
                end = _item_end(tokens, end + 1) - 1
            at = end + 1
        elif token == "mod" and tokens[at + 2] == ";":
            name = tokens[at + 1]
            file = folder / f"{name}.rs"
            module.children[name] = _read(file if file.exists() else folder / name / "mod.rs", module)
            at += 3
        elif token == "mod" and tokens[at + 2] == "{":
            end = _closing(tokens, at + 2)
            inner = Module(module.file, module)
            module.children[tokens[at + 1]] = inner
            _parse(tokens[at + 3 : end], inner, folder / tokens[at + 1])
            at = end + 1
        elif token == "use" and tokens[at + 1] != "<":
            end = tokens.index(";", at)
            _take_use(tokens[at + 1 : end], module, public)
            at = end + 1
        elif token == "pub" and tokens[at + 1] == "(":
            public, at = True, _closing(tokens, at + 1) + 1
            continue
        elif _NAME.fullmatch(token.lstrip("$")):
            end = at + 1
            while tokens[end : end + 1] == ["::"] and _NAME.fullmatch(tokens[end + 1]):
                end += 2
            path = [word.lstrip("$") for word in tokens[at:end:2]]
            if token == "macro_rules":
                module.macros.add(tokens[at + 2])
            elif token in _DEFINING:
                module.defined.add(tokens[at + 1])
            if tokens[end : end + 1] == ["!"] and tokens[end + 1] in "({[":
                module.called.add(path[-1])
            if tokens[end : end + 2] == ["!", "{"]:
                macro_end = max(macro_end, _closing(tokens, end + 1))
            if len(path) > 1:
                module.paths.append(path)
            module.words.add(path[0])
            if at < macro_end:
                module.in_macros.add(path[0])
            at = end
        else:
            at += 1
        public = token == "pub"


def _take_use(tokens: list[str], module: Module, public: bool) -> None:
    """Take in one ``use`` declaration."""
    for path, name in _branches(tokens, []):
        if name == "*":
            module.globs.append(path)
            continue
        module.names[name] = path
        (module.offered if public else module.paths).append(path)


def _branches(tokens: list[str], before: list[str]) -> Iterator[tuple[list[str], str]]:
    """Yield the paths of a tree of ``use`` and the names that they get."""
    path = list(before)
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token == "{":
            inside = tokens[at + 1 : _closing(tokens, at)]
            for branch in _split(inside):
                yield from _branches(branch, path)
            return
        if token == "*":
            yield path, "*"
            return
        if token == "as":
            yield path, tokens[at + 1]
            return
        if token != "::":
            path.append(token)
        at += 1
    if path[-1] == "self":
        path.pop()
    yield path, path[-1]


def _split(tokens: list[str]) -> Iterator[list[str]]:
    """Yield the parts between the commas of the outermost level."""
    part: list[str] = []
    depth = 0
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if token == "," and not depth:
            if part:
                yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


def _closing(tokens: list[str], at: int) -> int:
    """Return the position of the bracket that closes the one at a position."""
    depth = 0
    for position in range(at, len(tokens)):
        if tokens[position] in _TURNS:
            depth += 1
        elif tokens[position] in _TURNS.values():
            depth -= 1
            if depth == 0:
                return position
    raise ValueError("a bracket is not closed")


def _item_end(tokens: list[str], at: int) -> int:
    """Return the position behind the item that begins at a position."""
    while tokens[at] != ";":
        if tokens[at] in _TURNS:
            brace = tokens[at] == "{"
            at = _closing(tokens, at)
            if brace:
                return at + 1
        at += 1
    return at + 1
