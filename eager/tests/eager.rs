//! Eager reals in operators, functions, and generic source.
use approx::assert_abs_diff_eq;
#[cfg(feature = "num-traits")]
use entape_core::mode::{Forward, Mode, Plain};
use entape_core::{expr::Active, tape::Tape};
use entape_drivers::{Error, gradient, value_and_gradient};
use entape_drivers::{hessian, jvp};
use entape_eager::Eager;

type Real = Active<f64>;

fn slope(x: f64, f: impl Fn(Eager) -> Eager) -> (f64, f64) {
    value_and_gradient(|x: Real| Real::from(f(x.into())), x).expect("a gradient")
}

// References are intended: all combinations are tested.
#[allow(clippy::op_ref)]
#[test]
fn operators_take_numbers_in_every_combination() -> Result<(), Error> {
    let f = |(a, b): (Real, Real)| {
        let (a, b) = (Eager::from(a), Eager::from(b));
        let mut c = a * b + &a * b - a / &b - &a % &b;
        c = 2.0 * c + 3.0 * &a - &c / 2.0 + c * &0.5;
        c += a;
        c -= &b;
        c *= 2.0;
        c /= b;
        c %= 1e9;
        Real::from(-c + -&a)
    };
    let plain = |a: f64, b: f64| {
        let c = a * b + a * b - a / b - a % b;
        let c = 2.0 * c + 3.0 * a - c / 2.0 + c * 0.5;
        -((((c + a) - b) * 2.0) / b) + -a
    };
    let (y, (a_b, b_b)) = value_and_gradient(f, (5.0, 3.0))?;
    assert_eq!(y, plain(5.0, 3.0));
    // By hand, with c = 2 ab - a / b - a % b before the second line.
    let (a, b) = (5.0, 3.0);
    let (c, ca, cb) = (
        2.0 * a * b - a / b - a % b,
        2.0 * b - 1.0 / b - 1.0,
        2.0 * a + a / (b * b) + 1.0,
    );
    let (d, da, db) = (2.0 * c + 3.0 * a, 2.0 * ca + 3.0, 2.0 * cb);
    let (d, da, db) = (d - c / 2.0 + c * 0.5 + a - b, da + 1.0, db - 1.0);
    let want = (-2.0 * da / b - 1.0, -2.0 * (db / b - d / (b * b)));
    assert_abs_diff_eq!(a_b, want.0, epsilon = 1e-13);
    assert_abs_diff_eq!(b_b, want.1, epsilon = 1e-13);
    Ok(())
}

// References are intended.
#[allow(clippy::op_ref)]
#[test]
fn variables_are_operands_of_eager_numbers() -> Result<(), Error> {
    let f = |(a, b): (Real, Real)| {
        let mut c: Eager = Eager::from(a) * b + &Eager::from(a) / &b - 1.0;
        c += b;
        (c.real() * 2.0 + b * Eager::from(a) - a * &c).eval()
    };
    // c = ab + a / b + b - 1, y = (2 - a) c + ab
    let (y, slopes) = value_and_gradient(f, (5.0, 2.0))?;
    let c = 10.0 + 2.5 + 2.0 - 1.0;
    assert_eq!(y, -3.0 * c + 10.0);
    assert_eq!(
        slopes,
        (-c - 3.0 * 2.5 + 2.0, -3.0 * (5.0 - 1.25 + 1.0) + 5.0)
    );
    Ok(())
}

#[test]
fn eager_numbers_are_compared_and_printed_by_value() {
    let (x, y): (Eager, Eager) = (Eager::from(1.0), Eager::new(2.0));
    assert!(x < y && x == 1.0 && 2.0 == y && x < 1.5 && 1.5 < y && x != y);
    assert_eq!(
        (format!("{x} {x:.2} {x:e}"), "0.5".parse()),
        ("1 1.00 1e0".into(), Ok(<Eager>::new(0.5)))
    );
    assert_eq!(format!("{x:?}"), "Eager { value: 1.0 }");
    assert!(!x.is_active() && !x.is_nan() && <Eager>::default() == 0.0);
    assert_eq!(size_of::<Eager>(), 16);
    fn is_send<T: Send + Sync + Copy>() {}
    is_send::<Eager>();
}

