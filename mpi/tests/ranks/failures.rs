//! Programs that fail on some ranks.
use crate::mpirun;
use entape::prelude::Matrix;
use entape_core::{expr::Active, external::external, tape::Tape};
use entape_drivers::preaccumulate;
use entape_mpi::{Communicator, Operation, run};
use nalgebra::DMatrix;
use std::{panic::resume_unwind, thread::spawn, time::Duration};

pub struct Failure {
    pub ranks: usize,
    program: fn(&Communicator) -> Result<(), String>,
    message: &'static [&'static str],
}
const LIMIT: Duration = Duration::from_secs(60);

pub fn all() -> Vec<(&'static str, Failure)> {
    let failure = |ranks, program, message| Failure {
        ranks,
        program,
        message,
    };
    vec![
        (
            "failure_panic",
            failure(
                3,
                |ranks| {
                    let x = Active::<f64>::passive(1.0);
                    let y = ranks.all_reduce(&x, Operation::Sum).eval();
                    assert!(ranks.rank() != 1, "a sum of {y}");
                    let []: [Active<f64>; 0] = ranks.barrier().eval();
                    Ok(())
                },
                &[
                    "rank 1 of 3 failed",
                    "a sum of 3",
                    "`all_reduce`",
                    "failures.rs",
                ],
            ),
        ),
        (
            "failure_error",
            failure(
                2,
                |ranks| {
                    let []: [Active<f64>; 0] = ranks.barrier().eval();
                    if ranks.rank() == 1 {
                        return Err("no data".into());
                    }
                    let _: Active<f64> = ranks.receive(1, 0, 0.0).eval();
                    Ok(())
                },
                &["rank 1 of 2 failed: no data", "`barrier`"],
            ),
        ),
        (
            "failure_in_sweep",
            failure(
                2,
                |ranks| {
                    let mut tape = Tape::new();
                    let x = tape.input(1.0);
                    let rank = ranks.rank();
                    let y = tape.record(|| {
                        let x = external(x, 1.0, move |r_b: f64| {
                            assert!(rank == 0, "an adjoint of {r_b}");
                            r_b
                        });
                        let x = x.eval();
                        let x = ranks.all_reduce(&x, Operation::Sum).eval();
                        ranks.all_reduce(&(x * x).eval(), Operation::Sum).eval()
                    });
                    _ = tape.gradient(&y).map_err(|e| e.to_string())?;
                    let []: [Active<f64>; 0] = ranks.barrier().eval();
                    Ok(())
                },
                &[
                    "rank 1 of 2 failed",
                    "an adjoint of 16",
                    "`all_reduce` in a sweep",
                ],
            ),
        ),
        (
            "failure_counts",
            failure(
                3,
                |ranks| {
                    let x = vec![Active::<f64>::passive(1.0); 3 + ranks.rank() / 2];
                    ranks.all_reduce(&x, Operation::Sum).eval();
                    Ok(())
                },
                &[
                    "rank 0 of 3 failed",
                    "the ranks differ",
                    "rank 2 calls `all_reduce` (operation and count 0, 4)",
                ],
            ),
        ),
        (
            "failure_operations",
            failure(
                2,
                |ranks| {
                    let x = Active::<f64>::passive(1.0);
                    match ranks.rank() {
                        0 => _ = ranks.broadcast(1, &x).eval(),
                        _ => _ = ranks.all_gather(&x).eval(),
                    }
                    Ok(())
                },
                &[
                    "rank 0 of 2 failed",
                    "rank 0 calls `broadcast`",
                    "rank 1 calls `all_gather`",
                ],
            ),
        ),
        (
            "failure_roots",
            failure(
                2,
                |ranks| {
                    let x = Active::<f64>::passive(1.0);
                    ranks.reduce(ranks.rank(), &x, Operation::Sum).eval();
                    Ok(())
                },
                &["rank 0 of 2 failed", "`reduce`", "the ranks differ"],
            ),
        ),
        (
            "failure_message",
            failure(
                2,
                |ranks| {
                    let x = vec![Active::<f64>::passive(1.0); 3];
                    match ranks.rank() {
                        0 => _ = ranks.send(1, 0, &x).eval(),
                        _ => {
                            _ = ranks
                                .receive::<entape_core::mode::Taped, _, _>(0, 0, vec![0.0; 2])
                                .eval()
                        }
                    }
                    let []: [Active<f64>; 0] = ranks.barrier().eval();
                    Ok(())
                },
                &[
                    "rank 1 of 2 failed",
                    "`receive`: a message of 3 numbers from rank 0, where one of 2",
                ],
            ),
        ),
        (
            "failure_gather_varcount",
            failure(
                2,
                |ranks| {
                    let x = vec![Active::<f64>::passive(1.0); 2];
                    ranks
                        .gather_varcount(0, &x, |rank| vec![0.0; 2 + rank])
                        .eval();
                    let []: [Active<f64>; 0] = ranks.barrier().eval();
                    Ok(())
                },
                &[
                    "rank 0 of 2 failed",
                    "rank 1 has 2 numbers, and the root, rank 0, has 3 for it",
                ],
            ),
        ),
        (
            "failure_sweep_missing",
            failure(
                3,
                |ranks| {
                    ranks.timeout(Duration::from_secs(2));
                    let mut tape = Tape::new();
                    let x = tape.input(1.0);
                    let y = tape.record(|| ranks.all_reduce(&x, Operation::Sum).eval());
                    if ranks.rank() != 2 {
                        _ = tape.gradient(&y).map_err(|e| e.to_string())?;
                    }
                    let []: [Active<f64>; 0] = ranks.barrier().eval();
                    Ok(())
                },
                &[
                    "`all_reduce` in a sweep for adjoints waited more than 2s",
                    "may not have started this sweep",
                    "failures.rs",
                ],
            ),
        ),
        (
            "failure_order",
            failure(
                2,
                |ranks| {
                    ranks.timeout(Duration::from_secs(2));
                    let _: Active<f64> = ranks.receive(1 - ranks.rank(), 0, 0.0).eval();
                    Ok(())
                },
                &["`receive` in the program waited more than 2s"],
            ),
        ),
        (
            "failure_wait_order",
            failure(
                2,
                |ranks| {
                    let x = Active::<f64>::passive(1.0);
                    let start = || ranks.all_reduce(&x, Operation::Sum).start();
                    let (a, b) = (start(), start());
                    let [first, second] = if ranks.rank() == 0 { [a, b] } else { [b, a] };
                    _ = (first.wait(), second.wait());
                    Ok(())
                },
                &[
                    "rank 0 of 2 failed",
                    "the ranks differ: rank 0 calls `wait` (number 1, 0), and rank 1 calls `wait` (number 2, 0)",
                ],
            ),
        ),
        (
            "failure_reductions",
            failure(
                2,
                |ranks| {
                    let x = Active::<f64>::passive(1.0);
                    let operation = if ranks.rank() == 0 {
                        Operation::Min
                    } else {
                        Operation::Max
                    };
                    ranks.reduce(0, &x, operation).eval();
                    Ok(())
                },
                &["rank 0 of 2 failed", "`reduce`", "the ranks differ"],
            ),
        ),
        (
            "failure_dropped",
            failure(
                2,
                |ranks| {
                    let x = Active::<f64>::passive(1.0);
                    drop(ranks.all_reduce(&x, Operation::Sum).start());
                    Ok(())
                },
                &[
                    "rank 0 of 2 failed",
                    "`all_reduce`: a request was dropped: call `wait`",
                ],
            ),
        ),
        (
            "failure_fan_out",
            failure(
                2,
                |ranks| {
                    ranks
                        .fan_out(&Active::<f64>::passive(ranks.rank() as f64))
                        .eval();
                    Ok(())
                },
                &[
                    "rank 0 of 2 failed",
                    "`fan_out`: the values differ between ranks: broadcast them",
                ],
            ),
        ),
        (
            "failure_root",
            failure(
                2,
                |ranks| {
                    ranks.broadcast(2, &Active::<f64>::passive(1.0)).eval();
                    Ok(())
                },
                &[
                    "rank 0 of 2 failed",
                    "the root is rank 2 of 2",
                    "failures.rs",
                ],
            ),
        ),
        (
            "failure_shapes",
            failure(
                2,
                |ranks| {
                    let [rows, columns] = if ranks.rank() == 0 { [2, 3] } else { [3, 2] };
                    let x: Matrix = Matrix::passive(DMatrix::zeros(rows, columns));
                    ranks.all_reduce(&x, Operation::Sum).eval();
                    Ok(())
                },
                &[
                    "rank 0 of 2 failed",
                    "rank 1 calls `all_reduce` (operation and count 0, 6) with variables of other shapes",
                ],
            ),
        ),
        (
            "failure_fields",
            failure(
                2,
                |ranks| {
                    let halo = ranks.grid([2], [true]).halo([4], 1);
                    let u = vec![Active::<f64>::passive(1.0); 6];
                    halo.exchange((&u, &u)).eval();
                    Ok(())
                },
                &[
                    "rank 0 of 2 failed",
                    "`exchange`: 12 elements for 1 fields of 6 cells: pass the number of fields",
                ],
            ),
        ),
        (
            "failure_preaccumulated",
            failure(
                2,
                |ranks| {
                    let mut tape = Tape::new();
                    let x = tape.input(2.0);
                    tape.record(|| {
                        preaccumulate(&x, |x: &Active<f64>| {
                            ranks.all_reduce(x, Operation::Sum).eval()
                        })
                    });
                    Ok(())
                },
                &[
                    "rank 0 of 2 failed",
                    "a preaccumulated part communicates with other processes at",
                ],
            ),
        ),
        (
            "failure_thread",
            failure(
                2,
                |ranks| {
                    if ranks.rank() == 1 {
                        let joined = spawn(|| panic!("no more memory")).join();
                        joined.unwrap_or_else(|payload| resume_unwind(payload));
                    }
                    let []: [Active<f64>; 0] = ranks.barrier().eval();
                    Ok(())
                },
                &["rank 1 of 2 failed", "a panic was resumed: no more memory"],
            ),
        ),
    ]
}
pub fn run_one(name: &str) {
    let all = all();
    let (_, failure) = all
        .iter()
        .find(|(other, _)| *other == name)
        .expect("a failure");
    run(|ranks| (failure.program)(ranks));
}
pub fn check(name: &str, failure: &Failure) -> Result<(), String> {
    let run = mpirun(failure.ranks, &[], Some(name), LIMIT);
    let messages: Vec<&str> = run
        .text
        .lines()
        .filter(|line| line.starts_with("entape-mpi:"))
        .collect();
    let [message] = messages[..] else {
        return Err(format!("{} messages: {}", messages.len(), run.text));
    };
    if run.success || run.text.contains("ended by the watchdog") {
        return Err(format!(
            "the ranks did not end as they should: {}",
            run.text
        ));
    }
    match failure
        .message
        .iter()
        .find(|part| !message.contains(**part))
    {
        Some(part) => Err(format!("{part:?} is not in the message: {message}")),
        None => Ok(()),
    }
}
