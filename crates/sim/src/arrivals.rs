//! The flows of a plan that are known beforehand.

use std::iter::Peekable;
use std::sync::Arc;

use crate::plan::Plan;
use crate::workload::{Flow, Traffic};

/// All flows of a plan that are known beforehand, in order of start: the listed ones and those of every open-loop workload,
/// drawn as they are needed.
pub struct Arrivals {
    sources: Vec<Peekable<Box<dyn Iterator<Item = Flow> + Send>>>,
}

impl Plan {
    /// All flows that are known beforehand, in order of start. Of flows that start together, listed ones come first, then
    /// those of the first workload.
    pub fn arrivals(&self) -> Arrivals {
        let end = self.duration;
        let flows = self.listed_flows();
        let listed = (0..flows.len()).map(move |i| flows[i]);
        let listed: Box<dyn Iterator<Item = Flow> + Send> =
            Box::new(listed.take_while(move |flow| flow.start.as_nanos() < end.as_nanos()));
        let sources = self.workloads.iter().filter_map(|workload| match &workload.traffic {
            Traffic::Open(source) => Some(Arc::clone(source)),
            Traffic::Closed(_) => None,
        });
        let drawn = sources.map(|source| source.arrivals(self.seed));
        Arrivals { sources: std::iter::once(listed).chain(drawn).map(Iterator::peekable).collect() }
    }
}

impl Iterator for Arrivals {
    type Item = Flow;

    fn next(&mut self) -> Option<Flow> {
        let starts = self.sources.iter_mut().enumerate().filter_map(|(i, s)| s.peek().map(|f| (f.start, i)));
        let (_, first) = starts.min()?;
        self.sources[first].next()
    }
}
