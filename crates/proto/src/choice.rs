//! The controller of a connection: one of the registry, or one of the user's own in a library or in the language of laws.

use std::sync::{Arc, OnceLock};

use dumbbell_core::config::At;
use dumbbell_core::{Config, ConfigError, Value, json};
use dumbbell_header::Exchange;
use dumbbell_law::Program;

use crate::controller::contract::Governs;
use crate::controller::{AnyController, Class, Compiled, ControllerSpec, Library, Needs, Repair, exchange};

/// The key of a library.
const KEY: &str = "library";

/// A law in the language of laws, as the user names it.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnLaw {
    /// The file.
    pub file: String,
    /// The class in it.
    pub class: String,
    /// The parameters that are given.
    pub parameters: Vec<(String, Value)>,
}

impl OwnLaw {
    /// `my.py:Mine`, or a table with that as its kind.
    fn of(v: &Value, at: &At<'_>) -> Result<Option<OwnLaw>, ConfigError> {
        let (name, entries) = match v {
            Value::Table(entries) => (v.get("kind"), entries.as_slice()),
            _ => (Some(v), &[][..]),
        };
        let Some(Value::Str(name)) = name else { return Ok(None) };
        let (file, class) = name.rsplit_once(':').unwrap_or((name, ""));
        if !file.ends_with(".py") {
            return Ok(None);
        }
        if class.is_empty() {
            let message = format!("{file} is a file, and the class is not named");
            return Err(
                at.error(message, format!("write {:?}, with the name of the class", format!("{file}:Mine")))
            );
        }
        let parameters = entries.iter().filter(|(key, _)| key != "kind").cloned().collect();
        Ok(Some(OwnLaw { file: file.to_owned(), class: class.to_owned(), parameters }))
    }

    fn to_value(&self) -> Value {
        let name = Value::Str(format!("{}:{}", self.file, self.class));
        if self.parameters.is_empty() {
            return name;
        }
        let mut entries = vec![("kind".to_owned(), name)];
        entries.extend(self.parameters.iter().cloned());
        Value::Table(entries)
    }
}

/// Makes a connection under a law, other than by byte code.
pub type Interpret = fn(&OwnLaw, &Arc<Program>) -> Box<dyn Governs>;

static INTERPRETER: OnceLock<Interpret> = OnceLock::new();

/// Runs all laws of this process by an interpreter from now on; the first one stays.
pub fn interpret_with(interpret: Interpret) {
    let _ = INTERPRETER.set(interpret);
}

/// The controller of a connection.
#[derive(Clone, Debug)]
pub enum ControllerChoice {
    /// One of the registry.
    Registered(ControllerSpec),
    /// One in a library: the file as the user has named it, and what it holds once a plan has loaded it.
    Library(String, Option<Arc<Library>>),
    /// One in the language of laws, and what was compiled once a plan has compiled it.
    Own(Arc<OwnLaw>, Option<Compiled>),
}

impl PartialEq for ControllerChoice {
    fn eq(&self, other: &ControllerChoice) -> bool {
        match (self, other) {
            (ControllerChoice::Registered(a), ControllerChoice::Registered(b)) => a == b,
            (ControllerChoice::Library(_, Some(a)), ControllerChoice::Library(_, Some(b))) => {
                Arc::ptr_eq(a, b)
            }
            (ControllerChoice::Library(a, None), ControllerChoice::Library(b, None)) => a == b,
            (ControllerChoice::Own(a, x), ControllerChoice::Own(b, y)) => a == b && x == y,
            _ => false,
        }
    }
}

impl ControllerChoice {
    /// A controller for a new connection.
    ///
    /// # Panics
    /// If no plan has loaded its library or compiled its source.
    pub fn build(&self) -> AnyController {
        match self {
            ControllerChoice::Registered(spec) => spec.build(),
            ControllerChoice::Library(_, library) => {
                let library = library.as_ref().expect("a plan loads libraries");
                AnyController::Own(Box::new(library.build()))
            }
            ControllerChoice::Own(law, compiled) => {
                let compiled = compiled.as_ref().expect("a plan compiles laws");
                AnyController::Own(match INTERPRETER.get() {
                    Some(interpret) => interpret(law, &compiled.program),
                    None => Box::new(compiled.build()),
                })
            }
        }
    }

