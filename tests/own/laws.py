"""Laws for tests: one that uses every construct of the language."""

NEWRENO = '''
from dumbbell.own import Ack, Control, Controller, param


class NewReno(Controller):
    """TCP NewReno (RFC 5681, RFC 6582)."""

    increase: int = param(1, ge=1, le=1000, unit="segments", source="RFC 5681 section 3.1")
    acked: int = 0

    def half(self, ack: Ack) -> int:
        return max(ack.flight // 2, 2 * ack.mss)

    def on_ack(self, ack, control):
        if ack.in_recovery or not ack.window_limited:
            return
        if control.window < control.threshold:
            control.window += min(ack.acked, ack.growth_limit)
            return
        self.acked += ack.acked
        if self.acked >= control.window:
            self.acked -= control.window
            control.window += self.increase * ack.mss

    def on_loss(self, ack, control):
        self.acked = 0
        control.threshold = self.half(ack)
        control.window = control.threshold

    on_ecn = on_loss

    def on_timeout(self, ack, control):
        self.acked = 0
        if not ack.repeated:
            control.threshold = self.half(ack)
        control.window = ack.mss

    def on_recovered(self, ack, control):
        control.window = min(control.threshold, max(ack.flight, ack.mss) + ack.mss)

    def on_idle(self, ack, control):
        control.window = min(control.window, ack.initial_window)
'''

EVERYTHING = '''
"""Every construct of the language."""

from __future__ import annotations

from dumbbell.own import (
    MILLISECOND, NEVER, RATE_SHIFT, UNLIMITED, Ack, Array, Control, Controller, Enum, Sent, array, clamp,
    icbrt, isqrt, mul_div, param, random, real, real_add, real_div, real_int, real_mul, real_sub, state,
    windowed_max, windowed_min,
)

STEPS = 3
HIGH = 1 << 62


class Phase(Enum):
    """Where it is."""

    START = 0
    PROBE = 1
    DRAIN = 2


class Everything(Controller, kind="model", needs="repairs", exchange="xcp"):
    """Uses everything."""

    gain: int = param(7, ge=-100, le=100, unit="1/8", source="made up")
    first: Phase = param(Phase.START)
    swift: bool = param(True)
    phase: Phase = Phase.START
    count: int = 0
    big: int = -9223372036854775807
    flag: bool = False
    best: int = state(0, unit="rate")
    ring: Array = array(5, fill=-1)
    samples: Array = array(7)
    least: Array = array(7)

    def fold(self, ack: Ack, x: int, y: int) -> int:
        z = x * 3 - y // 7 + x % 5
        if z > ack.mss and not self.flag:
            return z & 0xFFFF | y ^ x
        for i in range(STEPS):
            z += self.ring[i] - i
            if z < 0:
                break
            if z == 5:
                continue
            z = z << 1
        return z

    def bump(self, by: int) -> int:
        self.count += by
        if self.count > 1000:
            self.count = 0
            return -1
        return self.count

    def fill(self, which: Array, at: int, value: int):
        which[at] = value
        which[at + 1] += value >> 2

    def parity(self, x: int) -> bool:
        return x % 2 == 0

    def search(self, ack: Ack, which: Array, wanted: int) -> int:
        """Large, and called in more than one place, with more than one array."""
        for i in range(5):
            if which[i] == wanted:
                return i
            for j in range(3):
                if which[j] > ack.mss + i:
                    break
                which[j] += wanted % 5 - j
        found = real_int(real_div(real(wanted), real_add(real(which[0]), real(ack.mss))))
        return found if found > 3 else self.half_of(self.half_of(wanted, ack.acked), found)

    def half_of(self, x: int, y: int) -> int:
        """Large, called within its own arguments."""
        low = min(x, y) // 2 - x % 3 + (x & 7) - (y >> 3) + max(x, 5) % 7
        high = max(x, y) // 2 + y % 3 - (y & 5) + (x >> 2) - min(y, 9) % 4
        if low > high:
            return low - high
        return high - low + (x ^ y) % 11

    def decide(self, ack: Ack, control: Control, extra: int):
        control.window = ack.flight + extra
        control.quantum = extra

    def on_start(self, ack, control):
        self.phase = self.first
        drawn = random()
        self.big ^= drawn
        control.window = 10 * ack.mss

    def on_ack(self, ack, control):
        self.big = self.big * 31 + ack.acked
        bumped = self.bump(ack.acked % 13)
        value = self.fold(ack, bumped, self.big)
        self.best = windowed_max(self.samples, 10, ack.round, ack.rate)
        lowest = windowed_min(self.least, 200 * MILLISECOND, ack.now, ack.rtt)
        self.fill(self.ring, bumped, value)
        self.fill(self.ring, self.big, lowest)
        if self.phase == Phase.START and ack.rate > 0 or ack.app_limited:
            self.phase = Phase.PROBE
        elif self.phase == Phase.PROBE and 1 < bumped < 5 <= ack.round:
            self.phase = Phase.DRAIN if self.parity(bumped) else Phase.START
        else:
            x = 0 if self.flag else 1
            self.count += x
            self.flag = not self.flag or self.swift and bumped != 3
        root = isqrt(self.big) + icbrt(value) * icbrt(HIGH) - abs(value)
        control.window = clamp(mul_div(self.best, self.gain, root) >> RATE_SHIFT, ack.mss, HIGH)
        control.pacing = mul_div(self.best, self.gain, 8)
        control.wake_at = ack.now + lowest if lowest != 0 else NEVER
        at = self.search(ack, self.ring, bumped)
        other = self.search(ack, self.samples, value % 9)
        self.count += self.half_of(self.half_of(at, other), self.half_of(other, at)) % 100
        part = real_sub(real_mul(real(self.count), real_div(real(at), real(7))), real(other))
        control.quantum = real_int(part)
        for j in range(4, -1, -2):
            self.ring[j] += int(self.flag) + self.ring[self.count] * j

    def on_loss(self, ack, control):
        control.threshold = -self.big
        control.window = ~control.window // (ack.flight - 7)
        self.decide(ack, control, min(ack.lost, ack.marked, 77))

    on_ecn = on_loss

    def on_timeout(self, ack, control):
        if ack.repeated:
            return
        drawn: int = random()
        control.request = drawn - self.big
        self.flag = bool(drawn & 1)

    def on_lost(self, ack, control):
        self.count -= ack.rate_lost + ack.rate_in_flight * ack.rate_packets
        control.threshold = max(control.threshold, UNLIMITED - ack.rate_prior_delivered)

    def on_undone(self, ack, control):
        self.big = self.big << self.count
        self.count = self.big >> (self.count % 70 - 3)

    def on_wake(self, ack, control):
        self.big = self.big // self.count % (self.count - 1)
        pass

    def on_sent(self, sent, control):
        if sent.again:
            self.big += sent.bytes * sent.flight
        else:
            self.count = sent.now // MILLISECOND
'''
