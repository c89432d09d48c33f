"""The compiled part of dumbbell."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from os import PathLike
from pathlib import Path
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

version: str
profile: str
"""The profile of Cargo.toml that the module was built with: ``release``, unless a developer built it."""
cargo_lock: str
"""The text of Cargo.lock when the module was built."""
UDP_PORT: int
UDP_HEADERS: int

@final
class Scenario:
    """A valid scenario and the plan made from it."""

    @staticmethod
    def from_toml(text: str, settings: list[str], base: str | PathLike[str], confined: bool) -> Scenario:
        """From TOML text, changed by settings ``path=value``; names of files count from `base`.

        A `confined` scenario opens no file outside it.
        """

    @staticmethod
    def from_dict(
        values: dict[str, Any], settings: list[str], base: str | PathLike[str], confined: bool
    ) -> Scenario:
        """From a dictionary."""

    @property
    def name(self) -> str | None:
        """The name that the scenario gives itself."""

    def to_dict(self) -> dict[str, Any]:
        """Every field, defaults filled in."""

    def to_toml(self) -> str:
        """Every field, defaults filled in, as TOML that `from_toml` reads."""

    def fluid(self, seeds: list[int], group: str | None, share: float) -> list[NDArray[np.float64]]: ...
    def explain(self) -> dict[str, Any]:
        """The plan: resolved rates, delays, bandwidth-delay products, buffers, offered load."""

    @property
    def plan_hash(self) -> str:
        """SHA-256 of the resolved scenario, in hexadecimal."""

    @property
    def libraries(self) -> list[tuple[str, str]]:
        """The libraries whose code the experiment runs: the file, and the name of the controller in it."""

    @property
    def seed(self) -> int:
        """The seed of every random stream."""

    def with_seed(self, seed: int) -> Scenario:
        """The same scenario under another seed, without planning it again."""

    def with_value(self, path: str, value: object) -> Scenario:
        """The same scenario with another value at a path, planned anew."""

    def again(self) -> tuple[dict[str, Any], list[str], Path, bool]:
        """Arguments with which `from_dict` makes this scenario again."""
    def threads(self, threads: int | None, cores: int) -> tuple[int, float, str | None]:
        """On how many threads the scenario runs if so many are asked for, or may be taken of so many cores.

        With that, how many times faster than one it is, as far as can be told before; and why it is one.
        """

    def start(self, memory: int, threads: int | None = None, cores: int = 1) -> Run:
        """A run that may take so many bytes. `threads` and `cores` are as for :meth:`threads`."""

    @staticmethod
    def run_seeds(
        runs: Sequence[tuple[Scenario, int]],
        memory: int,
        progress: Callable[[float, float, int], object] | None = None,
        metrics: Metrics | None = None,
    ) -> tuple[list[tuple[list[float], tuple[list[Table], str | None]]], BaseException | None]:
        """The numbers of `metrics` and what :meth:`Run.advance` returns, for each run that has ended.

        A run is that of a scenario under a seed. There are no tables if `metrics` ask for none and memory was
        enough. Then what kept the next from it, if anything has. The first that is short of memory is the
        last. They are made one after the other, and the interpreter lock is not held in between.
        """

    @property
    def links(self) -> list[str]:
        """The names of the links, in order."""

    def trace(
        self,
        memory: int,
        places: list[tuple[str, str, Path | None]],
        at_sources: bool,
        flows: AbstractSet[int] | None,
        links: AbstractSet[int] | None,
        times: Sequence[str | None],
        limit: tuple[int, bool] | None,
        progress: Callable[[float, float, int], object] | None = None,
    ) -> tuple[list[Table], int, int, list[int]]:
        """Runs, and writes what happens to packets to places (form, name for errors, file), or to tables.

        Returns the tables, the events written, how many flows started, and those asked for that did not.
        Above the limit, in bytes or in events, nothing is written: ``TraceLimitError``.
        """

@final
class Run:
    """A run in progress."""

    def advance(
        self,
        until: str | float | None = None,
        progress: Callable[[float, float, int], object] | None = None,
    ) -> tuple[list[Table], str | None] | None:
        """Go on up to a time, without the interpreter lock; ``None`` for a run that is paused there.

        Of a run that ends with that the tables, in the order of their declaration; and the line to show if it
        was cut short, because it would take more memory than it may.
        """

    @property
    def now(self) -> float:
        """Simulated time in s."""

    def tables(self) -> list[Table]:
        """The tables of a run that would end where this one is paused."""

    def take(self) -> list[Table]:
        """The rows since the last call, which leave the run."""

    def peek(self) -> tuple[tuple[NDArray[Any], ...], tuple[NDArray[Any], ...]]:
        """How sampled links and flows stand.

        Of links the row, the queue, bytes sent, packets dropped and marked; of flows the number, the window
        in bytes, the round-trip time in s, bytes delivered, packets sent again.
        """

    def states(self) -> tuple[NDArray[Any], NDArray[Any], list[str]]:
        """Of the flows in progress the numbers, the groups, and the states of congestion control."""

@final
class Fleet:
    """Runs that go on together; words of laws are written before a step and read after it."""

    def __init__(
        self,
        runs: int,
        group: str,
        flows: int,
        writes: list[int],
        reads: list[int],
        memory: int,
        threads: int,
    ) -> None:
        """So many runs; so many flows of the group are steered in each.

        `writes` and `reads` are places of words; `memory` is in bytes, for each run.
        """

    def begin(self, at: int, scenario: Scenario, seed: int) -> None:
        """Begin a run at a place, instead of the one that was there."""

    def step(
        self,
        until: NDArray[np.float64],
        write: NDArray[np.int64],
        read: NDArray[np.int64],
        ended: NDArray[np.bool_],
    ) -> None:
        """Write words, go on up to a time (s) in each run without the interpreter lock, and read words.

        `write` and `read` hold rows of words by run and flow; the least number of all leaves a word as it is,
        and flows that are not in progress have zeros. `ended` says which runs have ended.
        """

@final
class Metrics:
    """What a study asks of each run."""

    def __init__(self, sources: list[Mapping[str, Any] | None], tables: bool) -> None:
        """From the source of each metric; ``None``: Python evaluates it.

        `tables`: whether Python evaluates anything, and so needs the tables.
        """

    def of(self, tables: list[Table]) -> list[float]:
        """A number for each metric from all tables of a run; not-a-number for what Python evaluates."""

class PowerModel:
    """A power model: the watts of a port in each of its states."""

    def __init__(self, values: Any) -> None:
        """From a dictionary; absent keys have their defaults."""

    @property
    def full_power(self) -> float:
        """Watts at the link's rate."""

    def powers(
        self, states: list[str], rates: NDArray[np.float64], previous: NDArray[np.float64], top: float
    ) -> NDArray[np.float64]:
        """The power in W of each row of the table of states, on a link of rate `top`; rates in bit/s."""

