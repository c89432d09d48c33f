//! The flows of a plan that are known beforehand.

use std::borrow::Cow;
use std::iter::Peekable;

use crate::plan::Plan;
use crate::workload::{Flow, Traffic};

/// All flows of a plan that are known beforehand, in order of start: the listed ones and those of every open-loop workload,
/// drawn as they are needed.
pub struct Arrivals<'p> {
    sources: Vec<Peekable<Box<dyn Iterator<Item = Flow> + Send + 'p>>>,
}

impl Plan {
    /// All flows that are known beforehand, in order of start. Of flows that start together, listed ones come first, then
    /// those of the first workload.
    pub fn arrivals(&self) -> Arrivals<'_> {
        let end = self.duration;
        let in_time = move |f: &Flow| f.start.as_nanos() < end.as_nanos();
        let listed: Box<dyn Iterator<Item = Flow> + Send> = match self.listed_flows() {
            Cow::Borrowed(flows) => Box::new(flows.iter().copied().take_while(in_time)),
            Cow::Owned(flows) => Box::new(flows.into_iter().take_while(in_time)),
        };
        let sources = self.workloads.iter().filter_map(|workload| match &workload.traffic {
            Traffic::Open(source) => Some(source),
            Traffic::Closed(_) => None,
        });
        let drawn = sources.map(|source| source.arrivals(self.seed));
        Arrivals { sources: std::iter::once(listed).chain(drawn).map(Iterator::peekable).collect() }
    }
}

impl Iterator for Arrivals<'_> {
    type Item = Flow;

    fn next(&mut self) -> Option<Flow> {
        let starts = self.sources.iter_mut().enumerate().filter_map(|(i, s)| s.peek().map(|f| (f.start, i)));
        let (_, first) = starts.min()?;
        self.sources[first].next()
    }
}
