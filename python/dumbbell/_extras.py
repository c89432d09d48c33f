"""Extras: packages besides the core, and the message if one is missing."""

from __future__ import annotations

from importlib.util import find_spec

from dumbbell.errors import DumbbellError

_EXTRAS = {
    "IPython": "jupyter",
    "cmaes": "study",
    "duckdb": "study",
    "gymnasium": "gym",
    "jinja2": "plot",
    "llvmlite": "native",
    "markupsafe": "plot",
    "matplotlib": "plot",
    "networkx": "graphs",
    "pyarrow": "study",
    "ray": "cluster",
    "scipy": "study",
}
"""The extra of ``pyproject.toml`` that brings a package."""


def packages_of(extra: str) -> list[str]:
    """Return the packages that an extra brings."""
    return [package for package, of in _EXTRAS.items() if of == extra]


def how_to_install(extra: str) -> str:
    """Return how an extra is installed, in words: no package index has dumbbell."""
    return (
        f"run `pip install '.[{extra}]'` in a checkout of dumbbell, "
        f"or `pip install 'FILE[{extra}]'` with the wheel FILE that `make wheel` builds there"
    )


class MissingExtraError(DumbbellError, ImportError):
    """Something that needs a package which is not installed."""


def explained(error: ModuleNotFoundError) -> MissingExtraError | None:
    """Return what to say where a package of an extra is missing; ``None`` if it is another one."""
    package = (error.name or "").partition(".")[0]
    extra = _EXTRAS.get(package)
    if extra is None:
        return None
    return MissingExtraError(
        f"this needs {package}, of the extra {extra!r}; {how_to_install(extra)}",
        name=error.name,
    )


def require(package: str) -> None:
    """Refuse to begin what would need a package of an extra only at its end.

    Raises
    ------
    MissingExtraError
        If the package is not installed.
    """
    if find_spec(package) is None:
        missing = explained(ModuleNotFoundError(name=package))
        assert missing is not None, f"{package} belongs to no extra"
        raise missing
