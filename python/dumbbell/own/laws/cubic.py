"""CUBIC as Linux computes it, with HyStart."""

from dumbbell.own import (
    MILLISECOND,
    SECOND,
    UNLIMITED,
    UNPACED,
    Ack,
    Control,
    Controller,
    Enum,
    clamp,
    icbrt,
    mul_div,
    param,
)

STALE = 31_250_000
FIRST = 20
LOW_WINDOW = 16
ACK_GAP = 2 * MILLISECOND
SAMPLES = 8
CAREFUL_ROUNDS = 5
LIMIT = 8


class HyStart(Enum):
    """What ends slow start before a loss."""

    OFF = 0
    LINUX = 1
    LINUX_66 = 2
    RFC9406 = 3


class Pace(Enum):
    """Slow start grows by all that is acknowledged, by `LIMIT` segments at most, by a quarter of that."""

    FULL = 0
    LIMITED = 1
    QUARTER = 2


class Cubic(Controller):
    """CUBIC, with the tables of the built-in `cubic`.

    Windows are whole segments, times nanoseconds.
    """

    scale: int = param(410, ge=1, le=100_000, unit="segments/s^3/1024", source="RFC 9438 section 5.1: 0.4")
    decrease: int = param(717, ge=1, le=1023, unit="1/1024", source="RFC 9438 section 4.6: 0.7")
    ecn_decrease: int = param(0, ge=0, le=1023, unit="1/1024", source="RFC 9438 section 4.6; 0: as a loss")
    hystart: HyStart = param(HyStart.LINUX, source="Linux 6.14 net/ipv4/tcp_cubic.c")
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
    part: int = 0
    reno: int = 0
    latest: int = 0
    found: bool = False
    round_end: int = 0
    round_began: int = 0
    train: int = 0
    least: int = UNLIMITED
    least_before: int = UNLIMITED
    samples: int = 0
    careful: int = -1
    baseline: int = 0

    def on_ack(self, ack: Ack, control: Control) -> None:
        self.latest = ack.now
        settled = not self.in_epoch or ack.now - self.epoch >= SECOND
        pace = Pace.FULL
        if ack.rtt > 0 and settled:
            if self.delay_min == 0 or ack.rtt < self.delay_min:
                self.delay_min = ack.rtt
            if control.window < control.threshold:
                pace = self.slow_start(ack, control)
        acked = (ack.acked + ack.mss - 1) // ack.mss
        if ack.acked < ack.mss:
            # A segment counts when all of it is acknowledged.
            acked = (self.part + ack.acked) // ack.mss
            self.part = (self.part + ack.acked) % ack.mss
        if ack.in_recovery or not ack.window_limited:
            return
        window = control.window // ack.mss
        if control.window < control.threshold:
            if pace != Pace.FULL:
                acked = min(acked, LIMIT)
            if pace == Pace.QUARTER:
                grown = self.grown(4, acked)
                control.window = (window + grown) * ack.mss
                return
            added = min(acked, max(0, control.threshold // ack.mss - window))
            window += added
            acked -= added
            control.window = window * ack.mss
            if acked == 0:
                return
        self.tune(ack, window, acked)
        grown = self.grown(self.per_segment, acked)
        control.window = (window + grown) * ack.mss

    on_recovered = on_ack

    def grown(self, per_segment: int, acked: int) -> int:
        """One segment for so many acknowledged."""
        more = 0
        if self.credit >= per_segment:
            self.credit = 0
            more = 1
        self.credit += acked
        if self.credit >= per_segment:
            more += self.credit // per_segment
            self.credit %= per_segment
        return more

    def slow_start(self, ack: Ack, control: Control) -> Pace:
        """HyStart: ends slow start by lowering the threshold to the window."""
        if self.found or self.hystart == HyStart.OFF:
            return Pace.FULL
        large = control.window >= LOW_WINDOW * ack.mss
        if ack.delivered > self.round_end and (large or self.hystart != HyStart.LINUX_66):
            self.begin_round(ack)
            if self.careful >= CAREFUL_ROUNDS:
                self.found = True
                control.threshold = control.window
        if self.found:
            return Pace.FULL
        if self.hystart == HyStart.RFC9406:
            self.plus_plus(ack)
            if self.careful >= 0:
                return Pace.QUARTER
            return Pace.LIMITED if control.pacing == UNPACED else Pace.FULL
        if large:
            self.found = self.is_long_train(ack, control)
            if not self.found:
                self.found = self.is_late(ack)
            if self.found:
                control.threshold = control.window
        return Pace.FULL

    def begin_round(self, ack: Ack) -> None:
        self.round_end = ack.delivered + ack.flight
        self.round_began = ack.now
        self.train = ack.now
        self.least_before = self.least
        self.least = UNLIMITED
        self.samples = 0
        if self.careful >= 0:
            self.careful += 1

    def is_long_train(self, ack: Ack, control: Control) -> bool:
        """Acknowledgements follow each other for half a round trip: the window fills the path."""
        if ack.now - self.train > ACK_GAP:
            return False
        self.train = ack.now
        # Four segments of 64 kB at two windows a round trip, to the nearest nanosecond: at most 1 ms.
        bunched = (mul_div(4 * 65_536, ack.smoothed_rtt, control.window) + 1) // 2
        # Paced, a window takes half a round trip even where nothing is full.
        parts = 2 if control.pacing == UNPACED else 1
        return ack.now - self.round_began > (self.delay_min + min(bunched, MILLISECOND)) // parts

    def is_late(self, ack: Ack) -> bool:
        """Round trips take longer than the shortest did: a queue grows."""
        self.least = min(self.least, ack.rtt)
        if self.samples < SAMPLES:
            self.samples += 1
            return False
        return self.least > self.delay_min + self.eighth(self.delay_min)

    def eighth(self, delay: int) -> int:
        return clamp(delay // 8, 4 * MILLISECOND, 16 * MILLISECOND)

    def plus_plus(self, ack: Ack) -> None:
        """RFC 9406 section 4.2."""
        self.least = min(self.least, ack.rtt)
        self.samples += 1
        if self.samples < SAMPLES:
            return
        if self.careful >= 0:
            # The delay was none: back to slow start.
            if self.least < self.baseline:
                self.careful = -1
        elif self.least_before != UNLIMITED and self.least >= self.least_before + self.eighth(
            self.least_before
        ):
            self.careful = 0
            self.baseline = self.least

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
        self.cut(ack, control, self.decrease)

    def on_ecn(self, ack: Ack, control: Control) -> None:
        left = self.decrease if self.ecn_decrease == 0 else self.ecn_decrease
        # A window that doubles outgrows any queue: there a mark leaves no more than a loss.
        self.cut(ack, control, min(left, self.decrease) if control.window < control.threshold else left)

    def on_timeout(self, ack: Ack, control: Control) -> None:
        if not ack.repeated:
            self.cut(ack, control, self.decrease)
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
        # HyStart++ is for the first slow start (RFC 9406 section 4.1).
        self.found = self.hystart == HyStart.RFC9406
        self.round_end = 0
        self.round_began = 0
        self.train = 0
        self.least = UNLIMITED
        self.least_before = UNLIMITED
        self.samples = 0
        self.careful = -1
        control.window = ack.mss

    def on_idle(self, ack: Ack, control: Control) -> None:
        self.epoch = min(self.epoch + ack.now - self.latest, ack.now)
        control.window = min(control.window, ack.initial_window)

    def cut(self, ack: Ack, control: Control, left: int) -> None:
        window = control.window // ack.mss
        if self.fast_convergence and window < self.last_max:
            self.last_max = window * (1024 + self.decrease) // 2048
        else:
            self.last_max = window
        self.in_epoch = False
        self.credit = 0
        self.found = self.found or self.hystart == HyStart.RFC9406
        control.threshold = max(2, ack.flight // ack.mss * left // 1024) * ack.mss
        control.window = control.threshold
