//! The table of special values.
use entape_core::{
    expr::Active,
    mode::{Forward, Mode, Plain, Recording, Taped},
    tape::Tape,
};
use std::{array::from_fn, collections::BTreeMap};

type Real<M = entape_core::mode::Taped> = Active<f64, M>;

/// How functions are written: on numbers, on lists, ..
pub(crate) trait Form {
    fn call<M: Mode>(name: &str, x: &[Real<M>]) -> Option<Real<M>>;
    fn is_constant(_argument: usize) -> bool {
        false
    }
}

/// `$finish` makes a real of the expression.
#[macro_export]
macro_rules! by_name {
    ($name:expr, $a:expr, $b:expr, $c:expr, $finish:ident) => {
        $crate::by_name!(@ $name, $a, $b, $c, $finish;
            [sqrt cbrt recip exp exp2 exp_m1 ln log2 log10 ln_1p sin cos tan asin acos atan to_degrees to_radians sinh cosh tanh asinh acosh
             atanh abs floor ceil trunc round round_ties_even signum fract erf erfc ln_gamma digamma]
            [powf hypot log atan2 midpoint copysign max min rem_euclid div_euclid])
    };
    (@ $name:expr, $a:expr, $b:expr, $c:expr, $finish:ident; [$($one:ident)*] [$($two:ident)*]) => {
        match $name {
            $(stringify!($one) => $finish!($a.$one()),)*
            $(stringify!($two) => $finish!($a.$two($b)),)*
            "mul_add" => $finish!($a.mul_add($b, $c)),
            "clamp" => $finish!($a.clamp($b, $c)),
            "polygamma(1)" => $finish!($a.polygamma(1)),
            "polygamma(2)" => $finish!($a.polygamma(2)),
            name => {
                let n = name.strip_prefix("powi(").and_then(|n| n.strip_suffix(')'));
                let n: i32 = n.and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("no function {name}"));
                $finish!($a.powi(n))
            }
        }
    };
}

type Claim = Option<f64>;
struct Row {
    name: String,
    x: Vec<f64>,
    value: Claim,
    first: Vec<Claim>,
    second: Vec<Claim>,
}
fn number(text: &str) -> Claim {
    match text.trim_start_matches('~') {
        "?" => None,
        number => Some(number.parse().expect("a number")),
    }
}
fn rows() -> impl Iterator<Item = Row> {
    let numbers = |text: &str| text.split(' ').map(number).collect();
    include_str!("../data/special_values.csv")
        .lines()
        .map(move |line| {
            let fields: Vec<&str> = line.split(',').collect();
            let [name, x, value, first, second] = fields[..] else {
                panic!("five fields: {line}")
            };
            Row {
                name: name.into(),
                x: x.split(' ').map(|x| x.parse().expect("a number")).collect(),
                value: number(value),
                first: numbers(first),
                second: numbers(second),
            }
        })
}

