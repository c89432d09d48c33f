"""Drives laws of every back end with the same generated sequences of events."""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

from dumbbell import _native
from dumbbell.own import vocabulary
from dumbbell.own.compiler import compiled
from dumbbell.own.interpreted import Interpreter
from dumbbell.own.native import machine_code
from dumbbell.own.text import to_c, to_rust
from dumbbell.own.tree import Law

MOST = 2**64 - 1
CONTRACT = Path(__file__).parents[2] / "crates" / "cc"
_, SIGNALS, SENT, _ = _native.law_codes()
EDGES = (0, 1, 2, 1000, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**63, MOST)
SMALL = dict.fromkeys(("mss", "rate.packets_in_flight", "bytes"), 2**32 - 1)
TRUTHS = {name.code for name in (*vocabulary.ACK.values(), *vocabulary.SENT.values()) if name.kind == "bool"}

Story = list[list[int]]
"""Events: numbers of signals, or of a segment that leaves."""


def story(seed: int) -> tuple[list[int], list[int], Story]:
    """Return a random stream, a control and events: plausible ones, and the edges of 64 bits."""
    rng = random.Random(seed)
    wild = rng.random()

    def number(name: str) -> int:
        if name in TRUTHS:
            return rng.randrange(2)
        at_an_edge = rng.random() < wild * 0.5
        value = rng.choice(EDGES) if at_an_edge else rng.randrange(1 << rng.randrange(1, 41))
        # A rate is no larger than a signed number.
        return min(value, SMALL.get(name, 2**63 - 1 if name == "rate.rate" else MOST))

    events: Story = []
    for _ in range(rng.randrange(1, 12)):
        if rng.random() < 0.1:
            events.append([number(name) for name in SENT])
        else:
            event = rng.choices(range(11), (1, 20, 3, 2, 1, 1, 1, 1, 2, 1, 1))[0]
            events.append([event if name == "event" else number(name) for name in SIGNALS])
    stream = [rng.randrange(2**64) for _ in range(4)]
    # No number of a control is above the largest signed one.
    control = [min(number("window"), 2**63 - 1) for _ in range(6)]
    return stream, control, events


Answers = tuple[list[list[int]], list[int]]
"""The control after each event, and the state at the end."""


class Backends:
    """One law in all back ends.

    Parameters
    ----------
    text, label
        The source and the class.
    folder
        Where the form in C is compiled; ``None`` where there is no compiler.
    """

    def __init__(self, text: str, label: str, folder: Path | None) -> None:
        self.law, self.compiled = compiled(text, "law.py", label, {})
        self._interpreter = Interpreter(text, "law.py", label, {})
        self.code = machine_code(self.compiled)
        """``None`` where there is no compiler of machine code."""
        self._c = None if folder is None else _by_cc(folder, to_c(self.law, "law.py"), self.compiled.visible)

    def machine(self, told: tuple[list[int], list[int], Story], *, native: bool = False) -> Answers:
        """Tell a story to the byte code, or to the machine code."""
        stream, control, events = told
        random_stream = stream if self.law.draws else [0] * 4
        code = self.code if native else None
        machine = _native.LawMachine(self.compiled.image, random_stream, control, code)
        answers = machine.tell([event for event in events if len(event) != 4 or "sent" in self.law.answers])
        return answers, machine.words()[: self.compiled.visible]

    def python(self, told: tuple[list[int], list[int], Story]) -> Answers:
        """Tell it to Python's interpreter."""
        stream, control, events = told
        law = self._interpreter.connect(stream, control)
        answers = []
        for event in events:
            if len(event) == 4:
                if "sent" not in self.law.answers:
                    continue
                law.on("sent", dict(zip(SENT, event, strict=True)))
            else:
                numbers = dict(zip(SIGNALS, event, strict=True))
                law.on(vocabulary.EVENTS[numbers["event"]], numbers)
            answers.append(law.control.values())
        return answers, law.words()

    def c(self, told: tuple[list[int], list[int], Story]) -> Answers:
        """Tell it to the form in C."""
        assert self._c is not None
        return self._c.tell(told, "sent" in self.law.answers)


_WORDS = (
    "now", "initial_window", "growth_limit", "acked", "flight", "delivered", "held", "departs_at", "rtt",
    "smoothed_rtt", "min_rtt", "feedback", "lost", "marked", "round", "rate.rate", "rate.interval",
    "rate.delivered", "rate.prior_delivered", "rate.lost", "rate.in_flight",
)  # fmt: skip


