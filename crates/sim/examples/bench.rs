//! Runs a scenario file and prints its runs, links and classes as JSON: the engine alone, as a whole process to be timed.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use dumbbell_core::Results;
use dumbbell_core::json::json;
use dumbbell_core::memory::Counting;
use dumbbell_sim::{Plan, Run, Scenario, built_in, toml};

/// As in the extension module: what counting costs is measured too.
#[global_allocator]
static COUNTING: Counting = Counting;

fn simulate(file: &Path, settings: &[String]) -> Result<Results, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut value = toml::parse(&text).map_err(|e| e.to_string())?;
    for setting in settings {
        toml::apply_set(&mut value, setting, built_in()).map_err(|e| e.to_string())?;
    }
    let scenario = Scenario::from_value(&value, built_in()).map_err(|e| e.to_string())?;
    let base = file.parent().unwrap_or(Path::new("."));
    let plan = Plan::new(&scenario, base).map_err(|e| e.to_string())?;
    let cut = plan.cut(Some(1), 1).ok();
    let results = Run::new(&plan, u64::MAX).in_parts(cut).finish(|_| ControlFlow::Continue(()));
    results.map_err(|_| "interrupted".to_owned())
}

/// Largest resident set of this process in bytes, as Linux counts it; 0 elsewhere. (What `wait4` tells the parent is
/// never below the parent's own size at the fork.)
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(file) = args.next() else {
        eprintln!("usage: bench SCENARIO.toml [path=value ...]");
        return ExitCode::from(2);
    };
    let settings: Vec<String> = args.collect();
    match simulate(Path::new(&file), &settings) {
        Ok(results) => {
            let (runs, links, labels) = (&results.runs, &results.links, results.labels.all());
            let acknowledged: Vec<f64> =
                results.flows.sender_completion_time.iter().copied().filter(|t| t.is_finite()).collect();
            // Of thousands, those that carried nothing would take longer to print than to simulate.
            let links: Vec<_> = (0..links.link.len())
                .filter(|i| links.arrived[*i] > 0)
                .map(|i| {
                    json!({ "link": &*labels[links.link[i] as usize], "goodput": links.sent_bytes[i], "sent": links.sent[i],
                            "loss": links.loss[i], "queue_mean": links.queue_mean[i], "utilisation": links.utilisation[i] })
                })
                .collect();
            let classes = &results.classes;
            let classes: Vec<_> = (0..classes.link.len())
                .map(|i| {
                    json!({ "link": &*labels[classes.link[i] as usize], "class": classes.class[i],
                            "arrived": classes.arrived[i], "dropped": classes.dropped[i] })
                })
                .collect();
            println!(
                "{}",
                json!({ "packet_hops": runs.packet_hops[0], "packets_inside": runs.packets_inside[0],
                        "peak_memory": peak_memory(),
                        "flows_started": runs.flows_started[0],
                        "timeouts": results.flows.timeouts.iter().sum::<u32>(),
                        "flows_completed": runs.flows_completed[0], "goodput": runs.goodput[0],
                        "fairness": runs.fairness[0], "fct_mean": runs.fct_mean[0],
                        // First packet sent to last byte acknowledged: what ns-2 calls done.
                        "sender_fct_mean": acknowledged.iter().sum::<f64>() / acknowledged.len() as f64, "links": links,
                        "classes": classes })
            );
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::from(2)
        }
    }
}
