//! For the tests of other crates: the lengths of drawn sequences, and records of behaviour, text files of what components did in
//! fixed runs.
//!
//! A test compares what it sees with its file. With the environment variable `DUMBBELL_RECORDS=write` it writes the file anew.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::config::Field;
use crate::value::Value;

/// Differences that a failure shows.
const SHOWN: usize = 5;

/// FNV-1a, 64 bits.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Returns the lengths of a drawn sequence: those of the range, or those of it below the environment variable `DUMBBELL_STEPS`. Most
/// faults show in short sequences, and a million of those take as long as thousands of long ones.
pub fn lengths(range: Range<usize>) -> Range<usize> {
    let most = std::env::var("DUMBBELL_STEPS").ok().and_then(|most| most.parse().ok());
    shortened(range, most)
}

fn shortened(range: Range<usize>, most: Option<usize>) -> Range<usize> {
    let end = most.map_or(range.end, |most| range.end.min(most.max(range.start + 1)));
    range.start..end
}

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

    /// Ends a run: writes its name, its figures, and the hash of what was added since the line before, if anything was.
    ///
    /// # Panics
    /// The name has a line already, or would read as figures.
    pub fn line(&mut self, name: &str, text: &str) {
        assert!(!name.contains(": ") && !name.contains('\n') && !text.contains('\n'), "{name}: {text}");
        assert!(self.lines.iter().all(|(other, _)| other != name), "two lines of {name}");
        let hash = std::mem::replace(&mut self.hash, OFFSET);
        let hash = if hash == OFFSET { String::new() } else { format!(" {hash:016x}") };
        self.lines.push((name.to_owned(), format!("{text}{hash}").trim_start().to_owned()));
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

/// The table with one parameter at a time changed: a flag turned, another word, a number and a quantity larger and smaller, an
/// absent one present. Only tables that `is_accepted`; of values for an absent parameter the first.
pub fn variants(base: &Value, fields: &[Field], is_accepted: &dyn Fn(&Value) -> bool) -> Vec<Value> {
    let mut found = Vec::new();
    for field in fields {
        let with = |value: Value| {
            let mut table = base.clone();
            table.insert(field.name, value);
            table
        };
        let stands = base.get(field.name).or(field.default.as_ref());
        if let Some(table @ Value::Table(_)) = stands.filter(|_| !field.nested.is_empty()) {
            let inner = variants(table, &field.nested, &|value| is_accepted(&with(value.clone())));
            found.extend(inner.into_iter().map(with));
            continue;
        }
        let others = stands.map(|value| others(value, &(field.schema)())).unwrap_or_default();
        let accepted = others.into_iter().map(with).filter(|table| is_accepted(table));
        match stands {
            Some(Value::Null) => {
                let first = accepted.into_iter().next();
                if let Some(table @ Value::Table(_)) = first.as_ref().and_then(|table| table.get(field.name))
                {
                    let inner = variants(table, &field.nested, &|value| is_accepted(&with(value.clone())));
                    found.extend(inner.into_iter().map(with));
                }
                found.extend(first);
            }
            _ => found.extend(accepted),
        }
    }
    found
}

/// Other values for a parameter, some of which may make no sense.
fn others(value: &Value, schema: &serde_json::Value) -> Vec<Value> {
    if let Some(words) =
        schema.pointer("/enum").or(schema.pointer("/anyOf/0/enum")).and_then(|words| words.as_array())
    {
        let words = words.iter().filter_map(|word| word.as_str()).map(Value::from);
        return words.filter(|word| word != value).collect();
    }
    match value {
        Value::Bool(flag) => vec![Value::Bool(!flag)],
        Value::Int(number) => vec![Value::Int(3 * number + 2), Value::Int(number / 3)],
        Value::Float(0.0) => vec![Value::Float(0.3)],
        Value::Float(number) => vec![Value::Float(number * 3.0), Value::Float(number / 4.0)],
        Value::Str(text) => {
            let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            let (number, unit) = text.split_at(digits);
            let times =
                |number: u64| vec![format!("{}{unit}", 4 * number), format!("{}{unit}", (number / 3).max(1))];
            let texts = number.parse().map_or(vec!["9pkt".to_owned(), "9kB".to_owned()], times);
            texts.into_iter().map(Value::Str).collect()
        }
        Value::Null => {
            let quantities = ["20ms", "4500B", "2Mbit/s", "20pkt"].map(Value::from);
            [Value::Bool(true), Value::Float(0.3), Value::Int(3), Value::table()]
                .into_iter()
                .chain(quantities)
                .collect()
        }
        Value::List(_) | Value::Table(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{At, Fields};
    use crate::{Config, ConfigError, Duration, Validate};

    crate::words! {
        /// Words.
        enum Word { One = "one", Two = "two" }
    }

    crate::config! {
        /// A part.
        struct Part {
            /// A time.
            time: Duration = "9ms", "test";
        }
    }

    impl Validate for Part {}

    crate::config! {
        /// One of each.
        struct Whole {
            /// Required.
            rate: f64 as "dimensionless";
            /// A word.
            word: Word = "one", "test";
            /// A flag.
            flag: bool = true, "test";
            /// Perhaps a part.
            part: Option<Part> = (), "test";
        }
    }

    impl Validate for Whole {
        fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
            at.within("rate", self.rate, 0.0..=1.0)
        }
    }

    #[test]
    fn variants_change_one_parameter_and_are_accepted() {
        let base: Value = serde_json::from_str(r#"{"rate": 0.5}"#).unwrap();
        let accepted = |value: &Value| Whole::from_value(value, &At::root("")).is_ok();
        let told: Vec<String> =
            variants(&base, &Whole::fields(), &accepted).iter().map(ToString::to_string).collect();
        let expected = [
            "{ rate = 0.125 }",
            "{ rate = 0.5, word = \"two\" }",
            "{ rate = 0.5, flag = false }",
            "{ rate = 0.5, part = { time = \"36ms\" } }",
            "{ rate = 0.5, part = { time = \"3ms\" } }",
            "{ rate = 0.5, part = { } }",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn sequences_are_shortened_and_never_empty() {
        assert_eq!(shortened(1..200, None), 1..200);
        assert_eq!(shortened(1..200, Some(8)), 1..8);
        assert_eq!(shortened(1..5, Some(8)), 1..5);
        assert_eq!(shortened(3..200, Some(1)), 3..4);
    }

    fn record() -> Record {
        let mut record = Record::new(Path::new("none"));
        record.hash(1_u8);
        record.line("one", "left 3");
        record.line("two", "least 1");
        record
    }

    #[test]
    fn a_record_equals_what_it_writes() {
        assert_eq!(record().compared(&record().written()), (vec![], vec![]));
        assert_eq!(record().written(), "one: left 3 89cd31291d2aefa4\ntwo: least 1\n");
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
