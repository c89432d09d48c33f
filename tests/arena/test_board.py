"""Boards: entries that anybody can recompute, and forged ones."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from dumbbell import arena
from dumbbell.arena import entry as entry_module
from dumbbell.arena.board import draw_distribution, write_page
from dumbbell.cli import cli
from dumbbell.own import laws

AIMD = f"{Path(laws.__file__).parent / 'aimd.py'}:Aimd"
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True, scope="module")
def small_sets():
    """Let sets have four networks of each group: a row takes a tenth of a second."""
    whole = entry_module.score
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry_module, "score", lambda named, **given: whole(named, **given, each=4))
        yield


@pytest.fixture(scope="module")
def honest(small_sets, tmp_path_factory):  # noqa: ARG001
    """Return the file of an honest entry."""
    return arena.submit(AIMD, tmp_path_factory.mktemp("board"))


def test_honest_board_is_verified(honest):
    [found] = arena.verify(honest.parent)
    assert (found.name, found.command) == ("aimd", "aimd.py:Aimd")
    assert found.sets["held-out"]["runs"] != found.sets["train"]["runs"]


def _set(*path, value):
    def change(values):
        *way, last = path
        for key in way:
            values = values[key]
        values[last] = value

    return change


def _swap(values):
    values["source"] = values["source"].replace("self.left // 8", "self.left // 9")


def _swap_wholly(values):
    """The key is that of the new source, so that only the runs betray it."""
    _swap(values)
    source = (values["source"] + "\0" + values["command"]).encode()
    values["sets"]["held-out"]["key"] = arena.held_out_key(source, 2026)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("sets", "train", "scores", "latency", value=0.9), "train: scores: .*0.9.* is stated, and"),
        (_set("sets", "held-out", "cap", value=0.5), "held-out: cap: 0.5 is stated, and"),
        (_set("sets", "held-out", "runs", 3, 1, value=1e7), "the run of shallow-04 gives other numbers"),
        (_set("sets", "held-out", "key", value="train"), "the seeds of the set held-out are not those"),
        (_set("sets", "train", "key", value="mine"), "the seeds of the set train are not those"),
        (_swap, "the seeds of the set held-out are not those of the source"),
        (_swap_wholly, "the run of .* gives other numbers"),
        (_set("sets", "train", "plans", value="0"), "train: plans: 0 is stated"),
        (_set("name", value="cubic"), "name: cubic is stated, and aimd is in the source"),
        (_set("year", value=1999), "the year 1999 has no salt"),
        (_set("version", value="0.0.1"), "made by version 0.0.1"),
        (_set("edition", value=7), "is of another edition of the arena"),
        (_set("command", value="../aimd.py:Aimd"), "is no plain name of a file"),
        (_set("command", value="cubic"), "cubic and its source do not belong together"),
        (_set("source", value="import os"), "its source is refused: aimd.py:1:1: a law imports nothing"),
        (_set("sets", "train", "scores", value={}), "is no entry of a board"),
        (_set("sets", "train", "scores", "latency", value=float("nan")), "is no entry of a board"),
        (_set("sets", "train", "runs", value=[]), "has not the runs of its 40 networks"),
    ],
)
def test_forged_entries_are_refused(honest, tmp_path, change, message):
    values = json.loads(honest.read_text(encoding="utf-8"))
    change(values)
    (tmp_path / honest.name).write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(arena.ArenaError, match=message) as caught:
        arena.verify(tmp_path)
    assert "\n" not in str(caught.value)


def test_two_versions_of_a_law_are_refused(honest, tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.arena.json").write_bytes(honest.read_bytes())
    with pytest.raises(arena.ArenaError, match="two versions of aimd; keep one"):
        arena.verify(tmp_path)


def test_submitting_another_version_needs_force(honest, tmp_path):
    law = tmp_path / "aimd.py"
    text = Path(AIMD.partition(":")[0]).read_text(encoding="utf-8")
    law.write_text(text, encoding="utf-8")
    board = tmp_path / "board"
    first = arena.submit(f"{law}:Aimd", board)
    assert first.read_bytes() == honest.read_bytes()
    # The same again changes nothing, not even with force.
    assert arena.submit(f"{law}:Aimd", board, force=True).read_bytes() == honest.read_bytes()
    # Nor do other plans that give the same scores.
    told = json.loads(first.read_text(encoding="utf-8"))
    told["sets"]["train"]["plans"] = 64 * "0"
    first.write_text(json.dumps(told), encoding="utf-8")
    assert arena.submit(f"{law}:Aimd", board, force=True).read_bytes() == honest.read_bytes()
    law.write_text(text.replace("self.left // 8", "self.left // 9"), encoding="utf-8")
    with pytest.raises(arena.ArenaError, match="another version of the law; give --force"):
        arena.submit(f"{law}:Aimd", board)
    arena.submit(f"{law}:Aimd", board, force=True)
    [found] = arena.entries(board)
    assert [past["version"] for past in found.history] == [found.version]


def test_page_shows_train_beside_held_out(honest):
    page = write_page(honest.parent).read_text(encoding="utf-8")
    [found] = arena.entries(honest.parent)
    for of in ("train", "held-out"):
        assert f"{found.score(of, 'latency'):.3f}" in page
    assert page.count("<figure") == 4
    assert "No entry has replaced another." in page


def test_page_escapes_what_entries_say(honest, tmp_path):
    values = json.loads(honest.read_text(encoding="utf-8"))
    values["command"] = "<script>alert(1)</script>"
    (tmp_path / honest.name).write_text(json.dumps(values), encoding="utf-8")
    assert "<script>alert" not in write_page(tmp_path).read_text(encoding="utf-8")


def test_figure_shows_every_network():
    panel = draw_distribution().axes[0]
    assert sum(len(line.get_xdata()) for line in panel.get_lines()) == 200


def test_commands_submit_verify_and_write_pages(tmp_path):
    board = str(tmp_path / "board")
    assert CliRunner().invoke(cli, ["arena", "submit", "newreno", "-o", board]).exit_code == 0
    assert (
        "1 entries, each recomputed bit for bit" in CliRunner().invoke(cli, ["arena", "verify", board]).output
    )
    assert "board.html" in CliRunner().invoke(cli, ["arena", "page", board]).output


def test_empty_boards_are_refused(tmp_path):
    with pytest.raises(arena.ArenaError, match="holds no entry"):
        arena.verify(tmp_path)
    with pytest.raises(arena.ArenaError, match="no such folder"):
        arena.verify(tmp_path / "none")


def test_entries_that_are_no_files_are_refused(tmp_path):
    os.mkfifo(tmp_path / "mine.arena.json")
    with pytest.raises(arena.ArenaError, match=r"mine\.arena\.json: it is not a file; get it again"):
        arena.verify(tmp_path)
