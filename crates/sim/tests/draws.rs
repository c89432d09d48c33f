//! What a plan says it draws, against the random numbers that its run draws.

use std::fs;
use std::path::Path;

use dumbbell_core::rng;
use dumbbell_sim::{Plan, Scenario};

/// Longer runs of the repository's scenarios are cut to so many seconds.
const LONGEST: f64 = 12.0;

/// And that of a thousand flows at 2.4 Gbit/s, which has more packets than all others together, to this.
const LONGEST_OF_W4S: f64 = 1.0;

/// What a scenario declares, `what of component`, and how many numbers its run draws.
fn declared_and_drawn(text: &str, folder: &Path) -> (Vec<String>, u64) {
    let plan = Scenario::from_toml(text).and_then(|scenario| Plan::new(&scenario, folder));
    let plan = plan.unwrap_or_else(|e| panic!("{e}\n{text}"));
    let before = rng::drawn();
    crate::traced::run(&plan);
    let drawn = rng::drawn() - before;
    (plan.draws().iter().map(|draw| format!("{} of {}", draw.what, draw.of)).collect(), drawn)
}

#[test]
fn every_scenario_of_the_repository_declares_whether_it_draws() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut silent = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let longest = if path.ends_with("w4s-long-fat.toml") { LONGEST_OF_W4S } else { LONGEST };
        let cut = |line: &str| match line.split_once(" = ") {
            Some(("duration", time)) => {
                let time = time.split('#').next().unwrap().trim().trim_matches('"');
                let long = time.strip_suffix("ms").is_none()
                    && time.trim_end_matches('s').parse::<f64>().unwrap() > longest;
                if long { format!("duration = \"{longest}s\"") } else { line.to_owned() }
            }
            Some(("warmup", _)) => String::new(),
            _ => line.to_owned(),
        };
        let text: Vec<String> = fs::read_to_string(&path).unwrap().lines().map(cut).collect();
        let (declared, drawn) = declared_and_drawn(&text.join("\n"), &folder);
        assert_eq!(declared.is_empty(), drawn == 0, "{}: {declared:?}, {drawn} drawn", path.display());
        silent += u32::from(drawn == 0);
    }
    assert!(silent > 2, "some scenarios draw nothing");
}

/// Two flows over a dumbbell; `topology` and `flows` are what the case adds to both.
fn scenario(top: &str, bottleneck: &str, flows: &str) -> String {
    format!(
        "duration = '3s'\n{top}\n[topology]\nkind = 'dumbbell'\npairs = 2\n[topology.bottleneck]\nrate = '5Mbit/s'\n\
         {bottleneck}\n[[flows]]\nname = 'bulk'\nfrom = 'senders'\nto = 'receivers'\n{flows}\n"
    )
}

#[test]
fn each_thing_that_draws_is_declared_and_draws() {
    let cases = [
        ("start jitter of bulk", "", "", "jitter = '1s'"),
        ("processing times of bulk", "transport = { kind = 'tcp', overhead = '1ms' }", "", ""),
        ("clocks of timers of bulk", "transport = { kind = 'tcp', profile = 'bsd' }", "", ""),
        ("gaps of bulk", "transport = { kind = 'poisson', rate = '1Mbit/s' }", "", ""),
        ("bursts of bulk", "transport = { kind = 'on-off', rate = '1Mbit/s' }", "", ""),
        ("writes of bulk", "", "", "application = { kind = 'on-off', rate = '1Mbit/s' }"),
        ("reads of bulk", "", "", "reader = { kind = 'on-off', rate = '1Mbit/s' }"),
        ("loss of left->right", "", "loss = 0.01", ""),
        ("jitter of left->right", "", "impairments = [{ kind = 'jitter', spread = '1ms' }]", ""),
        (
            "reordering of left->right",
            "",
            "impairments = [{ kind = 'reordering', probability = 0.1, delay = '1ms' }]",
            "",
        ),
        ("duplication of left->right", "", "impairments = [{ kind = 'duplication', probability = 0.1 }]", ""),
        ("red of left->right", "", "queue = 'red'", ""),
        ("choke of left->right", "", "queue = 'choke'", ""),
        ("push-out of left->right", "", "queue = { kind = 'push-out', victim = 'random' }", ""),
        (
            "static of left->right",
            "",
            "queue = 'strict-priority'\nmarker = { kind = 'static', share = 0.5 }",
            "",
        ),
        ("rcp of left->right", "", "router = 'rcp'", ""),
        ("xcp of left->right", "", "router = 'xcp'", ""),
    ];
    let here = Path::new(".");
    for (what, top, bottleneck, flows) in cases {
        let (declared, drawn) = declared_and_drawn(&scenario(top, bottleneck, flows), here);
        let kinds: Vec<&String> = declared.iter().filter(|draw| !draw.contains("right->left")).collect();
        assert_eq!(kinds, [what]);
        assert!(drawn > 0, "{what}");
    }
    let still = [
        ("", "", ""),
        ("transport = { kind = 'on-off', rate = '1Mbit/s', periods = 'fixed' }", "", ""),
        ("transport = { kind = 'cbr', rate = '1Mbit/s' }", "", ""),
        ("", "queue = { kind = 'push-out', victim = 'head' }", ""),
        (
            "",
            "impairments = [{ kind = 'delay-steps', steps = [{ at = '1s', extra = '9ms' }] },
                            { kind = 'delay-list', packets = [7], delay = '30ms' }]",
            "",
        ),
        ("", "queue = 'strict-priority'\nmarker = { kind = 'token-bucket', rate = '1Mbit/s' }", ""),
    ];
    for (top, bottleneck, flows) in still {
        assert_eq!(declared_and_drawn(&scenario(top, bottleneck, flows), here), (vec![], 0));
    }
}
