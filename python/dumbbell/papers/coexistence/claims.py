"""Claims: what publications say of BBR beside CUBIC."""

from dumbbell.claims import Claim, Level

CLAIMS = (
    Claim(
        "bbr-forty-percent",
        "In a buffer of 4 BDP one flow of BBR gets 35 to 55 % of the link against 1 to 16 flows of CUBIC.",
        "[W19] abstract: 40 % of the link against as many as 16 flows of CUBIC or Reno",
        "share",
        Level("four", 35, 55),
    ),
    Claim(
        "bbr-whatever-the-number",
        "In 16 BDP too, 16 flows of CUBIC leave it more than a quarter.",
        "[W19] abstract: a fixed share, against any number of flows",
        "share",
        Level("sixteen", low=25, at={"flows": 16}),
    ),
    Claim(
        "bbr-suppresses",
        "In a buffer of a quarter of a BDP it gets more than 80 % against one flow of CUBIC.",
        "[H17] section V: where buffers are small, BBR suppresses flows that loss controls",
        "share",
        Level("quarter", low=80, at={"flows": 1}),
    ),
)
