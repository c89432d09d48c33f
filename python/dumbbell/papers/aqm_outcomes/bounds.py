"""Bounds of claims that are ours, and why they are where they are."""

OURS = (
    ("choke-near-largest", "the theorem is for infinitely many flows; with 64 the share is a little less"),
    ("red-gives-all", "the publication shows a curve without numbers"),
    ("sfb-isolates", "a fifth for one of 65 flows is still much; the publication gives 0.3 % for its link"),
)
