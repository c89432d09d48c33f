"""The further studies."""

from dumbbell.papers.rcp_fct.dynamics import CHANGE, NEWCOMER, OUTAGE, ROW, STORM
from dumbbell.papers.rcp_fct.traffic import GAINS, LAWS, MEASURED, STEPS, TCPS

STUDIES = (LAWS, MEASURED, TCPS, GAINS, STEPS, NEWCOMER, STORM, CHANGE, ROW, OUTAGE)
