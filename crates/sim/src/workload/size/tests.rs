//! Laws that every distribution of flow sizes keeps, and figures published for some.

use std::path::Path;

use dumbbell_core::config::At;
use dumbbell_core::registry::Descriptor;
use dumbbell_core::rng::stream;
use dumbbell_core::{Bytes, Config};
use proptest::prelude::*;

use super::empirical::{Interpolation, Table};
use super::{SizeSpec, Sizes, Tail};
use crate::files::{Base, Files, Text};

fn build(text: &str) -> Result<Sizes, String> {
    let value = crate::toml::parse(&format!("size = {text}")).unwrap();
    let at = At::root("size");
    let spec = SizeSpec::from_value(value.get("size").unwrap(), &at).map_err(|e| e.to_string())?;
    spec.build(&mut Files::new(Base { folder: Path::new("."), confined: false }), &at)
        .map_err(|e| e.to_string())
}

/// At least one of every registered distribution, with a tail that lets a sample mean settle.
fn examples() -> Vec<(String, Sizes)> {
    let mut all: Vec<(String, Sizes)> = [
        "{ kind = 'fixed', size = '10kB' }",
        "{ kind = 'uniform', min = '1600B', max = '2kB' }",
        "{ kind = 'uniform', min = '1B', max = '2B' }",
        "{ kind = 'exponential', mean = '10kB' }",
        "{ kind = 'exponential', mean = '2B' }",
        "{ kind = 'pareto', shape = 2.5, mean = '10kB' }",
        "{ kind = 'pareto', shape = 2.5, mean = '36500B', ceil = '1460B' }",
        "{ kind = 'bounded-pareto', shape = 1.0, min = '1kB', max = '1MB' }",
        "{ kind = 'bounded-pareto', shape = 1.2, min = '100B', max = '100kB' }",
        "{ kind = 'lognormal', median = '10kB', sigma = 1.0 }",
        "{ kind = 'lognormal', median = '10kB', sigma = 2.0, min = '1kB', max = '100kB' }",
        "'campus-web'",
        "'campus-10M'",
        "'campus-web-10M'",
    ]
    .into_iter()
    .map(|text| (text.to_owned(), build(text).unwrap()))
    .collect();
    for (name, interpolation) in [
        ("empirical step", Interpolation::Step),
        ("empirical linear", Interpolation::Linear),
        ("empirical log", Interpolation::Log),
    ] {
        let text = Text::new("cdf", "size, probability\n# comment\n10, 0.25\n20, 0.5\n20000, 1\n");
        all.push((name.to_owned(), Sizes::new(Table::read(&text, Bytes::new(1), interpolation).unwrap())));
    }
    for descriptor in SizeSpec::descriptors() {
        if !all.iter().any(|(text, _)| text.contains(descriptor.name)) {
            let text = typical(&descriptor);
            let sizes = build(&text).unwrap_or_else(|e| panic!("{text}: {e}; add an example above"));
            all.push((text, sizes));
        }
    }
    all
}

/// A distribution whose required parameters are 10 kB, 20 kB, and so on.
fn typical(descriptor: &Descriptor) -> String {
    let required = descriptor.fields.iter().filter(|field| field.default.is_none());
    let sizes = (1..).zip(required).map(|(i, field)| format!(", {} = '{i}0kB'", field.name));
    format!("{{ kind = '{}'{} }}", descriptor.name, sizes.collect::<String>())
}

/// Ethernet with TCP/IP headers: the cost that offered loads are computed with.
fn wire(payload: u64) -> u64 {
    payload + 40 * payload.div_ceil(1460)
}

#[test]
fn sample_means_agree_with_stated_means() {
    const DRAWS: u32 = 1_000_000;
    for (name, sizes) in examples() {
        let mut rng = stream(1, &name);
        let (mut sum, mut squares, mut on_wire) = (0.0, 0.0, 0.0);
        for _ in 0..DRAWS {
            let size = sizes.sample(&mut rng);
            assert!(size >= 1);
            sum += size as f64;
            squares += (size as f64).powi(2);
            on_wire += wire(size) as f64;
        }
        let n = f64::from(DRAWS);
        let mean = sum / n;
        // Five standard errors of the sample mean.
        let slack = 5.0 * ((squares / n - mean * mean).max(0.0) / n).sqrt() + 1e-9 * mean;
        assert!((mean - sizes.mean()).abs() <= slack, "{name}: {mean} drawn, {} stated", sizes.mean());
        let (drawn, stated) = (on_wire / n, sizes.mean_of(wire));
        assert!(
            (drawn - stated).abs() <= 1.1 * slack + 1e-4 * stated,
            "{name}: {drawn} drawn, {stated} stated"
        );
    }
}

