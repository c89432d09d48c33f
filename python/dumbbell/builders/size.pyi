"""Distributions of flow sizes.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from typing import Any, Literal

def bounded_pareto(*, min: str, max: str, shape: float | None = None) -> dict[str, Any]:
    """A power law between two sizes.

    Reference: Harchol-Balter, JACM 49(2), 2002.

    Parameters
    ----------
    min
        Smallest size.
        Required.
    max
        Largest size.
        Required.
    shape
        Exponent of the tail. Dimensionless.
        Default: ``1.1`` (Harchol-Balter, JACM 49(2), 2002: measured job sizes).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def campus_10M() -> dict[str, Any]:
    """TCP flows at a campus edge, 1 B to 10 MB.

    Reference: Jurkiewicz, Rzym & Borylo, arXiv 1809.03486 (TCP flows, AGH 2015).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def campus_web() -> dict[str, Any]:
    """TCP flows at a campus edge, 512 B to 1 MB.

    Reference: Jurkiewicz, Rzym & Borylo, arXiv 1809.03486 (TCP flows, AGH 2015).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def campus_web_10M() -> dict[str, Any]:
    """TCP flows at a campus edge, 512 B to 10 MB.

    Reference: Jurkiewicz, Rzym & Borylo, arXiv 1809.03486 (TCP flows, AGH 2015).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def empirical(*, file: str, unit: str, interpolation: Literal["step", "linear", "log"]) -> dict[str, Any]:
    """Sizes with the cumulative distribution of a file.

    Reference: choice: measured sizes as they are published.

    Parameters
    ----------
    file
        The file, relative to the scenario.
        Required.
    unit
        Bytes that a size of 1 in the file means: `"1B"`, `"1kB"`, or the payload of a packet, `"1460B"`.
        Required.
    interpolation
        Between two points: `step`, no sizes but those listed; `linear`, uniform in the size; `log`, uniform
        in its logarithm.
        Required.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def exponential(*, mean: str) -> dict[str, Any]:
    """Exponential sizes.

    Reference: Kleinrock, Queueing Systems, volume 1, section 2.4.

    Parameters
    ----------
    mean
        Mean application bytes.
        Required.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def fixed(*, size: str) -> dict[str, Any]:
    """Every flow the same size.

    Reference: choice: the simplest size.

    Parameters
    ----------
    size
        Application bytes.
        Required.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def lognormal(*, median: str, sigma: float, min: str | None = None, max: str | None = None) -> dict[str, Any]:
    """Lognormal sizes.

    Reference: Downey, Computer Communications 28(7), 2005: lognormal file sizes.

    Parameters
    ----------
    median
        Median application bytes, before `min` and `max` apply.
        Required.
    sigma
        Standard deviation of the natural logarithm. Dimensionless.
        Required.
    min
        Smallest size.
        Default: absent: no bound.
    max
        Largest size.
        Default: absent: no bound.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def pareto(*, mean: str, shape: float | None = None, ceil: str | None = None) -> dict[str, Any]:
    """Pareto sizes, a power-law tail without bound.

    Reference: Crovella & Bestavros, IEEE/ACM ToN 5(6), 1997.

    Parameters
    ----------
    mean
        Mean application bytes, before `ceil`.
        Required.
    shape
        Exponent of the tail, above 1. Dimensionless.
        Default: ``1.2`` (Crovella & Bestavros, IEEE/ACM ToN 5(6), 1997: web files have a tail of 1.0 to 1.3).
    ceil
        Round sizes up to a multiple of this, for example the payload of a packet, `"1460B"`.
        Default: absent: to the nearest byte.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def uniform(*, min: str, max: str) -> dict[str, Any]:
    """Uniform sizes.

    Reference: Alizadeh et al., SIGCOMM 2010, section 2.2: responses of 1.6 to 2 kB.

    Parameters
    ----------
    min
        Smallest application bytes.
        Required.
    max
        Largest application bytes.
        Required.

    Returns
    -------
    dict
        What to write in a scenario.
    """
