"""The quick form of a study: fewer seeds, fewer values of axes, a changed scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dumbbell._files.read import read_toml
from dumbbell.study import Study, StudyError

_KEYS = ("seeds", "axes", "scenario")


def quick_study(study: Study, path: Path) -> Study:
    """Return a study with fewer seeds, fewer values of axes, or a changed scenario.

    Runs of it that are runs of the full study too are shared when both use one folder.

    Parameters
    ----------
    study
        The full study.
    path
        A TOML file: ``seeds``, how many of the first; ``[axes]``, for each axis that it names, which of its
        values; ``[scenario]``, what to change, such as ``duration``.

    Raises
    ------
    StudyError
        Everything wrong with the file.
    """
    try:
        values = read_toml(path, StudyError)
    except FileNotFoundError:
        raise StudyError(f"{path}: no such file; say in it what the quick study leaves out") from None
    except OSError as error:
        raise StudyError(f"{path}: {error.strerror}; say in it what the quick study leaves out") from None
    return shortened(study, values, str(path))


def shortened(study: Study, values: Mapping[str, Any], path: str) -> Study:
    """Return a study with what `values` leave of it: the keys of a quick file; `path` names it in errors."""
    problems = [f"{path}: {key}: unknown key; use {', '.join(_KEYS)}" for key in values if key not in _KEYS]
    seeds = values.get("seeds", len(study.seeds))
    if not isinstance(seeds, int) or isinstance(seeds, bool) or not 0 < seeds <= len(study.seeds):
        problems.append(f"{path}: seeds: {seeds!r} of {len(study.seeds)} seeds; give how many of the first")
        seeds = 1
    chosen = values.get("axes", {})
    known = {axis.name: axis for axis in study.axes}
    for name, wanted in chosen.items():
        if name not in known:
            problems.append(f"{path}: axes.{name}: the study has no such axis; use {', '.join(known)}")
        elif not isinstance(wanted, list) or not wanted or not set(wanted) <= set(known[name].values):
            problems.append(f"{path}: axes.{name}: {wanted!r} are not values of the axis; give some of them")
    if problems:
        raise StudyError(problems)
    return replace(
        study,
        seeds=study.seeds[:seeds],
        axes=tuple(axis.keeping(chosen[axis.name]) if axis.name in chosen else axis for axis in study.axes),
        scenario=_changed(study.scenario, values.get("scenario", {})),
    )


def _changed(table: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table with the values of another in place of its own, table by table."""
    merged = dict(table)
    for key, value in change.items():
        below = merged.get(key)
        merged[key] = (
            _changed(below, value) if isinstance(value, Mapping) and isinstance(below, Mapping) else value
        )
    return merged
