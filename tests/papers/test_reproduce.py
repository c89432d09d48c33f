"""From a folder to a report, and what is wrong with folders."""

import json
import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from dumbbell import papers
from dumbbell.study import StudyError
from tests.conftest import COMMAND_TIMEOUT


def test_verdicts_and_files(folder, tmp_path):
    output = tmp_path / "out"
    found = papers.reproduce(papers.find_paper(folder), output, quick=False)
    verdicts = {claim.id: judgement.verdict for claim, judgement in found.judged}
    assert verdicts == {"longer": "reproduced", "false": "not reproduced", "unknown": "inconclusive"}
    written = json.loads((output / "claims.json").read_text())
    assert (written["complete"], written["note"], written["finished"]) == (True, "", 24)
    assert found.report == output / "report.html"
    text = found.report.read_text()
    assert "choice: short" in text
    assert "dumbbell reproduce tiny-paper --full -o out" in text
    assert "QUICK" not in text
    for name in ("claims.md", "figures/queue.png", "figures/queue.pdf", "data/runs.parquet"):
        assert (output / name).stat().st_size > 0


def test_quick_says_so_everywhere_and_full_reuses_it(folder, tmp_path):
    paper, output = papers.find_paper(folder), tmp_path / "out"
    quick = papers.reproduce(paper, output)
    assert quick.result.finished == 12
    assert json.loads((output / "claims.json").read_text())["note"].startswith("QUICK")
    assert "QUICK" in (output / "claims.md").read_text()
    assert "QUICK" in quick.report.read_text()
    reused = []
    full = papers.reproduce(paper, output, quick=False, progress=lambda p: reused.append(p.reused))
    assert reused[0] == 12
    assert full.result.finished == 24
    fresh = papers.reproduce(paper, tmp_path / "fresh", quick=False)
    assert full.result.table.equals(fresh.result.table)
    assert (output / "claims.json").read_bytes() == (tmp_path / "fresh" / "claims.json").read_bytes()


def test_command_line(folder, cli, tmp_path):
    done = cli("reproduce", folder, "--quick", "-o", "out", "--trust")
    assert done.returncode == 0, done.stderr
    assert f"note: {folder}: holds Python (claims.py)" in done.stderr
    assert "QUICK" in done.stdout
    assert "not reproduced" in done.stdout
    assert done.stdout.splitlines()[-1] == "report: out/report.html"
    assert "12 runs" in done.stderr
    assert (tmp_path / "out" / "claims.json").is_file()
    assert cli("reproduce", folder, "--quick", "-o", "out", "--strict", "--trust").returncode == 3
    listed = cli("papers")
    assert "campus-web" in listed.stdout


def test_foreign_python_waits_for_a_yes(folder, cli, tmp_path):
    mark = tmp_path / "mark"
    text = (folder / "claims.py").read_text()
    (folder / "claims.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n{text}")
    done = cli("reproduce", folder, "-o", "out")
    assert done.returncode == 2
    assert done.stderr == (
        f"dumbbell: {folder}: holds Python (claims.py), which runs with all your rights; "
        "read it, then give --trust\n"
    )
    assert not mark.exists()
    for answer, status in ((b"n\n", 2), (b"\n", 2), (b"\x04", 2), (b"y\n", 0)):
        assert not mark.exists()
        found, shown = at_a_terminal(["reproduce", folder, "-o", "out"], answer, tmp_path)
        assert found == status, shown
        assert shown.count("Run it? [y/N]") == 1
        assert ("not trusted; nothing was run" in shown) == (status == 2)
    assert mark.exists()
    # What comes with dumbbell asks nothing.
    assert all(not paper.programs for paper in papers.all_papers())


