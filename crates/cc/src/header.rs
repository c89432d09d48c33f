//! The contract for C: `controller.h`.

use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

use crate::declare::{Numbers, Struct};
use crate::{
    ABI, Account, Class, Control, Event, Exchange, MAX_STATE, MOST_TOLD, Needs, Rate, RateSample, Repair,
    Sent, Signals,
};

const STRUCTS: [Struct; 4] = [RateSample::DECLARED, Signals::DECLARED, Sent::DECLARED, Control::DECLARED];
const NUMBERS: [Numbers; 4] = [Event::DECLARED, Class::DECLARED, Repair::DECLARED, Exchange::DECLARED];

/// What stands before the declarations.
const ABOVE: &str = "\
/* Congestion controllers for dumbbell, in C. Generated from crates/cc of dumbbell; do not edit.
 *
 * A library exports one `const struct dumbbell_law dumbbell_law`. Sizes are bytes, times nanoseconds, rates units of
 * 2^-DUMBBELL_RATE_SHIFT bytes a second. No number is above 2^63 - 1. */
#ifndef DUMBBELL_CONTROLLER_H
#define DUMBBELL_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

";

/// What stands after them.
const BELOW: &str = "\
/* A stream of random numbers: xoshiro256++. */
struct dumbbell_random {
    uint64_t state[4];
};

/* The next 64 bits of a stream. */
static inline uint64_t dumbbell_draw(struct dumbbell_random *random)
{
    uint64_t *s = random->state, sum = s[0] + s[3], shifted = s[1] << 17;
    uint64_t drawn = (sum << 23 | sum >> 41) + s[0];
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = s[3] << 45 | s[3] >> 19;
    return drawn;
}

/* A controller. */
struct dumbbell_law {
    /* DUMBBELL_ABI. */
    uint32_t abi;
    /* Bytes of state of a connection, at most DUMBBELL_MAX_STATE; it begins at a multiple of 8, as zeros. */
    uint32_t state_bytes;
    /* What it needs: DUMBBELL_NEEDS_... with | between; 0 for nothing but sums. */
    uint32_t needs;
    /* enum dumbbell_class. */
    uint8_t class_;
    /* enum dumbbell_repair. */
    uint8_t repair;
    /* enum dumbbell_exchange; not DUMBBELL_EXCHANGE_NONE with DUMBBELL_NEEDS_ROUTERS. */
    uint8_t exchange;
    /* Zero. */
    uint8_t reserved;
    /* What tables call it: lower-case letters, digits and -, 32 at most. */
    const char *name;
    /* Fills in the state of a new connection; may be null. random is null unless DUMBBELL_NEEDS_RANDOM. */
    void (*start)(void *state, const struct dumbbell_random *random);
    /* Answers an event by changing the control. */
    void (*on)(void *state, const struct dumbbell_signals *signals, struct dumbbell_control *control);
    /* Answers a segment that leaves by changing the control; null unless DUMBBELL_NEEDS_SENT. */
    void (*on_sent)(void *state, const struct dumbbell_sent *sent, struct dumbbell_control *control);
};

/* An estimate that a law goes by: up to 32 letters, digits and signs, a unit likewise or empty, and what stands for one
 * of the unit: the value is what tell writes, divided by scale. */
struct dumbbell_quantity {
    const char *name;
    const char *unit;
    uint64_t scale;
};

/* How a connection stands: the place of its state in the list; round trips so far, 0 if nobody counts them. */
struct dumbbell_standing {
    uint32_t state;
    uint32_t reserved;
    uint64_t round;
};

/* The states and estimates of a law, for tables and traces. A library may export one as
 * `const struct dumbbell_account dumbbell_account`. */
struct dumbbell_account {
    /* DUMBBELL_ABI. */
    uint32_t abi;
    /* How many states, at least one, and estimates: DUMBBELL_MOST_TOLD of each at most. */
    uint32_t states;
    uint32_t estimates;
    /* Zero. */
    uint32_t reserved;
    /* The names of the states. */
    const char *const *state;
    /* The estimates; may be null if there are none. */
    const struct dumbbell_quantity *estimate;
    /* Writes how a connection stands, and the value of each estimate: DUMBBELL_UNBOUNDED without a bound. */
    void (*tell)(const void *state, struct dumbbell_standing *standing, int64_t *values);
};

#endif
";

