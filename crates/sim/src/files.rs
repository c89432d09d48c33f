//! Files that a scenario refers to: found relative to the scenario, read once, remembered for the plan's hash.

use std::collections::BTreeMap;
use std::fmt;
#[cfg(not(target_family = "wasm"))]
use std::fs::File;
use std::io;
#[cfg(not(target_family = "wasm"))]
use std::io::Read;
use std::iter::Enumerate;
use std::path::{Component, Path, PathBuf};
use std::str::Lines;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dumbbell_core::Bytes;
use dumbbell_core::config::{At, ConfigError, is_plain};
use dumbbell_proto::{Compiled, Library, OwnLaw};
use sha2::{Digest, Sha256};

use crate::limits::{MAX_FILE_BYTES, MAX_ROWS};
use crate::own;

/// Characters of a field that a message quotes.
const QUOTED: usize = 40;

/// Whether the code of libraries in folders of others may run.
static TRUST: AtomicBool = AtomicBool::new(false);

/// The user says that the code of libraries in folders of others may run, until the process ends.
pub fn trust_libraries() {
    TRUST.store(true, Ordering::Relaxed);
}

/// Where names of files count from.
#[derive(Clone, Copy)]
pub struct Base<'a> {
    /// The folder of the scenario.
    pub folder: &'a Path,
    /// Whether nothing outside the folder may be opened: the scenario is somebody else's.
    pub confined: bool,
}

/// The files read for one plan.
pub struct Files {
    base: PathBuf,
    confined: bool,
    read: BTreeMap<String, String>,
}

/// The text of a file, with the name to use in messages.
pub struct Text {
    name: String,
    text: String,
}

impl Files {
    /// Files relative to `base`.
    pub fn new(base: Base<'_>) -> Files {
        Files { base: base.folder.to_owned(), confined: base.confined, read: BTreeMap::new() }
    }

    /// The text of the file that the scenario calls `name` at `at`.
    ///
    /// # Errors
    /// If the file cannot be read as text.
    pub fn read(&mut self, name: &str, at: &At<'_>) -> Result<Text, ConfigError> {
        let remedy = "give the path of a text file, relative to the scenario file";
        let (shown, bytes) = self.bytes(name, remedy, at)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| at.error(format!("cannot read {shown}: it is not text"), remedy))?;
        Ok(Text { name: shown, text })
    }

    /// The library that the scenario calls `name` at `at`, loaded: its code runs from then on.
    ///
    /// # Errors
    /// If the file cannot be read, if nobody has said that its code may run, or if it holds no controller.
    pub fn library(&mut self, name: &str, at: &At<'_>) -> Result<Arc<Library>, ConfigError> {
        let remedy = "give the path of a library, relative to the scenario file";
        let (shown, bytes) = self.bytes(name, remedy, at)?;
        let stranger = if self.confined {
            Some("in a folder of others")
        } else if is_own(&self.base.join(name)) {
            None
        } else {
            Some("that another user owns or may change")
        };
        if let Some(whose) = stranger.filter(|_| !TRUST.load(Ordering::Relaxed)) {
            return Err(at.error(
                format!("{shown} is machine code {whose}, and would run with all your rights"),
                "compile it yourself from a source that you have read, then give --trust",
            ));
        }
        let digest = self.read.get(name).cloned().unwrap_or_default();
        Library::load(&bytes, &digest, &shown).map_err(|(what, remedy)| at.error(what, remedy))
    }

    /// The law that the scenario names at `at`, compiled.
    ///
    /// # Errors
    /// If the file cannot be read as text, or the class in it is no law.
    pub fn law(&mut self, law: &OwnLaw, at: &At<'_>) -> Result<Compiled, ConfigError> {
        let Text { name, text } = self.read(&law.file, at)?;
        let digest = self.read.get(&law.file).cloned().unwrap_or_default();
        own::compiled(law, (&text, &digest, &name), at)
    }

    /// The name for messages and the content of a file.
    fn bytes(&mut self, name: &str, remedy: &str, at: &At<'_>) -> Result<(String, Vec<u8>), ConfigError> {
        let path = self.base.join(name);
        let shown = path.display().to_string().replace(|c| !is_plain(c), "?");
        if self.confined && !self.holds(&path) {
            return Err(at.error(
                format!("{shown} lies outside {}", self.base.display()),
                "put the file below that folder and name it from there, or choose another base folder",
            ));
        }
        let refuse = |what: String, remedy: &str| at.error(format!("cannot read {shown}: {what}"), remedy);
        let bytes = read(&path, MAX_FILE_BYTES).map_err(|e| match e {
            Unreadable::TooLarge(_) => refuse(e.to_string(), "split it"),
            _ => refuse(e.to_string(), remedy),
        })?;
        self.read.insert(name.to_owned(), hex(&Sha256::digest(&bytes)));
        Ok((shown, bytes))
    }

    /// Whether a path, links followed, lies below the base. What lies elsewhere is not looked at.
    fn holds(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.base) else { return false };
        if below.components().any(|part| part == Component::ParentDir) {
            return false;
        }
        match (self.base.canonicalize(), path.canonicalize()) {
            (Ok(base), Ok(real)) => real.starts_with(base),
            // There is no such file: reading it will say so.
            (_, Err(e)) => e.kind() == io::ErrorKind::NotFound && !path.is_symlink(),
            (Err(_), _) => false,
        }
    }

    /// The names of the files read, with the SHA-256 of each.
    pub fn digests(&self) -> &BTreeMap<String, String> {
        &self.read
    }
}

