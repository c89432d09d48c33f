"""Runs the Python of a script: packetdrill starts this file as a program, with the path of that Python.

Fields of TCP_INFO that the library leaves out are not zeros there: their first use is what the script lacks.
"""

import os
import re
import sys
from pathlib import Path

LACKS = "DUMBBELL_PACKETDRILL_LACKS"
"""The variable of the environment that names the file for what a script lacks."""

_FILLED = """
advmss bytes_received ca_state delivered delivered_ce last_data_recv lost min_rtt notsent_bytes options
rcv_mss rcv_ssthresh rcv_wscale reord_seen reordering retrans retransmits rto rtt rttvar sacked snd_cwnd
snd_mss snd_ssthresh snd_wscale state unacked
"""
"""What the library fills in; crates/packetdrill/src/info.rs has the same."""

_ASSIGNED = re.compile(r"^(tcpi_\w+) = \d+$", re.MULTILINE)


def _use(self: "_Absent", *_: object) -> object:
    path = Path(os.environ[LACKS])
    if not path.exists():
        path.write_text(f"{self.name} of TCP_INFO", encoding="utf-8")
    raise SystemExit(1)


class _Absent:
    """A field that is left out."""

    def __init__(self, name: str) -> None:
        self.name = name


_USES = """
eq ne lt le gt ge and rand or ror xor rxor add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv
mod rmod rshift rrshift lshift rlshift neg invert bool int float index str repr format hash
"""
for _name in _USES.split():
    setattr(_Absent, f"__{_name}__", _use)


def main(path: str) -> None:
    """Run the Python in a file that packetdrill has written."""
    text = Path(path).read_text(encoding="utf-8")

    def assigned(match: re.Match[str]) -> str:
        name = match[1]
        return match[0] if name.removeprefix("tcpi_") in _FILLED.split() else f"{name} = _Absent({name!r})"

    code = compile(_ASSIGNED.sub(assigned, text), path, "exec")
    exec(code, {"__name__": "__main__", "_Absent": _Absent})


if __name__ == "__main__":
    main(sys.argv[1])
