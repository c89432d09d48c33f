//! TCP Westwood+: Westwood with one sample of the bandwidth a round trip, which acknowledgements that come in bunches do not
//! raise.

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Duration, Time, Validate, config, words};

use super::avoidance::{Avoiding, Rounds, within};
use super::states::InOrder;
use super::westwood::{Estimate, Westwood};
use super::{Build, Event, Signals};

words! {
    /// Whose Westwood+: that of the paper, or that of the Linux kernel.
    pub enum Variant { Paper = "paper", Linux = "linux" }
}

config! {
    /// Grows as Reno. Each round trip is a sample of the bandwidth: what was acknowledged in it over its length. The estimate is their
    /// exponential average. A loss sets the threshold to the estimate times the shortest round-trip time, and the window to the
    /// threshold if it is larger.
    pub struct Params {
        /// Whose. That of Linux halves the window and sets the threshold when the repair is over, averages twice, and counts time
        /// in ticks, round-trip times rounded up. Its window grows by whole segments. After a timeout it takes the shortest round-trip time anew.
        variant: Variant = "paper", "Grieco & Mascolo, CCR 34(2), 2004 (Linux net/ipv4/tcp_westwood.c)";
        /// Length of a tick; only with `variant = "linux"`.
        tick: Duration = "4ms", "choice: 250 Hz, as Debian and Ubuntu have";
        /// Weight of the estimate beside a new sample.
        memory: f64 as "dimensionless" = 0.9, "Grieco & Mascolo, CCR 34(2), 2004, section 2 (Linux net/ipv4/tcp_westwood.c: 7/8, twice)";
        /// A sample takes so long at least.
        shortest_sample: Duration = "50ms", "Linux net/ipv4/tcp_westwood.c: TCP_WESTWOOD_RTT_MIN";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.tick.is_zero() {
            return Err(at.key("tick").error("0 s is no tick", "give more"));
        }
        within(at, "memory", self.memory, &(0.0..=0.999))
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "westwood-plus";
    const TITLE: &'static str = "TCP Westwood+: Westwood with one sample of the bandwidth a round trip";
    const REFERENCE: &'static str = "Grieco & Mascolo, Westwood+, New Reno, and Vegas, CCR 34(2), 2004";
}

impl Build for Params {
    type Controller = Avoiding<Westwood<Average>>;
    fn build(&self) -> Self::Controller {
        Westwood::with(Average {
            params: self.clone(),
            rounds: Rounds::default(),
            began: (Time::ZERO, 0),
            once: 0.0,
            bandwidth: 0.0,
            latest: 0,
            shortest: 0,
            in_order: InOrder::default(),
            first: true,
            ahead: 0,
        })
    }

    #[cfg(test)]
    fn remembers_path(&self) -> bool {
        true
    }
}

/// An exponential average of the rates of round trips.
#[derive(Clone, Debug)]
pub struct Average {
    params: Params,
    rounds: Rounds,
    /// When the sample began, and the bytes delivered by then; as Linux has it, those counted since.
    began: (Time, u64),
    /// As Linux has it: the average of samples, in bytes a tick.
    once: f64,
    /// The estimate in bytes a second; as Linux has it, the average of that average, in bytes a tick.
    bandwidth: f64,
    /// The latest and the shortest round-trip time in ticks; zero without one.
    latest: u64,
    shortest: u64,
    in_order: InOrder,
    /// As Linux has it: no acknowledgement has come, and bytes counted that are not acknowledged.
    first: bool,
    ahead: u64,
}

impl Average {
    // Linux net/ipv4/tcp_westwood.c: tcp_westwood_pkts_acked, westwood_update_window, westwood_filter, westwood_acked_count,
    // update_rtt_min, in this order (net/ipv4/tcp_input.c: tcp_ack, with tcp_in_ack_event after tcp_clean_rtx_queue).
    fn acknowledged_by_linux(&mut self, signals: &Signals) {
        let tick = self.params.tick.as_nanos();
        let ticks = |at: Time| at.as_nanos() / tick;
        if !signals.rtt.is_zero() {
            self.latest = signals.rtt.as_nanos().div_ceil(tick);
        }
        let (since, counted) = self.began;
        let took = ticks(signals.now) - ticks(since);
        if self.latest > 0 && took > self.latest.max(self.params.shortest_sample.as_nanos() / tick) {
            // What the acknowledgement in hand brings belongs to the next sample.
            let sample = (counted / took) as f64;
            let memory = self.params.memory;
            let average = |old: f64, new: f64| (memory * old + (1.0 - memory) * new).floor();
            if self.once == 0.0 && self.bandwidth == 0.0 {
                (self.once, self.bandwidth) = (sample, sample);
            } else {
                self.once = average(self.once, sample);
                self.bandwidth = average(self.bandwidth, self.once);
            }
            self.began = (signals.now, 0);
        }
        self.began.1 += self.count(signals);
        if self.latest > 0 {
            self.shortest = if self.shortest == 0 { self.latest } else { self.shortest.min(self.latest) };
        }
    }

    /// Bytes that an acknowledgement counts for. A duplicate is a segment, which then does not count when the hole is filled.
    // Linux net/ipv4/tcp_westwood.c: westwood_acked_count.
    fn count(&mut self, signals: &Signals) -> u64 {
        let mss = u64::from(signals.mss);
        let bytes = self.in_order.advance(signals);
        // The first seems to be a duplicate.
        if std::mem::take(&mut self.first) || bytes == 0 {
            self.ahead += mss;
            return mss;
        }
        if bytes <= mss {
            return bytes;
        }
        if self.ahead >= bytes {
            self.ahead -= bytes;
            return mss;
        }
        bytes - std::mem::take(&mut self.ahead)
    }
}

impl Estimate for Average {
    fn waits(&self) -> bool {
        self.params.variant == Variant::Linux
    }

    fn product(&self, signals: &Signals) -> f64 {
        match self.params.variant {
            Variant::Paper => self.bandwidth * signals.min_rtt.as_secs_f64(),
            Variant::Linux => self.bandwidth * self.shortest as f64,
        }
    }

    fn begin(&mut self, now: Time) {
        if self.waits() {
            self.began.0 = now;
        }
    }

    fn timed_out(&mut self) {
        self.shortest = 0;
    }

    fn acknowledged(&mut self, signals: &Signals) {
        if self.params.variant == Variant::Linux {
            if signals.event == Event::Ack {
                self.acknowledged_by_linux(signals);
            }
            return;
        }
        let (since, delivered) = self.began;
        let took = signals.now.since(since);
        if !self.rounds.ends(signals) || took < self.params.shortest_sample.max(signals.min_rtt) {
            return;
        }
        self.began = (signals.now, signals.delivered);
        if delivered == 0 || took.is_zero() {
            // The first window comes back in a burst.
            return;
        }
        let sample = (signals.delivered - delivered) as f64 / took.as_secs_f64();
        let memory = if self.bandwidth == 0.0 { 0.0 } else { self.params.memory };
        self.bandwidth = memory * self.bandwidth + (1.0 - memory) * sample;
    }

    fn bandwidth(&self) -> f64 {
        self.bandwidth
    }
}

#[cfg(test)]
mod tests {
    use super::super::avoidance::tests::{Any, Run, linux};
    use super::super::growth::tests::signals;
    use super::super::westwood::tests::keeps_the_pipe_full;
    use super::super::{Control, Controller, Event};
    use super::*;

    #[test]
    fn a_loss_leaves_what_the_path_holds_without_a_queue() {
        keeps_the_pipe_full(|| Params::default().build());
    }

    /// 100 segments a round trip of 100 ms, 25 ticks of 4 ms, then a window of 150 and a queue of 50 ms.
    fn with_a_queue() -> Run<Any> {
        let mut run = Run::at(linux("westwood-plus"), 150);
        run.rounds(1);
        run.rtt = Duration::from_millis(150);
        for _ in 0..100 {
            run.control.window = 150_000;
            run.round();
        }
        run
    }

    /// Linux net/ipv4/tcp_westwood.c: half in the repair, then the bandwidth times the shortest round-trip time. 100 segments a round
    /// trip of 100 ms, which are 25 ticks of 4 ms.
    #[test]
    fn linux_halves_the_window_until_the_repair_is_over() {
        let mut run = with_a_queue();
        run.control.window = 150_000;
        assert_eq!(run.congested(Event::Loss), 0.5);
        run.congested(Event::Recovered);
        assert!(run.control.threshold.abs_diff(100_000) < 6000, "{}", run.control.threshold);
        // A timeout does so at once.
        run.control.window = 150_000;
        run.congested(Event::Timeout);
        assert!(run.control.threshold.abs_diff(100_000) < 6000, "{}", run.control.threshold);
    }

    /// Linux net/ipv4/tcp_westwood.c, by hand, with ticks of 4 ms: the first acknowledgement, of two segments, counts as one, and so
    /// does the second; the sample after more than 25 ticks, whose own acknowledgement counts for the next, is of three segments.
    #[test]
    fn linux_begins_its_first_sample_with_the_connection() {
        let mut plus = Params { variant: Variant::Linux, memory: 0.875, ..Params::default() }.build();
        let mut control = Control { window: 10_000, threshold: 10_000, ..Control::default() };
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        plus.on(&signals(Event::Start, at(1000), 0, 0), &mut control);
        let mut told = signals(Event::Ack, at(1100), 2000, 8000);
        let mut found = Vec::new();
        for (now, acked) in [(1100, 2000), (1101, 2000), (1102, 1000), (1104, 2000)] {
            (told.now, told.acked) = (at(now), acked);
            told.delivered += acked;
            plus.on(&told, &mut control);
            found.push((plus.laws().estimate.bandwidth, plus.laws().estimate.began.1));
        }
        assert_eq!(found, [(0.0, 1000), (0.0, 2000), (0.0, 3000), (115.0, 2000)]);
    }

    /// Linux net/ipv4/tcp_input.c: tcp_ack calls tcp_westwood_pkts_acked before tcp_westwood_ack.
    #[test]
    fn linux_takes_the_round_trip_time_first() {
        let mut plus = Params { variant: Variant::Linux, ..Params::default() }.build();
        let mut control = Control { window: 10_000, threshold: 10_000, ..Control::default() };
        plus.on(&signals(Event::Ack, Time::ZERO, 1000, 9000), &mut control);
        assert_eq!(plus.laws().estimate.shortest, 25);
    }

    /// Linux net/ipv4/tcp_westwood.c: CA_EVENT_COMPLETE_CWR ends the cut for a mark, too.
    #[test]
    fn linux_sets_the_window_at_the_end_of_any_cut() {
        let mut run = with_a_queue();
        run.congested(Event::Ecn);
        run.held = 1000;
        run.rounds(1);
        run.held = 0;
        run.rounds(1);
        assert!(run.control.threshold.abs_diff(100_000) < 12_000, "{}", run.control.threshold);
        assert!(run.control.window >= run.control.threshold);
    }

    #[test]
    fn acknowledgements_in_bunches_do_not_raise_the_estimate() {
        // 10 segments each 100 ms, of which the acknowledgements come within 1 ms at the end of the round trip.
        let mut plus = Params::default().build();
        let mut told = signals(Event::Ack, Time::ZERO, 1000, 9000);
        let mut control = Control { window: 10_000, threshold: 2000, ..Control::default() };
        for _ in 0..100 {
            told.now += Duration::from_millis(99);
            for _ in 0..10 {
                told.now += Duration::from_micros(100);
                told.delivered += 1000;
                control.window = 10_000;
                plus.on(&told, &mut control);
            }
        }
        plus.on(&Signals { event: Event::Loss, acked: 0, flight: 10_000, ..told }, &mut control);
        assert!(control.threshold.abs_diff(10_000) < 500, "{}", control.threshold);
    }
}
