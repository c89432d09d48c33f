//! The registry: one line in a `registry!` list gives an algorithm its name in scenarios, its parameters with
//! defaults and sources, and its place in `dumbbell list` and `dumbbell describe`. A [`Registry`] holds the lines of all
//! families, and takes those of other crates.

use std::any::{Any, type_name};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::config::{At, Config, ConfigError, Field, Fields, Known, suggest};
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
    /// The profile, with the settings of another for those that it lacks.
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

    /// The table, with the defaults of the profile for absent keys.
    #[must_use]
    pub fn fill(&self, table: &Value) -> Value {
        let mut filled = table.clone();
        for (key, value, _) in self.settings.iter().filter(|(key, ..)| table.get(key).is_none()) {
            filled.insert(key, value.clone());
        }
        filled
    }

    /// A controller, a name or a table with `kind`, with the defaults of the profile for absent keys.
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

/// Reads a member of a family from the table of its parameters.
pub type Read<F> = fn(&Value, &At<'_>) -> Result<F, ConfigError>;

/// Makes the JSON Schema of the parameters of a member.
pub type SchemaOf = fn() -> crate::json::Value;

/// A line of a registry: one algorithm of a family, of this project or of another crate.
#[derive(Clone)]
pub struct Member {
    family: &'static str,
    about: About,
    /// The type of its parameters.
    rust: &'static str,
    describe: fn(&'static str) -> Descriptor,
    schema: SchemaOf,
    /// A [`Read`] of the family.
    read: Arc<dyn Any + Send + Sync>,
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} ({})", self.family, self.about.name, self.rust)
    }
}

impl Member {
    /// The line of the parameters `P` in the family `F`. `registry!` calls this.
    pub fn of<F: 'static, P: Algorithm>(family: &'static str, read: Read<F>) -> Member {
        let (about, rust) = (about::<P>(), type_name::<P>());
        Member { family, about, rust, describe: describe::<P>, schema: P::schema, read: Arc::new(read) }
    }

    /// What a list says of it.
    pub fn about(&self) -> About {
        self.about
    }

    /// Everything about it.
    pub fn describe(&self) -> Descriptor {
        (self.describe)(self.family)
    }
}

/// A family of algorithms, as a registry holds it.
#[derive(Clone, Debug)]
pub struct Family {
    /// What the members are called together: `queue`.
    pub name: &'static str,
    /// The Python module of its builders.
    pub module: &'static str,
    /// What the members are, in one line.
    pub title: &'static str,
    /// Its members, in the order registered.
    pub members: Vec<Member>,
}

impl Family {
    /// The JSON Schema of a member.
    pub fn schema(&self) -> crate::json::Value {
        let members: Vec<_> = self.members.iter().map(|member| (member.about.name, member.schema)).collect();
        schema_of(&members)
    }
}

/// The algorithms that a scenario may name. A copy is small.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    families: Arc<Vec<Family>>,
}

impl Registry {
    /// A registry of these families.
    pub fn new(families: Vec<Family>) -> Registry {
        Registry { families: Arc::new(families) }
    }

    /// Every family, in the order of the list.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// Adds a member to its family.
    ///
    /// ```
    /// # use dumbbell_core::registry::{Algorithm, Registry};
    /// # use dumbbell_core::{Validate, config, registry};
    /// # config! {
    /// #     /// None.
    /// #     pub struct Params {}
    /// # }
    /// # impl Validate for Params {}
    /// # impl Algorithm for Params {
    /// #     const NAME: &'static str = "none";
    /// #     const TITLE: &'static str = "Nothing";
    /// #     const REFERENCE: &'static str = "choice: the shortest example";
    /// # }
    /// # pub trait Thing: Send + Sync {}
    /// # impl Thing for Params {}
    /// registry! {
    ///     /// A thing with its parameters.
    ///     pub enum Things in "thing" as Thing { None(Params) }
    /// }
    /// let mut registry = Registry::new(vec![Things::family("things", "Things")]);
    /// let twice = registry.add(Things::member::<Params>()).unwrap_err().to_string();
    /// assert!(twice.starts_with("thing: two members are called \"none\": "), "{twice}");
    /// ```
    ///
    /// # Errors
    /// Its family already has a member of this name, the registry has no such family, or no user could write the name.
    pub fn add(&mut self, member: Member) -> Result<(), ConfigError> {
        let (family, About { name, .. }, rust) = (member.family, member.about, member.rust);
        let Some(family) = Arc::make_mut(&mut self.families).iter_mut().find(|known| known.name == family)
        else {
            let message = format!("the registry has no such family for {rust}");
            return Err(ConfigError::new(family, message, "start from the built-in registry"));
        };
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || !name.chars().all(plain) {
            let message = format!("{name:?} of {rust} is no name");
            return Err(ConfigError::new(family.name, message, "write `NAME` with a-z, 0-9 and - only"));
        }
        if let Some(first) = family.members.iter().find(|known| known.about.name == name) {
            let message = format!("two members are called {name:?}: {} and {rust}", first.rust);
            return Err(ConfigError::new(family.name, message, "give the second another `NAME`"));
        }
        family.members.push(member);
        Ok(())
    }

