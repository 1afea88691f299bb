//! Random programs over all kinds together, on tapes of all recording modes, on tapes that become full, and as functions in
//! forward mode and on reused recordings, compared with programs on single numbers, whose tape is part of these tests. A
//! failing program is shrunk and shown as source.
//!
//! `PROPTEST_CASES` is the number of programs in each test, by default 1000; `PROPTEST_RNG_SEED` chooses others.
mod exact;
mod functions;
mod misuse;
mod program;
mod run;
mod state;
mod statements;

use entape::mode::{Recording, Reuse, Taped};
use program::Program;
use proptest::test_runner::{
    Config, RngSeed, TestCaseError, TestError, TestRunner, contextualize_config,
};
use run::{ABOUT_ONE, Count, Run, Stop, Tables};
use state::SLOTS;
use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Once,
};

thread_local! {
    /// Whether panics on this thread are part of a program.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}
/// Reports only panics that are not part of a program.
fn quiet() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !EXPECTED.get() {
                report(panic);
            }
        }));
    });
}

/// Runs a program; returns its counts, or the reason of a failure and the log of the run.
fn check<M: Recording>(
    program: &Program,
    tables: &Tables<M>,
    limited: bool,
) -> Result<Count, String> {
    let mut run = match Run::new(program, tables, limited) {
        Ok(run) => run,
        Err(Stop::Full) => return Ok(Count::default()),
        Err(Stop::Failure(why)) => return Err(shown(&why, program, &[])),
    };
    EXPECTED.set(true);
    let done = catch_unwind(AssertUnwindSafe(|| run.run()));
    EXPECTED.set(false);
    let why = match done {
        Ok(Ok(()) | Err(Stop::Full)) => return Ok(run.count),
        Ok(Err(Stop::Failure(why))) => why,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref().copied());
            format!(
                "a panic outside of the recording: {}",
                text.unwrap_or("without a message")
            )
        }
    };
    Err(shown(&why, program, &run.log))
}
/// The reason of a failure, the options of the tape, and the executed statements with the variables that they name.
fn shown(why: &str, program: &Program, log: &[String]) -> String {
    let Program {
        n,
        chunk_bytes,
        trace,
        limit,
        ..
    } = program;
    let is_start = |line: &str| line.ends_with(ABOUT_ONE);
    let statements: String = log
        .iter()
        .filter(|line| !is_start(line))
        .map(String::as_str)
        .collect();
    let names = |line: &str| {
        let names = (b'a'..=b'z').flat_map(|pool| (0..SLOTS).map(move |slot| (pool as char, slot)));
        let mut names = names.filter(|(pool, slot)| line.contains(&format!("{pool}[{slot}]")));
        names.any(|(pool, slot)| {
            let name = format!("{pool}[{slot}]");
            statements.contains(&name)
                || why.contains(&name)
                || why.contains(&format!("input {pool}"))
        })
    };
    let shown = log.iter().filter(|line| !is_start(line) || names(line));
    let lines: Vec<_> = shown
        .map(|line| format!("    {}", line.trim_end_matches(ABOUT_ONE)))
        .collect();
    format!(
        "{why}\n    // n = {n}, chunk_bytes: {chunk_bytes:?}, trace: {trace}, a memory limit, if there is one, of {limit}\n{}",
        lines.join("\n")
    )
}

/// Removes the instructions that are not needed for the failure. While the program is shrunk, the reason of the failure may
/// change, so that instructions tried before may become unnecessary.
fn reduced(mut program: Program, fails: impl Fn(&Program) -> bool) -> Program {
    for at in (0..program.instructions.len()).rev() {
        let mut less = program.clone();
        less.instructions.remove(at);
        if fails(&less) {
            program = less;
        }
    }
    program
}
/// Checks the requested number of programs of these statements, and returns their number and counts. A failing program is
/// shrunk and shown with the reason.
fn all(numbers: Vec<usize>, check: impl Fn(&Program) -> Result<Count, String>) -> (u32, Count) {
    quiet();
    let mut config = contextualize_config(Config {
        cases: 250,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    });
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(1);
    }
    let cases = config.cases;
    let all = Cell::new(Count::default());
    let outcome = TestRunner::new(config).run(&program::programs(numbers), |program| {
        let Count {
            statements,
            skipped,
            sweeps,
            entries,
            directions,
            refused,
        } = check(&program).map_err(TestCaseError::fail)?;
        let so_far = all.get();
        all.set(Count {
            statements: so_far.statements + statements,
            skipped: so_far.skipped + skipped,
            sweeps: so_far.sweeps + sweeps,
            entries: so_far.entries + entries,
            directions: so_far.directions + directions,
            refused: so_far.refused + refused,
        });
        Ok(())
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(_, program)) => {
            let fails = |program: &Program| check(program).err();
            let program = reduced(program, |program| fails(program).is_some());
            panic!("{}", fails(&program).expect("it fails again"));
        }
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
    let count = all.get();
    println!("{cases} programs: {count:?}");
    (cases, count)
}
/// Checks programs on tapes of a mode, which may have a memory limit.
fn programs<M: Recording>(tables: &Tables<M>, limited: bool) {
    let (cases, count) = all(tables.numbers_of_statements(), |program| {
        check(program, tables, limited)
    });
    assert!(count.statements > 2 * count.skipped, "{count:?}");
    // A statement that is never suitable for comparison tests nothing. A few programs may not contain it by chance.
    let never_run = tables.never_run();
    assert!(
        cases < 1000 || limited || never_run.is_empty(),
        "{never_run:#?}"
    );
}

#[test]
fn taped() {
    programs(&Tables::<Taped>::of_mode(), false);
}
#[test]
fn reuse() {
    programs(&Tables::<Reuse>::of_mode(), false);
}
/// Tangents, several adjoints and second derivatives.
#[test]
fn along_directions() {
    programs(&Tables::<Taped>::with_directions(), false);
}
#[test]
fn along_directions_with_reuse() {
    programs(&Tables::<Reuse>::with_directions(), false);
}
/// Forward mode along one direction and eight, and reused recordings that are evaluated at several points.
#[test]
fn functions() {
    let numbers = functions::numbers_of_statements();
    let (_, count) = all(numbers, |program| {
        EXPECTED.set(true);
        let outcome = catch_unwind(AssertUnwindSafe(|| functions::check(program)));
        EXPECTED.set(false);
        outcome.unwrap_or_else(|panic| Err(format!("a panic: {}", run::message(&*panic))))
    });
    assert!(count.statements > 2 * count.skipped, "{count:?}");
}
/// Full tapes return typed errors, or correct results.
#[test]
fn full_tapes() {
    programs(&Tables::<Reuse>::of_mode(), true);
    programs(&Tables::<Taped>::of_mode(), true);
}
