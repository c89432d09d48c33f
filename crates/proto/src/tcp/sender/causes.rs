//! What retransmission timeouts were due to, as far as the sender knows: what was outstanding when the timer expired, what
//! of it was seen to arrive, and how soon an acknowledgement came afterwards.

use dumbbell_core::{Duration, Time};

use super::{Repair, Stream};
use crate::controller::Repair as Way;
use crate::tcp::causes::Cause;
use crate::tcp::rack::Rack;
use crate::transport::TimeoutCauses;

impl Repair {
    /// Timeouts so far, by their causes. `shortest` is the smallest round-trip time.
    pub(super) fn timeout_causes(&self, shortest: Duration) -> TimeoutCauses {
        let Some(causes) = &self.causes else { return TimeoutCauses::default() };
        let mut counts = causes.counts;
        // Where every round trip before was one through a full queue, the retransmission itself may have been as fast.
        for (cause, after) in &causes.early {
            if *after < shortest {
                *cause.of(&mut counts) -= 1;
                counts.spurious += 1;
            }
        }
        counts
    }

    /// Another transfer begins at this number, behind what is to be sent.
    pub(super) fn note_transfer(&mut self, end: u64) {
        self.causes.get_or_insert_default().began = end;
    }

    /// The timer has expired, and nothing is changed yet.
    pub(super) fn note_timeout(&mut self, now: Time, stream: &Stream) {
        // Duplicates are forgotten when a part of what was missing is acknowledged; what they told of is still there.
        let in_part = stream.una < self.duplicates.recover && !self.is_repaired_after_timeout(stream.una);
        let held = self.duplicates.board.as_ref().is_some_and(|board| board.held() > 0);
        let arrived = self.duplicates.in_a_row > 0 || held || in_part;
        self.note_cause(now, stream, self.head_was_resent(stream.una), arrived);
    }

    /// The same where losses are found by time.
    pub(super) fn note_timeout_in_time(&mut self, now: Time, stream: &Stream, rack: &Rack) {
        let resent = rack.segments.first().is_some_and(|head| head.was_resent());
        self.note_cause(now, stream, resent, rack.segments.held() > 0);
    }

    /// `resent` if the first missing segment had been sent again, `arrived` if something behind it was seen to arrive.
    #[cold]
    fn note_cause(&mut self, now: Time, stream: &Stream, resent: bool, arrived: bool) {
        let sent_whole = stream.max >= stream.stop;
        let causes = self.causes.get_or_insert_default();
        let cause = if resent {
            Cause::Resent
        } else if !arrived && (stream.una <= causes.began || !sent_whole) {
            Cause::FullWindow
        } else if sent_whole {
            Cause::Tail
        } else {
            Cause::Other
        };
        *cause.of(&mut causes.counts) += 1;
        causes.repair_end = stream.max;
        causes.before.extend(causes.latest.zip(causes.at));
        (causes.latest, causes.at) = (Some(cause), Some(now));
    }

    /// True if the first segment that is not acknowledged, at `una`, was sent again, where losses are found by duplicates.
    fn head_was_resent(&self, una: u64) -> bool {
        match self.duplicates.way {
            None => self.duplicates.board.as_ref().is_some_and(|board| board.was_resent(una)),
            Some(way) => {
                let gone_back = way == Way::GoBack && una < self.duplicates.recover;
                self.duplicates.recovering || self.is_repaired_after_timeout(una) || gone_back
            }
        }
    }

    /// True as long as what a timer expired for is sent again.
    fn is_repaired_after_timeout(&self, una: u64) -> bool {
        self.causes.as_ref().is_some_and(|causes| una < causes.repair_end)
    }

    /// New data is acknowledged after a timeout. An echo of the time at which data was sent tells whether that was before the
    /// timeout (RFC 3522 section 3.2). Without one: sooner than the `shortest` round trip, it is what had been sent before
    /// (Allman & Paxson, SIGCOMM 1999, section 2.8).
    #[cold]
    pub(super) fn judge_timeout(&mut self, now: Time, echo: Option<Time>, shortest: Duration) {
        let Some(causes) = &mut self.causes else { return };
        let Some(at) = causes.at.take() else { return };
        let before = std::mem::take(&mut causes.before);
        if let Some(sent) = echo {
            let latest = causes.latest.take().map(|cause| (cause, at));
            for (cause, _) in before.into_iter().chain(latest).filter(|(_, at)| sent < *at) {
                *cause.of(&mut causes.counts) -= 1;
                causes.counts.spurious += 1;
            }
            return;
        }
        let after = now.since(at);
        if after < shortest
            && let Some(cause) = causes.latest.take()
        {
            causes.early.push((cause, after));
        }
    }