@final
class Rows:
    """Some rows of a result table."""

    def __len__(self) -> int: ...
    def first(self, name: str) -> Any:
        """The value of the first of them in a column."""

    def sum(self, name: str) -> int:
        """The sum of a column of counts."""

    def present(self, name: str) -> int:
        """How many have a finite value in a column of real numbers."""

    def statistics(self, name: str, only: str | None = None) -> dict[str, float | int | None]:
        """What a column of real numbers amounts to, in the rows that have a column of truth values set."""

def statistics(values: NDArray[np.float64]) -> dict[str, float | int | None]:
    """Count, mean, quantiles ``p50``, ``p90``, ``p99`` and ``max``; ``None`` without values."""

class Table:
    """A result table, as Arrow."""

    @property
    def name(self) -> str:
        """The name: ``flows``, ``links``."""

    @property
    def doc(self) -> str:
        """What a row is."""

    @property
    def columns(self) -> list[tuple[str, str, str]]:
        """Name, unit and meaning of each column."""

    @property
    def metadata(self) -> list[tuple[str, str]]:
        """Where the table comes from: version, plan hash, seed, scenario."""

    def __len__(self) -> int: ...
    def values(self, name: str) -> NDArray[Any]:
        """The values of a column; null becomes not-a-number. For labels, their codes."""

    def labels(self, name: str) -> list[str] | None:
        """The labels by code, or ``None`` if the column does not hold labels."""

    def row(self, index: int) -> list[Any]:
        """The values of a row, in the order of the columns; null becomes ``None``."""

    def groups(self, name: str) -> list[tuple[str, Rows]]:
        """The rows of each label of a column, in the order of their first row."""

    def with_values(self, name: str, values: NDArray[np.float64]) -> Table:
        """The table with the values of a column of numbers replaced; not-a-number becomes null."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def write_parquet(self, path: str | PathLike[str]) -> None:
        """Write a Parquet file: whole or not at all."""

    def to_bytes(self) -> bytes:
        """The bytes of its Parquet file, which hold all of it."""

    @staticmethod
    def from_bytes(data: bytes) -> Table:
        """The table of which `to_bytes` gave the bytes."""

@final
class Desk:
    """A shell as it goes on, for other threads."""

    def __init__(self) -> None: ...
    def take(self) -> list[tuple[float, tuple[int, ...], tuple[int, ...]]]:
        """Looks since the last call: the time in s, and of uplink and downlink what they do.

        That is packets in the queue, bytes sent, packets dropped and marked, the rate in bit/s.
        """

    def made(self) -> list[tuple[float, str, int | None, str | None]]:
        """What was changed so far: the time in s, the link, its rate in bit/s, its queue."""

    def change(self, scenario: Scenario, at: str | None) -> bool:
        """Ask for the rate and the queue that another scenario gives the link; whether they differ."""

def shell(
    scenario: Scenario,
    command: list[str],
    server: list[str],
    environment: list[str],
    at: str | None,
    network_administration: bool,
    keep_priority: bool,
    controller: str | None,
    logs: tuple[str | PathLike[str] | None, str | PathLike[str] | None],
    traces: Sequence[tuple[str, str, Path]],
    capture: str,
    most: int,
    desk: Desk | None = None,
) -> tuple[int, list[Table], dict[str, Any], tuple[int | None, str | None]]:
    """Run a command behind the link of a scenario: exit status, tables, how true the emulation was.

    With `traces`, each a form, the name for errors, and a file that is there: also the events that were
    written, at most `most`, or why there is no trace. With a desk, the emulator has a thread of its own.
    """

def emulated(scenario: Scenario, at: str | None) -> dict[str, Any]:
    """The link that `shell` emulates: ``link``, ``back``, ``ahead`` (s), ``addresses``, ``unmet``.

    Addresses are lists of pairs of names; ``unmet`` is what other links have that real packets do not meet.
    """

def applications(scenario: Scenario) -> list[list[list[list[float]] | None]]:
    """Of each flow, what its applications write and read: times (s) and bytes; None for all at once."""

def send(
    scenario: Scenario,
    address: str,
    port: int,
    events: str | PathLike[str] | None,
    stopped: Callable[[], bool],
    unanswered: Callable[[float], None],
) -> tuple[list[Table], float, dict[str, int], dict[str, float], dict[str, float | None]]:
    """Send the flows of a scenario over UDP: tables, time 0, what was not taken, lateness, processor time."""

def receive(
    scenario: Scenario,
    port: int,
    flows: int | None,
    same_clock: bool,
    events: str | PathLike[str] | None,
    stopped: Callable[[], bool],
) -> tuple[list[Table], float, dict[str, int], dict[str, float], dict[str, float | None]]:
    """Receive flows over UDP: tables, time 0, what was not taken, nothing of timers, processor time."""

def replay(text: str, scenario: Scenario | None) -> dict[str, Any]:
    """Feed the log of a live end point to the state machines of the simulator."""

def probe() -> str | None:
    """Make a namespace with a device and take it down; what the machine refuses, or ``None``."""

def is_virtual() -> bool:
    """Whether this is a kernel in virtual time (docs/virtual.md)."""

def read_parquet(path: str | PathLike[str], name: str) -> Table:
    """Read the result table `name` back from a Parquet file."""

def parse_size(text: str, place: str) -> int:
    """A number of bytes as users write it: ``4GB``."""

def parse_time(text: str, place: str) -> float:
    """A time with its unit, such as `20ms`, in seconds."""

def units() -> list[list[tuple[str, float]]]:
    """The units that users may write, of rates, times and sizes: how many of the first each is."""

def check_name(value: object, place: str) -> None:
    """Refuse what a study file does not take as a name, with `ScenarioError`."""

def check_quantity(key: str, value: object, place: str) -> None:
    """Refuse, with `place`, what is no ``rate`` or ``delay`` of scenarios; other keys may hold anything."""

def parse_toml(text: str) -> dict[str, Any]:
    """What a TOML text says; ``ScenarioError`` with line and column."""

def read_file(path: str | PathLike[str], most: int = ...) -> bytes:
    """The bytes of a file that a user names.

    ``OSError`` for anything but a file that ends, and has at most `most` bytes.
    """

def schema() -> dict[str, Any]:
    """The JSON Schema of scenarios."""

def algorithms() -> list[tuple[str, list[tuple[str, str, str]]]]:
    """The algorithms of each family: name, title and reference of each."""

def aliases() -> list[tuple[str, str, list[str], tuple[str, str]]]:
    """Names that others use: name, what it is, the settings that give it, family and name of its place."""

def members(family: str, name: str) -> list[dict[str, Any]]:
    """The algorithms of a family that have this name, each with its parameters, as in :func:`registry`."""

def modules() -> list[dict[str, Any]]:
    """The modules of builders, as in :func:`registry`."""

def tables() -> list[str]:
    """The names of the tables of a scenario that are no algorithms."""

def table(name: str) -> list[dict[str, Any]]:
    """The table of this name with its keys, as in :func:`registry`, in a list; none if there is none."""

def registry() -> dict[str, Any]:
    """Every registered algorithm (``families``) and table of a scenario (``tables``), with its fields.

    Also ``modules``, the modules of builders; ``study``, the tables of a study file; and what
    :func:`declarations` gives.
    """

def controller_header() -> str:
    """The contract of controllers for C: ``controller.h``."""

def law_codes() -> tuple[list[str], list[str], list[str], list[str]]:
    """Instructions of the machine of laws, signals, fields of a segment and of a control: names, in order."""

def law_events() -> list[str]:
    """The events of the contract of controllers, in order."""

def law_layout() -> str:
    """Where the structs of the contract have their fields, a line each: name, offset, size."""

def law_broken(image: bytes, stories: int) -> tuple[int, str, str, list[int]] | None:
    """Return the first law of its class that an image breaks in so many drawn connections.

    That is the number of the connection, the law, the event, and window and threshold (bytes): both windows,
    before and after, then both thresholds.
    """

def law_needs() -> list[str]:
    """What a controller may need of its transport, in the order of the bits."""

def absurd_windows() -> int:
    """Return the count of impossible windows that laws have set since the previous call.

    Impossible are zero, which a negative one becomes, and more than 2^40 bytes.
    """

def interpret_laws() -> None:
    """Let Python's interpreter run the laws of all plans that are made from now on."""

