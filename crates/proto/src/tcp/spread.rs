//! Random delay of the retransmission timer, so that senders that lost their packets together do not send them again together
//! (Vasudevan et al., SIGCOMM 2009, section 5).

use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, Time};
use rand::RngExt;

/// The delay of one sender's timer.
#[derive(Debug)]
pub(super) struct Spread {
    /// The longest, as a share of the timeout.
    most: f64,
    rng: Stream,
    /// The time to which the timer was put off last.
    until: Time,
}

impl Spread {
    /// None if the longest delay is zero.
    pub fn new(most: f64, rng: &Stream) -> Option<Box<Spread>> {
        // Processing times come from the beginning of the stream, what controllers draw from beyond.
        (most > 0.0).then(|| Box::new(Spread { most, rng: rng.clone().jumped(1), until: Time::NEVER }))
    }

    /// The timer, set for `at` by a timeout, has expired: when it expires instead; `None` if it was put off already.
    pub fn put_off(&mut self, at: Time, timeout: Duration) -> Option<Time> {
        if at == self.until {
            return None;
        }
        let later = timeout.mul_f64(self.most * self.rng.random::<f64>());
        self.until = at + later.max(Duration::from_nanos(1));
        Some(self.until)
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_core::Time;
    use dumbbell_core::rng;

    use crate::tcp::tests::{MSS, lose, params};
    use crate::testing::{Pipe, opening};
    use crate::transport::{Opening, SendEnd, Transport};

    /// When a segment that is lost twice is sent again, in milliseconds.
    fn resent(more: &str, seed: u64) -> Vec<f64> {
        let text = format!(
            r#"{{"handshake": false, "fin": false, "tail_loss_probe": false, "rto_initial": "200ms" {more}}}"#
        );
        let ends = params(&text).open(Opening { rng: rng::stream(seed, "flow"), ..opening(Some(MSS)) });
        let mut pipe = Pipe::new(ends, lose(&[0, 0]));
        pipe.finish();
        assert_eq!(pipe.sender.report().timeouts, 2);
        pipe.forward[1..].iter().map(|(at, _)| at.since(Time::ZERO).as_secs_f64() * 1e3).collect()
    }

    #[test]
    fn the_timer_expires_later_by_up_to_a_share_of_the_timeout() {
        for detection in ["duplicates", "rack"] {
            let detection = format!(r#", "loss_detection": "{detection}""#);
            assert_eq!(resent(&detection, 1), [200.0, 600.0], "{detection}");
            let spread = format!(r#"{detection}, "rto_spread": 0.5"#);
            let delays: Vec<f64> = (0..200)
                .flat_map(|seed| {
                    let at = resent(&spread, seed);
                    [at[0] / 200.0 - 1.0, (at[1] - at[0]) / 400.0 - 1.0]
                })
                .collect();
            assert!(delays.iter().all(|d| (0.0..0.5).contains(d)), "{delays:?}");
            let mean = delays.iter().sum::<f64>() / 400.0;
            // Uniform on [0, 0.5]: mean 0.25, deviation of the mean of 400 is 0.0072.
            assert!((mean - 0.25).abs() < 4.0 * 0.0072, "{mean}");
        }
    }
}
