//! Where a plan comes from: the scenario with every default spelled out, and its hash.

use std::collections::BTreeMap;
use std::sync::Arc;

use dumbbell_core::registry::Registry;
use dumbbell_core::{Config, Value};
use sha2::{Digest, Sha256};

use crate::files::hex;

/// What a plan was made from; a copy is small.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Every field of the scenario, under any seed.
    resolved: Arc<Value>,
    seed: u64,
    /// The names of the files read, with the SHA-256 of each.
    files: Arc<BTreeMap<String, String>>,
    /// What the scenario names.
    registry: Registry,
}

impl Origin {
    pub(crate) fn new(
        resolved: Value,
        seed: u64,
        files: &BTreeMap<String, String>,
        registry: Registry,
    ) -> Origin {
        Origin { resolved: Arc::new(resolved), seed, files: Arc::new(files.clone()), registry }
    }

    /// What the scenario names.
    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    pub(crate) fn with_seed(&self, seed: u64) -> Origin {
        Origin { seed, ..self.clone() }
    }

    /// The name that the scenario gives itself.
    pub fn name(&self) -> Option<&str> {
        match self.resolved.get("name") {
            Some(Value::Str(name)) => Some(name),
            _ => None,
        }
    }

    /// Every field of the scenario, defaults filled in.
    pub fn scenario(&self) -> Value {
        let mut scenario = (*self.resolved).clone();
        scenario.insert("seed", self.seed.to_value());
        scenario
    }

    /// SHA-256 of the scenario with every default spelled out, and of the files it names; in hexadecimal. Worked out
    /// anew each time: few of the many plans of a study are asked.
    pub fn hash(&self) -> String {
        let mut resolved = self.scenario();
        let files = self.files.iter().map(|(name, digest)| (name.clone(), Value::from(digest.as_str())));
        resolved.insert("files", Value::Table(files.collect()));
        let text =
            serde_json::to_string(&resolved).expect("a resolved scenario holds finite numbers and text keys");
        hex(&Sha256::digest(text))
    }
}
