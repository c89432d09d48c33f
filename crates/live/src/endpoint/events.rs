//! The log of an end point: every call of a state machine, with its time, as text, one event a line.
//!
//! ```text
//! dumbbell endpoint 2 send header=76 plan=2f3c...
//! open TIME FLOW NUMBER MTU CLASS      an end point is made; NUMBER is that on the wire, MTU the largest packet
//! wake TIME FLOW
//! came TIME FLOW LENGTH OCTET HEADER   bytes of the datagram, its traffic class, and its first 48 bytes, in hexadecimal
//! left TIME FLOW LENGTH OCTET HEADER
//! dry TIME FLOW                        a sender was asked, and had nothing to send
//! ```

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use dumbbell_core::config::At;
use dumbbell_core::{Config, ConfigError, Time, json};
use dumbbell_header::datagram::LENGTH;
use dumbbell_proto::TransportSpec;

use super::{Arrival, header_bytes};

/// Which end wrote a log, and what its state machines were made with.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// The senders of a plan.
    Send {
        /// Bytes of all headers.
        header: u16,
        /// The hash of the plan.
        plan: String,
    },
    /// Receivers.
    Receive {
        /// Bytes of all headers.
        header: u16,
        /// Their transport.
        transport: TransportSpec,
    },
}

impl What {
    /// The first line of a log.
    pub fn head(&self) -> String {
        match self {
            What::Send { header, plan } => format!("dumbbell endpoint 2 send header={header} plan={plan}"),
            What::Receive { header, transport } => {
                let transport = json::to_string(&transport.to_value()).unwrap_or_default();
                format!("dumbbell endpoint 2 receive header={header} transport={transport}")
            }
        }
    }

    /// Reads the first line of a log.
    pub fn parse(head: &str) -> Option<What> {
        let mut words = head.strip_prefix("dumbbell endpoint 2 ")?.splitn(3, ' ');
        let kind = words.next()?;
        let mut value = |key: &str| words.next()?.strip_prefix(key)?.strip_prefix('=');
        let header = value("header")?.parse().ok().filter(|h| [false, true].map(header_bytes).contains(h))?;
        match kind {
            "send" => Some(What::Send { header, plan: value("plan")?.to_owned() }),
            "receive" => {
                let transport = json::from_str(value("transport")?).ok()?;
                let transport = TransportSpec::from_value(&transport, &At::root("transport")).ok()?;
                Some(What::Receive { header, transport })
            }
            _ => None,
        }
    }
}

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// An end point was made for the flow of this number on the wire.
    Open {
        /// The number.
        number: u32,
        /// The largest packet on the way.
        mtu: u32,
        /// The traffic class of its packets.
        class: u8,
    },
    /// It was woken.
    Wake,
    /// A packet came.
    Came(Told),
    /// A packet left.
    Left(Told),
    /// A sender was asked, and had nothing to send.
    Dry,
}

/// A datagram as a log tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Told {
    head: [u8; LENGTH],
    length: usize,
    traffic_class: u8,
}

impl Told {
    /// The datagram as it came, or as it comes to the other end.
    pub fn arrival(&self) -> Arrival<'_> {
        let head = &self.head[..self.length.min(LENGTH)];
        Arrival { head, length: self.length, traffic_class: self.traffic_class }
    }
}

/// Reads a line of a log: time, flow, event.
pub fn parse(line: &str) -> Option<(Time, u32, Event)> {
    let mut words = line.split(' ');
    let kind = words.next()?;
    let time = Time::from_nanos(words.next()?.parse().ok()?);
    let flow = words.next()?.parse().ok()?;
    let mut packet = || {
        let (length, traffic_class) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(Told { length, traffic_class, head: bytes(words.next()?, length)? })
    };
    let event = match kind {
        "wake" => Event::Wake,
        "dry" => Event::Dry,
        "came" => packet().map(Event::Came)?,
        "left" => packet().map(Event::Left)?,
        "open" => Event::Open {
            number: words.next()?.parse().ok()?,
            mtu: words.next()?.parse().ok()?,
            class: words.next()?.parse().ok()?,
        },
        _ => return None,
    };
    Some((time, flow, event))
}

/// The first bytes of a datagram of this length.
fn bytes(hex: &str, length: usize) -> Option<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    if hex.len() != 2 * length.min(LENGTH) {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(bytes)
}

/// A log that is being written.
pub struct Log {
    out: BufWriter<File>,
    line: String,
    /// The first error; told at the end.
    error: Option<io::Error>,
}

impl Log {
    /// Starts a log.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn create(path: &Path, what: &What) -> Result<Log, ConfigError> {
        let refused = |e: io::Error| {
            ConfigError::new(
                path.display().to_string(),
                format!("cannot be written ({e})"),
                "choose another file",
            )
        };
        let mut out = BufWriter::new(File::create(path).map_err(refused)?);
        writeln!(out, "{}", what.head()).map_err(refused)?;
        Ok(Log { out, line: String::new(), error: None })
    }

    /// An end point was made.
    pub fn opened(&mut self, now: Time, flow: u32, number: u32, mtu: u32, class: u8) {
        self.write(format_args!("open {} {flow} {number} {mtu} {class}", now.as_nanos()));
    }

    /// An end point was woken.
    pub fn woken(&mut self, now: Time, flow: u32) {
        self.write(format_args!("wake {} {flow}", now.as_nanos()));
    }

    /// A sender had nothing to send.
    pub fn dry(&mut self, now: Time, flow: u32) {
        self.write(format_args!("dry {} {flow}", now.as_nanos()));
    }

    /// A packet came.
    pub fn came(&mut self, now: Time, flow: u32, datagram: Arrival<'_>) {
        self.packet("came", now, flow, datagram);
    }

    /// A packet left.
    pub fn left(&mut self, now: Time, flow: u32, datagram: Arrival<'_>) {
        self.packet("left", now, flow, datagram);
    }

    fn packet(&mut self, kind: &str, now: Time, flow: u32, datagram: Arrival<'_>) {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        for byte in datagram.head {
            // Text never fails.
            let _ = write!(line, "{byte:02x}");
        }
        let Arrival { length, traffic_class, .. } = datagram;
        self.write(format_args!("{kind} {} {flow} {length} {traffic_class} {line}", now.as_nanos()));
        self.line = line;
    }

    fn write(&mut self, line: std::fmt::Arguments<'_>) {
        if let Err(e) = writeln!(self.out, "{line}") {
            self.error.get_or_insert(e);
        }
    }

    /// Ends the log.
    ///
    /// # Errors
    /// If something could not be written.
    pub fn finish(mut self) -> io::Result<()> {
        match self.error {
            Some(e) => Err(e),
            None => self.out.flush(),
        }
    }
}
