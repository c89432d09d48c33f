"""A law as programs of the kernel's machine: the functions of ``struct tcp_congestion_ops``.

The kernel has two ways to hold a controller. A law of windows that asks for nothing but sums stands where
reno stands: it answers acknowledgements and says what a cut leaves, and the kernel lowers the window in
steps (RFC 6937), as the profile ``linux`` of the simulator does. Any other law has ``cong_control``: it
decides window and rate at every acknowledgement, as bbr does.

A connection has 13 words of 64 bits for all of it: window and threshold in bytes, what the needs of the law
take, and its state. Where that is too little, all of it lies in storage of the socket. What the kernel has
changed since (after an undone cut, an idle time) is taken over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dumbbell.own.code import Compiled, reads
from dumbbell.own.kernel.btf import Types
from dumbbell.own.llvm import FUNCTIONS, Writer
from dumbbell.own.tree import Law

OPS = "tcp_congestion_ops"
_MOST = 9223372036854775807
_INFINITE = 0x7FFFFFFF
"""The kernel's threshold where there is none (``TCP_INFINITE_SSTHRESH``)."""

_JIFFIES = 118
"""The helper that tells the time of the kernel's ticks (``BPF_FUNC_jiffies64``)."""

_STORAGE, _CREATE, _MAP_DESCRIPTOR = 107, 1, 1
"""The helper that finds storage of a connection (``BPF_FUNC_sk_storage_get``) and makes it, and how an
instruction names a map."""

WORDS = 13
"""Words that a connection has (``icsk_ca_priv``); whoever needs more has storage of its own for all."""

_ATTRIBUTES = (
    'attributes #0 = { nounwind alwaysinline "no-jump-tables"="true" "no-builtins" }\n'
    'attributes #2 = { nounwind alwaysinline "no-jump-tables"="true" "no-builtins" }\n'
    'attributes #3 = { nounwind alwaysinline "no-jump-tables"="true" "no-builtins" }\n'
    'attributes #1 = { nounwind "no-jump-tables"="true" "no-builtins" }\n'
    # Hidden, so that LLVM makes no product of 128 bits of the parts: this machine has none.
    'define internal i64 @law_part(i64 %a) #0 {\n  %b = call i64 asm "", "=r,0"(i64 %a)\n  ret i64 %b\n}\n'
    "declare i64 @llvm.bpf.pseudo(i64, i64)\n"
)

_UNSAID = {"pacing": str(_MOST), "wake_at": str(_MOST), "request": "0", "quantum": "0"}
"""What a law reads that it never writes."""

_PACKETS = {"rate.delivered": "delivered", "rate.prior_delivered": "prior_delivered", "lost": "losses"}
"""Signals that the rate sample of the kernel has in packets."""

_CUTS = {"loss": "TCP_CA_Recovery", "ecn": "TCP_CA_CWR", "timeout": "TCP_CA_Loss"}
"""Events that the kernel tells by a change of state."""


def steers(law: Law) -> bool:
    """Whether a law decides window and rate at every acknowledgement, and the kernel moves nothing."""
    return law.kind != "window" or bool({"RATES", "PACING"} & set(law.needs))


def words_of(law: Law, compiled: Compiled) -> int:
    """Return how many words a connection has under a law."""
    parameters = sum(word.parameter for word in law.words)
    return len(_extra_words(law, reads(compiled))) + compiled.visible - parameters


def _extra_words(law: Law, reads: set[str]) -> list[str]:
    """Return the words that a connection has for a law besides its state."""
    words = ["window", "threshold"]
    if "PACING" in law.needs:
        words += ["pacing", "quantum"] if "quantum" in reads else ["pacing"]
    if "round" in reads:
        words += ["round", "round_ends"]
    if "rtt" in reads and not steers(law):
        words.append("rtt")
    return words


@dataclass(frozen=True)
class Programs:
    """A law for the kernel, not compiled yet."""

    text: str
    """In LLVM's language; a function for each name."""
    names: tuple[str, ...]
    """The members of ``struct tcp_congestion_ops`` that it fills."""


