// Draws the figures of a study from the numbers in its page: lines with intervals, over numbers or over names. Needs `charts.js`.
// Runs once, when the page has been read.
"use strict";
(() => {
  const { Plot, colour, css, finite } = Charts;
  const DASHES = [[], [9, 4], [2, 3], [9, 3, 2, 3], [14, 4], [5, 3, 5, 3, 1, 3], [1, 5]];
  const REFERENCE_DASHES = [[3, 3], [8, 3, 2, 3], [1, 4], [12, 3]];
  const BAND_OPACITY = 0.14;
  const MARKER = 4; // half the size of a marker, CSS pixels
  const MANY = 20; // values of an axis above which markers are smaller
  const HEIGHTS = [320, 260]; // wide and narrow, CSS pixels

  const dash = (line) => DASHES[line.slot % DASHES.length];

  function number(value) {
    if (value === null || value === undefined) return "";
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e6 || size < 1e-4)) return value.toExponential().replace("e+", "e");
    return String(Number(value.toPrecision(6)));
  }

  // The next of 1, 2 and 5 times a power of ten, up or down.
  function round(value, way) {
    const power = 10 ** Math.floor(Math.log10(value)), digits = [1, 2, 5, 10];
    const lead = value / power;
    return power * (way === Math.floor ? digits.findLast((d) => d <= lead * 1.0001) : digits.find((d) => d >= lead * 0.9999));
  }

  // Marker shapes by slot, so that arms differ without colour. `r` is half the size.
  const SHAPES = [
    (path, x, y, r) => path.arc(x, y, r, 0, 2 * Math.PI),
    (path, x, y, r) => path.rect(x - r, y - r, 2 * r, 2 * r),
    (path, x, y, r) => polygon(path, [[x, y - 1.2 * r], [x + 1.1 * r, y + r], [x - 1.1 * r, y + r]]),
    (path, x, y, r) => polygon(path, [[x, y - 1.35 * r], [x + 1.35 * r, y], [x, y + 1.35 * r], [x - 1.35 * r, y]]),
    (path, x, y, r) => polygon(path, [[x, y + 1.2 * r], [x + 1.1 * r, y - r], [x - 1.1 * r, y - r]]),
    (path, x, y, r) => { path.moveTo(x - r, y - r); path.lineTo(x + r, y + r); path.moveTo(x + r, y - r); path.lineTo(x - r, y + r); },
    (path, x, y, r) => { path.moveTo(x - r, y); path.lineTo(x + r, y); path.moveTo(x, y - r); path.lineTo(x, y + r); },
  ];

  function polygon(path, corners) {
    corners.forEach(([x, y], i) => (i ? path.lineTo(x, y) : path.moveTo(x, y)));
    path.closePath();
  }

  class Figure extends Plot {
    constructor(data, element) {
      super(element);
      this.data = data;
      this.heights = HEIGHTS;
      this.xs = data.x.values;
      this.box = element.querySelector(".plot");
      this.log = data.y.scale === "log";
      this.shown = data.lines.map(() => true);
      this.readout = element.querySelector(".readout-x");
      this.idle = this.readout.dataset.idle;
      this.outputs = [...element.querySelectorAll(".readout-y")];
      this.logButton = element.querySelector(".log");
      const keys = element.querySelectorAll(".key[aria-pressed]");
      keys.forEach((key, i) => key.addEventListener("click", () => this.toggle(i, key)));
      if (this.positive().length) this.logButton.addEventListener("click", () => this.setLog(!this.log));
      else this.logButton.disabled = true;
      this.logButton.setAttribute("aria-pressed", String(this.log));
      this.build();
      this.listen();
    }

    positive() {
      return this.data.lines.flatMap((line) => line.value).filter((value) => finite(value) && value > 0);
    }

    place(index) {
      return `${this.data.x.name} ${this.data.x.names[index]}`;
    }

    text(line, index) {
      return this.data.lines[line].text[index];
    }

    tick(value) {
      return number(value);
    }

    yRange() {
      const values = this.data.references.flatMap((reference) => reference.y);
      this.data.lines.forEach((line, i) => {
        if (this.shown[i]) values.push(...line.value, ...line.low, ...line.high);
      });
      const usable = values.filter((value) => finite(value) && (!this.log || value > 0));
      if (!usable.length) return this.log ? [0.1, 10] : [0, 1];
      const low = Math.min(...usable), high = Math.max(...usable);
      if (this.log) return [round(low / 1.1, Math.floor), round(high * 1.1, Math.ceil)];
      // A count of nothing: an axis around zero would show less than nothing.
      if (low === 0 && high === 0) return [0, 1];
      const pad = (high - low || Math.abs(high) || 1) * 0.07;
      // Down to zero where that leaves most of the height to the data.
      return [low >= 0 && low < 0.5 * high ? 0 : low - pad, high + pad];
    }

    xRange() {
      const values = this.data.x.values, low = Math.min(...values), high = Math.max(...values);
      if (this.data.x.scale === "log") return [low / 1.15, high * 1.15];
      const pad = (high - low || 1) * (this.data.x.categories ? 0.25 : 0.04);
      return [low - pad, high + pad];
    }

    build() {
      this.clear();
      const { data, index } = this, axis = this.axis();
      const series = data.lines.map((line, i) => ({
        label: line.label, show: this.shown[i], stroke: colour(line), dash: dash(line), width: 2,
        points: { show: false }, paths: data.x.categories ? () => null : undefined,
      }));
      const columns = data.lines.map((line) => line.value.map((value) =>
        (finite(value) && (!this.log || value > 0) ? value : null)));
      this.plot = new uPlot({
        ...this.size(), series: [{}, ...series], legend: { show: false },
        scales: {
          x: { time: false, distr: data.x.scale === "log" ? 3 : 1, range: () => this.xRange() },
          y: { distr: this.log ? 3 : 1, range: () => this.yRange() },
        },
        axes: [
          { ...axis, label: data.x.label, size: 32, labelSize: 22, ...this.ticks() },
          { ...axis, size: 52 },
        ],
        cursor: { y: false, drag: { x: false, y: false }, points: { show: !data.x.categories, size: 11, width: 2 } },
        hooks: {
          drawAxes: [(plot) => this.under(plot)],
          draw: [(plot) => this.over(plot)],
          setCursor: [(plot) => this.hover(plot)],
        },
      }, [data.x.values, ...columns], this.box);
      if (index !== null) this.moveTo(index);
    }

    // Categories have their names where they stand; numbers have a tick at each value while these are few.
    ticks() {
      const { x } = this.data;
      if (x.ticks.length) return { splits: () => x.ticks, filter: (_plot, splits) => splits };
      if (!x.categories) return {};
      return { splits: () => x.values, values: () => x.names, grid: { show: false } };
    }

    // Bands and bars of the intervals and the references, beneath the lines.
    under(plot) {
      const { ctx } = plot;
      ctx.save();
      ctx.beginPath();
      ctx.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
      ctx.clip();
      this.data.references.forEach((reference, i) => this.reference(plot, reference, i));
      this.data.lines.forEach((line, i) => {
        if (!this.shown[i]) return;
        if (!this.data.x.categories) this.band(plot, line);
        this.bars(plot, line, i);
      });
      ctx.restore();
    }

    at(plot, x, y) {
      const floor = plot.scales.y.min;
      const height = this.log && y <= 0 ? floor : y;
      return [plot.valToPos(x, "x", true), plot.valToPos(height, "y", true)];
    }

    reference(plot, { x, y, marks }, i) {
      const { ctx } = plot, ratio = devicePixelRatio;
      if (marks) return;
      const xs = x.length ? x : [plot.scales.x.min, plot.scales.x.max];
      const ys = x.length ? y : [y[0], y[0]];
      ctx.beginPath();
      xs.forEach((value, i) => ctx[i ? "lineTo" : "moveTo"](...this.at(plot, value, ys[i])));
      ctx.strokeStyle = css("--reference");
      ctx.lineWidth = 1.5 * ratio;
      ctx.setLineDash(REFERENCE_DASHES[i % REFERENCE_DASHES.length].map((length) => length * ratio));
      ctx.stroke();
      ctx.setLineDash([]);
    }

    // Points without a line, above what the study draws, as they may lie on it: upright and slanted crosses in turn.
    crosses(plot, { x: xs, y: ys }, i) {
      const { ctx } = plot, r = MARKER * devicePixelRatio;
      ctx.setLineDash([]);
      ctx.beginPath();
      xs.forEach((value, j) => {
        const [x, y] = this.at(plot, value, ys[j]);
        const arms = i % 2 ? [[-r, -r, r, r], [-r, r, r, -r]] : [[-r, 0, r, 0], [0, -r, 0, r]];
        arms.forEach(([fromX, fromY, toX, toY]) => {
          ctx.moveTo(x + fromX, y + fromY);
          ctx.lineTo(x + toX, y + toY);
        });
      });
      ctx.strokeStyle = css("--reference");
      ctx.lineWidth = 1.5 * devicePixelRatio;
      ctx.stroke();
    }

    band(plot, line) {
      const { ctx } = plot, xs = this.data.x.values;
      ctx.fillStyle = colour(line);
      ctx.globalAlpha = BAND_OPACITY;
      // One piece between each two neighbours that both have an interval.
      for (let i = 1; i < xs.length; i++) {
        const ends = [line.low[i - 1], line.high[i - 1], line.low[i], line.high[i]];
        if (!ends.every(finite) || (this.log && ends.some((end) => end <= 0))) continue;
        const piece = [[xs[i - 1], ends[0]], [xs[i - 1], ends[1]], [xs[i], ends[3]], [xs[i], ends[2]]];
        ctx.beginPath();
        polygon(ctx, piece.map(([x, y]) => this.at(plot, x, y)));
        ctx.fill();
      }
      ctx.globalAlpha = 1;
    }

    // Arms over the same category stand side by side.
    dodge(i) {
      return this.data.x.categories ? (i - (this.data.lines.length - 1) / 2) * 16 * devicePixelRatio : 0;
    }

    bars(plot, line, i) {
      const { ctx } = plot, cap = 4 * devicePixelRatio;
      ctx.strokeStyle = colour(line);
      ctx.lineWidth = 1.25 * devicePixelRatio;
      ctx.beginPath();
      this.data.x.values.forEach((value, j) => {
        if (!finite(line.low[j]) || !finite(line.high[j]) || (this.log && line.high[j] <= 0)) return;
        const [centre, bottom] = this.at(plot, value, line.low[j]);
        const top = this.at(plot, value, line.high[j])[1], x = centre + this.dodge(i);
        ctx.moveTo(x, bottom); ctx.lineTo(x, top);
        ctx.moveTo(x - cap, bottom); ctx.lineTo(x + cap, bottom);
        ctx.moveTo(x - cap, top); ctx.lineTo(x + cap, top);
      });
      ctx.stroke();
    }

    over(plot) {
      this.markers(plot);
      const { ctx } = plot;
      ctx.save();
      this.data.references.forEach((reference, i) => reference.marks && this.crosses(plot, reference, i));
      ctx.restore();
    }

    markers(plot) {
      const { ctx } = plot, few = this.data.x.values.length <= MANY ? 1 : 0.6;
      ctx.save();
      this.data.lines.forEach((line, i) => {
        if (!this.shown[i]) return;
        // Earlier ones are larger, so that none hides another at the same place.
        const r = few * MARKER * devicePixelRatio * (1 + 0.6 * (1 - (i + 1) / this.data.lines.length));
        ctx.beginPath();
        line.value.forEach((value, j) => {
          if (!finite(value) || (this.log && value <= 0)) return;
          const [x, y] = this.at(plot, this.data.x.values[j], value);
          const place = x + this.dodge(i);
          ctx.moveTo(place + r, y);
          SHAPES[line.slot % SHAPES.length](ctx, place, y, r);
        });
        ctx.fillStyle = ctx.strokeStyle = colour(line);
        ctx.lineWidth = 1.5 * devicePixelRatio;
        ctx.fill();
        ctx.stroke();
      });
      ctx.restore();
    }
  }

  for (const data of JSON.parse(document.getElementById("figures-data").textContent)) {
    new Figure(data, document.getElementById(`figure-${data.id}`));
  }
  Charts.theme(document.getElementById("theme"));
})();
