"""What is installed beside the core: extras, and what to say where one is missing."""

from __future__ import annotations

from dumbbell.errors import DumbbellError

_EXTRAS = {
    "IPython": "jupyter",
    "duckdb": "study",
    "jinja2": "plot",
    "markupsafe": "plot",
    "matplotlib": "plot",
    "networkx": "graphs",
    "pyarrow": "study",
    "ray": "cluster",
    "scipy": "study",
}
"""The extra of ``pyproject.toml`` that brings a package."""


class MissingExtraError(DumbbellError, ImportError):
    """Something that needs a package which is not installed."""


def explained(error: ModuleNotFoundError) -> MissingExtraError | None:
    """Return what to say where a package of an extra is missing; ``None`` if it is another one."""
    package = (error.name or "").partition(".")[0]
    extra = _EXTRAS.get(package)
    if extra is None:
        return None
    return MissingExtraError(
        f"this needs {package}, of the extra {extra!r}; install it with: pip install 'dumbbell[{extra}]'",
        name=error.name,
    )
