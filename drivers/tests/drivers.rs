//! Drivers.
use approx::assert_relative_eq;
use entape_core::{
    expr::Active,
    function,
    mode::{AnyMode, Mode, Plain, Reuse, Taped},
    op,
    real::{Cast, Elementary},
    tape::Tape,
};
use entape_drivers::{
    Error, Function, Objective, gradient, hessian, jacobian, value_and_gradient,
    values_and_jacobian, vjp,
};

type Real = Active<f64>;
type Single = Active<f32>;

#[function]
fn rosenbrock<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    let mut sum = Active::passive(0.0);
    for pair in x.windows(2) {
        let (a, b) = ((1.0 - pair[0]).eval(), (pair[1] - pair[0] * pair[0]).eval());
        sum = (sum + a * a + 100.0 * b * b).eval();
    }
    sum
}
fn rosenbrock_gradient(x: &[f64]) -> Vec<f64> {
    let mut g = vec![0.0; x.len()];
    for i in 1..x.len() {
        let b = x[i] - x[i - 1] * x[i - 1];
        g[i - 1] += -2.0 * (1.0 - x[i - 1]) - 400.0 * x[i - 1] * b;
        g[i] += 200.0 * b;
    }
    g
}

#[test]
fn gradients_have_the_shape_of_the_inputs() -> Result<(), Error> {
    let x = [0.5, -1.0, 2.0];
    let want = rosenbrock_gradient(&x);
    let close = |got: &[f64]| {
        assert_relative_eq!(got, &want[..], epsilon = 0.0, max_relative = 1e-12);
    };
    close(&gradient(rosenbrock, x.as_slice())?);
    close(&gradient(rosenbrock, &x.to_vec())?);
    close(&gradient(rosenbrock, x.to_vec())?);
    close(&gradient(|x: &[Real]| rosenbrock(x), &x)?);
    let in_array: [f64; 3] = gradient(rosenbrock, &x)?;
    close(&in_array);
    close(&gradient(|x: [Real; 3]| rosenbrock(&x), x)?);
    let (a, (b, c)) = gradient(
        |(a, (b, c)): (Real, (Real, Real))| rosenbrock(&[a, b, c]),
        (x[0], (x[1], x[2])),
    )?;
    close(&[a, b, c]);
    let (a, rest) = gradient(
        |(a, rest): (Real, &[Real])| rosenbrock(&[a, rest[0], rest[1]]),
        (x[0], &x[1..]),
    )?;
    close(&[a, rest[0], rest[1]]);
    assert_eq!(gradient(|x: Real| x * x, 3.0)?, 6.0);
    assert_eq!(gradient(|x: Real| x, 3.0)?, 1.0);
    let ((), g): ((), (f64, f32)) = (
        (),
        gradient(
            |(a, b): (Real, Single)| a * b.to_f64() * 3.0,
            (2.0, 5.0_f32),
        )?,
    );
    assert_eq!(g, (15.0, 6.0));
    Ok(())
}

#[test]
fn gradients_have_the_precision_of_the_inputs() -> Result<(), Error> {
    let (y, g) = value_and_gradient(|x: &[Single]| x[0] * x[1], &[2.0_f32, 3.0])?;
    assert_eq!((y, g), (6.0_f32, [3.0_f32, 2.0]));
    Ok(())
}

#[test]
fn a_function_of_no_inputs_has_an_empty_gradient() -> Result<(), Error> {
    let (y, g) = value_and_gradient(|_: &[Real]| Real::passive(2.0), &[0.0; 0])?;
    assert_eq!((y, g), (2.0, []));
    let j = jacobian(|_: &[Real]| vec![Real::passive(2.0)], Vec::<f64>::new())?;
    assert_eq!((j.rows(), j.columns(), j.iter_rows().len()), (1, 0, 1));
    Ok(())
}