/// Table of `campus` cuts: published means and coefficients of variation, computed from the same fit.
#[test]
fn campus_traffic_has_its_published_mean_and_variation() {
    for (name, mean, variation) in [
        ("'campus-web'", 22_300.0, 3.6),
        ("'campus-10M'", 25_700.0, 10.6),
        ("'campus-web-10M'", 58_800.0, 7.0),
    ] {
        let sizes = build(name).unwrap();
        assert!((sizes.mean() / mean - 1.0).abs() < 0.005, "{name}: mean {}", sizes.mean());
        let cv = sizes.tail().variation.unwrap();
        assert!((cv / variation - 1.0).abs() < 0.015, "{name}: c.v. {cv}");
    }
}

#[test]
fn stated_moments_agree_with_quantiles_and_draws() {
    for (name, sizes) in examples() {
        let tail = sizes.tail();
        let mut rng = stream(1, &name);
        let draws: Vec<f64> = (0..200_000).map(|_| sizes.law.draw(&mut rng)).collect();
        if let Some(largest) = tail.largest {
            assert!(draws.iter().all(|size| *size <= largest), "{name}");
        }
        // Sizes below the 99th percentile of the draws: what lies above has too large a part in the moments to settle.
        let mut sorted = draws.clone();
        sorted.sort_by(f64::total_cmp);
        let most = sorted[198_000];
        for k in [1, 2, 3] {
            let stated = sizes.law.moments()[k as usize - 1];
            let below = sizes.law.average(&mut |x| if x <= most { x.powi(k) } else { 0.0 });
            let drawn = sorted[..198_000].iter().map(|x| x.powi(k)).sum::<f64>() / 200_000.0;
            assert!((drawn / below - 1.0).abs() < 0.05, "{name}: {drawn} drawn, {below} stated below {most}");
            assert!(stated >= 0.99 * below, "{name}: moment {k} is {stated}, {below} of it below {most}");
        }
    }
}

#[test]
fn tails_are_declared() {
    let tail = |text| build(text).unwrap().tail();
    let close =
        |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-6 * b.max(1.0), "{a:?}, not {b}");
    let heavy = tail("{ kind = 'pareto', shape = 1.2, mean = '10kB' }");
    assert_eq!(heavy, Tail { index: Some(1.2), largest: None, variation: None, skewness: None });
    let lighter = tail("{ kind = 'pareto', shape = 2.5, mean = '10kB' }");
    // Variance of a Pareto variable: min^2 a / ((a - 1)^2 (a - 2)); c.v. 1 / sqrt(a (a - 2)).
    close(lighter.variation, (2.5_f64 * 0.5).powf(-0.5));
    assert_eq!(lighter.skewness, None);
    // Skewness 2 (1 + a) / (a - 3) sqrt((a - 2) / a).
    close(tail("{ kind = 'pareto', shape = 4.0, mean = '10kB' }").skewness, 10.0 * 0.5_f64.sqrt());
    let cut = tail("{ kind = 'bounded-pareto', shape = 1.2, min = '1kB', max = '1GB' }");
    assert_eq!((cut.index, cut.largest), (Some(1.2), Some(1e9)));
    assert!(cut.variation.unwrap() > 10.0 && cut.skewness.unwrap() > 100.0, "{cut:?}");
    let memoryless = tail("{ kind = 'exponential', mean = '10kB' }");
    close(memoryless.variation, 1.0);
    close(memoryless.skewness, 2.0);
    let level = tail("{ kind = 'uniform', min = '1kB', max = '3kB' }");
    close(level.variation, 1.0 / (2.0 * 3.0_f64.sqrt()));
    assert!(level.skewness.unwrap().abs() < 1e-6 && level.largest == Some(3e3));
    // Lognormal: c.v. sqrt(e^(s^2) - 1), skewness (e^(s^2) + 2) sqrt(e^(s^2) - 1).
    let normal = tail("{ kind = 'lognormal', median = '10kB', sigma = 1.0 }");
    let e = std::f64::consts::E;
    close(normal.variation, (e - 1.0).sqrt());
    close(normal.skewness, (e + 2.0) * (e - 1.0).sqrt());
    let equal = tail("{ kind = 'fixed', size = '10kB' }");
    assert_eq!((equal.variation, equal.skewness), (Some(0.0), Some(0.0)));
}

