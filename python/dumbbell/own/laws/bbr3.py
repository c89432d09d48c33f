"""BBR version 3, after draft-ietf-ccwg-bbr-06: sections and names are those of the draft."""

from dumbbell.own import (
    RATE_SHIFT,
    SECOND,
    UNLIMITED,
    Ack,
    Array,
    Control,
    Controller,
    Enum,
    array,
    param,
    random,
    real,
    real_add,
    real_div,
    real_int,
    real_mul,
    real_sub,
    state,
)

FULL_ROUNDS = 3
DRAIN_ROUNDS = 3
FIRST_RTT = 1_000_000
MOST_DOUBLINGS = 30
LARGEST_QUANTUM = 65_536
EXCESS_ROUNDS = 10
# Real numbers: infinity, 1, 1/2, and what makes a rate of one in the units of the contract and back.
INFINITY = 2047 << 52
ONE = 1023 << 52
HALF = 1022 << 52
UNITS = 1023 + RATE_SHIFT << 52
UNIT = 1023 - RATE_SHIFT << 52


class Phase(Enum):
    """Section 5.1."""

    STARTUP = 0
    DRAIN = 1
    DOWN = 2
    CRUISE = 3
    REFILL = 4
    UP = 5
    PROBE_RTT = 6


class AckPhase(Enum):
    """Which part of a probe for bandwidth acknowledgements belong to (section 2.13)."""

    INIT = 0
    REFILLING = 1
    STARTING = 2
    FEEDBACK = 3
    STOPPING = 4


class Ended(Enum):
    """The state that losses ended, and that a repair may have to take back (section 2.15)."""

    NONE = 0
    STARTUP = 1
    UP = 2


