//! Where a metric comes from: a table of results, a column of it, and what makes one number of the rows.

use dumbbell_core::config::{At, Field, Fields, need_table, suggest};
use dumbbell_core::json::{self, json};
use dumbbell_core::table::Column;
use dumbbell_core::{Config, ConfigError, DropReason, Results, Validate, Value, config, words};
use dumbbell_net::power::{Model, State};

/// The columns of a result table that hold numbers or truth values.
fn numbers(table: &str) -> Vec<&'static str> {
    columns(table).filter(|column| column.kind != "label").map(|column| column.name).collect()
}

fn columns(table: &str) -> impl Iterator<Item = &'static Column> {
    Results::TABLES
        .iter()
        .filter(move |declared| declared.name == table)
        .flat_map(|declared| declared.columns)
}

/// Declares a type for the columns of numbers of a table.
macro_rules! columns {
    ($( $name:ident of $table:literal; )+) => {$(
        #[doc = concat!("A column of numbers of the table `", $table, "`.")]
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct $name(pub String);

        impl Config for $name {
            const KIND: &'static str = "column";
            fn from_value(v: &Value, at: &At<'_>) -> Result<$name, ConfigError> {
                let (name, known) = (String::from_value(v, at)?, numbers($table));
                if known.contains(&&*name) {
                    return Ok($name(name));
                }
                let wrong = format!("{} has no column of numbers {name:?}", $table);
                Err(at.error(wrong, suggest(&name, &known)))
            }
            fn to_value(&self) -> Value {
                Value::Str(self.0.clone())
            }
            fn schema() -> json::Value {
                json!({"enum": numbers($table)})
            }
        }
    )+};
}
columns! {
    RunColumn of "runs";
    LinkColumn of "links";
    FlowColumn of "flows";
    TransferColumn of "transfers";
    ClassColumn of "classes";
    DropColumn of "drops";
}

/// The name of a link of the scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkName(pub String);

impl Config for LinkName {
    const KIND: &'static str = "link";
    fn from_value(v: &Value, at: &At<'_>) -> Result<LinkName, ConfigError> {
        String::from_value(v, at).map(LinkName)
    }
    fn to_value(&self) -> Value {
        Value::Str(self.0.clone())
    }
    fn schema() -> json::Value {
        String::schema()
    }
    fn remedy(name: &str) -> String {
        format!("add {name} = \"left->right\"; `dumbbell check` lists the links")
    }
}

/// Declares a type for the names of a set of labels.
macro_rules! names {
    ($( $(#[doc = $doc:literal])+ $name:ident of $labels:ident, $what:literal; )+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name(pub $labels);

        impl Config for $name {
            const KIND: &'static str = "word";
            fn from_value(v: &Value, at: &At<'_>) -> Result<$name, ConfigError> {
                let name = String::from_value(v, at)?;
                let known: Vec<&str> = $labels::NAMES.iter().map(|named| named.name).collect();
                let wrong = || at.error(format!("{name:?} is not {}", $what), suggest(&name, &known));
                $labels::named(&name).map($name).ok_or_else(wrong)
            }
            fn to_value(&self) -> Value {
                Value::from(self.0.name())
            }
            fn schema() -> json::Value {
                json!({"enum": $labels::ALL.map($labels::name)})
            }
        }
    )+};
}
names! {
    /// The name of a state of a port under power control.
    StateName of State, "a state";
    /// Why a packet was dropped.
    ReasonName of DropReason, "a reason of drops";
}

words! {
    /// What makes one number of those of many flows.
    pub enum Statistic {
        Mean = "mean", Sum = "sum", Count = "count", Min = "min", Max = "max",
        P50 = "p50", P90 = "p90", P95 = "p95", P99 = "p99",
    }
}

words! {
    /// What makes one number of the states of a port.
    pub enum OfStates {
        /// Of the time.
        Share = "share",
        /// Of the energy, against full power all the time.
        Saving = "saving",
    }
}

config! {
    /// A metric from the table `runs`: the value in its one row.
    pub struct FromRuns {
        /// A column of numbers.
        column: RunColumn;
        /// Multiplies the number: 1e-6 for a rate in Mbit/s.
        factor: f64 as "dimensionless" = 1, "choice: the unit of the column";
    }
}
impl Validate for FromRuns {}

config! {
    /// A metric from the table `links`: the value in the row of a link.
    pub struct FromLinks {
        /// A column of numbers.
        column: LinkColumn;
        /// The name of the link.
        link: LinkName;
        /// Multiplies the number.
        factor: f64 as "dimensionless" = 1, "choice: the unit of the column";
    }
}
impl Validate for FromLinks {}

config! {
    /// A metric from the table `flows`: a statistic over flows. Flows without a value do not count.
    pub struct FromFlows {
        /// A column of numbers.
        column: FlowColumn;
        /// The name of the flow group or workload.
        group: Option<String> = (), "absent: all flows";
        /// What makes one number of those of the flows. Quantiles interpolate linearly.
        statistic: Statistic = "mean", "choice: what most papers show";
        /// Leave out flows that started in the warm-up.
        counted: bool = true, "choice: what the warm-up is for";
        /// Multiplies the number.
        factor: f64 as "dimensionless" = 1, "choice: the unit of the column";
    }
}
impl Validate for FromFlows {}

config! {
    /// A metric from the table `transfers`: a statistic over transfers of closed-loop workloads. Transfers without a value do not
    /// count.
    pub struct FromTransfers {
        /// A column of numbers.
        column: TransferColumn;
        /// The name of the workload.
        group: Option<String> = (), "absent: all transfers";
        /// What makes one number of those of the transfers. Quantiles interpolate linearly.
        statistic: Statistic = "mean", "choice: what most papers show";
        /// Leave out transfers that started in the warm-up.
        counted: bool = true, "choice: what the warm-up is for";
        /// Multiplies the number.
        factor: f64 as "dimensionless" = 1, "choice: the unit of the column";
    }
}
impl Validate for FromTransfers {}

config! {
    /// A metric from the table `classes`: that of a class of a link, or the sum of counts over all its classes.
    pub struct FromClasses {
        /// A column of numbers.
        column: ClassColumn;
        /// The name of the link.
        link: LinkName;
        /// The traffic class.
        class: Option<u32> as "class" = (), "absent: all classes";
        /// Multiplies the number.
        factor: f64 as "dimensionless" = 1, "choice: the unit of the column";
    }
}
impl Validate for FromClasses {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let counts =
            columns("classes").any(|column| column.name == self.column.0 && column.kind == "integer");
        if self.class.is_none() && !counts {
            let wrong = format!("shares and means of classes such as {} do not add up", self.column.0);
            return Err(at
                .key("class")
                .error(wrong, "name a class, or take the column from the table `links`"));
        }
        Ok(())
    }
}

