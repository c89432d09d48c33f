// Charts in pages. A Plot is what those of studies (`report.js`), of runs and of the playground share: keys, arrows, sizes, the theme.
// A Chart draws a description, for runs and the playground. Needs uPlot, and the colours of the page.
// A description: { id, title, text, x: { label, scale }, y: { label, scale, top }, lines: [{ label, slot, dash, step, marks,
// bold, x: [], y: [] }] }. A step holds from its point on (1) or up to it (-1). A slot chooses the colour; null is a line to compare with. Without a label a line has no key.
"use strict";
const Charts = (() => {
  const root = document.documentElement;
  const DASHES = [[], [10, 4], [2, 3], [10, 3, 2, 3], [16, 4], [6, 3, 2, 3, 2, 3]];
  const COLOURS = 7;
  const LOW = 0.03; // part of the height below zero, so that a line at zero is seen
  const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
  const NARROW = 520; // CSS pixels
  const PAGE = 0.1; // part of the points that a page key passes
  const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"]];
  const drawn = new Set();
  const sync = uPlot.sync("time");

  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const colour = (line) => css(line.slot === null ? "--reference" : `--arm-${line.slot % COLOURS}`);
  const finite = (value) => value !== null && value !== undefined && Number.isFinite(value);

  function element(kind, attributes = {}, ...children) {
    const made = document.createElement(kind);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null) made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  // Four digits, with a prefix from thousands on.
  function number(value) {
    if (!finite(value)) return "–";
    const size = Math.abs(value);
    if (size === 0) return "0";
    const [factor, name] = size >= 1000 ? PREFIXES.find(([least]) => size >= least * 0.99995) : [1, ""];
    const scaled = value / factor;
    if (Math.abs(scaled) < 1e-4) return scaled.toExponential(2);
    return `${Number(scaled.toPrecision(4))}${name}`;
  }

  function save(name, kind, text) {
    const address = URL.createObjectURL(new Blob([text], { type: kind }));
    const link = element("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  // A name may hold anything: a field that begins like a formula is text all the same.
  const field = (text) => `"${String(text).replace(/^[=+@\t\r-]/, "'$&").replaceAll('"', '""')}"`;

  // What a page draws with uPlot in an element of the class `plot`. A class of its own has `data` with lines, `xs`, `xRange`, `yRange`,
  // `build`, and what is said of a point: `place(index)`, `text(line, index)`, `idle`. An output of a line may be null.
  class Plot {
    constructor(element) {
      this.element = element;
      this.index = null;
      this.plot = null;
      this.heights = [280, 230]; // wide and narrow, CSS pixels
      this.outputs = [];
      drawn.add(this);
    }

    listen() {
      this.box.addEventListener("keydown", (event) => this.key(event));
      this.box.addEventListener("focus", () => this.index === null && this.moveTo(0));
      this.box.addEventListener("blur", () => this.moveTo(null));
      new ResizeObserver(() => this.resize()).observe(this.box);
      this.element.classList.add("live");
    }

    toggle(i, key) {
      this.shown[i] = !this.shown[i];
      key.setAttribute("aria-pressed", String(this.shown[i]));
      this.plot.setSeries(i + 1, { show: this.shown[i] });
      this.read(this.index);
    }

    setLog(log) {
      this.log = log;
      this.logButton.setAttribute("aria-pressed", String(log));
      this.build();
    }

    key(event) {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const last = this.xs.length - 1, now = this.index ?? -1, page = Math.max(Math.round(last * PAGE), 1);
      const steps = {
        ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1,
        PageUp: now + page, PageDown: now - page, Home: 0, End: last, Escape: null,
      };
      if (!(event.key in steps)) return;
      const to = steps[event.key];
      this.moveTo(to === null || last < 0 ? null : Math.min(Math.max(to, 0), last));
      event.preventDefault();
    }

    moveTo(index) {
      const left = index === null ? -10 : this.plot.valToPos(this.xs[index], "x");
      this.plot.setCursor({ left, top: index === null ? -10 : 0 });
      this.read(index);
    }

    // Shows the values at a point next to the keys, and tells assistive technology.
    read(index) {
      this.index = index;
      const texts = this.data.lines.map((line, i) => (index === null || !this.shown[i] ? "" : this.text(i, index)));
      this.outputs.forEach((output, i) => { if (output) output.textContent = texts[i]; });
      const place = index === null ? "" : this.place(index);
      this.readout.textContent = place || this.idle;
      this.box.setAttribute("aria-valuenow", String(index ?? 0));
      const said = this.data.lines.map((line, i) => (texts[i] && line.label ? `${line.label} ${texts[i]}` : null));
      this.box.setAttribute("aria-valuetext", [place, ...said].filter(Boolean).join("; ") || "no point chosen");
    }

    hover(plot) {
      const inside = plot.cursor.left >= 0;
      const index = inside ? plot.cursor.idx ?? null : null;
      if (index !== this.index && (inside || document.activeElement !== this.box)) this.read(index);
    }

    size() {
      const width = Math.max(Math.floor(this.box.clientWidth), 160);
      return { width, height: this.heights[width < NARROW ? 1 : 0] };
    }

    resize() {
      const { width, height } = this.size();
      if (this.plot && (width !== this.plot.width || height !== this.plot.height)) this.plot.setSize({ width, height });
    }

    tick(value) {
      return number(value);
    }

    // Room for uPlot, and the look of its axes.
    clear() {
      if (this.plot) this.plot.destroy();
      else this.box.replaceChildren();
    }

    axis() {
      const grid = css("--grid");
      return {
        stroke: css("--text"), font: FONT, labelFont: `600 ${FONT}`, labelGap: 2,
        grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 5 },
        values: (_plot, splits) => splits.map((split) => (split === null ? "" : this.tick(split))),
      };
    }
  }

  class Chart extends Plot {
    constructor(box, description, { linked = true } = {}) {
      super(box);
      this.linked = linked;
      this.frame();
      this.set(description);
      this.listen();
    }

    // What stands around the drawing. A page may bring the heading, and an image for readers without scripts.
    frame() {
      this.heading = this.element.querySelector("h3") ?? this.element.appendChild(element("h3"));
      this.box = this.element.querySelector(".plot") ?? this.element.appendChild(element("div", { class: "plot" }));
      this.yLabel = element("p", { class: "y-label", "aria-hidden": "true" });
      this.logButton = element("button", { type: "button", class: "log", "aria-pressed": "false" }, "Log y");
      this.dataButton = element("button", { type: "button" }, "Data");
      this.tools = element("span", { class: "tools" }, this.logButton, this.dataButton);
      this.keys = element("div", { class: "keys" });
      this.readout = element("p", { class: "readout-x" });
      const head = element("div", { class: "figure-head" });
      this.heading.replaceWith(head);
      head.append(this.heading, this.tools);
      this.box.before(this.yLabel);
      this.box.after(this.readout, this.keys);
      this.box.setAttribute("role", "slider");
      this.box.setAttribute("tabindex", "0");
      this.logButton.addEventListener("click", () => this.setLog(!this.log));
      this.dataButton.addEventListener("click", () => this.download());
    }

    // Another description: other lines. The shape of the page stays.
    set(description) {
      const same = this.data && JSON.stringify(this.outline(this.data)) === JSON.stringify(this.outline(description));
      this.data = description;
      if (same) {
        this.feed();
        return;
      }
      this.zoom = null;
      this.log = description.y.scale === "log";
      this.shown = description.lines.map(() => true);
      if (!this.heading.textContent) this.heading.textContent = description.title;
      this.yLabel.textContent = description.y.label;
      this.box.setAttribute("aria-label", `${description.title}: ${description.y.label} against ${description.x.label}; `
        + "arrow keys read the points, plus and minus zoom, 0 shows all");
      this.logButton.setAttribute("aria-label", `Logarithmic y axis of ${description.title}`);
      this.logButton.setAttribute("aria-pressed", String(this.log));
      this.dataButton.setAttribute("aria-label", `Download the data of ${description.title}`);
      const keys = description.lines.map((line, i) => this.keyOf(line, i));
      this.outputs = keys.map((key) => key && key.lastChild);
      this.keys.replaceChildren(...keys.filter(Boolean));
      this.idle = `${description.x.label}: point at the figure, or drag to zoom`;
      this.build();
    }

    outline({ lines, title, x, y }) {
      return { title, x, y, lines: lines.map((line) => ({ ...line, x: 0, y: 0 })) };
    }

    keyOf(line, i) {
      if (!line.label) return null;
      const key = element("button", { type: "button", class: "key", "aria-pressed": "true" });
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      for (const [name, value] of Object.entries({ width: 30, height: 12, viewBox: "0 0 30 12", "aria-hidden": "true" })) svg.setAttribute(name, value);
      const look = { d: "M0 6H30", "stroke-width": line.bold ? 3 : 2, "stroke-dasharray": this.dashes(line).join(" ") };
      for (const [name, value] of Object.entries(look)) path.setAttribute(name, value);
      path.style.stroke = line.slot === null ? "var(--reference)" : `var(--arm-${line.slot % COLOURS})`;
      svg.append(path);
      key.append(svg, element("span", {}, line.label), element("output", { class: "readout-y" }));
      key.addEventListener("click", () => this.toggle(i, key));
      return key;
    }

    dashes(line) {
      return DASHES[(line.dash ?? 0) % DASHES.length];
    }

    // All lines over the same values of x, as uPlot wants them. Marks are drawn apart: several may have one x.
    aligned() {
      const { lines } = this.data;
      const first = lines[0]?.x ?? [];
      if (lines.every((line) => line.x === first && !line.marks)) return [first, ...lines.map((line) => line.y)];
      const joins = (line) => line.x.length > 0 && !line.marks;
      const tables = lines.filter(joins).map((line) => [line.x, line.y]);
      if (!tables.length) return [[], ...lines.map(() => [])];
      const [x, ...columns] = uPlot.join(tables);
      return [x, ...lines.map((line) => (joins(line) ? columns.shift() : x.map(() => undefined)))];
    }

    feed() {
      const columns = this.aligned();
      this.xs = columns[0];
      this.plot.setData(columns, this.zoom === null);
      if (this.zoom !== null) this.plot.redraw(true, true);
      this.setRange();
    }

    setRange() {
      const last = Math.max(this.xs.length - 1, 0);
      this.box.setAttribute("aria-valuemin", "0");
      this.box.setAttribute("aria-valuemax", String(last));
      if (this.index !== null && this.index > last) this.index = null;
      this.read(this.index);
    }

    key(event) {
      const factor = { "+": 0.5, "=": 0.5, "-": 2, 0: Infinity }[event.key];
      if (!factor || event.ctrlKey || event.altKey || event.metaKey || this.xs.length < 2) {
        super.key(event);
        return;
      }
      this.zoomBy(factor);
      event.preventDefault();
    }

    zoomBy(factor) {
      const { min, max } = this.plot.scales.x, [low, high] = this.xRange();
      const width = Math.min((max - min) * factor, high - low);
      const centre = this.index === null ? (min + max) / 2 : this.xs[this.index];
      const from = Math.min(Math.max(centre - width / 2, low), high - width);
      Charts.show(width >= high - low ? null : [from, from + width], this);
    }

    place(index) {
      return `${this.data.x.label} ${number(this.xs[index])}`;
    }

    text(line, index) {
      const value = this.plot.data[line + 1][index];
      return finite(value) ? number(value) : "";
    }

    xRange() {
      let [low, high] = this.data.x.range ?? [Infinity, -Infinity];
      if (!this.data.x.range) {
        // Lines to compare with go from edge to edge.
        for (const line of this.data.lines) {
          for (const x of line.slot === null ? [] : line.x) [low, high] = [Math.min(low, x), Math.max(high, x)];
        }
      }
      if (high === -Infinity) return [0.1, 1];
      if (this.data.x.scale === "log") return low > 0 ? [low / 1.15, high * 1.15] : [0.1, 10];
      return high > low ? [low, high] : [low - 0.5, high + 0.5];
    }

    // Without lines to compare with that are far above what is seen.
    yRange() {
      const [min, max] = this.zoom ?? this.xRange();
      const own = [], compared = [];
      this.data.lines.forEach((line, i) => {
        if (!this.shown[i]) return;
        const values = line.slot === null ? compared : own;
        line.y.forEach((value, j) => {
          if (!finite(value) || (this.log && value <= 0)) return;
          if (line.slot === null || (line.x[j] >= min && line.x[j] <= max)) values.push(value);
        });
      });
      let high = own.reduce((a, b) => Math.max(a, b), 0);
      const near = compared.filter((value) => value <= 2 * high || high === 0);
      high = near.reduce((a, b) => Math.max(a, b), high);
      if (this.log) {
        const low = [...own, ...near].reduce((a, b) => Math.min(a, b), Infinity);
        return low < Infinity ? [low / 1.2, Math.max(high, low) * 1.2] : [0.1, 10];
      }
      const low = own.reduce((a, b) => Math.min(a, b), 0);
      const top = this.data.y.top ?? (high || 1) * 1.05;
      return [low < 0 ? low * 1.05 : -LOW * top, top];
    }

    build() {
      this.clear();
      const columns = this.aligned(), axis = this.axis();
      this.xs = columns[0];
      const stepped = (align) => uPlot.paths.stepped({ align });
      const series = this.data.lines.map((line, i) => ({
        label: line.label, show: this.shown[i], stroke: colour(line), dash: this.dashes(line),
        width: line.bold ? 3 : line.label || line.slot === null ? 1.75 : 0.75, spanGaps: false,
        points: { show: false }, paths: line.step ? stepped(line.step) : undefined,
      }));
      this.plot = new uPlot({
        ...this.size(), series: [{}, ...series], legend: { show: false },
        scales: {
          x: { time: false, distr: this.data.x.scale === "log" ? 3 : 1, range: () => this.zoom ?? this.xRange() },
          y: { distr: this.log ? 3 : 1, range: () => this.yRange() },
        },
        axes: [{ ...axis, label: this.data.x.label, size: 30, labelSize: 20 }, { ...axis, size: 54 }],
        cursor: {
          y: false, drag: { x: true, y: false, setScale: false }, points: { size: 9, width: 2 },
          ...(this.linked ? { sync: { key: sync.key, setSeries: false, scales: ["x", null] } } : {}),
          bind: { dblclick: () => () => Charts.show(null, this) },
        },
        hooks: {
          draw: [(plot) => this.marks(plot)],
          setCursor: [(plot) => this.hover(plot)],
          setSelect: [(plot) => this.select(plot)],
        },
      }, columns, this.box);
      this.setRange();
    }

    marks(plot) {
      const { ctx, bbox } = plot, size = 4 * devicePixelRatio;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      ctx.globalAlpha = 0.6;
      this.data.lines.forEach((line, i) => {
        if (!line.marks || !this.shown[i]) return;
        ctx.fillStyle = colour(line);
        line.y.forEach((y, j) => {
          if (!finite(y) || (this.log && y <= 0)) return;
          ctx.fillRect(plot.valToPos(line.x[j], "x", true) - size / 2, plot.valToPos(y, "y", true) - size / 2, size, size);
        });
      });
      ctx.restore();
    }

    select(plot) {
      const { left, width } = plot.select;
      if (width < 4) return;
      const ends = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
      plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
      Charts.show(ends, this);
    }

    download() {
      const { lines, x, y, title } = this.data;
      const named = lines.map((line, i) => line.label || `line ${i + 1}`);
      const rows = [`${field(x.label)},${field("line")},${field(y.label)}`];
      lines.forEach((line, i) => line.x.forEach((at, j) => {
        if (finite(line.y[j])) rows.push(`${at},${field(named[i])},${line.y[j]}`);
      }));
      save(`${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.csv`, "text/csv", `${rows.join("\n")}\n`);
    }
  }

  // Shows a part of x, in all charts that are linked; null shows everything.
  function show(range, from) {
    for (const chart of drawn) {
      if (chart !== from && !(chart.linked && from.linked)) continue;
      chart.zoom = range;
      const [min, max] = range ?? chart.xRange();
      chart.plot.setScale("x", { min, max });
    }
  }

  const repaint = () => drawn.forEach((chart) => chart.build());

  // The theme: the reader's choice, else the system's; print is light.
  function theme(button, changed = () => {}) {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    const again = () => {
      button.setAttribute("aria-pressed", String(dark()));
      repaint();
      changed();
    };
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      again();
    });
    system.addEventListener("change", again);
    matchMedia("print").addEventListener("change", again);
    button.hidden = false;
    button.setAttribute("aria-pressed", String(dark()));
  }

  return { Chart, Plot, colour, css, element, finite, number, save, show, theme };
})();
