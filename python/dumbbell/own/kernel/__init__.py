"""Laws in the running kernel, registered while a program runs. Needs root and the extra ``native``."""

from __future__ import annotations

import errno
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec

from dumbbell._extras import how_to_install
from dumbbell.own.code import Compiled
from dumbbell.own.elf import functions, sections
from dumbbell.own.errors import LawError
from dumbbell.own.file import read_law
from dumbbell.own.kernel import load
from dumbbell.own.kernel.btf import VMLINUX, BtfError, Types
from dumbbell.own.kernel.program import WORDS, programs, words_of
from dumbbell.own.report import Report
from dumbbell.own.tree import Law

_PREFIX = "own_"
_MOST_NAME = 15
"""Characters of a name in the kernel (``TCP_CA_NAME_MAX``)."""

_MACHINE = ("bpfel", "v3", "+alu32")
_PATIENCE = 60
"""Seconds that LLVM may take."""


def lacks() -> tuple[str, str] | None:
    """Return what this machine lacks for laws in its kernel, and the remedy; ``None`` if it lacks nothing.

    A map is made and closed, as for a law.
    """
    missing = _lacks_before_types()
    if missing is not None:
        return missing
    try:
        os.close(load.map_of(Types(VMLINUX.read_bytes())))
    except BtfError as error:
        return _no_controllers(str(error))
    except load.KernelError as error:
        return _refused(error)
    return None


def _lacks_before_types() -> tuple[str, str] | None:
    if not sys.platform.startswith("linux") or platform.machine() not in load.NUMBERS:
        machines = " or ".join(load.NUMBERS)
        return "laws go into the kernel of Linux alone", f"run it under Linux, on {machines}"
    if find_spec("llvmlite") is None:
        return "llvmlite, of the extra 'native', is not installed", how_to_install("native")
    if not os.access(VMLINUX, os.R_OK):
        return (
            f"the kernel does not describe its types ({VMLINUX} cannot be read)",
            "use a kernel that was built with CONFIG_DEBUG_INFO_BTF",
        )
    return None


def _no_controllers(why: str) -> tuple[str, str]:
    return (
        f"the kernel's TCP takes no controllers from programs ({why})",
        "use Linux 6.4 or later, built with CONFIG_BPF_JIT and CONFIG_BPF_SYSCALL",
    )


def _refused(error: load.KernelError, called: str = "") -> tuple[str, str]:
    if error.number in (errno.EPERM, errno.EACCES) and not error.said:
        return (
            f"the kernel takes no programs from this user ({error})",
            "run it as root, or with the capabilities CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN",
        )
    if error.number == errno.EEXIST:
        return (
            f"the kernel has a controller {called} already",
            "wait until the other run has ended, or give the class another name",
        )
    if error.said:
        return f"the kernel's verifier refuses {error}", "report it with the source"
    return _no_controllers(str(error))


@contextmanager
def registered(name: str) -> Iterator[str]:
    """Register a law as a congestion controller of the running kernel; remove it at the end.

    The kernel removes it, too, when this process ends, whatever ends it.

    Parameters
    ----------
    name
        File and class: ``my.py:Mine``.

    Yields
    ------
    str
        What the kernel calls it: ``own_mine``.

    Raises
    ------
    LawError
        If the source is no law, the kernel cannot have it, or the machine lacks what is needed.
    """
    _, law, compiled = read_law(name)
    reasons = Report(law, compiled).kernel
    if reasons:
        raise LawError(name, f"the kernel cannot have it: {'; '.join(reasons)}", "see `dumbbell check`")
    called = _PREFIX + law.name.replace("-", "_")
    if len(called) > _MOST_NAME:
        most = _MOST_NAME - len(_PREFIX)
        remedy = f'name it: class {law.label}(Controller, name="mine")'
        raise LawError(name, f"its name {law.name} is longer than {most} characters", remedy)
    missing = _lacks_before_types()
    if missing is not None:
        raise LawError(name, *missing)
    with ExitStack() as held:
        try:
            _register(law, compiled, called, held)
        except BtfError as error:
            raise LawError(name, *_no_controllers(str(error))) from None
        except load.KernelError as error:
            raise LawError(name, *_refused(error, called)) from None
        yield called


def _register(law: Law, compiled: Compiled, called: str, held: ExitStack) -> None:
    """Register a law; whoever closes `held` removes it."""

    def hold(descriptor: int) -> int:
        held.callback(os.close, descriptor)
        return descriptor

    types = Types(VMLINUX.read_bytes())
    # Whether the kernel takes anything shows here, before the long part.
    controller = hold(load.map_of(types))
    words = words_of(law, compiled)
    storage = hold(load.storage_of(types, words)) if words > WORDS else None
    made = programs(law, compiled, types, storage)
    codes = _compile(law.label, made.text, made.names)
    loaded = {member: hold(load.program(types, member, code)) for member, code in codes.items()}
    load.fill(types, controller, called.encode(), loaded)
    hold(load.link(types, controller))


def _compile(name: str, text: str, members: Sequence[str]) -> dict[str, bytes]:
    """Return the code of each member. LLVM has a process of its own: it ends where it cannot go on."""
    command = [sys.executable, "-m", "dumbbell.own.emit", *_MACHINE]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False, timeout=_PATIENCE)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["it says nothing"]
        raise LawError(name, f"LLVM makes no program of it ({said[0]})", "shorten helpers and arrays")
    found = list(sections(done.stdout))
    places = functions(found)
    return {
        member: found[number].content[at : at + size]
        for member, (number, at, size) in ((member, places[member]) for member in members)
    }
