//! The standard output of long commands: a reader that does not read holds no signal up.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

/// Wall time between two looks for a signal while nobody reads.
const PATIENCE: Duration = Duration::from_millis(50);

/// What a signal handler has raised.
pub type Raised = Rc<RefCell<Option<PyErr>>>;

/// Writes where writes may block. A thread of its own writes, because a blocked write begins anew after each signal; this one
/// waits for it and looks for signals meanwhile.
pub struct Patient {
    pieces: SyncSender<Vec<u8>>,
    written: Receiver<io::Result<()>>,
    raised: Raised,
}

impl Patient {
    /// Writes to `to`; what a signal handler raises goes to `raised`, and ends the write with an error.
    pub fn new(mut to: impl Write + Send + 'static, raised: Raised) -> Patient {
        let (pieces, arriving) = sync_channel::<Vec<u8>>(0);
        let (tell, written) = sync_channel(0);
        // It ends with the channels, or with the process if nobody ever reads.
        thread::spawn(move || {
            for piece in arriving {
                if tell.send(to.write_all(&piece).and_then(|()| to.flush())).is_err() {
                    break;
                }
            }
        });
        Patient { pieces, written, raised }
    }
}

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.raised.borrow().is_some() {
            // A piece is on its way still. Whoever drops a buffer tries once more.
            return Err(io::ErrorKind::Other.into());
        }
        self.pieces.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        loop {
            match self.written.recv_timeout(PATIENCE) {
                Ok(result) => return result.map(|()| bytes.len()),
                Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::BrokenPipe.into()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                *self.raised.borrow_mut() = Some(error);
                return Err(io::ErrorKind::Other.into());
            }
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        // Each write has flushed.
        Ok(())
    }
}
