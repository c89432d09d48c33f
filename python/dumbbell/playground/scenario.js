// What the sliders say: their ranges, the scenario that they make, the address that holds them.
"use strict";
const Scenario = (() => {
  // Positions of a slider on a logarithmic scale, as round numbers.
  const steps = (low, high) => {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
      for (const digit of [1, 1.5, 2, 3, 4, 5, 7]) found.push(Number((digit * 10 ** power).toPrecision(2)));
    }
    return found.filter((value) => value >= low && value <= high);
  };
  const whole = (low, high) => Array.from({ length: high - low + 1 }, (_, i) => low + i);

  const SLIDERS = {
    rate: { name: "Rate of the bottleneck", unit: "Mbit/s", values: steps(1, 1000), usual: 20 },
    rtt: { name: "Round-trip time", unit: "ms", values: steps(0.2, 300), usual: 40 },
    buffer: { name: "Buffer", unit: "× rate × RTT", values: steps(0.1, 20), usual: 1 },
    loss: { name: "Random loss", unit: "%", values: [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5], usual: 0 },
    flowsA: { name: "Flows of A", unit: "", values: whole(1, 32), usual: 1 },
    flowsB: { name: "Flows of B", unit: "", values: whole(0, 32), usual: 1 },
    farther: { name: "Round-trip time of B", unit: "× that of A", values: [1, 1.5, 2, 3, 4, 6, 8, 10], usual: 1 },
    size: { name: "Size of a flow", unit: "kB", values: [...steps(10, 100000), Infinity], usual: Infinity },
    duration: { name: "Simulated time", unit: "s", values: steps(0.5, 120), usual: 20 },
  };
  const QUEUES = {
    droptail: "DropTail", codel: "CoDel", "fq-codel": "FQ-CoDel", pie: "PIE", red: "RED", dualpi2: "DualPI2 (L4S)", cake: "CAKE",
  };
  const LIMITED = new Set(["droptail", "codel", "pie", "red"]);
  const CONTROLLERS = ["cubic", "newreno", "bbr", "bbr3", "prague", "dctcp", "vegas", "copa", "ledbat", "westwood", "illinois", "htcp", "scalable"];

  const usual = () => ({
    ...Object.fromEntries(Object.entries(SLIDERS).map(([name, slider]) => [name, slider.usual])),
    queue: "droptail", a: "cubic", b: "newreno",
  });

  const nearest = (values, value) => values.reduce((best, v) => (Math.abs(Math.log((v || 1e-9) / (value || 1e-9)))
    < Math.abs(Math.log((best || 1e-9) / (value || 1e-9))) ? v : best));

  function read(words) {
    const found = usual();
    for (const [name, slider] of Object.entries(SLIDERS)) {
      const value = words.get(name) === "endless" ? Infinity : Number(words.get(name) ?? NaN);
      if (value >= 0) found[name] = slider.values.includes(value) ? value : nearest(slider.values.filter(Number.isFinite), value);
    }
    if (words.get("queue") in QUEUES) found.queue = words.get("queue");
    for (const side of ["a", "b"]) {
      if (CONTROLLERS.includes(words.get(side)) || words.get(side) === "law") found[side] = words.get(side);
    }
    return found;
  }

  function write(set) {
    const words = new URLSearchParams(), plain = usual();
    for (const [name, value] of Object.entries(set)) {
      if (value !== plain[name]) words.set(name, value === Infinity ? "endless" : String(value));
    }
    return words;
  }

  const ms = (value) => `${Number(value.toPrecision(6))}ms`;

  // TOML that `dumbbell run` runs. A law is `mine.py:CLASS`.
  function toml(set, law) {
    const { rate, rtt, buffer, queue, loss, flowsA, flowsB, farther, size, duration } = set;
    const controller = (side) => (set[side] === "law" ? `mine.py:${law?.label ?? "Mine"}` : set[side]);
    const pairs = flowsA + flowsB;
    const limit = LIMITED.has(queue) ? `{ kind = "${queue}", limit = "${buffer}bdp" }` : `"${queue}"`;
    const lost = loss ? `, loss = ${loss / 100}` : "";
    const rtts = farther !== 1 && flowsB
      ? `rtts = [${Array.from({ length: pairs }, (_, i) => `"${ms(i < flowsA ? rtt : rtt * farther)}"`).join(", ")}]\n` : "";
    const access = rtts ? "" : `, delay = "${ms(rtt / 8)}"`;
    const group = (name, first, count) => {
      const hosts = (what) => Array.from({ length: count }, (_, i) => `"${what}${first + i}"`).join(", ");
      return `
[[flows]]
name = "${name}"
from = [${hosts("sender")}]
to = [${hosts("receiver")}]
transport = { kind = "tcp", controller = "${controller(name)}" }
${size === Infinity ? "" : `size = "${size}kB"\n`}`;
    };
    return `name = "playground"
duration = "${duration}s"

[topology]
kind = "dumbbell"
pairs = ${pairs}
${rtts}bottleneck = { rate = "${rate}Mbit/s", delay = "${ms(rtt / 4)}", queue = ${limit}${lost} }
access = { rate = "${rate * 10}Mbit/s"${access} }
${group("a", 0, flowsA)}${flowsB ? group("b", flowsA, flowsB) : ""}
[record]
period = "${ms(Math.max(duration * 1000 / 200, 1))}"
`;
  }

  return { SLIDERS, QUEUES, CONTROLLERS, LIMITED, usual, read, write, toml };
})();
