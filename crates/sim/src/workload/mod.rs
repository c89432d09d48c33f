//! Workloads: where flows come from while the run goes on. One file each, one line each in the registry.
//!
//! An open-loop workload is a [`Source`]: its flows start at times that are known beforehand. A closed-loop one is a
//! [`Program`]: what it starts depends on what has ended.

pub(crate) mod closed;
pub mod on_close;
pub mod poisson;
pub mod request_response;
pub mod rounds;
pub mod shuffle;
pub mod size;
pub mod trace;

use std::borrow::Cow;
use std::fmt::Debug;
use std::iter::Peekable;
use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Duration, TrafficClass, Validate, config, registry};
use dumbbell_proto::TransportSpec;

use crate::files::Files;
use crate::pairs::Pairs;
use crate::plan::{Flow, Plan};
use crate::session::Program;

registry! {
    /// A workload with its parameters.
    pub enum WorkloadSpec in "workload" as WorkloadParams {
        Poisson(poisson::Poisson),
        Trace(trace::Trace),
        Rounds(rounds::Rounds),
        RequestResponse(request_response::RequestResponse),
        Shuffle(shuffle::Shuffle),
        OnClose(on_close::OnClose),
    }
}

config! {
    /// What every workload says of its flows.
    pub struct FlowSettings {
        /// Transport and its parameters.
        transport: Option<TransportSpec> = (), "absent: the scenario's transport";
        /// Traffic class of all packets of the flows, acknowledgements too.
        class: TrafficClass = 0, "RFC 2474 section 4.1: the default codepoint, 0";
        /// Write time series of the flows.
        sampled: bool = false, "choice: arriving flows are many and short";
    }
}

impl Validate for FlowSettings {}

/// What every workload says of itself.
pub struct Common<'a> {
    /// The name in results and of its random streams.
    pub name: Option<&'a str>,
    /// What holds for all its flows.
    pub flows: &'a FlowSettings,
    /// True if its flows stay open and carry one transfer after another.
    pub keeps_open: bool,
}

/// What a workload may know of the plan while it is built.
pub struct Setting<'a, 'n> {
    /// The name in results and of the workload's random streams.
    pub name: &'a str,
    /// Index of its flow group.
    pub group: u32,
    /// The names of all flow groups, by index.
    pub groups: &'a [String],
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

    /// Where its flows come from.
    ///
    /// # Errors
    /// What is wrong with the parameters that stand at `at`, or with a file they name.
    fn build(&self, setting: Setting<'_, '_>, at: &At<'_>) -> Result<Traffic, ConfigError>;
}

/// Where the flows of a workload come from.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// They start at times that are known beforehand.
    Open(Arc<dyn Source>),
    /// What starts depends on what has ended.
    Closed(Arc<dyn Program>),
}

impl Traffic {
    /// The flows of this source.
    pub fn open(source: impl Source + 'static) -> Traffic {
        Traffic::Open(Arc::new(source))
    }

    /// The flows of the sessions of this program.
    pub fn closed(program: impl Program + 'static) -> Traffic {
        Traffic::Closed(Arc::new(program))
    }

    /// The figures that `dumbbell check` shows.
    pub fn facts(&self) -> Facts {
        match self {
            Traffic::Open(source) => source.facts(),
            Traffic::Closed(program) => program.facts(),
        }
    }
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
    /// Flows a second, while the source is active; `None` if they depend on the network.
    pub rate: Option<f64>,
    /// Mean application bytes of a flow.
    pub mean_size: f64,
    /// Mean bytes of a flow on the wire, first transmissions only, headers included.
    pub mean_wire: f64,
    /// Flows to expect before the run ends; with a closed loop, those of the shortest times that the paths allow.
    pub flows: f64,
    /// Listed flows that start only after the run ends.
    pub late: u64,
    /// Pairs (indices into [`Plan::pairs`]) and the bits a second that the source offers to each; a closed loop adapts to
    /// the network and offers 0.
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
    pub traffic: Traffic,
}

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
