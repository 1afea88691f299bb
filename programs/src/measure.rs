//! Thread CPU time, medians, and the cost of fresh memory.
use cpu_time::ThreadTime;
use std::{hint::black_box, time::Duration};

#[cfg(feature = "criterion")]
pub mod micro;

pub fn timed<T>(f: impl FnOnce() -> T) -> (Duration, T) {
    let start = ThreadTime::now();
    let result = black_box(f());
    (start.elapsed(), result)
}
/// Faster programs are run [several times in a row](in_a_row) for one measurement.
pub const SHORT: Duration = Duration::from_millis(1);
/// Measures the parts of a run by `run`, for a `short` program as the mean of some runs. A preceding run wakes the
/// processor and fills the caches.
///
/// # Errors
/// If a run fails.
pub fn in_a_row<const N: usize, E>(
    short: bool,
    mut run: impl FnMut() -> Result<[Duration; N], E>,
) -> Result<[Duration; N], E> {
    const RUNS: u32 = 8;
    let mut sums = run()?;
    if short {
        sums = [Duration::ZERO; N];
        for _ in 0..RUNS {
            let each = sums.iter_mut().zip(run()?);
            each.for_each(|(sum, time)| *sum += time / RUNS);
        }
    }
    Ok(sums)
}
/// Returns the medians of the times of `subjects`, which take turns.
pub fn turns<const N: usize>(rounds: usize, mut subjects: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut times = [const { Vec::new() }; N];
    // The first round warms up.
    for round in 0..=rounds {
        for (subject, times) in subjects.iter_mut().zip(&mut times) {
            let (time, ()) = timed(subject);
            if round > 0 {
                times.push(time);
            }
        }
    }
    times.map(median)
}
/// Returns the median of the times.
///
/// # Panics
/// If `times` is empty.
pub fn median(times: impl IntoIterator<Item = Duration>) -> Duration {
    let mut times: Vec<_> = times.into_iter().collect();
    times.sort_unstable();
    times[times.len() / 2]
}
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
/// Returns the time to write `bytes` to memory that the process has not touched before.
pub fn first_touch(bytes: usize) -> Duration {
    const PAGE: usize = 4096;
    // Zeroed, so that the writes below allocate the pages.
    let mut fresh = vec![0_u8; bytes];
    let (time, ()) = timed(|| {
        for page in fresh.chunks_mut(PAGE) {
            page.fill(1);
            black_box(&page);
        }
    });
    black_box(&fresh);
    time
}
