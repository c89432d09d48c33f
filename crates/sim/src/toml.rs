//! TOML in: whole files, and single settings from the command line and from Python.

use dumbbell_core::config::ConfigError;
use dumbbell_core::registry::Registry;
use dumbbell_core::{Config, Value};

use crate::scenario::TRANSPORT;
pub use crate::syntax::parse;

/// One step of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

/// Carries out one `--set path=value`: `topology.bottleneck.rate=20Mbit/s`, `flows[0].transport.controller=cubic`.
///
/// The value is TOML if it reads as such (numbers, `true`, quoted text, lists, inline tables), else text. Tables on the
/// way are made as needed: that of an algorithm is of its default `kind`, and the transport of an entry of `flows` or
/// `workloads` is that of the scenario. An algorithm that stands as its bare name becomes a table of that `kind`. The scenario may
/// name what the registry holds.
///
/// # Errors
/// A setting without `=`, a malformed path, or an index past the end of a list.
pub fn apply_set(scenario: &mut Value, setting: &str, registry: &Registry) -> Result<(), ConfigError> {
    let place = |path: &str| format!("--set {}", path.replace(char::is_control, " "));
    let Some((path, value)) = setting.split_once('=') else {
        let remedy = "write path=value, for example seed=2";
        return Err(ConfigError::new(place(setting), "there is no `=`".to_owned(), remedy));
    };
    set_at(scenario, path.trim(), scalar(value.trim()), &place(setting), registry)
}

/// Puts a value at a path such as `flows[0].transport.controller`, where [`apply_set`] would put it.
///
/// # Errors
/// A malformed path, or an index past the end of a list.
pub fn set(scenario: &mut Value, path: &str, value: Value, registry: &Registry) -> Result<(), ConfigError> {
    set_at(scenario, path, value, &path.replace(char::is_control, " "), registry)
}

/// [`set`], with the place that errors name.
fn set_at(
    scenario: &mut Value,
    path: &str,
    value: Value,
    at: &str,
    registry: &Registry,
) -> Result<(), ConfigError> {
    let error = |message: String, remedy: &str| ConfigError::new(at.to_owned(), message, remedy);
    let steps = steps(path).ok_or_else(|| {
        error(
            format!("{path:?} is not a path"),
            "write keys with dots and indices in brackets, for example topology.links[0].rate",
        )
    })?;
    share_transport(scenario, &steps);
    let kinds = default_kinds(scenario, &steps, registry);
    let mut place = scenario;
    let mut walked = String::new();
    for (depth, step) in steps.iter().enumerate() {
        let was = place.kind();
        place = match step {
            Step::Key(key) => {
                let above = walked.clone();
                if !walked.is_empty() {
                    walked.push('.');
                }
                walked.push_str(key);
                if let Value::Str(kind) = place {
                    *place = Value::Table(vec![("kind".to_owned(), Value::Str(std::mem::take(kind)))]);
                } else if *place == Value::Null {
                    *place = Value::table();
                }
                let Value::Table(entries) = place else {
                    let remedy = match place {
                        Value::List(_) => format!("name an entry by its place, as in {above}[0]"),
                        _ => "correct the path".to_owned(),
                    };
                    return Err(error(format!("{walked}: {was} has no keys"), &remedy));
                };
                let position = entries.iter().position(|(k, _)| k == key);
                let position = position.unwrap_or_else(|| {
                    let kind = kinds[depth].as_ref().map_or(Value::Null, |kind| Value::Str(kind.clone()));
                    entries.push((key.clone(), kind));
                    entries.len() - 1
                });
                &mut entries[position].1
            }
            Step::Index(i) => {
                let Value::List(items) = place else {
                    let what = if *place == Value::Null { "nothing there" } else { was };
                    return Err(error(format!("{walked}: {what} is not a list"), "leave out the index"));
                };
                let count = items.len();
                walked.push_str(&format!("[{i}]"));
                items.get_mut(*i).ok_or_else(|| {
                    error(format!("{walked}: the list has {count} entries"), "count from 0, or add the entry")
                })?
            }
        };
    }
    *place = value;
    Ok(())
}

/// The default kinds of the algorithms that a path enters and that are not written: of each step, if it is one.
fn default_kinds(scenario: &Value, steps: &[Step], registry: &Registry) -> Vec<Option<String>> {
    let mut kinds = vec![None; steps.len()];
    let written = steps.iter().try_fold(scenario, below).is_some();
    let Some(whole) = (!written).then(|| crate::Scenario::from_value(scenario, registry).ok()).flatten()
    else {
        return kinds;
    };
    let whole = whole.to_value();
    let mut place = Some(&whole);
    for (step, next, kind) in steps.iter().zip(&steps[1..]).zip(&mut kinds).map(|((s, n), k)| (s, n, k)) {
        place = place.and_then(|value| below(value, step));
        if let (Some(Value::Str(name)), Step::Key(_)) = (place.and_then(|value| value.get("kind")), next) {
            *kind = Some(name.clone());
        }
    }
    kinds
}

