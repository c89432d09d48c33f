"""Bounds of claims that are ours: of which claims, by their ids, and why they are where they are."""

OURS = (
    ("B2-*", "a packet is the least that counts as more, where two designs may do exactly the same"),
    ("B4-*", "a packet is the least that counts as less, where two designs may do exactly the same"),
    ("B3-joint-*", "a hundredth is the least that counts as higher"),
    ("B3-lite-*", "a hundredth is the least that counts as higher"),
    ("[rlg]*/B3-*", "a hundredth is the least that counts as higher"),
    ("B5-marked-*", "with fewer than ten yellow packets it says little that none is dropped"),
    ("grid/B5-*", "none stands for what is spared"),
    ("B6-*", "a thousandth stands for any at all"),
    ("B8-losses-*", "a thousandth stands for any at all"),
    ("B8-idle-*", "half of the time stands for a link that is idle, as in a collapse"),
    ("F3-more", "a packet is the least that counts as more"),
    ("F5-less*", "a packet is the least that counts as less"),
    ("F4-rio", "a hundredth is the least that counts as higher"),
    ("F6-early", "a thousandth stands for any at all"),
)
