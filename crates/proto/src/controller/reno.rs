//! Reno: the window is halved, not closed, when duplicates show a loss.

use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Validate, config, words};

use super::growth::{self, Growth};
use super::hystart::Pace;
use super::{Build, Class, Control, Controller, Event, Repair, Signals};

words! {
    /// Whose Reno.
    pub enum Variant { Rfc = "rfc", Bsd = "bsd" }
}

config! {
    /// Fast retransmit and fast recovery. Without SACK, recovery ends at the first new acknowledgement; with SACK it
    /// is that of RFC 6675.
    pub struct Params {
        /// `rfc`: RFC 5681. `bsd`: each acknowledgement opens the window, also the one that ends recovery: by a segment up to and
        /// at the threshold, above it by a segment over the window in segments. The threshold is a whole number of segments, and
        /// each timeout in a row sets it anew.
        variant: Variant = "rfc", "RFC 5681 sections 3.1 and 3.2";
    }
}

impl Validate for Params {}

impl Algorithm for Params {
    const NAME: &'static str = "reno";
    const TITLE: &'static str = "TCP Reno: fast recovery of one loss per window";
    const REFERENCE: &'static str = "RFC 2581";
}

impl Build for Params {
    type Controller = Reno;

    fn build(&self) -> Reno {
        Reno { growth: Growth::default(), bsd: self.variant == Variant::Bsd }
    }
}

/// The controller.
#[derive(Clone, Debug, Default)]
pub struct Reno {
    growth: Growth,
    bsd: bool,
}

impl Reno {
    /// An event as 4.4BSD answers it.
    // 4.4BSD-Lite sys/netinet/tcp_input.c and tcp_timer.c: what is computed there.
    #[cold]
    fn on_as_bsd(&self, signals: &Signals, control: &mut Control) {
        let mss = u64::from(signals.mss);
        match signals.event {
            Event::Ack | Event::Recovered if !signals.in_recovery => {
                let slow_start = control.window <= control.threshold;
                control.window += if slow_start { mss } else { mss * mss / control.window };
            }
            Event::Loss | Event::Ecn | Event::Timeout => {
                control.threshold = (signals.flight / 2 / mss).max(2) * mss;
                control.window = if signals.event == Event::Timeout { mss } else { control.threshold };
            }
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
    }
}

impl Controller for Reno {
    const CLASS: Class = Class::Window;
    const REPAIR: Repair = Repair::FastRecovery;

    #[inline]
    fn on(&mut self, signals: &Signals, control: &mut Control) {
        if self.bsd {
            return self.on_as_bsd(signals, control);
        }
        match signals.event {
            Event::Ack => self.growth.ack(signals, control, |_| Pace::Full, || u64::from(signals.mss)),
            Event::Loss | Event::Ecn => self.growth.cut(signals, control, 0.5),
            Event::Timeout => self.growth.timeout(signals, control, 0.5),
            Event::Idle => growth::restart(signals, control),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Time;

    use super::growth::tests::signals;
    use super::*;

    fn reno(variant: Variant) -> Reno {
        Params { variant }.build()
    }

    /// The window after an event, from a window, a threshold and what is outstanding; in bytes, with segments of 1000.
    fn after(reno: &mut Reno, event: Event, window: u64, threshold: u64, flight: u64) -> (u64, u64) {
        let mut control = Control { window, threshold, ..Control::default() };
        // One acknowledgement of two segments.
        reno.on(&signals(event, Time::ZERO, 2000, flight), &mut control);
        (control.window, control.threshold)
    }

    #[test]
    fn bsd_counts_acknowledgements_not_bytes() {
        let mut bsd = reno(Variant::Bsd);
        assert_eq!(after(&mut bsd, Event::Ack, 8000, 8000, 0), (9000, 8000), "at the threshold: slow start");
        assert_eq!(after(&mut bsd, Event::Ack, 8001, 8000, 0), (8125, 8000));
        assert_eq!(after(&mut bsd, Event::Recovered, 8000, 8000, 0), (9000, 8000));
        let mut rfc = reno(Variant::Rfc);
        assert_eq!(after(&mut rfc, Event::Ack, 8000, 8000, 0), (8000, 8000), "a quarter of a window");
        assert_eq!(after(&mut rfc, Event::Recovered, 8000, 8000, 0), (8000, 8000));
    }

    #[test]
    fn bsd_halves_to_whole_segments_and_again_at_each_timeout() {
        let mut bsd = reno(Variant::Bsd);
        assert_eq!(after(&mut bsd, Event::Loss, 11_000, 99_000, 11_000), (5000, 5000));
        assert_eq!(after(&mut reno(Variant::Rfc), Event::Loss, 11_000, 99_000, 11_000), (5500, 5500));
        let mut control = Control { window: 1000, threshold: 5000, ..Control::default() };
        let again = Signals { repeated: true, ..signals(Event::Timeout, Time::ZERO, 0, 1000) };
        bsd.on(&again, &mut control);
        assert_eq!((control.window, control.threshold), (1000, 2000));
        control.threshold = 5000;
        reno(Variant::Rfc).on(&again, &mut control);
        assert_eq!(control.threshold, 5000);
    }
}
