// Runs scenarios in the module of WebAssembly, in slices, so that a new scenario ends the one before at once.
"use strict";
const SLICE_EVENTS = 100000; // some milliseconds
const SLICE_MS = 25;
let exports = null;
let job = null;

const said = (bytes) => new Uint8Array(exports.memory.buffer, exports.said() >>> 0, bytes >>> 0).slice();
const text = (bytes) => new TextDecoder().decode(said(bytes));

function write(bytes) {
  // Addresses above 2 GB are less than zero to JavaScript.
  const place = exports.room(bytes.length) >>> 0;
  // The memory may move whenever the module takes more of it.
  new Uint8Array(exports.memory.buffer, place, bytes.length).set(bytes);
}

async function load(zipped) {
  const stream = new Blob([zipped]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { instance } = await WebAssembly.instantiate(await new Response(stream).arrayBuffer(), {});
  exports = instance.exports;
  postMessage({ kind: "ready" });
}

function give({ source, image }) {
  const lines = new TextEncoder().encode(source), both = new Uint8Array(lines.length + image.length);
  both.set(lines);
  both.set(image, lines.length);
  write(both);
  const refused = exports.law(lines.length);
  if (refused) throw new Error(text(refused));
}

function start({ id, toml, law, duration, steps }) {
  job = null;
  if (law) give(law);
  write(new TextEncoder().encode(toml));
  const refused = exports.start();
  if (refused) {
    postMessage({ kind: "refused", id, line: text(refused) });
    return;
  }
  postMessage({ kind: "network", id, network: JSON.parse(text(exports.network())) });
  job = { id, duration, steps, step: 0, began: performance.now() };
  exports.advance(0, 0);
  go();
}

// One slice; then messages are read.
function go() {
  const mine = job;
  if (!mine) return;
  const rows = [], slice = performance.now();
  let ended = false;
  while (!ended && performance.now() - slice < SLICE_MS) {
    const until = (mine.step + 1) * mine.duration / mine.steps;
    const state = exports.advance(mine.step + 1 === mine.steps ? Infinity : until, SLICE_EVENTS);
    if (state === 3) continue;
    ended = state !== 0;
    mine.step += 1;
    if (!ended) rows.push(new Float64Array(said(exports.peek()).buffer));
  }
  postMessage({ kind: "rows", id: mine.id, rows });
  if (!ended) {
    setTimeout(go, 0);
    return;
  }
  const took = performance.now() - mine.began;
  const tables = said(exports.tables());
  postMessage({ kind: "done", id: mine.id, took, tables }, [tables.buffer]);
  job = null;
}

function packets({ id, from, until, most }) {
  const numbers = new Float64Array(said(exports.packets(from, until, most)).buffer);
  postMessage({ kind: "packets", id, from, until, most, numbers }, [numbers.buffer]);
}

const DO = { load: ({ zipped }) => load(zipped), start, packets, stop: () => { job = null; } };

onmessage = async ({ data }) => {
  try {
    await DO[data.kind](data);
  } catch (error) {
    job = null;
    postMessage({ kind: "failed", id: data.id, line: String(error.message ?? error) });
  }
};