    /// The name for tables; of a library that is not loaded, `library`, and of a source that is not compiled, `law`.
    pub fn name(&self) -> &'static str {
        match self {
            ControllerChoice::Registered(spec) => spec.name(),
            ControllerChoice::Library(_, library) => library.as_ref().map_or(KEY, |library| library.name()),
            ControllerChoice::Own(_, law) => law.as_ref().map_or("law", |law| law.program.name),
        }
    }

    /// What it needs of the transport; nothing, if it is in a library that is not loaded.
    pub fn needs(&self) -> Needs {
        match self {
            ControllerChoice::Registered(spec) => spec.needs(),
            ControllerChoice::Library(_, library) => {
                library.as_ref().map_or(Needs::NOTHING, |library| library.needs())
            }
            ControllerChoice::Own(_, law) => law.as_ref().map_or(Needs::NOTHING, |law| law.program.needs),
        }
    }

    /// What moves the window.
    pub fn class(&self) -> Class {
        match self {
            ControllerChoice::Registered(spec) => spec.class(),
            ControllerChoice::Library(_, library) => library.as_ref().map_or(Class::Window, |l| l.class()),
            ControllerChoice::Own(_, law) => law.as_ref().map_or(Class::Window, |law| law.program.class),
        }
    }

    /// How losses are repaired where SACK is not used.
    pub fn repair(&self) -> Repair {
        match self {
            ControllerChoice::Registered(spec) => spec.repair(),
            ControllerChoice::Library(_, library) => {
                library.as_ref().map_or(Repair::PartialAcks, |l| l.repair())
            }
            ControllerChoice::Own(_, law) => {
                law.as_ref().map_or(Repair::PartialAcks, |law| law.program.repair)
            }
        }
    }

    /// The header in which it asks routers.
    pub fn exchange(&self) -> Option<&'static Exchange> {
        match self {
            ControllerChoice::Registered(spec) => spec.exchange(),
            ControllerChoice::Library(_, library) => library.as_ref().and_then(|library| library.exchange()),
            ControllerChoice::Own(_, law) => law.as_ref().and_then(|law| exchange(law.program.exchange)),
        }
    }

    /// The one of the registry.
    #[cfg(test)]
    pub(crate) fn registered(self) -> ControllerSpec {
        match self {
            ControllerChoice::Registered(spec) => spec,
            ControllerChoice::Library(file, _) => panic!("{file} is a library"),
            ControllerChoice::Own(law, _) => panic!("{} is a source", law.file),
        }
    }

    /// The file of a library, as the user has named it.
    pub fn library(&self) -> Option<&str> {
        match self {
            ControllerChoice::Library(file, _) => Some(file),
            _ => None,
        }
    }
}

impl Config for ControllerChoice {
    const KIND: &'static str = ControllerSpec::KIND;

    fn from_value(v: &Value, at: &At<'_>) -> Result<ControllerChoice, ConfigError> {
        if let Some(law) = OwnLaw::of(v, at)? {
            return Ok(ControllerChoice::Own(Arc::new(law), None));
        }
        let Some(file) = v.get(KEY) else {
            return ControllerSpec::from_value(v, at).map(ControllerChoice::Registered);
        };
        if let Value::Table(entries) = v
            && let Some((key, _)) = entries.iter().find(|(key, _)| key != KEY)
        {
            let message = format!("a table with `{KEY}` has no other key");
            return Err(at.key(key).error(message, "remove it: parameters of a law stand in its source"));
        }
        Ok(ControllerChoice::Library(String::from_value(file, &at.key(KEY))?, None))
    }

    fn to_value(&self) -> Value {
        match self {
            ControllerChoice::Registered(spec) => spec.to_value(),
            ControllerChoice::Library(file, _) => {
                Value::Table(vec![(KEY.to_owned(), Value::from(file.as_str()))])
            }
            ControllerChoice::Own(law, _) => law.to_value(),
        }
    }

    fn schema() -> json::Value {
        json::json!({ "anyOf": [ControllerSpec::schema(), {
            "type": "object",
            "properties": { KEY: {
                "type": "string",
                "description": "A library with a controller of one's own, relative to the scenario file.",
            } },
            "required": [KEY],
            "additionalProperties": false,
        }, {
            "type": "string",
            "pattern": r"\.py:\w+$",
            "description": "A class in the language of laws, relative to the scenario file.",
        }, {
            "type": "object",
            "properties": { "kind": {
                "type": "string",
                "pattern": r"\.py:\w+$",
                "description": "A class in the language of laws; the other keys are its parameters.",
            } },
            "required": ["kind"],
            "additionalProperties": { "type": ["integer", "boolean", "string"] },
        }] })
    }

    fn outline() -> json::Value {
        // A library, or a class in the language of laws: with parameters, or without.
        json::json!({ "anyOf": [ControllerSpec::outline(), { "type": "object" }, { "type": "string" }] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    #[test]
    fn a_library_stands_alone_in_its_table() {
        let choice: ControllerChoice = read(r#"{"library": "mine.so"}"#);
        assert_eq!((choice.library(), choice.name()), (Some("mine.so"), "library"));
        assert_eq!(choice.to_value(), json::from_str::<Value>(r#"{"library": "mine.so"}"#).unwrap());
        let value = json::from_str(r#"{"library": "mine.so", "beta": 0.5}"#).unwrap();
        let error = ControllerChoice::from_value(&value, &At::root("controller")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "controller.beta: a table with `library` has no other key; remove it: parameters of a law stand in \
             its source"
        );
    }
}