#[test]
fn what_depends_on_nothing_has_gradient_zero() -> Result<(), Error> {
    let (y, g) = value_and_gradient(|_: &[Real]| Real::passive(2.0), &[1.0, 1.0])?;
    assert_eq!((y, g), (2.0, [0.0, 0.0]));
    let g = gradient(|(a, _): (Real, Real)| a * 2.0, (1.0, 1.0))?;
    assert_eq!(g, (2.0, 0.0));
    let j = jacobian(|x: &[Real]| vec![Real::passive(1.0), x[0]], &[1.0, 1.0])?;
    assert_eq!(j.as_slice(), [0.0, 0.0, 1.0, 0.0]);
    let (y, g) = vjp(|_: Real| Vec::<Real>::new(), 1.0, vec![])?;
    assert_eq!((y, g), (vec![], 0.0));
    Ok(())
}

#[test]
fn results_without_a_value_have_a_gradient_of_nan() -> Result<(), Error> {
    #[function]
    fn f<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        match x[0] < 1.0 {
            true => Active::passive(f64::INFINITY),
            false => (x[0] * x[1]).eval(),
        }
    }
    let f = Objective::new(f {});
    let (value, gradient) = f.value_and_gradient(&[0.0, 2.0])?;
    assert_eq!(value, f64::INFINITY);
    assert!(gradient.iter().all(|slope| slope.is_nan()), "{gradient:?}");
    let product = f.hessian_vector(&[0.0, 2.0], &[1.0, 0.0])?;
    assert!(product.iter().all(|x| x.is_nan()), "{product:?}");
    let hessian = f.hessian(&[0.0, 2.0])?;
    assert!(hessian.as_slice().iter().all(|x| x.is_nan()), "{hessian:?}");
    assert_eq!(f.gradient(&[3.0, 2.0])?, [2.0, 3.0]);
    Ok(())
}
#[test]
fn objectives_take_numbers_and_arrays_as_a_list() -> Result<(), Error> {
    #[function]
    fn turned<M: Mode>([x, y]: [Active<f64, M>; 2]) -> [Active<f64, M>; 2] {
        [(x * y).eval(), (x - y).eval()]
    }
    let f = Objective::new(turned {});
    assert_eq!(f.values(&[3.0, 2.0]), [6.0, 1.0]);
    assert_eq!(f.jacobian(&[3.0, 2.0])?.as_slice(), [2.0, 3.0, 1.0, -1.0]);
    let mut product = [0.0; 2];
    f.vjp_into(&[3.0, 2.0], &[1.0, 10.0], &mut product)?;
    assert_eq!(product, [12.0, -7.0]);
    f.jvp_into(&[3.0, 2.0], &[1.0, 0.0], &mut product)?;
    assert_eq!(product, [2.0, 1.0]);

    #[function]
    fn cube<M: Mode>(x: Active<f64, M>) -> Active<f64, M> {
        x.powi(3).eval()
    }
    let f = Objective::new(cube {});
    assert_eq!(f.value_and_gradient(&[2.0])?, (8.0, vec![12.0]));
    assert_eq!(f.hessian(&[2.0])?.as_slice(), [12.0]);
    Ok(())
}
#[test]
#[should_panic(expected = "3 inputs do not fit a function of 1 inputs")]
fn too_many_inputs_of_an_objective_panic() {
    #[function]
    fn cube<M: Mode>(x: Active<f64, M>) -> Active<f64, M> {
        x.powi(3).eval()
    }
    let _ = Objective::new(cube {}).gradient(&[1.0, 2.0, 3.0]);
}
#[test]
fn derivatives_have_the_shape_of_the_outputs() -> Result<(), Error> {
    let x = [3.0, 2.0];
    let want = [2.0, 3.0, 1.0, -1.0, 0.5, -0.75];
    let rows = |x: &[Real]| {
        [
            (x[0] * x[1]).eval(),
            (x[0] - x[1]).eval(),
            (x[0] / x[1]).eval(),
        ]
    };
    let (y, j) = values_and_jacobian(rows, &x)?;
    assert_eq!((y, j.as_slice()), ([6.0, 1.0, 1.5], &want[..]));
    let (y, j) = values_and_jacobian(|x: &[Real]| rows(x).to_vec(), &x)?;
    assert_eq!((y, j.as_slice()), (vec![6.0, 1.0, 1.5], &want[..]));
    let tuple = |(a, b): (Real, Real)| (a * b, [a - b], (a / b).eval());
    let (y, j) = values_and_jacobian(tuple, (3.0, 2.0))?;
    assert_eq!((y, j.as_slice()), ((6.0, [1.0], 1.5), &want[..]));
    assert_eq!(j.iter_rows().nth(1), Some(&[1.0, -1.0][..]));
    assert_eq!((j[(2, 1)], j.row(0)), (-0.75, &[2.0, 3.0][..]));
    assert_eq!(format!("{j:?}"), "[[2.0, 3.0], [1.0, -1.0], [0.5, -0.75]]");
    assert_eq!(j.into_vec(), want);
    let j = jacobian(|(a, b): (Real, Single)| (a.to_f32() * b, a), (3.0, 2.0_f32))?;
    assert_eq!(j.as_slice(), [2.0, 3.0, 1.0, 0.0]);
    Ok(())
}

