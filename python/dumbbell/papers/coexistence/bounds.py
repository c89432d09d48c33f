"""Bounds of claims that are ours, and why they are where they are."""

OURS = (
    (
        "bbr-forty-percent",
        "those of the test of BBR, which is older than this study; published links and buffers vary",
    ),
    ("bbr-whatever-the-number", "with shares that follow the number, 16 flows would leave an eighth"),
    ("bbr-suppresses", "the publication shows goodput over time; four fifths is four times what CUBIC has"),
)
