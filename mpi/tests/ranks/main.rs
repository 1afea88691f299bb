//! Tests of all ranks together. Started without MPI, it runs itself under `mpirun` with 1 to 4 ranks, and ends ranks that hang.
//!
//! ```text
//! cargo test --test ranks                        all tests with 1 to 4 ranks, and the tests of failures
//! cargo test --test ranks -- scan                those whose names contain `scan`
//! RANKS=2 PROGRAMS=10000 cargo test --test ranks -- random
//! MPICC=mpicc.mpich MPIRUN=mpirun.mpich cargo test --test ranks
//! ```
#![allow(missing_docs, unreachable_pub)]

mod checks;
mod conventions;
mod failures;
mod kinds;
mod matrices;
mod random;
mod steps;

use entape_mpi::{Communicator, run};
use std::{
    env::{args, current_exe, var},
    io::Read,
    process::{Command, Stdio, exit},
    thread::sleep,
    time::{Duration, Instant},
};

type Test = (&'static str, fn(&Communicator));

fn tests() -> Vec<Test> {
    let mut tests = Vec::new();
    tests.extend(random::tests());
    tests.extend(kinds::tests());
    tests.extend(conventions::tests());
    tests
}

pub fn number(name: &str, otherwise: usize) -> usize {
    var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

fn main() {
    let filter: Vec<String> = args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"))
        .collect();
    let wanted = |name: &str| filter.is_empty() || filter.iter().any(|f| name.contains(f.as_str()));
    if let Ok(failure) = var("ENTAPE_MPI_FAILURE") {
        return failures::run_one(&failure);
    }
    if ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"]
        .iter()
        .any(|name| var(name).is_ok())
    {
        return of_rank(&wanted);
    }
    let mut failed = 0;
    let ranks = number("RANKS", 0);
    let each = if ranks == 0 { 1..=4 } else { ranks..=ranks };
    for ranks in each.clone() {
        let seconds = number("SECONDS", 600) as u64;
        let run = mpirun(ranks, &filter, None, Duration::from_secs(seconds));
        print!("{}", run.text);
        failed += usize::from(!run.success);
    }
    let mut passed = 0;
    for (name, failure) in failures::all() {
        if wanted(name) && each.contains(&failure.ranks) {
            match failures::check(name, &failure) {
                Ok(()) => passed += 1,
                Err(reason) => {
                    println!("failure {name}: {reason}");
                    failed += 1;
                }
            }
        }
    }
    println!("failures that end all ranks: {passed} ok");
    println!(
        "test result: {}. {passed} passed; {failed} failed",
        if failed == 0 { "ok" } else { "FAILED" }
    );
    if failed > 0 {
        exit(1);
    }
}
fn of_rank(wanted: &dyn Fn(&str) -> bool) {
    run(|ranks| {
        ranks.timeout(Duration::from_secs(60));
        let (mut count, since) = (0, Instant::now());
        for (name, test) in tests() {
            if wanted(name) {
                if ranks.rank() == 0 && var("VERBOSE").is_ok() {
                    println!("test {name} with {} ranks", ranks.size());
                }
                test(ranks);
                count += 1;
            }
        }
        if ranks.rank() == 0 {
            let seconds = since.elapsed().as_secs_f64();
            println!("{} ranks: {count} tests ok in {seconds:.1} s", ranks.size());
        }
        Ok::<_, String>(())
    });
}

/// MPICH's program has other options.
fn is_open_mpi(program: &str) -> bool {
    let version = Command::new(program).arg("--version").output();
    version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Open MPI"))
}

pub struct Run {
    pub success: bool,
    pub text: String,
}
/// Runs this program with a number of ranks, and ends it after a time.
pub fn mpirun(ranks: usize, filter: &[String], failure: Option<&str>, limit: Duration) -> Run {
    let program = var("MPIRUN").unwrap_or_else(|_| "mpirun".into());
    let mut command = Command::new(&program);
    if is_open_mpi(&program) {
        command.args(["--oversubscribe", "--allow-run-as-root"]);
    }
    command.args(["-n", &ranks.to_string()]);
    command
        .arg(current_exe().expect("this program"))
        .args(filter);
    if let Some(failure) = failure {
        command.env("ENTAPE_MPI_FAILURE", failure);
    }
    // Omits messages of Open MPI, such as about networks that a machine lacks.
    command.env("OMPI_MCA_btl_base_warn_component_unused", "0");
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("`mpirun` of an MPI installation");
    let mut pipes: [Box<dyn Read + Send>; 2] = [
        Box::new(child.stdout.take().expect("a pipe")),
        Box::new(child.stderr.take().expect("a pipe")),
    ];
    std::thread::scope(|scope| {
        let readers = pipes.each_mut().map(|pipe| {
            scope.spawn(|| {
                let mut text = String::new();
                _ = pipe.read_to_string(&mut text);
                text
            })
        });
        let since = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("a process") {
                break Some(status);
            }
            if since.elapsed() > limit {
                _ = child.kill();
                _ = child.wait();
                break None;
            }
            sleep(Duration::from_millis(20));
        };
        let mut text = String::new();
        for reader in readers {
            text += &reader.join().expect("a reader");
        }
        if status.is_none() {
            text += &format!("ended by the watchdog after {limit:?}\n");
        }
        let success = status.is_some_and(|status| status.success());
        Run { success, text }
    })
}
