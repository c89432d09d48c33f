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
        Avoiding::by(HighSpeed { params: self.clone(), known: (0, 1.0), row: LOW_DECREASE })
    }
}

/// Loss rates.
const LOSS: RangeInclusive<f64> = 1e-15..=0.1;
/// The first rows of RFC 3649 appendix B: up to which window they hold, and b(w).
const ROWS: [(f64, f64); 16] = [
    (38.0, 0.5),
    (118.0, 0.44),
    (221.0, 0.41),
    (347.0, 0.38),
    (495.0, 0.37),
    (663.0, 0.35),
    (851.0, 0.34),
    (1058.0, 0.33),
    (1284.0, 0.32),
    (1529.0, 0.31),
    (1793.0, 0.3),
    (2076.0, 0.29),
    (2378.0, 0.28),
    (2699.0, 0.28),
    (3039.0, 0.27),
    (3399.0, 0.27),
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
}

impl HighSpeed {
    /// How far a window is from `low_window` to `high_window`, on a logarithmic scale.
    fn part(&self, window: f64) -> f64 {
        let Params { low_window, high_window, .. } = self.params;
        (window / low_window).ln() / (high_window / low_window).ln()
    }

    /// b(w) (RFC 3649 section 5).
    fn decrease(&self, window: f64) -> f64 {
        let Params { low_window, high_decrease, .. } = self.params;
        if window <= low_window {
            return LOW_DECREASE;
        }
        if self.params.whole_steps
            && let Some((_, decrease)) = ROWS.iter().find(|(end, _)| window <= *end)
        {
            return *decrease;
        }
        // Above `high_window` the line goes on, in the RFC without an end; a loss takes a twentieth at least.
        (LOW_DECREASE + (high_decrease - LOW_DECREASE) * self.part(window)).max(high_decrease / 2.0)
    }

    /// a(w) (RFC 3649 section 5).
    fn increase_at(&self, window: f64) -> f64 {
        let Params { low_window, low_loss, high_loss, whole_steps, .. } = self.params;
        if window <= low_window {
            return 1.0;
        }
        let loss = low_loss * (high_loss / low_loss).powf(self.part(window));
        let decrease = self.decrease(window);
        let exact = (window * window * loss * 2.0 * decrease / (2.0 - decrease)).max(1.0);
        if whole_steps { exact.floor() + 1.0 } else { exact }
    }
}

impl Avoidance for HighSpeed {
    #[inline]
    fn steps(&self) -> Option<Steps> {
        self.params.counts_acks.then_some(Steps::Acknowledgements)
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
