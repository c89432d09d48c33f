"""The judge on real packets in virtual time: it agrees with the simulator, and a run is the same again."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from dumbbell.judge import all_chapters, run_judge
from dumbbell.judge.real import Kernel, kernel_candidate
from dumbbell.live import virtual


def test_bbr_of_the_kernel_loses_in_a_shallow_buffer(tmp_path: Path) -> None:
    chapter = next(entry for entry in all_chapters() if entry.number == 3)
    assert chapter.real is not None
    axes = {"part": ["first 5 s"], "flows": [1], "buffer": [0.1]}
    small = replace(chapter, real={**chapter.real, "axes": axes, "seeds": 4})
    found = [
        run_judge(
            kernel_candidate("bbr"), [small], tmp_path / name, kernel=Kernel(virtual.find()),
            against=("cubic",), pages=False, progress=lambda _: nullcontext(lambda _: None),
        )
        for name in ("one", "two")
    ]  # fmt: skip
    first, second = (judged.outcomes[0] for judged in found)
    assert first.word == "more harm", first.why
    levels = dict(first.decided.levels) if first.decided else {}
    # The simulator loses 5.0 and 1.4 %.
    assert 3 < levels["kernel-bbr"].value < 8
    assert levels["CUBIC"].value < 3
    assert [row.levels for row in first.rows] == [row.levels for row in second.rows]
    kept = sorted(path.name for path in (tmp_path / "one/03-loss/packets").iterdir())
    assert len(kept) == 8
    for name in kept:
        one, two = (tmp_path / run / "03-loss/packets" / name for run in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_the_kernel_answers_marks_where_a_chapter_asks_for_ecn(tmp_path: Path) -> None:
    chapter = next(entry for entry in all_chapters() if entry.number == 13)
    assert chapter.real is not None
    # Half as long as the chapter has it.
    change = {**chapter.real["change"], "duration": "8s"}
    axes = {"queue": ["codel"]}
    small = replace(chapter, real={**chapter.real, "axes": axes, "change": change, "seeds": 2})
    judged = run_judge(
        kernel_candidate("newreno"), [small], tmp_path, kernel=Kernel(virtual.find()),
        against=("cubic",), pages=False, progress=lambda _: nullcontext(lambda _: None),
    )  # fmt: skip
    assert judged.outcomes[0].word != "not judged", judged.outcomes[0].why
    runs = [json.loads(path.read_text()) for path in sorted((tmp_path / "13-aqm/packets").iterdir())]
    links = [run["links"][0] for run in runs]
    marked = [link for link in links if link["marked"]]
    # Of two controllers and two seeds, once with ECN and once without. CoDel marks instead of dropping
    # (RFC 8289 section 5.4), and the sender answers: the queue is near the target of 5 ms, as with drops.
    assert len(links) == 8
    assert len(marked) == 4
    assert all(link["dropped"] == 0 for link in marked)
    assert all(link["dropped"] > 0 for link in links if link not in marked)
    assert all(link["sojourn_mean"] < 0.015 for link in links)
