"""Controllers in libraries: the page that shows one, what is refused, what ends the process."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import dumbbell as db
import forks
from conftest import COMMAND_TIMEOUT
from dumbbell import _native
from dumbbell.errors import DumbbellError

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/own-c-controller.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")

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


def compiled(folder: Path, source: str, name: str = "mine") -> Path:
    """Compile a law into a folder, as the page says."""
    folder.mkdir(exist_ok=True)
    (folder / "controller.h").write_text(_native.controller_header(), encoding="utf-8")
    (folder / f"{name}.c").write_text(source, encoding="utf-8")
    library = folder / f"{name}.so"
    command = ["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, folder / f"{name}.c"]
    subprocess.run(command, check=True)
    return library


def law_of_the_page() -> str:
    """Return the C code that the page shows."""
    (source,) = re.findall(r"^```c\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(source)


def misbehaving(body: str) -> str:
    """Return a law that does something at its 100th event."""
    return f"""
#include "controller.h"
#include <stdlib.h>
static void on(void *m, const struct dumbbell_signals *s, struct dumbbell_control *c)
{{
    uint64_t *calls = m;
    volatile uint64_t zero = 0;
    (void)s; (void)c; (void)zero;
    if (++*calls == 100) {{ {body} }}
}}
const struct dumbbell_law dumbbell_law = {{
    .abi = DUMBBELL_ABI, .state_bytes = 8, .name = "bad", .on = on }};
