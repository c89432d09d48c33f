//! Laws in the language of laws: who compiles them, and what was compiled in this process.
//!
//! The compiler belongs to the front end, which gives it once. What is compiled cannot do anything but reckon, so nobody has to trust
//! its source.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use dumbbell_core::Value;
use dumbbell_core::config::{At, ConfigError};
use dumbbell_law::Program;
use dumbbell_proto::{Compiled, Native, OwnLaw};

/// Why a source is no law.
#[derive(Debug)]
pub struct Refused {
    /// The parameter that is wrong, if it is one of those given.
    pub parameter: Option<String>,
    /// What is wrong, with its file, line and column if it is the source.
    pub message: String,
    /// The remedy.
    pub remedy: String,
}

/// What a compiler makes of a law: an image, and machine code of it if it can.
pub type Made = (Vec<u8>, Option<Native>);

/// Compiles the class of a source. Receives the text, the name of its file for messages, and the law.
pub type Compile = fn(&str, &str, &OwnLaw) -> Result<Made, Refused>;

static COMPILER: OnceLock<Compile> = OnceLock::new();

/// What was compiled: by the digest of the source, the class and the parameters.
type Known = HashMap<(String, String, String), Compiled>;
static COMPILED: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// Gives the compiler of this process; the first one stays.
pub fn compile_with(compile: Compile) {
    let _ = COMPILER.set(compile);
}

/// The law whose source has this text and digest, and is called `shown` in messages.
///
/// # Errors
/// If the source is no law, or a parameter does not fit.
pub fn compiled(
    law: &OwnLaw,
    (text, digest, shown): (&str, &str, &str),
    at: &At<'_>,
) -> Result<Compiled, ConfigError> {
    let parameters = serde_json::to_string(&Value::Table(law.parameters.clone())).unwrap_or_default();
    let key = (digest.to_owned(), law.class.clone(), parameters);
    if let Some(known) = COMPILED.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(known.clone());
    }
    let Some(compile) = COMPILER.get() else {
        return Err(at.error(
            format!("{shown} is a law in Python's syntax, and nothing here compiles it"),
            "run the scenario with the dumbbell of Python",
        ));
    };
    let (image, native) = compile(text, shown, law).map_err(|refused| match &refused.parameter {
        Some(name) => at.key(name).error(refused.message, refused.remedy),
        None => at.error(refused.message, refused.remedy),
    })?;
    let program = Program::read(&image).map_err(|unfit| {
        at.error(format!("the byte code of {shown} is not fit to run: {unfit}"), "make the law smaller")
    })?;
    let made = Compiled::new(program, native);
    COMPILED.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
    Ok(made)
}
