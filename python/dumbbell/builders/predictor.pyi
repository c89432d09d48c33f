"""Predictors of the arrival rate, for power policies.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from typing import Any

def ewma_tau(*, tau: str | None = None) -> dict[str, Any]:
    """Exponential average of the arrival rate over continuous time.

    Reference: choice: decays while nothing arrives, so that a step down needs no arrival.

    Parameters
    ----------
    tau
        The time constant.
        Default: ``"40ms"`` (choice: the delay constraint of Panarello et al., who give no weight).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def ewma_window(*, window: str | None = None, weight: float | None = None) -> dict[str, Any]:
    """Exponential average of the arrivals in fixed windows.

    Reference: Nedevschi et al., NSDI 2008; choice: the constants, which are not given.

    Parameters
    ----------
    window
        Length of a window.
        Default: ``"10ms"`` (choice: a quarter of the delay constraint of Panarello et al.).
    weight
        Weight of the latest window. Dimensionless.
        Default: ``0.2`` (choice: a memory of five windows, 50 ms, the mean round-trip time).

    Returns
    -------
    dict
        What to write in a scenario.
    """
