// The playground: sliders make a scenario, a worker runs it, charts and the stage show what comes.
"use strict";
(() => {
  const { Chart, element, number, save } = Charts;
  const { SLIDERS, QUEUES, CONTROLLERS, LIMITED } = Scenario;
  const STEPS = 200; // rows of a run
  const MOST_LINES = 6; // flows above which a group is one line
  const PATIENCE = 8000; // ms without an answer after which the worker is replaced
  const PART = 40; // round trips of packets that are fetched at once
  const MOST_EVENTS = 60000;
  const SLOWEST = 1 / 64, FASTEST = 64;
  const byId = (id) => document.getElementById(id);
  const stage = new Stage.Drawn(byId("stage"));
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let set, law = null, lesson = null;
  let worker = null, ready = false, waiting = null, watch = null, ended = false;
  let run = { id: 0, rows: [], network: null };
  let charts = null;
  const player = { time: 0, playing: false, speed: 1, last: 0, asked: false };

  // What stands in backticks is code.
  function prose(box, text) {
    box.replaceChildren(...text.split("`").map((part, i) => (i % 2 ? element("code", {}, part) : part)));
    return box;
  }

  // The worker, and what it says.

  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  function hire() {
    ready = player.asked = false;
    const address = URL.createObjectURL(new Blob([byId("worker").textContent], { type: "text/javascript" }));
    worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.onmessage = ({ data }) => {
      clearTimeout(watch);
      HEARD[data.kind](data);
    };
    worker.onerror = (event) => trouble(`The simulator does not start: ${event.message || "this browser lets no worker run"}`);
    const zipped = bytes(byId("engine").textContent);
    worker.postMessage({ kind: "load", zipped }, [zipped.buffer]);
  }

  function ask(message) {
    clearTimeout(watch);
    watch = setTimeout(() => {
      worker.terminate();
      trouble("This run took too long and was ended. Choose a lower rate, fewer flows or less time.");
      hire();
    }, PATIENCE);
    worker.postMessage(message);
  }

  const mine = ({ id }) => id === run.id;
  const HEARD = {
    ready() {
      ready = true;
      if (waiting) ask(waiting);
      waiting = null;
    },
    refused(data) {
      if (!mine(data)) return;
      trouble(data.line);
      state("refused");
    },
    failed(data) {
      trouble(`The simulator has failed: ${data.line}. Change a slider to begin again.`);
      worker.terminate();
      hire();
    },
    network(data) {
      if (!mine(data)) return;
      run.network = data.network;
      stage.show(data.network, set.flowsA + set.flowsB, set.flowsA);
    },
    rows(data) {
      if (!mine(data)) return;
      run.rows.push(...data.rows);
      later();
    },
    done(data) {
      if (!mine(data)) return;
      ended = true;
      run.took = data.took;
      run.tables = decode(data.tables);
      if (run.tables.runs.ended[0] !== "duration") {
        trouble(`The run reached its limit of memory at ${number(run.tables.runs.duration[0])} s: what follows is missing.`);
      }
      table();
      state("done");
      later();
      fetchPackets();
    },
    packets(data) {
      player.asked = false;
      if (!mine(data)) return;
      const { numbers, from, until, most } = data;
      const events = numbers.length / 6;
      stage.take(numbers, from, events < most ? until : numbers[numbers.length - 6]);
      byId("stage").dataset.packets = String(stage.spans.length);
      paint();
    },
  };

  const state = (word) => { byId("results").dataset.state = word; };

  function trouble(line) {
    byId("trouble").textContent = line;
    byId("trouble").hidden = !line;
  }

  // Tables as `written.rs` writes them.
  const KINDS = { u32: Uint32Array, label: Uint32Array, u64: BigUint64Array, f64: Float64Array, bool: Uint8Array };
  function decode(all) {
    const end = all.indexOf(10), head = JSON.parse(new TextDecoder().decode(all.subarray(0, end)));
    let at = end + 1;
    const tables = {};
    for (const [name, columns] of head.tables) {
      tables[name] = {};
      for (const [column, kind, rows] of columns) {
        const size = rows * KINDS[kind].BYTES_PER_ELEMENT;
        const cells = Array.from(new KINDS[kind](all.slice(at, at + size).buffer), Number);
        tables[name][column] = kind === "label" ? cells.map((code) => head.labels[code]) : cells;
        at += size;
      }
    }
    return tables;
  }

  // A run of what the sliders say.
  function again() {
    trouble("");
    run = { id: run.id + 1, rows: [], network: null };
    state("running");
    ended = false;
    stage.forget();
    const toml = Scenario.toml(set, law);
    byId("toml").textContent = toml;
    const words = Scenario.write(set);
    if (lesson) words.set("lesson", lesson.id);
    if (law && uses("law")) words.set("law", pack(law));
    history.replaceState(null, "", `#${words}`);
    if (uses("law") && !law) {
      trouble("There is no law yet: write one below, or choose a controller.");
      return;
    }
    player.time = Math.min(10 * set.rtt / 1000, set.duration / 2);
    pace();
    const message = { kind: "start", id: run.id, toml, law: uses("law") ? law : null, duration: set.duration, steps: STEPS };
    if (ready) ask(message);
    else waiting = message;
  }

  const uses = (kind) => set.a === kind || (set.b === kind && set.flowsB > 0);

  // Charts: rows of a run as lines.

  let pending = false;
  function later() {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      draw();
    });
  }

  const named = (side) => (set[side] === "law" ? law?.name ?? "law" : set[side]);

  // Whose lines: of each flow, or of each group if there are many.
  function lines() {
    const total = set.flowsA + set.flowsB;
    const groups = [["a", 0, set.flowsA, 0], ["b", set.flowsA, total, 1]].filter(([, first, last]) => last > first);
    if (total > MOST_LINES) {
      return groups.map(([side, first, last, slot]) => ({
        label: `${side.toUpperCase()}: ${last - first} × ${named(side)}`, slot, dash: slot, first, last,
      }));
    }
    return groups.flatMap(([side, first, last, slot]) => Array.from({ length: last - first }, (_, i) => ({
      label: `${side.toUpperCase()}${last - first > 1 ? i + 1 : ""}: ${named(side)}`,
      slot, dash: slot + 2 * i, first: first + i, last: first + i + 1,
    })));
  }

  // Of each row the flows of a line, as (number, window, RTT, bytes, resent).
  function* flowsOf(row, line) {
    let at = 3 + 5 * row[1];
    for (let i = 0; i < row[2]; i++, at += 5) {
      if (row[at] >= line.first && row[at] < line.last) yield row.subarray(at, at + 5);
    }
  }

  const mean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : null);

  // The code of a chart: the scenario is what "Take it with you" saves.
  const DRAWN_AS = { rate: "rate", queue: "queue", window: "cwnd", rtt: "rtt" };
  const codeOf = (id) => `import dumbbell as db

results = db.Scenario.from_file("playground.toml").run()  # downloaded below
db.figures.draw("${DRAWN_AS[id]}", results).savefig("${id}.pdf")
# or, on the command line: dumbbell run playground.toml -o out && dumbbell plot out --only ${DRAWN_AS[id]}
`;

  function draw() {
    const { rows } = run, times = rows.map((row) => row[0]);
    const x = { label: "time (s)", range: [0, set.duration] };
    const rates = [], windows = [], trips = [];
    for (const line of lines()) {
      const look = { label: line.label, slot: line.slot, dash: line.dash, x: times };
      const before = new Map();
      rates.push({ ...look, y: rows.map((row, i) => {
        let moved = 0, found = false;
        for (const [flow, , , delivered] of flowsOf(row, line)) {
          moved += delivered - (before.get(flow) ?? 0);
          before.set(flow, delivered);
          found = true;
        }
        return found ? moved * 8 / (row[0] - (i ? rows[i - 1][0] : 0)) / 1e6 : null;
      }) });
      windows.push({ ...look, y: rows.map((row) => mean([...flowsOf(row, line)].map((flow) => flow[1] / 1448))) });
      trips.push({ ...look, y: rows.map((row) => mean([...flowsOf(row, line)].map((flow) => flow[2] * 1e3).filter(Boolean))) });
    }
    const link = run.network?.facts.links[stage.narrow];
    const compared = (label, value) => ({ label, slot: null, dash: 1, x: [0, set.duration], y: [value, value] });
    const queue = [{ label: "packets in the queue", slot: 2, dash: 0, x: times, y: rows.map((row) => (row[1] ? row[4] : null)) }];
    if (link?.buffer_bytes) queue.push(compared("buffer", link.buffer_bytes / link.mtu));
    const several = set.flowsA + set.flowsB > MOST_LINES;
    const per = several ? "mean of the flows, " : "";
    const shown = [
      { id: "rate", title: "Throughput", x, y: { label: "delivered in order (Mbit/s)" }, lines: [...rates, compared("rate of the link", set.rate)] },
      { id: "queue", title: "Queue", x, y: { label: "packets" }, lines: queue },
      { id: "window", title: "Window", x, y: { label: `${per}window (segments)` }, lines: windows },
      { id: "rtt", title: "Round-trip time", x, y: { label: `${per}round-trip time (ms)` }, lines: [...trips, compared("without a queue", set.rtt)] },
    ];
    for (const data of shown) data.code = codeOf(data.id);
    if (!charts) charts = shown.map((data) => new Chart(byId(`figure-${data.id}`), data));
    else charts.forEach((chart, i) => chart.set(shown[i]));
    paint();
  }

  function table() {
    const { flows, links, runs } = run.tables, total = flows.goodput.reduce((a, b) => a + b, 0);
    const heads = ["", "flows", "goodput Mbit/s", "share %", "least RTT ms", "resent %", "timeouts", "completed", "slowest s"];
    const rows = ["a", "b"].map((group) => {
      const own = flows.group.flatMap((name, i) => (name === group ? [i] : []));
      if (!own.length) return null;
      const sum = (column) => own.reduce((a, i) => a + flows[column][i], 0);
      const times = own.map((i) => flows.completion_time[i]).filter(Number.isFinite);
      const trips = own.map((i) => flows.rtt_min[i]).filter(Number.isFinite);
      // Of flows that end, up to the end of the slowest: their own rates would add up to more than the link has.
      const whole = times.length === own.length ? own.length * set.size * 8e3 / Math.max(...times) : NaN;
      const rate = set.size === Infinity ? sum("goodput") : whole;
      return [
        `${group.toUpperCase()}: ${named(group)}`, own.length, number(rate / 1e6),
        set.size === Infinity ? number(100 * rate / total) : "–",
        number(trips.length ? 1e3 * Math.min(...trips) : NaN), number(100 * sum("retransmissions") / sum("packets_sent")),
        sum("timeouts"), set.size === Infinity ? "endless" : times.length, number(times.length ? Math.max(...times) : NaN),
      ];
    }).filter(Boolean);
    byId("table").replaceChildren(
      element("caption", { class: "visually-hidden" }, "Flows of each controller"),
      element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, ...rows.map(([first, ...cells]) =>
        element("tr", {}, element("th", { scope: "row" }, first), ...cells.map((cell) => element("td", {}, String(cell)))))),
    );
    const i = stage.narrow, hops = runs.packet_hops[0];
    const wait = Number.isFinite(links.sojourn_mean[i]) ? `, where packets spent ${number(1e3 * links.sojourn_mean[i])} ms on average` : "";
    const jain = Number.isFinite(runs.fairness[0]) ? ` Jain's fairness index ${number(runs.fairness[0])}.` : "";
    const draws = run.network.facts.draws.map((draw) => draw.what);
    const sure = draws.length
      ? `One run is one sample: another seed gives other numbers (${[...new Set(draws)].join(", ")}). A study gives intervals.`
      : "Nothing is drawn at random: any seed gives the same numbers.";
    byId("sure").textContent = `The bottleneck was used ${number(100 * links.utilisation[i])} % of the time${wait}; `
      + `it dropped ${links.dropped[i]} and marked ${links.marked[i]} packets.${jain} ${sure} `
      + `${number(hops)} packet-hops in ${number(run.took)} ms.`;
  }

  // The player of packets.

  const second = () => set.rtt / 1000 / 3 * player.speed; // simulated seconds in one of the reader

  function fetchPackets() {
    if (!ended || player.asked) return;
    const { time } = player, [from, until] = stage.covered;
    const ahead = Math.min(time + 3 * second(), set.duration);
    if (time >= from && ahead <= until) return;
    player.asked = true;
    // What is under way at the time began a round trip before.
    const trip = set.rtt / 1000 * Math.max(set.farther, 1) * (1 + set.buffer);
    const begin = Math.max(time - Math.min(trip, 2), 0);
    ask({ kind: "packets", id: run.id, from: begin, until: Math.min(time + PART * set.rtt / 1000, set.duration), most: MOST_EVENTS });
  }

  function paint() {
    if (!run.network) return;
    const queue = stage.draw(player.time, second());
    byId("clock").textContent = `${player.time.toFixed(set.rtt < 5 ? 4 : 3)} s`;
    byId("seek").value = String(Math.round(1000 * player.time / set.duration));
    byId("seek").setAttribute("aria-valuetext", `${player.time.toFixed(3)} s; ${queue} packets wait`);
  }

  function frame(now) {
    if (!player.playing) return;
    // A page in the background has no frames.
    player.time += Math.min(now - player.last, 100) / 1000 * second();
    player.last = now;
    if (player.time >= set.duration) {
      player.time = set.duration;
      play(false);
    }
    fetchPackets();
    paint();
    requestAnimationFrame(frame);
  }

  function play(on) {
    player.playing = on;
    byId("play").textContent = on ? "Pause" : "Play";
    byId("play").setAttribute("aria-pressed", String(on));
    if (!on) return;
    if (player.time >= set.duration) player.time = 0;
    player.last = performance.now();
    requestAnimationFrame(frame);
  }

  function move(time) {
    player.time = Math.min(Math.max(time, 0), set.duration);
    fetchPackets();
    paint();
  }

  function pace() {
    byId("speed").textContent = `1 s shows ${number(second() * 1000)} ms`;
  }

  // Controls.

  function slider(name) {
    const about = SLIDERS[name], input = element("input", { type: "range", id: name, min: "0", max: String(about.values.length - 1), step: "1" });
    const output = element("output", { for: name });
    input.addEventListener("input", () => {
      set[name] = about.values[Number(input.value)];
      changed();
    });
    return element("label", { "data-of": name }, element("span", {}, about.name), output, input);
  }

  function choice(name, title, options) {
    const select = element("select", { id: name }, ...options.map(([value, text]) => element("option", { value }, text)));
    select.addEventListener("change", () => {
      set[name] = select.value;
      changed();
    });
    return element("label", { "data-of": name }, element("span", {}, title), select);
  }

  function controls() {
    const laws = [...CONTROLLERS.map((name) => [name, name]), ["law", "a law of your own"]];
    byId("controls").append(
      element("div", { class: "side-a" }, choice("a", "Controller A", laws), slider("flowsA")),
      element("div", { class: "side-b" }, choice("b", "Controller B", laws), slider("flowsB"), slider("farther")),
      element("hr"),
      slider("rate"), slider("rtt"), choice("queue", "Queue", Object.entries(QUEUES)), slider("buffer"), slider("loss"),
      element("hr"),
      slider("size"), slider("duration"),
    );
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
  }

  const shown = (name) => {
    const value = set[name], { unit } = SLIDERS[name];
    return value === Infinity ? "endless" : `${value}${unit ? ` ${unit}` : ""}`;
  };

  function reflect() {
    for (const [name, about] of Object.entries(SLIDERS)) {
      const input = byId(name), label = input.closest("label");
      input.value = String(about.values.indexOf(set[name]));
      label.querySelector("output").textContent = shown(name);
      input.setAttribute("aria-valuetext", shown(name));
    }
    for (const name of ["queue", "a", "b"]) byId(name).value = set[name];
    byId("buffer").disabled = !LIMITED.has(set.queue);
    byId("buffer").closest("label").querySelector("output").textContent = LIMITED.has(set.queue) ? shown("buffer") : "that of the queue";
    byId("farther").disabled = byId("b").disabled = set.flowsB === 0;
  }

  let soon = null;
  function changed() {
    state("running");
    reflect();
    clearTimeout(soon);
    soon = setTimeout(again, 60);
  }

  // Lessons.

  function lessons() {
    for (const entry of [...LESSONS, null]) {
      const button = element("button", { type: "button", class: "lesson", "aria-pressed": "false" }, entry ? entry.title : "Free play");
      button.addEventListener("click", () => {
        teach(entry);
        if (entry) Object.assign(set, Scenario.usual(), entry.set);
        changed();
      });
      byId("lessons").append(element("li", {}, button));
    }
  }

  function teach(entry) {
    lesson = entry;
    [...byId("lessons").querySelectorAll("button")].forEach((button, i) =>
      button.setAttribute("aria-pressed", String((LESSONS[i] ?? null) === entry)));
    const box = byId("lesson");
    box.hidden = !entry;
    if (!entry) return;
    const tries = entry.tries.map(([text, change]) => {
      const button = element("button", { type: "button" }, text);
      button.addEventListener("click", () => {
        Object.assign(set, Scenario.usual(), entry.set, change);
        changed();
      });
      return button;
    });
    box.replaceChildren(
      element("h2", {}, entry.title), element("p", {}, entry.text),
      element("p", { class: "tools" }, element("span", {}, "Try: "), ...tries),
      ...entry.questions.map(([question, answer]) =>
        element("details", {}, element("summary", {}, question), prose(element("p"), answer))),
    );
  }

  // Laws: the page is served by `dumbbell playground`, which compiles them, or shows those that were compiled.

  const samples = JSON.parse(byId("samples").textContent);
  const compiler = location.protocol.startsWith("http") ? document.querySelector("meta[name=compiler]")?.content : null;

  const code = (all) => btoa(String.fromCharCode(...all)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const pack = ({ source, label, name, image }) =>
    code(new TextEncoder().encode(JSON.stringify([source, label, name, code(image)])));
  const plain = (text) => bytes(text.replaceAll("-", "+").replaceAll("_", "/"));
  function unpack(text) {
    try {
      const [source, label, name, image] = JSON.parse(new TextDecoder().decode(plain(text)));
      if (![source, label, name].every((part) => typeof part === "string") || !/^\w+$/.test(label)) return null;
      return { source, label, name, image: plain(image) };
    } catch {
      return null;
    }
  }

  const sampled = ({ source, label, name, image }) => ({ source, label, name, image: bytes(image) });

  function editor() {
    prose(byId("law-about"), compiler
      ? "Write a class in the language of laws. The checker reads it as you type; its byte code has a bound on instructions, so that no law hangs."
      : "The compiler of laws is written in Python, and not in this file. Here you can race the laws below and those that an address brings; "
        + "to write your own, run `dumbbell playground`, which serves this page with the compiler.");
    byId("law-editor").hidden = false;
    byId("law-sample").append(...samples.map(({ name, label }) => element("option", { value: label }, name)));
    byId("law-source").readOnly = !compiler;
    byId("law-sample").addEventListener("change", () => choose(samples.find(({ label }) => label === byId("law-sample").value)));
    byId("law-race").addEventListener("click", () => {
      set.a = "law";
      changed();
    });
    byId("law-source").addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(check, 300);
    });
  }

  let typing = null, asked = 0;
  function choose(sample) {
    byId("law-source").value = sample.source;
    accept(sampled(sample), `${sample.name}: compiled.\n${sample.about}`);
  }

  function accept(made, line) {
    law = made;
    byId("law-race").disabled = false;
    byId("law-said").textContent = line;
    byId("law-said").classList.remove("refused");
    if (uses("law")) changed();
  }

  async function check() {
    const number = ++asked, source = byId("law-source").value;
    let answer;
    try {
      answer = await (await fetch(compiler, { method: "POST", body: source })).json();
    } catch {
      answer = { error: "The compiler does not answer: is `dumbbell playground` still running?" };
    }
    if (number !== asked) return;
    if (answer.error) {
      byId("law-said").textContent = answer.error;
      byId("law-said").classList.add("refused");
      byId("law-race").disabled = true;
    } else accept(sampled(answer), `${answer.name}: compiled.\n${answer.about}`);
  }

  // The beginning.

  function readAddress() {
    const words = new URLSearchParams(location.hash.slice(1));
    const entry = LESSONS.find(({ id }) => id === words.get("lesson")) ?? null;
    const brought = words.get("law") ? unpack(words.get("law")) : null;
    if (brought) {
      byId("law-source").value = brought.source;
      accept(brought, `${brought.name}: from the address.`);
    }
    set = Scenario.read(words);
    teach(entry);
    if (entry && [...words.keys()].length === 1) Object.assign(set, Scenario.usual(), entry.set);
  }

  set = Scenario.usual();
  controls();
  lessons();
  editor();
  choose(samples[0]);
  readAddress();
  Charts.theme(byId("theme"), paint);
  byId("play").addEventListener("click", () => play(!player.playing));
  byId("step").addEventListener("click", () => {
    play(false);
    move(player.time + set.rtt / 1000 / 20 * player.speed);
  });
  for (const [id, factor] of [["slower", 0.5], ["faster", 2]]) {
    byId(id).addEventListener("click", () => {
      player.speed = Math.min(Math.max(player.speed * factor, SLOWEST), FASTEST);
      pace();
    });
  }
  byId("seek").addEventListener("input", () => move(Number(byId("seek").value) / 1000 * set.duration));
  byId("save").addEventListener("click", () => {
    save("playground.toml", "application/toml", Scenario.toml(set, law));
    if (uses("law")) save("mine.py", "text/x-python", law.source);
  });
  byId("share").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      byId("copied").textContent = "Copied.";
    } catch {
      byId("copied").textContent = "Copy it from the address bar.";
    }
  });
  addEventListener("hashchange", () => {
    readAddress();
    changed();
  });
  if (still.matches) play(false);
  reflect();
  hire();
  again();
})();
