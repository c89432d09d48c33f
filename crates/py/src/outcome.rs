//! What a run leaves behind, on its way to Python.

use dumbbell_core::Results;
use dumbbell_sim::Plan;
use dumbbell_sim::origin::Origin;

use crate::table::{Provenance, Table};

/// The tables of a run in the order of their declaration; and the line to show if its memory was not enough.
pub type Outcome = (Vec<Table>, Option<String>);

/// The same, before Python sees the tables.
pub struct Raw {
    pub tables: Vec<dumbbell_core::table::Table>,
    pub shortage: Option<String>,
}

impl Raw {
    /// Those of a run of a plan.
    pub fn of(plan: &Plan, results: Results) -> Raw {
        let shortage = results.shortage.map(|s| plan.explain_shortage(&s).to_string());
        Raw { tables: results.into_tables(), shortage }
    }

    /// As Python sees them.
    pub fn outcome(self, plan: &Plan) -> Outcome {
        (Table::all(self.tables, provenance(plan)), self.shortage)
    }
}

/// Version, plan, seed and scenario, as text when somebody asks.
pub fn provenance(plan: &Plan) -> Provenance {
    let (origin, seed) = (plan.origin.clone(), plan.seed);
    Provenance::new(move || {
        let pairs = [
            ("dumbbell.version", env!("CARGO_PKG_VERSION").to_owned()),
            ("dumbbell.plan_hash", origin.hash()),
            ("dumbbell.seed", seed.to_string()),
            ("dumbbell.scenario", as_toml(&origin)),
        ];
        pairs.map(|(key, value)| (key.to_owned(), value)).to_vec()
    })
}

/// The resolved scenario as TOML that `from_toml` reads.
pub fn as_toml(origin: &Origin) -> String {
    toml::to_string(&origin.scenario()).expect("a scenario has a TOML form")
}