def interpreted_laws() -> int:
    """Return how many laws it runs; raise what one of them has raised."""

class LawMachine:
    """A connection under a law, driven event by event.

    It runs as machine code if `code` gives that, and where its answers begin.

    Raises
    ------
    ValueError
        If the image is not fit to run.
    """

    def __new__(
        cls,
        image: bytes,
        random: Sequence[int],
        control: Sequence[int],
        code: tuple[bytes, Sequence[int | None]] | None = None,
    ) -> Self: ...
    def tell(self, events: Sequence[Sequence[int]]) -> list[list[int]]:
        """Answer events, each the numbers of its signals; return the control after each."""

    def words(self) -> list[int]:
        """Its words, in the order of the image."""

def trust_libraries() -> None:
    """Let the code of libraries in folders of others run, until the process ends."""

def study_schema() -> dict[str, Any]:
    """The JSON Schema of study files."""

def read_study(values: Any) -> tuple[dict[str, Any] | None, list[str]]:
    """What a study file says, every default filled in, or ``None``; and everything that is wrong with it.

    Sources of metrics stay as they are written. The scenario is not parsed.
    """

def read_report(values: Any) -> tuple[dict[str, Any] | None, list[str]]:
    """What a file says that a study file includes, as :func:`read_study` says what a study file does."""

