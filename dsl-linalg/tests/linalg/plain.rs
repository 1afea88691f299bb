use crate::matrix;
use entape_check::Check;
use entape_core::op as core_op;
use entape_linalg::op;
use nalgebra::{DMatrix, RowDVector};

#[test]
fn plain_operations_agree_with_nalgebra() {
    let check = Check::default();
    // The order of sums of whole numbers does not matter.
    let whole = |m: DMatrix<f64>| m.map(|x| (8.0 * x).round());
    let (a, b) = (whole(matrix(3, 4, 0)), whole(matrix(4, 2, 1)));
    let (x, y) = (a.clone(), b.clone());
    check
        .plain(&core_op::Mul, (a.clone(), b.clone()), move || x * y)
        .unwrap();
    let (x, y) = (a.clone(), a.clone());
    check
        .plain(&core_op::Mul, (a.clone(), a.clone()), move || x * y)
        .unwrap();
    let (x, y) = (a.clone(), b.clone());
    check
        .plain(&core_op::Add, (a.clone(), b.clone()), move || x + y)
        .unwrap();
    let x = RowDVector::from_vec(vec![1.0, 2.0]);
    let y = x.clone();
    check
        .plain(&op::Transpose, (x,), move || y.transpose())
        .unwrap();
}
