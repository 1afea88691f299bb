//! The exponential function and the logarithm of lanes of double precision, by the instructions of the machine.
//!
//! The types of `wide` choose their instructions at compile time; without compiler flags these are the instructions
//! that every processor of the target has. Many programs spend most of their time in these two functions, so on
//! machines with AVX2 and fused multiplication they are called out of line, once for all lanes.
use super::SimdVector;
use crate::formulas;
use bytemuck::cast;
use entape_core::{
    machine::{PieceLoop, run_wider},
    real::Real,
};
use std::marker::PhantomData;

/// A function of one number, in code for machines with fused multiplication.
trait FusedFunction {
    /// Computes the function.
    fn of(x: f64) -> f64;
    /// Whether [`usual`](Self::usual) can be used for this number.
    fn is_usual(x: f64) -> bool;
    /// Computes the function for most numbers, in fewer steps.
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

struct Vectorized<'x, F, const N: usize>(&'x mut [f64; N], PhantomData<F>);
impl<F: FusedFunction, const N: usize> PieceLoop for Vectorized<'_, F, N> {
    #[inline(always)]
    fn run(self) {
        let Vectorized(x, _) = self;
        // Uses loops, because it is not certain that the closures of `map` of arrays are inlined; they would be
        // compiled for other instructions. There is one branch for all lanes, which is nearly always taken the same
        // way: without the branch, this statement and the following ones would have a longer latency.
        if x.iter().fold(true, |all, &x| all & F::is_usual(x)) {
            for x in x {
                *x = F::usual(*x);
            }
        } else {
            for x in x {
                *x = F::of(*x);
            }
        }
    }
}
/// Applies a formula to numbers, if the machine has the instructions. If inlined in unoptimised builds, long expressions would
/// overflow the stack.
#[cfg_attr(not(debug_assertions), inline(always))]
fn numbers<F: FusedFunction, const N: usize>(mut x: [f64; N]) -> Option<[f64; N]> {
    let done = run_wider(Vectorized::<F, N>(&mut x, PhantomData)).is_ok();
    done.then_some(x)
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
/// `e^x`, or `None` if the machine has nothing faster than the vector type.
#[inline(always)]
pub(super) fn exp<V: SimdVector>(x: V) -> Option<V> {
    each::<FusedExp, V>(x)
}
/// The natural logarithm, or `None` if the machine has nothing faster than the vector type.
#[inline(always)]
pub(super) fn ln<V: SimdVector>(x: V) -> Option<V> {
    each::<FusedLn, V>(x)
}
