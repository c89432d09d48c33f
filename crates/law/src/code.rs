//! Instructions, and the names of what they read and write.

use dumbbell_cc::{Control, Rate, Sent, Signals, Time};

/// What an operand of an instruction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    /// Nothing: it is not looked at.
    None,
    /// A word.
    Word,
    /// An instruction.
    Target,
    /// An array.
    Array,
}

/// Declares the instructions once: their numbers, names and operands.
macro_rules! ops {
    ( $( $(#[doc = $doc:literal])+ $name:ident($a:ident, $b:ident, $c:ident) ),+ $(,)? ) => {
        /// What an instruction does.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Op { $( $(#[doc = $doc])+ $name ),+ }

        impl Op {
            /// All, in the order of their numbers.
            pub const ALL: &'static [Op] = &[ $( Op::$name ),+ ];

            /// The name.
            pub const fn name(self) -> &'static str {
                match self { $( Op::$name => stringify!($name) ),+ }
            }

            pub(crate) const fn operands(self) -> [Operand; 3] {
                match self { $( Op::$name => [Operand::$a, Operand::$b, Operand::$c] ),+ }
            }
        }
    };
}

ops! {
    /// The event is answered.
    End(None, None, None),
    /// `a = b`
    Move(Word, Word, None),
    /// `a = b + c`
    Add(Word, Word, Word),
    /// `a = b - c`
    Sub(Word, Word, Word),
    /// `a = b * c`
    Mul(Word, Word, Word),
    /// `a = b // c`
    Div(Word, Word, Word),
    /// `a = b % c`
    Rem(Word, Word, Word),
    /// `a = a * b // c`
    MulDiv(Word, Word, Word),
    /// `a = b & c`
    And(Word, Word, Word),
    /// `a = b | c`
    Or(Word, Word, Word),
    /// `a = b ^ c`
    Xor(Word, Word, Word),
    /// `a = b << c`
    Shl(Word, Word, Word),
    /// `a = b >> c`
    Shr(Word, Word, Word),
    /// `a = min(b, c)`
    Min(Word, Word, Word),
    /// `a = max(b, c)`
    Max(Word, Word, Word),
    /// `a = isqrt(b)`
    Sqrt(Word, Word, None),
    /// `a = icbrt(b)`
    Cbrt(Word, Word, None),
    /// `a = b == c`
    Eq(Word, Word, Word),
    /// `a = b != c`
    Ne(Word, Word, Word),
    /// `a = b < c`
    Lt(Word, Word, Word),
    /// `a = b <= c`
    Le(Word, Word, Word),
    /// Goes to `a`.
    Jump(Target, None, None),
    /// Goes to `a` if `b` is not 0.
    JumpIf(Target, Word, None),
    /// Goes to `a` if `b` is 0.
    JumpIfNot(Target, Word, None),
    /// Goes to `a` if `b == c`.
    JumpEq(Target, Word, Word),
    /// Goes to `a` if `b != c`.
    JumpNe(Target, Word, Word),
    /// Goes to `a` if `b < c`.
    JumpLt(Target, Word, Word),
    /// Goes to `a` if `b <= c`.
    JumpLe(Target, Word, Word),
    /// `a` = signal number `b`; 0 if there is none.
    Signal(Word, None, None),
    /// `a` = control number `b`; 0 if there is none.
    Control(Word, None, None),
    /// Control number `b` = `a`.
    Write(Word, None, None),
    /// `a` = element `c` of the array `b`; 0 outside it.
    Get(Word, Array, Word),
    /// Element `b` of the array `a` = `c`; nothing outside it.
    Put(Array, Word, Word),
    /// `a` = a random number from 0 to 2^63 - 1.
    Draw(Word, None, None),
    /// `b` = where the next instruction is; goes to `a`.
    Call(Target, Word, None),
    /// Goes where `b` says.
    Return(None, Word, None),
    /// `a = b + c`, of real numbers of ordinary size; of others nothing, and the next instruction is left out.
    RealAdd(Word, Word, Word),
    /// The same of `a = b * c`.
    RealMul(Word, Word, Word),
    /// The same of `a = b / c`.
    RealDiv(Word, Word, Word),
}

/// One instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Insn {
    /// What it does.
    pub op: Op,
    /// The first operand: as a rule the word that it writes.
    pub a: u16,
    /// The second.
    pub b: u16,
    /// The third.
    pub c: u16,
}

