"""Workloads: sources of flows that arrive while the run goes on.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

def on_close(
    *,
    from_: str | Sequence[str],
    to: str | Sequence[str],
    size: Literal[
        "fixed",
        "uniform",
        "exponential",
        "pareto",
        "bounded-pareto",
        "lognormal",
        "campus-web",
        "campus-10M",
        "campus-web-10M",
        "empirical",
    ]
    | Mapping[str, Any],
    name: str | None = None,
    after: str | Sequence[str] | None = None,
    pairing: Literal["one-to-one", "all"] | None = None,
    think: str | None = None,
    spread: Literal["fixed", "exponential"] | None = None,
    start: str | None = None,
    stagger: str | None = None,
    max_flows: int | None = None,
    transport: Literal["tcp", "rcp", "trump", "tfrc", "lttp", "nada", "cbr", "poisson", "on-off", "replay"]
    | Mapping[str, Any]
    | None = None,
    class_: int | None = None,
    application: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    reader: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    sampled: bool | None = None,
) -> dict[str, Any]:
    """Flows that start when others have ended.

    Reference: Heyman, Lakshman & Neidhardt, SIGMETRICS 1997: a fixed number of users.

    Parameters
    ----------
    from_
        Where the data comes from: a group, a node, or a list of them.
        Required.
    to
        Where the data goes: a group, a node, or a list of them.
        Required.
    size
        Distribution of application bytes.
        Required.
    name
        The name in results and of its random streams.
        Default: absent: `workload` and the position in the list, from 0.
    after
        The flows or workloads whose flows it waits for, by name.
        Default: absent: its own flows.
    pairing
        `one-to-one` joins the first of `from` with the first of `to`, and so on, or a single node with each
        of the other side; `all` joins each of `from` with each of `to`. With `after`, each flow draws one of
        the pairs.
        Default: ``"one-to-one"`` (choice: as host pairs are drawn).
    think
        Mean time from the end of one flow to the start of the next.
        Default: ``"0s"`` (choice: the next starts at once).
    spread
        How that time is spread: `fixed` or `exponential`.
        Default: ``"fixed"`` (choice: no randomness that is not asked for).
    start
        When the first flows start, if there is no `after`.
        Default: ``"0s"`` (choice: at once).
    stagger
        Time from the start of one pair's first flow to that of the next.
        Default: ``"0s"`` (choice: all start together).
    max_flows
        Flows at most: workloads that wait for each other could multiply without end. Unit: flows.
        Default: ``1000000`` (choice: more than studies of closed loops need).
    transport
        Transport and its parameters.
        Default: absent: the scenario's transport.
    class_
        Traffic class of all packets of the flows, acknowledgements too.
        Default: ``0`` (RFC 2474 section 4.1: the default codepoint, 0).
    application
        When the application of a flow writes what its size says, from the flow's start on. No list: flows
        differ in size.
        Default: absent: all is written at once.
    reader
        When the receiver's application reads, from the first data on; behind the end of a list it reads what
        comes.
        Default: absent: what comes is read at once.
    sampled
        Write time series of the flows.
        Default: ``false`` (choice: flows are many and short).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def poisson(
    *,
    from_: str | Sequence[str],
    to: str | Sequence[str],
    size: Literal[
        "fixed",
        "uniform",
        "exponential",
        "pareto",
        "bounded-pareto",
        "lognormal",
        "campus-web",
        "campus-10M",
        "campus-web-10M",
        "empirical",
    ]
    | Mapping[str, Any],
    name: str | None = None,
    pairing: Literal["one-to-one", "all"] | None = None,
    load: float | None = None,
    link: str | None = None,
    rate: float | None = None,
    start: str | None = None,
    stop: str | None = None,
    max_flows: int | None = None,
    transport: Literal["tcp", "rcp", "trump", "tfrc", "lttp", "nada", "cbr", "poisson", "on-off", "replay"]
    | Mapping[str, Any]
    | None = None,
    class_: int | None = None,
    application: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    reader: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    sampled: bool | None = None,
) -> dict[str, Any]:
    """Poisson flow arrivals at an offered load or rate.

    Reference: Paxson & Floyd, IEEE/ACM ToN 3(3), 1995: sessions arrive as a Poisson process.

    Parameters
    ----------
    from_
        Where the data comes from: a group, a node, or a list of them.
        Required.
    to
        Where the data goes: a group, a node, or a list of them.
        Required.
    size
        Distribution of application bytes.
        Required.
    name
        The name in results; also names the random streams of arrivals, sizes and pairs.
        Default: absent: `workload` and the position in the list, from 0.
    pairing
        `one-to-one` joins the first of `from` with the first of `to`, and so on, or a single node with each
        of the other side; `all` joins each of `from` with each of `to`. Each flow draws one of the pairs.
        Default: ``"one-to-one"`` (choice: as host pairs are drawn).
    load
        Offered load as a share of the rate of `link`; instead of `rate`. Dimensionless.
        Default: absent: `rate` is given.
    link
        The link whose rate `load` is a share of.
        Default: absent: the bottleneck, if there is one only.
    rate
        Flows a second; instead of `load`. Unit: flows/s.
        Default: absent: `load` is given.
    start
        When arrivals begin.
        Default: ``"0s"`` (choice: at once).
    stop
        When arrivals end.
        Default: absent: when the run ends.
    max_flows
        Flows at most. Unit: flows.
        Default: absent: no limit.
    transport
        Transport and its parameters.
        Default: absent: the scenario's transport.
    class_
        Traffic class of all packets of the flows, acknowledgements too.
        Default: ``0`` (RFC 2474 section 4.1: the default codepoint, 0).
    application
        When the application of a flow writes what its size says, from the flow's start on. No list: flows
        differ in size.
        Default: absent: all is written at once.
    reader
        When the receiver's application reads, from the first data on; behind the end of a list it reads what
        comes.
        Default: absent: what comes is read at once.
    sampled
        Write time series of the flows.
        Default: ``false`` (choice: arriving flows are many and short).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def request_response(
    *,
    from_: str | Sequence[str],
    to: str | Sequence[str],
    response: Literal[
        "fixed",
        "uniform",
        "exponential",
        "pareto",
        "bounded-pareto",
        "lognormal",
        "campus-web",
        "campus-10M",
        "campus-web-10M",
        "empirical",
    ]
    | Mapping[str, Any],
    name: str | None = None,
    pairing: Literal["one-to-one", "all"] | None = None,
    request: Literal[
        "fixed",
        "uniform",
        "exponential",
        "pareto",
        "bounded-pareto",
        "lognormal",
        "campus-web",
        "campus-10M",
        "campus-web-10M",
        "empirical",
    ]
    | Mapping[str, Any]
    | None = None,
    work: str | None = None,
    think: str | None = None,
    spread: Literal["fixed", "exponential"] | None = None,
    exchanges: int | None = None,
    start: str | None = None,
    stagger: str | None = None,
    connections: Literal["persistent", "fresh"] | None = None,
    transport: Literal["tcp", "rcp", "trump", "tfrc", "lttp", "nada", "cbr", "poisson", "on-off", "replay"]
    | Mapping[str, Any]
    | None = None,
    class_: int | None = None,
    application: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    reader: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    sampled: bool | None = None,
) -> dict[str, Any]:
    """Clients that ask, wait for the answer, think, and ask again.

    Reference: choice: the closed loop of interactive use.

    Parameters
    ----------
    from_
        The clients: a group, a node, or a list of them.
        Required.
    to
        The servers: a group, a node, or a list of them.
        Required.
    response
        Distribution of the application bytes of a response.
        Required.
    name
        The name in results and of its random streams.
        Default: absent: `workload` and the position in the list, from 0.
    pairing
        `one-to-one` joins the first of `from` with the first of `to`, and so on, or a single node with each
        of the other side; `all` joins each of `from` with each of `to`.
        Default: ``"one-to-one"`` (choice: as host pairs are drawn).
    request
        Distribution of the application bytes of a request.
        Default: ``{ kind = "fixed", size = "500B" }`` (choice: a request of a few lines fits one segment).
    work
        Mean time from the end of a request to the start of its response.
        Default: ``"0s"`` (choice: the network is what is studied).
    think
        Mean time from the end of a response to the start of the next request.
        Default: ``"0s"`` (choice: the client asks again at once).
    spread
        How both times are spread: `fixed` or `exponential`.
        Default: ``"fixed"`` (choice: no randomness that is not asked for).
    exchanges
        Exchanges of each client. Unit: exchanges.
        Default: absent: until the run ends.
    start
        When the first client begins.
        Default: ``"0s"`` (choice: at once).
    stagger
        Time from the beginning of one client to that of the next.
        Default: ``"0s"`` (choice: all clients begin together).
    connections
        `persistent` connections carry one transfer after another, `fresh` ones are opened for each.
        Default: ``"persistent"`` (RFC 9112 section 9.3: HTTP connections persist by default).
    transport
        Transport and its parameters.
        Default: absent: the scenario's transport.
    class_
        Traffic class of all packets of the flows, acknowledgements too.
        Default: ``0`` (RFC 2474 section 4.1: the default codepoint, 0).
    application
        When the application of a flow writes what its size says, from the flow's start on. No list: flows
        differ in size.
        Default: absent: all is written at once.
    reader
        When the receiver's application reads, from the first data on; behind the end of a list it reads what
        comes.
        Default: absent: what comes is read at once.
    sampled
        Write time series of the flows.
        Default: ``false`` (choice: clients are many).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def rounds(
    *,
    from_: str | Sequence[str],
    to: str | Sequence[str],
    name: str | None = None,
    pairing: Literal["one-to-one", "all"] | None = None,
    size: str | None = None,
    block: str | None = None,
    sizes: Literal[
        "fixed",
        "uniform",
        "exponential",
        "pareto",
        "bounded-pareto",
        "lognormal",
        "campus-web",
        "campus-10M",
        "campus-web-10M",
        "empirical",
    ]
    | Mapping[str, Any]
    | None = None,
    servers: int | None = None,
    request: str | None = None,
    rounds: int | None = None,
    start: str | None = None,
    pause: str | None = None,
    spread: Literal["fixed", "exponential"] | None = None,
    stagger: str | None = None,
    batch: int | None = None,
    at_once: int | None = None,
    jitter: str | None = None,
    connections: Literal["persistent", "fresh"] | None = None,
    transport: Literal["tcp", "rcp", "trump", "tfrc", "lttp", "nada", "cbr", "poisson", "on-off", "replay"]
    | Mapping[str, Any]
    | None = None,
    class_: int | None = None,
    application: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    reader: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    sampled: bool | None = None,
) -> dict[str, Any]:
    """Rounds of transfers, each begun when all of the last have ended (incast).

    Reference: Phanishayee et al., FAST 2008, section 2: synchronized reads.

    Parameters
    ----------
    from_
        Where the data comes from: a group, a node, or a list of them.
        Required.
    to
        Where the data goes: a group, a node, or a list of them.
        Required.
    name
        The name in results and of its random stream.
        Default: absent: `workload` and the position in the list, from 0.
    pairing
        `one-to-one` joins the first of `from` with the first of `to`, and so on, or a single node with each
        of the other side; `all` joins each of `from` with each of `to`.
        Default: ``"one-to-one"`` (choice: as host pairs are drawn).
    size
        Application bytes of each transfer, however many there are (fixed fragment).
        Default: absent: `block` or `sizes` is given.
    block
        Application bytes of a round, split evenly over its transfers (fixed block).
        Default: absent: `size` or `sizes` is given.
    sizes
        Distribution of the application bytes of each transfer, drawn in every round anew.
        Default: absent: `size` or `block` is given.
    servers
        How many pairs take part: the first ones. Unit: pairs.
        Default: absent: all.
    request
        Application bytes of a request: with it, each transfer answers one that comes the other way, on a
        connection of its own. In the table of transfers their source tells the two apart.
        Default: absent: all senders know when a round begins.
    rounds
        How many rounds. Unit: rounds.
        Default: absent: until the run ends.
    start
        When the first round begins.
        Default: ``"0s"`` (choice: at once).
    pause
        Time from the end of a round to the beginning of the next.
        Default: ``"0s"`` (Phanishayee et al., FAST 2008, section 2: the next block is asked for at once).
    spread
        How `pause` is spread: `fixed`, or `exponential` about that mean.
        Default: ``"fixed"`` (choice: no randomness that is not asked for).
    stagger
        Time from the start of one batch of transfers of a round, or their requests, to that of the next.
        Default: ``"0s"`` (choice: all senders start together).
    batch
        How many transfers a batch has. Unit: transfers.
        Default: ``1`` (choice: senders are staggered one by one).
    at_once
        How many transfers of a round are in progress at a time, at most; the next starts when one has ended.
        Unit: transfers.
        Default: absent: all.
    jitter
        Each transfer starts later by a time drawn uniformly up to this.
        Default: ``"0s"`` (choice: no jitter; runs are then exactly periodic).
    connections
        `persistent` connections carry one transfer after another, `fresh` ones are opened for each.
        Default: ``"persistent"`` (Phanishayee et al., FAST 2008, section 2).
    transport
        Transport and its parameters.
        Default: absent: the scenario's transport.
    class_
        Traffic class of all packets of the flows, acknowledgements too.
        Default: ``0`` (RFC 2474 section 4.1: the default codepoint, 0).
    application
        When the application of a flow writes what its size says, from the flow's start on. No list: flows
        differ in size.
        Default: absent: all is written at once.
    reader
        When the receiver's application reads, from the first data on; behind the end of a list it reads what
        comes.
        Default: absent: what comes is read at once.
    sampled
        Write time series of the flows.
        Default: ``false`` (choice: senders are many).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def shuffle(
    *,
    from_: str | Sequence[str],
    to: str | Sequence[str],
    size: Literal[
        "fixed",
        "uniform",
        "exponential",
        "pareto",
        "bounded-pareto",
        "lognormal",
        "campus-web",
        "campus-10M",
        "campus-web-10M",
        "empirical",
    ]
    | Mapping[str, Any],
    name: str | None = None,
    parallel: int | None = None,
    waves: int | None = None,
    start: str | None = None,
    pause: str | None = None,
    transport: Literal["tcp", "rcp", "trump", "tfrc", "lttp", "nada", "cbr", "poisson", "on-off", "replay"]
    | Mapping[str, Any]
    | None = None,
    class_: int | None = None,
    application: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    reader: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    sampled: bool | None = None,
) -> dict[str, Any]:
    """All-to-all transfers in waves, a few at a time for each receiver.

    Reference: Dean & Ghemawat, OSDI 2004, section 3.1, step 5.

    Parameters
    ----------
    from_
        Where the data comes from: a group, a node, or a list of them.
        Required.
    to
        Where the data goes: a group, a node, or a list of them. Nodes that are on both sides keep their own
        data.
        Required.
    size
        Distribution of the application bytes of one transfer.
        Required.
    name
        The name in results and of its random streams.
        Default: absent: `workload` and the position in the list, from 0.
    parallel
        Transfers that a receiver has in progress at a time, at most. Unit: transfers.
        Default: ``5`` (Hadoop mapred-default.xml: mapreduce.reduce.shuffle.parallelcopies).
    waves
        How many waves. Unit: waves.
        Default: ``1`` (choice: one job).
    start
        When the first wave begins.
        Default: ``"0s"`` (choice: at once).
    pause
        Time from the end of a wave to the beginning of the next.
        Default: ``"0s"`` (choice: the network is what is studied).
    transport
        Transport and its parameters.
        Default: absent: the scenario's transport.
    class_
        Traffic class of all packets of the flows, acknowledgements too.
        Default: ``0`` (RFC 2474 section 4.1: the default codepoint, 0).
    application
        When the application of a flow writes what its size says, from the flow's start on. No list: flows
        differ in size.
        Default: absent: all is written at once.
    reader
        When the receiver's application reads, from the first data on; behind the end of a list it reads what
        comes.
        Default: absent: what comes is read at once.
    sampled
        Write time series of the flows.
        Default: ``false`` (choice: flows are many and short).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def trace(
    *,
    file: str,
    name: str | None = None,
    transport: Literal["tcp", "rcp", "trump", "tfrc", "lttp", "nada", "cbr", "poisson", "on-off", "replay"]
    | Mapping[str, Any]
    | None = None,
    class_: int | None = None,
    application: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    reader: Literal["rate", "on-off", "listed"] | Mapping[str, Any] | None = None,
    sampled: bool | None = None,
) -> dict[str, Any]:
    """Flows listed in a file of (start, source, destination, size).

    Reference: choice: the same arrivals for several tools.

    Parameters
    ----------
    file
        The file, relative to the scenario.
        Required.
    name
        The name in results.
        Default: absent: `workload` and the position in the list, from 0.
    transport
        Transport and its parameters.
        Default: absent: the scenario's transport.
    class_
        Traffic class of all packets of the flows, acknowledgements too.
        Default: ``0`` (RFC 2474 section 4.1: the default codepoint, 0).
    application
        When the application of a flow writes what its size says, from the flow's start on. No list: flows
        differ in size.
        Default: absent: all is written at once.
    reader
        When the receiver's application reads, from the first data on; behind the end of a list it reads what
        comes.
        Default: absent: what comes is read at once.
    sampled
        Write time series of the flows.
        Default: ``false`` (choice: arriving flows are many and short).

    Returns
    -------
    dict
        What to write in a scenario.
    """
