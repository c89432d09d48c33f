"""What shells complete: names and settings, at once."""

import os
import shutil
import subprocess
import sys

import pytest

from dumbbell import _native, figures
from dumbbell.cli import completing
from dumbbell.papers import all_papers

HEAVY = {"numpy", "matplotlib", "scipy", "pyarrow", "rich", "duckdb"}


@pytest.fixture
def complete(scenario_file):
    """Complete the last word of a command, as a shell asks for it."""

    def run(line, shell="fish"):
        words = line.split(" ")
        script = (
            "import sys\nfrom dumbbell.cli import main\n"
            "try:\n    main()\nfinally:\n    print('modules', *sys.modules, file=sys.stderr)\n"
        )
        # Of fish, the word stands in an environment variable of its own.
        asked = {"_DUMBBELL_COMPLETE": f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": words[-1]}
        done = subprocess.run(
            [sys.executable, "-c", script], env=os.environ | asked, cwd=scenario_file.parent,
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        loaded = set(done.stderr.rpartition("modules")[2].split())
        assert not loaded & HEAVY
        return [entry.partition(",")[2].partition("\t")[0] for entry in done.stdout.split()]

    return run


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("dumbbell describe cod", ["codel"]),
        ("dumbbell describe host-", ["host-link"]),
        ("dumbbell list que", ["queue"]),
        ("dumbbell run small.toml --controller bbr", ["bbr", "bbr3"]),
        ("dumbbell convert a.txt --format hp", ["hpcc", "hpcc-topology"]),
        ("dumbbell reproduce incast-c", ["incast-classic", "incast-classic-buffer"]),
        ("dumbbell examples par", ["parking-lot"]),
        ("dumbbell plot --only cwnd,fct", ["cwnd,fct_cdf", "cwnd,fct_size"]),
        ("dumbbell plot --format png,s", ["png,svg"]),
        ("dumbbell run small.toml --set topology.bottleneck.ra", ["topology.bottleneck.rate="]),
        (
            "dumbbell run small.toml --set topology.bottleneck.queue=fq",
            ["topology.bottleneck.queue=fq-codel"],
        ),
        ("dumbbell run small.toml --set topology.bottleneck.queue.k", ["topology.bottleneck.queue.kind="]),
        ("dumbbell run small.toml --set transport.profile=r", ["transport.profile=rfc"]),
        ("dumbbell check small.toml --set transport.sack=", ["transport.sack=true", "transport.sack=false"]),
        ("dumbbell run small.toml --set flows[0].transport.contr", ["flows[0].transport.controller="]),
        (
            "dumbbell run small.toml --set flows[0].transport.controller=bb",
            ["flows[0].transport.controller=bbr3"],
        ),
        ("dumbbell run small.toml --set flows[0].pairing=a", ["flows[0].pairing=all"]),
        ("dumbbell run small.toml --set workloads[0].kind=sh", ["workloads[0].kind=shuffle"]),
        ("dumbbell run small.toml --set workloads[0].size=par", ["workloads[0].size=pareto"]),
        ("dumbbell run small.toml --set topology=st", ["topology=star"]),
        ("dumbbell run small.toml --set record.dr", ["record.drops="]),
    ],
)
def test_values_are_completed(complete, line, some):
    found = complete(line)
    assert set(some) <= set(found)
    assert all(entry.startswith(line.rpartition(" ")[2]) for entry in found)


@pytest.mark.parametrize(
    "line", ["dumbbell run absent.toml --set to", "dumbbell run --set to", "dumbbell describe zzz"]
)
def test_nothing_is_completed_where_nothing_is_known(complete, line):
    assert complete(line) == []


def test_every_path_that_is_completed_can_be_set(scenario_file):
    from dumbbell import Scenario

    scenario = Scenario.from_file(scenario_file)
    given = completing._shared(scenario.to_dict())
    paths = list(completing._paths(given))
    assert len(paths) > 100
    for path in paths:
        here = given
        for name, index in completing._STEP.findall(path):
            here = here[name][int(index)] if index else here[name]
        assert scenario.with_(path, here).to_dict()
        assert not isinstance(here, bool) or completing._values(given, path) == ["true", "false"], path


def test_names_are_those_of_the_package():
    assert list(completing.papers()) != []
    assert set(completing.papers()) == {paper.name for paper in all_papers()}
    assert set(completing.figures()) == {*figures.KINDS, *figures.PACKET_KINDS}
    assert completing.formats() == figures.FORMATS
    assert set(completing.controllers()) == {
        entry["name"] for entry in _native.registry()["families"]["controller"]
    }


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "replies"),
    [
        (["describe", "code"], ["codel"]),
        # Bash takes '=' for a word of its own.
        (["run", "small.toml", "--set", "transport.profile", "=", "n"], ["ns2"]),
        (
            ["run", "small.toml", "--set", "transport.profile", "="],
            ["linux", "linux-6.1", "rfc", "ns2", "bsd"],
        ),
        (["run", "small.toml", "--set", "topology.bottleneck.del"], ["topology.bottleneck.delay="]),
    ],
)
def test_bash_gets_the_end_of_its_own_word(words, replies, cli, scenario_file, tmp_path):
    source = cli("completion", "bash").stdout
    (tmp_path / "dumbbell").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dumbbell "$@"\n')
    (tmp_path / "dumbbell").chmod(0o755)
    listed = " ".join(f"'{word}'" for word in ("dumbbell", *words))
    script = (
        f"{source}\ncompopt() {{ :; }}\nCOMP_WORDS=({listed})\nCOMP_CWORD={len(words)}\n"
        '_dumbbell_completion dumbbell\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", script], cwd=scenario_file.parent, capture_output=True, text=True,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}, timeout=60, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.split() == replies
