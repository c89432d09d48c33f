//! The controller of a connection: one of the registry, or one of the user's own in a library.

use std::sync::Arc;

use dumbbell_core::config::At;
use dumbbell_core::{Config, ConfigError, Value, json};
use dumbbell_header::Exchange;

use crate::controller::{AnyController, Class, ControllerSpec, Library, Needs, Repair};

/// The key of a library.
const KEY: &str = "library";

/// The controller of a connection.
#[derive(Clone, Debug)]
pub enum ControllerChoice {
    /// One of the registry.
    Registered(ControllerSpec),
    /// One in a library: the file as the user has named it, and what it holds once a plan has loaded it.
    Library(String, Option<Arc<Library>>),
}

impl PartialEq for ControllerChoice {
    fn eq(&self, other: &ControllerChoice) -> bool {
        match (self, other) {
            (ControllerChoice::Registered(a), ControllerChoice::Registered(b)) => a == b,
            (ControllerChoice::Library(_, Some(a)), ControllerChoice::Library(_, Some(b))) => {
                Arc::ptr_eq(a, b)
            }
            (ControllerChoice::Library(a, None), ControllerChoice::Library(b, None)) => a == b,
            _ => false,
        }
    }
}

impl ControllerChoice {
    /// A controller for a new connection.
    ///
    /// # Panics
    /// If it is in a library that no plan has loaded.
    pub fn build(&self) -> AnyController {
        match self {
            ControllerChoice::Registered(spec) => spec.build(),
            ControllerChoice::Library(_, library) => {
                let library = library.as_ref().expect("a plan loads libraries");
                AnyController::Own(Box::new(library.build()))
            }
        }
    }

    /// The name for tables; of a library that is not loaded, `library`.
    pub fn name(&self) -> &'static str {
        match self {
            ControllerChoice::Registered(spec) => spec.name(),
            ControllerChoice::Library(_, library) => library.as_ref().map_or(KEY, |library| library.name()),
        }
    }

    /// What it needs of the transport; nothing, if it is in a library that is not loaded.
    pub fn needs(&self) -> Needs {
        match self {
            ControllerChoice::Registered(spec) => spec.needs(),
            ControllerChoice::Library(_, library) => {
                library.as_ref().map_or(Needs::NOTHING, |library| library.needs())
            }
        }
    }

    /// What moves the window.
    pub fn class(&self) -> Class {
        match self {
            ControllerChoice::Registered(spec) => spec.class(),
            ControllerChoice::Library(_, library) => library.as_ref().map_or(Class::Window, |l| l.class()),
        }
    }

    /// How losses are repaired where SACK is not used.
    pub fn repair(&self) -> Repair {
        match self {
            ControllerChoice::Registered(spec) => spec.repair(),
            ControllerChoice::Library(_, library) => {
                library.as_ref().map_or(Repair::PartialAcks, |l| l.repair())
            }
        }
    }

    /// The header in which it asks routers.
    pub fn exchange(&self) -> Option<&'static Exchange> {
        match self {
            ControllerChoice::Registered(spec) => spec.exchange(),
            ControllerChoice::Library(_, library) => library.as_ref().and_then(|library| library.exchange()),
        }
    }

    /// The one of the registry.
    #[cfg(test)]
    pub(crate) fn registered(self) -> ControllerSpec {
        match self {
            ControllerChoice::Registered(spec) => spec,
            ControllerChoice::Library(file, _) => panic!("{file} is a library"),
        }
    }

    /// The file of a library, as the user has named it.
    pub fn library(&self) -> Option<&str> {
        match self {
            ControllerChoice::Registered(_) => None,
            ControllerChoice::Library(file, _) => Some(file),
        }
    }
}

impl Config for ControllerChoice {
    const KIND: &'static str = ControllerSpec::KIND;

    fn from_value(v: &Value, at: &At<'_>) -> Result<ControllerChoice, ConfigError> {
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
        }] })
    }

    fn outline() -> json::Value {
        json::json!({ "anyOf": [ControllerSpec::outline(), { "type": "object" }] })
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
