//! Images: a program as bytes, and what makes them fit to run.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use dumbbell_cc::{Class, Event, Exchange, MAX_STATE, Needs, Repair};

use crate::code::{Insn, Op, Operand};

/// How an image begins.
const MAGIC: [u8; 4] = *b"DBL1";
/// Most words of a connection.
const MAX_WORDS: usize = MAX_STATE as usize / 8;
/// Most instructions.
const MAX_CODE: usize = 1 << 15;
/// Longest name of a law, in bytes.
const MAX_NAME: usize = 32;
/// Stands for no word and no instruction.
const NONE: u16 = u16::MAX;

/// Why an image is no program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unfit(pub &'static str);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A word that is shown to users.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    pub word: u16,
    /// Its name.
    pub name: &'static str,
    /// Its unit; empty for a number.
    pub unit: &'static str,
}

/// A controller as byte code, fit to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// What tables call it.
    pub name: &'static str,
    /// What moves the window.
    pub class: Class,
    /// What it needs of the transport.
    pub needs: Needs,
    /// How losses are repaired where SACK is not used.
    pub repair: Repair,
    /// The header in which it asks routers.
    pub exchange: Exchange,
    /// The words of a new connection.
    pub(crate) words: Box<[i64]>,
    pub(crate) arrays: Box<[Range<usize>]>,
    /// The first of four words of a random stream.
    pub(crate) random: Option<usize>,
    /// Where the answers begin: to each event in the order of [`Event::ALL`], then to a segment that leaves.
    pub(crate) entries: [u16; Event::ALL.len() + 1],
    pub(crate) code: Box<[Insn]>,
    /// The word that holds the number of its state, and the names of the states.
    pub(crate) states: Option<(usize, Box<[&'static str]>)>,
    /// What it goes by.
    pub(crate) shown: Box<[Field]>,
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Unfit> {
        let (first, rest) = self.0.split_at_checked(count).ok_or(Unfit("it ends early"))?;
        self.0 = rest;
        Ok(first)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Unfit> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    fn byte(&mut self) -> Result<u8, Unfit> {
        self.array().map(|[byte]| byte)
    }

    fn short(&mut self) -> Result<u16, Unfit> {
        self.array().map(u16::from_le_bytes)
    }

    fn text(&mut self) -> Result<&'a str, Unfit> {
        let length = self.byte()?;
        core::str::from_utf8(self.take(usize::from(length))?).map_err(|_| Unfit("a name is not text"))
    }

    /// A text for as long as the process: names of states go into tables that outlive their run.
    fn lasting(&mut self) -> Result<&'static str, Unfit> {
        Ok(Box::leak(String::into_boxed_str(self.text()?.to_owned())))
    }
}

impl Program {
    /// The program of an image.
    ///
    /// # Errors
    /// If anything in it would lead outside it.
    pub fn read(image: &[u8]) -> Result<Program, Unfit> {
        let mut r = Reader(image);
        if r.array()? != MAGIC {
            return Err(Unfit("it is for another version"));
        }
        let needs = u32::from_le_bytes(r.array()?);
        let [class, repair, exchange] = r.array()?;
        let needs = Needs::of_bits(needs).ok_or(Unfit("it needs what does not exist"))?;
        let class = Class::of(class).ok_or(Unfit("its class has no meaning"))?;
        let repair = Repair::of(repair).ok_or(Unfit("its repair has no meaning"))?;
        let exchange = Exchange::of(exchange)
            .filter(|exchange| needs.any(Needs::ROUTERS) == (*exchange != Exchange::None))
            .ok_or(Unfit("its exchange does not go with its needs"))?;
        let name = r.text()?;
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(plain) {
            return Err(Unfit("its name is not 1 to 32 of a-z, 0-9 and -"));
        }
        let count = usize::from(r.short()?);
        if count == 0 || count > MAX_WORDS {
            return Err(Unfit("it has too much state"));
        }
        let words = (0..count).map(|_| r.array().map(i64::from_le_bytes)).collect::<Result<Box<_>, _>>()?;
        let inside = |from: u16, count: u16| {
            let range = usize::from(from)..usize::from(from) + usize::from(count);
            if range.end > words.len() { Err(Unfit("it reaches outside its words")) } else { Ok(range) }
        };
        let arrays =
            (0..r.short()?).map(|_| inside(r.short()?, r.short()?)).collect::<Result<Box<_>, _>>()?;
        let random = match r.short()? {
            NONE => None,
            at => Some(inside(at, 4)?.start),
        };
        if random.is_some() != needs.any(Needs::RANDOM) {
            return Err(Unfit("its random numbers do not go with its needs"));
        }
        let mut entries = [NONE; Event::ALL.len() + 1];
        for entry in &mut entries {
            *entry = r.short()?;
        }
        let states = match r.short()? {
            NONE => None,
            at => {
                let at = inside(at, 1)?.start;
                let names = (0..r.byte()?).map(|_| r.lasting()).collect::<Result<Box<_>, _>>()?;
                Some((at, names))
            }
        };
        let mut shown = Vec::new();
        for _ in 0..r.byte()? {
            let word = r.short()?;
            inside(word, 1)?;
            shown.push(Field { word, name: r.lasting()?, unit: r.lasting()? });
        }
        let code = Program::code(&mut r, words.len(), arrays.len(), random.is_some())?;
        if entries.iter().any(|entry| *entry != NONE && usize::from(*entry) >= code.len()) {
            return Err(Unfit("an answer begins outside it"));
        }
        if needs.any(Needs::SENT) != (entries[Event::ALL.len()] != NONE) {
            return Err(Unfit("its answer to segments that leave does not go with its needs"));
        }
        if !r.0.is_empty() {
            return Err(Unfit("something follows it"));
        }
        let name = Box::leak(name.to_owned().into_boxed_str());
        let shown = shown.into();
        Ok(Program {
            name,
            class,
            needs,
            repair,
            exchange,
            words,
            arrays,
            random,
            entries,
            code,
            states,
            shown,
        })
    }

    fn code(r: &mut Reader<'_>, words: usize, arrays: usize, draws: bool) -> Result<Box<[Insn]>, Unfit> {
        let count = usize::from(r.short()?);
        if count > MAX_CODE {
            return Err(Unfit("it has too many instructions"));
        }
        let insn = |_| {
            let [op, _] = r.array()?;
            let op = *Op::ALL.get(usize::from(op)).ok_or(Unfit("it has an instruction without a meaning"))?;
            let insn = Insn { op, a: r.short()?, b: r.short()?, c: r.short()? };
            for (operand, number) in op.operands().into_iter().zip([insn.a, insn.b, insn.c]) {
                let most = match operand {
                    Operand::None => continue,
                    Operand::Word => words,
                    Operand::Target => count,
                    Operand::Array => arrays,
                };
                if usize::from(number) >= most {
                    return Err(Unfit("an instruction leads outside it"));
                }
            }
            if op == Op::Draw && !draws {
                return Err(Unfit("it draws without need"));
            }
            Ok(insn)
        };
        (0..count).map(insn).collect()
    }
}
