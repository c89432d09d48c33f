"""Claims as files."""

import json

from dumbbell.claims import Claim, Level, Ratio, claims_table, judge, write_claims

CLAIMS = (
    Claim("low", "A stays below 3 s.", "our question", "delay", Level("a", high=3)),
    Claim(
        "false",
        "A is twice B.",
        "deliberately false",
        "delay",
        Ratio("a", "b", low=1.9),
        reason="it never was",
        ours="1.9 stands for twice",
    ),
)


def test_files(made, tmp_path):
    result = made(lambda _arm, load, seed: 1 + load + 0.001 * seed)
    judged = judge(CLAIMS, result)
    paths = write_claims(judged, result, tmp_path, "QUICK")
    assert [path.name for path in paths] == ["claims.json", "claims.md"]
    written = json.loads(paths[0].read_text())
    assert written["verdicts"] == {"reproduced": 1, "not reproduced": 1, "inconclusive": 0}
    assert (written["complete"], written["note"]) == (True, "QUICK")
    low, false = written["claims"]
    assert low["rule"] == "mean of a is at most 3"
    assert low["estimate"]["n"] == 8
    assert len(low["details"]) == 3
    assert (low["reason"], false["reason"]) == ("", "it never was")
    assert low["bound"] == {"by": "ours", "reason": "our question"}
    assert false["bound"] == {"by": "ours", "reason": "1.9 stands for twice"}
    assert false["verdict"] == "not reproduced"
    assert false["details"][0]["high"] is None
    text = paths[1].read_text()
    assert "**QUICK**" in text
    assert "INCOMPLETE" not in text
    assert (
        "| false | A is twice B. | deliberately false. The bound is ours: 1.9 stands for twice | **not"
        in text
    )
    assert "Why: it never was |" in text


def test_incomplete_tables_are_stamped(made, tmp_path):
    result = made(lambda _arm, load, seed: 1 + load + 0.001 * seed, lost=10)
    judged = judge(CLAIMS, result)
    json_path, markdown = write_claims(judged, result, tmp_path)
    assert json.loads(json_path.read_text())["complete"] is False
    assert "**INCOMPLETE: 62 of 72 runs**" in markdown.read_text()
    table = str(claims_table(judged, result))
    assert "INCOMPLETE: 62 of 72 runs" in table
    assert "not reproduced" in table
    assert "Why: it never was" in table.replace("\n", " ")