#[test]
fn means_on_the_wire_agree_with_closed_forms() {
    // Exponential with mean m: E ceil(S / 1460) = 1 / (1 - exp(-1460 / m)), the mean of a geometric distribution.
    let m = 10_000.0_f64;
    let sizes = build("{ kind = 'exponential', mean = '10kB' }").unwrap();
    let packets = 1.0 / (1.0 - (-1460.0 / m).exp());
    assert!((sizes.mean_of(wire) / (m + 40.0 * packets) - 1.0).abs() < 1e-4);
    // Pareto with minimum k: E ceil(S / k) = sum over n >= 0 of P(S > n k) = 1 + zeta(shape) = 1 + pi^2 / 6 at shape 2.
    let sizes = build("{ kind = 'pareto', shape = 2.0, mean = '20kB', ceil = '10kB' }").unwrap();
    let expected = 10_000.0 * (1.0 + std::f64::consts::PI.powi(2) / 6.0);
    assert!((sizes.mean() / expected - 1.0).abs() < 1e-4, "{}", sizes.mean());
    let mut rng = stream(1, "ceil");
    assert!((0..1000).all(|_| sizes.sample(&mut rng).is_multiple_of(10_000)));
}

#[test]
fn empirical_means_depend_on_unit_and_interpolation() {
    let text = Text::new("cdf", "1 0\n3 1\n");
    let mean = |unit, interpolation| {
        Sizes::new(Table::read(&text, Bytes::new(unit), interpolation).unwrap()).law.moments()[0]
    };
    assert_eq!(mean(1460, Interpolation::Step), 3.0 * 1460.0);
    assert_eq!(mean(1000, Interpolation::Linear), 2000.0);
    assert!((mean(1000, Interpolation::Log) - 2000.0 / 3.0_f64.ln()).abs() < 1e-9);
}

#[test]
fn broken_distributions_are_refused_with_file_and_line() {
    let message = |text: &str, interpolation| {
        let text = Text::new("web.cdf", text);
        Table::read(&text, Bytes::new(1), interpolation).unwrap_err().to_string()
    };
    let linear = |text| message(text, Interpolation::Linear);
    assert_eq!(linear(""), "web.cdf: the file has no rows; write size, probability on each line");
    assert_eq!(
        linear("10 0.5\n5 1\n"),
        "web.cdf:2: the size is not above the one before; sort the file, one line a size"
    );
    assert_eq!(
        linear("10 0.5\n20 0.4\n30 1\n"),
        "web.cdf:2: the probability 0.4 is below the one before, 0.5; write cumulative probabilities, which never fall"
    );
    assert_eq!(
        linear("10 0.5\n20 0.9\n"),
        "web.cdf:2: the last probability is 0.9; end the file with a size whose probability is 1"
    );
    assert_eq!(
        linear("10 50\n20 100\n"),
        "web.cdf:1: 50 is not a probability; write numbers from 0 to 1; divide percentages by 100"
    );
    assert_eq!(
        linear("10 nan\n"),
        "web.cdf:1: \"nan\" is not a probability; write a finite number of zero or more, without a unit"
    );
    assert_eq!(linear("10\n"), "web.cdf:1: 1 fields instead of 2; write size, probability on each line");
    assert_eq!(
        message("0 0\n20 1\n", Interpolation::Log),
        "web.cdf:1: 0 has no logarithm; give a size above zero, or interpolate linearly"
    );
}

#[test]
fn impossible_parameters_are_refused() {
    for (text, message) in [
        (
            "{ kind = 'pareto', shape = 1.0, mean = '1kB' }",
            "size.shape: a tail of 1 has no mean; give a number above 1, or use bounded-pareto",
        ),
        (
            "{ kind = 'bounded-pareto', min = '2kB', max = '1kB' }",
            "size.max: 1kB is not above `min`, 2kB; give a larger size",
        ),
        (
            "{ kind = 'uniform', min = '2kB', max = '1kB' }",
            "size.max: 1kB is below `min`, 2kB; give a larger size",
        ),
        (
            "{ kind = 'lognormal', median = '1kB', sigma = 0.1, min = '1MB' }",
            "size.min: hardly any draw falls between the bounds; move the bounds towards the median",
        ),
        (
            "{ kind = 'fixed', size = '0B' }",
            "size.size: a flow of no bytes has nothing to measure; give 1B or more",
        ),
    ] {
        assert_eq!(build(text).unwrap_err(), message);
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_of_distributions_panic(text in "([0-9]{1,3}[ ,.]?[0-9.eE#-]{0,4}\n?){0,12}|.{0,60}") {
        for interpolation in [Interpolation::Step, Interpolation::Linear, Interpolation::Log] {
            match Table::read(&Text::new("f", text.as_str()), Bytes::new(1), interpolation) {
                Ok(table) => {
                    let sizes = Sizes::new(table);
                    prop_assert!(sizes.mean() >= 1.0);
                    prop_assert!(sizes.sample(&mut stream(1, "f")) >= 1);
                }
                Err(e) => prop_assert!(e.path.starts_with('f') && !e.message.is_empty() && !e.remedy.is_empty()),
            }
        }
    }
}
