//! Machine code of a law in the language of laws. The front end compiles the byte code that it has given; both do the same.

use std::io;

use dumbbell_law::Machine;

use super::contract::{Control, Event, Sent, Signals};

/// Machine code that answers events, as readable memory that can be run and not be changed.
#[derive(Debug)]
pub struct Native {
    code: code::Code,
    /// Where the answers begin: to each event in the order of [`Event::ALL`], then to a segment that leaves.
    entries: [Option<u32>; ENTRIES],
}

/// Events, and a segment that leaves.
pub const ENTRIES: usize = Event::ALL.len() + 1;

impl Native {
    /// Code, and where its answers begin.
    ///
    /// # Safety
    /// At each entry begins a function of C: of the words of a machine, an event and a control, as the front end compiles it from the
    /// byte code of the program that it is used with.
    ///
    /// # Errors
    /// If the system gives no memory that can be run, or an entry lies outside the code.
    #[allow(unsafe_code, reason = "the code is what its maker says")]
    pub unsafe fn load(code: &[u8], entries: [Option<u32>; ENTRIES]) -> io::Result<Native> {
        if entries.iter().flatten().any(|entry| *entry as usize >= code.len()) {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        Ok(Native { code: code::Code::of(code)?, entries })
    }

    /// Answers an event by changing the control.
    #[inline]
    pub fn on(&self, machine: &mut Machine, signals: &Signals, control: &mut Control) {
        self.answer(signals.event as usize, machine, signals, control);
    }

    /// Answers a segment that leaves by changing the control.
    #[inline]
    pub fn on_sent(&self, machine: &mut Machine, sent: &Sent, control: &mut Control) {
        self.answer(ENTRIES - 1, machine, sent, control);
    }

    #[inline]
    #[allow(unsafe_code, reason = "machine code is called")]
    fn answer<E>(&self, number: usize, machine: &mut Machine, event: &E, control: &mut Control) {
        let Some(entry) = self.entries[number] else { return };
        let words = machine.words_mut().as_mut_ptr();
        // SAFETY: the entry lies in the code, where a function of this kind begins; it touches nothing but what it receives.
        unsafe {
            let at = self.code.start().add(entry as usize);
            let function =
                std::mem::transmute::<*const u8, unsafe extern "C" fn(*mut i64, *const E, *mut Control)>(at);
            function(words, event, control);
        }
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "memory that can be run")]
mod code {
    use std::io;
    use std::os::fd::AsRawFd;
    use std::ptr::{NonNull, null_mut};

    use crate::controller::unnamed;

    /// Memory that can be run. It is never writable: the system fills it from a file without a name.
    #[derive(Debug)]
    pub struct Code {
        start: NonNull<u8>,
        length: usize,
    }

    // SAFETY: nobody changes it.
    unsafe impl Send for Code {}
    // SAFETY: as above.
    unsafe impl Sync for Code {}

    impl Code {
        pub fn of(code: &[u8]) -> io::Result<Code> {
            let file = unnamed::file(c"dumbbell-law", code)?;
            let rights = libc::PROT_READ | libc::PROT_EXEC;
            // SAFETY: the mapping is new.
            let start =
                unsafe { libc::mmap(null_mut(), code.len(), rights, libc::MAP_PRIVATE, file.as_raw_fd(), 0) };
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
            Ok(Code { start, length: code.len() })
        }

        #[inline]
        pub fn start(&self) -> *const u8 {
            self.start.as_ptr()
        }
    }

    impl Drop for Code {
        fn drop(&mut self) {
            // SAFETY: it was mapped with this length, and nobody has it any more.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod code {
    use std::io;

    #[derive(Debug)]
    pub struct Code;

    impl Code {
        pub fn of(_code: &[u8]) -> io::Result<Code> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub fn start(&self) -> *const u8 {
            std::ptr::null()
        }
    }
}