config! {
    /// A metric from the table `drops`, which the scenario must record: a statistic over packets dropped.
    pub struct FromDrops {
        /// A column of numbers.
        column: DropColumn;
        /// The name of the link.
        link: Option<LinkName> = (), "absent: all links";
        /// The traffic class of the packets.
        class: Option<u32> as "class" = (), "absent: all classes";
        /// Why they were dropped.
        reason: Option<ReasonName> = (), "absent: any";
        /// What makes one number of those of the packets. Quantiles interpolate linearly.
        statistic: Statistic = "mean", "choice: what most papers show";
        /// Multiplies the number.
        factor: f64 as "dimensionless" = 1, "choice: the unit of the column";
    }
}
impl Validate for FromDrops {}

config! {
    /// A metric from the table `states`: of a link under power control.
    pub struct FromStates {
        /// The name of the link.
        link: LinkName;
        /// `share` of the time in a state, at a rate or both; `saving` of energy against full power all the time.
        statistic: OfStates;
        /// Of a share: the state.
        state: Option<StateName> = (), "absent: any";
        /// Of a share: the rate that the port is set to, in bit/s.
        rate: Option<f64> as "bit/s" = (), "absent: any";
        /// Of a saving: the power model.
        model: Option<Model> = (), "absent: the defaults of a power model";
        /// Multiplies the number.
        factor: f64 as "dimensionless" = 1, "choice: a share of one";
    }
}

