"""Archives: everything that a study or a run rests on, in one file that can be checked.

Examples
--------
>>> from dumbbell.archive import pack, verify
>>> pack("out/web", "web.zip")  # doctest: +SKIP
>>> verify("web.zip").outcome  # doctest: +SKIP
'bit-equal'
"""

from dumbbell.archive.files import ArchiveError
from dumbbell.archive.pack import pack
from dumbbell.archive.verify import Check, Outcome, Verification, verify

__all__ = ["ArchiveError", "Check", "Outcome", "Verification", "pack", "verify"]
