"""The simulator as a module of WebAssembly: what it answers is what the extension answers, byte for byte."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dumbbell as db
from tools.playground import module as build
from tools.systems import BROWSER, has

ROOT = Path(__file__).parent.parent
HOST = Path(__file__).with_name("browser.mjs")
TYPES = {"u32": "<u4", "label": "<u4", "u64": "<u8", "f64": "<f8", "bool": "?"}


def node() -> str:
    """Return the path of node: that of the machine, or the one that comes with playwright."""
    found = shutil.which("node")
    if found is not None:
        return found
    driver = pytest.importorskip("playwright._impl._driver")
    return str(driver.compute_driver_executable()[0])


@pytest.fixture(scope="module")
def module() -> Path:
    """Build the module as the playground has it."""
    if shutil.which("cargo") is None or not has(BROWSER):
        pytest.skip(f"the standard library of {BROWSER} cannot be had here")
    return build()


def in_browser(module: Path, text: str, folder: Path, *pauses: str) -> dict[str, dict[str, object]]:
    """Run a scenario in the module; return its tables, by name and column."""
    scenario, output = folder / "scenario.toml", folder / "tables"
    scenario.write_text(text, encoding="utf-8")
    command = [node(), str(HOST), str(module), str(scenario), str(output), *pauses]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    head, _, values = output.read_bytes().partition(b"\n")
    said = json.loads(head)
    tables: dict[str, dict[str, object]] = {}
    for name, columns in said["tables"]:
        tables[name] = {}
        for column, kind, rows in columns:
            size = np.dtype(TYPES[kind]).itemsize * rows
            cells = np.frombuffer(values[:size], TYPES[kind])
            values = values[size:]
            tables[name][column] = [said["labels"][code] for code in cells] if kind == "label" else cells
    assert not values
    return tables


def differences(results: db.Results, tables: dict[str, dict[str, object]]) -> list[str]:
    """Return the columns in which results differ from tables of the module."""
    found = []
    for table in results.tables:
        assert tables[table.name].keys() == {column.name for column in table.columns}
        for name, cells in tables[table.name].items():
            native = table[name]
            same = (
                native.tobytes() == cells.tobytes()
                if isinstance(cells, np.ndarray)
                else list(native) == cells
            )
            found += [] if same else [f"{table.name}.{name}"]
    return found


def first_scenario() -> str:
    text = (ROOT / "docs" / "run.md").read_text(encoding="utf-8")
    return str(re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0])


def test_the_first_scenario_in_a_browser(module: Path, tmp_path: Path) -> None:
    text = first_scenario()
    native = db.Scenario.from_toml(text).run()
    assert native.runs["packet_hops"][0] > 10_000
    assert differences(native, in_browser(module, text, tmp_path)) == []
    assert differences(native, in_browser(module, text, tmp_path, "0.5", "7", "12.25")) == []


SHIPPED = (
    "aqm-unresponsive", "bbr-beside-cubic", "bbr-shallow-buffer", "bufferbloat-codel", "cake-two-hosts",
    "campus-web", "codel-ecn", "copa-alone", "four-flows-cubic", "fq-codel-call", "incast",
    "jitter", "l4s-beside-classic", "ledbat-behind", "lossy-path", "parking-lot", "rcp-web", "rtt-unfairness",
    "udp-mix", "vegas", "xcp-web",
)  # fmt: skip
"""Scenarios that come with the package."""


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_scenarios_in_a_browser(module: Path, tmp_path: Path, name: str) -> None:
    path = ROOT / "scenarios" / f"{name}.toml"
    native = db.Scenario.from_file(path, ["duration=2s", "warmup=0s"]).run()
    assert native.runs["packet_hops"][0] > 1000
    assert differences(native, in_browser(module, native.provenance["scenario"], tmp_path)) == []


def test_another_seed_is_noticed(module: Path, tmp_path: Path) -> None:
    text = first_scenario().replace('stagger = "2s"', 'stagger = "2s"\njitter = "1s"')
    native = db.Scenario.from_toml(text, ["seed=2"]).run()
    assert "flows.start" in differences(native, in_browser(module, text, tmp_path))


def test_what_is_refused_is_a_line(module: Path, tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        in_browser(module, first_scenario().replace("cubic", "cubik"), tmp_path)
    assert caught.value.stderr.startswith("transport.controller: ")
