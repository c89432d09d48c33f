//! Images from anywhere: what is refused, and that whatever is accepted ends and stays inside.

use std::sync::Arc;

use dumbbell_cc::{Control, Duration, Event, Random, RateSample, Signals, Time};
use dumbbell_law::{Machine, Op, Program};

/// An image without needs: three words, an array of the last two, the code as the answer to an acknowledgement.
fn image(code: &[(Op, u16, u16, u16)]) -> Vec<u8> {
    let mut image = b"DBL1".to_vec();
    image.extend([0, 0, 0, 0, 0, 0, 0]);
    image.extend([1, b'x']);
    image.extend(3_u16.to_le_bytes());
    [5_i64, -7, i64::MAX].iter().for_each(|word| image.extend(word.to_le_bytes()));
    [1_u16, 1, 2].iter().for_each(|short| image.extend(short.to_le_bytes()));
    image.extend(u16::MAX.to_le_bytes());
    for event in 0..=Event::ALL.len() {
        let entry = if event == Event::Ack as usize { 0 } else { u16::MAX };
        image.extend(entry.to_le_bytes());
    }
    image.extend(u16::MAX.to_le_bytes());
    image.push(0);
    image.extend((code.len() as u16).to_le_bytes());
    for (op, a, b, c) in code {
        image.extend([*op as u8, 0]);
        [a, b, c].iter().for_each(|short| image.extend(short.to_le_bytes()));
    }
    image
}

fn ack() -> Signals {
    let rtt = Duration::from_millis(10);
    Signals {
        now: Time::from_nanos(1),
        initial_window: 1,
        growth_limit: 1,
        acked: u64::MAX,
        flight: 1,
        delivered: 1,
        held: 0,
        departs_at: Time::ZERO,
        rtt,
        smoothed_rtt: rtt,
        min_rtt: rtt,
        feedback: 0,
        lost: 0,
        marked: 0,
        round: 0,
        rate: RateSample::NONE,
        mss: 1000,
        event: Event::Ack,
        in_recovery: false,
        window_limited: true,
        repeated: false,
    }
}

fn answer(image: &[u8]) -> Option<(Vec<i64>, Control)> {
    let mut machine = Machine::new(Arc::new(Program::read(image).ok()?));
    machine.start(&Random::of(1));
    let mut control = Control::default();
    machine.on(&ack(), &mut control);
    machine.stand();
    machine.estimates(&mut |_| {});
    Some((machine.words().to_vec(), control))
}

#[test]
fn an_answer_changes_words_and_the_control() {
    let code = [
        (Op::Add, 0, 0, 1),
        (Op::Signal, 1, 1, 0),
        (Op::Write, 0, 0, 0),
        (Op::Write, 1, 1, 0),
        (Op::Get, 2, 0, 0),
        (Op::End, 0, 0, 0),
    ];
    let (words, control) = answer(&image(&code)).unwrap();
    // An index of -2 lies outside the array, and a signal of 2^64 - 1 saturates.
    assert_eq!(words, [-2, i64::MAX, 0]);
    assert_eq!((control.window, control.threshold), (0, i64::MAX as u64));
}

#[test]
fn what_leads_outside_is_refused() {
    for insn in [
        (Op::Move, 3, 0, 0),
        (Op::Add, 0, 0, 3),
        (Op::Jump, 1, 0, 0),
        (Op::Get, 0, 1, 0),
        (Op::Put, 1, 0, 0),
        (Op::Draw, 0, 0, 0),
    ] {
        assert!(answer(&image(&[insn])).is_none(), "{insn:?}");
    }
}

#[test]
fn each_part_of_an_image_keeps_its_limits() {
    let whole = image(&[(Op::End, 0, 0, 0)]);
    let (words, array, entries) = (13, 41, 47);
    let (ack, sent) = (entries + 2 * Event::Ack as usize, entries + 2 * Event::ALL.len());
    for (at, short, said) in [
        (words, 0, "it has too much state"),
        (words, 8_193, "it has too much state"),
        (array, 2, "it reaches outside its words"),
        (array + 2, 3, "it reaches outside its words"),
        (ack, 1, "an answer begins outside it"),
        (sent, 0, "its answer to segments that leave does not go with its needs"),
        (sent + 5, 32_769, "it has too many instructions"),
    ] {
        let mut image = whole.clone();
        image[at..at + 2].copy_from_slice(&u16::to_le_bytes(short));
        assert_eq!(Program::read(&image).unwrap_err().0, said, "{short} at {at}");
    }
}

