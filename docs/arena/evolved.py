"""A law that evolution has found: growth (mul_div(max(mul_div(512, stretch, 1024), (128 - 512)), 1024, max(1, window)) + mul_div(2048, 1024, max(1, window))); left after a loss mul_div(mul_div(stretch, 1024, max(1, stretch)), 1024, max(1, max(stretch, stretch)))."""

from dumbbell.own import Ack, Control, Controller, clamp, mul_div


class Evolved(Controller):
    """Grows by a formula of the round-trip time, and leaves another part of the window after a loss."""

    lost: int = 0

    def on_ack(self, ack: Ack, control: Control) -> None:
        if ack.in_recovery or not ack.window_limited:
            return
        if control.window < control.threshold and ack.rtt < 2 * ack.min_rtt:
            control.window += min(ack.acked, ack.growth_limit)
            return
        stretch = clamp(mul_div(1024, ack.smoothed_rtt, max(1, ack.min_rtt)), 1024, 16384)
        losses = 1024 * self.lost
        window = mul_div(1024, control.window, ack.mss)
        growth = clamp(
            (
                mul_div(max(mul_div(512, stretch, 1024), (128 - 512)), 1024, max(1, window))
                + mul_div(2048, 1024, max(1, window))
            ),
            -16384,
            65536,
        )
        control.window += mul_div(mul_div(growth, ack.mss, 1024), ack.acked, control.window)
        control.window = max(2 * ack.mss, control.window)

    def on_loss(self, ack: Ack, control: Control) -> None:
        stretch = clamp(mul_div(1024, ack.smoothed_rtt, max(1, ack.min_rtt)), 1024, 16384)
        losses = 1024 * self.lost
        window = mul_div(1024, control.window, ack.mss)
        left = clamp(
            mul_div(mul_div(stretch, 1024, max(1, stretch)), 1024, max(1, max(stretch, stretch))), 128, 960
        )
        control.threshold = max(2 * ack.mss, mul_div(ack.flight, left, 1024))
        control.window = control.threshold
        self.lost = min(8, self.lost + 1)

    on_ecn = on_loss

    def on_timeout(self, ack: Ack, control: Control) -> None:
        if not ack.repeated:
            control.threshold = max(2 * ack.mss, ack.flight // 2)
        control.window = ack.mss