/// An unsigned number as the machine has it: saturated.
#[inline]
pub(crate) const fn signed(number: u64) -> i64 {
    if number > i64::MAX as u64 { i64::MAX } else { number.cast_signed() }
}

/// What an event brings.
pub(crate) trait Inputs {
    /// The number of a field; 0 if there is none.
    fn field(&self, number: u16) -> i64;
}

/// Declares the fields of an event: their names, in order, and how they are read.
macro_rules! inputs {
    ( $(#[doc = $doc:literal])+ $list:ident of $event:ident as $e:ident: $( $number:literal $name:literal $value:expr; )+ ) => {
        $(#[doc = $doc])+
        pub const $list: &[&str] = &[ $( $name ),+ ];

        impl Inputs for $event {
            #[inline]
            fn field(&self, number: u16) -> i64 {
                let $e = self;
                match number {
                    $( $number => $value, )+
                    _ => 0,
                }
            }
        }
    };
}

inputs! {
    /// The signals that a program may read, in the order of their numbers.
    SIGNALS of Signals as s:
    0 "now" signed(s.now.as_nanos());
    1 "acked" signed(s.acked);
    2 "flight" signed(s.flight);
    3 "in_recovery" i64::from(s.in_recovery);
    4 "window_limited" i64::from(s.window_limited);
    5 "growth_limit" signed(s.growth_limit);
    6 "mss" i64::from(s.mss);
    7 "initial_window" signed(s.initial_window);
    8 "delivered" signed(s.delivered);
    9 "rtt" signed(s.rtt.as_nanos());
    10 "smoothed_rtt" signed(s.smoothed_rtt.as_nanos());
    11 "min_rtt" signed(s.min_rtt.as_nanos());
    12 "feedback" s.feedback;
    13 "lost" signed(s.lost);
    14 "marked" signed(s.marked);
    15 "round" signed(s.round);
    16 "repeated" i64::from(s.repeated);
    17 "event" i64::from(s.event as u8);
    18 "rate.rate" signed(s.rate.rate.raw());
    19 "rate.interval" signed(s.rate.interval.as_nanos());
    20 "rate.delivered" signed(s.rate.delivered);
    21 "rate.prior_delivered" signed(s.rate.prior_delivered);
    22 "rate.lost" signed(s.rate.lost);
    23 "rate.in_flight" signed(s.rate.in_flight);
    24 "rate.packets_in_flight" i64::from(s.rate.packets_in_flight);
    25 "rate.app_limited" i64::from(s.rate.app_limited);
    26 "held" signed(s.held);
    27 "departs_at" signed(s.departs_at.as_nanos());
}

inputs! {
    /// What a program may read of a segment that leaves, in the order of their numbers.
    SENT of Sent as s:
    0 "now" signed(s.now.as_nanos());
    1 "flight" signed(s.flight);
    2 "bytes" i64::from(s.bytes);
    3 "again" i64::from(s.again);
}

/// What an event brings, in the order of [`SIGNALS`], as a program reads it.
pub fn signal_numbers(signals: &Signals) -> [i64; SIGNALS.len()] {
    core::array::from_fn(|number| signals.field(number as u16))
}

/// What a segment that leaves brings, in the order of [`SENT`].
pub fn sent_numbers(sent: &Sent) -> [i64; SENT.len()] {
    core::array::from_fn(|number| sent.field(number as u16))
}

/// What a program may read and write of a control, in the order of their numbers.
pub const CONTROL: &[&str] = &["window", "threshold", "pacing", "wake_at", "request", "quantum"];

#[inline]
pub(crate) fn read(control: &Control, number: u16) -> i64 {
    match number {
        0 => signed(control.window),
        1 => signed(control.threshold),
        2 => signed(control.pacing.raw()),
        3 => signed(control.wake_at.as_nanos()),
        4 => control.request,
        5 => signed(control.quantum),
        _ => 0,
    }
}

/// Negative numbers become 0, but for a request.
#[inline]
pub(crate) fn write(control: &mut Control, number: u16, value: i64) {
    let size = value.max(0) as u64;
    match number {
        0 => control.window = size,
        1 => control.threshold = size,
        2 => control.pacing = Rate::from_raw(size),
        3 => control.wake_at = Time::from_nanos(size),
        4 => control.request = value,
        5 => control.quantum = size,
        _ => {}
    }
}
