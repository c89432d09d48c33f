//! The machine: one connection under a program.

use alloc::boxed::Box;
use alloc::sync::Arc;

use dumbbell_cc::{Control, Estimate, Event, Random, Rate, Sent, Signals, Stand};

use crate::code::{Inputs, Insn, Op, read, write};
use crate::image::Program;
use crate::math;

/// Instructions that an answer may take, those counted that it jumps over. The front end refuses an answer of more than a million,
/// loops unrolled, so only a hostile image needs more, and ends.
const FUEL: u32 = 1 << 20;

/// A connection under a program.
#[derive(Clone, Debug)]
pub struct Machine {
    program: Arc<Program>,
    words: Box<[i64]>,
}

impl Machine {
    /// A new connection.
    pub fn new(program: Arc<Program>) -> Machine {
        let words = program.words.clone();
        Machine { program, words }
    }

    /// Keeps a random stream, before the first event.
    pub fn start(&mut self, random: &Random) {
        if let Some(at) = self.program.random {
            self.words[at..at + 4].copy_from_slice(&random.state().map(u64::cast_signed));
        }
    }

    /// Answers an event by changing the control.
    #[inline]
    pub fn on(&mut self, signals: &Signals, control: &mut Control) {
        let entry = self.program.entries[signals.event as usize];
        run(&self.program, &mut self.words, entry, signals, control);
    }

    /// Answers a segment that leaves by changing the control.
    #[inline]
    pub fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        let entry = self.program.entries[Event::ALL.len()];
        run(&self.program, &mut self.words, entry, sent, control);
    }

    /// The words, in the order of the image.
    pub fn words(&self) -> &[i64] {
        &self.words
    }

    /// The words, for machine code of the same program.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [i64] {
        &mut self.words
    }

    /// Takes its first words from another who answers events in its place.
    pub fn take_words(&mut self, words: &[i64]) {
        self.words.iter_mut().zip(words).for_each(|(word, other)| *word = *other);
    }

    /// How it stands, if it has states.
    pub fn stand(&self) -> Option<Stand> {
        let (at, names) = self.program.states.as_ref()?;
        let state = usize::try_from(self.words[*at]).ok().and_then(|number| names.get(number))?;
        Some(Stand::of(state))
    }

    /// Tells what it goes by: the fields with a unit. The largest number is "none", and infinite.
    pub fn estimates(&self, tell: &mut dyn FnMut(Estimate)) {
        for field in &self.program.shown {
            let number = self.words[usize::from(field.word)];
            let (value, unit) = match field.unit {
                "rate" => (Rate::from_raw(number.max(0).cast_unsigned()).as_f64(), "B/s"),
                "ns" => (number as f64 / 1e9, "s"),
                unit => match unit.strip_prefix("real") {
                    Some(unit) => (f64::from_bits(number.cast_unsigned()), unit.trim_start()),
                    None => (number as f64, unit),
                },
            };
            let value = if number == i64::MAX { f64::INFINITY } else { value };
            tell(Estimate { name: field.name, unit, value });
        }
    }
}

#[inline]
fn run<I: Inputs>(program: &Program, words: &mut [i64], entry: u16, inputs: &I, control: &mut Control) {
    let code = &*program.code;
    let mut at = usize::from(entry);
    let mut fuel = FUEL;
    // Instructions from here on are not paid for.
    let mut from = at;
    // An event without an answer begins beyond the last instruction.
    while let Some(Insn { op, a, b, c }) = code.get(at) {
        let (a, b, c) = (usize::from(*a), usize::from(*b), usize::from(*c));
        at += 1;
        macro_rules! pay {
            ($to:expr) => {{
                let Some(left) = fuel.checked_sub((at - from) as u32) else { return };
                (fuel, at) = (left, $to);
                from = at;
            }};
        }
        macro_rules! jump {
            ($goes:expr) => {{
                if $goes {
                    if a < at {
                        pay!(a);
                    } else {
                        at = a;
                    }
                }
                continue;
            }};
        }
        macro_rules! real {
            ($of:expr) => {{
                let Some((x, y)) = math::plain(words[b], words[c]) else {
                    at += 1;
                    continue;
                };
                let of: fn(f64, f64) -> f64 = $of;
                of(x, y).to_bits().cast_signed()
            }};
        }
        let value = match op {
            Op::End => return,
            Op::Move => words[b],
            Op::Add => words[b].wrapping_add(words[c]),
            Op::Sub => words[b].wrapping_sub(words[c]),
            Op::Mul => words[b].wrapping_mul(words[c]),
            Op::Div => math::div(words[b], words[c]),
            Op::Rem => math::rem(words[b], words[c]),
            Op::MulDiv => math::mul_div(words[a], words[b], words[c]),
            Op::And => words[b] & words[c],
            Op::Or => words[b] | words[c],
            Op::Xor => words[b] ^ words[c],
            Op::Shl => math::shl(words[b], words[c]),
            Op::Shr => math::shr(words[b], words[c]),
            Op::Min => words[b].min(words[c]),
            Op::Max => words[b].max(words[c]),
            Op::Sqrt => math::sqrt(words[b]),
            Op::Cbrt => math::cbrt(words[b]),
            Op::Eq => i64::from(words[b] == words[c]),
            Op::Ne => i64::from(words[b] != words[c]),
            Op::Lt => i64::from(words[b] < words[c]),
            Op::Le => i64::from(words[b] <= words[c]),
            Op::Signal => inputs.field(b as u16),
            Op::Control => read(control, b as u16),
            Op::Get => {
                let array = &words[program.arrays[b].clone()];
                usize::try_from(words[c]).ok().and_then(|i| array.get(i)).copied().unwrap_or(0)
            }
            Op::Draw => draw(words, program.random),
            Op::RealAdd => real!(|x, y| x + y),
            Op::RealMul => real!(|x, y| x * y),
            Op::RealDiv => real!(|x, y| x / y),
            Op::Write => {
                write(control, b as u16, words[a]);
                continue;
            }
            Op::Put => {
                let (place, value) = (usize::try_from(words[b]), words[c]);
                let array = &mut words[program.arrays[a].clone()];
                place.ok().and_then(|i| array.get_mut(i)).into_iter().for_each(|word| *word = value);
                continue;
            }
            Op::Jump => jump!(true),
            Op::JumpIf => jump!(words[b] != 0),
            Op::JumpIfNot => jump!(words[b] == 0),
            Op::JumpEq => jump!(words[b] == words[c]),
            Op::JumpNe => jump!(words[b] != words[c]),
            Op::JumpLt => jump!(words[b] < words[c]),
            Op::JumpLe => jump!(words[b] <= words[c]),
            Op::Call => {
                words[b] = i64::try_from(at).unwrap_or(i64::MAX);
                pay!(a);
                continue;
            }
            Op::Return => {
                // Outside the code nothing is left to do.
                pay!(usize::try_from(words[b]).unwrap_or(usize::MAX));
                continue;
            }
        };
        words[a] = value;
    }
}

/// The next number of the stream, as `dumbbell_cc::Random` draws it.
fn draw(words: &mut [i64], random: Option<usize>) -> i64 {
    let Some([s0, s1, s2, s3]) = random.and_then(|at| words[at..].first_chunk_mut()) else { return 0 };
    let mut stream = Random::of_state([*s0, *s1, *s2, *s3].map(i64::cast_unsigned));
    let drawn = stream.draw() >> 1;
    [*s0, *s1, *s2, *s3] = stream.state().map(u64::cast_signed);
    drawn.cast_signed()
}