#[test]
fn seeds_weight_the_outputs() -> Result<(), Error> {
    let f = |x: &[Real]| [(x[0] * x[1]).eval(), (x[0] - x[1]).eval()];
    let (y, g) = vjp(f, &[3.0, 2.0], [10.0, 1.0])?;
    assert_eq!((y, g), ([6.0, 1.0], [21.0, 29.0]));
    let (_, g) = vjp(
        |x: Real| vec![x, x, (x * 2.0).eval()],
        1.0,
        vec![1.0, 10.0, 100.0],
    )?;
    assert_eq!(g, 211.0);
    Ok(())
}

#[test]
#[should_panic(expected = "a seed of 1 numbers does not fit 2 outputs")]
fn too_few_seeds_panic() {
    let _ = vjp(|x: Real| vec![x, x], 1.0, vec![1.0]);
}

#[test]
#[should_panic(expected = "entry (0, 1) is out of range for a 1 x 1 Jacobian")]
fn an_entry_outside_of_a_jacobian_panics() {
    let _ = jacobian(|x: Real| x * x, 1.0).expect("a Jacobian")[(0, 1)];
}

#[test]
fn a_function_may_call_drivers() -> Result<(), Error> {
    let g = gradient(
        |x: Real| {
            let inner = gradient(|y: Real| y.powi(3), x.value()).expect("a gradient");
            x * x * inner
        },
        2.0,
    )?;
    assert_eq!(g, 48.0);
    Ok(())
}

#[test]
fn a_function_runs_in_several_modes() -> Result<(), Error> {
    let f = rosenbrock {};
    let (y, _) = value_and_gradient(|x: &[Real]| f.call(x), &[1.0, 2.0])?;
    assert_eq!(f.value(&[1.0, 2.0]), y);
    let x = [1.0, 2.0].map(Active::<f64, Plain>::passive);
    assert_eq!(f.call(&x).value(), 100.0);
    Ok(())
}

/// The order of a sum matters.
fn uneven(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| (i as f64 + 0.1).sin() * 10.0_f64.powi(i as i32 % 7))
        .collect()
}

