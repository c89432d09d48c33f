use std::path::Path;
use std::process::Command;

use super::super::contract::Controller;
use super::*;

/// The library that `cc` makes of a source; `None` without a compiler.
pub fn compiled(name: &str, source: &str) -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tmp/laws");
    std::fs::create_dir_all(&folder).unwrap();
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cc");
    let (text, library) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
    std::fs::write(&text, source).unwrap();
    let made = Command::new("cc")
        .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I"])
        .args([header.as_os_str(), "-o".as_ref(), library.as_os_str(), text.as_os_str()])
        .output();
    let Ok(made) = made else {
        eprintln!("not tested: there is no `cc`");
        return None;
    };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Some(std::fs::read(library).unwrap())
}

/// NewReno in C, as docs/own-c-controller.md has it.
pub fn newreno() -> Option<Arc<Library>> {
    let page = include_str!("../../../../../docs/own-c-controller.md");
    let source = page.split("```c\n").nth(1).unwrap().split("```").next().unwrap();
    Some(Library::load(&compiled("mine", source)?, "newreno of the page", "mine.so").unwrap())
}

/// What a library with this law is refused for.
fn refused(name: &str, law: &str) -> Option<String> {
    let on = "static void on(void *m, const struct dumbbell_signals *s, struct dumbbell_control *c) { (void)m; (void)s; (void)c; }";
    let source = format!("#include \"controller.h\"\n{on}\n{law}\n");
    let content = compiled(name, &source)?;
    let (what, remedy) = Library::load(&content, name, "mine.so").unwrap_err();
    Some(format!("{what}; {remedy}"))
}

#[test]
fn what_is_no_library_is_refused() {
    let (what, remedy) = Library::load(b"#!/bin/sh\n", "a script", "mine.so").unwrap_err();
    assert!(what.starts_with("mine.so cannot be loaded: ") && !what.contains("/proc/"), "{what}");
    assert!(remedy.starts_with("give one that `cc -shared -fPIC` has made"), "{remedy}");
}

#[test]
fn what_holds_no_law_is_refused() {
    let law = |fields: &str| {
        format!(
            "const struct dumbbell_law dumbbell_law = {{ .on = on, .name = \"mine\", .abi = DUMBBELL_ABI, {fields} }};"
        )
    };
    for (name, source, expected) in [
        (
            "nothing",
            "void (*keep)(void *, const struct dumbbell_signals *, struct dumbbell_control *) = on;"
                .to_owned(),
            "mine.so has no symbol `dumbbell_law`; export one `const struct dumbbell_law dumbbell_law`, as \
             controller.h says",
        ),
        (
            "older",
            "const struct dumbbell_law dumbbell_law = { .on = on, .name = \"mine\", .abi = 0 };".to_owned(),
            "mine.so holds no controller for this version: it is made for contract 0, and this is contract 2; \
             compile it anew with the controller.h of this version",
        ),
        (
            "large",
            law(".state_bytes = 65537"),
            "mine.so holds no controller for this version: its state has 65537 bytes, more than the limit of \
             65536; mend its `dumbbell_law`, as controller.h says",
        ),
        (
            "needy",
            law(".needs = 1u << 31"),
            "mine.so holds no controller for this version: its needs 0x80000000 have bits without a meaning; mend \
             its `dumbbell_law`, as controller.h says",
        ),
        (
            "silent",
            law(".needs = DUMBBELL_NEEDS_SENT"),
            "mine.so holds no controller for this version: it has no function `on_sent`; mend its `dumbbell_law`, \
             as controller.h says",
        ),
        (
            "nameless",
            "const struct dumbbell_law dumbbell_law = { .on = on, .name = \"My law\", .abi = DUMBBELL_ABI };"
                .to_owned(),
            "mine.so holds no controller for this version: its name is not 1 to 32 of a-z, 0-9 and -; mend its \
             `dumbbell_law`, as controller.h says",
        ),
    ] {
        let Some(found) = refused(name, &source) else { return };
        assert_eq!(found, expected);
    }
}

#[test]
fn absurd_numbers_are_held_within_bounds() {
    let source = "#include \"controller.h\"\n\
        static void on(void *m, const struct dumbbell_signals *s, struct dumbbell_control *c) {\n\
        (void)m; (void)s; c->window = c->threshold = c->pacing = c->wake_at = c->quantum = UINT64_MAX;\n\
        c->request = INT64_MIN; }\n\
        const struct dumbbell_law dumbbell_law = { .abi = DUMBBELL_ABI, .name = \"absurd\", .on = on };\n";
    let Some(content) = compiled("absurd", source) else { return };
    let mut absurd = Library::load(&content, "absurd", "absurd.so").unwrap().build();
    let mut control = Control::default();
    absurd.on(&Signals::at_start(1000, 1000), &mut control);
    assert_eq!(
        (control.threshold, control.pacing, control.wake_at),
        (Control::UNLIMITED, Control::UNPACED, Control::NEVER)
    );
}

