"""Bounds of claims that are ours: of which claims, by their ids, and why they are where they are."""

OURS = (
    ("rate-*", "a tenth of the published rate either way, the distance that the paper has from fair shares"),
)
