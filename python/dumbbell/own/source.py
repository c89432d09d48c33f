"""The source of a law: places in it, and refusals."""

from __future__ import annotations

import ast
import difflib
import warnings
from collections.abc import Iterable

from dumbbell.own.errors import LawError

MOST_BYTES = 256 * 1024
"""Of a source. The largest law that we know, BBR, has 30 kB."""

MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""Some editors begin a file with it; Python reads files without it."""

MOST_LEVELS = 40
"""Brackets, blocks and operations within each other."""


class Source:
    """A text with the name of its file.

    Parameters
    ----------
    text
        The text.
    name
        What messages call it.
    """

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        text = text.removeprefix(MARK)
        self._lines = text.split("\n")
        self.tree = self._parse(text)

    def _parse(self, text: str) -> ast.Module:
        size = len(text.encode("utf-8", "replace"))
        if size > MOST_BYTES:
            raise LawError(
                self.name, f"has {size:,} bytes, more than the limit of {MOST_BYTES:,}", "write a shorter law"
            )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except SyntaxError as error:
            message = (error.msg or "invalid syntax").split("\n")[0]
            raise LawError(
                f"{self.name}:{error.lineno or 1}:{error.offset or 1}", message, "mend the syntax of Python"
            ) from None
        except (RecursionError, MemoryError):
            raise LawError(
                self.name, "is nested too deeply for Python", "write shorter expressions"
            ) from None
        except ValueError as error:
            raise LawError(self.name, str(error), "save it as a text") from None
        self._check_levels(tree)
        return tree

    def _check_levels(self, tree: ast.Module) -> None:
        waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
        while waiting:
            node, level = waiting.pop()
            if level > MOST_LEVELS:
                raise self.refuse(
                    node,
                    f"more than {MOST_LEVELS} levels stand within each other",
                    "give parts of it names, or move them into a helper",
                )
            waiting.extend((child, level + 1) for child in ast.iter_child_nodes(node))

    def place(self, node: ast.AST) -> str:
        """Return file, line and column of a node, columns in characters from 1."""
        line, byte = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        column = len(text.encode("utf-8", "replace")[:byte].decode("utf-8", "replace")) + 1
        return f"{self.name}:{line}:{column}"

    def refuse(self, node: ast.AST, message: str, remedy: str) -> LawError:
        """Return the refusal of what stands at a node."""
        return LawError(self.place(node), message, remedy)

    def unknown(self, node: ast.AST, message: str, name: str, names: Iterable[str], what: str) -> LawError:
        """Return the refusal of a name that is not there, with the nearest that is, or all."""
        known = sorted(names)
        near = difflib.get_close_matches(name, known, 1, 0.66)
        if near:
            return LawError(self.place(node), message, f"did you mean {near[0]}?")
        shown = ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
        return self.refuse(node, message, f"{what} {shown}" if known else "there is none")