#[test]
fn sums_and_products_of_every_length_equal_the_plain_program() -> Result<(), Error> {
    for n in (0..40).chain([64, 65, 100]) {
        let x = uneven(n);
        let (y, g) = value_and_gradient(|x: &[Real]| x.iter().sum::<Real>(), &x)?;
        assert_eq!(y.to_bits(), x.iter().sum::<f64>().to_bits(), "{n}");
        assert_eq!(g, vec![1.0; n]);
        let (y, g) = value_and_gradient(|x: &[Real]| x.iter().copied().product::<Real>(), &x)?;
        assert_eq!(y.to_bits(), x.iter().product::<f64>().to_bits(), "{n}");
        for (g, x) in g.iter().zip(&x) {
            assert_relative_eq!(*g, y / x, epsilon = 0.0, max_relative = 1e-13);
        }
        let (y, g) = value_and_gradient(|x: &[Real]| x.iter().map(|x| x * x).sum::<Real>(), &x)?;
        assert_eq!(
            y.to_bits(),
            x.iter().map(|x| x * x).sum::<f64>().to_bits(),
            "{n}"
        );
        assert_eq!(g, x.iter().map(|x| x + x).collect::<Vec<_>>());
    }
    Ok(())
}

#[test]
fn sums_equal_the_plain_program_in_other_modes() {
    let x: Vec<_> = uneven(21)
        .into_iter()
        .map(Active::<f64, Plain>::passive)
        .collect();
    let want: f64 = uneven(21).into_iter().sum();
    assert_eq!(x.iter().sum::<Active<f64, Plain>>().value(), want);
    let mut tape = Tape::<Reuse>::default();
    let x: Vec<_> = uneven(21).into_iter().map(|x| tape.input(x)).collect();
    let y = tape.record(|| x.iter().sum::<Active<f64, Reuse>>());
    assert_eq!(y.get(), &want);
    let gradient = tape.gradient(&y).expect("a gradient");
    assert!(x.iter().all(|x| gradient.wrt(x) == Ok(1.0)));
    let mixed = [1.0_f64, 2.0].into_iter().sum::<Active<f64, Taped>>();
    assert_eq!(mixed.value(), 3.0);
    let singles = [1.0_f32, 2.0].map(Single::passive);
    assert_eq!(singles.iter().product::<Single>().value(), 2.0);
}

struct Restarts(u32);
impl Iterator for Restarts {
    type Item = f64;
    fn next(&mut self) -> Option<f64> {
        self.0 += 1;
        (!self.0.is_multiple_of(3)).then_some(1.0)
    }
}
#[test]
fn a_sum_ends_with_the_first_none() {
    assert_eq!(Restarts(0).sum::<Real>().value(), 2.0);
}

#[op]
fn reverse_alone(#[ad_in(2.0 * r_b * x)] x: f64) -> f64 {
    x * x
}
#[test]
fn only_operations_of_this_recording_lack_derivatives() -> Result<(), Error> {
    let refused = |result: Result<_, Error>| assert!(matches!(result, Err(Error::MissingRule(_))));
    refused(hessian(|x: Active<f64>| reverse_alone(x), 3.0));
    let h = hessian(|x: Active<f64>| x * x * x, 3.0)?;
    assert_eq!(h.as_slice(), [18.0]);

    #[function]
    fn either<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        match x[0] > 0.0 {
            true => reverse_alone(x[0]).eval(),
            false => (x[0] * x[0]).eval(),
        }
    }
    let f = Objective::new(either {});
    refused(f.hessian(&[1.0]));
    assert_eq!(f.hessian(&[-1.0])?.as_slice(), [2.0]);
    refused(f.hessian(&[2.0]));
    assert_eq!(f.gradient(&[2.0])?, [4.0]);

    let mut tape = Tape::new();
    let x = tape.input(3.0);
    let y = tape.record(|| (x * x * x).eval());
    let position = tape.position();
    tape.record(|| reverse_alone(x).eval());
    let directions = tape.directions::<1>().map(drop);
    assert!(matches!(directions, Err(Error::MissingRule(_))));
    tape.reset_to(&position)?;
    let mut directions = tape.directions::<1>()?;
    directions.set(&x, [1.0])?;
    let second = directions.sweep()?.gradient(&y)?;
    assert_eq!(second.wrt(&x)?, [18.0]);
    Ok(())
}

