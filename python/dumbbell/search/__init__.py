"""Search over readings of a paper: which values of what it leaves open make its published numbers.

A *reading* is a choice of values for what a source leaves open. The search tries readings by a Sobol
sequence, goes on with the best at more seeds, improves on them locally (CMA-ES), and judges the winners at
seeds that the search has not seen. What it finds is a fit; the result says how many readings were tried.
"""

from dumbbell.search.run import SearchResult, Tried, run_search
from dumbbell.search.spec import Factor, Search, SearchError, Target
from dumbbell.search.write import write_search

__all__ = [
    "Factor",
    "Search",
    "SearchError",
    "SearchResult",
    "Target",
    "Tried",
    "run_search",
    "write_search",
]
