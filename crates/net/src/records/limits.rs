//! Which values of each parameter are accepted, and what is said of those that are not.

use dumbbell_core::config::{At, Field, Fields};
use dumbbell_core::testing::{Record, variants};
use dumbbell_core::{BitRate, Config, Duration, Value};

use super::{record, table};
use crate::buffer::SharedBuffer;
use crate::impairment::ImpairmentSpec;
use crate::link::{LinkSpec, TraceSpec};
use crate::marker::MarkerSpec;
use crate::node::NodeAgentSpec;
use crate::pause::PauseSpec;
use crate::power::predictor::PredictorSpec;
use crate::power::{PolicySpec, Power};
use crate::queue::QueueSpec;
use crate::router::AgentSpec;

/// What is wrong with a table, if anything is.
type Judge<'a> = &'a dyn Fn(&Value) -> Result<(), String>;

/// Suffixes, and how many of the smallest unit each stands for.
const UNITS: [(&str, i64, &str); 11] = [
    ("ns", 1, "ns"),
    ("us", 1_000, "ns"),
    ("ms", 1_000_000, "ns"),
    ("s", 1_000_000_000, "ns"),
    ("B", 1, "B"),
    ("kB", 1_000, "B"),
    ("MB", 1_000_000, "B"),
    ("pkt", 1, "pkt"),
    ("bit/s", 1, "bit/s"),
    ("kbit/s", 1_000, "bit/s"),
    ("Mbit/s", 1_000_000, "bit/s"),
];

/// A quantity in the smallest unit, and that unit.
fn quantity(text: &str) -> Option<(i64, &'static str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, suffix) = text.split_at(digits);
    let (_, factor, unit) = UNITS.iter().find(|(of, ..)| *of == suffix)?;
    Some((number.parse::<i64>().ok()? * factor, unit))
}

/// The last whole number accepted on the way from one that is to one that is not, and what is said of the first that is not.
fn last_whole(accepted: i64, refused: i64, judge: &dyn Fn(i64) -> Result<(), String>) -> String {
    let (mut yes, mut no) = (accepted, refused);
    let Err(mut told) = judge(no) else { return "no limit".to_owned() };
    while yes.abs_diff(no) > 1 {
        let middle = yes + (no - yes) / 2;
        match judge(middle) {
            Ok(()) => yes = middle,
            Err(error) => (no, told) = (middle, error),
        }
    }
    format!("{yes}, then {told}")
}

/// The same for a number with a point, in six digits; and whether the number there is accepted.
fn last_real(accepted: f64, refused: f64, judge: &dyn Fn(f64) -> Result<(), String>) -> String {
    let (mut yes, mut no) = (accepted, refused);
    let Err(told) = judge(no) else { return "no limit".to_owned() };
    for _ in 0..100 {
        let middle = f64::midpoint(yes, no);
        match judge(middle) {
            Ok(()) => yes = middle,
            Err(_) => no = middle,
        }
    }
    let there = (yes * 1e6).round() / 1e6;
    let word = if judge(there).is_ok() { "inclusive" } else { "exclusive" };
    format!("{there} {word}, then {told}")
}

/// Writes a line for each number and each quantity among the parameters of the table `base`, which is accepted.
fn parameters(name: &str, base: &Value, fields: &[Field], judge: Judge<'_>, record: &mut Record) {
    for field in fields {
        let with = |value: Value| {
            let mut table = base.clone();
            table.insert(field.name, value);
            table
        };
        let of = |value: Value| judge(&with(value));
        let name = format!("{name} {}", field.name);
        let mut stands = base.get(field.name).or(field.default.as_ref()).cloned().unwrap_or(Value::Null);
        if stands == Value::Null {
            let one = variants(base, std::slice::from_ref(field), &|table| judge(table).is_ok());
            let present = one.iter().rev().find_map(|table| table.get(field.name));
            stands = present.cloned().unwrap_or(Value::Null);
        }
        if let Value::Table(_) = stands
            && !field.nested.is_empty()
        {
            parameters(&name, &stands, &field.nested, &|value| of(value.clone()), record);
            continue;
        }
        let text = match &stands {
            Value::Int(number) => {
                let judge = |number| of(Value::Int(number));
                let (least, most) = (last_whole(*number, -2, &judge), last_whole(*number, 1 << 52, &judge));
                format!("least {least}; most {most}")
            }
            Value::Float(number) => {
                let judge = |number| of(Value::Float(number));
                let (least, most) = (last_real(*number, -2e9, &judge), last_real(*number, 1e17, &judge));
                format!("least {least}; most {most}")
            }
            Value::Str(text) => match quantity(text) {
                Some((number, unit)) => {
                    let judge = |number: i64| of(Value::Str(format!("{number}{unit}")));
                    let (least, most) = (last_whole(number, -1, &judge), last_whole(number, 1 << 52, &judge));
                    format!("{unit}: least {least}; most {most}")
                }
                None => continue,
            },
            _ => continue,
        };
        record.line(&name, &text);
    }
}