#[test]
fn functions_and_sums_have_their_slopes() -> Result<(), Error> {
    assert_eq!(slope(2.0, |x| x.powi(3)), (8.0, 12.0));
    assert_eq!(slope(2.0, |x| x.max(1.0) + x.powf(2.0)), (6.0, 5.0));
    assert_eq!(slope(0.0, |x| x.sin_cos().0), (0.0, 1.0));
    assert_eq!(slope(3.0, |x| x.clamp(0.0, x)), (3.0, 1.0));
    let f = |x: &[Real]| {
        let x: Vec<Eager> = x.iter().map(|&x| x.into()).collect();
        Real::from(x.iter().sum::<Eager>() * x.into_iter().product::<Eager>())
    };
    assert_eq!(gradient(f, &[1.0, 2.0, 3.0])?, [42.0, 24.0, 18.0]);
    Ok(())
}

#[test]
fn eager_numbers_are_operands_of_expressions() {
    assert_eq!(
        slope(3.0, |x| (x.real() * x + x).eval().into()),
        (12.0, 7.0)
    );
}

#[test]
fn eager_numbers_of_another_thread_are_refused() {
    let x: Eager = Eager::new(1.0);
    let y = std::thread::spawn(move || (x + 1.0).value()).join();
    assert_eq!(y.expect("constants may go anywhere"), 2.0);

    let mut tape = Tape::new();
    let x = Eager::from(tape.input(1.0));
    let without_tape = std::thread::spawn(move || x + 1.0).join();
    assert!(without_tape.is_err());
    let with_tape = std::thread::spawn(move || {
        let mut tape = Tape::new();
        let own = Eager::from(tape.input(1.0));
        tape.record(|| own + x)
    });
    assert!(with_tape.join().is_err());
    let y = tape.record(|| Active::from(x + 1.0));
    assert_eq!(tape.gradient(&y).and_then(|g| g.wrt(&x.real())), Ok(1.0));
}

#[cfg(feature = "num-traits")]
mod num {
    use super::*;
    use approx::assert_relative_eq;
    use entape_check as check;
    use entape_core::function;
    use num_traits::{
        Float, FloatConst, FromPrimitive, Num, NumAssign, NumCast, Signed, ToPrimitive, real,
    };

    fn newton<T: Float + NumAssign>(a: T) -> T {
        let two = T::one() + T::one();
        let mut x = a;
        for _ in 0..20 {
            x -= (x * x - a) / (two * x);
        }
        x
    }
    fn area<T: real::Real + FloatConst>(r: T) -> T {
        T::PI() * r.powi(2)
    }
    fn norm<T: Num + Signed + Clone>(x: &[T]) -> T {
        x.iter().fold(T::zero(), |sum, x| sum + x.abs())
    }

    #[test]
    fn generic_source_runs() {
        let (y, d) = slope(2.0, newton);
        assert_abs_diff_eq!(y, 2_f64.sqrt(), epsilon = 1e-15);
        assert_abs_diff_eq!(d, 0.5 / 2_f64.sqrt(), epsilon = 1e-15);
        assert_eq!(slope(3.0, area), (9.0 * f64::PI(), 6.0 * f64::PI()));
        assert_eq!(slope(-3.0, |x| norm(&[x, x, Eager::new(1.0)])), (7.0, -2.0));
        assert_eq!(slope(-3.0, |x| Float::abs_sub(x, -x)), (0.0, 0.0));
        assert_eq!(slope(3.0, |x| Float::abs_sub(x, -x)), (6.0, 2.0));
    }

