use super::*;
use crate::samples::*;
use entape_check::{Prepared, assert_rule};
use entape_core::op;
use std::marker::PhantomData;

for_numbers! {
    fn check<F: SpectralFunction<f64>>(a: &DMatrix<T>, make: fn(&SymmetricFactor<T>) -> F) {
        let op = Prepared::new(move |a: &DMatrix<T>| {
            let factor = SymmetricFactor::new(view(a));
            SymmetricFunction { f: Rc::new(make(&factor)), factor: Shared::new(factor), of: PhantomData }
        });
        assert_rule(&op, (a.clone(),));
    }
    fn matrices() -> impl Iterator<Item = DMatrix<T>> {
        let few = FEW.into_iter().map(|n| positive::<T>(n) / T::of(10.0));
        let mut turned = positive::<T>(3);
        turned = factors::symmetric_eigen(view(&turned)).1;
        let near = |gap: f64| composed(&turned, &[1.5, 1.5 + gap, 2.5]);
        few.chain([near(0.0), near(1e-9), near(1e-4), DMatrix::identity(2, 2)])
    }
    #[test]
    fn functions_have_derivatives_at_all_spectra() {
        for a in matrices() {
            check(&a, |_| Exp);
            check(&a, |_| Ln);
            check(&a, |factor| Sqrt { least: factor.least });
            check(&a, |_| op::Tanh);
        }
    }
    #[test]
    fn powers_have_derivatives_in_base_and_exponent() {
        for a in matrices() {
            for p in [-1.3, 0.4, 0.0, 1.0, 2.7].into_iter().take(few_or(2, 5)) {
                let op = Prepared::new(|a: &DMatrix<T>| SymmetricPowf {
                    factor: Shared::new(SymmetricFactor::new(view(a))),
                    of: PhantomData,
                });
                assert_rule(&op, (a.clone(), p));
            }
        }
    }
}
