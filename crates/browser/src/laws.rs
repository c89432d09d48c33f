//! Laws of the user, compiled elsewhere: their compiler is written in Python.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use dumbbell_sim::files;
use dumbbell_sim::own::{self, Made, Refused};

/// What scenarios call the file of a law.
const FILE: &str = "mine.py";

/// Images by source.
static IMAGES: LazyLock<Mutex<HashMap<String, Vec<u8>>>> = LazyLock::new(Mutex::default);

/// Keeps a source, of so many bytes, and the image behind it.
///
/// # Errors
/// If the source is not text. The image is read with the scenario.
pub fn keep(bytes: &[u8], source: usize) -> Result<(), String> {
    let (text, image) = bytes.split_at_checked(source).ok_or("the room is smaller than the source")?;
    let text = String::from_utf8(text.to_vec()).map_err(|_| format!("{FILE}: is not text"))?;
    files::give(FILE, text.clone().into_bytes());
    IMAGES.lock().unwrap_or_else(PoisonError::into_inner).insert(text, image.to_vec());
    own::compile_with(|text, shown, _| found(text, shown));
    Ok(())
}

fn found(text: &str, shown: &str) -> Result<Made, Refused> {
    let images = IMAGES.lock().unwrap_or_else(PoisonError::into_inner);
    let image = images.get(text).cloned().ok_or_else(|| Refused {
        parameter: None,
        message: format!("{shown} is not compiled"),
        remedy: "compile it with the dumbbell of Python".to_owned(),
    })?;
    Ok((image, None))
}
