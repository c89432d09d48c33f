// The page of a study: how far its arms are, intervals as they narrow, figures as they come.
"use strict";
(async () => {
  const { Chart, element, number } = Charts;
  const { ask, byId, end, follow, report, table, trouble } = Watch;
  const charts = new Map();
  let facts = null;
  try {
    facts = await ask("facts");
  } catch {
    trouble("The command does not answer: it has ended, or the address is not the one that it shows.");
    byId("status").textContent = "Nothing to see.";
    return;
  }
  byId("question").textContent = facts.question;

  function clock(seconds) {
    if (seconds === null || seconds === undefined) return "";
    const whole = Math.round(seconds), minutes = Math.floor(whole / 60) % 60, hours = Math.floor(whole / 3600);
    const two = (value) => String(value).padStart(2, "0");
    return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
  }

  const WORDS = { begins: "Begins", running: "Running", ended: "Ended" };

  function draw(state) {
    const there = (state.reused ?? 0) + (state.done ?? 0), total = state.total ?? 0;
    const said = `${WORDS[state.phase] ?? "Connecting"}.${state.line ? ` ${state.line}` : ""}`;
    if (byId("status").textContent !== said) byId("status").textContent = said;
    byId("all").max = Math.max(total, 1);
    byId("all").value = there;
    const left = state.phase === "ended" ? "" : state.remaining ? `, ${clock(state.remaining)} to go` : "";
    const reused = state.reused ? `, ${state.reused} of them there before` : "";
    byId("all-text").textContent = total ? `${there} of ${total} runs${reused}${left}` : "";
    const arms = state.arms ?? facts.arms.map(() => 0);
    table(byId("arms"), "Runs of each arm", ["arm", "runs", "of", "%"],
      facts.arms.map((label, i) => [label, arms[i], facts.runs, number(100 * arms[i] / facts.runs)]));
    byId("notes").hidden = !(state.notes ?? []).length;
    if ((state.notes ?? []).length) byId("notes").replaceChildren(...state.notes.map((note) => element("li", {}, note)));
    if (state.rows) table(byId("table"), "Numbers so far", ["arm", ...facts.axes, "n", ...facts.metrics], state.rows);
    document.querySelectorAll(".of").forEach((place) => { place.textContent = state.finished === undefined ? "" : `of ${state.finished} runs`; });
    byId("more").textContent = state.more ? `; the first rows, and ${state.more} more are in the folder` : "";
    for (const { grids, ...figured } of state.figures ?? []) {
      const data = { ...figured, lines: figured.lines.map((line) => ({ ...line, x: grids[line.x] })) };
      const known = charts.get(data.id);
      if (known) {
        known.set(data);
        continue;
      }
      const figure = element("figure", { id: `figure-${data.id}` });
      byId("figures").append(figure);
      charts.set(data.id, new Chart(figure, data, { linked: false }));
    }
    report();
  }

  Charts.theme(byId("theme"));
  end();
  follow((_rows, state) => {
    document.documentElement.dataset.phase = state.phase;
    draw(state);
  });
})();
