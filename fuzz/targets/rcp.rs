//! RCP on the wire: headers decoded from any bytes, fed to both end points at any time.
//!
//! Input: records of 52 bytes. Two say how much time passes, one for whom the header is and how much of it is mended,
//! one how large the payload is; 48 are the header as on the wire.

#![no_main]

use std::sync::{Arc, LazyLock};

use dumbbell_core::config::At;
use dumbbell_core::{Config, Duration, Stage, Time, json, rng};
use dumbbell_header::RcpHeader;
use dumbbell_proto::Opening;
use dumbbell_proto::rcp::{Params, Receiver, Sender};
use dumbbell_proto::transport::{ReceiveEnd, SendEnd};
use libfuzzer_sys::fuzz_target;

/// Packets that are pulled at one moment, at most: a header may offer any rate.
const BURST: usize = 64;
const HEADER: usize = RcpHeader::LENGTH;
const RECORD: usize = 4 + HEADER;
/// Bits of the third byte.
const TO_RECEIVER: u8 = 1;
const KNOWN: u8 = 2;
const RECENT: u8 = 4;

static PARAMS: LazyLock<[Arc<Params>; 2]> = LazyLock::new(|| {
    [r"{}", r#"{"compat": "ns2", "retries": 3}"#].map(|text| {
        let value = json::from_str(text).expect("JSON");
        Arc::new(Params::from_value(&value, &At::root("fuzz")).expect("parameters"))
    })
});

fuzz_target!(|data: &[u8]| {
    let Some((form, data)) = data.split_first() else { return };
    let params = &PARAMS[usize::from(form & 1)];
    let size = [None, Some(1), Some(96_000), Some(u64::MAX)][usize::from(form >> 1 & 3)];
    let opening = Opening {
        flow: 1.into(),
        size,
        mtu: 1000,
        access: None,
        rng: rng::stream(1, "fuzz"),
        replay: None,
        granted: None,
        application: None,
        reader: None,
    };
    let mut sender = Sender::new(params.clone(), opening);
    let mut receiver = Receiver::new(1, params.header);
    let mut now = Time::ZERO;
    sender.wake(now);
    for record in data.chunks_exact(RECORD) {
        let until = now + Duration::from_micros(u64::from(u16::from_be_bytes([record[0], record[1]])) * 37);
        now = run(&mut sender, &mut receiver, now, until);
        let mut bytes = [0; HEADER];
        bytes.copy_from_slice(&record[4..]);
        mended(record[2], now, &mut bytes);
        let Some((flow, header)) = RcpHeader::decode(&bytes) else { continue };
        assert_eq!(header.encode(flow), bytes, "what is read is what was written");
        if record[2] & TO_RECEIVER == 0 {
            sender.take(now, &header);
        } else {
            let before = receiver.report();
            receiver.take(now, &header, u16::from(record[3]) * 4);
            let after = receiver.report();
            assert!(before.packets <= after.packets && before.out_of_order <= after.out_of_order);
            assert!(before.finished.is_none() || before.finished == after.finished);
        }
    }
    run(&mut sender, &mut receiver, now, now + Duration::from_millis(100));
});

/// Drives both ends until a time, or until the sender has sent more than any input needs.
fn run(sender: &mut Sender, receiver: &mut Receiver, mut now: Time, until: Time) -> Time {
    let mut woken = false;
    for _ in 0..BURST {
        let sent = std::iter::from_fn(|| sender.pull(now)).take(BURST).count();
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

/// Writes the protocol, the version and a kind, and a time in the past, where the input asks for them.
fn mended(mend: u8, now: Time, bytes: &mut [u8; HEADER]) {
    if mend & KNOWN != 0 {
        bytes[..2].copy_from_slice(&[0x52, 0x43]);
        bytes[2] = 0x10 | bytes[2] & 15;
    }
    if mend & RECENT != 0 {
        let ago = u64::from(bytes[39]) * 1_000_000;
        bytes[32..40].copy_from_slice(&now.as_nanos().saturating_sub(ago).to_be_bytes());
    }
}
