//! Broken scenarios, and the one line that each gives. After a change of wording, run with `UPDATE_GOLDEN=1` and read
//! the difference.

use std::fs;
use std::path::Path;

use dumbbell_sim::{Plan, Scenario};

#[test]
fn every_broken_scenario_gives_one_line_with_place_and_remedy() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    assert!(names.len() >= 20);
    let mut messages = String::new();
    for name in names {
        let text = fs::read_to_string(folder.join(&name)).unwrap();
        let error = Scenario::from_toml(&text)
            .and_then(|scenario| Plan::new(&scenario, &folder))
            .expect_err(&format!("{name} is not broken"));
        assert!(!error.path.is_empty() && !error.remedy.is_empty(), "{name}: {error}");
        let message = error.to_string().replace(&format!("{}/", folder.display()), "");
        assert_eq!(message.lines().count(), 1, "{name}: {message}");
        messages.push_str(&format!("{name}: {message}\n"));
    }
    let golden = folder.join("messages.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &messages).unwrap();
    }
    assert_eq!(messages, fs::read_to_string(&golden).unwrap());
}
