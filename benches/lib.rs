//! Packages for benches of the compiler; `cargo bench -p entape-benches --bench burgers` runs one of them.
use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// Creates a package in a folder for temporary files. It depends on entape with these options (`features = ["linalg"]`), and on
/// `more`. Returns its folder.
///
/// # Errors
/// If files cannot be written.
pub fn package(temporary: &str, name: &str, options: &str, more: &str) -> io::Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let package = Path::new(temporary).join(name);
    fs::create_dir_all(package.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nentape = {{ path = {root:?}, {options} }}\n{more}"
    );
    fs::write(package.join("Cargo.toml"), manifest)?;
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock"))?;
    Ok(package)
}
/// Returns a command of cargo in such a package, which compiles it as a whole.
pub fn cargo(package: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(arguments)
        .args(["--quiet", "--offline"])
        .current_dir(package)
        .env("CARGO_TARGET_DIR", package.join("target"))
        // Otherwise a later round would find the results of an earlier one.
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_PROFILE_DEV_DEBUG");
    command
}
