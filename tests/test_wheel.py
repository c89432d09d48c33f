"""How a wheel is built; what is called only notes its call."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tools import wheel

Call = tuple[list[str], str]
"""A command, and the flags of rustc."""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Call]:
    noted: list[Call] = []

    def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        noted.append(([*command], (environment or {}).get("RUSTFLAGS", "")))
        if command[0] == "cargo":
            for target in ("some-host", *wheel.OTHERS):
                made = tmp_path / target / "release"
                made.mkdir(parents=True, exist_ok=True)
                (made / "lib_native.so").touch()
                (made / "libdumbbell_packetdrill.so").write_text(target)

    monkeypatch.setattr(wheel, "_run", run)
    monkeypatch.setattr(wheel, "host_of_rustc", lambda: "some-host")
    monkeypatch.setattr(wheel, "TARGET", tmp_path)
    monkeypatch.setattr(wheel, "COUNTS", tmp_path / "counts")
    monkeypatch.setattr(wheel, "PACKAGE", tmp_path / "package")
    root = tmp_path / "root"
    shutil.copytree(
        wheel.ROOT / "python", root / "python", ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    monkeypatch.setattr(wheel, "ROOT", root)
    return noted


def test_runs_count_between_two_builds(
    calls: list[Call], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    (tmp_path / "counts").mkdir()
    (tmp_path / "counts" / "of an earlier build").touch()
    assert wheel.main([]) == 0
    (build, counting), (train, _), (merge, _), (library, plain), (strip, _), (maturin, using) = calls
    assert build[:4] == ["cargo", "build", "--package", "dumbbell-py"]
    assert counting == f"-Cprofile-generate={tmp_path / 'counts'}"
    assert train[-1] == "tools.training"
    assert (tmp_path / "package" / "dumbbell" / "scenarios" / "example.toml").is_file()
    assert not list((tmp_path / "counts").iterdir()), "they would be merged"
    assert merge[1:] == ["merge", "--output", str(wheel.MERGED), str(tmp_path / "counts")]
    # With a target named, the flags are not those of build scripts and macros.
    assert "--target some-host" in " ".join(build)
    assert (library[:4], plain) == (["cargo", "build", "--package", "dumbbell-packetdrill"], "")
    assert strip[0] == "strip"
    assert using == f"-Cprofile-use={wheel.MERGED}"
    assert "build --target some-host --release --locked" in " ".join(maturin)
    assert "--zig" not in maturin


def test_zig_links_for_an_old_c_library(calls: list[Call], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert wheel.main(["--glibc", "2.17"]) == 0
    (library, _), _, (maturin, using) = calls[-3:]
    assert " ".join(library).startswith(
        "cargo zigbuild --package dumbbell-packetdrill --target some-host.2.17 --release"
    )
    assert "--zig --compatibility manylinux_2_17 --out dist" in " ".join(maturin)
    assert using == f"-Cprofile-use={wheel.MERGED}"


def test_without_llvm_there_is_a_wheel_and_a_line(
    calls: list[Call], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    assert wheel.main([]) == 0
    assert [command[0] for command, _ in calls[:-1]] == ["cargo", "strip"]
    maturin, flags = calls[-1]
    assert maturin[1] == "build"
    assert flags == ""
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "apt-get install llvm-" in told


def test_a_release_has_all_wheels_and_the_sources(calls: list[Call], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    monkeypatch.setattr(wheel, "has", lambda _target: True)
    assert wheel.main(["--all", "--glibc", "2.17"]) == 0
    assert calls[0][0][1:] == ["sdist", "--out", "dist"]
    lines = [" ".join(command) for command, _ in calls]
    assert [line.split(" --target ")[1].split()[0] for line in lines if "build --target" in line] == [
        "some-host",
        *wheel.OTHERS,
    ]
    # `strip` of this machine does not know the files of others.
    assert sum(line.startswith("strip ") for line in lines) == 1
    musl = "-Cstrip=symbols -Ctarget-feature=-crt-static"
    assert [
        (flags, line.split(" --target ")[1].split()[0])
        for line, (command, flags) in zip(lines, calls, strict=True)
        if command[1] == "zigbuild"
    ] == [
        ("", "some-host.2.17"),
        ("-Cstrip=symbols", "x86_64-unknown-linux-gnu.2.17"),
        ("-Cstrip=symbols", "aarch64-unknown-linux-gnu.2.17"),
        (musl, "x86_64-unknown-linux-musl"),
        (musl, "aarch64-unknown-linux-musl"),
    ]
    names = [line.split(" --compatibility ")[1].split()[0] for line in lines if "--compatibility" in line]
    assert names == [*["manylinux_2_17"] * 3, *["musllinux_1_2"] * 2]
    assert (wheel.ROOT / "python" / "dumbbell" / wheel.LIBRARY).read_text() == "some-host"


def test_a_processor_without_a_library_is_named(
    calls: list[Call], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(wheel, "has", lambda _target: False)
    assert wheel.main(["--target", "riscv64gc-unknown-linux-gnu", "--glibc", "2.17"]) == 1
    assert "riscv64gc-unknown-linux-gnu: no wheel" in capsys.readouterr().err
    assert calls == []
    with pytest.raises(SystemExit):
        wheel.main(["--all"])
