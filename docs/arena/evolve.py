"""Evolution of a law: mutations of two small formulas and of their numbers, from AIMD on.

    python docs/arena/evolve.py 60 evolved.py

Each law is a tree for the growth of the window in a round-trip time, and one for what is left after a loss,
both in 1024ths: of a segment, of the window. Children are tried on half of the networks, and the best of them
on all. What counts is the least by which a law beats AIMD in the three train scores. The held-out score is
computed once, at the end, and printed next to it.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeAlias

from dumbbell import arena
from dumbbell.errors import DumbbellError
from dumbbell.own.native import choose

Tree: TypeAlias = "str | int | tuple[str, Tree, Tree]"

LEAVES = ("stretch", "losses", "window")
"""Round-trip time over the least, losses so far at most 8, window in segments, all in 1024ths."""
OPERATORS = ("+", "-", "*", "/", "min", "max")
AIMD: tuple[Tree, Tree] = (1024, 512)
LAW = '''"""A law that evolution has found: growth {growth}; left after a loss {left}."""

from dumbbell.own import Ack, Control, Controller, clamp, mul_div


class Evolved(Controller):
    """Grows by a formula of the round-trip time, and leaves another part of the window after a loss."""

    lost: int = 0

    def on_ack(self, ack: Ack, control: Control) -> None:
        if ack.in_recovery or not ack.window_limited:
            return
        if control.window < control.threshold and ack.rtt < 2 * ack.min_rtt:
            control.window += min(ack.acked, ack.growth_limit)
            return
        stretch = clamp(mul_div(1024, ack.smoothed_rtt, max(1, ack.min_rtt)), 1024, 16384)
        losses = 1024 * self.lost
        window = mul_div(1024, control.window, ack.mss)
        growth = clamp({growth_code}, -16384, 65536)
        control.window += mul_div(mul_div(growth, ack.mss, 1024), ack.acked, control.window)
        control.window = max(2 * ack.mss, control.window)

    def on_loss(self, ack: Ack, control: Control) -> None:
        stretch = clamp(mul_div(1024, ack.smoothed_rtt, max(1, ack.min_rtt)), 1024, 16384)
        losses = 1024 * self.lost
        window = mul_div(1024, control.window, ack.mss)
        left = clamp({left_code}, 128, 960)
        control.threshold = max(2 * ack.mss, mul_div(ack.flight, left, 1024))
        control.window = control.threshold
        self.lost = min(8, self.lost + 1)

    on_ecn = on_loss

    def on_timeout(self, ack: Ack, control: Control) -> None:
        if not ack.repeated:
            control.threshold = max(2 * ack.mss, ack.flight // 2)
        control.window = ack.mss
'''


def code(tree: Tree) -> str:
    """Return a tree in the language of laws; products and quotients keep the unit of 1024ths."""
    if not isinstance(tree, tuple):
        return str(tree)
    operator, left, right = tree
    a, b = code(left), code(right)
    match operator:
        case "*":
            return f"mul_div({a}, {b}, 1024)"
        case "/":
            return f"mul_div({a}, 1024, max(1, {b}))"
        case "min" | "max":
            return f"{operator}({a}, {b})"
    return f"({a} {operator} {b})"


def law(trees: Sequence[Tree]) -> str:
    """Return the text of a law."""
    growth, left = (code(tree) for tree in trees)
    return LAW.format(growth=growth, left=left, growth_code=growth, left_code=left)


def grown(draw: random.Random, depth: int) -> Tree:
    """Return a tree of chance; numbers are powers of two."""
    if depth == 0 or draw.random() < 0.3:
        return draw.choice((*LEAVES, "stretch", 2 ** draw.randint(7, 13)))
    return (draw.choice(OPERATORS), grown(draw, depth - 1), grown(draw, depth - 1))


def mutated(tree: Tree, draw: random.Random, depth: int = 2) -> Tree:
    """Return a tree with one change: a part that is new, a part more or less, an operator, a number."""
    if isinstance(tree, tuple) and draw.random() < 0.7:
        operator, left, right = tree
        match draw.choice(("operator", "less", "left", "right", "left", "right")):
            case "operator":
                return (draw.choice(OPERATORS), left, right)
            case "less":
                return draw.choice((left, right))
            case "left":
                return (operator, mutated(left, draw, depth - 1), right)
        return (operator, left, mutated(right, draw, depth - 1))
    if isinstance(tree, int) and draw.random() < 0.3:
        return round(tree * 2 ** draw.gauss(0, 0.5))
    if draw.random() < 0.5:
        return grown(draw, max(depth, 0))
    return (draw.choice(OPERATORS), tree, grown(draw, max(depth - 1, 0))) if depth > 0 else tree


def scores(trees: Sequence[Tree], each: int = 20, held_out: bool = False) -> tuple[list[float], list[float]]:
    """Return the three scores of a law, and the mean lower end of the groups of each; zeros if it is none."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "evolved.py"
        path.write_text(law(trees), encoding="utf-8")
        try:
            found = arena.score(f"{path}:Evolved", set="held-out" if held_out else "train", each=each)
        except DumbbellError:
            return [0.0] * 3, [0.0] * 3
    ends = [[estimate.low or 0.0 for of, _, estimate in found.groups if of == name] for name in found.marks]
    return [mark.value for mark in found.marks.values()], [sum(own) / len(own) for own in ends]


