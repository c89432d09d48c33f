"""TCP against link capacity scaling: Panarello et al., e-Energy 2012."""