"""


def run_of(folder: Path, controller: str) -> db.Results:
    """Run the scenario under a controller."""
    return db.Scenario.from_toml(TOML.format(controller=controller), base=folder).run()


def test_the_law_of_the_page_gives_the_tables_of_newreno(tmp_path: Path) -> None:
    compiled(tmp_path, law_of_the_page())
    mine, built_in = (run_of(tmp_path, c) for c in ('{ library = "mine.so" }', '"newreno"'))
    for name in ("samples", "flows", "links"):
        tables = getattr(mine, name), getattr(built_in, name)
        for column in (column.name for column in tables[0].columns):
            if column != "controller":
                mine_has, built_in_has = (table[column].tolist() for table in tables)
                assert repr(mine_has) == repr(built_in_has), f"{name}.{column}"
    assert set(mine.flows["controller"]) == {"mine"}


def test_the_id_of_a_run_knows_the_code(tmp_path: Path) -> None:
    source = law_of_the_page()
    hashes = []
    for text in (source, source.replace("s->flight / 2", "s->flight / 3"), source):
        compiled(tmp_path, text)
        scenario = db.Scenario.from_toml(TOML.format(controller='{ library = "mine.so" }'), base=tmp_path)
        hashes.append(scenario.plan_hash)
    assert hashes[0] == hashes[2] != hashes[1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            None,
            "transport.controller.library: cannot read .*mine.so: there is no such file; give",
        ),
        (b"no library", "transport.controller.library: .*mine.so cannot be loaded: .*; give one that `cc"),
    ],
)
def test_what_is_no_library_is_refused(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / "mine.so").write_bytes(content)
    with pytest.raises(DumbbellError, match=said):
        run_of(tmp_path, '{ library = "mine.so" }')


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("for (;;);", "has not returned from a call for 5 s of processor time, or for 60 s"),
        ("*(volatile int *)zero = 1;", "crashed: it used memory that is not its own"),
        ("abort();", "crashed: it panicked or called abort()"),
        ("zero = s->mss / zero;", "crashed: it divided by zero, or the like"),
    ],
)
def test_code_that_does_not_come_back_ends_the_process(tmp_path: Path, body: str, said: str) -> None:
    compiled(tmp_path, misbehaving(body))
    (tmp_path / "scenario.toml").write_text(TOML.format(controller='{ library = "mine.so" }'))
    done = forks.completed(["run", "scenario.toml", "-o", "out"], tmp_path, COMMAND_TIMEOUT)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_libraries_of_others_wait_for_trust(tmp_path: Path) -> None:
    compiled(tmp_path, law_of_the_page())
    text = TOML.format(controller='{ library = "mine.so" }')
    command = (
        "import sys, dumbbell as db, dumbbell._native as n\n"
        "if sys.argv[2] == 'yes': n.trust_libraries()\n"
        "try: print(db.Scenario.from_toml(sys.argv[1], base='.', confined=True).plan_hash)\n"
        "except db.errors.DumbbellError as error: print(error)\n"
    )

    def said(trust: str) -> str:
        words = [sys.executable, "-c", command, text, trust]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert "is machine code in a folder of others" in said("no")
    assert "then give --trust" in said("no")
    assert re.fullmatch(r"[0-9a-f]{64}\n", said("yes"))


def test_an_archive_carries_the_library(tmp_path: Path) -> None:
    compiled(tmp_path, law_of_the_page())
    (tmp_path / "scenario.toml").write_text(TOML.format(controller='{ library = "mine.so" }'))

    def dumbbell(*words: str) -> subprocess.CompletedProcess[str]:
        return forks.completed(words, tmp_path, COMMAND_TIMEOUT)

    assert dumbbell("run", "scenario.toml", "-o", "out").returncode == 0
    refused = dumbbell("pack", "out", "-o", "it.zip", "--base", ".")
    assert refused.returncode == 2
    assert "then give --trust" in refused.stderr
    packed = dumbbell("pack", "out", "-o", "it.zip", "--base", ".", "--trust")
    assert packed.returncode == 0, packed.stderr
    with zipfile.ZipFile(tmp_path / "it.zip") as opened:
        assert any(name.endswith("mine.so") for name in opened.namelist())
    assert "then give --trust" in dumbbell("verify", "it.zip").stderr
    verified = dumbbell("verify", "it.zip", "--trust")
    assert verified.returncode == 0, verified.stderr


def test_end_points_over_udp_run_it(tmp_path: Path) -> None:
    compiled(tmp_path, law_of_the_page())
    text = TOML.format(controller='{ library = "mine.so" }').replace("pairs = 2", "pairs = 1")
    (tmp_path / "udp.toml").write_text(text + 'size = "300kB"\n')
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "dumbbell"]
    receive = [*command, "recv", "udp.toml", "--flows", "1", "--port", str(port), "-o", "received"]
    with subprocess.Popen(receive, cwd=tmp_path, stdout=subprocess.DEVNULL) as receiver:
        send = [*command, "send", "udp.toml", "--to", f"127.0.0.1:{port}", "-o", "sent"]
        subprocess.run(send, cwd=tmp_path, capture_output=True, timeout=60, check=True)
        assert receiver.wait(60) == 0
    sent, received = (db.load(tmp_path / folder).flows for folder in ("sent", "received"))
    assert sent["controller"].tolist() == ["mine"]
    assert received["delivered"].tolist() == [300_000]


ACCOUNT = """
static const char *const states[] = { "Growing", "Held" };
static const struct dumbbell_quantity estimates[] = {
    { "acked", "B", 1 }, { "half", "", 2 }, { "bound", "s", 1 },
};

static void tell(const void *memory, struct dumbbell_standing *standing, int64_t *values)
{
    const struct state *own = memory;
    standing->state = own->acked > 3000;
    standing->round = 7;
    values[0] = (int64_t)own->acked;
    values[1] = 3;
    values[2] = DUMBBELL_UNBOUNDED;
}

