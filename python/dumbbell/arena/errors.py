"""What the arena refuses."""

from dumbbell.errors import DumbbellError


class ArenaError(DumbbellError, ValueError):
    """A candidate, a set of networks or an archive that cannot be scored."""
