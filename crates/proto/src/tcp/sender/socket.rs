//! What a program with a socket of its own needs of a sender, and no simulation does: a connection that another has opened,
//! that is closed when the program wants it, and whose state can be looked at.

use std::sync::Arc;

use dumbbell_core::{Duration, Header, Packet, Time};
use dumbbell_header::{SackBlock, TcpHeader};

use super::{Phase, Sender};
use crate::controller::Control;
use crate::tcp::params::Nagle;
use crate::tcp::rack::State;

/// What the handshake of a connection has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handshake {
    /// Its round-trip time; `None` if a segment was sent again.
    pub rtt: Option<Duration>,
    /// The window that the receiver advertised last, in bytes.
    pub window: u64,
    /// How far windows are shifted from now on (RFC 7323 section 2.2).
    pub scale: u8,
}

/// The state of a sender. Counts are in segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Info {
    /// What it is about.
    pub state: State,
    /// Congestion window.
    pub window: u32,
    /// Slow-start threshold; `None` without one.
    pub threshold: Option<u32>,
    /// Sent and not acknowledged in order.
    pub out: u32,
    /// Those that the receiver holds.
    pub held: u32,
    /// Those taken for lost.
    pub lost: u32,
    /// Those sent again that may still arrive.
    pub resent: u32,
    /// Delivered since the start.
    pub delivered: u32,
    /// The largest distance by which segments were reordered, 3 at least.
    pub reordering: u32,
    /// How often reordering was seen.
    pub reorderings: u32,
    /// Packets that arrived marked, as accurate ECN tells.
    pub marked: u32,
    /// Timeouts since something was acknowledged.
    pub expired: u32,
    /// The retransmission timeout.
    pub timeout: Duration,
    /// Smoothed round-trip time, its mean deviation, and the smallest one; zero before the first measurement.
    pub smoothed: Duration,
    /// See `smoothed`.
    pub variation: Duration,
    /// See `smoothed`.
    pub min_rtt: Duration,
    /// Payload of a full segment, in bytes.
    pub mss: u32,
}

impl Sender {
    /// Takes over a connection whose handshake another has done, before the first `wake`; the parameters say
    /// `handshake = false`.
    pub fn take_over(&mut self, handshake: &Handshake) {
        debug_assert!(self.phase == Phase::Unopened && !self.params.handshake);
        if let Some(rtt) = handshake.rtt {
            self.timers.rtt.measure(rtt, 0, &self.params);
        }
        self.stream.receive_window = handshake.window;
        self.stream.scale = handshake.scale;
    }

    /// Closes the stream after what was written: the FIN follows the last byte. The driver then calls `pull`.
    pub fn close(&mut self) {
        // From here on the connection is one that closes: a parameter, so that others pay nothing.
        Arc::make_mut(&mut self.params).fin = true;
        if self.stream.stop == self.stream.end && self.stream.is_written() {
            self.stream.stop += 1;
            self.timers.finished = Time::NEVER;
        }
    }

    /// Sets what a segment waits for that is not full. The driver then calls `pull`.
    pub fn set_nagle(&mut self, nagle: Nagle) {
        Arc::make_mut(&mut self.params).nagle = nagle;
    }

    /// Everything below this number is acknowledged.
    pub fn acknowledged_to(&self) -> u64 {
        self.stream.una
    }

    /// True if an acknowledgement tells of nothing that was never sent (RFC 9293 section 3.10.7.4, fifth check), in its blocks
    /// neither. The others come from somebody who forges them.
    pub(super) fn is_credible(&self, packet: &Packet) -> bool {
        let mut header = TcpHeader::unpack(&packet.words());
        if packet.flags & TcpHeader::FEEDBACK != 0 || self.echo.accurate.is_some() {
            // An answer, or the option of accurate ECN, stands in the place of the last block.
            header.sack[2] = SackBlock::default();
        }
        let Some(room) = self.stream.max.checked_sub(header.number) else { return false };
        // One that lies below the acknowledgement tells what arrived twice (RFC 2883).
        let is_sane = |block: &SackBlock| {
            let (start, end) = (block.start.cast_signed(), block.end.cast_signed());
            start < end && (end <= 0 || start > 0 && end as u64 <= room)
        };
        let mut blocks = header.sack.iter().filter(|block| **block != SackBlock::default());
        blocks.all(is_sane)
    }

