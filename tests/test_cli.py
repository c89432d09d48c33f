"""The command line: what it prints, writes, refuses, and leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import dumbbell as db
from conftest import COMMAND_TIMEOUT, LONG, SCENARIO, Cli
from dumbbell import _native
from dumbbell._extras import how_to_install
from dumbbell.cli import cli as commands
from dumbbell.cli import elsewhere

OUTPUT = {"manifest-sha256.txt", "scenario.toml", "summary.json"} | {
    f"{name}.parquet"
    for name in (
        "runs",
        "flows",
        "links",
        "samples",
        "drops",
        "states",
        "arrivals",
        "transfers",
        "quantiles",
        "classes",
        "allocations",
        "controller_states",
        "estimates",
    )
}


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def test_run_writes_a_whole_folder_and_reports_speed(cli: Cli, scenario_file: Path, tmp_path: Path) -> None:
    done = cli("run", scenario_file, "-o", "a/b/out")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert names(tmp_path / "a/b") == {"out"}
    assert names(tmp_path / "a/b/out") == OUTPUT
    assert "M packet-hops/s, simulated/wall" in done.stdout
    assert "left → right" in done.stdout


def test_run_without_output_only_prints(cli: Cli, scenario_file: Path, tmp_path: Path) -> None:
    done = cli("run", scenario_file)
    assert done.returncode == 0, done.stderr
    assert names(tmp_path) == {scenario_file.name}


def test_same_seed_same_bytes_and_other_seed_other_bytes(
    cli: Cli, scenario_file: Path, tmp_path: Path
) -> None:
    for folder, seed in (("a", "7"), ("b", "7"), ("c", "8")):
        assert cli("run", scenario_file, "--seed", seed, "-o", folder).returncode == 0
    content = {f: {n: (tmp_path / f / n).read_bytes() for n in OUTPUT} for f in "abc"}
    assert content["a"] == content["b"]
    assert content["a"]["flows.parquet"] != content["c"]["flows.parquet"]


def test_the_scenario_written_gives_the_same_run(cli: Cli, scenario_file: Path, tmp_path: Path) -> None:
    assert cli("run", scenario_file, "--set", "flows[0].count=3", "-o", "a").returncode == 0
    assert cli("run", "a/scenario.toml", "-o", "b").returncode == 0
    for name in ("scenario.toml", "flows.parquet", "samples.parquet", "summary.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_run_in_which_nothing_starts_says_so(cli: Cli, scenario_file: Path) -> None:
    said = "; no flow started before the end of the run"
    late = ("--set", "flows[0].start=9s", "--set", "workloads=[]")
    assert said in cli("run", scenario_file, *late).stdout
    assert said not in cli("run", scenario_file, "--set", "duration=2s").stdout


def test_settings_change_the_run(cli: Cli, scenario_file: Path, tmp_path: Path) -> None:
    done = cli("run", scenario_file, "--set", "duration=4s", "--set", "flows[0].count=5", "-o", "out")
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert summary["run"]["duration"] == 4
    assert summary["groups"][0]["flows"] == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("duration = ", "line 1, column"),
        ('duraton = "1s"', 'duraton: unknown key; did you mean "duration"?'),
        (SCENARIO.replace('"2Mbit/s"', '"2Mbyte"'), "topology.bottleneck.rate: "),
        (SCENARIO.replace('"2Mbit/s"', '"0bit/s"'), "topology.bottleneck.rate: "),
        (SCENARIO.replace('"2Mbit/s"', "nan"), "topology.bottleneck.rate: "),
        (SCENARIO.replace('"8pkt"', '"-8pkt"'), "topology.bottleneck.queue.limit: "),
        (
            SCENARIO.replace("droptail", "doptail"),
            'topology.bottleneck.queue: "doptail" is not a queue; did you',
        ),
        (SCENARIO.replace('"senders"', '"sendrs"'), "flows[0].from: "),
        (SCENARIO.replace("load = 0.4", "load = -0.4"), "workloads[0].load: "),
        (SCENARIO.replace('"1s"', '"9s"'), "warmup: "),
        (SCENARIO.replace("seed = 3", "seed = -1"), "seed: "),
        (SCENARIO.replace("pairs = 2", "pairs = 0"), "topology.pairs: "),
    ],
)
def test_a_broken_scenario_gives_one_line_and_leaves_nothing(
    cli: Cli, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "bad.toml").write_text(text)
    for command in (("run", "bad.toml", "-o", "out"), ("check", "bad.toml")):
        done = cli(*command)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith(f"dumbbell: bad.toml: {message}")
        assert done.stderr.count("\n") == 1
        assert "; " in done.stderr
    assert names(tmp_path) == {"bad.toml"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "none.toml"], "dumbbell: none.toml: no such file; "),
        (["run", "."], "dumbbell: .: it is not a file; "),
        (["run", "binary.toml"], "dumbbell: binary.toml: not UTF-8 text"),
        (["run", "small.toml", "--set", "nonsense"], "dumbbell: small.toml: --set nonsense: "),
        (
            ["run", "small.toml", "--set", "flows[9].count=1"],
            "dumbbell: small.toml: --set flows[9].count=1: ",
        ),
        (["run", "small.toml", "--seed", "x"], "dumbbell: Invalid value for '--seed'"),
        (["run", "small.toml", "-o", "full"], "dumbbell: "),
        (["run", "small.toml", "-o", "full", "--force"], "dumbbell: "),
        (["run", "small.toml", "-o", "small.toml"], "dumbbell: "),
        (["run", "small.toml", "-o", "/proc/out"], "dumbbell: /proc/out: cannot be written"),
        (["run"], "dumbbell: Missing argument 'FILE'"),
        (["rnu"], "dumbbell: No such command 'rnu'"),
        (["list", "queues"], "dumbbell: 'queues' is not a family of algorithms; did you mean \"queue\"?"),
        (
            ["describe", "newren"],
            "dumbbell: 'newren' is neither an algorithm nor a table, nor a value or a parameter of one; "
            'did you mean "newreno"?',
        ),
        (["plot", "none"], "dumbbell: none: no results here (runs.parquet is missing); "),
        (["plot", "full"], "dumbbell: full: no results here (runs.parquet is missing); "),
        (["plot", "damaged"], "dumbbell: damaged: damaged results ("),
        (["plot", "full", "--format", "gif"], "dumbbell: 'gif' is not a format; use some of png,svg,pdf"),
        (["run", "circle.toml"], "dumbbell: circle.toml: Too many levels of symbolic links"),
        (["run", "small.toml", "-o", "circle.toml"], "dumbbell: {here}/circle.toml: is a link that leads in"),
        (["run", "pipe.toml"], "dumbbell: pipe.toml: it is not a file; "),
        (["run", "study.toml"], "dumbbell: study.toml: is a study; run it with `dumbbell study run`"),
        (
            ["check", "large.toml"],
            "dumbbell: large.toml: line 1, column 8: not TOML: an integer beyond 63 bits",
        ),
        (
            ["study", "run", "small.toml", "-o", "out"],
            "dumbbell: small.toml: is a scenario, not a study; run",
        ),
        (["plot", "circle.toml"], "dumbbell: circle.toml: is not a folder; give one that `dumbbell run` has"),
        (["plot", "pipe.toml"], "dumbbell: pipe.toml: is not a folder; give one that `dumbbell run` has"),
        (["plot", "studied"], "dumbbell: studied: holds a study; `dumbbell report` draws its figures"),
        (
            ["report", "circle.toml"],
            "dumbbell: circle.toml: no such folder; give that of a run or of a study",
        ),
        (["trace", "full"], "dumbbell: full: it is not a file; "),
    ],
)
@pytest.mark.usefixtures("scenario_file")
def test_a_wrong_command_gives_one_line_and_leaves_nothing(
    cli: Cli, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/diary.txt").write_text("dear diary")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged/runs.parquet").write_text("no")
    (tmp_path / "studied").mkdir()
    (tmp_path / "studied/study.json").write_text("{}")
    (tmp_path / "circle.toml").symlink_to("round.toml")
    (tmp_path / "round.toml").symlink_to("circle.toml")
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "study.toml").write_text('scenario = "small.toml"\n')
    (tmp_path / "large.toml").write_text("seed = 99999999999999999999\n")
    before = names(tmp_path)
    done = cli(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(message.replace("{here}", str(tmp_path)))
    assert done.stderr.count("\n") == 1
    assert names(tmp_path) == before
    assert names(tmp_path / "full") == {"diary.txt"}


def test_results_are_replaced_only_by_force(cli: Cli, scenario_file: Path, tmp_path: Path) -> None:
    assert cli("run", scenario_file, "-o", "out").returncode == 0
    before = (tmp_path / "out/summary.json").read_bytes()
    refused = cli("run", scenario_file, "--seed", "9", "-o", "out")
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert (tmp_path / "out/summary.json").read_bytes() == before
    assert cli("run", scenario_file, "--seed", "9", "-o", "out", "--force").returncode == 0
    assert (tmp_path / "out/summary.json").read_bytes() != before
    assert names(tmp_path) == {"out", scenario_file.name}


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_an_interrupted_run_leaves_nothing(
    tmp_path: Path, number: signal.Signals, code: int, word: str
) -> None:
    (tmp_path / "long.toml").write_text(LONG)
    command = [sys.executable, "-m", "dumbbell", "run", "long.toml", "-o", "new/out"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    # The folder it writes into shows that the run is about to begin.
    deadline = time.monotonic() + COMMAND_TIMEOUT
    while not (tmp_path / "new").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.5)
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=COMMAND_TIMEOUT)
    assert process.returncode == code
    assert out == ""
    assert err == f"dumbbell: {word}\n"
    assert names(tmp_path) == {"long.toml"}


def test_check_counts_paths_where_there_are_several(cli: Cli, scenario_file: Path) -> None:
    assert "paths there" not in cli("check", scenario_file).stdout
    sprayed = ("--set", "paths=spray", "--set", "topology=leaf-spine", "--set", "workloads=[]")
    text = cli("check", scenario_file, *sprayed).stdout
    assert "paths there" in text
    row = next(
        line.split() for line in text.splitlines() if "host0 → leaf0 → spine0 → leaf1 → host16" in line
    )
    # Four spines, there and back; base RTT in ms, slowest rate in Mbit/s.
    assert row[-4:] == ["4", "4", "0.0148", "10,000"]


def test_check_says_how_heavy_the_tails_of_sizes_are(cli: Cli) -> None:
    scenario = Path(__file__).parent.parent / "scenarios" / "w2-dumbbell-web.toml"
    shown = cli("check", scenario).stdout
    assert "tail of index 1.2, no variance" in shown
    (group,) = json.loads(cli("check", scenario, "--json").stdout)["groups"]
    assert group["tail"] == {"index": 1.2, "largest": None, "variation": None, "skewness": None}
    shown = cli("check", scenario, "--set", "workloads[0].size=campus-web").stdout
    assert "c.v. 3.6" in shown


def test_check_says_what_draws_random_numbers(cli: Cli) -> None:
    scenarios = Path(__file__).parent.parent / "scenarios"
    assert "random: arrivals, sizes, pairs (web)" in cli("check", scenarios / "w2-dumbbell-web.toml").stdout
    silent = ("check", scenarios / "four-flows-newreno.toml")
    assert "random: nothing is drawn, every seed gives the same run" in cli(*silent).stdout
    assert json.loads(cli(*silent, "--json").stdout)["draws"] == []
    lossy = (*silent, "--set", "topology.bottleneck.loss=0.01", "--set", "flows[0].jitter=1s")
    draws = json.loads(cli(*lossy, "--json").stdout)["draws"]
    assert {"what": "loss", "of": "left->right"} in draws
    assert [draw["what"] for draw in draws] == ["start jitter", "loss"]
    assert "; loss (left->right)" in cli(*lossy).stdout


def test_check_explains_the_plan(cli: Cli, scenario_file: Path) -> None:
    done = cli("check", scenario_file)
    assert done.returncode == 0, done.stderr
    for part in ("left → right", "droptail", "base RTT ms", "offered Mbit/s", "web"):
        assert part in done.stdout
    assert "practra" not in done.stdout
    assert "flows to end" not in done.stdout
    assert "then up to 3 s for flows to end" in cli("check", scenario_file, "--set", "drain=3s").stdout
    power = cli("check", scenario_file, "--set", "topology.bottleneck={ power = {}, router = 'xcp' }")
    assert "practra, rates: 10; router xcp" in power.stdout
    assert "impairments" not in done.stdout
    rough = "{ loss = 0.01, impairments = [{ kind = 'jitter', spread = '2ms' }] }"
    checked = cli("check", scenario_file, "--set", f"topology.bottleneck={rough}")
    assert "loss 0.01; jitter of 2ms either way" in checked.stdout


def test_list_and_describe_show_every_algorithm(cli: Cli) -> None:
    everything = cli("list").stdout
    for family, members in db.registry()["families"].items():
        assert family in everything
        for member in members:
            assert member["name"] in everything
    described = cli("describe", "newreno").stdout
    assert "RFC 6582" in described
    assert "source of the default" in described


@pytest.mark.parametrize(
    ("name", "kind", "setting", "place"),
    [
        # Names of papers and tools.
        ("gip", "alias", "transport.unit_window=2", ("transport", "tcp")),
        ("tcp lite", "alias", "transport.profile=bsd", ("transport", "tcp")),
        ("Drop Tail", "alias", "topology.bottleneck.queue=droptail", ("queue", "droptail")),
        ("rio_c", "alias", "topology.bottleneck.queue.averages=coupled", ("queue", "rio")),
        # Values of parameters, and parameters.
        ("fack", "value", 'loss_detection = "fack"', ("transport", "tcp")),
        ("rfc9406", "value", 'hystart = "rfc9406"', ("controller", "cubic")),
        ("sack", "parameter", None, ("transport", "tcp")),
        ("tail loss probe", "parameter", None, ("transport", "tcp")),
    ],
)
def test_describe_finds_what_others_call_a_thing(
    cli: Cli, name: str, kind: str, setting: str | None, place: tuple[str, str]
) -> None:
    found = json.loads(cli("describe", name, "--json").stdout)
    assert {entry["family"] for entry in found} == {kind}
    assert any(list(place) in entry["described_by"] for entry in found)
    assert setting is None or any(setting in entry["settings"] for entry in found)
    told = cli("describe", name)
    assert told.returncode == 0
    assert f"More: dumbbell describe {place[1]}" in told.stdout


def test_every_value_of_a_parameter_is_described() -> None:
    registry = db.registry()
    members = {member["name"] for of in registry["families"].values() for member in of}
    values: set[str] = set()

    def collect(fields: list[dict[str, Any]]) -> None:
        for field in fields:
            values.update(field["schema"].get("enum", ()) if field["kind"] == "word" else ())
            collect(field["fields"])

    for of in registry["families"].values():
        for member in of:
            collect(member["fields"])
    assert {"fack", "coupled", "minshall"} <= values
    other = {name for name, *_ in _native.aliases()}
    assert [value for value in values - members - other if not elsewhere.find(value)] == []
    assert all(elsewhere.find(name)[0].family == "alias" for name in other)


def test_schema_is_json(cli: Cli) -> None:
    schema = json.loads(cli("schema").stdout)
    assert schema["properties"]["duration"]["description"] == "Simulated time."
    study = json.loads(cli("schema", "--study").stdout)
    assert study["properties"]["stop"]["properties"]["confidence"]["default"] == 0.95
    assert study["$defs"]["scenario"]["properties"] == schema["properties"]


def test_plot_draws_all_formats_and_says_what_it_cannot_draw(
    cli: Cli, scenario_file: Path, tmp_path: Path
) -> None:
    assert cli("run", scenario_file, "--set", "record.samples=false", "-o", "out").returncode == 0
    done = cli("plot", "out", "--only", "cwnd,fct_cdf")
    assert done.returncode == 0, done.stderr
    assert "cwnd: not drawn: no flow was sampled" in done.stdout
    assert names(tmp_path / "out/figures") == {"fct_cdf.png", "fct_cdf.svg", "fct_cdf.pdf"}


def test_output_into_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m dumbbell schema | head -1"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=COMMAND_TIMEOUT, check=False
    )
    assert (done.stdout, done.stderr) == ("{\n", "")


def test_results_of_commands_can_be_read_by_programs(cli: Cli, scenario_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    run = cli("run", scenario_file, "-o", folder, "--json")
    assert json.loads(run.stdout) == json.loads((folder / "summary.json").read_text())
    assert run.stderr == ""
    rows = cli(
        "query", folder, "select link, sent from links order by sent desc", "--json"
    ).stdout.splitlines()
    links = [json.loads(row) for row in rows]
    assert {entry["link"] for entry in links} == {entry["link"] for entry in json.loads(run.stdout)["links"]}
    assert links[0]["sent"] > links[-1]["sent"]
    listed = json.loads(cli("list", "controller", "--json").stdout)["controller"]
    assert "cubic" in [entry["name"] for entry in listed]
    assert {"family", "name", "fields"} <= set(json.loads(cli("describe", "cubic", "--json").stdout)[0])
    assert json.loads(cli("papers", "--json").stdout)[0]["quick_runs"] > 0
    assert {"name", "works", "detail"} == set(json.loads(cli("doctor", "--json").stdout)[0])


def test_quiet_prints_nothing_but_errors(cli: Cli, scenario_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    for arguments in (
        ("run", scenario_file, "-o", folder, "-q"),
        ("plot", folder, "--quiet", "--only", "rate", "--format", "svg"),
        ("pack", folder, "-o", tmp_path / "a.zip", "-q"),
    ):
        found = cli(*arguments)
        assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
    again = cli("run", scenario_file, "-o", folder, "-q")
    assert again.returncode == 2
    assert again.stderr.startswith("dumbbell: ")


SELF = "what it prints is for a program, or a copy of a file"
NO_JSON = {
    "completion": SELF,
    "convert": "a file",
    "export": SELF,
    "schema": SELF,
    "manual": "pages of man",
    "playground": "a page",
    "plot": "figures",
    "report": "a page",
    "pack": "an archive",
    "arena page": "a page",
    "arena submit": "the entry is JSON",
    "arena verify": "its exit status says all",
}
"""Commands without --json, and why."""

SHOWN = "it leaves nothing behind but what it prints"
NO_QUIET = {
    **dict.fromkeys(("assert", "check", "describe", "doctor", "list", "papers", "query", "replay"), SHOWN),
    **dict.fromkeys(("completion", "schema", "study status"), SHOWN),
    "examples": "without a folder it prints the example, with one it says how to go on",
    "export": "without a file it prints the text",
    "playground": "it prints its address, or where the page is",
    "trace": "without a file it prints the packets",
    "shell": "what it runs prints; the standard output is that of the program",
}
"""Commands without --quiet, and why."""


def every_command(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from every_command(command, f"{above}{name} ")
        else:
            yield above + name, command


def test_every_command_has_json_and_quiet_or_a_reason() -> None:
    found = dict(every_command(commands))
    options = {name: {o for p in command.params for o in p.opts} for name, command in found.items()}
    assert {name for name, own in options.items() if "--json" not in own} == set(NO_JSON)
    assert {name for name, own in options.items() if not {"-q", "--quiet"} <= own} == set(NO_QUIET)


def test_help_of_every_command_fits_a_narrow_terminal() -> None:
    for name, command in every_command(commands):
        context = click.Context(command, info_name=f"dumbbell {name}", terminal_width=80)
        long = [line for line in command.get_help(context).splitlines() if len(line) > 80]
        assert long == [], name


def test_shells_complete_and_man_has_pages(cli: Cli, tmp_path: Path) -> None:
    assert all("_DUMBBELL_COMPLETE" in cli("completion", shell).stdout for shell in ("bash", "zsh", "fish"))
    folder = tmp_path / "man1"
    folder.mkdir()
    (folder / "other.1").write_text("somebody else's")
    for _ in range(2):
        assert cli("manual", "-o", folder).returncode == 0
    assert (folder / "other.1").read_text() == "somebody else's"
    page = (folder / "dumbbell-study-run.1").read_text()
    assert "\\fBdumbbell study run\\fR [OPTIONS] FILE" in page
    assert "\\-\\-shard" in page
    assert ".SH COMMANDS" in (folder / "dumbbell.1").read_text()


def test_plot_overlays_runs_and_draws_networks(cli: Cli, scenario_file: Path, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for seed, folder in enumerate(folders, 1):
        cli("run", scenario_file, "-o", folder, "--seed", str(seed), "-q")
    shown = tmp_path / "figures"
    assert cli("plot", *folders, "-o", shown, "--format", "svg", "--only", "queue").returncode == 0
    assert names(shown) >= {"queue.svg"}
    for arguments, line in (
        ((*folders,), "several runs need a folder for their figures; give --output"),
        ((folders[0], folders[0], "-o", shown), "stands there twice; name each run once"),
        ((*folders, "-o", shown, "--flow", "0"), "--flow is for one run; give one folder"),
        ((scenario_file, "--flow", "0"), "is a scenario, not results"),
    ):
        refused = cli("plot", *arguments)
        assert refused.returncode == 2
        assert line in refused.stderr
    found = cli("plot", scenario_file, "-o", tmp_path / "net", "--format", "svg")
    assert found.stdout.strip().endswith("-topology.svg")
    assert (tmp_path / "net").is_dir()


def test_examples_are_listed_shown_and_copied(cli: Cli, tmp_path: Path) -> None:
    listed = json.loads(cli("examples", "--json").stdout)
    assert set(listed) == {path.stem for path in (Path(__file__).parents[1] / "scenarios").glob("*.toml")}
    assert listed["power-practra"].startswith("The test bed of Panarello et al. (e-Energy 2012)")
    shown = cli("examples", "lossy-path").stdout
    copied = cli("examples", "lossy-path", "-o", tmp_path)
    assert "dumbbell run" in copied.stdout
    assert (tmp_path / "lossy-path.toml").read_text() == shown
    again = cli("examples", "lossy-path", "-o", tmp_path)
    assert again.returncode == 2
    assert "is there already" in again.stderr
    assert 'did you mean "lossy-path"?' in cli("examples", "losy-path").stderr


def test_a_file_that_is_not_there_but_an_example_is(cli: Cli, tmp_path: Path) -> None:
    told = cli("run", "lossy-path").stderr
    assert told == (
        "dumbbell: lossy-path: no such file; `dumbbell examples lossy-path -o lossy-path.toml` "
        "copies the example of this name\n"
    )
    assert cli(*told.split("`")[1].split()[1:]).returncode == 0
    assert (tmp_path / "lossy-path.toml").is_file()


def test_an_example_brings_its_recorded_link(cli: Cli, tmp_path: Path) -> None:
    assert "cellular.trace" in cli("examples", "cellular").stdout
    assert cli("examples", "cellular", "-o", tmp_path / "mine.toml").returncode == 0
    link = tmp_path / "cellular.trace"
    assert link.read_text() == (Path(__file__).parents[1] / "scenarios" / "cellular.trace").read_text()
    assert cli("run", tmp_path / "mine.toml").returncode == 0
    assert cli("examples", "cellular", "-o", tmp_path / "again.toml").returncode == 0
    link.write_text("5\n")
    other = cli("examples", "cellular", "-o", tmp_path / "third.toml")
    assert other.returncode == 2
    assert other.stderr.endswith("cellular.trace: another file is there already; name another folder\n")
    assert not (tmp_path / "third.toml").exists()


@pytest.mark.parametrize(
    ("package", "extra", "arguments"),
    [
        ("matplotlib", "plot", ("plot", "here")),
        ("pyarrow", "study", ("study", "run", "a.toml", "-o", "b")),
        ("scipy", "study", ("reproduce", "campus-web", "-o", "b")),
    ],
)
def test_a_missing_extra_is_told_in_one_line(package: str, extra: str, arguments: tuple[str, ...]) -> None:
    program = f"import sys; sys.modules[{package!r}] = None; from dumbbell.cli import main; main()"
    found = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT,
    )
    assert found.returncode == 2
    # A study says before it begins how many runs are planned.
    assert [line for line in found.stderr.splitlines() if "planned" not in line] == [
        f"dumbbell: this needs {package}, of the extra {extra!r}; {how_to_install(extra)}"
    ]
    in_python = (
        f"import sys; sys.modules[{package!r}] = None; import dumbbell as db\n"
        "try: db.figures, db.study, db.study.run_study(None, '')\n"
        "except ImportError as error: print(error)"
    )
    found = subprocess.run([sys.executable, "-c", in_python], capture_output=True, text=True, check=True)
    assert how_to_install(extra) in found.stdout
