//! What a sender has to do before, or instead of, sending the next segment of the stream: flags that `pull` looks at, and
//! what loss recovery answers it.

use dumbbell_core::Packet;

/// Not connected: nothing may be sent.
pub const HOLD: u8 = 1;
/// A SYN is due.
pub const SYN: u8 = 1 << 1;
/// An acknowledgement without data is due.
pub const ACK: u8 = 1 << 2;
/// The first segment not acknowledged is due, whatever the window says.
pub const RESEND: u8 = 1 << 3;
/// Holes of the scoreboard may be due.
pub const REPAIR: u8 = 1 << 4;
/// The controller needs more than a window: it paces, asks routers for feedback, or wants an account of segments.
pub const NEEDS: u8 = 1 << 5;
/// Everything sent was acknowledged: the next segment may follow an idle time.
pub const IDLE: u8 = 1 << 6;
/// Segments take time to process.
pub const OVERHEAD: u8 = 1 << 7;

/// What loss recovery has to send.
pub enum Repaired {
    /// This segment.
    Packet(Packet),
    /// A segment for which the window has no room; new data must wait too.
    Blocked,
    /// Nothing: new data may be sent.
    Nothing,
}