class _Signals(ctypes.Structure):
    _fields_ = (
        *((name.replace(".", "_"), ctypes.c_uint64) for name in _WORDS),
        ("rate_packets_in_flight", ctypes.c_uint32), ("rate_app_limited", ctypes.c_bool),
        ("reserved", ctypes.c_uint8 * 3), ("mss", ctypes.c_uint32), ("event", ctypes.c_uint8),
        ("in_recovery", ctypes.c_bool), ("window_limited", ctypes.c_bool), ("repeated", ctypes.c_bool),
    )  # fmt: skip


class _Sent(ctypes.Structure):
    _fields_ = (
        ("now", ctypes.c_uint64), ("flight", ctypes.c_uint64), ("bytes", ctypes.c_uint32),
        ("again", ctypes.c_bool), ("reserved", ctypes.c_uint8 * 3),
    )  # fmt: skip


class _Law(ctypes.Structure):
    _fields_ = (
        ("abi", ctypes.c_uint32), ("state_bytes", ctypes.c_uint32), ("needs", ctypes.c_uint32),
        ("kinds", ctypes.c_uint8 * 4), ("name", ctypes.c_char_p),
        ("start", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)),
        ("on", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)),
        ("on_sent", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)),
    )  # fmt: skip


class Library:
    """A law that a compiler has made a library of."""

    def __init__(self, library: Path, words: int) -> None:
        self._loaded = ctypes.CDLL(str(library))
        self._law = _Law.in_dll(self._loaded, "dumbbell_law")
        self._words = words
        """Words that are compared; the state may have more."""

    def tell(self, told: tuple[list[int], list[int], Story], sends: bool) -> Answers:
        stream, start, events = told
        state = (ctypes.c_int64 * (self._law.state_bytes // 8 + 1))()
        random_stream = (ctypes.c_uint64 * 4)(*stream)
        control = (ctypes.c_uint64 * 6)(*start)
        self._law.start(ctypes.addressof(state), ctypes.addressof(random_stream))
        answers = []
        for event in events:
            if len(event) == 4:
                if not sends:
                    continue
                sent = _Sent(**dict(zip(SENT, event, strict=True)))
                self._law.on_sent(ctypes.addressof(state), ctypes.addressof(sent), ctypes.addressof(control))
            else:
                signals = _Signals(**{n.replace(".", "_"): v for n, v in zip(SIGNALS, event, strict=True)})
                self._law.on(ctypes.addressof(state), ctypes.addressof(signals), ctypes.addressof(control))
            answers.append(list(control))
        return answers, list(state[: self._words])


def _by_cc(folder: Path, source: str, words: int) -> Library:
    """Compile the form in C with the system's compiler."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "controller.h").write_text(_native.controller_header(), encoding="utf-8")
    (folder / "law.c").write_text(source, encoding="utf-8")
    library = folder / "law.so"
    flags = ["-O2", "-Wall", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", library, folder / "law.c"], check=True)
    return Library(library, words)


def by_cargo(folder: Path, law: Law) -> Library:
    """Compile the form in Rust against the crate of the contract; its state has another order."""
    (folder / "src").mkdir(parents=True)
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "law"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n[lib]\n'
        f'crate-type = ["cdylib"]\n[dependencies]\ndumbbell-cc = {{ path = "{CONTRACT}" }}\n'
    )
    (folder / "src" / "mine.rs").write_text(to_rust(law, "law.py"), encoding="utf-8")
    (folder / "src" / "lib.rs").write_text(
        "pub mod mine;\n#[unsafe(no_mangle)]\npub static dumbbell_law: dumbbell_cc::Law =\n"
        f'    dumbbell_cc::Law::of::<mine::{law.label}>(c"mine");\n'
    )
    command = ["cargo", "build", "--offline", "-q", "--target-dir", folder / "target"]
    subprocess.run(command, cwd=folder, check=True)
    return Library(folder / "target" / "debug" / "liblaw.so", 0)


def agree(backends: Backends, seeds: Sequence[int], with_c: bool) -> None:
    """Check that all back ends answer alike."""
    for seed in seeds:
        told = story(seed)
        expected = backends.machine(told)
        found = backends.python(told)
        assert found == expected, f"Python, seed {seed}"
        if backends.code is not None:
            assert backends.machine(told, native=True) == expected, f"machine code, seed {seed}"
        if with_c:
            assert backends.c(told) == expected, f"C, seed {seed}"
