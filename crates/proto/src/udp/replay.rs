//! Exact replay of a recorded list of packets.

use std::sync::Arc;

use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, Validate, config};

use super::{Schedule, Sink, Source};
use crate::transport::{Opening, Transport};

config! {
    /// Datagrams at recorded times and of recorded sizes. The list comes with the flow.
    pub struct Params {}
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "replay";
    const TITLE: &'static str = "UDP source that replays a recorded list of (time, size)";
    const REFERENCE: &'static str = "choice: measured traffic, reproduced to the nanosecond";
}

/// The departures.
#[derive(Debug)]
pub struct Recorded {
    list: Arc<[(Duration, u32)]>,
    position: usize,
    previous: Duration,
}

impl Schedule for Recorded {
    fn next(&mut self, _rng: &mut Stream) -> Option<(Duration, u16)> {
        let &(time, size) = self.list.get(self.position)?;
        let gap = time - self.previous;
        self.position += 1;
        self.previous = time;
        Some((gap, u16::try_from(size).expect("a recorded packet is no larger than an IP packet can be")))
    }
}

impl Transport for Params {
    type Sender = Source<Recorded>;
    type Receiver = Sink;

    fn open(&self, opening: Opening) -> (Source<Recorded>, Sink) {
        let list = opening.replay.clone().unwrap_or_default();
        let sink = Sink::new(&opening);
        (Source::new(Recorded { list, position: 0, previous: Duration::ZERO }, opening), sink)
    }

    fn wire_bytes(&self, payload: u64, mtu: u32) -> u64 {
        super::wire_bytes(payload, mtu.clamp(super::HEADER + 1, u32::from(u16::MAX)) as u16)
    }

    fn fits(&self, _mtu: u32) -> Result<(), String> {
        Ok(())
    }
}
