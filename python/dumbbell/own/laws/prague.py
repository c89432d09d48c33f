"""Prague: cuts by the share of marks, says that it is scalable, and grows alike on all short paths."""

from dumbbell.own import (
    MILLISECOND,
    RATE_SHIFT,
    SECOND,
    Ack,
    Control,
    Controller,
    mul_div,
    param,
    real,
    real_add,
    real_div,
    real_int,
    real_mul,
    real_sub,
    state,
)


class Prague(Controller, needs="scalable"):
    """Prague (draft-briscoe-iccrg-prague-congestion-control-04), with the tables of the built-in `prague`.

    That reckons in floating point. So does this one, in whole numbers that hold the bits of real ones.
    """

    gain: int = param(64, ge=1, le=1024, unit="1/1024", source="section 2.4.2: 1/16")
    initial_alpha: int = param(1024, ge=0, le=1024, unit="1/1024", source="tcp_prague.c: PRAGUE_MAX_ALPHA")
    least_rtt: int = param(
        25 * MILLISECOND, ge=0, le=10 * SECOND, unit="ns", source="section 2.4.4: not faster below"
    )
    transition: int = param(500, ge=0, unit="round trips", source="section 2.4.4")
    decrease: int = param(
        512, ge=1, le=1023, unit="1/1024", source="RFC 9331 section 4.3, RFC 5681 equation 4"
    )
    alpha: int = state(0, unit="real")
    seen: bool = False
    acked: int = 0
    marked: int = 0
    window_end: int = 0
    began: int = 0
    rounds: int = 0
    cut_until: int = 0
    cut_at: int = 0
    part: int = 0

    def share(self, parts: int) -> int:
        """A parameter in 1024ths as a real number."""
        return real_div(real(parts), real(1024))

    def round_trip(self, ack: Ack) -> int:
        """How long a round trip is taken to be."""
        return max(ack.smoothed_rtt, self.least_rtt) if self.rounds >= self.transition else ack.smoothed_rtt

    def is_over(self, ack: Ack, end: int, since: int) -> bool:
        long = self.round_trip(ack)
        return ack.delivered > end and (long <= ack.smoothed_rtt or ack.now - since >= long)

    def on_start(self, ack: Ack, control: Control) -> None:
        self.alpha = self.share(self.initial_alpha)
        self.pace(ack, control)

    def on_ack(self, ack: Ack, control: Control) -> None:
        self.acknowledged(ack, control, True)

    def on_recovered(self, ack: Ack, control: Control) -> None:
        # What ends a recovery opens nothing: the window is the threshold (RFC 6582 section 3.2 step 3).
        self.acknowledged(ack, control, False)

    def on_loss(self, ack: Ack, control: Control) -> None:
        control.threshold = self.reduced(ack)
        control.window = control.threshold
        self.answered(ack)
        self.pace(ack, control)

    on_ecn = on_loss

    def on_timeout(self, ack: Ack, control: Control) -> None:
        if not ack.repeated:
            control.threshold = self.reduced(ack)
        control.window = ack.mss
        self.answered(ack)
        self.pace(ack, control)

    def on_idle(self, ack: Ack, control: Control) -> None:
        control.window = min(control.window, ack.initial_window)
        self.pace(ack, control)

    def reduced(self, ack: Ack) -> int:
        return max(2 * ack.mss, mul_div(ack.flight, self.decrease, 1024))

    def answered(self, ack: Ack) -> None:
        self.cut_until = ack.delivered + ack.flight
        self.cut_at = ack.now

    def acknowledged(self, ack: Ack, control: Control, grows: bool) -> None:
        self.observe(ack, control)
        if ack.marked > 0 and not ack.in_recovery and self.is_over(ack, self.cut_until, self.cut_at):
            left = real_sub(real(1), real_mul(self.alpha, self.share(512)))
            window = real_int(real_mul(real(control.window), left))
            control.window = min(control.window, max(2 * ack.mss, window))
            control.threshold = control.window
            self.answered(ack)
        elif grows and not ack.in_recovery and ack.window_limited:
            self.grow(ack, control)
        self.pace(ack, control)

    def observe(self, ack: Ack, control: Control) -> None:
        """Estimates the share of marks, once in the longer of the round-trip times, after the first mark."""
        self.acked += ack.acked
        self.marked += ack.marked
        self.seen = self.seen or ack.marked > 0
        if self.acked == 0 or not self.is_over(ack, self.window_end, self.began):
            return
        if self.seen:
            news = real_sub(real_div(real(self.marked), real(self.acked)), self.alpha)
            self.alpha = real_add(self.alpha, real_mul(self.share(self.gain), news))
        self.acked = 0
        self.marked = 0
        self.window_end = ack.delivered + ack.flight
        self.began = ack.now
        if control.window >= control.threshold:
            self.rounds += 1

    def grow(self, ack: Ack, control: Control) -> None:
        """In slow start by what arrives unmarked, later by a segment in the longer of the two times."""
        unmarked = ack.acked - min(ack.marked, ack.acked)
        if control.window < control.threshold:
            control.window += min(unmarked, ack.growth_limit)
            return
        grown = real(unmarked)
        long = self.round_trip(ack)
        if long != ack.smoothed_rtt:
            shorter = real_div(self.seconds(ack.smoothed_rtt), self.seconds(long))
            grown = real_mul(real_mul(shorter, shorter), grown)
        grown = real_div(real_mul(grown, real(ack.mss)), real(control.window))
        self.part = real_add(self.part, grown)
        whole = real_int(self.part)
        self.part = real_sub(self.part, real(whole))
        control.window += whole

    def seconds(self, time: int) -> int:
        return real_div(real(time), real(SECOND))

    def pace(self, ack: Ack, control: Control) -> None:
        """A window a round trip; two in slow start."""
        if ack.smoothed_rtt == 0:
            return
        rate = real_div(real(control.window), self.seconds(ack.smoothed_rtt))
        units = 2 << RATE_SHIFT if control.window < control.threshold else 1 << RATE_SHIFT
        control.pacing = real_int(real_add(real_mul(rate, real(units)), self.share(512)))