const struct dumbbell_account dumbbell_account = {
    .abi = DUMBBELL_ABI, .states = 2, .estimates = 3, .state = states, .estimate = estimates, .tell = tell,
};
"""


def test_states_and_estimates_of_a_law_are_shown(tmp_path: Path) -> None:
    compiled(tmp_path, law_of_the_page(), "plain")
    compiled(tmp_path, law_of_the_page() + ACCOUNT)
    text = TOML + "[record]\ncontrollers = true\n"

    def run(file: str) -> db.Results:
        scenario = db.Scenario.from_toml(text.format(controller=f'{{ library = "{file}" }}'), base=tmp_path)
        return scenario.run()

    plain, told = run("plain.so"), run("mine.so")
    assert plain.flows["goodput"].tolist() == told.flows["goodput"].tolist()
    assert "slow-start" in set(plain.controller_states["state"])
    assert set(told.controller_states["state"]) == {"Growing", "Held"}
    estimates = told.estimates
    assert set(estimates["round"]) == {7}
    rows = {name: estimates["estimate"] == name for name in ("acked", "half", "bound")}
    assert {name: set(estimates["unit"][chosen]) for name, chosen in rows.items()} == {
        "acked": {"B"}, "half": {""}, "bound": {"s"},
    }  # fmt: skip
    assert max(estimates["value"][rows["acked"]]) > 3000
    assert set(estimates["value"][rows["half"]]) == {1.5}
    assert all(value != value for value in estimates["value"][rows["bound"]])
    assert not {"acked", "half"} & set(plain.estimates["estimate"])


def test_a_trace_shows_the_states_of_a_law(tmp_path: Path) -> None:
    compiled(tmp_path, law_of_the_page() + ACCOUNT)
    (tmp_path / "scenario.toml").write_text(TOML.format(controller='{ library = "mine.so" }'))
    words = ["trace", "scenario.toml", "--flow", "0", "--qlog", "it.qlog"]
    assert forks.completed(words, tmp_path, COMMAND_TIMEOUT).returncode == 0
    assert '"Held"' in (tmp_path / "it.qlog").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (".states = 2", ".states = 0", "its account has 0 states and 3 estimates, not 1 to 32 and up to 32"),
        (".estimates = 3", ".estimates = 99", "its account has 2 states and 99 estimates"),
        ('"Held"', '"\\x1b[31m"', "its account has a name or a unit that is not up to 32 letters"),
        ('"half", "", 2', '"half", "", 0', "or a scale of zero"),
        (", .tell = tell", "", "it has no function `tell`"),
        (".state = states, ", "", "its account has a name or a unit"),
    ],
)
def test_an_account_that_says_nothing_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    account = ACCOUNT.replace(old, new).replace("static void tell", "void tell")
    compiled(
        tmp_path,
        (law_of_the_page() + account).replace("static const char *const states", "const char *const states"),
    )
    with pytest.raises(DumbbellError) as caught:
        run_of(tmp_path, '{ library = "mine.so" }')
    assert said in str(caught.value)
    assert "mend its `dumbbell_account`, as controller.h says" in str(caught.value)


def test_a_state_that_is_not_listed_is_none(tmp_path: Path) -> None:
    compiled(tmp_path, law_of_the_page() + ACCOUNT.replace("own->acked > 3000", "99"))
    text = TOML + "[record]\ncontrollers = true\n"
    scenario = db.Scenario.from_toml(text.format(controller='{ library = "mine.so" }'), base=tmp_path)
    assert "slow-start" in set(scenario.run().controller_states["state"])


STUDY = """
name = "mine"
question = "How fast is it?"
seeds = 2
[scenario]
duration = "2s"
transport = { kind = "tcp", profile = "rfc", controller = { library = "mine.so" } }
flows = [{ from = "senders", to = "receivers" }]
topology = { kind = "dumbbell" }
[[arms]]
name = "one"
[[metrics]]
name = "goodput"
source = { table = "runs", column = "goodput" }
better = "higher"
"""


def test_reports_and_figures_take_trust(tmp_path: Path) -> None:
    compiled(tmp_path, law_of_the_page())
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "scenario.toml").write_text(TOML.format(controller='{ library = "mine.so" }'))

    def dumbbell(*words: str) -> subprocess.CompletedProcess[str]:
        return forks.completed(words, tmp_path, COMMAND_TIMEOUT)

    assert dumbbell("study", "run", "study.toml", "-o", "study").returncode == 0
    assert dumbbell("run", "scenario.toml", "-o", "run").returncode == 0
    shutil.copy(tmp_path / "mine.so", tmp_path / "run")
    for words in (
        ("report", "study", "--base", "."),
        ("report", "run", "--flow", "0"),
        ("plot", "run", "--flow", "0", "--format", "svg"),
    ):
        refused = dumbbell(*words)
        assert refused.returncode == 2
        assert "then give --trust" in refused.stderr
        done = dumbbell(*words, "--trust")
        assert done.returncode == 0, done.stderr
