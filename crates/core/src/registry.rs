//! The registry: one line in a `registry!` list gives an algorithm its name in scenarios, its parameters with
//! defaults and sources, and its place in `dumbbell list` and `dumbbell describe`.

use std::ops::Deref;
use std::sync::Arc;

use crate::config::{At, Config, ConfigError, Field, Fields, suggest};
use crate::value::Value;

/// The identity of an algorithm; its parameters are the configuration struct that implements this.
pub trait Algorithm: Config + Fields {
    /// The name users write, lower case.
    const NAME: &'static str;
    /// What it is, in one line.
    const TITLE: &'static str;
    /// The defining document.
    const REFERENCE: &'static str;

    /// Tables of defaults that users may choose by the parameter `profile`.
    fn profiles() -> Vec<Profile> {
        Vec::new()
    }
}

/// A setting with its source.
pub type Setting = (&'static str, Value, &'static str);

/// A table of defaults: whose version of an algorithm it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// The name users write.
    pub name: &'static str,
    /// Whose, in a line.
    pub title: &'static str,
    /// Parameters whose defaults differ.
    pub settings: Vec<Setting>,
    /// The same for controllers, by their names.
    pub controllers: Vec<(&'static str, Vec<Setting>)>,
}

impl Profile {
    /// The profile, with the settings of another in the place of those that it lacks.
    #[must_use]
    pub fn over(mut self, base: Profile) -> Profile {
        add_missing(&mut self.settings, base.settings);
        for (controller, settings) in base.controllers {
            match self.controllers.iter_mut().find(|(name, _)| *name == controller) {
                Some((_, own)) => add_missing(own, settings),
                None => self.controllers.push((controller, settings)),
            }
        }
        self
    }

    /// The table with the defaults of the profile in the place of what is absent.
    #[must_use]
    pub fn fill(&self, table: &Value) -> Value {
        let mut filled = table.clone();
        for (key, value, _) in self.settings.iter().filter(|(key, ..)| table.get(key).is_none()) {
            filled.insert(key, value.clone());
        }
        filled
    }

    /// A controller, a name or a table with `kind`, with the defaults of the profile in the place of what is absent.
    #[must_use]
    pub fn fill_controller(&self, controller: &Value) -> Value {
        let name = match controller {
            Value::Str(name) => Some(name.as_str()),
            table => match table.get("kind") {
                Some(Value::Str(name)) => Some(name.as_str()),
                _ => None,
            },
        };
        let Some((kind, settings)) = self.controllers.iter().find(|(kind, _)| Some(*kind) == name) else {
            return controller.clone();
        };
        let mut filled = if let Value::Str(_) = controller {
            Value::Table(vec![("kind".to_owned(), Value::from(*kind))])
        } else {
            controller.clone()
        };
        for (key, value, _) in settings {
            if filled.get(key).is_none() {
                filled.insert(key, value.clone());
            }
        }
        filled
    }
}

fn add_missing(own: &mut Vec<Setting>, base: Vec<Setting>) {
    for setting in base {
        if own.iter().all(|(key, ..)| *key != setting.0) {
            own.push(setting);
        }
    }
}

impl<A: Algorithm> Algorithm for Arc<A> {
    const NAME: &'static str = A::NAME;
    const TITLE: &'static str = A::TITLE;
    const REFERENCE: &'static str = A::REFERENCE;

    fn profiles() -> Vec<Profile> {
        A::profiles()
    }
}

/// Everything `dumbbell describe NAME` prints.
#[derive(Clone, Debug)]
pub struct Descriptor {
    /// The kind of algorithm: `queue`, `controller`, `size distribution`.
    pub family: &'static str,
    /// The name users write.
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// The defining document.
    pub reference: &'static str,
    /// Its parameters.
    pub fields: Vec<Field>,
    /// Tables of defaults to choose from.
    pub profiles: Vec<Profile>,
}

/// The descriptor of an algorithm.
pub fn describe<A: Algorithm>(family: &'static str) -> Descriptor {
    Descriptor {
        family,
        name: A::NAME,
        title: A::TITLE,
        reference: A::REFERENCE,
        fields: A::fields(),
        profiles: A::profiles(),
    }
}

/// An algorithm without its parameters, for lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct About {
    /// The name users write.
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// The defining document.
    pub reference: &'static str,
}

/// What a list says of an algorithm.
#[must_use]
pub const fn about<A: Algorithm>() -> About {
    About { name: A::NAME, title: A::TITLE, reference: A::REFERENCE }
}

/// Splits `"codel"` or `{ kind = "codel", target = "5ms" }` into the name and the table of parameters.
///
/// # Errors
/// If neither a name nor a table with `kind` stands there.
pub fn split_kind(v: &Value, family: &str, at: &At<'_>) -> Result<(String, Value), ConfigError> {
    let missing = || {
        at.error(
            format!("no kind of {family} named"),
            format!("write `kind = \"...\"`, see `dumbbell list {family}`"),
        )
    };
    match v {
        Value::Str(name) => Ok((name.clone(), Value::table())),
        Value::Table(entries) => {
            let kind = v.get("kind").ok_or_else(missing)?;
            let name = String::from_value(kind, &at.key("kind"))?;
            let rest = entries.iter().filter(|(k, _)| k != "kind").cloned().collect();
            Ok((name, Value::Table(rest)))
        }
        _ => Err(missing()),
    }
}

