//! A controller in any language: a table of functions.

use core::ffi::{CStr, c_char, c_void};
use core::fmt;

use crate::{Class, Control, Controller, Exchange, Needs, Random, Repair, Sent, Signals};

/// The number of this contract. It changes with every change of a struct or of a meaning.
pub const ABI: u32 = 2;

/// Bytes of state that a connection may have, at most.
pub const MAX_STATE: u32 = 65_536;

/// States, and estimates, that a law may have, at most.
pub const MOST_TOLD: u32 = 32;

/// The name under which a library exports its [`Law`].
pub const SYMBOL: &CStr = c"dumbbell_law";

/// Longest name of a law, in bytes.
const MAX_NAME: usize = 32;

/// A controller in any language.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Law {
    /// [`ABI`].
    pub abi: u32,
    /// Bytes of state of a connection, at most [`MAX_STATE`]; it begins at a multiple of 8, as zeros.
    pub state_bytes: u32,
    /// [`Needs`].
    pub needs: u32,
    /// [`Class`].
    pub class: u8,
    /// [`Repair`].
    pub repair: u8,
    /// [`Exchange`]; not none with [`Needs::ROUTERS`].
    pub exchange: u8,
    /// Zero.
    pub reserved: u8,
    /// What tables call it: lower-case letters, digits and `-`, 32 at most, with a zero behind them.
    pub name: *const c_char,
    /// Fills in the state of a new connection; may be null. The random numbers are null unless [`Needs::RANDOM`].
    pub start: Option<unsafe extern "C" fn(state: *mut c_void, random: *const Random)>,
    /// Answers an event by changing the control.
    pub on: Option<unsafe extern "C" fn(state: *mut c_void, signals: *const Signals, control: *mut Control)>,
    /// Answers a segment that leaves by changing the control. Only with [`Needs::SENT`].
    pub on_sent: Option<unsafe extern "C" fn(state: *mut c_void, sent: *const Sent, control: *mut Control)>,
}

// SAFETY: a law never changes, and what it points to lives as long as the program or the library.
#[allow(unsafe_code, reason = "a table of functions is a constant")]
unsafe impl Sync for Law {}
// SAFETY: as above.
#[allow(unsafe_code, reason = "a table of functions is a constant")]
unsafe impl Send for Law {}

/// Why a law is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It is made for another contract.
    Abi(u32),
    /// Its state is larger than [`MAX_STATE`].
    State(u32),
    /// It needs what this contract does not have.
    Needs(u32),
    /// Its class has no meaning.
    Class(u8),
    /// Its repair has no meaning.
    Repair(u8),
    /// Its exchange with routers has no meaning, or does not go with its needs.
    Exchange(u8),
    /// It has no name, or one of other letters.
    Name,
    /// It has no states, or more states or estimates than [`MOST_TOLD`].
    Told(u32, u32),
    /// A name or a unit of its account is no word, or a scale is zero.
    Word,
    /// It lacks a function.
    Function(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Abi(number) => write!(f, "it is made for contract {number}, and this is contract {ABI}"),
            Refusal::State(bytes) => {
                write!(f, "its state has {bytes} bytes, more than the limit of {MAX_STATE}")
            }
            Refusal::Needs(bits) => write!(f, "its needs {bits:#x} have bits without a meaning"),
            Refusal::Class(number) => write!(f, "its class {number} has no meaning"),
            Refusal::Repair(number) => write!(f, "its repair {number} has no meaning"),
            Refusal::Exchange(number) => {
                write!(f, "its exchange {number} has no meaning, or does not go with its needs")
            }
            Refusal::Name => write!(f, "its name is not 1 to {MAX_NAME} of a-z, 0-9 and -"),
            Refusal::Told(states, estimates) => write!(
                f,
                "its account has {states} states and {estimates} estimates, not 1 to {MOST_TOLD} and up to {MOST_TOLD}"
            ),
            Refusal::Word => {
                write!(f, "its account has a name or a unit that is not up to 32 letters, or a scale of zero")
            }
            Refusal::Function(name) => write!(f, "it has no function `{name}`"),
        }
    }
}

/// What a law declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declared<'a> {
    /// What tables call it.
    pub name: &'a str,
    /// What moves the window.
    pub class: Class,
    /// What it needs of the transport.
    pub needs: Needs,
    /// How losses are repaired where SACK is not used.
    pub repair: Repair,
    /// The header in which it asks routers.
    pub exchange: Exchange,
}

