//! Fixed arrivals, drawn from a generator with a seed.

use dumbbell_core::rng::{Stream, stream};
use dumbbell_core::{BitRate, Duration, Ecn, FlowEnds, FlowTag, Packet, Time, TrafficClass};
use dumbbell_header::TcpHeader;
use rand::RngExt;

/// How packets arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// At three fifths of the rate.
    Light,
    /// At 1.3 times the rate.
    Heavy,
    /// Up to eighty at once, then a gap: one in fifty lasts five seconds.
    Bursts,
    /// Each packet raises the load a little; each drop and each mark lowers it.
    Responsive,
    /// The load steps, between times of up to two hundred seconds without a packet. New flows replace old ones.
    Waves,
    /// As `Responsive`, with packets of up to 9000 bytes at 100 Mbit/s.
    Jumbo,
}

impl Shape {
    pub const ALL: [Shape; 6] =
        [Shape::Light, Shape::Heavy, Shape::Bursts, Shape::Responsive, Shape::Waves, Shape::Jumbo];

    pub fn rate(self) -> BitRate {
        BitRate::from_bps(if self == Shape::Jumbo { 100_000_000 } else { 10_000_000 })
    }

    pub fn mtu(self) -> u16 {
        if self == Shape::Jumbo { 9000 } else { 1500 }
    }

    pub fn packets(self) -> u64 {
        match self {
            Shape::Light => 600,
            Shape::Heavy => 2000,
            Shape::Bursts | Shape::Jumbo => 3000,
            Shape::Responsive => 5000,
            Shape::Waves => 4000,
        }
    }
}

/// What sends.
pub struct Source {
    shape: Shape,
    rng: Stream,
    now: Time,
    sent: u64,
    /// Thousandths of the rate.
    load: u64,
    /// Packets left of a burst.
    left: u64,
}

impl Source {
    pub fn new(shape: Shape) -> Source {
        let rng = stream(7, &format!("{shape:?}"));
        let load = match shape {
            Shape::Light => 600,
            Shape::Heavy => 1300,
            _ => 500,
        };
        Source { shape, rng, now: Time::ZERO, sent: 0, load, left: 0 }
    }

    /// A packet was dropped or marked.
    pub fn congested(&mut self) {
        if matches!(self.shape, Shape::Responsive | Shape::Jumbo) {
            self.load = (self.load * 17 / 20).max(100);
        }
    }

    /// The time after the packet before.
    fn gap(&mut self, size: u16) -> Duration {
        let service = u64::from(size) * 8_000_000_000 / self.shape.rate().as_bps();
        match self.shape {
            Shape::Light | Shape::Heavy => {}
            Shape::Responsive | Shape::Jumbo => self.load = (self.load + 3).min(3000),
            Shape::Bursts => {
                if self.left > 0 {
                    self.left -= 1;
                    return Duration::ZERO;
                }
                self.left = self.rng.random_range(0..80);
                let long = self.rng.random_range(0..50) == 0;
                return Duration::from_micros(if long {
                    5_000_000
                } else {
                    self.rng.random_range(0..150_000)
                });
            }
            Shape::Waves => {
                if self.left > 0 {
                    self.left -= 1;
                } else {
                    self.left = self.rng.random_range(50..500);
                    self.load = [200, 900, 1000, 1100, 2500][self.rng.random_range(0..5)];
                    if self.rng.random_range(0..4) == 0 {
                        return Duration::from_millis(self.rng.random_range(0..200_000));
                    }
                }
            }
        }
        Duration::from_nanos(service * self.rng.random_range(0..2000) / self.load)
    }

    /// The next packet, which arrives at its time.
    pub fn next(&mut self) -> Packet {
        let size = match self.rng.random_range(0..4) {
            0 => 40,
            1 => self.rng.random_range(40..=self.shape.mtu()),
            _ => self.shape.mtu(),
        };
        let gap = self.gap(size);
        self.now += gap;
        // Three flows have half of the packets.
        let flow = if self.rng.random() { self.rng.random_range(0..3) } else { self.rng.random_range(3..16) };
        let era = if self.shape == Shape::Waves { self.sent / 900 * 5 } else { 0 };
        let slot = flow + era as u32;
        let ecn = [Ecn::Ect0, Ecn::NotEct, Ecn::Ect1, Ecn::Ect0][slot as usize % 4];
        let class = TrafficClass::new([0, 1, 2, 0, 1, 3, 7, 0, 5][slot as usize % 9]).unwrap();
        let header = TcpHeader { number: self.sent, ..TcpHeader::default() };
        self.sent += 1;
        Packet { at: self.now, ..Packet::of(header, FlowTag { slot, class }, size, ecn) }
    }
}

/// Flows between few hosts.
pub fn ends() -> FlowEnds {
    let ends = FlowEnds::table();
    (0..40).for_each(|slot| ends.note(slot, [slot % 3, 10 + slot % 5]));
    ends
}