pub(crate) struct Derivatives {
    mode: &'static str,
    value: f64,
    first: Option<Vec<f64>>,
    second: Option<Vec<f64>>,
}
pub(crate) fn swept<M: Recording>(
    mode: &'static str,
    mut tape: Tape<M>,
    x: &[f64],
    f: impl FnOnce(&[Real<M>]) -> Option<Real<M>>,
) -> Option<Derivatives> {
    let inputs: Vec<_> = x.iter().map(|&x| tape.input(x)).collect();
    let y = tape.record(|| f(&inputs))?;
    let mut first = vec![0.0; x.len()];
    if y.is_active() {
        let gradient = tape.gradient(&y).expect("a recorded result");
        first = inputs
            .iter()
            .map(|x| gradient.wrt(x).expect("an input"))
            .collect();
    }
    Some(Derivatives {
        mode,
        value: y.value(),
        first: Some(first),
        second: None,
    })
}
fn along<F: Form>(name: &str, x: &[f64]) -> Option<[Derivatives; 2]> {
    let mut tape = Tape::new();
    let inputs: Vec<_> = x.iter().map(|&x| tape.input(x)).collect();
    let y = tape.record(|| F::call(name, &inputs))?;
    let n = x.len();
    let (mut forward, mut back) = (vec![0.0; n], vec![0.0; n]);
    let mut second = vec![0.0; n * (n + 1) / 2];
    if y.is_active() {
        let mut directions = tape.directions::<8>().expect("a tape of this mode");
        for (i, x) in inputs.iter().enumerate() {
            directions
                .set(x, from_fn(|j| f64::from(u8::from(i == j))))
                .expect("an input");
        }
        let tangents = directions.sweep().expect("all functions have tangents");
        forward = tangents.of(&y).expect("a result")[..n].to_vec();
        let swept = tangents.gradient(&y).expect("a result");
        let mut k = 0;
        for (i, x) in inputs.iter().enumerate() {
            back[i] = swept.gradient(x).expect("an input");
            let row = swept.wrt(x).expect("an input");
            for h in &row[i..n] {
                second[k] = *h;
                k += 1;
            }
        }
    }
    let value = y.value();
    Some([
        Derivatives {
            mode: "tangents of a tape",
            value,
            first: Some(forward),
            second: None,
        },
        Derivatives {
            mode: "second order",
            value,
            first: Some(back),
            second: Some(second),
        },
    ])
}
fn everything<F: Form>(name: &str, x: &[f64]) -> Option<Vec<Derivatives>> {
    let plain: Vec<_> = x.iter().map(|&x| Real::<Plain>::passive(x)).collect();
    let value = F::call(name, &plain)?.value();
    let unit = |i: usize| from_fn(|j| f64::from(u8::from(i == j)));
    let forward: Vec<_> = (0..x.len())
        .map(|i| Real::<Forward<3>>::with_tangents(x[i], unit(i)))
        .collect();
    let y = F::call(name, &forward)?;
    let mut all = vec![
        Derivatives {
            mode: "plain",
            value,
            first: None,
            second: None,
        },
        Derivatives {
            mode: "forward",
            value: y.value(),
            first: Some(y.tangents()[..x.len()].to_vec()),
            second: None,
        },
        swept("taped", Tape::<Taped>::new(), x, |x| F::call(name, x))?,
    ];
    all.extend(along::<F>(name, x)?);
    Some(all)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Right,
    /// NaN instead of a number: an intermediate result overflowed.
    NoNumber,
    /// A number, or infinity, instead of another one or NaN.
    Wrong,
}
/// `size`: of neighbouring numbers, because terms may cancel.
fn judge(got: f64, want: Claim, size: f64, tolerance: f64) -> Verdict {
    let Some(want) = want else {
        return Verdict::Right;
    };
    let error = tolerance * want.abs() + 1e-15 * size + f64::MIN_POSITIVE;
    let close = got.is_finite() && (got - want).abs() <= error;
    if got == want || (got.is_nan() && want.is_nan()) || close {
        Verdict::Right
    } else if got.is_nan() {
        Verdict::NoNumber
    } else {
        Verdict::Wrong
    }
}
fn is_extreme(x: &[f64]) -> bool {
    x.iter()
        .any(|x| !(1e-100..1e100).contains(&x.abs()) && *x != 0.0)
}
const FIRST: [&str; 3] = ["first of a", "first of b", "first of c"];
const SECOND: [[&str; 3]; 3] = [
    ["second of aa", "second of ab", "second of ac"],
    ["", "second of bb", "second of bc"],
    ["", "", "second of cc"],
];
fn size(claims: &[Claim]) -> f64 {
    let finite = claims.iter().flatten().filter(|x| x.is_finite());
    finite.fold(0.0, |size, x| size.max(x.abs()))
}
fn verdicts<F: Form>(row: &Row, of: &Derivatives) -> Vec<(&'static str, f64, Claim, Verdict)> {
    let n = row.x.len();
    let flows = |i: usize| !F::is_constant(i);
    let mut all = vec![(
        "value",
        of.value,
        row.value,
        judge(of.value, row.value, 0.0, 1e-14),
    )];
    for (i, &got) in of
        .first
        .iter()
        .flatten()
        .enumerate()
        .filter(|(i, _)| flows(*i))
    {
        let want = row.first[i];
        all.push((
            FIRST[i],
            got,
            want,
            judge(got, want, size(&row.first), 1e-12),
        ));
    }
    let pairs = (0..n).flat_map(|i| (i..n).map(move |j| [i, j]));
    for ((k, &got), [i, j]) in of.second.iter().flatten().enumerate().zip(pairs) {
        if flows(i) && flows(j) {
            let want = row.second[k];
            all.push((
                SECOND[i][j],
                got,
                want,
                judge(got, want, size(&row.second), 1e-10),
            ));
        }
    }
    all
}

pub(crate) type Known = (
    &'static [&'static str],
    &'static str,
    fn(&[f64]) -> bool,
    &'static str,
);

/// Compares a form with the table, in all modes and in `more`. NaN is accepted for an infinite derivative, and for
/// arguments next to the largest or smallest number. Returns known differences, and panics at others.
#[track_caller]
pub(crate) fn compare<F: Form>(
    known: &[Known],
    more: impl Fn(&str, &[f64]) -> Vec<Derivatives>,
) -> Vec<bool> {
    let mut wrong: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let (mut count, mut no_number) = (0, 0);
    let mut met = vec![false; known.len()];
    let print = std::env::var_os("ENTAPE_SPECIAL_VALUES").is_some();
    for row in rows() {
        let Some(mut all) = everything::<F>(&row.name, &row.x) else {
            continue;
        };
        all.extend(more(&row.name, &row.x));
        for of in all {
            for (what, got, want, verdict) in verdicts::<F>(&row, &of) {
                count += 1;
                if verdict == Verdict::Right {
                    continue;
                }
                no_number += usize::from(verdict == Verdict::NoNumber);
                let is_known = known.iter().position(|(names, column, at, _)| {
                    names.contains(&&*row.name) && what.starts_with(column) && at(&row.x)
                });
                if let Some(k) = is_known {
                    met[k] = true;
                }
                let at_pole = want.is_some_and(f64::is_infinite);
                let accepted = verdict == Verdict::NoNumber && (at_pole || is_extreme(&row.x));
                if print || !(accepted || is_known.is_some()) {
                    let want = want.expect("a claim");
                    let line = format!(
                        "{verdict:?}: {} at {:?}: {what} is {got:e} instead of {want:e}",
                        row.name, row.x
                    );
                    wrong.entry(line).or_default().push(of.mode);
                }
            }
        }
    }
    let lines = wrong
        .iter()
        .map(|(line, modes)| format!("{line} ({})", modes.join(", ")));
    let lines: Vec<String> = lines.collect();
    assert!(
        count > 1000 && lines.is_empty(),
        "of {count} numbers, {no_number} are none:\n{}",
        lines.join("\n")
    );
    met
}