class Bbr3(Controller, kind="model", needs="repairs"):
    """BBR version 3, with the tables of the built-in `bbr3`.

    Volumes are bytes, times nanoseconds. Rates are bytes a second, real numbers; so are gains.
    """

    startup_pacing_gain: int = param(277, ge=100, le=300, unit="1/100", source="section 2.5")
    drain_pacing_gain: int = param(50, ge=1, le=100, unit="1/100", source="section 2.5")
    down_pacing_gain: int = param(90, ge=1, le=100, unit="1/100", source="section 5.3.3.1")
    up_pacing_gain: int = param(125, ge=100, le=300, unit="1/100", source="section 5.3.3.5")
    cwnd_gain: int = param(200, ge=100, le=300, unit="1/100", source="section 2.6")
    up_cwnd_gain: int = param(225, ge=100, le=300, unit="1/100", source="section 5.3.3.5")
    probe_rtt_cwnd_gain: int = param(50, ge=1, le=100, unit="1/100", source="section 2.16.2")
    pacing_margin: int = param(1, ge=0, le=50, unit="1/100", source="section 2.5")
    full_pipe_growth: int = param(25, ge=1, le=200, unit="1/100", source="section 5.3.1.2")
    loss_threshold: int = param(2, ge=0, le=50, unit="1/100", source="section 2.8")
    startup_loss_ranges: int = param(6, ge=1, le=1000, unit="ranges", source="section 5.3.1.3")
    beta: int = param(70, ge=1, le=100, unit="1/100", source="section 2.8")
    headroom: int = param(15, ge=0, le=90, unit="1/100", source="section 2.8")
    min_window: int = param(4, ge=1, le=1000, unit="segments", source="section 2.8")
    min_rtt_filter: int = param(10 * SECOND, ge=1, unit="ns", source="section 2.16.1")
    probe_rtt_interval: int = param(5 * SECOND, ge=1, unit="ns", source="section 2.16.2")
    probe_rtt_duration: int = param(200_000_000, ge=0, unit="ns", source="section 2.16.2")
    probe_wait: int = param(2 * SECOND, ge=1, unit="ns", source="section 5.3.3.8.3")
    probe_wait_random: int = param(1 * SECOND, ge=0, unit="ns", source="section 5.3.3.8.3")
    probe_rounds: int = param(63, ge=1, le=1000, unit="round trips", source="section 5.3.3.8.3")
    offload_quanta: int = param(3, ge=0, le=1000, unit="quanta", source="section 5.5.8.1")

    phase: Phase = Phase.STARTUP
    pacing_gains: Array = array(7, fill=ONE)
    cwnd_gains: Array = array(7)
    paced_part: int = 0
    full_pipe_factor: int = 0
    loss_share: int = 0
    beta_share: int = 0
    headroom_share: int = 0
    initial_cwnd: int = 0
    has_data: bool = False
    is_app_limited: bool = False
    round_count: int = 0
    round_start: bool = False
    next_round_delivered: int = 0
    rounds_since_probe_up: int = 0
    max_bw: int = state(0, unit="real")
    filter_cycle: int = 0
    filter_bw: Array = array(2)
    cycle_count: int = 0
    bw_shortterm: int = state(INFINITY, unit="real")
    bw: int = state(0, unit="real")
    min_rtt: int = state(0, unit="ns")
    min_rtt_stamp: int = 0
    bdp: int = state(0, unit="bytes")
    cwnd_bdp: int = 0
    bdp_bw: int = -1
    bdp_gain: int = 0
    bdp_rtt: int = 0
    inflight_longterm: int = state(UNLIMITED, unit="bytes")
    inflight_shortterm: int = state(UNLIMITED, unit="bytes")
    extra_acked: int = state(0, unit="bytes")
    excess_round: int = 0
    excess: Array = array(11)
    excess_before: int = 0
    extra_acked_interval_start: int = 0
    extra_acked_delivered: int = 0
    full_bw: int = 0
    full_bw_count: int = 0
    full_bw_now: bool = False
    full_bw_reached: bool = False
    is_loss_in_round: bool = False
    loss_round_delivered: int = 1
    loss_round_start: bool = False
    loss_ranges: int = 0
    bw_latest: int = 0
    inflight_latest: int = 0
    in_recovery: bool = False
    recovery_start: int = -1
    undo_state: Ended = Ended.NONE
    undo_bw_shortterm: int = 0
    undo_inflight_shortterm: int = 0
    undo_inflight_longterm: int = 0
    drain_start_round: int = 0
    ack_phase: AckPhase = AckPhase.INIT
    is_bw_probe_sample: bool = False
    prev_probe_too_high: bool = False
    prev_probe_precautionary: bool = False
    bw_probe_up_rounds: int = 0
    bw_probe_up_acked: int = 0
    probe_up_acked_per_inc: int = UNLIMITED
    cycle_stamp: int = 0
    bw_probe_wait: int = 0
    probe_rtt_min_delay: int = 0
    probe_rtt_min_stamp: int = 0
    probe_rtt_expired: bool = False
    probe_rtt_done_stamp: int = -1
    probe_rtt_round_done: bool = False
    held_down_from: int = UNLIMITED
    held_down_until: int = 0
    idle_restart: bool = False
    prior_cwnd: int = 0
    pacing_rate: int = 0
    has_seen_rtt: bool = False
    send_quantum: int = state(0, unit="bytes")
    quantum_rate: int = 0

    # Answers to events.

    def on_start(self, ack: Ack, control: Control) -> None:
        """Section 5.2.1."""
        for number in range(7):
            self.cwnd_gains[number] = self.hundredths(self.cwnd_gain)
        self.pacing_gains[0] = self.hundredths(self.startup_pacing_gain)
        self.pacing_gains[1] = self.hundredths(self.drain_pacing_gain)
        self.pacing_gains[2] = self.hundredths(self.down_pacing_gain)
        self.pacing_gains[5] = self.hundredths(self.up_pacing_gain)
        self.cwnd_gains[5] = self.hundredths(self.up_cwnd_gain)
        self.cwnd_gains[6] = self.hundredths(self.probe_rtt_cwnd_gain)
        self.paced_part = real_sub(ONE, self.hundredths(self.pacing_margin))
        self.full_pipe_factor = real_add(ONE, self.hundredths(self.full_pipe_growth))
        self.loss_share = self.hundredths(self.loss_threshold)
        self.beta_share = self.hundredths(self.beta)
        self.headroom_share = self.hundredths(self.headroom)
        self.initial_cwnd = control.window
        self.min_rtt = ack.smoothed_rtt
        self.probe_rtt_min_delay = ack.smoothed_rtt
        self.min_rtt_stamp = ack.now
        self.probe_rtt_min_stamp = ack.now
        self.extra_acked_interval_start = ack.now
        self.init_pacing_rate(ack, control)

    def on_ack(self, ack: Ack, control: Control) -> None:
        self.acknowledged(ack, control)

    def on_recovered(self, ack: Ack, control: Control) -> None:
        # Where it ends with news, those are an acknowledgement; elsewhere one follows.
        if ack.acked > 0:
            self.acknowledged(ack, control)

    def acknowledged(self, ack: Ack, control: Control) -> None:
        """The steps of an acknowledgement, in their order (section 5.2.3)."""
        self.has_data = ack.rate_in_flight > 0
        self.is_app_limited = ack.app_limited or self.is_held_down(ack)
        if self.in_recovery and not ack.in_recovery:
            self.in_recovery = False
            self.recovery_start = -1
            self.restore_cwnd(control)
        rate = self.rate_of(ack)
        self.update_latest_delivery_signals(ack, rate)
        self.update_round(ack)
        self.update_max_bw(rate)
        self.update_congestion_signals(control)
        self.update_ack_aggregation(ack, control)
        self.check_full_bw_reached(rate)
        self.check_startup_done(ack)
        if self.phase == Phase.DRAIN and (
            ack.flight <= self.inflight(ack, self.bw)
            or self.round_count > self.drain_start_round + DRAIN_ROUNDS
        ):
            self.start_probe_bw_down(ack)
        self.update_probe_bw_cycle_phase(ack, control, rate)
        self.update_min_rtt(ack)
        self.check_probe_rtt(ack, control)
        if self.loss_round_start:
            self.bw_latest = rate
            self.inflight_latest = ack.rate_delivered
        self.bw = min(self.max_bw, self.bw_shortterm)
        self.set_pacing_rate(ack, control)
        self.set_cwnd(ack, control)

    def on_loss(self, ack: Ack, control: Control) -> None:
        """Section 5.6.4.4."""
        self.save_state_upon_loss(control)
        self.in_recovery = True
        if self.recovery_start < 0:
            self.recovery_start = ack.delivered

    def on_timeout(self, ack: Ack, control: Control) -> None:
        """Section 5.6.4.4. The transport adds what is in flight."""
        if not ack.repeated:
            self.save_state_upon_loss(control)
        self.in_recovery = True
        self.recovery_start = -1
        control.window = ack.mss

    def on_lost(self, ack: Ack, control: Control) -> None:
        """Section 5.5.10.2: the rate is that of when the segment was sent."""
        self.note_loss(ack, control)
        if not ack.repeated:
            self.loss_ranges += 1
        if not self.is_bw_probe_sample or not self.is_inflight_too_high(ack):
            return
        at_loss = -1 if ack.app_limited or self.is_held_down(ack) else self.inflight_at_loss(ack)
        self.handle_inflight_too_high(ack, control, at_loss)

    def on_ecn(self, ack: Ack, control: Control) -> None:
        """A mark means what a loss means (RFC 3168 section 5)."""
        self.note_loss(ack, control)
        if self.is_bw_probe_sample:
            self.handle_inflight_too_high(ack, control, ack.flight)

    def on_undone(self, ack: Ack, control: Control) -> None:
        """Section 5.5.11.2."""
        self.in_recovery = False
        self.recovery_start = -1
        self.restore_cwnd(control)
        self.is_loss_in_round = False
        self.reset_full_bw()
        self.bw_shortterm = max(self.bw_shortterm, self.undo_bw_shortterm)
        self.inflight_shortterm = max(self.inflight_shortterm, self.undo_inflight_shortterm)
        self.inflight_longterm = max(self.inflight_longterm, self.undo_inflight_longterm)
        if self.undo_state == Ended.STARTUP and self.phase != Phase.STARTUP:
            self.full_bw_reached = False
            if self.phase != Phase.PROBE_RTT:
                self.phase = Phase.STARTUP
        elif self.undo_state == Ended.UP and self.phase != Phase.UP and self.phase != Phase.PROBE_RTT:
            self.start_probe_bw_refill(ack)
        self.undo_state = Ended.NONE

    def on_restart(self, ack: Ack, control: Control) -> None:
        """Section 5.4.1."""
        if not ack.app_limited and ack.delivered > self.held_down_until:
            return
        self.idle_restart = True
        self.extra_acked_interval_start = ack.now
        if self.is_in_a_probe_bw_state():
            self.set_pacing_rate_with_gain(control, ONE)
        elif self.phase == Phase.PROBE_RTT:
            self.check_probe_rtt_done(ack, control)

    # Real numbers.

    def hundredths(self, count: int) -> int:
        return real_div(real(count), real(100))

    def rate_of(self, ack: Ack) -> int:
        return real_mul(real(ack.rate), UNIT)

    def seconds(self, time: int) -> int:
        return real_div(real(time), real(SECOND))

    def volume(self, rate: int, time: int) -> int:
        """Bytes at a rate for a time."""
        return real_int(real_mul(rate, self.seconds(time)))

    def times(self, share: int, volume: int) -> int:
        return real_int(real_mul(share, real(volume)))

    # What acknowledgements tell of the path.

    def is_held_down(self, ack: Ack) -> bool:
        return self.held_down_from <= ack.rate_prior_delivered <= self.held_down_until

    def is_in_a_probe_bw_state(self) -> bool:
        return 2 <= int(self.phase) <= 5

    def is_probing_bw(self) -> bool:
        """True if it sends faster than the path may carry (section 5.3.3.9)."""
        return self.phase == Phase.STARTUP or self.phase == Phase.REFILL or self.phase == Phase.UP

    def update_latest_delivery_signals(self, ack: Ack, rate: int) -> None:
        """Section 5.5.10.3."""
        self.loss_round_start = self.has_data and ack.rate_prior_delivered >= self.loss_round_delivered
        self.bw_latest = max(self.bw_latest, rate)
        self.inflight_latest = max(self.inflight_latest, ack.rate_delivered)
        if self.loss_round_start:
            self.loss_round_delivered = ack.delivered

    def update_round(self, ack: Ack) -> None:
        """Section 5.5.1."""
        self.round_start = self.has_data and ack.rate_prior_delivered >= self.next_round_delivered
        if self.round_start:
            self.next_round_delivered = ack.delivered
            self.round_count += 1
            self.rounds_since_probe_up += 1

    def update_max_bw(self, rate: int) -> None:
        """Section 5.5.5. Samples that the application limits count if they are larger."""
        if rate == 0 or (rate < self.max_bw and self.is_app_limited):
            return
        # The largest of this cycle of probing and the one before (section 5.5.6).
        if self.cycle_count != self.filter_cycle:
            self.filter_bw[1] = self.filter_bw[0] if self.cycle_count == self.filter_cycle + 1 else 0
            self.filter_bw[0] = rate
            self.filter_cycle = self.cycle_count
        self.filter_bw[0] = max(self.filter_bw[0], rate)
        self.max_bw = max(self.filter_bw[0], self.filter_bw[1])

    def update_congestion_signals(self, control: Control) -> None:
        """Once a round, adapts to congestion (section 5.5.10.3)."""
        if not self.loss_round_start:
            return
        if self.is_loss_in_round and not self.is_probing_bw():
            # At most a cut by `beta`, and no less than what was delivered.
            if self.bw_shortterm == INFINITY:
                self.bw_shortterm = self.max_bw
            if self.inflight_shortterm == UNLIMITED:
                self.inflight_shortterm = control.window
            self.bw_shortterm = max(self.bw_latest, real_mul(self.beta_share, self.bw_shortterm))
            left = self.times(self.beta_share, self.inflight_shortterm)
            self.inflight_shortterm = max(self.inflight_latest, left)
        self.is_loss_in_round = False

    def update_ack_aggregation(self, ack: Ack, control: Control) -> None:
        """Section 5.5.9."""
        expected = self.volume(self.bw, ack.now - self.extra_acked_interval_start)
        if self.extra_acked_delivered <= expected:
            self.extra_acked_delivered = 0
            self.extra_acked_interval_start = ack.now
            expected = 0
        self.extra_acked_delivered += ack.acked
        extra = min(self.extra_acked_delivered - expected, control.window)
        # The largest excess of this round and the ten before; one in Startup.
        slot = self.round_count % 11
        if self.round_count != self.excess_round:
            for back in range(11):
                if self.round_count - back > self.excess_round:
                    self.excess[(self.round_count - back) % 11] = 0
            self.excess_round = self.round_count
            self.excess_before = 0
            for back in range(1, 11):
                if (back > 1 and not self.full_bw_reached) or back > self.round_count:
                    break
                self.excess_before = max(self.excess_before, self.excess[(self.round_count - back) % 11])
        self.excess[slot] = max(self.excess[slot], extra)
        self.extra_acked = max(self.excess[slot], self.excess_before)

    def reset_full_bw(self) -> None:
        """Section 5.3.1.2."""
        self.full_bw = 0
        self.full_bw_count = 0
        self.full_bw_now = False

    def check_full_bw_reached(self, rate: int) -> None:
        """Section 5.3.1.2."""
        if self.full_bw_now or not self.round_start or self.is_app_limited:
            return
        if rate >= real_mul(self.full_bw, self.full_pipe_factor):
            self.reset_full_bw()
            self.full_bw = rate
            return
        self.full_bw_count += 1
        self.full_bw_now = self.full_bw_count >= FULL_ROUNDS
        self.full_bw_reached = self.full_bw_reached or self.full_bw_now

    def check_startup_done(self, ack: Ack) -> None:
        """Sections 5.3.1.1 and 5.3.1.3: a full pipe, or losses that show it."""
        if self.phase != Phase.STARTUP:
            return
        if self.loss_round_start:
            whole_round = 0 <= self.recovery_start <= ack.rate_prior_delivered
            many = self.loss_ranges >= self.startup_loss_ranges
            self.loss_ranges = 0
            if whole_round and many and not self.full_bw_reached and self.is_inflight_too_high(ack):
                self.undo_state = Ended.STARTUP
                self.full_bw_now = True
                self.full_bw_reached = True
                self.inflight_longterm = max(self.bdp, self.inflight_latest)
        if self.full_bw_reached:
            self.drain_start_round = self.round_count
            self.phase = Phase.DRAIN

    # The cycle of probes for bandwidth (section 5.3.3).

    def start_probe_bw_down(self, ack: Ack) -> None:
        """Section 5.3.3.9."""
        self.is_loss_in_round = False
        self.bw_latest = 0
        self.inflight_latest = 0
        self.probe_up_acked_per_inc = UNLIMITED
        # A random time and round to begin with, so that flows do not probe together (section 5.3.3.8.3).
        coin = random()
        self.rounds_since_probe_up = coin >> 62
        drawn = random()
        share = real_mul(real(drawn >> 10), 1023 - 53 << 52)
        more = real_add(real_mul(real(self.probe_wait_random), share), HALF)
        self.bw_probe_wait = self.probe_wait + real_int(more)
        self.cycle_stamp = ack.now
        self.ack_phase = AckPhase.STOPPING
        self.next_round_delivered = ack.delivered
        self.phase = Phase.DOWN

    def start_probe_bw_refill(self, ack: Ack) -> None:
        self.reset_short_term_model()
        self.bw_probe_up_rounds = 0
        self.bw_probe_up_acked = 0
        self.prev_probe_precautionary = False
        self.ack_phase = AckPhase.REFILLING
        self.next_round_delivered = ack.delivered
        self.phase = Phase.REFILL

    def update_probe_bw_cycle_phase(self, ack: Ack, control: Control, rate: int) -> None:
        """Section 5.3.3.9, on each acknowledgement."""
        if not self.full_bw_reached:
            return
        changed = self.adapt_long_term_model(ack, control)
        if changed:
            return
        if self.phase == Phase.DOWN or self.phase == Phase.CRUISE:
            waited = ack.now > self.cycle_stamp + self.bw_probe_wait
            if waited or self.is_reno_coexistence_probe_time(ack, control):
                self.start_probe_bw_refill(ack)
            elif self.phase == Phase.DOWN and ack.flight <= min(
                self.inflight_with_headroom(ack), self.inflight(ack, self.max_bw)
            ):
                self.phase = Phase.CRUISE
        elif self.phase == Phase.REFILL and self.round_start:
            self.is_bw_probe_sample = True
            self.ack_phase = AckPhase.STARTING
            self.next_round_delivered = ack.delivered
            self.reset_full_bw()
            self.full_bw = rate
            self.phase = Phase.UP
            self.raise_inflight_longterm_slope(ack, control)
        elif self.phase == Phase.UP:
            down = self.is_time_to_go_down(ack, control, rate)
            if down:
                # No excess of losses so far.
                self.prev_probe_too_high = False
                self.start_probe_bw_down(ack)

    def is_reno_coexistence_probe_time(self, ack: Ack, control: Control) -> bool:
        """Section 5.3.3.8.3: as many rounds as Reno would need."""
        passed = self.rounds_since_probe_up
        return passed >= self.probe_rounds or min(self.bdp, control.window) < (passed + 1) * ack.mss

    def is_time_to_go_down(self, ack: Ack, control: Control, rate: int) -> bool:
        # What was in flight before this acknowledgement, in whole segments.
        before = (ack.flight + ack.acked) // ack.mss
        if self.prev_probe_too_high and before >= self.inflight_longterm // ack.mss:
            self.prev_probe_precautionary = True
            return True
        if ack.window_limited and control.window >= self.inflight_longterm:
            # The bound limits the rate, not the path.
            self.reset_full_bw()
            self.full_bw = rate
            return False
        return self.full_bw_now

    def inflight_with_headroom(self, ack: Ack) -> int:
        """Leaves room for others (section 5.3.3.9)."""
        if self.inflight_longterm == UNLIMITED:
            return UNLIMITED
        room = max(ack.mss, self.times(self.headroom_share, self.inflight_longterm))
        return max(0, self.inflight_longterm - room, self.min_pipe_cwnd(ack))

    def raise_inflight_longterm_slope(self, ack: Ack, control: Control) -> None:
        growth = 1 << self.bw_probe_up_rounds
        self.bw_probe_up_rounds = min(self.bw_probe_up_rounds + 1, MOST_DOUBLINGS)
        self.probe_up_acked_per_inc = max(control.window // growth, ack.mss)

    def adapt_long_term_model(self, ack: Ack, control: Control) -> bool:
        """Follows what a probe brings. True if that has changed the state (section 5.3.3.9)."""
        if self.ack_phase == AckPhase.STARTING and self.round_start:
            self.ack_phase = AckPhase.FEEDBACK
        if self.ack_phase == AckPhase.STOPPING and self.round_start:
            self.is_bw_probe_sample = False
            self.ack_phase = AckPhase.INIT
            if self.is_in_a_probe_bw_state():
                if not self.is_app_limited:
                    self.cycle_count += 1
                if self.prev_probe_precautionary and not self.prev_probe_too_high:
                    self.start_probe_bw_refill(ack)
                    return True
        if self.inflight_longterm == UNLIMITED or self.is_inflight_too_high(ack):
            return False
        self.inflight_longterm = max(self.inflight_longterm, ack.rate_in_flight)
        if self.phase == Phase.UP and ack.window_limited and control.window >= self.inflight_longterm:
            self.bw_probe_up_acked += ack.acked
            steps = self.bw_probe_up_acked // self.probe_up_acked_per_inc
            self.bw_probe_up_acked -= steps * self.probe_up_acked_per_inc
            self.inflight_longterm += steps * ack.mss
            if self.round_start:
                self.raise_inflight_longterm_slope(ack, control)
        return False

    # The shortest round-trip time (section 5.3.4).

    def update_min_rtt(self, ack: Ack) -> None:
        """Section 5.3.4.3."""
        self.probe_rtt_expired = ack.now > self.probe_rtt_min_stamp + self.probe_rtt_interval
        shorter = self.probe_rtt_min_delay == 0 or ack.rtt < self.probe_rtt_min_delay
        if ack.rtt != 0 and (shorter or self.probe_rtt_expired):
            self.probe_rtt_min_delay = ack.rtt
            self.probe_rtt_min_stamp = ack.now
        expired = ack.now > self.min_rtt_stamp + self.min_rtt_filter
        if self.probe_rtt_min_delay == 0:
            return
        if expired or self.min_rtt == 0 or self.probe_rtt_min_delay < self.min_rtt:
            self.min_rtt = self.probe_rtt_min_delay
            self.min_rtt_stamp = self.probe_rtt_min_stamp

    def check_probe_rtt(self, ack: Ack, control: Control) -> None:
        """Section 5.3.4.3."""
        if self.phase != Phase.PROBE_RTT and self.probe_rtt_expired and not self.idle_restart:
            self.phase = Phase.PROBE_RTT
            # As `save_cwnd` has it once the state has changed.
            self.prior_cwnd = max(self.prior_cwnd, control.window)
            self.probe_rtt_done_stamp = -1
            self.ack_phase = AckPhase.STOPPING
            self.next_round_delivered = ack.delivered
            self.held_down_from = ack.delivered
        if self.phase == Phase.PROBE_RTT:
            # What is sent now is held down: its rates are no measure of the path.
            self.held_down_until = ack.delivered + ack.flight
            if self.probe_rtt_done_stamp < 0:
                if ack.flight <= self.probe_rtt_cwnd(ack):
                    self.probe_rtt_done_stamp = ack.now + self.probe_rtt_duration
                    self.probe_rtt_round_done = False
                    self.next_round_delivered = ack.delivered
            else:
                self.probe_rtt_round_done = self.probe_rtt_round_done or self.round_start
                if self.probe_rtt_round_done:
                    self.check_probe_rtt_done(ack, control)
        if ack.rate_delivered > 0:
            self.idle_restart = False

    def check_probe_rtt_done(self, ack: Ack, control: Control) -> None:
        if self.probe_rtt_done_stamp < 0 or ack.now <= self.probe_rtt_done_stamp:
            return
        self.probe_rtt_min_stamp = ack.now
        self.restore_cwnd(control)
        self.reset_short_term_model()
        if self.full_bw_reached:
            self.start_probe_bw_down(ack)
            self.phase = Phase.CRUISE
        else:
            self.phase = Phase.STARTUP

    # Losses (sections 5.5.10 and 5.5.11).

    def save_state_upon_loss(self, control: Control) -> None:
        """Section 5.5.11.1."""
        fresh = not self.in_recovery and self.phase != Phase.PROBE_RTT
        self.prior_cwnd = control.window if fresh else max(self.prior_cwnd, control.window)
        self.undo_state = Ended.NONE
        self.undo_bw_shortterm = self.bw_shortterm
        self.undo_inflight_shortterm = self.inflight_shortterm
        self.undo_inflight_longterm = self.inflight_longterm

    def note_loss(self, ack: Ack, control: Control) -> None:
        """Section 5.5.10.2."""
        if not self.is_loss_in_round:
            self.loss_round_delivered = ack.delivered
            self.loss_ranges = 0
            if not self.in_recovery:
                self.save_state_upon_loss(control)
        self.is_loss_in_round = True

    def is_inflight_too_high(self, ack: Ack) -> bool:
        most = real_mul(real(ack.rate_in_flight), self.loss_share)
        return ack.rate_lost > 0 and real(ack.rate_lost) > most

    def inflight_at_loss(self, ack: Ack) -> int:
        """What was in flight when the losses passed the threshold, in the middle of the segment."""
        before = real(max(0, ack.rate_in_flight - ack.lost))
        lost_before = real(max(0, ack.rate_lost - ack.lost))
        prefix = real_sub(real_mul(self.loss_share, before), lost_before)
        prefix = real_div(prefix, real_sub(ONE, self.loss_share))
        # Losses of data that was sent before the probe may have passed it already.
        return real_int(real_add(before, max(0, prefix)))

    def handle_inflight_too_high(self, ack: Ack, control: Control, in_flight: int) -> None:
        """Section 5.5.10.2. `in_flight` is negative if the application limited the sender."""
        self.prev_probe_too_high = True
        self.is_bw_probe_sample = False
        if in_flight >= 0:
            target = min(self.bdp, control.window)
            self.inflight_longterm = max(in_flight, self.times(self.beta_share, target))
        if self.phase == Phase.UP:
            self.undo_state = Ended.UP
            self.start_probe_bw_down(ack)

    def reset_short_term_model(self) -> None:
        self.bw_shortterm = INFINITY
        self.inflight_shortterm = UNLIMITED

    # What follows for rate and window (section 5.6).

    def init_pacing_rate(self, ack: Ack, control: Control) -> None:
        """Section 5.6.2."""
        self.has_seen_rtt = ack.smoothed_rtt != 0
        rtt = ack.smoothed_rtt if self.has_seen_rtt else FIRST_RTT
        nominal = real_div(real(self.initial_cwnd), self.seconds(rtt))
        self.pacing_rate = real_mul(self.hundredths(self.startup_pacing_gain), nominal)
        control.pacing = self.units(self.pacing_rate)
        self.set_send_quantum(ack)

    def units(self, rate: int) -> int:
        """The nearest rate in the units of the control."""
        return real_int(real_add(real_mul(rate, UNITS), HALF))

    def set_pacing_rate(self, ack: Ack, control: Control) -> None:
        """Section 5.6.2. The first round-trip time that is measured gives the first rate."""
        if not self.has_seen_rtt and ack.smoothed_rtt != 0:
            self.init_pacing_rate(ack, control)
        self.set_pacing_rate_with_gain(control, self.pacing_gains[int(self.phase)])
        if self.pacing_rate != self.quantum_rate:
            self.set_send_quantum(ack)

    def set_pacing_rate_with_gain(self, control: Control, gain: int) -> None:
        rate = real_mul(real_mul(gain, self.bw), self.paced_part)
        if rate > self.pacing_rate or (self.full_bw_reached and rate > 0):
            self.pacing_rate = rate
        control.pacing = self.units(self.pacing_rate)

    def set_send_quantum(self, ack: Ack) -> None:
        """Section 5.6.3: what is sent in a millisecond, within bounds."""
        self.quantum_rate = self.pacing_rate
        quantum = min(self.volume(self.pacing_rate, 1_000_000), LARGEST_QUANTUM)
        self.send_quantum = max(quantum, 2 * ack.mss)

    def min_pipe_cwnd(self, ack: Ack) -> int:
        return self.min_window * ack.mss

    def bdp_multiple(self, bw: int, gain: int) -> int:
        """Section 5.6.4.2: so many bandwidth-delay products."""
        if self.min_rtt == 0:
            return self.initial_cwnd
        return self.volume(real_mul(gain, bw), self.min_rtt)

    def quantization_budget(self, ack: Ack, inflight: int) -> int:
        """Section 5.6.4.2: room for what hosts hold, and for a pipeline."""
        most = max(inflight, self.offload_quanta * self.send_quantum, self.min_pipe_cwnd(ack))
        return most + 2 * ack.mss if self.phase == Phase.UP else most

    def inflight(self, ack: Ack, bw: int) -> int:
        return self.quantization_budget(ack, self.bdp_multiple(bw, ONE))

    def set_cwnd(self, ack: Ack, control: Control) -> None:
        """Section 5.6.4.6."""
        gain = self.cwnd_gains[int(self.phase)]
        # The products of a rate stand for many acknowledgements.
        if self.bdp_bw != self.bw or self.bdp_gain != gain or self.bdp_rtt != self.min_rtt:
            self.bdp_bw = self.bw
            self.bdp_gain = gain
            self.bdp_rtt = self.min_rtt
            self.bdp = self.bdp_multiple(self.bw, ONE)
            self.cwnd_bdp = self.bdp_multiple(self.bw, gain)
        max_inflight = self.quantization_budget(ack, self.cwnd_bdp + self.extra_acked)
        grown = control.window + ack.acked
        if self.full_bw_reached:
            control.window = min(grown, max_inflight)
        elif control.window < max_inflight or ack.delivered < self.initial_cwnd:
            control.window = grown
        control.window = max(control.window, self.min_pipe_cwnd(ack))
        # Section 5.6.4.7.
        cap = UNLIMITED
        if self.phase == Phase.PROBE_RTT:
            control.window = min(control.window, self.probe_rtt_cwnd(ack))
            cap = self.inflight_with_headroom(ack)
        elif self.phase == Phase.CRUISE:
            cap = self.inflight_with_headroom(ack)
        elif self.is_in_a_probe_bw_state():
            cap = self.inflight_longterm
        control.window = min(control.window, max(min(cap, self.inflight_shortterm), self.min_pipe_cwnd(ack)))

    def probe_rtt_cwnd(self, ack: Ack) -> int:
        """Section 5.6.4.5."""
        gain = self.cwnd_gains[int(Phase.PROBE_RTT)]
        return max(self.bdp_multiple(self.bw, gain), self.min_pipe_cwnd(ack))

    def restore_cwnd(self, control: Control) -> None:
        """Section 5.6.4.4."""
        control.window = max(control.window, self.prior_cwnd)
