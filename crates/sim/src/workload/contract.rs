//! What a workload is built from, and what it gives: flows that are known beforehand, or a program.

use std::fmt::Debug;
use std::sync::Arc;

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::registry::Descriptor;
use dumbbell_core::{Duration, Time, TrafficClass, Validate, Value, config};
use dumbbell_proto::TransportSpec;
use dumbbell_proto::schedule::ScheduleSpec;

use super::facts::Facts;
use super::session::Program;
use crate::files::Files;
use crate::pairs::Pairs;

/// Where a key stands that flows lack and some transport has: it is easily written beside their transport.
pub(crate) fn place_in_transport(key: &str) -> Option<String> {
    let has = |member: &Descriptor| member.fields.iter().any(|field| field.name == key);
    TransportSpec::descriptors().iter().any(has).then(|| format!("transport.{key}"))
}

config! {
    /// What every workload says of its flows.
    pub struct FlowSettings {
        /// Transport and its parameters.
        transport: Option<TransportSpec> = (), "absent: the scenario's transport";
        /// Traffic class of all packets of the flows, acknowledgements too.
        class: TrafficClass = 0, "RFC 2474 section 4.1: the default codepoint, 0";
        /// When the application of a flow writes what its size says, from the flow's start on. No list: flows differ in size.
        application: Option<Arc<ScheduleSpec>> = (), "absent: all is written at once";
        /// When the receiver's application reads, from the first data on; behind the end of a list it reads what comes.
        reader: Option<Arc<ScheduleSpec>> = (), "absent: what comes is read at once";
        /// Write time series of the flows.
        sampled: bool = false, "choice: arriving flows are many and short";
    }
}

impl Validate for FlowSettings {
    fn place_of(_: &Value, key: &str) -> Option<String> {
        place_in_transport(key)
    }
}

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
pub trait WorkloadParams: Send + Sync {
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

/// A flow known beforehand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Flow {
    /// Index into `Plan::groups`.
    pub group: u32,
    /// Index into `Plan::pairs`.
    pub pair: u32,
    /// When its first packet is sent.
    pub start: Time,
    /// Application bytes; `None` if unlimited.
    pub size: Option<u64>,
}

/// A source of flows.
pub trait Source: Debug + Send + Sync {
    /// The flows that start before the run ends, in order of start. Draws come from streams of the workload's own.
    fn arrivals(self: Arc<Self>, seed: u64) -> Box<dyn Iterator<Item = Flow> + Send>;

    /// The figures that `dumbbell check` shows.
    fn facts(&self) -> Facts;
}
