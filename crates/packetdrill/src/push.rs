//! Which segments carry PSH. Linux makes packets of several segments, and sets PSH on each; our sender makes single segments,
//! so that what would have been one packet is found here.

use dumbbell_proto::tcp::Info;

use crate::settings::Settings;
use crate::wire::{Segment, flag};

/// The largest packet that the devices below take, in bytes.
const LARGEST: u64 = 65_536;

/// Segments in a packet: what is sent in a millisecond, at least `tcp_min_tso_segs`, at most half the window.
// Linux net/ipv4/tcp_output.c: what tcp_tso_autosize and tcp_cwnd_test compute.
pub fn group(info: &Info, settings: &Settings) -> u32 {
    let mss = u64::from(info.mss);
    let share = LARGEST.checked_shr((info.min_rtt.as_nanos() / 512_000) as u32).unwrap_or(0);
    let bytes = rate(info, settings) / 1024 + share;
    let least = settings.number("tcp_min_tso_segs", 2).max(1);
    let segments = (bytes / mss).max(least).min(LARGEST / mss);
    (segments as u32).min(info.window / 2).max(1)
}

/// The pacing rate in bytes a second; 0 before a round-trip time is known.
// Linux net/ipv4/tcp_input.c: what tcp_update_pacing_rate computes.
fn rate(info: &Info, settings: &Settings) -> u64 {
    let starting = info.threshold.is_none_or(|threshold| info.window < threshold / 2);
    let percent = if starting {
        settings.number("tcp_pacing_ss_ratio", 200)
    } else {
        settings.number("tcp_pacing_ca_ratio", 120)
    };
    let bytes = u64::from(info.window.max(info.out)) * u64::from(info.mss) * percent / 100;
    (bytes * 1_000_000_000).checked_div(info.smoothed.as_nanos()).unwrap_or(0)
}

/// Sets PSH on the last segment of each group of two or more among those that are sent for the first time.
pub fn mark(segments: &mut [Segment], fresh: &[usize], group: u32) {
    for packet in fresh.chunks(group as usize) {
        if let [_, .., last] = packet {
            segments[*last].flags |= flag::PSH;
        }
    }
}
