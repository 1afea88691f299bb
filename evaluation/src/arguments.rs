use clap::{Parser, ValueEnum};
use evaluation_worker::{Program, objectives::Name};
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Section {
    Programs,
    Scaling,
    Kinds,
    Users,
    Mixture,
    Objectives,
}

/// Runs the programs of the paper's evaluation and others with all tools, and writes a report.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Arguments {
    /// Few sizes and few rounds: below four minutes on two cores.
    #[arg(long)]
    pub(crate) quick: bool,
    /// One small size of each program, one round: checks that everything runs.
    #[arg(long, conflicts_with = "quick")]
    pub(crate) smoke: bool,
    /// Some sections of the report; all if not given.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "SECTIONS")]
    only: Vec<Section>,
    /// Some of the paper's programs: burgers, t1, t2, t2m, t3, t4; all if not given.
    #[arg(long, value_delimiter = ',')]
    program: Vec<Program>,
    /// Some of the objectives: gmm, ba, lstm, hand, hand-surface, ode, kmeans, kmeans-newton, asian; all if not given.
    #[arg(long, value_delimiter = ',')]
    objective: Vec<Name>,
    /// Some of the tools, by their names in results.csv; `plain` and `hand` are always included.
    #[arg(long, value_delimiter = ',')]
    tool: Vec<String>,
    /// The folder of the report.
    #[arg(long, default_value = "evaluation-report")]
    pub(crate) out: PathBuf,
    /// Percentage of the machine's memory that one process may use.
    #[arg(long, default_value_t = 60.0, value_name = "PERCENT")]
    pub(crate) memory: f64,
    /// Seconds that one point may take; larger ones are skipped.
    #[arg(long, default_value_t = 240, value_name = "SECONDS")]
    pub(crate) patience: u64,
    /// Builds and measures other crates, too: ad_trait, echidna, reverse, num-dual, burn and candle. All, if none
    /// is named.
    #[arg(long, value_delimiter = ',', num_args = 0.., value_name = "CRATES",
        default_missing_value = "ad_trait,echidna,reverse,num-dual,burn,candle")]
    pub(crate) peers: Vec<String>,
    /// Measures installed tools of other languages, too.
    #[arg(long)]
    pub(crate) external: bool,
    /// Results of an earlier run: prints regressions and then fails.
    #[arg(long, value_name = "OLD.csv")]
    pub(crate) compare: Option<PathBuf>,
    /// Uses these results, and those beside them, instead of measuring: compares them, or writes their report.
    #[arg(long, value_name = "NEW.csv")]
    pub(crate) results: Option<PathBuf>,
    /// Percent by which a figure may be worse.
    #[arg(long, default_value_t = 10.0, value_name = "PERCENT")]
    pub(crate) tolerance: f64,
}
impl Arguments {
    pub(crate) fn has(&self, section: Section) -> bool {
        self.only.is_empty() || self.only.contains(&section)
    }
    pub(crate) fn wants(&self, tool: &str) -> bool {
        self.tool.is_empty() || self.tool.iter().any(|t| t == tool)
    }
    pub(crate) fn programs(&self) -> Vec<Program> {
        chosen(&self.program, &Program::ALL)
    }
    pub(crate) fn objectives(&self) -> Vec<Name> {
        chosen(&self.objective, &Name::ALL)
    }
}
fn chosen<T: Copy + PartialEq>(some: &[T], all: &[T]) -> Vec<T> {
    let wanted = |x: &T| some.is_empty() || some.contains(x);
    all.iter().copied().filter(wanted).collect()
}
