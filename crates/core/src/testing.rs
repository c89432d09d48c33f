//! Records of behaviour, for the tests of other crates: text files of what components did in fixed runs.
//!
//! A test compares what it sees with its file. With the environment variable `DUMBBELL_RECORDS=write` it writes the file anew.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Differences that a failure shows.
const SHOWN: usize = 5;

/// FNV-1a, 64 bits.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The record of a family: a line for each run, with its name, figures and a hash over its events.
#[derive(Debug)]
pub struct Record {
    file: PathBuf,
    lines: Vec<(String, String)>,
    hash: u64,
}

impl Record {
    /// An empty record, to be compared with this file.
    pub fn new(file: &Path) -> Record {
        Record { file: file.to_owned(), lines: Vec::new(), hash: OFFSET }
    }

    /// Adds a whole number to the hash of the next line.
    pub fn hash(&mut self, number: impl Into<u64>) {
        self.bytes(&number.into().to_le_bytes());
    }

    /// Adds a text to it, such as the name of a verdict.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.hash(text.len() as u64);
    }

    /// Adds a number with a point to it, as [`rounded`] writes it.
    pub fn float(&mut self, number: f64) {
        self.text(&rounded(number));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.hash = bytes.iter().fold(self.hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
    }

    /// Ends a run: writes its name, its figures, and the hash of what was added since the line before.
    ///
    /// # Panics
    /// The name has a line already, or could not be told from the figures.
    pub fn line(&mut self, name: &str, text: &str) {
        assert!(!name.contains(": ") && !name.contains('\n') && !text.contains('\n'), "{name}: {text}");
        assert!(self.lines.iter().all(|(other, _)| other != name), "two lines of {name}");
        let hash = std::mem::replace(&mut self.hash, OFFSET);
        let space = if text.is_empty() { "" } else { " " };
        self.lines.push((name.to_owned(), format!("{text}{space}{hash:016x}")));
    }

    /// Compares with the file, or writes it if `DUMBBELL_RECORDS` is `write`. A run without a line in the file is no difference:
    /// an algorithm may be newer than the record.
    ///
    /// # Panics
    /// The record differs from the file.
    pub fn finish(self) {
        if std::env::var_os("DUMBBELL_RECORDS").is_some_and(|value| value == "write") {
            let write = || {
                fs::create_dir_all(self.file.parent().unwrap_or(Path::new(".")))?;
                fs::write(&self.file, self.written())
            };
            write().unwrap_or_else(|error| panic!("{}: {error}", self.file.display()));
            return;
        }
        let old = fs::read_to_string(&self.file).unwrap_or_default();
        let (differences, new) = self.compared(&old);
        if !new.is_empty() {
            println!("{}: no line yet of {}", self.file.display(), new.join(", "));
        }
        assert!(
            differences.is_empty(),
            "{}: {} lines differ, among them\n{}\nIf the change is meant, run the test with DUMBBELL_RECORDS=write and explain \
             the new lines in the commit.",
            self.file.display(),
            differences.len(),
            differences[..differences.len().min(SHOWN)].join("\n")
        );
    }

    fn written(&self) -> String {
        self.lines.iter().fold(String::new(), |mut text, (name, figures)| {
            let _ = writeln!(text, "{name}: {figures}");
            text
        })
    }

    /// How the old record differs, and the names that it lacks.
    fn compared(&self, old: &str) -> (Vec<String>, Vec<&str>) {
        let mut left: HashMap<&str, &str> = old.lines().filter_map(|line| line.split_once(": ")).collect();
        let (mut differences, mut lacking) = (Vec::new(), Vec::new());
        for (name, new) in &self.lines {
            match left.remove(name.as_str()) {
                None => lacking.push(name.as_str()),
                Some(old) if old != new => {
                    differences.push(format!("{name}\n  old: {old}\n  new: {new}"));
                }
                Some(_) => {}
            }
        }
        let gone =
            old.lines().filter_map(|line| line.split_once(": ")).filter(|(name, _)| left.contains_key(name));
        differences.extend(gone.map(|(name, old)| format!("{name}\n  old: {old}\n  new: none")));
        (differences, lacking)
    }
}

/// Nine significant digits: the functions of another system's library may differ in the last of sixteen.
pub fn rounded(number: f64) -> String {
    format!("{number:.8e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let mut record = Record::new(Path::new("none"));
        record.hash(1_u8);
        record.line("one", "left 3");
        record.line("two", "");
        record
    }

    #[test]
    fn a_record_equals_what_it_writes() {
        assert_eq!(record().compared(&record().written()), (vec![], vec![]));
        assert_eq!(record().written(), "one: left 3 89cd31291d2aefa4\ntwo: cbf29ce484222325\n");
    }

    #[test]
    fn other_lines_differ_and_new_names_do_not() {
        let old = "one: left 4 89cd31291d2aefa4\nthree: left 3\n";
        let told = [
            "one\n  old: left 4 89cd31291d2aefa4\n  new: left 3 89cd31291d2aefa4",
            "three\n  old: left 3\n  new: none",
        ];
        assert_eq!(record().compared(old), (told.map(str::to_owned).to_vec(), vec!["two"]));
    }

    #[test]
    #[should_panic(expected = "DUMBBELL_RECORDS=write")]
    fn a_difference_fails_and_tells_the_remedy() {
        let file = std::env::temp_dir().join(format!("dumbbell-record-{}", std::process::id()));
        fs::write(&file, "one: left 4\n").unwrap();
        let record = Record { file: file.clone(), ..record() };
        let told = std::panic::catch_unwind(|| record.finish());
        fs::remove_file(file).unwrap();
        std::panic::resume_unwind(told.unwrap_err());
    }

    #[test]
    fn each_addition_changes_the_hash() {
        let hash = |add: fn(&mut Record)| {
            let mut record = Record::new(Path::new("none"));
            add(&mut record);
            record.hash
        };
        let mut hashes = vec![
            hash(|_| {}),
            hash(|r| r.hash(0_u8)),
            hash(|r| r.hash(1_u64 << 63)),
            hash(|r| r.text("a")),
            hash(|r| r.float(1.0)),
            hash(|r| r.float(1.000_000_02)),
        ];
        assert_eq!(hash(|r| r.float(1.0)), hash(|r| r.float(1.0 + 1e-13)));
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 6);
    }
}
