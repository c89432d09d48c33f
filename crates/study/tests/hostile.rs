//! Whatever stands in a study file, the answer is a study or lines that say what is wrong.

use dumbbell_core::config::MAX_TEXT;
use dumbbell_core::{Config, Value};
use dumbbell_study::Study;
use proptest::prelude::*;

/// Anything at all, with the keys of study files among others.
fn anything() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>(),
        prop::sample::select(vec![0, 1, -1, 2, 10_000, 10_001, i64::MAX, i64::MIN])
    ];
    let float =
        prop_oneof![any::<f64>(), prop::sample::select(vec![0.0, 0.5, f64::NAN, f64::INFINITY, 1e300])];
    let text = prop_oneof![
        prop::sample::select(vec![
            "a",
            "runs",
            "states",
            "share",
            "saving",
            "goodput",
            "left->right",
            "x={value}",
            "log"
        ])
        .prop_map(str::to_owned),
        ".{0,12}"
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number.prop_map(Value::Int),
        float.prop_map(Value::Float),
        text.prop_map(Value::Str),
    ];
    let key = prop_oneof![
        prop::sample::select(vec![
            "name",
            "scenario",
            "seeds",
            "axes",
            "arms",
            "metrics",
            "by_size",
            "stop",
            "values",
            "set",
            "settings",
            "start",
            "step",
            "count",
            "scale",
            "source",
            "table",
            "column",
            "link",
            "statistic",
            "state",
            "model",
            "sharing",
            "capacity",
            "each",
            "packet",
            "up_to",
            "metric",
            "relative",
            "first",
            "label",
            "function",
        ])
        .prop_map(str::to_owned),
        ".{0,3}",
    ];
    leaf.prop_recursive(6, 96, 10, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::List),
            prop::collection::vec((key.clone(), inner), 0..10).prop_map(Value::Table),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_wrong_is_told_in_lines_of_bounded_length(parts in prop::collection::vec(anything(), 8)) {
        let keys = ["seeds", "axes", "arms", "metrics", "by_size", "stop", "title", "scenario"];
        let mut study = Value::table();
        study.insert("name", Value::from("x"));
        for (key, part) in keys.iter().zip(parts) {
            study.insert(key, part);
        }
        match Study::read(&study) {
            Ok(read) => prop_assert_eq!(&Study::read(&read.to_value()).expect("what was written"), &read),
            Err(error) => {
                for one in error.all() {
                    prop_assert!(one.path.chars().count() <= MAX_TEXT && one.message.chars().count() <= MAX_TEXT);
                    prop_assert!(!one.to_string().chars().any(char::is_control), "{}", one);
                }
            }
        }
    }

    #[test]
    fn an_axis_by_rule_has_at_most_ten_thousand_different_values(
        (start, stop, step) in (any::<i64>(), any::<i64>(), any::<i64>()), small in any::<[i8; 3]>()
    ) {
        for [start, stop, step] in [[start, stop, step], small.map(i64::from)] {
            let rule = [("start", start), ("stop", stop), ("step", step)];
            let rule = rule.map(|(key, number)| (key.to_owned(), Value::Int(number)));
            let axis = [("name", Value::from("x")), ("values", Value::Table(rule.into())), ("set", Value::from("x={value}"))];
            let axis = Value::Table(axis.map(|(key, value)| (key.to_owned(), value)).into());
            let mut study = Value::table();
            study.insert("name", Value::from("x"));
            study.insert("scenario", Value::table());
            study.insert("metrics", Value::List(Vec::new()));
            study.insert("axes", Value::List(vec![axis]));
            if let Ok(study) = Study::read(&study) {
                let values = &study.axes[0].values.0;
                prop_assert!((1..=10_000).contains(&values.len()));
                prop_assert_eq!(&values[0], &Value::Int(start));
            }
        }
    }
}
