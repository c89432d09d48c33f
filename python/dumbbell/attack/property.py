"""Properties: ``goodput >= 0.5 * cubic.goodput``."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dumbbell import _native
from dumbbell.attack.errors import AttackError
from dumbbell.attack.network import METRICS
from dumbbell.judge.candidate import controllers

Floats: TypeAlias = NDArray[np.float64]

Name: TypeAlias = tuple[str, str]
"""A controller, empty for the candidate, and a metric."""

_ARITHMETIC: dict[type[ast.operator], Callable[[Floats, Floats], Floats]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}

_COMPARISONS = {ast.GtE: ">=", ast.Gt: ">", ast.LtE: "<=", ast.Lt: "<"}


@dataclass(frozen=True)
class Property:
    """A comparison that an attack tries to break."""

    text: str
    """As it was given."""
    left: ast.expr
    """What stands before the comparison."""
    right: ast.expr
    """What stands after it."""
    sign: str
    """Of the comparison: ``>=``, ``>``, ``<=`` or ``<``."""
    names: tuple[Name, ...]
    """What it names, each once."""

    @property
    def controllers(self) -> tuple[str, ...]:
        """The other controllers that it names, each once."""
        return tuple(dict.fromkeys(controller for controller, _ in self.names if controller))

    def margin(self, values: Mapping[Name, Floats]) -> Floats:
        """Return how far runs keep the property, shape (runs,): below 0 where it is broken.

        The difference of both sides over the sum of their magnitudes, so that it lies from -1 to 1.

        Parameters
        ----------
        values
            What each name is in each run, shape (runs,).
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            left, right = (_evaluate(side, values) for side in (self.left, self.right))
            total = np.abs(left) + np.abs(right)
            margin = np.where(total > 0, (left - right) / np.where(total > 0, total, 1.0), 0.0)
        return np.asarray(margin if self.sign.startswith(">") else -margin, np.float64)


def _evaluate(node: ast.expr, values: Mapping[Name, Floats]) -> Floats:
    if isinstance(node, ast.BinOp):
        return _ARITHMETIC[type(node.op)](_evaluate(node.left, values), _evaluate(node.right, values))
    if isinstance(node, ast.UnaryOp):
        return -_evaluate(node.operand, values)
    if isinstance(node, ast.Constant):
        size = next(iter(values.values())).size
        return np.full(size, float(str(node.value)))
    return values[_name(node)]


def _name(node: ast.expr) -> Name:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id, node.attr
    assert isinstance(node, ast.Name), "what is parsed has been checked"
    return "", node.id


def parse_property(text: str, metrics: tuple[str, ...] = ()) -> Property:
    """Read a property.

    Parameters
    ----------
    text
        A comparison of two sides made of numbers, metrics, ``controller.metric`` and ``+ - * /``. In names of
        controllers ``_`` stands for ``-``.
    metrics
        Those that are measured; by default those of the plausible networks.

    Raises
    ------
    AttackError
        If it cannot be parsed, is constant, or names what is not measured.
    """
    metrics = metrics or tuple(metric.name for metric in METRICS)
    example = 'write such as "goodput >= 0.5 * cubic.goodput"'
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise AttackError(f"property {text!r}: cannot be read; {example}") from None
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1 or type(tree.ops[0]) not in _COMPARISONS:
        raise AttackError(f"property {text!r}: is not one comparison by >=, >, <= or <; {example}")
    left, right = tree.left, tree.comparators[0]
    names = tuple(dict.fromkeys([*_names(left, text), *_names(right, text)]))
    known = controllers()
    found = []
    for controller, metric in names:
        if metric not in metrics:
            remedy = _native.suggest(metric, list(metrics))
            raise AttackError(f"property: no table has {metric!r}; {remedy}")
        if controller and controller.replace("_", "-") not in known:
            raise AttackError(f"property: no controller {controller!r}; {_native.suggest(controller, known)}")
        found.append((controller, metric))
    if not any(controller == "" for controller, _ in found):
        raise AttackError(f"property {text!r}: is constant: it names no metric of the candidate; {example}")
    if ast.dump(left) == ast.dump(right):
        raise AttackError(f"property {text!r}: is constant: both sides are the same; {example}")
    return Property(text, left, right, _COMPARISONS[type(tree.ops[0])], tuple(found))


def _names(node: ast.expr, text: str) -> list[Name]:
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        return [*_names(node.left, text), *_names(node.right, text)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _names(node.operand, text)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        if not math.isfinite(float(str(node.value))):
            raise AttackError(f"property {text!r}: {ast.unparse(node)} is too large; write a finite number")
        return []
    if isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
        return [_name(node)]
    part = ast.unparse(node)
    raise AttackError(f"property {text!r}: {part!r} is no number, no metric and no + - * /; leave it out")
