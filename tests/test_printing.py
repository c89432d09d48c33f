"""Tables and lines for people."""

from __future__ import annotations

import io
import re

import pytest

from dumbbell._printing import Output, Text, TextTable, cells_of, wrapped

WORDS = "First in, first out; drops the arrival that does not fit"


def test_a_table_with_room_keeps_its_rows_whole() -> None:
    table = TextTable(
        "Queues", ("name", "what"), ("packets",), [("droptail", WORDS, "1,234"), ("red", "", "5")]
    )
    assert str(table).splitlines() == [
        "Queues",
        "",
        f" name      {'what':{len(WORDS)}}  packets",
        f" {'─' * (8 + 2 + len(WORDS) + 2 + 7)}",
        f" droptail  {WORDS}    1,234",
        f" red       {'':{len(WORDS)}}        5",
    ]


@pytest.mark.parametrize("room", [1, 5, 20, 40, 60, 200])
def test_text_breaks_where_there_is_no_room_and_numbers_never_do(room: int) -> None:
    rows = [("droptail", WORDS, "1,234,567", "89"), ("red", "x" * 90, "1", "2")]
    table = TextTable(
        "A title of some words", ("name", "what"), ("packets sent", "lost"), rows, note="A note."
    )
    lines = list(table.lines(room))
    assert any("1,234,567" in line for line in lines)
    # Before text breaks, the last numbers stand below the first ones.
    assert any("89" in line for line in lines)
    assert sum("lost" in line for line in lines) == 1
    below = next(i for i, line in enumerate(lines) if "lost" in line)
    assert ("packets" in lines[below] or "sent" in lines[below]) == (room > 110)
    if room >= 40:
        assert max(map(len, lines)) <= room
    text = "".join(lines)
    assert text.count("x") == 90
    assert [word for word in WORDS.split() if word not in " ".join(lines)] == [] or room < 40


def test_the_widest_columns_of_text_give_way_together() -> None:
    rows = [("max_threshold", "queue limit", WORDS, WORDS), ("limit", "word", "x", "y")]
    table = TextTable("", ("parameter", "type", "source of the default", "meaning"), (), rows)
    lines = list(table.lines(80))
    assert max(map(len, lines)) <= 80
    first = next(line for line in lines if "max_threshold" in line)
    assert re.split(" {2,}", first) == [" max_threshold", "queue limit", *2 * ["First in, first out;"]]
    words = " ".join(lines).split()
    assert words.count("arrival") == 2, "no word breaks"


def test_rows_stand_as_lists_where_words_would_break() -> None:
    path = "bottleneck.power.model.static_share"
    rows = [(path, "number (dimensionless)", "Panarello et al., e-Energy 2012", f"{WORDS}. {WORDS}.")]
    table = TextTable("Title", ("parameter", "type", "source of the default", "of-model-under-dvs"), (), rows)
    assert list(table.lines(80)) == [
        "Title",
        "",
        f" {path}",
        "    type: number (dimensionless)",
        "    source of the default: Panarello et al., e-Energy 2012",
        "    of-model-under-dvs: First in, first out; drops the arrival that does not",
        "      fit. First in, first out; drops the arrival that does not fit.",
        "",
    ]
    assert len([line for line in table.lines(160) if path in line and "Panarello" in line]) == 1


def test_columns_of_an_answer_keep_their_order() -> None:
    table = TextTable("", ("n", "arm"), (), [("1", "a"), ("20", "b")], numeric=(True, False))
    assert [line.rstrip() for line in table.lines(80)][1:] == ["  n  arm", " ───────", "  1  a", " 20  b", ""]


def test_an_answer_of_many_columns_stands_as_lists() -> None:
    heads = ["link", *(f"number{i}" for i in range(20))]
    table = TextTable("", heads, (), [("left->right", *["1,234"] * 20)], numeric=(False, *[True] * 20))
    lines = list(table.lines(80))
    assert lines[:3] == ["", " left->right", "    number0: 1,234"]
    assert len([line for line in table.lines(300) if "left->right" in line and "1,234" in line]) == 1


def test_wide_characters_take_two_columns() -> None:
    assert [cells_of(text) for text in ("ab", "漢字", "e\u0301")] == [2, 4, 1]
    assert wrapped("漢字漢字", 5) == ["漢字", "漢字"]
    assert wrapped("one two", 3) == ["one", "two"]
    assert wrapped("", 3) == [""]
    lines = list(TextTable("", ("a", "b"), (), [("漢字", "x"), ("abcd", "x")]).lines(80))
    assert {cells_of(line) for line in lines if line.endswith("x")} == {8}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_styles_are_for_terminals_and_text_is_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for file, lines in (
        (Terminal(), ["\x1b[1;31mINVALID\x1b[0m:", "late by 3 s", "one two", "three four"]),
        (io.StringIO(), ["INVALID: late by 3 s", "one two three four"]),
    ):
        monkeypatch.setattr("sys.stdout", file)
        Output().print(Text("INVALID", "bold red"), ": late by 3 s")
        Output().print("one two three four")
        assert file.getvalue().splitlines() == lines
    monkeypatch.setattr("sys.stdout", file := Terminal())
    Output().print("\x1b[31mred[/]", whole=True)
    assert file.getvalue() == "\ufffd[31mred[/]\n"
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stdout", file := Terminal())
    Output().print(Text("bold", "bold"))
    assert file.getvalue() == "bold\n"
