use super::*;
use crate::samples::*;
use entape_check::assert_rule;

for_numbers! {
    #[test]
    fn factors_and_determinants_have_derivatives() {
        for n in FEW {
            let a = regular::<T>(n, 0);
            assert_rule(&by_factor(LuFactor::<T>::new, |factor| LuL { factor, of: PhantomData }), (a.clone(),));
            assert_rule(&by_factor(LuFactor::<T>::new, |factor| LuU { factor, of: PhantomData }), (a.clone(),));
            assert_rule(&by_factor(LuFactor::<T>::new, |factor| LuLnAbsDeterminant { factor, of: PhantomData }), (a.clone(),));
            assert_rule(&by_factor(LuFactor::<T>::new, |factor| LuDeterminant { factor, of: PhantomData }), (a,));
        }
    }
    #[test]
    fn determinants_have_derivatives_at_singular_matrices() {
        for n in [1, 2, 4] {
            let a = matrix::<T>(n, n - 1, 0) * matrix::<T>(n - 1, n, 1);
            assert_rule(&by_factor(LuFactor::<T>::new, |factor| LuDeterminant { factor, of: PhantomData }), (a,));
        }
    }
}
