"""The five parameters together: what each does alone and with another, and where T and alpha should lie.

The thesis varies one parameter and holds four (section 11.1). Its section 7 expects that rate quenches help
where acknowledgements are large, and its section 10 changes three parameters at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dumbbell.papers import Companion
from dumbbell.papers.trump_rbcc.effects import Floats, best, grid, shares
from dumbbell.report import PlotSpec, TableData, TableSpec
from dumbbell.study import StudyResult
from dumbbell.study.spec import AxisValue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FACTORS = ("T", "alpha", "size of acknowledgements", "reverse updates", "rate quenches")
"""In the order of the grid: the axes, then the arms."""


def _name(term: tuple[int, ...]) -> str:
    return " with ".join(_FACTORS[factor] for factor in term)


def _percent(value: float) -> str:
    return f"{100 * value:.0f}"


_RESPONSES = (("lost", "sum"), ("hiqueue", "median"), ("hiutil", "median"), ("e2edev", "median"))


def _matters(result: StudyResult) -> TableData:
    """Return the share of the variance that each parameter and each pair explains."""
    found = {
        metric: {share.term: share for share in shares(grid(result, metric), response)}
        for metric, response in _RESPONSES
    }
    rows = []
    for term in found["lost"]:
        told = [found[metric][term] for metric, _ in _RESPONSES]
        if max(share.value for share in told) >= 0.01:
            cells = (
                f"{_percent(share.value)} [{_percent(share.low)}, {_percent(share.high)}]" for share in told
            )
            rows.append((_name(term), *cells))
    return TableData(("parameter", *(f"{metric}, %" for metric, _ in _RESPONSES)), tuple(rows))


def _at(result: StudyResult, values: Floats, arm: str, **wanted: AxisValue) -> Floats:
    """Return the part of a grid that an arm has at these values of the axes."""
    for place, axis in reversed(list(enumerate(result.study.axes))):
        if axis.name in wanted:
            values = np.asarray(np.take(values, axis.values.index(wanted[axis.name]), axis=place))
    names = [each.name for each in result.study.arms]
    return np.asarray(np.take(values, names.index(arm), axis=-2))


def _corners(result: StudyResult) -> TableData:
    """Return the packets lost at each T and alpha, without and with quenches."""
    lost = grid(result, "lost")
    axes = {axis.name: axis for axis in result.study.axes}
    rows = []
    for arm in result.study.arms:
        for t in axes["threshold"].values:
            at = _at(result, lost, threshold=t, selacksize=1, revupdates="false", arm=arm.name)
            rows.append((f"{arm.label}, T = {t}", *(f"{np.nansum(row):.0f}" for row in at)))
    return TableData(("", *(f"alpha = {value}" for value in axes["alpha"].values)), tuple(rows))


def _valley(result: StudyResult) -> Figure:
    """Draw the packets lost over T and alpha, without and with quenches."""
    import matplotlib as mpl
    from matplotlib.colors import LogNorm

    from dumbbell.figures.style import STYLE, new_figure

    lost = grid(result, "lost")
    axes = {axis.name: axis for axis in result.study.axes}
    figure, panels = new_figure(2, "double")
    sums = [
        np.nansum(_at(result, lost, selacksize=1, revupdates="false", arm=arm.name), -1)
        for arm in result.study.arms
    ]
    norm = LogNorm(max(1.0, min(part.min() for part in sums)), max(2.0, *(part.max() for part in sums)))
    with mpl.rc_context(STYLE):
        for panel, arm, part in zip(panels, result.study.arms, sums, strict=True):
            panel.imshow(part, norm=norm, cmap="cividis_r", aspect="auto", origin="lower")
            for (row, column), value in np.ndenumerate(part):
                dark = norm(max(value, norm.vmin)) > 0.55
                panel.text(column, row, f"{value:.0f}", ha="center", va="center", color="w" if dark else "k")
            panel.set_xticks(range(len(axes["alpha"].values)), list(map(str, axes["alpha"].values)))
            panel.set_yticks(range(len(axes["threshold"].values)), list(map(str, axes["threshold"].values)))
            panel.set_xlabel(f"scaling factor alpha ({arm.label.lower()})")
            panel.grid(visible=False)
        panels[0].set_ylabel("threshold T, packets")
    return figure


def _sizes(result: StudyResult) -> Figure:
    """Draw the packets lost against the size of acknowledgements, without and with quenches."""
    import matplotlib as mpl

    from dumbbell.figures.style import COLOURS, DASHES, HEIGHT, STYLE, new_figure, plain_log

    lost = grid(result, "lost")
    axes = {axis.name: axis for axis in result.study.axes}
    sizes = axes["selacksize"].values
    wanted: tuple[tuple[AxisValue, AxisValue], ...] = ((5, 0.75), (4, 0.4))
    corners = [
        (t, alpha) for t, alpha in wanted if t in axes["threshold"].values and alpha in axes["alpha"].values
    ] or [(axes["threshold"].values[0], axes["alpha"].values[0])]
    figure, (panel,) = new_figure(1, "single", 1.3 * HEIGHT)
    with mpl.rc_context(STYLE):
        for slot, arm in enumerate(result.study.arms):
            for dash, (t, alpha) in enumerate(corners):
                at = _at(result, lost, threshold=t, alpha=alpha, revupdates="false", arm=arm.name)
                panel.plot(
                    [float(size) for size in sizes], np.nansum(at, -1), color=COLOURS[slot],
                    linestyle=DASHES[dash], marker="os"[dash],
                    markersize=4, label=f"{arm.label}, T = {t}, alpha = {alpha}",
                )  # fmt: skip
        panel.set_xscale("log", base=2)
        panel.set_xticks([float(size) for size in sizes], list(map(str, sizes)))
        plain_log(panel.yaxis)
        panel.set_xlabel("packets in an acknowledgement")
        panel.set_ylabel(f"packets lost\nin {len(result.study.seeds)} networks")
        figure.legend(loc="outside upper left", ncols=1)
    return figure


def _pairs(found: Sequence[tuple[AxisValue, AxisValue]]) -> str:
    return ", ".join(f"T = {t} with {alpha}" for t, alpha in found)


def answer(result: StudyResult) -> str:
    """Say which parameters matter, and where T and alpha should lie."""
    lost = grid(result, "lost")
    told = shares(lost, "sum")
    alone = [share for share in told if len(share.term) == 1]
    pairs = [share for share in told if len(share.term) == 2]
    ranges = ", ".join(
        f"{_name(share.term)} {_percent(share.value)} % [{_percent(share.low)}, {_percent(share.high)}]"
        for share in alone
    )
    pair = pairs[0]
    axes = {axis.name: axis for axis in result.study.axes}
    sentences = [
        f"Of the variance of the losses (logarithm of their sum) over {lost[..., 0].size} combinations of "
        f"the five parameters, the parameters alone explain: {ranges}.",
        f"Of the pairs, {_name(pair.term)} explains most: {_percent(pair.value)} % "
        f"[{_percent(pair.low)}, {_percent(pair.high)}].",
    ]
    part = _at(result, lost, selacksize=1, revupdates="false", arm="quench")
    (t, alpha), alike = best(part)
    ts, alphas = axes["threshold"].values, axes["alpha"].values
    as_good, worse = ([(ts[i], alphas[j]) for i, j in np.argwhere(part)] for part in (alike, ~alike))
    many = (
        "every other pair of T and alpha may be as good"
        if not worse
        else f"every other pair may be as good, but for {_pairs(worse)}"
        if len(worse) < len(as_good)
        else f"as good may be {_pairs(as_good)}"
    )
    sentences.append(
        f"With rate quenches, an acknowledgement for each packet and no reverse updates, the fewest packets, "
        f"{np.nansum(part[t, alpha]):.0f}, are lost at T = {ts[t]} and alpha = {alphas[alpha]}; {many} "
        f"(95 %, all pairs together, {part.shape[-1]} networks)."
    )
    return " ".join(sentences)


JOINT = Companion(
    "joint",
    tables=(
        TableSpec(
            "matters",
            "What each parameter explains, alone and with another",
            _matters,
            "The share of the variance over all combinations: of `lost` of the logarithm of the sum over the "
            "networks (and one), of the others of the median. In brackets 95 % of a bootstrap over networks. "
            "Terms below 1 % everywhere are left out; what is missing to 100 % are three and more together.",
            head=True,
        ),
        TableSpec(
            "corners",
            "Packets lost at each T and alpha, an acknowledgement for each packet, no reverse updates",
            _corners,
            "Sums over the networks of this report.",
        ),
    ),
    plots=(
        PlotSpec(
            "valley",
            "Packets lost over T and alpha",
            _valley,
            "Packets lost over T and alpha, without and with quenches; the numbers stand in the table.",
        ),
        PlotSpec(
            "sizes",
            "Packets lost against the size of acknowledgements",
            _sizes,
            "Packets lost against the size of acknowledgements, without and with rate quenches.",
        ),
    ),
    answers=(answer,),
)
