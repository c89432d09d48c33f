"""`dumbbell trace`: what happens to packets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import dumbbell as db
import forks
from conftest import COMMAND_TIMEOUT
from dumbbell.cli.common import results_again

_TEXT = """
duration = "2s"
transport = { kind = "tcp", controller = "newreno", profile = "rfc" }
[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "100Mbit/s", delay = "2ms" }
bottleneck = { rate = "5Mbit/s", delay = "10ms", queue = { kind = "droptail", limit = "10pkt" } }
[[flows]]
from = "senders"
to = "receivers"
size = "100kB"
stagger = "500ms"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(_TEXT)
    return path


def _trace(scenario: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return forks.completed(["trace", scenario, *args], scenario.parent, COMMAND_TIMEOUT)


def _refused(scenario: Path, *args: str) -> str:
    done = _trace(scenario, *args)
    assert done.returncode == 2, done
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.removeprefix("dumbbell: ").strip()


def test_lines_are_aligned_and_in_order_of_time(scenario: Path) -> None:
    done = _trace(scenario, "--flow", "0")
    assert done.returncode == 0, done.stderr
    head, *lines = done.stdout.splitlines()
    assert head.split()[:4] == ["time_s", "event", "place", "flow"]
    times = [float(line.split()[0]) for line in lines]
    assert times == sorted(times)
    column = head.index("flow") + len("flow")
    assert {line[:column].split()[-1] for line in lines} == {"0"}
    run = db.Scenario.from_file(scenario).run()
    events = [line.split()[1] for line in lines]
    assert events.count("sent") > run.flows.row(0)["packets_sent"]
    drops = sum("reason=overflow" in line for line in lines)
    assert drops == events.count("dropped") == run.flows.row(0)["dropped"] > 0


def test_json_lines_hold_the_state_of_the_sender(scenario: Path) -> None:
    done = _trace(scenario, "--json", "--until", "300ms")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert {event["flow"] for event in events} == {0}
    assert max(event["time"] for event in events) <= 0.3
    windows = [event["cwnd"] for event in events if event["event"] == "state"]
    assert (windows[0], max(windows) > 20_000) == (0, True), "before the handshake there is none"


def test_a_selection_holds_for_time_and_place(scenario: Path) -> None:
    done = _trace(scenario, "--link", "left->right", "--from", "0.1s", "--until", "0.2s")
    lines = done.stdout.splitlines()[1:]
    assert lines
    assert all(line.split()[2] == "left->right" for line in lines)
    assert all(0.1 <= float(line.split()[0]) <= 0.2 for line in lines)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (
            ["--link", "left->rihgt"],
            "link 'left->rihgt': the scenario has none; did you mean",
        ),
        (["--flow", "2"], "flow 2: no such flow has started; give a number from 0 to 1"),
        (["--flow", "1", "--until", "1ms"], "flow 1: no such flow has started before 1ms; the only one is 0"),
        (["--limit", "100"], "limit: more than 100 events, by 0.0"),
        (["--limit", "10kB"], "limit: more than 10,000 bytes, by 0."),
        (["--limit", "many"], "limit: "),
        (["--from", "1s", "--until", "0.5s"], "until: is not after `from`; give a later time"),
        (["--from", "soon"], 'from: "soon" is not a duration'),
    ],
)
def test_what_cannot_be_shown_is_one_line(scenario: Path, args: list[str], expected: str) -> None:
    assert _refused(scenario, *args).startswith(expected)


def test_a_run_that_memory_cuts_short_has_no_trace(scenario: Path, tmp_path: Path) -> None:
    queue = "topology.bottleneck.queue=droptail"
    source = "transport={kind='cbr', rate='90Mbit/s'}"
    args = ["--set", queue, "--set", source, "--set", "flows[0].size=10MB", "--memory", "300kB"]
    message = _refused(scenario, *args, "--pcapng", str(tmp_path / "new"))
    assert "packets wait for left->right" in message
    assert list(tmp_path.iterdir()) == [scenario]


def test_a_limit_that_holds_changes_nothing(scenario: Path) -> None:
    every = _trace(scenario).stdout
    count = every.count("\n") - 1
    assert _trace(scenario, "--limit", str(count)).stdout == every
    assert _trace(scenario, "--limit", str(count - 1)).stdout == ""
    assert _trace(scenario, "--limit", f"{len(every)}B").stdout == every
    assert _trace(scenario, "--limit", f"{len(every) - 1}B").stdout == ""


