// The page of a run: its figures over time are linked, others stand alone.
"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures-data").textContent);
  for (const { grids, ...figure } of figures) {
    const data = { ...figure, lines: figure.lines.map((line) => ({ ...line, x: grids[line.x] })) };
    new Charts.Chart(document.getElementById(`figure-${data.id}`), data, { linked: data.x.label === "time (s)" });
  }
  Charts.theme(document.getElementById("theme"));
})();
