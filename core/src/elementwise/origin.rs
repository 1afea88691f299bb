//! Norms at the origin.
//!
//! The gradient of a norm `r = |x|` at 0 is 0 by convention, and jumps there: away from 0 it is `x / |x|`. A function of
//! the norm can be smooth all the same, as `r²` is. Its second derivative follows from the derivatives along one side of
//! the origin, in the direction `x_t`:
//!
//! ```text
//! r_t  = |x_t|
//! x_bt = r_bt x_t / |x_t|     if r_b = 0, where x_b = r_b x / |x| does not jump, and NaN otherwise
//! ```
//! Where `x` does not depend on the direction, `x_b` stays as it is. Where it does and `x_t` is zero, its direction is not known.
//!
//! The first derivatives of all modes are those by the convention, so that `r_t` is `|x_t|` in a walk for second
//! derivatives only ([`Tangent::one_sided`](crate::rule::Tangent::one_sided)).
use super::Lane;

/// Returns the factor of `x_t` in the tangent of the adjoint of `x`, at the origin of a norm. `one_sided` tells whether
/// `r_t` is the tangent along one side. If that is zero, `x` counts as independent of the direction.
#[inline(always)]
pub fn factor_at_origin<L: Lane>(one_sided: bool, r_b: L, r_bt: L, r_t: L) -> L {
    let unknown = r_b.splat(f64::NAN);
    if !one_sided {
        return unknown;
    }
    let factor = L::select(r_b.equal(r_b.zero()), r_bt / r_t, unknown);
    factor.unless(r_t.equal(r_t.zero()))
}
/// Returns the tangent of the adjoint of `x` at the origin of a norm, where `x_t` tells whether `x` depends on the direction: if it does not,
/// it is [unset](Lane::unset). A zero that was computed does not tell where `x` goes; only adjoints of zero have a known tangent then.
#[inline(always)]
pub(crate) fn tangent_at_origin<L: Lane>(
    one_sided: bool,
    (r_b, r_bt): (L, L),
    x_t: L,
    r_t: L,
) -> L {
    let zero = r_b.zero();
    let moves = x_t * factor_at_origin(one_sided, r_b, r_bt, r_t);
    if !one_sided {
        return moves;
    }
    let known = r_b.equal(zero) & r_bt.equal(zero);
    let unknown = L::select(known, zero, r_b.splat(f64::NAN));
    L::select(r_t.equal(zero), unknown, moves).unless(x_t.is_unset())
}
