//! The schema language: one declaration gives the struct, the parser, the defaults with their sources,
//! the JSON Schema and the text of `dumbbell describe`.
//!
//! `config!` declares a struct. Every field has a description, and is either required or has a default with its
//! source. Unknown keys are refused with the nearest known name and the full path.

mod error;
mod range;
mod values;

pub use error::{At, ConfigError, Errors, Known, MAX_TEXT};
use serde_json::json;
pub use values::{Prose, is_plain};

use crate::value::Value;

/// Names that an error lists at most; a large network has too many.
const MAX_NAMES: usize = 16;

/// Bytes of a name beyond which none is looked for that it may have been meant for: that takes time by its square.
const MAX_MEANT: usize = 64;

/// Bytes of a short name.
const SHORT: usize = 4;

/// A type that users can write in a scenario.
pub trait Config: Sized {
    /// What a user would call this type: `"duration"`, `"size"`.
    const KIND: &'static str;

    /// Reads the value standing at `at`.
    ///
    /// # Errors
    /// Everything wrong with it, with its place and a remedy; see [`ConfigError::more`].
    fn from_value(v: &Value, at: &At<'_>) -> Result<Self, ConfigError>;

    /// The value as a user could have written it, with every default spelled out: what `from_value` reads back.
    fn to_value(&self) -> Value;

    /// The JSON Schema of the type.
    fn schema() -> json::Value;

    /// The schema without the keys of tables. Tables within tables make whole schemas large and slow.
    fn outline() -> json::Value {
        Self::schema()
    }

    /// What to do where the value of the key `name` is required and missing.
    fn remedy(name: &str) -> String {
        format!("add `{name} = ...`")
    }

    /// The fields of a table, or of the tables in a list; none for other types.
    fn nested() -> Vec<Field> {
        Vec::new()
    }
}

use serde_json as json;

/// Rules that involve several fields of a configuration struct, checked after all fields are read.
pub trait Validate {
    /// Fills in what depends on other entries, such as the defaults of a profile that the table names. `None` leaves the
    /// table as it is.
    fn complete(table: &Value) -> Option<Value>
    where
        Self: Sized,
    {
        let _ = table;
        None
    }

    /// Where a key stands that this table lacks: the path from it, such as `topology.pairs`.
    fn place_of(table: &Value, key: &str) -> Option<String>
    where
        Self: Sized,
    {
        let _ = (table, key);
        None
    }

    /// Checks the struct that was read at `at`.
    ///
    /// # Errors
    /// The first broken rule, placed at the field to change.
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let _ = at;
        Ok(())
    }
}

/// One field of a configuration struct, as `dumbbell describe` shows it.
#[derive(Clone, Debug)]
pub struct Field {
    /// The key users write.
    pub name: &'static str,
    /// What a user would call its type.
    pub kind: &'static str,
    /// The unit of a number, `"dimensionless"` if it has none; empty for what is no number or is written with its unit.
    pub unit: &'static str,
    /// What it means.
    pub doc: String,
    /// The default as written, or `None` if the field is required.
    pub default: Option<Value>,
    /// Where the default comes from: RFC section, paper section, or "choice" with a reason.
    pub source: &'static str,
    /// Makes the JSON Schema of the field: a function, for a schema holds those of all tables in it.
    pub schema: fn() -> json::Value,
    /// Makes that schema without the keys of tables; see [`Config::outline`].
    pub outline: fn() -> json::Value,
    /// The fields of the table that stands here, or of the tables in a list.
    pub nested: Vec<Field>,
}

impl Field {
    /// What it means, with the unit: `"Largest window. Unit: segments."`.
    fn meaning(&self) -> String {
        match self.unit {
            "" => self.doc.clone(),
            unit => format!("{} Unit: {unit}.", self.doc),
        }
    }
}

/// A configuration struct that can list its fields: everything `config!` declares.
pub trait Fields {
    /// The fields in the order declared.
    fn fields() -> Vec<Field>;

