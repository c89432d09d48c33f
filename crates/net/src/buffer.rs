//! A buffer that the ports of a switch share: dynamic thresholds (Choudhury & Hahne, IEEE/ACM ToN 6(2), 1998).
//!
//! A port may hold as much as `alpha` times what is free of the buffer. One port that fills gets `alpha / (1 + alpha)` of
//! it, each of two `alpha / (1 + 2 alpha)`; the rest stays free for ports that are about to fill.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Bytes, Validate, config};

/// The largest `alpha`: a port may then hold all but a thousandth.
const MAX_ALPHA: f64 = 1000.0;

config! {
    /// A buffer that the ports of a node share. A packet is dropped if with it its port would hold more bytes than `alpha` times
    /// those that are then free. The limit of the port's own queue holds beside it. The packet in transmission
    /// does not count.
    pub struct SharedBuffer {
        /// Bytes of packets that may wait at all ports together.
        size: Bytes;
        /// How much of what is free a port may hold.
        alpha: f64 as "dimensionless" = 1.0, "Choudhury & Hahne, IEEE/ACM ToN 6(2), 1998: a power of two; one port then gets half";
    }
}

impl Validate for SharedBuffer {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        at.above_zero("alpha", self.alpha, MAX_ALPHA)?;
        Ok(())
    }
}

impl SharedBuffer {
    /// Bytes that one port comes to hold if it fills and all others are empty.
    pub fn of_one_port(&self) -> u64 {
        (self.size.get() as f64 * self.alpha / (1.0 + self.alpha)) as u64
    }

    /// Checks the size, which stands in the table at `at`, against the largest packet of the ports.
    ///
    /// # Errors
    /// No room for one packet at a port that is alone.
    pub fn check(&self, mtu: u32, at: &At<'_>) -> Result<(), ConfigError> {
        let most = self.of_one_port();
        if most < mtu.into() {
            let needed = (f64::from(mtu) * (1.0 + self.alpha) / self.alpha).ceil();
            return Err(at.key("size").error(
                format!("of {} a port may hold {most}B, less than its largest packet", self.size),
                format!("give {needed}B or more"),
            ));
        }
        Ok(())
    }
}

/// The buffer of one node in a run. Links of a run are driven by one thread; the count is atomic so that a link may move to
/// another with its run.
#[derive(Debug)]
pub struct Pool {
    size: u64,
    alpha: f64,
    used: AtomicU64,
}

impl Pool {
    /// An empty buffer.
    pub fn new(buffer: &SharedBuffer) -> Arc<Pool> {
        Arc::new(Pool { size: buffer.size.get(), alpha: buffer.alpha, used: AtomicU64::new(0) })
    }
}

/// The part that one port takes of a buffer.
#[derive(Clone, Debug)]
pub struct Part {
    pool: Arc<Pool>,
    /// Bytes that the port holds of it.
    held: u64,
}

impl Part {
    /// Nothing yet.
    pub fn new(pool: Arc<Pool>) -> Part {
        Part { pool, held: 0 }
    }

    /// Bytes that the port holds.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// True if there is room for another packet of `size` bytes.
    pub fn admits(&self, size: u32) -> bool {
        let size = u64::from(size);
        let used = self.pool.used.load(Ordering::Relaxed).saturating_add(size);
        used <= self.pool.size
            && (self.held + size) as f64 <= self.pool.alpha * (self.pool.size - used) as f64
    }

    /// The port now holds so many bytes.
    pub fn hold(&mut self, bytes: u64) {
        // Sums and differences wrap alike, so that what the other ports hold stays what it is.
        self.pool.used.fetch_add(bytes.wrapping_sub(self.held), Ordering::Relaxed);
        self.held = bytes;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ports_that_fill_get_their_closed_form(
            ports in 1..9_usize, alpha in prop::sample::select(vec![0.125, 0.5, 1.0, 2.0, 8.0]), packets in 200..2000_u64,
        ) {
            let buffer = SharedBuffer { size: Bytes::new(packets * 1000), alpha };
            let pool = Pool::new(&buffer);
            let mut parts: Vec<Part> = (0..ports).map(|_| Part::new(pool.clone())).collect();
            for _ in 0..packets {
                for part in &mut parts {
                    if part.admits(1000) {
                        part.hold(part.held() + 1000);
                    }
                }
            }
            // Choudhury & Hahne: alpha / (1 + k alpha) of the buffer for each of k ports.
            let share = alpha * buffer.size.get() as f64 / (1.0 + ports as f64 * alpha);
            for part in &parts {
                prop_assert!((part.held() as f64 - share).abs() <= 1000.0, "{} of {share}", part.held());
            }
            let held: u64 = parts.iter().map(Part::held).sum();
            prop_assert_eq!(pool.used.load(Ordering::Relaxed), held);
            prop_assert!(held <= buffer.size.get());
            parts.iter_mut().for_each(|part| part.hold(0));
            prop_assert_eq!(pool.used.load(Ordering::Relaxed), 0);
        }
    }
}