impl Validate for FromStates {
    fn validate(&self, at: &At<'_>) -> Result<(), ConfigError> {
        let foreign = |key: &str, use_: &str| {
            Err(at.key(key).error(format!("a {} has no {key}", self.statistic.word()), format!("use {use_}")))
        };
        match self.statistic {
            OfStates::Share if self.model.is_some() => foreign("model", "state or rate"),
            OfStates::Saving if self.state.is_some() => foreign("state", "model"),
            OfStates::Saving if self.rate.is_some() => foreign("rate", "model"),
            OfStates::Share if self.state.is_none() && self.rate.is_none() => {
                Err(at.error("a share of what", r#"add state = "pause", or rate = 1e6, or both"#))
            }
            _ => Ok(()),
        }
    }
}

/// The source of a metric: the key `table` says which table, and so which other keys there are.
#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    /// See [`FromRuns`].
    Runs(FromRuns),
    /// See [`FromLinks`].
    Links(FromLinks),
    /// See [`FromFlows`].
    Flows(FromFlows),
    /// See [`FromTransfers`].
    Transfers(FromTransfers),
    /// See [`FromClasses`].
    Classes(FromClasses),
    /// See [`FromDrops`].
    Drops(FromDrops),
    /// See [`FromStates`].
    States(Box<FromStates>),
    /// A function of Python by its name and the fingerprint of its text: whoever reads it back cannot call it.
    Function(Value),
}

/// The tables that metrics come from, with what each takes.
pub(crate) fn tables() -> [(&'static str, Vec<Field>, json::Value); 7] {
    [
        ("runs", FromRuns::fields(), FromRuns::schema()),
        ("links", FromLinks::fields(), FromLinks::schema()),
        ("flows", FromFlows::fields(), FromFlows::schema()),
        ("transfers", FromTransfers::fields(), FromTransfers::schema()),
        ("classes", FromClasses::fields(), FromClasses::schema()),
        ("drops", FromDrops::fields(), FromDrops::schema()),
        ("states", FromStates::fields(), FromStates::schema()),
    ]
}

impl Config for Source {
    const KIND: &'static str = "table";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Source, ConfigError> {
        let entries = need_table(v, at)?;
        if entries.len() == 2 && v.get("function").is_some() && v.get("fingerprint").is_some() {
            return Ok(Source::Function(v.clone()));
        }
        let here = at.key("table");
        let known = tables().map(|(name, ..)| name);
        let list = || format!("use one of {}", known.join(", "));
        let table = v.get("table").ok_or_else(|| here.error("missing table of results", list()))?;
        let rest = Value::Table(entries.iter().filter(|(key, _)| key != "table").cloned().collect());
        match String::from_value(table, &here)?.as_str() {
            "runs" => FromRuns::from_value(&rest, at).map(Source::Runs),
            "links" => FromLinks::from_value(&rest, at).map(Source::Links),
            "flows" => FromFlows::from_value(&rest, at).map(Source::Flows),
            "transfers" => FromTransfers::from_value(&rest, at).map(Source::Transfers),
            "classes" => FromClasses::from_value(&rest, at).map(Source::Classes),
            "drops" => FromDrops::from_value(&rest, at).map(Source::Drops),
            "states" => FromStates::from_value(&rest, at).map(Box::new).map(Source::States),
            other => {
                let wrong = format!("{other:?} is not a table of results that metrics come from");
                Err(here.error(wrong, suggest(other, &known)))
            }
        }
    }
    fn to_value(&self) -> Value {
        let (name, values) = match self {
            Source::Runs(source) => ("runs", source.to_value()),
            Source::Links(source) => ("links", source.to_value()),
            Source::Flows(source) => ("flows", source.to_value()),
            Source::Transfers(source) => ("transfers", source.to_value()),
            Source::Classes(source) => ("classes", source.to_value()),
            Source::Drops(source) => ("drops", source.to_value()),
            Source::States(source) => ("states", source.to_value()),
            Source::Function(given) => return given.clone(),
        };
        let mut table = Value::table();
        table.insert("table", name.into());
        if let (Value::Table(entries), Value::Table(values)) = (&mut table, values) {
            entries.extend(values);
        }
        table
    }
    fn schema() -> json::Value {
        let members = tables().map(|(name, _, mut schema)| {
            schema["properties"]["table"] = json!({"const": name});
            if let Some(required) = schema["required"].as_array_mut() {
                required.push("table".into());
            }
            schema
        });
        json!({"anyOf": members})
    }
    fn nested() -> Vec<Field> {
        vec![Field {
            name: "table",
            kind: "word",
            unit: "",
            doc: "The table of results; each takes keys of its own.".to_owned(),
            default: None,
            source: "",
            schema: || json!({"enum": tables().map(|(name, ..)| name)}),
            outline: || json!({"enum": tables().map(|(name, ..)| name)}),
            nested: Vec::new(),
        }]
    }
    fn remedy(name: &str) -> String {
        format!(r#"write {name} = {{ table = "runs", column = "goodput" }}"#)
    }
}

/// What was read, kept as it was written: ids of runs are made from that, so that a default spelled out, or one that
/// comes to be another, makes no other run of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Kept<T> {
    /// As written.
    pub given: Value,
    /// As read.
    pub read: T,
}

impl<T: Config> Config for Kept<T> {
    const KIND: &'static str = T::KIND;
    fn from_value(v: &Value, at: &At<'_>) -> Result<Kept<T>, ConfigError> {
        T::from_value(v, at).map(|read| Kept { given: v.clone(), read })
    }
    fn to_value(&self) -> Value {
        self.given.clone()
    }
    fn schema() -> json::Value {
        T::schema()
    }
    fn nested() -> Vec<Field> {
        T::nested()
    }
    fn remedy(name: &str) -> String {
        T::remedy(name)
    }
}
