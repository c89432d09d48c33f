"""A policy over CUBIC: CUBIC moves the window at each acknowledgement, the policy multiplies it now and then.

    python docs/gym/orca.py

After Orca (Abbasloo, Yen & Chao, SIGCOMM 2020): there a deep network, here a linear policy that a random
search finds. The law is CUBIC of RFC 9438 without its part for short round-trip times.
"""

from dumbbell.own import Ack, Control, Controller, icbrt, mul_div


class Orca(Controller, kind="model"):
    """CUBIC whose window an environment multiplies."""

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
    began: int = 0
    origin: int = 0
    plateau: int = 0
    most: int = 0

    def obey(self, ack: Ack, control: Control) -> None:
        if self.fresh == 2 and (self.told < 1024 or ack.window_limited):
            control.window = max(2 * ack.mss, mul_div(control.window, self.told, 1024))
            if self.told != 1024:
                # The cubic begins where the policy has put the window.
                self.began = 0
                self.most = control.window
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
        if not ack.in_recovery and ack.window_limited:
            self.grow(ack, control)
        self.obey(ack, control)

    on_recovered = on_ack

    def grow(self, ack: Ack, control: Control) -> None:
        if control.window < control.threshold:
            control.window += min(ack.acked, ack.growth_limit)
            return
        if self.began == 0:
            self.began = ack.now
            self.origin = max(self.most, control.window)
            # Milliseconds to the plateau: C is 0.4 segments a cubic second.
            below = mul_div(1024, self.origin - control.window, ack.mss)
            self.plateau = icbrt(below * 2441406)
        ahead = (ack.now - self.began) // 1000000 + ack.smoothed_rtt // 1000000 - self.plateau
        aim = self.origin + mul_div(ahead * ahead * ahead, 4 * ack.mss, 10000000000)
        if aim > control.window:
            control.window += mul_div(
                min(aim, 2 * control.window) - control.window, ack.acked, control.window
            )

    def cut(self, ack: Ack, control: Control) -> None:
        self.most = control.window
        self.began = 0
        control.threshold = max(2 * ack.mss, control.window * 7 // 10)
        control.window = control.threshold

    def on_loss(self, ack: Ack, control: Control) -> None:
        self.losses += 1
        self.cut(ack, control)
        self.obey(ack, control)

    def on_ecn(self, ack: Ack, control: Control) -> None:
        self.marks += 1
        self.cut(ack, control)
        self.obey(ack, control)

    def on_timeout(self, ack: Ack, control: Control) -> None:
        self.timeouts += 1
        if not ack.repeated:
            self.cut(ack, control)
        control.window = ack.mss
        self.obey(ack, control)


if __name__ == "__main__":
    import sys

    import numpy as np
    from tabular import links

    from dumbbell.gym import Linear, VectorEnv

    RUNS, STEPS = 36, 60
    env = VectorEnv(
        links(), RUNS, observe=("stretch", "losses"), every="2rtt", law=f"{__file__}:Orca", threads=1
    )

    def mean_reward(weights: "np.ndarray") -> float:
        """Return what a policy gets on the same runs as any other."""
        policy = Linear(env_observe, (float(weights[0]), float(weights[1])), float(weights[2]))
        seen, _ = env.reset(seed=1)
        rewards = []
        for _ in range(STEPS):
            seen, reward, *_ = env.step(policy(seen))
            rewards.append(reward)
        return float(np.mean(rewards[STEPS // 4 :]))

    env_observe = ("stretch", "losses")
    draw = np.random.default_rng(1)
    best = np.zeros(3)
    alone = found = mean_reward(best)
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 60):
        trial = best + 0.1 * draw.standard_normal(3)
        value = mean_reward(trial)
        if value > found:
            best, found = trial, value
    print(f"mean reward: CUBIC alone {alone:.2f}, with the policy {found:.2f}; weights {best.round(3)}")
