"""NewReno: slow start, additive increase, one cut per window."""

from dumbbell.own import Ack, Control, Controller, param


class NewReno(Controller):
    """TCP NewReno (RFC 5681, RFC 6582), with the tables of the built-in `newreno`."""

    increase: int = param(1, ge=1, le=1000, unit="segments", source="RFC 5681 section 3.1")
    acked: int = 0

    def half(self, ack: Ack) -> int:
        """RFC 5681 equation 4."""
        return max(ack.flight // 2, 2 * ack.mss)

    def on_ack(self, ack: Ack, control: Control) -> None:
        if ack.in_recovery or not ack.window_limited:
            return
        if control.window < control.threshold:
            control.window += min(ack.acked, ack.growth_limit)
            return
        self.acked += ack.acked
        if self.acked >= control.window:
            self.acked -= control.window
            control.window += self.increase * ack.mss

    def on_loss(self, ack: Ack, control: Control) -> None:
        self.acked = 0
        control.threshold = self.half(ack)
        control.window = control.threshold

    on_ecn = on_loss

    def on_timeout(self, ack: Ack, control: Control) -> None:
        self.acked = 0
        if not ack.repeated:
            control.threshold = self.half(ack)
        control.window = ack.mss

    def on_recovered(self, ack: Ack, control: Control) -> None:
        control.window = min(control.threshold, max(ack.flight, ack.mss) + ack.mss)

    def on_idle(self, ack: Ack, control: Control) -> None:
        control.window = min(control.window, ack.initial_window)
