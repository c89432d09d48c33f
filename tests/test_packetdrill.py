"""`dumbbell packetdrill`: what is made of scripts, what the table says, and scripts over the library."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from dumbbell.cli.packetdrill import packetdrill
from dumbbell.errors import DumbbellError
from dumbbell.packetdrill import (
    ABSENT,
    FAILED,
    MASKED,
    PASSED,
    UNREADABLE,
    controller_of,
    find,
    find_program,
    run_all,
    running,
)
from dumbbell.packetdrill.fields import LACKS
from dumbbell.packetdrill.scripts import read

OPENED = """
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 8>
  +.1 < . 1:1(0) ack 1 win 300
   +0 accept(3, ..., ...) = 4
"""

GOOD = f"""// A comment with `a command that is none`.
`../common/defaults.sh`
{OPENED}
   +0 write(4, ..., 4000) = 4000
   +0 > P. 1:4001(4000) ack 1
  +.1 < . 1:1(0) ack 4001 win 300
   +0 %{{ assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd }}%
   +0 `tc qdisc replace dev tun0 root pfifo limit 0`
   +0 write(4, ..., 1000) = 1000
   +0 %{{ assert tcpi_unacked == 0, tcpi_unacked }}%
"""


def script(folder: Path, text: str, name: str = "one.pkt") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def program(folder: Path, text: str) -> Path:
    path = folder / "program"
    path.write_text(f"#!{sys.executable} -IS\n{text}")
    path.chmod(0o755)
    return path


def outcome(folder: Path, tool: Path, controller: str | None = None):
    given = None if controller is None else controller_of(controller)
    (only,) = run_all(find(folder), folder, tool, 1, given)
    return only


LAW = """
from dumbbell.own import Controller, param


class Fixed(Controller):
    size: int = param(3, ge=1, le=100)

    def on_ack(self, ack, control):
        control.window = self.size * ack.mss
