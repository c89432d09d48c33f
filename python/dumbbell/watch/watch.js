// What live pages share: news from the command that shows them, orders to it, its state.
"use strict";
const Watch = (() => {
  const { element } = Charts;
  const RETRY = 1000; // ms after which a command that does not answer is asked again
  const MOST_ROWS = 8000; // of the page; with more, every second one of the older half goes
  const byId = (id) => document.getElementById(id);
  let since = 0, version = 0, rows = [], state = {};

  function trouble(line) {
    byId("trouble").textContent = line;
    byId("trouble").hidden = !line;
  }

  async function ask(place) {
    const answer = await fetch(place, { cache: "no-store" });
    if (!answer.ok) throw new Error(`${answer.status}`);
    return answer.json();
  }

  // Tells the command what to do. Returns what it says against it, or nothing.
  async function order(what) {
    try {
      const answer = await fetch("order", { method: "POST", body: JSON.stringify(what) });
      return (await answer.json()).error ?? "";
    } catch {
      return "the command does not answer";
    }
  }

  function take(news) {
    ({ version } = news);
    since = news.last;
    for (const row of news.rows) rows.push(row);
    if (rows.length > MOST_ROWS) {
      const half = rows.length >> 1;
      rows = rows.filter((_row, i) => i >= half || i % 2 === 0);
    }
    state = news.state;
    byId("close").disabled = state.phase !== "ended";
  }

  // Asks for news for ever; calls `changed` with all rows and the state, at most once a frame.
  async function follow(changed) {
    let asked = false, lost = false;
    const later = () => {
      if (asked) return;
      asked = true;
      // A page in the background has no frames: it draws when it is seen again.
      requestAnimationFrame(() => {
        asked = false;
        changed(rows, state);
      });
    };
    for (;;) {
      try {
        take(await ask(`news?since=${since}&version=${version}`));
        if (lost) trouble("");
        lost = false;
        later();
      } catch {
        if (state.phase === "closed") return;
        lost = true;
        trouble(state.phase === "ended"
          ? "The command has ended; the page keeps what it has seen."
          : "The command does not answer: it has ended, or is busy. The page goes on asking.");
        await new Promise((done) => setTimeout(done, RETRY));
      }
    }
  }

  // Fills a table with texts; the first of each row is its heading.
  function table(box, caption, heads, lines) {
    const key = JSON.stringify([heads, lines]);
    if (box.dataset.key === key) return;
    box.dataset.key = key;
    box.replaceChildren(
      element("caption", { class: "visually-hidden" }, caption),
      element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, ...lines.map(([first, ...cells]) =>
        element("tr", {}, element("th", { scope: "row" }, first), ...cells.map((cell) => element("td", {}, String(cell)))))),
    );
  }

  function end() {
    byId("close").disabled = true;
    byId("close").addEventListener("click", async () => {
      state.phase = "closed";
      byId("close").disabled = true;
      await order({ do: "end" });
      trouble("");
      byId("status").textContent = "The command has ended; the page keeps what it has seen.";
    });
  }

  // Where what has ended has left a page.
  function report() {
    const link = byId("report");
    link.hidden = !state.report;
    if (state.report) link.querySelector("a").href = state.report;
  }

  return { ask, byId, end, follow, order, report, table, trouble };
})();
