use std::process::Command;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) memory: u64,
    pub(crate) system: String,
    pub(crate) compiler: String,
    pub(crate) flags: String,
    /// Average number of running or waiting processes during a minute, with the evaluation.
    pub(crate) load: f64,
    pub(crate) date: String,
}
impl Machine {
    pub(crate) fn look() -> Self {
        let kind = RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram());
        let system = System::new_with_specifics(kind);
        let cpus = system.cpus();
        let version = Command::new("rustc").arg("--version").output();
        let unknown = || "unknown".to_string();
        let date = jiff::Timestamp::now().to_string();
        Machine {
            processor: cpus
                .first()
                .map_or_else(unknown, |cpu| cpu.brand().trim().to_string()),
            cores: cpus.len(),
            memory: system.total_memory(),
            system: System::name().unwrap_or_else(unknown) + " " + std::env::consts::ARCH,
            compiler: version.map_or_else(
                |_| unknown(),
                |v| String::from_utf8_lossy(&v.stdout).trim().into(),
            ),
            flags: std::env::var("RUSTFLAGS").unwrap_or_else(|_| "none".into()),
            load: System::load_average().one,
            date: date.get(..16).unwrap_or(&date).replace('T', " "),
        }
    }
}