"""


@pytest.fixture
def library(monkeypatch):
    """A library that is there and does nothing more, for programs that load none."""
    maps = Path("/proc/self/maps").read_text().split()
    path = next(Path(word) for word in maps if re.search(r"/libc[.-].*so", word))
    monkeypatch.setattr(running, "LIBRARY", path)
    monkeypatch.setattr(running, "_FLAGS", ())


def test_commands_become_settings_and_none_is_run(tmp_path):
    text = """`../common/defaults.sh
../common/set_sysctls.py /proc/sys/net/ipv4/tcp_ecn=1 \\
    /proc/sys/net/ipv4/tcp_wmem="4096 1 2"
sysctl -q net.ipv4.tcp_frto=0 # off
echo 3 > /sys/module/tcp_cubic/parameters/hystart_detect`
+0 `tc qdisc replace dev tun0 root fq; nstat > /dev/null`
`/tmp/sysctl_restore_${PPID}.sh`
"""
    one = read(script(tmp_path, text), tmp_path)
    lines = one.settings.splitlines()
    assert {"tcp_ecn=1", "tcp_wmem=4096 1 2", "tcp_frto=0", "hystart_detect=3", "tcp_dsack=1"} <= set(lines)
    commands = one.text.split("`")[1::2]
    assert commands == [":", "printf '%s\\n' qdisc=fq >> \"$DUMBBELL_PACKETDRILL_SETTINGS\"", ":"]


@pytest.mark.parametrize(
    ("command", "settings"),
    [
        ("rm -rf /somewhere", "command=rm -rf /somewhere\n"),
        ("sysctl -q a.b=1; curl http://a.org | sh; sysctl c=2", "b=1\ncommand=curl http://a.org | sh\n"),
        ("ip route change 192.0.2.1 mtu lock 640", "command=ip route change 192.0.2.1 mtu lock 640\n"),
        ("nstat | grep TcpExt", "command=nstat | grep TcpExt\n"),
        ("ip tcp_metrics flush all; nstat -n; ethtool -K tun0 tso off gso off", ""),
        ("unfinished 'text", "command=unfinished 'text\n"),
    ],
)
def test_what_no_setting_stands_for_is_a_setting_too(tmp_path, command, settings):
    assert read(script(tmp_path, f"`{command}`"), tmp_path).settings == settings
    later = read(script(tmp_path, f"`true`\n+0 `{command}`"), tmp_path)
    assert (later.settings, "command=" in later.text) == ("", "command=" in settings)


def test_options_of_the_program_are_settings(tmp_path):
    one = read(script(tmp_path, "--mss=1000\n`sysctl -q a.b=1`\n"), tmp_path)
    assert (one.settings, one.version) == ("b=1\nmss=1000\n", 4)
    assert read(script(tmp_path, "--tolerance_usecs=1", "basic-v6.pkt"), tmp_path).version == 6


@pytest.mark.parametrize("status", [0, 1])
@pytest.mark.usefixtures("library")
def test_what_the_library_lacks_is_the_reason(tmp_path, status):
    script(tmp_path / "scripts", OPENED)
    names = f"import os, sys; open(os.environ['{LACKS}'], 'w').write('\\x1b[1mepoll'); sys.exit({status})"
    one = outcome(tmp_path / "scripts", program(tmp_path, names))
    assert (one.status, one.detail) == (ABSENT, "needs \ufffd[1mepoll")


@pytest.mark.parametrize(
    ("text", "status", "lacks"),
    [
        ("assert tcpi_snd_cwnd == 10", 0, None),
        ("assert tcpi_snd_cwnd == 11", 1, None),
        ("assert tcpi_busy_time == 10", 1, "tcpi_busy_time of TCP_INFO"),
        ("assert 5 <= tcpi_busy_time", 1, "tcpi_busy_time of TCP_INFO"),
        ("print(tcpi_busy_time)", 1, "tcpi_busy_time of TCP_INFO"),
    ],
)
def test_fields_that_are_left_out_are_named(tmp_path, text, status, lacks):
    code, named = tmp_path / "code", tmp_path / "lacks"
    code.write_text(f"tcpi_snd_cwnd = 10\ntcpi_busy_time = 0\n\n{text}\n")
    arguments = [sys.executable, "-IS", str(running.FIELDS), str(code)]
    done = subprocess.run(arguments, env={LACKS: str(named)}, stderr=subprocess.PIPE, check=False)
    assert done.returncode == status
    assert (named.read_text() if named.exists() else None) == lacks


def test_a_setting_is_a_word_of_the_shell_whatever_is_in_it(tmp_path):
    one = read(script(tmp_path, "`true`\n+0 `sysctl 'a.b=1$(touch x)'`"), tmp_path)
    command = one.text.split("`")[3]
    place = {"DUMBBELL_PACKETDRILL_SETTINGS": str(tmp_path / "settings")}
    subprocess.run(["/bin/sh", "-c", command], check=True, cwd=tmp_path, env=place)
    assert (tmp_path / "settings").read_text() == "b=1$(touch x)\n"
    assert not (tmp_path / "x").exists()


def test_push_is_masked_in_outgoing_packets_only(tmp_path):
    text = (
        '+0 > P. 1:2(1) ack 1\n+0 > [ect0] PE. 1:2(1)\n+0 < P. 1:2(1) ack 1\n%{ "> P. 1" }%\n+0 > FP. 1:1(0)'
    )
    masked = read(script(tmp_path, text), tmp_path).masked().splitlines()
    assert masked == [
        "+0 > . 1:2(1) ack 1",
        "+0 > [ect0] E. 1:2(1)",
        "+0 < P. 1:2(1) ack 1",
        '%{ "> P. 1" }%',
        "+0 > F. 1:1(0)",
    ]


@pytest.mark.parametrize(
    ("does", "status", "detail"),
    [
        ("", PASSED, ""),
        ("import sys; sys.exit('script.pkt:7: timing error: late')", FAILED, "line 7: timing error: late"),
        (
            "import sys; sys.exit('script.pkt:3: parse error at x: syntax error')",
            UNREADABLE,
            "line 3: parse error at x: syntax error; correct the script, or take a newer program",
        ),
        (
            "import sys; 'mask_push=1' in open('settings').read() or sys.exit('script.pkt:2: PSH')",
            MASKED,
            "line 2: PSH",
        ),
        ("import os; os.kill(os.getpid(), 9)", FAILED, "the program died of signal 9: it said nothing"),
        ("import sys; sys.exit('script.pkt:1: \\x1b[31mred')", FAILED, "line 1: \ufffd[31mred"),
    ],
)
@pytest.mark.usefixtures("library")
def test_the_table_says_what_became_of_a_script(tmp_path, does, status, detail):
    script(tmp_path / "scripts", OPENED)
    one = outcome(tmp_path / "scripts", program(tmp_path, does))
    assert (one.status, one.detail) == (status, detail)


@pytest.mark.usefixtures("library")
def test_what_is_no_script_is_one_line(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "one.pkt").write_bytes(b"\xff\xfe\0")
    one = outcome(tmp_path / "scripts", program(tmp_path, ""))
    assert one.status == UNREADABLE
    assert "not a text" in one.detail


def test_bad_input_is_one_line_with_the_remedy(tmp_path, monkeypatch):
    with pytest.raises(DumbbellError, match=r"none: no such folder; give the one"):
        find(tmp_path / "none")
    with pytest.raises(DumbbellError, match=r"no scripts \(\*\.pkt\) here; give the folder"):
        find(tmp_path)
    script(tmp_path, OPENED)
    with pytest.raises(DumbbellError, match=r"--only two: none of 1 scripts has that"):
        find(tmp_path, "two")
    with pytest.raises(DumbbellError, match=r"none: no program; give the path of packetdrill"):
        find_program(tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("PACKETDRILL", raising=False)
    with pytest.raises(DumbbellError, match=r"packetdrill: not found; build it as docs/packetdrill\.md says"):
        find_program(None)
    monkeypatch.setattr(running, "LIBRARY", tmp_path / "absent.so")
    with pytest.raises(DumbbellError, match=r"absent\.so: not built; run `make setup`"):
        list(run_all(find(tmp_path), tmp_path, Path(sys.executable), 1))


@pytest.mark.usefixtures("library")
def test_the_command_writes_a_table_and_reports_failures(tmp_path):
    script(tmp_path / "scripts", OPENED)
    for does, status in (("", 0), ("import sys; sys.exit('script.pkt:7: no')", 1)):
        for name in ("table.json", "table.md"):
            arguments = [str(tmp_path / "scripts"), "--program", str(program(tmp_path, does)), "--force"]
            result = CliRunner().invoke(
                packetdrill, [*arguments, "-o", str(tmp_path / name)], standalone_mode=False
            )
            assert result.return_value == status
    (row,) = json.loads((tmp_path / "table.json").read_text())["packetdrill"]
    assert (row["script"], row["status"], row["detail"]) == ("one.pkt", FAILED, "line 7: no")
    assert "| one.pkt | failed | line 7: no |" in (tmp_path / "table.md").read_text()


@pytest.mark.usefixtures("library")
def test_python_in_scripts_waits_for_a_yes(tmp_path):
    script(tmp_path / "scripts", OPENED + "%{ assert True }%\n", "two.pkt")
    script(tmp_path / "scripts", OPENED)
    ran = tmp_path / "ran"
    tool = program(tmp_path, f"open({str(ran)!r}, 'w').close()")
    arguments = [str(tmp_path / "scripts"), "--program", str(tool)]
    with pytest.raises(DumbbellError, match=r"scripts: holds Python \(two.pkt\), .* give --trust"):
        CliRunner().invoke(packetdrill, arguments, standalone_mode=False, catch_exceptions=False)
    assert not ran.exists()
    result = CliRunner().invoke(packetdrill, [*arguments, "--trust"], standalone_mode=False)
    assert result.return_value == 0
    assert ran.exists()


@pytest.mark.usefixtures("library")
def test_a_controller_stands_above_what_scripts_set(tmp_path):
    script(tmp_path / "scripts", "`sysctl -q a.tcp_congestion_control=reno`\n" + OPENED)
    tool = program(tmp_path, "import sys; sys.exit(open('settings').read().replace(chr(10), ' '))")
    assert outcome(tmp_path / "scripts", tool, "bbr3").detail == (
        "tcp_congestion_control=reno controller=bbr3 mask_push=1"
    )
    (tmp_path / "law.py").write_text(LAW)
    reads = "import re, sys; file = re.search('law=(.*)', open('settings').read())[1]; "
    tool = program(tmp_path, reads + "sys.exit(open(file, 'rb').read(4).decode())")
    assert outcome(tmp_path / "scripts", tool, f"{tmp_path}/law.py:Fixed(size=9)").detail == "DBL1"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cubicc", "--controller: no controller 'cubicc'; did you mean \"cubic\"?"),
        ("{}/law.py:Mine", "law.py: has no class Mine; its laws are Fixed"),
        ("{}/law.py:Fixed(size=0)", "law.py: size is 0, and 1 is the least; give 1 or more"),
        ("{}/none.py:Mine", "none.py: no such file; give the path of a law, such as my.py:Mine"),
    ],
)
def test_a_controller_that_is_none_is_one_line(tmp_path, name, said):
    (tmp_path / "law.py").write_text(LAW)
    script(tmp_path / "scripts", OPENED)
    tool = program(tmp_path, "")
    arguments = [str(tmp_path / "scripts"), "--program", str(tool), "--controller", name.format(tmp_path)]
    with pytest.raises(DumbbellError) as raised:
        CliRunner().invoke(packetdrill, arguments, standalone_mode=False, catch_exceptions=False)
    assert str(raised.value).endswith(said)


real = pytest.mark.skipif(
    not os.environ.get("PACKETDRILL") or not running.LIBRARY.exists(),
    reason="needs the library of `make setup`, and packetdrill, named by the variable PACKETDRILL",
)


@real
def test_a_script_runs_over_our_tcp(tmp_path):
    script(tmp_path, GOOD)
    assert outcome(tmp_path, find_program(None)).status == PASSED


@real
@pytest.mark.parametrize(
    ("was", "wrong", "difference"),
    [
        ("P. 1:4001(4000)", "P. 2:4001(3999)", "expected 3999 bytes vs actual 4000"),
        ("tcpi_snd_cwnd == 10", "tcpi_snd_cwnd == 11", "assert tcpi_snd_cwnd == 11, tcpi_snd_cwnd: 10"),
        ("+0 > P. 1:4001(4000) ack 1", "+.2 > P. 1:4001(4000) ack 1", "timing error"),
        ("+0 bind", "+0 bond", "line"),
    ],
)
def test_a_script_with_other_expectations_fails_with_a_diff(tmp_path, was, wrong, difference):
    assert was in GOOD
    script(tmp_path, GOOD.replace(was, wrong))
    one = outcome(tmp_path, find_program(None))
    assert one.status in (FAILED, UNREADABLE)
    assert difference in one.detail


@real
def test_a_law_governs_what_a_script_sees(tmp_path):
    (tmp_path / "law.py").write_text(LAW)
    # The first acknowledgement of data has come: the law has answered it.
    script(tmp_path / "scripts", GOOD.replace("== 10", "== 7"))
    law = f"{tmp_path}/law.py:Fixed"
    assert outcome(tmp_path / "scripts", find_program(None), f"{law}(size=7)").detail == ""
    one = outcome(tmp_path / "scripts", find_program(None), law)
    assert "assert tcpi_snd_cwnd == 7, tcpi_snd_cwnd: 3" in one.detail
    one = outcome(tmp_path / "scripts", find_program(None), "xcp")
    assert (one.status, one.detail) == (ABSENT, "needs routers that answer xcp")


@real
@pytest.mark.skipif(
    not os.environ.get("PACKETDRILL_SCRIPTS"),
    reason="needs the scripts of packetdrill: PACKETDRILL_SCRIPTS names their folder gtests/net/tcp",
)
@pytest.mark.parametrize(
    ("law", "built_in"),
    [("newreno.py:NewReno", "newreno"), ("cubic.py:Cubic(hystart=linux_66)", None), ("bbr3.py:Bbr3", "bbr3")],
)
def test_laws_pass_what_the_built_in_ones_pass(law, built_in):
    folder = Path(os.environ["PACKETDRILL_SCRIPTS"])
    laws = Path(running.__file__).parents[1] / "own" / "laws"

    def results(controller):
        paths = [path for kind in ("slow_start", "fast_recovery", "cubic") for path in find(folder / kind)]
        given = None if controller is None else controller_of(controller)
        found = run_all(paths, folder, find_program(None), 2, given)
        # Checksums differ by time stamps of the clock.
        return {one.script: (one.status, re.sub("0x[0-9a-f]+", "", one.detail)) for one in found}

    assert results(f"{laws}/{law}") == results(built_in)


BUFFER = """--mss=1000
`../common/defaults.sh
sysctl -q net.ipv4.tcp_rto_max_ms=1000`
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 setsockopt(3, SOL_SOCKET, SO_RCVBUF, [20000], 4) = 0
   +0 getsockopt(3, SOL_SOCKET, SO_RCVBUF, [40000], [4]) = 0
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 32792 <mss 1000,nop,nop,sackOK,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 win 18980 <mss 1460,nop,nop,sackOK,nop,wscale 0>
   +1 > S. 0:0(0) ack 1 win 18980 <mss 1460,nop,nop,sackOK,nop,wscale 0>
   +1 > S. 0:0(0) ack 1 win 18980 <mss 1460,nop,nop,sackOK,nop,wscale 0>
   +0 < . 1:1(0) ack 1 win 257
   +0 accept(3, ..., ...) = 4
   +0 < P. 1:20001(20000) ack 1 win 257
 +.04 > . 1:1(0) ack 20001 win 18000
   +0 < P. 19001:21001(2000) ack 1 win 257
 +.08 > . 1:1(0) ack 21001 win 17000 <nop,nop,sack 19001:20001>
   +0 < P. 38502:38602(100) ack 1 win 257
   +0 > . 1:1(0) ack 21001 win 17000
   +0 read(4, ..., 20000) = 20000