/// The text of `controller.h`.
pub fn text() -> String {
    let mut text = String::from(ABOVE);
    for (name, value) in [
        ("ABI", format!("{ABI}u /* number of this contract */")),
        ("MAX_STATE", format!("{MAX_STATE}u /* bytes of state of a connection, at most */")),
        ("RATE_SHIFT", format!("{} /* a byte a second is 1 << DUMBBELL_RATE_SHIFT */", Rate::SHIFT)),
        ("UNLIMITED", format!("UINT64_C({}) /* no threshold */", Control::UNLIMITED)),
        ("UNPACED", format!("UINT64_C({}) /* no pacing */", Control::UNPACED.raw())),
        ("MOST_TOLD", format!("{MOST_TOLD}u /* states, and estimates, of a law */")),
        ("UNBOUNDED", format!("INT64_C({}) /* an estimate without a bound */", Account::NONE)),
        ("NEVER", format!("UINT64_C({}) /* no wake-up */", Control::NEVER.as_nanos())),
    ] {
        // Writing into a string does not fail.
        let _ = writeln!(text, "#define DUMBBELL_{name} {value}");
    }
    text.push('\n');
    for numbers in NUMBERS {
        comment(&mut text, "", numbers.doc);
        let _ = writeln!(text, "enum dumbbell_{} {{", numbers.name);
        for (name, number, doc) in numbers.members {
            comment(&mut text, "    ", doc);
            let _ = writeln!(text, "    DUMBBELL_{name} = {number},");
        }
        text.push_str("};\n\n");
    }
    text.push_str("/* What a controller needs of the transport besides sums. */\nenum dumbbell_needs {\n");
    for (name, need, doc) in Needs::ALL {
        comment(&mut text, "    ", doc);
        let _ = writeln!(text, "    DUMBBELL_NEEDS_{name} = {},", need.bits());
    }
    text.push_str("};\n\n");
    for declared in STRUCTS {
        comment(&mut text, "", declared.doc);
        let _ = writeln!(text, "struct dumbbell_{} {{", declared.name);
        for field in declared.fields {
            comment(&mut text, "    ", field.doc);
            let _ = writeln!(text, "    {} {}{};", field.kind, field.name, field.suffix);
        }
        text.push_str("};\n\n");
    }
    text.push_str(BELOW);
    text
}

/// Where the fields of the structs lie, a line each: `struct.field offset size`.
pub fn layout() -> String {
    let mut text = String::new();
    for declared in STRUCTS {
        let _ = writeln!(text, "{} {}", declared.name, declared.size);
        for field in declared.fields {
            let _ = writeln!(text, "{}.{} {} {}", declared.name, field.name, field.offset, field.size);
        }
    }
    text
}

/// The names and numbers, a line each.
pub fn numbers() -> String {
    let mut text = String::new();
    for (name, number, _) in NUMBERS.iter().flat_map(|numbers| numbers.members) {
        let _ = writeln!(text, "{name} {number}");
    }
    for (name, need, _) in Needs::ALL {
        let _ = writeln!(text, "NEEDS_{name} {}", need.bits());
    }
    text
}

/// A comment, with the names that C has.
fn comment(text: &mut String, indent: &str, doc: &[&str]) {
    let mut words = String::new();
    for line in doc {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(line.trim());
    }
    let _ = write!(text, "{indent}/*");
    let mut column = indent.len() + 2;
    for word in words.split(' ') {
        let word = in_c(word);
        if column + 1 + word.len() > 116 {
            let _ = write!(text, "\n{indent} *");
            column = indent.len() + 2;
        }
        let _ = write!(text, " {word}");
        column += 1 + word.len();
    }
    text.push_str(" */\n");
}

/// A word of a comment: `Needs::RATES` is DUMBBELL_NEEDS_RATES, `Control::pacing` is control.pacing.
fn in_c(word: &str) -> String {
    let Some(start) = word.find('`') else { return word.into() };
    let Some(end) = word.rfind('`').filter(|end| *end > start) else { return word.replace('`', "") };
    let (before, name, after) = (&word[..start], &word[start + 1..end], &word[end + 1..]);
    let named = match name.split_once("::") {
        None => name.into(),
        Some(("Needs", need)) => format!("DUMBBELL_NEEDS_{need}"),
        Some(("Class", class)) => format!("DUMBBELL_CLASS_{}", class.to_uppercase()),
        Some(("Event", event)) => format!("DUMBBELL_{}", event.to_uppercase()),
        Some((_, number)) if number.chars().all(|c| c.is_uppercase()) => format!("DUMBBELL_{number}"),
        Some((owner, field)) => format!("{}.{field}", owner.to_lowercase()),
    };
    format!("{before}{named}{after}")
}
