//! What a sender has to do before, or instead of, sending the next segment of the stream: flags that `pull` looks at, and
//! what loss recovery answers it.

use dumbbell_core::Packet;

/// Not connected, or nothing is written yet: nothing of the stream may be sent.
pub const HOLD: u16 = 1;
/// A SYN is due.
pub const SYN: u16 = 1 << 1;
/// An acknowledgement without data is due.
pub const ACK: u16 = 1 << 2;
/// The first segment not acknowledged is due, whatever the window says.
pub const RESEND: u16 = 1 << 3;
/// Holes of the scoreboard may be due, or a tail loss probe.
pub const REPAIR: u16 = 1 << 4;
/// The controller needs more than a window: it paces, asks routers for feedback, or wants an account of segments. Or what leaves
/// carries a count of marks.
pub const NEEDS: u16 = 1 << 5;
/// Everything sent was acknowledged: the next segment may follow an idle time.
pub const IDLE: u16 = 1 << 6;
/// Segments take time to process.
pub const OVERHEAD: u16 = 1 << 7;
/// Losses are found by time: what leaves is noted.
pub const TIMED: u16 = 1 << 8;
/// The same for a controller that needs more than a window.
pub const TIMED_NEEDS: u16 = TIMED | NEEDS;
/// Without SACK, all from the next segment on was lost and is sent again.
pub const GO_BACK: u16 = 1 << 9;
/// Copies of the last segment of an object are due: a number of two bits.
pub const COPIES: u16 = 3 * ONE_COPY;
/// One of them.
pub const ONE_COPY: u16 = 1 << 10;

/// What loss recovery has to send.
pub enum Repaired {
    /// This segment.
    Packet(Packet),
    /// A segment for which the window has no room; new data must wait too.
    Blocked,
    /// Nothing: new data may be sent.
    Nothing,
}
