"""What shows each table of chapter 11, and each sentence of it that claims something."""

from dumbbell.report import IndexRow

INDEX = (
    IndexRow(
        "section 11.1", "Five parameters; four held, one varied", elsewhere=("trump-rbcc-joint: matters",),
    ),
    IndexRow(
        "section 11.2", "Nine measurements", ("scores", "queues", "utilisation"),
        note="Each table has all nine.",
    ),
    IndexRow(
        "Table 11.3", "Rate quenches: generated or not", ("sweep-11-3",), ("lost-quench", "ratio-quench"),
    ),
    IndexRow(
        "Table 11.4", "Reverse updates: allowed or not", ("sweep-11-4",),
        ("lost-revupdates", "ratio-revupdates", "reverse-*"),
    ),
    IndexRow(
        "Table 11.5", "Threshold T of 1, 2, 3, 5, 7 and 10 packets", ("sweep-11-5", "lost-threshold"),
        ("lost-threshold-*", "ratio-threshold-*", "threshold-*", "late"),
    ),
    IndexRow(
        "section 11.5", "T should lie between 3 and 6 packets",
        elsewhere=("trump-rbcc-joint: valley", "trump-rbcc-joint: corners"),
    ),
    IndexRow(
        "Table 11.6", "Scaling factor alpha from 0.125 to 0.875", ("sweep-11-6", "lost-alpha"),
        ("lost-alpha-*", "ratio-alpha-*", "alpha-*", "explodes-*"),
    ),
    IndexRow(
        "section 11.6", "Alpha should lie between 0.375 and 0.5",
        elsewhere=("trump-rbcc-joint: valley", "trump-rbcc-joint: corners"),
    ),
    IndexRow(
        "Table 11.7", "Acknowledgements of 1, 2, 4, 8 and 16 packets", ("sweep-11-7",),
        ("lost-selacksize-*", "ratio-selacksize-*", "visits-*", "size-*"),
    ),
    IndexRow(
        "section 11.7", "Rate quenches mitigate network delays (Scenario 9)",
        elsewhere=("trump-rbcc-scenario-9: lost",),
    ),
    IndexRow(
        "section 11.7", "Rate quenches where acknowledgements are large",
        elsewhere=("trump-rbcc-joint: sizes",),
    ),
    IndexRow(
        "Table 11.8", "Five ways to drop, in the networks that lose packets", ("sweep-11-8",),
        ("lost-drop_*", "lost-decongest_*", "ratio-drop_*", "ratio-decongest_*"),
    ),
    IndexRow(
        "section 11.9", "At least T and alpha have significant effects",
        elsewhere=("trump-rbcc-joint: matters",),
    ),
    IndexRow(
        "Table 11.10", "The recommended parameters beside those of chapter 10", ("sweep-11-10",),
        ("lost-recommended", "ratio-recommended", "recommended-*"),
    ),
    IndexRow(
        "section 11.10", "600 times fewer losses than Reno, 270 times fewer than Vegas", ("beside",),
        ("reno", "vegas", "vegas-reno"),
    ),
    IndexRow(
        "chapter 9", "A route change among its nine scenarios", elsewhere=("trump-rbcc-route: needless",),
        note="The inputs of the scenarios were not to be had; ours are choices.",
    ),
)  # fmt: skip
