// The page of a run or of a shell: what its links and flows do, as it happens.
// A row: [time, links, lines]; a link: [packets in the queue, bytes sent, dropped, marked, rate or nothing]; a line: [flows, window,
// round-trip time, bytes delivered, sent again, state]. A line is a flow, or a group of them.
"use strict";
(async () => {
  const { Chart, element, number } = Charts;
  const { ask, byId, end, follow, order, report, table, trouble } = Watch;
  const QUEUE = 0, SENT = 1, DROPPED = 2, MARKED = 3, RATE = 4;
  const FLOWS = 0, WINDOW = 1, TRIP = 2, DELIVERED = 3, RESENT = 4, STATE = 5;
  const SEGMENT = 1448; // bytes
  const SMOOTH = 200; // points over the width of a figure that have a rate of their own
  let facts = null, charts = [], rows = [], state = {};
  let sending = [], delivering = []; // Mbit/s of links and of lines, for each row
  let shown = null; // the time that is looked at; none where the page follows

  try {
    facts = await ask("facts");
  } catch {
    trouble("The command does not answer: it has ended, or the address is not the one that it shows.");
    byId("status").textContent = "Nothing to see.";
    return;
  }

  // A rate counts from a row that is far enough before: by a part of what the figure shows, and by a round-trip time, which flows
  // send in bursts of.
  function rates(times, counts, least, trips) {
    let from = 0;
    return counts.map((count, i) => {
      if (count === null) return null;
      const needed = Math.max(least, trips?.[i] ?? 0);
      while (from < i - 1 && times[i] - times[from + 1] >= needed) from += 1;
      const took = times[i] - times[from];
      return took > 0 && counts[from] !== null ? (count - counts[from]) * 8 / took / 1e6 : null;
    });
  }

  const range = () => (charts.length && charts[0].zoom) || [rows.length ? rows[0][0] : 0, rows.length ? rows[rows.length - 1][0] : 1];

  function described() {
    const times = rows.map((row) => row[0]), [low, high] = range();
    const least = (high - low) / SMOOTH;
    // While what is under way drains, the axis grows in steps.
    let top = facts.duration;
    while (top && top < times[times.length - 1]) top *= 1.25;
    const x = top ? { label: "time (s)", range: [0, top] } : { label: "time (s)" };
    const several = facts.links.length > 1;
    const link = (i, what) => rows.map((row) => row[1][i]?.[what] ?? null);
    const line = (i, what) => rows.map((row) => row[2][i]?.[what] ?? null);
    const of = ({ name }, what) => (several ? `${name}${what}` : what.replace(/^, /, "") || name);
    const slot = (i) => ({ slot: i + (facts.lines.length ? 2 : 0), dash: i });
    const level = (label, value) => ({ label, slot: null, dash: 1, x: [0, x.range?.[1] ?? times[times.length - 1] ?? 1], y: [value, value] });
    const rate = facts.lines.length
      ? facts.lines.map((about, i) => ({ ...about, x: times, y: rates(times, line(i, DELIVERED), least, line(i, TRIP)) }))
      : facts.links.map((about, i) => ({ label: about.name, ...slot(i), x: times, y: rates(times, link(i, SENT), least) }));
    const longest = facts.lines.length ? rows.map((row) => Math.max(0, ...row[2].map((now) => now[TRIP] ?? 0))) : null;
    sending = facts.links.map((_about, i) => rates(times, link(i, SENT), least, longest));
    delivering = facts.lines.map((_about, i) => rate[i].y);
    facts.links.forEach((about, i) => {
      if (facts.lines.length && several) return;
      if (rows.length && rows[rows.length - 1][1][i]?.[RATE] !== undefined) {
        rate.push({ label: `rate of ${about.name}`, slot: null, dash: i + 1, step: 1, x: times, y: link(i, RATE).map((value) => value / 1e6) });
      } else if (about.steady) rate.push(level(`rate of ${about.name}`, about.rate / 1e6));
    });
    const queue = facts.links.flatMap((about, i) => {
      const waiting = link(i, QUEUE), lost = link(i, DROPPED), look = slot(i);
      const at = times.flatMap((_time, j) => (j && lost[j] > lost[j - 1] ? [j] : []));
      const found = [
        { label: of(about, ""), ...look, x: times, y: waiting },
        { label: of(about, ", drops"), ...(several ? look : { slot: 1 }), marks: true, marker: 5, x: at.map((j) => times[j]), y: at.map((j) => waiting[j]) },
      ];
      if (about.buffer && !several) found.push(level("buffer", about.buffer));
      return found;
    });
    const events = facts.links.flatMap((about, i) => [
      { label: of(about, ", dropped"), ...slot(i), dash: 0, step: 1, x: times, y: link(i, DROPPED) },
      { label: of(about, ", marked"), ...slot(i), dash: 2, step: 1, x: times, y: link(i, MARKED) },
    ]);
    const per = facts.each ? "" : "mean of the flows, ";
    const found = [
      { id: "rate", title: "Throughput", x, y: { label: facts.lines.length ? "delivered in order (Mbit/s)" : "sent (Mbit/s)" }, lines: rate },
      { id: "queue", title: "Queue", x, y: { label: "packets" }, lines: queue },
    ];
    if (facts.lines.length) {
      const lines = (what, factor) => facts.lines.map((about, i) => ({ ...about, x: times, y: line(i, what).map((value) => (value ? value * factor : null)) }));
      found.push(
        { id: "window", title: "Window", x, y: { label: `${per}window (segments)` }, lines: lines(WINDOW, 1 / SEGMENT) },
        { id: "rtt", title: "Round-trip time", x, y: { label: `${per}round-trip time (ms)` }, lines: lines(TRIP, 1e3) },
      );
    }
    found.push({ id: "events", title: "Drops and marks", x, y: { label: "packets so far" }, lines: events });
    return found;
  }

  // The row at a time, or the last before it.
  function rowAt(time) {
    let low = 0, high = rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (rows[middle][0] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  const digits = () => Math.min(Math.max(Math.ceil(-Math.log10(state.step || 0.1)), 1), 7);
  const written = (time) => `${time.toFixed(digits())} s`;

  function tables(index) {
    const row = rows[index];
    if (!row) return;
    table(byId("links"), "Links at the time shown", ["link", "queue", "in the queue", "sends Mbit/s", "of Mbit/s", "dropped", "marked"],
      facts.links.map((about, i) => {
        const now = row[1][i] ?? [];
        const rate = now[RATE] ?? (about.steady ? about.rate : null);
        return [about.name, state.queues?.[i] ?? about.queue, number(now[QUEUE]), number(sending[i][index]),
          rate === null ? "varies" : number(rate / 1e6), number(now[DROPPED]), number(now[MARKED])];
      }));
    table(byId("flows"), "Flows at the time shown", ["", "going on", "delivers Mbit/s", "window", "RTT ms", "sent again", "state"],
      facts.lines.map((about, i) => {
        const now = row[2][i] ?? [];
        return [about.label, now[FLOWS] ?? "–", number(delivering[i][index]), number(now[WINDOW] / SEGMENT || null),
          number(now[TRIP] * 1e3 || null), number(now[RESENT]), now[STATE] ?? "–"];
      }));
    const text = `at ${written(row[0])}`;
    document.querySelectorAll(".at").forEach((place) => { place.textContent = text; });
  }

  const WORDS = { running: "Running", paused: "Paused", ended: "Ended", begins: "Begins" };

  function reflect() {
    const last = rows.length ? rows[rows.length - 1][0] : 0;
    const ended = state.phase === "ended", word = WORDS[state.phase] ?? "Connecting";
    const of = facts.duration ? ` of ${number(facts.duration)} s` : "";
    const line = state.line ? ` ${state.line}` : "";
    // Assistive technology hears of changes of phase, not of each moment.
    const said = ended ? `${word}.${line}` : `${word}.`;
    if (byId("status").textContent !== said) byId("status").textContent = said;
    const time = shown ?? last;
    byId("clock").textContent = `${written(time)}${shown === null ? of : ` of ${written(last)}`}`;
    byId("seek").value = String(last > 0 ? Math.round(1000 * time / last) : 1000);
    byId("seek").setAttribute("aria-valuetext", written(time));
    byId("now").setAttribute("aria-pressed", String(shown === null));
    const steered = facts.kind === "run" && !ended;
    for (const id of ["go", "step", "pace"]) byId(id).hidden = !steered;
    byId("go").textContent = state.phase === "paused" ? "Go on" : "Pause";
    byId("fastest").setAttribute("aria-pressed", String(state.speed === null));
    const second = state.speed >= 1 ? `${number(state.speed)} s` : `${number(state.speed * 1000)} ms`;
    byId("speed").textContent = state.speed ? `1 s shows ${second}` : "as fast as it can";
    byId("knobs").hidden = facts.kind !== "shell" || ended;
    byId("flows-section").hidden = facts.lines.length === 0;
    report();
    const changes = state.changes ?? [];
    byId("changes-section").hidden = !changes.length;
    if (byId("changes").childElementCount !== changes.length) byId("changes").replaceChildren(...changes.map((text) => element("li", {}, text)));
  }

  function draw() {
    const about = described();
    if (!charts.length) {
      byId("figures").append(...about.map((data) => element("figure", { id: `figure-${data.id}` })));
      charts = about.map((data) => new Chart(byId(`figure-${data.id}`), data));
    } else charts.forEach((chart, i) => chart.set(about[i]));
    const index = shown === null ? rows.length - 1 : rowAt(shown);
    tables(index);
    const span = Number(byId("window").value), to = shown ?? (rows.length ? rows[rows.length - 1][0] : 0);
    if (span) Charts.show([Math.max(to - span, 0), Math.max(to, span)], charts[0]);
    if (shown !== null) point();
    reflect();
  }

  // The cursors of all figures at the time shown.
  function point() {
    for (const chart of charts) {
      if (!chart.xs.length) continue;
      let i = chart.xs.findIndex((x) => x >= shown);
      if (i < 0) i = chart.xs.length - 1;
      chart.moveTo(i);
    }
  }

  function look(time) {
    shown = time;
    if (time === null) charts.forEach((chart) => chart.moveTo(null));
    draw();
  }

  async function tell(what) {
    const against = await order(what);
    if (against) trouble(`Refused: ${against}`);
    else trouble("");
  }

  byId("seek").addEventListener("input", () => {
    const last = rows.length ? rows[rows.length - 1][0] : 0, part = Number(byId("seek").value) / 1000;
    look(part >= 1 ? null : part * last);
  });
  byId("now").addEventListener("click", () => look(null));
  byId("window").addEventListener("change", () => {
    if (!byId("window").value) Charts.show(null, charts[0]);
    draw();
  });
  byId("go").addEventListener("click", () => tell({ do: state.phase === "paused" ? "go" : "pause" }));
  byId("step").addEventListener("click", () => tell({ do: "step" }));
  const usual = () => state.speed ?? (facts.duration ?? 1) / 20;
  byId("slower").addEventListener("click", () => tell({ do: "speed", speed: usual() / 2 }));
  byId("faster").addEventListener("click", () => tell({ do: "speed", speed: usual() * 2 }));
  byId("fastest").addEventListener("click", () => tell({ do: "speed", speed: state.speed === null ? usual() : null }));
  byId("rate-label").hidden = byId("queue-label").hidden = !facts.knobs;
  byId("queues").append(...(facts.queues ?? []).map((value) => element("option", { value })));
  byId("knobs").addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = Object.fromEntries(["rate", "queue", "setting"].map((name) => [name, byId(name).value.trim()]).filter(([, text]) => text));
    const said = byId("knobs-said");
    if (!Object.keys(given).length) {
      said.textContent = "Give a rate such as 5Mbit/s, a queue such as codel, or a path and its value.";
      return;
    }
    const against = await order({ do: "change", ...given });
    said.textContent = against || "Asked for.";
    said.classList.toggle("refused", Boolean(against));
    if (!against) for (const name of ["rate", "queue", "setting"]) byId(name).value = "";
  });
  Charts.theme(byId("theme"));
  end();
  follow((all, now) => {
    [rows, state] = [all, now];
    document.documentElement.dataset.phase = state.phase;
    draw();
  });
})();
