//! What is wrong with a user's input: the place, what is wrong, the remedy.

use std::any::Any;
use std::fmt;

/// What may be named at a place beyond the built-in members of families: a [`crate::registry::Registry`].
pub trait Known {
    /// What reads the member `name` of a family: a [`crate::registry::Read`].
    fn reader(&self, family: &str, name: &str) -> Option<&dyn Any>;

    /// The names of the members of a family.
    fn names(&self, family: &str) -> Vec<&'static str>;
}

/// Where in the user's input a value stands: `links[0].queue.limit`; and what may be named there.
#[derive(Clone, Copy)]
pub struct At<'a> {
    parent: Option<&'a At<'a>>,
    step: Step<'a>,
    known: Option<&'a dyn Known>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> At<'a> {
    /// The start of a path. An empty name is not shown.
    pub const fn root(name: &'a str) -> At<'a> {
        At { parent: None, step: Step::Key(name), known: None }
    }

    /// The same place, at which and below which members of `known` may be named.
    #[must_use]
    pub const fn knowing(self, known: &'a dyn Known) -> At<'a> {
        At { known: Some(known), ..self }
    }

    /// What may be named here beyond the built-in members of families.
    pub const fn known(&self) -> Option<&'a dyn Known> {
        self.known
    }

    /// The entry `name` below this place.
    pub const fn key(&'a self, name: &'a str) -> At<'a> {
        At { parent: Some(self), step: Step::Key(name), known: self.known }
    }

    /// The item `i` below this place.
    pub const fn index(&'a self, i: usize) -> At<'a> {
        At { parent: Some(self), step: Step::Index(i), known: self.known }
    }

    /// An error about the value at this place.
    pub fn error(&self, message: impl Into<String>, remedy: impl Into<String>) -> ConfigError {
        ConfigError::new(self.to_string(), message, remedy)
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let above = self.parent.map(ToString::to_string).unwrap_or_default();
        match self.step {
            Step::Key(name) => {
                let dot = if above.is_empty() { "" } else { "." };
                let bare = |c: char| c.is_alphanumeric() || "_-".contains(c);
                if self.parent.is_none() || !name.is_empty() && name.chars().all(bare) {
                    write!(f, "{above}{dot}{name}")
                } else {
                    write!(f, "{above}{dot}{name:?}")
                }
            }
            Step::Index(i) => write!(f, "{above}[{i}]"),
        }
    }
}

/// Characters of each part of an error at most: two lines of a terminal and a half. What a user wrote may be megabytes.
pub const MAX_TEXT: usize = 400;

/// What is wrong with a user's input, where, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError {
    /// The place, e.g. `links[0].queue.limit`; empty for the whole input.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What the user can do.
    pub remedy: String,
    /// What else is wrong with the same input, in the order of the input's declaration.
    pub more: Vec<ConfigError>,
}

impl ConfigError {
    /// An error of three parts, each cut in the middle to at most [`MAX_TEXT`] characters.
    pub fn new(
        path: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> ConfigError {
        let [path, message, remedy] = [path.into(), message.into(), remedy.into()].map(cut);
        ConfigError { path, message, remedy, more: Vec::new() }
    }

    /// Everything that is wrong, one error each.
    pub fn all(mut self) -> Vec<ConfigError> {
        let more = std::mem::take(&mut self.more);
        let mut all = vec![self];
        all.extend(more);
        all
    }
}

/// Errors of one report, at most: if the first hundred entries of a list are wrong, so are the others.
pub(super) const MAX_ERRORS: usize = 100;

/// What is wrong with a table or a list, so far.
#[derive(Debug, Default)]
pub struct Errors(Vec<ConfigError>);

impl Errors {
    /// What was read, or `None` for what is wrong, which is noted.
    pub fn note<T>(&mut self, read: Result<T, ConfigError>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(error) => {
                self.0.extend(error.all());
                self.0.truncate(MAX_ERRORS);
                None
            }
        }
    }

    /// True if nothing more is noted.
    pub fn is_full(&self) -> bool {
        self.0.len() >= MAX_ERRORS
    }

    /// # Errors
    /// The first that was noted, with the others as `more`.
    pub fn settle(self) -> Result<(), ConfigError> {
        let mut errors = self.0.into_iter();
        match errors.next() {
            None => Ok(()),
            Some(first) => Err(ConfigError { more: errors.collect(), ..first }),
        }
    }
}

/// A text of at most [`MAX_TEXT`] characters: its beginning and its end.
fn cut(text: String) -> String {
    // Bytes are not fewer than characters.
    if text.len() <= MAX_TEXT || text.chars().count() <= MAX_TEXT {
        return text;
    }
    const GAP: &str = " [...] ";
    let tail = (MAX_TEXT - GAP.len()) / 4;
    let at = |(i, _): (usize, char)| i;
    let head = text.char_indices().nth(MAX_TEXT - GAP.len() - tail).map_or(0, at);
    let tail = text.char_indices().nth_back(tail - 1).map_or(0, at);
    format!("{}{GAP}{}", &text[..head], &text[tail..])
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "{}; {}", self.message, self.remedy)
    }
}

impl std::error::Error for ConfigError {}
