//! Results that are not finite and depend on no input have NaN derivatives.
use entape_core::{
    coordinates::Coordinates,
    expr::Active,
    function, kind,
    mode::{Forward, Mode},
    real::Elementary,
    tape::Tape,
};
use entape_drivers::{
    Error, Function, Inputs, Jacobian, ListShape, Objective, SingleShape, gradient, hessian,
    hessian_vector, jacobian, jvp, preaccumulate, value_and_gradient, value_gradient_hessian, vjp,
};

const NOT_FINITE: [f64; 3] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

fn are_nan(all: &[f64]) -> bool {
    !all.is_empty() && all.iter().all(|x| x.is_nan())
}
struct Guarded(f64);
impl Function for Guarded {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Active<f64, M>;
    fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> Active<f64, M> {
        match x[0] > 1.0 {
            true => Active::passive(self.0),
            false => (x[0] * x[1] * x[1]).eval(),
        }
    }
}
struct Residuals(f64);
impl Function for Residuals {
    type Inputs = ListShape<f64>;
    type Values = Vec<f64>;
    type Output<M: Mode> = Vec<Active<f64, M>>;
    fn call<M: Mode>(&self, x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
        vec![
            Guarded(self.0).call(x),
            (3.0 * x[0]).eval(),
            Active::passive(2.0),
        ]
    }
}
const AT: [f64; 2] = [2.0, 1.0];

#[test]
fn gradients_and_hessians_are_nan() -> Result<(), Error> {
    for constant in NOT_FINITE {
        let f = Guarded(constant);
        let (value, slope) = value_and_gradient(|x: &[Active<f64>]| f.call(x), &AT)?;
        assert!(value.to_bits() == constant.to_bits() && are_nan(&slope));
        assert!(are_nan(&gradient(|x: &[Active<f64>]| f.call(x), &AT)?));
        let second = |x: &[Active<f64>]| f.call(x);
        assert!(are_nan(hessian(second, &AT)?.as_slice()));
        let (slope, along) = hessian_vector(second, AT.to_vec(), vec![0.0, 1.0])?;
        assert!(are_nan(&slope) && are_nan(&along));
        let all = value_gradient_hessian(second, &AT)?;
        assert!(are_nan(&all.gradient) && are_nan(all.hessian.as_slice()));

        let f = Objective::new(f);
        assert!(are_nan(&f.gradient(&AT)?));
        assert!(are_nan(f.hessian(&AT)?.as_slice()));
        assert!(are_nan(f.hessian_block(&AT, 1..2)?.as_slice()));
        assert!(are_nan(&f.hessian_vector(&AT, &[0.0, 0.0])?));
    }
    Ok(())
}

#[test]
fn products_with_jacobians_are_nan() -> Result<(), Error> {
    for constant in NOT_FINITE {
        let f = Residuals(constant);
        let (values, slopes) = vjp(|x: &[Active<f64>]| f.call(x), &AT, vec![1.0, 1.0, 1.0])?;
        assert!(values[1..] == [6.0, 2.0] && are_nan(&slopes));
        let along = |x: &[Active<f64, Forward>]| f.call(x);
        let (_, along) = jvp(along, AT.to_vec(), vec![1.0, 0.0])?;
        assert!(along[0].is_nan() && along[1..] == [3.0, 0.0]);
        let mut product = [0.0; 2];
        {
            let f = Objective::new(f);
            f.vjp_into(&AT, &[1.0, 1.0, 1.0], &mut product)?;
            assert!(are_nan(&product));
            let mut along = [0.0; 3];
            f.jvp_into(&AT, &[1.0, 0.0], &mut along)?;
            assert!(along[0].is_nan() && along[1..] == [3.0, 0.0]);
        }
        let recorded = Objective::recorded(|x: &[Active<f64>]| Residuals(constant).call(x));
        let mut along = [0.0; 3];
        recorded.jvp_into(&AT, &[1.0, 0.0], &mut along)?;
        assert!(along[0].is_nan() && along[1..] == [3.0, 0.0]);
    }
    Ok(())
}

