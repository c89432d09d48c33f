//! How a law in another language stands, for tables and traces: what a library may export with its law.

use alloc::vec::Vec;
use core::ffi::{CStr, c_char, c_void};

use crate::ABI;
use crate::law::{MOST_TOLD, Refusal};

/// The name under which a library exports its [`Account`]. It may have none.
pub const ACCOUNT: &CStr = c"dumbbell_account";

/// Longest name of a state, an estimate or a unit, in bytes.
const MAX_WORD: usize = 32;

/// An estimate that a law goes by.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Quantity {
    /// Its name: up to 32 letters, digits and signs of ASCII, and a zero at the end.
    pub name: *const c_char,
    /// Its unit, likewise; empty for a number.
    pub unit: *const c_char,
    /// What stands for one of its unit: the value is what `tell` writes, divided by this.
    pub scale: u64,
}

/// How a connection stands.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Standing {
    /// The place of its state in the list of states.
    pub state: u32,
    /// Zero.
    pub reserved: u32,
    /// Round trips so far, as the law counts them; 0 if it does not.
    pub round: u64,
}

/// The states and estimates of a law.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Account {
    /// [`ABI`].
    pub abi: u32,
    /// How many states there are: at least one.
    pub states: u32,
    /// How many estimates.
    pub estimates: u32,
    /// Zero.
    pub reserved: u32,
    /// The names of the states.
    pub state: *const *const c_char,
    /// The estimates; may be null if there are none.
    pub estimate: *const Quantity,
    /// Writes how a connection stands, and the value of each estimate; [`Account::NONE`] is one without a bound.
    pub tell: Option<unsafe extern "C" fn(state: *const c_void, standing: *mut Standing, values: *mut i64)>,
}

// SAFETY: an account never changes, and what it points to lives as long as the program or the library.
#[allow(unsafe_code, reason = "a table of names and a function is a constant")]
unsafe impl Sync for Account {}
// SAFETY: as above.
#[allow(unsafe_code, reason = "a table of names and a function is a constant")]
unsafe impl Send for Account {}

/// What an account declares: the names of states; name, unit and scale of each estimate.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Told<'a> {
    /// The names of the states.
    pub states: Vec<&'a str>,
    /// Name, unit and scale of each estimate.
    pub estimates: Vec<(&'a str, &'a str, u64)>,
}

impl Account {
    /// The value of an estimate without a bound.
    pub const NONE: i64 = i64::MAX;

    /// What it declares, if that can be shown.
    ///
    /// # Errors
    /// If a number, a name or the function is wrong.
    ///
    /// # Safety
    /// If `abi` is that of this contract, the lists are null or as long as the account says; their texts end with a zero. All of it
    /// lives as long as the account.
    #[allow(unsafe_code, reason = "lists and texts of C")]
    pub unsafe fn check(&self) -> Result<Told<'_>, Refusal> {
        if self.abi != ABI {
            return Err(Refusal::Abi(self.abi));
        }
        let (states, estimates) = (self.states, self.estimates);
        if states == 0 || states.max(estimates) > MOST_TOLD {
            return Err(Refusal::Told(states, estimates));
        }
        if self.tell.is_none() {
            return Err(Refusal::Function("tell"));
        }
        if self.state.is_null() || (estimates > 0 && self.estimate.is_null()) {
            return Err(Refusal::Word);
        }
        let mut told = Told::default();
        // SAFETY: by the caller.
        unsafe {
            for i in 0..states as usize {
                told.states
                    .push(word(*self.state.add(i)).filter(|word| !word.is_empty()).ok_or(Refusal::Word)?);
            }
            for i in 0..estimates as usize {
                let Quantity { name, unit, scale } = *self.estimate.add(i);
                let name = word(name).filter(|word| !word.is_empty() && scale > 0).ok_or(Refusal::Word)?;
                told.estimates.push((name, word(unit).ok_or(Refusal::Word)?, scale));
            }
        }
        Ok(told)
    }
}

/// A word of C, if it is one: printable and short.
#[allow(unsafe_code, reason = "a text of C")]
unsafe fn word<'a>(text: *const c_char) -> Option<&'a str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: by the caller, the text ends with a zero.
    let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
    let plain = bytes.len() <= MAX_WORD && bytes.iter().all(u8::is_ascii_graphic);
    core::str::from_utf8(bytes).ok().filter(|_| plain)
}
