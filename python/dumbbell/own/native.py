"""Machine code: a law through LLVM, for the engine of this process. Needs the extra ``native``.

The engine receives plain code that reads and writes nothing but the state, the event and the control that it
is called with: it has no data, no relocation and no call. What was compiled is kept in the user's cache.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from importlib.util import find_spec
from pathlib import Path

from dumbbell import _native
from dumbbell.own import kept, vocabulary
from dumbbell.own.code import Compiled
from dumbbell.own.elf import NotPlainError, plain_code
from dumbbell.own.errors import LawError
from dumbbell.own.kept import Code
from dumbbell.own.llvm import FUNCTIONS, Writer

_MAKERS = ("llvm.py", "native.py", "emit.py", "elf.py", "functions.ll.txt")
"""Files that decide what comes out: with any change of them, everything is compiled again."""

_TARGETS = {"x86_64": "x86_64-unknown-linux-gnu", "aarch64": "aarch64-unknown-linux-gnu"}

ATTRIBUTES = (
    'attributes #0 = { nounwind alwaysinline "no-jump-tables"="true" "no-builtins" noimplicitfloat }\n'
    'attributes #2 = { nounwind noinline "no-jump-tables"="true" "no-builtins" noimplicitfloat }\n'
    'attributes #3 = { nounwind noinline "no-jump-tables"="true" "no-builtins" noimplicitfloat }\n'
    'attributes #1 = { nounwind "no-jump-tables"="true" "no-builtins" noimplicitfloat }\n'
    "define internal i64 @law_part(i64 %a) #0 {\n  ret i64 %a\n}\n"
)
"""No table of jumps, no call of a library, no register of real numbers: the code is all there is."""


class _Choice:
    """What the user wants laws to run as; ``None``: as machine code where it can be had."""

    form: str | None = None


def choose(form: str) -> None:
    """Let the laws of this process run as ``"native"`` machine code, or as ``"bytecode"``.

    Raises
    ------
    LawError
        If machine code cannot be had.
    """
    why = lacks() if form == "native" else None
    if why is not None:
        raise LawError("--law native", why, "leave it out: byte code gives the same results")
    _Choice.form = form


def lacks() -> str | None:
    """Return why laws run as byte code on this machine; ``None`` if they run as machine code."""
    if not sys.platform.startswith("linux") or platform.machine() not in _TARGETS:
        return f"machine code is made for Linux on {' and '.join(_TARGETS)}, not for this system"
    if find_spec("llvmlite") is None:
        return "llvmlite, of the extra 'native', is not installed"
    return None


def machine_code(compiled: Compiled) -> Code | None:
    """Return a law as machine code, from the cache if it is there; ``None`` where :func:`lacks` says why.

    Parameters
    ----------
    compiled
        The law as byte code. Parameters are read when it runs, so that one code serves all values.
    """
    if _Choice.form == "bytecode" or lacks() is not None:
        return None
    fixed = (compiled.code, compiled.entries, compiled.arrays, compiled.random, compiled.constants)
    about = repr((_makers(), platform.machine(), _native.law_layout(), compiled.visible, fixed))
    key = hashlib.sha256(about.encode()).hexdigest()
    count = len(vocabulary.EVENTS)
    found = kept.read(key, count)
    if found is None:
        found = _compile(compiled)
        if found is None and _Choice.form == "native":
            raise LawError("--law native", "LLVM makes more than code of it", "leave it out")
        if found is None:
            return None
        kept.write(key, *found)
    return found


def _makers() -> str:
    """Return a digest of what makes the code, LLVM's package too."""
    spec = find_spec("llvmlite")
    assert spec is not None
    assert spec.origin is not None
    digest = hashlib.sha256((Path(spec.origin).parent / "_version.py").read_bytes())
    for name in _MAKERS:
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()


