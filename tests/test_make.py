"""What make builds, and when it builds it again. The programs that it calls only note their calls."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest

from bench.measure import unfit
from tools.bare import fits, newer

REPOSITORY = Path(__file__).parent.parent

CARGO = """#!/bin/sh
echo "cargo $*" >> "$LOG"
case $1 in
    --version) echo "cargo 1.95.0" ;;
    build) for profile in develop release; do
            mkdir -p target/$profile
            touch target/$profile/libdumbbell_packetdrill.so
        done ;;
esac
"""

RUSTC = """#!/bin/sh
echo "host: x86_64-unknown-linux-gnu"
"""

PYTHON = """#!/bin/sh
echo "python $*" >> "$LOG"
if [ "$1 $2" = "-m venv" ]; then
    rm -rf "$4"
    mkdir -p "$4/bin"
    for name in python maturin; do
        printf '#!/bin/sh\\necho "%s $*" >> "$LOG"\\n' $name > "$4/bin/$name"
        chmod +x "$4/bin/$name"
    done
fi
"""


class Checkout:
    """A copy of what make reads."""

    def __init__(self, place: Path) -> None:
        self.place = place / "checkout"
        self.log = place / "log"
        self.programs = place / "programs"
        for folder in ("crates/some/src", "python/dumbbell"):
            (self.place / folder).mkdir(parents=True)
        for name in ("Makefile", "pyproject.toml", "README.md", "Cargo.toml", "Cargo.lock"):
            shutil.copy(REPOSITORY / name, self.place)
        shutil.copytree(REPOSITORY / "tools", self.place / "tools")
        for name in ("", "-cluster", "-wheel", "-site"):
            (self.place / f"requirements{name}.txt").touch()
        (self.place / "crates/some/src/lib.rs").touch()
        self.programs.mkdir()
        there = dict.fromkeys(("valgrind", "llvm-cov-22"), "#!/bin/sh\n")
        programs = {"cargo": CARGO, "python3": PYTHON, "rustc": RUSTC, **there}
        for name, text in programs.items():
            (self.programs / name).write_text(text)
            (self.programs / name).chmod(0o755)

    def make(self, *goals: str) -> list[str]:
        """Run make, and return what was made: `venv`, or the profile of the extension."""
        self.log.write_text("")
        done = subprocess.run(
            ["make", *goals], cwd=self.place, capture_output=True, text=True, timeout=120, check=False,
            env=os.environ | {"LOG": str(self.log), "PATH": f"{self.programs}:{os.environ['PATH']}"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [
            "venv" if words[1:3] == ["-m", "venv"] else words[3]
            for words in lines
            if words[1:3] in (["-m", "venv"], ["develop", "--profile"])
        ]

    def edit(self) -> None:
        """Change a source."""
        # Later than every stamp, whatever the clock of files resolves.
        latest = max(path.stat().st_mtime_ns for path in self.place.rglob("*") if path.is_file())
        os.utime(self.place / "crates/some/src/lib.rs", ns=(latest + 10**7, latest + 10**7))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_setup_builds_quickly_and_once(checkout: Checkout) -> None:
    assert checkout.make("setup") == ["venv", "develop"]
    assert checkout.make("setup") == []
    checkout.edit()
    assert checkout.make("setup") == ["develop"]


def test_a_venv_that_was_removed_is_made_again(checkout: Checkout) -> None:
    checkout.make("setup")
    shutil.rmtree(checkout.place / ".venv")
    assert checkout.make("setup") == ["venv", "develop"]


def test_a_checkout_that_moved_gets_another_venv(checkout: Checkout) -> None:
    checkout.make("setup")
    checkout.place = checkout.place.rename(checkout.place.with_name("moved"))
    assert checkout.make("setup") == ["venv", "develop"]
    assert checkout.make("setup") == []


@pytest.mark.parametrize("goal", ["bench", "bench-record", "bench-study", "release"])
def test_what_counts_has_a_release(checkout: Checkout, goal: str) -> None:
    checkout.make("setup")
    assert checkout.make(goal) == ["release"]
    assert checkout.make(goal) == []
    assert checkout.make("setup") == []
    checkout.edit()
    assert checkout.make("setup") == ["develop"]
    assert checkout.make(goal) == ["release"]


def test_what_counts_needs_no_other_build(checkout: Checkout) -> None:
    assert checkout.make("bench") == ["venv", "release"]


def test_a_wheel_is_for_old_c_libraries_where_zig_can_be_had(checkout: Checkout) -> None:
    assert checkout.make("wheel") == ["venv"]
    assert "python -m tools.wheel --glibc 2.17" in checkout.log.read_text().splitlines()


def test_without_zig_a_wheel_is_for_systems_as_new_as_this(checkout: Checkout) -> None:
    checkout.make("setup")
    python = checkout.place / ".venv" / "bin" / "python"
    python.write_text('#!/bin/sh\necho "python $*" >> "$LOG"\n[ "$2" != pip ]\n')
    assert checkout.make("wheel") == []
    assert "python -m tools.wheel" in checkout.log.read_text().splitlines()


def test_a_library_that_is_newer_than_its_wheel_says_is_found(tmp_path: Path) -> None:
    wheel = tmp_path / "some-1-cp311-abi3-manylinux_2_17_x86_64.whl"
    source, library = tmp_path / "library.c", tmp_path / "library.so"
    source.write_text("int lacking(void); int PyLong(void); int f(void) { return lacking() + PyLong(); }")
    subprocess.run(["cc", "-shared", "-fPIC", "-nostdlib", "-o", library, source], check=True)
    lacks = library.read_bytes()
    source.write_text("int PyLong(void); int f(void) { return PyLong(); }")
    subprocess.run(["cc", "-shared", "-fPIC", "-nostdlib", "-o", library, source], check=True)
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("some/old.so", library.read_bytes() + b"\0GLIBC_2.2.5\0GLIBC_2.17\0")
        made.writestr("some/new.so", library.read_bytes() + b"\0GLIBC_2.9\0GLIBC_2.34\0")
        made.writestr("some/lacks.so", lacks)
    assert newer(wheel, tmp_path) == [
        "some/new.so needs glibc 2.34, more than the wheel's name says",
        "some/lacks.so needs lacking, which the glibc of its name does not have",
    ]


@pytest.mark.parametrize(
    "part",
    [
        "",
        "cargo test",
        "pytest tests/live",
        "pytest tests/virtual",
        "pytest --ignore-glob",
        "pytest tests/test_",
        "pytest tests/validation",
    ],
)
def test_every_part_of_the_tests_runs_and_has_to_pass(checkout: Checkout, part: str) -> None:
    checkout.make("setup")
    for package in ("ns2", "chromium", "iperf3", "ping", "faketime", "tshark"):
        (checkout.place / ".setup" / package).touch()
    (checkout.place / ".venv" / "done" / "site").touch()
    failing = (
        f'#!/bin/sh\ncase "$(basename $0) $*" in *"{part}"*) echo broken; exit 1 ;; esac\n'
        if part
        else "#!/bin/sh\n"
    )
    for program in (checkout.programs / "cargo", checkout.place / ".venv" / "bin" / "python"):
        program.write_text(failing + 'echo "$(basename $0) $*" >> "$LOG"\n')
    checkout.log.write_text("")
    done = subprocess.run(
        ["make", "test"], cwd=checkout.place, capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | {"LOG": str(checkout.log), "PATH": f"{checkout.programs}:{os.environ['PATH']}"},
    )  # fmt: skip
    ran = checkout.log.read_text().splitlines()
    if part:
        assert done.returncode != 0, done.stdout
        assert "broken" in done.stdout
    else:
        assert done.returncode == 0, done.stderr
        assert sorted(ran) == [
            "cargo test --workspace --locked --quiet",
            "python -m pytest --ignore-glob tests/test_*.py --ignore tests/live --ignore tests/virtual"
            " --ignore tests/validation",
            "python -m pytest tests/live",
            "python -m pytest tests/test_*.py",
            "python -m pytest tests/validation",
            "python -m pytest tests/virtual",
        ]


def test_a_toolchain_that_is_not_there_gives_one_line(checkout: Checkout) -> None:
    # What rustup does without a network and without the toolchain that the file names.
    (checkout.programs / "cargo").write_text("#!/bin/sh\necho 'error: could not download' >&2\nexit 1\n")
    done = subprocess.run(
        ["make", "setup"], cwd=checkout.place, capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | {"LOG": os.devnull, "PATH": f"{checkout.programs}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 2
    assert "dumbbell: cargo does not start here: run `rustup toolchain install`, or name" in done.stderr


def test_the_toolchain_is_the_oldest_that_will_do() -> None:
    pinned = tomllib.loads((REPOSITORY / "rust-toolchain.toml").read_text())["toolchain"]["channel"]
    oldest = tomllib.loads((REPOSITORY / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
    assert pinned == f"{oldest}.0"


def test_wheels_are_built_for_release() -> None:
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    assert settings["tool"]["maturin"]["profile"] == "release"


def test_a_bench_refuses_another_build() -> None:
    assert unfit("release") is None
    assert unfit("develop") == (
        "bench: the extension is a develop build, slower than what users get: run `make release`"
    )


def test_bare_takes_the_wheel_of_this_system() -> None:
    names = [
        f"dumbbell-0.2.0-cp311-abi3-{system}.whl"
        for system in (
            "manylinux_2_17_x86_64.manylinux2014_x86_64",
            "manylinux_2_17_aarch64.manylinux2014_aarch64",
            "musllinux_1_2_x86_64",
            "musllinux_1_2_aarch64",
            "macosx_11_0_arm64",
        )
    ]
    for machine, libc, number in [
        ("x86_64", "glibc", 0), ("aarch64", "glibc", 1), ("x86_64", "", 2), ("aarch64", "libc", 3),
        ("arm64", "", 4),
    ]:  # fmt: skip
        assert [name for name in names if fits(name, machine, libc)] == [names[number]]
