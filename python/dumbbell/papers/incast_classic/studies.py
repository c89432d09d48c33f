"""The further studies: what else the publications measured, by the numbers of README.md."""

from dumbbell.papers.incast_classic.marks import DCTCP, MARKS
from dumbbell.papers.incast_classic.network import BLOCK, BUFFER, FAN_IN
from dumbbell.papers.incast_classic.receivers import RECEIVERS
from dumbbell.papers.incast_classic.remedies import REMEDIES
from dumbbell.papers.incast_classic.sawtooth import SAWTOOTH
from dumbbell.papers.incast_classic.timers import DELAYED, SMALL

STUDIES = (BUFFER, BLOCK, DELAYED, FAN_IN, SMALL, DCTCP, SAWTOOTH, RECEIVERS, MARKS, REMEDIES)