def test_a_full_disk_is_one_line(scenario: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "dumbbell", "trace", str(scenario)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("dumbbell: standard output: the disk is full;")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_has_seen_enough_ends_it(scenario: Path) -> None:
    command = f"{sys.executable} -m dumbbell trace {scenario} --set duration=60s | head -3"
    done = subprocess.run(command, shell=True, text=True, capture_output=True, check=True)
    assert (done.stdout.count("\n"), done.stderr) == (3, "")


_FILES = {"pcapng": b"\x0a\x0d\x0d\x0a", "qlog": b"\x1e{", "perfetto": b"\x0a"}
"""The first bytes of each form."""


def test_files_take_the_place_of_lines_and_hold_the_same_events(scenario: Path, tmp_path: Path) -> None:
    args = [word for form in _FILES for word in (f"--{form}", str(tmp_path / form))]
    done = _trace(scenario, "--flow", "0", *args)
    assert (done.returncode, done.stderr) == (0, "")
    lines = _trace(scenario, "--flow", "0").stdout.count("\n") - 1
    sizes = {path: path.stat().st_size for path in (tmp_path / form for form in _FILES)}
    assert done.stdout.splitlines() == [f"{path}: {size:,} bytes" for path, size in sizes.items()]
    for form, first in _FILES.items():
        assert (tmp_path / form).read_bytes().startswith(first)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*_FILES, scenario.name])
    printed = _trace(scenario, "--flow", "0", "--pcapng", str(tmp_path / "again"), "--print")
    assert printed.stdout.count("\n") == lines + 1
    assert (tmp_path / "again").read_bytes() == (tmp_path / "pcapng").read_bytes()


def test_a_capture_is_made_at_sources_destinations_or_links(scenario: Path, tmp_path: Path) -> None:
    places = [(), ("--at", "destinations"), ("--link", "left->right")]
    sizes = []
    for number, place in enumerate(places):
        path = tmp_path / f"{number}.pcapng"
        assert _trace(scenario, *place, "--pcapng", str(path)).returncode == 0
        sizes.append(path.stat().st_size)
    # Dropped packets do not come to the destination, and acknowledgements do not cross the link forward.
    assert sizes[0] > sizes[1] > sizes[2] > 0


def test_force_replaces_only_files_of_a_trace(scenario: Path, tmp_path: Path) -> None:
    for form in _FILES:
        path = tmp_path / form
        assert _trace(scenario, f"--{form}", str(path)).returncode == 0
        before = path.read_bytes()
        assert _refused(scenario, f"--{form}", str(path)).endswith("or replace it with --force")
        assert _trace(scenario, f"--{form}", str(path), "--force", "--until", "300ms").returncode == 0
        assert path.read_bytes() != before
        path.write_text("mine")
        assert "was not written by this command" in _refused(scenario, f"--{form}", str(path), "--force")
        assert path.read_text() == "mine"


@pytest.mark.parametrize("form", _FILES)
def test_what_fails_leaves_no_file(form: str, scenario: Path, tmp_path: Path) -> None:
    path = tmp_path / "new"
    for args in (["--limit", "100"], ["--flow", "9"], ["--link", "nowhere"]):
        _refused(scenario, f"--{form}", str(path), *args)
        assert list(tmp_path.iterdir()) == [scenario]
    assert _refused(scenario, f"--{form}", "/dev/full").startswith("/dev/full: the disk is full;")
    assert _refused(scenario, f"--{form}", str(tmp_path)) == f"{tmp_path}: is a folder; choose another name"
    assert Path("/dev/full").is_char_device()
    two = _refused(scenario, f"--{form}", str(path), "--perfetto" if form == "qlog" else "--qlog", str(path))
    assert two.endswith("two outputs have this file; name two")


