//! The figures of a workload that `dumbbell check` shows.

use super::size::Tail;

/// The names of what is drawn, of all that might be.
pub fn drawn(all: &[(&'static str, bool)]) -> Vec<&'static str> {
    all.iter().filter(|(_, draws)| *draws).map(|(what, _)| *what).collect()
}

/// What can be said of a source beforehand. The default draws nothing and offers nothing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Facts {
    /// Flows a second, while the source is active; `None` if they depend on the network.
    pub rate: Option<f64>,
    /// Mean application bytes of a flow.
    pub mean_size: f64,
    /// What it draws, in a word or two each.
    pub draws: Vec<&'static str>,
    /// The tail of sizes that are drawn; of several laws, the heaviest.
    pub tail: Option<Tail>,
    /// Mean bytes of a flow on the wire, first transmissions only, headers included.
    pub mean_wire: f64,
    /// Flows to expect before the run ends; with a closed loop, those of the shortest times that the paths allow.
    pub flows: f64,
    /// Listed flows that start only after the run ends.
    pub late: u64,
    /// Pairs (indices into `Plan::pairs`) and the bits a second that the source offers to each; a closed loop adapts to
    /// the network and offers 0.
    pub offered: Vec<(u32, f64)>,
}