/// The error for a name that no line of the registry gives.
pub fn unknown_kind(name: &str, family: &str, known: &[&str], at: &At<'_>) -> ConfigError {
    at.error(format!("{name:?} is not a {family}"), suggest(name, known))
}

/// A member of a family among the parameters of a member of the same family. Its schema refers to that of the family, which
/// would not end otherwise.
#[derive(Clone, PartialEq, Debug)]
pub struct Inner<T>(Box<T>);

impl<T> Deref for Inner<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Config> Config for Inner<T> {
    const KIND: &'static str = T::KIND;
    fn from_value(v: &Value, at: &At<'_>) -> Result<Inner<T>, ConfigError> {
        T::from_value(v, at).map(|member| Inner(Box::new(member)))
    }
    fn to_value(&self) -> Value {
        self.0.to_value()
    }
    fn schema() -> crate::json::Value {
        crate::json::json!({ "$ref": format!("#/$defs/{}", T::KIND) })
    }
}

/// Declares the members of a family. Each line is `Variant(module::Params)`.
///
/// Users write a member as its name or as a table with `kind` and its parameters. With `as Trait` after the family,
/// `params()` gives any member as an object of the trait that all parameters implement.
#[macro_export]
macro_rules! registry {
    (
        $(#[doc = $doc:literal])*
        $vis:vis enum $name:ident in $family:literal as $object:ident {
            $( $variant:ident($params:ty) ),+ $(,)?
        }
    ) => {
        $crate::registry! { $(#[doc = $doc])* $vis enum $name in $family { $( $variant($params) ),+ } }

        impl $name {
            /// The parameters, whatever the member.
            pub fn params(&self) -> &dyn $object {
                match self { $( $name::$variant(p) => p ),+ }
            }
        }
    };
    (
        $(#[doc = $doc:literal])*
        $vis:vis enum $name:ident in $family:literal { $( $variant:ident($params:ty) ),+ $(,)? }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, PartialEq, Debug)]
        $vis enum $name {
            $(
                #[allow(missing_docs, reason = "the name says it; what it names has a page")]
                $variant($params),
            )+
        }

        impl $name {
            /// What the members are called together.
            pub const FAMILY: &'static str = $family;

            /// All members, in the order registered.
            pub const MEMBERS: &'static [$crate::registry::About] =
                &[ $( $crate::registry::about::<$params>() ),+ ];

            /// The name users write.
            pub fn name(&self) -> &'static str {
                match self { $( $name::$variant(_) => <$params as $crate::registry::Algorithm>::NAME ),+ }
            }

            /// The descriptors of all members, in the order registered.
            pub fn descriptors() -> ::std::vec::Vec<$crate::registry::Descriptor> {
                ::std::vec![ $( $crate::registry::describe::<$params>($family) ),+ ]
            }
        }

        impl $crate::Config for $name {
            const KIND: &'static str = $family;
            fn from_value(
                v: &$crate::Value,
                at: &$crate::config::At<'_>,
            ) -> ::core::result::Result<Self, $crate::ConfigError> {
                let (name, rest) = $crate::registry::split_kind(v, $family, at)?;
                $(
                    if name == <$params as $crate::registry::Algorithm>::NAME {
                        return <$params as $crate::Config>::from_value(&rest, at).map($name::$variant);
                    }
                )+
                let known = [$( <$params as $crate::registry::Algorithm>::NAME ),+];
                ::core::result::Result::Err($crate::registry::unknown_kind(&name, $family, &known, at))
            }
            fn to_value(&self) -> $crate::Value {
                let mut entries = ::std::vec![("kind".to_owned(), $crate::Value::from(self.name()))];
                let params = match self { $( $name::$variant(p) => $crate::Config::to_value(p) ),+ };
                if let $crate::Value::Table(params) = params {
                    entries.extend(params);
                }
                $crate::Value::Table(entries)
            }
            fn schema() -> $crate::json::Value {
                let mut members = ::std::vec![$crate::json::json!({
                    "enum": [$( <$params as $crate::registry::Algorithm>::NAME ),+] })];
                $( members.push({
                    let mut schema = <$params as $crate::Config>::schema();
                    schema["properties"]["kind"] =
                        $crate::json::json!({ "const": <$params as $crate::registry::Algorithm>::NAME });
                    if let ::core::option::Option::Some(required) = schema["required"].as_array_mut() {
                        required.push("kind".into());
                    }
                    schema
                }); )+
                $crate::json::json!({ "anyOf": members })
            }
        }
    };
}