def at_a_terminal(words, answer, folder):
    """Run a command at a terminal that answers; return its status and what it shows."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", *words], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown, answered = b"", False
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if b"[y/N]" in shown and not answered:
            os.write(ours, answer)
            answered = True
    process.wait(timeout=COMMAND_TIMEOUT)
    os.close(ours)
    return process.returncode, shown.decode()


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import nothing_there", "claims.py: line 1: ModuleNotFoundError: No module named 'nothing_there'"),
        ("\n1 / 0", "claims.py: line 2: ZeroDivisionError: division by zero"),
        ("(", "claims.py: line 1: SyntaxError: "),
        ("import sys; sys.exit(0)", "claims.py: line 1: SystemExit: 0"),
    ],
)
def test_a_faulty_program_of_others_is_their_fault(folder, cli, program, words):
    (folder / "claims.py").write_text(program)
    done = cli("reproduce", folder, "-o", "out", "--trust", "-q")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert words in done.stderr


def test_unknown_paper(cli):
    done = cli("reproduce", "campus-wbe", "-o", "out")
    assert done.returncode == 2
    assert done.stderr.strip() == (
        'dumbbell: campus-wbe: no such paper, and no folder with a study.toml; did you mean "campus-web"?'
    )


def test_interrupted_and_resumed(folder, tmp_path):
    study = folder / "study.toml"
    study.write_text(study.read_text().replace('"60s"', '"400s"').replace("seeds = 6", "seeds = 12"))
    command = [sys.executable, "-m", "dumbbell", "reproduce", folder, "--full", "-o", tmp_path / "out"]
    command.append("--trust")
    shards = tmp_path / "out" / "results"
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        while process.poll() is None and not list(shards.glob("*/shards/*.parquet")):
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=COMMAND_TIMEOUT)
    assert process.returncode == 130
    found = papers.reproduce(papers.find_paper(folder), tmp_path / "out", quick=False)
    assert found.result.complete


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("claims.py", "CLAIMS = ()", "defines no CLAIMS; write a tuple of Claim"),
        ("claims.py", "CLAIMS = (1,)", "defines no CLAIMS"),
        ("figures.py", "", "defines no FIGURES; write a tuple of FigureSpec"),
        ("README.md", None, "no such file; a paper needs one"),
        ("derived.py", "", "defines no DERIVED; write a tuple of Derived"),
        ("maps.py", "MAPS = 1", "defines no MAPS; write a tuple of MapSpec"),
        ("study.toml", 'name = "other"', None),
    ],
)
def test_broken_papers(folder, tmp_path, name, text, words):
    if text is None:
        (folder / name).unlink()
    elif name == "study.toml":
        (folder / name).write_text((folder / name).read_text().replace('"tiny-paper"', '"other"'))
        words = "name 'other' is not that of the folder"
    else:
        (folder / name).write_text(text)
    with pytest.raises(papers.PaperError, match=words):
        papers.reproduce(papers.find_paper(folder), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_problems_of_quick_are_told_together(folder):
    rewrite_quick(folder, "seeds = 7\naxes = { laod = [0.3], load = [0.4] }")
    with pytest.raises(StudyError) as caught:
        papers.find_paper(folder).study(quick=True)
    told = [problem.partition("study.toml: ")[2] for problem in caught.value.problems]
    assert told == [
        "quick.seeds: 7 of 6 seeds; give how many of the first",
        "quick.axes.laod: the study has no axis 'laod'; did you mean \"load\"?",
        "quick.axes.load: 0.4 is not a value of the axis 'load'; give some of 0.3, 0.8",
    ]
    rewrite_quick(folder, "runs = 2\nseeds = 0")
    with pytest.raises(
        StudyError, match=r"study.toml: quick.runs: unknown key; use one of seeds, axes, change"
    ):
        papers.find_paper(folder).study(quick=True)
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("[quick]\nruns = 2\nseeds = 0\n", ""))
    with pytest.raises(StudyError, match=r"quick: tiny-paper has no quick form; add \[quick\]"):
        papers.find_paper(folder).study(quick=True)


def rewrite_quick(folder, text):
    """Replace what the quick study of the paper leaves."""
    path = folder / "study.toml"
    before, _, after = path.read_text().partition("[quick]\n")
    path.write_text(f"{before}[quick]\n{text}\n{after[after.index(chr(10) + '[[claims]]') :]}")


def test_quick_changes(folder):
    change = 'change = { duration = "3s", topology = { pairs = 3 } }'
    rewrite_quick(folder, f"seeds = 2\naxes = {{ load = [0.8] }}\n{change}")
    full, quick = (papers.find_paper(folder).study(quick=quick) for quick in (False, True))
    assert quick.seeds == full.seeds[:2]
    assert quick.points() == [{"load": 0.8}]
    assert quick.axes[0].settings == full.axes[0].settings[1:]
    assert quick.scenario["duration"] == "3s"
    assert quick.scenario["topology"] == full.scenario["topology"] | {"pairs": 3}
    assert full.scenario["topology"]["pairs"] == 2


def test_a_finished_folder_tells_at_once_what_is_done(folder, cli, tmp_path):
    command = ("reproduce", folder, "--trust", "-o", tmp_path / "out")
    assert cli(*command).returncode == 0
    again = cli(*command)
    assert again.returncode == 0
    lines = [line.partition(": ") for line in again.stderr.splitlines()]
    told = [what for who, _, what in lines if who == "tiny-paper"]
    assert told == [
        "0 of 12 runs planned",
        "12 runs, 12 reused, 0 to make",
        "0 of 3 claims judged",
        "0 of 1 figures drawn",
    ]