#[test]
fn an_endless_loop_runs_out_of_fuel() {
    let (words, _) = answer(&image(&[(Op::Add, 0, 0, 1), (Op::Jump, 0, 0, 0)])).unwrap();
    assert_eq!(words[0], 5 - 7 * ((1 << 19) + 1));
}

#[test]
fn a_long_endless_loop_ends_as_soon() {
    let mut code = vec![(Op::Add, 0, 0, 1); 1023];
    code.push((Op::Jump, 0, 0, 0));
    let (words, _) = answer(&image(&code)).unwrap();
    assert_eq!(words[0], 5 - 7 * 1023 * (1024 + 1));
}

#[test]
fn a_call_comes_back() {
    let code = [
        (Op::Call, 3, 1, 0),
        (Op::Call, 3, 1, 0),
        (Op::End, 0, 0, 0),
        (Op::Add, 0, 0, 0),
        (Op::Return, 0, 1, 0),
    ];
    let (words, _) = answer(&image(&code)).unwrap();
    assert_eq!(words[..2], [20, 2]);
}

/// 5 and -7 are no plain real numbers.
#[test]
fn real_numbers_that_are_not_plain_leave_one_out() {
    for op in [Op::RealAdd, Op::RealMul, Op::RealDiv] {
        let (words, _) = answer(&image(&[(op, 2, 0, 1), (Op::End, 0, 0, 0), (Op::Add, 0, 0, 1)])).unwrap();
        assert_eq!(words, [-2, -7, i64::MAX], "{op:?}");
        let (words, _) = answer(&image(&[(op, 2, 0, 1)])).unwrap();
        assert_eq!(words[2], i64::MAX);
    }
}

#[test]
fn calls_and_returns_run_out_of_fuel() {
    // One that returns to its own beginning.
    assert!(answer(&image(&[(Op::Sub, 2, 2, 2), (Op::Return, 0, 2, 0)])).is_some());
    let (words, _) = answer(&image(&[(Op::Add, 0, 0, 1), (Op::Call, 0, 2, 0)])).unwrap();
    assert_eq!(words[0], 5 - 7 * ((1 << 19) + 1));
    let (words, _) = answer(&image(&[(Op::Return, 0, 1, 0), (Op::Add, 0, 0, 0)])).unwrap();
    assert_eq!(words[0], 5, "-7 lies outside");
}

/// What a change of a fit image seldom reaches: any instructions on any words, arrays and targets.
#[test]
fn any_instructions_end_inside_their_words() {
    let mut random = Random::of(11);
    for _ in 0..300 {
        let count = 1 + random.draw() % 12;
        let insn = |random: &mut Random| {
            let [a, b, c] = [(); 3].map(|()| (random.draw() % 3) as u16);
            match Op::ALL[random.draw() as usize % Op::ALL.len()] {
                Op::Draw => (Op::End, 0, 0, 0),
                op if op.name().starts_with("Jump") || op == Op::Call => {
                    (op, (random.draw() % count) as u16, b, c)
                }
                Op::Get => (Op::Get, a, 0, c),
                Op::Put => (Op::Put, 0, b, c),
                // Signals and controls that do not exist are 0.
                op @ (Op::Signal | Op::Control | Op::Write) => (op, a, random.draw() as u16 % 32, c),
                op => (op, a, b, c),
            }
        };
        let code: Vec<_> = (0..count).map(|_| insn(&mut random)).collect();
        assert!(answer(&image(&code)).is_some(), "{code:?}");
    }
}

#[test]
fn an_image_cut_short_is_refused() {
    let whole = image(&[(Op::Add, 0, 0, 1), (Op::End, 0, 0, 0)]);
    assert!(answer(&whole).is_some());
    for length in 0..whole.len() {
        assert!(Program::read(&whole[..length]).is_err(), "{length}");
    }
    assert!(Program::read(&[&whole[..], &[0]].concat()).is_err());
}

#[test]
fn a_changed_image_never_panics() {
    let whole = image(&[
        (Op::Add, 0, 0, 1),
        (Op::MulDiv, 0, 1, 2),
        (Op::Get, 2, 0, 0),
        (Op::Put, 0, 1, 2),
        (Op::JumpLt, 0, 0, 1),
        (Op::End, 0, 0, 0),
    ]);
    let mut random = Random::of(7);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut image = whole.clone();
        for _ in 0..=random.draw() % 3 {
            let at = random.draw() as usize % image.len();
            image[at] = random.draw() as u8;
        }
        accepted += u32::from(answer(&image).is_some());
    }
    assert!(accepted > 1000, "{accepted}");
}
