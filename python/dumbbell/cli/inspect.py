"""`dumbbell check`, `list`, `describe`, `schema`: what a user can learn before a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dumbbell import _native
from dumbbell._laws import law_name
from dumbbell._memory import limit_of_run
from dumbbell._printing import Output, Text, TextTable, significant
from dumbbell.cli import completing
from dumbbell.cli.common import (
    console,
    json_option,
    number,
    print_json,
    read_scenario,
    scenario_options,
)
from dumbbell.errors import DumbbellError

if TYPE_CHECKING:
    from dumbbell._scenario import Scenario

_MOST_ROWS = 24
"""Longer lists of links, pairs and groups are cut; all of them are in ``Scenario.explain()``."""


_EVIDENCE = Path(__file__).parent.parent / "_evidence.json"
"""By family and name, whose numbers an algorithm has been compared with: written by ``make docs``."""

_MOST_NAMED = 3
"""Components that are named of those that draw the same."""


@click.command()
@scenario_options
@json_option
def check(file: Path, settings: tuple[str, ...], seed: int | None, as_json: bool) -> None:
    """Check the scenario in FILE and explain its plan.

    FILE may be a study, which is checked with every point and companion, or a law of one's own, such as
    my.py:Mine: what it needs, what it costs, whether the kernel could have it.
    """
    from dumbbell.cli.own import check_law
    from dumbbell.cli.study import check_study, is_study

    if law_name(str(file)) is not None:
        if settings or seed is not None:
            raise DumbbellError(f"{file}: is a law, which takes no --set, no --controller and no --seed")
        check_law(str(file), as_json)
        return
    if is_study(file):
        if settings or seed is not None:
            raise DumbbellError(
                f"{file}: is a study, which takes no --set and no --seed; write it into the file"
            )
        check_study(file, as_json)
        return
    scenario = read_scenario(file, settings, seed)
    facts = scenario.explain()
    if as_json:
        print_json(facts)
        return
    out = console()
    drain = f"then up to {facts['drain']:g} s for flows to end; " if facts["drain"] else ""
    summary = (
        f": {facts['duration']:g} s, the first {facts['warmup']:g} s not counted; {drain}"
        f"seed {facts['seed']}; {len(facts['nodes'])} nodes; plan {facts['hash'][:12]}"
    )
    out.print(Text(scenario.name, "bold"), summary)
    _links(out, facts["links"])
    _pairs(out, facts["pairs"])
    _groups(out, facts["groups"])
    _draws(out, facts["draws"])
    _cost(out, facts["cost"])
    _threads(out, scenario)
    notes = facts["notes"]
    for note in notes[:_MOST_ROWS]:
        out.print(f"note: {note}")
    if len(notes) > _MOST_ROWS:
        out.print(f"and {len(notes) - _MOST_ROWS:,} notes more")


def _threads(out: Output, scenario: Scenario) -> None:
    """Print on how many threads the scenario runs where all cores are idle."""
    count, gain, reason = scenario.expected_threads()
    if reason is None:
        out.print(f"threads: {count} where as many cores are idle, about {gain:.1f} times as fast as one")
    else:
        out.print(f"threads: one; {reason}")


def _draws(out: Output, draws: list[dict[str, str]]) -> None:
    """Print what draws random numbers."""
    if not draws:
        out.print("random: nothing is drawn, every seed gives the same run")
        return
    of: dict[str, list[str]] = {}
    for draw in draws:
        of.setdefault(draw["what"], []).append(draw["of"])
    # What the same components draw stands together.
    together: dict[str, list[str]] = {}
    for what, names in of.items():
        more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
        together.setdefault(f"{', '.join(names[:_MOST_NAMED])}{more}", []).append(what)
    parts = (f"{', '.join(whats)}{f' ({names})' if names else ''}" for names, whats in together.items())
    out.print(f"random: {'; '.join(parts)}")


def _cost(out: Output, cost: dict[str, Any]) -> None:
    """Print what the run is expected to take, and may."""
    limit = limit_of_run()
    seconds = cost["seconds"]
    time = "less than a second" if seconds < 1 else f"{significant(seconds, 2)} s"
    parts = ", ".join(
        f"{_size(part['bytes'])} {part['what']}"
        for part in cost["parts"]
        if part["bytes"] > cost["memory"] / 10
    )
    out.print(
        f"expected: about {significant(cost['packet_hops'], 2)} packet-hops, "
        f"{time} to compute, "
        f"{_size(cost['memory'])} of memory ({parts}); an estimate, mostly within a factor of two"
    )
    if cost["memory"] > limit:
        out.print(
            f"note: that is more than the {_size(limit)} that a run may take here; it would be cut short, "
            "unless queues get limits, rates go down, or --memory allows more",
        )


def _size(size: float) -> str:
    """Write a number of bytes with two digits and a unit."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= factor:
            return f"{significant(size / factor, 2)} {unit}"
    return f"{significant(size / 1e3, 2)} kB"