impl Law {
    /// What it declares, if it can be run here.
    ///
    /// # Errors
    /// If a number, the name or a function is wrong.
    ///
    /// # Safety
    /// If `abi` is that of this contract, `name` is null or points to a text that ends with a zero and lives as long as the law.
    #[allow(unsafe_code, reason = "the name is a text of C")]
    pub unsafe fn check(&self) -> Result<Declared<'_>, Refusal> {
        if self.abi != ABI {
            return Err(Refusal::Abi(self.abi));
        }
        if self.state_bytes > MAX_STATE {
            return Err(Refusal::State(self.state_bytes));
        }
        let needs = Needs::of_bits(self.needs).ok_or(Refusal::Needs(self.needs))?;
        let class = Class::of(self.class).ok_or(Refusal::Class(self.class))?;
        let repair = Repair::of(self.repair).ok_or(Refusal::Repair(self.repair))?;
        let asks = needs.any(Needs::ROUTERS);
        let exchange = Exchange::of(self.exchange)
            .filter(|exchange| asks == (*exchange != Exchange::None))
            .ok_or(Refusal::Exchange(self.exchange))?;
        if self.name.is_null() {
            return Err(Refusal::Name);
        }
        // SAFETY: by the caller.
        let name = unsafe { CStr::from_ptr(self.name) }.to_bytes();
        let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
        if name.is_empty() || name.len() > MAX_NAME || !name.iter().all(plain) {
            return Err(Refusal::Name);
        }
        if self.on.is_none() {
            return Err(Refusal::Function("on"));
        }
        if needs.any(Needs::SENT) && self.on_sent.is_none() {
            return Err(Refusal::Function("on_sent"));
        }
        let name = core::str::from_utf8(name).map_err(|_| Refusal::Name)?;
        Ok(Declared { name, class, needs, repair, exchange })
    }

    /// The law of a controller in Rust, as its library exports it:
    ///
    /// ```
    /// use dumbbell_cc::{Class, Control, Controller, Law, Signals};
    ///
    /// #[derive(Default)]
    /// struct Fixed;
    ///
    /// impl Controller for Fixed {
    ///     const CLASS: Class = Class::Model;
    ///     fn on(&mut self, _: &Signals, control: &mut Control) {
    ///         control.window = 20_000;
    ///     }
    /// }
    ///
    /// #[unsafe(no_mangle)]
    /// pub static dumbbell_law: Law = Law::of::<Fixed>(c"fixed");
    /// ```
    #[allow(unsafe_code, reason = "functions of C get pointers")]
    pub const fn of<C: Controller + Default>(name: &'static CStr) -> Law {
        const {
            assert!(align_of::<C>() <= 8 && size_of::<C>() <= MAX_STATE as usize);
            assert!(!core::mem::needs_drop::<C>(), "nobody would drop the state");
            assert!(!C::NEEDS.any(Needs::ROUTERS), "which header it asks in stands in the law");
        }
        unsafe extern "C" fn start<C: Controller + Default>(state: *mut c_void, random: *const Random) {
            let mut controller = C::default();
            // SAFETY: null, or a stream.
            if let Some(random) = unsafe { random.as_ref() } {
                controller.start(random.clone());
            }
            // SAFETY: the state has room for it.
            unsafe { state.cast::<C>().write(controller) };
        }
        unsafe extern "C" fn on<C: Controller>(
            state: *mut c_void,
            signals: *const Signals,
            control: *mut Control,
        ) {
            // SAFETY: `start` has filled in the state; the others are structs of the caller.
            unsafe { (*state.cast::<C>()).on(&*signals, &mut *control) };
        }
        unsafe extern "C" fn on_sent<C: Controller>(
            state: *mut c_void,
            sent: *const Sent,
            control: *mut Control,
        ) {
            // SAFETY: as for `on`.
            unsafe { (*state.cast::<C>()).on_sent(&*sent, &mut *control) };
        }
        Law {
            abi: ABI,
            state_bytes: size_of::<C>() as u32,
            needs: C::NEEDS.bits(),
            class: C::CLASS as u8,
            repair: C::REPAIR as u8,
            exchange: Exchange::None as u8,
            reserved: 0,
            name: name.as_ptr(),
            start: Some(start::<C>),
            on: Some(on::<C>),
            on_sent: Some(on_sent::<C>),
        }
    }
}
