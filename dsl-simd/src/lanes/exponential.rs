//! The exponential function and the logarithm of lanes of double precision, by the instructions that the machine has.
//!
//! The types of `wide` choose their instructions at compile time; without compiler flags these are the ones that every
//! processor of the target has. Many programs spend most of their time in these two functions, so they are called out
//! of line, once for all lanes, where the machine has AVX2 and fused multiplication.
use super::SimdVector;
use crate::{formulas, machine::vectorize};
use bytemuck::cast;
use entape_core::real::Real;
use pulp::NullaryFnOnce;
use std::marker::PhantomData;

/// A function of one number, in code for machines with fused multiplication.
trait FusedFunction {
    /// The function.
    fn of(x: f64) -> f64;
    /// Whether [`usual`](Self::usual) can be used for this number.
    fn is_usual(x: f64) -> bool;
    /// The function for most numbers, in fewer steps.
    fn usual(x: f64) -> f64;
}
struct FusedExp;
impl FusedFunction for FusedExp {
    #[inline(always)]
    fn of(x: f64) -> f64 {
        formulas::exp::<true>(x)
    }
    #[inline(always)]
    fn is_usual(x: f64) -> bool {
        formulas::has_normal_exp(x)
    }
    #[inline(always)]
    fn usual(x: f64) -> f64 {
        formulas::normal_exp::<true>(x)
    }
}
struct FusedLn;
impl FusedFunction for FusedLn {
    #[inline(always)]
    fn of(x: f64) -> f64 {
        formulas::ln(x)
    }
    #[inline(always)]
    fn is_usual(x: f64) -> bool {
        formulas::has_normal_ln(x)
    }
    #[inline(always)]
    fn usual(x: f64) -> f64 {
        formulas::normal_ln(x)
    }
}

struct Vectorized<F, const N: usize>([f64; N], PhantomData<F>);
impl<F: FusedFunction, const N: usize> NullaryFnOnce for Vectorized<F, N> {
    type Output = [f64; N];
    #[inline(always)]
    fn call(self) -> [f64; N] {
        let Vectorized(mut x, _) = self;
        // Loops, as it is not certain that the closures of `map` of arrays are inlined; they would be compiled for
        // other instructions. There is one branch for all lanes, which most often goes the same way: without it, this
        // statement and those after it would wait longer.
        if x.iter().fold(true, |all, &x| all & F::is_usual(x)) {
            for x in &mut x {
                *x = F::usual(*x);
            }
        } else {
            for x in &mut x {
                *x = F::of(*x);
            }
        }
        x
    }
}
/// Applies a formula to numbers, if the machine has the instructions.
#[inline(always)]
fn numbers<F: FusedFunction, const N: usize>(x: [f64; N]) -> Option<[f64; N]> {
    vectorize(Vectorized::<F, N>(x, PhantomData)).ok()
}
#[inline(always)]
fn each<F: FusedFunction, V: SimdVector>(x: V) -> Option<V> {
    if !V::Number::DOUBLE {
        return None;
    }
    match V::LANES {
        2 => numbers::<F, 2>(cast(x)).map(cast),
        4 => numbers::<F, 4>(cast(x)).map(cast),
        8 => numbers::<F, 8>(cast(x)).map(cast),
        _ => None,
    }
}
/// `e^x`, or `None` if the machine has no better way than the vector itself.
#[inline(always)]
pub(super) fn exp<V: SimdVector>(x: V) -> Option<V> {
    each::<FusedExp, V>(x)
}
/// The natural logarithm, likewise.
#[inline(always)]
pub(super) fn ln<V: SimdVector>(x: V) -> Option<V> {
    each::<FusedLn, V>(x)
}