def suggest(name: str, known: list[str]) -> str:
    """A remedy for an unknown name: the nearest known one if there is one near, else the first of them."""

def declarations() -> dict[str, Any]:
    """What runs leave behind: tables with their columns (``results``), ``series``, their ``labels``."""

def optimal_rates(
    times: NDArray[np.float64], sizes: NDArray[np.uint64], delay: float
) -> tuple[NDArray[np.float64], NDArray[np.uint64], NDArray[np.float64], NDArray[np.float64]]:
    """The taut string: times of its knots, bytes sent by then; durations and rates of the pieces between."""

def smallest_delay(times: NDArray[np.float64], sizes: NDArray[np.uint64], rate: float) -> float:
    """The longest delay at a constant rate, first in, first out."""

def longest_sleeping(
    times: NDArray[np.float64],
    sizes: NDArray[np.uint64],
    rate: float,
    delay: float,
    wake: float,
    horizon: float,
) -> float:
    """The most time asleep of all release schedules."""

def envelope(
    rates: NDArray[np.float64], powers: NDArray[np.float64], at: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The lower convex envelope of levels (rate, power), at rates."""

def processor_sharing(
    starts: NDArray[np.float64], work: NDArray[np.float64], capacity: float, cap: float | None = None
) -> NDArray[np.float64]:
    """Times in the system under processor sharing."""

def max_min_sharing(
    starts: NDArray[np.float64],
    work: NDArray[np.float64],
    classes: list[int],
    paths: list[list[int]],
    capacities: list[float],
) -> NDArray[np.float64]:
    """Times of flows under max-min sharing."""

def sharing_line(sizes: NDArray[np.float64], capacity: float, load: float, rtt: float) -> NDArray[np.float64]:
    """The mean completion time under processor sharing, by size."""

def slow_start_line(sizes: NDArray[np.float64], capacity: float, rtt: float) -> NDArray[np.float64]:
    """The completion time in slow start, by size in packets."""

def keep_panics() -> None:
    """From now on a panic prints nothing; :func:`last_panic` tells it."""

def last_panic() -> str | None:
    """Where the last panic happened and what it said, if there was one since :func:`keep_panics`."""

def panic_for_test() -> None:
    """Panic: a test has no other way to see what becomes of a panic."""
