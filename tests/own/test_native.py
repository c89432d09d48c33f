"""Laws as machine code: chosen where it can be had, kept in a cache that is hostile until verified."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dumbbell as db
from dumbbell.live.checks import Check, checks
from dumbbell.own import kept, laws, native
from dumbbell.own.code import Compiled
from dumbbell.own.compiler import compiled
from dumbbell.own.elf import NotPlainError, plain_code
from tests.own.laws import EVERYTHING, NEWRENO
from tests.own.test_scenarios import TOML, tables
from tests.own.told import Backends, story

LAWS = Path(laws.__file__).parent

pytestmark = pytest.mark.skipif(native.lacks() is not None, reason=f"no machine code: {native.lacks()}")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a cache of one's own, which is not there yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "dumbbell" / "laws"


def byte_code(text: str = NEWRENO, label: str = "NewReno") -> Compiled:
    return compiled(text, "law.py", label, {})[1]


@pytest.mark.parametrize("name", ["Aimd", "NewReno", "Cubic"])
def test_shipped_laws_become_machine_code(name: str) -> None:
    text = (LAWS / f"{name.lower()}.py").read_text(encoding="utf-8")
    begun = time.process_time()
    found = native.machine_code(byte_code(text, name))
    assert time.process_time() - begun < 1
    assert found is not None
    assert sum(entry is not None for entry in found[1]) >= 3


def test_broken_machine_code_is_caught_by_the_stories(monkeypatch: pytest.MonkeyPatch) -> None:
    right = native.module(byte_code(EVERYTHING, "Everything"))
    wrong = right.replace("icmp slt i64", "icmp sle i64", 1)
    assert wrong != right
    monkeypatch.setattr(native, "module", lambda _: wrong)
    backends = Backends(EVERYTHING, "Everything", None)
    told = [story(seed) for seed in range(200)]
    assert any(backends.machine(one) != backends.machine(one, native=True) for one in told)


def test_the_cache_spares_the_compiler(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = native.machine_code(byte_code())
    assert cache.stat().st_mode & 0o777 == 0o700
    assert {entry.stat().st_mode & 0o777 for entry in cache.iterdir()} == {0o600}
    monkeypatch.setattr(native, "_compile", lambda _: pytest.fail("compiled again"))
    assert native.machine_code(byte_code()) == first
    # One code serves all values of parameters.
    assert native.machine_code(compiled(NEWRENO, "law.py", "NewReno", {"increase": 7})[1]) == first


def test_another_law_or_version_is_another_entry(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    native.machine_code(byte_code())
    native.machine_code(byte_code(NEWRENO.replace("// 2", "// 3")))
    monkeypatch.setattr(native, "_MAKERS", ("llvm.py",))
    native.machine_code(byte_code())
    # Three entries and the key.
    assert len(list(cache.iterdir())) == 4


def entry_of(cache: Path) -> Path:
    (entry,) = (path for path in cache.iterdir() if path.name != "key")
    return entry


def flip(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[-5] ^= 1
    path.write_bytes(bytes(raw))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20])


def open_to_all(path: Path) -> None:
    path.chmod(0o666)


def link_elsewhere(path: Path) -> None:
    elsewhere = path.parent.parent / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def open_folder(path: Path) -> None:
    path.parent.chmod(0o777)


def strange_key(path: Path) -> None:
    (path.parent / "key").write_bytes(b"k" * 32)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def too_large(path: Path) -> None:
    with path.open("ab") as file:
        file.truncate(1 << 30)


@pytest.mark.parametrize(
    "damage", [flip, cut, open_to_all, link_elsewhere, open_folder, strange_key, pipe, too_large]
)
def test_an_entry_that_may_be_forged_is_not_run(
    cache: Path, monkeypatch: pytest.MonkeyPatch, damage: object
) -> None:
    first = native.machine_code(byte_code())
    assert callable(damage)
    damage(entry_of(cache))
    calls = []
    right = native._compile
    monkeypatch.setattr(native, "_compile", lambda law: calls.append(law) or right(law))
    assert native.machine_code(byte_code()) == first
    assert len(calls) == 1


def test_no_entry_serves_another_law(cache: Path) -> None:
    native.machine_code(byte_code())
    entry = entry_of(cache)
    other = "0" * 64
    entry.rename(cache / other)
    assert kept.read(other, 12) is None


@pytest.mark.parametrize("place", ["file", "relative"])
def test_without_a_cache_laws_run_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file") if place == "file" else "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    assert native.machine_code(byte_code()) is not None


def test_an_object_with_data_is_not_plain() -> None:
    from dumbbell.own.emit import emit

    text = "@data = global i64 7\ndefine i64 @f() {\n  %a = load i64, ptr @data\n  ret i64 %a\n}\n"
    with pytest.raises(NotPlainError):
        plain_code(emit(text, "x86_64-unknown-linux-gnu"))


def test_runs_and_their_ids_do_not_depend_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(controller: str) -> tuple[str, str]:
        scenario = db.Scenario.from_toml(TOML.format(controller=controller), base=tmp_path)
        return scenario.plan_hash, tables(scenario.run())

    (tmp_path / "law.py").write_text(NEWRENO, encoding="utf-8")
    fast = run('"law.py:NewReno"')
    assert fast[1] == run('"newreno"')[1]
    # The process remembers what it has compiled: another text, with the same meaning.
    (tmp_path / "law.py").write_text(NEWRENO + "\n# Again.\n", encoding="utf-8")
    monkeypatch.setattr("dumbbell.own.compiler.machine_code", lambda _: None)
    assert run('"law.py:NewReno"')[1] == fast[1]


def test_llvm_is_imported_to_compile_alone(tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text(NEWRENO, encoding="utf-8")
    (tmp_path / "plain.toml").write_text(TOML.format(controller='"reno"'), encoding="utf-8")
    (tmp_path / "scenario.toml").write_text(TOML.format(controller='"law.py:NewReno"'), encoding="utf-8")
    code = (
        "import sys\nimport dumbbell as db\nfor name in ('plain', 'scenario'):\n"
        "    db.Scenario.from_file(f'{name}.toml').run()\n"
        "    print('dumbbell.own.native' in sys.modules, 'llvmlite' in sys.modules)\n"
    )

    def imported() -> list[str]:
        return subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
        ).stdout.split()

    assert imported() == ["False", "False", "True", "True"]
    # What is in the cache needs no compiler.
    assert imported() == ["False", "False", "True", "False"]


def test_entries_outside_the_code_are_refused() -> None:
    from dumbbell import _native

    law = byte_code()
    with pytest.raises(OSError, match="invalid"):
        _native.LawMachine(law.image, [0] * 4, [0] * 6, (b"\xc3", [1] + [None] * 11))


def test_doctor_says_whether_laws_run_as_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def row() -> Check:
        (found,) = (check for check in checks() if check.name == "native laws")
        return found

    assert row().works
    monkeypatch.setattr(native, "find_spec", lambda _: None)
    assert not row().works
    assert "of the extra 'native', is not installed" in row().detail
    assert native.machine_code(byte_code()) is None
    monkeypatch.setattr(native.sys, "platform", "darwin")
    assert "not for this system" in row().detail


def test_routine_without_shared_words():
    """The helper of this law shares no word with its callers; their calls name a frame all the same."""
    text = (LAWS.parents[1] / "gym/laws.py").read_text(encoding="utf-8")
    assert native.machine_code(compiled(text, "laws.py", "Steered", {})[1]) is not None
