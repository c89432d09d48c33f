"""Bounds of claims that are ours: of which claims, by their ids, and why they are where they are."""

OURS = (
    ("A3-*", "loads of 0.3 and 0.95 stand for low and high"),
    ("A8*", "twice stands for what figure 5 shows, which has no number"),
    ("A10-low*", "ten points stand for a saving near its ceiling, which has no number"),
    ("A10-delay*", "twice stands for tolerable, which has no number"),
    ("A10-high*", "10 % stand for negligible, which has no number"),
    ("A12-low*", "ten points stand for close to zero"),
    ("A12-high*", "-100, and -50 of the bounded form, stand for largely lower than zero"),
    ("A13-time-low*", "ten points stand for close to zero"),
    ("A13-time-high*", "-100 stands for largely lower than zero"),
    ("T2-reference*", "half of the last digit that is given, either way"),
    ("S3-*", "five points more or less stand for as much"),
    ("S4-*", "twice, and half as long again, stand for a buffer that suffices"),
)
