//! Workloads: sources of flows that arrive while the run goes on. One file each, one line each in the registry.

pub mod poisson;
pub mod size;
pub mod trace;

use std::fmt::Debug;
use std::iter::Peekable;
use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Duration, registry};
use dumbbell_proto::TransportSpec;

use crate::files::Files;
use crate::pairs::Pairs;
use crate::plan::{Flow, Plan};

registry! {
    /// A workload with its parameters.
    pub enum WorkloadSpec in "workload" as WorkloadParams {
        Poisson(poisson::Poisson),
        Trace(trace::Trace),
    }
}

/// What every workload says of itself.
pub struct Common<'a> {
    /// The name in results and of its random streams.
    pub name: Option<&'a str>,
    /// Transport of its flows; the scenario's if there is none.
    pub transport: Option<&'a TransportSpec>,
    /// True if time series of its flows are written.
    pub sampled: bool,
}

/// What a workload may know of the plan while it is built.
pub struct Setting<'a, 'n> {
    /// The name in results and of the workload's random streams.
    pub name: &'a str,
    /// Index of its flow group.
    pub group: u32,
    /// Its transport.
    pub transport: &'a TransportSpec,
    /// When the run ends.
    pub duration: Duration,
    /// Names and routes.
    pub pairs: &'a mut Pairs<'n>,
    /// Files that the parameters name.
    pub files: &'a mut Files,
}

/// The parameters of a workload.
pub trait WorkloadParams {
    /// What every workload has.
    fn common(&self) -> Common<'_>;

    /// The source of flows.
    ///
    /// # Errors
    /// What is wrong with the parameters that stand at `at`, or with a file they name.
    fn build(&self, setting: Setting<'_, '_>, at: &At<'_>) -> Result<Arc<dyn Source>, ConfigError>;
}

/// A source of flows.
pub trait Source: Debug + Send + Sync {
    /// The flows that start before the run ends, in order of start. Draws come from streams of the workload's own.
    fn arrivals(&self, seed: u64) -> Box<dyn Iterator<Item = Flow> + Send + '_>;

    /// The figures that `dumbbell check` shows.
    fn facts(&self) -> Facts;
}

/// What can be said of a source beforehand.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// Flows a second, while the source is active.
    pub rate: f64,
    /// Mean application bytes of a flow.
    pub mean_size: f64,
    /// Mean bytes of a flow on the wire, first transmissions only, headers included.
    pub mean_wire: f64,
    /// Flows to expect before the run ends.
    pub flows: f64,
    /// Listed flows that start only after the run ends.
    pub late: u64,
    /// Pairs (indices into [`Plan::pairs`]) and the bits a second that the source offers to each.
    pub offered: Vec<(u32, f64)>,
}

/// A source of flows in a plan.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The kind of workload, as the user wrote it.
    pub kind: &'static str,
    /// Index of its flow group.
    pub group: u32,
    /// Where the flows come from.
    pub source: Arc<dyn Source>,
}

impl Workload {
    /// The flows that start before the run ends, in order of start.
    pub fn arrivals(&self, seed: u64) -> Box<dyn Iterator<Item = Flow> + Send + '_> {
        self.source.arrivals(seed)
    }
}

/// All flows of a plan in order of start: the listed ones and those of every workload, drawn as they are needed.
pub struct Arrivals<'p> {
    sources: Vec<Peekable<Box<dyn Iterator<Item = Flow> + Send + 'p>>>,
}

impl Plan {
    /// All flows in order of start. Of flows that start together, listed ones come first, then those of the first workload.
    pub fn arrivals(&self) -> Arrivals<'_> {
        let end = self.duration;
        let listed = self.flows.iter().copied().take_while(move |f| f.start.as_nanos() < end.as_nanos());
        let listed: Box<dyn Iterator<Item = Flow> + Send> = Box::new(listed);
        let drawn = self.workloads.iter().map(|w| w.arrivals(self.seed));
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
