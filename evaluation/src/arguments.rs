use clap::Parser;
use evaluation_worker::{Program, objectives::Name};
use std::path::PathBuf;

/// Runs the programs of the paper's evaluation with all tools, and writes a report.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Arguments {
    /// Few sizes and few rounds: below four minutes on two cores.
    #[arg(long)]
    pub(crate) quick: bool,
    /// One small size of each program, one round: checks that everything runs.
    #[arg(long, conflicts_with = "quick")]
    pub(crate) smoke: bool,
    /// Some of burgers, t1, t2, t2m, t3, t4; all if not given.
    #[arg(long, value_delimiter = ',', value_parser = program)]
    pub(crate) program: Vec<Program>,
    /// Some of the tools, by their names in results.csv; `plain` and `hand` are always included.
    #[arg(long, value_delimiter = ',')]
    pub(crate) tool: Vec<String>,
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
    /// Skips the scaling of the tape.
    #[arg(long)]
    pub(crate) no_scaling: bool,
    /// Skips complex numbers and lanes, which are not in the paper.
    #[arg(long)]
    pub(crate) no_kinds: bool,
    /// Measures only the Hessian of a mixture of Gaussians, and prints it.
    #[arg(long, conflicts_with_all = ["compare", "results", "no_mixture"])]
    pub(crate) mixture: bool,
    /// Skips this Hessian.
    #[arg(long)]
    pub(crate) no_mixture: bool,
    /// Measures only the objectives of ADBench and gradbench, or some of gmm, ba, lstm, hand, hand-surface, ode, kmeans
    /// and kmeans-newton.
    #[arg(long, value_delimiter = ',', num_args = 0.., value_name = "OBJECTIVES", value_parser = objective,
        conflicts_with_all = ["compare", "results", "mixture", "no_objectives"])]
    pub(crate) objectives: Option<Vec<Name>>,
    /// Skips these objectives.
    #[arg(long)]
    pub(crate) no_objectives: bool,
    /// Results of an earlier run: prints regressions and then fails.
    #[arg(long, value_name = "OLD.csv")]
    pub(crate) compare: Option<PathBuf>,
    /// Uses these results instead of measuring: compares them, or writes their report.
    #[arg(long, value_name = "NEW.csv")]
    pub(crate) results: Option<PathBuf>,
    /// Percent by which a figure may be worse.
    #[arg(long, default_value_t = 10.0, value_name = "PERCENT")]
    pub(crate) tolerance: f64,
}
fn program(name: &str) -> Result<Program, String> {
    name.parse()
}
fn objective(name: &str) -> Result<Name, String> {
    name.parse()
}
impl Arguments {
    pub(crate) fn objectives(&self) -> Vec<Name> {
        match self.objectives.as_deref() {
            None | Some([]) => Name::ALL.to_vec(),
            Some(names) => names.to_vec(),
        }
    }
    pub(crate) fn programs(&self) -> Vec<Program> {
        let wanted = |p: &Program| self.program.is_empty() || self.program.contains(p);
        Program::ALL.into_iter().filter(wanted).collect()
    }
}
