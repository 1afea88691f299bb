//! Operations that can fail: one statement on success and none on failure.
use entape_check as check;
use entape_core::{
    expr::Active,
    kind,
    mode::{AnyMode, Plain, Reuse, Taped},
    op, operations,
    rule::{Rule, TryRule},
    tape::Tape,
};
use std::cell::Cell;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoLog {
    Zero,
    Negative(f64),
}
thread_local!(static COMPUTED: Cell<u32> = const { Cell::new(0) });

#[op(save(sx: f64 = s * x), sample(x = 0.5..2.0, s = 3.0))]
fn try_ln(#[ad_in(r_b * s / sx)] x: f64, #[ad_passive] s: f64) -> Result<f64, NoLog> {
    COMPUTED.set(COMPUTED.get() + 1);
    if sx == 0.0 {
        return Err(NoLog::Zero);
    }
    match sx > 0.0 {
        true => Ok(sx.ln()),
        false => Err(NoLog::Negative(sx)),
    }
}

#[kind(numbers(values), index = Owned, sample(value = Series { values: vec![1.0, 2.0] }))]
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    values: Vec<f64>,
}
#[derive(Debug, PartialEq)]
pub struct Shorter {
    by: usize,
}
impl Series {
    fn new(values: impl Into<Vec<f64>>) -> Self {
        let values = values.into();
        Series { values }
    }
}
#[operations(ext = SeriesOps)]
impl Series {
    #[op(sample(a = Series::new([1.0, 2.0]), b = Series::new([3.0, 4.0])))]
    fn dot(
        #[ad_in(Series::new(b.values.iter().map(|b| b * r_b).collect::<Vec<_>>()))] a: &Self,
        #[ad_in(Series::new(a.values.iter().map(|a| a * r_b).collect::<Vec<_>>()))] b: &Self,
    ) -> Result<f64, Shorter> {
        checked(a, b)?;
        Ok(a.values.iter().zip(&b.values).map(|(a, b)| a * b).sum())
    }
    #[op(save(r), sample(a = Series::new([1.0, 2.0]), b = Series::new([3.0, 4.0])))]
    fn plus(#[ad_in(r_b)] a: &Self, #[ad_in(r_b)] b: &Self) -> Result<Self, Shorter> {
        checked(a, b)?;
        Ok(Series::new(
            a.values
                .iter()
                .zip(&b.values)
                .map(|(a, b)| a + b)
                .collect::<Vec<_>>(),
        ))
    }
}
fn checked(a: &Series, b: &Series) -> Result<(), Shorter> {
    match a.values.len().checked_sub(b.values.len()) {
        Some(0) | None => Ok(()),
        Some(by) => Err(Shorter { by }),
    }
}

#[op(in_place, sample(x = 0.5..2.0))]
pub fn root(#[ad_in(r_b * 0.5 / r)] x: f64) -> Result<f64, String> {
    match x < 0.0 {
        true => Err(format!("{x} has no root")),
        false => Ok(x.sqrt()),
    }
}

fn program<M: AnyMode>(x: &Active<f64, M>) -> Result<Active<f64, M>, NoLog> {
    let y = try_ln(x * 2.0, 1.5)?;
    try_ln(y, 1.0)
}

#[test]
fn one_statement_where_it_succeeds_and_none_where_it_fails() {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    COMPUTED.set(0);
    let y = tape.record(|| program(&x)).unwrap();
    assert_eq!(COMPUTED.get(), 2);
    assert_eq!(tape.statistics().statements, 1 + 2);
    let inner = 6_f64.ln();
    assert_eq!(y, inner.ln());
    assert_eq!(
        tape.gradient(&y).unwrap().wrt(&x).unwrap(),
        1.5 / 6.0 * 2.0 / inner
    );
    let before = tape.statistics().statements;
    let error = tape.record(|| try_ln(x - 3.0, 2.0)).unwrap_err();
    assert_eq!(error, NoLog::Negative(-2.0));
    assert_eq!(tape.statistics().statements, before);
    assert_eq!(tape.record(|| try_ln(x, 0.0)).unwrap_err(), NoLog::Zero);
    assert_eq!(
        tape.gradient(&y).unwrap().wrt(&x).unwrap(),
        1.5 / 6.0 * 2.0 / inner
    );

    let plain = Active::<f64, Plain>::passive(2.0);
    assert_eq!(program(&plain).unwrap(), inner.ln());
    assert_eq!(
        program(&Active::<f64, Plain>::passive(-1.0)).unwrap_err(),
        NoLog::Negative(-3.0)
    );
    let mut tape = Tape::<Reuse>::default();
    let x = tape.input(2.0);
    let y = tape.record(|| program(&x)).unwrap();
    assert_eq!(
        tape.gradient(&y).unwrap().wrt(&x).unwrap(),
        1.5 / 6.0 * 2.0 / inner
    );
    let passive = Active::<f64, Taped>::passive(1.0);
    assert!(
        !Tape::new()
            .record(|| try_ln(passive, 1.0))
            .unwrap()
            .is_active()
    );
}

#[test]
fn methods_of_storage_kinds_may_fail() {
    let mut tape = Tape::new();
    let (a, b) = (
        tape.input(Series::new([1.0, 2.0])),
        tape.input(Series::new([3.0, 5.0])),
    );
    let long = tape.input(Series::new([1.0; 5]));
    let y = tape
        .record(|| -> Result<_, Shorter> { a.plus(&b)?.dot(&a) })
        .unwrap();
    assert_eq!(y, 4.0 + 14.0);
    let gradient = tape.gradient(&y).unwrap();
    assert_eq!(gradient.wrt(&a).unwrap().values, [5.0, 9.0]);
    assert_eq!(gradient.wrt(&b).unwrap().values, [1.0, 2.0]);
    assert_eq!(tape.record(|| long.dot(&a)).unwrap_err(), Shorter { by: 3 });
    assert_eq!(
        tape.record(|| long.plus(&a)).unwrap_err(),
        Shorter { by: 3 }
    );
}

#[test]
fn the_plain_function_and_the_rule_return_the_error() {
    assert_eq!(root(-1.0).unwrap_err(), "-1 has no root");
    let x = Active::<f64, Plain>::passive(4.0);
    assert_eq!(Root::of(x).unwrap(), 2.0);
    assert_eq!(
        TryRule::<f64>::try_primal(&Root, 4.0, (), ()),
        Ok((2.0, ()))
    );
    let failure = check::rule(&Root, (-1.0,)).unwrap_err().to_string();
    assert!(
        failure.contains("the primal panics: Root failed: \"-1 has no root\""),
        "{failure}"
    );
    // Near the end of the domain, some steps of the differences fail.
    check::assert_rule(&Root, (1e-3,));
    let failure = check::rule(&Shifted, (0.04,)).unwrap_err();
    assert!(
        matches!(failure.fault, check::Fault::Slope { .. }),
        "{failure}"
    );
    assert_eq!(Rule::<f64>::primal(&Root, 9.0, (), ()).0, 3.0);
}

#[op]
fn shifted(#[ad_in(2.0 * r_b)] x: f64) -> Result<f64, NoLog> {
    match x > 0.039 {
        true => Ok(x),
        false => Err(NoLog::Zero),
    }
}