/// Why a file that a user names is not read.
#[derive(Debug)]
pub enum Unreadable {
    /// The system says no.
    Io(io::Error),
    /// It is a folder, a device, a pipe: something that may have no end.
    NotAFile,
    /// It has more bytes than this.
    TooLarge(u64),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::Io(e) => match e.kind() {
                io::ErrorKind::NotFound => f.write_str("there is no such file"),
                io::ErrorKind::PermissionDenied => f.write_str("permission denied"),
                _ => e.fmt(f),
            },
            Unreadable::NotAFile => f.write_str("it is not a file"),
            Unreadable::TooLarge(most) => write!(f, "it has more than the limit of {}", Bytes::new(*most)),
        }
    }
}

/// The bytes of a file that a user names, at most `most` of them.
///
/// # Errors
/// Anything but a file that ends. It is opened so that a pipe without a writer does not hold the reader up, and looked at
/// once it is open, so that nothing takes its place between. Its size is not believed: files of `/proc` have none, and
/// others grow.
#[cfg(not(target_family = "wasm"))]
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, Unreadable> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.read(true).open(path).map_err(Unreadable::Io)?;
    let about = file.metadata().map_err(Unreadable::Io)?;
    if !about.is_file() {
        return Err(Unreadable::NotAFile);
    }
    if about.len() > most {
        return Err(Unreadable::TooLarge(most));
    }
    let mut bytes = Vec::with_capacity(about.len() as usize + 1);
    file.take(most + 1).read_to_end(&mut bytes).map_err(Unreadable::Io)?;
    if bytes.len() as u64 > most {
        return Err(Unreadable::TooLarge(most));
    }
    Ok(bytes)
}

/// What a host without a file system has given, by name.
#[cfg(target_family = "wasm")]
static GIVEN: std::sync::Mutex<BTreeMap<PathBuf, Vec<u8>>> = std::sync::Mutex::new(BTreeMap::new());

/// Gives the content of a file that scenarios may name.
#[cfg(target_family = "wasm")]
pub fn give(name: &str, bytes: Vec<u8>) {
    GIVEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(name.into(), bytes);
}

/// The bytes of a file that was given, at most `most` of them.
///
/// # Errors
/// If it was not, or is larger.
#[cfg(target_family = "wasm")]
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, Unreadable> {
    let given = GIVEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    match given.get(path) {
        Some(bytes) if bytes.len() as u64 <= most => Ok(bytes.clone()),
        Some(_) => Err(Unreadable::TooLarge(most)),
        None => Err(Unreadable::Io(io::ErrorKind::NotFound.into())),
    }
}

/// True if a file is the user's own or the system's, and not everybody may change it.
#[cfg(unix)]
#[allow(unsafe_code, reason = "who the user is")]
fn is_own(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: reads a number of the process.
    let user = unsafe { libc::geteuid() };
    let owned = |about: std::fs::Metadata| [0, user].contains(&about.uid()) && about.mode() & 0o002 == 0;
    path.metadata().is_ok_and(owned)
}

#[cfg(not(unix))]
fn is_own(_path: &Path) -> bool {
    true
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Columns that a table may have.
const MAX_COLUMNS: usize = 4;

/// A line of a table: its number in the file, from 1, and its fields.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    text: &'a Text,
    line: usize,
    fields: [&'a str; MAX_COLUMNS],
    /// Fields on the line, of which the first are kept.
    count: usize,
}

/// The rows of a table, read as they are asked for: a file of a gigabyte has hundreds of millions.
pub struct Rows<'a> {
    text: &'a Text,
    columns: &'static [&'static str],
    lines: Enumerate<Lines<'a>>,
    found: usize,
    first: bool,
}

impl Text {
    /// Text from elsewhere, called `name` in messages.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Text {
        Text { name: name.into(), text: text.into() }
    }

    /// The rows of a table with these columns. Fields stand between commas or blanks; `#` starts a comment; a first
    /// line that repeats the names of the columns is skipped.
    ///
    /// An item is an error for a row with another number of fields, for a row beyond the limit, and for a file without any.
    pub fn rows(&self, columns: &'static [&'static str]) -> Rows<'_> {
        Rows { text: self, columns, lines: self.text.lines().enumerate(), found: 0, first: true }
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = Result<Row<'a>, ConfigError>;

    fn next(&mut self) -> Option<Self::Item> {
        let remedy = || format!("write {} on each line", self.columns.join(", "));
        for (i, line) in self.lines.by_ref() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let row = Row::new(self.text, i + 1, line);
            let wanted = self.columns.len();
            let header = std::mem::take(&mut self.first)
                && row.fields.iter().zip(self.columns).all(|(field, name)| field.eq_ignore_ascii_case(name));
            if row.count != wanted {
                return Some(Err(row.error(format!("{} fields instead of {wanted}", row.count), remedy())));
            }
            if header {
                continue;
            }
            self.found += 1;
            if self.found > MAX_ROWS {
                let message = format!("the file has more than the limit of {MAX_ROWS} rows");
                return Some(Err(row.error(message, "split it")));
            }
            return Some(Ok(row));
        }
        // Once.
        (std::mem::replace(&mut self.found, 1) == 0)
            .then(|| Err(ConfigError::new(&self.text.name, "the file has no rows", remedy())))
    }
}

