// Draws the figures that a page describes, each in its place; one of several panels has a chart for each. Needs `charts.js`.
// Runs once, when the page has been read.
"use strict";
(() => {
  const { Chart, element, theme } = Charts;
  for (const figure of JSON.parse(document.getElementById("figures-data").textContent)) {
    const place = document.getElementById(figure.place ?? `figure-${figure.id}`), panels = figure.panels ?? [figure];
    const boxes = panels.map((panel, i) => {
      if (!figure.panels) return place;
      const name = panel.title || [panel.y.label, panel.x.label].join(" against ");
      return element("div", { class: "panel" }, element("h4", { id: `figure-${figure.id}-${i}` }, name));
    });
    if (figure.panels) place.querySelector(".plot").replaceWith(element("div", { class: "panels" }, ...boxes));
    panels.forEach(({ grids, ...panel }, i) => {
      const lines = panel.lines.map((line) => ({ ...line, x: grids[line.x] }));
      new Chart(boxes[i], { ...panel, lines, code: i ? null : figure.code });
    });
  }
  theme(document.getElementById("theme"));
})();