/// Writes the scenario's transport out where a path enters that of flows that have none of their own: what the path does not
/// change stays as it is.
fn share_transport(scenario: &mut Value, steps: &[Step]) {
    let [Step::Key(list), Step::Index(index), Step::Key(key), _, ..] = steps else { return };
    if !matches!(list.as_str(), "flows" | "workloads") || key != "transport" {
        return;
    }
    let mut shared = scenario.get("transport").cloned().unwrap_or_else(|| TRANSPORT.into());
    if matches!(shared, Value::Table(_)) && shared.get("kind").is_none() {
        shared.insert("kind", TRANSPORT.into());
    }
    let Value::Table(entries) = scenario else { return };
    let flows = entries.iter_mut().find(|(key, _)| key == list);
    let Some((_, Value::List(flows))) = flows else { return };
    if let Some(flow @ Value::Table(_)) = flows.get_mut(*index)
        && flow.get("transport").is_none_or(|own| *own == Value::Null)
    {
        flow.insert("transport", shared);
    }
}

fn below<'a>(value: &'a Value, step: &Step) -> Option<&'a Value> {
    match (value, step) {
        (Value::Table(_), Step::Key(key)) => value.get(key),
        (Value::List(items), Step::Index(index)) => items.get(*index),
        _ => None,
    }
}

/// Steps of a path at most, about as many as the `toml` crate lets tables nest: values are taken apart step by step, and
/// must not take the stack.
const MAX_STEPS: usize = 80;

/// Splits `links[0].queue` into steps; `None` if it is malformed.
fn steps(path: &str) -> Option<Vec<Step>> {
    if path.bytes().filter(|b| matches!(b, b'.' | b'[')).count() >= MAX_STEPS {
        return None;
    }
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        if key.is_empty() || key.contains(|c: char| c == ']' || c.is_whitespace() || c.is_control()) {
            return None;
        }
        steps.push(Step::Key(key.to_owned()));
        while !rest.is_empty() {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Index(index.parse().ok()?));
            rest = after;
        }
    }
    Some(steps)
}

