"""Laws in the running kernel: registered, used and removed; every refusal in one line."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dumbbell.errors import DumbbellError
from dumbbell.own import kernel, laws
from dumbbell.own.compiler import compiled
from dumbbell.own.kernel import btf, load
from dumbbell.own.kernel.program import words_of
from tests.own.laws import EVERYTHING, NEWRENO

LAWS = Path(laws.__file__).parent
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")

MISSING = kernel.lacks()
needs_kernel = pytest.mark.skipif(MISSING is not None, reason=f"no laws in this kernel: {MISSING}")

RATES = """
from dumbbell.own import Controller, array, state, windowed_max


class Model(Controller, kind="model"):
    samples: Array = array(7)
    best: int = state(0, unit="rate")
    undone: int = 0

    def on_start(self, ack, control):
        control.window = ack.initial_window

    def on_ack(self, ack, control):
        self.best = windowed_max(self.samples, 10, ack.round, ack.rate)
        if self.best > 0 and ack.min_rtt > 0:
            pipe = mul_div(self.best, ack.min_rtt, 1_000_000_000 << 20)
            control.window = max(4 * ack.mss, 2 * pipe)
            control.pacing = self.best * 5 // 4
        else:
            control.window += ack.acked
        if ack.app_limited or ack.smoothed_rtt > 2 * ack.min_rtt:
            control.pacing = self.best

    def on_timeout(self, ack, control):
        control.window = 4 * ack.mss

    def on_undone(self, ack, control):
        self.undone += 1

    def on_restart(self, ack, control):
        control.quantum = 2 * ack.mss

    def on_idle(self, ack, control):
        control.window = min(control.window, ack.initial_window)
