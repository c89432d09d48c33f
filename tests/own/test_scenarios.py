"""Laws of one's own wherever a controller is named: scenarios, builders, archives, the command line."""

from __future__ import annotations

import importlib.util
import json
import socket
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import dumbbell as db
from dumbbell import _native
from dumbbell._laws import LawName, law_name, listed
from dumbbell.errors import DumbbellError
from dumbbell.judge.candidate import candidate_of
from dumbbell.live.compare import _called, law_of
from dumbbell.papers import find_paper
from dumbbell.study import Study, StudyError, plan, run_study
from tests.own.laws import NEWRENO

TOML = """
duration = "5s"
transport = {{ kind = "tcp", profile = "rfc", controller = {controller} }}
[topology]
kind = "dumbbell"
pairs = 2
[[flows]]
from = "senders"
to = "receivers"
"""
MINE = '"mine.py:NewReno"'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a law and a scenario under it."""
    (tmp_path / "mine.py").write_text(NEWRENO, encoding="utf-8")
    (tmp_path / "scenario.toml").write_text(TOML.format(controller=MINE), encoding="utf-8")
    return tmp_path


def scenario(folder: Path, controller: str = MINE, *, confined: bool = False) -> db.Scenario:
    return db.Scenario.from_toml(TOML.format(controller=controller), base=folder, confined=confined)


def dumbbell(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dumbbell", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def tables(results: db.Results) -> str:
    """Return all numbers of the tables of a run."""
    shown = []
    for name in ("samples", "flows", "links"):
        table = getattr(results, name)
        shown += [f"{name}.{c.name} {table[c.name].tolist()!r}" for c in table.columns]
    return "\n".join(shown)


def test_newreno_written_here_gives_the_built_in_tables(folder: Path) -> None:
    mine = scenario(folder).run()
    assert tables(mine) == tables(scenario(folder, '"newreno"').run())
    assert set(mine.flows["controller"]) == {"newreno"}
    wider = scenario(folder, '{ kind = "mine.py:NewReno", increase = 3 }').run()
    assert tables(wider) == tables(scenario(folder, '{ kind = "newreno", increase = 3.0 }').run())
    assert tables(wider) != tables(mine)


def test_the_id_of_a_run_knows_source_and_parameters(folder: Path) -> None:
    first = scenario(folder).plan_hash
    assert scenario(folder, '{ kind = "mine.py:NewReno", increase = 3 }').plan_hash != first
    (folder / "mine.py").write_text(NEWRENO.replace("// 2", "// 3"), encoding="utf-8")
    assert scenario(folder).plan_hash != first
    (folder / "mine.py").write_text(NEWRENO, encoding="utf-8")
    assert scenario(folder).plan_hash == first


def test_a_law_that_changes_is_compiled_anew(folder: Path) -> None:
    before = scenario(folder).run()
    (folder / "mine.py").write_text(NEWRENO.replace("// 2", "// 3"), encoding="utf-8")
    assert tables(scenario(folder).run()) != tables(before)


def test_scenarios_of_others_need_no_trust(folder: Path) -> None:
    assert len(scenario(folder, confined=True).run().flows) == 2
    with pytest.raises(DumbbellError, match="lies outside"):
        scenario(folder / "..", confined=True, controller='"../mine.py:NewReno"')


def test_settings_and_axes_reach_parameters(folder: Path) -> None:
    changed = scenario(folder).with_("transport.controller.increase", 3)
    same = scenario(folder, '{ kind = "mine.py:NewReno", increase = 3 }')
    assert changed.plan_hash == same.plan_hash


@pytest.mark.parametrize(
    ("controller", "said"),
    [
        ('"mine.py"', 'the class is not named; write "mine.py:Mine"'),
        ('"none.py:Mine"', "cannot read .*none.py: there is no such file; give"),
        ('"mine.py:Mine"', "mine.py: has no class Mine; its laws are NewReno"),
        ('{ kind = "mine.py:NewReno", increas = 1 }', "controller.increas: .*no parameter increas; its para"),
        (
            '{ kind = "mine.py:NewReno", increase = 0 }',
            "controller.increase: .*increase is 0, and 1 is the le",
        ),
        ('{ kind = "mine.py:NewReno", increase = 0.5 }', "controller.increase: .*0.5 is no whole number"),
    ],
)
def test_what_names_no_law_is_refused(folder: Path, controller: str, said: str) -> None:
    with pytest.raises(DumbbellError, match=said):
        scenario(folder, controller)


def test_a_fault_in_the_source_has_its_place(folder: Path) -> None:
    (folder / "mine.py").write_text(NEWRENO.replace("ack.flight // 2", "ack.fligt // 2"), encoding="utf-8")
    done = dumbbell(folder, "run", "scenario.toml")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith("mine.py:12:20: ack has no field fligt; did you mean flight?")


def test_a_class_is_a_value_of_a_builder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    spec = importlib.util.spec_from_file_location("mine", folder / "mine.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "mine", module)
    spec.loader.exec_module(module)
    built = db.scenario(
        duration="5s",
        topology=db.topology.dumbbell(pairs=2),
        transport=db.transport.tcp(profile="rfc", controller=module.NewReno(increase=3)),
        flows=[db.flows(from_="senders", to="receivers")],
    )
    assert built.plan_hash == scenario(folder, '{ kind = "mine.py:NewReno", increase = 3 }').plan_hash


def test_the_option_counts_from_the_current_folder(folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "plain.toml").write_text(TOML.format(controller='"reno"'), encoding="utf-8")
    done = dumbbell(folder, "run", "deep/plain.toml", "--controller", "mine.py:NewReno", "-o", "out", "-q")
    assert done.returncode == 0, done.stderr
    assert tables(db.load(folder / "out")) == tables(scenario(folder).run())


def test_the_option_takes_parameters(folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "plain.toml").write_text(TOML.format(controller='"reno"'), encoding="utf-8")
    given = ("--controller", "mine.py:NewReno(increase=3)")
    done = dumbbell(folder, "run", "deep/plain.toml", *given, "-o", "out", "-q")
    assert done.returncode == 0, done.stderr
    same = scenario(folder, '{ kind = "mine.py:NewReno", increase = 3 }')
    assert tables(db.load(folder / "out")) == tables(same.run())
    (found,) = json.loads(dumbbell(folder, "check", "mine.py:NewReno(increase=3)", "--json").stdout)
    assert found["parameters"][0]["value"] == 3


def test_an_option_out_of_reach_is_refused(folder: Path) -> None:
    whole = TOML.format(controller='"reno"') + 'transport = "tcp"\n'
    (folder / "scenario.toml").write_text(whole, encoding="utf-8")
    done = dumbbell(folder, "run", "scenario.toml", "--controller", "mine.py:NewReno")
    assert done.returncode == 2
    assert done.stderr == (
        "dumbbell: --controller: every flow of scenario.toml has a transport of its own; name it there: "
        "--set flows[0].transport.controller=NAME\n"
    )


def test_names_of_laws_give_parameters() -> None:
    given = law_name("a/my.py:Mine( gain=-2, start='fast', on=true, off=False )")
    assert given == LawName("a/my.py", "Mine", {"gain": -2, "start": "fast", "on": True, "off": False})
    assert law_name("my.py:Mine()") == LawName("my.py", "Mine", {})
    assert law_name("my.py") == LawName("my.py", "", {})
    assert law_name("cubic") is None
    assert law_name("my.python") is None
    assert listed("a.py:A(x=1,y=2), cubic,b.py:B(z=3)") == ["a.py:A(x=1,y=2)", "cubic", "b.py:B(z=3)"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("my.py:Mine(gain)", "'gain' gives no parameter a value; write it as my.py:Mine(gain=2)"),
        ("my.py:Mine(gain=2", "the bracket is not closed"),
        ("my.py(gain=2)", "the class is not named; write it as my.py:Mine(gain=2)"),
        ("my.py:Mine(gain=1,gain=2)", "gain stands there twice; name each parameter once"),
        ("my.py:Mine(gain=[1, 2])", "'gain=[1' gives no parameter a value"),
    ],
)
def test_a_bad_parameter_is_one_line(name: str, said: str) -> None:
    with pytest.raises(DumbbellError) as raised:
        law_name(name)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_archive_carries_the_source(folder: Path) -> None:
    assert dumbbell(folder, "run", "scenario.toml", "-o", "out").returncode == 0
    packed = dumbbell(folder, "pack", "out", "-o", "it.zip", "--base", ".")
    assert packed.returncode == 0, packed.stderr
    with zipfile.ZipFile(folder / "it.zip") as opened:
        assert any(name.endswith("mine.py") for name in opened.namelist())
    (folder / "mine.py").unlink()
    verified = dumbbell(folder, "verify", "it.zip")
    assert verified.returncode == 0, verified.stderr


def test_end_points_over_udp_run_it(folder: Path) -> None:
    text = TOML.format(controller=MINE).replace("pairs = 2", "pairs = 1") + 'size = "300kB"\n'
    (folder / "udp.toml").write_text(text, encoding="utf-8")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "dumbbell"]
    receive = [*command, "recv", "udp.toml", "--flows", "1", "--port", str(port), "-o", "received"]
    with subprocess.Popen(receive, cwd=folder, stdout=subprocess.DEVNULL) as receiver:
        send = [*command, "send", "udp.toml", "--to", f"127.0.0.1:{port}", "-o", "sent"]
        subprocess.run(send, cwd=folder, capture_output=True, timeout=60, check=True)
        assert receiver.wait(60) == 0
    sent, received = (db.load(folder / name).flows for name in ("sent", "received"))
    assert sent["controller"].tolist() == ["newreno"]
    assert received["delivered"].tolist() == [300_000]


def test_check_tells_needs_and_cost(folder: Path) -> None:
    (found,) = json.loads(dumbbell(folder, "check", "mine.py:NewReno", "--json").stdout)
    assert found["needs"] == []
    assert found["kernel"] == []
    assert found["state_words"] == 1
    assert found["most_steps"]["ack"] < 40
    (folder / "mine.py").write_text(NEWRENO.replace("ack.flight // 2", "ack.rate"), encoding="utf-8")
    (found,) = json.loads(dumbbell(folder, "check", "mine.py", "--json").stdout)
    assert found["needs"] == ["rates"]


def test_nothing_of_the_language_is_imported_without_a_law(folder: Path) -> None:
    (folder / "plain.toml").write_text(TOML.format(controller='"reno"'), encoding="utf-8")
    code = (
        "import sys\nimport dumbbell as db\nfor name in ('plain', 'scenario'):\n"
        "    db.Scenario.from_file(f'{name}.toml').run()\n"
        "    print('dumbbell.own' in sys.modules, 'dumbbell.own.compiler' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["False", "False", "True", "True"]


def test_a_judge_takes_a_law(folder: Path) -> None:
    candidate = candidate_of(f"{folder / 'mine.py'}:NewReno")
    assert candidate.name == "newreno"
    assert scenario(folder, candidate.setting).plan_hash
    assert not candidate.foreign
    wider = candidate_of(f"{folder / 'mine.py'}:NewReno(increase=3)")
    assert not wider.foreign
    assert "increase = 3" in wider.setting
    # What repeats a judge or an attack keeps the parameters.
    assert wider.command == f"{folder.resolve() / 'mine.py'}:NewReno(increase=3)"
    assert candidate_of(wider.command) == wider
    with pytest.raises(DumbbellError, match="has no class Mine; its laws are NewReno"):
        candidate_of(f"{folder / 'mine.py'}:Mine")
    with pytest.raises(DumbbellError, match="no such file; give the path of a law"):
        candidate_of("none.py:Mine")


PHASES = """
from dumbbell.own import Controller, Enum, state