impl<'a> Row<'a> {
    fn new(text: &'a Text, line: usize, content: &'a str) -> Row<'a> {
        let mut row = Row { text, line, fields: [""; MAX_COLUMNS], count: 0 };
        let mut add = |field| {
            if let Some(place) = row.fields.get_mut(row.count) {
                *place = field;
            }
            row.count += 1;
        };
        if content.contains(',') {
            content.split(',').map(str::trim).for_each(&mut add);
        } else {
            content.split_whitespace().for_each(&mut add);
        }
        row
    }

    /// The field `i`, trimmed.
    pub fn field(&self, i: usize) -> &'a str {
        self.fields[i]
    }
}

impl Row<'_> {
    /// An error about this line.
    pub fn error(&self, message: impl Into<String>, remedy: impl Into<String>) -> ConfigError {
        ConfigError::new(format!("{}:{}", self.text.name, self.line), message, remedy)
    }

    /// The field `i` in quotes, its first characters if it is long.
    fn quoted(&self, i: usize) -> String {
        let field = self.fields[i];
        match field.char_indices().nth(QUOTED) {
            Some((end, _)) => format!("{:?}...", &field[..end]),
            None => format!("{field:?}"),
        }
    }

    /// The field `i`, called `what`, as a finite number of zero or more.
    ///
    /// # Errors
    /// If it is not one.
    pub fn number(&self, i: usize, what: &str) -> Result<f64, ConfigError> {
        match self.fields[i].parse::<f64>() {
            Ok(x) if x.is_finite() && x >= 0.0 => Ok(x),
            _ => Err(self.error(
                format!("{} is not a {what}", self.quoted(i)),
                "write a finite number of zero or more, without a unit",
            )),
        }
    }

    /// The field `i`, called `what`, as a whole number from 1 to `most`.
    ///
    /// # Errors
    /// If it is not one.
    pub fn whole(&self, i: usize, what: &str, most: u64) -> Result<u64, ConfigError> {
        match self.fields[i].parse::<u64>() {
            Ok(n) if (1..=most).contains(&n) => Ok(n),
            _ => Err(self.error(
                format!("{} is not a {what}", self.quoted(i)),
                format!("write a whole number of bytes from 1 to {most}"),
            )),
        }
    }

    /// The field 0, called `what`, in seconds, not before `last`, and `last` moved on to it.
    ///
    /// # Errors
    /// If it is not a time, or the file is not sorted by time.
    pub fn time(&self, what: &str, last: &mut f64) -> Result<f64, ConfigError> {
        let time = self.number(0, what)?;
        if time < *last {
            return Err(self.error(
                format!("the {what} {time} comes after {last}"),
                "sort the file by its first column",
            ));
        }
        *last = time;
        Ok(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Result<Vec<String>, String> {
        let text = Text::new("f", text);
        let rows = text.rows(&["time", "size"]);
        rows.map(|row| row.map(|r| r.fields[..r.count].join("|")).map_err(|e| e.to_string())).collect()
    }

    #[test]
    fn rows_are_told_by_line() {
        assert_eq!(
            fields("time size\n# no\n1, 2\n\n3\t4 # yes\n"),
            Ok(vec!["1|2".to_owned(), "3|4".to_owned()])
        );
        let remedy = "write time, size on each line";
        assert_eq!(
            fields("1 2\n1 2 3 4 5 6\n").unwrap_err(),
            format!("f:2: 6 fields instead of 2; {remedy}")
        );
        assert_eq!(fields("# nothing\n").unwrap_err(), format!("f: the file has no rows; {remedy}"));
    }

    #[test]
    fn what_has_no_end_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [Path::new("/dev/zero"), Path::new("/dev/tty"), folder.path(), &pipe] {
            let error = read(path, 1 << 40).unwrap_err();
            // There may be no terminal to open.
            assert!(matches!(error, Unreadable::NotAFile | Unreadable::Io(_)), "{path:?}: {error}");
            assert!(path != pipe || matches!(error, Unreadable::NotAFile));
        }
        // Larger than it says.
        assert!(matches!(read(Path::new("/proc/self/status"), 10), Err(Unreadable::TooLarge(10))));
        assert!(read(Path::new("/proc/self/status"), 1 << 20).unwrap().len() > 100);
        let file = folder.path().join("file");
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(read(&file, 5).unwrap(), b"12345");
        assert_eq!(read(&file, 4).unwrap_err().to_string(), "it has more than the limit of 4B");
    }
}
