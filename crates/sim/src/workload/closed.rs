//! What closed-loop workloads share.

use dumbbell_core::config::{At, ConfigError};
use dumbbell_core::rng::Stream;
use dumbbell_core::{Duration, words};
use rand_distr::{Distribution, Exp1};

use super::size::Tail;
use super::{Facts, Setting};
use crate::limits::MAX_FLOWS;

words! {
    /// How long a connection lives.
    pub enum Connections { Persistent = "persistent", Fresh = "fresh" }
}

words! {
    /// How times are spread about their mean.
    pub enum Spread { Fixed = "fixed", Exponential = "exponential" }
}

impl Spread {
    /// The shortest of times of this mean.
    pub fn least(self, mean: Duration) -> Duration {
        match self {
            Spread::Fixed => mean,
            Spread::Exponential => Duration::ZERO,
        }
    }

    /// True if times of this mean are drawn.
    pub fn draws(self, mean: Duration) -> bool {
        self == Spread::Exponential && !mean.is_zero()
    }

    /// One time of this mean.
    pub fn draw(self, mean: Duration, rng: &mut Stream) -> Duration {
        match self {
            Spread::Fixed => mean,
            Spread::Exponential => {
                let unit: f64 = Exp1.sample(rng);
                mean.mul_f64(unit)
            }
        }
    }
}

/// How often a loop can go round in `time` if once takes `shortest` or longer, and `most` times at most.
pub fn cycles(time: Duration, shortest: Duration, most: Option<u32>) -> f64 {
    most.map_or(f64::INFINITY, f64::from).min(time.as_secs_f64() / shortest.as_secs_f64())
}

/// The figures of a closed loop over `pairs` whose transfers have `mean` bytes, drawn with some `tail`, and which opens `flows` flows at most.
///
/// # Errors
/// If that is more than a run may have.
pub fn facts(
    setting: &Setting<'_, '_>,
    pairs: &[u32],
    (mean, tail): (f64, Option<Tail>),
    flows: f64,
    draws: Vec<&'static str>,
    at: &At<'_>,
) -> Result<Facts, ConfigError> {
    if flows > MAX_FLOWS as f64 {
        return Err(at.error(
            format!("up to {flows:.3e} flows, above the limit of {MAX_FLOWS}"),
            "give a number of rounds, longer pauses or a shorter run, or keep connections open",
        ));
    }
    let wire = |pair: &u32| setting.transport.wire_bytes(mean as u64, setting.pairs.mtu(*pair)) as f64;
    Ok(Facts {
        rate: None,
        draws,
        mean_size: mean,
        tail,
        mean_wire: pairs.iter().map(wire).sum::<f64>() / pairs.len().max(1) as f64,
        flows,
        late: 0,
        offered: pairs.iter().map(|pair| (*pair, 0.0)).collect(),
    })
}