    /// Nothing of what the timer expired for was lost.
    #[cold]
    pub(super) fn timeout_was_spurious(&mut self) {
        let Some(causes) = &mut self.causes else { return };
        if let Some(cause) = causes.latest.take() {
            *cause.of(&mut causes.counts) -= 1;
            causes.counts.spurious += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sender;
    use super::*;
    use crate::tcp::tests::{MSS, lose, params, pass};
    use crate::testing::{Pipe, ms, opening};
    use crate::transport::{SendEnd, Transport};

    /// What finds losses, in a connection with a first window of ten segments.
    const WAYS: [&str; 5] = [
        r#""sack": false, "controller": "reno""#,
        r#""sack": false, "controller": "newreno""#,
        r#""sack": false, "controller": "tahoe""#,
        r#""sack": true"#,
        r#""loss_detection": "rack", "tail_loss_probe": false"#,
    ];

    fn pipe(way: &str, segments: u64, lost: &'static [u64]) -> Pipe<Sender, crate::tcp::Receiver> {
        let text = format!(
            r#"{{"handshake": false, "fin": false, "ack_every": 1, "initial_window": 10, "limited_transmit": false, {way}}}"#
        );
        Pipe::new(params(&text).open(opening(Some(segments * MSS))), lose(lost))
    }

    /// Full window, tail, sent again, spurious, other.
    fn causes(sender: &Sender) -> [u32; 5] {
        let report = sender.report();
        let TimeoutCauses { full_window, tail, resent, spurious, other } = report.causes;
        assert_eq!(report.timeouts, full_window + tail + resent + spurious + other, "each is counted once");
        [full_window, tail, resent, spurious, other]
    }

    fn after(way: &str, segments: u64, lost: &'static [u64]) -> [u32; 5] {
        let mut pipe = pipe(way, segments, lost);
        pipe.finish();
        causes(&pipe.sender)
    }

    #[test]
    fn a_lost_window_is_told_from_the_lost_end_of_a_transfer() {
        for way in WAYS {
            assert_eq!(
                after(way, 100, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
                [1, 0, 0, 0, 0],
                "first window, {way}"
            );
            assert_eq!(after(way, 10, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), [1, 0, 0, 0, 0], "all of it, {way}");
            assert_eq!(after(way, 10, &[8, 9]), [0, 1, 0, 0, 0], "the last two, {way}");
            assert_eq!(after(way, 100, &[99]), [0, 1, 0, 0, 0], "the last of many, {way}");
            assert_eq!(after(way, 100, &[0]), [0, 0, 0, 0, 0], "one of many is sent again at once, {way}");
        }
    }

    #[test]
    fn what_was_sent_again_and_is_lost_again_counts_as_such() {
        for way in WAYS {
            assert_eq!(after(way, 10, &[0, 0]), [0, 0, 1, 0, 0], "a fast retransmit, {way}");
            assert_eq!(after(way, 10, &[9, 9, 9]), [0, 1, 2, 0, 0], "a timeout, twice, {way}");
        }
    }

    #[test]
    fn a_shorter_round_trip_is_no_sign_of_a_spurious_loss() {
        // The first window waits in a queue, and of the second nothing arrives.
        let rate = dumbbell_core::BitRate::from_bps(2_000_000);
        for way in WAYS {
            let pipe = pipe(
                way,
                60,
                &[10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
            );
            let mut pipe = pipe.shaped(Some(rate), Duration::from_millis(10));
            pipe.finish();
            assert_eq!(causes(&pipe.sender)[3], 0, "{way}");
            assert!(pipe.sender.report().timeouts > 0, "{way}");
        }
    }

    #[test]
    fn several_losses_that_reno_cannot_repair_are_not_a_lost_window() {
        let found = after(WAYS[0], 100, &[0, 2, 4, 6, 8]);
        assert_eq!((found[0], found[1], found[3]), (0, 0, 0), "{found:?}");
        assert!(found[4] > 0, "{found:?}");
    }

    #[test]
    fn the_second_transfer_has_an_end_and_a_beginning() {
        for way in WAYS {
            let mut pipe = pipe(way, 4, &[4, 5, 6, 7]);
            pipe.finish();
            pipe.sender.write(4 * MSS);
            dumbbell_core::Stage::wake(&mut pipe.sender, pipe.now);
            pipe.finish();
            assert_eq!(causes(&pipe.sender), [1, 0, 0, 0, 0], "{way}");
        }
    }

    #[test]
    fn timestamps_tell_of_each_timeout_whether_anything_was_lost() {
        // The first window waits behind 40 others: its timer expires again and again before it arrives.
        let rate = dumbbell_core::BitRate::from_bps(10_000);
        for way in &WAYS[..4] {
            let way = format!(r#"{way}, "timestamps": true, "ack_every": 1, "rto_max": "4s""#);
            let mut pipe = pipe(&way, 12, &[]).shaped(Some(rate), Duration::from_millis(10));
            pipe.finish();
            let [full_window, tail, resent, spurious, other] = causes(&pipe.sender);
            assert_eq!((full_window, tail, resent, other), (0, 0, 0, 0), "{way}");
            assert!(spurious > 1, "{way}: {spurious}");
        }
    }

    #[test]
    fn an_early_ack_after_a_timeout_shows_that_nothing_was_lost() {
        for way in WAYS {
            let mut pipe = Pipe::new(
                params(&format!(r#"{{"handshake": false, "fin": false, "ack_every": 1, {way}}}"#))
                    .open(opening(Some(100 * MSS))),
                pass,
            );
            // The second window leaves at 50 ms; its timer expires 200 ms later, or a round trip after that.
            let expires = if way.contains("rack") { 300.0 } else { 250.0 };
            pipe.stall(ms(60.0), ms(expires + 10.0));
            pipe.finish();
            assert_eq!(causes(&pipe.sender), [0, 0, 0, 1, 0], "{way}");
        }
    }
}
