//! Completion times of the flows of a plan in a fluid network.

use dumbbell_sim::Plan;
use dumbbell_theory::max_min::{Elastic, max_min_sharing};

/// Times in seconds of the flows that start after the warm-up and end before the run does, in order of start: of one group, or
/// of all. Each link has `share` of its rate.
///
/// # Errors
/// Why there are none.
pub fn completion_times(plan: &Plan, group: Option<&str>, share: f64) -> Result<Vec<f64>, String> {
    let fluid = plan.fluid().map_err(|why| why.to_string())?;
    let flows: Vec<_> = fluid.flows().collect();
    let elastic = |flow: &dumbbell_sim::fluid::FluidFlow| Elastic {
        start: flow.start,
        work: flow.work,
        class: flow.class,
    };
    let elastic: Vec<Elastic> = flows.iter().map(elastic).collect();
    let capacities: Vec<f64> = fluid.capacities.iter().map(|rate| rate * share).collect();
    let times = max_min_sharing(&elastic, &fluid.classes, &capacities).map_err(|error| error.0)?;
    let end = (plan.duration + plan.drain).as_secs_f64();
    let chosen = |index: usize| group.is_none_or(|name| plan.groups[index].name == name);
    let ended = flows
        .iter()
        .zip(times)
        .filter(|(flow, _)| flow.counted && chosen(flow.group))
        .map(|(flow, time)| (flow.start, time + flow.delay));
    Ok(ended.filter(|(start, time)| start + time <= end).map(|(_, time)| time).collect())
}
