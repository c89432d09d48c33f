"""Generators of files that follow from the registry."""
