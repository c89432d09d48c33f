//! Both ends of a flow, driven as a simulation or a socket drives them.

use dumbbell_core::{Duration, Stage, Time, rng};
use dumbbell_header::datagram::LENGTH;
use dumbbell_proto::Opening;
use dumbbell_proto::transport::SendEnd;

/// Packets that are pulled at one moment, at most: a header may offer any rate.
const BURST: usize = 64;

/// Bytes of a record: how much time passes, for whom the header is and how much of it is mended, how large the payload is,
/// and the header as on the wire.
pub const RECORD: usize = 4 + LENGTH;

/// Bits of the third byte of a record.
pub const TO_RECEIVER: u8 = 1;
pub const KNOWN: u8 = 2;
pub const RECENT: u8 = 4;

/// A flow of one of some sizes.
pub fn opening(form: u8) -> Opening {
    Opening {
        flow: 1.into(),
        size: [None, Some(1), Some(96_000), Some(u64::MAX)][usize::from(form & 3)],
        mtu: 1000,
        access: None,
        rng: rng::stream(1, "fuzz"),
        replay: None,
        granted: None,
        application: None,
        reader: None,
    }
}

/// The time at which the header of a record comes, and that header with the protocol, the version and a time in the past where
/// the input asks for them. `at` is where a header has the sender's clock.
pub fn header(record: &[u8], now: Time, magic: [u8; 2], at: usize) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    bytes.copy_from_slice(&record[4..]);
    if record[2] & KNOWN != 0 {
        bytes[..2].copy_from_slice(&magic);
        bytes[2] = 0x10 | bytes[2] & 15;
    }
    if record[2] & RECENT != 0 {
        let ago = u64::from(bytes[at + 7]) * 1_000_000;
        bytes[at..at + 8].copy_from_slice(&now.as_nanos().saturating_sub(ago).to_be_bytes());
    }
    bytes
}

/// How long after the one before it a record comes.
pub fn pause(record: &[u8]) -> Duration {
    Duration::from_micros(u64::from(u16::from_be_bytes([record[0], record[1]])) * 37)
}

/// Drives both ends until a time, or until the sender has sent more than any input needs.
pub fn run(sender: &mut impl SendEnd, receiver: &mut impl Stage, mut now: Time, until: Time) -> Time {
    let mut woken = false;
    for _ in 0..BURST {
        let sent = std::iter::from_fn(|| sender.pull(now)).take(BURST).count();
        if receiver.wake_at() <= now {
            receiver.wake(now);
        }
        while receiver.pull(now).is_some() {}
        let next = sender.wake_at();
        assert!(next == Time::NEVER || !sender.is_closed(), "an end that is closed asks to be woken");
        if next > until || sent == BURST {
            return until;
        }
        assert!(next > now || !woken, "a timer stands still");
        woken = next >= now;
        now = now.max(next);
        sender.wake(now);
    }
    until
}