#[test]
fn rows_of_jacobians_are_nan() -> Result<(), Error> {
    for constant in NOT_FINITE {
        let f = Residuals(constant);
        let objective = Objective::new(Residuals(constant));
        let recorded = Objective::recorded(|x: &[Active<f64>]| Residuals(constant).call(x));
        let mut rows = Jacobian::new(3, 2, vec![0.0; 6]).into_vec();
        objective.jacobian_rows_into(&AT, 0, &mut rows)?;
        for j in [
            jacobian(|x: &[Active<f64>]| f.call(x), &AT)?,
            objective.jacobian(&AT)?,
            recorded.jacobian(&AT)?,
            objective.jacobian_columns(&AT, 0..2)?,
            Jacobian::new(3, 2, rows),
        ] {
            assert!(are_nan(j.row(0)), "{j:?}");
            assert_eq!((j.row(1), j.row(2)), (&[3.0, 0.0][..], &[0.0, 0.0][..]));
        }
    }
    Ok(())
}

#[test]
fn rows_that_are_computed_backward_are_nan() -> Result<(), Error> {
    #[function]
    fn f<M: Mode>(x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
        vec![
            Active::passive(f64::INFINITY),
            x.iter().map(|x| x * x).sum(),
        ]
    }
    let j = Objective::new(f {}).jacobian(&[1.0; 40])?;
    assert!(are_nan(j.row(0)) && j.row(1) == [2.0; 40]);
    Ok(())
}

#[test]
fn finite_constants_have_zeros() -> Result<(), Error> {
    let f = |_: &[Active<f64>]| vec![Active::<f64>::passive(1.0), Active::passive(-0.0)];
    assert_eq!(jacobian(f, &AT)?.as_slice(), [0.0; 4]);
    assert_eq!(vjp(f, &AT, vec![1.0, 1.0])?.1, [0.0; 2]);
    let f = Objective::new(Guarded(7.0));
    assert_eq!(f.gradient(&AT)?, [0.0; 2]);
    assert_eq!(f.hessian(&AT)?.as_slice(), [0.0; 4]);
    Ok(())
}
#[test]
fn an_infinite_slope_stays_in_its_row() -> Result<(), Error> {
    let roots = |x: &[Active<f64>]| {
        let y = (x[0] * 1.0).eval();
        [y.sqrt().eval(), (y * 2.0).eval()]
    };
    let j = jacobian(roots, &[0.0])?;
    assert_eq!(j.as_slice(), [f64::INFINITY, 2.0]);
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair(f64, f64);
#[kind(numbers)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Numbers {
    a: f64,
    b: f64,
}
#[kind(
    value = Pair,
    zero = |_| Pair(0.0, 0.0),
    add = |into, from| *into = Pair(into.0 + from.0, into.1 + from.1),
    adjoint = Option<Pair>,
)]
struct Opaque;
impl Inputs<Opaque> for Pair {
    type Shape = SingleShape<Opaque>;
    fn into_values(self) -> Pair {
        self
    }
}
#[test]
fn inputs_of_other_kinds_have_nan_or_an_error() -> Result<(), Error> {
    let infinite = |_: (Active<f32>, Active<Numbers>)| Active::<f64>::passive(f64::INFINITY);
    let x = (1.0_f32, Numbers { a: 1.0, b: 2.0 });
    let (single, numbers) = gradient(infinite, x)?;
    let mut coordinates = Vec::new();
    Numbers::coordinates(&numbers, &mut coordinates);
    assert!(single.is_nan() && are_nan(&coordinates));
    let opaque = |_: (Active<Opaque>, Active<f64>)| Active::<f64>::passive(f64::INFINITY);
    let error = gradient(opaque, (Pair(1.0, 2.0), 3.0)).unwrap_err();
    assert!(error.to_string().contains("the kind Opaque"), "{error}");
    Ok(())
}

#[test]
fn a_constant_within_a_program_is_no_result() -> Result<(), Error> {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let y = tape.record(|| {
        let [infinite, square] = preaccumulate(x, |mut x: Active<f64>| {
            for _ in 0..50 {
                x = (x * 1.0).eval();
            }
            [Active::passive(f64::INFINITY), (x * x).eval()]
        });
        assert!(!infinite.is_active());
        (infinite + square).eval()
    });
    assert_eq!(tape.gradient(&y)?.wrt(&x)?, 4.0);
    Ok(())
}
