// Charts in pages, drawn from descriptions. Needs uPlot, `marks.js`, and the colours of the page.
// A description: { id, title, note, code, lines, texts, x, y }. An axis: { label, scale, range, ticks, fit, bare }: `range` of what is
// shown, from left to right and from below to above; `ticks` as [place, name]; `fit` of y, "data" or from zero; `bare` without ticks.
// Of x, `categories` if the values are names. A line: { label, source, slot, dash, bold, step, x: [], y: [] }, and of these what it is:
//   low, high, text   ends of intervals, and what is said of a point
//   marker, size      the shape at each point; `marks` if no line joins them, `hollow` if the shape is empty
//   path              points in any order, null between pieces; `fill`, how opaque it is within; `arrow`, with a head at the end
// A step holds from its point on (1) or up to it (-1). A slot chooses the colour, unless the line has one that means something; null is
// something to compare with. Without a label a line has no key. A text: { x, y, text, dx, dy, align, on }; `on` is the line that it is written on.
"use strict";
const Charts = (() => {
  const {
    apart, colour, compared, css, drawing, element, field, finite, joined, largest, least, level, number,
    polygon, root, round, save, variable, DASHES, FONT, KEYS, LOG, OPEN, REFERENCE_DASHES, SHAPES, SIZE,
  } = Marks;
  const LOW = 0.03; // part of the height below zero, so that a line at zero is seen
  const NARROW = 520; // CSS pixels
  const PAGE = 0.1; // part of the points that a page key passes
  const ROW = 18; // CSS pixels of a name at the y axis
  const SLANTED = 100; // CSS pixels of a name that is slanted
  const NEAR = 30; // CSS pixels to the point that is read
  const MANY = 20; // points above which markers are smaller
  const BAND_OPACITY = 0.14;
  const MARKER = 4; // half the size of a marker, CSS pixels
  const drawn = new Set();

  class Chart {
    constructor(box, description, { linked = true } = {}) {
      this.element = box;
      this.linked = linked;
      this.index = null;
      this.plot = null;
      this.zoom = null;
      this.heights = [280, 230]; // wide and narrow, CSS pixels
      this.frame();
      this.set(description);
      this.listen();
      drawn.add(this);
    }

    // What stands around the drawing. A page may bring the heading, and an image for readers without scripts.
    frame() {
      this.heading = this.element.querySelector("h3, h4") ?? this.element.appendChild(element("h3"));
      this.box = this.element.querySelector(".plot") ?? this.element.appendChild(element("div", { class: "plot" }));
      this.yLabel = element("p", { class: "y-label", "aria-hidden": "true" });
      this.xLabel = element("p", { class: "x-label", "aria-hidden": "true" });
      this.logButton = element("button", { type: "button", class: "log switch", "aria-pressed": "false" }, "Log y");
      this.dataButton = element("button", { type: "button", class: "data" }, "Data");
      this.codeButton = element("button", { type: "button", class: "code switch", "aria-expanded": "false", hidden: "" }, "Code");
      this.tools = element("span", { class: "tools" }, this.logButton, this.dataButton, this.codeButton);
      this.code = element("pre", { class: "code", tabindex: "0", hidden: "" }, element("code"));
      this.keys = element("div", { class: "keys" });
      this.readout = element("p", { class: "readout-x" });
      this.note = element("p", { class: "note" });
      const head = element("div", { class: "figure-head" });
      this.heading.replaceWith(head);
      head.append(this.heading, this.tools);
      head.after(this.code);
      this.box.before(this.yLabel);
      this.box.after(this.xLabel, this.readout, this.keys, this.note);
      this.box.setAttribute("role", "slider");
      this.box.setAttribute("tabindex", "0");
    }

    listen() {
      this.box.addEventListener("keydown", (event) => this.key(event));
      this.box.addEventListener("focus", () => this.index === null && this.moveTo(0));
      this.box.addEventListener("blur", () => this.moveTo(null));
      this.logButton.addEventListener("click", () => this.setLog(!this.log));
      this.dataButton.addEventListener("click", () => this.download());
      this.codeButton.addEventListener("click", () => {
        this.code.hidden = !this.code.hidden;
        this.codeButton.setAttribute("aria-expanded", String(!this.code.hidden));
      });
      new ResizeObserver(() => this.resize()).observe(this.box);
      this.element.classList.add("live");
    }

    // Another description: other lines. The shape of the page stays.
    set(description) {
      const same = this.data && JSON.stringify(this.outline(this.data)) === JSON.stringify(this.outline(description));
      this.data = description;
      this.setCode();
      if (same) {
        this.feed();
        return;
      }
      const { x, y, lines, title } = description;
      this.zoom = null;
      this.log = y.scale === "log";
      this.shown = lines.map(() => true);
      if (!this.heading.textContent) this.heading.textContent = title;
      this.yLabel.textContent = y.label;
      this.xLabel.textContent = x.label;
      this.note.textContent = description.note ?? "";
      this.note.hidden = !description.note;
      const named = this.heading.textContent;
      const axes = [y.label, x.label].filter(Boolean).join(" against ");
      this.box.setAttribute("aria-label", `${named}: ${axes ? `${axes}; ` : ""}arrow keys read the points`
        + (this.zooms() ? ", plus and minus zoom, 0 shows all" : ""));
      this.logButton.hidden = Boolean(y.bare || y.ticks || x.bare);
      this.logButton.disabled = !lines.some((line) => line.y.some((value) => finite(value) && value > 0));
      this.logButton.setAttribute("aria-label", `Log y: logarithmic y axis of ${named}`);
      this.logButton.setAttribute("aria-pressed", String(this.log));
      this.dataButton.setAttribute("aria-label", `Data: download the numbers of ${named} as CSV`);
      this.codeButton.setAttribute("aria-label", `Code: the lines that draw ${named}`);
      this.code.setAttribute("aria-label", `The code of ${named}`);
      this.outputs = lines.map(() => null);
      const keys = lines.map((line, i) => this.keyOf(line, i));
      this.keys.replaceChildren(...keys.filter(Boolean));
      this.idle = this.zooms() ? "Point at the figure, or drag to zoom" : "Point at the figure";
      this.build();
    }

    setCode() {
      const { code } = this.data;
      this.codeButton.hidden = !code;
      if (!code) this.code.hidden = true;
      this.code.firstChild.textContent = code ?? "";
    }

    outline({ lines, title, x, y, texts }) {
      return { title, x, y, texts, lines: lines.map((line) => ({ ...line, x: 0, y: 0, low: 0, high: 0, text: 0 })) };
    }

    // Figures with this axis in common show the same part of it.
    axisKey() {
      const { x } = this.data;
      return this.linked && this.zooms() ? `${x.label} ${x.scale}` : null;
    }

    zooms() {
      const { x } = this.data;
      return !x.categories && !x.bare && !(x.ticks && this.data.y.ticks);
    }

    keyOf(line, i) {
      const { lines } = this.data;
      if (!line.label || lines.findIndex(({ label }) => label === line.label) < i) return null;
      const key = element("button", { type: "button", class: "key", "aria-pressed": "true" });
      const svg = drawing("svg", { width: 34, height: 14, viewBox: "0 0 34 14", "aria-hidden": "true", focusable: "false" });
      const look = { stroke: line.colour ?? `var(${variable(line.slot)})` };
      if (line.fill) {
        svg.append(drawing("path", { d: "M9 1H25V13H9Z", fill: look.stroke, "fill-opacity": line.fill, ...look }));
      } else {
        if (!line.marks) {
          const dash = this.dashes(line, i).join(" ");
          svg.append(drawing("path", { d: "M0 7H34", "stroke-width": line.bold ? 3 : 2, "stroke-dasharray": dash, ...look }));
        }
        if (line.marks || finite(line.marker)) {
          const shape = line.marker ?? 1, inside = line.hollow || shape >= OPEN ? "none" : look.stroke;
          svg.append(drawing("path", { d: KEYS[shape % KEYS.length], fill: inside, "stroke-width": 1.5, ...look }));
        }
      }
      key.append(svg, element("span", {}, line.label));
      if (line.source) key.append(element("span", { class: "muted" }, line.source));
      this.outputs[i] = key.appendChild(element("output", { class: "readout-y" }));
      key.addEventListener("click", () => this.toggle(line.label, key));
      return key;
    }

    toggle(label, key) {
      const on = key.getAttribute("aria-pressed") !== "true";
      key.setAttribute("aria-pressed", String(on));
      this.data.lines.forEach((line, i) => {
        if (line.label !== label) return;
        this.shown[i] = on;
        this.plot.setSeries(i + 1, { show: on });
      });
      this.plot.redraw(true, true);
      this.read(this.index);
    }

    setLog(log) {
      this.log = log;
      this.logButton.setAttribute("aria-pressed", String(log));
      this.build();
    }

    dashes(line, i) {
      if (!compared(line)) return DASHES[(line.dash ?? 0) % DASHES.length];
      return line.path && !finite(line.dash) ? [] : REFERENCE_DASHES[(line.dash ?? i) % REFERENCE_DASHES.length];
    }

    // Reading: with joined lines the values at a place of x; else one mark or text after the other.

    aligned() {
      const { lines } = this.data;
      const tables = lines.filter(joined);
      if (!tables.length) return [[...this.xRange()], ...lines.map(() => [null, null])];
      const first = tables[0].x;
      const usable = (line) => (this.log ? line.y.map((value) => (finite(value) && value > 0 ? value : null)) : line.y);
      if (tables.every((line) => line.x === first)) {
        return [first, ...lines.map((line) => (joined(line) ? usable(line) : first.map(() => null)))];
      }
      const [x, ...columns] = uPlot.join(tables.map((line) => [line.x, usable(line)]));
      return [x, ...lines.map((line) => (joined(line) ? columns.shift() : x.map(() => null)))];
    }

    // Marks, each with the text at its place, and texts that belong to no mark.
    itemsOf() {
      const { lines, texts = [] } = this.data, found = [], named = new Map();
      const place = (x, y) => `${x} ${y}`;
      for (const entry of texts) named.set(place(entry.x, entry.y), entry);
      const used = new Set();
      lines.forEach((line, i) => {
        if (!line.marks) return;
        line.x.forEach((x, j) => {
          if (!finite(x) || !finite(line.y[j])) return;
          const entry = named.get(place(x, line.y[j]));
          used.add(entry);
          found.push({ x, y: line.y[j], line: i, text: line.text?.[j] ?? "", name: entry?.text ?? "" });
        });
      });
      for (const entry of texts) {
        if (!used.has(entry)) found.push({ x: entry.x, y: entry.y, line: entry.on ?? null, text: "", name: entry.text });
      }
      return found;
    }

    count() {
      return this.items ? this.items.length : this.xs.length;
    }

    key(event) {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const factor = { "+": 0.5, "=": 0.5, "-": 2, 0: Infinity }[event.key];
      if (factor && this.zooms()) {
        this.zoomBy(factor);
        event.preventDefault();
        return;
      }
      const last = this.count() - 1, now = this.index ?? -1, page = Math.max(Math.round(last * PAGE), 1);
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
      const to = index !== null && index < this.count() ? index : null;
      if (!this.items) {
        const left = to === null ? -10 : this.plot.valToPos(this.xs[to], "x");
        this.plot.setCursor({ left, top: to === null ? -10 : 0 });
      }
      this.read(to);
    }

    // Shows the values at a point next to the keys, and tells assistive technology.
    read(index) {
      this.index = index;
      const { lines, x, y } = this.data;
      const texts = lines.map(() => "");
      let place = "", said = [];
      if (index !== null && this.items) {
        const item = this.items[index], line = item.line === null ? null : lines[item.line];
        const label = line?.label ?? "";
        const tick = (axis, value) => axis.ticks?.reduce((a, b) => (Math.abs(b[0] - value) < Math.abs(a[0] - value) ? b : a))[1];
        const at = (axis, value) => (axis.bare ? "" : `${axis.label} ${tick(axis, value) ?? number(value)}`.trim());
        said = [item.name, label === item.name ? "" : label, at(x, item.x), item.text || at(y, item.y)];
        place = said.filter(Boolean).join("; ");
        said = [];
      } else if (index !== null) {
        place = `${x.label} ${x.ticks && x.categories ? x.ticks[index][1] : number(this.xs[index])}`;
        lines.forEach((line, i) => { texts[i] = this.shown[i] && joined(line) ? this.text(i, index) : ""; });
        said = lines.map((line, i) => (texts[i] && line.label ? `${line.label} ${texts[i]}` : null));
      }
      this.outputs.forEach((output, i) => { if (output) output.textContent = texts[i]; });
      this.readout.textContent = place || this.idle;
      this.box.setAttribute("aria-valuenow", String(index ?? 0));
      this.box.setAttribute("aria-valuetext", [place, ...said].filter(Boolean).join("; ") || "no point chosen");
      this.point(index);
    }

    text(i, index) {
      const line = this.data.lines[i];
      if (line.text) {
        const j = line.x === this.xs ? index : line.x.indexOf(this.xs[index]);
        return line.text[j] ?? "";
      }
      const value = this.plot.data[i + 1][index];
      return finite(value) ? number(value) : "";
    }

    // A ring about the item that is read.
    point(index) {
      if (!this.ring) return;
      const item = index === null ? null : this.items?.[index];
      const { clientWidth, clientHeight } = this.plot.over;
      const [left, top] = item ? this.at(this.plot, item.x, item.y, false) : [-1, -1];
      this.ring.hidden = !(left >= 0 && left <= clientWidth && top >= 0 && top <= clientHeight);
      Object.assign(this.ring.style, { left: `${left}px`, top: `${top}px` });
    }

    hover(plot) {
      const { left, top } = plot.cursor;
      const inside = left >= 0;
      let index = inside ? plot.cursor.idx ?? null : null;
      if (this.items) {
        let best = NEAR ** 2;
        index = null;
        for (let i = 0; inside && i < this.items.length; i++) {
          const [x, y] = this.at(plot, this.items[i].x, this.items[i].y, false);
          const far = (x - left) ** 2 + (y - top) ** 2;
          if (far < best) [best, index] = [far, i];
        }
      }
      if (index !== this.index && (inside || document.activeElement !== this.box)) this.read(index);
    }

    // Sizes and ranges.

    size() {
      const width = Math.max(Math.floor(this.box.clientWidth), 160);
      const { aspect } = this.data;
      const height = this.heights[width < NARROW ? 1 : 0];
      const tall = aspect ? Math.min(Math.max(Math.round(width * aspect), height), 900) : height;
      const rows = ROW * (this.data.y.ticks ?? []).length; // so that their names do not touch
      return { width, height: Math.max(tall, rows) + this.slant(width) };
    }

    // What slanted names of x need, of the height; nothing if they have room side by side.
    slant(width) {
      const { ticks } = this.data.x, names = (ticks ?? []).map(([, name]) => name);
      if (!names.length || names.every((name) => Number.isFinite(Number(name)))) return 0;
      const longest = Math.min(largest(names.map((name) => this.widthOf(name))), SLANTED);
      return longest + 6 <= (width - 80) / names.length ? 0 : Math.round(longest * 0.72) + 8;
    }

    // A name as far as there is room; reading the point gives all of it.
    short(name, room = SLANTED) {
      if (this.widthOf(name) <= room) return name;
      let cut = name.length;
      while (cut > 1 && this.widthOf(`${name.slice(0, cut)}…`) > room) cut -= 1;
      return `${name.slice(0, cut)}…`;
    }

    resize() {
      const { width, height } = this.size();
      if (this.plot && (width !== this.plot.width || height !== this.plot.height)) this.build();
    }

    feed() {
      const columns = this.aligned();
      this.xs = columns[0];
      this.plot.setData(columns, this.zoom === null);
      if (this.zoom !== null) this.plot.redraw(true, true);
      this.setRange();
    }

    setRange() {
      this.items = this.data.lines.some(joined) ? null : this.itemsOf();
      const last = Math.max(this.count() - 1, 0);
      this.box.setAttribute("aria-valuemin", "0");
      this.box.setAttribute("aria-valuemax", String(last));
      if (this.index !== null && this.index > last) this.index = null;
      this.read(this.count() ? this.index : null);
    }

    zoomBy(factor) {
      const [min, max] = this.zoom ?? this.xRange(), [low, high] = this.xRange();
      const width = Math.min((max - min) * factor, high - low);
      const at = this.index === null ? null : (this.items ? this.items[this.index]?.x : this.xs[this.index]);
      const centre = at ?? (min + max) / 2;
      const from = Math.min(Math.max(centre - width / 2, low), high - width);
      show(width >= high - low ? null : [from, from + width], this);
    }

    xRange() {
      const { x, lines } = this.data;
      if (x.range) return x.range[0] < x.range[1] ? x.range : [x.range[1], x.range[0]];
      // Lines to compare with go from edge to edge.
      const own = lines.filter((line) => !compared(line) && line.x.length);
      const values = (own.length ? own : lines).flatMap((line) => line.x.filter(finite));
      const [low, high] = [least(values), largest(values)];
      if (high === -Infinity) return [0.1, 1];
      if (x.scale === "log") return low > 0 ? [low / 1.15, high * 1.15] : [0.1, 10];
      if (this.data.y.fit === "data") {
        const pad = (high - low || 1) * (x.categories ? 0.25 : 0.04);
        return [low - pad, high + pad];
      }
      return high > low ? [low, high] : [low - 0.5, high + 0.5];
    }

    yRange() {
      const { y } = this.data;
      if (y.range && !(this.log && Math.min(...y.range) <= 0)) {
        return y.range[0] < y.range[1] ? y.range : [y.range[1], y.range[0]];
      }
      return y.fit === "data" ? this.fitted() : this.fromZero();
    }

    // All that is shown, with room, and down to zero where that leaves most of the height to it.
    fitted() {
      const values = [];
      this.data.lines.forEach((line, i) => {
        if (this.shown[i]) values.push(...line.y, ...(line.low ?? []), ...(line.high ?? []));
      });
      const usable = values.filter((value) => finite(value) && (!this.log || value > 0));
      if (!usable.length) return this.log ? [0.1, 10] : [0, 1];
      const low = least(usable), high = largest(usable);
      if (this.log) return [round(low / 1.1, Math.floor), round(high * 1.1, Math.ceil)];
      // A count of nothing: an axis around zero would show less than nothing.
      if (low === 0 && high === 0) return [0, 1];
      const pad = (high - low || Math.abs(high) || 1) * 0.07;
      return [low >= 0 && low < 0.5 * high ? 0 : low - pad, high + pad];
    }

    // From zero, or a little below; without lines to compare with that are far above what is seen.
    fromZero() {
      const [min, max] = this.zoom ?? this.xRange();
      const own = [], beside = [];
      this.data.lines.forEach((line, i) => {
        if (!this.shown[i]) return;
        const values = compared(line) ? beside : own;
        line.y.forEach((value, j) => {
          if (!finite(value) || (this.log && value <= 0)) return;
          if (compared(line) || (line.x[j] >= min && line.x[j] <= max)) values.push(value);
        });
      });
      let high = Math.max(largest(own), 0);
      const near = beside.filter((value) => value <= 2 * high || high === 0);
      high = Math.max(largest(near), high);
      if (this.log) {
        const low = Math.min(least(own), least(near));
        return low < Infinity ? [low / 1.2, Math.max(high, low) * 1.2] : [0.1, 10];
      }
      const low = Math.min(least(own), 0);
      const top = this.data.y.top ?? (high || 1) * 1.05;
      return [low < 0 ? low * 1.05 : -LOW * top, top];
    }

    // Drawing.

    build() {
      if (this.plot) this.plot.destroy();
      else this.box.replaceChildren();
      const { x, y, lines } = this.data, columns = this.aligned(), { index } = this;
      this.xs = columns[0];
      const key = this.axisKey();
      const stepped = (align) => uPlot.paths.stepped({ align });
      const series = lines.map((line, i) => ({
        label: line.label, show: this.shown[i], stroke: colour(line), dash: this.dashes(line, i),
        width: line.bold ? 3 : line.low ? 2 : line.label || compared(line) ? 1.75 : 0.75, spanGaps: false,
        points: { show: false }, paths: x.categories || !joined(line) ? () => null : line.step ? stepped(line.step) : undefined,
      }));
      const reversed = (axis) => axis.range && axis.range[0] > axis.range[1];
      const written = (this.data.texts ?? []).length > 0;
      this.plot = new uPlot({
        ...this.size(), series: [{}, ...series], legend: { show: false },
        ...(written ? { padding: [18, null, null, null] } : {}),
        scales: {
          x: {
            time: false, distr: x.scale === "log" ? 3 : 1, dir: reversed(x) ? -1 : 1,
            range: () => this.zoom ?? this.xRange(),
          },
          y: { distr: this.log ? 3 : 1, dir: reversed(y) ? -1 : 1, range: () => this.yRange() },
        },
        axes: [this.axisOf(x, 0), this.axisOf(y, 1)],
        cursor: {
          x: !this.drawsApart(), y: false, drag: { x: this.zooms(), y: false, setScale: false },
          points: { show: !x.categories, size: 9, width: 2 },
          ...(key === null ? {} : { sync: { key: uPlot.sync(key).key, setSeries: false, scales: ["x", null] } }),
          bind: { dblclick: () => () => show(null, this) },
        },
        hooks: {
          drawAxes: [(plot) => this.under(plot)],
          draw: [(plot) => this.over(plot)],
          setCursor: [(plot) => this.hover(plot)],
          setSelect: [(plot) => this.select(plot)],
        },
      }, columns, this.box);
      this.ring = this.plot.over.appendChild(element("div", { class: "ring", hidden: "" }));
      this.setRange();
      this.reserve();
      if (index !== null && index < this.count()) this.moveTo(index);
    }

    // Room for the longest values: reading a point moves nothing, as figures with the same axis are read together.
    reserve() {
      if (this.items) return;
      const before = this.outputs.map((output) => output?.textContent);
      this.keys.style.minHeight = "";
      this.outputs.forEach((output, i) => {
        const { text } = this.data.lines[i];
        if (output && joined(this.data.lines[i])) output.textContent = text ? text.reduce((a, b) => (b.length > a.length ? b : a)) : "-0.0000k";
      });
      this.keys.style.minHeight = `${Math.ceil(this.keys.getBoundingClientRect().height)}px`;
      this.outputs.forEach((output, i) => { if (output) output.textContent = before[i]; });
    }

    drawsApart() {
      return !this.data.lines.some(joined);
    }

    axisOf(axis, side) {
      if (axis.bare) return { show: false };
      const grid = css("--grid");
      const look = {
        stroke: css("--text"), font: FONT, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 5 },
        values: (_plot, splits) => splits.map((split) => (split === null ? "" : number(split))),
      };
      if (!axis.ticks && (side ? this.log : axis.scale === "log")) Object.assign(look, LOG);
      if (!axis.ticks) return { ...look, size: side ? 54 : 30 };
      // Names stand where their values are; of crowded ones only some, or slanted.
      const names = axis.ticks.map(([, name]) => name), width = largest(names.map((name) => this.widthOf(name)));
      const named = { ...look, splits: () => axis.ticks.map(([place]) => place), filter: (_plot, splits) => splits, values: () => names };
      if (axis.categories || this.data.y.ticks) named.grid = { show: false };
      const beside = this.size().width / 3;
      if (side) return { ...named, size: Math.min(width, beside) + 14, values: () => names.map((name) => this.short(name, beside)) };
      const all = this.size().width, slant = this.slant(all);
      if (slant) return { ...named, size: 30 + slant, rotate: 45, values: () => names.map((name) => this.short(name)) };
      const every = Math.ceil((width + 6) / ((all - 80) / names.length));
      return { ...named, size: 30, values: () => names.map((name, i) => (i % every ? "" : name)) };
    }

    widthOf(text) {
      Chart.measure ??= document.createElement("canvas").getContext("2d");
      Chart.measure.font = FONT;
      return Chart.measure.measureText(text).width;
    }

    at(plot, x, y, canvas = true) {
      const height = this.log && y <= 0 ? plot.scales.y.min : y;
      return [plot.valToPos(x, "x", canvas), plot.valToPos(height, "y", canvas)];
    }

    within(plot, draw) {
      const { ctx, bbox } = plot;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      draw(ctx);
      ctx.restore();
    }

    // Beneath the lines: areas, intervals, and what lines compare with.
    under(plot) {
      this.within(plot, (ctx) => this.data.lines.forEach((line, i) => {
        if (!this.shown[i]) return;
        if (line.path || (apart(line) && !line.marks)) this.path(plot, ctx, line, i);
        if (!line.low) return;
        if (!this.data.x.categories) this.band(plot, ctx, line);
        this.bars(plot, ctx, line, i);
      }));
    }

    over(plot) {
      this.within(plot, (ctx) => this.data.lines.forEach((line, i) => {
        if (this.shown[i] && (line.marks || finite(line.marker))) this.markers(plot, ctx, line, i);
      }));
      this.texts(plot);
    }

    path(plot, ctx, line, i) {
      const ratio = devicePixelRatio, xs = level(line) ? [plot.scales.x.min, plot.scales.x.max] : line.x;
      ctx.beginPath();
      let open = false, before = null, last = null;
      const heads = [];
      xs.forEach((x, j) => {
        if (!finite(x) || !finite(line.y[j])) {
          if (open && line.arrow) heads.push([before, last]);
          open = false;
          return;
        }
        let [left, top] = this.at(plot, x, line.y[j]);
        // Cells side by side have no seams.
        if (line.fill && line.edge === false) [left, top] = [Math.round(left), Math.round(top)];
        if (open && line.step) ctx.lineTo(...(line.step === 1 ? [left, last[1]] : [last[0], top]));
        ctx[open ? "lineTo" : "moveTo"](left, top);
        [before, last, open] = [open ? last : null, [left, top], true];
      });
      if (open && line.arrow) heads.push([before, last]);
      ctx.strokeStyle = ctx.fillStyle = colour(line);
      if (line.fill) {
        ctx.globalAlpha = line.fill;
        ctx.fill("evenodd");
        ctx.globalAlpha = 1;
        if (line.edge === false) return;
      }
      ctx.lineWidth = (line.bold ? 3 : line.fill ? 1 : 1.5) * ratio;
      ctx.setLineDash(this.dashes(line, i).map((length) => length * ratio));
      ctx.stroke();
      ctx.setLineDash([]);
      heads.forEach(([from, to]) => from && this.head(ctx, from, to));
    }

    head(ctx, [x1, y1], [x2, y2]) {
      const angle = Math.atan2(y2 - y1, x2 - x1), r = 7 * devicePixelRatio;
      ctx.beginPath();
      for (const side of [-0.4, 0.4]) {
        ctx.moveTo(x2, y2);
        ctx.lineTo(x2 - r * Math.cos(angle + side), y2 - r * Math.sin(angle + side));
      }
      ctx.stroke();
    }

    band(plot, ctx, line) {
      ctx.fillStyle = colour(line);
      ctx.globalAlpha = BAND_OPACITY;
      // One piece between each two neighbours that both have an interval.
      for (let i = 1; i < line.x.length; i++) {
        const ends = [line.low[i - 1], line.high[i - 1], line.low[i], line.high[i]];
        if (!ends.every(finite) || (this.log && ends.some((end) => end <= 0))) continue;
        const piece = [[line.x[i - 1], ends[0]], [line.x[i - 1], ends[1]], [line.x[i], ends[3]], [line.x[i], ends[2]]];
        ctx.beginPath();
        polygon(ctx, piece.map(([x, y]) => this.at(plot, x, y)));
        ctx.fill();
      }
      ctx.globalAlpha = 1;
    }

    // Lines over the same category stand side by side.
    dodge(i) {
      if (!this.data.x.categories || compared(this.data.lines[i])) return 0;
      const own = this.data.lines.filter((line) => !compared(line)), wide = this.plot ? this.plot.bbox.width : 0;
      const step = Math.min(16 * devicePixelRatio, wide / (own.length * Math.max(this.xs.length, 1)) / 1.3 || 16);
      return (own.indexOf(this.data.lines[i]) - (own.length - 1) / 2) * step;
    }

    bars(plot, ctx, line, i) {
      const cap = 4 * devicePixelRatio;
      ctx.strokeStyle = colour(line);
      ctx.lineWidth = 1.25 * devicePixelRatio;
      ctx.beginPath();
      line.x.forEach((value, j) => {
        if (!finite(line.low[j]) || !finite(line.high[j]) || (this.log && line.high[j] <= 0)) return;
        const [centre, bottom] = this.at(plot, value, line.low[j]);
        const top = this.at(plot, value, line.high[j])[1], x = centre + this.dodge(i);
        ctx.moveTo(x, bottom); ctx.lineTo(x, top);
        ctx.moveTo(x - cap, bottom); ctx.lineTo(x + cap, bottom);
        ctx.moveTo(x - cap, top); ctx.lineTo(x + cap, top);
      });
      ctx.stroke();
    }

    markers(plot, ctx, line, i) {
      const { lines } = this.data, crowded = line.x.length > MANY ? 0.6 : 1;
      // Earlier ones are larger, so that none hides another at the same place.
      const order = line.low ? 1 + 0.6 * (1 - (i + 1) / lines.length) : 1;
      const r = (line.size ?? MARKER * crowded) * order * devicePixelRatio, shape = line.marker ?? 1;
      ctx.beginPath();
      line.y.forEach((y, j) => {
        if (!finite(y) || !finite(line.x[j]) || (this.log && y <= 0)) return;
        const [left, top] = this.at(plot, line.x[j], y), place = left + this.dodge(i);
        ctx.moveTo(place + r, top);
        SHAPES[shape % SHAPES.length](ctx, place, top, r);
      });
      ctx.fillStyle = ctx.strokeStyle = colour(line);
      ctx.lineWidth = 1.5 * devicePixelRatio;
      if (line.hollow) ctx.fillStyle = css("--background");
      ctx.globalAlpha = line.marks && line.x.length > MANY ? 0.6 : 1;
      if (shape < OPEN) ctx.fill();
      if (shape >= OPEN || line.hollow || line.low) ctx.stroke();
      ctx.globalAlpha = 1;
    }

    // Of texts that would lie on each other, the first; within the canvas.
    texts(plot) {
      const { ctx } = plot, ratio = devicePixelRatio, { texts = [] } = this.data, boxes = [];
      if (!texts.length) return;
      ctx.save();
      ctx.font = FONT.replace(/^\d+/, SIZE * ratio);
      ctx.textBaseline = "middle";
      const [xMin, xMax] = [plot.scales.x.min, plot.scales.x.max];
      for (const { x, y, text: whole, dx = 0, dy = 0, align = "center", on } of texts) {
        if (x < xMin || x > xMax || (on !== undefined && !this.shown[on])) continue;
        const room = on === undefined ? Infinity : this.room(plot, x, y);
        // In a narrow cell the number without its interval, or nothing.
        const fits = this.widthOf(whole) < room ? whole : whole.split(" ")[0];
        if (this.widthOf(fits) >= room) continue;
        const text = this.short(fits, plot.width / 2), [left, top] = this.at(plot, x, y), wide = ctx.measureText(text).width;
        let from = left + dx * ratio - wide * { left: 0, center: 0.5, right: 1 }[align];
        from = Math.min(Math.max(from, 0), Math.max(ctx.canvas.width - wide, 0));
        const middle = top + dy * ratio, half = SIZE * 0.6 * ratio;
        const box = [from - ratio, middle - half, from + wide + ratio, middle + half];
        if (boxes.some((b) => box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3])) continue;
        boxes.push(box);
        ctx.textAlign = "left";
        ctx.fillStyle = on === undefined ? css("--text") : this.ink(on);
        ctx.fillText(text, from, middle);
      }
      ctx.restore();
    }

    // CSS pixels from a text to the next one of its row.
    room(plot, x, y) {
      const others = this.data.texts.filter((entry) => entry.y === y && entry.x !== x);
      return least(others.map((entry) => Math.abs(plot.valToPos(entry.x, "x") - plot.valToPos(x, "x"))));
    }

    // Black or white, whichever is easier to read on what a line is filled with (WCAG 2.2, relative luminance).
    ink(on) {
      const line = this.data.lines[on], part = line.fill ?? 1;
      const rgb = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
      const behind = rgb(css("--background"));
      const mixed = rgb(colour(line)).map((value, i) => part * value + (1 - part) * behind[i]);
      const [r, g, b] = mixed.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
      const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
      return (light + 0.05) / 0.05 > 1.05 / (light + 0.05) ? "#000000" : "#ffffff";
    }

    select(plot) {
      const { left, width } = plot.select;
      if (width < 4) return;
      const ends = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")].sort((a, b) => a - b);
      plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
      show(ends, this);
    }

    // The numbers, one point a row; intervals and names of points where there are any.
    csv() {
      const { lines, x, y, texts = [] } = this.data;
      const spread = lines.some((line) => line.low), named = !lines.some(joined) && texts.length;
      const heads = [x.label || "x", "line", y.label || "y", ...(spread ? ["low", "high"] : []), ...(named ? ["name"] : [])];
      const rows = [heads.map(field).join(",")];
      const place = (value) => (x.categories ? field(x.ticks[value][1]) : value);
      const names = new Map(named ? texts.map((entry) => [`${entry.x} ${entry.y}`, entry.text]) : []);
      const used = new Set();
      lines.forEach((line, i) => line.x.forEach((at, j) => {
        if (!finite(at) || !finite(line.y[j])) return;
        const row = [place(at), field(line.label || `line ${i + 1}`), line.y[j]];
        if (spread) row.push(line.low?.[j] ?? "", line.high?.[j] ?? "");
        const name = line.marks ? `${at} ${line.y[j]}` : "";
        if (named) row.push(names.has(name) ? field(names.get(name)) : "");
        used.add(name);
        rows.push(row.join(","));
      }));
      if (named) {
        for (const entry of texts) {
          if (used.has(`${entry.x} ${entry.y}`)) continue;
          const label = entry.on === undefined ? "" : lines[entry.on].label ?? "";
          rows.push([entry.x, field(label), entry.y, ...(spread ? ["", ""] : []), field(entry.text)].join(","));
        }
      }
      return `${rows.join("\n")}\n`;
    }

    download() {
      save(`${this.heading.textContent.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 80)}.csv`, "text/csv", this.csv());
    }
  }

  // Shows a part of x, in all charts with this axis; null shows everything.
  function show(range, from) {
    const key = from.axisKey();
    for (const chart of drawn) {
      if (chart !== from && (key === null || chart.axisKey() !== key)) continue;
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

  return { Chart, colour, css, element, finite, number, save, show, theme };
})();
