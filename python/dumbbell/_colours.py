"""The colours of lines, in figures and in pages."""

from __future__ import annotations

# Okabe & Ito, "Color universal design" (2008), without the yellow, which is too pale for thin lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
