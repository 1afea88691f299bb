//! Settings, data, maximisation, sampling and pictures of the programs.
#![allow(missing_docs)]
#![forbid(unsafe_code)]

pub mod g2o;
pub mod maximise;
pub mod picture;
pub mod sample;
mod settings;

pub use settings::Settings;

use entape::prelude::*;
use std::{error::Error, str::FromStr};

pub type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// Returns the rows of a table of comma-separated numbers, without the first line and without rows with a missing
/// number.
///
/// ```
/// let rows = applications::table("time,level\n1,2.5\n2,\n3,2.25\n")?;
/// assert_eq!(rows, [[1.0, 2.5], [3.0, 2.25]]);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
pub fn table(text: &str) -> Outcome<Vec<Vec<f64>>> {
    let lines = text.lines().skip(1);
    let complete = lines.filter(|line| line.split(',').all(|number| !number.trim().is_empty()));
    complete.map(|line| numbers(line.split(','))).collect()
}
/// Returns the time in years of a day written as a number, such as 19580329.
pub fn year(date: f64) -> f64 {
    let (year, month) = ((date / 1e4).floor(), (date / 100.0).floor() % 100.0);
    let day = date % 100.0;
    year + (month - 1.0 + (day - 1.0) / 31.0) / 12.0
}
pub fn numbers<'t, T: FromStr<Err: Error + Send + Sync + 'static>>(
    words: impl Iterator<Item = &'t str>,
) -> Outcome<Vec<T>> {
    words.map(|word| Ok(word.trim().parse()?)).collect()
}
pub fn root_mean_square(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    (numbers.map(|x| x * x).sum::<f64>() / count).sqrt()
}
pub fn moments(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

/// Returns numbers as arguments of a function that is evaluated without derivatives.
pub fn plain(numbers: &[f64]) -> Vec<Real<Plain>> {
    numbers.iter().map(|&x| Real::passive(x)).collect()
}
