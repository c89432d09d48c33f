//! The seeds of a study.

use dumbbell_core::config::{At, Field, Fields};
use dumbbell_core::json::{self, json};
use dumbbell_core::{Config, ConfigError, Validate, Value, config};

use crate::limits::MOST_VALUES;

config! {
    /// Seeds that follow each other.
    pub struct Consecutive {
        /// The first.
        first: u64 as "dimensionless" = 1, "choice: as where a number of seeds is given";
        /// How many.
        count: u64 as "seeds";
    }
}
impl Validate for Consecutive {}

/// Seeds in their order, all different: the same at every point and in every arm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seeds(pub Vec<i64>);

const REMEDY: &str = "give how many, a list, or { first = 1, count = 20 }";

impl Config for Seeds {
    const KIND: &'static str = "integer, list or table";
    fn from_value(v: &Value, at: &At<'_>) -> Result<Seeds, ConfigError> {
        let wrong = || at.error(format!("{v} are not seeds"), REMEDY);
        let run = |first: i64, count: i64| {
            let end = first.checked_add(count).ok_or_else(wrong)?;
            if usize::try_from(count).is_ok_and(|count| (1..=MOST_VALUES).contains(&count)) {
                Ok(Seeds((first..end).collect()))
            } else {
                Err(wrong())
            }
        };
        match v {
            Value::Int(count) => run(1, *count),
            Value::Table(_) => {
                let read = Consecutive::from_value(v, at)?;
                let whole = |number: u64| i64::try_from(number).map_err(|_| wrong());
                run(whole(read.first)?, whole(read.count)?)
            }
            Value::List(items) => listed(items, at),
            _ => Err(wrong()),
        }
    }
    fn to_value(&self) -> Value {
        Value::List(self.0.iter().map(|seed| Value::Int(*seed)).collect())
    }
    fn schema() -> json::Value {
        json!({"anyOf": [
            {"type": "integer", "minimum": 1, "maximum": MOST_VALUES},
            {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1, "maxItems": MOST_VALUES},
            Consecutive::schema(),
        ]})
    }
    fn nested() -> Vec<Field> {
        Consecutive::fields()
    }
}

fn listed(items: &[Value], at: &At<'_>) -> Result<Seeds, ConfigError> {
    let seed = |item: &Value| if let Value::Int(n @ 0..) = item { Some(*n) } else { None };
    let seeds: Option<Vec<i64>> = items.iter().map(seed).collect();
    let Some(seeds) = seeds.filter(|seeds| (1..=MOST_VALUES).contains(&seeds.len())) else {
        return Err(at.error("not a list of 1 to 10,000 whole numbers from 0", REMEDY));
    };
    let mut sorted = seeds.clone();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(at.error("holds the same seed twice", "leave one of them out: it would count twice"));
    }
    Ok(Seeds(seeds))
}
