"""Additive increase, multiplicative decrease: the smallest law that shares a link."""

from dumbbell.own import Ack, Control, Controller, clamp, param


class Aimd(Controller):
    """Grows by `step` segments a round trip, and leaves `left` eighths of the window after a loss."""

    step: int = param(1, ge=1, le=100, unit="segments", source="Chiu & Jain, 1989")
    left: int = param(4, ge=1, le=7, unit="1/8", source="RFC 5681 equation 4")

    def on_ack(self, ack: Ack, control: Control) -> None:
        if not ack.in_recovery and ack.window_limited:
            grown = self.step * ack.mss * ack.acked // control.window
            control.window += clamp(grown, 1, ack.growth_limit)

    def on_loss(self, ack: Ack, control: Control) -> None:
        control.threshold = max(2 * ack.mss, ack.flight * self.left // 8)
        control.window = control.threshold

    on_ecn = on_loss

    def on_timeout(self, ack: Ack, control: Control) -> None:
        if not ack.repeated:
            control.threshold = max(2 * ack.mss, ack.flight * self.left // 8)
        control.window = ack.mss
