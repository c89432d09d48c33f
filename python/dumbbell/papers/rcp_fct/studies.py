"""The further studies."""

from dumbbell.papers.rcp_fct.traffic import GAINS, LAWS, STEPS, TCPS

STUDIES = (LAWS, TCPS, GAINS, STEPS)
