"""What the commands share: reading scenarios, and text for people."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dumbbell import _native
from dumbbell._files.numbers import finite
from dumbbell._files.read import read_toml
from dumbbell._files.special import stream
from dumbbell._files.text import plain
from dumbbell._laws import law_name
from dumbbell._printing import Output, Text, significant
from dumbbell.cli import completing
from dumbbell.errors import DumbbellError, ScenarioError

if TYPE_CHECKING:
    from dumbbell._results import Results
    from dumbbell._scenario import Scenario

Command = TypeVar("Command", bound=Callable[..., object])


def console() -> Output:
    """Return the standard output, for people."""
    return Output()


def side_console() -> Output:
    """Return the standard error, for what is not the result of a command."""
    return Output(error=True)


def echo(text: object, err: bool = False) -> None:
    """Write a line as it is, without the control characters that a terminal would obey."""
    if not Output.quiet:
        click.echo(plain(str(text)), err=err)


def tell_of_file(path: Path, what: str = "", err: bool = False) -> None:
    """Say that a file was written, and its size; never on the standard output if that is the file."""
    size = f": {path.stat().st_size:,} bytes" if path.is_file() else ": written"
    echo(f"{what}{path}{size}", err=err or stream(path) == 1)


def tell_of_library(library: str, controller: str = "a controller") -> None:
    """Say on the standard error that a library will run."""
    echo(f"note: {library}: a library with {controller}, which runs with all your rights", err=True)


def tell_of_windows() -> None:
    """Say on the standard error how many windows of laws no connection could have, if any."""
    count = _native.absurd_windows()
    if count:
        echo(
            f"note: laws set {count:,} windows of zero, below zero or above 2^40 bytes; connections held "
            "them at a segment, or at 2^40 bytes",
            err=True,
        )


def print_json(value: object) -> None:
    """Write a value of JSON types; ``null`` for numbers that are not finite."""
    click.echo(json.dumps(finite(value), indent=2, ensure_ascii=False, allow_nan=False))


def json_option(command: Command) -> Command:
    """Add the option of commands whose result a program may read, as the parameter `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(command)


def quiet_option(command: Command) -> Command:
    """Add the option of commands that leave something behind: they print nothing but errors."""

    def hush(_context: click.Context, _parameter: click.Parameter, value: bool) -> None:
        Output.quiet = value

    return click.option(
        "-q", "--quiet", is_flag=True, expose_value=False, callback=hush, help="Print nothing but errors."
    )(command)


def scenario_options(command: Command) -> Command:
    """Add the argument and options of commands that read a scenario."""
    seed = click.option(
        "--seed", type=click.IntRange(min=0), help="The seed of every random stream: --set seed=N."
    )
    change = click.option(
        "--set", "settings", multiple=True, metavar="PATH=VALUE",
        help="Change a value, such as topology.bottleneck.rate=20Mbit/s. May be repeated.",
        shell_complete=completing.settings,
    )  # fmt: skip
    return click.argument("file", type=click.Path(path_type=Path))(change(seed(controller_option(command))))


def controller_option(command: Command) -> Command:
    """Add ``--controller``: another setting, whose path counts from the current folder.

    Without a scenario it also chooses TCP, of commands that choose a transport.
    """

    @functools.wraps(command)
    def controlled(*given: Any, controller: str | None, **options: Any) -> object:
        if controller is not None:
            file, law = options["file"], law_name(controller)
            folder = Path.cwd() if file is None else Path(file).absolute().parent
            if file is not None:
                _refuse_out_of_reach(Path(file))
            elif "transport" in options:
                options["transport"] = options["transport"] or "tcp"
            if law is not None and law.label:
                controller = law.setting(os.path.relpath(law.file, folder))
            options["settings"] = (*options["settings"], f"transport.controller={controller}")
        return command(*given, **options)

    return click.option(
        "--controller", metavar="NAME", shell_complete=completing.matching(completing.controllers),
        help="The controller of TCP, such as bbr3. One of your own is my.py:Mine, or my.py:Mine(gain=2).",
    )(controlled)  # type: ignore[return-value]  # fmt: skip


def _refuse_out_of_reach(file: Path) -> None:
    """Refuse ``--controller`` where every flow has a transport of its own: it reaches none."""
    try:
        values = read_toml(file)
    except (OSError, DumbbellError):
        return  # Whoever reads the scenario says so.
    listed = [values.get(name, []) for name in ("flows", "workloads")]
    entries = [entry for given in listed if isinstance(given, list) for entry in given]
    if not entries or any(not isinstance(entry, dict) or "transport" not in entry for entry in entries):
        return
    raise DumbbellError(
        f"--controller: every flow of {file} has a transport of its own; name it there: "
        "--set flows[0].transport.controller=NAME"
    )


class SizeOf(click.ParamType[int]):
    """Bytes of memory, such as ``4GB``.

    Parameters
    ----------
    option
        Whose value it is, for messages.
    """

    name = "SIZE"

    def __init__(self, option: str) -> None:
        self._option = option

    def convert(self, value: object, _param: click.Parameter | None, _context: click.Context | None) -> int:
        """Return a size in bytes."""
        if isinstance(value, int):
            return value
        try:
            size = _native.parse_size(str(value), self._option)
        except ScenarioError as error:
            raise DumbbellError(str(error)) from None
        except UnicodeEncodeError:
            raise DumbbellError(f"{self._option}: {value!r} is not UTF-8; write it so") from None
        if size == 0:
            raise DumbbellError(f"{self._option}: a run needs some; give a size such as 4GB")
        return size


def memory_option(command: Command) -> Command:
    """Add the option of commands that run scenarios."""
    return click.option(
        "--memory",
        type=SizeOf("--memory"),
        help="Memory for all runs together, such as 4GB; by default three quarters of what is free.",
    )(command)


def runs_options(command: Command) -> Command:
    """Add the options of commands that run many scenarios: where, and how many at a time."""
    where = click.option(
        "--executor", default="threads", show_default=True, help="threads, ray, or ray://host:port."
    )
    return where(workers_option(command))


def workers_option(command: Command) -> Command:
    """Add the option of commands that run scenarios side by side."""
    return click.option(
        "--workers", type=click.IntRange(min=1), help="Runs at a time; all cores by default."
    )(command)


def read_scenario(file: Path, settings: Iterable[str], seed: int | None) -> Scenario:
    """Read a scenario file; errors name the file."""
    from dumbbell._scenario import Scenario

    changes = [*settings, *([] if seed is None else [f"seed={seed}"])]
    try:
        scenario = Scenario.from_file(file, changes)
        for library, name in scenario.libraries:
            tell_of_library(library, f"the controller {name}")
        return scenario
    except ScenarioError as error:
        if _is_study(file):
            raise DumbbellError(f"{file}: is a study; run it with `dumbbell study run`") from None
        raise DumbbellError(f"{file}: {error}") from None
    except FileNotFoundError:
        remedy = "give the path of a scenario"
        if file.stem in completing.examples():
            remedy = f"`dumbbell examples {file.stem} -o {file.stem}.toml` copies the example of this name"
        raise DumbbellError(f"{file}: no such file; {remedy}") from None
    except OSError as error:
        raise DumbbellError(f"{file}: {error.strerror}; give the path of a readable scenario") from None


def refuse_twice(option: str, given: Iterable[str]) -> None:
    """Refuse a value that stands twice in an option: the second would have the place of the first."""
    seen = set()
    for value in given:
        if value in seen:
            raise DumbbellError(f"{option}: {value} stands there twice; name each once")
        seen.add(value)


def _is_study(file: Path) -> bool:
    try:
        values = read_toml(file)
    except (OSError, DumbbellError):
        return False
    return "scenario" in values and "topology" not in values


def packet_options(what: str) -> Callable[[Command], Command]:
    """Return what adds the options of commands that show the packets of one flow of results."""
    from dumbbell._trace import LAST_FLOW

    def add(command: Command) -> Command:
        until = click.option("--until", metavar="TIME", help="With --flow: packets up to this time.")
        start = click.option(
            "--from", "start", metavar="TIME", help="With --flow: packets from this time on, such as 1.5s."
        )
        flow = click.option(
            "--flow", type=click.IntRange(0, LAST_FLOW), metavar="N",
            help=f"{what}, the packets of this flow: the scenario runs again.",
        )  # fmt: skip
        return flow(start(until(command)))

    return add


def results_again(results: Results, folder: Path) -> Scenario:
    """Return the scenario of results, to be run again.

    Raises
    ------
    DumbbellError
        If it would not give the same results.
    """
    from dumbbell._scenario import Scenario

    provenance = results.provenance
    remedy = "run the scenario anew with this version, or use `dumbbell trace`"
    try:
        scenario = Scenario.from_toml(provenance.get("scenario", ""), base=folder, confined=True)
    except ScenarioError as error:
        raise DumbbellError(f"{folder}: its scenario cannot be run again: {error}; {remedy}") from None
    scenario = scenario.with_seed(int(provenance.get("seed", scenario.seed)))
    if scenario.plan_hash != provenance.get("plan_hash"):
        raise DumbbellError(f"{folder}: was made by another version of dumbbell; {remedy}")
    return scenario


def number(value: Any, factor: float = 1.0, digits: int = 4) -> Text:
    """Write a number with so many significant digits; a dash for none."""
    if value is None or value != value:
        return Text("-", "dim")
    scaled = value / factor
    if isinstance(scaled, float) and scaled.is_integer() and factor == 1.0:
        scaled = int(scaled)
    return Text(f"{scaled:,}" if isinstance(scaled, int) else significant(scaled, digits))