def _links(out: Output, links: list[dict[str, Any]]) -> None:
    numbers = (
        "rate Mbit/s", "delay ms", "BDP packets", "buffer packets", "buffer kB", "buffer ms", "load",
    )  # fmt: skip
    rows: list[tuple[str | Text, ...]] = [
        (
            link["name"].replace("->", " → "), link["queue"], _control(link), _impairments(link),
            number(link["rate"], 1e6), number(link["delay"], 1e-3), number(link["bdp_packets"]),
            number(link["buffer_packets"]), number(link["buffer_bytes"], 1e3),
            number(link["buffer_time"], 1e-3), number(link["load"]),
        )
        for link in links[:_MOST_ROWS]
    ]  # fmt: skip
    texts = ["link", "queue", "control", "impairments"]
    # From the right, so that positions hold.
    for column, shown in ((3, _impairments), (2, _control)):
        if not any(shown(link) for link in links):
            del texts[column]
            rows = [row[:column] + row[column + 1 :] for row in rows]
    out.print(TextTable(_title("Links", links), texts, numbers, rows))


def _control(link: dict[str, Any]) -> str:
    """Return what moves a link's rate, what its router tells senders, its marker, its shared buffer."""
    power = link["power"]
    port = f"{power['policy']}, rates: {len(power['rates'])}" if power else ""
    rate = "" if link["service"] == "constant" else link["service"]
    router = f"router {link['router']}" if link["router"] else ""
    marker = f"marker {link['marker']}" if link["marker"] else ""
    shared = f"shares {_size(link['shared_buffer'])}" if link["shared_buffer"] else ""
    return "; ".join(part for part in (rate, port, router, marker, shared) if part)


def _impairments(link: dict[str, Any]) -> str:
    """Return what happens to packets on their way."""
    loss = f"loss {link['loss']:g}" if link["loss"] else ""
    return "; ".join(part for part in (loss, *link["impairments"]) if part)


def _pairs(out: Output, pairs: list[dict[str, Any]]) -> None:
    numbers: tuple[str, ...] = ("paths there", "paths back", "base RTT ms", "slowest rate Mbit/s")
    rows: list[tuple[str | Text, ...]] = [
        (
            " → ".join(pair["path"]), number(pair["paths"]), number(pair["return_paths"]),
            number(pair["base_rtt"], 1e-3), number(pair["rate"], 1e6),
        )
        for pair in pairs[:_MOST_ROWS]
    ]  # fmt: skip
    first = "first path"
    if all(pair["paths"] == pair["return_paths"] == 1 for pair in pairs):
        first, numbers, rows = "path", numbers[2:], [row[:1] + row[3:] for row in rows]
    out.print(TextTable(_title("Paths", pairs), (first,), numbers, rows))


def _groups(out: Output, groups: list[dict[str, Any]]) -> None:
    texts = ("group", "kind", "transport", "controller", "sizes")
    numbers = ("flows", "flows/s", "mean size kB", "on the wire kB", "offered Mbit/s")
    rows = [
        (
            group["name"], group["kind"], group["transport"], group["controller"] or "-",
            _tail(group["tail"]), number(group["flows"]), number(group["arrival_rate"]),
            number(group["mean_size"], 1e3), number(group["mean_wire"], 1e3), number(group["offered"], 1e6),
        )
        for group in groups[:_MOST_ROWS]
    ]  # fmt: skip
    out.print(TextTable(_title("Flow groups", groups), texts, numbers, rows))


def _tail(tail: dict[str, Any] | None) -> str:
    """Return how uneven drawn sizes are."""
    if tail is None:
        return "-"
    if tail["variation"] is None:
        return f"tail of index {tail['index']:g}, no variance"
    return f"c.v. {significant(tail['variation'], 2)}"


def _title(what: str, rows: list[Any]) -> str:
    return f"{what} (the first {_MOST_ROWS} of {len(rows)})" if len(rows) > _MOST_ROWS else what


@click.command("list")
@click.argument("family", required=False, shell_complete=completing.matching(completing.families))
@json_option
def list_(family: str | None, as_json: bool) -> None:
    """List the registered algorithms, of one FAMILY or of all."""
    families = dict(_native.algorithms())
    if family is not None and family not in families:
        raise DumbbellError(
            f"{family!r} is not a family of algorithms; {_native.suggest(family, list(families))}"
        )
    if as_json:
        heads = ("name", "what", "reference")
        chosen = [name for name in families if family in (None, name)]
        print_json({name: [dict(zip(heads, row, strict=True)) for row in families[name]] for name in chosen})
        return
    out = console()
    for name in [family] if family is not None else families:
        out.print(TextTable(name, ("name", "what", "reference"), (), families[name]))
    if family is None:
        tables = ", ".join(table.replace(" ", "-") for table in _native.tables())
        out.print(f"Tables of scenarios, for `dumbbell describe`: {tables}")


