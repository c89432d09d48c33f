"""What shells complete: values of arguments and options, without loading what takes long to load."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class

from dumbbell import _native
from dumbbell.errors import DumbbellError

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_PAPERS = Path(__file__).parent.parent / "papers"
_FIGURES = Path(__file__).parent.parent / "figures" / "__init__.py"
_REGISTERED = re.compile(r'^    "(\w+)": ', re.MULTILINE)
"""The name of a figure, where it is registered."""

_COMPANION = re.compile(r'^\[\[companions\]\]\nname = "([^"]+)"', re.MULTILINE)
"""The name of a further study, where it is made."""

_STEP = re.compile(r"([^.\[\]]+)(?:\[(\d+)\])?")
"""A step of a path: a key, and the number of an entry."""


def matching(found: Callable[[], Iterable[str]], *, several: bool = False) -> Complete:
    """Return what completes a word by names.

    Parameters
    ----------
    found
        Gives the names, when they are needed.
    several
        Whether the word is a list with commas: its last name is completed by names that it lacks.
    """

    def complete(
        _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",") if several else ("", "", incomplete)
        given = before.split(",") if several else []
        names = (name for name in found() if name.startswith(last) and name not in given)
        return [CompletionItem(f"{before}{comma}{name}") for name in names]

    return complete


def families() -> list[str]:
    """Return the families of algorithms."""
    return [family for family, _ in _native.algorithms()]


def algorithms() -> list[str]:
    """Return what `dumbbell describe` knows: algorithms, and tables of a scenario."""
    members = (name for _, entries in _native.algorithms() for name, _, _ in entries)
    return list(dict.fromkeys((*members, *(table.replace(" ", "-") for table in _native.tables()))))


def controllers() -> list[str]:
    """Return the congestion controllers."""
    return [name for name, _, _ in dict(_native.algorithms())["controller"]]


def examples() -> list[str]:
    """Return the scenarios that come with dumbbell."""
    from importlib.resources import files

    there = files("dumbbell").joinpath("scenarios").iterdir()
    return sorted(entry.name.removesuffix(".toml") for entry in there if entry.name.endswith(".toml"))


def recordings() -> list[str]:
    """Return the recorded links that others publish."""
    from dumbbell.formats import traces

    return sorted(traces.recordings())


def foreign_formats() -> list[str]:
    """Return the formats of files that `dumbbell convert` reads."""
    from dumbbell.formats import FORMATS, GRAPHS, TOPOLOGIES

    return [*FORMATS, *GRAPHS, *TOPOLOGIES]


def formats() -> tuple[str, ...]:
    """Return those of :data:`dumbbell.figures.FORMATS`, which takes a second to load."""
    return ("png", "svg", "pdf")


def figures() -> list[str]:
    """Return the kinds of figures, those of packets too: series, and what the text of their registries names.

    The module takes a second to load.
    """
    from dumbbell._declared import SERIES

    own = _REGISTERED.findall(_FIGURES.read_text(encoding="utf-8"))
    return list(dict.fromkeys((*SERIES, *own)))


def papers() -> Iterator[str]:
    """Yield the names of papers and of their further studies.

    They are read from the text of their files, which take a second to load.
    """
    for study in sorted(_PAPERS.glob("*/study.toml")):
        name = study.parent.name.replace("_", "-")
        yield name
        for file in sorted(study.parent.glob("*.toml")):
            found = _COMPANION.findall(file.read_text(encoding="utf-8"))
            yield from (f"{name}-{companion}" for companion in found)


def settings(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete ``path=value`` of the scenario that the command names: paths, then values that have names."""
    # An option without its value ends click's parsing: what stood before it is then among the arguments left.
    words = [context.params.get("file"), *context.args]
    file = next((word for word in words if word is not None and Path(word).is_file()), None)
    if file is None:
        return []
    from dumbbell._scenario import Scenario

    try:
        scenario = _shared(Scenario.from_file(file).to_dict())
    except (DumbbellError, OSError):
        return []
    path, equals, value = incomplete.partition("=")
    if not equals:
        return [CompletionItem(f"{found}=") for found in _paths(scenario) if found.startswith(path)]
    names = (name for name in _values(scenario, path) if name.startswith(value))
    return [CompletionItem(f"{path}={name}") for name in names]


