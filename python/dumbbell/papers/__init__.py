"""Papers: published experiments, and our own questions, as studies with claims.

A paper is a folder. Those here are found by their folder; a folder elsewhere works as well.

============== ====================================================================================
file           holds
============== ====================================================================================
``study.toml`` the study; its name is that of the folder, with ``-`` for ``_``. Here, or in files that
               it includes: ``[quick]``, ``[[claims]]``, ``[[figures]]``, ``[[index]]`` and
               ``[[companions]]``, further studies that are called ``<paper>-<name>``
``README.md``  what was done, and a table of every parameter, its value and where it comes from
============== ====================================================================================

and, where something is computed,

=============== ====================================================================================
file            holds
=============== ====================================================================================
``metrics.py``  ``METRICS``, a tuple of :class:`dumbbell.study.Metric`: functions of a run's results
``derived.py``  ``DERIVED``, a tuple of :class:`dumbbell.study.Derived`: metrics made from others
``maps.py``     ``MAPS``, a tuple of :class:`dumbbell.report.MapSpec`
``tables.py``   ``TABLES``, a tuple of :class:`dumbbell.report.TableSpec`
``plots.py``    ``PLOTS``, a tuple of :class:`dumbbell.report.PlotSpec`
``answers.py``  ``ANSWERS``, a tuple of functions that make sentences of the result
``claims.py``   ``CLAIMS``, a tuple of :class:`dumbbell.claims.Claim` that are made of published tables
``figures.py``  ``FIGURES``, a tuple of :class:`dumbbell.report.FigureSpec` whose curves are computed
``entrants.py`` ``GROWN``, a tuple of functions that add what is registered to the study
``studies.py``  ``STUDIES``, a tuple of :class:`Companion`: what a further study computes
=============== ====================================================================================

Examples
--------
>>> from dumbbell import papers
>>> papers.find_paper("campus-web").study(quick=True).arms[1].label
'CUBIC'
"""

from dumbbell.papers.paper import Companion, Paper, PaperError, all_papers, find_paper
from dumbbell.papers.reproduce import Reproduction, reproduce

__all__ = [
    "Companion",
    "Paper",
    "PaperError",
    "Reproduction",
    "all_papers",
    "find_paper",
    "reproduce",
]
