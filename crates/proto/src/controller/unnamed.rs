//! A file in memory, without a name in any folder.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::FromRawFd;

/// A file with just this content. The name is shown where the system lists what a process has open.
#[allow(unsafe_code, reason = "a system call without a safe form")]
pub fn file(name: &CStr, content: &[u8]) -> io::Result<File> {
    // By its number: glibc has a function for it since 2.27, and the wheel is for 2.17.
    // SAFETY: the name is a text that ends with zero; the call touches nothing else.
    let descriptor = unsafe { libc::syscall(libc::SYS_memfd_create, name.as_ptr(), libc::MFD_CLOEXEC) };
    let descriptor = i32::try_from(descriptor).map_err(io::Error::other)?;
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, and nobody else's.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(content)?;
    Ok(file)
}