    /// x^y exp(-x / y), with y' = y + 1
    fn generic<T: Float>(x: &[T]) -> T {
        let y = x[1] + T::one();
        x[0].powf(y) * (-x[0] / y).exp()
    }
    #[function]
    fn in_any_mode<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
        let x: Vec<Eager<M>> = x.iter().map(|&x| x.into()).collect();
        generic(&x).real()
    }
    /// For f = exp(g) with g = y ln x - x / y, the gradient is f g' and the Hessian f (g'' + g' g'^T).
    #[test]
    fn generic_source_runs_in_every_mode() -> Result<(), Error> {
        let [x, y] = [1.5_f64, 2.5];
        let f = (y * x.ln() - x / y).exp();
        let slope = [y / x - 1.0 / y, x.ln() + x / (y * y)];
        let second = [
            [-y / (x * x), 1.0 / x + 1.0 / (y * y)],
            [1.0 / x + 1.0 / (y * y), -2.0 * x / y.powi(3)],
        ];
        let at = [x, y - 1.0];
        let close = |a: f64, b: f64| assert_relative_eq!(a, b, epsilon = 0.0, max_relative = 1e-13);

        let h = hessian(|x: &[Active<f64>]| in_any_mode(x), &at)?;
        for i in 0..2 {
            for j in 0..2 {
                close(h.row(i)[j], f * (second[i][j] + slope[i] * slope[j]));
            }
        }
        let f_and = |x: &[Active<f64, Forward>]| in_any_mode(x);
        let (value, along) = jvp(f_and, &at, [2.0, -3.0])?;
        close(value, f);
        close(along, f * (2.0 * slope[0] - 3.0 * slope[1]));
        let g = gradient(|x: &[Real]| in_any_mode(x), &at)?;
        close(g[0], f * slope[0]);
        close(g[1], f * slope[1]);
        close(
            in_any_mode(&at.map(Active::<f64, Plain>::passive)).value(),
            f,
        );

        check::hessian(in_any_mode {}, &at).expect("as by differences");
        Ok(())
    }
    #[test]
    fn conversions_keep_the_value() {
        let number = <Eager>::new;
        assert_eq!(Eager::from_i32(3), Some(number(3.0)));
        assert_eq!(<Eager as NumCast>::from(3_u8), Some(number(3.0)));
        assert_eq!(
            (number(3.7).to_i32(), number(-1.0).to_u32()),
            (Some(3), None)
        );
        assert!(<Eager>::from_str_radix("1.5", 10).is_ok_and(|x| x == 1.5));
        assert_eq!(<Eager as Float>::epsilon(), f64::EPSILON);
    }
}

#[cfg(feature = "simba")]
mod matrices {
    use super::*;
    use approx::assert_relative_eq;
    use nalgebra::{DMatrix, Matrix4, RealField};

    const A: [f64; 16] = [
        4.0, 1.0, -2.0, 2.0, 1.0, 2.0, 0.0, 1.0, -2.0, 0.0, 3.0, -2.0, 2.0, 1.0, -2.0, -1.0,
    ];
    fn matrix(x: &[Real]) -> Matrix4<Eager> {
        Matrix4::from_iterator(x.iter().map(|&x| x.into()))
    }
    fn assert_close(got: &[f64], want: &[f64]) {
        assert_relative_eq!(got, want, epsilon = 1e-12, max_relative = 1e-12);
    }

    /// The gradient of det(A) is det(A) A^-T.
    #[test]
    fn determinants_of_nalgebra_have_their_gradient() -> Result<(), Error> {
        let a = Matrix4::from_column_slice(&A);
        let want = a.determinant() * a.try_inverse().expect("regular").transpose();
        let (y, g) = value_and_gradient(|x: &[Real]| Real::from(matrix(x).determinant()), &A)?;
        assert_eq!(y, a.determinant());
        assert_close(&g, want.as_slice());
        let g = gradient(
            |x: &[Real]| Real::from(matrix(x).full_piv_lu().determinant()),
            &A,
        )?;
        assert_close(&g, want.as_slice());
        Ok(())
    }

    /// The gradient of u^T A^-1 b with respect to A is -(A^-T u) (A^-1 b)^T.
    fn solved<T: RealField + Copy>(a: DMatrix<T>) -> T {
        let b = nalgebra::DVector::from_fn(4, |i, _| T::from_usize(i + 1).expect("a number"));
        a.qr().solve(&b).expect("regular").sum()
    }
    #[test]
    fn solutions_of_nalgebra_have_their_gradient() -> Result<(), Error> {
        let a = DMatrix::from_column_slice(4, 4, &A);
        let inverse = a.clone().try_inverse().expect("regular");
        let b = nalgebra::DVector::from_column_slice(&[1.0, 2.0, 3.0, 4.0]);
        let want = -(inverse.transpose() * nalgebra::DVector::from_element(4, 1.0))
            * (inverse * b).transpose();
        let f = |x: &[Real]| {
            Real::from(solved(DMatrix::from_iterator(
                4,
                4,
                x.iter().map(|&x| Eager::from(x)),
            )))
        };
        let (y, g) = value_and_gradient(f, &A)?;
        assert_abs_diff_eq!(y, solved(a), epsilon = 1e-12);
        assert_close(&g, want.as_slice());
        Ok(())
    }

