"""Imported first by the packages that only Linux can run: elsewhere they end here, in one line.

Raises
------
DumbbellError
    On another system.
"""

import sys

from dumbbell.errors import DumbbellError

if sys.platform != "linux":
    raise DumbbellError(
        f"emulation and packetdrill need Linux, and this is {sys.platform}; simulations run here too"
    )
