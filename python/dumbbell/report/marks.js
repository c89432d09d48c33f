// What charts are drawn with: numbers as text, lines and marks that differ without colour, axes with logarithms.
"use strict";
const Marks = (() => {
  const root = document.documentElement;
  const DASHES = [[], [10, 4], [2, 3], [10, 3, 2, 3], [16, 4], [6, 3, 2, 3, 2, 3], [1, 5]];
  const REFERENCE_DASHES = [[3, 3], [8, 3, 2, 3], [1, 4], [12, 3]];
  const COLOURS = 7;
  const SIZE = 12;
  const FONT = `${SIZE}px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif`;
  const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"]];

  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const variable = (slot) => (slot === null || slot === undefined ? "--reference" : `--arm-${slot % COLOURS}`);
  const colour = (line) => line.colour ?? css(variable(line.slot));
  const finite = (value) => value !== null && value !== undefined && Number.isFinite(value);

  function element(kind, attributes = {}, ...children) {
    const made = document.createElement(kind);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null) made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  function drawing(kind, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
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

  // The next of 1, 2 and 5 times a power of ten, up or down.
  function round(value, way) {
    const power = 10 ** Math.floor(Math.log10(value)), digits = [1, 2, 5, 10];
    const lead = value / power;
    return power * (way === Math.floor ? digits.findLast((d) => d <= lead * 1.0001) : digits.find((d) => d >= lead * 0.9999));
  }

  // Of a logarithmic axis: a line at each digit, and names of 1, 2 and 5 where there are few decades.
  const LOG = {
    splits: (_plot, _axis, min, max) => {
      const found = [];
      for (let power = 10 ** Math.floor(Math.log10(min)); power <= max; power *= 10) {
        for (let digit = 1; digit < 10; digit++) found.push(digit * power);
      }
      return found.filter((value) => value >= min * 0.9999 && value <= max * 1.0001);
    },
    filter: (_plot, splits) => splits,
    values: (_plot, splits) => splits.map((value) => {
      const digit = Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));
      const decades = Math.log10(splits.at(-1) / splits[0]);
      return digit === 1 || (decades < 2 && (digit === 2 || digit === 5)) || decades < 0.3 ? number(value) : "";
    }),
  };

  const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
  const largest = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);

  // Shapes of markers, so that lines differ without colour. `r` is half the size.
  const SHAPES = [
    (path, x, y, r) => path.arc(x, y, r, 0, 2 * Math.PI),
    (path, x, y, r) => path.rect(x - r, y - r, 2 * r, 2 * r),
    (path, x, y, r) => polygon(path, [[x, y - 1.2 * r], [x + 1.1 * r, y + r], [x - 1.1 * r, y + r]]),
    (path, x, y, r) => polygon(path, [[x, y - 1.35 * r], [x + 1.35 * r, y], [x, y + 1.35 * r], [x - 1.35 * r, y]]),
    (path, x, y, r) => polygon(path, [[x, y + 1.2 * r], [x + 1.1 * r, y - r], [x - 1.1 * r, y - r]]),
    (path, x, y, r) => { path.moveTo(x - r, y - r); path.lineTo(x + r, y + r); path.moveTo(x + r, y - r); path.lineTo(x - r, y + r); },
    (path, x, y, r) => { path.moveTo(x - r, y); path.lineTo(x + r, y); path.moveTo(x, y - r); path.lineTo(x, y + r); },
  ];
  const OPEN = 5; // shapes from here on have no inside

  // The same in a key, about (17, 7).
  const KEYS = [
    "M13 7a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z", "M13 3H21V11H13Z", "M17 2.2L21.4 11H12.6Z", "M17 1.6L22.4 7L17 12.4L11.6 7Z",
    "M17 11.8L21.4 3H12.6Z", "M13 3L21 11M21 3L13 11", "M13 7H21M17 3V11",
  ];

  function polygon(path, corners) {
    corners.forEach(([x, y], i) => (i ? path.lineTo(x, y) : path.moveTo(x, y)));
    path.closePath();
  }

  // What a line is: joined lines are uPlot's, and their points are read; others are drawn apart.
  const compared = (line) => line.slot === null || line.slot === undefined;
  const apart = (line) => line.path || line.marks || (compared(line) && line.x.length <= 2);
  const joined = (line) => line.x.length > 0 && !apart(line);
  // One value all the way, to compare with: from edge to edge, whatever is shown.
  const level = (line) => compared(line) && !line.path && line.x.length === 2 && line.y[0] === line.y[1];

  return {
    apart, colour, compared, css, drawing, element, field, finite, joined, largest, least, level, number,
    polygon, root, round, save, variable, DASHES, FONT, KEYS, LOG, OPEN, REFERENCE_DASHES, SHAPES, SIZE,
  };
})();
