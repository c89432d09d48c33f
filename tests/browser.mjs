// Runs a scenario in the module of WebAssembly: node browser.mjs MODULE SCENARIO OUTPUT [PAUSE ...], with pauses in seconds.

import { readFileSync, writeFileSync } from "node:fs";

const [module, scenario, output, ...pauses] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
const { memory, room, start, advance, tables, said } = instance.exports;

// The memory may move whenever the module takes more of it.
const told = (bytes) => Buffer.from(memory.buffer, said(), bytes);

const text = readFileSync(scenario);
const place = room(text.length);
Buffer.from(memory.buffer, place, text.length).set(text);
const refused = start();
if (refused > 0) {
  console.error(told(refused).toString());
  process.exit(2);
}
for (const pause of pauses) {
  while (advance(Number(pause), 1000) === 3);
}
const began = process.cpuUsage();
if (advance(Infinity, 0xffffffff) !== 1) {
  throw new Error("the run has not ended");
}
// Seconds of the processor, from the last pause on.
const { user, system } = process.cpuUsage(began);
console.log((user + system) / 1e6);
const bytes = tables();
writeFileSync(output, told(bytes));
