"""The further studies."""

from dumbbell.papers.rcp_fct.dynamics import CHANGE, NEWCOMER, OUTAGE, ROW, SOME_ROUTERS, STORM
from dumbbell.papers.rcp_fct.traffic import GAINS, LAWS, MEASURED, PATHS, STEPS, TCPS

STUDIES = (LAWS, MEASURED, TCPS, GAINS, PATHS, STEPS, NEWCOMER, STORM, CHANGE, ROW, SOME_ROUTERS, OUTAGE)