    fn family(&self, name: &str) -> Option<&Family> {
        self.families.iter().find(|family| family.name == name)
    }
}

impl Known for Registry {
    fn reader(&self, family: &str, name: &str) -> Option<&dyn Any> {
        let member = self.family(family)?.members.iter().find(|member| member.about.name == name)?;
        Some(&*member.read)
    }

    fn names(&self, family: &str) -> Vec<&'static str> {
        self.family(family)
            .into_iter()
            .flat_map(|f| f.members.iter().map(|member| member.about.name))
            .collect()
    }
}

/// Reads a member that is not built in: the registry of the place may have it. `registry!` calls this.
///
/// # Errors
/// No such member, or what is wrong with its parameters.
pub fn read_own<F: 'static>(
    name: &str,
    params: &Value,
    family: &str,
    built_in: &[&str],
    at: &At<'_>,
) -> Result<F, ConfigError> {
    let Some(registry) = at.known() else { return Err(unknown_kind(name, family, built_in, at)) };
    match registry.reader(family, name).and_then(|read| read.downcast_ref::<Read<F>>()) {
        Some(read) => read(params, at),
        None => Err(unknown_kind(name, family, &registry.names(family), at)),
    }
}

/// The JSON Schema of a family with these members.
pub fn schema_of(members: &[(&str, SchemaOf)]) -> crate::json::Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let mut schemas = vec![crate::json::json!({ "enum": names })];
    schemas.extend(members.iter().map(|(name, schema)| {
        let mut schema = schema();
        schema["properties"]["kind"] = crate::json::json!({ "const": name });
        if let Some(required) = schema["required"].as_array_mut() {
            required.push("kind".into());
        }
        schema
    }));
    crate::json::json!({ "anyOf": schemas })
}

/// The parameters of a member of another crate, as the trait of its family.
pub struct Own<O: ?Sized> {
    name: &'static str,
    value: Value,
    params: Arc<O>,
}

impl<O: ?Sized> Own<O> {
    /// Parameters that users write as `value`. `registry!` calls this.
    pub fn new(name: &'static str, value: Value, params: Arc<O>) -> Own<O> {
        Own { name, value, params }
    }

    /// The name users write.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The parameters as users could have written them.
    pub fn value(&self) -> Value {
        self.value.clone()
    }

    /// The parameters, to be shared.
    pub fn share(&self) -> Arc<O> {
        self.params.clone()
    }

    /// The same member with parameters that follow from its own.
    #[must_use]
    pub fn with(&self, params: Arc<O>) -> Own<O> {
        Own { name: self.name, value: self.value(), params }
    }
}

impl<O: ?Sized> Deref for Own<O> {
    type Target = O;
    fn deref(&self) -> &O {
        &self.params
    }
}

impl<O: ?Sized> Clone for Own<O> {
    fn clone(&self) -> Own<O> {
        Own { name: self.name, value: self.value(), params: self.share() }
    }
}

/// Parameters are what users write.
impl<O: ?Sized> PartialEq for Own<O> {
    fn eq(&self, other: &Own<O>) -> bool {
        (self.name, &self.value) == (other.name, &other.value)
    }
}

impl<O: ?Sized> fmt::Debug for Own<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.name, self.value)
    }
}

