"""Audits what this project rests on: licences, sources and known vulnerabilities of all locked packages.

``python -m tools.audit`` fails on

- a licence that ``tools/audit.toml`` does not list;
- a Rust crate from elsewhere than crates.io;
- several versions of one crate without a reason in ``tools/audit.toml``;
- a dependency of our own that the table in ARCHITECTURE.md does not name, or of which any version would do;
- with ``--advisories``, a vulnerability that OSV (https://osv.dev) knows, which collects the advisories of
  RustSec and of PyPI. That needs a network beyond the package registries; where OSV cannot be reached, the
  audit says so, and the rest decides.

The licences are those that packages state: `cargo metadata` for Rust, the installed distributions for Python.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
LOCKS = tuple(f"requirements{part}.txt" for part in ("", "-cluster", "-coverage", "-wheel", "-site"))
WORKSPACES = ("Cargo.toml", "fuzz/Cargo.toml")
CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"
OSV = "https://api.osv.dev/v1/querybatch"
"""Its documentation: https://google.github.io/osv.dev/post-v1-querybatch/."""

PATIENCE = 20
"""Seconds for an answer of OSV."""


@dataclass(frozen=True, order=True)
class Package:
    """A locked package."""

    ecosystem: str
    """As OSV calls it: ``PyPI``, ``crates.io``."""
    name: str
    version: str
    licence: str
    """An SPDX expression; empty if it states none."""
    tool: bool = False
    """Tests, checks or builds, and never goes to users."""

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True)
class Rules:
    """What ``tools/audit.toml`` lets pass."""

    permissive: frozenset[str]
    tools: frozenset[str]
    names: dict[str, str]
    advisories: dict[str, str]
    twice: dict[str, str]

    @classmethod
    def read(cls, path: Path) -> Rules:
        """Read the file."""
        values = tomllib.loads(path.read_text())
        permissive = frozenset(values["permissive"])
        tools = permissive | set(values["tools"])
        return cls(permissive, tools, values["names"], values["advisories"], values["twice"])

    def allows(self, package: Package) -> bool:
        """Whether a package may be used as it is."""
        return satisfied(package.licence, self.tools if package.tool else self.permissive)


def satisfied(expression: str, allowed: frozenset[str]) -> bool:
    """Whether an SPDX expression can be met by allowed licences: ``(MIT OR GPL-3.0-only) AND Zlib``.

    A slash, as in old metadata of crates, means ``OR``.
    """
    tokens = re.findall(r"[()/]|[\w.+-]+", expression.replace("/", " OR "))

    def alternatives() -> bool:
        met = conditions()
        while tokens[:1] == ["OR"]:
            tokens.pop(0)
            met |= conditions()
        return met

    def conditions() -> bool:
        met = licence()
        while tokens[:1] == ["AND"]:
            tokens.pop(0)
            met &= licence()
        return met

    def licence() -> bool:
        if not tokens:
            return False
        name = tokens.pop(0)
        if name == "(":
            met = alternatives()
            return tokens[:1] == [")"] and tokens.pop(0) == ")" and met
        if tokens[:1] == ["WITH"]:
            name = " ".join([name, *tokens[:2]])
            del tokens[:2]
        return name in allowed

    met = alternatives()
    # Words that follow no rule are no licence.
    return met and not tokens


def stated(about: Any, names: dict[str, str]) -> str:
    """Return the licence that the metadata of a Python package state, as SPDX; empty if none."""
    expression = about.get("License-Expression")
    if expression:
        return str(expression)
    words = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    # Without a classifier, the old field; often it holds the whole text, which is no name.
    old = str(about.get("License") or "")
    return " AND ".join(names.get(word, word.replace(" ", "-")) for word in words) or names.get(old, old)


def python_packages(names: dict[str, str]) -> tuple[list[Package], list[str]]:
    """Return the locked packages that are installed, and the names of those that are not."""
    locked: dict[str, str] = {}
    for lock in LOCKS:
        locked |= re.findall(r"^([\w.-]+)==(\S+)", (REPOSITORY / lock).read_text(), re.MULTILINE)
    shipped = needed("dumbbell")
    packages, missing = [], []
    for name, version in sorted(locked.items()):
        try:
            about = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            missing.append(name)
            continue
        packages.append(Package("PyPI", name, version, stated(about, names), normal(name) not in shipped))
    return packages, missing


def needed(name: str) -> set[str]:
    """Return what a package needs to run, and what that needs, itself included."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        name = normal(waiting.pop())
        if name in found:
            continue
        try:
            requirements = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            # Asked for on other systems only.
            continue
        found.add(name)
        plain = [line for line in requirements if "extra ==" not in line]
        waiting += [match[0] for line in plain if (match := re.match(r"[\w.-]+", line))]
    return found


def normal(name: str) -> str:
    """Return the name of a Python package as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def doubled(crates: Iterable[Package], rules: Rules) -> list[str]:
    """Return one line for each crate of which there are several versions without a reason."""
    versions: dict[str, list[str]] = {}
    for crate in crates:
        versions.setdefault(crate.name, []).append(crate.version)
    return [
        f"{name}: {len(found)} versions, {', '.join(found)}; agree on one, or say why in tools/audit.toml"
        for name, found in sorted(versions.items())
        if len(found) > 1 and name not in rules.twice
    ]


