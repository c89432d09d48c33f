"""Flows of BBR, Prague and Copa that share a link with flows of CUBIC."""
