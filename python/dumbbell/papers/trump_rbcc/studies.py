"""What Python adds to the further studies: what is made of the published tables, and the joint answer."""

from __future__ import annotations

from dumbbell.papers import Companion
from dumbbell.papers.trump_rbcc.claims import CLAIMS
from dumbbell.papers.trump_rbcc.joint import JOINT
from dumbbell.papers.trump_rbcc.plots import PLOTS
from dumbbell.papers.trump_rbcc.tables import TABLES

STUDIES = (Companion("held-apart", claims=CLAIMS, tables=TABLES, plots=PLOTS), JOINT)
