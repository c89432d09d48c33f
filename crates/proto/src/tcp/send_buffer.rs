//! The send buffer of a connection: how much it may hold, and how it grows.

use dumbbell_core::config::At;
use dumbbell_core::{Bytes, Config, ConfigError, Value, json};

/// What a segment takes of the buffer besides its payload, where much is written at once: measured on Linux 6.18, where a segment of
/// 1448 bytes takes 1476.
const BESIDE: u64 = 28;
/// What the buffer grows by for each segment that it shall hold: measured on Linux 6.18 (2048 bytes and a header).
// Linux net/ipv4/tcp_input.c: what tcp_sndbuf_expand computes; include/net/sock.h: SOCK_MIN_SNDBUF is two of these.
const RECKONED: u64 = 2304;
/// The buffer grows for this many segments at least: the initial window of RFC 6928.
const LEAST_SEGMENTS: u64 = 10;

/// The largest size of a send buffer, if it has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SendBuffer(Option<Bytes>);

impl Config for SendBuffer {
    const KIND: &'static str = "size";
    fn from_value(v: &Value, at: &At<'_>) -> Result<SendBuffer, ConfigError> {
        if *v == Value::from("unlimited") {
            return Ok(SendBuffer(None));
        }
        let most = Bytes::from_value(v, at)?;
        if most.get() == 0 {
            return Err(at.error("a sender without buffer sends nothing", "give a size, or \"unlimited\""));
        }
        Ok(SendBuffer(Some(most)))
    }
    fn to_value(&self) -> Value {
        self.0.map_or(Value::from("unlimited"), |most| most.to_value())
    }
    fn schema() -> json::Value {
        json::json!({ "anyOf": [Bytes::schema(), { "const": "unlimited" }] })
    }
}

impl SendBuffer {
    /// The buffer of a new connection whose segments have `mss` bytes; `None` if it has room for everything.
    pub fn open(self, mss: u32) -> Option<Buffer> {
        let most = self.0?.get().max(2 * RECKONED);
        Some(Buffer { size: reckoned(LEAST_SEGMENTS).min(most), most, mss: mss.into() })
    }
}

/// The buffer of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// Its memory now, and the most.
    size: u64,
    most: u64,
    /// Payload of a segment.
    mss: u64,
}

impl Buffer {
    /// Bytes of data for which it has memory.
    pub fn room(&self) -> u64 {
        let room = u128::from(self.size) * u128::from(self.mss) / u128::from(self.mss + BESIDE);
        room as u64
    }

    /// Grows so that it holds two windows of so many segments.
    pub fn grow(&mut self, segments: u64) {
        self.size = self.size.max(reckoned(segments.max(LEAST_SEGMENTS)).min(self.most));
    }
}

/// Memory that two windows of so many segments are reckoned at.
fn reckoned(segments: u64) -> u64 {
    segments.saturating_mul(2 * RECKONED)
}
