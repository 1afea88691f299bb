//! Functions of crate `argmin_testfunctions` with its hand-written gradients and Hessians.
use approx::abs_diff_eq;
use argmin_testfunctions as known;
use entape::{
    Function, Objective, check, driver::ListShape, eager::Eager, function, jvp, prelude::*,
};

fn eager<M: Mode>(x: &[Real<M>]) -> Vec<Eager<M>> {
    x.iter().map(|&x| x.into()).collect()
}
fn list<T>(x: &[T]) -> &[T] {
    x
}
fn pair<T>(x: &[T]) -> &[T; 2] {
    x.try_into().expect("two numbers")
}

#[track_caller]
fn assert_close(what: &str, got: &[f64], want: &[f64]) {
    let size = want.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    assert!(
        abs_diff_eq!(got, want, epsilon = 1e-10 * size),
        "{what}: {got:?} instead of {want:?}"
    );
}
fn agree(
    f: impl Function<Inputs = ListShape<f64>, Values = f64>,
    gradient: impl Fn(&[f64]) -> Vec<f64>,
    hessian: impl Fn(&[f64]) -> Vec<f64>,
    n: u32,
    [low, high]: [f64; 2],
) {
    let f = Objective::new(f);
    for k in 1..=20_u32 {
        let at = |i| low + (high - low) * (f64::from(k * (2 * i + 3)) * 0.618_034 + 0.25).fract();
        let x: Vec<_> = (0..n).map(at).collect();
        assert_close("gradient", &f.gradient(&x).unwrap(), &gradient(&x));
        let want = hessian(&x);
        assert_close("Hessian", f.hessian(&x).unwrap().as_slice(), &want);

        let direction: Vec<_> = x.iter().map(|x| x.cos()).collect();
        let rows = want.chunks(x.len());
        let along = rows.map(|row| row.iter().zip(&direction).map(|(h, d)| h * d).sum());
        let product = f.hessian_vector(&x, &direction).unwrap();
        assert_close(
            "Hessian times a vector",
            &product,
            &along.collect::<Vec<_>>(),
        );
    }
}
macro_rules! functions { ($($f:ident $gradient:ident $hessian:ident $arguments:ident $n:literal $bounds:expr;)*) => { $(
    #[test]
    fn $f() {
        #[function]
        fn f<M: Mode>(x: &[Real<M>]) -> Real<M> {
            known::$f($arguments(&eager(x))).real()
        }
        let gradient = |x: &[f64]| known::$gradient($arguments(x)).to_vec();
        let hessian = |x: &[f64]| known::$hessian($arguments(x)).concat();
        agree(f {}, gradient, hessian, $n, $bounds);
    }
)* } }
functions! {
    ackley ackley_derivative ackley_hessian list 3 [-3.0, 2.5];
    easom easom_derivative easom_hessian pair 2 [1.0, 5.0];
    beale beale_derivative beale_hessian pair 2 [-4.0, 4.5];
    goldsteinprice goldsteinprice_derivative goldsteinprice_hessian pair 2 [-2.0, 2.0];
    himmelblau himmelblau_derivative himmelblau_hessian pair 2 [-5.0, 5.0];
    levy levy_derivative levy_hessian list 4 [-9.0, 10.0];
    mccormick mccormick_derivative mccormick_hessian pair 2 [-1.5, 3.5];
    picheny picheny_derivative picheny_hessian pair 2 [-0.2, 1.0];
    rosenbrock rosenbrock_derivative rosenbrock_hessian list 10 [-2.0, 2.0];
    schaffer_n4 schaffer_n4_derivative schaffer_n4_hessian pair 2 [-6.0, 7.0];
    styblinski_tang styblinski_tang_derivative styblinski_tang_hessian list 9 [-5.0, 5.0];
}

#[test]
fn closures_and_forward_mode_have_derivatives() {
    let at = [2.0, 0.3];
    let h = entape::hessian(|x: [Real; 2]| known::beale(&x.map(Eager::from)).real(), at);
    assert_close(
        "Hessian",
        h.unwrap().as_slice(),
        &known::beale_hessian(&at).concat(),
    );
    let f = |x: [Real<Forward>; 2]| known::beale(&x.map(Eager::from)).real();
    let (value, along) = jvp(f, at, [1.0, 0.0]).unwrap();
    assert_eq!(value, known::beale(&at));
    assert_close("slope", &[along], &known::beale_derivative(&at)[..1]);
}

/// The function computes in `f64`, whatever its number type is.
#[test]
fn a_check_finds_casts_that_drop_derivatives() {
    #[function]
    fn f<M: Mode>(x: &[Real<M>]) -> Real<M> {
        known::cross_in_tray(pair(&eager(x))).real()
    }
    let failure = check::gradient(f {}, &[1.2, 1.4]).unwrap_err();
    assert!(
        matches!(failure.fault, check::Fault::Slope { .. }),
        "{failure}"
    );
    assert_eq!(Objective::new(f {}).gradient(&[1.2, 1.4]), Ok(vec![0.0; 2]));
}