class _Door:
    """The kernel's connection, for the code of one answer."""

    arguments = "ptr %sk, ptr %kept, ptr %rs, i64 %acked, i64 %rtt, i64 %repeated"

    def __init__(self, maker: _Maker, event: str) -> None:
        self._maker, self._event = maker, event

    def load(self, writer: Writer, word: int) -> str:
        parameters = self._maker.parameters
        return str(parameters[word]) if word in parameters else self._maker.word(writer, self._slot(word))

    def store(self, writer: Writer, word: int, value: str) -> None:
        self._maker.keep(writer, self._slot(word), value)

    def _slot(self, word: int) -> int:
        return self._maker.slots[word]

    def get(self, writer: Writer, base: int, length: int, index: str) -> str:
        found = "0"
        for k in range(length):
            here = writer.value(f"icmp eq i64 {index}, {k}")
            value = self.load(writer, base + k)
            found = writer.value(f"select i1 {here}, i64 {value}, i64 {found}")
        return found

    def put(self, writer: Writer, base: int, length: int, index: str, value: str) -> None:
        for k in range(length):
            here = writer.value(f"icmp eq i64 {index}, {k}")
            new = writer.value(f"select i1 {here}, i64 {value}, i64 {self.load(writer, base + k)}")
            self.store(writer, base + k, new)

    def signal(self, writer: Writer, name: str, sent: bool) -> str:
        del sent
        return self._maker.signal(writer, name, self._event)

    def read(self, writer: Writer, name: str) -> str:
        slot = self._maker.named.get(name)
        return _UNSAID[name] if slot is None else self._maker.word(writer, slot)

    def write(self, writer: Writer, name: str, value: str) -> None:
        self._maker.keep(writer, self._maker.named[name], value)


