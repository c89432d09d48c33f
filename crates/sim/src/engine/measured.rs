//! What the measured part of a run comes to.

use dumbbell_core::Time;
use dumbbell_core::results::{ArrivalRow, Results};
use dumbbell_net::link::Link;

use super::flows::Slot;
use super::network::Tally;

/// What a run's measured part came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// Packet-hops, those of the warm-up too.
    pub packet_hops: u64,
    /// What became of packets.
    pub tally: Tally,
}

/// Writes down the packets that arrived at recorded links up to the end. A link that is fed ahead of time knows some to come.
pub fn write_arrivals(
    recorded: &[u32],
    slots: &[Slot],
    end: Time,
    links: &mut [Link],
    results: &mut Results,
) {
    for &link in recorded {
        let meter = links[link as usize].read();
        while let Some(arrival) = meter.next_arrival() {
            if arrival.time <= end {
                results.arrivals.push(ArrivalRow {
                    time: arrival.time.as_secs_f64(),
                    link,
                    flow: slots[arrival.flow as usize].number,
                    size: arrival.size,
                });
            }
        }
    }
}