"""


ACCURATE = """`../common/defaults.sh
sysctl -q net.ipv4.tcp_ecn=3`
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < [ect1] SEWA 0:0(0) win 32792 <mss 1000,sackOK,TS val 1 ecr 0,nop,wscale 8>
   +0 > SEW. 0:0(0) ack 1 <mss 1460,sackOK,TS val 100 ecr 1,ECN e1b 1 ceb 0 e0b 1,nop,nop,wscale 8>
  +.1 < [ect0] W. 1:1(0) ack 1 win 320 <nop,nop,TS val 101 ecr 100,ECN e0b 1 ceb 0 e1b 1,nop>
   +0 accept(3, ..., ...) = 4
   +0 < [ce] EAP. 1:1001(1000) ack 1 win 320 <nop,nop,TS val 102 ecr 100>
   +0 > [ect0] WA. 1:1(0) ack 1001 <nop,nop,TS val 200 ecr 102,ECN e1b 1 ceb 1000 e0b 1,nop>
   +0 write(4, ..., 2000) = 2000
   +0 > [ect0] WAP. 1:1977(1976) ack 1001 <nop,nop,TS val 200 ecr 102,ECN e1b 1 ceb 1000 e0b 1,nop>
   +0 > [ect0] WAP. 1977:2001(24) ack 1001 <nop,nop,TS val 200 ecr 102,ECN e1b 1 ceb 1000 e0b 1,nop>
  +.1 < [ect0] WA. 1001:1001(0) ack 1977 win 320 <nop,nop,TS val 202 ecr 200,ECN e0b 989 ceb 988 e1b 1,nop>
   +0 %{ assert tcpi_delivered_ce == 1, tcpi_delivered_ce; assert tcpi_snd_cwnd < 10, tcpi_snd_cwnd }%
