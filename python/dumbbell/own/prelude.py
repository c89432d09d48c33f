"""Functions of the language that are written in it: each is a helper of every law that calls it.

A real number is a whole one that holds its bits: double precision of IEEE 754, rounded to nearest, halves to
even, as in processors. So a law computes like a controller in floating point, on machines without any.
Numbers below 2^-1022 are 0, numbers that are too large are infinity, and infinity counts as 2^1024.
"""

TEXT = '''
class Prelude(Controller):
    def windowed_max(self, samples: Array, window: int, now: int, value: int) -> int:
        """The largest value of the last `window`; samples is an array of 7."""
        if samples[6] == 0 or value >= samples[1] or now - samples[4] > window:
            samples[6] = 1
            for i in range(3):
                samples[2 * i] = now
                samples[2 * i + 1] = value
            return value
        if value >= samples[3]:
            samples[2] = now
            samples[3] = value
            samples[4] = now
            samples[5] = value
        elif value >= samples[5]:
            samples[4] = now
            samples[5] = value
        self.age_samples(samples, window, now, value)
        return samples[1]

    def windowed_min(self, samples: Array, window: int, now: int, value: int) -> int:
        """The smallest value of the last `window`; samples is an array of 7."""
        if samples[6] == 0 or value <= samples[1] or now - samples[4] > window:
            samples[6] = 1
            for i in range(3):
                samples[2 * i] = now
                samples[2 * i + 1] = value
            return value
        if value <= samples[3]:
            samples[2] = now
            samples[3] = value
            samples[4] = now
            samples[5] = value
        elif value <= samples[5]:
            samples[4] = now
            samples[5] = value
        self.age_samples(samples, window, now, value)
        return samples[1]

    def age_samples(self, samples: Array, window: int, now: int, value: int):
        for i in range(2):
            if now - samples[0] <= window:
                break
            for j in range(4):
                samples[j] = samples[j + 2]
            samples[4] = now
            samples[5] = value
        age = now - samples[0]
        if samples[2] == samples[0] and age > window // 4:
            samples[2] = now
            samples[3] = value
            samples[4] = now
            samples[5] = value
        elif samples[4] == samples[2] and age > window // 2:
            samples[4] = now
            samples[5] = value

    def real(self, number: int) -> int:
        """The real number nearest to a whole one."""
        if number == 0:
            return 0
        size = abs(number)
        exponent = 1023 + 61
        if size < 0:
            return number | 1023 + 63 << 52
        if size >= 1 << 62:
            return self.real_of(number, exponent + 1, size >> 1 | size & 1)
        return self.real_normal(number, exponent, size)

    def real_int(self, a: int) -> int:
        """The whole number of a real one, what follows the point left out."""
        by = (a >> 52 & 2047) - 1075
        size = a & (1 << 52) - 1 | 1 << 52
        if by < -52:
            return 0
        if by > 10:
            size = (1 << 63) - 1
        elif by < 0:
            size = size >> -by
        else:
            size = size << by
        return -size if a < 0 else size

    def real_add(self, a: int, b: int) -> int:
        """The sum of two real numbers."""
        large = a
        small = b
        if a & (1 << 63) - 1 < b & (1 << 63) - 1:
            large = b
            small = a
        exponent = large >> 52 & 2047
        by = exponent - (small >> 52 & 2047)
        if by == exponent:
            return large if exponent != 0 else 0
        m = (large & (1 << 52) - 1 | 1 << 52) << 9
        n = (small & (1 << 52) - 1 | 1 << 52) << 9
        # What is shifted out leaves a trace in the last bit, for the rounding.
        rest = n & (1 << by) - 1
        n = n >> by
        if rest != 0:
            n = n | 1
        if a ^ b >= 0:
            m += n
            if m >= 1 << 62:
                return self.real_of(large, exponent + 1, m >> 1 | m & 1)
            return self.real_of(large, exponent, m)
        return self.real_normal(large, exponent, m - n)

    def real_sub(self, a: int, b: int) -> int:
        """The difference of two real numbers."""
        return self.real_add(a, b ^ 1 << 63)

    def real_mul(self, a: int, b: int) -> int:
        """The product of two real numbers."""
        x = a >> 52 & 2047
        y = b >> 52 & 2047
        if x == 0 or y == 0:
            return 0
        m = a & (1 << 52) - 1 | 1 << 52
        n = b & (1 << 52) - 1 | 1 << 52
        product = mul_div(m, n, 1 << 43)
        if m * n & (1 << 43) - 1 != 0:
            product = product | 1
        if product >= 1 << 62:
            return self.real_of(a ^ b, x + y - 1022, product >> 1 | product & 1)
        return self.real_of(a ^ b, x + y - 1023, product)

    def real_div(self, a: int, b: int) -> int:
        """The quotient of two real numbers; 0 if the second is 0."""
        x = a >> 52 & 2047
        y = b >> 52 & 2047
        if x == 0 or y == 0:
            return 0
        m = a & (1 << 52) - 1 | 1 << 52
        n = b & (1 << 52) - 1 | 1 << 52
        quotient = mul_div(m, 1 << 62, n)
        if quotient * n != m << 62:
            quotient = quotient | 1
        if quotient >= 1 << 62:
            return self.real_of(a ^ b, x - y + 1023, quotient >> 1 | quotient & 1)
        return self.real_of(a ^ b, x - y + 1022, quotient)

    def real_normal(self, sign: int, exponent: int, size: int) -> int:
        if size == 0:
            return 0
        m = size
        e = exponent
        for i in range(6):
            by = 32 >> i
            if m < 1 << 62 - by:
                m = m << by
                e -= by
        return self.real_of(sign, e, m)

    def real_of(self, sign: int, exponent: int, size: int) -> int:
        """Rounds 62 bits to 53, halves to even, and puts them together."""
        if exponent < 1:
            return 0
        rest = size & 511
        m = size >> 9
        if rest > 256 or rest == 256 and m & 1 == 1:
            m += 1
        return sign & 1 << 63 | min((exponent << 52) + m - (1 << 52), 2047 << 52)
'''

FUNCTIONS = frozenset(
    {
        "windowed_max", "windowed_min", "real", "real_add", "real_sub", "real_mul", "real_div", "real_int",
    }
)  # fmt: skip
"""Those that a law may call; the others are their own helpers."""
