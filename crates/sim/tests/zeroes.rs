//! Zeros and absurd numbers for every parameter of every algorithm: a line of refusal, or a run that ends and adds up.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use dumbbell_core::config::Field;
use dumbbell_core::{ConfigError, Results};
use dumbbell_sim::{Plan, Scenario, descriptors, run};

/// A family, and scenarios in which its members may stand: the first that a member's defaults fit is its own.
type Places = (&'static str, &'static [&'static str]);

const PLACES: &[Places] = &[
    ("queue", &["queue = SPEC", "queue = SPEC, marker = 'token-bucket'"]),
    (
        "controller",
        &[
            "|transport = { kind = 'tcp', controller = SPEC }",
            "queue = 'threshold'|transport = { kind = 'tcp', ecn = true, controller = SPEC }",
            "router = 'xcp'|transport = { kind = 'tcp', controller = SPEC }",
            "router = 'hpcc'|transport = { kind = 'tcp', controller = SPEC }",
        ],
    ),
    ("transport", &["|transport = SPEC", "router = 'rcp'|transport = SPEC"]),
    (
        "router",
        &[
            "router = SPEC|transport = 'rcp'",
            "router = SPEC|transport = { kind = 'tcp', controller = 'xcp' }",
            "router = SPEC|transport = { kind = 'tcp', controller = 'hpcc' }",
        ],
    ),
    ("power", &["power = { policy = SPEC }"]),
    ("predictor", &["power = { policy = { kind = 'practra', predictor = SPEC } }"]),
];

/// Two flows over 10 Mbit/s. A place says what its link and its scenario have besides.
fn scenario(place: &str, spec: &str) -> String {
    let place = place.replace("SPEC", spec);
    let mut parts = place.split('|');
    let mut part = || parts.next().unwrap_or_default();
    let (link, scenario) = (part(), part());
    let comma = if link.is_empty() { "" } else { ", " };
    format!(
        "duration = '500ms'\nrecord = {{ samples = false }}\n{scenario}\n\
         [topology]\nkind = 'dumbbell'\npairs = 2\nbottleneck = {{ rate = '10Mbit/s', delay = '2ms'{comma}{link} }}\n\
         access = {{ rate = '100Mbit/s', delay = '1ms' }}\n\
         [[flows]]\nfrom = 'senders'\nto = 'receivers'\n"
    )
}

fn plan(text: &str) -> Result<Plan, ConfigError> {
    Plan::new(&Scenario::from_toml(text)?, Path::new("."))
}

/// What is nothing, next to nothing or absurd as a value of this kind.
fn extremes(field: &Field) -> &'static [&'static str] {
    match field.kind {
        "duration" => &["'0s'", "'1ns'", "'1000000s'"],
        "rate" => &["'0bit/s'", "'1bit/s'", "'100Tbit/s'"],
        "size" => &["'0B'", "'1B'", "'1000TB'"],
        "queue limit" => &["'0pkt'", "'0B'", "'0bdp'", "'1B'"],
        "probability" => &["0", "1", "-1", "nan"],
        "number" => &["0.0", "-1.0", "1e-300", "1e300", "nan", "inf"],
        "integer" => &["0", "-1", "9223372036854775807"],
        _ => &[],
    }
}

/// Runs it, and says what is wrong with the results. A run may be cut short for want of memory.
fn fault(plan: &Plan) -> Option<String> {
    // A law that moves a thousand times for each packet ends within this many reports, one that never advances does not.
    let mut reports = 0;
    let results: Results = match run(plan, 1 << 30, |_| {
        reports += 1;
        if reports < 40 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }) {
        Ok(results) => results,
        Err(_) => return Some("time does not pass".to_owned()),
    };
    let links = &results.links;
    let above = links.utilisation.iter().copied().fold(0.0, f64::max);
    let numbers = [&results.flows.goodput, &links.utilisation, &links.queue_mean, &links.sojourn_mean];
    let goodput: f64 = results.flows.goodput.iter().sum();
    if numbers.iter().any(|column| column.iter().any(|number| *number < 0.0 || number.is_infinite())) {
        return Some("a number that no run has".to_owned());
    }
    (above > 1.0 + 1e-9 || goodput > 10e6).then(|| format!("more than the link carries: {above} {goodput}"))
}

fn cases() -> Vec<(String, &'static str, Field)> {
    let mut found = Vec::new();
    for (family, places) in PLACES {
        for member in descriptors().into_iter().filter(|member| member.family == *family) {
            let own = |place: &&&str| plan(&scenario(place, &format!("'{}'", member.name))).is_ok();
            // A few have no place: they take classes, a log or routers of their own.
            let Some(place) = places.iter().find(own) else { continue };
            found.extend(member.fields.into_iter().map(|field| (member.name.to_owned(), *place, field)));
        }
    }
    found
}

#[test]
fn extreme_parameters_are_refused_or_run() {
    let mut faults = Vec::new();
    let (mut refused, mut ran) = (0, 0);
    for (name, place, field) in cases() {
        for value in extremes(&field) {
            let text = scenario(place, &format!("{{ kind = '{name}', {} = {value} }}", field.name));
            match plan(&text) {
                Err(error) => {
                    assert!(!error.to_string().contains('\n') && !error.remedy.is_empty(), "{error}");
                    refused += 1;
                }
                Ok(plan) => {
                    ran += 1;
                    let found =
                        catch_unwind(AssertUnwindSafe(|| fault(&plan))).unwrap_or(Some("panics".to_owned()));
                    faults.extend(found.map(|fault| format!("{name}: {} = {value}: {fault}", field.name)));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(refused > 500 && ran > 200, "{refused} refused, {ran} ran");
}

#[test]
fn laws_that_only_rise_are_refused() {
    let risers = [
        ("pie", "target", "'0s'"),
        ("fq-pie", "target", "'0s'"),
        ("dualpi2", "target", "'0s'"),
        ("pi", "target", "0"),
        ("blue", "decrement", "0"),
        ("sfb", "decrement", "0"),
        ("cobalt", "decrement", "0"),
    ];
    for (name, key, value) in risers {
        let spec = format!("{{ kind = '{name}', {key} = {value} }}");
        let error = plan(&scenario("queue = SPEC", &spec)).err().unwrap_or_else(|| panic!("{spec} runs"));
        assert_eq!(error.path, format!("topology.bottleneck.queue.{key}"), "{error}");
    }
}