"""


@real
@pytest.mark.parametrize("text", [BUFFER, ACCURATE])
def test_buffers_and_accurate_ecn_are_those_of_the_kernel(tmp_path, text):
    script(tmp_path, text)
    assert outcome(tmp_path, find_program(None)).detail == ""


@real
@pytest.mark.parametrize(
    ("was", "instead", "reason"),
    [
        (
            "+0 listen",
            "+0 setsockopt(3, SOL_TCP, TCP_FASTOPEN, [2], 4) = 0\n   +0 listen",
            "TCP Fast Open (setsockopt)",
        ),
        (
            "+0 listen",
            "+0 setsockopt(3, SOL_TCP, TCP_SYNCNT, [2], 4) = 0\n   +0 listen",
            "setsockopt of TCP_SYNCNT",
        ),
        ("`../common", "`sysctl net.ipv4.tcp_ecn=9\n../common", None),
        ("sh`", "sh\nsysctl net.ipv4.tcp_ecn=9`", "tcp_ecn=9"),
        ("sh`", "sh\nsysctl net.ipv4.tcp_rarely_set=1`", "tcp_rarely_set=1"),
        ("sh`", "sh\ndd if=/dev/zero`", "the command `dd if=/dev/zero`"),
        ("limit 0`", "limit 0; tc qdisc add dev tun0 root netem delay 1ms`", "the queue `netem delay 1ms`"),
        ("+0 write(4, ..., 4000)", "+0 write(4, ..., 4000000)", "a send buffer that fills"),
        ("< . 1:1(0) ack 4001 win 300", "< icmp unreachable host_unreachable [1:1(0)]", "packets of ICMP"),
        ("tcpi_snd_cwnd == 10", "tcpi_busy_time == 10", "tcpi_busy_time of TCP_INFO"),
    ],
)
def test_a_reason_comes_from_what_the_run_has_met(tmp_path, was, instead, reason):
    assert was in GOOD
    script(tmp_path, GOOD.replace(was, instead, 1))
    one = outcome(tmp_path, find_program(None))
    assert (one.status, one.detail) == ((ABSENT, f"needs {reason}") if reason else (PASSED, ""))


@real
@pytest.mark.skipif(
    not os.environ.get("PACKETDRILL_SCRIPTS"),
    reason="needs the scripts of packetdrill: PACKETDRILL_SCRIPTS names their folder gtests/net/tcp",
)
def test_the_scripts_pass_but_for_those_that_the_page_explains():
    folder = Path(os.environ["PACKETDRILL_SCRIPTS"])
    kinds = ("slow_start", "fast_retransmit", "limited_transmit", "fast_recovery", "sack", "cubic", "ecn")
    paths = [path for kind in (*kinds, "cwnd_moderation") for path in find(folder / kind)]
    results = {Path(one.script).stem: one.status for one in run_all(paths, folder, find_program(None), 2)}
    assert len(results) == 33
    page = (Path(__file__).parents[1] / "docs" / "packetdrill.md").read_text()
    others = {name for name, status in results.items() if status != PASSED}
    assert {name for name, status in results.items() if status == FAILED} == {
        "cwnd-moderation-ecn-enter-cwr-no-moderation-700",
        "fr-4pkt-fack-last-mss",
    }
    assert [name for name in others if f"`{name}`" not in page] == []


@real
@pytest.mark.skipif(
    not os.environ.get("PACKETDRILL_SCRIPTS"),
    reason="needs the scripts of packetdrill: PACKETDRILL_SCRIPTS names their folder gtests/net/tcp",
)
def test_the_page_counts_what_passes():
    folder = Path(os.environ["PACKETDRILL_SCRIPTS"])
    found = list(run_all(find(folder), folder, find_program(None), 2))
    counts = [sum(one.status == status for one in found) for status in (PASSED, FAILED, ABSENT)]
    page = (Path(__file__).parents[1] / "docs" / "packetdrill.md").read_text()
    assert "{} pass, {} fail and {} are not applicable".format(*counts) in page
