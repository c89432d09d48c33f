//! The contract of controllers is plain C: `controller.h` declares the same structs.

use std::fmt::Write as _;
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

use dumbbell_core::Time;
use dumbbell_proto::{Control, Event, RateSample, Signals};

/// Lines that say where the fields of a struct lie, by Rust, and C code that prints them.
macro_rules! layout {
    ( $rust:ident, $c:literal: $( $field:ident ),+ ) => {{
        let mut rust = format!("{} {}\n", $c, size_of::<$rust>());
        let mut c = format!("printf(\"{0} %zu\\n\", sizeof(struct dumbbell_{0}));\n", $c);
        let (mut end, name) = (0, $c);
        $(
            let (offset, size) = (offset_of!($rust, $field), field_size(|s: &$rust| &raw const s.$field));
            // Fields stand in order with nothing between.
            assert_eq!(offset, end, "{name}.{}", stringify!($field));
            end = offset + size;
            writeln!(rust, "{name}.{} {offset} {size}", stringify!($field)).unwrap();
            let field = stringify!($field);
            writeln!(
                c,
                "printf(\"{name}.{field} %zu %zu\\n\", offsetof(struct dumbbell_{name}, {field}), \
                 sizeof(((struct dumbbell_{name} *)0)->{field}));"
            )
            .unwrap();
        )+
        assert_eq!(end, size_of::<$rust>(), "every field of {name} is listed, and nothing follows the last");
        (rust, c)
    }};
}

fn field_size<S, F>(_: impl Fn(&S) -> *const F) -> usize {
    size_of::<F>()
}

#[test]
fn the_structs_of_controllers_are_those_of_the_header_for_c() {
    let structs = [
        layout!(RateSample, "rate_sample": rate, interval, delivered, prior_delivered, lost, in_flight,
            packets_in_flight, app_limited, reserved),
        layout!(Signals, "signals": now, initial_window, growth_limit, acked, flight, delivered, rtt, smoothed_rtt,
            min_rtt, feedback, lost, marked, round, rate, mss, event, in_recovery, window_limited, repeated),
        layout!(Control, "control": window, threshold, pacing, wake_at, request),
    ];
    let (mut expected, mut code) = (String::new(), String::new());
    for (rust, c) in structs {
        expected += &rust;
        code += &c;
    }
    let events = [
        ("START", Event::Start),
        ("ACK", Event::Ack),
        ("LOSS", Event::Loss),
        ("TIMEOUT", Event::Timeout),
        ("ECN", Event::Ecn),
        ("RECOVERED", Event::Recovered),
        ("IDLE", Event::Idle),
        ("WAKE", Event::Wake),
        ("LOST", Event::Lost),
        ("UNDONE", Event::Undone),
        ("RESTART", Event::Restart),
    ];
    for (name, event) in events {
        writeln!(expected, "{name} {}", event as u8).unwrap();
        writeln!(code, "printf(\"{name} %d\\n\", DUMBBELL_{name});").unwrap();
    }
    let sentinels = [("UNLIMITED", Control::UNLIMITED), ("NEVER", Time::NEVER.as_nanos())];
    for (name, value) in sentinels {
        writeln!(expected, "{name} {value}").unwrap();
        writeln!(code, "printf(\"{name} %llu\\n\", (unsigned long long)DUMBBELL_{name});").unwrap();
    }

    writeln!(expected, "UNPACED {}", Control::UNPACED).unwrap();
    writeln!(code, "printf(\"UNPACED %g\\n\", DUMBBELL_UNPACED);").unwrap();

    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("controller.h");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("layout.c"), folder.join("layout"));
    let includes = format!("#include <stddef.h>\n#include <stdio.h>\n#include \"{}\"\n", header.display());
    std::fs::write(&source, format!("{includes}int main(void) {{\n{code}return 0;\n}}\n")).unwrap();
    let compiled = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpadded", "-Werror", "-o"])
        .args([&program, &source])
        .output();
    let Ok(compiled) = compiled else {
        eprintln!("not compared: there is no `cc`");
        return;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}
