"""What shows each figure of the reproduction [K16], and each sentence of it that claims something.

[K16] numbers no figures, sections or pages: rows name its headings and its pictures, in its order.
"""

from dumbbell.report import IndexRow

_LIVE = "docs/live.md"

INDEX = (
    IndexRow(
        "Motivation", "TCP and XCP reach fair shares only after many round-trip times",
        elsewhere=("rcp-fct-newcomer: early",),
    ),
    IndexRow(
        "Motivation", "TCP and XCP react too slowly to complete short transfers promptly",
        ("average", "orders"), ("rcp-below-tcp", "xcp-slow"),
    ),
    IndexRow(
        "Motivation", "TCP favours low round-trip times, and reaches fair shares slowly",
        elsewhere=("rcp-fct-row: share", "rcp-fct-newcomer: early"),
    ),
    IndexRow(
        "Motivation", "XCP takes throughput from older flows when new ones arrive",
        elsewhere=("rcp-fct-newcomer: given",),
    ),
    IndexRow(
        "Motivation", "TCP fills buffers, so that round-trip times grow and vary", ("link",),
        ("rcp-little-queue", "rcp-less-queue", "rcp-buffers-not-full"), ("rcp-fct-newcomer: delay",),
    ),
    IndexRow(
        "Results in the paper", "RCP comes close to processor sharing; its times lie closely about it",
        ("over-line", "over-exact"), ("rcp-near-sharing-*",),
    ),
    IndexRow(
        "Results in the paper", "One or two orders of magnitude better than TCP or XCP",
        ("orders", "worst", "worst-long"), ("tcp-ten-times", "xcp-ten-times", "tcp-longest"),
    ),
    IndexRow(
        "Results in the paper", "RCP is XCP with a simpler way to assign rates",
        note="No numbers: `dumbbell describe router rcp` and `dumbbell describe router xcp` have the laws.",
    ),
    IndexRow(
        "Subset goal", "original-results.png: figure 6, average times of TCP, XCP, RCP and processor sharing",
        ("printed-6a", "printed-6b", "printed-6c"),
        note="The picture is not in the text. The longest times are in [Y14].",
    ),
    IndexRow(
        "Subset goal", "Two clients and one router", note="Set-up has rates, delays and buffers.",
    ),
    IndexRow(
        "Subset motivation", "Mean and shape of the sizes: 25 and 1.2, or 30 and 1.8",
        elsewhere=("rcp-fct-sizes: steep", "rcp-fct-sizes: steeper"),
    ),
    IndexRow(
        "Our results", "normal-plot.png: average times up to 2000 packets", ("printed-normal", "beside"),
        ("rcp-as-published",),
        note="`python -m dumbbell.papers.rcp_fct.published -o FOLDER` draws it size by size.",
    ),
    IndexRow(
        "Our results", "log-plot.png: average times, all sizes", ("printed-log", "beside", "over-published"),
        ("rcp-as-published",), note="The same command draws it.",
    ),
    IndexRow(
        "Our results", "TCP's time rises by steps of a round trip", ("printed-log",),
        elsewhere=("rcp-fct-steps: typical", "rcp-fct-steps: step"), note="In the plots, not in the text.",
    ),
    IndexRow(
        "Our results", "Other sizes would reproduce the original figure more precisely",
        elsewhere=("rcp-fct-sizes: steep",),
    ),
    IndexRow(
        "Our results", "Averages sometimes dip below processor sharing, by data in the first packet",
        ("over-exact",), ("rcp-not-below-sharing",), note="README.md of the paper has the reason.",
    ),
    IndexRow(
        "Our results", "A fast link and a long round trip make the results look especially good",
        elsewhere=("rcp-fct-paths: times-125", "rcp-fct-paths: times-30000",),
    ),
    IndexRow(
        "Extension", "The TCP of ns-2 is suspicious; that of a kernel would be better",
        elsewhere=("rcp-fct-tcp: ratio",),
        note=f"`dumbbell compare-real` and `dumbbell rcp-real` run on real packets: {_LIVE}.",
    ),
    IndexRow(
        "Extension", "The end host at a desired rate: close to it with 1500 B, below with 100 B",
        note=f"`dumbbell rcp-host` measures it on real packets: {_LIVE}.",
    ),
    IndexRow(
        "Extension", "The update law subtracts traffic, not a rate of traffic",
        note="It does not: README.md of the paper, and a test of the router.",
    ),
    IndexRow(
        "Extension", "Receivers drop packets into which a router has written, for their checksums",
        note=f"Routers adapt them, and `dumbbell rcp-real` counts what receivers refuse: {_LIVE}.",
    ),
    IndexRow(
        "Critique", "RCP minimises completion times better than TCP and XCP", ("average-all",),
        ("rcp-below-tcp", "xcp-ten-times"),
    ),
    IndexRow(
        "Critique", "Pareto sizes are not justified; measured ones would be better",
        elsewhere=("rcp-fct-measured: campus-1m", "rcp-fct-measured: campus-10m"),
    ),
    IndexRow(
        "Critique", "End hosts and routers in software need much CPU at 10 Gbit/s",
        note=f"`dumbbell rcp-host` measures it and extrapolates to 10 and 100 Gbit/s: {_LIVE}.",
    ),
    IndexRow(
        "Critique", "All routers must support the protocol", elsewhere=("rcp-fct-some-routers: bottleneck",),
    ),
    IndexRow(
        "Future work", "Several routers", elsewhere=("rcp-fct-row: share", "rcp-fct-row: used"),
        note=f"`dumbbell rcp-real --routers 3` on real packets: {_LIVE}.",
    ),
    IndexRow(
        "Future work", "A rate of zero stops end hosts for ever", elsewhere=("rcp-fct-outage: ended",),
    ),
)  # fmt: skip
"""The text has no tables."""
