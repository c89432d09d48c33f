// Packets on the topology: a canvas of nodes and links, and dots that move as the events of a run say.
"use strict";
const Stage = (() => {
  const SENT = 0, ARRIVED = 1, LEFT = 2, DROPPED = 3, MARKED = 4;
  const WIDTH = 6; // numbers of an event
  const MOST_DOTS = 3000;
  const SHOWN = 0.25; // seconds of the reader that a drop is shown
  const { css } = Charts;

  // What packets do when: waits at a link, travels over it, drops. From events in the order of time.
  function spans(numbers, until, delays) {
    const found = [], open = new Map(), marked = new Set();
    const close = (packet, end) => {
      const span = open.get(packet);
      if (span) {
        span.end = end;
        open.delete(packet);
      }
    };
    for (let i = 0; i < numbers.length; i += WIDTH) {
      const [time, packet, flow, link, what, bytes] = numbers.subarray(i, i + WIDTH);
      if (what === MARKED) {
        marked.add(packet);
        continue;
      }
      close(packet, time);
      if (what === SENT || (what > DROPPED)) continue;
      const end = what === LEFT ? time + delays[link] : what === DROPPED ? time : until;
      const span = { start: time, end, flow, link, what, ahead: bytes > 0, packet, large: Math.abs(bytes) > 200 };
      found.push(span);
      if (what !== DROPPED) open.set(packet, span);
    }
    for (const span of found) span.marked = marked.has(span.packet);
    return found;
  }

  class Drawn {
    constructor(canvas) {
      this.canvas = canvas;
      this.network = null;
      this.spans = [];
      this.covered = [0, 0];
      new ResizeObserver(() => this.fit()).observe(canvas.parentElement);
    }

    // `hosts` flows on each side, of which the first ones belong to A.
    show(network, pairs, flowsA) {
      Object.assign(this, { network, pairs, flowsA });
      const place = new Map();
      network.facts.nodes.forEach((name, i) => {
        const [, kind, number] = /^(sender|receiver|left|right)(\d*)$/.exec(name) ?? [null, "left", ""];
        const x = { sender: 0, left: 0.28, right: 0.72, receiver: 1 }[kind];
        place.set(i, [x, number === "" ? 0.5 : (Number(number) + 0.5) / pairs]);
      });
      this.place = place;
      this.narrow = network.facts.links.findIndex((link) => link.name === "left->right");
      this.fit();
    }

    // Events of a part of the run.
    take(numbers, from, until) {
      this.spans = spans(numbers, until, this.network.facts.links.map((link) => link.delay));
      this.longest = this.spans.reduce((longest, span) => Math.max(longest, span.end - span.start), 0);
      this.covered = [from, until];
    }

    forget() {
      this.spans = [];
      this.covered = [0, 0];
    }

    fit() {
      const width = this.canvas.parentElement.clientWidth;
      if (!width || !this.network) return;
      const rows = Math.min(this.pairs, 32);
      this.width = width;
      this.height = Math.min(Math.max(170, 60 + rows * 26), 360);
      this.canvas.style.height = `${this.height}px`;
      this.canvas.width = Math.round(width * devicePixelRatio);
      this.canvas.height = Math.round(this.height * devicePixelRatio);
      this.draw(this.time ?? 0, this.speed ?? 1);
    }

    at(node) {
      const [x, y] = this.place.get(node);
      const side = this.width < 480 ? 26 : 64, top = 34;
      return [side + x * (this.width - 2 * side), top + y * (this.height - top - 14)];
    }

    colour(flow) {
      return css(flow < this.flowsA ? "--arm-0" : "--arm-1");
    }

    // Draws a moment. Returns how many packets wait at the narrow link.
    draw(time, speed) {
      Object.assign(this, { time, speed });
      if (!this.network || !this.width) return 0;
      const c = this.canvas.getContext("2d"), colours = [css("--arm-0"), css("--arm-1")];
      c.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
      c.clearRect(0, 0, this.width, this.height);
      this.lines(c);
      const waiting = new Map();
      let dots = 0;
      for (const span of this.spans) {
        if (span.start > time) break;
        const gone = span.what === DROPPED ? time - span.start > SHOWN * speed : time >= span.end;
        if (gone || dots > MOST_DOTS) continue;
        dots += 1;
        const [from, to] = this.network.ends[span.link].map((node) => this.at(node));
        c.fillStyle = colours[span.flow < this.flowsA ? 0 : 1];
        if (span.what === ARRIVED) {
          const rank = waiting.get(span.link) ?? 0;
          waiting.set(span.link, rank + 1);
          if (span.link === this.narrow) this.waits(c, from, rank, span);
        } else if (span.what === DROPPED) {
          this.cross(c, from, (time - span.start) / (SHOWN * speed));
        } else {
          this.dot(c, from, to, (time - span.start) / Math.max(span.end - span.start, 1e-12), span);
        }
      }
      this.nodes(c);
      return waiting.get(this.narrow) ?? 0;
    }

    lines(c) {
      c.lineCap = "round";
      const seen = new Set();
      this.network.ends.forEach(([from, to], i) => {
        const key = from < to ? `${from} ${to}` : `${to} ${from}`;
        if (seen.has(key)) return;
        seen.add(key);
        c.strokeStyle = css("--line");
        c.lineWidth = i === this.narrow ? 5 : 2;
        c.beginPath();
        c.moveTo(...this.at(from));
        c.lineTo(...this.at(to));
        c.stroke();
      });
    }

    nodes(c) {
      const small = this.pairs > 10;
      c.font = "12px system-ui, sans-serif";
      for (const [node] of this.place) {
        const [x, y] = this.at(node), name = this.network.facts.nodes[node];
        const host = /^(sender|receiver)(\d+)$/.exec(name);
        c.fillStyle = host ? this.colour(Number(host[2])) : css("--text");
        c.beginPath();
        if (host) c.arc(x, y, small ? 4 : 6, 0, 2 * Math.PI);
        else c.roundRect(x - 8, y - 8, 16, 16, 3);
        c.fill();
      }
      c.fillStyle = css("--muted");
      c.textAlign = "left";
      c.fillText("senders", 4, 14);
      c.textAlign = "right";
      c.fillText("receivers", this.width - 4, 14);
      c.textAlign = "center";
      const link = this.network.facts.links[this.narrow];
      if (link) c.fillText(`${Charts.number(link.rate)}bit/s`, this.width / 2, this.at(this.network.ends[this.narrow][0])[1] + 30);
    }

    // In rows of ten above the router: the first one waits nearest to the link.
    waits(c, [x, y], rank, span) {
      const size = 5, column = rank % 10, row = Math.floor(rank / 10);
      if (row > 11) return;
      c.fillRect(x + 12 + column * (size + 1), y - 18 - row * (size + 1), size, size);
      if (span.marked) this.ring(c, x + 14.5 + column * (size + 1), y - 15.5 - row * (size + 1), 4);
    }

    dot(c, from, to, part, span) {
      // Acknowledgements travel a little below data.
      const shift = span.ahead ? -3 : 4, t = Math.min(Math.max(part, 0), 1);
      const x = from[0] + t * (to[0] - from[0]), y = from[1] + t * (to[1] - from[1]) + shift;
      c.beginPath();
      c.arc(x, y, span.large ? 3.5 : 1.8, 0, 2 * Math.PI);
      c.fill();
      if (span.marked) this.ring(c, x, y, 5);
    }

    ring(c, x, y, r) {
      c.strokeStyle = css("--open");
      c.lineWidth = 1.5;
      c.beginPath();
      c.arc(x, y, r, 0, 2 * Math.PI);
      c.stroke();
    }

    cross(c, [x, y], age) {
      const r = 5, top = y + 14 + 26 * age;
      c.strokeStyle = css("--no");
      c.lineWidth = 2;
      c.beginPath();
      c.moveTo(x - r, top - r); c.lineTo(x + r, top + r);
      c.moveTo(x + r, top - r); c.lineTo(x - r, top + r);
      c.stroke();
    }
  }

  return { Drawn };
})();
