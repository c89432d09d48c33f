//! `controller.h` is the contract of Rust: generated from it, and compiled.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use dumbbell_cc::{Account, Control, Law, Quantity, Random, Standing, header};

fn committed() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("controller.h")
}

/// Run with UPDATE_GOLDEN=1 to write it anew.
#[test]
fn the_header_is_generated() {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(committed(), header::text()).unwrap();
    }
    let found = std::fs::read_to_string(committed()).unwrap();
    assert!(found == header::text(), "controller.h is not what the contract says; run with UPDATE_GOLDEN=1");
}

#[test]
fn compiled_it_has_the_same_layout_and_numbers() {
    let mut expected = header::layout();
    let mut code = String::new();
    for line in header::layout().lines() {
        let place = line.split(' ').next().unwrap();
        let (name, print) = match place.split_once('.') {
            None => (place, format!("sizeof(struct dumbbell_{place})")),
            Some((name, field)) => {
                let of = format!("struct dumbbell_{name}");
                (name, format!("offsetof({of}, {field}), sizeof((({of} *)0)->{field})"))
            }
        };
        let marks = if place == name { "%zu" } else { "%zu %zu" };
        writeln!(code, "printf(\"{place} {marks}\\n\", {print});").unwrap();
    }
    expected += &header::numbers();
    for line in header::numbers().lines() {
        let name = line.split(' ').next().unwrap();
        writeln!(code, "printf(\"{name} %d\\n\", DUMBBELL_{name});").unwrap();
    }
    for (name, value) in [
        ("UNLIMITED", Control::UNLIMITED),
        ("UNPACED", Control::UNPACED.raw()),
        ("NEVER", Control::NEVER.as_nanos()),
    ] {
        writeln!(expected, "{name} {value}").unwrap();
        // As a language with signed integers reads it.
        writeln!(code, "printf(\"{name} %lld\\n\", (long long)DUMBBELL_{name});").unwrap();
    }
    writeln!(expected, "law {}", size_of::<Law>()).unwrap();
    writeln!(code, "printf(\"law %zu\\n\", sizeof(struct dumbbell_law));").unwrap();
    for (name, offset) in [
        ("needs", std::mem::offset_of!(Law, needs)),
        ("exchange", std::mem::offset_of!(Law, exchange)),
        ("name", std::mem::offset_of!(Law, name)),
        ("start", std::mem::offset_of!(Law, start)),
        ("on", std::mem::offset_of!(Law, on)),
        ("on_sent", std::mem::offset_of!(Law, on_sent)),
    ] {
        writeln!(expected, "law.{name} {offset}").unwrap();
        writeln!(code, "printf(\"law.{name} %zu\\n\", offsetof(struct dumbbell_law, {name}));").unwrap();
    }
    for (place, offset) in [
        ("account.states", std::mem::offset_of!(Account, states)),
        ("account.estimates", std::mem::offset_of!(Account, estimates)),
        ("account.state", std::mem::offset_of!(Account, state)),
        ("account.estimate", std::mem::offset_of!(Account, estimate)),
        ("account.tell", std::mem::offset_of!(Account, tell)),
        ("quantity.unit", std::mem::offset_of!(Quantity, unit)),
        ("quantity.scale", std::mem::offset_of!(Quantity, scale)),
        ("standing.round", std::mem::offset_of!(Standing, round)),
    ] {
        let (name, field) = place.split_once('.').unwrap();
        writeln!(expected, "{place} {offset}").unwrap();
        writeln!(code, "printf(\"{place} %zu\\n\", offsetof(struct dumbbell_{name}, {field}));").unwrap();
    }
    code += "struct dumbbell_random random = {{1, 2, 3, 4}};\n";
    code += "for (int i = 0; i < 1000; i++) dumbbell_draw(&random);\n";
    code += "printf(\"drawn %llu\\n\", (unsigned long long)random.state[0]);\n";
    // The state is private: a struct of C with the same bytes is made from a seed.
    let mut random = Random::of(1);
    let seed = format!("{random:?}");
    let words: Vec<&str> = seed.split(['[', ']']).nth(1).unwrap().split(", ").collect();
    code = code.replace("{{1, 2, 3, 4}}", &format!("{{{{{}u}}}}", words.join("u, ")));
    (0..1000).for_each(|_| {
        random.draw();
    });
    let state = format!("{random:?}");
    let first = state.split(['[', ',']).nth(1).unwrap();
    writeln!(expected, "drawn {first}").unwrap();

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("layout.c"), folder.join("layout"));
    let includes =
        format!("#include <stddef.h>\n#include <stdio.h>\n#include \"{}\"\n", committed().display());
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
