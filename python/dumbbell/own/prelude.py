"""Functions of the language that are written in it: each is a helper of every law that calls it."""

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
'''

FUNCTIONS = frozenset({"windowed_max", "windowed_min"})
"""Those that a law may call; the others are their own helpers."""
