"""The same works on other simulators."""
