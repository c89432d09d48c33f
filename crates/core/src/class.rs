//! Traffic classes: what a host or a marker says of a packet, and what a queue may tell packets apart by.

use serde_json::json;

use crate::config::{At, Config, ConfigError};
use crate::value::Value;

/// How many traffic classes there are: as many as class selectors in RFC 2474 section 4.2.2, and as priorities in
/// IEEE 802.1Q.
pub const TRAFFIC_CLASSES: usize = 8;

/// A traffic class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct TrafficClass(u8);

impl TrafficClass {
    /// The last one.
    pub const LAST: TrafficClass = TrafficClass(TRAFFIC_CLASSES as u8 - 1);

    /// The class of this number, if it is one.
    pub const fn new(number: u8) -> Option<TrafficClass> {
        if number <= TrafficClass::LAST.0 { Some(TrafficClass(number)) } else { None }
    }

    /// Its number, from 0.
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl Config for TrafficClass {
    const KIND: &'static str = "class";
    fn from_value(v: &Value, at: &At<'_>) -> Result<TrafficClass, ConfigError> {
        let number = i64::from_value(v, at)?;
        u8::try_from(number).ok().and_then(TrafficClass::new).ok_or_else(|| {
            at.error(
                format!("{number} is not a traffic class"),
                format!("give a number from 0 to {}", TrafficClass::LAST.0),
            )
        })
    }
    fn to_value(&self) -> Value {
        Value::Int(self.0.into())
    }
    fn schema() -> serde_json::Value {
        json!({"type": "integer", "minimum": 0, "maximum": TrafficClass::LAST.0})
    }
}

/// A set of traffic classes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ClassSet(u8);

impl ClassSet {
    /// None.
    pub const EMPTY: ClassSet = ClassSet(0);

    /// All of them.
    pub const ALL: ClassSet = ClassSet(u8::MAX);

    /// One class.
    pub const fn of(class: TrafficClass) -> ClassSet {
        ClassSet(1 << class.0)
    }

    /// The first `count` classes.
    pub const fn first(count: usize) -> ClassSet {
        ClassSet(if count < TRAFFIC_CLASSES { (1 << count) - 1 } else { u8::MAX })
    }

    /// What is in either.
    #[must_use]
    pub const fn with(self, other: ClassSet) -> ClassSet {
        ClassSet(self.0 | other.0)
    }

    /// What is in this one and not in `other`.
    #[must_use]
    pub const fn without(self, other: ClassSet) -> ClassSet {
        ClassSet(self.0 & !other.0)
    }

    /// True if it holds nothing.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its members, from class 0.
    pub fn iter(self) -> impl Iterator<Item = TrafficClass> {
        (0..TRAFFIC_CLASSES as u8).filter(move |n| self.0 >> n & 1 == 1).map(TrafficClass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_one_of_eight() {
        let read = |n: i64| TrafficClass::from_value(&Value::Int(n), &At::root("class"));
        assert_eq!(read(7), Ok(TrafficClass::LAST));
        for n in [-1, 8, 264] {
            let message = format!("class: {n} is not a traffic class; give a number from 0 to 7");
            assert_eq!(read(n).map_err(|e| e.to_string()), Err(message));
        }
    }

    #[test]
    fn sets_hold_what_was_put_into_them() {
        let [one, last] = [TrafficClass(1), TrafficClass::LAST];
        let set = ClassSet::of(one).with(ClassSet::of(last));
        assert_eq!(set.iter().collect::<Vec<_>>(), [one, last]);
        assert_eq!(set.without(ClassSet::first(2)), ClassSet::of(last));
        assert_eq!(ClassSet::first(TRAFFIC_CLASSES).iter().count(), TRAFFIC_CLASSES);
        assert!(ClassSet::first(0).is_empty() && !set.is_empty());
    }
}
