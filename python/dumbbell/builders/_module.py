"""Modules whose functions are made from the registry, each when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Literal, NamedTuple

from dumbbell import _native
from dumbbell.builders import _words

Builder = Callable[..., Any]


class Origin(NamedTuple):
    """What a builder makes: a member of a family, or a table."""

    name: str
    """As scenarios and the registry write it."""
    family: str | None = None
    """``None`` for tables."""

    @property
    def checked(self) -> bool:
        """Whether the builder makes a scenario, which is checked when it is built."""
        return self.family is None and self.name == "scenario"

    @property
    def returns(self) -> str:
        """The annotation of the result."""
        return "Scenario" if self.checked else "dict[str, Any]"

    def declared(self) -> Mapping[str, Any]:
        """Return title, reference and parameters as the registry has them."""
        if self.family is None:
            return {"reference": "", **_native.table(self.name)[0]}
        found: Mapping[str, Any] = _native.members(self.family, self.name)[0]
        return found

    def signature(self, declared: Mapping[str, Any]) -> str:
        """Return the head of the builder, in Python."""
        return _words.signature(_words.python_name(self.name), declared["fields"], self.returns)

    def docstring(self, declared: Mapping[str, Any]) -> str:
        """Return the docstring of the builder."""
        title, reference, fields = (declared[key] for key in ("title", "reference", "fields"))
        return _words.docstring(title, reference, fields, "Scenario" if self.checked else "dict")


def origins_of(
    entry: Mapping[str, Any], algorithms: Iterable[tuple[str, Iterable[tuple[str, str, str]]]]
) -> dict[str, Origin]:
    """Return what the builders of a module make, by their names.

    Parameters
    ----------
    entry
        The module, as the registry has it.
    algorithms
        Families, and name, title and reference of each of their members.
    """
    members = (row for family, rows in algorithms if family == entry["family"] for row in rows)
    made = [Origin(name, entry["family"]) for name, *_ in members]
    made += [Origin(table["name"]) for table in entry["tables"]]
    return {_words.python_name(origin.name): origin for origin in made}


class BuilderModule(ModuleType):
    """A module of builders.

    Parameters
    ----------
    name
        Its name in the package.
    title
        What its builders make.
    origins
        What each builder makes, by the name of the builder.
    """

    def __init__(self, name: str, title: str, origins: Mapping[str, Origin]) -> None:
        super().__init__(f"dumbbell.builders.{name}", f"{title}.")
        self.__spec__ = ModuleSpec(self.__name__, None)
        self.__all__ = sorted(origins)
        self._origins = origins

    def __getattr__(self, name: str) -> Builder:
        origin = self._origins.get(name)
        if origin is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        builder = _made(self.__name__, name, origin)
        setattr(self, name, builder)
        return builder

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__all__})


def _made(module: str, name: str, origin: Origin) -> Builder:
    """Return a builder: a function with the signature that the registry says, as if it stood in a file.

    A head that Python compiles itself has Python's messages for wrong arguments, and its speed.
    """
    declared = origin.declared()
    keys = {_words.python_name(field["name"]): field["name"] for field in declared["fields"]}
    kind = {} if origin.family is None else {"kind": origin.name}

    def result(arguments: dict[str, Any]) -> Any:
        # Without those that are absent: for them the defaults of the registry hold.
        given = {keys[key]: arguments[key] for key in keys if arguments[key] is not None}
        entries = kind | given
        if not origin.checked:
            return entries
        from dumbbell._scenario import Scenario

        return Scenario.from_dict(entries)

    space: dict[str, Any] = {
        "__name__": module, "Any": Any, "Literal": Literal, "Mapping": Mapping, "Sequence": Sequence,
        "_result": result,
    }  # fmt: skip
    if origin.checked:
        from dumbbell._scenario import Scenario

        space["Scenario"] = Scenario
    text = f"from __future__ import annotations\n{origin.signature(declared)}\n    return _result(locals())\n"
    exec(compile(text, f"<{module}.{name}>", "exec", dont_inherit=True), space)
    builder: Builder = space[name]
    builder.__doc__ = origin.docstring(declared)
    return builder