def gain(found: tuple[list[float], list[float]], start: tuple[list[float], list[float]]) -> float:
    """Return the least by which the three scores are better, and a little of what all groups gain.

    The least alone is flat: most changes of a law do not touch the group that decides.
    """
    least, groups = ([a - b for a, b in zip(*pair, strict=True)] for pair in zip(found, start, strict=True))
    return min(least) + 0.2 * sum(groups)


def child_of(trees: Sequence[Tree], draw: random.Random) -> Sequence[Tree]:
    """Return a law with one to three changes."""
    changed = list(trees)
    for _ in range(draw.choice((1, 1, 2, 3))):
        place = draw.randrange(len(changed))
        changed[place] = mutated(changed[place], draw)
    return changed


def evolve(
    seconds: float, seed: int = 1, workers: int = 2, each: int = 20
) -> tuple[Sequence[Tree], list[tuple[int, float]]]:
    """Return the best law, and the curve: laws tried, and the gain over AIMD on train."""
    draw = random.Random(seed)
    until = time.monotonic() + seconds
    # Byte code gives the same scores, and needs no compiler for each law.
    with ProcessPoolExecutor(workers, initializer=choose, initargs=("bytecode",)) as pool:
        start = pool.submit(scores, AIMD, each).result()
        look = pool.submit(scores, AIMD, each // 2).result()
        population: list[tuple[float, Sequence[Tree]]] = [(0.0, AIMD)]
        tried, curve = 1, [(1, 0.0)]
        while time.monotonic() < until:
            parents = [
                max(draw.choices(population, k=3), key=lambda entry: entry[0])[1] for _ in range(4 * workers)
            ]
            children = [child_of(parent, draw) for parent in parents]
            first = list(pool.map(scores, children, [each // 2] * len(children)))
            tried += len(children)
            # Half of the networks show which children are worth all of them.
            ranked = sorted(zip(first, children, strict=True), key=lambda pair: -gain(pair[0], look))[
                :workers
            ]
            kept = [child for _, child in ranked]
            for child, found in zip(kept, pool.map(scores, kept, [each] * len(kept)), strict=True):
                population.append((gain(found, start), child))
            population = sorted(population, key=lambda entry: -entry[0])[:8]
            if population[0][0] > curve[-1][1]:
                curve.append((tried, population[0][0]))
    return population[0][1], [*curve, (tried, population[0][0])]


if __name__ == "__main__":
    best, curve = evolve(float(sys.argv[1]))
    print("laws tried, gain over AIMD on train:", "; ".join(f"{tried} {value:.3f}" for tried, value in curve))
    for name, trees in (("AIMD", AIMD), ("best", best)):
        for drawn, held_out in (("train", False), ("held-out", True)):
            three, _ = scores(trees, held_out=held_out)
            print(f"{name} {drawn}: throughput, latency, coexistence", *(f"{value:.3f}" for value in three))
    Path(sys.argv[2]).write_text(law(best), encoding="utf-8")