fn pendulum<M: AnyMode>(x: &[Active<f64, M>]) -> (Active<f64, M>, Active<f64, M>) {
    let mut angle = (&x[0] * 1.0).eval();
    let mut speed = (&x[1] * 1.0).eval();
    for _ in 0..50 {
        let force = (-(&x[2] * (&angle).sin()) - 0.1 * &speed).eval();
        speed += 0.05 * &force;
        angle += 0.05 * &speed;
    }
    (angle, speed)
}
fn energy<M: AnyMode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    let (angle, speed) = pendulum(x);
    (&speed * &speed / 2.0 + &x[2] * (1.0 - (&angle).cos())).eval()
}
#[test]
fn objectives_with_reused_identifiers_have_all_derivatives() -> Result<(), Error> {
    let (linear, reused) = (
        Objective::recorded(energy::<Taped>),
        Objective::recorded(energy::<Reuse>),
    );
    let direction = [1.0, -2.0, 0.5];
    for x in [[0.5, 0.0, 9.81], [0.5, -1.0, 9.81], [2.5, 1.0, 4.0]] {
        assert_eq!(linear.value(&x), reused.value(&x));
        let (a, b) = (linear.gradient(&x)?, reused.gradient(&x)?);
        assert_relative_eq!(a[..], b[..], max_relative = 1e-12);
        let (a, b) = (linear.hessian(&x)?, reused.hessian(&x)?);
        assert_relative_eq!(a.as_slice(), b.as_slice(), max_relative = 1e-12);
        for _ in 0..2 {
            let product = reused.hessian_vector(&x, &direction)?;
            let expected = linear.hessian_vector(&x, &direction)?;
            assert_relative_eq!(product[..], expected[..], max_relative = 1e-11);
        }
    }
    Ok(())
}
#[test]
fn objectives_with_reused_identifiers_have_jacobians() -> Result<(), Error> {
    let linear = Objective::recorded(|x: &[Active<f64>]| <[_; 2]>::from(pendulum(x)));
    let reused = Objective::recorded(|x: &[Active<f64, Reuse>]| <[_; 2]>::from(pendulum(x)));
    let x = [0.5, 0.0, 9.81];
    assert_eq!(linear.values(&x), reused.values(&x));
    let (a, b) = (linear.jacobian(&x)?, reused.jacobian(&x)?);
    assert_relative_eq!(a.as_slice(), b.as_slice(), max_relative = 1e-12);
    let columns = reused.jacobian_columns(&x, 1..3)?;
    assert_relative_eq!(columns.row(1), &a.row(1)[1..], max_relative = 1e-12);
    let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
    linear.jvp_into(&x, &[1.0, 2.0, 3.0], &mut a)?;
    reused.jvp_into(&x, &[1.0, 2.0, 3.0], &mut b)?;
    assert_relative_eq!(a[..], b[..], max_relative = 1e-12);
    let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
    linear.vjp_into(&x, &[1.0, 2.0], &mut a)?;
    reused.vjp_into(&x, &[1.0, 2.0], &mut b)?;
    assert_relative_eq!(a[..], b[..], max_relative = 1e-12);
    Ok(())
}
#[test]
fn an_objective_with_reused_identifiers_goes_on_after_a_failure() -> Result<(), Error> {
    let f = Objective::recorded(|x: &[Active<f64, Reuse>]| {
        let y = (&x[0] * &x[0]).eval();
        match x[0] < 0.0 {
            true => Err("a negative input"),
            false => Ok(y),
        }
    });
    assert_eq!(f.gradient(&[3.0])?, [6.0]);
    assert!(f.gradient(&[-1.0]).is_err());
    assert_eq!(f.gradient(&[4.0])?, [8.0]);
    assert_eq!(f.hessian(&[5.0])?.as_slice(), [2.0]);
    let sum = Objective::recorded(|x: &[Active<f64, Reuse>]| {
        x.iter().map(|x| x * x).sum::<Active<f64, Reuse>>()
    });
    for n in [1, 5, 0, 3] {
        assert_eq!(sum.gradient(&vec![1.0; n])?, vec![2.0; n]);
    }
    Ok(())
}
