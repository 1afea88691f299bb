//! The cost of a gradient: of each step in time, and in memory.
use crate::{Bay, Outcome, bay};
use entape::{
    checkpoint::{Checkpoints, Progress, Steps},
    prelude::*,
};
use std::{cell::Cell, time::Instant};

pub(crate) fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

/// The gradient of this many steps within a bound, and its parts.
pub(crate) fn run(cells: usize, steps: usize, bytes: usize) -> Outcome {
    let mut bay = Bay::new(cells, steps);
    let truth = bay.true_depth();
    let start = Instant::now();
    bay.measure(&truth, || 0.0);
    let plain = start.elapsed().as_secs_f64() / steps as f64;
    let depth = vec![bay::MEAN_DEPTH; cells * cells];
    let (h, u, v) = bay.at_rest();

    let last = Cell::new(Progress::default());
    let checkpoints = Checkpoints::new().bytes(bytes).progress(|p| last.set(*p));
    let start = Instant::now();
    let (misfit, (_, slope)) = checkpoints.value_and_gradient(&bay, (&h, &u, &v), &depth, steps)?;
    let time = start.elapsed().as_secs_f64() / steps as f64;
    let most = peak();

    // as many steps as fit, on one tape; the second time in warm memory
    let mut tape = Tape::<Taped>::builder().memory_limit(bytes).build()?;
    let mut whole = f64::INFINITY;
    let mut count = 0;
    for _ in 0..3 {
        tape.reset();
        let d = tape.input(depth.clone());
        let [h, u, v] = [&h, &u, &v].map(|field| tape.input(field.clone()));
        let start = Instant::now();
        let mut state = (h, u, v);
        let most = if count == 0 { steps } else { count };
        let mut made = 0;
        while made < most && tape.full().is_none() {
            state = tape.record(|| bay.step(made, (&state.0, &state.1, &state.2), &d));
            made += 1;
        }
        if count == 0 {
            // adjoints need memory, too
            count = (made * 9 / 10).max(1);
            continue;
        }
        let y = tape.record(|| state.0.norm_squared().eval());
        tape.gradient(&y)?.wrt(&d)?;
        whole = whole.min(start.elapsed().as_secs_f64() / made as f64);
    }
    let ms = |seconds: f64| 1e3 * seconds;
    println!("{steps} steps of {cells} x {cells} cells, misfit {misfit:.6e}");
    println!(
        "norm of the gradient {:.6e}",
        slope.iter().map(|x| x * x).sum::<f64>().sqrt()
    );
    println!(
        "a step alone                             {:>8.3} ms",
        ms(plain)
    );
    println!(
        "its gradient, {count:>6} steps on one tape   {:>8.3} ms",
        ms(whole)
    );
    println!(
        "its gradient within the bound            {:>8.3} ms",
        ms(time)
    );
    let progress = last.get();
    println!(
        "without the step itself {:.2} of that on one tape; each was made {:.2} times before",
        (time - plain) / whole,
        progress.advanced as f64 / steps as f64
    );
    if let Some(most) = most {
        println!("memory of the process at most {} MB", most >> 20);
    }
    Ok(())
}
