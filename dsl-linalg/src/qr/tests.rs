use super::*;
use crate::samples::*;
use entape_check::assert_rule;

const WIDE: [(usize, usize); 6] = [(0, 3), (1, 3), (2, 3), (3, 5), (4, 5), (3, 9)];

for_numbers! {
    #[test]
    fn factors_of_all_shapes_have_derivatives() {
        for (m, n) in TALL.into_iter().chain(WIDE) {
            let a = spread::<T>(m, n);
            assert_rule(&by_factor(QrFactor::<T>::new, |factor| QrQ { factor, of: PhantomData }), (a.clone(),));
            assert_rule(&by_factor(QrFactor::<T>::new, |factor| QrR { factor, of: PhantomData }), (a,));
        }
    }
    #[test]
    fn least_squares_have_derivatives() {
        for (m, n) in TALL {
            let (a, b) = (spread::<T>(m, n), matrix::<T>(m, 2, 1));
            assert_rule(&by_factor(QrFactor::<T>::new, |factor| QrSolve::by(&factor)), (a, b));
        }
    }
}
#[cfg(feature = "complex")]
#[test]
fn right_sides_may_have_another_number_type() {
    for (m, n) in TALL {
        let (a, b) = (spread::<Z>(m, n), matrix::<f64>(m, 2, 1));
        assert_rule(
            &by_factor(QrFactor::<Z>::new, |factor| QrSolve::by(&factor)),
            (a, b),
        );
        let (a, b) = (spread::<f64>(m, n), matrix::<Z>(m, 2, 1));
        assert_rule(
            &by_factor(QrFactor::<f64>::new, |factor| QrSolve::by(&factor)),
            (a, b),
        );
    }
}