/// A TOML value if the text is one and only one, else the text itself.
fn scalar(text: &str) -> Value {
    let parsed = (!text.contains('\n')).then(|| parse(&format!("value = {text}")).ok()).flatten();
    match parsed {
        Some(Value::Table(mut entries)) if entries.len() == 1 => entries.remove(0).1,
        _ => Value::from(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str, setting: &str) -> Result<String, String> {
        let mut value = parse(text).unwrap();
        apply_set(&mut value, setting, crate::built_in())
            .map(|()| value.to_string())
            .map_err(|e| e.to_string())
    }

    #[test]
    fn settings_reach_any_depth() {
        let cases = [
            ("seed = 1", "seed=2", "{ seed = 2 }"),
            ("a = [{ b = 1 }, { b = 2 }]", "a[1].b=3", "{ a = [{ b = 1 }, { b = 3 }] }"),
            ("", "a.b.c=20Mbit/s", r#"{ a = { b = { c = "20Mbit/s" } } }"#),
            ("q = 'codel'", "q.target=5ms", r#"{ q = { kind = "codel", target = "5ms" } }"#),
            ("q = { kind = 'codel', target = '5ms' }", "q=droptail", r#"{ q = "droptail" }"#),
            ("", "x=true", "{ x = true }"),
            ("", "x=0.5", "{ x = 0.5 }"),
            ("", "x=\"7\"", r#"{ x = "7" }"#),
            ("", "x=['1ms', '2ms']", r#"{ x = ["1ms", "2ms"] }"#),
            ("", "x=2020-01-01", r#"{ x = "2020-01-01" }"#),
            ("", "x=1\ny=2", "{ x = \"1\\ny=2\" }"),
            ("", "x=a=b", r#"{ x = "a=b" }"#),
            ("", "x=", r#"{ x = "" }"#),
        ];
        for (text, setting, expected) in cases {
            assert_eq!(set(text, setting).as_deref(), Ok(expected), "{setting}");
        }
    }

    #[test]
    fn an_algorithm_that_is_not_written_is_the_default_one() {
        let text = "duration = '1s'\nflows = [{ from = 'senders', to = 'receivers' }]\n";
        let shown = |topology: &str, setting| set(&format!("{text}{topology}"), setting).unwrap();
        let limit = "topology.bottleneck.queue.limit=2bdp";
        for topology in
            ["topology = 'dumbbell'", "topology = { kind = 'dumbbell', bottleneck = { delay = '1ms' } }"]
        {
            let changed = shown(topology, limit);
            assert!(changed.contains(r#"queue = { kind = "droptail", limit = "2bdp" }"#), "{changed}");
        }
        let changed = shown("topology = 'dumbbell'", "transport.controller.beta=0.8");
        assert!(changed.contains(r#"transport = { kind = "tcp", controller = { kind = "#), "{changed}");
        // What is written stays, and nothing is made of what is no scenario.
        let changed = shown("topology = { kind = 'dumbbell', bottleneck = { queue = 'codel' } }", limit);
        assert!(changed.contains(r#"queue = { kind = "codel", limit = "2bdp" }"#), "{changed}");
        assert_eq!(
            set("", limit).unwrap(),
            r#"{ topology = { bottleneck = { queue = { limit = "2bdp" } } } }"#
        );
    }

    #[test]
    fn flows_without_a_transport_change_that_of_the_scenario() {
        let setting = "flows[0].transport.controller=bbr";
        let flow =
            |transport: &str| set(&format!("{transport}\nflows = [{{ from = 'a' }}]"), setting).unwrap();
        let bbr = r#"controller = "bbr""#;
        for (transport, expected) in [
            ("", format!(r#"{{ kind = "tcp", {bbr} }}"#)),
            ("transport = 'tcp'", format!(r#"{{ kind = "tcp", {bbr} }}"#)),
            ("transport = { profile = 'rfc' }", format!(r#"{{ profile = "rfc", kind = "tcp", {bbr} }}"#)),
            (
                "transport = { kind = 'tcp', profile = 'rfc', controller = 'cubic' }",
                format!(r#"{{ {bbr}, kind = "tcp", profile = "rfc" }}"#),
            ),
        ] {
            let changed = flow(transport);
            assert!(changed.contains(&format!(r#"from = "a", transport = {expected} }}"#)), "{changed}");
        }
        let whole =
            "duration = '1s'\ntopology = 'dumbbell'\nflows = [{ from = 'senders', to = 'receivers' }]";
        let deep = set(whole, "flows[0].transport.controller.beta=0.8").unwrap();
        assert!(deep.contains(r#"controller = { kind = "cubic", beta = 0.8 }"#), "{deep}");
        let own = set("flows = [{ transport = { kind = 'tcp', mss = 512 } }]", setting).unwrap();
        assert_eq!(own, format!(r#"{{ flows = [{{ transport = {{ kind = "tcp", mss = 512, {bbr} }} }}] }}"#));
    }

    #[test]
    fn bad_settings_say_what_to_write() {
        let cases = [
            ("", "seed", "--set seed: there is no `=`; write path=value, for example seed=2"),
            (
                "",
                "=1",
                "--set =1: \"\" is not a path; write keys with dots and indices in brackets, for example topology.links[0].rate",
            ),
            (
                "a = [1]",
                "a[1]=2",
                "--set a[1]=2: a[1]: the list has 1 entries; count from 0, or add the entry",
            ),
            ("a = 1", "a.b=2", "--set a.b=2: a.b: an integer has no keys; correct the path"),
            (
                "a.b = [1]",
                "a.b.0=2",
                "--set a.b.0=2: a.b.0: a list has no keys; name an entry by its place, as in a.b[0]",
            ),
            // Nothing that a terminal would obey.
            (
                "",
                "a\u{1b}[0]=2",
                "--set a [0]=2: \"a\\u{1b}[0]\" is not a path; write keys with dots and indices in brackets, for example topology.links[0].rate",
            ),
            ("", "a[0]=2", "--set a[0]=2: a: nothing there is not a list; leave out the index"),
        ];
        for (text, setting, expected) in cases {
            assert_eq!(set(text, setting).unwrap_err(), expected);
        }
    }

    #[test]
    fn a_path_of_thousands_of_steps_and_deep_brackets_are_refused() {
        for path in ["a.".repeat(60_000) + "a", "a".to_owned() + &"[0]".repeat(60_000)] {
            let message = set("", &format!("{path}=1")).unwrap_err();
            assert!(message.contains(" is not a path; ") && message.len() < 1500, "{message}");
        }
        for brackets in ["[", "{a=", "a."] {
            let text = format!("x = {}", brackets.repeat(100_000));
            assert!(parse(&text).unwrap_err().to_string().len() < 1500);
        }
        assert!(parse(&(vec!["a"; 100_000].join(".") + " = 1")).is_err());
    }

    #[test]
    fn syntax_errors_give_line_and_column() {
        let error = parse("seed = 1\nrate = 10Mbit/s\n").unwrap_err();
        assert_eq!(error.path, "line 2, column 8");
        assert!(!error.to_string().contains('\n'));
        assert_eq!(parse("a.b = 2020-01-01").unwrap_err().path, "a.b");
    }
}
