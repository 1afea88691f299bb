//! Other crates, as features of a package outside of the workspace, so that they are built only on request.
use crate::{
    Outcome,
    plan::{Family, TOOLS},
    process::Starter,
};
use std::{env, path::Path, process::Command};

pub(crate) fn starters(names: &[String]) -> Outcome<Vec<(&'static str, Starter)>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let chosen = |name: &String| {
        let peer = TOOLS
            .iter()
            .find(|tool| tool.family == Family::Peer && tool.name == name);
        peer.ok_or_else(|| {
            format!("the peer `{name}` does not exist: use `--peers` without names to build all")
        })
    };
    let tools = names.iter().map(chosen).collect::<Result<Vec<_>, _>>()?;
    let this = env::current_exe()?;
    let target = this
        .ancestors()
        .nth(2)
        .unwrap_or(Path::new("target"))
        .join("peers");
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/Cargo.toml");
    let built = Command::new("cargo")
        .args([
            "build",
            "--release",
            "--no-default-features",
            "--features",
            &names.join(","),
        ])
        .arg("--manifest-path")
        .arg(manifest)
        .arg("--target-dir")
        .arg(&target)
        .status()?;
    if !built.success() {
        return Err("the peers could not be built: see the output of cargo above".into());
    }
    let program = target
        .join("release")
        .join("peers")
        .with_extension(env::consts::EXE_EXTENSION);
    let starter = Starter {
        program,
        arguments: Vec::new(),
        variables: one_thread(),
    };
    Ok(tools
        .into_iter()
        .map(|tool| (tool.name, starter.clone()))
        .collect())
}
/// Limits libraries that would use all cores.
pub(crate) fn one_thread() -> Vec<(String, String)> {
    let variables = [
        ("RAYON_NUM_THREADS", "1"),
        ("OMP_NUM_THREADS", "1"),
        ("MKL_NUM_THREADS", "1"),
        ("OPENBLAS_NUM_THREADS", "1"),
        ("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false"),
    ];
    let owned = |(name, value): (&str, &str)| (name.to_string(), value.to_string());
    variables.map(owned).to_vec()
}
