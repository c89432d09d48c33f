"""Writes THIRD-PARTY-NOTICES.txt: what a wheel holds of others, under which licences, with their texts.

``python -m tools.notices`` reads the crates that are linked into the extension and into the library for
packetdrill (`cargo tree`), and the scripts in the package. Where there is a choice, the Apache License is
taken: its text is in LICENSE. Of other licences, and of notices that crates carry, the texts are in the file.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tools.audit import REPOSITORY, cargo_metadata, satisfied

FILE = REPOSITORY / "THIRD-PARTY-NOTICES.txt"

OURS = frozenset({"Apache-2.0"})
"""The licence of this project."""

TREE = (
    "cargo", "tree", "--locked", "--package", "dumbbell-py", "--package", "dumbbell-packetdrill",
    "--edges", "normal,no-proc-macro", "--target", "x86_64-unknown-linux-gnu", "--prefix", "none",
    "--format", "{p}",
)  # fmt: skip

BESIDE = {"Rust standard library": "MIT OR Apache-2.0"}
"""What is linked and no crate."""

SCRIPTS = REPOSITORY / "python" / "dumbbell" / "report" / "vendor"
"""Scripts that the package holds as they came, in a folder each."""

HEAD = """\
Software of others in the packages of dumbbell
==============================================

Written by `make docs` from Cargo.lock. dumbbell itself is under the Apache License 2.0 (LICENSE).

Under the Apache License 2.0, chosen where there is a choice:

"""


def notices() -> str:
    """Return the text of the file."""
    done = subprocess.run(TREE, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    linked = {tuple(line.split()[:2]) for line in done.stdout.splitlines() if line}
    crates = sorted(
        (crate["name"], crate["version"], crate["license"] or "", Path(crate["manifest_path"]).parent)
        for crate in cargo_metadata("Cargo.toml")
        if crate["source"] is not None and (crate["name"], f"v{crate['version']}") in linked
    )
    apache = [f"{name} ({licence})" for name, licence in BESIDE.items()]
    texts: dict[str, list[str]] = {}
    for name, version, licence, folder in crates:
        is_apache = satisfied(licence, OURS)
        if is_apache:
            apache.append(f"{name} {version} ({licence})")
        found = [path.read_text(encoding="utf-8").strip() for path in _texts(folder, is_apache)]
        if not found and not is_apache:
            raise SystemExit(f"{name} {version}: {licence}, and no text of it in the crate; add it by hand")
        for text in found:
            texts.setdefault(text, []).append(f"{name} {version} ({licence})")
    for path in sorted(SCRIPTS.glob("*/LICENSE")):
        texts.setdefault(path.read_text(encoding="utf-8").strip(), []).append(path.parent.name)
    rule = "\n\n" + "-" * 80 + "\n"
    parts = [HEAD + "\n".join(f"  {line}" for line in apache)]
    parts += [", ".join(names) + "\n\n" + text for text, names in texts.items()]
    return rule.join("\n".join(map(str.rstrip, part.splitlines())) for part in parts) + "\n"


def _texts(folder: Path, is_apache: bool) -> list[Path]:
    """Return the files of a crate that have to be passed on."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    notes = [path for path in files if path.name.upper().startswith("NOTICE")]
    if is_apache:
        return notes
    named = ("LICENSE", "LICENCE", "COPYING")
    licences = [path for path in files if path.name.upper().startswith(named)]
    chosen = [path for path in licences if "MIT" in path.name.upper()]
    return [*notes, *(chosen or licences)]


def main() -> None:
    """Write the file."""
    FILE.write_text(notes := notices(), encoding="utf-8")
    print(f"{FILE.name}: {len(notes.encode()):,} bytes")


if __name__ == "__main__":
    main()
