// Lessons: a network, what to try in it, questions and their answers. Tests check what the answers say.
// A try changes the lesson's network.
"use strict";
const LESSONS = [
  {
    id: "bufferbloat",
    title: "Bufferbloat",
    text: "One CUBIC flow fills a buffer of eight bandwidth-delay products. Look at the queue and at the round-trip time.",
    set: { rate: 10, rtt: 40, buffer: 8, queue: "droptail", a: "cubic", flowsA: 1, flowsB: 0, duration: 20 },
    tries: [
      ["Buffer of 1 BDP", { buffer: 1 }],
      ["CoDel", { queue: "codel" }],
      ["Back", {}],
    ],
    questions: [
      ["How long does a packet wait in the full buffer?",
        "The buffer holds 8 × rate × RTT, and drains at the rate: a full one is a wait of 8 × 40 ms = 320 ms. The round-trip time rises from 40 to 360 ms."],
      ["Does the flow send faster for it?",
        "No. The link is used all the time with 1 BDP as well. What is more waits, and does nothing else."],
      ["What does CoDel do?",
        "It drops a packet when packets have waited more than 5 ms for 100 ms. The sender slows down before the buffer is full: the wait stays near 5 ms, however large the buffer is. With one flow that costs a few per cent of the rate."],
    ],
  },
  {
    id: "rtt",
    title: "RTT fairness",
    text: "Two NewReno flows share a link. That of B travels four times as far.",
    set: { rate: 10, rtt: 20, farther: 4, buffer: 1, queue: "droptail", a: "newreno", b: "newreno", flowsA: 1, flowsB: 1, duration: 70 },
    tries: [
      ["Both CUBIC", { a: "cubic", b: "cubic" }],
      ["FQ-CoDel", { queue: "fq-codel" }],
      ["Back", {}],
    ],
    questions: [
      ["Which flow gets more, and why?",
        "A. Each adds one packet to its window per round trip, and A has more of them per second. A also needs a smaller window for the same rate."],
      ["What does CUBIC change?",
        "Its window grows with the time since the last cut, not with round trips. The gap is smaller where windows are large; on a small link like this one CUBIC behaves much like NewReno."],
      ["What does FQ-CoDel change?",
        "Each flow has a queue of its own, and these take turns: shares are nearly even. The rest of the gap is CoDel's: a drop costs the farther flow more time."],
    ],
  },
  {
    id: "incast",
    title: "Incast",
    text: "32 servers send 70 kB each to one client at once. The port's buffer holds 2 BDP: 50 kB. All answers would fit through the link in 18 ms.",
    set: { rate: 1000, rtt: 0.2, buffer: 2, queue: "droptail", a: "newreno", flowsA: 32, flowsB: 0, size: 70, duration: 1 },
    tries: [
      ["8 servers", { flowsA: 8 }],
      ["16 servers, 20 BDP", { flowsA: 16, buffer: 20 }],
      ["Back", {}],
    ],
    questions: [
      ["Why is the link idle for 200 ms?",
        "The first windows overflow the buffer. A flow that loses its last packets hears of nothing: it waits for its timer, at least 200 ms, a thousand round trips."],
      ["When do the packets drop?", "In the first round trips, when all servers send their first windows together: play the first milliseconds."],
      ["What helps?",
        "Fewer servers at a time, a larger buffer, a shorter least timeout, or marks before the buffer is full (DCTCP). `dumbbell reproduce incast-classic` compares them."],
    ],
  },
  {
    id: "bbr",
    title: "Why BBR",
    text: "A path loses 1 % of its packets at random, as a bad radio link does. A is CUBIC, B is BBR.",
    set: { rate: 20, rtt: 40, buffer: 1, loss: 1, queue: "droptail", a: "cubic", b: "bbr", flowsA: 1, flowsB: 1, duration: 20 },
    tries: [
      ["No loss", { loss: 0 }],
      ["No loss, 10 BDP", { loss: 0, buffer: 10 }],
      ["Back", {}],
    ],
    questions: [
      ["Why is CUBIC slow?",
        "It takes each loss for congestion and cuts its window. With 1 % of losses that happens every hundred packets: the window stays near ten packets, while the link would carry 67 per round trip."],
      ["What does BBR go by?",
        "By the rate at which packets are delivered and the shortest round-trip time. Random losses change neither."],
      ["Is that fair?",
        "Not without losses. With a buffer of 1 BDP BBR takes most of the link, since the drops that slow CUBIC down do not slow it. With 10 BDP CUBIC fills the buffer, and gets more than BBR."],
    ],
  },
  {
    id: "l4s",
    title: "L4S",
    text: "Prague and CUBIC share a link under DualPI2, the queue of L4S: a queue for each kind, and marks instead of drops.",
    set: { rate: 40, rtt: 20, buffer: 2, queue: "dualpi2", a: "prague", b: "cubic", flowsA: 1, flowsB: 1, duration: 20 },
    tries: [
      ["DropTail", { queue: "droptail" }],
      ["Two of Prague", { b: "prague" }],
      ["Back", {}],
    ],
    questions: [
      ["Why are Prague's round-trip times shorter?",
        "Its packets wait in a queue of their own, which marks them after 1 ms. Those of CUBIC wait about 15 ms."],
      ["Why does Prague not starve CUBIC?",
        "DualPI2 couples the two: what the classic queue drops with probability p, the L4S queue marks with about 2√p. Rates come close to each other. Prague has some more: its round trip is shorter."],
      ["What happens without the second queue?",
        "Under DropTail there are no marks. Both fill the buffer, and wait the same."],
    ],
  },
];
