"""Completion time of campus web traffic against load, NewReno against CUBIC."""
