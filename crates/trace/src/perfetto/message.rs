//! Messages of protocol buffers (protobuf.dev, Encoding), as far as a trace needs them.

/// A message that grows field by field.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    bytes: Vec<u8>,
}

/// How the value of a field is written.
const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;

impl Message {
    /// A field that is a number.
    #[must_use]
    pub fn number(mut self, field: u64, value: u64) -> Message {
        self.varint(field << 3 | VARINT);
        self.varint(value);
        self
    }

    /// A field that is a floating-point number.
    #[must_use]
    pub fn double(mut self, field: u64, value: f64) -> Message {
        self.varint(field << 3 | FIXED64);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// A field that is text.
    #[must_use]
    pub fn text(self, field: u64, value: &str) -> Message {
        self.delimited(field, value.as_bytes())
    }

    /// A field that is a message.
    #[must_use]
    pub fn message(self, field: u64, value: &Message) -> Message {
        self.delimited(field, &value.bytes)
    }

    /// The message on the wire.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn delimited(mut self, field: u64, value: &[u8]) -> Message {
        self.varint(field << 3 | BYTES);
        self.varint(value.len() as u64);
        self.bytes.extend(value);
        self
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_encoding() {
        // protobuf.dev, Encoding: `a: 150`, `b: "testing"`, and the first in a third.
        let first = Message::default().number(1, 150);
        assert_eq!(first.as_bytes(), [0x08, 0x96, 0x01]);
        let second = Message::default().text(2, "testing");
        assert_eq!(second.as_bytes(), b"\x12\x07testing");
        let third = Message::default().message(3, &first);
        assert_eq!(third.as_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
    }
}
