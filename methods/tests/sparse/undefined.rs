//! Results that are not finite and depend on no input have NaN derivatives.
use entape_core::{expr::Active, function, mode::Mode};
use entape_drivers::{Error, Function, ListShape, Objective};
use entape_methods::sparse::SparseObjective;

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
const WITHIN: [f64; 2] = [0.5, 0.5];

#[test]
fn sparse_matrices_have_nan_for_their_entries() -> Result<(), Error> {
    for constant in NOT_FINITE {
        let f = Objective::new(Guarded(constant));
        let plan = f.hessian_plan(&WITHIN)?;
        assert!(are_nan(f.sparse_hessian_with(&plan, &AT)?.values()));
        let f = Objective::new(Residuals(constant));
        let plan = f.jacobian_plan(&WITHIN)?;
        let j = f.sparse_jacobian_with(&plan, &AT)?;
        assert!(are_nan(&j.values()[..2]) && j.values()[2..] == [3.0]);
    }
    Ok(())
}
#[test]
fn sparse_rows_have_nan_for_their_entries() -> Result<(), Error> {
    #[function]
    fn f<M: Mode>(x: &[Active<f64, M>]) -> Vec<Active<f64, M>> {
        let sum: Active<f64, M> = x.iter().map(|x| x * x).sum();
        match x[0] > 1.0 {
            true => vec![Active::passive(f64::NAN), sum],
            false => vec![(sum * 2.0).eval(), sum],
        }
    }
    let f = Objective::new(f {});
    let plan = f.jacobian_plan(&[1.0; 20])?;
    assert_eq!(plan.colors(), 2);
    let j = f.sparse_jacobian_with(&plan, &[2.0; 20])?;
    assert!(are_nan(&j.values()[..20]) && j.values()[20..] == [4.0; 20]);
    Ok(())
}
#[test]
fn a_sparse_matrix_without_entries_is_an_error() {
    let error = Objective::new(Guarded(f64::INFINITY)).sparse_hessian(&AT);
    let Err(Error::NotFinite { holder }) = &error else {
        panic!("{error:?}");
    };
    assert_eq!(holder, "a sparse Hessian without entries");
    let error = Objective::new(Residuals(f64::NAN)).sparse_jacobian(&AT);
    assert!(matches!(error, Err(Error::NotFinite { holder }) if holder.contains("row")));
    let nothing = Objective::recorded(|_: &[Active<f64>]| Active::<f64>::passive(f64::NAN));
    assert_eq!(nothing.sparse_hessian(&[]).map(|h| h.rows()), Ok(0));
}

#[test]
fn finite_constants_have_no_entries() -> Result<(), Error> {
    let f = Objective::new(Guarded(7.0));
    assert_eq!(f.sparse_hessian(&AT)?.values(), [0.0; 0]);
    Ok(())
}