/// Says what is wrong, of a parsed table.
fn parsed<C: Config>(value: &Value) -> Result<C, String> {
    C::from_value(value, &At::root("it")).map_err(|error| error.to_string())
}

/// The first of these additions with which a table of this kind is accepted.
fn base(kind: &str, judge: Judge<'_>) -> Option<Value> {
    let additions = [
        "",
        r#", "rate": "4Mbit/s""#,
        r#", "rate": "4Mbit/s", "in_class": 2, "out_class": 5"#,
        r#", "rate": "4Mbit/s", "peak_rate": "8Mbit/s""#,
        r#", "share": 0.5"#,
        r#", "block": "64kB""#,
        r#", "spread": "3ms""#,
        r#", "probability": 0.2, "delay": "3ms""#,
        r#", "probability": 0.3"#,
        r#", "packets": [7, 3, 40], "delay": "3ms""#,
    ];
    let tables = additions.map(|more| table(&format!(r#"{{"kind": "{kind}"{more}}}"#)));
    tables.into_iter().find(|table| judge(table).is_ok())
}

#[test]
fn the_values_accepted_are_those_that_were() {
    let mut record = record("limits");
    let at = At::root("it");
    let text = |error: dumbbell_core::ConfigError| error.to_string();
    let rate = BitRate::from_bps(10_000_000);
    let power = |power: &Value| parsed::<Power>(power).and_then(|power| power.check(rate, &at).map_err(text));
    let queue =
        |queue: &Value| parsed::<QueueSpec>(queue).and_then(|queue| queue.check(1500, &at).map_err(text));
    let marker = |it: &Value| parsed::<MarkerSpec>(it).and_then(|it| it.check(1500, &at).map_err(text));
    let impairment = |it: &Value| {
        let least = Duration::from_millis(20);
        parsed::<ImpairmentSpec>(it).and_then(|it| it.check(least, &at).map(|_| ()).map_err(text))
    };
    let policy = |policy: &Value| {
        let mut table = Value::table();
        table.insert("policy", policy.clone());
        power(&table)
    };
    let predictor = |it: &Value| parsed::<PredictorSpec>(it).map(|_| ());
    let agent = |it: &Value| parsed::<AgentSpec>(it).map(|_| ());
    let node = |it: &Value| parsed::<NodeAgentSpec>(it).map(|_| ());
    let families: [(_, Judge<'_>); 7] = [
        (QueueSpec::descriptors(), &queue),
        (MarkerSpec::descriptors(), &marker),
        (ImpairmentSpec::descriptors(), &impairment),
        (PolicySpec::descriptors(), &policy),
        (PredictorSpec::descriptors(), &predictor),
        (AgentSpec::descriptors(), &agent),
        (NodeAgentSpec::descriptors(), &node),
    ];
    for (abouts, judge) in families {
        for about in abouts {
            let name = format!("{} {}", about.family, about.name);
            let Some(base) = base(about.name, judge) else {
                println!("{name} requires parameters: its limits are not recorded");
                continue;
            };
            parameters(&name, &base, &about.fields, judge, &mut record);
        }
    }
    parameters("power", &Value::table(), &Power::fields(), &power, &mut record);
    let link = table(r#"{"rate": "10Mbit/s", "delay": "5ms", "queue": "droptail"}"#);
    parameters("link", &link, &LinkSpec::fields(), &|it| parsed::<LinkSpec>(it).map(|_| ()), &mut record);
    let trace = table(r#"{"file": "t"}"#);
    parameters("trace", &trace, &TraceSpec::fields(), &|it| parsed::<TraceSpec>(it).map(|_| ()), &mut record);
    let pause = table(r#"{"xoff": "9kB"}"#);
    parameters("pause", &pause, &PauseSpec::fields(), &|it| parsed::<PauseSpec>(it).map(|_| ()), &mut record);
    let buffer = table(r#"{"size": "90kB"}"#);
    let shared = |it: &Value| parsed::<SharedBuffer>(it).and_then(|it| it.check(1500, &at).map_err(text));
    parameters("buffer", &buffer, &SharedBuffer::fields(), &shared, &mut record);
    record.finish();
}
