//! A trace file: flows with start, source, destination and size, as recorded or made elsewhere.

use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Algorithm;
use dumbbell_core::{Duration, Time, Validate, config};

use super::{Common, Facts, Flow, FlowSettings, Setting, Source, Traffic, WorkloadParams};
use crate::limits::{MAX_DURATION_SECS, MAX_FLOW_BYTES, MAX_FLOWS};

config! {
    /// Flows listed in a file, one on each line: start (seconds), source, destination, size (bytes), between commas or
    /// blanks, sorted by start. A header line and `#` comments are allowed.
    pub struct Trace {
        /// The name in results.
        name: Option<String> = (), "absent: `workload` and the position in the list, from 0";
        /// The file, relative to the scenario.
        file: String;
        ..flows: FlowSettings { sampled = false, "choice: arriving flows are many and short"; }
    }
}

impl Algorithm for Trace {
    const NAME: &'static str = "trace";
    const TITLE: &'static str = "Flows listed in a file of (start, source, destination, size)";
    const REFERENCE: &'static str = "choice: the same arrivals for several tools";
}

impl Validate for Trace {}

impl WorkloadParams for Trace {
    fn common(&self) -> Common<'_> {
        Common { name: self.name.as_deref(), flows: &self.flows, keeps_open: false }
    }

    fn build(&self, setting: Setting<'_, '_>, at: &At<'_>) -> Result<Traffic, ConfigError> {
        let text = setting.files.read(&self.file, &at.key("file"))?;
        let rows = || text.rows(&["start", "source", "destination", "size"]);
        let mut ends = Vec::new();
        let mut flows = Vec::new();
        let mut last = 0.0;
        for row in rows() {
            let row = row?;
            if flows.len() as u64 == MAX_FLOWS {
                return Err(row.error(
                    format!("the flows are above the limit of {MAX_FLOWS}"),
                    "split the trace over several runs",
                ));
            }
            let start = row.time("start", &mut last)?;
            if start > MAX_DURATION_SECS as f64 {
                return Err(row.error(format!("the start {start} is beyond any run"), "write seconds"));
            }
            let node = |i: usize| {
                let found = setting.pairs.names.node(row.field(i), at);
                found.map_err(|e| row.error(e.message, e.remedy))
            };
            ends.push((node(1)?, node(2)?));
            let start = Time::ZERO + Duration::from_secs_f64(start);
            let size = Some(row.whole(3, "size", MAX_FLOW_BYTES)?);
            flows.push(Flow { group: setting.group, pair: 0, start, size });
        }
        let pairs = setting.pairs.add(&ends).map_err(|e| match rows().flatten().nth(e.position) {
            Some(row) => row.error(e.message, e.remedy),
            None => at.key("file").error(e.message, e.remedy),
        })?;
        flows.iter_mut().zip(pairs).for_each(|(flow, pair)| flow.pair = pair);
        let facts = facts(&flows, &setting);
        let end = Time::ZERO + setting.duration;
        if let Some(first) = flows.first().filter(|flow| flow.start >= end) {
            return Err(at.key("file").error(
                format!("the first flow starts at {}, and the run ends at {end}", first.start),
                "give a longer `duration`, or subtract the first start from all starts",
            ));
        }
        flows.retain(|f| f.start < end);
        Ok(Traffic::open(Listed { flows, facts }))
    }
}

/// Sums over the flows that start before the run ends.
fn facts(flows: &[Flow], setting: &Setting<'_, '_>) -> Facts {
    let seconds = setting.duration.as_secs_f64();
    let mut offered: Vec<(u32, f64)> = Vec::new();
    let (mut count, mut bytes, mut wire) = (0.0, 0.0, 0.0);
    let mut within: Vec<&Flow> = flows.iter().filter(|f| f.start < Time::ZERO + setting.duration).collect();
    within.sort_by_key(|f| f.pair);
    for flow in &within {
        let size = flow.size.unwrap_or_default();
        let on_wire = setting.transport.wire_bytes(size, setting.pairs.mtu(flow.pair)) as f64;
        count += 1.0;
        bytes += size as f64;
        wire += on_wire;
        let bits_per_second = on_wire * 8.0 / seconds;
        match offered.last_mut() {
            Some((pair, sum)) if *pair == flow.pair => *sum += bits_per_second,
            _ => offered.push((flow.pair, bits_per_second)),
        }
    }
    let per_flow = |sum: f64| if count > 0.0 { sum / count } else { 0.0 };
    Facts {
        rate: Some(count / seconds),
        mean_size: per_flow(bytes),
        draws: Vec::new(),
        tail: None,
        mean_wire: per_flow(wire),
        flows: count,
        late: (flows.len() - within.len()) as u64,
        offered,
    }
}

#[derive(Debug)]
struct Listed {
    flows: Vec<Flow>,
    facts: Facts,
}

impl Source for Listed {
    fn arrivals(self: Arc<Self>, _seed: u64) -> Box<dyn Iterator<Item = Flow> + Send> {
        Box::new((0..self.flows.len()).map(move |i| self.flows[i]))
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}
