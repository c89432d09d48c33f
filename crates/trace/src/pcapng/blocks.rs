//! Blocks of pcapng (draft-ietf-opsawg-pcapng, sections 3 and 4), little-endian.

use std::io::{self, Write};

/// Types of blocks.
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const NAMES: u32 = 4;
const PACKET: u32 = 6;
/// Packets that begin with an IPv4 or IPv6 header (LINKTYPE_RAW).
const RAW_IP: u16 = 101;
/// Nanoseconds: 10 to the minus ninth.
const RESOLUTION: u8 = 9;
/// The longest value of an option whose bytes fill whole words.
const LONGEST_OPTION: usize = 65_532;

/// A captured packet.
#[derive(Clone, Debug)]
pub(crate) struct Captured {
    /// The interface, in the order in which they were written.
    pub interface: u32,
    /// Nanoseconds since 1970.
    pub time: u64,
    /// The number of the packet, the same at all interfaces.
    pub number: u64,
    /// True if the interface sent it, false if it received it.
    pub outbound: bool,
    pub bytes: Vec<u8>,
    /// Its length on the wire.
    pub length: u32,
    /// Lines of comments.
    pub comments: Vec<String>,
}

/// The header of a section, with what wrote it and a comment on it.
pub(crate) fn section(out: &mut dyn Write, writer: &str, comment: &str) -> io::Result<()> {
    let mut body = 0x1a2b_3c4d_u32.to_le_bytes().to_vec();
    body.extend(1_u16.to_le_bytes());
    body.extend(0_u16.to_le_bytes());
    // The length of the section is not given.
    body.extend(u64::MAX.to_le_bytes());
    option(&mut body, 1, comment.as_bytes());
    option(&mut body, 4, writer.as_bytes());
    option(&mut body, 0, &[]);
    block(out, SECTION, &body)
}

/// A place where packets are captured.
pub(crate) fn interface(out: &mut dyn Write, name: &str, description: &str) -> io::Result<()> {
    let mut body = RAW_IP.to_le_bytes().to_vec();
    body.extend(0_u16.to_le_bytes());
    // No limit on the bytes of a packet.
    body.extend(0_u32.to_le_bytes());
    option(&mut body, 2, name.as_bytes());
    option(&mut body, 3, description.as_bytes());
    option(&mut body, 9, &[RESOLUTION]);
    option(&mut body, 0, &[]);
    block(out, INTERFACE, &body)
}

/// The name of an address.
pub(crate) fn name(out: &mut dyn Write, address: [u8; 4], name: &str) -> io::Result<()> {
    let mut value = address.to_vec();
    value.extend(name.bytes().filter(|byte| *byte != 0));
    value.push(0);
    let mut body = Vec::new();
    option(&mut body, 1, &value);
    option(&mut body, 0, &[]);
    block(out, NAMES, &body)
}

/// A packet.
pub(crate) fn packet(out: &mut dyn Write, packet: &Captured) -> io::Result<()> {
    let mut body = packet.interface.to_le_bytes().to_vec();
    body.extend(((packet.time >> 32) as u32).to_le_bytes());
    body.extend((packet.time as u32).to_le_bytes());
    body.extend((packet.bytes.len() as u32).to_le_bytes());
    body.extend(packet.length.to_le_bytes());
    body.extend(&packet.bytes);
    pad(&mut body);
    for comment in &packet.comments {
        option(&mut body, 1, comment.as_bytes());
    }
    // Inbound is 1, outbound is 2.
    option(&mut body, 2, &(1 + u32::from(packet.outbound)).to_le_bytes());
    option(&mut body, 5, &packet.number.to_le_bytes());
    option(&mut body, 0, &[]);
    block(out, PACKET, &body)
}

fn block(out: &mut dyn Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let length = (body.len() as u32 + 12).to_le_bytes();
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(&length)?;
    out.write_all(body)?;
    out.write_all(&length)
}

fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = &value[..value.len().min(LONGEST_OPTION)];
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    pad(body);
}

fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}