    /// The state of the connection.
    pub fn info(&self) -> Info {
        let mss = u64::from(self.stream.mss);
        let segments = |bytes: u64| u32::try_from(bytes.div_ceil(mss)).unwrap_or(u32::MAX);
        let rack = self.repair.rack.as_deref();
        let plain = if self.repair.duplicates.recovering { State::Recovery } else { State::Open };
        Info {
            state: rack.map_or(plain, |rack| rack.state),
            window: self.gate.window_segments(),
            threshold: (self.gate.control.threshold != Control::UNLIMITED)
                .then(|| self.gate.threshold_segments()),
            out: rack.map_or(segments(self.stream.max - self.stream.una), |rack| rack.segments.out()),
            held: rack.map_or(0, |rack| rack.segments.held()),
            lost: rack.map_or(0, |rack| rack.segments.lost()),
            resent: rack.map_or(0, |rack| rack.segments.resent()),
            delivered: rack.map_or(segments(self.gate.delivered), |rack| rack.delivered),
            reordering: rack.map_or(crate::tcp::rack::DUPLICATES, |rack| rack.reordering),
            reorderings: rack.map_or(0, |rack| rack.reorderings),
            marked: self.echo.accurate.as_ref().map_or(0, |heard| heard.total() as u32),
            expired: self.timers.expired,
            timeout: self.timers.rtt.timeout(),
            smoothed: self.timers.rtt.smoothed(),
            variation: self.timers.rtt.variation(),
            min_rtt: self.timers.rtt.min(),
            mss: self.stream.mss.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::{Ecn, Frame, Stage, Time};

    use super::*;
    use crate::tcp::tests::params;
    use crate::testing::{ms, opening};
    use crate::transport::{SendEnd, Transport};

    fn sender(more: &str) -> Sender {
        let text = format!(r#"{{"handshake": false, "fin": false, "loss_detection": "rack" {more}}}"#);
        params(&text).open(opening(Some(0))).0
    }

    fn acknowledge(sender: &mut Sender, at: Time, number: u64) {
        let header = TcpHeader { flags: TcpHeader::ACK, window: 100, number, ..TcpHeader::default() };
        sender.push(at, &Packet::of(header, 7, 40, Ecn::NotEct));
    }

    fn pull(sender: &mut Sender, at: Time) -> Vec<(u64, bool)> {
        let packets = std::iter::from_fn(|| sender.pull(at));
        packets.filter_map(|p| p.read::<TcpHeader>()).map(|h| (h.number, h.has(TcpHeader::FIN))).collect()
    }

    #[test]
    fn acknowledgements_of_what_was_never_sent_are_not_credible() {
        let mut sender = sender("");
        sender.take_over(&Handshake { rtt: None, window: 40_000, scale: 0 });
        sender.wake(ms(0.0));
        sender.write(5_840);
        sender.wake(ms(0.0));
        assert_eq!(pull(&mut sender, ms(0.0)).len(), 4);
        let credible = |number, blocks: [(i32, i32); 2]| {
            let [a, b] = blocks.map(|(start, end)| SackBlock { start: start as u32, end: end as u32 });
            let sack = [a, b, SackBlock::default()];
            let header = TcpHeader { flags: TcpHeader::ACK, number, sack, ..TcpHeader::default() };
            sender.is_credible(&Packet::of(header, 7, 40, Ecn::NotEct))
        };
        let none = (0, 0);
        assert!(credible(0, [none, none]) && credible(5_840, [none, none]));
        assert!(!credible(5_841, [none, none]) && !credible(u64::MAX, [none, none]));
        assert!(credible(1_460, [(1_460, 4_380), none]) && !credible(1_460, [(1_460, 4_381), none]));
        // What arrived twice lies below the acknowledgement, or between the blocks.
        assert!(credible(2_920, [(-1_460, 0), (1_460, 2_920)]) && !credible(2_920, [none, (-1_460, 1)]));
        assert!(!credible(0, [(1_460, 1_460), none]) && !credible(0, [(0, 1_460), none]));
    }

    #[test]
    fn what_no_receiver_says_changes_nothing() {
        let mut sender = sender("");
        sender.take_over(&Handshake { rtt: None, window: 40_000, scale: 0 });
        sender.wake(ms(0.0));
        sender.write(5_840);
        sender.wake(ms(0.0));
        assert_eq!(pull(&mut sender, ms(0.0)).len(), 4);
        let (flags, window) = (TcpHeader::ACK, 100);
        let absurd = SackBlock { start: 1_460, end: 5_841 };
        let sack = |at| std::array::from_fn(|i| if i == at { absurd } else { SackBlock::default() });
        let plain = TcpHeader { flags, window, ..TcpHeader::default() };
        let forged = [
            TcpHeader { number: 5_841, ..plain },
            TcpHeader { number: u64::MAX, ..plain },
            TcpHeader { sack: sack(0), ..plain },
            TcpHeader { sack: sack(1), ..plain },
            TcpHeader { sack: sack(2), ..plain },
        ];
        for (i, header) in forged.into_iter().enumerate() {
            sender.push(ms(100.0), &Packet::of(header, 7, 40, Ecn::NotEct));
            assert_eq!((sender.acknowledged_to(), sender.info().held), (0, 0));
            assert_eq!(SendEnd::ignored(&sender), i as u64 + 1);
        }
        let header = TcpHeader { flags: 0, number: 1_460, ..plain };
        sender.push(ms(100.0), &Packet::of(header, 7, 40, Ecn::NotEct));
        assert_eq!(sender.acknowledged_to(), 0, "no acknowledgement");
        acknowledge(&mut sender, ms(100.0), 5_840);
        assert_eq!((sender.acknowledged_to(), SendEnd::ignored(&sender)), (5_840, 5));
    }

    #[test]
    fn an_accepted_connection_is_written_to_and_closed() {
        let mut sender = sender(r#", "rto_floor": "deviation""#);
        let rtt = Duration::from_millis(100);
        sender.take_over(&Handshake { rtt: Some(rtt), window: 4_000, scale: 7 });
        sender.wake(ms(0.0));
        let info = sender.info();
        assert_eq!((info.smoothed, info.min_rtt, info.timeout), (rtt, rtt, Duration::from_millis(300)));
        assert_eq!((info.window, info.threshold, info.out), (10, None, 0));
        sender.write(5_840);
        sender.wake(ms(0.0));
        // The window of the handshake, in segments of 1460 bytes; then that of an acknowledgement, shifted by 7.
        assert_eq!(pull(&mut sender, ms(0.0)), [(0, false), (1460, false)]);
        acknowledge(&mut sender, ms(100.0), 2_920);
        assert_eq!(pull(&mut sender, ms(100.0)), [(2_920, false), (4_380, false)]);
        assert_eq!((sender.acknowledged_to(), sender.info().out), (2_920, 2));
        sender.close();
        assert_eq!(pull(&mut sender, ms(110.0)), [(5_840, true)], "a FIN of its own");
        assert!(!sender.is_closed());
        acknowledge(&mut sender, ms(200.0), 5_841);
        assert_eq!(sender.report().finished, Some(ms(200.0)));
    }

    #[test]
    fn an_idle_connection_keeps_its_window_where_nothing_lowers_it() {
        for (more, window) in [("", 10), (r#", "slow_start_after_idle": false"#, 20)] {
            let mut sender = sender(more);
            sender.take_over(&Handshake { rtt: Some(Duration::from_millis(10)), window: 1 << 20, scale: 14 });
            sender.wake(ms(0.0));
            sender.write(14_600);
            pull(&mut sender, ms(0.0));
            for n in 1..=10 {
                acknowledge(&mut sender, ms(10.0), n * 1_460);
            }
            sender.write(1_460);
            pull(&mut sender, ms(5_000.0));
            assert_eq!(sender.info().window, window, "{more}");
        }
    }

    /// A sender of Linux after a handshake of 100 ms.
    fn linux(more: &str) -> Sender {
        let text = format!(
            r#"{{"profile": "linux", "timestamps": false, "handshake": false, "fin": false {more}}}"#
        );
        let mut sender = params(&text).open(opening(Some(0))).0;
        let rtt = Some(Duration::from_millis(100));
        sender.take_over(&Handshake { rtt, window: 100 << 14, scale: 14 });
        sender.wake(ms(0.0));
        sender
    }

    #[test]
    fn a_closed_window_is_probed_and_the_connection_resumes() {
        let mut sender = linux("");
        sender.write(36 * 1_460);
        for n in 0..36 {
            pull(&mut sender, ms(0.0));
            acknowledge(&mut sender, ms(100.0), n * 1_460);
        }
        let closed = TcpHeader { flags: TcpHeader::ACK, number: 36 * 1_460, ..TcpHeader::default() };
        sender.push(ms(100.0), &Packet::of(closed, 7, 40, Ecn::NotEct));
        sender.write(14_600);
        assert!(pull(&mut sender, ms(100.0)).is_empty());
        let window = sender.info().window;
        // The timeout, 300 ms, and twice as long each time; each probe repeats a number that was acknowledged.
        for at in [400.0, 1_000.0, 2_200.0] {
            assert_eq!(sender.wake_at(), ms(at));
            sender.wake(ms(at));
            assert_eq!(pull(&mut sender, ms(at)), [(36 * 1_460 - 1, false)]);
            assert_eq!(sender.info().window, window);
        }
        acknowledge(&mut sender, ms(3_000.0), 36 * 1_460);
        assert_eq!(pull(&mut sender, ms(3_000.0)).len(), 10, "RFC 5681 section 4.1");
        assert_eq!(sender.info().window, 10);
    }

    #[test]
    fn silent_acknowledgements_do_not_end_slow_start() {
        // Of 40 segments the last leaves when 16 are acknowledged, with 26 out. While it is out, the window may grow to twice that.
        let mut sender = linux(r#", "controller": {"kind": "cubic", "hystart": "off"}"#);
        sender.write(40 * 1_460);
        pull(&mut sender, ms(0.0));
        for n in 1..=19_u32 {
            let at = ms(100.0 + 5.0 * f64::from(n));
            acknowledge(&mut sender, at, u64::from(n) * 2 * 1_460);
            pull(&mut sender, at);
        }
        assert_eq!(sender.info().window, 48);
    }

    #[test]
    fn without_sack_duplicates_count_once() {
        // Two duplicates, then three segments in order: it was reordering, and one of them is news.
        let mut sender = linux(r#", "sack": false"#);
        sender.write(30 * 1_460);
        assert_eq!(pull(&mut sender, ms(0.0)).len(), 10);
        for _ in 0..2 {
            acknowledge(&mut sender, ms(100.0), 0);
            assert_eq!(pull(&mut sender, ms(100.0)).len(), 1, "limited transmit");
        }
        acknowledge(&mut sender, ms(110.0), 3 * 1_460);
        assert_eq!(sender.info().window, 11);
        assert_eq!(pull(&mut sender, ms(110.0)).len(), 2);
    }

    #[test]
    fn the_surplus_of_a_timeout_ends_with_the_round_trip() {
        // With the acknowledgement of 5 segments a round trip begins in which 10 are out: 10 does not pass them, 11 does.
        for (acknowledged, timeout) in [(10, 900_000), (11, 834_375)] {
            let text = r#"{"profile": "linux", "timestamps": false, "handshake": false, "fin": false}"#;
            let mut sender = params(text).open(opening(Some(0))).0;
            let rtt = Some(Duration::from_millis(300));
            sender.take_over(&Handshake { rtt, window: 100 << 14, scale: 14 });
            sender.wake(ms(0.0));
            sender.write(20 * 1_460);
            for n in [5, acknowledged] {
                pull(&mut sender, ms(0.0));
                acknowledge(&mut sender, ms(300.0), n * 1_460);
            }
            // 600 ms are added at first. Four times the deviation falls to 337.5 ms: a quarter of what is above that goes.
            assert_eq!(sender.info().timeout, Duration::from_micros(timeout), "{acknowledged}");
        }
    }

    #[test]
    fn blocks_are_read_in_the_order_of_their_numbers() {
        // Of 14 segments, ten left at once and four with the first acknowledgement. The fifth is held, and the last three. What was
        // sent with these is as old as the latest delivered, so all seven holes below them are lost, and the one sent later too.
        let mut sender = linux("");
        sender.write(14 * 1_460);
        assert_eq!(pull(&mut sender, ms(0.0)).len(), 10);
        acknowledge(&mut sender, ms(100.0), 2 * 1_460);
        assert_eq!(pull(&mut sender, ms(100.0)).len(), 4);
        let block = |from: u32, to: u32| SackBlock { start: (from - 2) * 1_460, end: (to - 2) * 1_460 };
        let header = TcpHeader {
            flags: TcpHeader::ACK,
            window: 100,
            number: 2 * 1_460,
            sack: [block(11, 14), block(5, 6), SackBlock::default()],
            ..TcpHeader::default()
        };
        sender.push(ms(200.0), &Packet::of(header, 7, 40, Ecn::NotEct));
        assert_eq!((sender.info().held, sender.info().lost), (4, 8));
    }

    #[test]
    fn a_burst_that_waits_is_not_released_by_time() {
        // Ten segments in congestion avoidance. Two acknowledged let a packet of two out; one more, and the next packet waits.
        let mut sender = linux(r#", "initial_threshold": 10"#);
        sender.write(100 * 1_460);
        assert_eq!(pull(&mut sender, ms(0.0)).len(), 10);
        acknowledge(&mut sender, ms(100.0), 2 * 1_460);
        assert_eq!(pull(&mut sender, ms(100.0)).len(), 2);
        acknowledge(&mut sender, ms(100.5), 3 * 1_460);
        assert!(pull(&mut sender, ms(100.5)).is_empty());
        assert!(pull(&mut sender, ms(103.0)).is_empty(), "no event");
        acknowledge(&mut sender, ms(103.5), 4 * 1_460);
        assert_eq!(pull(&mut sender, ms(103.5)).len(), 2);
    }

    #[test]
    fn a_part_of_a_segment_fills_the_receive_window() {
        // Packets of five segments on a path of 0.1 ms; a window of 4000 bytes.
        let text = r#"{"profile": "linux", "timestamps": false, "handshake": false, "fin": false}"#;
        let mut sender = params(text).open(opening(Some(0))).0;
        sender.take_over(&Handshake { rtt: Some(Duration::from_micros(100)), window: 4_000, scale: 0 });
        sender.wake(ms(0.0));
        sender.write(13 * 1_460);
        let mut pull = |at, acknowledged: Option<u64>| {
            if let Some(number) = acknowledged {
                let flags = TcpHeader::ACK;
                let header = TcpHeader { flags, window: 4_000, number, ..TcpHeader::default() };
                sender.push(at, &Packet::of(header, 7, 40, Ecn::NotEct));
            }
            let packets: Vec<Packet> = std::iter::from_fn(|| sender.pull(at)).collect();
            packets.iter().map(|p| (p.size - 40, p.flags & TcpHeader::PSH != 0)).collect::<Vec<_>>()
        };
        assert_eq!(pull(ms(1_000.0), None), [(1_460, false), (1_460, false), (1_080, true)]);
        // While a part is out, another waits (RFC 896 in Minshall's form).
        assert_eq!(pull(ms(1_010.0), Some(2_000)), [(1_460, false)]);
        assert_eq!(pull(ms(1_020.0), Some(5_460)).len(), 3);
    }

    /// Linux 6.12 in virtual time (`--draw 36 --seed 9002`, cell 7): a packet grows by what the congestion window has room for, and then
    /// waits for the receiver's.
    #[test]
    fn the_last_part_of_a_piece_waits_for_the_receive_window() {
        const WINDOW: u16 = 43 * 1_460;
        let counts = |offload: &str| {
            let text = format!(
                r#"{{"profile": "linux", "timestamps": false, "handshake": false, "fin": false, "initial_window": 100,
                "send_buffer": "unlimited", "segmentation_offload": "{offload}"}}"#
            );
            let mut sender = params(&text).open(opening(Some(0))).0;
            sender.take_over(&Handshake {
                rtt: Some(Duration::from_micros(100)),
                window: WINDOW.into(),
                scale: 0,
            });
            sender.wake(ms(0.0));
            sender.write(200 * 1_460);
            // Of a piece of 44 segments one is left. The sender waits until a third of the window is free.
            [0_u64, 1, 5, 16].map(|acknowledged| {
                let at = ms(if acknowledged > 0 { 1_000.1 } else { 1_000.0 });
                let (flags, number) = (TcpHeader::ACK, acknowledged * 1_460);
                let header = TcpHeader { flags, window: WINDOW, number, ..TcpHeader::default() };
                if acknowledged > 0 {
                    sender.push(at, &Packet::of(header, 7, 40, Ecn::NotEct));
                }
                pull(&mut sender, at).len()
            })
        };
        assert_eq!(counts("pieces"), [43, 1, 0, 15]);
        assert_eq!(counts("linux"), [43, 0, 0, 16]);
    }

    #[test]
    fn an_idle_time_gives_cubic_nothing() {
        let grown = |idle: f64| {
            // What the application writes at once leaves at once.
            let text =
                r#", "slow_start_after_idle": false, "initial_threshold": 10, "send_buffer": "unlimited""#;
            let mut sender = linux(text);
            let mut written = 0;
            for round in 0..60 {
                let at = 100.0 * f64::from(round) + if round < 30 { 0.0 } else { idle };
                let window = u64::from(sender.info().window);
                sender.write(window * 1_460);
                assert_eq!(pull(&mut sender, ms(at)).len() as u64, window);
                written += window * 1_460;
                acknowledge(&mut sender, ms(at + 99.0), written);
                pull(&mut sender, ms(at + 99.0));
            }
            sender.info().window
        };
        assert_eq!(grown(0.0), grown(20_000.0));
    }
}