@click.command()
@click.argument("name", shell_complete=completing.matching(completing.algorithms))
@json_option
def describe(name: str, as_json: bool) -> None:
    """Show the parameters of NAME, an algorithm or a table such as `flows`: units, defaults, sources.

    Other names are found too: those of papers (`gip`), values (`fack`) and parameters (`sack`).
    """
    from dumbbell.cli import elsewhere

    families = dict(_native.algorithms())
    plain = elsewhere.plain(name)
    found = [(family, member) for family in families for member in _native.members(family, plain)]
    found += [("table", table) for table in _native.table(plain.replace("-", " "))]
    if not found:
        _describe_place(name, families, as_json)
        return
    if as_json:
        print_json([{"family": family, **member} for family, member in found])
        return
    witnesses = json.loads(_EVIDENCE.read_text(encoding="utf-8"))
    out = console()
    for family, member in found:
        out.print(Text(member["name"], "bold"), f" ({family}): {member['title']}")
        if family != "table":
            out.print(Text(f"Reference: {member['reference']}"))
        if witness := witnesses.get(family, {}).get(plain):
            out.print(Text(f"Witness: {witness}"))
        if not member["fields"]:
            out.print("No parameters.")
            continue
        columns = ("parameter", "type", "default", "source of the default", "meaning")
        rows = [
            (path, _type(field), _default(field), field["source"], doc)
            for path, field, doc in _with_nested(member["fields"], {})
        ]
        out.print(TextTable("", columns, (), rows))
        if member.get("profiles"):
            controllers = [_native.members("controller", entry[0]) for entry in families["controller"]]
            _profiles(out, member, [controller for found in controllers for controller in found])


def _describe_place(name: str, families: dict[str, Any], as_json: bool) -> None:
    """Print where a name belongs that is neither an algorithm nor a table."""
    from dumbbell.cli import elsewhere

    places = elsewhere.find(name)
    if not places:
        known = dict.fromkeys(entry[0] for members in families.values() for entry in members)
        known |= dict.fromkeys([*(table.replace(" ", "-") for table in _native.tables()), *elsewhere.names()])
        raise DumbbellError(
            f"{name!r} is neither an algorithm nor a table, nor a value or a parameter of one; "
            f"{_native.suggest(name, list(known))}"
        )
    if as_json:
        print_json(elsewhere.as_json(places))
    else:
        elsewhere.show(console(), places)


def _profiles(out: Output, member: dict[str, Any], controllers: list[dict[str, Any]]) -> None:
    """Print the profiles of an algorithm side by side, then where their values come from."""
    profiles = member["profiles"]
    defaults = {field["name"]: _default(field) for field in member["fields"]}
    usual = defaults["profile"].plain
    for controller in controllers:
        for field in controller["fields"]:
            defaults[f"controller {controller['name']}: {field['name']}"] = _default(field)
    settings = [{entry["name"]: entry for entry in profile["settings"]} for profile in profiles]
    names = list(dict.fromkeys(name for entries in settings for name in entries))

    def row(name: str) -> tuple[str | Text, ...]:
        return (name, *(_value(e[name]["value"]) if name in e else defaults[name] for e in settings))

    rows = [row(name) for name in names]
    heads = (f"{p['name']} (default)" if p["name"] == usual else p["name"] for p in profiles)
    out.print(TextTable("Profiles", ("parameter", *heads), (), rows))
    sources = [(p["name"], entry["name"], entry["source"]) for p in profiles for entry in p["settings"]]
    out.print(TextTable("Sources of the profiles", ("profile", "parameter", "source"), (), sources))


def _value(value: object) -> Text:
    return Text(value if isinstance(value, str) else json.dumps(value))


def _with_nested(
    fields: list[dict[str, Any]], listed: dict[str, str], above: str = ""
) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield every field with its path and its meaning, the keys of a table after the first that has them."""
    for field in fields:
        path = above + field["name"]
        keys = json.dumps(field["fields"])
        first = listed.setdefault(keys, path) if field["fields"] else path
        yield path, field, field["doc"] if first == path else f"{field['doc']} Keys as in `{first}`."
        if first == path:
            inside = path + ("[]." if field["kind"] == "list" else ".")
            yield from _with_nested(field["fields"], listed, inside)


def _type(field: dict[str, Any]) -> str:
    return f"{field['kind']} ({field['unit']})" if field["unit"] else field["kind"]


def _default(field: dict[str, Any]) -> Text:
    if field["required"]:
        return Text("required", "bold")
    default = field["default"]
    return Text("absent" if default is None else default if isinstance(default, str) else json.dumps(default))


@click.command()
@click.option("--study", is_flag=True, help="That of study files.")
@click.option("--c", "header", is_flag=True, help="Instead, the C header of controllers: controller.h.")
def schema(study: bool, header: bool) -> None:
    """Print the JSON Schema of scenarios, or of study files, for editors."""
    if header:
        click.echo(_native.controller_header(), nl=False)
        return
    found = _native.study_schema() if study else _native.schema()
    print_json(found)
