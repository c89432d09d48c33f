//! What a sink is: it writes events down.

use std::io;

use dumbbell_core::Time;

use crate::event::{Event, Network};

/// Writes events down. It gets them in the order of time.
pub trait Sink {
    /// The trace begins.
    ///
    /// # Errors
    /// What the file behind it says.
    fn begin(&mut self, network: &Network) -> io::Result<()>;

    /// Something happened.
    ///
    /// # Errors
    /// What the file behind it says.
    fn event(&mut self, network: &Network, event: &Event<'_>) -> io::Result<()>;

    /// The trace ends: whatever was held back is written, and flushed.
    ///
    /// # Errors
    /// What the file behind it says.
    fn end(&mut self, network: &Network, now: Time) -> io::Result<()>;
}
