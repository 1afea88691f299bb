use super::*;
use crate::samples::*;
use entape_check::assert_rule;

for_numbers! {
    fn factor(a: View<'_, T>) -> CholeskyFactor<T> {
        CholeskyFactor::new(a).expect("a positive definite matrix")
    }
    #[test]
    fn factors_and_determinants_have_derivatives() {
        for n in FEW {
            let a = positive::<T>(n);
            assert_rule(&by_factor(factor, |factor| CholeskyL { factor, of: PhantomData }), (a.clone(),));
            assert_rule(&by_factor(factor, |factor| CholeskyLnDeterminant { factor, of: PhantomData }), (a.clone(),));
            assert_rule(&by_factor(factor, |factor| CholeskyDeterminant { factor, of: PhantomData }), (a,));
        }
    }
}
