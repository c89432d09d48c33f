//! HighSpeed TCP: increase and decrease follow from a response function that is gentler at large windows (RFC 3649).

use std::ops::RangeInclusive;

use dumbbell_core::config::At;
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{ConfigError, Validate, config};

use super::avoidance::{Avoidance, Avoiding, SEGMENTS, Steps, within};
use super::growth::{less, reduced};
use super::{Build, Control, Signals};

config! {
    /// The window w grows by a(w) segments a round trip and loses the share b(w): what standard TCP does up to `low_window`, and
    /// above it what gives the response function between (`low_window`, `low_loss`) and (`high_window`, `high_loss`).
    pub struct Params {
        /// Up to this window, in segments, it is standard TCP.
        low_window: f64 as "segments" = 38.0, "RFC 3649 section 5: Low_Window";
        /// Loss rate at which standard TCP has that window.
        low_loss: f64 as "dimensionless" = 0.001, "RFC 3649 section 5: Low_P, 10^-3";
        /// The upper end of the response function, in segments.
        high_window: f64 as "segments" = 83000.0, "RFC 3649 section 5: High_Window";
        /// Loss rate at which the window is `high_window`.
        high_loss: f64 as "dimensionless" = 1e-7, "RFC 3649 section 5: High_P, 10^-7";
        /// The share that a loss takes from a window of `high_window`.
        high_decrease: f64 as "dimensionless" = 0.1, "RFC 3649 section 5: High_Decrease";
        /// a(w) is the next whole number, and b(w) that of the next row of the table: the steps of appendix B. So a(w) is twice as much
        /// just above `low_window`.
        whole_steps: bool = false, "RFC 3649 section 5: the formula (Linux net/ipv4/tcp_highspeed.c: the table)";
        /// An acknowledgement counts as one segment, whatever it acknowledges, and the window grows by whole segments.
        counts_acks: bool = false, "RFC 3649 section 5: a(w) a round trip (Linux net/ipv4/tcp_highspeed.c: acknowledgements)";
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        within(at, "low_window", self.low_window, &SEGMENTS)?;
        within(at, "high_window", self.high_window, &SEGMENTS)?;
        within(at, "low_loss", self.low_loss, &LOSS)?;
        within(at, "high_loss", self.high_loss, &LOSS)?;
        within(at, "high_decrease", self.high_decrease, &(0.001..=LOW_DECREASE))?;
        if self.high_window <= self.low_window {
            let message = format!("{} is not above `low_window`, {}", self.high_window, self.low_window);
            return Err(at.key("high_window").error(message, "give more"));
        }
        if self.high_loss >= self.low_loss {
            let message = format!("{} is not below `low_loss`, {}", self.high_loss, self.low_loss);
            return Err(at.key("high_loss").error(message, "give less"));
        }
        Ok(())
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "highspeed";
    const TITLE: &'static str = "HighSpeed TCP: larger steps up and smaller cuts at large windows";
    const REFERENCE: &'static str = "RFC 3649";
}

impl Build for Params {
    type Controller = Avoiding<HighSpeed>;

    fn build(&self) -> Avoiding<HighSpeed> {
        Avoiding::by(HighSpeed { params: self.clone(), known: (0, 1.0), row: LOW_DECREASE, counted: 0.0 })
    }
}

/// Loss rates.
const LOSS: RangeInclusive<f64> = 1e-15..=0.1;
/// RFC 3649 appendix B: up to which window the rows hold, in which a(w) is 1, 2, 3... The last holds above, too.
const ROWS: [u32; 72] = [
    38, 118, 221, 347, 495, 663, 851, 1058, 1284, 1529, 1793, 2076, 2378, 2699, 3039, 3399, 3778, 4177, 4596,
    5036, 5497, 5979, 6483, 7009, 7558, 8130, 8726, 9346, 9991, 10_661, 11_358, 12_082, 12_834, 13_614,
    14_424, 15_265, 16_137, 17_042, 17_981, 18_955, 19_965, 21_013, 22_101, 23_230, 24_402, 25_618, 26_881,
    28_193, 29_557, 30_975, 32_450, 33_986, 35_586, 37_253, 38_992, 40_808, 42_707, 44_694, 46_776, 48_961,
    51_258, 53_677, 56_230, 58_932, 61_799, 64_851, 68_113, 71_617, 75_401, 79_517, 84_035, 89_053,
];
/// The share that a loss takes from a window of `low_window` (RFC 5681 equation 4).
const LOW_DECREASE: f64 = 0.5;

/// The laws of the window.
#[derive(Clone, Debug)]
pub struct HighSpeed {
    params: Params,
    /// The latest window, in whole segments, and a(w) for it: a logarithm for each acknowledgement would cost more than all the rest.
    known: (u64, f64),
    /// b(w) of the row in which the window last grew: slow start looks at no table.
    row: f64,
    /// With `counts_acks`: a(w) of the acknowledgements since the window grew.
    counted: f64,
}

impl HighSpeed {
    /// How far a window is from `low_window` to `high_window`, on a logarithmic scale.
    fn part(&self, window: f64) -> f64 {
        let Params { low_window, high_window, .. } = self.params;
        (window / low_window).ln() / (high_window / low_window).ln()
    }

    /// b(w) (RFC 3649 section 5).
    fn decrease(&self, window: f64) -> f64 {
        if window <= self.params.low_window {
            return LOW_DECREASE;
        }
        if self.params.whole_steps {
            // Linux net/ipv4/tcp_highspeed.c: hstcp_aimd_vals has 256ths.
            return (256.0 * self.line(f64::from(ROWS[row(window)]))).floor() / 256.0;
        }
        self.line(window)
    }

    fn line(&self, window: f64) -> f64 {
        let high_decrease = self.params.high_decrease;
        // Above `high_window` the line goes on, in the RFC without an end; a loss takes a twentieth at least.
        (LOW_DECREASE + (high_decrease - LOW_DECREASE) * self.part(window)).max(high_decrease / 2.0)
    }

    /// a(w) (RFC 3649 section 5).
    fn increase_at(&self, window: f64) -> f64 {
        let Params { low_window, low_loss, high_loss, whole_steps, .. } = self.params;
        if window <= low_window {
            return 1.0;
        }
        if whole_steps {
            return (row(window) + 1) as f64;
        }
        let loss = low_loss * (high_loss / low_loss).powf(self.part(window));
        let decrease = self.decrease(window);
        (window * window * loss * 2.0 * decrease / (2.0 - decrease)).max(1.0)
    }
}

/// The row of a window.
fn row(window: f64) -> usize {
    ROWS.partition_point(|end| f64::from(*end) < window).min(ROWS.len() - 1)
}

impl Avoidance for HighSpeed {
    #[inline]
    fn steps(&self) -> Option<Steps> {
        self.params.counts_acks.then_some(Steps::Own)
    }

    // Linux net/ipv4/tcp_highspeed.c: hstcp_cong_avoid.
    fn own_steps(&mut self, signals: &Signals, window: u64) -> u64 {
        self.counted += self.increase(signals, window as f64);
        let due = self.counted >= window as f64;
        if due {
            self.counted -= window as f64;
        }
        u64::from(due)
    }

    fn restart(&mut self) {
        self.counted = 0.0;
    }

    #[inline]
    fn increase(&mut self, _signals: &Signals, window: f64) -> f64 {
        if self.known.0 != window as u64 {
            self.known = (window as u64, self.increase_at(window.floor()));
            self.row = self.decrease(window.floor());
        }
        self.known.1
    }

    fn threshold(&mut self, signals: &Signals, control: &Control) -> u64 {
        self.counted = 0.0;
        if self.params.whole_steps {
            return less(signals, self.row);
        }
        reduced(signals, 1.0 - self.decrease(control.window as f64 / f64::from(signals.mss)))
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Time;

    use super::super::avoidance::tests::{Run, linux};
    use super::super::growth::tests::signals;
    use super::super::{Controller, Event};
    use super::*;

    /// Rows of RFC 3649 appendix B: window, a(w), b(w).
    const TABLE: [(u64, f64, f64); 9] = [
        (38, 1.0, 0.50),
        (118, 2.0, 0.44),
        (221, 3.0, 0.41),
        (1058, 8.0, 0.33),
        (2864, 15.0, 0.28),
        (10_661, 30.0, 0.21),
        (21_013, 42.0, 0.17),
        (51_534, 61.0, 0.12),
        (84_035, 71.0, 0.10),
    ];

    #[test]
    fn growth_and_cut_are_those_of_the_table_of_the_rfc() {
        for (window, increase, decrease) in TABLE {
            let mut run = Run::at(Params::default().build(), window);
            // The table was made with p(w) rounded to 0.078 / w^1.2, and tells where a(w) passes the next whole number.
            let grown = run.rounds(1);
            assert!((0.97..1.04).contains(&(grown / increase)), "{window}: {grown}, not {increase}");
            run.control.window = window * 1000;
            let left = run.congested(Event::Loss);
            assert!((1.0 - left - decrease).abs() < 0.006, "{window}: {left}, not {}", 1.0 - decrease);
        }
    }

    #[test]
    fn with_whole_steps_growth_is_that_of_the_next_row() {
        for (window, increase) in [(100, 2.0), (200, 3.0), (1000, 8.0), (40, 2.0)] {
            let mut run = Run::at(Params { whole_steps: true, ..Params::default() }.build(), window);
            let grown = run.rounds(1);
            assert!((0.94..1.01).contains(&(grown / increase)), "{window}: {grown}, not {increase}");
        }
    }

    /// Linux net/ipv4/tcp_highspeed.c: a(w) for a window of acknowledgements, and b(w) of the row that ends above w.
    #[test]
    fn linux_goes_by_rows_and_counts_acknowledgements() {
        for (window, cut) in [(39, 0.44), (118, 0.44), (119, 0.41), (300, 0.38)] {
            let mut run = Run::at(linux("highspeed"), window);
            let left = run.congested(Event::Loss);
            assert!((left - 0.5).abs() < 0.02, "{window}: {left} in slow start");
            run.control.window = window * 1000;
            let ack = signals(Event::Ack, Time::ZERO, 0, 0);
            run.controller.on(&ack, &mut run.control);
            let left = run.congested(Event::Loss);
            assert!((1.0 - left - cut).abs() < 0.02, "{window}: {left}");
        }
        let mut control = Control { window: 100_000, threshold: 2000, ..Control::default() };
        let mut highspeed = linux("highspeed");
        for _ in 0..50 {
            // 50 acknowledgements of two segments each: a(100) = 2, so that 50 times 2/100 are one segment.
            let ack = signals(Event::Ack, Time::ZERO, 2000, 98_000);
            Controller::on(&mut highspeed, &ack, &mut control);
        }
        assert!((control.window as f64 / 1000.0 - 101.0).abs() < 0.02, "{}", control.window);
    }

    /// Linux net/ipv4/tcp_highspeed.c: hstcp_aimd_vals, by hand: floor(256 b) at the end of the row, of which whole segments.
    #[test]
    fn linux_cuts_by_256ths_of_its_row() {
        for (window, part) in [(39, 112), (300, 98), (1000, 83), (30_000, 38), (200_000, 24)] {
            let mut run = Run::at(linux("highspeed"), window);
            run.controller.on(&signals(Event::Ack, Time::ZERO, 0, 0), &mut run.control);
            run.control.window = window * 1000;
            run.congested(Event::Loss);
            assert_eq!(run.control.window / 1000, window - window * part / 256, "{window}");
        }
    }

    /// By hand: at 117 and 118 segments an acknowledgement adds 2 parts, at 119 it adds 3.
    #[test]
    fn linux_counts_what_each_acknowledgement_adds() {
        let mut control = Control { window: 118_000, threshold: 2000, ..Control::default() };
        let mut highspeed = linux("highspeed");
        let acks = |window: u64, highspeed: &mut dyn FnMut(&mut Control), control: &mut Control| {
            (1..).find(|_| {
                highspeed(control);
                control.window > window * 1000
            })
        };
        let mut ack = |control: &mut Control| {
            Controller::on(&mut highspeed, &signals(Event::Ack, Time::ZERO, 1000, 0), control);
        };
        assert_eq!(acks(118, &mut ack, &mut control), Some(59));
        assert_eq!(acks(119, &mut ack, &mut control), Some(40));
        // One part is left of 120.
        assert_eq!(acks(120, &mut ack, &mut control), Some(40));
    }

    #[test]
    fn up_to_38_segments_it_is_standard_tcp() {
        for window in [4, 20, 37] {
            let mut run = Run::at(Params::default().build(), window);
            let grown = run.rounds(1);
            assert!((0.85..1.01).contains(&grown), "{window}: {grown}");
            run.control.window = window * 1000;
            assert_eq!(run.congested(Event::Loss), 0.5);
        }
    }
}
