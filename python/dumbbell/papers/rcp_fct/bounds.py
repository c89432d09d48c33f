"""Bounds of claims that are ours: of which claims, by their ids, and why they are where they are."""

OURS = (
    ("rcp-as-published", "10 % more or less stand for the published curve"),
    ("rcp-near-sharing-short", "10 % stand for near"),
    ("rcp-near-sharing-long", "1.6 times stand for near"),
    ("/rcp-little-queue", "a tenth of the round-trip time stands for little"),
    ("rcp-buffers-not-full", "one bandwidth-delay product, which is TCP's buffer, stands for full"),
    ("*near-sharing", "10 % stand for near"),
    ("rounding", "1 % more or less than the mean of the law, for runs are finite"),
    ("pair-*", "5 % stand for no longer"),
    ("steps", "half a round-trip time tells a step from none"),
    ("no-other-steps", "half a round-trip time tells a step from none"),
    ("rcp-fair-at-once", "0.8 to 1.25 stand for one rate"),
    ("*-fair-later", "0.8 is where one rate begins"),
    ("xcp-takes", "10 % more or less stand for an equal share"),
    ("newcomer/rcp-little-queue", "a twentieth of the round-trip time stands for little"),
    ("tcp-fills-buffers", "a quarter of the round-trip time stands for a filled buffer"),
    ("rcp-floods", "one bandwidth-delay product stands for a flood"),
    ("rcp-fair", "5 % more or less stand for the same rate"),
    ("tcp-unfair", "0.8 is where one rate begins"),
    ("needs-the-bottleneck", "a tenth of the packets stands for need"),
    ("published-loses", "one flow of a hundred stands for any at all"),
)
