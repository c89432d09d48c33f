"""What environments refuse."""

from dumbbell.errors import DumbbellError


class GymError(DumbbellError, ValueError):
    """An observation, an action or a scenario that an environment cannot have."""
