//! Thread CPU time, medians, and the rate at which fresh memory comes into being.
use cpu_time::ThreadTime;
use std::{hint::black_box, time::Duration};

#[cfg(feature = "criterion")]
pub mod micro;

/// The CPU time that this thread spends in `f`, and what `f` returns.
pub fn timed<T>(f: impl FnOnce() -> T) -> (Duration, T) {
    let start = ThreadTime::now();
    let result = black_box(f());
    (start.elapsed(), result)
}
/// Programs that take less are run [several times in a row](in_a_row) for one time.
pub const SHORT: Duration = Duration::from_millis(1);
/// What the parts of a run take, each measured by `run`; of a `short` program the mean of some runs, after one that wakes the
/// processor, as wide vectors run slowly for some microseconds, and brings the program's memory into the caches.
///
/// # Errors
/// That of a run.
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
/// The medians of what `subjects` take, all of which take turns `rounds` times.
pub fn turns<const N: usize>(rounds: usize, mut subjects: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut times = [const { Vec::new() }; N];
    // the first round warms up
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
/// The median of the times, the upper one of an even number.
///
/// # Panics
/// If there are none.
pub fn median(times: impl IntoIterator<Item = Duration>) -> Duration {
    let mut times: Vec<_> = times.into_iter().collect();
    times.sort_unstable();
    times[times.len() / 2]
}
/// Milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
/// The time to write `bytes` to memory that the process has not touched before: what a first recording
/// pays beside a warm one.
pub fn first_touch(bytes: usize) -> Duration {
    const PAGE: usize = 4096;
    // zeroed, so that the pages come into being by the writes below
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
