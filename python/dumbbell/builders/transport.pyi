"""Transports.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

def cbr(*, rate: str | None = None, packet_size: int | None = None) -> dict[str, Any]:
    """UDP source of constant bit rate.

    Reference: RFC 768.

    Parameters
    ----------
    rate
        Rate on the wire, headers included.
        Default: ``"1Mbit/s"`` (choice: a tenth of the 10 Mbit/s dumbbell).
    packet_size
        Bytes of one datagram on the wire, headers included (28 bytes). Unit: bytes.
        Default: ``1500`` (RFC 894: the MTU of Ethernet).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def lttp(
    *, overhead: float | None = None, payload: int | None = None, ecn: bool | None = None
) -> dict[str, Any]:
    """LTTP: fountain-coded datagrams at the rate of TFRC.

    Reference: Jiang, Li & Xu, LTTP: An LT-Code Based Transport Protocol, IEEE JSAC 32(1), 2014.

    Parameters
    ----------
    overhead
        Coded packets needed beyond those of the object, as a share: epsilon. Dimensionless.
        Default: ``0.05`` (choice: LT codes of thousands of packets need about 5 % (Luby, FOCS 2002)).
    payload
        Payload of a packet in bytes, never more than the path's MTU allows; absent: what the MTU allows.
        Unit: bytes.
        Default: RFC 5348 section 4.1: a fixed segment size; the MTU less 36 bytes.
    ecn
        Explicit congestion notification: a mark counts as a loss.
        Default: ``false`` (RFC 5348 section 5.1: where packets are ECN-capable).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def nada(
    *,
    prio: float | None = None,
    rmin: str | None = None,
    rmax: str | None = None,
    xref: str | None = None,
    kappa: float | None = None,
    eta: float | None = None,
    tau: str | None = None,
    delta: str | None = None,
    logwin: str | None = None,
    qeps: str | None = None,
    dfilt: str | None = None,
    gamma_max: float | None = None,
    qbound: str | None = None,
    multiloss: float | None = None,
    qth: str | None = None,
    lambda_: float | None = None,
    plrref: float | None = None,
    pmrref: float | None = None,
    dloss: str | None = None,
    dmark: str | None = None,
    xmax: str | None = None,
    alpha: float | None = None,
    fps: int | None = None,
    beta_s: float | None = None,
    beta_v: float | None = None,
    ecn: bool | None = None,
    packet_size: int | None = None,
    pauses: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Real-time media under NADA.

    Reference: RFC 8698.

    Parameters
    ----------
    prio
        Weight of the flow's priority (PRIO). Dimensionless.
        Default: ``1.0`` (RFC 8698 figure 3).
    rmin
        Smallest rate of the encoder (RMIN).
        Default: ``"150kbit/s"`` (RFC 8698 figure 3).
    rmax
        Largest rate of the encoder (RMAX).
        Default: ``"1.5Mbit/s"`` (RFC 8698 figure 3).
    xref
        Congestion level of a flow at its largest rate (XREF).
        Default: ``"10ms"`` (RFC 8698 figure 3).
    kappa
        Gain of gradual changes (KAPPA). Dimensionless.
        Default: ``0.5`` (RFC 8698 figure 3).
    eta
        Weight of the change of the signal in gradual changes (ETA). Dimensionless.
        Default: ``2.0`` (RFC 8698 figure 3).
    tau
        Largest round-trip time that gradual changes are made for (TAU).
        Default: ``"500ms"`` (RFC 8698 figure 3).
    delta
        Time between reports (DELTA).
        Default: ``"100ms"`` (RFC 8698 figure 3).
    logwin
        Time over which the receiver sums up packets (LOGWIN).
        Default: ``"500ms"`` (RFC 8698 figure 3).
    qeps
        Queueing delay below which there is no queue (QEPS).
        Default: ``"10ms"`` (RFC 8698 figure 3).
    dfilt
        Bound on the delay of filters, for accelerated ramp-up (DFILT).
        Default: ``"120ms"`` (RFC 8698 figure 3).
    gamma_max
        Largest growth from one report to the next in accelerated ramp-up (GAMMA_MAX). Dimensionless.
        Default: ``0.5`` (RFC 8698 figure 3).
    qbound
        Queueing delay that ramp-up may cause (QBOUND).
        Default: ``"50ms"`` (RFC 8698 figure 3).
    multiloss
        Mean loss intervals after which the last loss is forgotten (MULTILOSS). Unit: loss intervals.
        Default: ``7.0`` (RFC 8698 figure 3).
    qth
        Queueing delay from which delays are warped while packets are lost (QTH).
        Default: ``"50ms"`` (RFC 8698 figure 3).
    lambda_
        How fast the warped delay falls beyond (LAMBDA). Dimensionless.
        Default: ``0.5`` (RFC 8698 figure 3).
    plrref
        Loss ratio whose penalty is `dloss` (PLRREF). Dimensionless.
        Default: ``0.01`` (RFC 8698 figure 3).
    pmrref
        Ratio of marks whose penalty is `dmark` (PMRREF). Dimensionless.
        Default: ``0.01`` (RFC 8698 figure 3).
    dloss
        Delay that stands for losses at `plrref` (DLOSS).
        Default: ``"10ms"`` (RFC 8698 figure 3).
    dmark
        Delay that stands for marks at `pmrref` (DMARK).
        Default: ``"2ms"`` (RFC 8698 figure 3).
    xmax
        Largest signal: beyond it the rate would grow with the fall of a signal that is far too high.
        Default: ``"500ms"`` (ns3-rmcat of the authors: NADA_PARAM_XMAX; RFC 8698 figure 3 has none).
    alpha
        Weight of the latest ratio of losses and of marks (ALPHA). Dimensionless.
        Default: ``0.1`` (RFC 8698 figure 3).
    fps
        Frames a second (FPS). Unit: frames/s.
        Default: ``30`` (RFC 8698 figure 3).
    beta_s
        Share of the shaping buffer by which packets leave faster (BETA_S). Dimensionless.
        Default: ``0.1`` (RFC 8698 figure 3).
    beta_v
        Share of the shaping buffer by which the encoder goes slower (BETA_V). Dimensionless.
        Default: ``0.1`` (RFC 8698 figure 3).
    ecn
        Explicit congestion notification: packets are ECN-capable, and marks belong to the signal.
        Default: ``false`` (choice: as of TFRC; RFC 8698 section 5.1.2 uses marks where there are any).
    packet_size
        Bytes of a full packet on the wire, headers included (40 bytes). Unit: bytes.
        Default: ``1200`` (choice: below every usual MTU).
    pauses
        Times without media, in order: `{ at = "40s", lasts = "20s" }`.
        Tables with these keys:
        - ``at``: duration. When, since the flow's start. Required.
        - ``lasts``: duration. How long. Required.
        Default: ``[]`` (choice: none (RFC 8867 section 5.8: one of 20 s)).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def on_off(
    *,
    rate: str | None = None,
    packet_size: int | None = None,
    mean_on: str | None = None,
    mean_off: str | None = None,
    periods: Literal["exponential", "fixed"] | None = None,
) -> dict[str, Any]:
    """UDP source with bursts and silences.

    Reference: Brady, A model for generating on-off speech patterns, BSTJ 1969.

    Parameters
    ----------
    rate
        Rate on the wire during a burst, headers included.
        Default: ``"1Mbit/s"`` (choice: a tenth of the 10 Mbit/s dumbbell).
    packet_size
        Bytes of one datagram on the wire, headers included (28 bytes). Unit: bytes.
        Default: ``1500`` (RFC 894: the MTU of Ethernet).
    mean_on
        Mean length of a burst.
        Default: ``"500ms"`` (ns-2.35 tcl/lib/ns-default.tcl: burst_time_ of exponential traffic).
    mean_off
        Mean length of a silence.
        Default: ``"500ms"`` (ns-2.35 tcl/lib/ns-default.tcl: idle_time_ of exponential traffic).
    periods
        Distribution of both lengths: `exponential` or `fixed`.
        Default: ``"exponential"`` (choice: the memoryless model of talk spurts).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def poisson(*, rate: str | None = None, packet_size: int | None = None) -> dict[str, Any]:
    """UDP source with Poisson departures.

    Reference: Kleinrock, Queueing Systems, volume 1, section 2.4.

    Parameters
    ----------
    rate
        Mean rate on the wire, headers included.
        Default: ``"1Mbit/s"`` (choice: a tenth of the 10 Mbit/s dumbbell).
    packet_size
        Bytes of one datagram on the wire, headers included (28 bytes). Unit: bytes.
        Default: ``1500`` (RFC 894: the MTU of Ethernet).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def rcp(
    *,
    payload: int | None = None,
    header: int | None = None,
    desired: str | None = None,
    compat: Literal["none", "ns2"] | None = None,
    syn_timeout: str | None = None,
    probe_min: str | None = None,
    probe_max: str | None = None,
    probe_running: str | None = None,
    rto_min: str | None = None,
    retries: int | None = None,
) -> dict[str, Any]:
    """Rate Control Protocol: sends at the rate that routers give.

    Reference: Dukkipati & McKeown, CCR 36(1), 2006.

    Parameters
    ----------
    payload
        Payload of a packet in bytes, never more than the path's MTU allows; absent: what the MTU allows.
        Unit: bytes.
        Default: choice: the MTU less the header; ns-2 rcp-host.cc: 960 bytes.
    header
        Bytes of header of every packet: all of a packet that carries no data. Unit: bytes.
        Default: ``40`` (ns-2 rcp-host.cc: SYN, REF and answers have 40 bytes, data 40 more than its payload).
    desired
        The rate that the source asks for, in bits of whole packets; absent: no limit, so that routers alone
        decide. With it, a flow needs no router.
        Default: Zhuang & Kaiser-Pendergrast, CS244 2016: RCP_DESIRED_RATE of their end host.
    compat
        Imitates the published code where it differs: `none` or `ns2`.
        Default: ``"none"`` (choice: a flow never stops silently).
    syn_timeout
        Time after which an unanswered SYN is sent again; it doubles each time.
        Default: ``"500ms"`` (ns-2 rcp-host.cc: SYN_DELAY).
    probe_min
        Shortest interval between probes.
        Default: ``"10ms"`` (choice: the longest period of router updates, so that the next probe finds a new
        rate).
    probe_max
        Longest interval between probes of a paused sender.
        Default: ``"1s"`` (choice: a paused flow goes on within a second or so of the first rate it is
        offered).
    probe_running
        Longest interval between probes of a sender whose packets are further apart than a round-trip time.
        Default: ``"500ms"`` (ns-2 rcp-host.cc: REF_TIMER).
    rto_min
        Smallest retransmission timeout; the timeout is twice the smoothed round-trip time.
        Default: ``"10ms"`` (choice: above the jitter of a software end point (ns-2: twice the round-trip
        time)).
    retries
        SYNs, probes or timeouts in a row without an answer after which the sender gives up. Unit: timeouts.
        Default: ``8`` (choice: about as patient as 100 s of RFC 1122 section 4.2.3.5 at a timeout of 0.5 s).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def replay() -> dict[str, Any]:
    """UDP source that replays a recorded list of (time, size).

    Reference: choice: measured traffic, reproduced to the nanosecond.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def tcp(
    *,
    profile: Literal["linux", "linux-6.1", "rfc", "ns2", "bsd"] | None = None,
    controller: Literal[
        "tahoe",
        "reno",
        "newreno",
        "cubic",
        "xcp",
        "dctcp",
        "vegas",
        "bbr",
        "swift",
        "timely",
        "dcqcn",
        "hpcc",
        "westwood",
        "westwood-plus",
        "highspeed",
        "htcp",
        "illinois",
        "scalable",
        "yeah",
        "hybla",
        "bic",
        "bbr3",
        "copa",
        "ledbat",
        "ledbat-plus-plus",
        "prague",
    ]
    | Mapping[str, Any]
    | str
    | None = None,
    handshake: bool | None = None,
    first_write: str | None = None,
    syn_options: bool | None = None,
    lost_syn: Literal["restart", "linux", "doubling"] | None = None,
    fin: bool | None = None,
    mss: int | None = None,
    initial_window: int | None = None,
    initial_threshold: int | None = None,
    max_window: int | None = None,
    unit_window: int | None = None,
    unit_copies: int | None = None,
    send_buffer: str | Literal["unlimited"] | None = None,
    packet_memory: str | None = None,
    nagle: Literal["off", "classic", "minshall"] | None = None,
    receive_window: str | None = None,
    window_scale: int | None = None,
    window_share: Literal["measured", "half"] | None = None,
    ack_every: int | None = None,
    ack_delay: str | None = None,
    delayed_acks: Literal["fixed", "ticks", "linux"] | None = None,
    sack_compression: bool | None = None,
    sack_compression_slack: str | None = None,
    dsack: bool | None = None,
    initial_receive_window: str | None = None,
    byte_counting: int | None = None,
    window_validation: bool | None = None,
    slow_start_after_idle: bool | None = None,
    exit_inflation_fix: bool | None = None,
    single_fast_retransmit: bool | None = None,
    limited_transmit: bool | None = None,
    duplicate_threshold: int | None = None,
    sack: bool | None = None,
    loss_detection: Literal["duplicates", "fack", "rack"] | None = None,
    tail_loss_probe: bool | None = None,
    frto: bool | None = None,
    undo: bool | None = None,
    cut_from: Literal["flight", "window"] | None = None,
    segmentation_offload: Literal["off", "linux", "pieces"] | None = None,
    pacing: Literal["off", "linux"] | None = None,
    max_pacing_rate: str | None = None,
    timestamps: bool | None = None,
    ecn: Literal["off", "classic", "accurate"] | bool | None = None,
    ecn_answer: Literal["off", "classic", "accurate"] | bool | None = None,
    cheat: Mapping[str, Any] | None = None,
    quench: Literal["slow-start", "cut", "ignore"] | None = None,
    rto_min: str | None = None,
    rto_floor: Literal["timeout", "deviation"] | None = None,
    rto_initial: str | None = None,
    rto_max: str | None = None,
    rto_tick: str | None = None,
    timer_tick: str | None = None,
    rtt_integers: bool | None = None,
    rto_spread: float | None = None,
    rto_granularity: str | None = None,
    rtt_tick: str | None = None,
    overhead: str | None = None,
    retries: int | None = None,
) -> dict[str, Any]:
    """TCP with a congestion controller.

    Reference: RFC 9293, RFC 5681, RFC 6298, RFC 6675, RFC 7323, RFC 3168.

    Parameters
    ----------
    profile
        Whose TCP it is: the defaults of the other parameters, see the profiles. The defaults below are those
        of `linux`.
        Default: ``"linux"`` (choice: what most servers run; `rfc` is what published studies assume).
    controller
        Congestion controller. `{ library = "mine.so" }` is one of your own in C, see
        docs/own-c-controller.md.
        Default: ``"cubic"`` (RFC 9438 section 1: the default of Linux, Windows and Apple systems).
    handshake
        Opens with SYN, SYN-ACK, ACK. If false, data flows at once.
        Default: ``true`` (RFC 9293 section 3.5).
    first_write
        How long after the handshake the application writes. The acknowledgement of the handshake leaves at
        once; where a queue is short, it matters whether it is still there when the first window arrives.
        Default: ``"0ns"`` (choice: it is the application's (a program in C on Linux 6.18: 9 to 70 us, median
        20)).
    syn_options
        The SYN and its answer carry the options of the connection: segment size, window scale, SACK,
        timestamps. They are then up to 60 bytes long. If false, they are as long as an acknowledgement.
        Default: ``false`` (choice: as in most published studies (Linux: 60 bytes with timestamps)).
    lost_syn
        What it means that the SYN was sent again. `restart`: the timeout doubles each time; data begins with
        one segment and a timeout of 3 s. `linux`: the first four timeouts are equal; data begins with the
        initial window unless it was sent again twice; timestamps measure the round-trip time. `doubling`: the
        same, but that each timeout doubles, as before Linux 6.5.
        Default: ``"linux"`` (Linux net.ipv4.tcp_syn_linear_timeouts: 4, net/ipv4/tcp_input.c:
        tcp_init_transfer (RFC 6928 section 2)).
    fin
        Closes with FIN in both directions. If false, the connection stays open.
        Default: ``true`` (RFC 9293 section 3.6).
    mss
        Segment payload in bytes, never more than the path's MTU allows; absent: what the MTU allows. Unit:
        bytes.
        Default: RFC 9293 section 3.7.1: MTU less 40 bytes, less 12 with timestamps.
    initial_window
        Window at the start, in segments. Unit: segments.
        Default: ``10`` (RFC 6928 section 2).
    initial_threshold
        Slow-start threshold at the start, in segments; absent: none. Unit: segments.
        Default: RFC 5681 section 3.1: arbitrarily high.
    max_window
        Largest congestion window in use, in segments; absent: no limit. Unit: segments.
        Default: choice: only network and receiver limit (ns-2.35: window_ = 20).
    unit_window
        Window with which each object begins that the application writes, in segments, if it is larger then;
        absent: the objects of a connection are one stream. GIP: 2. Unit: segments.
        Default: choice: TCP knows no objects (Zhang et al., GIP, ICNP 2013: 2).
    unit_copies
        Copies of the last segment of each object, which leave right behind it. GIP: 2. Unit: copies.
        Default: ``0`` (choice: TCP knows no objects (Zhang et al., GIP, ICNP 2013: it leaves up to three
        times)).
    send_buffer
        Memory for what is written and not acknowledged, at most, or `unlimited`. It grows with the window, to
        twice what that takes. An application with more to say writes 256 KiB whenever a third of it is free.
        Default: ``"4MiB"`` (Linux net.ipv4.tcp_wmem[2]: 4194304).
    packet_memory
        What a packet takes of that memory besides its payload.
        Default: ``"896B"`` (measured on Linux 6.12 (SO_MEMINFO)).
    nagle
        Nagle's algorithm: a segment that is not full waits while anything is not acknowledged (`classic`), or
        while an earlier one that was not full is not (`minshall`). The last segment before the FIN leaves at
        once.
        Default: ``"minshall"`` (Linux net/ipv4/tcp_output.c: on unless a program sets TCP_NODELAY).
    receive_window
        The receiver's buffer, advertised in every segment it sends.
        Default: ``"32MiB"`` (Linux 6.16 net.ipv4.tcp_rmem[2]: 33554432, of which all may be window).
    window_scale
        By how many bits windows are shifted; absent: as far as the largest needs. Kernels of Linux before
        6.16 shift one more, as the memory of the largest needs. Unit: bits.
        Default: RFC 7323 section 2.2: 14 at most.
    window_share
        How much of the receiver's memory is window, if windows grow: as much as the first segment shows, or
        half, as before Linux 6.6. Segments take whole slabs of that memory.
        Default: ``"measured"`` (Linux net/ipv4/tcp_input.c: tcp_measure_rcv_mss (6.1:
        net.ipv4.tcp_adv_win_scale, 1)).
    ack_every
        The receiver acknowledges every so many segments; 1 turns delayed acknowledgements off. Unit:
        segments.
        Default: ``2`` (RFC 5681 section 4.2).
    ack_delay
        Longest delay of an acknowledgement.
        Default: ``"40ms"`` (Linux include/net/tcp.h: TCP_DELACK_MIN (RFC 5681 section 4.2: at most 500 ms)).
    delayed_acks
        How acknowledgements wait: `ack_every` and `ack_delay`, or as in Linux: one for each of the first
        segments and while the window grows, then one for two, with a delay between 40 and 200 ms that follows
        the gaps between segments. With `ticks` all of a host that wait leave together, every `ack_delay`. Who
        writes `ack_every` or `ack_delay` and not this asks for `fixed`.
        Default: ``"linux"`` (Linux net/ipv4/tcp_input.c: quick acknowledgements, ATO of 40 to 200 ms).
    sack_compression
        Holds acknowledgements back while many segments arrive above a hole: after three, one a millisecond or
        for 44.
        Default: ``true`` (Linux net.ipv4.tcp_comp_sack_delay_ns: 1 ms, tcp_comp_sack_nr: 44).
    sack_compression_slack
        The timer of `sack_compression` comes so much later. In one kernel, the timers of other connections
        would end it at any time of this.
        Default: ``"100us"`` (Linux net.ipv4.tcp_comp_sack_slack_ns: 100000).
    dsack
        Tells the sender what arrived twice.
        Default: ``true`` (RFC 2883; Linux net.ipv4.tcp_dsack: 1).
    initial_receive_window
        The receive window at the start, at least a segment; it then grows as data is read, up to
        `receive_window`, if that is larger.
        Default: ``"65536B"`` (Linux net.ipv4.tcp_rmem[1]: 131072, half of it for the window).
    byte_counting
        Segments that one acknowledgement may add to the window in slow start; 1 counts acknowledgements.
        Unit: segments.
        Default: ``1000000`` (Linux net/ipv4/tcp_cong.c: all segments acknowledged count in slow start).
    window_validation
        Lets the window grow only while it limits the sender.
        Default: ``true`` (RFC 9438 section 5.8, RFC 7661).
    slow_start_after_idle
        Lowers the window of a connection that was idle, or that long used little of it.
        Default: ``true`` (RFC 5681 section 4.1, RFC 2861 (Linux net.ipv4.tcp_slow_start_after_idle)).
    exit_inflation_fix
        The end of Reno's fast recovery takes back all that duplicates added to the window. If false, exactly
        as many as `duplicate_threshold` leave it as it is.
        Default: ``true`` (RFC 5681 section 3.2, step 6).
    single_fast_retransmit
        After a timeout without SACK, duplicates show a loss only when all that was sent before it is
        acknowledged. If false, duplicates that the sender itself has caused may show one.
        Default: ``true`` (RFC 6582 section 4.1).
    limited_transmit
        Sends a new segment on each of the first two duplicate acknowledgements.
        Default: ``true`` (RFC 3042).
    duplicate_threshold
        Duplicate acknowledgements that show a loss: DupThresh. Not with `loss_detection = "rack"`. Unit:
        acknowledgements.
        Default: ``3`` (RFC 5681 section 3.2, RFC 6675 section 2).
    sack
        Selective acknowledgements, and loss recovery by them.
        Default: ``true`` (RFC 2018, RFC 6675; on in every current system).
    loss_detection
        Finds losses by duplicate acknowledgements and SACK (RFC 6675); by forward acknowledgement (Mathis &
        Mahdavi, SIGCOMM 1996: FACK), which takes all holes for lost when the highest segment held is more
        than `duplicate_threshold` segments above the first; or by time (RFC 8985: RACK), with proportional
        rate reduction (RFC 9937).
        Default: ``"rack"`` (Linux net.ipv4.tcp_recovery: 1, tcp_early_retrans: 3, tcp_frto: 2).
    tail_loss_probe
        Sends a probe when acknowledgements stay away for two round trips. Only with `loss_detection =
        "rack"`.
        Default: ``true`` (RFC 8985 section 7).
    frto
        Sends new data after a timeout, to see whether it was spurious. Only with `loss_detection = "rack"`.
        Default: ``true`` (RFC 5682).
    undo
        Takes a cut back when it turns out that nothing was lost. Only with `loss_detection = "rack"`.
        Default: ``true`` (RFC 4015, RFC 3708).
    cut_from
        What is cut: what is outstanding, or the window.
        Default: ``"window"`` (Linux net/ipv4/tcp_cong.c: ssthresh from snd_cwnd).
    segmentation_offload
        Segments leave alone as the window allows, or in bursts as large as Linux makes them, for which it
        holds segments back while the next acknowledgement is near. `pieces`: as before Linux 6.10, whose
        packets hold no more than a piece of what was written, and whose last segment with the FIN does not
        ask for the window. Only with `loss_detection = "rack"`.
        Default: ``"linux"`` (Linux net/ipv4/tcp_output.c: tcp_tso_autosize, tcp_tso_should_defer).
    pacing
        Sends as the window allows, or at the rate that Linux reckons: 1.2 windows in a round-trip time, 2 in
        slow start; the first ten segments at once. For controllers that do not pace themselves. Only with
        `loss_detection = "rack"`.
        Default: ``"off"`` (Linux net/ipv4/tcp_output.c: only with the queue fq or SO_MAX_PACING_RATE).
    max_pacing_rate
        Largest pacing rate, headers not counted; absent: no limit. Only with `pacing = "linux"`.
        Default: choice: only the window limits (Linux SO_MAX_PACING_RATE).
    timestamps
        The timestamps option: a round-trip time with every acknowledgement, and protection against old
        segments.
        Default: ``true`` (Linux net.ipv4.tcp_timestamps: 1).
    ecn
        Explicit congestion notification: none, the echoes of RFC 3168, or the counters of RFC 9768. `true` is
        `"classic"`. On with a controller that answers nothing else: `true` under DCTCP, `accurate` under
        Prague.
        Default: ``"off"`` (Linux net.ipv4.tcp_ecn: not asked for by default).
    ecn_answer
        The most that the receiver agrees to, whatever the sender asks for.
        Default: ``"accurate"`` (choice: what the sender asks for (Linux net.ipv4.tcp_ecn: 2, `classic`)).
    cheat
        How the receiver misbehaves.
        A table with these keys:
        - ``ahead``: number. Acknowledges so much of the sender's window more than has arrived: 0.5 is half
          of it. Losses are hidden as well, since nobody sends again what was acknowledged. Dimensionless.
          Default: ``0.0`` (choice: none (Savage et al., CCR 29(5), 1999, section 2.3: optimistic
          acknowledgements)).
        - ``hide_losses``: boolean. Acknowledges over holes, as if nothing was lost. Default: ``false``
          (choice: no (Savage et al., CCR 29(5), 1999, section 2.3: it conceals losses)).
        - ``split``: integer. Acknowledgements that it sends instead of one, each for a part of the same
          bytes. Unit: acknowledgements. Default: ``1`` (choice: one (Savage et al., CCR 29(5), 1999, section
          2.1: as many as it likes)).
        - ``hide_marks``: boolean. Reports no marks of congestion. Default: ``false`` (choice: no (RFC 3540
          section 1: a receiver may conceal marks)).
        Default: absent: it is honest.
    quench
        Answer to a source quench, once a window: slow start from one segment, the cut for an ECN echo, or
        none.
        Default: ``"slow-start"`` (RFC 1122 section 4.2.3.9 (RFC 6633: none, as no router may send one any
        more)).
    rto_min
        Smallest retransmission timeout.
        Default: ``"200ms"`` (Linux include/net/tcp.h: TCP_RTO_MIN (RFC 6298 section 2.4: 1 s)).
    rto_floor
        What `rto_min` is a floor under: the whole timeout, or what the deviation adds to the smoothed
        round-trip time.
        Default: ``"deviation"`` (Linux net/ipv4/tcp_input.c: 200 ms under the variance term).
    rto_initial
        Retransmission timeout before the first measurement.
        Default: ``"1s"`` (RFC 6298 section 2.1).
    rto_max
        Largest retransmission timeout.
        Default: ``"120s"`` (Linux net.ipv4.tcp_rto_max_ms: 120000).
    rto_tick
        Tick of the sender's clock; zero: it is exact. With ticks, the timeout is a whole number of them, two
        at least, and the timer of k ticks expires at the k-th tick; round-trip times are counted in ticks,
        each with its full weight, and `rto_granularity` and `rtt_tick` have no meaning. Only with
        `loss_detection = "duplicates"`.
        Default: ``"0s"`` (choice: the simulator's clock is exact (4.4BSD: 500 ms)).
    timer_tick
        Tick of the host's timers, 1 / HZ in Linux; zero: they are exact. Timeouts, probes and delayed
        acknowledgements count in whole ticks and end on one, between one and two ticks after the time that
        they wait for, a ninth of it at most where it is long. Only with `loss_detection = "rack"`.
        Default: ``"0s"`` (choice: the simulator's clock is exact (Linux kernel/time/timer.c; 4 ms in Debian,
        1 ms in Fedora)).
    rtt_integers
        With `rto_tick`: the estimator keeps whole eighths of a tick, and whole quarters for the deviation,
        and cuts off the rest. With short round trips, the timeout then settles at three ticks. If false, it
        settles at `rto_min`.
        Default: ``false`` (RFC 6298 section 2 (4.4BSD: whole numbers)).
    rto_spread
        The retransmission timer expires later by a part of the timeout, drawn uniformly from 0 to this share
        of it each time. Dimensionless.
        Default: ``0.0`` (RFC 6298 section 5: none (Vasudevan et al., SIGCOMM 2009, section 5: 0.5)).
    rto_granularity
        Clock granularity in the formula of the timeout: G.
        Default: ``"1ms"`` (RFC 6298 section 4: finer than 100 ms is better (Linux: 1 ms)).
    rtt_tick
        Tick in which round-trip times are measured; zero measures exactly.
        Default: ``"0ns"`` (choice: the simulator's clock is exact).
    overhead
        Longest processing time of a segment that the window allows. Each takes a time drawn uniformly from 0
        to this, one after the other. This breaks the phase effects of DropTail; the transmission time of a
        packet at the bottleneck works best.
        Default: ``"0s"`` (ns-2.35 tcl/lib/ns-default.tcl: Agent/TCP set overhead_ 0 (Floyd & Jacobson,
        1992)).
    retries
        Consecutive timeouts after which the sender gives up. Unit: timeouts.
        Default: ``15`` (Linux net.ipv4.tcp_retries2 (RFC 1122 section 4.2.3.5: 100 s or more)).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def tfrc(*, payload: int | None = None, ecn: bool | None = None) -> dict[str, Any]:
    """TCP-Friendly Rate Control over datagrams.

    Reference: RFC 5348.

    Parameters
    ----------
    payload
        Payload of a packet in bytes, never more than the path's MTU allows; absent: what the MTU allows.
        Unit: bytes.
        Default: RFC 5348 section 4.1: a fixed segment size; the MTU less 36 bytes.
    ecn
        Explicit congestion notification: a mark counts as a loss.
        Default: ``false`` (RFC 5348 section 5.1: where packets are ECN-capable).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def trump(
    *,
    payload: int | None = None,
    header: int | None = None,
    desired: str | None = None,
    selacksize: int | None = None,
    retry: str | None = None,
    give_up: str | None = None,
    ack_delay: str | None = None,
    reordering: int | None = None,
) -> dict[str, Any]:
    """TRUMP: sends at the rate that RBCC routers return.

    Reference: W. Toomey, A Rate-Based Congestion Control for Connectionless Packet-Switched Networks, UNSW,
    1998.

    Parameters
    ----------
    payload
        Payload of a packet in bytes, never more than the path's MTU allows; absent: what the MTU allows.
        Unit: bytes.
        Default: Toomey 1998, chapter 11.5: a buffer of 15,000 octets holds 10 data packets, headers counted.
    header
        Bytes of header of every packet: all of a packet that carries no data. Unit: bytes.
        Default: ``40`` (Toomey, RBCC, 1996: an acknowledgement takes 40/1500 of the rate of the data).
    desired
        The rate that the source would like; absent: all that it can get.
        Default: Toomey, RBCC, 1996: the desired rate may be infinite.
    selacksize
        Data packets that an acknowledgement reports, 1 to 16. The destination waits until it has as many.
        Unit: packets.
        Default: ``1`` (Toomey 1998, chapter 11.7: recommends one data packet, one acknowledgement).
    retry
        Time after which the source sends an unanswered set-up packet again. Also how long it waits, once
        everything is sent and nothing is heard, until it sends again what is not acknowledged.
        Default: ``"1s"`` (Toomey, RBCC, 1996: S; choice: no other constant for the end of a message, which is
        not published).
    give_up
        Time without an answer after which the source gives up.
        Default: ``"30s"`` (Toomey, RBCC, 1996: T, for the set-up; choice: the same for data, which is not
        published).
    ack_delay
        The longest that the destination holds back what it has to report.
        Default: ``"1s"`` (choice: as `retry`; the text lets information wait until an acknowledgement is
        full).
    reordering
        A packet is lost when an acknowledgement reports one that was sent more than so many transmissions
        later. Unit: packets.
        Default: ``0`` (choice: how losses are found is not published; paths keep the order, so 0; 3 if a
        route changes).

    Returns
    -------
    dict
        What to write in a scenario.
    """
