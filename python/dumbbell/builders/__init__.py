"""Builders: one typed, documented function for each algorithm and each table of a scenario.

The modules of this package are made from the registry. The stubs here, which ``tools/builders.py`` writes,
are for editors and type checkers. The package offers the modules at its top: ``dumbbell.queue.codel``.
"""

import sys

from dumbbell import _native
from dumbbell.builders._module import BuilderModule, origins_of

for _entry in _native.modules():
    _module = BuilderModule(_entry["name"], _entry["title"], origins_of(_entry, _native.algorithms()))
    globals()[_entry["name"]] = sys.modules[_module.__name__] = _module
