//! A controller of the user's own in a library: what `dumbbell-cc` calls a law, loaded from a file.
//!
//! Its code runs in the process with all rights of the user. What it writes is held within bounds; a call that does not return, or
//! that crashes, ends the process with one line ([`guard`]).

mod guard;
mod load;

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use dumbbell_cc::{Account, Declared, Estimate, Law, MOST_TOLD, Refusal, Stand, Standing, Told};
use dumbbell_header::{Exchange, HpccHeader, XcpHeader};

use self::guard::Guard;
use super::contract::Governs;
use super::contract::{Class, Control, Needs, Random, Rate, Repair, Sent, Signals};

pub use self::guard::BUDGET;

/// A library that was loaded. It stays so until the process ends.
#[derive(Debug)]
pub struct Library {
    law: Law,
    declared: Declared<'static>,
    /// How its connections stand, if it tells.
    account: Option<(Account, Told<'static>)>,
    guard: Guard,
}

/// Why a file is no library with a controller: what is wrong, and the remedy.
pub type Unfit = (String, String);

/// The libraries of this process, by the digest of their content.
static LOADED: LazyLock<Mutex<HashMap<String, Arc<Library>>>> = LazyLock::new(Mutex::default);

impl Library {
    /// The library with this content and digest, called `file` in messages. What was loaded before is not loaded again.
    ///
    /// # Errors
    /// If the system cannot load it, or what it exports is not a law of this contract.
    pub fn load(content: &[u8], digest: &str, file: &str) -> Result<Arc<Library>, Unfit> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = loaded.get(digest) {
            return Ok(library.clone());
        }
        let (law, account) =
            load::law(content).map_err(|(what, remedy)| (format!("{file} {what}"), remedy.to_owned()))?;
        let library = Arc::new(Library::of(law, account, file)?);
        loaded.insert(digest.to_owned(), library.clone());
        Ok(library)
    }

    /// A law whose code is part of the process.
    #[allow(unsafe_code, reason = "the law is what its author says")]
    fn of(law: Law, account: Option<Account>, file: &str) -> Result<Library, Unfit> {
        let unfit = |refusal: Refusal, what: &str| {
            let remedy = match refusal {
                Refusal::Abi(_) => "compile it anew with the controller.h of this version".to_owned(),
                _ => format!("mend its `{what}`, as controller.h says"),
            };
            (format!("{file} holds no controller for this version: {refusal}"), remedy)
        };
        // SAFETY: a law of this contract has a name as `Law` says; one of another is refused before its name is read.
        let declared = unsafe { law.check() }.map_err(|refusal| unfit(refusal, "dumbbell_law"))?;
        let declared = Declared { name: kept(declared.name), ..declared };
        let account = match account {
            None => None,
            Some(account) => {
                // SAFETY: as for the law.
                let told =
                    unsafe { account.check() }.map_err(|refusal| unfit(refusal, "dumbbell_account"))?;
                let states = told.states.iter().map(|name| kept(name)).collect();
                let estimates = told
                    .estimates
                    .iter()
                    .map(|(name, unit, scale)| (kept(name), kept(unit), *scale))
                    .collect();
                Some((account, Told { states, estimates }))
            }
        };
        Ok(Library { law, declared, account, guard: Guard::of(file) })
    }

    /// What tables call its controller.
    pub fn name(&self) -> &'static str {
        self.declared.name
    }

    /// What moves the window.
    pub fn class(&self) -> Class {
        self.declared.class
    }

    /// What it needs of the transport.
    pub fn needs(&self) -> Needs {
        self.declared.needs
    }

    /// How losses are repaired where SACK is not used.
    pub fn repair(&self) -> Repair {
        self.declared.repair
    }

    /// The header in which it asks routers.
    pub fn exchange(&self) -> Option<&'static Exchange> {
        exchange(self.declared.exchange)
    }

    /// A controller for a new connection.
    pub fn build(self: &Arc<Library>) -> Foreign {
        let words = (self.law.state_bytes as usize).div_ceil(size_of::<u64>()).max(1);
        let mut foreign = Foreign { library: self.clone(), state: vec![0; words].into() };
        if !self.declared.needs.any(Needs::RANDOM) {
            foreign.begin(None);
        }
        foreign
    }
}

