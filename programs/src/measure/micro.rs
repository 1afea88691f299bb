//! Criterion with thread CPU time instead of wall-clock time.
use super::timed;
use cpu_time::ThreadTime;
use criterion::{
    BenchmarkGroup, Criterion,
    measurement::{Measurement, ValueFormatter, WallTime},
};
use std::{hint::black_box, time::Duration};

/// Thread CPU time, in fractional nanoseconds.
pub struct ThreadCpu;
impl Measurement for ThreadCpu {
    type Intermediate = ThreadTime;
    type Value = f64;
    fn start(&self) -> ThreadTime {
        ThreadTime::now()
    }
    fn end(&self, start: ThreadTime) -> f64 {
        ns(start.elapsed())
    }
    fn add(&self, a: &f64, b: &f64) -> f64 {
        a + b
    }
    fn zero(&self) -> f64 {
        0.0
    }
    fn to_f64(&self, time: &f64) -> f64 {
        *time
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}
pub type Group<'c> = BenchmarkGroup<'c, ThreadCpu>;

/// Creates a criterion with one second and this many samples for each benchmark, unless the command line sets them.
///
/// # Panics
/// If there are fewer than ten samples.
pub fn criterion(samples: usize) -> Criterion<ThreadCpu> {
    Criterion::default()
        .with_measurement(ThreadCpu)
        .without_plots()
        .sample_size(samples)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args()
}
/// Returns the time of one of `parts` equal parts of a call, for `iter_custom`.
pub fn each_part<T>(parts: usize, mut call: impl FnMut() -> T) -> impl FnMut(u64) -> f64 {
    move |calls| {
        let (time, ()) = timed(|| (0..calls).for_each(|_| _ = black_box(call())));
        ns(time) / parts as f64
    }
}
/// Returns the time of one of `parts` equal parts of a run, which returns the time of its measured section, for
/// `iter_custom`. For runs of a few microseconds, reading the clock is a noticeable part.
pub fn each_timed(parts: usize, mut run: impl FnMut() -> Duration) -> impl FnMut(u64) -> f64 {
    move |runs| {
        let time: Duration = (0..runs).map(|_| run()).sum();
        ns(time) / parts as f64
    }
}
fn ns(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}