def undecided(ours: Iterable[tuple[str, str]], page: str) -> list[str]:
    """Return one line for each of our own dependencies that nobody decided on.

    Parameters
    ----------
    ours
        Name and required version of each.
    page
        The text of ARCHITECTURE.md.
    """
    _, _, table = page.partition("\n## Dependencies\n")
    named = set(re.findall(r"[\w-]+", " ".join(re.findall(r"^\| ([^|]*) \|", table, re.MULTILINE))))
    lines = []
    for name, required in sorted(set(ours)):
        family = {name, name.partition("-")[0]}
        if not family & named:
            lines.append(f"{name}: not in the table of ARCHITECTURE.md; say there what it is for")
        if required in ("", "*"):
            lines.append(f"{name}: any version would do; name the oldest that is known to work")
    return lines


def direct() -> list[tuple[str, str]]:
    """Return our own dependencies, with the versions that they must have."""
    found = []
    for manifest in WORKSPACES:
        found += [
            (dependency["name"], dependency["req"])
            for crate in cargo_metadata(manifest)
            if crate["source"] is None
            for dependency in crate["dependencies"]
            if dependency.get("path") is None
        ]
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    lines = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    lines += [line for extra in project["project"]["optional-dependencies"].values() for line in extra]
    for line in lines:
        name, required = re.findall(r"^([\w.-]+)(?:\[.*?\])?(.*)$", line)[0]
        found.append((name, required))
    return found


def cargo_metadata(manifest: str) -> list[dict[str, Any]]:
    """Return what cargo knows of all packages of a workspace."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", manifest]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True)
    packages: list[dict[str, Any]] = json.loads(done.stdout)["packages"]
    return packages


def rust_packages() -> tuple[list[Package], list[str]]:
    """Return the locked crates of others, and what is wrong with where they come from."""
    packages, strange = {}, []
    for manifest in WORKSPACES:
        for crate in cargo_metadata(manifest):
            # Our own have no source.
            if crate["source"] is None:
                continue
            package = Package("crates.io", crate["name"], crate["version"], crate["license"] or "")
            packages[package.name, package.version] = package
            if crate["source"] != CRATES_IO:
                strange.append(f"{package}: from {crate['source']}; take it from crates.io")
    return sorted(packages.values()), sorted(set(strange))


def refused(packages: Iterable[Package], rules: Rules) -> list[str]:
    """Return one line for each package whose licence is not allowed."""
    return [
        f"{package}: its licence is {package.licence.splitlines()[0] if package.licence else 'not stated'}; "
        "choose another package, or decide in tools/audit.toml"
        for package in packages
        if not rules.allows(package)
    ]


def vulnerable(packages: Sequence[Package], rules: Rules, address: str) -> list[str]:
    """Return one line for each package with an advisory.

    Raises
    ------
    OSError
        If OSV does not answer.
    ValueError
        If what answers is not OSV.
    """
    queries = [
        {"package": {"ecosystem": package.ecosystem, "name": package.name}, "version": package.version}
        for package in packages
    ]
    question = urllib.request.Request(
        address, json.dumps({"queries": queries}).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(question, timeout=PATIENCE) as answer:
        try:
            results = json.load(answer)["results"]
        except (KeyError, TypeError) as error:
            raise ValueError("the answer has no results") from error
    if len(results) != len(packages):
        raise ValueError(f"{len(results)} answers to {len(packages)} questions")
    lines = []
    for package, result in zip(packages, results, strict=True):
        known = [entry["id"] for entry in result.get("vulns") or () if entry["id"] not in rules.advisories]
        if known:
            lines.append(
                f"{package}: {', '.join(known)}; see https://osv.dev/{known[0]}, and take a version without"
            )
    return lines


def audit(address: str | None) -> int:
    """Audit everything, say what was found, and return the exit status.

    Parameters
    ----------
    address
        Where OSV answers; ``None`` does not ask for advisories.
    """
    rules = Rules.read(REPOSITORY / "tools" / "audit.toml")
    python, missing = python_packages(rules.names)
    rust, wrong = rust_packages()
    packages = [*python, *rust]
    wrong += refused(packages, rules)
    print(f"licences: {len(python)} Python packages, {len(rust)} Rust crates")
    if missing:
        print(f"licences: not installed here, so not checked: {', '.join(missing)}")
    ours = direct()
    wrong += doubled(rust, rules)
    wrong += undecided(ours, (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    print(f"versions: one of each crate, but for {', '.join(sorted(rules.twice)) or 'none'}")
    print(f"dependencies of our own: {len({name for name, _ in ours})}")
    if address is None:
        print("advisories: not asked for: that needs a network; `make audit ADVISORIES=1` does")
    else:
        try:
            wrong += vulnerable(packages, rules, address)
            print(f"advisories: {len(packages)} packages asked for at {address}")
        except (OSError, ValueError) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            print(f"advisories: skipped: {address} gives no answer ({reason})")
    for line in wrong:
        print(f"audit: {line}", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--advisories", action="store_true", help="ask OSV for known vulnerabilities too")
    sys.exit(audit(OSV if parser.parse_args().advisories else None))
