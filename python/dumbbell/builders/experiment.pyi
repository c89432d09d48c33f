"""Scenarios and their entries.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dumbbell._scenario import Scenario

def flows(
    *,
    from_: str | Sequence[str],
    to: str | Sequence[str],
    name: str | None = None,
    pairing: Literal["one-to-one", "all"] | None = None,
    count: int | None = None,
    start: str | None = None,
    stagger: str | None = None,
    jitter: str | None = None,
    size: str | None = None,
    application: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    reader: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    transport: Literal["tcp", "rcp", "trump", "tfrc", "lttp", "nada", "cbr", "poisson", "on-off", "replay"]
    | Mapping[str, Any]
    | None = None,
    class_: int | None = None,
    packets: str | None = None,
    sampled: bool | None = None,
) -> dict[str, Any]:
    """Flows known beforehand.

    Parameters
    ----------
    from_
        Where the data comes from: a group, a node, or a list of them.
        Required.
    to
        Where the data goes: a group, a node, or a list of them.
        Required.
    name
        The name in results; also names the random streams of the flows.
        Default: absent: `flows` and the position in the list, from 0.
    pairing
        `one-to-one` joins the first of `from` with the first of `to`, and so on, or a single node with each
        of the other side; `all` joins each of `from` with each of `to`.
        Default: ``"one-to-one"`` (choice: as host pairs are drawn).
    count
        Flows in all; flow i uses pair i modulo the number of pairs. Unit: flows.
        Default: absent: one flow for each pair.
    start
        When the first flow starts.
        Default: ``"0s"`` (choice: at once).
    stagger
        Time from each start to the next.
        Default: ``"0s"`` (choice: all start together).
    jitter
        Random time added to each start: uniform from 0 to this, so that flows do not run in step.
        Default: ``"0s"`` (choice: starts are as written).
    size
        Application bytes of each flow.
        Default: absent: what `application` lists, or the flows send until the run ends.
    application
        When the application writes, from the flow's start on.
        Default: absent: all is written at once.
    reader
        When the receiver's application reads, from the first data on; behind the end of a list it reads what
        comes.
        Default: absent: what comes is read at once.
    transport
        Transport and its parameters.
        Default: absent: the scenario's transport.
    class_
        Traffic class of all packets of the flows, acknowledgements too.
        Default: ``0`` (RFC 2474 section 4.1: the default codepoint, 0).
    packets
        For the transport `replay`: a file of packets, one on each line: time from the flow's start (seconds),
        bytes on the wire; sorted by time.
        Default: absent: nothing to replay.
    sampled
        Write time series of these flows.
        Default: ``true`` (choice: listed flows are few).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def nodes(
    *,
    name: str | Sequence[str],
    agent: Literal["source-quench", "rbcc", "circuit-breaker"] | Mapping[str, Any] | None = None,
    buffer: Mapping[str, Any] | None = None,
    pause: Mapping[str, Any] | None = None,
    host: Literal["fair-window", "ictcp", "ia-tcp"] | Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What some nodes have beside their links.

    Parameters
    ----------
    name
        The nodes: a group, a node, or a list of them. A node stands in one entry at most.
        Required.
    agent
        What each of these routers does beside queueing that takes all its ports.
        Default: absent: routers forward and queue.
    buffer
        A buffer that all ports of the node share; each of the nodes has one.
        A table of ``dumbbell.network.shared_buffer``: ``size``, ``alpha``.
        Default: absent: each port has a queue of its own, and its limit.
    pause
        Flow control: long queues of these switches pause the links that lead to them.
        A table of ``dumbbell.network.pause``: ``xoff``, ``xon``.
        Default: absent: queues that are full drop.
    host
        What the flows that end at each of these hosts share.
        Default: absent: flows share links and queues only.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def record(
    *,
    period: str | None = None,
    samples: bool | None = None,
    flows: bool | None = None,
    drops: bool | None = None,
    controllers: bool | None = None,
    queues: str | Sequence[str] | None = None,
    delays: bool | None = None,
    sojourns: str | Sequence[str] | None = None,
    arrivals: Sequence[str] | None = None,
) -> dict[str, Any]:
    """What to write down.

    Parameters
    ----------
    period
        Time between samples of windows, rates, round-trip times and queues.
        Default: ``"100ms"`` (choice: a few round-trip times; a readable figure of a minute).
    samples
        Write the time series.
        Default: ``true`` (choice: figures over time need them).
    flows
        Write one row for each flow.
        Default: ``true`` (choice: completion times need them).
    drops
        Write one row for each dropped packet.
        Default: ``false`` (choice: a long overload drops millions).
    controllers
        Write the states of congestion controllers, and what they go by in each round trip.
        Default: ``false`` (choice: a round trip takes some forty rows).
    queues
        Links whose queue is sampled: `bottlenecks`, `all`, `none`, or names of links such as `left->right`.
        Default: ``"bottlenecks"`` (choice: other queues are mostly empty).
    delays
        Note how long each data packet is on its way: quantiles for each flow, means over time for sampled
        flows.
        Default: ``false`` (choice: a run then goes in one loop, and each packet costs some nanoseconds more).
    sojourns
        Links of which it is noted how long each packet stays, for quantiles: `bottlenecks`, `all`, `none`, or
        names of links.
        Default: ``"none"`` (choice: such a link takes two events for each packet).
    arrivals
        Links of which every arriving packet is written down, by name.
        Default: ``[]`` (choice: a run has millions).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def replay(*, link: str, set_: Sequence[str] | None = None, bin_: str | None = None) -> dict[str, Any]:
    """A replay of recorded packets by one source that does not adapt.

    Parameters
    ----------
    link
        The link whose arrivals are recorded, and which they enter again.
        Required.
    set_
        What is different in the run that is recorded: settings `path=value`.
        Default: ``[]`` (choice: the scenario as it is).
    bin_
        Replay not the packets but their rate: packets of the link's MTU carry the bytes of each bin of this
        length.
        Default: absent: packet for packet, to the nanosecond.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def scenario(
    *,
    duration: str,
    topology: Literal[
        "dumbbell",
        "chain",
        "star",
        "parking-lot",
        "fat-tree",
        "leaf-spine",
        "random-tree",
        "waxman",
        "barabasi-albert",
        "graph",
    ]
    | Mapping[str, Any],
    name: str | None = None,
    description: str | None = None,
    seed: int | None = None,
    warmup: str | None = None,
    drain: str | None = None,
    nodes: Sequence[Mapping[str, Any]] | None = None,
    routing: Literal["hops", "delay"] | None = None,
    paths: Literal["single", "ecmp", "spray", "change"] | Mapping[str, Any] | None = None,
    transport: Literal["tcp", "rcp", "trump", "tfrc", "lttp", "nada", "cbr", "poisson", "on-off", "replay"]
    | Mapping[str, Any]
    | None = None,
    flows: Sequence[Mapping[str, Any]] | None = None,
    workloads: Sequence[
        Literal["poisson", "trace", "rounds", "request-response", "shuffle", "on-close"] | Mapping[str, Any]
    ]
    | None = None,
    replay: Mapping[str, Any] | None = None,
    record: Mapping[str, Any] | None = None,
) -> Scenario:
    """An experiment, checked and ready to run.

    Parameters
    ----------
    duration
        Simulated time.
        Required.
    topology
        Nodes and links.
        Required.
    name
        The name in results.
        Default: absent: the file's name.
    description
        What the experiment is for.
        Default: absent: nothing to say.
    seed
        The seed of every random stream. Dimensionless.
        Default: ``1`` (choice: any).
    warmup
        First part of `duration`, which no figure counts.
        Default: ``"0s"`` (choice: measure everything).
    drain
        Time after `duration` in which no flow starts and those in progress may end: only completion times
        count. It is over once all counted flows with a size have ended.
        Default: ``"0s"`` (choice: the run ends with its traffic).
    nodes
        What single nodes have beside their links.
        Tables of ``dumbbell.nodes``: ``name``, ``agent``, ``buffer``, ``pause``, ``host``.
        Default: ``[]`` (absent: hosts and routers have links and queues only).
    routing
        Shortest paths by number of hops or by propagation delay. The other of the two settles ties, then the
        order in which links are listed.
        Default: ``"hops"`` (choice: interior protocols with equal link costs).
    paths
        Which of the shortest paths between two nodes packets take, where several are equally short.
        Default: ``"single"`` (choice: one path unless the scenario asks for several).
    transport
        The transport of flows and workloads that name none.
        Default: ``"tcp"`` (choice: what most traffic uses).
    flows
        Flows known beforehand.
        Tables of ``dumbbell.flows``: ``name``, ``from``, ``to``, ``pairing``, ``count``, ``start``,
        ``stagger``, ``jitter``, ``size``, ``application``, ``reader``, ``transport``, ``class``, ``packets``,
        ``sampled``.
        Default: ``[]`` (absent: only workloads).
    workloads
        Sources of flows that arrive while the run goes on.
        Default: ``[]`` (absent: only listed flows).
    replay
        Run this scenario once to record the packets that arrive at a link, then replay them into that link
        instead of all flows. The results are those of the replay.
        A table of ``dumbbell.replay``: ``link``, ``set``, ``bin``.
        Default: absent: the flows run as they are.
    record
        What to write down.
        A table of ``dumbbell.record``: ``period``, ``samples``, ``flows``, ``drops``, ``controllers``,
        ``queues``, ``delays``, ``sojourns``, ``arrivals``.
        Default: ``{}`` (see its fields).

    Returns
    -------
    Scenario
        The scenario, checked.
    """
