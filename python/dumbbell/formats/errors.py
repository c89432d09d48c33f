"""What can be wrong with a file of another tool."""

from __future__ import annotations

from dumbbell.errors import DumbbellError


class FormatError(DumbbellError, ValueError):
    """A file that cannot be read, or lacks what the call needs. ``str()`` of it is one line."""
