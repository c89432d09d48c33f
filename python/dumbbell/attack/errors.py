"""What an attack refuses."""

from dumbbell.errors import DumbbellError


class AttackError(DumbbellError, ValueError):
    """A property, a bound or a search that says nothing."""
