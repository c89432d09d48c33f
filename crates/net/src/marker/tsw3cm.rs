//! TSWTCM: what exceeds two rates on average gets other classes, at random (RFC 2859).

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::{BitRate, ClassSet, Duration, Frame, Time, TrafficClass, Validate, config};
use rand::RngExt;

use super::colours::{Colour, Colours};
use super::window::{SlidingWindow, bytes, check_window};
use super::{Marker, MarkerParams};

config! {
    /// Estimates the rate of all packets that arrive at the link together. The share above the peak rate is red, that between the
    /// committed and the peak rate yellow, the rest green, each at random.
    pub struct Params {
        /// Committed target rate: bytes that are green in the long run, headers included, in bits a second.
        rate: BitRate;
        /// Peak target rate: bytes that are green or yellow in the long run, in bits a second.
        peak_rate: BitRate;
        /// Time over which the rate of arrivals is estimated.
        window: Duration = "1s", "ns-2.35, dsPolicy.h: WinLen";
        ..colours: Colours {}
    }
}

impl Validate for Params {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        if self.peak_rate < self.rate {
            let message = format!("{} is below the committed `rate` of {}", self.peak_rate, self.rate);
            return Err(at.key("peak_rate").error(message, "give that or more"));
        }
        check_window(self.window, at)
    }
}

impl Algorithm for Params {
    const NAME: &'static str = "tsw3cm";
    const TITLE: &'static str =
        "Time sliding window three colour marker: the excess over two rates, at random";
    const REFERENCE: &'static str = "RFC 2859";
}

impl MarkerParams for Params {
    type Machine = Tsw3cm;

    fn draws(&self) -> bool {
        true
    }

    fn build(&self, rng: Stream) -> Tsw3cm {
        let window = SlidingWindow::new(self.window, self.rate);
        let rates = [self.rate, self.peak_rate].map(bytes);
        Tsw3cm { window, rates, colours: self.colours.clone(), rng }
    }

    fn classes(&self, _arriving: ClassSet) -> ClassSet {
        self.colours.classes()
    }
}

/// The marker.
#[derive(Clone, Debug)]
pub struct Tsw3cm {
    window: SlidingWindow,
    /// Committed and peak, in bytes a second.
    rates: [f64; 2],
    colours: Colours,
    rng: Stream,
}

impl Marker for Tsw3cm {
    fn class_for<P: Frame>(&mut self, now: Time, packet: &P) -> TrafficClass {
        // A point of the rate at random: RFC 2859 section 3 has the same probabilities.
        let point = self.window.rate(now, packet.size()) * self.rng.random::<f64>();
        let [committed, peak] = self.rates;
        self.colours.class(match point {
            point if point < committed => Colour::Green,
            point if point < peak => Colour::Yellow,
            _ => Colour::Red,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{classes, periodic};

    #[test]
    fn colours_have_the_shares_of_the_rates() {
        let spec = r#"{"kind": "tsw3cm", "rate": "1Mbit/s", "peak_rate": "3Mbit/s"}"#;
        let marked = classes(spec, &periodic(3, 1500, 100_000));
        let share = |class| marked[3_000..].iter().filter(|c| **c == class).count() as f64 / 97_000.0;
        for (class, expected) in [(0, 0.25), (1, 0.5), (2, 0.25)] {
            assert!((share(class) - expected).abs() < 0.007, "{class}: {}", share(class));
        }
    }
}
