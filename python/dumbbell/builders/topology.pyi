"""Topologies: nodes and links.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

def barabasi_albert(
    *,
    links: int | None = None,
    routers: int | None = None,
    pairs: int | None = None,
    seed: int | None = None,
    min_rate: str | None = None,
    min_delay: str | None = None,
    delay_power: float | None = None,
    link: Mapping[str, Any] | None = None,
    access: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Barabasi and Albert's random graph: a few routers have most links; hosts at random routers.

    Reference: Barabasi & Albert, Science 286, 1999.

    Parameters
    ----------
    links
        Links of a newcomer. Unit: links.
        Default: ``1`` (choice: a tree; the exponent of the degrees is 3 for any number).
    routers
        Routers. Unit: routers.
        Default: ``12`` (choice: with 15 pairs, the loads that Toomey, PhD thesis, UNSW 1998, chapter 11
        reports).
    pairs
        Pairs of a sender and a receiver, each a host of its own. The routers of the two differ. Unit: pairs.
        Default: ``15`` (choice: as `routers`).
    seed
        The seed of the network. Dimensionless.
        Default: absent: that of the run, so each seed has a network of its own.
    min_rate
        The least rate of a link between routers: rates are uniform from this to `link.rate`, the same both
        ways unless `link.reverse.rate` is given.
        Default: ``"2Mbit/s"`` (choice: as `routers`; none: all have `link.rate`).
    min_delay
        The least delay of a link between routers; `link.delay` is the longest.
        Default: ``"1ms"`` (choice: neighbouring towns; none: all have `link.delay`).
    delay_power
        The power of the law of delays: the way from the least to the longest is a uniform number to this
        power. Above 1 most links are short and few are long. Of a model that knows how far its routers are,
        the length takes its place. Dimensionless.
        Default: ``1.0`` (choice: uniform delays).
    link
        Every link between routers, apart from its rate and its delay.
        A table of ``dumbbell.network.random_link``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).
    access
        The link of every host; forward is from the host to its router. Its queue is the host's; that of the
        router's port is `link.queue`, unless `reverse.queue` is given.
        A table of ``dumbbell.network.random_access``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def chain(*, hops: int | None = None, link: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Nodes in a row, joined by equal links.

    Reference: choice: the smallest network, for closed forms.

    Parameters
    ----------
    hops
        Links in the row. Unit: links.
        Default: ``1`` (choice: the smallest chain).
    link
        Every link of the row; forward is from `node0` on.
        A table of ``dumbbell.network.bottleneck``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def dumbbell(
    *,
    pairs: int | None = None,
    bottleneck: Mapping[str, Any] | None = None,
    access: Mapping[str, Any] | None = None,
    rtts: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Host pairs that share one bottleneck link.

    Reference: RFC 7928 section 3.1 (figure 1).

    Parameters
    ----------
    pairs
        Host pairs. Unit: pairs.
        Default: ``1`` (choice: the smallest dumbbell).
    bottleneck
        The link that all pairs share; forward is left to right.
        A table of ``dumbbell.network.bottleneck``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).
    access
        The link of every host to its router; forward is the way of the data: sender to left, right to
        receiver.
        A table of ``dumbbell.network.access``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).
    rtts
        Base round-trip time of each pair, propagation only, one for each pair; takes the place of
        `access.delay`.
        Default: ``[]`` (absent: the delays of the links decide).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def fat_tree(
    *, k: int | None = None, host: Mapping[str, Any] | None = None, fabric: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A folded Clos network of equal switches, with full bisection bandwidth.

    Reference: Al-Fares et al., SIGCOMM 2008, section 2.2.

    Parameters
    ----------
    k
        Ports of a switch, an even number. Unit: ports.
        Default: ``4`` (Al-Fares et al., SIGCOMM 2008, figure 3).
    host
        The link of every host; forward is from the host to its switch. Its queue is the host's; that of the
        switch's port is `fabric.queue`, unless `reverse.queue` is given.
        A table of ``dumbbell.network.fat_tree_host``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).
    fabric
        Every link between switches; forward is up, to the aggregation or the core. Rates below those of the
        hosts make the network oversubscribed.
        A table of ``dumbbell.network.fat_tree_fabric``: ``rate``, ``delay``, ``queue``, ``router``,
        ``marker``, ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def graph(
    *,
    nodes: Sequence[str] | None = None,
    links: Sequence[Mapping[str, Any]] | None = None,
    groups: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Nodes and links, listed.

    Reference: choice: whatever the ready-made topologies cannot express.

    Parameters
    ----------
    nodes
        Node names.
        Default: ``[]`` (required in use: a graph of nothing is refused).
    links
        Links, at most one between two nodes in each direction. A link is called `from->to`.
        Tables of ``dumbbell.network.graph_link``: ``from``, ``to``, ``duplex``, ``rate``, ``delay``,
        ``queue``, ``router``, ``marker``, ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``,
        ``drop_list``, ``impairments``, ``reverse``.
        Default: ``[]`` (required in use: a graph of nothing is refused).
    groups
        Named groups of nodes, for `from` and `to`.
        Tables of ``dumbbell.network.node_group``: ``name``, ``nodes``.
        Default: ``[]`` (absent: nodes are named one by one).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def leaf_spine(
    *,
    leaves: int | None = None,
    spines: int | None = None,
    hosts: int | None = None,
    host: Mapping[str, Any] | None = None,
    uplink: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Leaf switches with hosts, each joined to every spine switch.

    Reference: Alizadeh et al., SIGCOMM 2013 (pFabric), section 5.

    Parameters
    ----------
    leaves
        Leaf switches. Unit: switches.
        Default: ``9`` (Alizadeh et al., SIGCOMM 2013 (pFabric), section 5).
    spines
        Spine switches: the paths between two leaves. Unit: switches.
        Default: ``4`` (Alizadeh et al., SIGCOMM 2013 (pFabric), section 5).
    hosts
        Hosts of each leaf. The network is oversubscribed where their rates add up to more than those of the
        uplinks. Unit: hosts.
        Default: ``16`` (Alizadeh et al., SIGCOMM 2013 (pFabric), section 5).
    host
        The link of every host; forward is from the host to its leaf. Its queue is the host's; that of the
        leaf's port is `uplink.queue`, unless `reverse.queue` is given.
        A table of ``dumbbell.network.leaf_host``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).
    uplink
        Every link between a leaf and a spine; forward is up, to the spine.
        A table of ``dumbbell.network.leaf_uplink``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def parking_lot(
    *,
    hops: int | None = None,
    pairs: int | None = None,
    bottleneck: Mapping[str, Any] | None = None,
    access: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Bottlenecks in a row, with cross traffic at each.

    Reference: Floyd, CCR 21(5), 1991.

    Parameters
    ----------
    hops
        Bottlenecks in the row. Unit: links.
        Default: ``3`` (choice: enough to tell from a dumbbell).
    pairs
        Pairs that cross every bottleneck. Unit: pairs.
        Default: ``1`` (choice: one, as in the usual drawing).
    bottleneck
        Every link between routers; forward is from `router0` on.
        A table of ``dumbbell.network.bottleneck``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).
    access
        The link of every host to its router; forward is the way of the data.
        A table of ``dumbbell.network.access``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def random_tree(
    *,
    extra_links: int | None = None,
    routers: int | None = None,
    pairs: int | None = None,
    seed: int | None = None,
    min_rate: str | None = None,
    min_delay: str | None = None,
    delay_power: float | None = None,
    link: Mapping[str, Any] | None = None,
    access: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A random recursive tree of routers with extra links, and hosts at random routers.

    Reference: Na & Rapoport, Mathematical Biosciences 6, 1970; after Toomey, PhD thesis, UNSW 1998.

    Parameters
    ----------
    extra_links
        Links beside those of the tree. Unit: links.
        Default: ``2`` (choice: with 12 routers, the loads that Toomey, PhD thesis, UNSW 1998, chapter 11
        reports).
    routers
        Routers. Unit: routers.
        Default: ``12`` (choice: with 15 pairs, the loads that Toomey, PhD thesis, UNSW 1998, chapter 11
        reports).
    pairs
        Pairs of a sender and a receiver, each a host of its own. The routers of the two differ. Unit: pairs.
        Default: ``15`` (choice: as `routers`).
    seed
        The seed of the network. Dimensionless.
        Default: absent: that of the run, so each seed has a network of its own.
    min_rate
        The least rate of a link between routers: rates are uniform from this to `link.rate`, the same both
        ways unless `link.reverse.rate` is given.
        Default: ``"2Mbit/s"`` (choice: as `routers`; none: all have `link.rate`).
    min_delay
        The least delay of a link between routers; `link.delay` is the longest.
        Default: ``"1ms"`` (choice: neighbouring towns; none: all have `link.delay`).
    delay_power
        The power of the law of delays: the way from the least to the longest is a uniform number to this
        power. Above 1 most links are short and few are long. Of a model that knows how far its routers are,
        the length takes its place. Dimensionless.
        Default: ``1.0`` (choice: uniform delays).
    link
        Every link between routers, apart from its rate and its delay.
        A table of ``dumbbell.network.random_link``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).
    access
        The link of every host; forward is from the host to its router. Its queue is the host's; that of the
        router's port is `link.queue`, unless `reverse.queue` is given.
        A table of ``dumbbell.network.random_access``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def star(
    *,
    senders: int | None = None,
    receivers: int | None = None,
    link: Mapping[str, Any] | None = None,
    receiver_link: Mapping[str, Any] | None = None,
    port: Literal[
        "droptail",
        "push-out",
        "codel",
        "cobalt",
        "red",
        "rio",
        "wred",
        "choke",
        "fred",
        "blue",
        "sfb",
        "rem",
        "pi",
        "pie",
        "dualpi2",
        "sfq",
        "fq-codel",
        "fq-pie",
        "cake",
        "threshold",
        "ramp",
        "strict-priority",
        "drr",
        "wrr",
        "token-bucket-filter",
        "policer",
    ]
    | Mapping[str, Any]
    | None = None,
) -> dict[str, Any]:
    """Hosts around one switch.

    Reference: Phanishayee et al., FAST 2008.

    Parameters
    ----------
    senders
        Hosts that send. Unit: hosts.
        Default: ``2`` (choice: the smallest incast).
    receivers
        Hosts that receive. Unit: hosts.
        Default: ``1`` (choice: incast has one).
    link
        The link of every host; forward is the way of the data: sender to switch, switch to receiver. Its
        queue is the host's.
        A table of ``dumbbell.network.host_link``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).
    receiver_link
        The link of the receivers, where it is another than that of the senders.
        A table of ``dumbbell.network.host_link``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: absent: as `link`.
    port
        The queue of every port of the switch.
        Default: ``{ kind = "droptail", limit = "64kB" }`` (Phanishayee et al., FAST 2008: per-port buffers of
        32 kB to 1 MB).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def waxman(
    *,
    alpha: float | None = None,
    beta: float | None = None,
    routers: int | None = None,
    pairs: int | None = None,
    seed: int | None = None,
    min_rate: str | None = None,
    min_delay: str | None = None,
    delay_power: float | None = None,
    link: Mapping[str, Any] | None = None,
    access: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Waxman's random graph: routers in a square, near ones joined, and hosts at random routers.

    Reference: Waxman, IEEE JSAC 6(9), 1988, RG1.

    Parameters
    ----------
    alpha
        How far links reach, as a part of the diagonal. Dimensionless.
        Default: ``0.3`` (choice: with 12 routers and `beta`, about as many links as `random-tree` has).
    beta
        The probability of a link between neighbours. Dimensionless.
        Default: ``0.6`` (choice: as `alpha`).
    routers
        Routers. Unit: routers.
        Default: ``12`` (choice: with 15 pairs, the loads that Toomey, PhD thesis, UNSW 1998, chapter 11
        reports).
    pairs
        Pairs of a sender and a receiver, each a host of its own. The routers of the two differ. Unit: pairs.
        Default: ``15`` (choice: as `routers`).
    seed
        The seed of the network. Dimensionless.
        Default: absent: that of the run, so each seed has a network of its own.
    min_rate
        The least rate of a link between routers: rates are uniform from this to `link.rate`, the same both
        ways unless `link.reverse.rate` is given.
        Default: ``"2Mbit/s"`` (choice: as `routers`; none: all have `link.rate`).
    min_delay
        The least delay of a link between routers; `link.delay` is the longest.
        Default: ``"1ms"`` (choice: neighbouring towns; none: all have `link.delay`).
    delay_power
        The power of the law of delays: the way from the least to the longest is a uniform number to this
        power. Above 1 most links are short and few are long. Of a model that knows how far its routers are,
        the length takes its place. Dimensionless.
        Default: ``1.0`` (choice: uniform delays).
    link
        Every link between routers, apart from its rate and its delay.
        A table of ``dumbbell.network.random_link``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).
    access
        The link of every host; forward is from the host to its router. Its queue is the host's; that of the
        router's port is `link.queue`, unless `reverse.queue` is given.
        A table of ``dumbbell.network.random_access``: ``rate``, ``delay``, ``queue``, ``router``, ``marker``,
        ``rate_changes``, ``trace``, ``power``, ``mtu``, ``loss``, ``drop_list``, ``impairments``,
        ``reverse``.
        Default: ``{}`` (see its fields).

    Returns
    -------
    dict
        What to write in a scenario.
    """