def test_a_full_disk_in_the_middle_leaves_nothing(scenario: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.pcapng"
    command = (
        f"ulimit -f 16; trap '' XFSZ; exec {sys.executable} -m dumbbell trace {scenario} --pcapng {path}"
    )
    done = subprocess.run(["bash", "-c", command], text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert done.stderr.startswith(f"dumbbell: {path}: the disk is full;")
    assert list(tmp_path.iterdir()) == [scenario]


def test_a_reader_of_lines_that_leaves_takes_the_files_along(scenario: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.qlog"
    trace = f"{sys.executable} -m dumbbell trace {scenario} --print --qlog {path}"
    command = f"{trace} | head -3; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], text=True, capture_output=True, check=False)
    assert done.returncode == 2
    assert (
        done.stderr == f"dumbbell: {path}: not written, because nobody reads the lines; leave out --print\n"
    )
    assert list(tmp_path.iterdir()) == [scenario]


def test_tables_hold_what_lines_say(scenario: Path) -> None:
    trace = db.Scenario.from_file(scenario).trace(flows=[0])
    packets, senders = trace.packets, trace.senders
    lines = _trace(scenario, "--flow", "0").stdout.splitlines()[1:]
    assert len(packets) == len(lines)
    assert [line.split()[1] for line in lines] == packets["event"].tolist()
    assert [line.split()[2] for line in lines] == packets["place"].tolist()
    sent = (packets["event"] == "sent") & packets["forward"] & (packets["len"] > 0)
    assert packets["len"][sent].sum() > 100_000
    assert senders["phase"][0] == "slow-start"
    with pytest.raises(db.TraceLimitError, match="more than 10 events"):
        db.Scenario.from_file(scenario).trace(limit=10)


@pytest.fixture(scope="module")
def trace() -> db.Trace:
    return db.Scenario.from_toml(_TEXT).trace()


@pytest.mark.parametrize("kind", db.figures.PACKET_KINDS)
def test_figures_of_packets_are_the_same_each_time(kind: str, trace: db.Trace, tmp_path: Path) -> None:
    first = db.figures.save(db.figures.draw_packets(kind, trace, 0), tmp_path / "a", ["png", "svg"])
    second = db.figures.save(db.figures.draw_packets(kind, trace, 0), tmp_path / "b", ["png", "svg"])
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    with pytest.raises(db.NothingToDrawError, match="flow 7 has sent"):
        db.figures.draw_packets(kind, trace, 7)


def test_a_time_sequence_plot_shows_every_segment_once(trace: db.Trace) -> None:
    (axes,) = db.figures.draw_packets("time_sequence", trace, 0).axes
    drawn = {line.get_label(): line for line in (*axes.collections, *axes.lines)}
    row = db.Scenario.from_toml(_TEXT).run().flows.row(0)
    assert len(drawn["sent again"].get_segments()) == row["retransmissions"] > 0
    assert len(drawn["dropped"].get_xdata()) == row["dropped"]
    assert {"segments", "acknowledged", "SACK", "congestion window"} <= set(drawn)
    heights = drawn["acknowledged"].get_ydata()
    assert list(heights) == sorted(heights)


def test_a_sequence_diagram_has_a_cross_for_each_drop(trace: db.Trace) -> None:
    (axes,) = db.figures.draw_packets("sequence_diagram", trace, 1).axes
    texts = [text.get_text() for text in axes.texts]
    assert {"sender1", "receiver1"} <= set(texts)
    assert "[S] seq 0" in texts
    assert axes.get_xlabel().startswith("the first 60 of ")
    whole = db.Scenario.from_toml(_TEXT).trace(flows=[0], start="0.1s", until="0.2s")
    (axes,) = db.figures.draw_packets("sequence_diagram", whole, 0).axes
    assert axes.get_ylim()[0] > axes.get_ylim()[1], "time runs downwards"


def test_plot_draws_the_packets_of_a_flow_of_results(scenario: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    results = db.Scenario.from_file(scenario).run()
    results.save(out)

    def plot(*args: str) -> subprocess.CompletedProcess[str]:
        return forks.completed(["plot", out, "--format", "png", *args], tmp_path, COMMAND_TIMEOUT)

    done = plot("--flow", "0")
    assert (done.returncode, done.stderr) == (0, "")
    names = [f"{kind}.png" for kind in db.figures.PACKET_KINDS]
    assert sorted(path.name for path in (out / "figures").iterdir()) == sorted(names)
    done = plot("--flow", "9")
    assert done.stderr == "dumbbell: flow 9: no such flow has started; give a number from 0 to 1\n"
    done = plot("--only", "time_sequence")
    assert done.stderr.endswith("give its number with --flow\n")


def test_the_report_of_a_run_shows_tables_figures_and_packets(tmp_path: Path) -> None:
    out = tmp_path / "out"
    text = _TEXT.replace('from = "senders"', 'name = "<b>bulk"\nfrom = "senders"')
    db.Scenario.from_toml(text).run().save(out)

    def report(*args: str) -> subprocess.CompletedProcess[str]:
        return forks.completed(["report", out, *args], tmp_path, COMMAND_TIMEOUT)

    done = report("--flow", "0", "--from", "50ms")
    assert (done.returncode, done.stdout) == (0, f"report: {out / 'report.html'}\n"), done.stderr
    page = (out / "report.html").read_text()
    assert "&lt;b&gt;bulk" in page
    assert "<b>bulk" not in page
    for title in ("Queues", "Time-sequence plot of flow 0", "Sequence diagram of flow 0"):
        assert title in page
    assert report("--until", "1s").stderr.endswith("give its number with --flow\n")
    assert report().returncode == 0
    assert "Sequence diagram" not in (out / "report.html").read_text()
    study = tmp_path / "none"
    study.mkdir()
    done = forks.completed(["report", study, "--flow", "0"], tmp_path, COMMAND_TIMEOUT)
    assert done.stderr.endswith("holds no run; --flow is for the packets of a run\n")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"plan_hash": "0" * 64}, "was made by another version of dumbbell; run the scenario anew"),
        ({"scenario": "duration = ["}, "its scenario cannot be run again"),
        ({"scenario": _TEXT + "\n[replay]\nlink = '../x'\n"}, "its scenario cannot be run again"),
    ],
)
def test_results_that_would_differ_are_not_run_again(
    changed: dict[str, str], expected: str, tmp_path: Path
) -> None:
    results = db.Scenario.from_toml(_TEXT).run()
    assert results_again(results, tmp_path).plan_hash == results.provenance["plan_hash"]
    other = SimpleNamespace(provenance={**results.provenance, **changed})
    with pytest.raises(db.DumbbellError, match=expected) as refusal:
        results_again(other, tmp_path)  # type: ignore[arg-type]
    assert "\n" not in str(refusal.value)
