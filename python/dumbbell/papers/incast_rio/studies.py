"""The further studies: other readings of the paper, and the grid."""

from dumbbell.papers.incast_rio.grid import GRID
from dumbbell.papers.incast_rio.readings import READINGS_STUDY

STUDIES = (READINGS_STUDY, GRID)
