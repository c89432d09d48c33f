"""The law that obeys an environment, and counts what the environment observes.

An environment writes `told` and `fresh`; the law acts at its next event. A law of one's own may have the same
fields. `fresh` says what `told` is: 1 a window in 1024ths of a segment, 2 a factor of the window in 1024ths,
3 a rate as of `control.pacing`, 0 nothing new.
"""

from dumbbell.own import Ack, Control, Controller, mul_div


class Steered(Controller, kind="model"):
    """Obeys. By itself it moves the window after a timeout alone, and not while it has a rate."""

    told: int = 0
    fresh: int = 0
    acked: int = 0
    acks: int = 0
    rtt_sum: int = 0
    rtts: int = 0
    rtt: int = 0
    min_rtt: int = 0
    losses: int = 0
    timeouts: int = 0
    marks: int = 0
    flight: int = 0
    window: int = 0
    mss: int = 0
    rate: int = 0

    def obey(self, ack: Ack, control: Control) -> None:
        if self.fresh == 1:
            control.window = max(ack.mss, self.told * ack.mss // 1024)
        if self.fresh == 2 and (self.told < 1024 or ack.window_limited):
            control.window = max(ack.mss, mul_div(control.window, self.told, 1024))
        if self.fresh == 3:
            # A window of twice what the rate keeps in flight; bytes a second times nanoseconds.
            self.rate = self.told
            control.pacing = self.rate
            control.window = 10 * ack.mss + mul_div(self.rate >> 20, 2 * self.rtt, 1_000_000_000)
        self.fresh = 0
        self.window = control.window
        self.mss = ack.mss
        self.flight = ack.flight

    def on_ack(self, ack: Ack, control: Control) -> None:
        self.acked += ack.acked
        self.acks += 1
        if ack.rtt > 0:
            self.rtt_sum += ack.rtt
            self.rtts += 1
        self.rtt = ack.smoothed_rtt
        self.min_rtt = ack.min_rtt
        self.obey(ack, control)

    on_recovered = on_ack

    def on_loss(self, ack: Ack, control: Control) -> None:
        self.losses += 1
        self.obey(ack, control)

    def on_ecn(self, ack: Ack, control: Control) -> None:
        self.marks += 1
        self.obey(ack, control)

    def on_timeout(self, ack: Ack, control: Control) -> None:
        self.timeouts += 1
        if self.rate == 0:
            control.window = ack.mss
        self.obey(ack, control)
