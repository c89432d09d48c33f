"""A linear policy that a gradient has found."""

from dumbbell.own import Ack, Control, Controller, clamp, mul_div


class Learned(Controller, kind="model"):
    """A linear policy that a gradient has found."""

    began: int = 0
    acked: int = 0
    acks: int = 0
    rtt_sum: int = 0
    rtts: int = 0
    mean: int = 0
    losses: int = 0
    timeouts: int = 0
    marks: int = 0

    def decide(self, ack: Ack, control: Control) -> None:
        self.mean = ack.smoothed_rtt
        if self.rtts > 0:
            self.mean = self.rtt_sum // self.rtts
        move = 0
        signal_stretch = mul_div(1000, self.mean, max(1, ack.min_rtt))
        signal_losses = 1000 * self.losses
        signal_timeouts = 1000 * self.timeouts
        move = (
            133
            + mul_div(signal_stretch, -63483, 1000000)
            + mul_div(signal_losses, -6922, 1000000)
            + mul_div(signal_timeouts, 144, 1000000)
        )
        # Four to the power of `move` thousandths: the whole part of the exponent of two, and a parabola.
        power = 2 * clamp(move, -1000, 1000)
        part = power - 1000 * (power // 1000)
        factor = 1024 + part * (672 + 352 * part // 1000) // 1000
        if move < 0 or ack.window_limited:
            control.window = max(ack.mss, mul_div(control.window, factor << (power // 1000 + 2), 4096))
        self.began = ack.now
        self.acked = 0
        self.acks = 0
        self.rtt_sum = 0
        self.rtts = 0
        self.losses = 0
        self.timeouts = 0
        self.marks = 0

    def on_ack(self, ack: Ack, control: Control) -> None:
        self.acked += ack.acked
        self.acks += 1
        if ack.rtt > 0:
            self.rtt_sum += ack.rtt
            self.rtts += 1
        if self.began == 0:
            self.began = ack.now
        if ack.now - self.began >= ack.smoothed_rtt * 1000 // 1000:
            self.decide(ack, control)

    on_recovered = on_ack

    def on_loss(self, ack: Ack, control: Control) -> None:
        self.losses += 1

    def on_ecn(self, ack: Ack, control: Control) -> None:
        self.marks += 1

    def on_timeout(self, ack: Ack, control: Control) -> None:
        self.timeouts += 1
        control.window = ack.mss
