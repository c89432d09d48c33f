//! What a script wants and the library leaves out. The first such thing that a run meets is why the script is not applicable.

use std::path::Path;

/// The environment variable that names the file for it.
pub const FILE: &str = "DUMBBELL_PACKETDRILL_LACKS";

/// The first thing that was met.
#[derive(Debug, Default)]
pub struct Lacks {
    first: Option<String>,
}

impl Lacks {
    /// Names something; all but the first are forgotten.
    pub fn name(&mut self, what: impl Into<String>) {
        let first = self.first.get_or_insert_with(|| {
            let what = what.into();
            if let Some(path) = std::env::var_os(FILE) {
                write(Path::new(&path), &what);
            }
            what
        });
        debug_assert!(!first.is_empty());
    }

    /// The first.
    pub fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }
}

/// A reader of the file learns more than that the script failed; without the file the difference is all that is known.
fn write(path: &Path, what: &str) {
    if let Err(error) = std::fs::write(path, what) {
        eprintln!("dumbbell: {}: {error}; `{what}` is not applicable", path.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_thing_named_stays() {
        let mut lacks = Lacks::default();
        assert_eq!(lacks.first(), None);
        lacks.name("IPv6");
        lacks.name("sendfile");
        assert_eq!(lacks.first(), Some("IPv6"));
    }
}
