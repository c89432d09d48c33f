//! RCP on the wire: headers decoded from any bytes, fed to both end points at any time.
//!
//! Input: the form of the flow, and records of 52 bytes.

#![no_main]

mod ends;

use std::sync::{Arc, LazyLock};

use dumbbell_core::config::At;
use dumbbell_core::{Config, Duration, Stage, Time, json};
use dumbbell_header::{DatagramHeader, RcpHeader};
use dumbbell_proto::rcp::{Params, Receiver, Sender};
use dumbbell_proto::transport::ReceiveEnd;
use libfuzzer_sys::fuzz_target;

use ends::{RECORD, TO_RECEIVER, run};

static PARAMS: LazyLock<[Arc<Params>; 2]> = LazyLock::new(|| {
    [r"{}", r#"{"compat": "ns2", "retries": 3}"#].map(|text| {
        let value = json::from_str(text).expect("JSON");
        Arc::new(Params::from_value(&value, &At::root("fuzz")).expect("parameters"))
    })
});

fuzz_target!(|data: &[u8]| {
    let Some((form, data)) = data.split_first() else { return };
    let params = &PARAMS[usize::from(form & 1)];
    let mut sender = Sender::new(params.clone(), ends::opening(form >> 1));
    let mut receiver = Receiver::new(1, params.header);
    let mut now = Time::ZERO;
    sender.wake(now);
    for record in data.chunks_exact(RECORD) {
        now = run(&mut sender, &mut receiver, now, now + ends::pause(record));
        let bytes = ends::header(record, now, [0x52, 0x43], 32);
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
