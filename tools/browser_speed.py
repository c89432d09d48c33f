"""Times the playground: each lesson in Chromium, and one scenario natively, under node and in Chromium.

``python -m tools.browser_speed [ROUNDS]`` prints two tables for docs/playground.md. A lesson is timed from
the click on it to the end of its run, which a person waits for. The best of some rounds stands: other work on
the machine only adds. The three ways to run one scenario take turns; they
are compared by the time of the processor.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import dumbbell as db
from tests.browsing import Visit, chromium
from tests.test_browser import HOST, node
from tools import playground
from tools.systems import BROWSER, REPOSITORY, has

LESSONS = ("Bufferbloat", "RTT fairness", "Incast", "Why BBR", "L4S")

SCENARIO = "scenarios/w1-dumbbell-bulk.toml"

DONE = "#results[data-state=done]"

CLICKED = """(name) => new Promise((ended) => {
  const results = document.getElementById("results"), began = performance.now();
  const buttons = [...document.querySelectorAll("#lessons button, #lesson button")];
  buttons.find((button) => button.textContent === name).click();
  new MutationObserver((_, self) => {
    if (results.dataset.state !== "done") return;
    self.disconnect();
    ended(performance.now() - began);
  }).observe(results, { attributes: true });
})"""

# The module of the page, outside of its worker: what it takes to run a scenario.
RUN = """async (text) => {
  const zipped = Uint8Array.from(atob(document.getElementById("engine").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([zipped]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { instance } = await WebAssembly.instantiate(await new Response(stream).arrayBuffer(), {});
  const { memory, room, start, advance } = instance.exports, bytes = new TextEncoder().encode(text);
  const place = room(bytes.length) >>> 0;
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
  if (start()) throw new Error("refused");
  if (advance(Infinity, 0xffffffff) !== 1) throw new Error("the run has not ended");
}"""


def timed_lessons(browser: Any, page: Path) -> dict[str, float]:
    """Return the seconds from the opening to the end of the first run, and of each lesson and its tries.

    Parameters
    ----------
    browser
        Chromium.
    page
        The playground.
    """
    began = time.perf_counter()
    visit = Visit(browser, page)
    visit.page.wait_for_selector(DONE, state="attached", timeout=60_000)
    found = {"opened, first run ended": time.perf_counter() - began}
    for lesson in LESSONS:
        found[lesson] = visit.page.evaluate(CLICKED, lesson) / 1000
        tries = visit.page.locator("#lesson p.tools button").all_inner_texts()
        for name in tries:
            if name != "Back":
                found[f"{lesson}: {name}"] = visit.page.evaluate(CLICKED, name) / 1000
        for summary in visit.page.locator("#lesson summary").all():
            summary.click()
        if visit.page.locator("#lesson details[open] p:visible").count() < len(tries):
            raise RuntimeError(f"{lesson}: its answers do not open")
    if visit.complaints:
        raise RuntimeError("; ".join(visit.complaints))
    visit.context.close()
    return found


def speeds(browser: Any, page: Path, module: Path, rounds: int) -> dict[str, float]:
    """Return millions of packet-hops a second of the processor: natively, under node, in Chromium.

    Parameters
    ----------
    browser
        Chromium.
    page
        The playground.
    module
        Of WebAssembly.
    rounds
        Of each; the best counts.
    """
    scenario = db.Scenario.from_file(REPOSITORY / SCENARIO)
    text = scenario.to_toml()
    results = scenario.run(threads=1)
    hops = int(results.runs["packet_hops"][0])
    best = dict.fromkeys(("native, one thread", "node", "Chromium"), 0.0)
    visit = Visit(browser, page)
    session = visit.context.new_cdp_session(visit.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "scenario.toml")
        file.write_text(text, encoding="utf-8")
        for _ in range(rounds):
            began = time.process_time()
            scenario.run(threads=1)
            took = {"native, one thread": time.process_time() - began}
            command = [node(), str(HOST), str(module), str(file), str(Path(folder, "out")), "0"]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            took["node"] = float(done.stdout.split()[-1])
            began = _busy(session)
            visit.page.evaluate(RUN, text)
            took["Chromium"] = _busy(session) - began
            for name, seconds in took.items():
                best[name] = max(best[name], hops / seconds / 1e6)
    visit.context.close()
    return best


def _busy(session: Any) -> float:
    """Return the seconds of the processor that the thread of the page has had."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(entry["value"]) for entry in metrics if entry["name"] == "TaskDuration")


def main(rounds: int) -> int:
    """Print both tables; return the status of the process."""
    if not has(BROWSER):
        print(f"the standard library of {BROWSER} is missing: rustup target add {BROWSER}")
        return 1
    module = playground.module()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        page = Path(folder, "playground.html")
        page.write_text(playground.page(gzip.compress(module.read_bytes(), 9, mtime=0)), encoding="utf-8")
        found = [timed_lessons(browser, page) for _ in range(rounds)]
        print("| | seconds |\n|---|---|")
        for name in found[0]:
            print(f"| {name} | {min(each[name] for each in found):.2f} |")
        print(f"\n| `{SCENARIO}` | million packet-hops a second |\n|---|---|")
        for name, speed in speeds(browser, page, module, rounds).items():
            print(f"| {name} | {speed:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
