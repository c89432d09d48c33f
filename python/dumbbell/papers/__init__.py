"""Papers: published experiments, and our own questions, as studies with claims.

A paper is a folder. Those here are found by their folder; a folder elsewhere works as well.

============== ====================================================================================
file           holds
============== ====================================================================================
``study.toml`` the full study; its name is that of the folder, with ``-`` for ``_``
``quick.toml`` what the quick study leaves out: ``seeds``, ``[axes]``, ``[scenario]``
``claims.py``  ``CLAIMS``, a tuple of :class:`dumbbell.claims.Claim`
``figures.py`` ``FIGURES``, a tuple of :class:`dumbbell.report.FigureSpec`
``README.md``  what was done, and a table of every parameter, its value and where it comes from
============== ====================================================================================

and, where they are needed,

=============== ====================================================================================
file            holds
=============== ====================================================================================
``derived.py``  ``DERIVED``, a tuple of :class:`dumbbell.study.Derived`: metrics made from others
``maps.py``     ``MAPS``, a tuple of :class:`dumbbell.report.MapSpec`
``entrants.py`` ``GROWN``, a tuple of functions that add what is registered to the study
``index.py``    ``INDEX``, a tuple of :class:`dumbbell.report.IndexRow`: what shows each figure and table
``studies.py``  ``STUDIES``, a tuple of :class:`Companion`: further studies, as ``<paper>-<name>``
=============== ====================================================================================

Examples
--------
>>> from dumbbell import papers
>>> papers.find_paper("campus-web").study(quick=True).arms[1].label
'CUBIC'
"""

from dumbbell.papers.paper import Companion, Paper, PaperError, all_papers, find_paper
from dumbbell.papers.reproduce import QUICK, Reproduction, reproduce

__all__ = [
    "QUICK",
    "Companion",
    "Paper",
    "PaperError",
    "Reproduction",
    "all_papers",
    "find_paper",
    "reproduce",
]
