"""The laws that are shipped give the tables of the built-in controllers, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

import dumbbell as db
from dumbbell.own import laws

TOML = """
duration = "{duration}"
seed = 3
transport = {{ kind = "tcp", profile = "{profile}"{ecn}, controller = {controller} }}
[topology]
kind = "dumbbell"
pairs = 2
bottleneck = {{ rate = "{rate}", delay = "{delay}", queue = {queue} }}
[record]
controllers = true
[[flows]]
from = "senders"
to = "receivers"
"""
PLAIN = {
    "duration": "20s", "profile": "linux", "ecn": "", "rate": "20Mbit/s", "delay": "20ms",
    "queue": '{ kind = "droptail", limit = "1bdp" }',
}  # fmt: skip
BEDS = {
    "plain": PLAIN,
    "rfc": {**PLAIN, "profile": "rfc"},
    "shallow": {**PLAIN, "queue": '{ kind = "droptail", limit = "20pkt" }'},
    "deep": {**PLAIN, "queue": '{ kind = "droptail", limit = "4bdp" }', "delay": "17.3ms"},
    "slow": {**PLAIN, "rate": "700kbit/s", "delay": "70ms", "duration": "60s"},
    "marked": {**PLAIN, "queue": '{ kind = "codel", ecn = true }', "ecn": ", ecn = true"},
}
ACCURATE = {**PLAIN, "ecn": ', ecn = "accurate"', "queue": '"dualpi2"'}
L4S = {
    "plain": ACCURATE,
    "short": {**ACCURATE, "rate": "50Mbit/s", "delay": "1ms"},
    "slow": {**ACCURATE, "rate": "3Mbit/s", "delay": "40ms"},
    "losses": {**ACCURATE, "queue": '{ kind = "droptail", limit = "30pkt" }'},
    "rfc": {**ACCURATE, "profile": "rfc"},
}


def run(controller: str, bed: dict[str, str]) -> db.Results:
    text = TOML.format(**bed, controller=controller)
    return db.Scenario.from_toml(text, base=Path(laws.__file__).parent).run()


def tables(results: db.Results, *names: str) -> list[str]:
    """Return all columns of tables as text."""
    shown = []
    for name in names:
        table = getattr(results, name)
        shown += [f"{name}.{c.name} {table[c.name].tolist()!r}" for c in table.columns]
    return shown


def alike(law: str, built_in: str, bed: dict[str, str]) -> tuple[db.Results, db.Results]:
    mine, theirs = run(law, bed), run(built_in, bed)
    names = ("samples", "flows", "links")
    found, expected = tables(mine, *names), tables(theirs, *names)
    assert [a[:40] for a, b in zip(found, expected, strict=True) if a != b] == []
    return mine, theirs


@pytest.mark.parametrize("bed", ["plain", "rfc", "marked"])
def test_newreno(bed: str) -> None:
    alike('"newreno.py:NewReno"', '"newreno"', BEDS[bed])


# In the profile `rfc` few acknowledgements measure a round-trip time: there a stage may begin one cube root
# from its plateau. The built-in cubes that root again, and its C library has rounded it.
@pytest.mark.parametrize("bed", [bed for bed in BEDS if bed != "rfc"])
def test_cubic(bed: str) -> None:
    alike('"cubic.py:Cubic"', '"cubic"', BEDS[bed])


@pytest.mark.parametrize("hystart", ["off", "linux_66", "rfc9406"])
@pytest.mark.parametrize("bed", ["plain", "deep"])
def test_cubic_with_another_hystart(hystart: str, bed: str) -> None:
    theirs = hystart.replace("linux_66", "linux-6.6")
    alike(
        f'{{ kind = "cubic.py:Cubic", hystart = "{hystart}" }}',
        f'{{ kind = "cubic", hystart = "{theirs}" }}',
        BEDS[bed],
    )


def test_hystart_ends_the_slow_start() -> None:
    with_it, without = (
        run(c, BEDS["deep"]) for c in ('"cubic.py:Cubic"', '{ kind = "cubic.py:Cubic", hystart = "off" }')
    )
    assert sum(with_it.flows["retransmissions"]) < sum(without.flows["retransmissions"])


@pytest.mark.parametrize("bed", L4S)
def test_prague(bed: str) -> None:
    mine, theirs = alike('"prague.py:Prague"', '"prague"', L4S[bed])
    # Its estimate, too, to the last bit.
    assert tables(mine, "estimates") == tables(theirs, "estimates")


@pytest.mark.parametrize("bed", BEDS)
def test_bbr3(bed: str) -> None:
    mine, theirs = alike('"bbr3.py:Bbr3"', '"bbr3"', BEDS[bed])
    assert {*mine.controller_states["state"]} >= {"startup", "drain", "down", "cruise"}
    assert len(theirs.flows) == 2
