//! The sender's reference rate (RFC 8698 section 4.3), and what encoder and shaping buffer make of it (section 5.2.2).

use std::sync::Arc;

use dumbbell_core::{Duration, Time};
use dumbbell_header::{NadaHeader, NadaKind};

use super::params::{Params, millis};

/// Share of a sample in the round-trip time (choice: RFC 6298 section 2.3; RFC 8698 section 4.3 asks for an estimate).
const SHARE: f64 = 0.125;

/// The rate of a flow.
#[derive(Debug)]
pub struct Rate {
    params: Arc<Params>,
    /// Bits a second: `r_ref`.
    reference: f64,
    /// The signal of the last report, in milliseconds: `x_prev`.
    congestion: f64,
    /// The rate of the last report: `r_recv`.
    pub received: f64,
    /// The mode of the last report; media before the first.
    pub mode: NadaKind,
    heard_at: Time,
    /// Zero before the first report.
    pub rtt: Duration,
    pub shortest: Duration,
    pub reports: u64,
    /// Reports that made no sense.
    pub ignored: u64,
}

impl Rate {
    /// The rate of a flow that starts: the smallest.
    pub fn new(params: Arc<Params>) -> Rate {
        let reference = params.rmin.as_bps() as f64;
        Rate {
            params,
            reference,
            congestion: 0.0,
            received: 0.0,
            mode: NadaKind::Media,
            heard_at: Time::ZERO,
            rtt: Duration::ZERO,
            shortest: Duration::ZERO,
            reports: 0,
            ignored: 0,
        }
    }

    /// The flow starts.
    pub fn start(&mut self, now: Time) {
        self.heard_at = now;
    }

    /// The reference rate, in bits a second.
    pub fn reference(&self) -> f64 {
        self.reference
    }

    /// The congestion signal of the last report, in milliseconds.
    pub fn congestion(&self) -> f64 {
        self.congestion
    }

    /// Receives a report at a sender of `packets`. What no receiver of them would report is ignored.
    pub fn heard(&mut self, now: Time, report: &NadaHeader, packets: u64) {
        let sane = |number: f64| number >= 0.0 && number.is_finite();
        let plausible = report.number < packets && report.sent <= now;
        if !plausible || !sane(report.received) || !sane(report.congestion) {
            self.ignored += 1;
            return;
        }
        self.reports += 1;
        let sample = now.since(report.sent).saturating_sub(report.delay).max(Duration::from_nanos(1));
        if self.rtt.is_zero() {
            (self.rtt, self.shortest) = (sample, sample);
        } else {
            self.rtt = self.rtt.mul_f64(1.0 - SHARE) + sample.mul_f64(SHARE);
            self.shortest = self.shortest.min(sample);
        }
        let wanted = match report.kind {
            NadaKind::RampUp => self.reference.max((1.0 + self.growth()) * report.received),
            _ => self.gradual(now, report.congestion),
        };
        let Params { rmin, rmax, .. } = *self.params;
        self.reference = wanted.max(rmin.as_bps() as f64).min(rmax.as_bps() as f64);
        (self.congestion, self.received, self.mode) = (report.congestion, report.received, report.kind);
        self.heard_at = now;
    }

    /// What ramp-up may add to the rate at which media arrives (section 4.3, equation 3).
    fn growth(&self) -> f64 {
        let Params { gamma_max, qbound, delta, dfilt, .. } = *self.params;
        gamma_max.min(millis(qbound) / millis(self.rtt + delta + dfilt))
    }

    /// The reference rate after a gradual change (section 4.3, equations 5 to 7). Where reports were lost, the time since the
    /// last counts up to TAU (choice: the equations are of small steps).
    fn gradual(&self, now: Time, congestion: f64) -> f64 {
        let Params { prio, xref, rmax, kappa, eta, tau, .. } = *self.params;
        let since = millis(now.since(self.heard_at).min(tau));
        let tau = millis(tau);
        let offset = congestion - prio * millis(xref) * rmax.as_bps() as f64 / self.reference;
        let change = congestion - self.congestion;
        let step = kappa * since / tau * offset / tau + kappa * eta * change / tau;
        self.reference * (1.0 - step)
    }

    /// The rate of the encoder, in bits a second, with `waiting` bytes in the buffer (section 5.2.2: `r_vin`).
    pub fn encoder(&self, waiting: u64) -> f64 {
        let Params { rmin, beta_v, fps, .. } = *self.params;
        let drained = beta_v * 8.0 * waiting as f64 * f64::from(fps);
        (self.reference - drained).max(rmin.as_bps() as f64)
    }

