use super::*;
use entape_check::assert_rule;

use crate::factors::{CholeskyFactor, LuFactor};

fn cholesky<T: Number>(a: View<'_, T>) -> CholeskyFactor<T> {
    CholeskyFactor::new(a).expect("a positive definite matrix")
}
for_numbers! {
    #[test]
    fn solves_have_derivatives() {
        for n in FEW {
            let (p, a, b) = (positive::<T>(n), regular::<T>(n, 0), matrix::<T>(n, 2, 1));
            assert_rule(&by_factor(cholesky::<T>, |factor| SolveWith::by(&factor)), (p, b.clone()));
            assert_rule(&by_factor(LuFactor::<T>::new, |factor| SolveWith::by(&factor)), (a, b));
        }
    }
    #[test]
    fn inverses_have_derivatives() {
        for n in FEW {
            let (p, a) = (positive::<T>(n), regular::<T>(n, 0));
            assert_rule(&by_factor(cholesky::<T>, |factor| InverseWith { factor, of: PhantomData }), (p,));
            assert_rule(&by_factor(LuFactor::<T>::new, |factor| InverseWith { factor, of: PhantomData }), (a,));
        }
    }
}
#[cfg(feature = "complex")]
#[test]
fn right_sides_may_have_another_number_type() {
    let (b, z) = (matrix::<f64>(3, 2, 1), matrix::<Z>(3, 2, 1));
    assert_rule(
        &by_factor(LuFactor::<Z>::new, |factor| SolveWith::by(&factor)),
        (regular::<Z>(3, 0), b.clone()),
    );
    assert_rule(
        &by_factor(LuFactor::<f64>::new, |factor| SolveWith::by(&factor)),
        (regular::<f64>(3, 0), z.clone()),
    );
    assert_rule(
        &by_factor(cholesky::<Z>, |factor| SolveWith::by(&factor)),
        (positive::<Z>(3), b),
    );
    assert_rule(
        &by_factor(cholesky::<f64>, |factor| SolveWith::by(&factor)),
        (positive::<f64>(3), z),
    );
}