/// Declares a family of algorithms: its built-in members, and room for members of other crates.
///
/// A line is `Variant(module::Params)`. Users write a member as its name or as a table with `kind` and its parameters. All
/// parameters implement the trait behind `as`; a member dereferences to it. A member of another crate stands in the variant
/// `Own`: `Spec::member::<mine::Params>()` is its line in a [`Registry`].
///
/// Machines on the path of packets are enumerations too, which take no indirect call for a built-in member:
///
/// - `pub enum Any [] = Machine or Box<dyn Trait>, whichever!($);` names the associated type of the parameters, and what a machine of
///   another crate is. `whichever!(self, m => m.act())` does the same with any machine. With `[P]`, the machine takes a type of
///   frames. A family may have two machines: the ends of a flow.
/// - `build(setting: Setting) or own => own.open(setting);` makes a machine by the method `build` of the parameters.
/// - `same kept() or own => own.keep();` is a method of the parameters that gives others of the same type.
#[macro_export]
macro_rules! registry {
    (
        $(#[doc = $doc:literal])*
        $vis:vis enum $name:ident in $family:literal as $object:ident $members:tt
        $(
            $(#[$any_meta:meta])*
            pub enum $any:ident $generic:tt = $machine:ident or $own:ty, $each:ident!($d:tt);
        )*
        $( $build:ident($($arg:ident: $arg_type:ty),*) or $other:ident => $open:expr; )?
        $( same $same:ident() or $kept:ident => $keep:expr; )?
    ) => {
        $crate::registry! { @family [$(#[doc = $doc])* $vis enum] $name $family $object $members }
        $(
            $crate::registry! {
                @machine [$(#[$any_meta])*] $any $generic $object $machine [$own] $each $d $members
            }
        )*
        $crate::registry! {
            @build $name [$( $any $generic )*] [$( $build [$( $arg: $arg_type ),*] [$other] [$open] )?] $members
        }
        $( $crate::registry! { @same $name $same [$kept] [$keep] $members } )?
    };

    (
        @family [$($declared:tt)*] $name:ident $family:literal $object:ident
        { $( $variant:ident($params:ty) ),+ $(,)? }
    ) => {
        #[derive(Clone, PartialEq, Debug)]
        $($declared)* $name {
            $(
                #[allow(missing_docs, reason = "the name says it; what it names has a page")]
                $variant($params),
            )+
            /// A member of another crate.
            Own($crate::registry::Own<dyn $object>),
        }

        impl $name {
            /// What the members are called together.
            pub const FAMILY: &'static str = $family;

            /// The built-in members, in the order registered.
            pub const MEMBERS: &'static [$crate::registry::About] =
                &[ $( $crate::registry::about::<$params>() ),+ ];

            /// The name users write.
            pub fn name(&self) -> &'static str {
                match self {
                    $( $name::$variant(_) => <$params as $crate::registry::Algorithm>::NAME, )+
                    $name::Own(own) => own.name(),
                }
            }

            /// True if it is a member of another crate.
            pub fn is_own(&self) -> bool {
                ::core::matches!(self, $name::Own(_))
            }

            /// The parameters, to be shared.
            pub fn share(&self) -> ::std::sync::Arc<dyn $object> {
                match self {
                    $( $name::$variant(p) => ::std::sync::Arc::new(::core::clone::Clone::clone(p)), )+
                    $name::Own(own) => own.share(),
                }
            }

            /// The line of a registry that adds a member.
            pub fn member<P: $crate::registry::Algorithm + $object + 'static>() -> $crate::registry::Member {
                $crate::registry::Member::of::<$name, P>($family, |v, at| {
                    let params = <P as $crate::Config>::from_value(v, at)?;
                    let value = $crate::Config::to_value(&params);
                    let params: ::std::sync::Arc<dyn $object> = ::std::sync::Arc::new(params);
                    ::core::result::Result::Ok($name::Own($crate::registry::Own::new(P::NAME, value, params)))
                })
            }

            /// The family with its built-in members, as a registry holds it.
            pub fn family(module: &'static str, title: &'static str) -> $crate::registry::Family {
                let members = ::std::vec![ $( $crate::registry::Member::of::<$name, $params>($family, |v, at| {
                    <$params as $crate::Config>::from_value(v, at).map($name::$variant)
                }) ),+ ];
                $crate::registry::Family { name: $family, module, title, members }
            }

            /// The descriptors of the built-in members, in the order registered.
            pub fn descriptors() -> ::std::vec::Vec<$crate::registry::Descriptor> {
                ::std::vec![ $( $crate::registry::describe::<$params>($family) ),+ ]
            }

            /// Every built-in member with its default parameters.
            ///
            /// # Panics
            /// If a member has a parameter without a default.
            pub fn all_defaults() -> ::std::vec::Vec<$name> {
                ::std::vec![ $( $name::$variant(<$params as ::core::default::Default>::default()) ),+ ]
            }
        }

        impl ::core::ops::Deref for $name {
            type Target = dyn $object;
            fn deref(&self) -> &Self::Target {
                match self {
                    $( $name::$variant(p) => p, )+
                    $name::Own(own) => &**own,
                }
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
                $crate::registry::read_own(&name, &rest, $family, &known, at)
            }
            fn to_value(&self) -> $crate::Value {
                let mut entries = ::std::vec![("kind".to_owned(), $crate::Value::from(self.name()))];
                let params = match self {
                    $( $name::$variant(p) => $crate::Config::to_value(p), )+
                    $name::Own(own) => own.value(),
                };
                if let $crate::Value::Table(params) = params {
                    entries.extend(params);
                }
                $crate::Value::Table(entries)
            }
            fn schema() -> $crate::json::Value {
                $crate::registry::schema_of(&[$(
                    (<$params as $crate::registry::Algorithm>::NAME, <$params as $crate::Config>::schema)
                ),+])
            }
            fn outline() -> $crate::json::Value {
                let mut members = ::std::vec![$crate::json::json!({
                    "enum": [$( <$params as $crate::registry::Algorithm>::NAME ),+] })];
                $( members.push(<$params as $crate::Config>::outline()); )+
                $crate::json::json!({ "anyOf": members })
            }
        }
    };

    (
        @machine [$($declared:tt)*] $any:ident [] $object:ident $machine:ident [$own:ty] $each:ident $d:tt
        { $( $variant:ident($params:ty) ),+ $(,)? }
    ) => {
        $($declared)*
        #[allow(missing_docs, clippy::large_enum_variant, reason = "the name says it; the common form has no box")]
        pub enum $any {
            $( $variant(<$params as $object>::$machine), )+
            Own($own),
        }
        $crate::registry! { @each $any $each $d $( $variant ),+ }
    };
    (
        @machine [$($declared:tt)*] $any:ident [$p:ident] $object:ident $machine:ident [$own:ty] $each:ident $d:tt
        { $( $variant:ident($params:ty) ),+ $(,)? }
    ) => {
        $($declared)*
        #[allow(missing_docs, clippy::large_enum_variant, reason = "the name says it; the common form has no box")]
        pub enum $any<$p: $crate::Frame> {
            $( $variant(<$params as $object>::$machine<$p>), )+
            Own($own),
        }
        $crate::registry! { @each $any $each $d $( $variant ),+ }
    };

    ( @each $any:ident $each:ident $d:tt $( $variant:ident ),+ ) => {
        macro_rules! $each {
            ($d machine:expr, $d m:ident => $d body:expr) => {
                match $d machine {
                    $( $any::$variant($d m) => $d body, )+
                    $any::Own($d m) => $d body,
                }
            };
        }
    };

    ( @build $name:ident [$($any:tt)*] [] $members:tt ) => {};
    (
        @build $name:ident [$any:ident []] [$build:ident [$( $arg:ident: $arg_type:ty ),*] [$own:ident] [$open:expr]]
        { $( $variant:ident($params:ty) ),+ $(,)? }
    ) => {
        $crate::registry! {
            @built $name $build [$any] [] [$( $arg: $arg_type ),*] ($( $arg ),*) [$own] [$open] $( $variant ),+
        }
    };
    (
        @build $name:ident [$any:ident [$p:ident]] [$build:ident [$( $arg:ident: $arg_type:ty ),*] [$own:ident] [$open:expr]]
        { $( $variant:ident($params:ty) ),+ $(,)? }
    ) => {
        $crate::registry! {
            @built $name $build [$any<$p>] [<$p: $crate::Frame>] [$( $arg: $arg_type ),*] ($( $arg ),*) [$own] [$open]
            $( $variant ),+
        }
    };
    (
        @build $name:ident [$one:ident [] $two:ident []]
        [$build:ident [$( $arg:ident: $arg_type:ty ),*] [$own:ident] [$open:expr]]
        { $( $variant:ident($params:ty) ),+ $(,)? }
    ) => {
        $crate::registry! {
            @pair $name $build [$one, $two] [$( $arg: $arg_type ),*] ($( $arg ),*) [$own] [$open] $( $variant ),+
        }
    };
    (
        @pair $name:ident $build:ident [$one:ident, $two:ident] [$($args:tt)*] $given:tt [$own:ident] [$open:expr]
        $( $variant:ident ),+
    ) => {
        impl $name {
            /// The two machines with these parameters, at their start.
            pub fn $build(&self, $($args)*) -> ($one, $two) {
                match self {
                    $( $name::$variant(p) => {
                        let (one, two) = p.$build $given;
                        ($one::$variant(one), $two::$variant(two))
                    } )+
                    $name::Own($own) => {
                        let (one, two) = $open;
                        ($one::Own(one), $two::Own(two))
                    }
                }
            }
        }
    };
    ( @same $name:ident $same:ident [$own:ident] [$keep:expr] { $( $variant:ident($params:ty) ),+ $(,)? } ) => {
        impl $name {
            /// What its parameters give by this name, as a member.
            pub fn $same(&self) -> ::core::option::Option<$name> {
                match self {
                    $( $name::$variant(p) => p.$same().map($name::$variant), )+
                    $name::Own($own) => $keep.map($name::Own),
                }
            }
        }
    };
    (
        @built $name:ident $build:ident [$any:ident $($of:tt)*] [$($generic:tt)*] [$($args:tt)*] $given:tt [$own:ident] [$open:expr]
        $( $variant:ident ),+
    ) => {
        impl $name {
            /// A machine with these parameters, at its start.
            pub fn $build $($generic)* (&self, $($args)*) -> $any $($of)* {
                match self {
                    $( $name::$variant(p) => $any::$variant(p.$build $given), )+
                    $name::Own($own) => $any::Own($open),
                }
            }
        }
    };
}
