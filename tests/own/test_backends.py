"""Byte code, Python, machine code and C give equal answers and states, whatever happens to them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dumbbell import _native
from dumbbell.own import laws, vocabulary
from dumbbell.own.errors import LawError
from dumbbell.own.interpreted import Interpreter
from tests.own.laws import EVERYTHING
from tests.own.told import Backends, agree, by_cargo, story

HAS_CC = shutil.which("cc") is not None


LAWS = Path(laws.__file__).parent
SHIPPED = [
    ((LAWS / f"{name.lower()}.py").read_text(encoding="utf-8"), name)
    for name in ("Aimd", "NewReno", "Cubic", "Prague", "Bbr3")
]


def test_print_is_for_the_interpreter_alone(capsys: pytest.CaptureFixture[str]) -> None:
    last = "        control.window = ack.mss"
    text = SHIPPED[0][0].replace(last, '        print("cut", self.step)\n' + last)
    law = Interpreter(text, "law.py", "Aimd", {"step": 9}).connect()
    law.answer("timeout", mss=1000)
    assert capsys.readouterr().out == "cut 9\n"
    assert law.control.window == 1000
    assert Backends(text, "Aimd", None).compiled.image == Backends(SHIPPED[0][0], "Aimd", None).compiled.image
    with pytest.raises(LawError, match="Aimd: there is no field ackd; fields are now, acked"):
        law.answer("ack", ackd=1)


@pytest.mark.parametrize(("text", "label"), [*SHIPPED, (EVERYTHING, "Everything")])
def test_back_ends_answer_alike(tmp_path: Path, text: str, label: str) -> None:
    agree(Backends(text, label, tmp_path if HAS_CC else None), range(400), HAS_CC)


@pytest.mark.skipif(shutil.which("cargo") is None, reason="there is no compiler of Rust")
def test_rust_answers_alike(tmp_path: Path) -> None:
    # A law in a library of Rust asks no routers.
    text = EVERYTHING.replace(', exchange="xcp"', "").replace("control.request", "control.quantum")
    backends = Backends(text, "Everything", None)
    rust = by_cargo(tmp_path, backends.law)
    for seed in range(300):
        told = story(seed)
        assert rust.tell(told, sends=True)[0] == backends.machine(told)[0], f"seed {seed}"


def test_the_vocabulary_is_that_of_the_contract() -> None:
    _, signals, sent, control = _native.law_codes()
    assert (*_native.law_events(), "sent") == vocabulary.EVENTS
    # What happened is the name of the method.
    assert {named.code for named in vocabulary.ACK.values()} == {*signals} - {"event"}
    assert [named.code for named in vocabulary.SENT.values()] == sent
    assert [named.code for named in vocabulary.CONTROL.values()] == control
    asked = {named.need for fields in (vocabulary.ACK, vocabulary.CONTROL) for named in fields.values()}
    asked |= {need for needs in vocabulary.EVENT_NEEDS.values() for need in needs}
    assert asked | {*vocabulary.ASKED.values(), "RANDOM"} == {*_native.law_needs(), ""}