    /// For f = u^T x with A x = b, the derivative along D is -u^T A^-1 D x, and along C and D u^T A^-1 (C A^-1 D + D A^-1 C) x.
    #[test]
    fn solutions_of_nalgebra_have_all_derivatives() -> Result<(), Error> {
        fn at<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
            let numbers = x.iter().map(|&x| Eager::from(x));
            solved(DMatrix::from_iterator(4, 4, numbers)).real()
        }
        let a = DMatrix::from_column_slice(4, 4, &A);
        let inverse = a.try_inverse().expect("regular");
        let x = &inverse * nalgebra::DVector::from_column_slice(&[1.0, 2.0, 3.0, 4.0]);
        let u = inverse.row_sum();
        // C and D have one nonzero element each, so C A^-1 D has one number.
        let h = hessian(|x: &[Active<f64>]| at(x), &A)?;
        for c in 0..16 {
            let want: Vec<_> = (0..16)
                .map(|d| {
                    let ([i, j], [k, l]) = ([c % 4, c / 4], [d % 4, d / 4]);
                    u[i] * inverse[(j, k)] * x[l] + u[k] * inverse[(l, i)] * x[j]
                })
                .collect();
            assert_close(h.row(c), &want);
        }
        let direction: [_; 16] = std::array::from_fn(|i| (i as f64).cos());
        let d = DMatrix::from_column_slice(4, 4, &direction);
        let (_, along) = jvp(|x: &[Active<f64, Forward>]| at(x), &A, direction)?;
        assert_close(&[along], &[-(&u * d * x)[0]]);
        Ok(())
    }

    /// The gradient of an eigenvalue is v v^T.
    #[test]
    fn eigenvalues_of_nalgebra_have_their_gradient() -> Result<(), Error> {
        let a = Matrix4::from_column_slice(&A);
        let plain = a.symmetric_eigen();
        let v = plain.eigenvectors.column(0).into_owned();
        let f = |x: &[Real]| {
            // Only one triangle is read; this program reads both.
            let a = matrix(x);
            let half = Eager::new(0.5);
            Real::from(((a + a.transpose()) * half).symmetric_eigenvalues()[0])
        };
        let (y, g) = value_and_gradient(f, &A)?;
        assert_abs_diff_eq!(y, plain.eigenvalues[0], epsilon = 1e-10);
        let want = v * v.transpose();
        assert_abs_diff_eq!(g[..], *want.as_slice(), epsilon = 1e-7);
        Ok(())
    }
}

/// Casts, and branches at exact zeros, lose derivatives, which the checks detect at the point itself.
#[cfg(feature = "num-traits")]
mod dropped {
    use super::{Real, gradient};
    use approx::assert_abs_diff_eq;
    use entape_check::{self as check, Fault};
    use entape_core::{expr::Active, tape::Tape};
    use entape_eager::Eager;
    use num_traits::{Float, ToPrimitive};
    use std::panic::{AssertUnwindSafe, Location, catch_unwind, set_hook, take_hook};

