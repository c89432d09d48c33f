//! The throughput equation of TCP Reno (RFC 5348 section 3.1).

/// The rate of a TCP with segments of `segment` bytes, a round-trip time of `rtt` seconds and loss events at rate `p`,
/// in bytes a second; one segment is acknowledged at a time (b = 1), and the timeout is four round-trip times.
pub fn rate(segment: f64, rtt: f64, p: f64) -> f64 {
    let timeouts = 4.0 * rtt * (3.0 * (3.0 * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p));
    segment / (rtt * (2.0 * p / 3.0).sqrt() + timeouts)
}

/// The loss event rate at which the equation gives `wanted` bytes a second; 1 if it gives more at any.
pub fn loss_rate(segment: f64, rtt: f64, wanted: f64) -> f64 {
    // The rate falls as p rises: bisection of the logarithm of p.
    let (mut low, mut high) = (-40.0_f64, 0.0_f64);
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if rate(segment, rtt, middle.exp2()) > wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    high.exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_equation_gives_the_rate_computed_by_hand() {
        // 50 ms (sqrt(2/300) + 4 * 3 sqrt(3/800) * 0.01 * 1.0032) = 4.451 ms for 1460 bytes.
        let bits = rate(1460.0, 0.05, 0.01) * 8.0;
        assert!((bits / 2.624e6 - 1.0).abs() < 1e-3, "{bits}");
    }

    #[test]
    fn the_inverse_finds_the_loss_rate() {
        for p in [1e-8, 1e-4, 0.01, 0.3, 1.0] {
            let found = loss_rate(1460.0, 0.05, rate(1460.0, 0.05, p));
            assert!((found / p - 1.0).abs() < 1e-6, "{p}: {found}");
        }
        assert_eq!(loss_rate(1460.0, 0.05, 1.0), 1.0);
    }
}
