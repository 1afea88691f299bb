//! The exponential and the logarithm of `f64` lanes, in which many programs spend most of their time. On machines with
//! AVX2 and fused multiplication they are called out of line, once for all lanes, because `wide` chooses instructions
//! at compile time.
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
    fn of(x: f64) -> f64;
    fn is_usual(x: f64) -> bool;
    /// Takes fewer steps for numbers that [`is_usual`](Self::is_usual) accepts.
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
        // Closures of `map` might not be inlined, and compiled for other instructions. One branch for all lanes
        // shortens the latency of the following statements.
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
/// Applies a formula if the machine has the instructions. Inlined in unoptimised builds, it would overflow the stack.
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
/// `None` if the machine has nothing faster than the vector type.
#[inline(always)]
pub(super) fn exp<V: SimdVector>(x: V) -> Option<V> {
    each::<FusedExp, V>(x)
}
#[inline(always)]
pub(super) fn ln<V: SimdVector>(x: V) -> Option<V> {
    each::<FusedLn, V>(x)
}