""".replace("import Controller, array", "import Array, Controller, array, mul_div")


def available() -> list[str]:
    return AVAILABLE.read_text(encoding="ascii").split()


def law(folder: Path, text: str = NEWRENO, label: str = "NewReno") -> str:
    (folder / "law.py").write_text(text, encoding="utf-8")
    return f"{folder / 'law.py'}:{label}"


def refusal(name: str) -> str:
    with pytest.raises(DumbbellError) as raised, kernel.registered(name):
        pass
    said = str(raised.value)
    assert "\n" not in said
    return said


@needs_kernel
def test_a_law_is_there_until_its_end(tmp_path: Path) -> None:
    before, descriptors = available(), len(list(Path("/proc/self/fd").iterdir()))
    with kernel.registered(law(tmp_path)) as called:
        assert called == "own_newreno"
        assert set(available()) == {*before, called}
        said = refusal(law(tmp_path))
        assert "has a controller own_newreno already; wait until the other run has ended" in said
        assert called in available()
    assert available() == before
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


@needs_kernel
@pytest.mark.parametrize(
    ("text", "label"),
    [
        *(((LAWS / f"{name.lower()}.py").read_text(encoding="utf-8"), name) for name in ("Aimd", "Cubic")),
        (RATES, "Model"),
    ],
)
def test_the_verifier_takes_laws_of_all_kinds(tmp_path: Path, text: str, label: str) -> None:
    with kernel.registered(law(tmp_path, text, label)) as called:
        assert called in available()
    assert called not in available()


@needs_kernel
def test_nothing_stays_after_a_killed_process(tmp_path: Path) -> None:
    before = available()
    code = (
        "import sys, time\nfrom dumbbell.own.kernel import registered\n"
        "with registered(sys.argv[1]) as called:\n    print(called, flush=True)\n    time.sleep(60)\n"
    )
    command = [sys.executable, "-c", code, law(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as held:
        assert held.stdout is not None
        assert held.stdout.readline().strip() == "own_newreno"
        assert available() == [*before, "own_newreno"]
        held.send_signal(signal.SIGKILL)
    assert available() == before


def test_a_law_that_needs_what_linux_lacks_is_refused(tmp_path: Path) -> None:
    said = refusal(law(tmp_path, EVERYTHING, "Everything"))
    assert "Everything: the kernel cannot have it: " in said
    for reason in ("asks no routers", "wakes no controller", "random numbers", "notes no rate_lost"):
        assert reason in said


def test_the_refusals_of_the_language_come_first(tmp_path: Path) -> None:
    assert "law.py:12:20: ack has no field fligt" in refusal(
        law(tmp_path, NEWRENO.replace("ack.flight // 2", "ack.fligt // 2"))
    )
    assert "no such file" in refusal(str(tmp_path / "none.py:Mine"))


def test_a_name_too_long_for_the_kernel_is_refused(tmp_path: Path) -> None:
    text = NEWRENO.replace("(Controller)", '(Controller, name="a-name-of-my-own")')
    assert 'longer than 11 characters; name it: class NewReno(Controller, name="mine")' in refusal(
        law(tmp_path, text)
    )


def test_a_kernel_without_types_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "find_spec", lambda _: object())
    monkeypatch.setattr(kernel, "VMLINUX", tmp_path / "vmlinux")
    said = refusal(law(tmp_path))
    assert "does not describe its types" in said
    assert said.endswith("use a kernel that was built with CONFIG_DEBUG_INFO_BTF")
    assert kernel.lacks() is not None
    (tmp_path / "vmlinux").write_bytes(b"no types")
    assert "takes no controllers from programs (its BTF cannot be read" in refusal(law(tmp_path))


def test_a_missing_compiler_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "find_spec", lambda _: None)
    assert "llvmlite, of the extra 'native', is not installed; run `pip install" in refusal(law(tmp_path))


def test_another_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel.sys, "platform", "darwin")
    assert "laws go into the kernel of Linux alone; run it under Linux, on x86_64" in refusal(law(tmp_path))


@pytest.mark.skipif(not btf.VMLINUX.exists(), reason="the kernel does not describe its types")
@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EPERM, "takes no programs from this user .*; run it as root, or with the cap"),
        (524, "takes no controllers from programs .*; use Linux 6.4 or later"),
    ],
)
def test_what_the_kernel_refuses_has_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    def refuse(_: object) -> int:
        raise load.KernelError("a map", number)

    monkeypatch.setattr(kernel, "find_spec", lambda _: object())
    monkeypatch.setattr(load, "map_of", refuse)
    with pytest.raises(DumbbellError, match=said), kernel.registered(law(tmp_path)):
        pass


@needs_kernel
def test_what_the_verifier_refuses_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = available()
    # One instruction: the end, without a value.
    monkeypatch.setattr(kernel, "_compile", lambda *_: {"ssthresh": b"\x95" + b"\0" * 7})
    assert "verifier refuses the program ssthresh: R0 !read_ok; report it" in refusal(law(tmp_path))
    assert available() == before


@needs_kernel
def test_what_llvm_cannot_compile_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = kernel.programs

    def hopeless(*given: object) -> object:
        made = program(*given)
        return type(made)(
            made.text + "define i128 @f(i128 %a) {\n  %b = mul i128 %a, %a\n  ret i128 %b\n}\n", made.names
        )

    monkeypatch.setattr(kernel, "programs", hopeless)
    assert "LLVM makes no program of it (" in refusal(law(tmp_path))


def test_rights_are_asked_for_in_one_line(tmp_path: Path) -> None:
    if os.geteuid() != 0 or MISSING is not None:
        pytest.skip("only root can give its rights away")
    name = law(tmp_path)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    code = (
        "import os, sys\nfrom dumbbell.own.kernel import registered\nos.setuid(65534)\n"
        "try:\n    registered(sys.argv[1]).__enter__()\nexcept Exception as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, name], capture_output=True, text=True, check=True, timeout=60
    )
    assert "takes no programs from this user" in done.stdout
    assert "run it as root" in done.stdout


def test_words_count_what_the_needs_of_a_law_take() -> None:
    # Window and threshold, and one word of state.
    assert words_of(*compiled(NEWRENO, "law.py", "NewReno", {})) == 3
    # Those, pacing, quantum, rounds and their end; an array of seven and two words.
    assert words_of(*compiled(RATES, "law.py", "Model", {})) == 15
