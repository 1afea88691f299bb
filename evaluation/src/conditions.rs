//! When, where and how figures were measured.
use crate::{Outcome, arguments::Arguments, plan::Extent};
use serde::{Deserialize, Serialize};
use std::{env, fs, path::Path, process::Command, time::Duration};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Conditions {
    /// Of the end of the run, in UTC.
    pub(crate) date: String,
    pub(crate) commit: String,
    pub(crate) command: String,
    pub(crate) extent: Extent,
    /// Seconds that a point could take.
    pub(crate) patience: u64,
    /// Bytes that a process could take.
    pub(crate) budget: u64,
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) memory: u64,
    pub(crate) system: String,
    pub(crate) compiler: String,
    pub(crate) flags: String,
    /// Average number of running or waiting processes during a minute, with the evaluation.
    pub(crate) load: f64,
}
impl Conditions {
    pub(crate) fn look(arguments: &Arguments) -> Self {
        let kind = RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram());
        let system = System::new_with_specifics(kind);
        let cpus = system.cpus();
        let unknown = || "unknown".to_string();
        let date = jiff::Timestamp::now().to_string();
        let memory = system.total_memory();
        let given: Vec<String> = env::args().skip(1).collect();
        let changed = output(
            "git",
            &[
                "status",
                "--porcelain",
                "--untracked-files=no",
                "--",
                ":/",
                ":!report",
            ],
        );
        let commit = output("git", &["rev-parse", "--short=10", "HEAD"]).unwrap_or_else(unknown);
        Conditions {
            date: date.get(..16).unwrap_or(&date).replace('T', " "),
            commit: match changed.is_some_and(|files| !files.is_empty()) {
                true => commit + " with changes",
                false => commit,
            },
            command: format!("cargo run --release -p evaluation -- {}", given.join(" ")),
            extent: Extent::of(arguments),
            patience: arguments.patience,
            budget: (memory as f64 * arguments.memory / 100.0) as u64,
            processor: cpus
                .first()
                .map_or_else(unknown, |cpu| cpu.brand().trim().to_string()),
            cores: cpus.len(),
            memory,
            system: System::name().unwrap_or_else(unknown) + " " + env::consts::ARCH,
            compiler: output("rustc", &["--version"]).unwrap_or_else(unknown),
            flags: env::var("RUSTFLAGS").unwrap_or_else(|_| "none".into()),
            load: System::load_average().one,
        }
    }
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs(self.patience)
    }
    pub(crate) fn read(path: &Path) -> Outcome<Self> {
        Ok(serde_json::from_slice(&fs::read(path)?)?)
    }
    pub(crate) fn write(&self, path: &Path) -> Outcome {
        Ok(fs::write(path, serde_json::to_string_pretty(self)? + "\n")?)
    }
}
/// The first line that a command prints in the folder of this package; `None` if it fails.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    let output = command
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output
        .status
        .success()
        .then(|| text.lines().next().unwrap_or_default().to_string())
}