class Phase(Enum):
    SLOW = 0
    STEADY = 1


class Phased(Controller):
    phase: Phase = Phase.SLOW
    best: int = state(0, unit="bytes")

    def on_ack(self, ack, control):
        control.window += ack.mss * ack.acked // control.window
        self.best = max(self.best, control.window)
        if control.window > 30 * ack.mss:
            self.phase = Phase.STEADY

    def on_loss(self, ack, control):
        control.window = max(2 * ack.mss, ack.flight // 2)
        self.phase = Phase.SLOW
"""


def test_tables_show_states_and_estimates(folder: Path) -> None:
    (folder / "phased.py").write_text(PHASES, encoding="utf-8")
    text = TOML.format(controller='"phased.py:Phased"') + "[record]\ncontrollers = true\n"
    results = db.Scenario.from_toml(text, base=folder).run()
    assert set(results.flows["controller"]) == {"phased"}
    assert set(results.controller_states["state"]) == {"slow", "steady"}
    assert "best" in set(results.estimates["estimate"])


STUDY = """
name = "steps"
title = "Steps"
question = "Which step?"
seeds = { first = 1, count = 2 }
[scenario]
duration = "3s"
transport = { kind = "tcp", controller = "mine.py:NewReno" }
topology = { kind = "dumbbell", pairs = 1 }
[[scenario.flows]]
from = "senders"
to = "receivers"
[[axes]]
name = "step"
label = "step"
values = [1, 2]
set = "transport.controller={{ kind = 'mine.py:NewReno', increase = {value} }}"
[[metrics]]
name = "utilisation"
unit = "%"
better = "higher"
source = { table = "links", link = "left->right", column = "utilisation", factor = 100 }
"""


def test_a_source_that_changes_while_a_study_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "study.toml").write_text(STUDY.replace("{{", "{").replace("}}", "}"), encoding="utf-8")

    def numbers(name: str, changes: bool) -> list[list[float]]:
        study = Study.from_file(folder / "study.toml")

        def told(_progress: object) -> None:
            if changes:
                (folder / "mine.py").write_text(NEWRENO.replace("// 2", "// 9"), encoding="utf-8")

        found = run_study(study, folder / name, workers=1, progress=told)
        return [found.values("utilisation", study.arms[0].name, step=step)[1].tolist() for step in (1, 2)]

    first = numbers("kept", changes=False)
    # The first source is the one of the whole study.
    assert numbers("changed", changes=True) == first
    (folder / "mine.py").write_text(NEWRENO, encoding="utf-8")
    # Where plans are too many to be kept, the run is refused.
    monkeypatch.setattr(plan, "_MOST_PLANS", 1)
    with pytest.raises(StudyError, match="changed while the study ran; finished runs are kept"):
        numbers("refused", changes=True)


WINDOW = """
from dumbbell.own import Controller


class Mine(Controller):
    def on_ack(self, ack, control):
        control.window = {window}
"""


@pytest.mark.parametrize(
    "window", ["0", "-1460", "9223372036854775807", "(control.window + 5) * 9223372036854775807"]
)
@pytest.mark.parametrize("way", [(), ("--law", "bytecode"), ("--interpreted",)])
def test_windows_that_nobody_can_have_mark_a_run(folder: Path, window: str, way: tuple[str, ...]) -> None:
    (folder / "mine.py").write_text(WINDOW.format(window=window), encoding="utf-8")
    text = TOML.format(controller='"mine.py:Mine"').replace('"5s"', '"1s"')
    (folder / "scenario.toml").write_text(text, encoding="utf-8")
    done = dumbbell(folder, "run", "scenario.toml", *way)
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("note: laws set ")
    assert " windows of zero, below zero or above 2^40 bytes; connections held them at a segment" in line


def test_a_run_with_sound_windows_has_no_mark(folder: Path) -> None:
    assert dumbbell(folder, "run", "scenario.toml").stderr == ""


def test_python_runs_a_law_in_a_run(folder: Path) -> None:
    text = NEWRENO.replace(
        "        self.acked = 0\n", '        print("cut", self.acked)\n        self.acked = 0\n', 1
    )
    (folder / "mine.py").write_text(text, encoding="utf-8")
    plain = TOML.format(controller=MINE) + "[record]\ncontrollers = true\n"
    (folder / "scenario.toml").write_text(plain, encoding="utf-8")
    shown = dumbbell(folder, "run", "scenario.toml", "--interpreted", "-q", "-o", "slow")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("cut ")
    quiet = dumbbell(folder, "run", "scenario.toml", "-q", "-o", "fast")
    assert "cut" not in quiet.stdout
    slow, fast = (db.load(folder / name) for name in ("slow", "fast"))
    assert tables(slow) == tables(fast)
    assert slow.controller_states["time"].tolist() == fast.controller_states["time"].tolist()


def test_a_debugger_ends_a_run(folder: Path) -> None:
    (folder / "mine.py").write_text(
        NEWRENO.replace("        self.acked = 0\n", "        breakpoint()\n", 1), encoding="utf-8"
    )
    command = [sys.executable, "-m", "dumbbell", "run", "scenario.toml", "--interpreted", "-q"]
    done = subprocess.run(
        command, cwd=folder, input="p ack.mss\nq\n", capture_output=True, text=True, check=False, timeout=60
    )
    assert "(Pdb) 1460" in done.stdout
    assert done.returncode == 130
    assert done.stderr == "dumbbell: interrupted\n"


def test_interpreting_takes_a_law(folder: Path) -> None:
    (folder / "scenario.toml").write_text(TOML.format(controller='"reno"'), encoding="utf-8")
    done = dumbbell(folder, "run", "scenario.toml", "--interpreted")
    assert done.returncode == 2
    assert done.stderr.startswith("dumbbell: --interpreted: no controller of scenario.toml is a law")


def test_a_comparison_takes_a_law() -> None:
    assert law_of("mine.py:NewReno") == f"{Path.cwd()}/mine.py:NewReno"
    assert law_of("mine.py:NewReno(increase=3)") == {"kind": law_of("mine.py:NewReno"), "increase": 3}
    assert law_of("cubic") is None


def test_a_kernel_in_virtual_time_takes_no_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_native, "is_virtual", lambda: True)
    said = "mine.py:Mine: a kernel in virtual time takes no controllers from programs; leave out --virtual"
    with pytest.raises(DumbbellError, match=said), _called("mine.py:Mine", is_law=True):
        pass


def test_the_tournament_takes_a_law(folder: Path) -> None:
    (folder / "mine.py").write_text(
        NEWRENO.replace("Controller):", 'Controller, name="mine"):'), encoding="utf-8"
    )
    given = f"{folder / 'mine.py'}:NewReno"
    study = replace(find_paper("tournament"), laws=(given,)).study(quick=True)
    assert (study.arms[0].name, study.arms[-1].name) == ("cubic", "mine")
    planned = study.plan([*study.arms[-1].settings, "seed=0"])
    assert planned.to_dict()["transport"]["controller"] == given
    wider = replace(find_paper("tournament"), laws=(f"{given}(increase=3)",)).study(quick=True)
    assert '{ kind = "' in wider.arms[-1].settings[0]
    planned = wider.plan([*wider.arms[-1].settings, "seed=0"])
    assert planned.to_dict()["transport"]["controller"] == {"kind": given, "increase": 3}
    with pytest.raises(DumbbellError, match="mine takes part already; name the law otherwise"):
        replace(find_paper("tournament"), laws=(given, given)).study()
    with pytest.raises(DumbbellError, match="compares no controllers; reproduce the tournament with it"):
        replace(find_paper("rcp-fct"), laws=(given,)).study()
