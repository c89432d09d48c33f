"""Builds the playground: one HTML file with the simulator inside, into the package.

``python -m tools.playground`` compiles the module of WebAssembly, which needs the standard library of that
target, and writes ``python/dumbbell/playground/playground.html``.
"""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import sys
from pathlib import Path

from dumbbell.playground.compiling import compile_law
from dumbbell.playground.page import BUILT
from dumbbell.report.scripted import assembled
from tools.systems import BROWSER, REPOSITORY, has

SOURCES = REPOSITORY / "python/dumbbell/playground"
MOST_BYTES = 2_000_000
"""Of the page as a server compresses it."""


def main() -> int:
    """Build; return the status of the process."""
    if not has(BROWSER):
        print(f"playground: the standard library of {BROWSER} is missing: rustup target add {BROWSER}")
        return 1
    engine = gzip.compress(module().read_bytes(), 9, mtime=0)
    text = page(engine)
    size = len(gzip.compress(text.encode(), 9))
    if size > MOST_BYTES:
        print(f"playground: {size:,} bytes compressed, more than {MOST_BYTES:,}")
        return 1
    (SOURCES / BUILT).write_text(text, encoding="utf-8")
    shown = (SOURCES / BUILT).relative_to(REPOSITORY)
    print(f"{shown}: {len(text.encode()):,} bytes, {size:,} compressed; the engine {len(engine):,}")
    return 0


def module() -> Path:
    """Compile the module of WebAssembly; return its path.

    Raises
    ------
    subprocess.CalledProcessError
        If it does not compile.
    """
    command = [
        "cargo",
        "build",
        "--package",
        "dumbbell-browser",
        "--profile",
        "browser",
        "--locked",
        "--quiet",
    ]
    command += ["--target", BROWSER, "--message-format", "json"]
    built = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True).stdout
    return next(
        Path(file)
        for message in map(json.loads, built.splitlines())
        if message.get("target", {}).get("name") == "dumbbell_browser"
        for file in message.get("filenames", ())
    )


def page(engine: bytes) -> str:
    """Return the page around a module.

    Parameters
    ----------
    engine
        The module of WebAssembly, compressed with gzip.
    """
    names = ("scenario", "lessons", "stage", "playground")
    return assembled(
        "dumbbell playground",
        _text(SOURCES / "page.html"),
        "\n".join(_text(SOURCES / f"{name}.js") for name in names),
        _text(SOURCES / "playground.css"),
        " 'wasm-unsafe-eval' blob:; worker-src blob:",
        engine=base64.b64encode(engine).decode(),
        worker=_text(SOURCES / "worker.js"),
        # No text within may end the element that holds it.
        samples=json.dumps(samples()).replace("<", "\\u003c"),
    )


def samples() -> list[dict[str, str]]:
    """Return the laws that come with the package, compiled."""
    folder = REPOSITORY / "python/dumbbell/own/laws"
    found = [compile_law(_text(path)) for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
    return [law for law in found if "error" not in law]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
