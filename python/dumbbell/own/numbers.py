"""Arithmetic of laws, as the machine has it: 64 bits that wrap, and no operation without a value."""

from __future__ import annotations

import math
from collections.abc import Callable

LEAST, MOST = -(2**63), 2**63 - 1


def wrap(number: int) -> int:
    """Return a number in 64 bits, signed."""
    return (number + 2**63) % 2**64 - 2**63


def saturate(number: int) -> int:
    """Return the nearest number that has 64 bits, signed."""
    return max(LEAST, min(MOST, number))


def div(a: int, b: int) -> int:
    """Return the quotient, rounded down; 0 if `b` is 0."""
    return wrap(a // b) if b else 0


def rem(a: int, b: int) -> int:
    """Return what `div` leaves; 0 if `b` is 0."""
    return a % b if b else 0


def mul_div(a: int, b: int, c: int) -> int:
    """Return ``a * b // c`` without overflow between, saturated; 0 if `c` is 0."""
    if c == 0:
        return 0
    product = a * b
    quotient = product // c
    # A product that fits is divided like any other number.
    return wrap(quotient) if LEAST < product <= MOST else saturate(quotient)


def shl(a: int, by: int) -> int:
    """Return bits moved up; none by 0 or less, all lost by 64 or more."""
    return a if by <= 0 else 0 if by > 63 else wrap(a << by)


def shr(a: int, by: int) -> int:
    """Return bits moved down, the sign kept; none by 0 or less."""
    return a >> max(0, min(63, by))


def isqrt(a: int) -> int:
    """Return the square root, rounded down; 0 of a negative number."""
    return math.isqrt(a) if a > 0 else 0


def icbrt(a: int) -> int:
    """Return the cube root, rounded down; 0 of a negative number."""
    root = 0
    for bit in range(20, -1, -1):
        if (root + (1 << bit)) ** 3 <= a:
            root += 1 << bit
    return root


BINARY: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: wrap(a + b),
    "-": lambda a, b: wrap(a - b),
    "*": lambda a, b: wrap(a * b),
    "//": div,
    "%": rem,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": shl,
    ">>": shr,
    "min": min,
    "max": max,
}
"""Operations of two numbers."""