    fn thrice<T: Float>(x: T, cast: fn(T) -> Option<T>) -> T {
        let half = x * T::from(1.5).unwrap();
        half + cast(half).unwrap()
    }
    const CASTS: [fn(Eager) -> Option<Eager>; 3] = [
        |x| <Eager as num_traits::NumCast>::from(x),
        |x| num_traits::cast::<Eager, Eager>(x),
        |x| x.to_f64().map(Eager::new),
    ];
    #[test]
    fn casts_are_found_and_refused() {
        for cast in CASTS {
            let f = |x: Real| Real::from(thrice(Eager::from(x), cast));
            assert_eq!(gradient(f, 2.0), Ok(1.5));
            let fault = check::expression(f, 2.0).unwrap_err().fault;
            let Fault::Slope { got, want, .. } = fault else {
                panic!("{fault}")
            };
            // half of it was lost
            assert_abs_diff_eq!(2.0 * got, want, epsilon = 1e-9);

            let mut tape: Tape = Tape::builder().refuse_casts(true).build().unwrap();
            let x = tape.input(2.0);
            // numbers that do not depend on an input may be cast
            let passive = tape.record(|| thrice(Eager::new(2.0), cast) + Eager::from(x));
            assert_eq!(passive, 8.0);
            assert_eq!(tape.gradient(&passive.real()).unwrap().wrt(&x), Ok(1.0));
            let panic = catch_unwind(AssertUnwindSafe(|| tape.record(|| f(x)))).unwrap_err();
            let message = panic.downcast_ref::<&str>().unwrap();
            assert!(
                message.contains("`Tape::builder().refuse_casts(true)`"),
                "{message}"
            );
            let y = tape.record(|| (x * x).eval());
            assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(4.0));
            // and without the tape, the cast is permitted
            assert_eq!(f(Active::passive(2.0)), 6.0);
        }
    }
    fn generic<T: Float>(x: T) -> (T, u32) {
        (<T as num_traits::NumCast>::from(x).unwrap(), line!())
    }
    #[test]
    fn refused_casts_name_the_line_of_the_cast() {
        let mut tape: Tape = Tape::builder().refuse_casts(true).build().unwrap();
        let x = tape.input(2.0);
        let former = take_hook();
        set_hook(Box::new(|info| {
            let at = info.location().map(Location::line);
            LINE.with(|line| line.set(at));
        }));
        thread_local!(static LINE: std::cell::Cell<Option<u32>> = const { std::cell::Cell::new(None) });
        let refused = catch_unwind(AssertUnwindSafe(|| tape.record(|| generic(Eager::from(x)))));
        set_hook(former);
        assert!(refused.is_err());
        assert_eq!(LINE.get(), Some(generic(<Eager>::new(1.0)).1));
    }
    #[cfg(feature = "simba")]
    #[test]
    fn branches_at_exact_zeros_are_found() {
        use nalgebra::{DMatrix, Matrix2, UnitQuaternion, Vector3};

        let wrong = |result: Result<check::Confirmed, check::Failure>| {
            let fault = result.unwrap_err().fault;
            assert!(matches!(fault, Fault::Slope { .. }), "{fault}");
        };
        let eigen = |x: [Real; 3]| {
            let [a, b, c] = x.map(Eager::from);
            Real::from(Matrix2::new(a, b, b, c).symmetric_eigen().recompose()[(0, 1)])
        };
        wrong(check::expression(eigen, [1.0, 0.0, 2.0]));
        check::expression(eigen, [1.0, 0.5, 2.0]).unwrap();
        let turn = |x: [Real; 3]| {
            let [a, b, c] = x.map(Eager::from);
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(a, b, c));
            Real::from((turn * Vector3::new(1.0, 2.0, 3.0).map(Eager::new)).x)
        };
        wrong(check::expression(turn, [0.0; 3]));
        check::expression(turn, [0.1, 0.2, -0.3]).unwrap();
        let inverse = |x: [Real; 4]| {
            let m = DMatrix::from_iterator(2, 2, x.map(Eager::from));
            let inverse = m.pseudo_inverse(Eager::new(1e-10)).unwrap();
            Real::from(
                inverse
                    .iter()
                    .enumerate()
                    .fold(Eager::new(0.0), |s, (i, x)| s + *x * (i as f64 + 1.0)),
            )
        };
        wrong(check::expression(inverse, [1.0, 0.0, 0.0, 2.0]));
        check::expression(inverse, [1.0, 0.3, -0.4, 2.0]).unwrap();
        // The sum of the cubes of the eigenvalues.
        let schur = |x: [Real; 4]| {
            let m = DMatrix::from_iterator(2, 2, x.map(Eager::from));
            let (_, t) = m.schur().unpack();
            Real::from(t[(0, 0)].powi(3) + t[(1, 1)].powi(3))
        };
        wrong(check::expression(schur, [1.0, 0.0, 3.0, 2.0]));
        check::expression(schur, [1.0, 0.5, 3.0, 2.0]).unwrap();
    }
}
