//! The roles that links have in topologies, each with defaults of its own over the one description of a link
//! ([`LinkSpec`]), and the files that links name.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::{Bytes, Duration, Time, Validate, Value, config};
use dumbbell_net::link::{LinkSpec, Trace, TraceSpec};

use crate::files::Files;
use crate::limits::MAX_DURATION_SECS;

config! {
    /// An access link between a host and its router.
    pub struct Access {
        ..link: LinkSpec {
            rate = "100Mbit/s", "choice: ten times the default bottleneck, so that only the bottleneck queues";
            delay = "10ms", "choice: with the default bottleneck, a base round-trip time of 50 ms";
            queue = "droptail", "choice: unlimited, so that only the bottleneck drops";
        }
    }
}

impl Validate for Access {}

config! {
    /// A link that flows share and that limits them.
    pub struct Bottleneck {
        ..link: LinkSpec {
            rate = "10Mbit/s", "Panarello et al., e-Energy 2012";
            delay = "5ms", "choice: a fifth of the one-way delay of the default dumbbell";
            queue = droptail("1bdp"), "Villamizar & Song, CCR 24(5), 1994: one bandwidth-delay product";
        }
    }
}

impl Validate for Bottleneck {}

/// The default of a queue field: DropTail with a limit.
pub(crate) fn droptail(limit: &str) -> Value {
    Value::Table(vec![("kind".to_owned(), Value::from("droptail")), ("limit".to_owned(), Value::from(limit))])
}

/// Reads the file of a recorded link.
///
/// # Errors
/// A file that cannot be read or is not a trace.
pub fn read_trace(spec: &TraceSpec, files: &mut Files, at: &At<'_>) -> Result<Trace, ConfigError> {
    let text = files.read(&spec.file, &at.key("file"))?;
    let mut last = 0.0;
    let mut times = Vec::new();
    let mut end = None;
    for row in text.rows(&["milliseconds"]) {
        let row = row?;
        end = Some(row);
        let ms = row.time("milliseconds", &mut last)?;
        if ms > MAX_DURATION_SECS as f64 * 1e3 || ms.fract() != 0.0 {
            return Err(row.error(format!("{ms} is not a time in milliseconds"), "write whole milliseconds"));
        }
        times.push(Time::ZERO + Duration::from_millis(ms as u64));
    }
    if times.last() == Some(&Time::ZERO)
        && let Some(row) = end
    {
        return Err(row.error("the trace ends at 0", "end it at 1 or later"));
    }
    let narrow = |b: Bytes| u32::try_from(b.get()).unwrap_or(u32::MAX);
    Ok(Trace { times: times.into(), opportunity: narrow(spec.opportunity), overhead: narrow(spec.overhead) })
}
