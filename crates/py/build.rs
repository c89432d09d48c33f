//! Tells the extension which profile of Cargo.toml builds it.

use std::path::Path;

fn main() {
    // Cargo gives a build script `PROFILE`, which is `release` for every profile that inherits from it. The name
    // itself is in the place of the output: target/PROFILE/build/dumbbell-py-HASH/out.
    let folder = std::env::var("OUT_DIR").unwrap_or_default();
    let profile =
        Path::new(&folder).ancestors().nth(3).and_then(Path::file_name).and_then(|name| name.to_str());
    println!("cargo::rustc-env=DUMBBELL_PROFILE={}", profile.unwrap_or("unknown"));
    println!("cargo::rerun-if-changed=build.rs");
}
