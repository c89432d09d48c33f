"""The further studies: other readings of the paper, of RIO's law, and the grid."""

from dumbbell.papers.incast_rio.fit import FIT
from dumbbell.papers.incast_rio.grid import GRID
from dumbbell.papers.incast_rio.law import LAW
from dumbbell.papers.incast_rio.readings import READINGS_STUDY

STUDIES = (READINGS_STUDY, LAW, FIT, GRID)