class _Maker:
    def __init__(self, law: Law, compiled: Compiled, types: Types, storage: int | None) -> None:
        self._law, self._compiled, self._types, self._storage = law, compiled, types, storage
        self.parameters = {number: word.value for number, word in enumerate(law.words) if word.parameter}
        names = _extra_words(law, reads(compiled))
        self.named = {name: number for number, name in enumerate(names)}
        kept = [word for word in range(compiled.visible) if word not in self.parameters]
        self.slots = {word: len(names) + number for number, word in enumerate(kept)}
        self._steers = steers(law)
        self._private = types.place("tcp_sock", "inet_conn.icsk_ca_priv").offset

    # The connection.

    def tcp(self, writer: Writer, path: str) -> str:
        """Return a field of the connection, as an unsigned number."""
        return self._field(writer, "%sk", "tcp_sock", path)

    def _field(self, writer: Writer, pointer: str, struct: str, path: str) -> str:
        place = self._types.place(struct, path)
        at = writer.value(f"getelementptr i8, ptr {pointer}, i64 {place.offset}")
        value = writer.value(f"load volatile i{8 * place.size}, ptr {at}")
        if place.size < 8:
            value = writer.value(f"zext i{8 * place.size} {value} to i64")
        if place.bit is not None:
            moved = writer.value(f"lshr i64 {value}, {place.bit}")
            value = writer.value(f"and i64 {moved}, {(1 << place.bits) - 1}")
        return value

    def set_tcp(self, writer: Writer, path: str, value: str) -> None:
        """Write a field of the connection."""
        place = self._types.place("tcp_sock", path)
        at = writer.value(f"getelementptr i8, ptr %sk, i64 {place.offset}")
        if place.size < 8:
            value = writer.value(f"trunc i64 {value} to i{8 * place.size}")
        writer.line(f"store volatile i{8 * place.size} {value}, ptr {at}")

    def word(self, writer: Writer, slot: int) -> str:
        """Return a word of what the controller keeps."""
        at = writer.value(f"getelementptr i64, ptr %kept, i64 {slot}")
        return writer.value(f"load i64, ptr {at}")

    def keep(self, writer: Writer, slot: int, value: str) -> None:
        """Write one."""
        at = writer.value(f"getelementptr i64, ptr %kept, i64 {slot}")
        writer.line(f"store i64 {value}, ptr {at}")

    def _bytes(self, writer: Writer, packets: str) -> str:
        return writer.value(f"mul i64 {packets}, {self.tcp(writer, 'mss_cache')}")

    def _flight(self, writer: Writer) -> str:
        """Return the packets in flight, as the kernel counts them (``tcp_packets_in_flight``)."""
        out = self.tcp(writer, "packets_out")
        left = writer.value(f"add i64 {self.tcp(writer, 'sacked_out')}, {self.tcp(writer, 'lost_out')}")
        again = writer.value(f"add i64 {out}, {self.tcp(writer, 'retrans_out')}")
        return writer.value(f"call i64 @llvm.smax.i64(i64 {writer.value(f'sub i64 {again}, {left}')}, i64 0)")

    def _rate(self, writer: Writer, path: str) -> str:
        return self._field(writer, "%rs", "rate_sample", path)

    def _positive(self, writer: Writer, path: str, bits: int) -> str:
        """Return a signed field of the rate sample; 0 if it is negative."""
        value = self._rate(writer, path)
        if bits < 64:
            narrow = writer.value(f"trunc i64 {value} to i{bits}")
            value = writer.value(f"sext i{bits} {narrow} to i64")
        return writer.value(f"call i64 @llvm.smax.i64(i64 {value}, i64 0)")

    def signal(self, writer: Writer, name: str, event: str) -> str:
        """Return what an event brings, from what the kernel knows."""
        of_ack = event == "ack"
        plain: dict[str, Callable[[], str]] = {
            "now": lambda: writer.value(f"mul i64 {self.tcp(writer, 'tcp_mstamp')}, 1000"),
            "acked": lambda: self._bytes(writer, "%acked") if of_ack else "0",
            "flight": lambda: self._bytes(
                writer, self.tcp(writer, "prior_cwnd") if event in _CUTS else self._flight(writer)
            ),
            "mss": lambda: self.tcp(writer, "mss_cache"),
            "in_recovery": lambda: self._in_reduction(writer) if event not in _CUTS else "1",
            "window_limited": lambda: self.tcp(writer, "is_cwnd_limited"),
            "repeated": lambda: "%repeated" if event == "timeout" else "0",
            "growth_limit": lambda: str(_MOST),
            "initial_window": lambda: self._bytes(writer, "10"),
            "delivered": lambda: self._bytes(writer, self.tcp(writer, "delivered")),
            "held": lambda: self._bytes(writer, self.tcp(writer, "sacked_out")),
            "departs_at": lambda: self.tcp(writer, "tcp_wstamp_ns"),
            "rtt": lambda: writer.value("mul i64 %rtt, 1000") if of_ack else "0",
            "smoothed_rtt": lambda: self._smoothed_rtt(writer),
            "min_rtt": lambda: self._min_rtt(writer),
        }
        if name in plain:
            return plain[name]()
        if name == "round":
            return self.word(writer, self.named["round"])
        if not of_ack:
            return "0"
        if name in _PACKETS:
            return self._bytes(writer, self._positive(writer, _PACKETS[name], 32))
        if name == "rate.interval":
            return writer.value(f"mul i64 {self._positive(writer, 'interval_us', 64)}, 1000")
        if name == "rate.rate":
            size = self._bytes(writer, self._positive(writer, "delivered", 32))
            scaled = f"i64 {size}, i64 {1_000_000 << 20}, i64 {self._positive(writer, 'interval_us', 64)}"
            return writer.value(f"call i64 @law_mul_div({scaled})")
        assert name == "rate.app_limited", name
        return self._rate(writer, "is_app_limited")

    def _smoothed_rtt(self, writer: Writer) -> str:
        eighths = self.tcp(writer, "srtt_us")
        return writer.value(f"mul i64 {writer.value(f'lshr i64 {eighths}, 3')}, 1000")

    def _min_rtt(self, writer: Writer) -> str:
        value = self.tcp(writer, "rtt_min.s.0.v")
        none = writer.value(f"icmp eq i64 {value}, 4294967295")
        known = writer.value(f"select i1 {none}, i64 0, i64 {value}")
        return writer.value(f"mul i64 {known}, 1000")

    def _in_reduction(self, writer: Writer) -> str:
        """Whether the kernel lowers the window (``tcp_in_cwnd_reduction``)."""
        state = self.tcp(writer, "inet_conn.icsk_ca_state")
        cwr, recovery = (self._types.enum("tcp_ca_state", f"TCP_CA_{name}") for name in ("CWR", "Recovery"))
        a = writer.value(f"icmp eq i64 {state}, {cwr}")
        b = writer.value(f"icmp eq i64 {state}, {recovery}")
        return writer.value(f"zext i1 {writer.value(f'or i1 {a}, {b}')} to i64")

    # What the law has decided, and what the kernel has.

    def _in_segments(self, writer: Writer, name: str, least: int, most: str) -> str:
        """Return a field of the control in whole segments, within bounds."""
        mss = writer.value(f"call i64 @llvm.smax.i64(i64 {self.tcp(writer, 'mss_cache')}, i64 1)")
        whole = writer.value(f"udiv i64 {self.word(writer, self.named[name])}, {mss}")
        raised = writer.value(f"call i64 @llvm.smax.i64(i64 {whole}, i64 {least})")
        return writer.value(f"call i64 @llvm.smin.i64(i64 {raised}, i64 {most})")

    def _segments(self, writer: Writer) -> str:
        """Return the window in segments."""
        return self._in_segments(writer, "window", 1, self.tcp(writer, "snd_cwnd_clamp"))

    def _threshold(self, writer: Writer) -> str:
        """Return the threshold in segments; never below two, as the kernel has it."""
        return self._in_segments(writer, "threshold", 2, str(_INFINITE))

    def pull(self, writer: Writer, window: bool = True) -> None:
        """Take over what the kernel has changed."""
        if window:
            have = self.tcp(writer, "snd_cwnd")
            same = writer.value(f"icmp eq i64 {self._segments(writer)}, {have}")
            ours = self.word(writer, self.named["window"])
            taken = writer.value(f"select i1 {same}, i64 {ours}, i64 {self._bytes(writer, have)}")
            self.keep(writer, self.named["window"], taken)
        have = self.tcp(writer, "snd_ssthresh")
        same = writer.value(f"icmp eq i64 {self._threshold(writer)}, {have}")
        none = writer.value(f"icmp uge i64 {have}, {_INFINITE}")
        theirs = writer.value(f"select i1 {none}, i64 {_MOST}, i64 {self._bytes(writer, have)}")
        ours = self.word(writer, self.named["threshold"])
        taken = writer.value(f"select i1 {same}, i64 {ours}, i64 {theirs}")
        self.keep(writer, self.named["threshold"], taken)

    def push(self, writer: Writer, window: bool = True) -> None:
        """Give the kernel what the law has decided."""
        if window:
            self.set_tcp(writer, "snd_cwnd", self._segments(writer))
        self.set_tcp(writer, "snd_ssthresh", self._threshold(writer))
        if "pacing" in self.named:
            pacing = self.word(writer, self.named["pacing"])
            none = writer.value(f"icmp eq i64 {pacing}, {_MOST}")
            rate = writer.value(f"lshr i64 {pacing}, 20")
            # A rate of zero would stop the connection for good.
            least = writer.value(f"call i64 @llvm.smax.i64(i64 {rate}, i64 1)")
            self.set_tcp(
                writer,
                "inet_conn.icsk_inet.sk.sk_pacing_rate",
                writer.value(f"select i1 {none}, i64 -1, i64 {least}"),
            )

    # Functions.

    def answer(self, event: str) -> str:
        """Return the answer to an event as a function of its own."""
        return Writer(self._compiled, _Door(self, event)).answers([event])

    def tell(self, writer: Writer, event: str, acked: str = "0", rtt: str = "0", repeated: str = "0") -> None:
        """Call the law, if it answers the event."""
        if event in self._law.answers:
            rs = "%rs" if event == "ack" and self._steers else "null"
            given = f"ptr %sk, ptr %kept, ptr {rs}, i64 {acked}, i64 {rtt}, i64 {repeated}"
            writer.line(f"call void @answer_{event}({given})")

    def function(self, name: str, body: Callable[[Writer], str]) -> str:
        """Return a member of the struct; `body` writes it and returns what it returns."""
        writer = Writer(self._compiled, _Door(self, ""))
        writer.line("%sk = load ptr, ptr %ctx")
        if name != "ssthresh":
            self._find_kept(writer)
        result = body(writer)
        writer.line(f"ret i64 {result}")
        return f"define i64 @{name}(ptr %ctx) #1 {{\n" + "\n".join(writer.lines) + "\n}\n"

    def _find_kept(self, writer: Writer) -> None:
        """Write where the controller keeps its words: in the connection, or in storage of its own."""
        if self._storage is None:
            writer.line(f"%kept = getelementptr i8, ptr %sk, i64 {self._private}")
            return
        kept = writer.value(f"call i64 @llvm.bpf.pseudo(i64 {_MAP_DESCRIPTOR}, i64 {self._storage})")
        helper = f"call ptr inttoptr (i64 {_STORAGE} to ptr)"
        writer.line(f"%kept = {helper}(i64 {kept}, ptr %sk, ptr null, i64 {_CREATE})")
        none = writer.value("icmp eq ptr %kept, null")
        writer.line(f"br i1 {none}, label %none, label %has")
        # No memory for it: the connection keeps its window.
        writer.label("none")
        writer.line("ret i64 0")
        writer.label("has")

    def argument(self, writer: Writer, number: int, kind: str = "i64") -> str:
        """Return an argument of a member of the struct, after the connection."""
        at = writer.value(f"getelementptr i8, ptr %ctx, i64 {8 * number}")
        return writer.value(f"load {kind}, ptr {at}")

    def init(self, writer: Writer) -> str:
        """``init``: a connection begins."""
        first = [word.value for word in self._law.words]
        first += [value for values in self._law.arrays.values() for value in values]
        for word, slot in self.slots.items():
            self.keep(writer, slot, str(first[word]))
        for name, slot in self.named.items():
            self.keep(writer, slot, str(_MOST) if name in ("threshold", "pacing") else "0")
        self.pull(writer)
        if "pacing" in self.named:
            path = "inet_conn.icsk_inet.sk.sk_pacing_status"
            now = self.tcp(writer, path)
            unpaced = writer.value(f"icmp eq i64 {now}, 0")
            self.set_tcp(writer, path, writer.value(f"select i1 {unpaced}, i64 1, i64 {now}"))
        self.tell(writer, "start")
        self.push(writer)
        return "0"

    def ssthresh(self, writer: Writer) -> str:
        """``ssthresh``: a cut begins; ``set_state`` follows, and says which."""
        return self.tcp(writer, "snd_ssthresh")

    def undo_cwnd(self, writer: Writer) -> str:
        """``undo_cwnd``: nothing was lost after all."""
        if "undone" in self._law.answers:
            self.pull(writer)
            self.tell(writer, "undone")
            return self._segments(writer)
        have, before = self.tcp(writer, "snd_cwnd"), self.tcp(writer, "prior_cwnd")
        return writer.value(f"call i64 @llvm.smax.i64(i64 {have}, i64 {before})")

    def set_state(self, writer: Writer) -> str:
        """``set_state``: the kernel begins or ends a repair."""
        new = writer.value(f"and i64 {self.argument(writer, 1)}, 255")
        old = self.tcp(writer, "inet_conn.icsk_ca_state")
        number = {name: self._types.enum("tcp_ca_state", f"TCP_CA_{name}") for name in (
            "Open", "CWR", "Recovery", "Loss"
        )}  # fmt: skip
        for event, name in _CUTS.items():
            state = number[name.removeprefix("TCP_CA_")]
            asked = writer.value(f"icmp eq i64 {new}, {state}")
            if event != "timeout":
                # Whoever has cut already does not cut again.
                fresh = writer.value(f"icmp ult i64 {old}, {number['CWR']}")
                asked = writer.value(f"and i1 {asked}, {fresh}")
            yes, on = f"{event}_yes", f"{event}_on"
            writer.line(f"br i1 {asked}, label %{yes}, label %{on}")
            writer.label(yes)
            self._cut(writer, event, old, number["Loss"])
            writer.line(f"br label %{on}")
            writer.label(on)
        if "recovered" in self._law.answers:
            self._recovered(writer, new, old, number)
        return "0"

    def _cut(self, writer: Writer, event: str, old: str, loss: int) -> None:
        # After a timeout the kernel has set its window already; the law goes by what was before.
        self.pull(writer, window=event != "timeout")
        repeated = "0"
        if event == "timeout":
            again = writer.value(f"icmp eq i64 {old}, {loss}")
            tries = writer.value(f"icmp ne i64 {self.tcp(writer, 'inet_conn.icsk_retransmits')}, 0")
            repeated = writer.value(f"zext i1 {writer.value(f'and i1 {again}, {tries}')} to i64")
        self.tell(writer, event, repeated=repeated)
        # The kernel lowers the window in steps, unless the law steers.
        self.push(writer, window=self._steers)

    def _recovered(self, writer: Writer, new: str, old: str, number: dict[str, int]) -> None:
        opened = writer.value(f"icmp eq i64 {new}, {number['Open']}")
        repaired = writer.value(f"icmp uge i64 {old}, {number['Recovery']}")
        writer.line(f"br i1 {writer.value(f'and i1 {opened}, {repaired}')}, label %open_yes, label %open_on")
        writer.label("open_yes")
        self.pull(writer)
        before = self.word(writer, self.named["window"])
        self.tell(writer, "recovered")
        if not self._steers:
            self.keep(writer, self.named["window"], before)
        self.push(writer, window=self._steers)
        writer.line("br label %open_on")
        writer.label("open_on")

    def cong_avoid(self, writer: Writer) -> str:
        """``cong_avoid``: an acknowledgement outside a repair."""
        acked = writer.value(f"and i64 {self.argument(writer, 2)}, 4294967295")
        self.pull(writer)
        rtt = self.word(writer, self.named["rtt"]) if "rtt" in self.named else "0"
        self.tell(writer, "ack", acked=acked, rtt=rtt)
        if "rtt" in self.named:
            self.keep(writer, self.named["rtt"], "0")
        self.push(writer)
        return "0"

    def pkts_acked(self, writer: Writer) -> str:
        """``pkts_acked``: an acknowledgement has measured a round-trip time."""
        sample = self.argument(writer, 1, "ptr")
        value = self._field(writer, sample, "ack_sample", "rtt_us")
        narrow = writer.value(f"trunc i64 {value} to i32")
        wide = writer.value(f"sext i32 {narrow} to i64")
        self.keep(writer, self.named["rtt"], writer.value(f"call i64 @llvm.smax.i64(i64 {wide}, i64 0)"))
        return "0"

    def cong_control(self, writer: Writer) -> str:
        """``cong_control``: any acknowledgement."""
        last = self._types.arguments(OPS, "cong_control") - 1
        at = writer.value(f"getelementptr i8, ptr %ctx, i64 {8 * last}")
        writer.line(f"%rs = load ptr, ptr {at}")
        acked = self._rate(writer, "acked_sacked")
        some = writer.value(f"icmp ne i64 {acked}, 0")
        writer.line(f"br i1 {some}, label %acked, label %on")
        writer.label("acked")
        self.pull(writer)
        if "round" in self.named:
            self._count_round(writer)
        self.tell(writer, "ack", acked=acked, rtt=self._positive(writer, "rtt_us", 64))
        self.push(writer)
        writer.line("br label %on")
        writer.label("on")
        return "0"

    def _count_round(self, writer: Writer) -> None:
        """Count a round if something sent after the last count is acknowledged."""
        ends = self.word(writer, self.named["round_ends"])
        prior = self._rate(writer, "prior_delivered")
        early = writer.value(f"icmp ult i64 {prior}, {ends}")
        valid = writer.value(f"icmp sgt i64 {self._positive(writer, 'interval_us', 64)}, 0")
        late = writer.value(f"xor i1 {early}, true")
        over = writer.value(f"and i1 {late}, {valid}")
        more = writer.value(f"zext i1 {over} to i64")
        count = writer.value(f"add i64 {self.word(writer, self.named['round'])}, {more}")
        self.keep(writer, self.named["round"], count)
        end = writer.value(f"select i1 {over}, i64 {self.tcp(writer, 'delivered')}, i64 {ends}")
        self.keep(writer, self.named["round_ends"], end)

    def cwnd_event(self, writer: Writer) -> str:
        """``cwnd_event``: sending begins again."""
        event = writer.value(f"and i64 {self.argument(writer, 1)}, 4294967295")
        begins = writer.value(f"icmp eq i64 {event}, {self._types.enum('tcp_ca_event', 'CA_EVENT_TX_START')}")
        writer.line(f"br i1 {begins}, label %begins, label %on")
        writer.label("begins")
        self.pull(writer)
        self.tell(writer, "restart")
        if "idle" in self._law.answers:
            now = writer.value(f"call i64 inttoptr (i64 {_JIFFIES} to ptr)()")
            since = writer.value(f"sub i64 {now}, {self.tcp(writer, 'lsndtime')}")
            waited = writer.value(f"and i64 {since}, 4294967295")
            long = writer.value(f"icmp ugt i64 {waited}, {self.tcp(writer, 'inet_conn.icsk_rto')}")
            writer.line(f"br i1 {long}, label %idle, label %told")
            writer.label("idle")
            self.tell(writer, "idle")
            writer.line("br label %told")
            writer.label("told")
        self.push(writer)
        writer.line("br label %on")
        writer.label("on")
        return "0"

    def members(self) -> dict[str, Callable[[Writer], str]]:
        """Return the functions that the struct gets."""
        found: dict[str, Callable[[Writer], str]] = {
            "init": self.init, "ssthresh": self.ssthresh, "undo_cwnd": self.undo_cwnd,
            "set_state": self.set_state,
        }  # fmt: skip
        if self._steers:
            found["cong_control"] = self.cong_control
        else:
            found["cong_avoid"] = self.cong_avoid
        if "rtt" in self.named:
            found["pkts_acked"] = self.pkts_acked
        if {"idle", "restart"} & set(self._law.answers):
            found["cwnd_event"] = self.cwnd_event
        return found


def programs(law: Law, compiled: Compiled, types: Types, storage: int | None) -> Programs:
    """Return a law for the kernel with these types.

    Parameters
    ----------
    law, compiled
        The law.
    types
        Those of the kernel.
    storage
        The descriptor of a map of storage for connections; ``None`` if its words fit into the connection.

    Raises
    ------
    BtfError
        If the kernel lacks a field that the law needs.
    """
    maker = _Maker(law, compiled, types, storage)
    members = maker.members()
    parts = [_ATTRIBUTES, FUNCTIONS, *(maker.answer(event) for event in law.answers)]
    parts += [maker.function(name, body) for name, body in members.items()]
    return Programs("\n".join(parts), tuple(members))
