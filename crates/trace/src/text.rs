//! Events as lines of text, aligned, for a pager and for `grep`.

use std::fmt::Write as _;
use std::io::{self, Write};

use dumbbell_core::{Ecn, Time, Way};

use crate::event::{Event, Network, What};
use crate::fields::{Feedback, Fields, Protocol};
use crate::sink::Sink;

/// Writes one line for each event of a packet. The first line names the columns.
pub struct Lines<W> {
    out: W,
    /// Width of the column of places.
    width: usize,
    line: String,
}

impl<W: Write> Lines<W> {
    /// Lines that go to `out`.
    pub fn new(out: W) -> Lines<W> {
        Lines { out, width: 5, line: String::new() }
    }
}

impl<W: Write> Sink for Lines<W> {
    fn begin(&mut self, network: &Network) -> io::Result<()> {
        let names = network.links.iter().map(|link| &link.name).chain(&network.nodes);
        // A few long names push their lines to the right; they do not make all lines long.
        self.width = names.map(|name| name.chars().count()).max().unwrap_or(0).clamp(5, 24);
        writeln!(
            self.out,
            "{:>14} {:<10} {:<width$} {:>5} {:<3} {:<5} {:>5}  header",
            "time_s",
            "event",
            "place",
            "flow",
            "way",
            "proto",
            "bytes",
            width = self.width
        )
    }

    fn event(&mut self, network: &Network, event: &Event<'_>) -> io::Result<()> {
        let What::Packet(happened, seen) = event.what else { return Ok(()) };
        let nanos = event.time.as_nanos();
        let place = event.place(network);
        let way = if seen.way == Way::Forward { "->" } else { "<-" };
        self.line.clear();
        let _ = write!(
            self.line,
            "{:>4}.{:09} {:<10} {:<width$} {:>5} {way:<3} {:<5} {:>5} ",
            nanos / 1_000_000_000,
            nanos % 1_000_000_000,
            happened.name(),
            place,
            event.flow.number,
            seen.fields.protocol.name(),
            seen.fields.size,
            width = self.width
        );
        describe(seen.fields, &mut self.line);
        if let Some(reason) = happened.reason() {
            let _ = write!(self.line, " reason={}", reason.name());
        }
        writeln!(self.out, "{}", self.line.trim_end())
    }

    fn end(&mut self, _network: &Network, _now: Time) -> io::Result<()> {
        self.out.flush()
    }
}

/// The fields that a header has, by name.
fn describe(fields: &Fields, line: &mut String) {
    let kind = fields.kind();
    if !kind.is_empty() {
        let _ = write!(line, " [{kind}]");
    }
    if fields.protocol != Protocol::Quench && fields.protocol != Protocol::Other {
        let _ = write!(line, " seq={}", fields.number);
    }
    if fields.payload > 0 {
        let _ = write!(line, " len={}", fields.payload);
    }
    if let Some(ack) = fields.ack {
        let _ = write!(line, " ack={ack}");
    }
    if let Some(window) = fields.window {
        let _ = write!(line, " win={window}");
    }
    for (at, (start, end)) in fields.sack.iter().enumerate() {
        let _ = write!(line, "{}{start}-{end}", if at == 0 { " sack=" } else { "," });
    }
    if let Some(rate) = fields.rate {
        let _ = write!(line, " rate={rate:.0}bit/s");
    }
    match fields.feedback {
        Some(Feedback::Ask(asked)) => {
            let _ = write!(line, " delta={}B/s", asked.delta);
        }
        Some(Feedback::Answer(answer)) => {
            let _ = write!(line, " answer={answer}");
        }
        None => {}
    }
    match fields.ecn {
        Ecn::Ect1 => line.push_str(" ect1"),
        Ecn::Ect0 => line.push_str(" ect0"),
        Ecn::Ce => line.push_str(" ce"),
        _ => {}
    }
    if fields.class > 0 {
        let _ = write!(line, " class={}", fields.class);
    }
}
