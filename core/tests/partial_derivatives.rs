//! Tangents and several adjoints of a number, by partial derivatives if these are normal, and otherwise by formulas,
//! are equal.
use entape_core::{
    expr::{Active, list},
    mode::{Mode, Plain},
    real::{Elementary, ListReductions},
    tape::{Error, Tape},
};

type Real = Active<f64>;

fn flows(
    x: f64,
    x_t: f64,
    seeds: [f64; 8],
    f: impl FnOnce(&Real) -> Real,
) -> Result<(f64, [f64; 8]), Error> {
    let mut tape = Tape::new();
    let x = tape.input(x);
    let y = tape.record(|| f(&x));
    let mut directions = tape.directions::<1>()?;
    directions.set(&x, [x_t])?;
    let [tangent] = directions.sweep()?.of(&y)?;
    let mut adjoints = tape.adjoints()?;
    for (j, seed) in seeds.into_iter().enumerate() {
        if seed != 0.0 {
            adjoints.seed(&y, j, seed)?;
        }
    }
    Ok((tangent, adjoints.sweep()?.wrt(&x)?))
}
const SEEDS: [f64; 8] = [1e300, 0.0, 1.0, 0.0, 1e250, 0.0, 0.0, 2.0];

#[test]
fn a_product_that_is_too_small_is_not_lost() -> Result<(), Error> {
    let (tangent, adjoints) = flows(1.0, 1e300, SEEDS, |x| (*x * 1e-200 * 1e-200).eval())?;
    assert!((tangent / 1e-100 - 1.0).abs() < 1e-12, "{tangent}");
    assert!((adjoints[0] / 1e-100 - 1.0).abs() < 1e-12, "{adjoints:?}");
    assert!((adjoints[4] / 1e-150 - 1.0).abs() < 1e-12, "{adjoints:?}");
    assert_eq!((adjoints[1], adjoints[2], adjoints[7]), (0.0, 0.0, 0.0));
    Ok(())
}
#[test]
fn a_product_that_is_too_large_is_not_infinite() -> Result<(), Error> {
    let seeds = [1e-300, 0.0, 1e-200, 0.0, 0.0, 0.0, 0.0, 0.0];
    let (tangent, adjoints) = flows(1.0, 1e-300, seeds, |x| (*x * 1e200 * 1e200).eval())?;
    assert!((tangent / 1e100 - 1.0).abs() < 1e-12, "{tangent}");
    assert!((adjoints[0] / 1e100 - 1.0).abs() < 1e-12, "{adjoints:?}");
    assert!((adjoints[2] / 1e200 - 1.0).abs() < 1e-12, "{adjoints:?}");
    assert_eq!(adjoints[1], 0.0);
    Ok(())
}
#[test]
fn adjoints_that_are_not_seeded_do_not_reach_a_pole() -> Result<(), Error> {
    let (_, adjoints) = flows(0.0, 1.0, SEEDS, |x| x.sqrt().eval())?;
    for (adjoint, seed) in adjoints.into_iter().zip(SEEDS) {
        assert_eq!(adjoint, if seed == 0.0 { 0.0 } else { f64::INFINITY });
    }
    let mut tape = Tape::new();
    let x = tape.input(0.0);
    let y = tape.record(|| {
        let root = x.sqrt().eval();
        (root * root).eval()
    });
    let mut adjoints = tape.adjoints()?;
    adjoints.seed(&y, 3, 1.0)?;
    let x_b = adjoints.sweep()?.wrt(&x)?;
    assert!(x_b[3].is_nan(), "{x_b:?}");
    assert_eq!(x_b[..3], [0.0; 3]);
    Ok(())
}
#[test]
fn derivatives_at_kinks_and_zeros_are_those_of_formulas() -> Result<(), Error> {
    let seeds = [1.0, 2.0, 3.0, 4.0, 0.0, -1.0, 0.0, 0.5];
    type Function = fn(&Real) -> Real;
    let cases: [Function; 4] = [
        |x| (x.abs() * 3.0).eval(),
        |x| (*x * *x + 5.0).eval(),
        |x| (x.cos() * *x - x.sin()).eval(),
        |x| (x.max(0.0) * 2.0 + *x).eval(),
    ];
    for (i, f) in cases.into_iter().enumerate() {
        let (tangent, adjoints) = flows(0.0, 7.0, seeds, f)?;
        let compiled = {
            let mut tape = Tape::new();
            let x = tape.input(0.0);
            let y = tape.record(|| f(&x));
            tape.gradient(&y)?.wrt(&x)?
        };
        assert_eq!(tangent, 7.0 * compiled, "case {i}");
        assert_eq!(adjoints, seeds.map(|seed| seed * compiled), "case {i}");
    }
    Ok(())
}
#[test]
fn variables_that_occur_twice_have_the_sum_and_passive_ones_nothing() -> Result<(), Error> {
    let passive = Real::passive(4.0);
    let seeds = [1.0, 0.0, -3.0, 0.0, 0.0, 0.0, 0.0, 2.0];
    let (tangent, adjoints) = flows(3.0, 0.5, seeds, |x| {
        (*x * *x * passive + *x - passive * *x).eval()
    })?;
    // 8 x + 1 - 4
    assert_eq!(tangent, 10.5);
    assert_eq!(adjoints, seeds.map(|seed| seed * 21.0));
    let (tangent, adjoints) = flows(3.0, 0.5, seeds, |x| {
        (*x - 3.0 * *x + passive - (*x + passive) / 4.0).eval()
    })?;
    assert_eq!(tangent, -1.125);
    assert_eq!(adjoints, seeds.map(|seed| seed * -2.25));
    Ok(())
}
#[test]
fn lists_pass_several_adjoints_on() -> Result<(), Error> {
    fn program<M: Mode>(x: &[Active<f64, M>], passive: Active<f64, M>) -> Active<f64, M> {
        let mut all = x.to_vec();
        all.push(passive);
        all.push(x[0]);
        (list(&all).sin().sum() * x[1] + x[2]).eval()
    }
    let at = [0.0, 0.4, -1.3, 2.0];
    let mut tape = Tape::new();
    let x = at.map(|x| tape.input(x));
    let y = tape.record(|| {
        let passive = Real::passive(0.7);
        [
            program(&x, passive),
            ((list(&x) * list(&x)).sum() + x[3]).eval(),
        ]
    });
    let mut expected = [[0.0; 2]; 4];
    for (k, y) in y.iter().enumerate() {
        let gradient = tape.gradient(y)?;
        for (row, x) in expected.iter_mut().zip(&x) {
            row[k] = gradient.wrt(x)?;
        }
    }
    let mut adjoints = tape.adjoints()?;
    adjoints.seed(&y[0], 2, 1.0)?;
    adjoints.seed(&y[1], 5, -2.0)?;
    adjoints.seed(&y[0], 7, 0.5)?;
    adjoints.seed(&y[1], 7, 1.0)?;
    let swept = adjoints.sweep()?;
    for (x, [first, second]) in x.iter().zip(expected) {
        let row = swept.wrt(x)?;
        let sum = 0.5 * first + second;
        for (got, wanted) in [(row[2], first), (row[5], -2.0 * second), (row[7], sum)] {
            assert!((got - wanted).abs() < 1e-14, "{got} is not {wanted}");
        }
        assert_eq!([row[0], row[1], row[3], row[4], row[6]], [0.0; 5]);
    }
    let plain = program::<Plain>(&at.map(Active::passive), Active::passive(0.7));
    assert_eq!(y[0].value(), plain.value());
    Ok(())
}
#[test]
fn sweeps_follow_each_other_and_first_order_is_untouched() -> Result<(), Error> {
    let mut tape = Tape::new();
    let (x, y) = (tape.input(0.3), tape.input(-1.2));
    let z = tape.record(|| {
        let a = (x * y + x.sin()).eval();
        let b = (a - 2.0 * y).eval();
        (b * b * a).eval()
    });
    let gradient = |tape: &mut Tape| -> Result<[f64; 2], Error> {
        let gradient = tape.gradient(&z)?;
        Ok([gradient.wrt(&x)?, gradient.wrt(&y)?])
    };
    let first = gradient(&mut tape)?;
    for _ in 0..2 {
        let mut directions = tape.directions::<8>()?;
        directions.set(&x, [1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0])?;
        directions.set(&y, [0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0])?;
        let along = directions.sweep()?.of(&z)?;
        let expected = [first[0], first[1], 2.0 * first[0] - first[1], 0.0];
        for (along, expected) in along.iter().zip(expected) {
            assert!((along - expected).abs() < 1e-14);
        }
        assert_eq!(gradient(&mut tape)?, first);
        let mut adjoints = tape.adjoints()?;
        adjoints.seed(&z, 6, 3.0)?;
        let swept = adjoints.sweep()?;
        assert!((swept.wrt(&x)?[6] - 3.0 * first[0]).abs() < 1e-13);
        assert!((swept.wrt(&y)?[6] - 3.0 * first[1]).abs() < 1e-13);
        assert_eq!(gradient(&mut tape)?, first);
    }
    Ok(())
}
