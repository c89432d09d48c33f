//! Loading the code of a library from its content.

#[cfg(not(unix))]
use dumbbell_cc::{Account, Law};

type Unfit = (String, &'static str);

#[cfg(not(unix))]
pub fn law(_content: &[u8]) -> Result<(Law, Option<Account>), Unfit> {
    Err(("cannot be loaded: libraries are loaded on Unix alone".to_owned(), "name a built-in controller"))
}

#[cfg(unix)]
pub use unix::law;

#[cfg(unix)]
#[allow(unsafe_code, reason = "the system loads libraries through pointers")]
mod unix {
    use std::ffi::{CStr, CString};
    use std::fs::File;
    use std::io;
    use std::os::fd::IntoRawFd;
    use std::path::PathBuf;

    use dumbbell_cc::{ABI, ACCOUNT, Account, Law, Refusal, SYMBOL};

    use super::Unfit;

    /// How to make one.
    const COMPILE: &str =
        "give one that `cc -shared -fPIC` has made for this machine, see docs/own-c-controller.md";

    /// What a library exports as its law, and as the account of its states.
    pub fn law(content: &[u8]) -> Result<(Law, Option<Account>), Unfit> {
        let failed = |error: &dyn std::fmt::Display| (format!("cannot be loaded: {error}"), COMPILE);
        let (path, file) = copy(content).map_err(|error| failed(&error))?;
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|error| failed(&error))?;
        // SAFETY: the name is a text. What the library does when it is loaded is the author's, whom the user trusts.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            // The name of the copy says nothing to anybody.
            let shown = format!("{}: ", path.display());
            return Err(failed(&said().replace(&shown, "")));
        }
        // The system knows what it has loaded by its path. While the copy is open, no other has that path.
        keep_open(file);
        // SAFETY: the handle is of a library that stays loaded.
        let found = unsafe { libc::dlsym(handle, SYMBOL.as_ptr()) };
        if found.is_null() {
            let what = format!("has no symbol `{}`", SYMBOL.to_string_lossy());
            return Err((what, "export one `const struct dumbbell_law dumbbell_law`, as controller.h says"));
        }
        // SAFETY: a law of any contract begins with its number.
        let abi = unsafe { found.cast::<u32>().read_unaligned() };
        if abi != ABI {
            let what = format!("holds no controller for this version: {}", Refusal::Abi(abi));
            return Err((what, "compile it anew with the controller.h of this version"));
        }
        // SAFETY: by its number it is a law of this contract.
        let law = unsafe { found.cast::<Law>().read_unaligned() };
        // SAFETY: as for the law.
        let found = unsafe { libc::dlsym(handle, ACCOUNT.as_ptr()) };
        // SAFETY: what the header calls an account is one.
        let account = (!found.is_null()).then(|| unsafe { found.cast::<Account>().read_unaligned() });
        Ok((law, account))
    }

    /// Keeps a file open until the process ends.
    fn keep_open(file: File) {
        let _ = file.into_raw_fd();
    }

    /// What the system says of the latest failure.
    fn said() -> String {
        // SAFETY: the text lives until the next call of the system's loader by this thread.
        let text = unsafe { libc::dlerror() };
        if text.is_null() {
            return "the system does not say why".to_owned();
        }
        // SAFETY: as above.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// A file with just this content: what is loaded is what was hashed, whatever happens to the user's file, and a library that was
    /// compiled anew is another one to the system.
    #[cfg(target_os = "linux")]
    fn copy(content: &[u8]) -> io::Result<(PathBuf, File)> {
        use std::os::fd::AsRawFd;
        let file = crate::controller::unnamed::file(c"dumbbell-controller", content)?;
        Ok((format!("/proc/self/fd/{}", file.as_raw_fd()).into(), file))
    }

    #[cfg(not(target_os = "linux"))]
    fn copy(content: &[u8]) -> io::Result<(PathBuf, File)> {
        use std::io::Write;
        use std::sync::atomic::{AtomicU32, Ordering};
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("dumbbell-{}-{number}.so", std::process::id()));
        let mut file = File::create_new(&path)?;
        file.write_all(content)?;
        Ok((path, file))
    }
}
