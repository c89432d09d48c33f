"""LLVM itself: text in its language in, an object file out. The only module that imports llvmlite."""

from __future__ import annotations

import sys

import llvmlite.binding as llvm

_LEVEL = 2
"""Of optimisation, as compilers count."""


def emit(text: str, triple: str, cpu: str = "", features: str = "") -> bytes:
    """Return an object file.

    Parameters
    ----------
    text
        A module in LLVM's language.
    triple
        The machine.
    cpu, features
        Which of its kind, as LLVM calls them; the oldest if empty.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, opt=_LEVEL, reloc="pic", codemodel="small"
    )
    # Before the text: it says how memory is aligned.
    head = f'target datalayout = "{machine.target_data}"\ntarget triple = "{triple}"\n'
    parsed = llvm.parse_assembly(head + text)
    parsed.verify()
    # Vectors would bring constants of their own.
    tuning = llvm.PipelineTuningOptions(speed_level=_LEVEL)
    tuning.loop_vectorization = tuning.slp_vectorization = False
    passes = llvm.create_pass_builder(machine, tuning)
    passes.getModulePassManager().run(parsed, passes)
    made: bytes = machine.emit_object(parsed)
    return made


if __name__ == "__main__":
    sys.stdout.buffer.write(emit(sys.stdin.read(), *sys.argv[1:]))
