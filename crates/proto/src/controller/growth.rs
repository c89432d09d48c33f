//! What Tahoe, Reno and NewReno share: slow start and additive increase (RFC 5681 section 3.1), counted in bytes
//! (RFC 3465), and the threshold after a loss.

use super::{Control, Sample};

/// The state of additive increase.
#[derive(Clone, Copy, Debug, Default)]
pub struct Growth {
    /// Bytes acknowledged since the window last grew.
    acked: u64,
}

impl Growth {
    /// Opens the window for an acknowledgement: by what it acknowledged, up to the limit, below the threshold; by
    /// `step` bytes per window above it.
    #[inline]
    pub fn ack(&mut self, sample: &Sample, control: &mut Control, step: impl FnOnce() -> u64) {
        if sample.in_recovery || !sample.window_limited {
            return;
        }
        if control.window < control.threshold {
            control.window += sample.acked.min(sample.growth_limit);
            return;
        }
        self.acked += sample.acked;
        if self.acked >= control.window {
            self.acked -= control.window;
            control.window += step();
        }
    }

    /// Sets window and threshold to the part `factor` of what was outstanding, two segments at least
    /// (RFC 5681 equation 4).
    pub fn cut(&mut self, sample: &Sample, control: &mut Control, factor: f64) {
        self.acked = 0;
        control.threshold = reduced(sample, factor);
        control.window = control.threshold;
    }

    /// Restarts with one segment after a timeout. The threshold changes only when the timer expires for the first
    /// time for a segment (RFC 5681 section 3.1).
    pub fn timeout(&mut self, sample: &Sample, control: &mut Control, factor: f64) {
        self.acked = 0;
        if !sample.repeated {
            control.threshold = reduced(sample, factor);
        }
        control.window = u64::from(sample.mss);
    }
}

/// The part `factor` of what was outstanding, two segments at least (RFC 5681 equation 4).
pub fn reduced(sample: &Sample, factor: f64) -> u64 {
    ((sample.flight as f64 * factor) as u64).max(2 * u64::from(sample.mss))
}

/// The restart window after an idle time: the initial window, if that is smaller (RFC 5681 section 4.1).
pub fn restart(sample: &Sample, control: &mut Control) {
    control.window = control.window.min(sample.initial_window);
}
