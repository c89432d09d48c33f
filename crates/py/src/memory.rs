//! The memory of the process: counted, and its end told in one line.

use std::io::Write;

use dumbbell_core::memory::{Counting, at_last};

#[global_allocator]
static COUNTING: Counting = Counting;

/// What the command line returns for all that a user can do something about.
const STATUS: i32 = 2;

/// When the system refuses memory that nobody can do without, the process ends with one line.
///
/// Rust would print a backtrace and abort; it has no exception to raise where memory is taken.
pub fn end_in_one_line() {
    at_last(|bytes| {
        let mut text = [0; 160];
        let mut rest = &mut text[..];
        // What is too long is cut; nothing is left to be done about a standard error that is closed.
        let _ = writeln!(
            rest,
            "dumbbell: memory: the system refuses {bytes} bytes more; make fewer runs at a time, or lower --memory"
        );
        let left = rest.len();
        let _ = std::io::stderr().write_all(&text[..text.len() - left]);
        end(STATUS)
    });
}

/// Ends the process as it is: tidying up takes memory.
#[cfg(unix)]
#[expect(unsafe_code, reason = "no safe form in any library")]
fn end(status: i32) -> ! {
    // SAFETY: it takes a number, and does not return.
    unsafe { libc::_exit(status) }
}

#[cfg(not(unix))]
#[expect(clippy::exit, reason = "nothing can go on")]
fn end(status: i32) -> ! {
    std::process::exit(status)
}