def _compile(compiled: Compiled) -> Code | None:
    from dumbbell.own.emit import emit

    text = module(compiled)
    object_file = emit(text, _TARGETS[platform.machine()])
    try:
        code, symbols = plain_code(object_file)
    except NotPlainError:
        # LLVM has made something of it that needs a linker: the byte code does the same.
        return None
    return code, tuple(symbols.get(f"on_{event}") for event in vocabulary.EVENTS)


def module(compiled: Compiled) -> str:
    """Return a law in LLVM's language: one function for each event, ``on_EVENT``."""
    door = _Memory()
    parts = [ATTRIBUTES, FUNCTIONS]
    of_sent = [event for event in compiled.entries if event == "sent"]
    others = [event for event in compiled.entries if event != "sent"]
    parts += [Writer(compiled, door).answers(events) for events in (others, of_sent) if events]
    parts += [
        f"define void @on_{event}(ptr noalias %state, ptr noalias readonly %event, ptr noalias %control) "
        f"#1 {{\n  call void @answer_{event}({door.arguments})\n  ret void\n}}\n"
        for event in compiled.entries
    ]
    return "\n".join(parts)


class _Memory:
    """State, event and control as the contract has them in memory (``controller.h``)."""

    arguments = "ptr %state, ptr %event, ptr %control"

    def __init__(self) -> None:
        self._places = {}
        for line in _native.law_layout().splitlines():
            name, *numbers = line.split()
            if len(numbers) == 2:
                self._places[name] = (int(numbers[0]), int(numbers[1]))

    def _state(self, writer: Writer, word: int | str) -> str:
        return writer.value(f"getelementptr i64, ptr %state, i64 {word}")

    def load(self, writer: Writer, word: int) -> str:
        return writer.value(f"load i64, ptr {self._state(writer, word)}")

    def store(self, writer: Writer, word: int, value: str) -> None:
        writer.line(f"store i64 {value}, ptr {self._state(writer, word)}")

    def _element(self, writer: Writer, base: int, length: int, index: str) -> tuple[str, str]:
        """Return whether an index is inside, and the place of the element, or of the first."""
        inside = writer.value(f"icmp ult i64 {index}, {length}")
        at = writer.value(f"select i1 {inside}, i64 {index}, i64 0")
        return inside, self._state(writer, writer.value(f"add i64 {at}, {base}"))

    def get(self, writer: Writer, base: int, length: int, index: str) -> str:
        inside, place = self._element(writer, base, length, index)
        value = writer.value(f"load i64, ptr {place}")
        return writer.value(f"select i1 {inside}, i64 {value}, i64 0")

    def put(self, writer: Writer, base: int, length: int, index: str, value: str) -> None:
        inside, place = self._element(writer, base, length, index)
        old = writer.value(f"load i64, ptr {place}")
        new = writer.value(f"select i1 {inside}, i64 {value}, i64 {old}")
        writer.line(f"store i64 {new}, ptr {place}")

    def _read(self, writer: Writer, pointer: str, place: tuple[int, int], signed: bool) -> str:
        offset, size = place
        at = writer.value(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        value = writer.value(f"load i{8 * size}, ptr {at}")
        if size < 8:
            return writer.value(f"zext i{8 * size} {value} to i64")
        if signed:
            return value
        return writer.value(f"call i64 @llvm.umin.i64(i64 {value}, i64 9223372036854775807)")

    def signal(self, writer: Writer, name: str, sent: bool) -> str:
        head, _, part = name.partition(".")
        offset, size = self._places[f"{'sent' if sent else 'signals'}.{head}"]
        if part:
            inner, size = self._places[f"rate_sample.{part}"]
            offset += inner
        return self._read(writer, "%event", (offset, size), signed=name == "feedback")

    def read(self, writer: Writer, name: str) -> str:
        return self._read(writer, "%control", self._places[f"control.{name}"], signed=name == "request")

    def write(self, writer: Writer, name: str, value: str) -> None:
        at = writer.value(f"getelementptr i8, ptr %control, i64 {self._places[f'control.{name}'][0]}")
        writer.line(f"store i64 {value}, ptr {at}")
