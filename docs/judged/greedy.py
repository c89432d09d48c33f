"""A law that is bad on purpose: it shows what a judgement looks like that nobody should deploy."""

from dumbbell.own import Ack, Control, Controller, param


class Greedy(Controller):
    """Keeps a constant window, whatever is lost, marked or delayed."""

    segments: int = param(200, ge=1, le=10_000, unit="segments", source="choice: 2.4 Mbit a round trip")

    def on_ack(self, ack: Ack, control: Control) -> None:
        """Sets the same window again."""
        control.window = self.segments * ack.mss

    def on_loss(self, ack: Ack, control: Control) -> None:
        """Does not answer a loss."""
        control.window = self.segments * ack.mss

    def on_timeout(self, ack: Ack, control: Control) -> None:
        """Does not answer a timeout."""
        control.window = self.segments * ack.mss
