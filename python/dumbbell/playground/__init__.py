"""The playground: a page with the simulator inside, and a server that compiles laws for it."""

from dumbbell.playground.compiling import compile_law
from dumbbell.playground.page import PlaygroundError, built_page
from dumbbell.playground.serving import Served

__all__ = ["PlaygroundError", "Served", "built_page", "compile_law"]