def _shared(scenario: dict[str, Any]) -> dict[str, Any]:
    """Return a scenario whose flows show the transport that they share."""
    for entry in (*scenario["flows"], *scenario["workloads"]):
        entry["transport"] = entry.get("transport") or scenario["transport"]
    return scenario


def _paths(scenario: dict[str, Any]) -> Iterator[str]:
    """Yield every path into a scenario that has all its defaults."""
    yield from _below(scenario, "")


def _below(value: Any, path: str) -> Iterator[str]:
    if path and not _is_list_of_tables(value) and (not isinstance(value, dict) or "kind" in value):
        yield path
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _below(entry, f"{path}.{key}" if path else key)
    elif _is_list_of_tables(value):
        for index, entry in enumerate(value):
            yield from _below(entry, f"{path}[{index}]")


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _values(scenario: dict[str, Any], path: str) -> list[str]:
    """Return the names that may stand at a path: members of a family, words, true and false."""
    *above, last = _STEP.findall(path)
    here: Any = scenario
    fields: list[dict[str, Any]] = []
    for name, index in above:
        below = here.get(name) if isinstance(here, dict) else None
        if index and isinstance(below, list):
            below = below[int(index)] if int(index) < len(below) else None
        fields = _fields(below, name, fields)
        here = below
    key, _ = last
    if key == "kind":
        return _member(here)[0]
    named = next((_names(field["schema"]) for field in fields if field["name"] == key), [])
    return named or _member(here.get(key) if isinstance(here, dict) else None)[0]


def _fields(table: Any, key: str, above: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the fields of the table at a key: of an algorithm by its kind, else as the table above has."""
    if found := _member(table)[1]:
        return found
    nested = next((field["fields"] for field in above if field["name"] == key), None)
    if nested is not None:
        return list(nested)
    return [field for found in _native.table(key) for field in found["fields"]]


def _member(table: Any) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the names of the family that an algorithm is of, and its fields; nothing for any other value."""
    kind = table.get("kind") if isinstance(table, dict) else None
    for family, members in _native.algorithms():
        names = [name for name, _, _ in members]
        if kind in names:
            fields: list[dict[str, Any]] = _native.members(family, kind)[0]["fields"]
            # Names stand in several families: `poisson` is a transport and a workload.
            if set(table) <= {"kind", *(field["name"] for field in fields)}:
                return names, fields
    return [], []


def _names(schema: dict[str, Any]) -> list[str]:
    """Return the words that a schema allows."""
    if schema.get("type") == "boolean":
        return ["true", "false"]
    parts = [schema, *schema.get("anyOf", [])]
    return [word for part in parts for word in part.get("enum", []) if isinstance(word, str)]


_BASH = """
%(complete_func)s() {
    local IFS=$'\\n' response type value word i cut=0
    local -a words=()
    # Bash cuts words at '=': what stands on both sides of one is a single word of ours.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i > 0)) && [[ $word == '=' || ${COMP_WORDS[i-1]} == '=' ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
    done
    word=${words[${#words[@]}-1]}
    [[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && cut=1

    i=$((${#words[@]} - 1))
    response=$(env COMP_WORDS="${words[*]}" COMP_CWORD=$i %(complete_var)s=bash_complete $1)

    for completion in $response; do
        IFS=',' read type value <<< "$completion"
        if [[ $type == 'dir' ]]; then
            COMPREPLY=()
            compopt -o dirnames
        elif [[ $type == 'file' ]]; then
            COMPREPLY=()
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            [[ $value == *= ]] && compopt -o nospace
            ((cut)) && value=${value#*=}
            COMPREPLY+=("$value")
        fi
    done
    return 0
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""
"""Click's, which does not know that bash cuts words at ``=``, and adds a space after one."""


class _Bash(BashComplete):
    source_template = _BASH


def prepare() -> None:
    """Make click complete by our scripts."""
    add_completion_class(_Bash)
