use super::*;
use crate::samples::*;
use entape_check::assert_rule;
use std::marker::PhantomData;

for_numbers! {
    #[test]
    fn factors_have_derivatives() {
        for (m, n) in TALL {
            let a = spread::<T>(m, n);
            assert_rule(&by_factor(PolarFactor::<T>::new, |factor| PolarU { factor, of: PhantomData }), (a.clone(),));
            assert_rule(&by_factor(PolarFactor::<T>::new, |factor| PolarP { factor, of: PhantomData }), (a,));
        }
    }
    #[test]
    fn factors_have_derivatives_at_equal_singular_values() {
        let a = DMatrix::<T>::identity(4, 3) * scalar::<T>();
        assert_rule(&by_factor(PolarFactor::<T>::new, |factor| PolarU { factor, of: PhantomData }), (a.clone(),));
        assert_rule(&by_factor(PolarFactor::<T>::new, |factor| PolarP { factor, of: PhantomData }), (a,));
    }
}