    /// Their names.
    fn names() -> Vec<&'static str> {
        Self::fields().iter().map(|field| field.name).collect()
    }
}

/// The JSON Schema of a struct with these fields.
pub fn object_schema(doc: &str, fields: &[Field]) -> json::Value {
    let properties: json::Map<String, json::Value> = fields
        .iter()
        .map(|f| {
            let mut schema = (f.schema)();
            if let Some(object) = schema.as_object_mut() {
                object.insert("description".into(), json!(f.meaning()));
                if let Some(default) = &f.default
                    && *default != Value::Null
                {
                    object.insert("default".into(), json!(default));
                }
            }
            (f.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = fields.iter().filter(|f| f.default.is_none()).map(|f| f.name).collect();
    json!({"type": "object", "description": doc, "properties": properties,
           "required": required, "additionalProperties": false})
}

/// The entries of the table.
///
/// # Errors
/// If the value is no table.
pub fn need_table<'a>(v: &'a Value, at: &At<'_>) -> Result<&'a [(String, Value)], ConfigError> {
    match v {
        Value::Table(entries) => Ok(entries),
        _ => Err(at.error(format!("{} stands where a table is needed", v.kind()), "write a table")),
    }
}

/// Refuses every key of the table that is not in `known`.
///
/// # Errors
/// Every unknown key, with the place where it stands, or the nearest known one.
pub fn refuse_unknown_keys(
    v: &Value,
    known: &[&str],
    place_of: fn(&Value, &str) -> Option<String>,
    at: &At<'_>,
) -> Result<(), ConfigError> {
    let entries = need_table(v, at)?;
    let mut errors = Errors::default();
    for (key, _) in entries.iter().filter(|(k, _)| !known.contains(&k.as_str())) {
        let remedy = match place_of(v, key) {
            Some(place) => {
                let above = at.to_string();
                format!("did you mean \"{above}{}{place}\"?", if above.is_empty() { "" } else { "." })
            }
            None => suggest(key, known),
        };
        errors.note::<()>(Err(at.key(key).error("unknown key", remedy)));
        if errors.is_full() {
            break;
        }
    }
    errors.settle()
}

/// A remedy for an unknown name: the nearest known one if there is one near, else the first of them.
pub fn suggest(name: &str, known: &[&str]) -> String {
    let nearest = known
        .iter()
        .filter(|k| name.len().max(k.len()) <= MAX_MEANT && may_mean(name, k))
        .map(|k| (strsim::damerau_levenshtein(&name.to_lowercase(), &k.to_lowercase()), *k))
        .min()
        .filter(|(distance, k)| *distance <= 1 + k.len().max(name.len()) / 3 && *distance < k.len());
    match nearest {
        Some((_, k)) => format!("did you mean {k:?}?"),
        None if known.is_empty() => "remove it".to_owned(),
        None if known.len() > MAX_NAMES => format!("use one of {}, ...", known[..MAX_NAMES].join(", ")),
        None => format!("use one of {}", known.join(", ")),
    }
}

/// Whether one name may be a slip of the other. Short names with other first letters are other words: `bbr` is not `cbr`.
fn may_mean(name: &str, known: &str) -> bool {
    let first = |word: &str| word.chars().next().map(|c| c.to_ascii_lowercase());
    name.len().min(known.len()) > SHORT || first(name) == first(known)
}

/// Another default for a field of a table: its key, the default and where that comes from.
pub type Override = (&'static str, Value, &'static str);

/// The fields of a table that stands in a role with defaults of its own.
pub fn with_defaults(mut fields: Vec<Field>, defaults: &[Override]) -> Vec<Field> {
    for (name, default, source) in defaults {
        let field = fields.iter_mut().find(|field| field.name == *name);
        let field =
            field.unwrap_or_else(|| panic!("a role has a default for `{name}`, which its table lacks"));
        field.default = Some(default.clone());
        field.source = source;
    }
    fields
}

/// Reads the part `T` of the table `v`, with the defaults of the role for what the user did not write.
///
/// # Errors
/// What is wrong with the table.
pub fn read_part<T: Config + Fields>(
    v: &Value,
    defaults: &[Override],
    at: &At<'_>,
) -> Result<T, ConfigError> {
    let Value::Table(entries) = v else { return T::from_value(v, at) };
    let names = T::names();
    let given = entries.iter().filter(|(key, _)| names.contains(&key.as_str())).cloned();
    let missing = defaults.iter().filter(|(key, ..)| v.get(key).is_none());
    let missing = missing.map(|(key, default, _)| ((*key).to_owned(), default.clone()));
    T::from_value(&Value::Table(given.chain(missing).collect()), at)
}

/// Reads the field `name` of the table `v`, or its default.
///
/// # Errors
/// A missing required field, or what is wrong with the value.
pub fn read_field<T: Config>(
    v: &Value,
    name: &str,
    default: Option<&Value>,
    at: &At<'_>,
) -> Result<T, ConfigError> {
    let here = at.key(name);
    let missing = || here.error(format!("missing {}", T::KIND), T::remedy(name));
    match (v.get(name), default) {
        // `None` of Python, where something has to stand.
        (Some(Value::Null), None) => T::from_value(&Value::Null, &here).map_err(|_| missing()),
        (Some(value), _) => T::from_value(value, &here),
        (None, Some(default)) => T::from_value(default, &here),
        (None, None) => Err(missing()),
    }
}

/// Declares a configuration struct: fields, defaults with sources, parser, schema and description. A number has its unit after
/// `as`, and `"dimensionless"` there if it has none.
///
/// A struct may end in others as parts, `..part: Struct { key = default, "source"; ... }`: users write the keys of all in
/// one table, and a part has the defaults given here instead of its own.
///
/// ```
/// use dumbbell_core::{config, Duration, Validate};
/// config! {
///     /// Controlled delay.
///     pub struct Params {
///         /// Acceptable standing queueing delay.
///         target: Duration = "5ms", "RFC 8289 section 4.2";
///         /// Required: no default.
///         limit: u64 as "packets";
///     }
/// }
/// impl Validate for Params {}
///
/// config! {
///     /// Controlled delay for a link of its own speed.
///     pub struct Slow {
///         /// What it is called.
///         name: String = "slow", "choice: for the example";
///         ..params: Params { target = "50ms", "choice: ten times as slow"; }
///     }
/// }
/// impl Validate for Slow {}
/// ```
#[macro_export]
macro_rules! config {
    (@default) => { ::core::option::Option::<$crate::Value>::None };
    (@default $default:expr) => { ::core::option::Option::Some($crate::Value::from($default)) };
    (@text) => { "" };
    (@text $text:expr) => { $text };
    (@overrides $( $field:ident = $default:expr, $source:expr; )*) => {
        [ $( (::core::stringify!($field), $crate::Value::from($default), $source) ),* ]
    };
    (
        $(#[doc = $struct_doc:literal])*
        $vis:vis struct $name:ident {
            $( $(#[doc = $doc:expr])+ $field:ident : $type:ty $(as $unit:literal)? $(= $default:expr, $source:expr)? ; )*
            $( ..$part:ident : $part_type:ty {
                $( $part_field:ident = $part_default:expr, $part_source:expr ; )*
            } )*
        }
    ) => {
        $(#[doc = $struct_doc])*
        #[derive(Clone, PartialEq, Debug)]
        $vis struct $name {
            $( $(#[doc = $doc])+ pub $field: $type, )*
            $( #[allow(missing_docs, reason = "the name says it; what it names has a page")] pub $part: $part_type, )*
        }

        impl $crate::config::Fields for $name {
            fn fields() -> ::std::vec::Vec<$crate::config::Field> {
                #[allow(unused_mut, reason = "some expansions change it")]
                let mut fields = ::std::vec![ $( $crate::config::Field {
                    name: ::core::stringify!($field),
                    kind: <$type as $crate::Config>::KIND,
                    unit: $crate::config!(@text $($unit)?),
                    doc: [$($doc),+].map(str::trim).join(" "),
                    default: $crate::config!(@default $($default)?),
                    source: $crate::config!(@text $($source)?),
                    schema: <$type as $crate::Config>::schema,
                    outline: <$type as $crate::Config>::outline,
                    nested: <$type as $crate::Config>::nested(),
                }, )* ];
                $( fields.extend($crate::config::with_defaults(
                    <$part_type as $crate::config::Fields>::fields(),
                    &$crate::config!(@overrides $( $part_field = $part_default, $part_source; )*),
                )); )*
                fields
            }
            fn names() -> ::std::vec::Vec<&'static str> {
                #[allow(unused_mut, reason = "some expansions change it")]
                let mut names = ::std::vec![ $( ::core::stringify!($field) ),* ];
                $( names.extend(<$part_type as $crate::config::Fields>::names()); )*
                names
            }
        }

        impl $crate::Config for $name {
            const KIND: &'static str = "table";
            fn from_value(
                v: &$crate::Value,
                at: &$crate::config::At<'_>,
            ) -> ::core::result::Result<Self, $crate::ConfigError> {
                $crate::config::need_table(v, at)?;
                let completed = <$name as $crate::Validate>::complete(v);
                let v = completed.as_ref().unwrap_or(v);
                let mut errors = $crate::config::Errors::default();
                errors.note($crate::config::refuse_unknown_keys(
                    v, &<$name as $crate::config::Fields>::names(),
                    |table, key| <$name as $crate::Validate>::place_of(table, key)
                        $( .or_else(|| <$part_type as $crate::Validate>::place_of(table, key)) )*,
                    at));
                $( let $field = errors.note($crate::config::read_field(
                    v, ::core::stringify!($field), $crate::config!(@default $($default)?).as_ref(), at)); )*
                $( let $part = errors.note($crate::config::read_part(
                    v, &$crate::config!(@overrides $( $part_field = $part_default, $part_source; )*), at)); )*
                errors.settle()?;
                let read = $name {
                    $( $field: $field.expect("what was not read is an error"), )*
                    $( $part: $part.expect("what was not read is an error"), )*
                };
                $crate::Validate::validate(&read, at)?;
                ::core::result::Result::Ok(read)
            }
            fn to_value(&self) -> $crate::Value {
                #[allow(unused_mut, reason = "some expansions change it")]
                let mut entries = ::std::vec![ $(
                    (::core::stringify!($field).to_owned(), $crate::Config::to_value(&self.$field)),
                )* ];
                $( if let $crate::Value::Table(part) = $crate::Config::to_value(&self.$part) {
                    entries.extend(part);
                } )*
                $crate::Value::Table(entries)
            }
            fn schema() -> $crate::json::Value {
                let doc = [$($struct_doc),*].map(str::trim).join(" ");
                $crate::config::object_schema(&doc, &<$name as $crate::config::Fields>::fields())
            }
            fn outline() -> $crate::json::Value {
                let doc = [$($struct_doc),*].map(str::trim).join(" ");
                $crate::json::json!({ "type": "object", "description": doc })
            }
            fn nested() -> ::std::vec::Vec<$crate::config::Field> {
                <$name as $crate::config::Fields>::fields()
            }
        }

        impl ::core::default::Default for $name {
            /// The documented defaults; panics if a field is required, which a test over the registry finds.
            fn default() -> Self {
                match <$name as $crate::Config>::from_value(&$crate::Value::table(), &$crate::config::At::root("")) {
                    ::core::result::Result::Ok(v) => v,
                    ::core::result::Result::Err(e) => ::core::panic!("{}: {e}", ::core::stringify!($name)),
                }
            }
        }
    };
}

/// Declares an enumeration that users write as one of a few words.
///
/// ```
/// use dumbbell_core::words;
/// words! {
///     /// How routes are chosen.
///     pub enum Routing { Hops = "hops", Delay = "delay" }
/// }
/// ```
#[macro_export]
macro_rules! words {
    (
        $(#[doc = $doc:literal])*
        $vis:vis enum $name:ident { $( $(#[doc = $vdoc:literal])* $variant:ident = $word:literal $(or $flag:literal)? ),+ $(,)? }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs, reason = "the name says it; what it names has a page")]
        $vis enum $name { $( $(#[doc = $vdoc])* $variant ),+ }

        impl $name {
            /// The word users write.
            pub const fn word(self) -> &'static str {
                match self { $( $name::$variant => $word ),+ }
            }
        }

        impl $crate::Config for $name {
            const KIND: &'static str = "word";
            fn from_value(
                v: &$crate::Value,
                at: &$crate::config::At<'_>,
            ) -> ::core::result::Result<Self, $crate::ConfigError> {
                let known = [$($word),+];
                match v {
                    $crate::Value::Str(s) => match s.as_str() {
                        $( $word => ::core::result::Result::Ok($name::$variant), )+
                        other => ::core::result::Result::Err(at.error(
                            ::std::format!("{other:?} is not one of {}", known.join(", ")),
                            $crate::config::suggest(other, &known))),
                    },
                    $( $( $crate::Value::Bool($flag) => ::core::result::Result::Ok($name::$variant), )? )+
                    _ => ::core::result::Result::Err(at.error(
                        ::std::format!("{} stands where a word is needed", v.kind()),
                        ::std::format!("write one of {} in quotes", known.join(", ")))),
                }
            }
            fn to_value(&self) -> $crate::Value {
                $crate::Value::from(self.word())
            }
            fn schema() -> $crate::json::Value {
                let words = $crate::json::json!({ "enum": [$($word),+] });
                let flags: &[bool] = &[$( $( $flag, )? )+];
                if flags.is_empty() {
                    return words;
                }
                $crate::json::json!({ "anyOf": [words, { "type": "boolean" }] })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::error::MAX_ERRORS;
    use super::*;
    use crate::Duration;

    config! {
        /// Two delays.
        struct Pair {
            /// The first one.
            first: Duration;
            /// The second one.
            second: Duration = "5ms", "choice: for the test";
            /// May be absent.
            third: Option<u32> = (), "absent: nothing to say";
        }
    }
    impl Validate for Pair {
        fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
            if self.second < self.first {
                return Err(at.key("second").error("shorter than `first`", "make it longer"));
            }
            Ok(())
        }
    }

    config! {
        /// Two delays with a name.
        struct Named {
            /// What they are called.
            name: String;
            ..pair: Pair { first = "2ms", "choice: of the role"; second = "7ms", "choice: of the role"; }
        }
    }
    impl Validate for Named {}

    #[test]
    fn a_part_stands_in_the_same_table_with_defaults_of_its_role() {
        let named = |text: &str| {
            let v: Value = toml::from_str(text).unwrap();
            Named::from_value(&v, &At::root("named")).map_err(|e| e.to_string())
        };
        let delays = |text: &str| named(text).map(|n| (n.pair.first, n.pair.second));
        let ms = Duration::from_millis;
        assert_eq!(delays("name = 'a'"), Ok((ms(2), ms(7))));
        assert_eq!(delays("name = 'a'\nsecond = '9ms'"), Ok((ms(2), ms(9))));
        let short = "named.second: shorter than `first`; make it longer";
        assert_eq!(delays("name = 'a'\nsecond = '1ms'"), Err(short.to_owned()));
        assert_eq!(
            named("nam = 'a'").unwrap_err(),
            "named.nam: unknown key; did you mean \"name\"?",
            "of all keys of the table"
        );
        assert_eq!(Named::names(), ["name", "first", "second", "third"]);
        assert_eq!(Named::schema()["required"], json!(["name"]), "a role may give what the part requires");
        let second = Named::fields().into_iter().find(|f| f.name == "second").unwrap();
        assert_eq!((second.default, second.source), (Some(Value::from("7ms")), "choice: of the role"));
        let again = named("name = 'a'").unwrap();
        assert_eq!(Named::from_value(&again.to_value(), &At::root("")).unwrap(), again);
    }

    fn read(text: &str) -> Result<Pair, String> {
        let v: Value = toml::from_str(text).unwrap();
        Pair::from_value(&v, &At::root("links").index(0)).map_err(|e| e.to_string())
    }

    #[test]
    fn all_errors_of_a_table_are_reported_at_once() {
        let all = |text: &str| {
            let v: Value = toml::from_str(text).unwrap();
            let error = Vec::<Pair>::from_value(v.get("p").unwrap(), &At::root("p")).unwrap_err();
            error.all().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            all("p = [{ frist = '1ms', thrid = 1, second = 3 }, { first = '9ms' }, 7]"),
            [
                "p[0].frist: unknown key; did you mean \"first\"?",
                "p[0].thrid: unknown key; did you mean \"third\"?",
                "p[0].first: missing duration; add `first = ...`",
                "p[0].second: an integer is not a duration; write it as a string with a unit, for example \"25ms\"",
                "p[1].second: shorter than `first`; make it longer",
                "p[2]: an integer stands where a table is needed; write a table",
            ]
        );
        assert_eq!(all(&format!("p = [{}]", "1, ".repeat(100_000))).len(), MAX_ERRORS);
    }

    #[test]
    fn every_part_of_an_error_is_bounded_and_keeps_its_end() {
        let long = "\u{e9}".repeat(5_000_000);
        let error = At::root("a").key(&long).error(format!("{long:?} is not a rate"), &long);
        for part in [&error.path, &error.message, &error.remedy] {
            assert_eq!(part.chars().count(), MAX_TEXT);
        }
        assert!(error.message.ends_with("\u{e9}\" is not a rate"));
        let short = "x".repeat(MAX_TEXT);
        assert_eq!(At::root("").error(&short, "").message, short);
    }

    #[test]
    fn suggestions_take_bounded_time_and_are_listed_in_part() {
        let known: Vec<String> = (0..100_000).map(|i| format!("node{i}")).collect();
        let refs: Vec<&str> = known.iter().map(String::as_str).collect();
        assert_eq!(suggest("nodes99999", &refs), "did you mean \"node99999\"?");
        assert_eq!(suggest("bbr", &["cbr", "tcp"]), "use one of cbr, tcp");
        assert_eq!(suggest("cpr", &["cbr", "tcp"]), "did you mean \"cbr\"?");
        let list = suggest(&"q".repeat(1 << 20), &refs);
        assert!(list.starts_with("use one of node0, node1, ") && list.ends_with("node15, ..."), "{list}");
    }

    #[test]
    fn fields_defaults_and_messages_come_from_one_declaration() {
        let pair = read("first = '1ms'").unwrap();
        assert_eq!(
            pair,
            Pair { first: Duration::from_millis(1), second: Duration::from_millis(5), third: None }
        );
        assert_eq!(
            read("frist = '1ms'").unwrap_err(),
            "links[0].frist: unknown key; did you mean \"first\"?"
        );
        assert_eq!(
            read("\"a\\nb\" = 1").unwrap_err(),
            "links[0].\"a\\nb\": unknown key; use one of first, second, third"
        );
        assert_eq!(read("").unwrap_err(), "links[0].first: missing duration; add `first = ...`");
        assert_eq!(
            read("first = '9ms'").unwrap_err(),
            "links[0].second: shorter than `first`; make it longer"
        );
        assert_eq!(
            read("first = '1ms'\nthird = -1").unwrap_err(),
            "links[0].third: -1 is out of range; give a number from 0 to 4294967295"
        );
        assert_eq!(pair.to_value().to_string(), r#"{ first = "1ms", second = "5ms", third = none }"#);
        assert_eq!(Pair::schema()["properties"]["second"]["default"], "5ms");
        assert_eq!(Pair::schema()["required"], json!(["first"]));
    }
}
