//! Random programs over all kinds together, on tapes of all recording modes, on full tapes, and as functions, compared
//! with programs on single numbers. A failing program is shrunk and shown as source.
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
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}
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

/// Returns the counts, or the reason of a failure and the log of the run.
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

/// Removes unneeded instructions. Because the reason of the failure may change, instructions tried before may become
/// unnecessary.
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
/// The tapes may have a memory limit.
fn programs<M: Recording>(tables: &Tables<M>, limited: bool) {
    let (cases, count) = all(tables.numbers_of_statements(), |program| {
        check(program, tables, limited)
    });
    assert!(count.statements > 2 * count.skipped, "{count:?}");
    // A statement that is never suitable for comparison tests nothing; a few programs may not contain it.
    let never_run = tables.never_run();
    assert!(
        cases < 250 || limited || never_run.is_empty(),
        "{never_run:#?}"
    );
}

#[test]
fn tapes_agree_with_single_numbers() {
    programs(&Tables::<Taped>::of_mode(), false);
}
#[test]
fn tapes_with_reused_identifiers_agree_with_single_numbers() {
    programs(&Tables::<Reuse>::of_mode(), false);
}
#[test]
fn derivatives_along_directions_agree_with_single_numbers() {
    programs(&Tables::<Taped>::with_directions(), false);
}
#[test]
fn derivatives_along_directions_with_reused_identifiers_agree() {
    programs(&Tables::<Reuse>::with_directions(), false);
}
#[test]
fn forward_mode_and_reused_recordings_agree_with_single_numbers() {
    let numbers = functions::numbers_of_statements();
    let (_, count) = all(numbers, |program| {
        EXPECTED.set(true);
        let outcome = catch_unwind(AssertUnwindSafe(|| functions::check(program)));
        EXPECTED.set(false);
        outcome.unwrap_or_else(|panic| Err(format!("a panic: {}", run::message(&*panic))))
    });
    assert!(count.statements > 2 * count.skipped, "{count:?}");
}
#[test]
fn full_tapes_return_errors_or_correct_results() {
    programs(&Tables::<Reuse>::of_mode(), true);
    programs(&Tables::<Taped>::of_mode(), true);
}