    /// The rate at which packets leave, in bits a second, with `waiting` bytes in the buffer (section 5.2.2: `r_send`).
    pub fn sending(&self, waiting: u64) -> f64 {
        let Params { rmax, beta_s, fps, .. } = *self.params;
        let drained = beta_s * 8.0 * waiting as f64 * f64::from(fps);
        (self.reference + drained).min(rmax.as_bps() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ms, read};

    fn rate(text: &str) -> Rate {
        let mut rate = Rate::new(Arc::new(read(text)));
        rate.start(Time::ZERO);
        rate
    }

    /// A report that comes 100 ms after what it reports on.
    fn report(now: Time, kind: NadaKind, received: f64, congestion: f64) -> NadaHeader {
        let sent = Time::ZERO + now.since(ms(100.0));
        NadaHeader { kind, number: 0, sent, received, congestion, ..NadaHeader::default() }
    }

    #[test]
    fn a_gradual_step_is_that_of_equation_7() {
        let mut rate = rate("{}");
        rate.reference = 1e6;
        rate.heard(ms(200.0), &report(ms(200.0), NadaKind::Gradual, 1e6, 25.0), 1);
        // x_offset = 25 - 10 * 1.5 = 10, x_diff = 25: 0.5 * 200/500 * 10/500 + 0.5 * 2 * 25/500 = 0.004 + 0.05.
        assert!((rate.reference() - 0.946e6).abs() < 1e-3, "{}", rate.reference());
        rate.heard(ms(300.0), &report(ms(300.0), NadaKind::Gradual, 1e6, 25.0), 1);
        let offset = 25.0 - 15e6 / 0.946e6;
        let expected = 0.946e6 * (1.0 - 0.5 * 0.2 * offset / 500.0);
        assert!((rate.reference() - expected).abs() < 1e-3, "{}", rate.reference());
    }

    #[test]
    fn gradual_changes_rest_where_the_rfc_says() {
        // R = PRIO XREF RMAX / x, whatever the start: section 4.3 with x_offset = 0.
        for (prio, congestion) in [(1.0, 15.0), (1.0, 40.0), (2.0, 40.0)] {
            for start in [0.2e6, 1.5e6] {
                let mut rate = rate(&format!(r#"{{"prio": {prio:?}}}"#));
                (rate.reference, rate.congestion) = (start, congestion);
                for step in 2..5000 {
                    let now = ms(100.0 * f64::from(step));
                    rate.heard(now, &report(now, NadaKind::Gradual, 1e6, congestion), 1);
                }
                let expected = prio * 10.0 * 1.5e6 / congestion;
                assert!((rate.reference() / expected - 1.0).abs() < 1e-6, "{} {expected}", rate.reference());
            }
        }
    }

    #[test]
    fn ramp_up_grows_by_equation_3_and_never_shrinks() {
        // 50 / (rtt + 100 + 120): 15.6 % at 100 ms; at no more than GAMMA_MAX.
        for (text, growth) in [("{}", 50.0 / 320.0), (r#"{"qbound": "1s"}"#, 0.5)] {
            let mut rate = rate(text);
            rate.heard(ms(200.0), &report(ms(200.0), NadaKind::RampUp, 0.4e6, 3.0), 1);
            assert!((rate.reference() / (0.4e6 * (1.0 + growth)) - 1.0).abs() < 1e-9, "{}", rate.reference());
            let before = rate.reference();
            rate.heard(ms(300.0), &report(ms(300.0), NadaKind::RampUp, 0.1e6, 3.0), 1);
            assert_eq!(rate.reference(), before);
        }
    }

    #[test]
    fn the_rate_stays_between_its_bounds() {
        let mut rate = rate("{}");
        rate.heard(ms(200.0), &report(ms(200.0), NadaKind::RampUp, 1e300, 0.0), 1);
        assert_eq!(rate.reference(), 1.5e6);
        rate.heard(ms(300.0), &report(ms(300.0), NadaKind::Gradual, 1e6, 1e300), 1);
        assert_eq!(rate.reference(), 0.15e6);
    }

    #[test]
    fn the_buffer_slows_the_encoder_and_hastens_packets() {
        // 1000 bytes at 30 frames a second: 0.1 * 8 * 1000 * 30 = 24 kbit/s.
        let mut rate = rate("{}");
        rate.reference = 1e6;
        assert_eq!((rate.encoder(1000), rate.sending(1000)), (0.976e6, 1.024e6));
        assert_eq!((rate.encoder(1 << 20), rate.sending(1 << 20)), (0.15e6, 1.5e6));
    }

    #[test]
    fn reports_that_no_receiver_sends_change_nothing() {
        let mut rate = rate("{}");
        let good = report(ms(200.0), NadaKind::RampUp, 0.4e6, 3.0);
        let mut forged = vec![NadaHeader { number: 1, ..good }, NadaHeader { sent: ms(201.0), ..good }];
        for number in [f64::NAN, f64::INFINITY, -1.0] {
            forged.push(NadaHeader { received: number, ..good });
            forged.push(NadaHeader { congestion: number, ..good });
        }
        for (i, report) in forged.iter().enumerate() {
            rate.heard(ms(200.0), report, 1);
            assert_eq!((rate.reference(), rate.rtt, rate.ignored), (0.15e6, Duration::ZERO, i as u64 + 1));
        }
    }
}
