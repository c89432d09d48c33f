"""CUBIC as Linux computes it, without HyStart."""

from dumbbell.own import (
    MILLISECOND,
    SECOND,
    Ack,
    Control,
    Controller,
    icbrt,
    mul_div,
    param,
)

STALE = 31_250_000
FIRST = 20


class Cubic(Controller):
    """CUBIC, with the tables of the built-in `cubic` with ``hystart = "off"``.

    Windows are whole segments, times nanoseconds.
    """

    scale: int = param(410, ge=1, le=100_000, unit="segments/s^3/1024", source="RFC 9438 section 5.1: 0.4")
    decrease: int = param(717, ge=1, le=1023, unit="1/1024", source="RFC 9438 section 4.6: 0.7")
    fast_convergence: bool = param(True, source="RFC 9438 section 4.7")
    reno_friendly: bool = param(True, source="RFC 9438 section 4.3")
    per_segment: int = 0
    credit: int = 0
    last_max: int = 0
    last_window: int = 0
    last_time: int = 0
    in_epoch: bool = False
    epoch: int = 0
    origin: int = 0
    plateau: int = 0
    delay_min: int = 0
    acked: int = 0
    reno: int = 0
    latest: int = 0

    def on_ack(self, ack: Ack, control: Control) -> None:
        self.latest = ack.now
        settled = not self.in_epoch or ack.now - self.epoch >= SECOND
        if ack.rtt > 0 and settled and (self.delay_min == 0 or ack.rtt < self.delay_min):
            self.delay_min = ack.rtt
        if ack.in_recovery or not ack.window_limited:
            return
        window = control.window // ack.mss
        acked = (ack.acked + ack.mss - 1) // ack.mss
        if control.window < control.threshold:
            added = min(acked, max(0, control.threshold // ack.mss - window))
            window += added
            acked -= added
            control.window = window * ack.mss
            if acked == 0:
                return
        self.tune(ack, window, acked)
        if self.credit >= self.per_segment:
            self.credit = 0
            window += 1
        self.credit += acked
        if self.credit >= self.per_segment:
            window += self.credit // self.per_segment
            self.credit %= self.per_segment
        control.window = window * ack.mss

    on_recovered = on_ack

    def tune(self, ack: Ack, window: int, acked: int) -> None:
        """For how many segments acknowledged the window grows by one."""
        self.acked += acked
        since = ack.now - self.last_time
        if self.last_window == window and since <= STALE:
            return
        if not self.in_epoch or since >= MILLISECOND:
            self.last_window = window
            self.last_time = ack.now
            self.aim(ack, window, acked)
        if self.reno_friendly:
            eighths = 8 * (1024 + self.decrease) // 3 // (1024 - self.decrease)
            per_segment = max(1, window * eighths >> 3)
            if self.acked > per_segment:
                grown = (self.acked - 1) // per_segment
                self.acked -= grown * per_segment
                self.reno += grown
            if self.reno > window:
                self.per_segment = min(self.per_segment, window // (self.reno - window))
        self.per_segment = max(2, self.per_segment)

    def aim(self, ack: Ack, window: int, acked: int) -> None:
        """The cubic function, one smallest round-trip time ahead."""
        if not self.in_epoch:
            self.acked = acked
            self.reno = window
            self.origin = max(self.last_max, window)
            self.plateau = self.cube_root(self.origin - window)
            self.in_epoch = True
            self.epoch = ack.now
        distance = ack.now - self.epoch + self.delay_min - self.plateau
        size = abs(distance)
        # scale * size^3 in 10^-12 segments; a thousand of them make up for what was rounded down.
        change = mul_div(mul_div(size, size, 1_000_000), self.scale * size, 1024 * SECOND)
        change = (change + 1000) // (1000 * SECOND)
        target = self.origin + change if distance >= 0 else max(0, self.origin - change)
        self.per_segment = window // (target - window) if target > window else 100 * window
        if self.last_max == 0:
            self.per_segment = min(self.per_segment, FIRST)

    def cube_root(self, segments: int) -> int:
        """Nanoseconds in which the window grows by so many segments: milliseconds, then Newton's steps."""
        root = icbrt(segments * 1024 * SECOND // self.scale) * MILLISECOND
        if root == 0:
            return 0
        for _ in range(4):
            part = mul_div(segments * 1024 * SECOND, SECOND, self.scale * root)
            root = (2 * root + mul_div(part, SECOND, root)) // 3
        return root

    def on_loss(self, ack: Ack, control: Control) -> None:
        self.cut(ack, control)

    on_ecn = on_loss

    def on_timeout(self, ack: Ack, control: Control) -> None:
        if not ack.repeated:
            self.cut(ack, control)
        self.per_segment = 0
        self.credit = 0
        self.last_max = 0
        self.last_window = 0
        self.in_epoch = False
        self.delay_min = 0
        self.origin = 0
        self.plateau = 0
        self.acked = 0
        self.reno = 0
        control.window = ack.mss

    def on_idle(self, ack: Ack, control: Control) -> None:
        self.epoch = min(self.epoch + ack.now - self.latest, ack.now)
        control.window = min(control.window, ack.initial_window)

    def cut(self, ack: Ack, control: Control) -> None:
        window = control.window // ack.mss
        if self.fast_convergence and window < self.last_max:
            self.last_max = window * (1024 + self.decrease) // 2048
        else:
            self.last_max = window
        self.in_epoch = False
        self.credit = 0
        control.threshold = max(2, ack.flight // ack.mss * self.decrease // 1024) * ack.mss
        control.window = control.threshold
