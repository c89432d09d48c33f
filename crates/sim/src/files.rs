//! Files that a scenario refers to: found relative to the scenario, read once, remembered for the plan's hash.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use dumbbell_core::config::{At, ConfigError, is_plain};
use sha2::{Digest, Sha256};

use crate::limits::MAX_FILE_BYTES;

/// Characters of a field that a message quotes.
const QUOTED: usize = 40;

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
        let path = self.base.join(name);
        let shown = path.display().to_string().replace(|c| !is_plain(c), "?");
        if self.confined && !self.holds(&path) {
            return Err(at.error(
                format!("{shown} lies outside {}", self.base.display()),
                "put the file below that folder and name it from there, or choose another base folder",
            ));
        }
        let size = std::fs::metadata(&path)
            .and_then(|m| if m.is_file() { Ok(m.len()) } else { Err(io::Error::other("it is not a file")) });
        let refuse = |what: String, remedy: &str| at.error(format!("cannot read {shown}: {what}"), remedy);
        let remedy = "give the path of a text file, relative to the scenario file";
        match size {
            Err(e) => return Err(refuse(plain(&e), remedy)),
            Ok(n) if n > MAX_FILE_BYTES => {
                return Err(refuse(format!("{n} bytes are above the limit of {MAX_FILE_BYTES}"), "split it"));
            }
            Ok(_) => {}
        }
        let bytes = std::fs::read(&path).map_err(|e| refuse(plain(&e), remedy))?;
        self.read.insert(name.to_owned(), hex(&Sha256::digest(&bytes)));
        let text = String::from_utf8(bytes).map_err(|_| refuse("it is not text".to_owned(), remedy))?;
        Ok(Text { name: shown, text })
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

/// A system error without its number.
fn plain(e: &io::Error) -> String {
    match e.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => e.to_string(),
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// A line of a table: its number in the file, from 1, and its fields.
pub struct Row<'a> {
    text: &'a Text,
    line: usize,
    /// The fields, trimmed.
    pub fields: Vec<&'a str>,
}

impl Text {
    /// Text from elsewhere, called `name` in messages.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Text {
        Text { name: name.into(), text: text.into() }
    }

    /// The rows of a table with these columns. Fields stand between commas or blanks; `#` starts a comment; a first
    /// line that repeats the names of the columns is skipped.
    ///
    /// # Errors
    /// The first row with another number of fields, or a file without any row.
    pub fn rows(&self, columns: &[&str]) -> Result<Vec<Row<'_>>, ConfigError> {
        let mut rows = Vec::new();
        let mut first = true;
        for (i, line) in self.text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let fields: Vec<&str> = if line.contains(',') {
                line.split(',').map(str::trim).collect()
            } else {
                line.split_whitespace().collect()
            };
            let row = Row { text: self, line: i + 1, fields };
            let header = std::mem::take(&mut first)
                && row.fields.iter().zip(columns).all(|(field, name)| field.eq_ignore_ascii_case(name));
            if row.fields.len() != columns.len() {
                return Err(row.error(
                    format!("{} fields instead of {}", row.fields.len(), columns.len()),
                    format!("write {} on each line", columns.join(", ")),
                ));
            }
            if !header {
                rows.push(row);
            }
        }
        if rows.is_empty() {
            let remedy = format!("write {} on each line", columns.join(", "));
            return Err(ConfigError::new(&self.name, "the file has no rows", remedy));
        }
        Ok(rows)
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
