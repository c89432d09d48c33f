"""Real numbers of the language are those of the processor, bit for bit."""

from __future__ import annotations

import math
import random
import struct

from dumbbell import own


def bits(number: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", number))[0])


def drawn(rng: random.Random) -> float:
    """Draw a real number: whole ones, small ones, long ones, powers of two."""
    match rng.randrange(4):
        case 0:
            return float(rng.randrange(-1000, 1000))
        case 1:
            return rng.uniform(-1, 1) * 10.0 ** rng.randrange(-12, 15)
        case 2:
            return math.ldexp(rng.randrange(1 << 53) | 1 << 52, rng.randrange(-80, 20)) * rng.choice((1, -1))
        case _:
            return math.ldexp(rng.randrange(1, 64), rng.randrange(-60, 60))


def test_they_reckon_like_the_processor() -> None:
    rng = random.Random(5)
    for _ in range(4000):
        a, b = drawn(rng), drawn(rng)
        if rng.random() < 0.2:
            # Numbers that nearly cancel.
            b = -a * (1 + rng.randrange(-3, 3) * 2.0**-52)
        expected = (a + b, a - b, a * b, a / b if b else 0.0)
        found = tuple(f(bits(a), bits(b)) for f in (own.real_add, own.real_sub, own.real_mul, own.real_div))
        assert found == tuple(bits(number + 0.0) for number in expected), (a, b)


def test_whole_numbers_come_and_go() -> None:
    rng = random.Random(6)
    for number in (
        0,
        1,
        -1,
        2**63 - 1,
        -(2**63),
        *(rng.randrange(-(2**63), 2**63) >> i % 64 for i in range(2000)),
    ):
        assert own.real(number) == bits(float(number)), number
    for a in (drawn(rng) for _ in range(2000)):
        assert own.real_int(bits(a)) == max(1 - 2**63, min(2**63 - 1, int(a))), a


def test_what_has_no_value_gives_one() -> None:
    infinity, largest, least = bits(math.inf), bits(1.7976931348623157e308), bits(2.0**-1022)
    assert own.real_div(bits(5.0), 0) == own.real_div(bits(5.0), bits(-0.0)) == 0
    assert own.real_add(largest, largest) == own.real_mul(largest, bits(2.0)) == infinity
    assert own.real_mul(least, bits(0.5)) == own.real_div(least, bits(4.0)) == 0
    assert own.real_sub(bits(3.0), bits(3.0)) == 0
    assert own.real_int(infinity) == 2**63 - 1


def test_plain_python_has_the_functions_too() -> None:
    samples = own.array(7)
    assert [own.windowed_max(samples, 10, now, 100 - now) for now in (0, 5, 11)] == [100, 100, 95]
    least = own.array(7)
    assert [own.windowed_min(least, 10, now, 100 + now) for now in (0, 5, 11)] == [100, 100, 105]
    assert 0 <= own.random() < 2**63
    assert own.random() != own.random()
    short = own.array(3)
    short[5] = 1
    assert short[5] == 0
    assert own.windowed_max(short, 10, 1, 7) == 7