/// A word of a library, for as long as the process, like the code.
fn kept(word: &str) -> &'static str {
    Box::leak(word.to_owned().into_boxed_str())
}

/// The header of an exchange with routers.
pub fn exchange(declared: dumbbell_cc::Exchange) -> Option<&'static Exchange> {
    match declared {
        dumbbell_cc::Exchange::None => None,
        dumbbell_cc::Exchange::Xcp => Some(const { &Exchange::of::<XcpHeader>() }),
        dumbbell_cc::Exchange::Hpcc => Some(const { &Exchange::of::<HpccHeader>() }),
    }
}

/// A controller of a connection, in the code of a library.
#[derive(Clone, Debug)]
pub struct Foreign {
    library: Arc<Library>,
    /// In words, so that it begins where any field may.
    state: Box<[u64]>,
}

#[allow(unsafe_code, reason = "functions of C are called")]
impl Foreign {
    fn begin(&mut self, random: Option<&Random>) {
        let Some(start) = self.library.law.start else { return };
        let random = random.map_or(std::ptr::null(), std::ptr::from_ref);
        let state = self.state.as_mut_ptr().cast::<c_void>();
        // SAFETY: the state is as large as the law says, the stream lives until the call returns.
        self.library.guard.call(|| unsafe { start(state, random) });
    }

    /// What the library writes about the connection.
    fn told(&self) -> Option<(Standing, [i64; MOST_TOLD as usize])> {
        let (account, _) = self.library.account.as_ref()?;
        let tell = account.tell?;
        let (mut standing, mut values) = (Standing::default(), [0; MOST_TOLD as usize]);
        let state = self.state.as_ptr().cast::<c_void>();
        // SAFETY: the state is as large as the law says, and there is room for every estimate that an account may have.
        self.library.guard.call(|| unsafe { tell(state, &raw mut standing, values.as_mut_ptr()) });
        Some((standing, values))
    }

    /// Holds what foreign code has written within what numbers of this contract may be.
    fn hold(control: &mut Control) {
        control.threshold = control.threshold.min(Control::UNLIMITED);
        control.pacing = Rate::from_raw(control.pacing.raw());
        control.wake_at = control.wake_at.min(Control::NEVER);
    }
}

#[allow(unsafe_code, reason = "functions of C are called")]
impl Governs for Foreign {
    fn copy(&self) -> Box<dyn Governs> {
        Box::new(self.clone())
    }

    fn start(&mut self, random: Random) {
        self.begin(Some(&random));
    }

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        let Some(on) = self.library.law.on else { return };
        let state = self.state.as_mut_ptr().cast::<c_void>();
        // SAFETY: the state is as large as the law says, the structs live until the call returns.
        self.library.guard.call(|| unsafe { on(state, signals, control) });
        Foreign::hold(control);
    }

    fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        let Some(on_sent) = self.library.law.on_sent else { return };
        let state = self.state.as_mut_ptr().cast::<c_void>();
        // SAFETY: as for `on`.
        self.library.guard.call(|| unsafe { on_sent(state, sent, control) });
        Foreign::hold(control);
    }

    /// A state that the list of the library does not have is none.
    fn stand(&self) -> Option<Stand> {
        let (_, told) = self.library.account.as_ref()?;
        let (standing, _) = self.told()?;
        let state = told.states.get(standing.state as usize)?;
        Some(Stand { round: standing.round, ..Stand::of(state) })
    }

    fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        let Some(((_, told), (_, values))) = self.library.account.as_ref().zip(self.told()) else { return };
        for ((name, unit, scale), value) in told.estimates.iter().zip(values) {
            let bounded = value != Account::NONE;
            let value = if bounded { value as f64 / *scale as f64 } else { f64::INFINITY };
            tell(Estimate { name, unit, value });
        }
    }
}

/// A controller in Rust as a law of C: both forms can be driven by the same events.
#[cfg(test)]
pub fn as_library<C: super::contract::Controller + Default>(name: &'static std::ffi::CStr) -> Arc<Library> {
    Arc::new(Library::of(Law::of::<C>(name), None, "a test").unwrap())
}

#[cfg(test)]
pub(super) mod tests;