/// Counts what leaves, and paces bursts of three segments.
#[derive(Default)]
struct Bursts;

impl Controller for Bursts {
    const CLASS: Class = Class::Model;
    const NEEDS: Needs = Needs::PACING.and(Needs::SENT);

    fn on(&mut self, signals: &Signals, control: &mut Control) {
        let mss = u64::from(signals.mss);
        // A segment takes a millisecond.
        (control.pacing, control.quantum) = (Rate::from_bytes_per_second(1000 * mss), 3 * mss);
        control.window = 100 * mss;
    }

    fn on_sent(&mut self, sent: &Sent, control: &mut Control) {
        assert!(sent.bytes > 0 && sent.flight >= u64::from(sent.bytes));
        // Seen in the report of the window.
        control.window += 1;
    }
}

/// Times in milliseconds at which `count` segments leave under [`Bursts`], and the window then.
fn bursts(profile: &str, (count, payload): (usize, u64)) -> (Vec<f64>, u64) {
    use crate::testing::{Fate, Pipe, opening, read};
    use crate::transport::{SendEnd, Transport};
    use dumbbell_core::config::At;

    let library = as_library::<Bursts>(c"bursts");
    let text = format!(
        r#"{{"profile": "{profile}", "handshake": false, "fin": false, "send_buffer": "unlimited"}}"#
    );
    let params: crate::tcp::Params = read(&text);
    let params = Arc::new(params.with_library(library, &At::root("transport")).unwrap());
    let mut pipe = Pipe::new(params.open(opening(Some(count as u64 * payload))), |_, _, _| Fate::Pass);
    pipe.until(|pipe| pipe.forward.len() == count);
    let sent = pipe.forward.iter().map(|(at, _)| at.as_secs_f64() * 1e3).collect();
    (sent, pipe.sender.report().window)
}

#[test]
fn a_quantum_leaves_together_and_each_segment_is_told() {
    let (sent, window) = bursts("rfc", (9, 1460));
    assert_eq!(sent, [0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 6.0, 6.0, 6.0]);
    assert_eq!(window, 100 * 1460 + 9);
}

#[test]
fn a_quantum_decides_about_the_packets_of_linux() {
    // Linux does not pace the first ten segments. Later a host that decided itself would send pairs.
    let (sent, _) = bursts("linux", (24, 1448));
    let later: Vec<f64> = sent[12..].iter().map(|at| at - sent[12]).collect();
    assert_eq!(later, [0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 6.0, 6.0, 6.0, 9.0, 9.0, 9.0]);
}

#[test]
fn a_stream_of_random_numbers_is_one_in_c() {
    #[derive(Default)]
    struct Draws(Option<Random>);
    impl Controller for Draws {
        const CLASS: Class = Class::Model;
        const NEEDS: Needs = Needs::RANDOM;
        fn start(&mut self, random: Random) {
            self.0 = Some(random);
        }
        fn on(&mut self, _: &Signals, control: &mut Control) {
            control.window = self.0.as_mut().map_or(0, Random::draw);
        }
    }
    let source = "#include \"controller.h\"\n\
        static void start(void *m, const struct dumbbell_random *r) { *(struct dumbbell_random *)m = *r; }\n\
        static void on(void *m, const struct dumbbell_signals *s, struct dumbbell_control *c) {\n\
        (void)s; c->window = dumbbell_draw(m); }\n\
        const struct dumbbell_law dumbbell_law = { .abi = DUMBBELL_ABI, .needs = DUMBBELL_NEEDS_RANDOM,\n\
        .class_ = DUMBBELL_CLASS_MODEL, .state_bytes = sizeof(struct dumbbell_random), .name = \"draws\",\n\
        .start = start, .on = on };\n";
    let Some(content) = compiled("draws", source) else { return };
    let mut both = [Library::load(&content, "draws", "draws.so").unwrap(), as_library::<Draws>(c"draws")]
        .map(|l| l.build());
    let drawn = both.each_mut().map(|foreign| {
        foreign.start(Random::of(7));
        let mut control = Control::default();
        foreign.on(&Signals::at_start(1000, 1000), &mut control);
        control.window
    });
    assert_eq!(drawn, [Random::of(7).draw(); 2]);
}
